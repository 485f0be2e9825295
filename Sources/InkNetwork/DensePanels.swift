import CInkKernels

/// The weights of a dense product in the panels that `ink_dense` reads: `[units / panel, inputs, panel]`,
/// and its bias.
package struct DensePanels: Sendable {
  /// The values of an input row.
  package let inputs: Int
  /// The values of an output row, rounded up to whole vectors.
  package let units: Int
  package let weight: FloatBuffer
  package let bias: FloatBuffer

  /// Allocates memory, filled with zeros.
  package init(inputs: Int, units: Int) {
    precondition(units % PlaneLayout.lanes == 0, "units in whole vectors")
    self.inputs = inputs
    self.units = units
    weight = FloatBuffer(count: inputs * units)
    bias = FloatBuffer(count: units)
  }

  /// The memory that a product needs beside its input and output.
  package var scratchCount: Int { ink_dense_scratch(inputs) }

  /// Sets the weights of some units over the `count` inputs from `first` on.
  ///
  /// The units begin with a whole vector, and their rows begin `row` values after each other.
  package func set(
    units range: Range<Int>, to rows: UnsafePointer<Float>, row: Int, count: Int, first: Int = 0
  ) {
    for unit in stride(from: range.lowerBound, to: range.upperBound, by: PlaneLayout.lanes) {
      let (place, width) = place(of: unit, input: first)
      ink_transpose(
        min(PlaneLayout.lanes, range.upperBound - unit), count,
        rows + (unit - range.lowerBound) * row, row, place, width)
    }
  }

  /// Sets the weights of the first `count` units over one input.
  package func set(input: Int, to values: UnsafePointer<Float>, count: Int) {
    for unit in stride(from: 0, to: count, by: ink_dense_panel()) {
      let (place, width) = place(of: unit, input: input)
      place.update(from: values + unit, count: min(width, count - unit))
    }
  }

  /// Where the weight of a unit over an input lies, and how far it is to that over the next input.
  private func place(
    of unit: Int, input: Int
  ) -> (UnsafeMutablePointer<Float>, width: Int) {
    let start = unit / ink_dense_panel() * ink_dense_panel()
    let width = min(ink_dense_panel(), units - start)
    return (weight.pointer + start * inputs + input * width + unit - start, width)
  }

  /// output[e, u] = max(lowest, bias[u] + Σ over i of input[e, i] · weight[u, i]), for `count` rows.
  package func multiply(
    _ input: UnsafePointer<Float>, count: Int, lowest: Float = -.infinity,
    into output: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    ink_dense(
      count, inputs, units, input, weight.pointer, bias.pointer, lowest, output, scratch)
  }

  /// The same for some units of one row; they begin with a whole panel.
  func multiply(
    _ input: UnsafePointer<Float>, units range: Range<Int>, lowest: Float,
    into output: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    let start = range.lowerBound
    ink_dense(
      1, inputs, range.count, input, weight.pointer + start * inputs, bias.pointer + start, lowest,
      output + start, scratch)
  }

  /// output[u] = bias[u] + Σ over i of input[i] · weight[u, i], for a row whose first `count` values are
  /// hardly ever 0, and the others always.
  package func multiplyRow(
    _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>
  ) {
    ink_dense_row(count, inputs, units, input, weight.pointer, bias.pointer, output)
  }
}
