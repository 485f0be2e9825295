/// While training, each value becomes 0 with probability `rate`, and the others are divided by
/// 1 − `rate` (Srivastava et al., 2014); otherwise nothing happens.
public struct Dropout: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "dropout"
  /// The share of values that become 0.
  public let rate: Double

  /// The layer in a few words for people.
  public var summary: String { "dropout \(rate)" }

  /// The same shape.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard (0..<1).contains(rate) else {
      throw LayerMismatch("a rate from 0 to below 1", found: "\(rate)")
    }
    return inputs[0]
  }

  /// The values stay as they are.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] { inputs[0] }
}

extension Dropout: InferableLayer {
  var epilogue: Epilogue.Part? { .nothing }
  var isInPlace: Bool { true }

  /// Adds no step.
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int { plan.input(of: index) }
}

extension Layer {
  /// A dropout; see ``Dropout``.
  public static func dropout(rate: Double) -> Layer { .dropout(Dropout(rate: rate)) }
}
