import CInkKernels
import InkNetwork

/// A 2-D convolution of stride 1 with its gradients, for one example at a time.
///
/// Legend: C input channels, F filters, K = C · kernel · kernel, P output positions.
/// With the input laid out as patches X `[K, P]`, weights W `[F, K]` and the output's gradient
/// G `[F, P]` (Chellapilla, Puri & Simard, 2006):
///
///     output   Y  = W · X + b
///     weights  ∂W += G · Xᵀ        bias  ∂b += Σₚ G
///     patches  ∂X = Wᵀ · G, added to their input positions
struct ConvolutionKernel {
  private(set) var geometry: ConvolutionGeometry
  let filters: Int
  /// Whether a ReLU, max(0, ·), follows and is fused into this layer.
  let hasReLU: Bool
  let blas: BLAS

  /// The kernel for planes of another width, unless that is `nil`.
  func with(width: Int?) -> ConvolutionKernel {
    var other = self
    other.geometry.width = width ?? geometry.width
    return other
  }

  /// The number of values of scratch memory that a worker needs.
  var scratchCount: Int { 2 * geometry.patchLength * geometry.paddedPositionCount }

  private var positions: Int { geometry.positionCount }
  private var stride: Int { geometry.paddedPositionCount }

  /// Computes the output.
  ///
  /// Shapes: input `[C, height, width]`, weight `[F, K]`, bias `[F]`, output `[F, P]`.
  func forward(
    input: UnsafePointer<Float>, weight: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    output: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    geometry.gatherPatches(input, into: scratch)
    blas.multiply(
      .init(values: weight, stride: geometry.patchLength), .init(values: scratch, stride: stride),
      rows: filters, inner: geometry.patchLength, columns: positions, beta: 0, into: output,
      outputStride: positions)
    for filter in 0..<filters {
      ink_add_bias(
        output + filter * positions, positions, bias[filter], hasReLU ? 0 : -.infinity)
    }
  }

  /// Adds to the gradients of weight and bias, and writes the gradient of the input unless it is `nil`.
  ///
  /// Sets `outputGradient` to 0 where the output of a ReLU is 0.
  func backward(
    input: UnsafePointer<Float>, output: UnsafePointer<Float>, weight: UnsafePointer<Float>,
    outputGradient: UnsafeMutablePointer<Float>, weightGradient: UnsafeMutablePointer<Float>,
    biasGradient: UnsafeMutablePointer<Float>, inputGradient: UnsafeMutablePointer<Float>?,
    scratch: UnsafeMutablePointer<Float>
  ) {
    if hasReLU { ink_relu_gradient(outputGradient, output, filters * positions) }
    for filter in 0..<filters {
      biasGradient[filter] += ink_sum(outputGradient + filter * positions, positions)
    }
    geometry.gatherPatches(input, into: scratch)
    blas.multiply(
      .init(values: outputGradient, stride: positions),
      .init(values: scratch, stride: stride, isTransposed: true),
      rows: filters, inner: positions, columns: geometry.patchLength, beta: 1,
      into: weightGradient, outputStride: geometry.patchLength)
    guard let inputGradient else { return }
    let patchGradient = scratch + geometry.patchLength * stride
    blas.multiply(
      .init(values: weight, stride: geometry.patchLength, isTransposed: true),
      .init(values: outputGradient, stride: positions),
      rows: geometry.patchLength, inner: filters, columns: positions, beta: 0, into: patchGradient,
      outputStride: stride)
    inputGradient.update(repeating: 0, count: geometry.channels * geometry.height * geometry.width)
    geometry.scatterPatches(patchGradient, addingTo: inputGradient)
  }
}
