/// Every output is a weighted sum of all inputs: `[inputs]` → `[units]`, or, step by step,
/// `[length, inputs]` → `[length, units]`.
///
///     output[u] = bias[u] + Σ over i of weight[u, i] · input[i]
///
/// The values of several vectors follow each other, as if they were one.
public struct Dense: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "dense"
  /// As many sources as one likes.
  public static let sourceCounts = 1...64
  /// The number of outputs.
  public let units: Int

  /// The layer in a few words for people.
  public var summary: String { "dense \(units)" }

  /// The shape of what comes out: a vector of `units`, or one for each step.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard (1...65536).contains(units) else {
      throw LayerMismatch("1 to 65536 units", found: "\(units)")
    }
    if inputs.count == 1, case .series(let length, _) = inputs[0] {
      return .series(length: length, channels: units)
    }
    for input in inputs {
      guard case .vector = input else {
        throw LayerMismatch("a vector to work on (flatten first)", found: input.words)
      }
    }
    return .vector(units)
  }

  /// The values that go into each weighted sum.
  private func inputCount(of inputs: [Shape]) -> Int { inputs.reduce(0) { $0 + $1.channelCount } }

  /// Weights `[units, inputs]` and biases `[units]`.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] {
    [(.weight, [units, inputCount(of: inputs)]), (.bias, [units])]
  }

  /// One for each weight and step.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int {
    inputs.reduce(0) { $0 + $1.count } * units
  }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    let (weight, bias, input) = (stored(.weight), stored(.bias), Array(inputs.joined()))
    let count = inputCount(of: shapes)
    return stride(from: 0, to: input.count, by: count).flatMap { start in
      (0..<units).map { u in
        (0..<count).reduce(bias[u]) { $0 + weight[u * count + $1] * input[start + $1] }
      }
    }
  }
}

extension Layer {
  /// A dense layer; see ``Dense``.
  public static func dense(units: Int) -> Layer { .dense(Dense(units: units)) }
}
