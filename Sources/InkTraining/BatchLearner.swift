import InkNetwork

/// A network of one input that learns from numbers in memory, batch after batch, with Adam.
///
/// It is what `Benchmarks` measures: whole steps without a data set around them.
public final class BatchLearner {
  private let network: TrainingNetwork
  private let optimizer: OptimizerState
  private let examples: [[Float]]
  private let targets: [Int]
  private let lengths: [Int]
  private let batchSize: Int
  private let loss: SoftmaxCrossEntropy
  private var step = 0

  /// Prepares training with `workers` cores.
  ///
  /// Each of `examples` has the values of the network's input, of a series as many steps as there are, and
  /// its class is the one of `targets`. The same seed gives the same weights for any number of workers.
  ///
  /// - Throws: ``BLASError`` where there is no BLAS.
  public init(
    _ architecture: Architecture, examples: [[Float]], targets: [Int], batchSize: Int, workers: Int,
    seed: UInt64 = 1
  ) throws(BLASError) {
    precondition(architecture.inputs.count == 1, "a network of one input")
    precondition(examples.count == targets.count, "a class for each example")
    precondition((1...examples.count).contains(batchSize), "a batch of the examples")
    var channels = examples[0].count
    if case .series(_, let count) = architecture.inputShapes[0] { channels = count }
    lengths = examples.map { $0.count / channels }
    self.examples = examples
    self.targets = targets
    self.batchSize = batchSize
    network = try TrainingNetwork(
      architecture, longest: [lengths.max()!], mostExamples: batchSize, workers: workers, seed: seed
    )
    optimizer = OptimizerState(Optimizer(.adam), count: network.learnt.count, workers: workers)
    loss = SoftmaxCrossEntropy(
      labelSmoothing: 0, classWeights: [Double](repeating: 1, count: architecture.classCount))
  }

  /// Learns from the next batch, beginning again after the last; returns its loss before that.
  public func learn() -> Double {
    let first = step * batchSize % (examples.count - examples.count % batchSize)
    let (examples, lengths) = (examples, lengths)
    let result = network.learn(
      targets: Array(targets[first..<first + batchSize]), loss: loss, trainingStep: step,
      length: { example, _ in lengths[first + example] },
      fill: { example, _, input in
        examples[first + example].withUnsafeBufferPointer {
          input.update(from: $0.baseAddress!, count: $0.count)
        }
      })
    step += 1
    optimizer.update(
      network.learnt, gradient: network.gradient, step: step, learningRate: 1e-3,
      maxGradientNorm: nil)
    return result.loss
  }

  /// The stored arrays by name, as a model file has them.
  public var weights: [String: Tensor] { network.weights }
}
