import Foundation
import Fuzzing
import InkDatasets
import InkNetwork
import InkRaster
import InkReader
import InkRecognizer
import InkSeries
import SeededRandom

@testable import InkExchange

/// A small network with random weights.
private func network(_ layers: [Layer], seed: UInt64 = 1) throws -> TrainedNetwork {
  let architecture = try Architecture(name: "small", inputSize: 8, layers: layers)
  var generator = SeededGenerator(seed: seed)
  var weights: [String: Tensor] = [:]
  for parameter in architecture.parameters {
    weights[parameter.name] = Tensor(
      shape: parameter.shape,
      values: (0..<parameter.count).map { _ in Float(0.1 + 0.5 * generator.uniform()) })
  }
  return try TrainedNetwork(architecture, weights: weights)
}

private let layers: [Layer] = [
  .convolution(filters: 2, kernel: 3, padding: .same), .batchNormalization, .relu,
  .maxPooling(size: 2),
  .flatten, .dense(units: 3),
]

private func model() throws -> Model {
  try Model(
    network: network(layers), labels: ["a", "b", "c"],
    preprocessing: [.raster(Rasterizer(size: 8), scale: 1 / 255)])
}

/// Requires that a model which was read is written and read to the same bytes.
private func requireWritable(_ model: Model) throws {
  let written = try model.encoded()
  let again = try Model(written, path: "again").encoded()
  require(again == written, "a model has other bytes after it was read again")
}

private let archiveOptions: ImportOptions = {
  var options = ImportOptions()
  options.architecture = try? Architecture(name: "small", inputSize: 8, layers: layers)
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
      let again = try Safetensors(written, path: "again")
      require(try again.encoded() == written, "other bytes after it was read again")
    }),
  Fuzzer(
    "model", dictionary: modelWords, seeds: { [try model().encoded()] },
    read: { try requireWritable(Model($0, path: "input")) }),
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
      do { read = try JSONDecoder().decode(Architecture.self, from: data) } catch is DecodingError {
        return
      }
      let again = try JSONDecoder().decode(Architecture.self, from: JSONEncoder().encode(read))
      require(again == read, "another architecture after writing it")
    }),
  Fuzzer(
    "coreml", dictionary: ["neuralNetworkClassifier", "image", "probabilities", "com.inkstate"],
    seeds: {
      try [model().exported(as: .coreml)]
        + Fuzzer.files(
          "Tests/InkExchangeTests/References/pytorch.mlmodel",
          "Tests/InkExchangeTests/References/create-ml-activity.mlmodel",
          "Tests/InkExchangeTests/References/turi-activity.mlmodel",
          "Tests/InkExchangeTests/References/turi-create.mlmodel")
    },
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
    seeds: {
      try [model().exported(as: .onnx)]
        + Fuzzer.files(
          "Tests/InkExchangeTests/References/pytorch.onnx",
          "Tests/InkExchangeTests/References/keras.onnx",
          "Tests/InkExchangeTests/References/series-causal.onnx",
          "Tests/InkExchangeTests/References/series-script.onnx")
    },
    read: { try requireWritable(ONNXReader(path: "input").model($0, ImportOptions())) }),
  Fuzzer(
    "npz",
    dictionary: ["PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "'<f4'", "'<f8'", "'shape': "],
    seeds: {
      try Fuzzer.files(
        "Tests/InkExchangeTests/References/pytorch.npz",
        "Tests/InkExchangeTests/References/keras.npz")
    },
    read: { data in
      let archive = try ZipArchive(data, path: "input")
      _ = archive.members.map(\.name)
      try requireWritable(WeightArchive(path: "input").model(data, archiveOptions))
    }),
  Fuzzer(
    "vocabulary", dictionary: ["q0", "q1", "\n", "\u{301}", "ß", "İ"],
    seeds: { [Data("q0\nq1\nstate\na,b\n".utf8)] },
    read: { data in
      let text = String(decoding: data, as: UTF8.self)
      let words = text.split { $0.isNewline }.map(String.init)
      let alphabet = try Alphabet(
        "aabcdefgq01,ßİ".reduce(into: "") { if !$0.contains($1) { $0.append($1) } })
      let vocabulary = Vocabulary(words, known: words, alphabet: alphabet)
      require(vocabulary.unreadable.count <= words.count, "more unreadable words than words")
    }),
]
