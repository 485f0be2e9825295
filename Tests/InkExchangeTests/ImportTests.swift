import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import SeededRandom
import SwiftProtobuf
import TestSupport
import Testing

@testable import InkExchange

@Suite(.timeLimit(.minutes(30))) struct ImportTests {
  /// What `scripts/reference/check-imports.py` stored.
  private struct Answers: Decodable {
    var labels: [String]
    var bitmaps: [[UInt8]]
    var answers: [String: [[Double]]]
  }

  private static func reference(_ name: String) -> String {
    Bundle.module.bundleURL.appendingPathComponent("References/\(name)").path
  }

  @Test(arguments: [
    ("pytorch", "pytorch.onnx"), ("pytorch", "pytorch.mlmodel"), ("pytorch", "pytorch.npz"),
    ("turi-create", "turi-create.mlmodel"), ("keras", "keras.onnx"), ("keras", "keras.npz"),
  ])
  func modelsOfOthersAnswerAsTheirMakersSay(maker: String, file: String) throws {
    let answers = try JSONDecoder().decode(
      Answers.self, from: Data(contentsOf: URL(fileURLWithPath: Self.reference("answers.json"))))
    var options = ImportOptions()
    if !file.hasSuffix(".mlmodel") { options.labels = answers.labels }
    if file.hasSuffix(".npz") {
      options.architecture = try JSONDecoder().decode(
        Architecture.self,
        from: Data(contentsOf: URL(fileURLWithPath: Self.reference("architecture.json"))))
    }
    let model = try Model.imported(path: Self.reference(file), options: options)
    #expect(model.labels == answers.labels && model.pictureScale == 1 / 255)
    let recognizer = Recognizer(model: model)
    for (pixels, expected) in zip(answers.bitmaps, answers.answers[maker]!) {
      let answer = try recognizer.recognize(Bitmap(width: 28, height: 28, pixels: pixels))
      for candidate in answer.ranked {
        let place = answers.labels.firstIndex(of: candidate.label)!
        #expect(abs(candidate.probability - expected[place]) <= 1e-5)
      }
    }
  }

  // MARK: Files that are no models

  private func message(
    _ data: Data, as name: String, _ options: ImportOptions = ImportOptions()
  ) throws -> String? {
    let folder = try TemporaryFolder()
    let path = try folder.write(name, data)
    do {
      _ = try Model.imported(path: path, options: options)
      return nil
    } catch {
      return "\(error)".replacingOccurrences(of: path, with: name)
    }
  }

  private let small = try! randomModel([
    .convolution(filters: 2, kernel: 3, padding: .same), .relu, .maxPooling(size: 2), .flatten,
    .dense(units: 3),
  ])

  @Test(arguments: [ExportForm.coreml, .onnx]) func damagedFilesAreRefused(form: ExportForm) throws
  {
    let data = try small.exported(as: form)
    let name = "model.\(form.fileExtension)"
    for length in [0, 1, 2, 7] + Array(stride(from: 10, to: data.count - 1, by: 397)) {
      #expect(try message(data.prefix(length), as: name) != nil)
    }
    // Sizes that lie: 2 GB of the first field, and of one in the middle.
    let lie = Data([0x3A, 0xFF, 0xFF, 0xFF, 0xFF, 0x07])
    #expect(try message(lie, as: name)?.contains("file: expected") == true)
    #expect(try message(data + lie, as: name)?.contains("file: expected") == true)
    // Whatever is wrong, it ends in a model or a message.
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<150 {
      var damaged = data
      for _ in 0...generator.index(below: 4) {
        damaged[generator.index(below: data.count)] = UInt8(generator.index(below: 256))
      }
      if let message = try message(damaged, as: name) { #expect(message.hasPrefix(name)) }
    }
  }

  @Test func wrongWireTypesAreRefused() throws {
    // `description` of a Core ML model as a number, `graph` of ONNX as one.
    #expect(
      try message(Data([0x08, 1, 0x10, 5]), as: "a.mlmodel")
        == "a.mlmodel, model: expected a neural-network classifier, found none")
    #expect(
      try message(Data([0x08, 8, 0x38, 5]), as: "a.onnx")
        == "a.onnx, graph: expected nodes, found none")
  }

  private func coreML(
    _ change: (inout CoreML_Specification_Model) throws -> Void
  ) throws -> Data {
    var file = try CoreML_Specification_Model(serializedBytes: small.exported(as: .coreml))
    // As another program would write it.
    file.description_p.metadata = .init()
    try change(&file)
    return try file.serializedData()
  }

  @Test func whatCoreMLHasAndInkstateHasNotIsNamed() throws {
    /// An unknown field of a message, with nothing in it.
    func unknown<Message: SwiftProtobuf.Message>(_ number: Int, in message: Message) throws
      -> Message
    {
      let tag = number << 3 | 2
      return try Message(
        serializedBytes: [UInt8(tag & 0x7F | 0x80), UInt8(tag >> 7), 0] as [UInt8])
    }
    let cases: [(String, (inout CoreML_Specification_Model) throws -> Void)] = [
      (
        "found tanh",
        {
          $0.neuralNetworkClassifier.layers[1].activation = try unknown(30, in: .init())
        }
      ),
      (
        "layer `batch`",
        {
          var layer = try unknown(180, in: CoreML_Specification_NeuralNetworkLayer())
          layer.name = "batch"
          layer.input = ["relu1"]
          layer.output = ["maxPooling2"]
          $0.neuralNetworkClassifier.layers[2] = layer
        }
      ),
      (
        "found local response normalisation",
        {
          var layer = try unknown(180, in: CoreML_Specification_NeuralNetworkLayer())
          layer.input = ["relu1"]
          layer.output = ["maxPooling2"]
          $0.neuralNetworkClassifier.layers[2] = layer
        }
      ),
      (
        "found an ML program",
        {
          let description = $0.description_p
          $0 = try unknown(502, in: .init())
          $0.description_p = description
        }
      ),
      (
        "layer `dense4`: expected 3 × 36 values, found 216",
        { $0.neuralNetworkClassifier.layers[1].input = ["image"] }
      ),
      (
        "layer `relu1`: expected inputs that layers before it compute, found `elsewhere`",
        { $0.neuralNetworkClassifier.layers[1].input = ["elsewhere"] }
      ),
      (
        "layer `convolution0`: expected stride 1 or 2, found [3, 3]",
        { $0.neuralNetworkClassifier.layers[0].convolution.stride = [3, 3] }
      ),
      (
        "layer `convolution0`: expected no padding, or 1 on each side, found one that depends on the size",
        { $0.neuralNetworkClassifier.layers[0].convolution.stride = [2, 2] }
      ),
      (
        "layer `convolution0`: expected 2 × 1 × 3 × 3 values, found 17",
        { $0.neuralNetworkClassifier.layers[0].convolution.weights.floatValue.removeLast() }
      ),
      (
        "expected 1 to 65536 filters, found 9000000000000000000",
        {
          $0.neuralNetworkClassifier.layers[0].convolution.outputChannels =
            9_000_000_000_000_000_000
        }
      ),
      (
        "layer `maxPooling2`: expected stride 2, found [1, 1]",
        { $0.neuralNetworkClassifier.layers[2].pooling.stride = [1, 1] }
      ),
      (
        "layer `convolution0`: expected weights of 16 or 32 bits, found quantised ones",
        {
          // `rawValue` and what it says about its bits.
          $0.neuralNetworkClassifier.layers[0].convolution.weights = try .init(
            serializedBytes: [0xF2, 0x01, 1, 7] as [UInt8])
        }
      ),
      (
        "input `image`: expected a grey picture, found",
        { $0.description_p.input[0].type.imageType.colorSpace = .rgb }
      ),
      (
        "as many rows as columns, 4 to 512, found 12 × 99999",
        { $0.description_p.input[0].type.imageType.height = 99_999 }
      ),
      (
        "labels: expected 3, one a class, found 1",
        { $0.neuralNetworkClassifier.stringClassLabels.vector = ["one"] }
      ),
    ]
    for (expected, change) in cases {
      let message = try message(coreML(change), as: "a.mlmodel") ?? "none"
      #expect(message.contains(expected), "\(message)")
    }
  }

  @Test func halfPrecisionIsRead() throws {
    let values: [(UInt16, Float)] = [
      (0x3C00, 1), (0xC000, -2), (0x3555, 0.333251953125), (0x0001, 5.9604645e-8), (0x7BFF, 65504),
      (0x8000, -0.0),
    ]
    for (bits, value) in values { #expect(HalfPrecision.float(bits) == value) }
    let data = try coreML {
      // 1.0 for every weight.
      $0.neuralNetworkClassifier.layers[0].convolution.weights.floatValue = []
      $0.neuralNetworkClassifier.layers[0].convolution.weights.float16Value = Data(
        (0..<18).flatMap { _ in [UInt8(0), 0x3C] })
    }
    let folder = try TemporaryFolder()
    let model = try Model.imported(path: folder.write("a.mlmodel", data))
    #expect(model.network.weights["0.weight"]?.values == [Float](repeating: 1, count: 18))
  }

  @Test func exportsNameTheVersionThatWroteThem() throws {
    var model = small
    model.provenance["version"] = "0.0.1"
    let file = try Onnx_ModelProto(serializedBytes: model.exported(as: .onnx))
    #expect(file.producerName == "inkstate")
    #expect(file.producerVersion == Version.current)
  }

  @Test func whatONNXHasAndInkstateHasNotIsNamed() throws {
    func changed(_ change: (inout Onnx_ModelProto) -> Void) throws -> String {
      var file = try Onnx_ModelProto(serializedBytes: small.exported(as: .onnx))
      file.metadataProps = []
      change(&file)
      var options = ImportOptions()
      options.labels = ["a", "b", "c"]
      return try message(file.serializedData(), as: "a.onnx", options) ?? "none"
    }
    #expect(try changed { _ in } == "none")
    #expect(try changed { $0.graph.node[1].domain = "ai.onnx" } == "none")
    let cases: [(String, (inout Onnx_ModelProto) -> Void)] = [
      (
        "node `relu1` (Sigmoid): expected a sigmoid of a dense layer's logit",
        { $0.graph.node[1].opType = "Sigmoid" }
      ),
      ("node `relu1` (Erf): expected Conv, ", { $0.graph.node[1].opType = "Erf" }),
      ("found Erf", { $0.graph.node[1].opType = "Erf" }),
      (
        "node `relu1` (Relu): expected an operator of ONNX itself, found one of the domain "
          + "`com.example`", { $0.graph.node[1].domain = "com.example" }
      ),
      (
        "graph: expected one output, found 2: probabilities, more",
        {
          $0.graph.node.append(
            .with { ($0.opType, $0.input, $0.output) = ("Relu", ["image"], ["more"]) })
          $0.graph.output.append(.with { $0.name = "more" })
        }
      ),
      (
        "value `convolution0`: expected one node that computes it, found 2 nodes",
        {
          $0.graph.node[1].opType = "Identity"
          $0.graph.node[1].output = ["convolution0"]
        }
      ),
      (
        "(Conv): expected inputs that nodes before it compute, found `relu1`",
        { $0.graph.node[0].input[0] = "relu1" }
      ),
      (
        "expected at most 50000000 values",
        { $0.graph.initializer[0].dims = [16, 1 << 40, 3, 3] }
      ),
      (
        "expected a file beside the model's, found ../../etc/passwd",
        {
          $0.graph.initializer[0].dataLocation = .external
          $0.graph.initializer[0].externalData = [
            .with { ($0.key, $0.value) = ("location", "../../etc/passwd") }
          ]
        }
      ),
      (
        "the file `a.data` beside the model's, found none",
        {
          $0.graph.initializer[0].dataLocation = .external
          $0.graph.initializer[0].externalData = [
            .with { ($0.key, $0.value) = ("location", "a.data") }
          ]
        }
      ),
      (
        "the number of values of its shape [2, 1, 3, 3], found 2",
        { $0.graph.initializer[0].rawData = Data(count: 8) }
      ),
      (
        "inputs that nodes before it compute, found `0.weight`",
        { $0.graph.initializer.removeFirst() }
      ),
      (
        "expected no padding, or padding that keeps the size, 2 in all, found [1, 0, 1, 1]",
        { $0.graph.node[0].attribute[1].ints = [1, 0, 1, 1] }
      ),
      (
        "node `flatten3` (Flatten): expected axis 1, found 3",
        { $0.graph.node[3].attribute[0].i = 3 }
      ),
      (
        "as many rows as columns, 4 to 512, found 0 × 12",
        { $0.graph.input[0].type.tensorType.shape.dim[2].dimParam = "rows" }
      ),
    ]
    for (expected, change) in cases {
      let message = try changed(change)
      #expect(message.contains(expected), "\(message)")
    }
  }

  @Test func whatWouldAnswerOtherwiseIsRefused() throws {
    func node(_ operation: String, _ input: [String], _ output: String) -> Onnx_NodeProto {
      .with { ($0.opType, $0.input, $0.output) = (operation, input, [output]) }
    }
    func int(_ name: String, _ value: Int64) -> Onnx_AttributeProto {
      .with { ($0.name, $0.i) = (name, value) }
    }
    func shape(_ name: String, _ lengths: [Int64]) -> Onnx_TensorProto {
      .with {
        ($0.name, $0.dataType, $0.dims) = (name, 7, [Int64(lengths.count)])
        $0.int64Data = lengths
      }
    }
    func floats(_ name: String, _ values: [Float]) -> Onnx_TensorProto {
      .with {
        ($0.name, $0.dataType, $0.dims) = (name, 1, [Int64(values.count)])
        $0.floatData = values
      }
    }
    let cases: [(String, (inout Onnx_GraphProto) -> Void)] = [
      (
        "expected 12 rows and 12 columns, found a shape of [-1, 1, 4, 36]",
        {
          $0.initializer.append(shape("s", [-1, 1, 4, 36]))
          $0.node.insert(node("Reshape", ["image", "s"], "r"), at: 0)
          $0.node[1].input[0] = "r"
        }
      ),
      (
        "expected a flattening, found a shape of [-1, 1, 12, 12]",
        {
          var transpose = node("Transpose", ["image"], "t")
          transpose.attribute = [.with { ($0.name, $0.ints) = ("perm", [0, 1, 3, 2]) }]
          $0.initializer.append(shape("s", [-1, 1, 12, 12]))
          $0.node.insert(contentsOf: [transpose, node("Reshape", ["t", "s"], "r")], at: 0)
          $0.node[2].input[0] = "r"
        }
      ),
      (
        "expected nothing after the logits but a softmax",
        {
          $0.initializer.append(floats("more", [0, 5, 0]))
          $0.node.append(node("Add", ["probabilities", "more"], "end"))
          $0.output[0].name = "end"
        }
      ),
      (
        "expected axis 1 or -1, found 0",
        { $0.node[$0.node.count - 1].attribute = [int("axis", 0)] }
      ),
      (
        "expected a cast to floating-point numbers, found to 6",
        {
          var cast = node("Cast", ["image"], "c")
          cast.attribute = [int("to", 6)]
          $0.node.insert(cast, at: 0)
          $0.node[1].input[0] = "c"
        }
      ),
      (
        "graph: expected a node that computes the output `elsewhere`, found none",
        { $0.output[0].name = "elsewhere" }
      ),
      (
        "expected an offset in `a.data`, found  17",
        {
          $0.initializer[0].dataLocation = .external
          $0.initializer[0].externalData = [
            .with { ($0.key, $0.value) = ("location", "a.data") },
            .with { ($0.key, $0.value) = ("offset", " 17") },
          ]
        }
      ),
      (
        "expected field 3 with its own wire type, found another wire type",
        {
          // `i` with a length.
          $0.node[3].attribute = [
            try! .init(serializedBytes: [0x0A, 4, 0x61, 0x78, 0x69, 0x73, 0x1A, 1, 1] as [UInt8])
          ]
        }
      ),
    ]
    let folder = try TemporaryFolder()
    try folder.write("a.data", Data(count: 1000))
    var options = ImportOptions()
    options.labels = ["a", "b", "c"]
    for (expected, change) in cases {
      var file = try Onnx_ModelProto(serializedBytes: small.exported(as: .onnx))
      file.metadataProps = []
      change(&file.graph)
      let path = try folder.write("a.onnx", file.serializedData())
      #expect {
        try Model.imported(path: path, options: options)
      } throws: {
        "\($0)".contains(expected)
      }
    }
  }

  @Test(arguments: [("Mul", 0.5), ("Div", 2)])
  func onnxMayMultiplyOrDivideLogits(operation: String, factor: Float) throws {
    var file = try Onnx_ModelProto(serializedBytes: small.exported(as: .onnx))
    file.metadataProps = []
    let last = file.graph.node.count - 1
    let logits = file.graph.node[last].input[0]
    file.graph.initializer.append(
      .with {
        $0.name = "factor"
        $0.dims = [1]
        $0.dataType = Int32(Onnx_TensorProto.DataType.float.rawValue)
        $0.floatData = [factor]
      })
    file.graph.node[last].input = ["scaled"]
    file.graph.node.insert(
      .with {
        $0.opType = operation
        $0.input = [logits, "factor"]
        $0.output = ["scaled"]
      }, at: last)
    let folder = try TemporaryFolder()
    var options = ImportOptions()
    options.labels = ["a", "b", "c"]
    let model = try Model.imported(
      path: folder.write("a.onnx", file.serializedData()), options: options)
    #expect(abs(model.decision.temperature - 2 * small.decision.temperature) < 1e-6)
  }

  @Test func coreMLAnswersFromItsSoftmaxOnly() throws {
    for (expected, change) in [
      (
        "network: expected a softmax at the end, found none",
        { $0.neuralNetworkClassifier.layers.removeLast() }
      ),
      (
        "found `relu1`", { $0.neuralNetworkClassifier.labelProbabilityLayerName = "relu1" }
      ),
      (
        "preprocessing: expected one of `image`, found `elsewhere`",
        { $0.neuralNetworkClassifier.preprocessing[0].featureName = "elsewhere" }
      ),
    ] as [(String, (inout CoreML_Specification_Model) -> Void)] {
      let message = try message(coreML(change), as: "a.mlmodel") ?? "none"
      #expect(message.contains(expected), "\(message)")
    }
  }

  @Test func changesThatTheMetadataDoesNotHaveAreRefused() throws {
    for (expected, change) in [
      (
        "labels: expected those of the metadata, class 0, class 1, class 2, found a, b, c",
        { $0.neuralNetworkClassifier.stringClassLabels.vector = ["a", "b", "c"] }
      ),
      (
        "input_scale: expected that of the preprocessing, 0.5",
        { $0.neuralNetworkClassifier.preprocessing[0].scaler.channelScale = 0.5 }
      ),
    ] as [(String, (inout CoreML_Specification_Model) -> Void)] {
      var file = try CoreML_Specification_Model(serializedBytes: small.exported(as: .coreml))
      change(&file)
      let message = try message(file.serializedData(), as: "a.mlmodel") ?? "none"
      #expect(message.contains(expected), "\(message)")
    }
    var options = ImportOptions()
    options.inputScale = 1
    #expect(
      try message(small.exported(as: .coreml), as: "a.mlmodel", options)?
        .contains("--input-scale: expected no option, because the file has the scale 0.003921569")
        == true)
  }

  @Test func givenLabelsDecideWhatIsRefused() throws {
    let folder = try TemporaryFolder()
    for (labels, rejected) in [(["a", "b", "other"], "other"), (["a", "b", "c"], nil)] {
      let data = try coreML {
        $0.neuralNetworkClassifier.int64ClassLabels.vector = [3, 1, 2]
      }
      let path = try folder.write("a.mlmodel", data)
      #expect(try Model.imported(path: path).labels == ["3", "1", "2"])
      var options = ImportOptions()
      options.labels = labels
      let model = try Model.imported(path: path, options: options)
      #expect(model.labels == labels && model.decision.rejectedLabel == rejected)
    }
  }

  @Test func veryManyTinyMessagesAreRefused() throws {
    let layers = Data((0..<400_000).flatMap { _ in [UInt8(0x0A), 0] })
    func file(_ tag: [UInt8]) -> Data {
      var (length, varint) = (layers.count, [UInt8]())
      while length > 127 {
        varint.append(UInt8(length & 127 | 128))
        length >>= 7
      }
      return Data(tag + varint + [UInt8(length)]) + layers
    }
    #expect(
      try message(file([0x9A, 0x19]), as: "a.mlmodel")
        == "a.mlmodel, file: expected at most 200000 fields, found more")
    #expect(
      try message(file([0x3A]), as: "a.onnx")
        == "a.onnx, file: expected at most 200000 fields, found more")
  }

  // MARK: Weights alone

  /// An archive of arrays as NumPy saves it, without compression.
  private func archive(
    _ arrays: [(name: String, shape: [Int], values: [Float], isFortran: Bool)]
  ) -> Data {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
    }
    var (data, directory) = (Data(), Data())
    for array in arrays {
      let shape = array.shape.map { "\($0)," }.joined(separator: " ")
      let header =
        "{'descr': '<f4', 'fortran_order': \(array.isFortran ? "True" : "False"), 'shape': (\(shape)), }\n"
      let content =
        [0x93] + Array("NUMPY".utf8) + [1, 0] + bytes(header.utf8.count, 2) + Array(header.utf8)
        + array.values.flatMap { bytes(Int($0.bitPattern), 4) }
      let name = Array("\(array.name).npy".utf8)
      let common =
        bytes(0, 12) + bytes(content.count, 4) + bytes(content.count, 4) + bytes(name.count, 2)
        + bytes(0, 2)
      directory += Data(
        bytes(0x0201_4B50, 4) + bytes(20, 2) + bytes(20, 2) + common + bytes(0, 10)
          + bytes(data.count, 4) + name)
      data += Data(bytes(0x0403_4B50, 4) + bytes(20, 2) + common + name + content)
    }
    return data + directory
      + Data(
        bytes(0x0605_4B50, 4) + bytes(0, 4) + bytes(arrays.count, 2) + bytes(arrays.count, 2)
          + bytes(directory.count, 4) + bytes(data.count, 4) + bytes(0, 2))
  }

  @Test func arraysInAnyOrderOfAxesAreRead() throws {
    let folder = try TemporaryFolder()
    var options = ImportOptions()
    options.labels = ["a", "b"]
    options.architecture = try Architecture(
      name: "tiny", inputSize: 8,
      layers: [
        .convolution(filters: 2, kernel: 3, padding: .valid), .batchNormalization, .flatten,
        .dense(units: 2),
      ])
    options.margin = 0
    options.penWidth = 0.5
    options.layout = .channelsFirst
    let kernel = (0..<18).map(Float.init)
    // [out, 1, row, column] with the first axis fastest.
    let turned = (0..<9).flatMap { pixel in
      let (row, column) = (pixel % 3, pixel / 3)
      return [kernel[row * 3 + column], kernel[9 + row * 3 + column]]
    }
    var arrays: [(name: String, shape: [Int], values: [Float], isFortran: Bool)] = [
      ("0.weight", [2, 1, 3, 3], turned, true), ("1.weight", [2], [1, 2], false),
      ("1.bias", [2], [3, 4], false), ("1.running_mean", [2], [5, 6], false),
      ("1.running_var", [2], [7, 8], false),
      ("1.num_batches_tracked", [], [9], false),
      ("3.weight", [2, 72], Array(repeating: 1, count: 144), false),
      ("3.bias", [2], [0, 1], false),
    ]
    let path = try folder.write("a.npz", archive(arrays))
    let model = try Model.imported(path: path, options: options)
    #expect(model.network.weights["0.weight"]?.values == kernel)
    // The convolution had no bias: its batch normalisation makes up for it.
    #expect(model.network.weights["0.bias"]?.values == [0, 0])
    #expect(model.network.weights["1.running_var"]?.values == [7, 8])
    arrays.swapAt(1, 2)
    #expect(
      try message(archive(arrays), as: "a.npz", options)
        == "a.npz, 1.bias: expected the weight of layer 2 at this place, found the bias")
  }

  @Test func layerNormalizationsKeepTheirBiasBeforeBatchNormalizations() throws {
    var options = ImportOptions()
    options.labels = ["a", "b"]
    let architecture = try Architecture(
      name: "tiny", inputSize: 8,
      layers: [
        .columns, .layerNormalization, .batchNormalization, .timePooling(.max), .dense(units: 2),
      ])
    options.architecture = architecture
    options.layout = .channelsFirst
    let arrays = architecture.parameters.map {
      (
        name: $0.name, shape: $0.shape, values: [Float](repeating: 1, count: $0.count),
        isFortran: false
      )
    }
    #expect(try message(archive(arrays), as: "a.npz", options) == nil)
    let without = arrays.filter { $0.name != "1.bias" }
    #expect(without.count == arrays.count - 1)
    #expect(
      try message(archive(without), as: "a.npz", options)?.hasPrefix(
        "a.npz, arrays: expected \(arrays.count), those of the network `tiny`, found "
          + "\(without.count): ") == true)
  }

  @Test func metadataThatDoesNotFitTheNetworkIsRefused() throws {
    var file = try Onnx_ModelProto(serializedBytes: small.exported(as: .onnx))
    file.graph.node[1].opType = "Identity"
    #expect(
      try message(file.serializedData(), as: "a.onnx")?
        .contains("architecture: expected the layers of the network in the metadata") == true)
  }

  @Test func weightsAloneNeedTheirNetworkAndLayout() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Self.reference("keras.npz")))
    #expect(
      try message(data, as: "a.npz")
        == "a.npz, architecture: expected the option --architecture, because the file does not contain "
        + "the layers, found none"
    )
    var options = ImportOptions()
    options.labels = ["a", "b", "c", "d"]
    options.architecture = try .drawing(classCount: 4)
    #expect(
      try message(data, as: "a.npz", options)?.contains(
        "arrays: expected 10, those of the network `drawing`, found 22: arr_0 [3, 3, 1, 4]") == true
    )
    options.architecture = try JSONDecoder().decode(
      Architecture.self,
      from: Data(contentsOf: URL(fileURLWithPath: Self.reference("architecture.json"))))
    options.layout = .channelsFirst
    #expect(
      try message(data, as: "a.npz", options)
        == "a.npz, arr_0: expected [4, 1, 3, 3], for 0.weight of `foreign`, found [3, 3, 1, 4]")
    options.layout = nil
    options.architecture = try Architecture(
      name: "other", inputSize: 28,
      layers: options.architecture!.layers.map {
        $0 == .dense(units: 12) ? .dense(units: 13) : $0
      })
    #expect(
      try message(data, as: "a.npz", options)?
        .contains("expected [13, 72] or [72, 13], for 13.weight, found [72, 12]") == true)
  }

  @Test func damagedArchivesAreRefused() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Self.reference("keras.npz")))
    var options = ImportOptions()
    options.labels = ["a", "b", "c", "d"]
    options.architecture = try JSONDecoder().decode(
      Architecture.self,
      from: Data(contentsOf: URL(fileURLWithPath: Self.reference("architecture.json"))))
    for length in stride(from: 0, to: data.count, by: 1511) {
      #expect(try message(data.prefix(length), as: "a.npz", options) != nil)
    }
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<150 {
      var damaged = data
      for _ in 0...generator.index(below: 3) {
        damaged[generator.index(below: data.count)] = UInt8(generator.index(below: 256))
      }
      if let message = try message(damaged, as: "a.npz", options) {
        #expect(message.hasPrefix("a.npz"))
      }
    }
  }

  @Test(arguments: [
    ("a.txt", "only files with the extension .mlmodel, .onnx or .npz"),
    ("a.mlpackage", ".mlpackage files contain ML programs"),
    ("a.onnx", "an ONNX model, found an empty file"),
    ("a.npz", "expected the option --architecture"),
    ("a.mlmodel", "a Core ML model, found an empty file"),
  ])
  func otherFilesAreNamed(name: String, expected: String) throws {
    #expect(try message(Data(), as: name)?.contains(expected) == true)
  }
}
