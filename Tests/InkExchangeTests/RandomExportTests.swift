import Foundation
import InkNetwork
import InkRecognizer
import SeededRandom
import TestSupport
import Testing

@testable import InkExchange

/// Random networks as files of other tools; `scripts/stress numbers exports` runs them in ONNX Runtime.
@Suite struct RandomExportTests {
  /// A network with inputs and answers, for `scripts/reference/check-random-exports.py`.
  private struct Fixture: Encodable {
    var name: String
    var inputs: [NetworkInput]
    /// For each example, the values of each input, and the probabilities.
    var examples: [[[Float]]]
    var probabilities: [[Double]]
  }

  private static func export(seed: UInt64) throws -> NetworkExport {
    let architecture = try Architecture.random(seed: seed, isPerStep: seed % 6 == 0)
    // As exports do it: what can be folded is folded.
    let network = try randomNetwork(architecture, seed: seed).foldingBatchNormalization()
    let text = String(decoding: try JSONEncoder().encode(network.architecture), as: UTF8.self)
    return NetworkExport(
      network: network, labels: (0..<network.architecture.labelCount).map { "class \($0)" },
      metadata: ["inkstate_format": "3", "architecture": text])
  }

  private static func examples(_ architecture: Architecture, seed: UInt64) -> [[[Float]]] {
    var generator = SeededGenerator(seed: seed, stream: 3)
    let longest = architecture.inputs.map(\.stepBounds.upperBound)
    return [longest, architecture.randomLengths(&generator)].map { lengths in
      zip(architecture.inputs, lengths).map { input, length in
        (0..<input.valuesPerStep * length).map { _ in Float(generator.index(below: 2000)) / 1000 }
      }
    }
  }

  private static func probabilities(_ network: TrainedNetwork, _ inputs: [[Float]]) throws
    -> [Double]
  {
    let (logits, count) = (try network.plainOutput(of: inputs), network.architecture.classCount)
    return stride(from: 0, to: logits.count, by: count).flatMap {
      softmax(Array(logits[$0..<$0 + count]), temperature: 1)
    }
  }

  @Test func randomNetworksComeBack() throws {
    for seed in RandomCases.seeds(15) {
      let export = try Self.export(seed: seed)
      let (graph, description) = try ONNXReader(path: "case \(seed).onnx").read(
        export.encoded(as: .onnx, name: ""))
      let stored = try LayerGraph.architecture(in: description.metadata, path: "a.onnx")
      #expect(try graph.network(stored) == export.network, "case \(seed), ONNX")
      let (other, _) = try CoreMLReader(path: "a.mlmodel").read(
        export.encoded(as: .coreml, name: ""))
      let back = try other.network(stored)
      #expect(back.architecture == export.architecture, "case \(seed), Core ML")
      for inputs in Self.examples(export.architecture, seed: seed) {
        let difference =
          try zip(
            Self.probabilities(export.network, inputs), Self.probabilities(back, inputs)
          ).map { abs($0 - $1) }.max() ?? 1
        #expect(difference < 1e-5, "case \(seed), Core ML: \(difference)")
      }
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["INKSTATE_FIXTURES"] != nil))
  func writesRandomNetworks() throws {
    let folder = ProcessInfo.processInfo.environment["INKSTATE_FIXTURES"]!
    let fixtures = try RandomCases.seeds(20).map { seed in
      let export = try Self.export(seed: seed)
      let name = "case \(seed)"
      try export.encoded(as: .onnx, name: name).write(
        to: URL(fileURLWithPath: "\(folder)/\(name).onnx"))
      let examples = Self.examples(export.architecture, seed: seed)
      return Fixture(
        name: name, inputs: export.architecture.inputs, examples: examples,
        probabilities: try examples.map { try Self.probabilities(export.network, $0) })
    }
    try JSONEncoder().encode(fixtures).write(to: URL(fileURLWithPath: "\(folder)/random.json"))
  }
}
