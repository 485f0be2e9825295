import Foundation
import Fuzzing
import InkDatasets
import InkRaster
import InkRecognizer
import InkSeries

@testable import InkExchange
@testable import InkNetwork
@testable import InkReader
@testable import JSONReading

private let layers: [Layer] = [
  .convolution(filters: 2, kernel: 3, padding: .same), .batchNormalization, .relu,
  .maxPooling(size: 2),
  .flatten, .dense(units: 3),
]

private func model() throws -> Model {
  try Model(
    network: ExchangeSeeds.network(
      Architecture(name: "small", inputSize: 8, layers: layers)), labels: ["a", "b", "c"],
    preprocessing: [.raster(Rasterizer(size: 8), scale: 1 / 255)])
}

/// Models of pictures, of recordings, of strokes and of lines of writing.
private func models() throws -> [Model] {
  let series = NetworkInput(
    name: "series", form: .series(channels: 2, length: .variable(1...64)))
  let recording = try Architecture(
    name: "recording", inputs: [series],
    nodes: [.init(.timePooling(.mean)), .init(.dense(units: 2))])
  let line = NetworkInput(
    name: "line", form: .image(channels: 1, height: 16, width: .variable(8...2048)))
  let reader = try Architecture(
    name: "reader", inputs: [line], nodes: [.init(.columns), .init(.dense(units: 3))],
    output: .distributionPerStep)
  let encoder = try StrokeEncoder(channels: [.x, .y])
  var limited = try Model(
    network: ExchangeSeeds.network(reader), labels: ["a", "b"],
    preprocessing: [.line(LineRasterizer(height: 16))],
    letters: LetterCounts(of: [("ab", 1), ("b", 2)], alphabet: ["a", "b"]))
  limited.decision.reading = .standard
  return try [
    model(), limited,
    Model(
      network: ExchangeSeeds.network(recording), labels: ["walk", "none"],
      preprocessing: [
        .series(
          SeriesPreparation(channels: ["x", "y"], rate: 50),
          window: SlidingWindows(length: 20, stride: 10))
      ], decision: .init(rejectedLabel: "none"), provenance: [Model.restLabelKey: "none"]),
    Model(
      network: ExchangeSeeds.network(recording), labels: ["state", "other"],
      preprocessing: [.strokes(encoder, SeriesPreparation(channels: ["x", "y"]))],
      decision: .init(rejectedLabel: "other")),
  ]
}

/// Requires that a model which was read is written and read to the same bytes.
private func requireWritable(_ model: Model) throws {
  let written = try model.encoded()
  let again = try required("what was written is read") {
    try Model(written, path: "again")
  }.encoded()
  require(again == written, "a model has other bytes after it was read again")
}

private let modelFile = InputPath("model.safetensors")

/// Reads a model from a pipe, or from a file where a pipe has no room for it.
private func readModel(_ data: Data) throws -> Model {
  guard data.count <= 1 << 15 else { return try Model.read(path: modelFile(data)) }
  let pipe = Pipe()
  // Keeps it open until it was read.
  defer { try? pipe.fileHandleForReading.close() }
  try pipe.fileHandleForWriting.write(contentsOf: data)
  try pipe.fileHandleForWriting.close()
  return try Model.read(path: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
}

/// Requires that what is said of a model fits it, and that it is the same without batch normalisation.
private func requireConsistent(_ model: Model) throws {
  let kinds = model.preprocessing.count
  require(kinds == model.architecture.inputs.count, "\(kinds) inputs")
  require(model.pictureScale == nil || model.rasterizer != nil, "pictures that nothing draws")
  require(
    !model.readsStrokes || model.recordings == nil || kinds > 1,
    "one input is of strokes and of recordings")
  require(
    model.eventRestLabels.contains(model.restLabel ?? "") == (model.restLabel != nil),
    "the label of rest is an event")
  require(
    model.decision.rejectedLabel.map(model.labels.contains) ?? true, "an unknown label rejects")
  let folded: Model
  do throws(ModelError) { folded = try model.foldingBatchNormalization() } catch { return }
  require(
    folded.labels == model.labels && folded.preprocessing == model.preprocessing,
    "another model without batch normalisation")
}

/// For files that have no labels.
private let labelled: ImportOptions = {
  var options = ImportOptions()
  options.labels = ["a", "b", "c"]
  return options
}()

private let modelWords = [
  "\"__metadata__\":", "\"dtype\":\"F32\"", "\"F16\"", "\"shape\":[", "\"data_offsets\":[",
  "\"inkstate_format\":\"3\"", "\"architecture\":", "\"labels\":", "\"preprocessing\":",
  "\"decision\":",
  "\"kind\":", "\"units\":", "9223372036854775807", "-1", "1e99", "0.5", "[]", "{}", "null",
]

let modelFuzzers = [
  Fuzzer(
    "safetensors", dictionary: modelWords,
    seeds: {
      let tensors = [
        "a": Tensor(shape: [2, 2], values: [1, 2, 3, 4]), "b": Tensor(shape: [0], values: []),
      ]
      return try [Safetensors(metadata: ["x": "y"], tensors: tensors).encoded()]
    },
    read: { data in
      let file = try Safetensors(data, path: "input")
      let written = try file.encoded()
      let again = required("what was written is read") {
        try Safetensors(written, path: "again")
      }
      require(try again.encoded() == written, "other bytes after it was read again")
    }),
  Fuzzer(
    "model", dictionary: modelWords, seeds: { try models().map { try $0.encoded() } },
    read: { data in
      let model = try readModel(data)
      try requireConsistent(model)
      try requireWritable(model)
      let path = try modelFile(model.encoded())
      let again = required("a file that was written is read") { try Model.read(path: path) }
      require(again == model, "another model in a file")
    }),
  Fuzzer(
    "architecture", dictionary: modelWords,
    seeds: {
      try [
        JSONEncoder().encode(Architecture(name: "small", inputSize: 8, layers: layers)),
        JSONEncoder().encode(Architecture.named("lenet", classCount: 3, inputSize: 28)),
        JSONEncoder().encode(Architecture.reader(classCount: 3)),
      ] + Fuzzer.files("Tests/InkExchangeTests/References/architecture.json")
    },
    read: { data in
      let read: Architecture
      // What JSON says about a mistake is worded by the callers.
      do { read = try Architecture(json: data) } catch is DecodingError { return }
      let written = try JSONEncoder().encode(read)
      let again = required("what was written is read") { try Architecture(json: written) }
      require(again == read, "another architecture after writing it")
      // What is said of it and made of it.
      require(read.outputSteps(of: read.longestInputs) != nil, "it cannot read its longest inputs")
      require(read.limited(to: read.longestInputs) == read, "another one for its longest inputs")
      _ = (read.multiplyAdds, read.inputCount, read.pictureSize, read.isChain, read.labelCount)
      _ = (read.layers, read.inputShape(of: 0), read.readers(of: .input(0)))
      require(try read.with(classCount: 2).classCount == 2, "another number of classes than 2")
    }),
  Fuzzer(
    "coreml", dictionary: ["neuralNetworkClassifier", "image", "probabilities", "com.inkstate"],
    seeds: CoreMLSeeds.files,
    read: { try requireWritable(CoreMLReader(path: "input").model($0, ImportOptions())) }),
  Fuzzer(
    "onnx",
    dictionary: [
      "Conv", "Gemm", "MatMul", "Add", "Relu", "MaxPool", "Flatten", "Reshape", "Transpose",
      "Squeeze",
      "Unsqueeze", "GRU", "LSTM", "Softmax", "Constant", "Identity", "Concat", "ReduceMean", "Pad",
      "BatchNormalization", "Shape", "Slice", "Gather", "Mul", "Div", "perm", "axes", "axis",
      "kernel_shape",
    ],
    seeds: ONNXSeeds.files,
    read: {
      try requireWritable(ONNXReader(path: "\(ONNXSeeds.folder)/input").model($0, labelled))
    }),
  Fuzzer(
    "npz",
    dictionary: ["PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "'<f4'", "'<f8'", "'shape': "],
    seeds: ArchiveSeeds.files,
    read: { data in
      // What is no archive for one network may be one for another.
      var problem: ModelError?
      var wasRead = false
      for options in ArchiveSeeds.options {
        let model: Model
        do throws(ModelError) {
          model = try WeightArchive(path: "input").model(data, options)
        } catch {
          problem = error
          continue
        }
        try requireWritable(model)
        wasRead = true
      }
      if let problem, !wasRead { throw problem }
    }),
  Fuzzer(
    "vocabulary", dictionary: ["q0", "q1", "\n", "\u{301}", "ß", "İ"],
    seeds: { [Data("q0\nq1\nstate\na,b\n".utf8)] },
    read: { data in
      let text = String(decoding: data, as: UTF8.self)
      let words = text.split { $0.isNewline }.map(String.init)
      let alphabet = try Alphabet(
        "aabcdefgq01,ßİ".reduce(into: "") { if !$0.contains($1) { $0.append($1) } })
      let vocabulary = Vocabulary(words, alphabet: alphabet)
      require(vocabulary.unreadable.count <= words.count, "more unreadable words than words")
      var open: [Int32] = [0]
      while let node = open.popLast() {
        require(
          vocabulary.isWord(node) || !vocabulary.children(of: node).isEmpty
            || node == Vocabulary.root, "what is no word leads to none")
        for child in vocabulary.children(of: node) {
          require(
            vocabulary.child(of: node, vocabulary.label(of: child)) == child, "a child is not found"
          )
          open.append(child)
        }
      }
    }),
]
