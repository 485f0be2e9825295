extension MaxPooling: InferableLayer {
  var epilogue: Epilogue.Part? { size == 2 ? .pooling : nil }

  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let input = plan.input(of: index)
    let output = plan.addLayout(
      of: .node(index), packedChannels: plan.layouts[input].packedChannels,
      plan.length(of: input, narrowedBy: 0, dividedBy: size))
    plan.append(Inference(size: size), from: input, to: output)
    return output
  }

  /// Keeps the largest value of each square: `output[y, x, c] = max input[y·size + i, x·size + j, c]`.
  private struct Inference: ExampleOperation {
    let size: Int

    func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
      let (row, outputRow) = (input.layout.row, output.layout.row)
      let channels = input.layout.packedChannels
      for y in 0..<output.layout.height {
        for x in 0..<output.layout.width {
          let square = input.start + y * size * row + x * size * channels
          let target = output.start + y * outputRow + x * channels
          for channel in 0..<channels {
            var largest = square[channel]
            for i in 0..<size {
              for j in 0..<size {
                let value = square[i * row + j * channels + channel]
                largest = value > largest ? value : largest
              }
            }
            target[channel] = largest
          }
        }
      }
    }
  }
}
