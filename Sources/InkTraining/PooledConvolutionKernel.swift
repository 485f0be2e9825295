import CInkKernels
import InkNetwork

/// A convolution fused with a ReLU and a 2 × 2 max-pooling, with gradients, for one example at a time,
/// over planes with the channels last.
///
/// Legend: C channels, F filters, k kernel; P(·) rounds up to whole vectors. `CInkKernels.h` has the
/// formulas. Weights are packed after each change.
final class PooledConvolutionKernel: PackedConvolution, ExampleKernel {
  let input: PlaneLayout
  let output: PlaneLayout
  private let convolution: PlaneConvolution
  private let channels: Int
  private let filters: Int
  private let positions: Int
  private let weight: FloatBuffer
  private let bias: FloatBuffer
  /// The weights as `[P(F), k, k, P(C)]`, for the gradient of the input.
  private let transposedWeight: FloatBuffer
  private let packingScratch: FloatBuffer
  /// The values that max-pooling chose, of all examples.
  private let choices: ChoiceBuffer<UInt8>

  init(
    _ extent: PlaneConvolution.Extent, kernel: Int, filters: Int, from input: PlaneLayout,
    to output: PlaneLayout, maximumExamples: Int
  ) {
    self.input = input
    self.output = output
    self.filters = filters
    channels = input.channels
    positions = kernel * kernel
    convolution = PlaneConvolution(extent, filters: filters, pools: true, from: input, to: output)
    weight = FloatBuffer(count: convolution.packedCount)
    bias = FloatBuffer(count: convolution.packedBiasCount)
    transposedWeight = FloatBuffer(
      count: output.packedChannels * positions * input.packedChannels)
    packingScratch = FloatBuffer(count: convolution.scratchCount)
    choices = ChoiceBuffer(
      count: output.height * output.width * output.packedChannels * maximumExamples)
  }

  var scratchCount: Int {
    withUnsafePointer(to: convolution.shape) {
      max(convolution.scratchCount, ink_pooled_gradients_scratch($0))
    }
  }

  /// The number of ``choices`` for each example.
  private var choiceCount: Int { output.height * output.width * output.packedChannels }

  /// The packed gradients of the weights are followed by those of the bias.
  var gradientCount: Int { transposedWeight.count + bias.count }

  private var weightCount: Int { filters * channels * positions }

  func pack(_ source: UnsafePointer<Float>) {
    convolution.pack(source, into: weight.pointer, scratch: packingScratch.pointer)
    bias.pointer.update(from: source + weightCount, count: filters)
    guard input.packedChannels > 1 else { return }
    for filter in 0..<filters {
      for channel in 0..<channels {
        let row = source + (filter * channels + channel) * positions
        let target = transposedWeight.pointer + filter * positions * input.packedChannels + channel
        for position in 0..<positions { target[position * input.packedChannels] = row[position] }
      }
    }
  }

  func unpack(
    gradients: UnsafePointer<Float>, into parameterGradients: UnsafeMutablePointer<Float>
  ) {
    // The gradients for a picture have the filters last.
    let filterStride = input.packedChannels == 1 ? 1 : positions * input.packedChannels
    let positionStride =
      input.packedChannels == 1 ? output.packedChannels : input.packedChannels
    for filter in 0..<filters {
      for channel in 0..<channels {
        let target = parameterGradients + (filter * channels + channel) * positions
        let source = gradients + filter * filterStride + channel
        for position in 0..<positions { target[position] = source[position * positionStride] }
      }
    }
    (parameterGradients + weightCount).update(
      from: gradients + transposedWeight.count, count: filters)
  }

  /// The convolution of planes of a width, and the layout of its output.
  private func planes(_ width: Int?) -> (PlaneConvolution, PlaneLayout) {
    guard let width else { return (convolution, output) }
    let input = input.with(width: width)
    let columns = width + 2 * input.pad - convolution.shape.kernel + 1
    let output = output.with(width: columns / 2)
    return (convolution.from(input, to: output), output)
  }

  /// Computes the output; input and output are the start of the memory of their layouts.
  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    let (convolution, output) = planes(example.width)
    if example.variesInWidth { output.clearMargins(example.output) }
    convolution.forward(
      input: example.input, weight: weight.pointer, bias: bias.pointer, lowest: 0,
      output: example.output + output.start,
      choices: choices.pointer + example.index * choiceCount, scratch: example.scratch)
  }

  /// Adds to the packed `gradients`, and writes the gradient of an input that is not a picture.
  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    let (convolution, output) = planes(example.width)
    withUnsafePointer(to: convolution.shape) {
      ink_pooled_gradients(
        $0, example.input, transposedWeight.pointer, example.output + output.start,
        choices.pointer + example.index * choiceCount, example.outputGradient + output.start,
        gradients, gradients + transposedWeight.count, example.inputGradient, example.scratch)
    }
  }
}
