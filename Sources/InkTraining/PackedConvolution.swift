/// A convolution over planes with the channels last, fused with the layers behind it.
///
/// Weights and their gradients are laid out for the kernels: weights whenever they have changed,
/// gradients added up over the batch and then brought back.
protocol PackedConvolution: Sendable {
  /// The numbers of scratch memory that a worker needs.
  var scratchCount: Int { get }
  /// The numbers in packed gradients.
  var gradientCount: Int { get }

  /// Lays weights `[F, C, k, k]` and bias `[F]` out for the passes.
  func pack(weight: UnsafePointer<Float>, bias: UnsafePointer<Float>)

  /// Writes packed gradients as those of weights `[F, C, k, k]` and bias `[F]`.
  func unpack(
    gradients: UnsafePointer<Float>, weight: UnsafeMutablePointer<Float>,
    bias: UnsafeMutablePointer<Float>)
}
