/// Planes twice as high and wide, each value in a square of 2 × 2 ("nearest").
///
/// `[C, height, width]` → `[C, 2 · height, 2 · width]`:
///
///     output[c, y, x] = input[c, ⌊y / 2⌋, ⌊x / 2⌋]
public struct Upsampling: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "upsampling"
  /// How much higher and wider the planes become.
  public static let factor = 2

  package init() {}

  /// The layer in a few words for people.
  public var summary: String { "upsampling \(Self.factor)×\(Self.factor)" }

  /// The shape of what comes out: `[channels, 2 · height, 2 · width]`.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard case .planes(let channels, let height, let width) = inputs[0] else {
      throw LayerMismatch("planes to work on", found: inputs[0].words)
    }
    return .planes(channels: channels, height: Self.factor * height, width: Self.factor * width)
  }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    guard case .planes(_, let height, let width) = shapes[0],
      case .planes(let channels, let rows, let columns) = output
    else { preconditionFailure("an upsampling works on planes") }
    return (0..<channels).flatMap { c in
      (0..<rows).flatMap { y in
        (0..<columns).map { x in
          inputs[0][(c * height + y / Self.factor) * width + x / Self.factor]
        }
      }
    }
  }
}
