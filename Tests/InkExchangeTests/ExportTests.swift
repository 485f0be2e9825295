import Foundation
import InkDatasets
import InkExchange
import InkNetwork
import InkRaster
import InkRecognizer
import SeededRandom
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct ExportTests {
  private static let networks: [[Layer]] = [
    try! Architecture.drawing(classCount: 3).layers,
    try! Architecture.sketch(classCount: 4).layers,
    [
      .convolution(filters: 3, kernel: 1, padding: .valid), .relu, .dropout(rate: 0.2),
      .convolution(filters: 2, kernel: 5, padding: .valid), .dropout(rate: 0.1),
      .batchNormalization, .relu, .maxPooling(size: 3), .batchNormalization, .flatten,
      .dense(units: 7), .batchNormalization, .relu, .dropout(rate: 0.5), .dense(units: 2),
    ],
    [.flatten, .dense(units: 2)],
  ]

  private func pictures(size: Int) -> [Bitmap] {
    var generator = SeededGenerator(seed: 8)
    return (1...4).map { _ in
      Bitmap(
        width: size, height: size,
        pixels: (0..<size * size).map { _ in UInt8(generator.index(below: 256)) })
    }
  }

  private func probabilities(_ model: Model, _ picture: Bitmap) -> [Double] {
    softmax(
      InferenceNetwork(model.network).logits(of: picture.pixels),
      temperature: model.decision.temperature)
  }

  @Test(arguments: networks) func foldingKeepsTheFunction(layers: [Layer]) throws {
    let model = try randomModel(layers, inputSize: 28, seed: 3)
    let folded = try model.foldingBatchNormalization()
    for picture in pictures(size: 28) {
      for (one, other) in zip(probabilities(model, picture), probabilities(folded, picture)) {
        #expect(abs(one - other) < 1e-5)
      }
    }
    // Only the normalisation behind a pooling has nothing to be folded into.
    let left = folded.architecture.layers.count { $0 == .batchNormalization }
    #expect(left == (layers.contains(.maxPooling(size: 3)) ? 1 : 0))
    #expect(try folded.foldingBatchNormalization() == folded)
  }

  @Test(arguments: networks, [ExportForm.coreml, .onnx, .safetensors])
  func whatGoesOutComesBack(layers: [Layer], form: ExportForm) throws {
    let folder = try TemporaryFolder()
    var model = try randomModel(layers, inputSize: 28, seed: 5)
    model.provenance["author"] = "A. Writer"
    let path = try folder.write("model.\(form.fileExtension)", model.exported(as: form))
    let back = try form == .safetensors ? Model.read(path: path) : .imported(path: path)
    #expect(try back == model.foldingBatchNormalization())
    #expect(try back.exported(as: form) == model.exported(as: form))
  }

  @Test func labelsCanBeChangedOnTheWay() throws {
    let folder = try TemporaryFolder()
    let model = try randomModel([.flatten, .dense(units: 2)])
    let path = try folder.write("model.onnx", model.exported(as: .onnx))
    var options = ImportOptions()
    options.labels = ["none", "ring"]
    let back = try Model.imported(path: path, options: options)
    #expect(back.labels == ["none", "ring"])
    #expect(back.decision.rejectedLabel == "none")
    #expect(back.decision.minimumProbabilities == ["ring": 0.5])
    options.labels = ["one"]
    #expect {
      try Model.imported(path: path, options: options)
    } throws: {
      "\($0)".hasSuffix("labels: expected 2, one a class, found 1")
    }
  }

  @Test func theSwiftFileGivesTheSameAnswers() throws {
    let folder = try TemporaryFolder()
    let model = try randomModel(
      [
        .convolution(filters: 3, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
        .batchNormalization, .convolution(filters: 2, kernel: 3, padding: .valid), .flatten,
        .dense(units: 3),
      ], inputSize: 9)
    let source = try folder.write("Model.swift", model.exported(as: .swift, name: "Exported"))
    let pictures = pictures(size: 9)
    let values = pictures.map { $0.pixels.map { "\(Float($0) * model.pictureScale!)" } }
    let main = try folder.write(
      "main.swift",
      """
      for image in [\(values.map { "[\($0.joined(separator: ","))]" }.joined(separator: ","))] {
        print(Exported.probabilities(of: image.map { Float($0) }).map { "\\($0)" }.joined(separator: " "))
      }
      """)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["swiftc", source, main, "-o", "\(folder.path)/program"]
    try compiler.run()
    compiler.waitUntilExit()
    #expect(compiler.terminationStatus == 0)
    let program = Process()
    program.executableURL = URL(fileURLWithPath: "\(folder.path)/program")
    let output = Pipe()
    program.standardOutput = output
    try program.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    program.waitUntilExit()
    let lines = text.split(separator: "\n")
    #expect(lines.count == pictures.count)
    for (line, picture) in zip(lines, pictures) {
      let theirs = line.split(separator: " ").compactMap { Double($0) }
      #expect(theirs.count == 3)
      for (one, other) in zip(theirs, probabilities(model, picture)) {
        #expect(abs(one - other) < 1e-5)
      }
    }
  }
}
