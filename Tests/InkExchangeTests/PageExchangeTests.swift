import Foundation
import InkNetwork
import InkRaster
import InkRecognizer
import SeededRandom
import SwiftProtobuf
import TestSupport
import Testing

@testable import InkExchange

/// Networks that answer for each cell of a page, as files of other tools and back.
@Suite(.timeLimit(.minutes(10))) struct PageExchangeTests {
  private static let labels = ["nothing", "wire", "lamp"]

  /// Two levels, joined; with `fields`, the last convolution has channels for them.
  private static func small(fields: [String]) throws -> Model {
    let architecture = try Architecture(
      name: "two levels",
      inputs: [
        NetworkInput(name: "page", form: .page(channels: 1, heights: 8...64, widths: 8...64))
      ],
      nodes: [
        .init(.convolution(filters: 4, kernel: 3, stride: 2, padding: .same)),
        .init(.batchNormalization), .init(.relu),
        .init(.convolution(filters: 6, kernel: 5, stride: 2, padding: .same)), .init(.relu),
        .init(.upsampling), .init(.concatenation, from: [.node(5), .node(2)]),
        .init(.convolution(filters: 5, kernel: 3, padding: .same)), .init(.relu),
        .init(
          .convolution(filters: labels.count + fields.count, kernel: 1, padding: .same)),
      ],
      output: .distributionPerCell(fields: fields.count))
    return try model(architecture, fields: fields)
  }

  private static func model(_ architecture: Architecture, fields: [String]) throws -> Model {
    try Model(
      network: randomNetwork(architecture, seed: 4), labels: labels,
      preprocessing: [.page(PagePreparation(longerSide: 100, radius: 8))],
      decision: .init(temperature: 1.5), provenance: ["seed": "4"], fields: fields)
  }

  private static func answers(_ model: Model) throws -> CellAnswers {
    var generator = SeededGenerator(seed: 3)
    let picture = Bitmap(
      width: 53, height: 38, pixels: (0..<53 * 38).map { _ in UInt8(generator.index(below: 256)) })
    return try PageRecognizer(model: model).recognize(picture).cells
  }

  private static func expectSame(
    _ one: CellAnswers, _ other: CellAnswers, at place: SourceLocation = #_sourceLocation
  ) {
    func difference(_ one: [Float], _ other: [Float]) -> Float {
      one.count == other.count ? zip(one, other).map { abs($0 - $1) }.max() ?? 0 : .infinity
    }
    #expect(difference(one.probabilities, other.probabilities) < 1e-5, sourceLocation: place)
    #expect(difference(one.fields, other.fields) < 1e-4, sourceLocation: place)
  }

  @Test(arguments: [ExportForm.coreml, .onnx], [[], ["x"], ["x", "y"]])
  func whatGoesOutComesBack(form: ExportForm, fields: [String]) throws {
    let folder = try TemporaryFolder()
    let known = try Architecture.page(classCount: Self.labels.count, fields: fields.count)
    for model in [try Self.small(fields: fields), try Self.model(known, fields: fields)] {
      let path = try folder.write("model.\(form.fileExtension)", model.exported(as: form))
      let back = try Model.imported(path: path)
      #expect(try back == model.foldingBatchNormalization())
      Self.expectSame(try Self.answers(back), try Self.answers(model))
    }
  }

  @Test(arguments: [ExportForm.coreml, .onnx])
  func labelsCanBeChangedAndFieldsStay(form: ExportForm) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "model.\(form.fileExtension)", Self.small(fields: ["x", "y"]).exported(as: form))
    var options = ImportOptions()
    options.labels = ["a", "b", "c"]
    let back = try Model.imported(path: path, options: options)
    #expect(back.labels == ["a", "b", "c"] && back.fields == ["x", "y"])
  }

  /// A file as another program would write it.
  private func coreML(
    fields: [String], _ change: (inout CoreML_Specification_Model) -> Void = { _ in }
  ) throws -> Data {
    var file = try CoreML_Specification_Model(
      serializedBytes: Self.small(fields: fields).exported(as: .coreml))
    file.description_p.metadata = .init()
    change(&file)
    return try file.serializedData()
  }

  private func imported(_ data: Data) throws -> Model {
    let folder = try TemporaryFolder()
    var options = ImportOptions()
    options.labels = Self.labels
    return try Model.imported(path: folder.write("a.mlmodel", data), options: options)
  }

  @Test(arguments: [[], ["x", "y"]]) func coreMLOfOthersIsRead(fields: [String]) throws {
    let model = try imported(coreML(fields: fields))
    let own = try Self.small(fields: fields)
    #expect(model.fields == fields.indices.map { "field \($0 + 1)" })
    #expect(model.architecture.inputs == own.architecture.inputs)
    #expect(model.network.weights == (try own.foldingBatchNormalization().network.weights))
    #expect(abs(model.decision.temperature - own.decision.temperature) < 1e-6)
    // Without an upper bound, pages are as large as this package has them.
    let open = try imported(
      coreML(fields: fields) { file in
        for axis in 1...2 {
          file.description_p.input[0].type.multiArrayType.shapeRange.sizeRanges[axis].upperBound =
            -1
        }
      })
    #expect(
      open.architecture.inputs == [
        NetworkInput(name: "page", form: .page(channels: 1, heights: 8...4096, widths: 8...4096))
      ])
  }

  @Test func whatWouldAnswerOtherwiseIsRefused() throws {
    typealias Layer = CoreML_Specification_NeuralNetworkLayer
    func index(_ start: String, in layers: [Layer]) -> Int {
      layers.firstIndex { $0.name.hasPrefix(start) }!
    }
    let cases: [(String, (inout [Layer]) -> Void)] = [
      (
        "expected nearest values and factors of 2 and 2, found nearest values and [3.0, 3.0]",
        { $0[index("upsampling", in: $0)].upsample.scalingFactor = [3, 3] }
      ),
      (
        "expected nearest values and factors of 2 and 2, found other values and [2.0, 2.0]",
        { $0[index("upsampling", in: $0)].upsample.mode = .bilinear }
      ),
      (
        "expected nearest values and factors of 2 and 2, found nearest values and [1.5, 2.0]",
        { $0[index("upsampling", in: $0)].upsample.fractionalScalingFactor = [1.5, 2] }
      ),
      (
        "layer `fields`: expected all channels after those of the classes, which come first, found "
          + "channels 4 to 5",
        { $0[index("fields", in: $0)].slice.startIndex = 4 }
      ),
      (
        "layer `logits`: expected the first channels of the last convolution as classes",
        { $0[index("logits", in: $0)].slice.endIndex = 5 }
      ),
      (
        "layer `logits`: expected some channels of planes, found others",
        { $0[index("logits", in: $0)].slice.axis = .heightAxis }
      ),
      (
        "layer `logits`: expected the first channels as classes, found channels from 1",
        { $0[index("logits", in: $0)].slice.startIndex = 1 }
      ),
      (
        "layer `concatenation5`: expected concatenation with planes of 32 × 32 only",
        { $0[index("concatenation", in: $0)].input[1] = "page" }
      ),
    ]
    for (expected, change) in cases {
      let data = try coreML(fields: ["x", "y"]) { change(&$0.neuralNetwork.layers) }
      #expect {
        try imported(data)
      } throws: {
        let isNamed = "\($0)".contains(expected)
        if !isNamed { print("expected \(expected), found \($0)") }
        return isNamed
      }
    }
    // So many that no integer counts their values.
    let many = try coreML(fields: []) { file in
      var layers = Array(
        repeating: file.neuralNetwork.layers.first { $0.name.hasPrefix("upsampling") }!,
        count: 70)
      for index in layers.indices {
        layers[index].name = "up\(index)"
        layers[index].input = [index == 0 ? "page" : "up\(index - 1)"]
        layers[index].output = ["up\(index)"]
      }
      file.neuralNetwork.layers = layers
    }
    #expect {
      try imported(many)
    } throws: {
      "\($0)".contains("layer `up8`: expected at most 2^28 values an example")
    }
    let colours = try coreML(fields: []) { file in
      file.description_p.input[0].type.multiArrayType.shapeRange.sizeRanges[0].upperBound = 3
    }
    #expect {
      try imported(colours)
    } throws: {
      "\($0)".contains("expected one channel of planes whose height and width vary, found 1 to 3")
    }
    let endless = try coreML(fields: []) { file in
      file.description_p.input[0].type.multiArrayType.shapeRange.sizeRanges[1].lowerBound = .max
    }
    #expect {
      try imported(endless)
    } throws: {
      "\($0)".contains("expected one channel of planes whose height and width vary, found 1 to 1, ")
    }
  }

  @Test(arguments: [ExportForm.coreml, .onnx, .swift])
  func filesSayWhichSizesFit(form: ExportForm) throws {
    let data = try Self.small(fields: ["x"]).exported(as: form)
    switch form {
    case .coreml:
      let file = try CoreML_Specification_Model(serializedBytes: data)
      #expect(file.description_p.input[0].shortDescription.contains("its sides multiples of 4"))
    case .onnx:
      let file = try Onnx_ModelProto(serializedBytes: data)
      #expect(
        file.graph.input[0].type.tensorType.shape.dim.map(\.dimParam).suffix(2)
          == ["page height, a multiple of 4", "page width, a multiple of 4"])
    case .swift:
      let text = String(decoding: data, as: UTF8.self)
      #expect(text.contains("expected sides that are multiples of 4 and as many values, found"))
    case .safetensors: break
    }
  }
}
