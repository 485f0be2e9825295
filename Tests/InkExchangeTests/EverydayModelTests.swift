import Foundation
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import TestSupport
import Testing

@testable import InkExchange

/// Classifiers as people export them, made by `scripts/reference/make-everyday-models.py`.
@Suite(.timeLimit(.minutes(30))) struct EverydayModelTests {
  private struct References: Decodable {
    struct Case: Decodable {
      var model: Data
      var side: Int
      var probabilities: [[Double]]
    }

    var pictures: [String: [[UInt8]]]
    var cases: [String: Case]
    var refused: [String: Data]
  }

  private static let references = try! JSONDecoder().decode(
    References.self,
    from: Data(
      contentsOf: Bundle.module.bundleURL.appendingPathComponent("References/everyday.json")))

  private func model(_ data: Data, as name: String) throws -> Model {
    let folder = try TemporaryFolder()
    var options = ImportOptions()
    options.labels = ["no", "yes"]
    options.margin = 0
    return try Model.imported(path: folder.write(name, data), options: options)
  }

  /// The probabilities of the network for grey values.
  private func probabilities(_ model: Model, _ pixels: [UInt8]) throws -> [Double] {
    let network = InferenceNetwork(model.network, inputScale: try #require(model.pictureScale))
    return softmax(network.logits(of: pixels), temperature: model.decision.temperature)
  }

  @Test(arguments: references.cases.keys.sorted())
  func everydayModelsAnswerAsONNXRuntimeDoes(name: String) throws {
    let reference = Self.references.cases[name]!
    let model = try model(reference.model, as: "a.onnx")
    #expect(model.architecture.pictureSize == reference.side)
    let pictures = Self.references.pictures["\(reference.side)"]!
    #expect(pictures.count == reference.probabilities.count)
    for (pixels, expected) in zip(pictures, reference.probabilities) {
      let found = try probabilities(model, pixels)
      #expect(found.count == expected.count)
      for (one, other) in zip(found, expected) { #expect(abs(one - other) < 1e-5) }
      // The plain loops and another file say the same.
      let scale = model.pictureScale!
      let plain = softmax(
        try model.network.plainOutput(of: [pixels.map { Float($0) * scale }]),
        temperature: model.decision.temperature)
      for (one, other) in zip(plain, expected) { #expect(abs(one - other) < 1e-5) }
    }
  }

  @Test func aStrideIsRead() throws {
    let model = try model(Self.references.refused["strided"]!, as: "a.onnx")
    guard case .convolution(let convolution) = model.architecture.layers[0] else {
      Issue.record("expected a convolution, found \(model.architecture.layers[0])")
      return
    }
    #expect(convolution.stride == 2 && convolution.padding == .same)
  }

  @Test(arguments: [
    ("even-kernel", "node 1 (Conv): expected an odd kernel, or padding that keeps the size"),
    (
      "average-before-convolution",
      "node 4 (Conv): expected a flattening and a dense layer after an average pooling, found Conv"
    ),
    ("sigmoids", "(Sigmoid): expected a softmax, or a sigmoid of one logit, found a sigmoid of 2"),
    ("leaky", "node 6 (LeakyRelu): expected Conv, MaxPool, AveragePool"),
    ("mean-picture", "node 1 (Sub): expected the same number for all values of an input"),
  ])
  func whatIsNotReadIsNamedWithItsNode(name: String, message: String) {
    #expect {
      try model(Self.references.refused[name]!, as: "a.onnx")
    } throws: {
      #expect("\($0)".contains(message), "\($0)")
      return true
    }
  }

  // MARK: Core ML

  /// A picture classifier as another program would write it, after a change.
  private func coreML(
    _ layers: [Layer], _ change: (inout CoreML_Specification_NeuralNetworkClassifier) -> Void
  ) throws -> (own: Model, data: Data) {
    let own = try randomModel(layers, inputSize: 8)
    var file = try CoreML_Specification_Model(serializedBytes: own.exported(as: .coreml))
    file.description_p.metadata = .init()
    change(&file.neuralNetworkClassifier)
    return (own, try file.serializedData())
  }

  @Test func theBiasOfACoreMLPictureIsAdded() throws {
    let layers: [Layer] = [
      .convolution(filters: 2, kernel: 3, padding: .same), .relu, .flatten, .dense(units: 2),
    ]
    let (own, data) = try coreML(layers) {
      $0.preprocessing[0].scaler.channelScale = 2 / 255
      $0.preprocessing[0].scaler.grayBias = -1
    }
    let model = try model(data, as: "a.mlmodel")
    #expect(model.pictureScale == Float(2) / 255)
    let pixels = (0..<64).map { UInt8($0 * 37 % 256) }
    // Zeros around the picture come after the bias.
    let expected = softmax(
      try own.network.plainOutput(of: [pixels.map { Float($0) * (2 / 255) - 1 }]),
      temperature: own.decision.temperature)
    for (one, other) in zip(try probabilities(model, pixels), expected) {
      #expect(abs(one - other) < 1e-5)
    }
  }

  @Test func averagePoolingInCoreMLIsRead() throws {
    let layers: [Layer] = [
      .convolution(filters: 2, kernel: 3, padding: .same), .relu, .maxPooling(size: 2), .flatten,
      .dense(units: 2),
    ]
    let (own, data) = try coreML(layers) { network in
      for index in network.layers.indices {
        guard case .pooling? = network.layers[index].layer else { continue }
        network.layers[index].pooling.type = .average
      }
    }
    let model = try model(data, as: "a.mlmodel")
    let pixels = (0..<64).map { UInt8($0 * 37 % 256) }
    // The first two layers, then means of four values, and the dense layer.
    let values = own.network.values
    var planes: [Float] = []
    for filter in 0..<2 {
      for y in 0..<8 {
        for x in 0..<8 {
          var sum = values(0, .bias)[filter]
          for i in 0..<3 {
            for j in 0..<3 where (0..<8).contains(y + i - 1) && (0..<8).contains(x + j - 1) {
              sum +=
                values(0, .weight)[(filter * 3 + i) * 3 + j]
                * Float(pixels[(y + i - 1) * 8 + x + j - 1]) / 255
            }
          }
          planes.append(max(0, sum))
        }
      }
    }
    let means = (0..<2).flatMap { filter in
      (0..<16).map { place -> Float in
        let first = filter * 64 + place / 4 * 16 + place % 4 * 2
        return (planes[first] + planes[first + 1] + planes[first + 8] + planes[first + 9]) / 4
      }
    }
    let logits = (0..<2).map { unit in
      means.indices.reduce(values(4, .bias)[unit]) {
        $0 + values(4, .weight)[unit * means.count + $1] * means[$1]
      }
    }
    let expected = softmax(logits, temperature: own.decision.temperature)
    for (one, other) in zip(try probabilities(model, pixels), expected) {
      #expect(abs(one - other) < 1e-5)
    }
  }

  // MARK: Named networks

  /// A model with random weights for every network that has a name.
  private static let named: [(name: String, model: Model)] = {
    let labels = ["a", "b", "c"]
    var models: [(name: String, model: Model)] = []
    func add(_ architecture: Architecture?, _ preprocessing: [Preprocessing], _ labels: [String]) {
      let architecture = architecture!
      let model = try! Model(
        network: randomNetwork(architecture, seed: 3), labels: labels, preprocessing: preprocessing,
        decision: .init(temperature: 1.5))
      models.append((architecture.name, model))
    }
    for name in Architecture.names {
      add(
        try! .named(name, classCount: 3, inputSize: 16),
        [.raster(try! Rasterizer(size: 16, margin: 1, penWidth: 1.5))], labels)
    }
    let sensors = ["x", "y", "z"]
    for name in Architecture.seriesNames {
      add(
        try! .named(name, classCount: 3, channels: 3, shortest: 10),
        [.series(try! SeriesPreparation(channels: sensors, rate: 50), window: nil)], labels)
    }
    let channels = StrokeEncoder.standard.channels.map(\.rawValue)
    let strokes = Preprocessing.strokes(
      .standard, try! SeriesPreparation(channels: channels))
    for name in Architecture.seriesNames {
      add(
        try! .named(name, classCount: 3, channels: channels.count, shortest: 10), [strokes], labels)
    }
    for name in Architecture.pairedNames {
      add(
        try! .named(name, classCount: 3, inputSize: 16, channels: channels.count),
        [.raster(try! Rasterizer(size: 16, margin: 1, penWidth: 1.5)), strokes], labels)
    }
    let reader = try! Architecture.reader(classCount: 4, height: 16)
    func lines(showsDirections: Bool) -> [Preprocessing] {
      [
        .line(
          try! LineRasterizer(
            height: 16, margin: 1, penWidth: 1.5, stretch: 1, minWidth: 16, maxWidth: 128,
            showsDirections: showsDirections))
      ]
    }
    add(reader, lines(showsDirections: false), labels)
    // As the released reader.
    add(
      try! Architecture(
        name: "directions",
        inputs: [
          NetworkInput(
            name: "line", form: .image(channels: 5, height: 16, width: .variable(8...8192)))
        ], nodes: reader.nodes, output: .distributionPerStep), lines(showsDirections: true), labels)
    return models
  }()

  /// What is exported is imported again, and gives the same answers.
  @Test(arguments: named.indices, [ExportForm.onnx, .coreml, .safetensors])
  func namedNetworksComeBack(index: Int, form: ExportForm) throws {
    let (name, model) = Self.named[index]
    let folder = try TemporaryFolder()
    let path = try folder.write("a.\(form.fileExtension)", model.exported(as: form))
    let back = try form == .safetensors ? Model.read(path: path) : Model.imported(path: path)
    #expect(back.architecture.name == name)
    #expect(back.labels == model.labels && back.preprocessing == model.preprocessing)
    #expect(back.decision == model.decision)
    for steps in [24, 37] {
      let inputs = model.architecture.inputs.map { input -> [Float] in
        let count =
          switch input.form {
          case .image(let channels, let height, let width):
            channels * height * min(steps, width.bounds.upperBound)
          case .page(let channels, _, _): channels * steps * steps
          case .series(let channels, _): channels * steps
          case .vector(let count): count
          }
        return (0..<count).map { Float($0 * 7919 % 1000) / 500 - 1 }
      }
      let logits = try (
        model.network.plainOutput(of: inputs), back.network.plainOutput(of: inputs)
      )
      #expect(logits.0.count == logits.1.count)
      for (one, other) in zip(
        softmax(logits.0, temperature: 1.5), softmax(logits.1, temperature: 1.5))
      {
        #expect(abs(one - other) < 1e-5)
      }
    }
  }
}
