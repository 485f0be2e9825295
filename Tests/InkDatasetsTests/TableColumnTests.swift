import Ink
import InkSeries
import SafeFiles
import Testing
import TestSupport

@testable import InkDatasets

/// What the columns of tables are: times, counters, text, and the pixels of pictures.
@Suite(.timeLimit(.minutes(30))) struct TableColumnTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func load(_ name: String = "", _ reading: SeriesReading = SeriesReading()) throws
    -> LoadedDataset
  {
    try Dataset.load(name.isEmpty ? folder.path : "\(folder.path)/\(name)", series: reading)
  }

  private func series(_ loaded: LoadedDataset, _ index: Int = 0) throws -> Series {
    guard
      case .series(let series) = try #require(loaded.dataset.examples.dropFirst(index).first)
        .content
    else { throw FileError(path: folder.path, expected: "a series", found: "another content") }
    return series
  }

  /// Writes recordings with noise in `x` and another column, of which `cell` gives each value.
  private func write(
    _ name: String, recordings: Int = 6, rows: Int = 12,
    _ cell: (_ recording: Int, _ row: Int) -> String
  ) throws {
    for recording in 0..<recordings {
      var text = "x,\(name)\n"
      for row in 0..<rows {
        text += "\((recording * 31 + row * row * 17) % 23 - 11),\(cell(recording, row))\n"
      }
      try folder.write("\(recording % 2 == 0 ? "a" : "b")/\(recording).csv", text)
    }
  }

  // MARK: Counters

  /// Columns that only count, as the seconds of a recording or of a day, with jitter and with pauses.
  @Test(arguments: [
    "frame", "sample_no", "k", "restart", "jitter", "long", "pauses", "slow", "bouts", "trial",
    "dip", "wrap", "countdown", "row",
  ])
  func aColumnThatOnlyCountsIsLeftOut(kind: String) throws {
    try write(kind) { recording, row in
      switch kind {
      case "k", "frame", "sample_no": "\(row * 10 + 1)"
      case "restart": "\(0.02 * Double(row))"
      case "jitter": "\(row * 20 + (row * 7 + recording) % 5)"
      // A `Float` has no room for the seconds of such a time.
      case "long": "\(1_700_000_000_000 + recording * 700_000 + row * 20)"
      case "pauses": "\(recording * 1000 + row * 20 + (row > 6 ? 300 : 0))"
      case "slow": "\(recording * 40 + row / 3)"
      // One step back, a byte that starts again, and a counter that starts again in each recording.
      case "dip": "\(recording == 2 && row == 7 ? 3 : row)"
      case "wrap": "\((recording * 130 + row + 250) % 256)"
      case "row": "\(row % 11)"
      case "countdown": "\(500 - 2 * row)"
      case "bouts": "\(recording * recording * 500 + row * row)"
      default: "\(recording + 3)"
      }
    }
    let loaded = try load()
    #expect(loaded.failures == [])
    #expect(loaded.leftOutColumns == [kind])
    #expect(
      loaded.notes.count == 1 && loaded.notes[0].hasPrefix("left out: column `\(kind)`, which"))
    #expect(try series(loaded).channels == ["x"])
    var reading = SeriesReading()
    reading.leavesOutCounters = false
    #expect(try series(load("", reading)).channels == ["x", kind])
    reading = SeriesReading()
    reading.channels = ["x", kind]
    #expect(try series(load("", reading)).channels == ["x", kind])
    // The same recordings as NDJSON, which may come from elsewhere.
    if kind != "long" {
      reading.channels = nil
      reading.leavesOutCounters = false
      let all = "\(folder.path)/all.ndjson"
      try DatasetFormat.ndjson.write(load("", reading).dataset, rasterizer: nil, to: all)
      #expect(try Dataset.load(all).leftOutColumns == [kind])
    }
  }

  /// Measurements that rise: steps that are faster in one class, a finger, and a short rise.
  @Test(arguments: ["steps", "index", "pressure", "level"])
  func aMeasurementThatRisesIsKept(kind: String) throws {
    try write(kind) { recording, row in
      switch kind {
      case "steps": "\(row * (recording % 2 == 0 ? 2 : 5) / 3)"
      case "index": "\(row % 5 * recording)"
      case "pressure": "\(row * recording % 7)"
      default: "0.5"
      }
    }
    let loaded = try load()
    #expect(try series(loaded).channels == ["x", kind])
    #expect(
      loaded.notes
        == (kind == "steps"
          ? [
            "note: column `steps` never falls within a recording, but rises differently in "
              + "different ones, so it is read (--ignore leaves it out)"
          ] : []))
  }

  /// A measurement that falls or rises, at another speed in each class, and one that turns.
  @Test(arguments: ["falls", "turns"]) func aMeasurementThatFallsIsKept(kind: String) throws {
    try write(kind) { recording, row in
      switch kind {
      case "falls": "\(recording % 2 == 0 ? 40 - 3 * row : row)"
      default: "\(row < 9 ? row : 18 - row)"
      }
    }
    #expect(try series(load()).channels == ["x", kind])
  }

  /// Constants of which too few are known, or which are one in each class, are named.
  @Test func constantsThatTellRecordingsApartAreNamed() throws {
    try write("subject", recordings: 4) { recording, _ in "\(recording)" }
    var loaded = try load()
    #expect(try series(loaded).channels == ["x", "subject"])
    #expect(loaded.notes.count == 1 && loaded.notes[0].contains("`subject` is another constant"))
    try write("activity", recordings: 4) { recording, _ in "\(recording % 2 + 1)" }
    loaded = try load()
    #expect(loaded.notes.count == 1 && loaded.notes[0].contains("another number in every class"))
  }

  @Test func theOnlyColumnIsKept() throws {
    try folder.write("a/a.csv", "k\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    try folder.write("b/b.csv", "k\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    let loaded = try load()
    #expect(try series(loaded).channels == ["k"])
    #expect(loaded.notes.first?.hasSuffix("but there is no other, so it is read") == true)
  }

  @Test func columnsAreIgnoredByName() throws {
    try folder.write("a/a.csv", "x,note,y\n1,1..2,3\n2,?!,5\n")
    var reading = SeriesReading()
    reading.ignored = ["note", "z"]
    let loaded = try load("", reading)
    #expect(try series(loaded) == Series(channels: ["x", "y"], values: [1, 3, 2, 5]))
    #expect(loaded.notes == ["--ignore: no column is called `z`; the columns are note, x, y"])
  }

  // MARK: Times

  @Test(
    arguments: [
      ("seconds_elapsed", "1.5", 1500), ("Milliseconds", "20", 20), ("elapsed (ms)", "20", 20),
      ("Time (s)", "2", 2000), ("ts", "1700000000000", 1.7e12), ("timeStamp [ns]", "5000000", 5),
      ("datetime", "2024-01-17T08:14:46.020Z", 1_705_479_286_020),
      ("date time", "2024-01-17 08:14:46,5", 1_705_479_286_500),
      ("when", "2024/01/17 09:14:46+01:00", 1_705_479_286_000),
      ("time", "20240117T081446", 1_705_479_286_000), ("clock", "00:00:01:020", 1020),
      ("time", "14:12:30.020", 51_150_020), ("time", "2:12:30 PM", 51_150_000),
      ("t", "0 days 00:00:01.5", 1500), ("elapsed", "01:30.5", 90_500),
      ("recorded", "17.01.2024 00:00:02", 2000),
    ] as [(String, String, Double)])
  func timesAreRead(name: String, cell: String, milliseconds: Double) throws {
    try folder.write("a/a.csv", "\(name);x\n\(cell);1\n")
    let read = try series(load())
    #expect(read.channels == ["x"])
    #expect(try abs(#require(read.times)[0] - milliseconds) <= milliseconds * 1e-12)
  }

  @Test(arguments: ["t1", "index", "second", "time_of_flight", "s", "status"])
  func otherNamesAreNoTimes(name: String) throws {
    try folder.write("a/a.csv", "\(name),x\n2,1\n1,2\n")
    #expect(try series(load()).channels == [name, "x"])
  }

  @Test func midnightIsPassed() throws {
    try folder.write("a/a.csv", "time,x\n23:59:59.5,1\n00:00:00.5,2\n00:00:01.5,3\n")
    let times = try #require(series(load()).times)
    #expect(times.map { $0 - times[0] } == [0, 1000, 2000])
  }

  /// One row whose time goes back is left out by name; a clock that starts again is refused.
  @Test func timesThatGoBackAreNamed() throws {
    var rows = (0..<40).map { "\($0 * 20),\($0 % 3)" }
    rows[20] = "370,9"
    let path = try folder.write("a/a.csv", "time_ms,x\n" + rows.joined(separator: "\n"))
    let loaded = try load()
    #expect(
      loaded.notes == [
        "left out: \(path), line 22: its time `370` is before that of an earlier row"
      ])
    #expect(try series(loaded).length == 39 && !series(loaded).values.contains(9))
    let again = try folder.write(
      "b/b.csv", "time_ms,x\n" + (Array(0..<20) + Array(0..<20)).map { "\($0 * 20),1\n" }.joined())
    #expect(
      try load().failures == [
        "\(again), line 22: expected times that do not go back, found `0` here, and 19 of 40 rows "
          + "before an earlier time; sort the rows, or divide the file where the clock starts again"
      ])
  }

  // MARK: Cells

  @Test func tablesOfManyProgramsAreRead() throws {
    try folder.write("a/comma.csv", "\"Time (s)\";\"x\"\n0;-1,5\n0,02;2,0E1\n")
    try folder.write("a/end.csv", "time,x\n0,-1.5,\n0.02,20,\n")
    try folder.write("a/header.csv", "time,x,\n0,-1.5\n0.02,20\n")
    try folder.write("a/tab.tsv", "time\tx\n0\t-1,5\n0,02\t20\n")
    let expected = try Series(channels: ["x"], values: [-1.5, 20], times: [0, 20])
    let loaded = try load()
    #expect(loaded.failures == [] && loaded.dataset.examples.count == 4)
    for index in 0..<4 { #expect(try series(loaded, index) == expected) }
  }

  @Test func truthValuesAreNumbers() throws {
    try folder.write("a/a.csv", "x,flag\n3,true\n1,False\n")
    try folder.write("b/b.csv", "x,flag\n3,0.25\n1,TRUE\n")
    let loaded = try load()
    #expect(loaded.notes == [])
    #expect(try series(loaded, 0).values == [3, 1, 1, 0])
    #expect(try series(loaded, 1).values == [3, 0.25, 1, 1])
  }

  @Test func columnsOfTextAreLeftOut() throws {
    let first = try folder.write("a/a.csv", "x,device,day\n3,watch,2024-01-17\n1,,2024-01-17\n")
    try folder.write("b/b.csv", "x,device,day\n2,phone 2,2024-01-18\n5,phone 2,2024-01-18\n")
    let loaded = try load()
    #expect(loaded.failures == [])
    #expect(
      loaded.notes == [
        "left out: column `device`, which is text, such as `watch` (\(first), line 2)",
        "left out: column `day`, which is text, such as `2024-01-17` (\(first), line 2)",
      ])
    #expect(try series(loaded, 1) == Series(channels: ["x"], values: [2, 5]))
    // Where others have numbers, text is an error.
    try folder.write("c/c.csv", "x,device\n2,7\n5,8\n")
    let mixed = try load()
    #expect(mixed.failures.count == 2 && mixed.dataset.examples.count == 1)
    #expect(
      mixed.failures[0]
        == "\(first), line 2: column `device`: expected a number, as in other files, found `watch`")
  }

  @Test func aColumnWithTheClassIsSuggested() throws {
    let path = try folder.write("a.csv", "x,activity\n1,walk\n2,walk\n")
    let error = #expect(throws: FileError.self) { try load("a.csv") }
    #expect(
      error?.found.hasSuffix("--label-column names another column (with text: activity)") == true)
    var reading = SeriesReading()
    reading.labelColumn = "activity"
    #expect(try Dataset.load(path, series: reading).dataset.labels == ["walk"])
  }

  // MARK: Pixels

  /// A picture of 8 × 8 with a line, lighter than the background.
  private func pixels(_ index: Int, most: Int = 255) -> [String] {
    (0..<64).map { $0 / 8 == index % 6 + 1 && (1...6).contains($0 % 8) ? "\(most)" : "0" }
  }

  @Test(arguments: [
    "pixel0", "PX_1", "1x1", "0x0", "none", "last", "none last", "unit", "sixteen", "V1", "0",
    "r0c0",
    "pixel_0_0", "feature.0",
  ])
  func tablesOfPixelsArePictures(form: String) throws {
    let isLast = form.hasSuffix("last")
    let names: [String]? =
      switch form {
      case "none", "none last", "sixteen": nil
      case "1x1": (0..<64).map { "\($0 / 8 + 1)x\($0 % 8 + 1)" }
      case "0x0": (0..<64).map { "\($0 / 8)x\($0 % 8)" }
      case "r0c0": (0..<64).map { "r\($0 / 8)c\($0 % 8)" }
      case "pixel_0_0": (0..<64).map { "pixel_\($0 / 8)_\($0 % 8)" }
      case "V1": (1...64).map { "V\($0)" }
      case "0": (0..<64).map { "\($0)" }
      case "feature.0": (0..<64).map { "feature.\($0)" }
      case "PX_1": (1...64).map { "PX_\($0)" }
      default: (0..<64).map { "pixel\($0)" }
      }
    var lines =
      names.map { [(isLast ? $0 + ["label"] : ["label"] + $0).joined(separator: ",")] } ?? []
    for index in 0..<12 {
      let row = pixels(index, most: form == "unit" ? 1 : form == "sixteen" ? 16 : 255)
      lines.append(
        (isLast ? row + ["\(index % 3)"] : ["\(index % 3)"] + row).joined(separator: ","))
    }
    try folder.write("digits.csv", lines.joined(separator: "\n"))
    let loaded = try load("digits.csv")
    #expect(loaded.failures == [] && loaded.invertedCount == 0)
    #expect(loaded.dataset.labels == ["0", "1", "2"])
    #expect(loaded.dataset.examples.count == 12)
    guard case .bitmap(let bitmap) = loaded.dataset.examples[1].content else {
      Issue.record("not a picture")
      return
    }
    #expect(loaded.dataset.examples[1].label == "1")
    #expect((bitmap.width, bitmap.height) == (8, 8))
    #expect(bitmap.pixels == pixels(1).map { UInt8($0)! })
  }

  @Test func tablesOfOtherPixelsAreRefused() throws {
    let names = (0..<75).map { "pixel\($0)" }.joined(separator: ",")
    let cells = [String](repeating: "0", count: 76).joined(separator: ",")
    let path = try folder.write("rgb.csv", "label,\(names)\n\(cells)\n")
    let error = #expect(throws: FileError.self) { try Dataset.load(path) }
    #expect(error?.found.contains("found 75 columns such as `pixel0`") == true)
    // A row that is no picture does not discard the others.
    let square = (0..<64).map { "pixel\($0)" }.joined(separator: ",")
    let good = "1," + pixels(1).joined(separator: ",")
    let bad = "1,300," + pixels(1).dropFirst().joined(separator: ",")
    let mixed = try folder.write("mixed.csv", "label,\(square)\n\(good)\n\(bad)\n1,2\n")
    let loaded = try Dataset.load(mixed)
    #expect(loaded.dataset.examples.count == 1)
    #expect(
      loaded.failures == [
        "\(mixed), line 3: expected a pixel from 0 to 255 in cell 2, found `300`",
        "\(mixed), line 4: expected 65 cells, as in the first row, found 2",
      ])
  }

  /// Many channels of sensors are no pixels.
  @Test func wideRecordingsAreRecordings() throws {
    let row = (0..<65).map { "\(Double($0) / 2)" }.joined(separator: ",")
    try folder.write("a/a.csv", "\(row)\n\(row)\n")
    #expect(try series(load()).channels.count == 65)
    // Numbered columns beside a time, with values that no picture has, or without some numbers.
    for (index, (head, values)) in [("time", 0...63), ("label", -1...62)].enumerated() {
      let names = values.indices.map { "ch\(values.distance(from: values.startIndex, to: $0))" }
      let rows = (0..<3).map { row in
        "\(row)," + values.map { "\($0)" }.joined(separator: ",")
      }
      try folder.write(
        "b\(index)/a/a.csv",
        ([head + "," + names.joined(separator: ",")] + rows).joined(separator: "\n"))
      guard
        case .series? = try Dataset.load("\(folder.path)/b\(index)").dataset.examples.first?.content
      else {
        Issue.record("\(head): not a recording")
        continue
      }
    }
  }

  // MARK: The archive

  @Test(arguments: ["Mini_TRAIN.tsv", "Mini_TRAIN.txt", "Mini_TEST"])
  func tablesOfTheArchiveAreRead(name: String) throws {
    let separator = name.hasSuffix(".tsv") ? "\t" : name.hasSuffix(".txt") ? "  " : ","
    let rows = [
      ["1.0000e+00", "0.5", "2", "-1"], ["-1", "4", "nan", "3"], ["1", "7", "NaN", "NaN"],
    ]
    let path = try folder.write(
      name, rows.map { $0.joined(separator: separator) }.joined(separator: "\n"))
    let loaded = try Dataset.load(path)
    #expect(loaded.failures == [])
    #expect(loaded.dataset.examples.map(\.label) == ["1", "-1", "1"])
    #expect(try series(loaded, 0).values == [0.5, 2, -1])
    #expect(try series(loaded, 1) == Series(channels: ["dim_0"], values: [4, .nan, 3]))
    #expect(try series(loaded, 2).values == [7])
  }

  @Test func arffFilesAreRead() throws {
    let path = try folder.write(
      "Mini_TRAIN.arff",
      """
      % A comment
      @RELATION mini
      @attribute att0 numeric
      @attribute 'att1' REAL
      @attribute target {'up, fast',down}

      @data
      1,2.5,'up, fast'
      ?,4,down
      5,x,down
      1,2,left
      {0 1,2 down}
      """)
    let loaded = try Dataset.load(path)
    #expect(loaded.dataset.labels == ["down", "up, fast"])
    #expect(loaded.dataset.examples.map(\.label) == ["up, fast", "down"])
    #expect(try series(loaded, 1) == Series(channels: ["dim_0"], values: [.nan, 4]))
    #expect(
      loaded.failures == [
        "\(path), line 10: expected finite numbers in channel 1, found `x`",
        "\(path), line 11: expected a class of up, fast, down, found `left`",
        "\(path), line 12: expected all values of a row, found a sparse row in braces",
      ])
    let several = try folder.write(
      "Two_TRAIN.arff",
      """
      @relation two
      @attribute bag relational
      @attribute a0 numeric
      @attribute a1 numeric
      @attribute a2 numeric
      @end bag
      @attribute class {x,y}
      @data
      "1,2,3\\n4,5,6",x
      '7,8,?\\n9,10,?',y
      """)
    let two = try Dataset.load(several)
    #expect(two.failures == [])
    #expect(try series(two) == Series(channels: ["dim_0", "dim_1"], values: [1, 4, 2, 5, 3, 6]))
    #expect(try series(two, 1).values == [7, 9, 8, 10])
  }

  @Test(arguments: [
    ("@attribute a numeric\n@data\n1\n", "an attribute with the class before @data"),
    ("@attribute a {x}\n@data\nx\n", "numeric attributes for the steps"),
    (
      "@attribute width numeric\n@attribute height numeric\n@attribute class {x}\n@data\n1,2,x\n",
      "numeric attributes for the steps, such as att0, att1 and so on, found `width`, `height`"
    ),
    ("@attribute a0 date\n", "numeric, nominal or relational, found `date`"),
    ("@attribute a0 numeric\n@attribute c {x\n", "the labels of an attribute in braces"),
    ("@attribute a0 numeric\n@attribute c {x}\n@data\n", "recordings after @data, found none"),
    ("1,2,x\n", "a header line with @relation, @attribute or @data, found `1,2,x`"),
  ])
  func wrongARFFIsRefused(text: String, message: String) throws {
    let path = try folder.write("a.arff", text)
    let error = #expect(throws: FileError.self) { try Dataset.load(path) }
    #expect(error?.found.contains(message) == true, "\(String(describing: error))")
  }

  @Test func tsFilesWithTimesAreRead() throws {
    let path = try folder.write(
      "a.ts",
      """
      @timestamps true
      @dimensions 2
      @classLabel true a b
      @data
      (0,1),(0.5,2),(2,?):(0,4),(2,6):a
      (2024-01-17 08:14:46,1),(2024-01-17 08:14:47,2):?:b
      (1,1),(0,2):(1,1):a
      (1,1),2:(1,1):a
      """)
    let loaded = try Dataset.load(path)
    #expect(
      try series(loaded, 0)
        == Series(
          channels: ["dim_0", "dim_1"], values: [1, 4, 2, .nan, .nan, 6], times: [0, 500, 2000]))
    #expect(try series(loaded, 1).times == [1_705_479_286_000, 1_705_479_287_000])
    #expect(
      loaded.failures == [
        "\(path), line 7: expected times that are numbers or text and do not go back, found `0` in "
          + "channel 1, value 2",
        "\(path), line 8: expected (time,value), found `2` in channel 1, value 2",
      ])
  }

  /// The archive has each data set in several forms, and the dimensions again in files of their own.
  @Test func oneFormOfADataSetIsRead() throws {
    try folder.write("W/W_TRAIN.ts", "@timestamps false\n@classLabel true 1\n@data\n1,2:1\n")
    try folder.write("W/W_TRAIN.txt", "1 1 2\n")
    try folder.write(
      "W/W_TRAIN.arff", "@attribute a0 numeric\n@attribute c {1}\n@data\n1,1\n")
    try folder.write(
      "W/WDimension1_TRAIN.arff", "@attribute a0 numeric\n@attribute c {1}\n@data\n1,1\n")
    try folder.write("W/W_TEST.tsv", "1\t1\t2\n")
    let loaded = try load("W")
    #expect(loaded.failures == [] && loaded.dataset.examples.count == 2)
    #expect(loaded.skipped.count == 3)
    #expect(SeriesArchive.path(of: .test, in: "\(folder.path)/W")?.hasSuffix("W_TEST.tsv") == true)
    #expect(SeriesArchive.path(of: .train, in: "\(folder.path)/W")?.hasSuffix(".ts") == true)
  }
}
