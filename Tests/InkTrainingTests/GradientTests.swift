import InkDatasets
import SeededRandom
import Testing
import TestSupport

@testable import InkNetwork
@testable import InkTraining

@Suite(.timeLimit(.minutes(30))) struct GradientTests {
  /// Chains of layers that read pictures; `Graphs` has those with joins, series and lines.
  static let networks: [(String, [Layer], Int)] = [
    (
      "convolution, same",
      [
        .convolution(filters: 3, kernel: 3, padding: .same),
        .convolution(filters: 2, kernel: 5, padding: .same), .flatten, .dense(units: 3),
      ], 7
    ),
    (
      "convolution, valid",
      [
        .convolution(filters: 2, kernel: 3, padding: .valid),
        .convolution(filters: 3, kernel: 3, padding: .valid), .flatten, .dense(units: 3),
      ], 8
    ),
    (
      "ReLU after convolution",
      [.convolution(filters: 3, kernel: 3, padding: .same), .relu, .flatten, .dense(units: 3)], 6
    ),
    (
      "max-pooling by 2",
      [
        .convolution(filters: 2, kernel: 3, padding: .same), .maxPooling(size: 2), .flatten,
        .dense(units: 3),
      ], 7
    ),
    (
      "max-pooling by 3",
      [
        .convolution(filters: 2, kernel: 3, padding: .same), .maxPooling(size: 3), .flatten,
        .dense(units: 3),
      ], 7
    ),
    (
      "ReLU and max-pooling after convolution",
      [
        .convolution(filters: 2, kernel: 3, padding: .same), .relu, .maxPooling(size: 2), .flatten,
        .dense(units: 3),
      ], 7
    ),
    (
      "one after the other",
      [
        .convolution(filters: 1, kernel: 5, padding: .same), .relu, .maxPooling(size: 2),
        .convolution(filters: 20, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
        .flatten, .dense(units: 3),
      ], 10
    ),
    (
      "of many channels, kernels of 5, between others",
      [
        .convolution(filters: 33, kernel: 1, padding: .same),
        .convolution(filters: 5, kernel: 5, padding: .valid), .relu, .maxPooling(size: 2),
        .convolution(filters: 2, kernel: 3, padding: .same), .flatten, .dense(units: 3),
      ], 9
    ),
    (
      "kernels that are wider than the picture and its padding",
      [
        .convolution(filters: 2, kernel: 3, padding: .same), .maxPooling(size: 2),
        .maxPooling(size: 2), .convolution(filters: 3, kernel: 7, padding: .same),
        .convolution(filters: 4, kernel: 5, padding: .same), .relu, .flatten, .dense(units: 3),
      ], 5
    ),
    ("dense", [.flatten, .dense(units: 9), .relu, .dense(units: 3)], 5),
    (
      "batch normalisation of planes",
      [
        .convolution(filters: 3, kernel: 3, padding: .same), .batchNormalization, .relu, .flatten,
        .dense(units: 3),
      ], 6
    ),
    (
      "normalised convolutions, one after the other",
      [
        .convolution(filters: 5, kernel: 3, padding: .same), .batchNormalization, .relu,
        .maxPooling(size: 2),
        .convolution(filters: 20, kernel: 3, padding: .same), .batchNormalization, .relu,
        .convolution(filters: 2, kernel: 3, padding: .valid), .batchNormalization,
        .maxPooling(size: 2), .flatten, .dense(units: 3),
      ], 14
    ),
    (
      "normalised kernels of 5, between others",
      [
        .convolution(filters: 18, kernel: 1, padding: .same),
        .convolution(filters: 3, kernel: 5, padding: .same), .batchNormalization, .relu,
        .convolution(filters: 4, kernel: 5, padding: .valid), .batchNormalization,
        .maxPooling(size: 3), .flatten, .dense(units: 3),
      ], 11
    ),
    (
      "normalised and other convolutions",
      [
        .convolution(filters: 3, kernel: 7, padding: .valid), .batchNormalization, .relu,
        .convolution(filters: 4, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
        .convolution(filters: 3, kernel: 3, padding: .same), .batchNormalization, .relu,
        .maxPooling(size: 2), .convolution(filters: 2, kernel: 1, padding: .same),
        .batchNormalization, .relu, .flatten, .dense(units: 3),
      ], 15
    ),
    (
      "batch normalisation of a vector",
      [.flatten, .dense(units: 6), .batchNormalization, .relu, .dense(units: 3)], 5
    ),
    ("dropout", [.flatten, .dense(units: 12), .dropout(rate: 0.4), .dense(units: 3)], 5),
    // More weights than a slice takes: cut by units instead.
    (
      "large dense", [.flatten, .dense(units: 1100), .relu, .dense(units: 260), .dense(units: 3)], 6
    ),
  ]

  /// A rare class has a large weight, but its share of other examples must not count more than their own class.
  @Test func smoothingPullsAnExampleTowardsItsOwnClass() {
    // The weights of 120 and 4 examples.
    let loss = SoftmaxCrossEntropy(labelSmoothing: 0.1, classWeights: [124.0 / 240, 124.0 / 8])
    for target in 0...1 {
      var gradient: [Float] = [0, 0]
      let sums = loss.evaluate(
        logits: [0, 0], steps: 1, target: [target], batchWeight: 1, gradient: &gradient)
      let weight = loss.classWeights[target]
      #expect(abs(sums.loss - weight * 0.693_147_180_559_945) < 1e-9)
      #expect(isClose([gradient[target]], [Float(-0.45 * weight)], tolerance: 1e-5))
      #expect(isClose([gradient[1 - target]], [Float(0.45 * weight)], tolerance: 1e-5))
    }
  }

  /// The running variance is the unbiased one of the batch, as in PyTorch; the output uses the biased.
  @Test func runningStatisticsMoveATenthOfTheWay() {
    var (mean, variance): (Float, Float) = (0, 1)
    var statistics: [Float] = [0, 0]
    var output: [Float] = [0, 0]
    let kernel = BatchNormalizationKernel(channels: 1, length: 1)
    let (scale, shift) = kernel.gather(
      channel: 0, count: 2, mean: 2, squares: 2, weight: [1], bias: [0], runningMean: &mean,
      runningVariance: &variance, statistics: &statistics)
    kernel.forward(0..<2, input: [1, 3], scale: [scale], shift: [shift], output: &output)
    #expect(isClose([mean, variance], [0.2, 1.1], tolerance: 1e-6))
    #expect(isClose(output, [-1, 1], tolerance: 1e-4))
  }

  /// The loss moves as its gradient says: (L(w + h) − L(w − h)) / 2h for weights all over.
  @Test(arguments: networks.indices) func gradientsAreThoseOfTheLoss(index: Int) throws {
    let (name, layers, size) = Self.networks[index]
    try checkGradients(of: Architecture(name: name, inputSize: size, layers: layers))
  }

  /// Where several nodes read a value, its gradients add up.
  @Test(arguments: Graphs.all) func gradientsOfGraphsAreThoseOfTheLoss(graph: Graphs.Graph) throws {
    try checkGradients(of: graph.architecture())
  }

  /// The same for layers over series, with examples of different lengths.
  @Test(arguments: Graphs.series + Graphs.lines) func gradientsOfSeriesAreThoseOfTheLoss(
    graph: Graphs.Graph
  ) throws {
    try checkGradients(of: graph.architecture(), length: graph.length)
  }

  /// Values for an input of an example.
  private static func values(
    _ example: Int, _ input: Int, of architecture: Architecture, _ length: TrainingNetwork.Length?
  ) -> [Float] {
    let form = architecture.inputs[input]
    let count = form.valuesPerStep * (length?(example, input) ?? form.stepBounds.upperBound)
    var generator = SeededGenerator(seed: UInt64(example + 1000 * input))
    return (0..<count).map { _ in Float(generator.normal()) }
  }

  private static func fill(
    _ architecture: Architecture, _ length: ((Int, Int) -> Int)?
  ) -> TrainingNetwork.Fill {
    let inputs = (0..<40).map { example in
      architecture.inputs.indices.map { values(example, $0, of: architecture, length) }
    }
    return { example, input, target in
      for (index, value) in inputs[example][input].enumerated() { target[index] = value }
    }
  }

  private func checkGradients(
    of architecture: Architecture, length: ((Int, Int) -> Int)? = nil
  ) throws {
    let name = architecture.name
    let network = try TrainingNetwork(architecture, maximumExamples: 11, workers: 2, seed: 3)
    let loss = SoftmaxCrossEntropy(labelSmoothing: 0.1, classWeights: [1, 2, 0.5])
    let targets = (0..<11).map { [$0 % 3] }
    let fill = Self.fill(architecture, length)
    func value() -> Double {
      network.learn(targets: targets, loss: loss, trainingStep: 4, length: length, fill: fill).loss
    }
    expectGradients(of: network, named: name, count: 120, step: 1e-3, loss: value)
  }

  @Test(arguments: networks.indices) func forwardAgreesWithThePlainLoops(index: Int) throws {
    let (name, layers, size) = Self.networks[index]
    try checkForward(of: Architecture(name: name, inputSize: size, layers: layers))
  }

  @Test(arguments: Graphs.all) func graphsAgreeWithThePlainLoops(graph: Graphs.Graph) throws {
    try checkForward(of: graph.architecture())
  }

  @Test(arguments: Graphs.series + Graphs.lines) func seriesAgreeWithThePlainLoops(
    graph: Graphs.Graph
  ) throws {
    try checkForward(of: graph.architecture(), length: graph.length)
  }

  private func checkForward(
    of architecture: Architecture, length: ((Int, Int) -> Int)? = nil
  ) throws {
    let name = architecture.name
    let network = try TrainingNetwork(architecture, maximumExamples: 11, workers: 2, seed: 3)
    let plain = try TrainedNetwork(architecture, weights: network.weights)
    network.forward(
      count: 11, trainingStep: nil, length: length, fill: Self.fill(architecture, length))
    for example in 0..<11 {
      let logits = (0..<3).map { network.logits[example * 3 + $0] }
      let inputs = architecture.inputs.indices.map {
        Self.values(example, $0, of: architecture, length)
      }
      #expect(try isClose(logits, plain.plainOutput(of: inputs), tolerance: 1e-4), "\(name)")
    }
  }

  /// What an example's logits are does not depend on how long the others of its batch are.
  @Test(arguments: Graphs.series + Graphs.lines) func othersDoNotChangeAnExample(
    graph: Graphs.Graph
  ) throws {
    let architecture = try graph.architecture()
    let network = try TrainingNetwork(architecture, maximumExamples: 11, workers: 2, seed: 3)
    let fill = Self.fill(architecture, graph.length)
    network.forward(count: 11, trainingStep: nil, length: graph.length, fill: fill)
    let together = (0..<33).map { network.logits[$0] }
    for example in 0..<11 {
      network.forward(count: 1, trainingStep: nil, length: { graph.length(of: example, input: $1) })
      {
        fill(example, $1, $2)
      }
      let alone = (0..<3).map { network.logits[$0] }
      #expect(isClose(alone, Array(together[3 * example..<3 * example + 3]), tolerance: 1e-5))
    }
  }

  @Test(arguments: Graphs.series + Graphs.lines) func anyNumberOfWorkersGivesTheSameBitsForSeries(
    graph: Graphs.Graph
  ) throws {
    let architecture = try graph.architecture()
    let loss = SoftmaxCrossEntropy(labelSmoothing: 0.1, classWeights: [1, 2, 0.5])
    let results = try [1, 2, 4].map { workers in
      let network = try TrainingNetwork(
        architecture, maximumExamples: 37, workers: workers, seed: 3)
      _ = network.learn(
        targets: (0..<37).map { [$0 % 3] }, loss: loss, trainingStep: 4, length: graph.length,
        fill: Self.fill(architecture, graph.length))
      return (network.gradient.values + network.statistics.values).map(\.bitPattern)
    }
    #expect(results[1] == results[0] && results[2] == results[0])
  }

  /// Layers that stand apart are computed one by one; a dropout of nothing keeps them apart.
  @Test(arguments: networks.indices.filter { networks[$0].1.contains { $0.kind == "convolution" } })
  func fusedLayersAgreeWithSeparateOnes(index: Int) throws {
    let (name, layers, size) = Self.networks[index]
    let separate = layers.flatMap { layer in
      if case .convolution = layer { [layer, .dropout(rate: 0)] } else { [layer] }
    }
    let loss = SoftmaxCrossEntropy(labelSmoothing: 0.1, classWeights: [1, 2, 0.5])
    let both = try [layers, separate].map {
      try TrainingNetwork(
        Architecture(name: name, inputSize: size, layers: $0), maximumExamples: 19, workers: 2,
        seed: 3)
    }
    var generator = SeededGenerator(seed: 7)
    for position in 0..<both[0].learnt.count {
      let weight = both[0].learnt.pointer[position] + Float(generator.uniform(-0.1...0.1))
      for network in both { network.learnt.pointer[position] = weight }
    }
    func logits(_ network: TrainingNetwork, count: Int) -> [Float] {
      (0..<count * 3).map { network.logits[$0] }
    }
    // The second batch is smaller, and the running statistics are those of both.
    for count in [19, 10] {
      let targets = (0..<count).map { [$0 % 3] }
      let fill: TrainingNetwork.Fill = { example, _, input in
        var generator = SeededGenerator(seed: UInt64(100 * count + example))
        for position in 0..<size * size { input[position] = Float(2 + generator.normal()) }
      }
      let losses = both.map {
        $0.learn(targets: targets, loss: loss, trainingStep: 4, fill: fill).loss
      }
      #expect(abs(losses[0] - losses[1]) < 1e-5, "\(name)")
      #expect(
        isClose(logits(both[0], count: count), logits(both[1], count: count), tolerance: 1e-4),
        "\(name)")
      #expect(
        isClose(both[0].gradient.values, both[1].gradient.values, tolerance: 1e-4), "\(name)")
      #expect(
        isClose(both[0].statistics.values, both[1].statistics.values, tolerance: 1e-5), "\(name)")
      for network in both { network.forward(count: count, trainingStep: nil, fill: fill) }
      #expect(
        isClose(logits(both[0], count: count), logits(both[1], count: count), tolerance: 1e-4),
        "\(name), in evaluation")
    }
  }

  @Test(arguments: networks.indices) func anyNumberOfWorkersGivesTheSameBits(index: Int) throws {
    let (name, layers, size) = Self.networks[index]
    let loss = SoftmaxCrossEntropy(labelSmoothing: 0.1, classWeights: [1, 2, 0.5])
    let results = try [1, 2, 4].map { workers in
      let network = try TrainingNetwork(
        Architecture(name: name, inputSize: size, layers: layers), maximumExamples: 37,
        workers: workers, seed: 3)
      _ = network.learn(targets: (0..<37).map { [$0 % 3] }, loss: loss, trainingStep: 4) {
        example, _, input in
        var generator = SeededGenerator(seed: UInt64(example))
        for position in 0..<size * size { input[position] = Float(generator.normal()) }
      }
      return (network.gradient.values + network.statistics.values).map(\.bitPattern)
    }
    #expect(results[1] == results[0], "\(name)")
    #expect(results[2] == results[0], "\(name)")
  }

  @Test func dropoutZeroesItsShareAndKeepsTheMean() throws {
    let architecture = try Architecture(
      name: "d", inputSize: 64,
      layers: [.dropout(rate: 0.3), .flatten, .dense(units: 1), .dense(units: 1)])
    let network = try TrainingNetwork(architecture, maximumExamples: 4, workers: 1, seed: 3)
    var weights = network.weights
    weights["2.weight"]!.values = [Float](repeating: 1 / 4096, count: 4096)
    weights["3.weight"]!.values = [1]
    network.weights = weights
    func means(step: Int?) -> [Float] {
      network.forward(count: 4, trainingStep: step) { _, _, input in
        for position in 0..<4096 { input[position] = 1 }
      }
      return (0..<4).map { network.logits[$0] }
    }
    #expect(means(step: nil).allSatisfy { abs($0 - 1) < 1e-4 })
    #expect(means(step: 1).allSatisfy { abs($0 - 1) < 0.05 && $0 != 1 })
    #expect(means(step: 1) == means(step: 1))
    #expect(means(step: 1) != means(step: 2))
    #expect(Set(means(step: 1)).count == 4)
  }
}
