import Foundation
import InkNetwork
import SeededRandom
import TestSupport
import Testing

@testable import InkTraining

/// Networks with a distribution for each cell.
///
/// The stored numbers are made by `scripts/reference/make-cell-references.py`.
@Suite(.timeLimit(.minutes(30))) struct CellTrainingTests {
  private struct File: Decodable {
    var cases: [Case]
  }

  private struct Case: Decodable {
    var name: String
    var architecture: Architecture
    var method: Optimizer.Method
    var learningRate: Double
    var epsilon: Double
    var classWeights: [Double]
    var fieldGroups: [[Int]]
    var fieldWeight: Double
    var inputs: StoredTensor
    var classes: [UInt8]
    var fields: [Float]
    var masks: [UInt8]
    var weights: [String: StoredTensor]
    var logits: StoredTensor
    var gradients: [String: StoredTensor]
    var losses: [Double]
    var finalLogits: StoredTensor

    var loss: CellLoss {
      CellLoss(
        classWeights: classWeights, fieldGroups: fieldGroups.map { $0[0]..<$0[1] },
        fieldWeight: fieldWeight)
    }

    var count: Int { inputs.shape[0] }

    /// The truth of each example.
    var truths: [CellTruth] {
      func part<Value>(_ values: [Value], _ example: Int) -> [Value] {
        let length = values.count / count
        return Array(values[example * length..<(example + 1) * length])
      }
      return (0..<count).map {
        CellTruth(classes: part(classes, $0), fields: part(fields, $0), masks: part(masks, $0))
      }
    }

    var fill: TrainingNetwork.Fill {
      let (values, length) = (inputs.values, inputs.values.count / count)
      return { example, _, target in
        for index in 0..<length { target[index] = values[example * length + index] }
      }
    }
  }

  private static func cases() throws -> [Case] {
    let url = Bundle.module.bundleURL.appendingPathComponent("References/cells.json")
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).cases
  }

  /// The logits of a batch in the order of PyTorch, `[batch, channels, rows, columns]`.
  private static func logits(_ network: TrainingNetwork, count: Int) -> [Float] {
    guard case .planes(let channels, let rows, let columns) = network.architecture.outputShapes.last
    else { return [] }
    let packed = PlaneLayout.packed(channels)
    return (0..<count).flatMap { example in
      (0..<channels).flatMap { channel in
        (0..<rows * columns).map {
          network.logits[(example * rows * columns + $0) * packed + channel]
        }
      }
    }
  }

  @Test(arguments: [1, 3]) func logitsGradientsAndTenStepsAreThoseOfPyTorch(workers: Int) throws {
    let cases = try Self.cases()
    #expect(cases.count == 3)
    for reference in cases {
      let network = try TrainingNetwork(
        reference.architecture, maximumExamples: 4, workers: workers, seed: 1)
      network.weights = reference.weights.mapValues(\.tensor)
      var method = Optimizer(reference.method)
      method.epsilon = reference.epsilon
      let optimizer = OptimizerState(method, count: network.learnt.count, workers: workers)
      for step in 0..<10 {
        let result = network.learn(
          targets: reference.truths, loss: reference.loss, trainingStep: step,
          fill: reference.fill)
        #expect(abs(result.loss - reference.losses[step]) < 2e-4, "\(reference.name), step \(step)")
        if step == 0 {
          let logits = Self.logits(network, count: reference.count)
          #expect(isClose(logits, reference.logits.values, tolerance: 1e-5), "\(reference.name)")
          let gradients = network.tensors(learnt: network.gradient, statistics: network.statistics)
          #expect(gradients.count(where: { reference.gradients[$0.key] != nil }) > 10)
          for (name, expected) in reference.gradients {
            #expect(
              isClose(gradients[name]!.values, expected.values, tolerance: 2e-5),
              "\(reference.name), gradient of \(name)")
          }
        }
        optimizer.update(
          network.learnt, gradient: network.gradient, step: step + 1,
          learningRate: reference.learningRate, maxGradientNorm: nil)
      }
      network.forward(count: reference.count, trainingStep: nil, fill: reference.fill)
      let final = Self.logits(network, count: reference.count)
      #expect(isClose(final, reference.finalLogits.values, tolerance: 5e-3), "\(reference.name)")
      let plain = try TrainedNetwork(reference.architecture, weights: network.weights)
      let length = reference.inputs.values.count / reference.count
      #expect(
        try isClose(
          plain.plainOutput(of: [Array(reference.inputs.values[..<length])]),
          Array(final[..<(final.count / reference.count)]), tolerance: 1e-4))
    }
  }

  /// (L(w + h) − L(w − h)) / 2h for weights all over.
  @Test func gradientsAreThoseOfTheLoss() throws {
    for reference in try Self.cases() {
      let network = try TrainingNetwork(
        reference.architecture, maximumExamples: 3, workers: 2, seed: 3)
      func value() -> Double {
        network.learn(
          targets: reference.truths, loss: reference.loss, trainingStep: 4, fill: reference.fill
        ).loss
      }
      expectGradients(of: network, named: reference.name, count: 200, step: 3e-4, loss: value)
    }
  }

  /// Planes are neither joined nor doubled in memory where a convolution alone reads them; a dropout of nothing
  /// keeps them apart.
  @Test func joinsThatAreLeftOutAgreeWithThoseThatAreMade() throws {
    let page = try Architecture.page(classCount: 3).sized(height: 64, width: 96)
    var numbers: [Int] = []
    var nodes: [Architecture.Node] = []
    for (index, node) in page.nodes.enumerated() {
      let sources = page.sources[index].map { source in
        if case .node(let other) = source {
          Architecture.Source.node(numbers[other])
        } else {
          source
        }
      }
      nodes.append(.init(node.layer, from: sources))
      if node.layer == .concatenation { nodes.append(.init(.dropout(rate: 0))) }
      numbers.append(nodes.count - 1)
    }
    let apart = try Architecture(
      name: "apart", inputs: page.inputs, nodes: nodes, output: page.output)
    let truth = CellTruth(classes: (0..<32 * 48).map { UInt8($0 * $0 % 3) })
    let results = try [page, apart].map { architecture in
      let network = try TrainingNetwork(architecture, maximumExamples: 2, workers: 2, seed: 3)
      var generator = SeededGenerator(seed: 4)
      for index in 0..<network.learnt.count {
        network.learnt.pointer[index] = Float(generator.uniform(-0.1...0.1))
      }
      let sums = network.learn(
        targets: [truth, truth], loss: CellLoss(classWeights: [1, 2, 1]), trainingStep: 0
      ) { example, _, target in
        for index in 0..<64 * 96 {
          target[index] = Float((index * (31 + example)) % 97) / 97
        }
      }
      return (sums.loss, network.gradient.values, network.statistics.values)
    }
    #expect(abs(results[0].0 - results[1].0) < 1e-5)
    let largest = results[0].1.map(abs).max() ?? 0
    let relative = results.map { $0.1.map { $0 / largest } }
    #expect(largest > 1e-3 && isClose(relative[0], relative[1], tolerance: 1e-4))
    #expect(isClose(results[0].2, results[1].2, tolerance: 1e-5))
  }

  /// More channels than a vector has, which are joined, and read again behind that.
  @Test func widePlanesGetTheGradientsOfAllTheirReaders() throws {
    func convolution(_ filters: Int, _ kernel: Int = 3) -> Layer {
      .convolution(filters: filters, kernel: kernel, padding: .same)
    }
    let architecture = try Architecture(
      name: "wide",
      inputs: [
        NetworkInput(name: "page", form: .page(channels: 1, heights: 32...64, widths: 32...64))
      ],
      nodes: [
        .init(convolution(19)), .init(.batchNormalization), .init(.relu),
        .init(convolution(4)), .init(.batchNormalization), .init(.relu),
        .init(.concatenation, from: [.node(5), .node(2)]),
        .init(convolution(5)), .init(.batchNormalization), .init(.relu),
        .init(.concatenation, from: [.node(9), .node(2)]), .init(convolution(3, 1)),
      ], output: .distributionPerCell(fields: 0)
    ).sized(height: 32, width: 32)
    let truth = CellTruth(classes: (0..<32 * 32).map { UInt8($0 * $0 % 3) })
    let network = try TrainingNetwork(architecture, maximumExamples: 1, workers: 1, seed: 3)
    func value() -> Double {
      network.learn(
        targets: [truth], loss: CellLoss(classWeights: [1, 2, 1]), trainingStep: 0
      ) { _, _, target in
        for index in 0..<32 * 32 { target[index] = Float(index * 31 % 97) / 97 }
      }.loss
    }
    expectGradients(of: network, named: "wide", count: 200, step: 3e-4, loss: value)
  }

  @Test func anyNumberOfWorkersGivesTheSameBits() throws {
    for reference in try Self.cases() {
      let results = try [1, 2, 5].map { workers in
        let network = try TrainingNetwork(
          reference.architecture, maximumExamples: 20, workers: workers, seed: 3)
        // More examples than slices.
        let count = 20
        let (truths, fill) = (reference.truths, reference.fill)
        let sums = network.learn(
          targets: (0..<count).map { truths[$0 % truths.count] }, loss: reference.loss,
          trainingStep: 0
        ) { fill($0 % truths.count, $1, $2) }
        let values = network.gradient.values + network.statistics.values
        return (sums, values.map(\.bitPattern))
      }
      #expect(results[1] == results[0] && results[2] == results[0], "\(reference.name)")
    }
  }

  @Test func answersAreCountedByClass() {
    // Three cells: right, wrong, ignored; and a fourth whose logits are equal, of which the first counts.
    let logits: [[Float]] = [[0, 2, 0], [0, 0, 5], [9, 0, 0], [1, 1, 1]]
    let packed = logits.flatMap { $0 + [Float](repeating: 0, count: 13) }
    let loss = CellLoss(classWeights: [1, 2, 4])
    let truth = CellTruth(classes: [1, 0, CellTruth.ignored, 2])
    #expect(loss.weight(of: truth) == 7)
    var gradient = [Float](repeating: 7, count: 64)
    let sums = loss.evaluate(
      logits: packed, steps: 1, target: truth, batchWeight: 7, gradient: &gradient)
    #expect(sums.rightCount == 1)
    #expect(sums.confusion == [0, 0, 1, 0, 1, 0, 1, 0, 0])
    let expected = 2 * (log(exp(2) + 2) - 2) + log(exp(5) + 2) + 4 * log(3.0)
    #expect(abs(sums.loss - expected) < 1e-5)
    #expect(gradient[32..<48].allSatisfy { $0 == 0 })
    #expect(isClose([gradient[48], gradient[50]], [4 / 21, -8 / 21], tolerance: 1e-6))
    #expect(gradient[51..<64].allSatisfy { $0 == 0 })
    let nothing = loss.evaluate(
      logits: packed, steps: 1,
      target: CellTruth(classes: [UInt8](repeating: CellTruth.ignored, count: 4)), batchWeight: 0,
      gradient: &gradient)
    #expect(nothing.loss == 0 && gradient.allSatisfy { $0 == 0 })
  }

  /// What is asked of a network with fields only where they are known.
  @Test func fieldsCountWhereTheyAreKnown() {
    let logits: [Float] = [0, 0, 0.5, 3] + [Float](repeating: 0, count: 12)
    let loss = CellLoss(classWeights: [1, 1], fieldGroups: [0..<1, 1..<2], fieldWeight: 2)
    func sums(_ masks: [UInt8]) -> AnswerSums {
      let truth = CellTruth(classes: [CellTruth.ignored], fields: [0, 0], masks: masks)
      return loss.prepared(for: [truth]).evaluate(
        logits: logits, steps: 1, target: truth, batchWeight: 0, gradient: nil)
    }
    #expect(sums([0, 0]).loss == 0 && sums([0, 0]).fieldCount == 0)
    #expect(abs(sums([1, 0]).loss - 2 * 0.125) < 1e-9)
    #expect(abs(sums([1, 1]).loss - (0.125 + 2.5)) < 1e-9)
    #expect((sums([1, 1]).fieldLoss, sums([1, 1]).fieldCount) == (2.625, 2))
  }

  @Test func aNetworkLearnsWhatIsDark() throws {
    let architecture = try Architecture.page(classCount: 2, fields: 0).sized(height: 32, width: 32)
    let network = try TrainingNetwork(architecture, maximumExamples: 4, workers: 2, seed: 1)
    let optimizer = OptimizerState(Optimizer(.adam), count: network.learnt.count, workers: 2)
    var generator = SeededGenerator(seed: 2)
    // Cells of 2 × 2 pixels.
    let truths = (0..<4).map { _ in
      CellTruth(classes: (0..<256).map { _ in generator.chance(0.3) ? 1 : 0 })
    }
    let loss = CellLoss(classWeights: [1, 1])
    var sums = AnswerSums()
    for step in 0..<60 {
      sums = network.learn(targets: truths, loss: loss, trainingStep: step) { example, _, target in
        for y in 0..<32 {
          for x in 0..<32 {
            target[y * 32 + x] = Float(truths[example].classes[y / 2 * 16 + x / 2])
          }
        }
      }
      optimizer.update(
        network.learnt, gradient: network.gradient, step: step + 1, learningRate: 0.01,
        maxGradientNorm: nil)
    }
    #expect(sums.rightCount > 1000 && sums.confusion.reduce(0, +) == 1024)
  }
}
