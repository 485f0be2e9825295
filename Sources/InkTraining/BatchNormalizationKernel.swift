import InkNetwork

/// Batch normalisation with its gradients, for one channel of the whole batch at a time.
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

  /// Returns the sum of the values of a channel, for the mean over all processes.
  func sum(channel: Int, batch: Int, input: UnsafePointer<Float>) -> Double {
    var total = 0.0
    forEachValue(channel: channel, batch: batch) { total += Double(input[$0]) }
    return total
  }

  /// Returns the sum of the squared differences between the values of a channel and `mean`.
  func squares(channel: Int, batch: Int, input: UnsafePointer<Float>, mean: Double) -> Double {
    var total = 0.0
    forEachValue(channel: channel, batch: batch) {
      let difference = Double(input[$0]) - mean
      total += difference * difference
    }
    return total
  }

  /// Normalises a channel in training; `count`, `mean` and `squares` are those of all processes.
  ///
  /// `squares` is the sum of the squared differences. `statistics` is `[2, C]`: means, then
  /// 1 / √(σ² + ε).
  func forward(
    channel: Int, batch: Int, count: Double, mean: Double, squares: Double,
    input: UnsafePointer<Float>, weight: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    runningMean: UnsafeMutablePointer<Float>, runningVariance: UnsafeMutablePointer<Float>,
    statistics: UnsafeMutablePointer<Float>, output: UnsafeMutablePointer<Float>
  ) {
    let (scale, shift) = gather(
      channel: channel, count: count, mean: mean, squares: squares, weight: weight, bias: bias,
      runningMean: runningMean, runningVariance: runningVariance, statistics: statistics)
    forEachValue(channel: channel, batch: batch) { output[$0] = input[$0] * scale + shift }
  }

  /// Writes the statistics of a channel in training and updates its running statistics.
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

  /// Normalises a channel with its running statistics.
  func infer(
    channel: Int, batch: Int, input: UnsafePointer<Float>, weight: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, runningMean: UnsafePointer<Float>,
    runningVariance: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>
  ) {
    let (scale, shift) = inferred(
      channel: channel, weight: weight, bias: bias, runningMean: runningMean,
      runningVariance: runningVariance)
    forEachValue(channel: channel, batch: batch) { output[$0] = input[$0] * scale + shift }
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

  /// Returns Σ g · x̂ and Σ g of a channel: the gradients of its scale and its shift.
  func gradientSums(
    channel: Int, batch: Int, input: UnsafePointer<Float>, statistics: UnsafePointer<Float>,
    outputGradient: UnsafePointer<Float>
  ) -> (scale: Double, shift: Double) {
    let mean = statistics[channel]
    let inverse = statistics[channels + channel]
    var scale = 0.0
    var shift = 0.0
    forEachValue(channel: channel, batch: batch) {
      shift += Double(outputGradient[$0])
      scale += Double(outputGradient[$0] * (input[$0] - mean) * inverse)
    }
    return (scale, shift)
  }

  /// Writes the gradient of the input of a channel; `scale` and `shift` are the gradient sums over all
  /// `count` values.
  func backward(
    channel: Int, batch: Int, count: Float, scale: Double, shift: Double,
    input: UnsafePointer<Float>, weight: UnsafePointer<Float>, statistics: UnsafePointer<Float>,
    outputGradient: UnsafePointer<Float>, inputGradient: UnsafeMutablePointer<Float>
  ) {
    let mean = statistics[channel]
    let inverse = statistics[channels + channel]
    let factor = weight[channel] * inverse
    let (meanScale, meanShift) = (Float(scale) / count, Float(shift) / count)
    forEachValue(channel: channel, batch: batch) {
      let normalized = (input[$0] - mean) * inverse
      inputGradient[$0] = factor * (outputGradient[$0] - meanShift - normalized * meanScale)
    }
  }

  @inline(__always)
  private func forEachValue(channel: Int, batch: Int, _ body: (_ index: Int) -> Void) {
    for example in 0..<batch {
      let start = (example * channels + channel) * length
      for index in start..<start + length { body(index) }
    }
  }
}

/// Sums for each channel of a batch, which workers write and a group of processes adds up.
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
