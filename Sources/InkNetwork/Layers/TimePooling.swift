import Foundation

/// Pooling of all steps of a series: `[length, C]` → `[C]`.
///
///     max        output[c] = max over t of input[t, c]
///     mean       output[c] = Σ over t of input[t, c] / length
///     attention  output[c] = Σ over t of a[t] · input[t, c],  a = softmax over t of Σ over c of
///                            weight[c] · input[t, c]
///
/// Attention with one learnt query is that of Yang et al. (2016, equations 5 to 7) without their hidden
/// layer.
public struct TimePooling: LayerDefinition {
  /// How steps become one.
  public enum Method: String, Codable, CaseIterable, Sendable {
    /// The largest value.
    case max
    /// The mean.
    case mean
    /// A mean with learnt weights.
    case attention
  }

  /// The word for this kind in the JSON form.
  public static let kind = "timePooling"
  /// How steps become one.
  public let method: Method

  /// The layer in a few words for people.
  public var summary: String { "\(method.rawValue) over time" }

  /// The shape of what comes out: a vector of the channels.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard case .series(_, let channels) = inputs[0] else {
      throw LayerMismatch("a series to work on", found: inputs[0].words)
    }
    return .vector(channels)
  }

  /// For attention, weights `[channels]`.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] {
    method == .attention ? [(.weight, [inputs[0].channelCount])] : []
  }

  /// Two for each value, for attention.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int {
    method == .attention ? 2 * inputs[0].count : 0
  }

  /// Computes the formulas above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    let (input, channels) = (inputs[0], shapes[0].channelCount)
    let steps = input.count / channels
    func sum(_ weights: [Float]) -> [Float] {
      (0..<channels).map { c in
        (0..<steps).reduce(0) { $0 + weights[$1] * input[$1 * channels + c] }
      }
    }
    switch method {
    case .max:
      return (0..<channels).map { c in (0..<steps).map { input[$0 * channels + c] }.max()! }
    case .mean: return sum([Float](repeating: 1 / Float(steps), count: steps))
    case .attention:
      let weight = stored(.weight)
      let scores = (0..<steps).map { t in
        (0..<channels).reduce(0) { $0 + weight[$1] * input[t * channels + $1] }
      }
      let powers = scores.map { exp($0 - scores.max()!) }
      return sum(powers.map { $0 / powers.reduce(0, +) })
    }
  }
}

extension Layer {
  /// Pooling of all steps of a series; see ``TimePooling``.
  public static func timePooling(_ method: TimePooling.Method) -> Layer {
    .timePooling(TimePooling(method: method))
  }
}
