import CInkKernels

extension Dense: InferableLayer {
  var takesNormalization: Bool { true }

  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    if case .series = plan.architecture.inputShape(of: index) {
      return stepByStep.addSteps(of: index, to: &plan)
    }
    let epilogue = plan.takeEpilogue(of: index)
    let input = plan.vector(of: plan.architecture.sources[index])
    let output = plan.addLayout(
      of: .node(epilogue.end), packedChannels: PlaneLayout.packed(units))
    let layout = plan.layouts[input]
    let panels = DensePanels(inputs: layout.count, units: plan.layouts[output].count)
    let inputCount = epilogue.weight.count / units
    for value in 0..<inputCount {
      let column = (0..<units).map { epilogue.weight[$0 * inputCount + value] }
      panels.set(input: layout.place(of: value), to: column, count: units)
    }
    panels.bias.pointer.update(from: epilogue.bias, count: units)
    plan.reserveScratch(panels.scratchCount)
    plan.append(
      Inference(panels: panels, lowest: epilogue.lowest), from: input, to: output, together: true)
    return output
  }

  /// The same layer over the steps of a series.
  package var stepByStep: SeriesConvolution {
    SeriesConvolution(filters: units, kernel: 1, padding: .valid)
  }

  /// A dense layer with what follows it.
  private struct Inference: UnitOperation {
    let panels: DensePanels
    /// The lowest value that is kept.
    let lowest: Float

    func run(
      count: Int, _ input: PlacedValues, _ output: PlacedValues,
      scratch: UnsafeMutablePointer<Float>
    ) {
      panels.multiply(
        input.memory, count: count, lowest: lowest, into: output.memory, scratch: scratch)
    }

    var unitMultiple: Int { ink_dense_panel() }

    func run(
      units: Range<Int>, _ input: PlacedValues, _ output: PlacedValues,
      scratch: UnsafeMutablePointer<Float>
    ) {
      panels.multiply(
        input.memory, units: units, lowest: lowest, into: output.memory, scratch: scratch)
    }
  }
}
