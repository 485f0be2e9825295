/// One direction of a recurrent layer at inference.
enum Recurrence {
  /// The steps whose products with the input are computed together.
  private static let blockSize = 32

  static func scratchCount(_ cell: RecurrentCell) -> Int {
    (blockSize + 1) * cell.gateCount + 2 * cell.packedUnits
      + cell.inputPanels.scratchCount
  }

  /// Computes the states of `steps` steps, from a state of 0 on.
  static func run(
    _ cell: RecurrentCell, steps: Int, input: UnsafePointer<Float>, inputRow: Int,
    output: UnsafeMutablePointer<Float>, outputRow: Int, scratch: UnsafeMutablePointer<Float>
  ) {
    let (state, cells) = (scratch, scratch + cell.packedUnits)
    scratch.update(repeating: 0, count: 2 * cell.packedUnits)
    let hidden = cells + cell.packedUnits
    let products = hidden + cell.gateCount
    let dense = products + blockSize * cell.gateCount
    for start in stride(from: 0, to: steps, by: blockSize) {
      let count = min(blockSize, steps - start)
      let first = cell.isBackward ? steps - start - count : start
      cell.inputPanels.multiply(
        input + first * inputRow, count: count, into: products, scratch: dense)
      for index in 0..<count {
        let step = cell.isBackward ? count - 1 - index : index
        cell.statePanels.multiplyRow(state, into: hidden)
        cell.step(
          input: products + step * cell.gateCount, hidden: hidden, state: state, cell: cells,
          saved: nil)
        (output + (first + step) * outputRow).update(from: state, count: cell.units)
      }
    }
  }
}
