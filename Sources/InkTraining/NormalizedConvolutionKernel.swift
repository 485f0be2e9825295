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
/// loops. The bias b shifts v and μ equally, so its gradient is 0. A convolution with a stride takes the
/// products of ``StridedConvolution`` instead of Winograd's.
final class NormalizedConvolutionKernel: PackedConvolution {
  /// What depends on the width of an example.
  private struct Planes {
    var input: PlaneLayout
    var output: PlaneLayout
    /// The layout of v.
    var plain: PlaneLayout
    /// The layout of ∂v, with the padding that the convolution to ∂x reads.
    var valueGradient: PlaneLayout
    var shape: ink_normalization
    var convolution: PlaneConvolution
    /// The convolution to ∂x; `nil` for a picture, whose gradient is not needed.
    var backwards: PlaneConvolution?

    /// L.
    var length: Int { plain.height * plain.width }

    /// The same for an input of another width.
    func with(width: Int) -> Planes {
      var other = self
      let columns = width + 2 * input.pad - convolution.shape.kernel + 1
      other.input = input.with(width: width)
      other.output = output.with(width: shape.pools ? columns / 2 : columns)
      other.plain = plain.with(width: columns)
      other.valueGradient = valueGradient.with(width: columns)
      (other.shape.columns, other.shape.output_row) = (columns, other.output.row)
      other.convolution = convolution.from(other.input, to: other.plain)
      other.backwards = backwards?.from(other.valueGradient, to: other.input)
      return other
    }
  }

  /// The convolution where it has a stride; planes then have one size.
  private let strided: StridedConvolution?
  /// Whether the gradient of the input is added to what is there, which only a stride can.
  private let adds: Bool
  /// The channels that are read of those of the weights, where ``DoubledConvolutionKernel`` reads the others.
  private let part: Part?

  /// Some of the channels of a convolution's weights.
  struct Part {
    /// Those before.
    var first: Int
    /// All of them.
    var all: Int
  }

  /// The widest planes.
  private let widest: Planes
  /// The width of each example, or 0 if all have that of ``widest``.
  private let widths: ChoiceBuffer<Int>
  private let normalization: BatchNormalizationKernel
  private let weight: FloatBuffer
  private let bias: FloatBuffer
  /// The weights of the convolution to ∂x.
  private let backwards: (weight: FloatBuffer, bias: FloatBuffer)?
  private let packingScratch: FloatBuffer
  /// The weights of a part of the channels, `[F, C, k, k]`.
  private let selection: FloatBuffer

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
    maximumExamples: Int, adds: Bool = false, part: Part? = nil
  ) {
    let extent = fusion.extent
    let packed = output.packedChannels
    guard case .planes(_, let rows, let columns) = fusion.valueShape else {
      preconditionFailure("a convolution makes planes")
    }
    self.adds = adds
    self.part = part
    selection = FloatBuffer(
      count: part == nil ? 0 : filters * input.channels * extent.kernel * extent.kernel)
    func layout(readBy reader: PlaneConvolution.Extent?) -> PlaneLayout {
      PlaneLayout(
        fusion.valueShape, packedChannels: packed, readBy: reader,
        variesInWidth: input.variesInWidth)
    }
    let hasStride = fusion.layer.stride > 1
    let reader =
      hasStride
      ? PlaneConvolution.Extent(
        height: rows, width: columns, kernel: extent.kernel, padding: .same)
      : extent.backwards
    let (plain, valueGradient) = (layout(readBy: nil), layout(readBy: reader))
    strided = hasStride ? StridedConvolution(fusion.layer, from: input, to: plain) : nil
    let convolution = PlaneConvolution(
      extent, filters: filters, pools: false, from: input, to: plain)
    let backwards =
      input.packedChannels == 1
      ? nil
      : PlaneConvolution(
        extent.backwards, filters: input.channels, pools: false, from: valueGradient, to: input)
    widest = Planes(
      input: input, output: output, plain: plain, valueGradient: valueGradient,
      shape: ink_normalization(
        rows: rows, columns: columns, channels: packed, pools: fusion.pools,
        lowest: fusion.hasReLU ? 0 : -.infinity, output_row: output.row),
      convolution: convolution, backwards: backwards)
    widths = ChoiceBuffer(count: maximumExamples)
    normalization = BatchNormalizationKernel(
      channels: filters, length: rows * columns)
    func memory(_ convolution: PlaneConvolution) -> (weight: FloatBuffer, bias: FloatBuffer) {
      (
        FloatBuffer(count: convolution.packedCount),
        FloatBuffer(count: convolution.packedBiasCount)
      )
    }
    (weight, bias) = memory(convolution)
    self.backwards = backwards.map(memory)
    packingScratch = FloatBuffer(
      count: max(
        convolution.scratchCount, backwards?.scratchCount ?? 0,
        extent.kernel * extent.kernel * input.packedChannels * packed))
    valueCount = plain.count
    values = FloatBuffer(count: valueCount * maximumExamples)
    choiceCount = output.height * output.width * packed
    choices = ChoiceBuffer(count: choiceCount * maximumExamples)
    sums = ChannelSums(count: 2 * packed * maximumExamples)
    statistics = FloatBuffer(count: 2 * filters)
    scale = FloatBuffer(count: packed)
    shift = FloatBuffer(count: packed)
    mean = FloatBuffer(count: packed)
    factors = FloatBuffer(count: 3 * packed)
  }

  /// The planes of an example.
  private func planes(of example: Int) -> Planes {
    let width = widths.pointer[example]
    return width == 0 ? widest : widest.with(width: width)
  }

  private var packed: Int { widest.output.packedChannels }
  private var filters: Int { normalization.channels }
  private var kernel: Int { widest.convolution.shape.kernel }
  private var positions: Int { kernel * kernel }

  var scratchCount: Int {
    guard strided == nil, let backwards = widest.backwards else {
      return widest.valueGradient.count
    }
    let gradients = withUnsafePointer(to: widest.convolution.shape) {
      ink_winograd_gradients_scratch($0)
    }
    return max(
      widest.convolution.scratchCount,
      widest.valueGradient.count + max(backwards.scratchCount, gradients))
  }

  /// The packed gradients are `[k, k, P(C), P(F)]` for a picture and with a stride, otherwise
  /// `[points, P(C), P(F)]`.
  var gradientCount: Int {
    (hasPoints ? ink_winograd_points(kernel) : positions) * widest.input.packedChannels * packed
  }

  private var hasPoints: Bool { backwards != nil && strided == nil }

  private var allChannels: Int { part?.all ?? widest.input.channels }

  private var weightCount: Int { filters * allChannels * positions }

  func pack(_ parameters: UnsafePointer<Float>) {
    var source = parameters
    if let part {
      let count = widest.input.channels * positions
      for filter in 0..<filters {
        (selection.pointer + filter * count).update(
          from: source + (filter * part.all + part.first) * positions, count: count)
      }
      source = UnsafePointer(selection.pointer)
    }
    bias.pointer.update(from: parameters + weightCount, count: filters)
    if let strided {
      strided.pack(source, into: weight.pointer)
      if let backwards { strided.pack(source, filtersFirst: true, into: backwards.weight.pointer) }
      return
    }
    widest.convolution.pack(source, into: weight.pointer, scratch: packingScratch.pointer)
    widest.backwards?.pack(
      source, isTurned: true, into: backwards!.weight.pointer, scratch: packingScratch.pointer)
  }

  func unpack(
    gradients: UnsafePointer<Float>, into parameterGradients: UnsafeMutablePointer<Float>
  ) {
    var source = gradients
    if hasPoints {
      withUnsafePointer(to: widest.convolution.shape) {
        ink_winograd_weight_gradient($0, gradients, packingScratch.pointer)
      }
      source = UnsafePointer(packingScratch.pointer)
    }
    let input = widest.input
    for filter in 0..<filters {
      for channel in 0..<input.channels {
        let target =
          parameterGradients + (filter * allChannels + (part?.first ?? 0) + channel) * positions
        for position in 0..<positions {
          target[position] = source[(position * input.packedChannels + channel) * packed + filter]
        }
      }
    }
    (parameterGradients + weightCount).update(repeating: 0, count: filters)
  }

  // MARK: Forwards

  /// Convolves an example; the input is the start of the memory of its layout.
  private func convolve(_ example: ExampleValues, isTraining: Bool) {
    widths.pointer[example.index] = example.width ?? 0
    let planes = planes(of: example.index)
    let values = values.pointer + example.index * valueCount
    if let strided {
      strided.forward(
        input: example.input, weight: weight.pointer, bias: bias.pointer, output: values)
    } else {
      planes.convolution.forward(
        input: example.input, weight: weight.pointer, bias: bias.pointer, lowest: -.infinity,
        output: values, choices: nil, scratch: example.scratch)
    }
    if isTraining, part == nil { addMoments(of: example.index) }
  }

  /// v of an example, with the layout of its memory.
  func values(of example: Int) -> (start: UnsafeMutablePointer<Float>, layout: PlaneLayout) {
    (values.pointer + example * valueCount, widest.plain)
  }

  /// Sums v and its squared distances from the mean, for an example whose v is complete.
  func addMoments(of example: Int) {
    let sums = sums(of: example)
    withUnsafePointer(to: planes(of: example).shape) {
      ink_channel_moments($0, values.pointer + example * valueCount, sums, sums + packed)
    }
  }

  /// Returns n, with the examples of all processes.
  private func total(of count: Int, _ group: ProcessGroup) -> Double {
    group.sum(Double((0..<count).reduce(0) { $0 + planes(of: $1).length }))
  }

  /// Computes scale and shift from the statistics of the batch.
  private func gather(_ batch: BatchValues) {
    let (count, group) = (batch.count, batch.group)
    let total = total(of: count, group)
    let whole = ChannelSums(count: 2 * packed)
    let (sum, squares) = (whole.values, whole.values + packed)
    for example in 0..<count {
      let own = sums(of: example)
      for channel in 0..<packed { sum[channel] += own[channel] }
    }
    group.sum(sum, count: packed)
    for example in 0..<count {
      let own = sums(of: example)
      let length = Double(planes(of: example).length)
      for channel in 0..<packed {
        let distance = own[channel] / length - sum[channel] / total
        squares[channel] += own[packed + channel] + length * distance * distance
      }
    }
    group.sum(squares, count: packed)
    for channel in 0..<filters {
      (scale.pointer[channel], shift.pointer[channel]) = normalization.gather(
        channel: channel, count: total, mean: sum[channel] / total, squares: squares[channel],
        weight: batch.parameters, bias: batch.parameters + filters, runningMean: batch.statistics,
        runningVariance: batch.statistics + filters, statistics: statistics.pointer)
    }
    mean.pointer.update(from: statistics.pointer, count: filters)
  }

  /// Computes scale and shift from the running statistics.
  private func infer(_ batch: BatchValues) {
    for channel in 0..<filters {
      (scale.pointer[channel], shift.pointer[channel]) = normalization.inferred(
        channel: channel, weight: batch.parameters, bias: batch.parameters + filters,
        runningMean: batch.statistics, runningVariance: batch.statistics + filters)
    }
  }

  /// Normalises an example; the output is the start of the memory of its layout.
  private func normalize(_ example: ExampleValues) {
    let planes = planes(of: example.index)
    if planes.output.variesInWidth { planes.output.clearMargins(example.output) }
    withUnsafePointer(to: planes.shape) {
      ink_normalize(
        $0, values.pointer + example.index * valueCount, scale.pointer, shift.pointer,
        example.output + planes.output.start, choices.pointer + example.index * choiceCount)
    }
  }

  // MARK: Backwards

  /// Adds up the gradients of an example; that of the output is the start of the memory of its layout.
  private func addUp(_ example: ExampleValues) {
    let sums = sums(of: example.index)
    let planes = planes(of: example.index)
    withUnsafePointer(to: planes.shape) {
      ink_normalization_sums(
        $0, values.pointer + example.index * valueCount, mean.pointer,
        choices.pointer + example.index * choiceCount,
        example.outputGradient + planes.output.start, sums, sums + packed)
    }
  }

  /// Writes the gradients of γ and β for the examples of this process, and computes the factors for the
  /// batch.
  private func gatherGradients(_ batch: BatchValues) {
    let (count, group) = (batch.count, batch.group)
    let total = Float(total(of: count, group))
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
      batch.gradients[channel] = Float(scales[channel])
      batch.gradients[filters + channel] = Float(shifts[channel])
    }
    group.sum(whole.values, count: 2 * packed)
    for channel in 0..<filters {
      let factor = batch.parameters[channel] * inverse[channel]
      factors.pointer[channel] = factor
      factors.pointer[packed + channel] =
        -factor * inverse[channel] * Float(scales[channel]) / total
      factors.pointer[2 * packed + channel] = -factor * Float(shifts[channel]) / total
    }
  }

  /// Writes ∂v to the beginning of the scratch memory, with zeros around it.
  func writeValueGradient(_ example: ExampleValues) {
    let planes = planes(of: example.index)
    let (valueGradient, scratch) = (planes.valueGradient, example.scratch)
    scratch.update(repeating: 0, count: valueGradient.count)
    withUnsafePointer(to: planes.shape) {
      ink_normalization_gradient(
        $0, values.pointer + example.index * valueCount, mean.pointer, factors.pointer,
        choices.pointer + example.index * choiceCount,
        example.outputGradient + planes.output.start, scratch + valueGradient.start,
        valueGradient.row)
    }
  }

  /// The layout of ∂v where planes have one size.
  var valueGradient: PlaneLayout { widest.valueGradient }

  /// Adds to the packed `gradients`, and writes the gradient of an input that is not a picture.
  ///
  /// All pointers to planes are the start of the memory of their layouts.
  private func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    let planes = planes(of: example.index)
    let (valueGradient, scratch) = (planes.valueGradient, example.scratch)
    // Of a part of the channels, the other has just written it.
    if part == nil { writeValueGradient(example) }
    let start = scratch + valueGradient.start
    if let strided {
      backward(strided, example, start, gradients: gradients)
      return
    }
    withUnsafePointer(to: planes.convolution.shape) { shape in
      guard let backwards, let convolution = planes.backwards,
        let inputGradient = example.inputGradient
      else {
        ink_picture_gradients(shape, example.input, start, valueGradient.row, gradients)
        return
      }
      let rest = scratch + valueGradient.count
      ink_winograd_gradients(shape, example.input, start, valueGradient.row, gradients, rest)
      convolution.forward(
        input: scratch, weight: backwards.weight.pointer, bias: backwards.bias.pointer,
        lowest: -.infinity, output: inputGradient + planes.input.start, choices: nil, scratch: rest)
    }
  }

  /// Adds to the packed `gradients`, and writes the gradient of the input, from ∂v at `start`.
  private func backward(
    _ strided: StridedConvolution, _ example: ExampleValues, _ start: UnsafePointer<Float>,
    gradients: UnsafeMutablePointer<Float>
  ) {
    let (input, row) = (widest.input, widest.valueGradient.row)
    withUnsafePointer(to: strided.shape) { shape in
      ink_strided_weight_gradient(shape, example.input + strided.start, start, row, gradients)
      guard let backwards, let inputGradient = example.inputGradient else { return }
      ink_strided_input_gradient(
        shape, kernel / 2, input.height, input.width, backwards.weight.pointer, start, row, adds,
        inputGradient + input.start)
    }
  }

  private func sums(of example: Int) -> UnsafeMutablePointer<Double> {
    sums.values + 2 * packed * example
  }

  // MARK: Stages

  /// v of each example, and ∂v and what follows from it.
  struct Convolving: ExampleKernel {
    let kernel: NormalizedConvolutionKernel

    var scratchCount: Int { kernel.scratchCount }
    var gradientCount: Int { kernel.gradientCount }

    func forward(_ example: ExampleValues, _ randomness: Randomness?) {
      kernel.convolve(example, isTraining: randomness != nil)
    }

    func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
      kernel.backward(example, gradients: gradients)
    }
  }

  /// The statistics of the batch, and their gradients.
  struct Gathering: BatchKernel {
    let kernel: NormalizedConvolutionKernel

    func forward(_ batch: BatchValues, isTraining: Bool) {
      if isTraining { kernel.gather(batch) } else { kernel.infer(batch) }
    }

    func backward(_ batch: BatchValues) { kernel.gatherGradients(batch) }
  }

  /// y of each example, and the sums of its gradients.
  struct Normalizing: ExampleKernel {
    let kernel: NormalizedConvolutionKernel

    func forward(_ example: ExampleValues, _ randomness: Randomness?) {
      kernel.normalize(example)
    }

    func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
      kernel.addUp(example)
    }
  }
}
