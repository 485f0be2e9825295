import Foundation
import InkRaster
import InkRecognizer
import TestSupport
import Testing

@testable import InkNetwork

@Suite(.timeLimit(.minutes(30))) struct ModelTests {
  private let small: [Layer] = [
    .convolution(filters: 2, kernel: 3, padding: .same), .relu, .maxPooling(size: 2), .flatten,
    .dense(units: 3),
  ]

  @Test func aModelSurvivesItsFile() throws {
    let model = try randomModel(small)
    let data = try model.encoded()
    #expect(try Model(data, path: "a") == model)
    #expect(try data == model.encoded())
  }

  @Test func theFileIsSafetensors() throws {
    let data = try randomModel(small).encoded()
    let length = data.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect((8 + length) % 8 == 0)
    let header = try #require(
      try JSONSerialization.jsonObject(with: data[8..<8 + length]) as? [String: Any])
    #expect(Set(header.keys) == ["0.weight", "0.bias", "4.weight", "4.bias", "__metadata__"])
    let weight = try #require(header["0.weight"] as? [String: Any])
    #expect(weight["dtype"] as? String == "F32" && weight["shape"] as? [Int] == [2, 1, 3, 3])
  }

  /// Every field of the metadata, wrong in turn.
  @Test(
    arguments: [
      ("inkstate_format", "\"9\"", "inkstate_format: expected 2 or 3, found \"9\""),
      ("inkstate_format", nil, "not an Inkstate model"),
      (
        "architecture", "{}",
        "architecture: expected the key `inputs`, found none"
      ),
      (
        "architecture", "{\"inputSize\":12,\"layers\":[{\"kind\":\"magic\"}]}",
        "architecture, layers[0].kind: expected `convolution`, `batchNormalization`, `relu`"
      ),
      (
        "architecture", "{\"inputSize\":12,\"layers\":[{\"kind\":\"relu\"}]}",
        "expected a dense layer at the end"
      ),
      ("architecture", nil, "architecture: expected a value in the metadata"),
      ("labels", "[\"a\"]", "labels: expected 3, one a class, found 1"),
      ("labels", "[\"a\",\"a\",\"b\"]", "labels: expected different names"),
      ("labels", "7", "labels: expected a list, found 7"),
      (
        "architecture",
        #"{"inputs":[{"name":"a","form":"image","channels":1,"height":12,"width":12}],"nodes":[]}"#,
        "architecture: expected a dense layer at the end, found no layers"
      ),
      (
        "architecture",
        #"{"inputs":[{"name":"a","form":"vector","count":9}],"nodes":[{"kind":"dense","units":3,"#
          + #""sources":["b"]}]}"#,
        "architecture: expected sources that are inputs or nodes, found `b`"
      ),
      (
        "preprocessing",
        #"{"kind":"raster","raster":{"size":28,"margin":1,"penWidth":2},"scale":1}"#,
        "raster: expected a size of 12, found 28"
      ),
      (
        "preprocessing",
        #"{"kind":"raster","raster":{"size":12,"margin":-1,"penWidth":2},"scale":1}"#,
        "preprocessing: expected raster parameters that fit"
      ),
      (
        "preprocessing",
        #"{"kind":"raster","raster":{"size":12,"margin":1,"penWidth":2},"scale":0}"#,
        "scale: expected a positive number"
      ),
      (
        "preprocessing", #"{"kind":"sound"}"#,
        "preprocessing, kind: expected `raster`, `line`, `strokes`, `series` or `page`, found `sound`"
      ),
      (
        "architecture",
        #"{"inputSize":12,"layers":[{"kind":"convolution","filters":2,"kernel":3,"padding":"same","#
          + #""dilation":2}]}"#,
        "architecture, layers[0].dilation: expected one of the keys"
      ),
      (
        "preprocessing",
        #"{"kind":"raster","raster":{"size":12,"margin":1,"penWidth":2},"scale":1,"window":2}"#,
        "preprocessing, window: expected one of the keys `kind`, `raster` or `scale`, found `window`"
      ),
      (
        "decision",
        "{\"temperature\":1,\"leastProbabilities\":{},\"leastMargins\":{},\"leastExtend\":0}",
        "decision: expected the key `leastExtent`, found none"
      ),
      ("preprocessing", nil, "preprocessing: expected a value in the metadata"),
      (
        "decision",
        "{\"temperature\":0,\"leastProbabilities\":{},\"leastMargins\":{},\"leastExtent\":0}",
        "decision.temperature: expected"
      ),
      (
        "decision",
        "{\"temperature\":1,\"leastProbabilities\":{\"class 1\":2},\"leastMargins\":{},\"leastExtent\":0}",
        "decision.leastProbabilities.class 1: expected a number from 0.0 to 1.0, found 2.0"
      ),
      (
        "decision",
        "{\"temperature\":1,\"leastProbabilities\":{},\"leastMargins\":{\"z\":0.5},\"leastExtent\":0}",
        "decision.leastMargins: expected only labels of the model, found z"
      ),
      (
        "decision",
        "{\"temperature\":1,\"leastProbabilities\":{},\"leastMargins\":{},\"leastExtent\":0,\"rejectedLabel\":\"z\"}",
        "decision.rejectedLabel: expected one of the labels, found z"
      ),
      ("decision", nil, "decision: expected a value in the metadata"),
      ("provenance", "[]", "provenance: expected an object, found a list"),
      (
        "letters", "{}",
        "letters: expected a line with letters and one with sequences, found 1 line"
      ),
    ] as [(String, String?, String)])
  func aWrongFieldIsNamed(field: String, value: String?, message: String) throws {
    var file = try Safetensors(randomModel(small).encoded(), path: "a")
    file.metadata[field] = value
    let data = try file.encoded()
    #expect { try Model(data, path: "m.safetensors") } throws: {
      "\($0)".hasPrefix("m.safetensors, ") && "\($0)".contains(message)
    }
  }

  @Test func tensorsStartAtAMultipleOf8() throws {
    for count in 0..<8 {
      let file = Safetensors(metadata: ["a": String(repeating: "x", count: count)], tensors: [:])
      #expect(try file.encoded()[0] % 8 == 0)
    }
  }

  @Test func theLettersOfAReaderAreKept() throws {
    let plain = try randomModel(small)
    #expect(plain.letters == nil && plain.metadata["letters"] == nil)
    let letters = try #require(
      LetterCounts(of: [("order", 1), ("über", 2)], alphabet: Array("bedorü")))
    let model = try Model(
      network: plain.network, labels: plain.labels, preprocessing: plain.preprocessing,
      letters: letters)
    let read = try Model(model.encoded(), path: "a")
    #expect(read == model && read.letters == letters)
    #expect(try read.foldingBatchNormalization().letters == letters)
  }

  @Test func modelsOfFormat2AreRead() throws {
    let model = try randomModel(small)
    var file = try Safetensors(model.encoded(), path: "a")
    file.metadata["preprocessing"] = nil
    file.metadata["inkstate_format"] = "2"
    file.metadata["architecture"] =
      #"{"name":"test","inputSize":12,"layers":[{"kind":"convolution","filters":2,"kernel":3,"#
      + #""padding":"same"},{"kind":"relu"},{"kind":"maxPooling","size":2},{"kind":"flatten"},"#
      + #"{"kind":"dense","units":3}]}"#
    file.metadata["raster"] = #"{"size":12,"margin":1,"penWidth":1.5}"#
    file.metadata["input_scale"] = "0.003921569"
    #expect(try Model(file.encoded(), path: "a") == model)
    file.metadata["raster"] = nil
    #expect { try Model(file.encoded(), path: "m") } throws: {
      "\($0)" == "m, raster: expected a value in the metadata, found none: not an Inkstate model"
    }
  }

  @Test func aNetworkForSomethingElseThanPicturesIsNoModel() throws {
    let graph = try randomNetwork(Graphs.all[2].architecture())
    func message(_ preprocessing: [Preprocessing]) -> String {
      do {
        _ = try Model(network: graph, labels: ["a", "b", "c"], preprocessing: preprocessing)
        return "none"
      } catch { return "\(error)" }
    }
    #expect(
      message([.raster(.standard)]).contains(
        "preprocessing: expected 3, one for each input, found 1"))
    #expect(
      message([.raster(.standard), .raster(.standard), .raster(.standard)])
        .contains("architecture: expected one square grey picture as the input"))
  }

  @Test func wrongTensorsAreNamed() throws {
    let file = try Safetensors(randomModel(small).encoded(), path: "a")
    func message(_ change: (inout Safetensors) -> Void) throws -> String {
      var file = file
      change(&file)
      let data = try file.encoded()
      do {
        _ = try Model(data, path: "a")
        return "none"
      } catch { return "\(error)" }
    }
    #expect(
      try message { $0.tensors["0.bias"] = nil }
        == "a, 0.bias: expected a tensor of [2], found none")
    #expect(
      try message { $0.tensors["0.bias"] = Tensor(shape: [3], values: [1, 2, 3]) }
        == "a, 0.bias: expected a tensor of [2], found [3]")
    #expect(
      try message { $0.tensors["9.bias"] = Tensor(shape: [1], values: [1]) }
        == "a, 9.bias: expected only the network's own tensors, found one more")
    #expect(
      try message { $0.tensors["0.bias"] = Tensor(shape: [2], values: [1, .nan]) }
        == "a, 0.bias: expected finite numbers, found NaN or infinity")
  }

  /// Each way in which the container itself can be malformed.
  @Test(arguments: [
    ("", 0, "f: this is not a model file"),
    ("{}", 99, "f: the file is cut off: its header has 99 bytes, and only 2 are there"),
    ("[]", 0, "f: this is not a model file"),
    (
      "{\"__metadata__\":{},\"__metadata__\":{}}", 0,
      "f, header: expected each key once in an object, found `__metadata__` twice"
    ),
    ("{\"__metadata__\":{\"a\":\"1\",\"\\u0061\":\"2\"}}", 0, "found `a` twice"),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
      8, "found `a` twice"
    ),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
      "found `shape` twice"
    ),
    (
      "{\"a\":{\"shape\":[1.5,\"shape\":[1],\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4,
      "f, header: expected JSON, found"
    ),
    ("{oops", 0, "f, header: expected JSON, found `o` where a key in quotes was expected"),
    (
      "{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 0, "a.dtype: expected F32"
    ),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 0,
      "a.data_offsets: expected offsets within"
    ),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8,
      "a.data_offsets: expected 4 bytes a value"
    ),
    ("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,8]}}", 8, "a.shape: expected"),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[268435456,268435456,268435456],\"data_offsets\":[0,8]}}",
      8, "a.data_offsets: expected"
    ),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8,
      "without hole or overlap"
    ),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
      4, "without hole or overlap"
    ),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 8,
      "data: expected 4 bytes, found 8"
    ),
    (
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4,
      "f, header, a.data_offsets: expected two offsets, found 1"
    ),
    ("{\"__metadata__\":{\"a\":7}}", 0, "f, header, __metadata__.a: expected a text, found 7"),
    ("{\"x\":{\"a\":\"7\"}}", 0, "x: expected a tensor, found texts"),
  ])
  func malformedContainersAreNamed(header: String, bodyOrLength: Int, message: String) {
    var data = Data()
    if !header.isEmpty {
      let length = header == "{}" ? UInt64(bodyOrLength) : UInt64(header.utf8.count)
      withUnsafeBytes(of: length.littleEndian) { data.append(contentsOf: $0) }
      data.append(contentsOf: header.utf8)
      if header != "{}" { data.append(Data(count: bodyOrLength)) }
    }
    #expect { try Safetensors(data, path: "f") } throws: { "\($0)".contains(message) }
  }

  /// The file has a hole in place of its bytes: its size alone is enough to refuse it.
  @Test func aFileLargerThanAnyModelIsNotRead() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/large.safetensors"
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(truncate(path, 1 << 40) == 0)
    #expect {
      try Model.read(path: path)
    } throws: {
      "\($0)".hasSuffix("the file has 1099511627776 bytes; models have at most 208 MB")
    }
  }

  @Test func whatIsNoModelIsSaidToBeNone() throws {
    for text in [
      "# Inkstate\n\nDraw an automaton, get an automaton.", "short", "{\"drawing\":[]}\n",
    ] {
      #expect {
        try Model(Data(text.utf8), path: "README.md")
      } throws: {
        "\($0)"
          == "README.md: this is not a model file (.safetensors, as `inkstate train` writes it)"
      }
    }
  }

  /// A decision can be changed after the model was checked.
  @Test func aDecisionThatIsNoNumberIsNotWritten() throws {
    let changes: [(inout Model.Decision) -> Void] = [
      { $0.temperature = .nan }, { $0.temperature = .infinity }, { $0.temperature = 0 },
      { $0.minimumExtent = .nan }, { $0.minimumMargins["class 0"] = .nan },
      { $0.minimumProbabilities["class 0"] = 1.01 }, { $0.minimumProbabilities["nobody"] = 0.5 },
      { $0.rejectedLabel = "nobody" },
      {
        $0.reading = .standard
        $0.reading?.minimumEvidence = 0.1
      },
      {
        $0.reading = .standard
        $0.reading?.minimumProbability = -0.1
      },
      {
        $0.reading = .standard
        $0.reading?.maximumNoWriting = .nan
      },
    ]
    for change in changes {
      var model = try randomModel(small)
      change(&model.decision)
      #expect { try model.encoded() } throws: { "\($0)".hasPrefix("model, decision.") }
      // What other forms take along is text, whatever it says.
      #expect(model.metadata["decision"] != nil)
    }
  }

  /// Files of models that do not read text are the same as before.
  @Test func theLimitsOfAReaderAreKept() throws {
    var model = try randomModel(small)
    #expect(model.metadata["decision"]?.contains("reading") == false)
    #expect(try Model(model.encoded(), path: "m").decision.reading == nil)
    let limits = Model.Decision.ReadingLimits(
      minimumEvidence: -1.5, minimumProbability: 0.25, maximumNoWriting: 0.125)
    model.decision.reading = limits
    #expect(try Model(model.encoded(), path: "m").decision.reading == limits)
  }

  @Test(arguments: ["NaN", "\"NaN\"", "nan", "1e999", "-1", "0.0099", "100.1", "null"])
  func aTemperatureOutOfRangeIsNotRead(temperature: String) throws {
    var file = try Safetensors(randomModel(small).encoded(), path: "a")
    file.metadata["decision"] =
      "{\"temperature\":\(temperature),\"leastProbabilities\":{},\"leastMargins\":{},\"leastExtent\":0}"
    let data = try file.encoded()
    #expect { try Model(data, path: "m") } throws: { "\($0)".hasPrefix("m, decision") }
  }
}
