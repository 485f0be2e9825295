extension GRU: InferableLayer {}
extension LSTM: InferableLayer {}

extension InferableLayer where Self: RecurrentLayer {
  /// Adds the directions.
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let input = plan.input(of: index)
    let output = plan.addLayout(
      of: .node(index),
      packedChannels: PlaneLayout.packed(plan.architecture.outputShapes[index].channelCount),
      .same(as: input))
    for (number, pass) in direction.passes.enumerated() {
      let cell = RecurrentCell(
        Self.cell, inputs: plan.layouts[input].channels,
        inputRow: plan.layouts[input].packedChannels, units: units, isBackward: pass.isBackward)
      cell.pack(pass.roles.flatMap { plan.network.values(index, $0) })
      let operation = Recurrence(cell: cell, start: number * units)
      plan.reserveScratch(operation.scratchCount)
      plan.append(operation, from: input, to: output)
    }
    return output
  }
}

/// One direction of a recurrent layer at inference; its states are the channels from `start` on.
private struct Recurrence: ExampleOperation {
  let cell: RecurrentCell
  let start: Int

  /// The steps whose products with the input are computed together.
  private static let blockSize = 32

  var scratchCount: Int {
    (Self.blockSize + 1) * cell.gateCount + 2 * cell.packedUnits
      + cell.inputPanels.scratchCount
  }

  /// Computes the states of all steps, from a state of 0 on.
  func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
    let (state, cells) = (scratch, scratch + cell.packedUnits)
    scratch.update(repeating: 0, count: 2 * cell.packedUnits)
    let hidden = cells + cell.packedUnits
    let products = hidden + cell.gateCount
    let dense = products + Self.blockSize * cell.gateCount
    for start in stride(from: 0, to: input.steps, by: Self.blockSize) {
      let count = min(Self.blockSize, input.steps - start)
      let first = cell.isBackward ? input.steps - start - count : start
      cell.inputPanels.multiply(
        input.memory + first * input.layout.packedChannels, count: count, into: products,
        scratch: dense)
      for index in 0..<count {
        let step = cell.isBackward ? count - 1 - index : index
        cell.statePanels.multiplyRow(state, count: cell.units, into: hidden)
        cell.step(
          input: products + step * cell.gateCount, hidden: hidden, state: state, cell: cells,
          saved: nil)
        let target = output.memory + (first + step) * output.layout.packedChannels + self.start
        target.update(from: state, count: cell.units)
      }
    }
  }
}
