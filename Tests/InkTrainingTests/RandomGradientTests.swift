import Foundation
import SeededRandom
import TestSupport
import Testing

@testable import InkNetwork
@testable import InkTraining

/// Losses and gradients against the plain loops, for random networks; `scripts/stress numbers gradients`
/// tries more.
@Suite struct RandomGradientTests {
  /// A batch, and what the plain loops make of it.
  private struct Batch {
    let architecture: Architecture
    var inputs: [[[Float]]]
    var targets: [Int]
    let loss: SoftmaxCrossEntropy

    init(_ architecture: Architecture, count: Int, seed: UInt64) {
      var generator = SeededGenerator(seed: seed, stream: 2)
      self.architecture = architecture
      inputs = (0..<count).map { _ in
        zip(architecture.inputs, architecture.randomLengths(&generator)).map { input, length in
          (0..<input.valuesPerStep * length).map { _ in Float(generator.normal()) }
        }
      }
      targets = (0..<count).map { _ in generator.index(below: architecture.classCount) }
      loss = SoftmaxCrossEntropy(
        labelSmoothing: generator.pick([0, 0.1]),
        classWeights: (0..<architecture.classCount).map { _ in generator.uniform(0.5...2) })
    }

    func length(of example: Int, input: Int) -> Int {
      inputs[example][input].count / architecture.inputs[input].valuesPerStep
    }

    /// The loss with `weights`, layer by layer for the whole batch; a normalisation uses the mean and
    /// the variance of the batch.
    func plainLoss(_ weights: [String: Tensor]) throws -> Double {
      var outputs: [[(values: [Float], shape: Shape)]] = []
      for (node, layer) in architecture.layers.enumerated() {
        let read = inputs.indices.map { example in
          architecture.sources[node].map { source -> (values: [Float], shape: Shape) in
            switch source {
            case .input(let input):
              let steps = length(of: example, input: input)
              return (
                inputs[example][input], architecture.inputs[input].shape(steps: steps)
              )
            case .node(let other): return outputs[other][example]
            }
          }
        }
        if case .batchNormalization = layer {
          outputs.append(normalized(read.map { $0[0] }, node: node, weights))
          continue
        }
        outputs.append(
          try read.map { values in
            let shape = try layer.definition.outputShape(of: values.map(\.shape))
            return (
              layer.definition.apply(
                to: values.map(\.values), shapes: values.map(\.shape), output: shape,
                stored: { weights[Parameter.name(node: node, $0)]!.values }), shape
            )
          })
      }
      return crossEntropy(outputs[outputs.count - 1].map(\.values))
    }

    private func normalized(
      _ values: [(values: [Float], shape: Shape)], node: Int, _ weights: [String: Tensor]
    ) -> [(values: [Float], shape: Shape)] {
      let channels = values[0].shape.channelCount
      func channel(_ index: Int, _ shape: Shape) -> Int {
        if case .series = shape { return index % channels }
        return index / (shape.count / channels)
      }
      var (sums, squares) = ([Double](repeating: 0, count: channels), [Double]())
      squares = sums
      var count = 0.0
      for (values, shape) in values {
        count += Double(values.count / channels)
        for (index, value) in values.enumerated() { sums[channel(index, shape)] += Double(value) }
      }
      let means = sums.map { $0 / count }
      for (values, shape) in values {
        for (index, value) in values.enumerated() {
          let c = channel(index, shape)
          squares[c] += (Double(value) - means[c]) * (Double(value) - means[c])
        }
      }
      let weight = weights[Parameter.name(node: node, .weight)]!.values
      let bias = weights[Parameter.name(node: node, .bias)]!.values
      return values.map { values, shape in
        (
          values.enumerated().map { index, value in
            let c = channel(index, shape)
            let deviation = (squares[c] / count + Double(BatchNormalization.epsilon)).squareRoot()
            return Float((Double(value) - means[c]) / deviation) * weight[c] + bias[c]
          }, shape
        )
      }
    }

    private func crossEntropy(_ logits: [[Float]]) -> Double {
      var (sum, weight) = (0.0, 0.0)
      for (logits, target) in zip(logits, targets) {
        let own = loss.classWeights[target]
        let most = Double(logits.max()!)
        let total = most + log(logits.reduce(0) { $0 + exp(Double($1) - most) })
        for (index, logit) in logits.enumerated() {
          let share =
            loss.labelSmoothing / Double(logits.count)
            + (index == target ? 1 - loss.labelSmoothing : 0)
          sum += own * share * (total - Double(logit))
        }
        weight += own
      }
      return sum / weight
    }

    /// Returns weights near `initial`, so that no bias is 0.
    ///
    /// With biases of 0, a unit whose inputs are all 0 is at a kink. And a layer normalisation of one
    /// number times a vector has only two outputs; a batch normalisation after it may divide rounding
    /// errors by a deviation near 0.
    func weights(near initial: [String: Tensor], seed: UInt64) -> [String: Tensor] {
      var generator = SeededGenerator(seed: seed, stream: 3)
      var weights = initial
      for parameter in architecture.parameters where parameter.isLearnt {
        for index in 0..<parameter.count {
          weights[parameter.name]!.values[index] += Float(generator.normal() * 0.1)
        }
      }
      return weights
    }

    /// The same examples in the other order: the gradient is the same up to rounding.
    var reversed: Batch {
      var batch = self
      (batch.inputs, batch.targets) = (inputs.reversed(), targets.reversed())
      return batch
    }

    /// The loss and the gradient by the network that learns, with each bit of both.
    func learn(_ network: TrainingNetwork) -> Double {
      let inputs = inputs
      return network.learn(
        targets: targets.map { [$0] }, loss: loss, trainingStep: 1, length: length
      ) { example, input, target in
        for (index, value) in inputs[example][input].enumerated() { target[index] = value }
      }.loss
    }
  }

  private static func norm(_ values: [Float]) -> Double {
    values.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
  }

  private static func product(_ values: [Float], _ others: [Double]) -> Double {
    zip(values, others).reduce(0) { $0 + Double($1.0) * $1.1 }
  }

  /// Returns the slopes of all steps if none agrees with `expected`, and nothing if one does.
  ///
  /// At a kink of ReLU or max, the slopes on both sides differ, and the expected one is between them.
  private static func slopes(
    around expected: Double, room: Double, of slope: (Double) throws -> Double
  ) throws -> [[Double]] {
    var found: [[Double]] = []
    for step in [1e-3, 3e-4, 1e-4, 3e-3, 1e-2, 3e-5] {
      // Finer steps have slopes with more rounding, but the slopes may still change with the step.
      if step == 3e-5, abs(found[1].reduce(0, +) - found[2].reduce(0, +)) <= 2 * room { break }
      let both = try [slope(-step), slope(step)].sorted()
      if both[0] - room <= expected, expected <= both[1] + room { return [] }
      found.append(both)
    }
    return found
  }

  @Test func randomNetworksHaveTheGradientsOfThePlainLoops() throws {
    for seed in RandomCases.seeds(5) {
      let architecture = try Architecture.random(seed: seed, hasDropout: false)
      let count = 2 + Int(seed % 19)
      let batch = Batch(architecture, count: count, seed: seed)
      let network = try TrainingNetwork(
        architecture, maximumExamples: count, workers: 1, seed: seed)
      let weights = batch.weights(near: network.weights, seed: seed)
      network.weights = weights
      let loss = batch.learn(network)
      let plain = try batch.plainLoss(weights)
      #expect(abs(loss - plain) < 1e-4 * max(1, plain), "case \(seed): \(loss), plainly \(plain)")
      let gradients = network.tensors(learnt: network.gradient, statistics: network.statistics)
      let bits = network.gradient.values.map(\.bitPattern)
      // What rounding does to the gradient, for example to one that normalisations make 0.
      network.weights = weights
      _ = batch.reversed.learn(network)
      let reversed = network.tensors(learnt: network.gradient, statistics: network.statistics)
      let total = Self.norm(network.gradient.values)
      var generator = SeededGenerator(seed: seed, stream: 4)
      for parameter in architecture.parameters where parameter.isLearnt {
        let (name, gradient) = (parameter.name, gradients[parameter.name]!.values)
        let rounding = zip(gradient, reversed[name]!.values).map { $0 - $1 }
        #expect(
          Self.norm(rounding) < 2e-3 * max(1, total), "case \(seed), \(name) in another order")
        // Along the gradient of one array, the loss rises by its norm. A random direction also shows
        // missing entries, if they are large enough.
        for direction in [gradient, gradient.map { _ in Float(generator.normal()) }] {
          let length = max(Self.norm(direction), 1e-9)
          let unit = direction.map { Double($0) / length }
          let expected = Self.product(gradient, unit)
          let room = 5e-4 + 0.02 * abs(expected) + 4 * abs(Self.product(rounding, unit))
          let found = try Self.slopes(around: expected, room: room) { step in
            var moved = weights
            for index in unit.indices { moved[name]!.values[index] += Float(step * unit[index]) }
            return (try batch.plainLoss(moved) - plain) / step
          }
          #expect(
            found.isEmpty,
            "case \(seed), \(name): \(expected), plainly \(found); \(architecture.layers)")
        }
      }
      // Whatever the number of workers is, all bits are the same.
      for workers in 2...4 {
        let other = try TrainingNetwork(
          architecture, maximumExamples: count, workers: workers, seed: seed)
        other.weights = weights
        _ = batch.learn(other)
        #expect(
          other.gradient.values.map(\.bitPattern) == bits, "case \(seed), \(workers) workers")
      }
    }
  }
}
