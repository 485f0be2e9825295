extension SeriesConvolution: InferableLayer {
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let epilogue = plan.takeEpilogue(of: index)
    let input = plan.input(of: index)
    let output = plan.addLayout(
      of: .node(epilogue.end), packedChannels: PlaneLayout.packed(filters),
      .convolved(self, of: input))
    let operation = Inference(
      self, epilogue, from: plan.layouts[input], to: plan.layouts[output])
    plan.reserveScratch(operation.scratchCount)
    plan.append(operation, from: input, to: output)
    return output
  }

  /// The windows of a series, gathered in blocks that stay in cache, times weights, with what follows.
  private struct Inference: StepOperation {
    private let layer: SeriesConvolution
    /// The values of a step, with those that fill up whole vectors.
    private let row: Int
    private let panels: DensePanels
    /// The lowest value that is kept.
    private let lowest: Float

    private static let blockSize = 48

    init(
      _ layer: SeriesConvolution, _ epilogue: Epilogue, from input: PlaneLayout,
      to output: PlaneLayout
    ) {
      self.layer = layer
      row = input.packedChannels
      panels = DensePanels(inputs: layer.kernel * row, units: output.packedChannels)
      lowest = epilogue.lowest
      let channels = input.channels
      epilogue.weight.withUnsafeBufferPointer { weight in
        for step in 0..<layer.kernel {
          panels.set(
            units: 0..<layer.filters, to: weight.baseAddress! + step * channels,
            row: layer.kernel * channels, count: channels, first: step * row)
        }
      }
      panels.bias.pointer.update(from: epilogue.bias, count: layer.filters)
    }

    private var windowCount: Int { layer.kernel * row }

    /// Whether the windows follow each other in the series itself.
    private var areContiguous: Bool { layer.kernel == layer.stride && layer.padding == .valid }

    /// The values of a block of windows.
    private var blockCount: Int { areContiguous ? 0 : Self.blockSize * windowCount }

    var scratchCount: Int { blockCount + panels.scratchCount }

    func run(
      steps: Range<Int>, _ input: PlacedValues, _ output: PlacedValues,
      scratch: UnsafeMutablePointer<Float>
    ) {
      func multiply(_ windows: UnsafePointer<Float>, first: Int, count: Int) {
        panels.multiply(
          windows, count: count, lowest: lowest,
          into: output.memory + first * output.layout.packedChannels,
          scratch: scratch + blockCount)
      }
      if areContiguous {
        multiply(
          input.memory + steps.lowerBound * windowCount, first: steps.lowerBound,
          count: steps.count)
        return
      }
      // A single window would be multiplied in another order.
      let blocks = (steps.count + Self.blockSize - 1) / Self.blockSize
      for block in 0..<blocks {
        let first = steps.lowerBound + steps.count * block / blocks
        let count = steps.lowerBound + steps.count * (block + 1) / blocks - first
        for window in 0..<count {
          let place = (first + window) * layer.stride - layer.before
          let target = scratch + window * windowCount
          let start = max(0, place)
          let length = max(0, min(place + layer.kernel, input.steps) - start)
          if length < layer.kernel { target.update(repeating: 0, count: windowCount) }
          (target + (start - place) * row).update(
            from: input.memory + start * row, count: length * row)
        }
        multiply(scratch, first: first, count: count)
      }
    }
  }
}
