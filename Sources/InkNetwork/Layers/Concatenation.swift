/// Concatenation of vectors, of the channels of series of the same length, or of planes of the same size.
///
/// `[A]`, `[B]` → `[A + B]`; `[length, A]`, `[length, B]` → `[length, A + B]`; `[A, height, width]`,
/// `[B, height, width]` → `[A + B, height, width]`.
public struct Concatenation: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "concatenation"
  /// Two sources and more.
  public static let sourceCounts = 2...64

  package init() {}

  /// The layer in a few words for people.
  public var summary: String { "concatenation" }

  /// The shape of what comes out: all channels.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    let channels = inputs.reduce(0) { $0 + $1.channelCount }
    switch inputs[0] {
    case .vector:
      for input in inputs {
        guard case .vector = input else {
          throw LayerMismatch("vectors only, or series only", found: input.words)
        }
      }
      return .vector(channels)
    case .series(let length, _):
      for input in inputs {
        guard case .series(length, _) = input else {
          throw LayerMismatch("series of \(length) steps only", found: input.words)
        }
      }
      return .series(length: length, channels: channels)
    case .planes(_, let height, let width):
      for input in inputs {
        guard case .planes(_, height, width) = input else {
          throw LayerMismatch(
            "planes of \(height) × \(width) only, as what is halved and doubled again has only where "
              + "its sides are even",
            found: input.words)
        }
      }
      return .planes(channels: channels, height: height, width: width)
    }
  }

  /// The values stay as they are.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    guard case .series(let length, _) = output else { return Array(inputs.joined()) }
    return (0..<length).flatMap { step in
      zip(inputs, shapes).flatMap { values, shape in
        values[step * shape.channelCount..<(step + 1) * shape.channelCount]
      }
    }
  }
}

extension Concatenation: InferableLayer {
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int { plan.joined(readBy: index) }
}
