import CInkKernels
import InkNetwork

/// The part of a convolution of 3 × 3 that reads doubled planes, which are never made; a
/// ``NormalizedConvolutionKernel`` reads the other channels, and normalises the sum.
///
/// `CInkKernels.h` has the formulas. Forwards, it adds to v right after the other part has written it.
/// Backwards, it writes ∂v, which the other part finds in the same scratch memory.
final class DoubledConvolutionKernel: ExampleKernel, PackedConvolution {
  private let whole: NormalizedConvolutionKernel
  private let shape: ink_doubled
  private let input: PlaneLayout
  private let filters: Int
  private let part: NormalizedConvolutionKernel.Part
  /// The summed weights, `[16, P(C), P(F)]`, and `[16, P(F), P(C)]`.
  private let weight: FloatBuffer
  private let backwards: FloatBuffer

  /// The rows, or columns, of the kernel that meet in an even or odd output and one of its two inputs.
  private static let meeting = [[[0], [1, 2]], [[0, 1], [2]]]

  init(
    of whole: NormalizedConvolutionKernel, filters: Int, from input: PlaneLayout,
    part: NormalizedConvolutionKernel.Part
  ) {
    (self.whole, self.input, self.filters, self.part) = (whole, input, filters, part)
    let output = whole.values(of: 0).layout
    shape = ink_doubled(
      rows: input.height, columns: input.width, channels: input.packedChannels,
      filters: output.packedChannels, input_row: input.row, output_row: output.row)
    let count = 16 * input.packedChannels * output.packedChannels
    (weight, backwards) = (FloatBuffer(count: count), FloatBuffer(count: count))
  }

  var gradientCount: Int { weight.count }
  var scratchCount: Int { whole.valueGradient.count }

  /// Calls `body` with each summed weight, by its place in `[16, P(C), P(F)]` and in `[16, P(F), P(C)]`, and
  /// each of its parts in `[F, C, 3, 3]`.
  private func forEachPart(_ body: (_ place: Int, _ turned: Int, _ source: Int) -> Void) {
    let plane = shape.channels * shape.filters
    for tap in 0..<16 {
      let rows = Self.meeting[tap / 8][tap / 2 % 2]
      let columns = Self.meeting[tap / 4 % 2][tap % 2]
      for filter in 0..<filters {
        for channel in 0..<input.channels {
          let source = (filter * part.all + part.first + channel) * 9
          for i in rows {
            for j in columns {
              body(
                tap * plane + channel * shape.filters + filter,
                tap * plane + filter * shape.channels + channel, source + i * 3 + j)
            }
          }
        }
      }
    }
  }

  func pack(_ parameters: UnsafePointer<Float>) {
    weight.pointer.update(repeating: 0, count: weight.count)
    backwards.pointer.update(repeating: 0, count: backwards.count)
    forEachPart { place, turned, source in
      weight.pointer[place] += parameters[source]
      backwards.pointer[turned] += parameters[source]
    }
  }

  func unpack(
    gradients: UnsafePointer<Float>, into parameterGradients: UnsafeMutablePointer<Float>
  ) {
    for filter in 0..<filters {
      (parameterGradients + (filter * part.all + part.first) * 9).update(
        repeating: 0, count: input.channels * 9)
    }
    forEachPart { place, _, source in parameterGradients[source] += gradients[place] }
  }

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    let values = whole.values(of: example.index).start
    withUnsafePointer(to: shape) {
      ink_convolve_doubled($0, example.input + input.start, weight.pointer, values)
    }
    if randomness != nil { whole.addMoments(of: example.index) }
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    whole.writeValueGradient(example)
    let layout = whole.valueGradient
    let start = example.scratch + layout.start
    withUnsafePointer(to: shape) { shape in
      ink_doubled_weight_gradient(
        shape, example.input + input.start, start, layout.row, gradients)
      guard let inputGradient = example.inputGradient else { return }
      ink_doubled_input_gradient(
        shape, backwards.pointer, start, layout.row, inputGradient + input.start)
    }
  }
}
