import InkNetwork

extension Concatenation: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    plan.joined(readBy: node.index)
  }
}
