import CInkKernels

/// Normalisation of every step, or of a vector, over its own channels (Ba et al., 2016).
///
/// `[…, C]` → `[…, C]`. With mean μ and (biased) variance σ² of the C values of a step:
///
///     output[c] = (input[c] − μ) / √(σ² + ε) · weight[c] + bias[c]
public struct LayerNormalization: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "layerNormalization"
  /// What is added to a variance before its root is taken, ε (PyTorch's default).
  public static let epsilon: Float = 1e-5

  package init() {}

  /// The layer in a few words for people.
  public var summary: String { "layer normalisation" }

  /// The same shape.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    if case .planes = inputs[0] {
      throw LayerMismatch("a series or a vector to work on", found: inputs[0].words)
    }
    return inputs[0]
  }

  /// Scale and shift, `[channels]` each.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] {
    [(.weight, [inputs[0].channelCount]), (.bias, [inputs[0].channelCount])]
  }

  /// Two for each value: the variance, and the factor.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int { 2 * inputs[0].count }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    let (weight, bias, channels) = (stored(.weight), stored(.bias), shapes[0].channelCount)
    return stride(from: 0, to: inputs[0].count, by: channels).flatMap { start in
      let step = inputs[0][start..<start + channels]
      let mean = step.reduce(0, +) / Float(channels)
      let variance = step.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(channels)
      let deviation = (variance + Self.epsilon).squareRoot()
      return step.enumerated().map { ($1 - mean) / deviation * weight[$0] + bias[$0] }
    }
  }
}

extension LayerNormalization: InferableLayer {
  var isInPlace: Bool { true }

  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let place = plan.ownInput(of: index)
    let stored = [Parameter.Role.weight, .bias].map { plan.network.values(index, $0) }
    let buffers = stored.map { FloatBuffer(count: $0.count) }
    for (buffer, values) in zip(buffers, stored) { buffer.values = values }
    plan.append(Inference(weight: buffers[0], bias: buffers[1]), from: place, to: place)
    return place
  }

  private struct Inference: ExampleOperation {
    let weight: FloatBuffer
    let bias: FloatBuffer

    func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
      ink_layer_normalization(
        input.layout.isSeries ? input.steps : 1, weight.count, input.layout.packedChannels,
        input.memory, weight.pointer, bias.pointer, LayerNormalization.epsilon, nil, nil,
        input.memory)
    }
  }
}
