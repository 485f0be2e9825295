/// One stored array: which node it belongs to, what it does there and its shape.
public struct Parameter: Hashable, Sendable {
  /// What an array does in its layer.
  public enum Role: String, Sendable {
    /// The factors: a convolution's `[filters, channels, kernel, kernel]`, a dense layer's
    /// `[units, inputs]`, a batch normalisation's scale `[channels]`.
    case weight
    /// What is added: `[filters]`, `[units]` or `[channels]`.
    case bias
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
  public var isLearnt: Bool { role == .weight || role == .bias }

  /// The name of the array that does `role` in node `node`.
  package static func name(node: Int, _ role: Role) -> String { "\(node).\(role.rawValue)" }
}
