import Foundation
import Ink
import InkSeries
import SafeFiles

/// Reads recordings from comma-separated text: one per file, or many in a table.
///
/// Each row is a step. Columns with a meaning are named in `SeriesReading`; all others are
/// channels. Only the numbers are kept in memory.
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
    let label = name[.label] ?? folder.flatMap { className(of: path, below: $0) }
    let table = SeriesTable(
      path: path, reading: reading, label: label, person: name[.person], session: name[.session])
    let columns = try Columns.read(table)
    guard let columns else {
      throw FileError(path: path, expected: "a recording", found: "an empty file")
    }
    for recording in columns.recordings {
      columns.finish(recording, source: source, into: &loaded)
    }
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

  /// Returns the name of the folder in `folder` that contains the file, or `nil` if there is none.
  private static func className(of path: String, below folder: String) -> String? {
    let parts = path.dropFirst(folder.count).split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : nil
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
    /// The first thing that is wrong with it.
    var failure: String?

    init(name: String?, person: String?, session: String?, firstRow: Int) {
      (self.name, self.person, self.session, self.firstRow) = (name, person, session, firstRow)
    }

    /// Leaves the recording out.
    func fail(_ reason: String) {
      guard failure == nil else { return }
      failure = reason
      (values, times, labels) = ([], [], [])
    }
  }

  let table: SeriesTable
  /// The number of cells of each row.
  let width: Int
  let channelNames: [String]
  /// The column of each channel.
  private let channels: [Int]
  private let recording: Int?
  private let label: Int?
  private let person: Int?
  private let session: Int?
  private let time: Int?
  private let timeUnit: TimeUnit?
  /// The columns that identify a recording.
  private let keyColumns: [Int]

  private(set) var recordings: [Recording] = []
  private var positions: [[UInt8]: Int] = [:]
  /// The recording of the row before, and its key.
  private var current: Recording?
  private var currentKey: [UInt8] = []

  /// Reads the header, or the first row of numbers of a table without one.
  init(table: SeriesTable, names: [String]?, width: Int, row: Int) throws {
    self.table = table
    self.width = width
    let reading = table.reading
    let names = names ?? (0..<width).map { "dim_\($0)" }
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
      channels = names.indices.filter { !used.contains($0) && !names[$0].isEmpty }
      channelNames = channels.map { names[$0] }
    }
    guard !channels.isEmpty else {
      throw FileError(
        path: "\(table.path), line \(row)", expected: "a column with values", found: "none")
    }
  }

  // MARK: Rows

  /// Adds a row.
  func add(
    _ line: UnsafeBufferPointer<UInt8>, cells: TableCells, row: Int
  ) {
    func cell(_ column: Int) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(rebasing: line[cells.ranges[column]])
    }
    guard !cells.isBroken, cells.ranges.count == width else {
      // It is not known which recording this is; the row before is the best guess.
      let recording = current ?? make(row: row, key: [], cell: { _ in nil })
      recording.fail(
        place(row)
          + (cells.isBroken
            ? "expected a quotation mark at the end of a quoted cell, found none"
            : "expected \(width.counted("cell")), as in the first row, found "
              + "\(cells.ranges.count)"))
      return
    }
    if !isSame(line, cells) {
      let key = key(line, cells)
      if let position = positions[key] {
        current = recordings[position]
      } else {
        current = make(row: row, key: key) { $0.map { TableCells.text(cell($0)) } }
      }
      currentKey = key
    }
    guard let current, current.failure == nil else { return }
    if let time, !addTime(cell(time), to: current, row: row) { return }
    for (index, column) in channels.enumerated() {
      switch NumberText.float(cell(column)) {
      case .number(let value): current.values.append(value)
      case .missing: current.values.append(.nan)
      case .unreadable:
        current.fail(
          "\(place(row))column `\(channelNames[index])`: expected a finite number, found "
            + "`\(TableCells.text(cell(column)).prefix(40))`")
        return
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

  private func addTime(
    _ cell: UnsafeBufferPointer<UInt8>, to recording: Recording, row: Int
  ) -> Bool {
    guard case .number(let time) = NumberText.double(cell) else {
      recording.fail(
        "\(place(row))expected a time as a number, found `\(TableCells.text(cell).prefix(40))`")
      return false
    }
    if let last = recording.times.last, time < last {
      recording.fail(
        "\(place(row))expected a time of \(last) or later, as in the row before, found \(time)")
      return false
    }
    recording.times.append(time)
    return true
  }

  private func make(
    row: Int, key: [UInt8], cell: (Int?) -> String?
  ) -> Recording {
    func text(_ column: Int?) -> String? {
      guard let text = cell(column), !text.isEmpty else { return nil }
      return text
    }
    let new = Recording(
      name: text(recording), person: text(person) ?? table.person,
      session: text(session) ?? table.session, firstRow: row)
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
    if let failure = recording.failure {
      let name = recording.name.map { " (recording `\($0)`)" } ?? ""
      loaded.failures.append(failure + name)
      return
    }
    let labels = label == nil ? [] : spans(of: recording)
    var whole = label == nil ? table.label : nil
    if labels.count == 1, labels[0].range == 0..<recording.length { whole = labels[0].label }
    guard whole != nil || !labels.isEmpty || table.reading.keepsUnlabelled else {
      if label == nil {
        loaded.failures.append(
          "\(origin): expected a folder for each class, or a column "
            + "`\(table.reading.labelColumn)`, found neither")
      } else {
        loaded.unlabelledCount += 1
      }
      return
    }
    let values = recording.values
    recording.values = []
    do {
      let series = try Series(
        channels: channelNames, values: values,
        rate: time == nil ? table.reading.rate : nil, times: milliseconds(recording))
      var example = Example(
        .series(series), label: whole ?? "", writer: recording.person, source: source,
        origin: origin)
      example.session = recording.session
      example.spans = whole == nil ? labels : []
      if let name = recording.name { example.attributes["recording"] = .text(name) }
      loaded.dataset.examples.append(example)
    } catch {
      loaded.failures.append("\(origin): \(error)")
    }
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
    let factor = (timeUnit ?? .typical(of: first)).milliseconds
    for index in recording.times.indices { recording.times[index] *= factor }
    return recording.times
  }

  /// Reads a table line by line; returns its recordings, or `nil` for an empty file.
  static func read(_ table: SeriesTable) throws -> Columns? {
    var columns: Columns?
    var cells = TableCells(delimiter: UInt8(ascii: ","))
    try TextLines(InputFile(path: table.path)).forEach { line, row in
      guard let line else { throw TextLines.tooLong("\(table.path), line \(row)") }
      guard !NumberText.trimmed(line).isEmpty else { return true }
      guard let columns else {
        cells = TableCells(delimiter: TableCells.delimiter(in: line))
        cells.split(line)
        let texts = cells.ranges.map { UnsafeBufferPointer(rebasing: line[$0]) }
        if cells.isBroken || texts.contains(where: { $0.contains(0) }) {
          throw FileError(
            path: "\(table.path), line \(row)", expected: "a row of a table",
            found: "something else")
        }
        let isHeader = texts.contains { NumberText.float($0) == .unreadable }
        let made = try Columns(
          table: table, names: isHeader ? texts.map(TableCells.text) : nil, width: texts.count,
          row: row)
        columns = made
        if !isHeader { made.add(line, cells: cells, row: row) }
        return true
      }
      cells.split(line)
      columns.add(line, cells: cells, row: row)
      return true
    }
    if let columns, columns.recordings.isEmpty {
      throw FileError(path: table.path, expected: "rows after the header", found: "none")
    }
    return columns
  }
}
