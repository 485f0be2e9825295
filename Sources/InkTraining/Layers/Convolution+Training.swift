import CInkKernels
import InkNetwork

extension Convolution: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    if let fusion = TrainingPlan.Fusion(node.index, of: plan.architecture) {
      return plan.addPackedConvolution(fusion, from: node.input)
    }
    if plan.hasCells, node.index == plan.architecture.nodes.count - 1 {
      return plan.addCellConvolution(self, of: node.index)
    }
    let kernel = ConvolutionKernel(
      geometry: ConvolutionGeometry(self, of: node.shape), filters: filters,
      hasReLU: plan.takesReLU(after: node.index), blas: plan.blas)
    let step = plan.step(
      of: node.index, from: node.input,
      to: plan.planes(
        node.outputShape,
        plan.columns(
          of: node.input, without: self.kernel - stride - 2 * pad, dividedBy: stride)))
    plan.append(kernel, step)
    return step.output
  }
}

/// A 2-D convolution with its gradients, for one example at a time.
///
/// Legend: C input channels, F filters, K = C · kernel · kernel, P output positions.
/// With the input laid out as patches X `[K, P]`, weights W `[F, K]` and the output's gradient
/// G `[F, P]` (Chellapilla, Puri & Simard, 2006):
///
///     output   Y  = W · X + b
///     weights  ∂W += G · Xᵀ        bias  ∂b += Σₚ G
///     patches  ∂X = Wᵀ · G, added to their input positions
struct ConvolutionKernel: ExampleKernel {
  let geometry: ConvolutionGeometry
  let filters: Int
  /// Whether a ReLU, max(0, ·), follows and is fused into this layer.
  let hasReLU: Bool
  let blas: BLAS

  private var weightCount: Int { filters * geometry.patchLength }

  var gradientCount: Int { weightCount + filters }
  var scratchCount: Int { 2 * geometry.patchLength * geometry.paddedPositionCount }

  /// Shapes: input `[C, height, width]`, weight `[F, K]`, bias `[F]`, output `[F, P]`.
  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    let geometry = geometry.with(width: example.width)
    let positions = geometry.positionCount
    geometry.gatherPatches(example.input, into: example.scratch)
    blas.multiply(
      .init(values: example.parameters, stride: geometry.patchLength),
      .init(values: example.scratch, stride: geometry.paddedPositionCount),
      rows: filters, inner: geometry.patchLength, columns: positions, beta: 0,
      into: example.output, outputStride: positions)
    let bias = example.parameters + weightCount
    for filter in 0..<filters {
      ink_add_bias(
        example.output + filter * positions, positions, bias[filter], hasReLU ? 0 : -.infinity)
    }
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    let geometry = geometry.with(width: example.width)
    let (positions, stride) = (geometry.positionCount, geometry.paddedPositionCount)
    let outputGradient = example.outputGradient
    if hasReLU { ink_relu_gradient(outputGradient, example.output, filters * positions) }
    for filter in 0..<filters {
      gradients[weightCount + filter] += ink_sum(outputGradient + filter * positions, positions)
    }
    geometry.gatherPatches(example.input, into: example.scratch)
    blas.multiply(
      .init(values: outputGradient, stride: positions),
      .init(values: example.scratch, stride: stride, isTransposed: true),
      rows: filters, inner: positions, columns: geometry.patchLength, beta: 1, into: gradients,
      outputStride: geometry.patchLength)
    guard let inputGradient = example.inputGradient else { return }
    let patchGradient = example.scratch + geometry.patchLength * stride
    blas.multiply(
      .init(values: example.parameters, stride: geometry.patchLength, isTransposed: true),
      .init(values: outputGradient, stride: positions),
      rows: geometry.patchLength, inner: filters, columns: positions, beta: 0, into: patchGradient,
      outputStride: stride)
    inputGradient.update(repeating: 0, count: geometry.channels * geometry.height * geometry.width)
    geometry.scatterPatches(patchGradient, addingTo: inputGradient)
  }
}
