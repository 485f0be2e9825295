/// Planes as one vector, channel by channel: `[channels, height, width]` → `[channels · height · width]`.
public struct Flatten: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "flatten"

  package init() {}

  /// The layer in a few words for people.
  public var summary: String { "flatten" }

  /// The shape of what comes out: a vector.
  public func outputShape(of inputs: [Shape]) -> Shape { .vector(inputs[0].count) }

  /// The values stay as they are.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] { inputs[0] }
}

extension Flatten: InferableLayer {
  /// Adds a step for a series only; the kernels find the values of planes where they lie.
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int { plan.joined(readBy: index) }
}
