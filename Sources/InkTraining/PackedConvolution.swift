/// A convolution over planes with the channels last, fused with the layers after it.
///
/// The kernels use packed weights and gradients. Weights are packed after each change. Gradients are
/// added up over the batch and then unpacked.
protocol PackedConvolution: Sendable {
  /// The number of values of scratch memory that a worker needs.
  var scratchCount: Int { get }
  /// The number of values of packed gradients.
  var gradientCount: Int { get }

  /// Packs weights `[F, C, k, k]` and bias `[F]`.
  func pack(weight: UnsafePointer<Float>, bias: UnsafePointer<Float>)

  /// Unpacks gradients into those of weights `[F, C, k, k]` and bias `[F]`.
  func unpack(
    gradients: UnsafePointer<Float>, weight: UnsafeMutablePointer<Float>,
    bias: UnsafeMutablePointer<Float>)
}
