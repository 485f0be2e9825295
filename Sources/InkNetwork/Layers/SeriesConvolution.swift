/// 1-D convolution over time with bias (Waibel et al., 1989).
///
/// `[length, C]` → `[steps, F]`, with a kernel of k steps and a stride of s:
///
///     output[t, f] = bias[f] + Σ over j, c of weight[f, j, c] · input[t · s + j − before, c]
///
/// What lies outside the series counts as 0. `same` padding has before = (k − 1) / 2, rounded down, and
/// `causal` padding before = k − 1, so that no step depends on a later one; both have
/// steps = length / s, rounded up. `valid` padding has before = 0 and steps = (length − k) / s + 1.
public struct SeriesConvolution: LayerDefinition {
  /// What lies outside the series.
  public enum Padding: String, Codable, CaseIterable, Sendable {
    /// Zeros on both sides.
    case same
    /// Nothing: the kernel stays inside.
    case valid
    /// Zeros before the first step only.
    case causal
  }

  /// The word for this kind in the JSON form.
  public static let kind = "seriesConvolution"
  /// The number of channels that come out.
  public let filters: Int
  /// The steps of the kernel.
  public let kernel: Int
  /// The steps from one position of the kernel to the next.
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
    "series convolution \(kernel)×\(filters)\(stride == 1 ? "" : ", stride \(stride)"), "
      + padding.rawValue
  }

  /// The zeros before the first step.
  package var before: Int {
    switch padding {
    case .same: (kernel - 1) / 2
    case .valid: 0
    case .causal: kernel - 1
    }
  }

  /// The zeros after the last step.
  package var after: Int { padding == .valid ? 0 : kernel - 1 - before }

  /// The number of output steps for `length` steps; 0 if the kernel does not fit.
  package func outputLength(of length: Int) -> Int {
    switch padding {
    case .same, .causal: (length + stride - 1) / stride
    case .valid: length < kernel ? 0 : (length - kernel) / stride + 1
    }
  }

  /// The shape of what comes out: `[steps, filters]`.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard case .series(let length, _) = inputs[0] else {
      throw LayerMismatch("a series to work on", found: inputs[0].words)
    }
    guard (1...4096).contains(filters) else {
      throw LayerMismatch("1 to 4096 filters", found: "\(filters)")
    }
    guard (1...1024).contains(kernel) else {
      throw LayerMismatch("a kernel of 1 to 1024 steps", found: "\(kernel)")
    }
    guard (1...1024).contains(stride) else {
      throw LayerMismatch("a stride of 1 to 1024 steps", found: "\(stride)")
    }
    let steps = outputLength(of: length)
    guard steps > 0 else {
      throw LayerMismatch(
        "a series at least as long as its kernel of \(kernel)", found: "\(length) steps")
    }
    return .series(length: steps, channels: filters)
  }

  /// Weights `[filters, kernel, channels]` and biases `[filters]`.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] {
    [(.weight, [filters, kernel, inputs[0].channelCount]), (.bias, [filters])]
  }

  /// One for each output value and weight of its filter.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int {
    output.count * kernel * inputs[0].channelCount
  }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    guard case .series(let length, let channels) = shapes[0] else {
      preconditionFailure("a series convolution works on a series")
    }
    let (weight, bias, input) = (stored(.weight), stored(.bias), inputs[0])
    var result: [Float] = []
    for t in 0..<outputLength(of: length) {
      for f in 0..<filters {
        var sum = bias[f]
        for j in 0..<kernel {
          let step = t * stride + j - before
          guard (0..<length).contains(step) else { continue }
          for c in 0..<channels {
            sum += weight[(f * kernel + j) * channels + c] * input[step * channels + c]
          }
        }
        result.append(sum)
      }
    }
    return result
  }
}

extension Layer {
  /// A convolution over time; see ``SeriesConvolution``.
  public static func seriesConvolution(
    filters: Int, kernel: Int, stride: Int = 1, padding: SeriesConvolution.Padding
  ) -> Layer {
    .seriesConvolution(
      SeriesConvolution(filters: filters, kernel: kernel, stride: stride, padding: padding))
  }
}
