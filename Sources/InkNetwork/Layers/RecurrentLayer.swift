import Foundation

/// The order in which a recurrent layer reads the steps.
public enum Direction: String, Codable, CaseIterable, Sendable {
  /// From the first step to the last.
  case forward
  /// From the last step to the first.
  case backward
  /// Both, with separate weights; the outputs of a step are concatenated.
  case both
}

/// What recurrent layers have in common: weights over the input and over the state of the step before,
/// for each gate, as PyTorch stores them.
package protocol RecurrentLayer: LayerDefinition {
  /// The number of values in the state.
  var units: Int { get }
  /// The order of the steps.
  var direction: Direction { get }
  /// How many gates there are.
  static var gates: Int { get }
  /// What the kernels compute at each step.
  static var cell: RecurrentCell.Kind { get }

  /// The states after each of `inputs`, `[gates, units]` each: products of the step's input with the
  /// weights, and bias. `multiply` gives those of a state, of the same shape.
  func states(_ inputs: [[Float]], multiply: ([Float]) -> [Float]) -> [[Float]]
}

extension RecurrentLayer {
  /// The layer in a few words for people.
  public var summary: String {
    "\(Self.kind.uppercased()) \(units)" + (direction == .forward ? "" : ", \(direction.rawValue)")
  }

  /// The shape of what comes out: `[length, units]`, or twice the units for both directions.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard case .series(let length, _) = inputs[0] else {
      throw LayerMismatch("a series to work on", found: inputs[0].words)
    }
    guard (1...4096).contains(units) else {
      throw LayerMismatch("1 to 4096 units", found: "\(units)")
    }
    return .series(length: length, channels: units * direction.passes.count)
  }

  /// For each direction: weights over the input `[gates · units, channels]` and the state
  /// `[gates · units, units]`, with biases `[gates · units]` for both.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] {
    let rows = Self.gates * units
    return direction.passes.flatMap { pass in
      zip(
        pass.roles, [[rows, inputs[0].channelCount], [rows, units], [rows], [rows]]
      ).map { ($0, $1) }
    }
  }

  /// One for each weight and step.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int {
    guard case .series(let length, let channels) = inputs[0] else { return 0 }
    return length * direction.passes.count * Self.gates * units * (channels + units)
  }

  /// Computes the formula of the layer.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    guard case .series(let length, let channels) = shapes[0] else {
      preconditionFailure("a recurrent layer works on a series")
    }
    func product(_ weight: [Float], _ vector: ArraySlice<Float>, _ bias: [Float]) -> [Float] {
      bias.indices.map { row in
        vector.enumerated().reduce(bias[row]) { $0 + weight[row * vector.count + $1.0] * $1.1 }
      }
    }
    let sides = direction.passes.map { pass in
      let values = pass.roles.map(stored)
      let order = pass.isBackward ? Array((0..<length).reversed()) : Array(0..<length)
      let steps = order.map { step in
        product(values[0], inputs[0][step * channels..<(step + 1) * channels], values[2])
      }
      let states = states(steps) { product(values[1], $0[...], values[3]) }
      return pass.isBackward ? Array(states.reversed()) : states
    }
    return (0..<length).flatMap { step in sides.flatMap { $0[step] } }
  }
}

extension Layer {
  /// The definition of a recurrent layer; `nil` for other layers.
  package var recurrent: (any RecurrentLayer)? { definition as? any RecurrentLayer }
}

extension Direction {
  /// A direction with the arrays that it stores.
  package struct Pass: Sendable {
    /// Whether the last step is the first.
    package let isBackward: Bool

    /// Weights over the input, weights over the state, and the biases of both.
    package var roles: [Parameter.Role] {
      isBackward
        ? [
          .inputWeightBackward, .stateWeightBackward, .inputBiasBackward, .stateBiasBackward,
        ] : [.inputWeight, .stateWeight, .inputBias, .stateBias]
    }
  }

  /// The directions, one or two.
  package var passes: [Pass] {
    switch self {
    case .forward: [Pass(isBackward: false)]
    case .backward: [Pass(isBackward: true)]
    case .both: [Pass(isBackward: false), Pass(isBackward: true)]
    }
  }
}

/// 1 / (1 + e⁻ˣ).
func sigmoid(_ x: Float) -> Float { 1 / (1 + exp(-x)) }
