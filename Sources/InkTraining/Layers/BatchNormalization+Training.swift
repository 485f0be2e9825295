import CInkKernels
import InkNetwork

extension BatchNormalization: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    let channels = node.shape.channelCount
    let isVariable = plan.isOfVariablePlanes(node.input, node.shape)
    var input = node.input
    if isVariable {
      // The places become steps, for the kernel works on rows of one length.
      let planes = plan.buffers[input]
      let height = planes.row / channels
      input = plan.addStep(
        TranspositionKernel(channels: channels, readsSteps: false), from: input,
        to: TrainingPlan.Buffer(
          row: channels, maximumRows: height * planes.maximumRows,
          rows: .repeated(height, of: input)))
    }
    let step = plan.step(of: node.index, from: input, to: plan.like(input))
    plan.append(
      whole: BatchNormalizationStep(
        BatchNormalizationKernel(
          channels: channels, length: isVariable ? 1 : plan.buffers[input].row / channels)), step)
    guard isVariable else { return step.output }
    return plan.addStep(
      TranspositionKernel(channels: channels, readsSteps: true), from: step.output,
      to: plan.like(node.input))
  }

  /// Scales begin at 1, shifts at 0.
  func initialValues(of parameter: Parameter) -> InitialValues {
    .constant(parameter.role == .weight ? 1 : 0)
  }
}

/// A batch normalisation of a whole batch, channels and examples cut among the workers.
private struct BatchNormalizationStep: BatchKernel {
  private let kernel: BatchNormalizationKernel
  /// `[5, C]`: means, 1 / √(σ² + ε), and three factors that a pass works with.
  private let statistics: FloatBuffer
  private let sums: ChannelSums
  private let others: ChannelSums

  init(_ kernel: BatchNormalizationKernel) {
    self.kernel = kernel
    statistics = FloatBuffer(count: 5 * kernel.channels)
    sums = ChannelSums(count: kernel.channels)
    others = ChannelSums(count: kernel.channels)
  }

  func forward(_ batch: BatchValues, isTraining: Bool) {
    let channels = kernel.channels
    let (weight, bias) = (batch.parameters, batch.parameters + channels)
    let (runningMean, runningVariance) = (batch.statistics, batch.statistics + channels)
    let scales = statistics.pointer + 2 * channels
    let shifts = scales + channels
    if isTraining {
      let total = batch.group.sum(Double(batch.rows)) * Double(kernel.length)
      batch.loop.run(kernel.blockCount) { task, _ in
        kernel.sums(
          kernel.block(task), batch: batch.rows, input: batch.input, into: sums.values)
      }
      sums.add(over: batch.group)
      for channel in 0..<channels { sums.values[channel] /= total }
      batch.loop.run(kernel.blockCount) { task, _ in
        kernel.squares(
          kernel.block(task), batch: batch.rows, input: batch.input, means: sums.values,
          into: others.values)
      }
      others.add(over: batch.group)
      for channel in 0..<channels {
        (scales[channel], shifts[channel]) = kernel.gather(
          channel: channel, count: total, mean: sums.values[channel],
          squares: others.values[channel], weight: weight, bias: bias, runningMean: runningMean,
          runningVariance: runningVariance, statistics: statistics.pointer)
      }
    } else {
      for channel in 0..<channels {
        (scales[channel], shifts[channel]) = kernel.inferred(
          channel: channel, weight: weight, bias: bias, runningMean: runningMean,
          runningVariance: runningVariance)
      }
    }
    let slices = TrainingNetwork.slices(of: batch.rows)
    batch.loop.run(slices.count) { task, _ in
      kernel.forward(
        slices[task], input: batch.input, scale: statistics.pointer + 2 * channels,
        shift: statistics.pointer + 3 * channels, output: batch.output)
    }
  }

  func backward(_ batch: BatchValues) {
    let channels = kernel.channels
    let total = batch.group.sum(Double(batch.rows)) * Double(kernel.length)
    let (scales, shifts) = (sums, others)
    batch.loop.run(kernel.blockCount) { task, _ in
      kernel.gradientSums(
        kernel.block(task), batch: batch.rows, input: batch.input, statistics: statistics.pointer,
        outputGradient: batch.outputGradient, scales: scales.values, shifts: shifts.values)
    }
    let factors = statistics.pointer + 2 * channels
    for channel in 0..<channels {
      // The sum of all gradients over the group comes later.
      batch.gradients[channel] = Float(scales.values[channel])
      batch.gradients[channels + channel] = Float(shifts.values[channel])
    }
    scales.add(over: batch.group)
    shifts.add(over: batch.group)
    for channel in 0..<channels {
      factors[channel] = batch.parameters[channel] * statistics.pointer[channels + channel]
      factors[channels + channel] = Float(scales.values[channel]) / Float(total)
      factors[2 * channels + channel] = Float(shifts.values[channel]) / Float(total)
    }
    guard batch.inputGradient != nil else { return }
    let slices = TrainingNetwork.slices(of: batch.rows)
    batch.loop.run(slices.count) { task, _ in
      kernel.backward(
        slices[task], input: batch.input, statistics: statistics.pointer,
        factors: statistics.pointer + 2 * channels, outputGradient: batch.outputGradient,
        inputGradient: batch.inputGradient!)
    }
  }
}

/// Batch normalisation with its gradients, for some channels of the whole batch at a time.
///
/// Legend: B examples, C channels, L values per channel and example; n = B · L. For channel c, with
/// mean μ and (biased) variance σ² over the n values, and x̂ = (x − μ) / √(σ² + ε)
/// (Ioffe & Szegedy, 2015, algorithm 1 and section 3):
///
///     output   y  = γ · x̂ + β
///     scale    ∂γ = Σ g · x̂        shift  ∂β = Σ g
///     input    ∂x = γ / √(σ² + ε) · (g − ∂β / n − x̂ · ∂γ / n)
struct BatchNormalizationKernel {
  let channels: Int
  let length: Int

  /// The weight of the batch's statistics in the running statistics (PyTorch's default).
  static let momentum: Float = 0.1

  /// The channels whose sums are made together.
  private static let blockSize = 16

  /// The number of blocks of channels.
  var blockCount: Int { (channels + Self.blockSize - 1) / Self.blockSize }

  /// The channels of a block.
  func block(_ index: Int) -> Range<Int> {
    index * Self.blockSize..<min((index + 1) * Self.blockSize, channels)
  }

  /// Writes the sums of some channels' values, from which the means over all processes are made.
  func sums(
    _ block: Range<Int>, batch: Int, input: UnsafePointer<Float>,
    into totals: UnsafeMutablePointer<Double>
  ) {
    guard length > 1 else {
      ink_row_sums(
        batch, channels, block.count, input + block.lowerBound, nil, totals + block.lowerBound)
      return
    }
    for channel in block {
      var total = 0.0
      forEachValue(channel: channel, examples: 0..<batch) { total += Double(input[$0]) }
      totals[channel] = total
    }
  }

  /// Writes the sums of the squared distances of some channels' values from `means`.
  func squares(
    _ block: Range<Int>, batch: Int, input: UnsafePointer<Float>, means: UnsafePointer<Double>,
    into totals: UnsafeMutablePointer<Double>
  ) {
    guard length > 1 else {
      ink_row_sums(
        batch, channels, block.count, input + block.lowerBound, means + block.lowerBound,
        totals + block.lowerBound)
      return
    }
    for channel in block {
      var total = 0.0
      forEachValue(channel: channel, examples: 0..<batch) {
        let difference = Double(input[$0]) - means[channel]
        total += difference * difference
      }
      totals[channel] = total
    }
  }

  /// Normalises some examples, `scale` and `shift` as ``gather`` and ``inferred`` give them.
  func forward(
    _ examples: Range<Int>, input: UnsafePointer<Float>, scale: UnsafePointer<Float>,
    shift: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>
  ) {
    guard length > 1 else {
      let start = examples.lowerBound * channels
      ink_scale_rows(examples.count, channels, input + start, scale, shift, output + start)
      return
    }
    for channel in 0..<channels {
      forEachValue(channel: channel, examples: examples) {
        output[$0] = input[$0] * scale[channel] + shift[channel]
      }
    }
  }

  /// Writes the statistics of a channel in training and updates its running statistics.
  ///
  /// `count`, `mean` and `squares`, the sum of the squared differences, are those of all processes.
  /// `statistics` is `[2, C]`: means, then 1 / √(σ² + ε).
  ///
  /// Returns the factor and the summand that normalise a value.
  func gather(
    channel: Int, count: Double, mean: Double, squares: Double, weight: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, runningMean: UnsafeMutablePointer<Float>,
    runningVariance: UnsafeMutablePointer<Float>, statistics: UnsafeMutablePointer<Float>
  ) -> (scale: Float, shift: Float) {
    let variance = squares / count
    let inverse = 1 / (variance + Double(BatchNormalization.epsilon)).squareRoot()
    statistics[channel] = Float(mean)
    statistics[channels + channel] = Float(inverse)

    let unbiased = count > 1 ? squares / (count - 1) : variance
    runningMean[channel] += Self.momentum * (Float(mean) - runningMean[channel])
    runningVariance[channel] += Self.momentum * (Float(unbiased) - runningVariance[channel])
    let scale = weight[channel] * Float(inverse)
    return (scale, bias[channel] - Float(mean) * scale)
  }

  /// Returns the factor and the summand that normalise a value with the running statistics.
  func inferred(
    channel: Int, weight: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    runningMean: UnsafePointer<Float>, runningVariance: UnsafePointer<Float>
  ) -> (scale: Float, shift: Float) {
    let scale =
      weight[channel] / (runningVariance[channel] + BatchNormalization.epsilon).squareRoot()
    return (scale, bias[channel] - runningMean[channel] * scale)
  }

  /// Writes the sums Σ g · x̂ and Σ g of some channels: the gradients of their scale and their shift.
  func gradientSums(
    _ block: Range<Int>, batch: Int, input: UnsafePointer<Float>,
    statistics: UnsafePointer<Float>, outputGradient: UnsafePointer<Float>,
    scales: UnsafeMutablePointer<Double>, shifts: UnsafeMutablePointer<Double>
  ) {
    let (first, inverses) = (block.lowerBound, statistics + channels)
    guard length > 1 else {
      ink_row_gradient_sums(
        batch, channels, block.count, input + first, statistics + first, inverses + first,
        outputGradient + first, scales + first, shifts + first)
      return
    }
    for channel in block {
      let (mean, inverse) = (statistics[channel], inverses[channel])
      var scale = 0.0
      var shift = 0.0
      forEachValue(channel: channel, examples: 0..<batch) {
        shift += Double(outputGradient[$0])
        scale += Double(outputGradient[$0] * (input[$0] - mean) * inverse)
      }
      (scales[channel], shifts[channel]) = (scale, shift)
    }
  }

  /// Writes the gradient of the input of some examples.
  ///
  /// `factors` is `[3, C]`: γ / √(σ² + ε), ∂γ / n and ∂β / n.
  func backward(
    _ examples: Range<Int>, input: UnsafePointer<Float>, statistics: UnsafePointer<Float>,
    factors: UnsafePointer<Float>, outputGradient: UnsafePointer<Float>,
    inputGradient: UnsafeMutablePointer<Float>
  ) {
    guard length > 1 else {
      let start = examples.lowerBound * channels
      ink_row_gradients(
        examples.count, channels, input + start, statistics, statistics + channels,
        outputGradient + start, factors, inputGradient + start)
      return
    }
    for channel in 0..<channels {
      let (mean, inverse) = (statistics[channel], statistics[channels + channel])
      let (factor, scale, shift) = (
        factors[channel], factors[channels + channel], factors[2 * channels + channel]
      )
      forEachValue(channel: channel, examples: examples) {
        let normalized = (input[$0] - mean) * inverse
        inputGradient[$0] = factor * (outputGradient[$0] - shift - normalized * scale)
      }
    }
  }

  @inline(__always)
  private func forEachValue(
    channel: Int, examples: Range<Int>, _ body: (_ index: Int) -> Void
  ) {
    for example in examples {
      let start = (example * channels + channel) * length
      for index in start..<start + length { body(index) }
    }
  }
}

/// Sums for each channel of a batch, which workers write and a group of processes adds up.
///
/// Each worker has channels of its own, and the sums are read after the loop.
final class ChannelSums: @unchecked Sendable {
  let values: UnsafeMutablePointer<Double>
  private let count: Int

  /// Creates `count` zeros.
  init(count: Int) {
    self.count = count
    values = .allocate(capacity: count)
    values.initialize(repeating: 0, count: count)
  }

  deinit { values.deallocate() }

  /// Adds up the sums of all processes.
  func add(over group: ProcessGroup) { group.sum(values, count: count) }
}
