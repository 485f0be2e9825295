import Foundation
import SeededRandom
import TestSupport
import Testing

@testable import InkNetwork

/// What infers against the plain loops, for random networks; `scripts/stress numbers inference` tries more.
@Suite struct RandomInferenceTests {
  /// The largest difference of two outputs, relative to the largest value.
  private static func difference(_ one: [Float], _ other: [Float]) -> Float {
    guard one.count == other.count else { return .infinity }
    let largest = max(1, other.map(abs).max() ?? 0)
    return (zip(one, other).map { abs($0 - $1) }.max() ?? 0) / largest
  }

  private static func examples(
    of architecture: Architecture, _ generator: inout SeededGenerator
  ) -> [[[Float]]] {
    let longest = architecture.inputs.map(\.stepBounds.upperBound)
    let lengths = [
      architecture.randomLengths(&generator), longest, architecture.randomLengths(&generator),
      architecture.inputs.map(\.stepBounds.lowerBound),
    ]
    return lengths.map { lengths in
      zip(architecture.inputs, lengths).map { input, length in
        (0..<input.valuesPerStep * length).map { _ in Float(generator.normal()) }
      }
    }
  }

  @Test func randomNetworksAgreeWithThePlainLoops() throws {
    for seed in RandomCases.seeds(60) {
      let architecture = try Architecture.random(seed: seed, isPerStep: seed % 6 == 0)
      let plain = try randomNetwork(architecture, seed: seed)
      let folded = try plain.foldingBatchNormalization()
      let network = InferenceNetwork(plain, spreadFrom: 0)
      var generator = SeededGenerator(seed: seed, stream: 1)
      for inputs in Self.examples(of: architecture, &generator) {
        let expected = try plain.plainOutput(of: inputs)
        let logits = network.logits(of: inputs)
        let workers = 2 + Int(seed % 3)
        #expect(
          network.logits(of: inputs, workers: workers) == logits,
          "\(workers) cores, case \(seed), \(architecture.layers)")
        let differences = [
          ("inference", Self.difference(logits, expected)),
          ("folding", Self.difference(try folded.plainOutput(of: inputs), expected)),
        ]
        for (name, difference) in differences {
          #expect(
            difference <= 2e-4, "\(name), case \(seed): \(difference), \(architecture.layers)")
        }
      }
    }
  }
}
