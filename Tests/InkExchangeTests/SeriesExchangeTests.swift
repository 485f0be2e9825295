import Foundation
import InkNetwork
import InkRecognizer
import SeededRandom
import TestSupport
import Testing

@testable import InkExchange

/// Networks over series, of several inputs and with other graphs than a chain.
@Suite(.timeLimit(.minutes(30))) struct SeriesExchangeTests {
  private struct Network: CustomTestStringConvertible {
    let name: String
    let architecture: Architecture

    init(
      _ name: String, _ inputs: [NetworkInput], _ nodes: [Architecture.Node],
      _ output: Architecture.Output = .distribution
    ) {
      self.name = name
      architecture = try! Architecture(name: name, inputs: inputs, nodes: nodes, output: output)
    }

    init(_ architecture: Architecture) {
      (name, self.architecture) = (architecture.name, architecture)
    }

    var testDescription: String { name }
  }

  private static let series = NetworkInput(
    name: "series", form: .series(channels: 3, length: .variable(6...20)))
  private static let fixed = NetworkInput(
    name: "series", form: .series(channels: 3, length: .fixed(9)))

  private static let networks: [Network] = [
    Network(
      "convolutions", [series],
      [
        .init(.seriesConvolution(filters: 4, kernel: 4, stride: 2, padding: .same)), .init(.relu),
        .init(.seriesConvolution(filters: 5, kernel: 3, padding: .causal)),
        .init(.batchNormalization), .init(.dropout(rate: 0.2)),
        .init(.seriesConvolution(filters: 3, kernel: 2, padding: .valid)),
        .init(.seriesConvolution(filters: 6, kernel: 1, stride: 1, padding: .same)),
        .init(.timePooling(.max)), .init(.dense(units: 3)),
      ]),
    Network(
      "gru", [series],
      [
        .init(.gru(units: 5)), .init(.dense(units: 4)), .init(.relu), .init(.layerNormalization),
        .init(.timePooling(.attention)), .init(.layerNormalization), .init(.dense(units: 3)),
      ]),
    Network(
      "lstm", [fixed],
      [
        .init(.lstm(units: 4, direction: .both)), .init(.lstm(units: 3)), .init(.flatten),
        .init(.dense(units: 2)), .init(.batchNormalization), .init(.relu), .init(.dense(units: 3)),
      ]),
    Network(
      "directions", [series],
      [
        .init(.gru(units: 3, direction: .both)), .init(.gru(units: 4, direction: .backward)),
        .init(.lstm(units: 3, direction: .backward)), .init(.timePooling(.mean)),
        .init(.dense(units: 3)),
      ]),
    Network(
      "graph",
      [.picture(size: 8), fixed, NetworkInput(name: "facts", form: .vector(count: 4))],
      [
        .init(.convolution(filters: 2, kernel: 3, padding: .same)), .init(.columns),
        .init(.gru(units: 3)), .init(.timePooling(.attention)),
        .init(.seriesConvolution(filters: 3, kernel: 3, padding: .same), from: [.input(1)]),
        .init(.concatenation, from: [.node(4), .input(1)]), .init(.timePooling(.max)),
        .init(.timePooling(.mean), from: [.node(5)]),
        .init(.dense(units: 6), from: [.node(3), .node(6), .node(7), .input(2)]), .init(.relu),
        .init(.concatenation, from: [.node(9), .input(2)]), .init(.layerNormalization),
        .init(.dense(units: 3)),
      ]),
    Network(
      "steps", [series],
      [
        .init(.gru(units: 4)), .init(.lstm(units: 4)),
        .init(.concatenation, from: [.node(0), .node(1)]), .init(.dense(units: 3)),
      ], .distributionPerStep),
    Network(
      "columns",
      [NetworkInput(name: "line", form: .image(channels: 1, height: 6, width: .variable(6...12)))],
      [
        .init(.convolution(filters: 2, kernel: 3, padding: .valid)), .init(.relu),
        .init(.maxPooling(size: 2)), .init(.columns), .init(.lstm(units: 3, direction: .both)),
        .init(.timePooling(.mean)), .init(.dense(units: 3)),
      ]),
    Network(
      "reader",
      [NetworkInput(name: "line", form: .image(channels: 1, height: 6, width: .variable(6...24)))],
      [
        .init(.convolution(filters: 2, kernel: 3, padding: .same)), .init(.batchNormalization),
        .init(.relu), .init(.maxPooling(size: 2)), .init(.columns), .init(.dense(units: 4)),
        .init(.relu), .init(.dropout(rate: 0.2)), .init(.gru(units: 5, direction: .both)),
        .init(.dense(units: 3)),
      ], .distributionPerStep),
    Network(try! Architecture.fusion(classCount: 3, inputSize: 12, channels: 7)),
  ]

  private static func export(
    _ network: Network, hasState: Bool = false, isOwn: Bool = true
  ) throws -> NetworkExport {
    let text = String(decoding: try JSONEncoder().encode(network.architecture), as: UTF8.self)
    return NetworkExport(
      network: try randomNetwork(network.architecture, seed: 4), labels: ["a", "b", "c"],
      temperature: 1.25, summary: "A test",
      metadata: isOwn ? ["inkstate_format": "3", "architecture": text] : [:], hasState: hasState)
  }

  /// Values for each input of one example; of variable lengths, `length`.
  private static func example(_ architecture: Architecture, length: Int, seed: UInt64) -> [[Float]]
  {
    var generator = SeededGenerator(seed: seed)
    return architecture.inputs.map { input in
      let count =
        switch input.form {
        case .image(let channels, let height, .fixed(let width)): channels * height * width
        case .image(let channels, let height, .variable(let widths)):
          // Twice as wide as the series, so that lines have different widths.
          channels * height * min(widths.upperBound, 2 * length)
        case .page(let channels, _, _): channels * length * length
        case .series(let channels, .variable): channels * length
        case .series(let channels, .fixed(let length)): channels * length
        case .vector(let count): count
        }
      return (0..<count).map { _ in Float(generator.index(below: 2000)) / 1000 - 1 }
    }
  }

  /// The largest difference of the logits of two networks; `nil` where one has no answer.
  private func difference(_ one: TrainedNetwork, _ other: TrainedNetwork) throws -> Float {
    try [6, 9, 12].map { length in
      let inputs = Self.example(one.architecture, length: length, seed: UInt64(length))
      let logits = try (one.plainOutput(of: inputs), other.plainOutput(of: inputs))
      try #require(logits.0.count == logits.1.count)
      return zip(logits.0, logits.1).map { abs($0 - $1) }.max()!
    }.max()!
  }

  @Test(arguments: networks) private func onnxFilesComeBack(_ network: Network) throws {
    for hasState in [false, true] {
      let export = try Self.export(network, hasState: hasState)
      if hasState, export.architecture.layers.allSatisfy({ $0.recurrent?.direction != .forward }) {
        continue
      }
      guard
        !hasState
          || export.architecture.layers.allSatisfy({
            $0.recurrent?.direction ?? .forward == .forward
          })
      else { continue }
      let (graph, description) = try ONNXReader(path: "a.onnx").read(
        export.encoded(as: .onnx, name: ""))
      let stored = try LayerGraph.architecture(in: description.metadata, path: "a.onnx")
      #expect(try graph.network(stored) == export.network)
      #expect(abs(graph.temperature - 1.25) < 1e-6)
    }
  }

  @Test(arguments: networks.filter { !["graph", "columns", "reader"].contains($0.name) })
  private func onnxFilesOfOthersAreRead(_ network: Network) throws {
    let export = try Self.export(network, isOwn: false)
    let (graph, _) = try ONNXReader(path: "a.onnx").read(export.encoded(as: .onnx, name: ""))
    let read = try graph.network(nil)
    #expect(read.architecture.output == network.architecture.output)
    #expect(try difference(export.network, read) == 0)
  }

  @Test(arguments: networks) private func coreMLFilesComeBack(_ network: Network) throws {
    let export = try Self.export(network)
    let data = try export.encoded(as: .coreml, name: "")
    let (graph, description) = try CoreMLReader(path: "a.mlmodel").read(data)
    let stored = try LayerGraph.architecture(in: description.metadata, path: "a.mlmodel")
    let read = try graph.network(stored)
    #expect(read.architecture == network.architecture)
    #expect(try difference(export.network, read) < 1e-5)
    // Only version 4 can reverse what a layer reads from the last step on.
    let file = try CoreML_Specification_Model(serializedBytes: data)
    let hasLines = network.architecture.inputs.contains {
      if case .image(_, _, .variable) = $0.form { true } else { false }
    }
    let version = ["directions", "reader"].contains(network.name) ? 4 : hasLines ? 3 : 1
    #expect(file.specificationVersion == version)
    // The biases of a gate are one, and stay it.
    var again = export
    again = NetworkExport(
      network: read, labels: export.labels, temperature: export.temperature,
      summary: export.summary, metadata: export.metadata)
    #expect(try again.encoded(as: .coreml, name: "") == data)
  }

  @Test(arguments: ["gru", "steps"]) func coreMLFilesWithStatesComeBack(name: String) throws {
    let network = Self.networks.first { $0.name == name }!
    let export = try Self.export(network, hasState: true)
    let data = try export.encoded(as: .coreml, name: "")
    let file = try CoreML_Specification_Model(serializedBytes: data)
    let states = file.description_p.input.dropFirst()
    #expect(states.count == (name == "gru" ? 1 : 3))
    #expect(states.allSatisfy { $0.type.isOptional })
    #expect(file.description_p.output.count == (name == "gru" ? 3 : 4))
    let (graph, description) = try CoreMLReader(path: "a.mlmodel").read(data)
    let stored = try LayerGraph.architecture(in: description.metadata, path: "a.mlmodel")
    #expect(try difference(export.network, graph.network(stored)) < 1e-5)
  }

  @Test(arguments: [
    "maxPooling", "scaleAndShift", "seriesConvolution", "maxOverTime", "meanOverTime",
    "layerNormalization", "dense", "max", "stride", "associatedtype",
  ])
  func swiftFilesDoNotNameInputsLikeWhatTheyCall(name: String) throws {
    func parameter(_ name: String) throws -> String {
      let architecture = try Architecture(
        name: "named",
        inputs: [
          NetworkInput(name: name, form: .series(channels: 2, length: .variable(1...9)))
        ],
        nodes: [
          .init(.seriesConvolution(filters: 2, kernel: 1, padding: .same)), .init(.relu),
          .init(.timePooling(.max)), .init(.dense(units: 3)),
        ])
      let export = NetworkExport(
        network: try randomNetwork(architecture, seed: 1), labels: ["a", "b", "c"])
      let text = String(
        decoding: try export.encoded(as: .swift, name: "Exported"), as: UTF8.self)
      return try String(#require(text.firstMatch(of: /of (\w+): \[Float\]/)).1)
    }
    #expect(try parameter(name) == "input0")
    #expect(try parameter("series") == "series")
  }

  @Test func onlyForwardStatesCanBeContinued() throws {
    for (name, expected) in [
      ("lstm", "state, layer 1 (lstm): expected a layer that reads forwards"),
      ("convolutions", "state, network: expected a GRU or an LSTM"),
    ] {
      let export = try Self.export(Self.networks.first { $0.name == name }!, hasState: true)
      for form in [ExportForm.coreml, .onnx] {
        #expect {
          try export.encoded(as: form, name: "")
        } throws: {
          "\($0)".contains(expected)
        }
      }
    }
  }

  @Test func seriesModelsOfPicturesComeBackAsModels() throws {
    let folder = try TemporaryFolder()
    let model = try randomModel([
      .convolution(filters: 2, kernel: 3, padding: .same), .batchNormalization, .columns,
      .gru(units: 4), .layerNormalization,
      .seriesConvolution(filters: 3, kernel: 3, padding: .same),
      .timePooling(.attention), .dense(units: 3),
    ])
    for form in [ExportForm.onnx, .coreml] {
      let path = try folder.write("model.\(form.fileExtension)", model.exported(as: form))
      let back = try Model.imported(path: path)
      #expect(back.labels == model.labels && back.decision == model.decision)
      #expect(
        try difference(back.network, model.foldingBatchNormalization().network) < 1e-5)
    }
  }

  @Test func modelsOfPicturesAndStrokesComeBackAsModels() throws {
    let folder = try TemporaryFolder()
    let model = try randomFusionModel()
    let folded = try model.foldingBatchNormalization()
    let drawing = circle(radius: 40)
    let expected = try Recognizer(model: model).recognize(drawing)
    for form in [ExportForm.onnx, .coreml] {
      let path = try folder.write("model.\(form.fileExtension)", model.exported(as: form))
      let back = try Model.imported(path: path)
      #expect(back.preprocessing == model.preprocessing && back.labels == model.labels)
      #expect(back.decision == model.decision && back.architecture == folded.architecture)
      let answer = try Recognizer(model: back).recognize(drawing)
      for (one, other) in zip(answer.ranked, expected.ranked) {
        #expect(one.label == other.label && abs(one.probability - other.probability) < 1e-5)
      }
    }
    let description = try CoreML_Specification_Model(serializedBytes: model.exported(as: .coreml))
      .description_p
    #expect(description.input.map(\.name) == ["image", "series"])
    #expect(description.metadata.shortDescription.contains("series of their strokes"))
  }

  @Test func changedSeriesFilesAreRefused() throws {
    let export = try Self.export(Self.networks[1], isOwn: false)
    let onnx = try export.encoded(as: .onnx, name: "")
    let coreML = try export.encoded(as: .coreml, name: "")
    func onnxError(_ change: (inout Onnx_GraphProto) -> Void) throws -> String {
      var file = try Onnx_ModelProto(serializedBytes: onnx)
      change(&file.graph)
      do {
        _ = try ONNXReader(path: "a").read(file.serializedData()).0.network(nil)
        return "none"
      } catch { return "\(error)" }
    }
    func place(_ operation: String, _ graph: Onnx_GraphProto) -> Int {
      graph.node.firstIndex { $0.opType == operation }!
    }
    for (expected, change) in [
      ("none", { _ in }),
      ("linear_before_reset 1, found 0", { $0.node[1].attribute[2].i = 0 }),
      (
        "sigmoid and tanh, found Relu",
        {
          $0.node[1].attribute.append(
            .with { ($0.name, $0.strings) = ("activations", [Data("Relu".utf8)]) })
        }
      ),
      (
        "no lengths of series, found `series`",
        { $0.node[1].input += ["series"] }
      ),
      ("a first state of zeros", { $0.node[1].input += ["", "gru0.W"] }),
      ("expected a direction of ONNX, found up", { $0.node[1].attribute[1].s = Data("up".utf8) }),
      (
        "weights [1, 3 · units, channels], found [1, 16, 3]",
        { $0.initializer[0].dims = [1, 16, 3] }
      ),
      (
        "weights of the state",
        {
          $0.initializer[1].dims = [1, 5, 15]; $0.initializer[1].rawData.removeLast(40);
          $0.initializer[1].dims = [1, 5, 13]
        }
      ),
      ("[steps, batch, channels], found", { $0.node[1].input[0] = "series" }),
      (
        "expected an ε of",
        {
          let index = place("LayerNormalization", $0)
          $0.node[index].attribute[1].f = 0.1
        }
      ),
      (
        "all steps, pooled by ReduceMax, ReduceMean or attention",
        {
          let index = place("LayerNormalization", $0)
          $0.node[index].opType = "Gather"
        }
      ),
    ] as [(String, (inout Onnx_GraphProto) -> Void)] {
      let message = try onnxError(change)
      #expect(message.contains(expected), "\(message)")
    }
    func coreMLError(
      _ change: (inout [CoreML_Specification_NeuralNetworkLayer]) -> Void
    ) throws -> String {
      var file = try CoreML_Specification_Model(serializedBytes: coreML)
      change(&file.neuralNetworkClassifier.layers)
      do {
        _ = try CoreMLReader(path: "a").read(file.serializedData()).0.network(nil)
        return "none"
      } catch { return "\(error)" }
    }
    for (expected, change) in [
      ("a layer that reads forwards", { $0[1].gru.reverseInput = true }),
      ("the outputs of all steps", { $0[1].gru.sequenceOutput = false }),
      ("sigmoid for gates", { $0[1].gru.activations.swapAt(0, 1) }),
      ("weights and 18 biases", { $0[1].gru.resetGateBiasVector.floatValue.removeLast() }),
      ("a unit that stays 1", { $0[1].gru.updateGateBiasVector.floatValue[5] = 1 }),
      ("a unit that stays 1", { $0[2].slice.endIndex = 4 }),
      (
        "a reversal of a sequence",
        {
          $0[1].reverse.reverseDim = [false, true, false, false, false]
          $0[1].output.removeLast()
        }
      ),
      ("inputs that layers before it compute, found `gru`", { $0[1].input[0] = "gru" }),
      ("statistics of each picture", { $0[6].batchnorm.instanceNormalization = false }),
    ] as [(String, (inout [CoreML_Specification_NeuralNetworkLayer]) -> Void)] {
      let message = try coreMLError(change)
      #expect(message.contains(expected), "\(message)")
    }
    // Whatever is damaged ends in a network or an error.
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      for (data, isONNX) in [(onnx, true), (coreML, false)] {
        var damaged = data
        for _ in 0...generator.index(below: 3) {
          damaged[generator.index(below: data.count)] = UInt8(generator.index(below: 256))
        }
        if isONNX {
          _ = try? ONNXReader(path: "a").read(damaged).0.network(nil)
        } else {
          _ = try? CoreMLReader(path: "a").read(damaged).0.network(nil)
        }
      }
    }
  }

  /// What `scripts/reference/make-series-references.py` stored.
  private struct Answer: Decodable {
    var inputs: [[Float]]
    var probabilities: [Double]
  }

  @Test(arguments: [
    "series-dynamo.onnx", "series-script.onnx", "series-causal.onnx", "turi-activity.mlmodel",
    "create-ml-activity.mlmodel",
  ])
  func networksOfOthersAnswerAsTheirMakersSay(file: String) throws {
    func url(_ name: String) -> URL {
      Bundle.module.bundleURL.appendingPathComponent("References/\(name)")
    }
    let answers = try JSONDecoder().decode(
      [String: [Answer]].self, from: Data(contentsOf: url("series-answers.json")))
    let data = try Data(contentsOf: url(file))
    let (graph, description) =
      try file.hasSuffix(".onnx")
      ? ONNXReader(path: file).read(data) : CoreMLReader(path: file).read(data)
    let network = try graph.network(nil)
    #expect(description.labels == (file.hasSuffix(".onnx") ? nil : ["rest", "jab", "hook"]))
    #expect(network.architecture.output == .distribution)
    for answer in try #require(answers[file]) {
      let found = softmax(try network.plainOutput(of: answer.inputs), temperature: 1)
      #expect(found.count == answer.probabilities.count)
      for (one, other) in zip(found, answer.probabilities) { #expect(abs(one - other) < 1e-5) }
    }
  }

  @Test func seriesModelsAreImportedWithTheirPreprocessing() throws {
    let folder = try TemporaryFolder()
    func url(_ name: String) -> String {
      Bundle.module.bundleURL.appendingPathComponent("References/\(name)").path
    }
    let turi = try Model.imported(path: url("turi-activity.mlmodel"))
    #expect(turi.labels == ["rest", "jab", "hook"])
    #expect(turi.recordings?.preparation.channels == (1...4).map { "features \($0)" })
    #expect(turi.recordings?.window?.length == 10)
    let createML = try Model.imported(path: url("create-ml-activity.mlmodel"))
    #expect(createML.preprocessing.count == 4)
    var options = ImportOptions()
    options.labels = ["a", "b", "c"]
    let torch = try Model.imported(path: url("series-dynamo.onnx"), options: options)
    #expect(torch.recordings?.window == nil)
    // Out again, and back as the same model.
    for model in [turi, torch] {
      for form in [ExportForm.onnx, .coreml] where form == .onnx || model.labels == turi.labels {
        let path = try folder.write("again.\(form.fileExtension)", model.exported(as: form))
        let back = try Model.imported(path: path)
        #expect(back.preprocessing == model.preprocessing && back.labels == model.labels)
        #expect(back.architecture == (try model.foldingBatchNormalization()).architecture)
      }
    }
    let path = try folder.write(
      "a.onnx", Self.export(Self.networks[4], isOwn: false).encoded(as: .onnx, name: ""))
    #expect {
      try Model.imported(path: path, options: options)
    } throws: {
      "\($0)".contains("input `facts`: expected a picture or a series")
    }
  }

  /// Networks with inputs and answers, for `scripts/reference/check-exports.py`.
  private struct Fixture: Encodable {
    struct Example: Encodable {
      var inputs: [[Float]]
      var probabilities: [[Double]]
    }
    var name: String
    var inputs: [NetworkInput]
    var isPerStep: Bool
    var states: Bool
    var examples: [Example]
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["INKSTATE_FIXTURES"] != nil))
  func writesNetworksForOtherTools() throws {
    let folder = ProcessInfo.processInfo.environment["INKSTATE_FIXTURES"]!
    var fixtures: [Fixture] = []
    for network in Self.networks {
      var export = try Self.export(network)
      for form in [ExportForm.onnx, .coreml, .swift] {
        let path = "\(folder)/\(network.name).\(form.fileExtension)"
        try export.encoded(as: form, name: "Exported_\(network.name)").write(
          to: URL(fileURLWithPath: path))
      }
      let hasStates = network.name == "steps"
      if hasStates {
        export.hasState = true
        for form in [ExportForm.onnx, .coreml] {
          try export.encoded(as: form, name: "").write(
            to: URL(fileURLWithPath: "\(folder)/\(network.name)-state.\(form.fileExtension)"))
        }
      }
      let examples = try [6, 9, 12, 12].enumerated().map { index, length in
        let inputs = Self.example(network.architecture, length: length, seed: UInt64(index + 20))
        let logits = try export.network.plainOutput(of: inputs)
        let rows = stride(from: 0, to: logits.count, by: 3).map { Array(logits[$0..<$0 + 3]) }
        return Fixture.Example(
          inputs: inputs, probabilities: rows.map { softmax($0, temperature: export.temperature) })
      }
      fixtures.append(
        Fixture(
          name: network.name, inputs: network.architecture.inputs,
          isPerStep: network.architecture.output == .distributionPerStep,
          states: hasStates, examples: examples))
    }
    try JSONEncoder().encode(fixtures).write(to: URL(fileURLWithPath: "\(folder)/fixtures.json"))
  }
}
