import InkNetwork

extension Columns: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    guard case .series(let width, let rows) = node.outputShape else {
      preconditionFailure("columns are a series")
    }
    return plan.addStep(
      TranspositionKernel(channels: rows, readsSteps: false), from: node.input,
      to: TrainingPlan.Buffer(row: rows, maximumRows: width, rows: plan.columns(of: node.input)))
  }
}
