/// The largest value of each square of `size` × `size`, with a stride of `size`.
///
/// `[C, height, width]` → `[C, height / size, width / size]`; what does not fill a square at the right
/// and the lower edge is left out:
///
///     output[c, y, x] = the largest of input[c, y · size + i, x · size + j], 0 ≤ i, j < size
public struct MaxPooling: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "maxPooling"
  /// The rows and columns of a square.
  public let size: Int

  /// The layer in a few words for people.
  public var summary: String { "max-pooling \(size)×\(size)" }

  /// The shape of what comes out: `[channels, height / size, width / size]`.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard case .planes(let channels, let height, let width) = inputs[0] else {
      throw LayerMismatch("planes to work on", found: inputs[0].words)
    }
    guard size >= 2 else { throw LayerMismatch("a size of 2 or more", found: "\(size)") }
    guard height >= size, width >= size else {
      throw LayerMismatch("an input of at least \(size) × \(size)", found: "\(inputs[0])")
    }
    return .planes(channels: channels, height: height / size, width: width / size)
  }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    guard case .planes(_, let height, let width) = shapes[0],
      case .planes(let channels, let rows, let columns) = output
    else { preconditionFailure("pooling works on planes") }
    var result = [Float](repeating: -.infinity, count: output.count)
    for c in 0..<channels {
      for y in 0..<rows {
        for x in 0..<columns {
          let place = (c * rows + y) * columns + x
          for i in 0..<size {
            for j in 0..<size {
              let value = inputs[0][(c * height + y * size + i) * width + x * size + j]
              result[place] = max(result[place], value)
            }
          }
        }
      }
    }
    return result
  }
}

extension Layer {
  /// A max-pooling; see ``MaxPooling``.
  public static func maxPooling(size: Int) -> Layer { .maxPooling(MaxPooling(size: size)) }
}
