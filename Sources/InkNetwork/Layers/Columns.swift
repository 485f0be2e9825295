import CInkKernels

/// The columns of planes as the steps of a series, from left to right: `[C, height, width]` →
/// `[width, C · height]`.
///
///     output[x, c · height + y] = input[c, y, x]
public struct Columns: LayerDefinition {
  /// The word for this kind in the JSON form.
  public static let kind = "columns"

  package init() {}

  /// The layer in a few words for people.
  public var summary: String { "columns as steps" }

  /// The shape of what comes out: a series.
  public func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape {
    guard case .planes(let channels, let height, let width) = inputs[0] else {
      throw LayerMismatch("planes to work on", found: inputs[0].words)
    }
    return .series(length: width, channels: channels * height)
  }

  /// The values change their places.
  public func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float] {
    guard case .series(let width, let rows) = output else {
      preconditionFailure("columns are a series")
    }
    return (0..<width).flatMap { x in (0..<rows).map { inputs[0][$0 * width + x] } }
  }
}

extension Columns: InferableLayer {
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let input = plan.input(of: index)
    let channels = plan.architecture.outputShapes[index].channelCount
    let output = plan.addLayout(
      of: .node(index), packedChannels: PlaneLayout.packed(channels),
      plan.lengths[input].isFixed ? .fixed : .same(as: input))
    plan.append(Inference(), from: input, to: output)
    return output
  }

  private struct Inference: StepOperation {
    func run(
      steps: Range<Int>, _ input: PlacedValues, _ output: PlacedValues,
      scratch: UnsafeMutablePointer<Float>
    ) {
      let (layout, row) = (input.layout, output.layout.packedChannels)
      for x in steps {
        for y in stride(from: 0, to: layout.height, by: PlaneLayout.lanes) {
          ink_transpose(
            min(PlaneLayout.lanes, layout.height - y), layout.channels,
            input.start + y * layout.row + x * layout.packedChannels, layout.row,
            output.memory + x * row + y, layout.height)
        }
      }
    }
  }
}
