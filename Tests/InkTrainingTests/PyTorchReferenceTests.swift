import Foundation
import InkNetwork
import Testing
import TestSupport

@testable import InkTraining

/// Numbers made by `scripts/reference/make-network-references.py`.
@Suite(.timeLimit(.minutes(30))) struct PyTorchReferenceTests {
  private struct File: Decodable {
    var torch: String
    var cases: [Case]
  }

  private struct Case: Decodable {
    var name: String
    var architecture: Architecture
    var method: Optimizer.Method
    var momentum: Double
    var isNesterov: Bool
    var weightDecay: Double
    var epsilon: Double
    var learningRate: Double
    var labelSmoothing: Double
    var classWeights: [Double]
    var targets: [Int]
    var inputs: StoredTensor
    /// The steps of each series, where the examples are series.
    var lengths: [Int]?
    var weights: [String: StoredTensor]
    var logits: StoredTensor
    var gradients: [String: StoredTensor]
    var losses: [Double]
    var finalLogits: StoredTensor
  }

  /// Slices of 8 cut the batch of 10 in two, so that adding up slices is tested, too.
  @Test(arguments: [1, 3]) func logitsGradientsAndTenStepsAgree(workers: Int) throws {
    let url = Bundle.module.bundleURL.appendingPathComponent("References/networks.json")
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
    #expect(file.cases.count == 13)
    for reference in file.cases {
      let network = try TrainingNetwork(
        reference.architecture, maximumExamples: 10, workers: workers, seed: 1)
      network.weights = reference.weights.mapValues(\.tensor)
      var method = Optimizer(
        reference.method, momentum: reference.momentum, isNesterov: reference.isNesterov,
        weightDecay: reference.weightDecay)
      method.epsilon = reference.epsilon
      let optimizer = OptimizerState(method, count: network.learnt.count, workers: workers)
      let loss = SoftmaxCrossEntropy(
        labelSmoothing: reference.labelSmoothing, classWeights: reference.classWeights)
      let inputs = reference.inputs.values
      let steps = reference.lengths ?? [Int](repeating: 1, count: 10)
      let starts = steps.reduce(into: [0]) { $0.append($0.last! + $1) }
      let row = inputs.count / starts[10]
      let fill: TrainingNetwork.Fill = { example, _, input in
        let start = starts[example] * row
        for index in 0..<steps[example] * row { input[index] = inputs[start + index] }
      }
      let length: TrainingNetwork.Length? = reference.lengths.map { lengths in
        { example, _ in lengths[example] }
      }
      func logits() -> [Float] {
        Array(UnsafeBufferPointer(start: network.logits, count: reference.logits.values.count))
      }

      for step in 0..<10 {
        let result = network.learn(
          targets: reference.targets.map { [$0] }, loss: loss, trainingStep: step, length: length,
          fill: fill)
        if step == 0 {
          #expect(
            isClose(logits(), reference.logits.values, tolerance: 1e-5), "\(reference.name)")
        }
        #expect(abs(result.loss - reference.losses[step]) < 2e-4, "\(reference.name), step \(step)")
        if step == 0 {
          let gradients = network.tensors(learnt: network.gradient, statistics: network.statistics)
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
      // In evaluation, batch normalisation uses what it gathered in those ten steps.
      network.forward(count: 10, trainingStep: nil, length: length, fill: fill)
      #expect(
        isClose(logits(), reference.finalLogits.values, tolerance: 2e-3), "\(reference.name)")
    }
  }
}
