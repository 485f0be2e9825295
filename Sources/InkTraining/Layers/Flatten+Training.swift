import InkNetwork

extension Flatten: TrainableLayer {
  /// Adds a step for a series only, whose steps follow each other already.
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    guard case .series = node.shape else { return node.input }
    return plan.addStep(
      CopyKernel(adds: false), from: node.input, to: TrainingPlan.Buffer(row: node.shape.count))
  }
}
