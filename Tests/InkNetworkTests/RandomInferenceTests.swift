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
      let network = InferenceNetwork(plain)
      // Where later steps are not needed, rows can come one by one.
      let stream = try? StreamingNetwork(plain)
      var generator = SeededGenerator(seed: seed, stream: 1)
      for inputs in Self.examples(of: architecture, &generator) {
        let expected = try plain.plainOutput(of: inputs)
        let differences = [
          ("inference", Self.difference(network.logits(of: inputs), expected)),
          ("folding", Self.difference(try folded.plainOutput(of: inputs), expected)),
        ]
        for (name, difference) in differences {
          #expect(
            difference <= 2e-4, "\(name), case \(seed): \(difference), \(architecture.layers)")
        }
        guard let stream else { continue }
        stream.reset()
        var last: [Float]?
        let channels = architecture.inputs[0].valuesPerStep
        for start in stride(from: 0, to: inputs[0].count, by: channels) {
          last = stream.logits(after: Array(inputs[0][start..<start + channels])) ?? last
        }
        let difference = Self.difference(
          last ?? [], Array(expected.suffix(architecture.classCount)))
        #expect(difference <= 2e-4, "steps, case \(seed): \(difference), \(architecture.layers)")
      }
    }
  }
}
