/// One stored array: which node it belongs to, what it does there and its shape.
public struct Parameter: Hashable, Sendable {
  /// What an array does in its layer.
  public enum Role: String, Sendable {
    /// The factors: a convolution's `[filters, channels, kernel, kernel]` or
    /// `[filters, kernel, channels]`, a dense layer's `[units, inputs]`, a normalisation's scale
    /// `[channels]`, attention's `[channels]`.
    case weight
    /// What is added: `[filters]`, `[units]` or `[channels]`.
    case bias
    /// A recurrent layer's factors of its input, `[gates · units, channels]`.
    case inputWeight = "weight_ih"
    /// A recurrent layer's factors of its state, `[gates · units, units]`.
    case stateWeight = "weight_hh"
    /// What is added to the products with the input, `[gates · units]`.
    case inputBias = "bias_ih"
    /// What is added to the products with the state, `[gates · units]`.
    case stateBias = "bias_hh"
    /// The same for the backward direction.
    case inputWeightBackward = "weight_ih_reverse"
    /// The same for the backward direction.
    case stateWeightBackward = "weight_hh_reverse"
    /// The same for the backward direction.
    case inputBiasBackward = "bias_ih_reverse"
    /// The same for the backward direction.
    case stateBiasBackward = "bias_hh_reverse"
    /// The mean of every channel over the training data, `[channels]`.
    case runningMean = "running_mean"
    /// The variance of every channel over the training data, `[channels]`.
    case runningVariance = "running_var"
  }

  /// The index of the node.
  public let node: Int
  /// What the array does there.
  public let role: Role
  /// The lengths of its axes, slowest first.
  public let shape: [Int]

  /// The name in the model file, as PyTorch's `nn.Sequential` has it: `0.weight`.
  public var name: String { Self.name(node: node, role) }
  /// The number of values.
  public var count: Int { shape.reduce(1, *) }
  /// Whether the optimiser changes it.
  public var isLearnt: Bool { role != .runningMean && role != .runningVariance }

  /// The name of the array that does `role` in node `node`.
  package static func name(node: Int, _ role: Role) -> String { "\(node).\(role.rawValue)" }
}
