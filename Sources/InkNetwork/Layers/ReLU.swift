import CInkKernels

/// The rectifier, element by element (Nair & Hinton, 2010): output = max(0, input).
public struct ReLU: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "relu"

  package init() {}

  /// The layer in a few words for people.
  public var summary: String { "ReLU" }

  /// The same shape.
  public func outputShape(of inputs: [Shape]) -> Shape { inputs[0] }

  /// Computes the formula above.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    inputs[0].map { max(0, $0) }
  }
}

extension ReLU: InferableLayer {
  var epilogue: Epilogue.Part? { .rectifier }
  var isInPlace: Bool { true }

  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let place = plan.ownInput(of: index)
    plan.append(Inference(), from: place, to: place)
    return place
  }

  private struct Inference: ExampleOperation {
    func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
      ink_relu(input.memory, input.count)
    }
  }
}
