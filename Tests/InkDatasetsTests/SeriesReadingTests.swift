import Foundation
import Ink
import InkSeries
import SafeFiles
import SeededRandom
import Testing
import TestSupport

@testable import InkDatasets

/// Recordings of sensors in tables, `.ts` files, arrays and NDJSON.
@Suite(.timeLimit(.minutes(30))) struct SeriesReadingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func load(_ name: String = "", _ reading: SeriesReading = SeriesReading()) throws
    -> LoadedDataset
  {
    try Dataset.load(name.isEmpty ? folder.path : "\(folder.path)/\(name)", series: reading)
  }

  private func series(_ example: Example) throws -> Series {
    guard case .series(let series) = example.content else {
      throw FileError(path: example.origin, expected: "a series", found: "another content")
    }
    return series
  }

  // MARK: Tables

  @Test func classFoldersHaveOneRecordingPerFile() throws {
    try folder.write("jab/a.csv", "time_ms,ax,ay\n0,1,2\n10,,4\r\n\n20,nan,-1.5e2\n")
    try folder.write("hook/b.csv", "1;2\n3;?\n")
    try folder.write("hook/c.tsv", "x\ty\n1\t2\n")
    let loaded = try load()
    #expect(loaded.failures == [])
    #expect(loaded.dataset.labels == ["hook", "jab"])
    let examples = loaded.dataset.examples
    #expect(examples.map(\.label) == ["hook", "hook", "jab"])
    #expect(
      try series(examples[0]) == Series(channels: ["dim_0", "dim_1"], values: [1, 2, 3, .nan]))
    #expect(try series(examples[1]).channels == ["x", "y"])
    #expect(
      try series(examples[2])
        == Series(
          channels: ["ax", "ay"], values: [1, 2, .nan, 4, .nan, -150], times: [0, 10, 20]))
    #expect(examples[2].source == FileTree.name(of: folder.path))
  }

  @Test(
    arguments: [
      ("time", "0.5", nil, 500.0), ("t", "2", nil, 2000),
      ("Timestamp", "1700000000000", nil, 1.7e12),
      ("timestamp", "1700000000000000", nil, 1.7e12), ("time", "1700000000000000000", nil, 1.7e12),
      ("timestamp", "1700000000", nil, 1.7e12), ("time [ms]", "7", nil, 7),
      ("t_us", "9", nil, 0.009),
      ("time (s)", "3", nil, 3000), ("time", "7", "ms", 7), ("time_ms", "7", "s", 7000),
      ("timestamp_ns", "5000000", nil, 5),
    ] as [(String, String, String?, Double)])
  func theUnitOfTimesIsKnown(name: String, time: String, unit: String?, expected: Double) throws {
    try folder.write("a/a.csv", "\(name),x\n\(time),1\n")
    var reading = SeriesReading()
    reading.timeUnit = unit.flatMap { TimeUnit(rawValue: $0) }
    let example = try #require(try load("", reading).dataset.examples.first)
    #expect(try abs(series(example).times![0] - expected) <= expected * 1e-12)
    #expect(try series(example).channels == ["x"])
  }

  @Test func aChannelIsNoTimeIfItIsWanted() throws {
    try folder.write("a/a.csv", "t,x\n20,1\n19,2\n")
    var reading = SeriesReading()
    reading.channels = ["t", "x"]
    let loaded = try load("", reading)
    #expect(loaded.failures == [])
    #expect(
      try series(#require(loaded.dataset.examples.first))
        == Series(channels: ["t", "x"], values: [20, 1, 19, 2]))
  }

  @Test func aTableHasManyRecordingsWithSpans() throws {
    let table = try folder.write(
      "all.csv",
      """
      recording,person,session,label,ax,ay
      1,ann,m,walk,0,1
      1,ann,m,walk,2,3
      2,ben,m,,4,5
      2,ben,m,run,6,7
      2,ben,m,run,8,9
      2,ben,m,"walk, slow",10,11
      1,ben,n,walk,12,13
      1,ann,m,walk,14,15
      3,cy,m,,16,17
      """)
    let loaded = try Dataset.load(table)
    let examples = loaded.dataset.examples
    #expect(loaded.unlabelledCount == 1 && loaded.failures == [])
    #expect(examples.map(\.writer) == ["ann", "ben", "ben"])
    #expect(examples.map(\.session) == ["m", "m", "n"])
    #expect(examples.map(\.label) == ["walk", "", "walk"])
    #expect(try series(examples[0]).values == [0, 1, 2, 3, 14, 15])
    #expect(
      examples[1].spans == [Span(1..<3, label: "run"), Span(3..<4, label: "walk, slow")])
    #expect(loaded.dataset.labels == ["run", "walk", "walk, slow"])
    #expect(examples[0].attributes["recording"] == .text("1"))
    let mapped = try Dataset.load(
      table, labels: LabelMap(["walk, slow": "run"], dropped: ["walk"]))
    #expect(mapped.droppedCount == 2)
    #expect(mapped.dataset.examples.map(\.spans) == [[Span(1..<4, label: "run")]])
  }

  @Test func columnsChannelsAndRateCanBeNamed() throws {
    let table = try folder.write(
      "all.csv", "id,who,day,what,when,note,ax,ay\na,p,d,walk,5,hello,1,2\na,p,d,walk,6,,3,4\n")
    var reading = SeriesReading()
    reading.recordingColumn = "id"
    reading.personColumn = "who"
    reading.sessionColumn = "day"
    reading.labelColumn = "what"
    reading.channels = ["ay", "ax"]
    reading.rate = 50
    let example = try #require(try Dataset.load(table, series: reading).dataset.examples.first)
    #expect(
      try series(example) == Series(channels: ["ay", "ax"], values: [2, 1, 4, 3], rate: 50))
    #expect(example.hand == "?/p" && example.sitting == "?/p/d")
    reading.timeColumn = "when"
    let timed = try #require(try Dataset.load(table, series: reading).dataset.examples.first)
    #expect(try series(timed).times == [5000, 6000])
    #expect(try series(timed).rate == nil)
  }

  @Test(
    arguments: [
      ("{session}_{person}-*", "jab/s1_ann-7.csv", "ann", "s1", "jab"),
      ("{person}/{label}/{session}", "ann/jab/s1.csv", "ann", "s1", "jab"),
      ("*/{label}-{person}.raw", "a/b/jab-ann.raw.csv", "ann", nil, "jab"),
      ("{person}-{session}", "jab/a-b-c.csv", "a", "b-c", "jab"),
    ] as [(String, String, String, String?, String)])
  func namesOfFilesSayWhoAndWhen(
    pattern: String, file: String, person: String, session: String?, label: String
  ) throws {
    try folder.write(file, "x\n1\n")
    var reading = SeriesReading()
    reading.namePattern = try NamePattern(pattern)
    let example = try #require(try load("", reading).dataset.examples.first)
    #expect(
      example.writer == person && example.session == session && example.label == label)
  }

  @Test func patternsAreChecked() throws {
    for pattern in ["{who}", "{person}{person}", "a{", "{person"] {
      #expect(throws: FileError.self) { try NamePattern(pattern) }
    }
    try folder.write("jab/a.csv", "x\n1\n")
    try folder.write("jab/p-a.csv", "x\n1\n")
    var reading = SeriesReading()
    reading.namePattern = try NamePattern("{person}-*")
    let loaded = try load("", reading)
    #expect(loaded.dataset.examples.count == 1)
    #expect(
      loaded.failures == [
        "\(folder.path)/jab/a.csv: expected a name like {person}-*, found another one"
      ])
  }

  /// Without remembering what does not match, this takes longer than anybody waits.
  @Test func patternsWithManyStarsAreFast() throws {
    let name = String(repeating: "a", count: 60)
    try folder.write("\(name).csv", "x\n1\n")
    var reading = SeriesReading()
    reading.namePattern = try NamePattern(String(repeating: "*a", count: 12) + "*b")
    #expect(throws: FileError.self) { try load("", reading) }
    reading.namePattern = try NamePattern(String(repeating: "*a", count: 12) + "*")
    reading.keepsUnlabelled = true
    #expect(try load("", reading).dataset.examples.count == 1)
  }

  /// A file that cannot be read as a recording, and the message.
  @Test(arguments: [
    ("", "expected a recording, found an empty file"),
    ("x,y\n", "expected rows after the header, found none"),
    ("x,x\n1,2\n", "line 1: expected columns of different names, found `x` twice"),
    ("x,y\n1,2\n1\n", "line 3: expected 2 cells, as in the first row, found 1"),
    ("x,y\n1,2,3\n", "line 2: expected 2 cells, as in the first row, found 3"),
    ("1,2\n1,2\n3,4,5\n", "line 3: expected 2 cells, as in the first row, found 3"),
    ("x,y\n1,2\n1,a\n", "line 3: column `y`: expected a finite number, found `a`"),
    ("x,y\n1,inf\n", "line 2: column `y`: expected a finite number, found `inf`"),
    ("x\n-Infinity\n", "line 2: column `x`: expected a finite number, found `-Infinity`"),
    ("x\n1e99\n", "line 2: column `x`: expected a finite number, found `1e99`"),
    ("x\n0x10\n", "line 2: column `x`: expected a finite number, found `0x10`"),
    ("x;y\n1.234,5;2\n", "line 2: column `x`: expected a finite number, found `1.234,5`"),
    ("x,y\n1,\"2\n", "line 2: expected a quotation mark at the end of a quoted cell, found none"),
    (
      "time,x\n1,1\n0.5,2\n",
      "line 3: expected times that do not go back, found `0.5` here, and 1 of 2 rows before"
    ),
    ("time,x\n,1\n", "line 2: expected a time as a number or text, found ``"),
    (
      "time,x\n2024-01-01,1\n",
      "line 2: expected a time as a number or text, found `2024-01-01`"
    ),
    ("time\n1\n", "line 1: expected a column with values, found none"),
    ("\u{0}\u{1}\u{2}\n", "line 1: expected a row of a table, found something else"),
  ])
  func malformedTablesAreLeftOutWithOneMessage(text: String, message: String) throws {
    try folder.write("a/bad.csv", text)
    try folder.write("a/good.csv", "x\n1\n")
    let loaded = try load()
    #expect(loaded.dataset.examples.count == 1)
    #expect(loaded.failures.count == 1)
    #expect(
      loaded.failures[0].hasPrefix("\(folder.path)/a/bad.csv")
        && loaded.failures[0].contains(message), "\(loaded.failures)")
  }

  @Test func aBadRowLeavesOutItsRecordingOnly() throws {
    var text = "recording,label,x\n"
    for recording in 0..<5 {
      for step in 0..<10 {
        text += "r\(recording),walk,\(recording == 2 && step > 4 ? "oops" : "\(step)")\n"
      }
    }
    let table = try folder.write("all.csv", text)
    let loaded = try Dataset.load(table)
    #expect(loaded.dataset.examples.count == 4)
    #expect(
      loaded.failures == [
        "\(table), line 27: column `x`: expected a finite number, found `oops` (recording `r2`)"
      ])
  }

  @Test func recordingsWithoutALabelAreReported() throws {
    try folder.write("a/good.csv", "x\n1\n")
    try folder.write("loose.csv", "x\n1\n")
    let loaded = try load()
    #expect(
      loaded.failures == [
        "\(folder.path)/loose.csv: expected a folder for each class, or a column `label`, "
          + "found neither"
      ])
    var reading = SeriesReading()
    reading.channels = ["z"]
    let error = #expect(throws: FileError.self) { try load("", reading) }
    #expect(error?.found.contains("line 1: expected a column `z`, found x") == true)
  }

  @Test func unlabelledRecordingsCanBeKept() throws {
    try folder.write("loose.csv", "x\n1\n2\n")
    try folder.write("table.csv", "label,x\n,1\n,2\n")
    try folder.write("a.ndjson", #"{"series":{"channels":["x"],"values":[[1]]}}"#)
    var reading = SeriesReading()
    reading.keepsUnlabelled = true
    let loaded = try load("", reading)
    #expect(loaded.failures == [] && loaded.unlabelledCount == 0)
    #expect(loaded.dataset.examples.map(\.label) == ["", "", ""])
    #expect(loaded.dataset.labels == [])
    #expect(try loaded.dataset.examples.map { try series($0).length } == [1, 2, 2])
  }

  // MARK: .ts files

  @Test func tsFilesAreRead() throws {
    try folder.write(
      "Waves/Waves_TRAIN.ts",
      """
      # A comment
      %another
      @problemName Waves
      @timestamps false
      @missing true
      @univariate false
      @dimensions 2
      @equalLength false
      @classLabel true up down
      @data
      1,2,?:4,NaN,6:up
      7: 8.5 :down

      """)
    try folder.write(
      "Waves/Waves_TEST.ts", "@timeStamps false\n@classLabel true up down\n@data\n1,2:3,4:up\n")
    let train = try load("Waves/Waves_TRAIN.ts").dataset
    #expect(train.labels == ["down", "up"])
    #expect(train.examples.map(\.label) == ["up", "down"])
    #expect(
      try series(train.examples[0])
        == Series(channels: ["dim_0", "dim_1"], values: [1, 4, 2, .nan, .nan, 6]))
    #expect(try series(train.examples[1]).values == [7, 8.5])
    #expect(try load("Waves").dataset.examples.count == 3)
    #expect(
      SeriesArchive.path(of: .test, in: "\(folder.path)/Waves")?.hasSuffix("_TEST.ts") == true)
    #expect(SeriesArchive.path(of: .validation, in: "\(folder.path)/Waves") == nil)
  }

  @Test(arguments: [
    (
      "@classLabel true a\n@timeStamps yes\n@data\n1:a\n",
      "line 2: expected @timeStamps true or false"
    ),
    ("@data\n1:a\n", "line 1: expected @classLabel before @data"),
    ("@classLabel false\n@data\n1\n", "line 1: expected @classLabel true and the classes"),
    ("@classLabel true\n@data\n1\n", "line 1: expected @classLabel true and the classes"),
    ("@targetLabel true\n@data\n1:2\n", "line 1: expected @classLabel with the classes"),
    ("@dimensions two\n@data\n", "line 1: expected @dimensions and a number, found `two`"),
    ("@classLabel true a\n", "expected a line @data, found none"),
    ("@classLabel true a\n@data\n", "expected recordings after @data, found none"),
    ("1,2,3:a\n", "line 1: expected a header line with @, and then @data, found something else"),
    ("", "expected a line @data, found none"),
  ])
  func wrongTSHeadersAreRefused(text: String, message: String) throws {
    let path = try folder.write("a.ts", text)
    let error = #expect(throws: FileError.self) { try Dataset.load(path) }
    #expect(error?.found.contains(message) == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("1,2:3,4:b", "expected a class of @classLabel (a), found `b`"),
    ("1,2:a", "expected 2 channels and a class, found 1"),
    ("1,2:3:a", "expected 2 values in channel 2, as in the first, found 1"),
    ("1:2:a", "expected 2 values in a channel, as the header says, found 1"),
    ("1,x:3,4:a", "expected finite numbers, found `x` in channel 1, value 2"),
    ("1,2:3,inf:a", "expected finite numbers, found `inf` in channel 2, value 2"),
    ("a", "expected 2 channels and a class, found 0"),
  ])
  func malformedTSLinesAreLeftOut(line: String, message: String) throws {
    let header =
      "@dimensions 2\n@equalLength true\n@seriesLength 2\n@classLabel true a\n@data\n"
    let path = try folder.write("a.ts", header + line + "\n5,6:7,8:a\n")
    let loaded = try Dataset.load(path)
    #expect(loaded.failures == ["\(path), line 6: \(message)"])
    #expect(loaded.dataset.examples.count == 1)
  }

  // MARK: Arrays

  private func array(type: String, shape: String, _ bytes: Data) -> Data {
    var header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(shape)), }"
    header += String(repeating: " ", count: (64 - (header.utf8.count + 11) % 64) % 64) + "\n"
    return Data([0x93] + "NUMPY".utf8 + [1, 0, UInt8(header.utf8.count), 0]) + Data(header.utf8)
      + bytes
  }

  private func bytes<Value: BitwiseCopyable>(_ values: [Value]) -> Data {
    values.withUnsafeBytes { Data($0) }
  }

  @Test func arraysAreRead() throws {
    let values: [Float] = [1, 2, 3, .nan, 5, 6, 7, 8, 9, 10, 11, 12]
    try folder.write("series.npy", array(type: "<f4", shape: "2, 3, 2", bytes(values)))
    try folder.write("labels.npy", array(type: "<i8", shape: "2,", bytes([1, 0] as [Int64])))
    let plain = try load().dataset
    #expect(plain.labels == ["0", "1"])
    try folder.write("classes.txt", "walk\nrun\n")
    try folder.write("channels.txt", "ax\nay\n")
    let named = try load()
    #expect(named.dataset.examples.map(\.label) == ["run", "walk"])
    #expect(named.skipped == [])
    #expect(
      try series(named.dataset.examples[0])
        == Series(channels: ["ax", "ay"], values: Array(values[..<6])))
    try folder.write("X_train.npy", array(type: "<f8", shape: "1, 2, 2", bytes([1, 2, 3, 4.5])))
    try folder.write("y_train.npy", array(type: "|u1", shape: "1,", Data([1])))
    let direct = try load("X_train.npy").dataset
    #expect(try series(direct.examples[0]).values == [1, 2, 3, 4.5])
    #expect(direct.examples[0].label == "run")
  }

  @Test(arguments: [
    ("<f4", "2, 2", 4, "expected series, [count, length, channels], found [2, 2]"),
    ("<f4", "1, 2, 3", 5, "expected values of shape 1 × 2 × 3"),
    (">f4", "1, 2, 2", 4, "expected little-endian numbers"),
    ("<U4", "1, 2, 2", 16, "expected little-endian numbers"),
    ("<f4", "2, 2, 1", 4, "expected 2 labels, found [1]"),
    ("<f4", "1, 2, 2", 4, "expected a label below 1"),
  ])
  func malformedArraysAreRefused(
    type: String, shape: String, count: Int, message: String
  ) throws {
    try folder.write(
      "series.npy", array(type: type, shape: shape, bytes([Float](repeating: 1, count: count))))
    try folder.write("labels.npy", array(type: "|u1", shape: "1,", Data([1])))
    try folder.write("classes.txt", "only\n")
    let error = #expect(throws: FileError.self) { try load() }
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
  }

  /// Without series, nothing in the file bounds the other sizes.
  @Test(arguments: ["0, 9223372036854775807, 2", "0, 2, 9223372036854775807"])
  func anArrayWithoutSeriesIsEmpty(shape: String) throws {
    try folder.write("series.npy", array(type: "<f4", shape: shape, Data()))
    try folder.write("labels.npy", array(type: "|u1", shape: "0,", Data()))
    let error = #expect(throws: FileError.self) { try load() }
    #expect(error?.description.hasSuffix("expected examples with labels, found none") == true)
  }

  @Test func anEmptyArrayFileIsNamed() throws {
    try folder.write("series.npy", Data())
    try folder.write("labels.npy", array(type: "|u1", shape: "0,", Data()))
    let error = #expect(throws: FileError.self) { try load() }
    #expect(error?.description.hasSuffix("expected an NPY file, found an empty file") == true)
  }

  // MARK: Drawings

  /// All real drawings become series without gaps, of a length that a network can read.
  @Test(.enabled(if: SharedData.isPresent, "the recordings of datasets/README.md are needed"))
  func allRealDrawingsAreEncoded() throws {
    let rotated = try StrokeEncoder(sampling: .steps(32), keepsRotation: false)
    for name in ["characters/pendigits.ndjson", "characters/omniglot.ndjson", "mmg"] {
      let examples = try Dataset.load("\(SharedData.path)/\(name)").dataset.examples
      #expect(examples.count > 600)
      for example in examples {
        guard case .drawing(let drawing) = example.content, drawing.pointCount > 0 else { continue }
        let series = try StrokeEncoder.standard.encode(drawing)
        #expect((1...160).contains(series.length))
        #expect(try rotated.encode(drawing).length == 32)
        #expect(series.values.allSatisfy { abs($0) <= 1.5 }, "\(example.origin)")
      }
    }
  }

  // MARK: NDJSON

  @Test(arguments: 0..<20) func ndjsonKeepsEverything(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed), stream: 0x5e)
    var examples: [Example] = []
    for index in 0..<8 {
      let channels = (0..<generator.index(below: 4) + 1).map { "c \"\($0)\\ü" }
      let length = generator.index(below: 12) + 1
      let values = (0..<length * channels.count).map { _ -> Float in
        if generator.chance(0.1) { return .nan }
        if generator.chance(0.1) { return -0.0 }
        // All floats, also the smallest.
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
        return value.isFinite ? value : 1
      }
      var time = generator.uniform(-1e12...1e12)
      let times = (0..<length).map { _ in
        time += generator.uniform()
        return time
      }
      var example = Example(
        .series(
          try Series(
            channels: channels, values: values,
            rate: generator.chance(0.5) ? generator.uniform(0...1000) + 1e-3 : nil,
            times: generator.chance(0.5) ? times : nil)),
        label: "l\(index)", writer: generator.chance(0.5) ? "w\n" : nil,
        device: generator.chance(0.5) ? "watch" : nil, source: "s",
        attributes: ["kind": .text("k"), "n": .number(0.1), "f": .bool(true), "label": .text("x")],
        origin: "\(folder.path)/a.ndjson, line \(index + 1)")
      example.session = generator.chance(0.5) ? "monday" : nil
      if generator.chance(0.4) {
        example.label = ""
        example.spans = [Span(0..<1, label: "a")]
        if length > 2 { example.spans.append(Span(2..<length, label: "ä")) }
      }
      examples.append(example)
    }
    let dataset = Dataset(examples)
    let path = "\(folder.path)/a.ndjson"
    try DatasetFormat.ndjson.write(dataset, rasterizer: nil, to: path)
    let loaded = try Dataset.load(path)
    #expect(loaded.failures == [])
    #expect(loaded.dataset == dataset)
    for (one, other) in zip(dataset.examples, loaded.dataset.examples) {
      let bits = try zip(series(one).values, series(other).values).filter { $0 == $0 }
      #expect(bits.allSatisfy { $0.bitPattern == $1.bitPattern })
    }
    #expect(loaded.dataset.fingerprint == dataset.fingerprint)
  }

  @Test func seriesAndDrawingsShareAFile() throws {
    let path = try folder.write(
      "mixed.ndjson",
      #"{"word":"line","drawing":[[[0,100],[0,3]]],"series":"the first"}"# + "\n\n"
        + #"{"series": {"values": [[1, null], [ 2,3 ]], "channels":["a","b"]}, "word":"walk"}"#
        + "\n"
        + #"{"series":{"channels":["a"],"values":[[1]]}}"# + "\n")
    let loaded = try Dataset.load(path)
    #expect(loaded.failures == [] && loaded.unlabelledCount == 1)
    #expect(loaded.dataset.examples.map(\.label) == ["line", "walk"])
    #expect(loaded.dataset.examples[0].attributes["series"] == .text("the first"))
    #expect(
      try series(loaded.dataset.examples[1])
        == Series(channels: ["a", "b"], values: [1, .nan, 2, 3]))
  }

  @Test(arguments: [
    (#"{"label":"a","series":{"values":[[1]]}}"#, "expected the key `channels`"),
    (#"{"label":"a","series":{"channels":["a"]}}"#, "expected the key `values`"),
    (
      #"{"label":"a","series":{"channels":[1],"values":[[1]]}}"#,
      "series.channels[0]: expected a text, found 1"
    ),
    (#"{"label":"a","series":{"channels":["a"],"values":[]}}"#, "expected one or more steps"),
    (#"{"label":"a","series":{"channels":["a","a"],"values":[[1,2]]}}"#, "found `a` twice"),
    (
      #"{"label":"a","series":{"channels":["a","b"],"values":[[1,2],[1]]}}"#,
      "step 2: expected 2 values, one for each channel, found 1"
    ),
    (
      #"{"label":"a","series":{"channels":["a"],"values":[[1],[1,2]]}}"#, "step 2: expected 1 value"
    ),
    (#"{"label":"a","series":{"channels":["a"],"values":[1]}}"#, "expected complete JSON"),
    (#"{"label":"a","series":{"channels":["a"],"values":[["x"]]}}"#, "expected complete JSON"),
    (#"{"label":"a","series":{"channels":["a"],"values":[[1e999]]}}"#, "expected finite numbers"),
    (#"{"label":"a","series":{"channels":["a"],"values":[[true]]}}"#, "expected finite numbers"),
    (
      #"{"label":"a","series":{"channels":["a"],"rate":0,"values":[[1]]}}"#,
      "expected a rate above 0"
    ),
    (
      #"{"label":"a","series":{"channels":["a"],"rate":"x","values":[[1]]}}"#,
      "series.rate: expected a number, found `x`"
    ),
    (
      #"{"label":"a","series":{"channels":["a"],"times":[2,1],"values":[[1],[2]]}}"#,
      "step 2: expected a time of 2.0 ms or later"
    ),
    (#"{"label":"a","series":{"channels":["a"],"times":[2],"values":[[1],[2]]}}"#, "found 1"),
    (
      #"{"label":"a","series":{"channels":["a"],"times":[null],"values":[[1]]}}"#,
      "a time as a number"
    ),
    (#"{"label":3,"series":{"channels":["a"],"values":[[1]]}}"#, "label: expected a text, found 3"),
    (
      #"{"spans":[{"start":0,"end":2,"label":"a"}],"series":{"channels":["a"],"values":[[1]]}}"#,
      "span 1: expected a label, and steps from 0 to 1"
    ),
    (
      #"{"spans":[{"start":0,"label":"a"}],"series":{"channels":["a"],"values":[[1]]}}"#,
      "spans[0]: expected the key `end`, found none"
    ),
    (#"{"label":"a","series":{"channels":["a"],"values":[[1]]}"#, "a.ndjson, line 1"),
    (#"{"label":"a","series":[[1]]}"#, "expected complete JSON"),
    (#"{"label":"a","series":{"channels":["a"],"values":[[1"#, "a.ndjson, line 1"),
  ])
  func malformedLinesAreLeftOut(line: String, message: String) throws {
    let good = #"{"label":"a","series":{"channels":["a"],"values":[[1]]}}"#
    let path = try folder.write("a.ndjson", "\(line)\n\(good)\n")
    let loaded = try Dataset.load(path)
    #expect(loaded.dataset.examples.count == 1)
    #expect(loaded.failures.count == 1)
    #expect(
      loaded.failures[0].hasPrefix("\(path), line 1")
        && loaded.failures[0].contains(message), "\(loaded.failures)")
  }

  /// Each prefix of a good file is read or refused, but never ends the process.
  @Test func truncatedFilesAreNoCrash() throws {
    let files = [
      "a.csv": "recording,label,time,\"x\"\"y\"\nr,a,0,1.5\nr,a,1,-2e-3\n",
      "a.ts": "@dimensions 2\n@classLabel true a b\n@data\n1,2:3,4:a\n1:2:b\n",
      "a.ndjson": #"{"label":"\u00e4\"","spans":[{"start":0,"end":1,"label":"b"}],"#
        + #""series":{"channels":["a"],"rate":2,"times":[0,5],"values":[[1],[null]]}}"# + "\n",
    ]
    for (name, text) in files {
      let bytes = Array(text.utf8)
      for count in 0..<bytes.count {
        let path = try folder.write(name, Data(bytes[..<count]))
        _ = try? Dataset.load(path)
        var changed = bytes
        changed[count] = 0x22
        try folder.write(name, Data(changed))
        _ = try? Dataset.load(path)
      }
    }
  }

  // MARK: Lines

  /// The lines of a text that is read in blocks of 64 KiB.
  private func lines(_ text: String, longest: Int) throws -> [String?] {
    let path = try folder.write("lines.txt", text)
    var lines: [String?] = []
    try TextLines(InputFile(path: path)).forEach(longest: longest) { line, number in
      lines.append(line.map { String(decoding: $0, as: UTF8.self) })
      #expect(number == lines.count)
      return true
    }
    return lines
  }

  @Test func linesAreWholeHoweverTheyAreRead() throws {
    #expect(try lines("", longest: 9) == [])
    #expect(try lines("\u{FEFF}a\r\n\nb", longest: 9) == ["a", "", "b"])
    #expect(try lines("12345\n123456\n1", longest: 5) == ["12345", nil, "1"])
    #expect(try lines("123456", longest: 5) == [nil])
    let long = String(repeating: "x", count: 100_000)
    let text = (0..<5).map { "\(long)\($0)" }.joined(separator: "\n")
    #expect(try lines(text, longest: 100_001) == (0..<5).map { "\(long)\($0)" })
    #expect(try lines("a\n\(text)\nb\n", longest: 100_000) == ["a", nil, nil, nil, nil, nil, "b"])
  }

  // MARK: Numbers

  /// The fast reading of numbers gives the same bits as the C library.
  @Test func numbersAreRoundedCorrectly() throws {
    func read(_ text: String) -> NumberText.Reading<Float> {
      Array(text.utf8).withUnsafeBufferPointer { NumberText.float($0) }
    }
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200_000 {
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      guard value.isFinite else { continue }
      #expect(read("\(value)") == .number(value))
    }
    for _ in 0..<20_000 {
      // With 17 digits, more than one operation rounds correctly.
      let value = Double(generator.next() >> 11) * 0x1p-43
      let text = Array("\(value)".utf8)
      #expect(text.withUnsafeBufferPointer { NumberText.double($0) } == .number(value))
    }
    // The middle between two floats, and next to it.
    for text in [
      "16777217", "16777219", "16777217.0000001", "16777216.9999999", "1.00000017881393",
      "1.000000178813934", "1.000000178813935", "9007199254740993", "0.1e-45", "1e-46",
      "3.4028235e38",
      "6.46823525428772e+00", "7.45872661411795e-08", "9.21986393223051e-05",
      "+5", "-0", ".5", "5.", "00012", "1E5", "1e+05",
    ] {
      #expect(read(text) == .number(strtof(text, nil)), "\(text)")
    }
    for text in ["", "nan", "NaN", "NA", "?", " ", "null", "N/A", "None"] {
      #expect(read(text) == .missing, "\(text)")
    }
    for text in [
      "1e39", "inf", "-inf", "1.2.3", "1e", "e5", ".", "-", "1 2", "0x1", "1e5e5", "--1",
    ] {
      #expect(read(text) == .unreadable, "\(text)")
    }
  }
}
