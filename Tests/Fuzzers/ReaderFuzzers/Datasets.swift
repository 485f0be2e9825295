import CZlib
import Foundation
import Fuzzing
import Ink
import InkImageIO
import InkRaster
import InkSeries

@testable import InkDatasets

private func gzip(_ data: Data) throws -> Data {
  let file = InputPath("seed.gz")
  try GZipFile.write([UInt8](data), to: file.path)
  return try Data(contentsOf: URL(fileURLWithPath: file.path))
}

private let reading: SeriesReading = {
  var reading = SeriesReading()
  reading.keepsUnlabelled = true
  return reading
}()

/// A reading with all options, for tables with a column `clock`.
private let clockReading: SeriesReading = {
  var reading = SeriesReading()
  reading.timeColumn = "clock"
  reading.channels = ["x"]
  reading.namePattern = try? NamePattern("{person}_{session}")
  return reading
}()

/// Whether two examples are the same, wherever they come from; a gap is the same as a gap.
private func isSame(_ one: Example, _ other: Example) -> Bool {
  var (one, other) = (one, other)
  (one.origin, other.origin) = ("", "")
  guard case .series(let first) = one.content, case .series(let second) = other.content else {
    return one == other
  }
  (one.content, other.content) = (.drawing(Drawing([])), .drawing(Drawing([])))
  func values(_ series: Series) -> [Float?] {
    series.channels.indices.flatMap { channel in
      series.values(ofChannel: channel).map { $0.isNaN ? nil : $0 }
    }
  }
  return one == other && first.channels == second.channels && first.rate == second.rate
    && first.times == second.times && values(first) == values(second)
}

/// Reads a data set, writes it as NDJSON and reads that: the examples are the same.
private func readAgain(
  _ path: String, _ written: InputPath, firstReading: SeriesReading = reading
) throws {
  let first = try Dataset.load(path, series: firstReading)
  guard !first.dataset.examples.isEmpty else { return }
  try DatasetFormat.ndjson.write(first.dataset, rasterizer: nil, to: written.path)
  let second = required("what was written is read") {
    try Dataset.load(written.path, series: reading)
  }
  require(second.failures.isEmpty, "what was written cannot be read: \(second.failures)")
  let (before, after) = (first.dataset.examples, second.dataset.examples)
  require(before.count == after.count, "\(before.count) examples became \(after.count)")
  for (one, other) in zip(before, after) {
    require(isSame(one, other), "\(one) after writing is \(other)")
  }
}

private let seriesFile = InputPath("series.ndjson")
private let seriesAgain = InputPath("series-again.ndjson")
private let csvFile = InputPath("ada_monday.csv")
private let csvAgain = InputPath("table-again.ndjson")
private let tsFile = InputPath("archive_TRAIN.ts")
private let tsAgain = InputPath("archive-again.ndjson")
private let idxFile = InputPath("idx")
private let idxAgain = [InputPath("idx-again").path, InputPath("idx-again.gz").path]
private let npyFile = InputPath("array.npy")
private let npyAgain = InputPath("array-again.npy")
private let stripFile: InputPath = {
  let file = InputPath("labels.tsv")
  for (name, width, height) in [("a", 10, 16), ("low", 10, 2), ("long", 600, 8)] {
    let path = URL(fileURLWithPath: "\(file.folder)/\(name).png")
    do { try PNG.encode(Bitmap(width: width, height: height)).write(to: path) } catch {
      fatalError("fuzz: \(path) cannot be written: \(error)")
    }
  }
  return file
}()
private let stripsAgain = InputPath("again").folder + "/strips"
private let rowFile = InputPath("rows")

/// Reads rows with the names of a table, or of one without names, or with a time of another name.
private func rowReader(_ path: String) throws -> RowReader {
  for channels in [["x", "y"], ["dim_0"]] {
    if let reader = try? RowReader(InputFile(path: path), channels: channels) { return reader }
  }
  return try RowReader(InputFile(path: path), channels: ["x"], timeColumn: "clock")
}

let datasetFuzzers = [
  Fuzzer(
    "series",
    dictionary: [
      "\"series\":", "\"channels\":", "\"rate\":", "\"times\":", "\"spans\":", "\"word\":",
      "\"start\":",
      "\"end\":", "\"label\":", "null", "[[", "]]", "1e39", "NaN", "\"person\":", "\"session\":",
    ],
    seeds: {
      let series = try Series(channels: ["x", "y"], values: [1, 2, .nan, 4, 5, 6], rate: 50)
      var example = Example(.series(series), label: "a", origin: "")
      example.writer = "p"
      example.attributes = ["kind": .text("k"), "n": .number(1)]
      var spans = example
      spans.label = ""
      spans.spans = [.init(0..<2, label: "b")]
      try DatasetFormat.ndjson.write(
        Dataset([example, spans]), rasterizer: nil, to: seriesFile.path)
      let all = try Data(contentsOf: URL(fileURLWithPath: seriesFile.path))
      return [all] + all.split(separator: 10).map { Data($0) }
    }, read: { try readAgain(seriesFile($0), seriesAgain) }),
  Fuzzer(
    "csv",
    dictionary: [
      "time", "time_ms", "timestamp", "clock", "label", "person", "session", "recording", "x", ",",
      ";",
      "\t",
      "\"", "\"\"", "\r\n", "nan", "?", "1e309", "-1e-320", "inf", "0x1p3",
    ],
    seeds: {
      try Fuzzer.files("Examples/Series/walk.csv", "Examples/Series/steps.csv").map {
        Data($0.split(separator: 10).prefix(9).joined(separator: [10]))
      } + [
        Data("recording,label,time_ms,x,y\na,b,0,1,2\na,b,10,,?\nc,d,0,\"1\",2\n".utf8),
        Data("label,clock,x,y\na,0,1,2\n,10,,?\n".utf8),
      ]
    },
    read: { data in
      let path = csvFile(data)
      if data.prefix(while: { $0 != 10 }).firstRange(of: Data("clock".utf8)) != nil {
        try readAgain(csvFile.folder, csvAgain, firstReading: clockReading)
      } else {
        try readAgain(path, csvAgain)
      }
    }),
  Fuzzer(
    "ts",
    dictionary: [
      "@problemName", "@timeStamps", "@missing", "@univariate", "@dimensions", "@equalLength",
      "@seriesLength", "@classLabel", "@targetLabel", "@data", "true", "false", ":", ",", "?", "#",
      "%",
    ],
    seeds: {
      [
        Data(
          """
          @problemName a
          @timeStamps false
          @missing true
          @univariate false
          @dimensions 2
          @equalLength true
          @seriesLength 3
          @classLabel true a b
          @data
          1,2,3:4,?,6:a
          1,2,NaN:4,5,6:b
          """.utf8),
        Data("@univariate true\n@classLabel true 1 2\n@data\n1,2:1\n3,4,5:2\n".utf8),
      ]
    },
    read: { data in
      let path = tsFile(data)
      require(
        SeriesArchive.path(of: .train, in: tsFile.folder) == path, "the archive has another path")
      try readAgain(path, tsAgain)
    }),
  Fuzzer(
    "idx", dictionary: [],
    seeds: {
      try [([2, 3, 4], 24), ([5], 5), ([0], 0)].flatMap { shape, count in
        let values = (0..<count).map { UInt8($0) }
        try IDX.write(IDX.Content(shape: shape, values: values), to: idxFile.path)
        let plain = try GZipFile(reading: idxFile.path).read(1000)
        return try [
          Data(plain), gzip(Data(plain)),
        ]
      }
    },
    read: { data in
      let path = idxFile(data)
      let isOne = IDX.isOne(path)
      let content = try IDX.read(path)
      require(isOne, "what can be read is not taken for IDX")
      for path in idxAgain {
        try IDX.write(content, to: path)
        let again = required("what was written is read") { try IDX.read(path) }
        require(again.shape == content.shape && again.values == content.values, "another array")
      }
    }),
  Fuzzer(
    "npy",
    dictionary: [
      "'descr': ", "'fortran_order': ", "'shape': ", "True", "False", "'|u1'", "'<f4'", "'<i8'",
      "'<u2'",
      "'>f4'", "(3,)", "()", "(0, 9223372036854775807)", "(9223372036854775807, 0)", "{", "}",
    ],
    seeds: {
      func text(_ type: String, _ shape: String, _ count: Int) -> Data {
        let header = "{'descr': '\(type)', 'fortran_order': False, 'shape': \(shape), }\n"
        return Data([0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(header.utf8.count), 0])
          + Data(header.utf8) + Data((0..<count).map { UInt8($0) })
      }
      return [
        NPY.header(shape: [2, 3, 4]) + Data(0..<24), NPY.header(shape: [3]) + Data(0..<3),
        text("<f4", "(2, 3)", 24), text("<i8", "(2,)", 16), text("<u2", "(1, 2, 2)", 8),
      ]
    },
    read: { data in
      let path = npyFile(data)
      let isOne = NPY.isOne(path)
      let header = try NPY.anyHeader(of: path)
      var count = 0
      try NPY.forEachItem(path) { _, values in count += values.count }
      require(count == header.count, "\(count) values instead of \(header.count)")
      require(isOne, "what can be read is not taken for NPY")
      let content = try NPY.read(path)
      let written = npyAgain(NPY.header(shape: content.shape) + Data(content.values))
      let again = required("what was written is read") { try NPY.read(written) }
      require(again.shape == content.shape && again.values == content.values, "another array")
    }),
  Fuzzer(
    "strips",
    dictionary: ["path", "text", "writer", "part", "train", "test", "validation", "\t", "..", "/"],
    seeds: {
      [
        Data(
          "path\ttext\twriter\tsplit\na.png\tq0\tw\ttrain\nlow.png\tq\t\t\nlong.png\tq\t\t\n".utf8),
        Data("path\ttext\twriter\tpart\na.png\tq0\tw\ttrain\n../b.png\tq1\tv\ttest\n".utf8),
      ]
    },
    read: { data in
      _ = stripFile(data)
      let first = try Dataset.load(stripFile.folder).dataset
      guard !first.examples.isEmpty else { return }
      try? FileManager.default.removeItem(atPath: stripsAgain)
      try DatasetFormat.strips.write(first, rasterizer: nil, to: stripsAgain)
      let second = required("what was written is read") { try Dataset.load(stripsAgain) }
      require(second.failures.isEmpty, "what was written cannot be read: \(second.failures)")
      func texts(_ dataset: Dataset) -> [[String?]] {
        dataset.examples.map { [$0.label, $0.writer, $0.part?.rawValue] }
      }
      require(texts(first) == texts(second.dataset), "other texts after writing them")
    }),
  Fuzzer(
    "rows", dictionary: ["time", "time_ms", "x", "y", ",", ";", "\t", "\"", "?", "nan"],
    seeds: { [Data("time_ms,x,y\n0,1,2\n10,3,?\n\n20,,1e9\n".utf8), Data("1;2\n3;4\n".utf8)] },
    read: { data in
      var reader = try rowReader(rowFile(data))
      var problems = 0
      while problems <= data.count {
        do {
          if try !reader.next() { return }
          _ = (reader.line, reader.time, reader.timeUnit, reader.hasTimes)
        } catch {
          problems += 1
          _ = "\(error)"
        }
      }
      fatalError("fuzz: more errors than bytes")
    }),
  Fuzzer(
    "name-pattern", dictionary: ["{person}", "{session}", "{label}", "*", "/", "{", "}"],
    seeds: { [Data("{person}_{session}_*/a_b_c".utf8), Data("{label}/*{person}*".utf8)] },
    read: { data in
      let text = String(decoding: data.prefix(200), as: UTF8.self)
      let pattern = try NamePattern(text)
      let again = required("`\(pattern)` is read") { try NamePattern(pattern.description) }
      require(again == pattern, "\(pattern) after writing is \(again)")
      var reading = SeriesReading()
      reading.namePattern = pattern
      let path = "/data/" + text.filter { $0 != "{" } + "/a_b_c.csv"
      _ = try SeriesTable.fields(of: path, below: "/data", reading: reading)
    }),
]
