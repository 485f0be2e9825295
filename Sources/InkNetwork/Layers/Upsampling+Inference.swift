extension Upsampling: InferableLayer {
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let input = plan.input(of: index)
    let output = plan.addLayout(
      of: .node(index), packedChannels: plan.layouts[input].packedChannels)
    plan.append(Inference(), from: input, to: output)
    return output
  }

  /// `output[y, x, c] = input[y / 2, x / 2, c]`.
  private struct Inference: ExampleOperation {
    func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
      let channels = input.layout.packedChannels
      for y in 0..<output.layout.height {
        let source = input.start + y / Upsampling.factor * input.layout.row
        let target = output.start + y * output.layout.row
        for x in 0..<output.layout.width {
          (target + x * channels).update(
            from: source + x / Upsampling.factor * channels, count: channels)
        }
      }
    }
  }
}
