import CInkKernels
import InkNetwork

/// A convolution fused with a batch normalisation, and with a ReLU and a 2 × 2 max-pooling if they
/// follow, over planes with the channels last.
///
/// Normalisation needs statistics of the whole batch. Each pass therefore has three stages: one for
/// each example, one for the batch, and again one for each example.
///
/// Legend: B examples, C channels, F filters, L positions before pooling, n = B · L; P(·) rounds up to
/// whole vectors. v is the output of the convolution, g the gradient of the normalised values.
///
///     forwards   convolve    v = W ∗ x + b, with Σ v and Σ (v − mean)² of each example
///                gather      μ and σ² of the batch; scale = γ / √(σ² + ε), shift = β − μ · scale
///                normalize   y = the pooled ReLU of v · scale + shift
///     backwards  normalize   Σ g and Σ g · (v − μ) of each example
///                gather      ∂β, ∂γ and the factors in ∂v = a · g + b · (v − μ) + c
///                convolve    ∂v; ∂W; ∂x = ∂v ∗ W, rotated by 180° and with C and F swapped
///
/// ``BatchNormalizationKernel`` has the formulas of the statistics, and `CInkKernels.h` those of the
/// loops. The bias b shifts v and μ equally, so its gradient is 0.
final class NormalizedConvolutionKernel: PackedConvolution {
  /// A stage of a pass.
  enum Stage {
    case convolve, gather, normalize
  }

  private let input: PlaneLayout
  private let output: PlaneLayout
  /// The layout of ∂v, with the padding that the convolution to ∂x reads.
  private let valueGradient: PlaneLayout
  private let shape: ink_normalization
  private let normalization: BatchNormalizationKernel
  private let convolution: PlaneConvolution
  private let weight: FloatBuffer
  private let bias: FloatBuffer
  /// The convolution to ∂x; `nil` for a picture, whose gradient is not needed.
  private let backwards: (convolution: PlaneConvolution, weight: FloatBuffer, bias: FloatBuffer)?
  private let packingScratch: FloatBuffer

  /// v, `[B, L, P(F)]`.
  private let values: FloatBuffer
  private let valueCount: Int
  /// The values that ReLU and max-pooling chose, `[B, …, P(F)]`.
  private let choices: ChoiceBuffer<UInt8>
  private let choiceCount: Int
  /// The two sums of each example, `[B, 2, P(F)]`.
  private let sums: ChannelSums
  /// μ and 1 / √(σ² + ε), `[2, F]`.
  private let statistics: FloatBuffer
  private let scale: FloatBuffer
  private let shift: FloatBuffer
  private let mean: FloatBuffer
  /// a, b and c, `[3, P(F)]`.
  private let factors: FloatBuffer

  init(
    _ fusion: TrainingPlan.Fusion, filters: Int, from input: PlaneLayout, to output: PlaneLayout,
    mostExamples: Int
  ) {
    (self.input, self.output) = (input, output)
    let extent = fusion.extent
    let packed = output.packedChannels
    let planes = Shape.planes(channels: filters, height: extent.rows, width: extent.columns)
    let plain = PlaneLayout(planes, packedChannels: packed, readBy: nil)
    let valueGradient = PlaneLayout(planes, packedChannels: packed, readBy: extent.backwards)
    self.valueGradient = valueGradient
    shape = ink_normalization(
      rows: extent.rows, columns: extent.columns, channels: packed, pools: fusion.pools,
      lowest: fusion.hasReLU ? 0 : -.infinity, output_row: output.row)
    normalization = BatchNormalizationKernel(
      channels: filters, length: extent.rows * extent.columns)
    func memory(_ convolution: PlaneConvolution) -> (
      convolution: PlaneConvolution, weight: FloatBuffer, bias: FloatBuffer
    ) {
      (
        convolution, FloatBuffer(count: convolution.packedCount),
        FloatBuffer(count: convolution.packedBiasCount)
      )
    }
    (convolution, weight, bias) = memory(
      PlaneConvolution(extent, filters: filters, pools: false, from: input, to: plain))
    backwards =
      input.packedChannels == 1
      ? nil
      : memory(
        PlaneConvolution(
          extent.backwards, filters: input.channels, pools: false, from: valueGradient, to: input))
    packingScratch = FloatBuffer(
      count: max(
        convolution.scratchCount, backwards?.convolution.scratchCount ?? 0,
        extent.kernel * extent.kernel * input.packedChannels * packed))
    valueCount = plain.count
    values = FloatBuffer(count: valueCount * mostExamples)
    choiceCount = output.height * output.width * packed
    choices = ChoiceBuffer(count: choiceCount * mostExamples)
    sums = ChannelSums(count: 2 * packed * mostExamples)
    statistics = FloatBuffer(count: 2 * filters)
    scale = FloatBuffer(count: packed)
    shift = FloatBuffer(count: packed)
    mean = FloatBuffer(count: packed)
    factors = FloatBuffer(count: 3 * packed)
  }

  private var packed: Int { output.packedChannels }
  private var filters: Int { normalization.channels }
  private var positions: Int { convolution.shape.kernel * convolution.shape.kernel }

  var scratchCount: Int {
    guard let backwards else { return valueGradient.count }
    let gradients = withUnsafePointer(to: convolution.shape) { ink_winograd_gradients_scratch($0) }
    return max(
      convolution.scratchCount,
      valueGradient.count + max(backwards.convolution.scratchCount, gradients))
  }

  /// The packed gradients are `[k, k, P(F)]` for a picture, otherwise `[points, P(C), P(F)]`.
  var gradientCount: Int {
    (backwards == nil ? positions : ink_winograd_points(convolution.shape.kernel))
      * input.packedChannels * packed
  }

  func pack(weight source: UnsafePointer<Float>, bias sourceBias: UnsafePointer<Float>) {
    convolution.pack(source, into: weight.pointer, scratch: packingScratch.pointer)
    bias.pointer.update(from: sourceBias, count: filters)
    backwards?.convolution.pack(
      source, isTurned: true, into: backwards!.weight.pointer, scratch: packingScratch.pointer)
  }

  func unpack(
    gradients: UnsafePointer<Float>, weight: UnsafeMutablePointer<Float>,
    bias: UnsafeMutablePointer<Float>
  ) {
    var source = gradients
    if backwards != nil {
      withUnsafePointer(to: convolution.shape) {
        ink_winograd_weight_gradient($0, gradients, packingScratch.pointer)
      }
      source = UnsafePointer(packingScratch.pointer)
    }
    for filter in 0..<filters {
      for channel in 0..<input.channels {
        let target = weight + (filter * input.channels + channel) * positions
        for position in 0..<positions {
          target[position] = source[(position * input.packedChannels + channel) * packed + filter]
        }
      }
    }
    bias.update(repeating: 0, count: filters)
  }

  // MARK: Forwards

  /// Convolves an example; `input` is the start of the memory of its layout.
  func convolve(
    example: Int, isTraining: Bool, input: UnsafePointer<Float>,
    scratch: UnsafeMutablePointer<Float>
  ) {
    let values = values.pointer + example * valueCount
    convolution.forward(
      input: input, weight: weight.pointer, bias: bias.pointer, lowest: -.infinity, output: values,
      choices: nil, scratch: scratch)
    guard isTraining else { return }
    let sums = sums(of: example)
    withUnsafePointer(to: shape) { ink_channel_moments($0, values, sums, sums + packed) }
  }

  /// Computes scale and shift for the batch, of which this process has `count` examples.
  func gather(
    count: Int, group: ProcessGroup, weight: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    runningMean: UnsafeMutablePointer<Float>, runningVariance: UnsafeMutablePointer<Float>
  ) {
    let length = Double(normalization.length)
    let total = group.sum(Double(count)) * length
    let whole = ChannelSums(count: 2 * packed)
    let (sum, squares) = (whole.values, whole.values + packed)
    for example in 0..<count {
      let own = sums(of: example)
      for channel in 0..<packed { sum[channel] += own[channel] }
    }
    group.sum(sum, count: packed)
    for example in 0..<count {
      let own = sums(of: example)
      for channel in 0..<packed {
        let distance = own[channel] / length - sum[channel] / total
        squares[channel] += own[packed + channel] + length * distance * distance
      }
    }
    group.sum(squares, count: packed)
    for channel in 0..<filters {
      (scale.pointer[channel], shift.pointer[channel]) = normalization.gather(
        channel: channel, count: total, mean: sum[channel] / total, squares: squares[channel],
        weight: weight, bias: bias, runningMean: runningMean, runningVariance: runningVariance,
        statistics: statistics.pointer)
    }
    mean.pointer.update(from: statistics.pointer, count: filters)
  }

  /// Computes scale and shift from the running statistics.
  func gather(
    weight: UnsafePointer<Float>, bias: UnsafePointer<Float>, runningMean: UnsafePointer<Float>,
    runningVariance: UnsafePointer<Float>
  ) {
    for channel in 0..<filters {
      (scale.pointer[channel], shift.pointer[channel]) = normalization.inferred(
        channel: channel, weight: weight, bias: bias, runningMean: runningMean,
        runningVariance: runningVariance)
    }
  }

  /// Normalises an example; `output` is the start of the memory of its layout.
  func normalize(example: Int, output: UnsafeMutablePointer<Float>) {
    withUnsafePointer(to: shape) {
      ink_normalize(
        $0, values.pointer + example * valueCount, scale.pointer, shift.pointer,
        output + self.output.start, choices.pointer + example * choiceCount)
    }
  }

  // MARK: Backwards

  /// Adds up the gradients of an example; `outputGradient` is the start of the memory of the output's
  /// layout.
  func addUp(example: Int, outputGradient: UnsafePointer<Float>) {
    let sums = sums(of: example)
    withUnsafePointer(to: shape) {
      ink_normalization_sums(
        $0, values.pointer + example * valueCount, mean.pointer,
        choices.pointer + example * choiceCount, outputGradient + output.start, sums, sums + packed)
    }
  }

  /// Writes the gradients of `weight` and bias for the `count` examples of this process, and computes
  /// the factors for the batch.
  func gatherGradients(
    count: Int, group: ProcessGroup, weight: UnsafePointer<Float>,
    weightGradient: UnsafeMutablePointer<Float>, biasGradient: UnsafeMutablePointer<Float>
  ) {
    let total = Float(group.sum(Double(count)) * Double(normalization.length))
    let whole = ChannelSums(count: 2 * packed)
    for example in 0..<count {
      let own = sums(of: example)
      for index in 0..<2 * packed { whole.values[index] += own[index] }
    }
    let (shifts, scales) = (whole.values, whole.values + packed)
    let inverse = statistics.pointer + filters
    for channel in 0..<filters {
      scales[channel] *= Double(inverse[channel])
      // The trainer adds up the gradients of all processes later.
      weightGradient[channel] = Float(scales[channel])
      biasGradient[channel] = Float(shifts[channel])
    }
    group.sum(whole.values, count: 2 * packed)
    for channel in 0..<filters {
      let factor = weight[channel] * inverse[channel]
      factors.pointer[channel] = factor
      factors.pointer[packed + channel] =
        -factor * inverse[channel] * Float(scales[channel]) / total
      factors.pointer[2 * packed + channel] = -factor * Float(shifts[channel]) / total
    }
  }

  /// Adds to the packed `gradients`, and writes the gradient of an input that is not a picture.
  ///
  /// All pointers to planes are the start of the memory of their layouts.
  func backward(
    example: Int, input: UnsafePointer<Float>, outputGradient: UnsafePointer<Float>,
    gradients: UnsafeMutablePointer<Float>, inputGradient: UnsafeMutablePointer<Float>,
    scratch: UnsafeMutablePointer<Float>
  ) {
    scratch.update(repeating: 0, count: valueGradient.count)
    let start = scratch + valueGradient.start
    withUnsafePointer(to: shape) {
      ink_normalization_gradient(
        $0, values.pointer + example * valueCount, mean.pointer, factors.pointer,
        choices.pointer + example * choiceCount, outputGradient + output.start, start,
        valueGradient.row)
    }
    withUnsafePointer(to: convolution.shape) { shape in
      guard let backwards else {
        ink_picture_gradients(shape, input, start, valueGradient.row, gradients)
        return
      }
      let rest = scratch + valueGradient.count
      ink_winograd_gradients(shape, input, start, valueGradient.row, gradients, rest)
      backwards.convolution.forward(
        input: scratch, weight: backwards.weight.pointer, bias: backwards.bias.pointer,
        lowest: -.infinity, output: inputGradient + self.input.start, choices: nil, scratch: rest)
    }
  }

  private func sums(of example: Int) -> UnsafeMutablePointer<Double> {
    sums.values + 2 * packed * example
  }
}
