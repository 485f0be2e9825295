/// Normalisation of every channel over the batch (Ioffe & Szegedy, 2015, algorithm 1).
///
/// `[C, …]` → `[C, …]`, or `[length, C]` → `[length, C]` for a series, whose steps count like examples;
/// the values of a vector are channels of one value. At inference, with the running
/// mean μ and variance σ² of the channel c that a value belongs to:
///
///     output = (input − μ[c]) / √(σ²[c] + ε) · weight[c] + bias[c]
///
/// While training, μ and σ² are those of the batch, and the running ones move towards them.
public struct BatchNormalization: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "batchNormalization"
  /// What is added to a variance before its root is taken, ε (PyTorch's default).
  public static let epsilon: Float = 1e-5

  package init() {}

  /// The layer in a few words for people.
  public var summary: String { "batch normalisation" }

  /// The same shape.
  public func outputShape(of inputs: [Shape]) -> Shape { inputs[0] }

  /// Scale, shift, running mean and running variance, `[channels]` each.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] {
    [.weight, .bias, .runningMean, .runningVariance].map { ($0, [inputs[0].channelCount]) }
  }

  /// One for each value: the normalisation is a factor and a shift.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int { inputs[0].count }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    let channels = shapes[0].channelCount
    // The values of a channel follow each other in planes, and those of a step in a series.
    let length: Int
    if case .series = shapes[0] { length = 1 } else { length = shapes[0].count / channels }
    let (weight, bias) = (stored(.weight), stored(.bias))
    let (mean, variance) = (stored(.runningMean), stored(.runningVariance))
    return inputs[0].enumerated().map { index, value in
      let c = index / length % channels
      let deviation = (variance[c] + Self.epsilon).squareRoot()
      return (value - mean[c]) / deviation * weight[c] + bias[c]
    }
  }
}
