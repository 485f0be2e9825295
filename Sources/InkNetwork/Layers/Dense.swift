/// Every output is a weighted sum of all inputs: `[inputs]` → `[units]`.
///
///     output[u] = bias[u] + Σ over i of weight[u, i] · input[i]
///
/// The values of several sources follow each other, as if they were one vector.
public struct Dense: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "dense"
  /// As many sources as one likes.
  public static let sourceCounts = 1...64
  /// The number of outputs.
  public let units: Int

  /// The layer in a few words for people.
  public var summary: String { "dense \(units)" }

  /// The shape of what comes out: a vector of `units`.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    for input in inputs {
      guard case .vector = input else {
        throw LayerMismatch("a vector to work on (flatten first)", found: input.words)
      }
    }
    guard (1...65536).contains(units) else {
      throw LayerMismatch("1 to 65536 units", found: "\(units)")
    }
    return .vector(units)
  }

  /// Weights `[units, inputs]` and biases `[units]`.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] {
    [(.weight, [units, inputs.reduce(0) { $0 + $1.count }]), (.bias, [units])]
  }

  /// One for each weight.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int {
    inputs.reduce(0) { $0 + $1.count } * units
  }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    let (weight, bias, input) = (stored(.weight), stored(.bias), Array(inputs.joined()))
    return (0..<units).map { u in
      input.indices.reduce(bias[u]) { $0 + weight[u * input.count + $1] * input[$1] }
    }
  }
}

extension Layer {
  /// A dense layer; see ``Dense``.
  public static func dense(units: Int) -> Layer { .dense(Dense(units: units)) }
}
