/// 2-D convolution with bias (LeCun et al., 1998).
///
/// `[C, height, width]` → `[F, rows, columns]`, with a square, odd kernel of k × k and a stride s of 1 or 2:
///
///     output[f, y, x] = bias[f] + Σ over c, i, j of
///                       weight[f, c, i, j] · input[c, s · y + i − pad, s · x + j − pad]
///
/// What lies outside the planes counts as 0. `same` padding has pad = (k − 1) / 2 and keeps height and
/// width; `valid` padding has pad = 0 and takes k − 1 off both. A stride of 2 then keeps every other row and
/// column: of n, ⌈n / 2⌉.
public struct Convolution: LayerDefinition {
  /// What lies outside the planes.
  public enum Padding: String, Codable, CaseIterable, Sendable {
    /// Zeros, so many that the output is as large as the input.
    case same
    /// Nothing: the kernel stays inside.
    case valid
  }

  /// The word for this kind in the JSON form.
  public static let kind = "convolution"
  /// The number of planes that come out.
  public let filters: Int
  /// The rows and columns of the kernel.
  public let kernel: Int
  /// The rows and columns from one position of the kernel to the next.
  public let stride: Int
  /// What lies outside.
  public let padding: Padding

  /// Makes a convolution.
  public init(filters: Int, kernel: Int, stride: Int = 1, padding: Padding) {
    self.filters = filters
    self.kernel = kernel
    self.stride = stride
    self.padding = padding
  }

  /// The layer in a few words for people.
  public var summary: String {
    "convolution \(kernel)×\(kernel)×\(filters)\(stride == 1 ? "" : ", stride \(stride)"), "
      + padding.rawValue
  }

  /// The zeros on each side.
  package var pad: Int { padding == .same ? kernel / 2 : 0 }

  /// The shape of what comes out: `[filters, rows, columns]`.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard case .planes(_, let height, let width) = inputs[0] else {
      throw LayerMismatch("planes to work on", found: inputs[0].words)
    }
    guard (1...4096).contains(filters) else {
      throw LayerMismatch("1 to 4096 filters", found: "\(filters)")
    }
    guard kernel % 2 == 1, (1...31).contains(kernel) else {
      throw LayerMismatch("an odd kernel of 1 to 31", found: "\(kernel)")
    }
    guard (1...2).contains(stride) else {
      throw LayerMismatch("a stride of 1 or 2", found: "\(stride)")
    }
    let lost = kernel - 1 - 2 * pad
    guard height > lost, width > lost else {
      throw LayerMismatch("an input larger than its kernel of \(kernel)", found: "\(inputs[0])")
    }
    return .planes(
      channels: filters, height: (height - lost + stride - 1) / stride,
      width: (width - lost + stride - 1) / stride)
  }

  /// Weights `[filters, channels, kernel, kernel]` and biases `[filters]`.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] {
    [(.weight, [filters, inputs[0].channelCount, kernel, kernel]), (.bias, [filters])]
  }

  /// One for each output value and weight of its filter.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int {
    output.count * inputs[0].channelCount * kernel * kernel
  }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    guard case .planes(let channels, let height, let width) = shapes[0],
      case .planes(_, let rows, let columns) = output
    else { preconditionFailure("a convolution works on planes") }
    let (weight, bias, input) = (stored(.weight), stored(.bias), inputs[0])
    var result = [Float](repeating: 0, count: output.count)
    for f in 0..<filters {
      for y in 0..<rows {
        for x in 0..<columns {
          var sum = bias[f]
          for c in 0..<channels {
            for i in 0..<kernel {
              for j in 0..<kernel {
                let (row, column) = (stride * y + i - pad, stride * x + j - pad)
                guard (0..<height).contains(row), (0..<width).contains(column) else { continue }
                sum +=
                  weight[((f * channels + c) * kernel + i) * kernel + j]
                  * input[(c * height + row) * width + column]
              }
            }
          }
          result[(f * rows + y) * columns + x] = sum
        }
      }
    }
    return result
  }
}

extension Layer {
  /// A convolution; see ``Convolution``.
  public static func convolution(
    filters: Int, kernel: Int, stride: Int = 1, padding: Convolution.Padding
  ) -> Layer {
    .convolution(Convolution(filters: filters, kernel: kernel, stride: stride, padding: padding))
  }
}

/// `{"kind": "convolution", "filters": 16, "kernel": 3, "padding": "same"}`, with a `"stride"` unless that is 1.
extension Convolution: Codable {
  private enum CodingKeys: CodingKey {
    case filters, kernel, stride, padding
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where a key is missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      filters: try container.decode(Int.self, forKey: .filters),
      kernel: try container.decode(Int.self, forKey: .kernel),
      stride: try container.decodeIfPresent(Int.self, forKey: .stride) ?? 1,
      padding: try container.decode(Padding.self, forKey: .padding))
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(filters, forKey: .filters)
    try container.encode(kernel, forKey: .kernel)
    if stride != 1 { try container.encode(stride, forKey: .stride) }
    try container.encode(padding, forKey: .padding)
  }
}
