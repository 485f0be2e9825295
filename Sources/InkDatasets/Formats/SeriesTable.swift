import Foundation
import Ink
import InkSeries
import SafeFiles

/// Reads recordings from comma-separated text: one per file, or many in a table.
///
/// Each row is a step. Columns with a meaning are named in `SeriesReading`; all others are
/// channels, unless they are text. A row whose time is before that of an earlier one is left out. Only
/// the numbers are kept in memory. A table with a column for each pixel has pictures instead
/// (`PixelTable`).
struct SeriesTable {
  /// The endings of names of such files.
  static let endings = [".csv", ".tsv"]

  /// Returns whether a name is that of a table.
  static func isNamedOne(_ path: String) -> Bool {
    endings.contains { path.lowercased().hasSuffix($0) }
  }

  /// Adds the recordings of the file at `path` to `loaded`.
  ///
  /// `folder` is the data set's folder, or `nil` if the file is the data set. The folder in it that
  /// the file is in is the label, unless the table has one.
  static func read(
    _ path: String, below folder: String?, reading: SeriesReading, source: String?,
    into loaded: inout LoadedDataset
  ) throws {
    let name = try fields(of: path, below: folder, reading: reading)
    let label = name[.label] ?? folder.flatMap { FileTree.className(of: path, below: $0) }
    if let pixels = try PixelTable(path: path, reading: reading) {
      return try pixels.read(
        label: label, person: name[.person], source: source, into: &loaded)
    }
    let table = SeriesTable(
      path: path, reading: reading, label: label, person: name[.person], session: name[.session])
    let columns = try Columns.read(table)
    guard let columns else {
      throw FileError(path: path, expected: "a recording", found: "an empty file")
    }
    let start = loaded.dataset.examples.count
    for recording in columns.recordings {
      columns.finish(recording, source: source, into: &loaded)
    }
    loaded.columns.add(
      texts: columns.texts.map { ($0.name, "\(path), line \($0.row)", $0.text) },
      ofExamples: start..<loaded.dataset.examples.count,
      names: columns.names)
    for choice in columns.choices { loaded.columns.add(choice: choice) }
  }

  /// Returns what the pattern says about a file; nothing without a pattern.
  static func fields(
    of path: String, below folder: String?, reading: SeriesReading
  ) throws(FileError) -> [NamePattern.Field: String] {
    guard let pattern = reading.namePattern else { return [:] }
    guard let fields = pattern.fields(of: path, below: folder ?? FileTree.folder(of: path)) else {
      throw FileError(path: path, expected: "a name like \(pattern)", found: "another one")
    }
    return fields
  }

  fileprivate let path: String
  fileprivate let reading: SeriesReading
  fileprivate let label: String?
  fileprivate let person: String?
  fileprivate let session: String?
}

/// The columns of a table and the recordings that were read from it.
private final class Columns {
  /// One recording.
  final class Recording {
    let name: String?
    let person: String?
    let session: String?
    let firstRow: Int
    var values: [Float] = []
    var times: [Double] = []
    /// The step at which each label starts, and the label.
    var labels: [(start: Int, label: [UInt8])] = []
    var length = 0
    var timeCells: TimeCells
    /// The rows that were left out because of their times, and the first of them.
    var lateCount = 0
    var firstLate: (row: Int, time: String)?
    /// The first cell of each channel that is text.
    var texts: [Int: (row: Int, text: String)] = [:]
    /// What each channel does from step to step.
    var courses: [ColumnCensus.Course]
    /// The first thing that is wrong with it.
    var failure: String?

    init(
      name: String?, person: String?, session: String?, firstRow: Int, timeCells: TimeCells,
      channelCount: Int
    ) {
      (self.name, self.person, self.session, self.firstRow) = (name, person, session, firstRow)
      self.timeCells = timeCells
      courses = Array(repeating: ColumnCensus.Course(), count: channelCount)
    }

    /// Leaves the recording out.
    func fail(_ reason: String) {
      guard failure == nil else { return }
      failure = reason
      (values, times, labels, texts) = ([], [], [], [:])
    }
  }

  let table: SeriesTable
  /// The names of all columns.
  let names: [String]
  private(set) var channelNames: [String]
  /// The column of each channel.
  private var channels: [Int]
  /// Whether each channel has a number in any row.
  private var hasNumbers: [Bool]
  private let recording: Int?
  private let label: Int?
  private let person: Int?
  private let session: Int?
  private var time: Int?
  private let timeUnit: TimeUnit?
  /// The columns that identify a recording.
  private let keyColumns: [Int]

  /// What was chosen for columns whose names do not say it.
  private(set) var choices: [String] = []
  private(set) var recordings: [Recording] = []
  private var positions: [[UInt8]: Int] = [:]
  /// The recording of the row before, and its key.
  private var current: Recording?
  private var currentKey: [UInt8] = []

  /// Reads the header, or the first row of numbers of a table without one.
  init(table: SeriesTable, names: [String]?, width: Int, row: Int) throws {
    self.table = table
    let reading = table.reading
    let names = names ?? (0..<width).map { "dim_\($0)" }
    self.names = names
    var seen = Set<String>()
    for name in names where !name.isEmpty && !seen.insert(name).inserted {
      throw FileError(
        path: "\(table.path), line \(row)", expected: "columns of different names",
        found: "`\(name)` twice")
    }
    func column(_ name: String) -> Int? {
      names.firstIndex { $0.lowercased() == name.lowercased() }
    }
    recording = column(reading.recordingColumn)
    label = column(reading.labelColumn)
    person = column(reading.personColumn)
    session = column(reading.sessionColumn)
    keyColumns = [recording, person, session].compactMap { $0 }
    func missing(_ name: String) -> FileError {
      FileError(
        path: "\(table.path), line \(row)", expected: "a column `\(name)`",
        found: names.prefix(20).joined(separator: ", "))
    }
    let timeName = TimeUnit.column(
      named: reading.timeColumn, in: names, besides: reading.channels ?? [])
    if let wanted = reading.timeColumn, timeName == nil { throw missing(wanted) }
    time = timeName.flatMap(names.firstIndex)
    timeUnit = reading.timeUnit ?? time.flatMap { TimeUnit(ofColumn: names[$0]) }
    if let chosen = reading.channels {
      channels = try chosen.map { name in
        guard let column = names.firstIndex(of: name) else { throw missing(name) }
        return column
      }
      channelNames = chosen
    } else {
      let used = Set([recording, label, person, session, time].compactMap { $0 })
      // A column without a name is the number of the row, as pandas writes it.
      channels = names.indices.filter {
        !used.contains($0) && !names[$0].isEmpty && !reading.ignored.contains(names[$0])
      }
      channelNames = channels.map { names[$0] }
    }
    hasNumbers = Array(repeating: false, count: channels.count)
    guard !channels.isEmpty else {
      throw FileError(
        path: "\(table.path), line \(row)", expected: "a column with values", found: "none")
    }
  }

  // MARK: Rows

  /// Looks at the cells of the first row: a column without a name is left out, and one with times is
  /// the time if no name is that of times.
  func lookAtFirstRow(_ line: UnsafeBufferPointer<UInt8>, cells: TableCells) {
    let isUnnamed = zip(names, cells.ranges).contains { name, range in
      name.isEmpty && !NumberText.trimmed(UnsafeBufferPointer(rebasing: line[range])).isEmpty
    }
    if isUnnamed {
      choices.append("left out: the column without a name, which numbers the rows in most tables")
    }
    guard time == nil, table.reading.timeColumn == nil, table.reading.channels == nil,
      !cells.isMalformed, cells.fit(names, line),
      let channel = channels.firstIndex(where: {
        $0 < cells.ranges.count
          && TimeText.milliseconds(UnsafeBufferPointer(rebasing: line[cells.ranges[$0]])) != nil
      }), channels.count > 1
    else { return }
    time = channels.remove(at: channel)
    choices.append("column `\(channelNames.remove(at: channel))` is read as the time")
    hasNumbers.removeLast()
  }

  /// Adds a row.
  func add(
    _ line: UnsafeBufferPointer<UInt8>, cells: TableCells, row: Int
  ) {
    func cell(_ column: Int) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(rebasing: line[cells.ranges[column]])
    }
    guard !cells.isMalformed, cells.fit(names, line) else {
      // It is not known which recording this is; the row before is the best guess.
      let recording = current ?? make(row: row, key: [], cells: cells, cell: { _ in nil })
      recording.fail(
        place(row)
          + (cells.isMalformed
            ? "expected a quotation mark at the end of a quoted cell, found none"
            : "expected \(names.count.counted("cell")), as in the first row, found "
              + "\(cells.ranges.count)"))
      return
    }
    if !isSame(line, cells) {
      let key = key(line, cells)
      if let position = positions[key] {
        current = recordings[position]
      } else {
        current = make(row: row, key: key, cells: cells) { $0.map { TableCells.text(cell($0)) } }
      }
      currentKey = key
    }
    guard let current, current.failure == nil else { return }
    if let time, !addTime(cell(time), to: current, row: row) { return }
    for (index, column) in channels.enumerated() {
      let bytes = cell(column)
      switch cells.value(bytes) {
      case .number(let value):
        current.values.append(value)
        hasNumbers[index] = true
        // A `Float` cannot hold the small steps of a clock with a large time.
        if abs(value) >= 1024, let exact = cells.number(bytes) {
          current.courses[index].add(exact)
        } else {
          current.courses[index].add(Double(value))
        }
      case .missing: current.values.append(.nan)
      case .unreadable:
        guard table.reading.channels == nil, cells.isTextual(bytes) else {
          current.fail(unreadable(row, index, TableCells.text(bytes)))
          return
        }
        current.values.append(.nan)
        if current.texts[index] == nil {
          current.texts[index] = (row, String(TableCells.text(bytes).prefix(40)))
        }
      }
    }
    if let label {
      let bytes = NumberText.trimmed(cell(label))
      if current.labels.isEmpty
        || !current.labels[current.labels.count - 1].label.elementsEqual(bytes)
      {
        current.labels.append((current.length, Array(bytes)))
      }
    }
    current.length += 1
  }

  private func place(_ row: Int) -> String { "\(table.path), line \(row): " }

  private func unreadable(_ row: Int, _ channel: Int, _ text: String) -> String {
    "\(place(row))column `\(channelNames[channel])`: expected a finite number, found "
      + "`\(text.prefix(40))`"
  }

  /// Adds the time of a row; returns whether the row belongs to the recording.
  private func addTime(
    _ cell: UnsafeBufferPointer<UInt8>, to recording: Recording, row: Int
  ) -> Bool {
    switch recording.timeCells.read(cell) {
    case .time(let time):
      recording.times.append(time)
      return true
    case .late:
      recording.lateCount += 1
      if recording.firstLate == nil {
        recording.firstLate = (row, String(TableCells.text(cell).prefix(40)))
      }
    case .unreadable:
      recording.fail(
        "\(place(row))expected a time as a number or text, found "
          + "`\(TableCells.text(cell).prefix(40))`")
    }
    return false
  }

  private func make(
    row: Int, key: [UInt8], cells: TableCells, cell: (Int?) -> String?
  ) -> Recording {
    func text(_ column: Int?) -> String? {
      guard let text = cell(column), !text.isEmpty else { return nil }
      return text
    }
    let new = Recording(
      name: text(recording), person: text(person) ?? table.person,
      session: text(session) ?? table.session, firstRow: row,
      timeCells: TimeCells(usesDecimalCommas: cells.usesDecimalCommas),
      channelCount: channels.count)
    positions[key] = recordings.count
    recordings.append(new)
    current = new
    currentKey = key
    return new
  }

  /// Whether the row belongs to the current recording.
  private func isSame(_ line: UnsafeBufferPointer<UInt8>, _ cells: TableCells) -> Bool {
    guard current != nil else { return false }
    var index = 0
    for column in keyColumns {
      for byte in line[cells.ranges[column]] {
        guard index < currentKey.count, currentKey[index] == byte else { return false }
        index += 1
      }
      guard index < currentKey.count, currentKey[index] == 0 else { return false }
      index += 1
    }
    return index == currentKey.count
  }

  private func key(_ line: UnsafeBufferPointer<UInt8>, _ cells: TableCells) -> [UInt8] {
    var key: [UInt8] = []
    for column in keyColumns {
      key.append(contentsOf: line[cells.ranges[column]])
      key.append(0)
    }
    return key
  }

  // MARK: Examples

  /// Adds a recording to `loaded`, or the reason why it is left out.
  func finish(_ recording: Recording, source: String?, into loaded: inout LoadedDataset) {
    var origin = table.path
    if let name = recording.name {
      origin += ", recording `\(name)`"
    } else if recordings.count > 1 {
      origin += ", line \(recording.firstRow)"
    }
    checkTexts(of: recording)
    checkLateRows(of: recording)
    let inRecording = recording.name.map { " (recording `\($0)`)" } ?? ""
    if let failure = recording.failure {
      loaded.failures.append(failure + inRecording)
      return
    }
    if let late = recording.firstLate {
      let rows =
        recording.lateCount == 1
        ? "its time" : "the time of this row, as of \(recording.lateCount - 1) more,"
      loaded.notes.append(
        "left out: \(table.path), line \(late.row): \(rows) `\(late.time)` is before that of an "
          + "earlier row\(inRecording)")
    }
    let labels = label == nil ? [] : spans(of: recording)
    var whole = label == nil ? table.label : nil
    if labels.count == 1, labels[0].range == 0..<recording.length { whole = labels[0].label }
    guard whole != nil || !labels.isEmpty || table.reading.keepsUnlabelled else {
      if label == nil {
        loaded.failures.append(
          "\(origin): expected a folder for each class, or a column "
            + "`\(table.reading.labelColumn)`, found neither"
            + (texts.isEmpty
              ? ""
              : "; --label-column names another column (with text: "
                + texts.map(\.name).joined(separator: ", ") + ")"))
      } else {
        loaded.unlabelledCount += 1
      }
      return
    }
    let values = recording.values
    recording.values = []
    do {
      var series = try Series(
        channels: channelNames, values: values,
        rate: time == nil ? table.reading.rate : nil, times: milliseconds(recording))
      if !texts.isEmpty { series = try series.selecting(numberNames) }
      var example = Example(
        .series(series), label: whole ?? "", writer: recording.person, source: source,
        origin: origin)
      example.session = recording.session
      example.spans = whole == nil ? labels : []
      if let name = recording.name { example.attributes["recording"] = .text(name) }
      loaded.dataset.examples.append(example)
      for (channel, course) in recording.courses.enumerated() where !isText(channel) {
        loaded.columns.add(course, named: channelNames[channel], label: example.label)
      }
    } catch {
      loaded.failures.append("\(origin): \(error)")
    }
  }

  /// A column that has text and no number.
  struct Text {
    var name: String
    /// The first cell with text.
    var row: Int
    var text: String
  }

  /// The columns of text.
  private(set) lazy var texts: [Text] = channels.indices.compactMap { channel in
    guard !hasNumbers[channel],
      let first = recordings.compactMap({ $0.texts[channel] }).min(by: { $0.row < $1.row })
    else { return nil }
    return Text(name: channelNames[channel], row: first.row, text: first.text)
  }

  private lazy var textNames = Set(texts.map(\.name))
  /// The channels that are no text.
  private lazy var numberNames = channelNames.filter { !textNames.contains($0) }

  private func isText(_ channel: Int) -> Bool { textNames.contains(channelNames[channel]) }

  /// Leaves a recording out if it has text in a column of numbers.
  private func checkTexts(of recording: Recording) {
    let wrong = recording.texts.filter { hasNumbers[$0.key] }.min { $0.value.row < $1.value.row }
    if let (channel, cell) = wrong { recording.fail(unreadable(cell.row, channel, cell.text)) }
  }

  /// Leaves a recording out if the times of many rows are before those of earlier ones: its clock
  /// starts again, or its rows are in another order.
  private func checkLateRows(of recording: Recording) {
    guard let late = recording.firstLate else { return }
    let count = recording.length + recording.lateCount
    guard TimeCells.areTooMany(late: recording.lateCount, of: count) else { return }
    recording.fail(
      "\(place(late.row))expected times that do not go back, found `\(late.time)` here, and "
        + "\(recording.lateCount) of \(count.counted("row")) before an earlier time; sort the rows, or "
        + "divide the file where the clock starts again")
  }

  private func spans(of recording: Recording) -> [Span] {
    recording.labels.indices.compactMap { index in
      let (start, bytes) = recording.labels[index]
      let end =
        index + 1 < recording.labels.count ? recording.labels[index + 1].start : recording.length
      let text = bytes.withUnsafeBufferPointer { TableCells.text($0) }
      return text.isEmpty ? nil : Span(start..<end, label: text)
    }
  }

  private func milliseconds(_ recording: Recording) -> [Double]? {
    guard time != nil, let first = recording.times.first else { return nil }
    guard recording.timeCells.areText == false else { return recording.times }
    let unit = timeUnit ?? .typical(of: first)
    let length = recording.times[recording.times.count - 1] - first
    if timeUnit == nil, unit == .s, length > Double(recording.times.count) {
      choices.append(
        "column `\(names[time!])` is read as the time, in seconds, of which rows are more than one "
          + "apart (--time-unit names another unit)")
    }
    let factor = unit.milliseconds
    for index in recording.times.indices { recording.times[index] *= factor }
    return recording.times
  }

  /// Reads a table line by line; returns its recordings, or `nil` for an empty file.
  static func read(_ table: SeriesTable) throws -> Columns? {
    var columns: Columns?
    var cells = TableCells(delimiter: UInt8(ascii: ","))
    try TextLines(InputFile(path: table.path)).forEach { line, row in
      guard let line else { throw FileError.longLine(at: "\(table.path), line \(row)") }
      guard !NumberText.trimmed(line).isEmpty else { return true }
      guard let columns else {
        cells = TableCells(delimiter: TableCells.delimiter(in: line))
        cells.split(line)
        let texts = cells.ranges.map { UnsafeBufferPointer(rebasing: line[$0]) }
        if cells.isMalformed || texts.contains(where: { $0.contains(0) }) {
          throw FileError(
            path: "\(table.path), line \(row)", expected: "a row of a table",
            found: "something else")
        }
        let isHeader = texts.contains(where: cells.isText)
        let made = try Columns(
          table: table, names: isHeader ? texts.map(TableCells.text) : nil, width: texts.count,
          row: row)
        columns = made
        if !isHeader {
          made.lookAtFirstRow(line, cells: cells)
          made.add(line, cells: cells, row: row)
        }
        return true
      }
      cells.split(line)
      if columns.recordings.isEmpty { columns.lookAtFirstRow(line, cells: cells) }
      columns.add(line, cells: cells, row: row)
      return true
    }
    if let columns, columns.recordings.isEmpty {
      throw FileError(path: table.path, expected: "rows after the header", found: "none")
    }
    return columns
  }
}
