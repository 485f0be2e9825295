extension BatchNormalization: InferableLayer {
  var epilogue: Epilogue.Part? { .normalization }
  var isInPlace: Bool { true }

  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let place = plan.ownInput(of: index)
    plan.append(
      Inference(
        plan.network.batchNormalization(index), plan.architecture.inputShape(of: index),
        plan.layouts[place]), from: place, to: place)
    return place
  }

  /// A batch normalisation with its statistics folded in, value by value: x · scale + shift.
  private struct Inference: ExampleOperation {
    let scale: FloatBuffer
    let shift: FloatBuffer

    init(_ normalization: ScaleAndShift, _ shape: Shape, _ layout: PlaneLayout) {
      // The steps of a series, and the places of planes of different widths, share one row of factors.
      let isShared = layout.isSeries || layout.variesInWidth
      let count = isShared ? shape.channelCount : shape.count
      scale = FloatBuffer(count: isShared ? layout.packedChannels : layout.count)
      shift = FloatBuffer(count: scale.count)
      let length = count / shape.channelCount
      for value in 0..<count {
        let place = isShared ? value : layout.place(of: value)
        scale.pointer[place] = normalization.scale[value / length]
        shift.pointer[place] = normalization.shift[value / length]
      }
    }

    func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
      guard input.layout.variesInWidth else {
        normalize(input.memory, count: input.count)
        return
      }
      for y in 0..<input.layout.height {
        normalize(
          input.start + y * input.layout.row, count: input.layout.width * scale.count)
      }
    }

    /// Changes rows of as many values as there are factors.
    private func normalize(_ rows: UnsafeMutablePointer<Float>, count: Int) {
      for start in stride(from: 0, to: count, by: scale.count) {
        let values = rows + start
        for index in 0..<scale.count {
          values[index] = values[index] * scale.pointer[index] + shift.pointer[index]
        }
      }
    }
  }
}
