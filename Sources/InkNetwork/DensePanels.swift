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

  /// Reserves memory, all zeros.
  package init(inputs: Int, units: Int) {
    precondition(units % PlaneLayout.lanes == 0, "units in whole vectors")
    self.inputs = inputs
    self.units = units
    weight = FloatBuffer(count: inputs * units)
    bias = FloatBuffer(count: units)
  }

  /// The memory that a product needs beside its input and output.
  package var scratchCount: Int { ink_dense_scratch(inputs) }

  /// Sets the weights of unit `unit` to `count` values of `row`, `stride` apart, over the inputs from
  /// `first` on.
  @inline(__always)
  package func set(
    unit: Int, to row: UnsafePointer<Float>, count: Int, stride: Int = 1, first: Int = 0
  ) {
    let panel = ink_dense_panel()
    let start = unit / panel * panel
    let width = min(panel, units - start)
    var target = weight.pointer + start * inputs + first * width + unit - start
    var source = row
    for _ in 0..<count {
      target.pointee = source.pointee
      target += width
      source += stride
    }
  }

  /// output[e, u] = max(lowest, bias[u] + Σ over i of input[e, i] · weight[u, i]), for `count` rows.
  package func multiply(
    _ input: UnsafePointer<Float>, count: Int, lowest: Float = -.infinity,
    into output: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    ink_dense(
      count, inputs, units, input, weight.pointer, bias.pointer, lowest, output, scratch)
  }
}
