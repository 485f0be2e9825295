import CInkKernels
import InkNetwork

extension Upsampling: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    if plan.hasCells, let layout = plan.packedLayout(of: node.index) {
      return plan.addPlaneUpsampling(node.index, to: layout)
    }
    guard case .planes(let channels, let height, let width) = node.shape else {
      preconditionFailure("an upsampling reads planes")
    }
    return plan.addStep(
      UpsamplingKernel(rows: channels * height, width: width), from: node.input,
      to: plan.planes(node.outputShape, .fixed))
  }
}

/// Nearest upsampling of planes by two, with its gradient.
///
/// Shapes: input `[rows, width]`, of all channels, output `[2 · rows, 2 · width]`:
///
///     output[y, x] = input[y / 2, x / 2]
///     ∂input[y, x] = the sum of ∂output[2 y + i, 2 x + j], 0 ≤ i, j < 2
struct UpsamplingKernel: ExampleKernel {
  let rows: Int
  let width: Int

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    for y in 0..<2 * rows {
      let source = example.input + y / 2 * width
      let target = example.output + y * 2 * width
      for x in 0..<2 * width { target[x] = source[x / 2] }
    }
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    guard let inputGradient = example.inputGradient else { return }
    for y in 0..<rows {
      let top = example.outputGradient + 4 * y * width
      let bottom = top + 2 * width
      let target = inputGradient + y * width
      for x in 0..<width {
        target[x] = (top[2 * x] + top[2 * x + 1]) + (bottom[2 * x] + bottom[2 * x + 1])
      }
    }
  }
}
