import InkNetwork

extension Concatenation: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    if let buffer = plan.leaveDoubledJoin(node.index) { return buffer }
    if plan.hasCells, let layout = plan.packedLayout(of: node.index) {
      plan.layouts[node.index] = layout
      return plan.addPlaneJoin(node.index, to: layout)
    }
    return plan.joined(readBy: node.index)
  }
}
