import CInkKernels
import InkNetwork

extension ReLU: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    plan.append(ReLUKernel(), plan.step(of: node.index, from: node.input))
    return node.input
  }
}

/// The rectifier in its place: y = max(0, x), ∂x = ∂y where y > 0, else 0.
struct ReLUKernel: ExampleKernel {
  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    ink_relu(example.output, example.count)
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    ink_relu_gradient(example.outputGradient, example.output, example.count)
  }
}
