import Ink

/// A parser for the rows of a table of series, one line of bytes at a time.
///
/// Parsing a row without errors does not allocate memory.
struct RowParser {
  /// What a column is.
  private enum Column {
    case value(Int)
    case time
    case unused
  }

  private let names: [String]
  private var columns: [Column]
  private var cells: TableCells
  private var times: TimeCells
  /// The time of the last row that was not late, or `nil` without a time column or before the first
  /// row.
  var time: Double? { times.last }
  /// Whether the times are text, and so in milliseconds.
  var timesAreText: Bool { times.areText == true }
  /// The name of the column with the time, or `nil` if there is none.
  private(set) var timeName: String?
  /// Whether there is a column with the time.
  var hasTimes: Bool { timeName != nil }

  /// Creates a parser for a table whose first line with text is `line`, for the channels with these
  /// names.
  ///
  /// Other columns are left out.
  ///
  /// - Throws: `InkError` if a channel is missing, or columns have the same name.
  init(
    firstLine line: UnsafeBufferPointer<UInt8>, at place: Place, channels: [String],
    timeColumn: String?
  ) throws(InkError) {
    cells = TableCells(delimiter: TableCells.delimiter(in: line))
    times = TimeCells(usesDecimalCommas: cells.usesDecimalCommas)
    cells.split(line)
    guard !cells.isMalformed else { throw Self.openQuote(at: place) }
    let texts = cells.ranges.map { UnsafeBufferPointer(rebasing: line[$0]) }
    let hasHeader = texts.contains(where: cells.isText)
    let names = hasHeader ? texts.map(TableCells.text) : texts.indices.map { "dim_\($0)" }
    var seen = Set<String>()
    for name in names where !name.isEmpty && !seen.insert(name).inserted {
      throw InkError(
        at: place, expected: "columns of different names", found: "`\(name)` twice")
    }
    if let missing = channels.first(where: { !seen.contains($0) }) {
      throw hasHeader
        ? InkError(
          at: place, expected: "a column `\(missing)`",
          found: names.prefix(20).joined(separator: ", "))
        : InkError(
          at: place, expected: "a row with the names of the channels, such as `\(missing)`",
          found: "numbers")
    }
    let timeName = TimeUnit.column(named: timeColumn, in: names, besides: channels)
    if let timeColumn, timeName == nil {
      throw InkError(
        at: place, expected: "a column `\(timeColumn)`",
        found: names.prefix(20).joined(separator: ", "))
    }
    columns = names.map { name in
      if let index = channels.firstIndex(of: name) { return .value(index) }
      return name == timeName ? .time : .unused
    }
    self.timeName = timeName
    self.names = names
    isFirstLineARow = !hasHeader
  }

  /// Whether the table has no header, so that its first line is a row.
  let isFirstLineARow: Bool

  /// Finds the column with the times by the cells of the first row, if no name is that of times and
  /// there is none of `channels` in it.
  mutating func findTimes(in line: UnsafeBufferPointer<UInt8>) {
    guard timeName == nil else { return }
    cells.split(line)
    guard !cells.isMalformed, cells.fit(names, line) else { return }
    for (column, range) in cells.ranges.prefix(names.count).enumerated() {
      guard case .unused = columns[column],
        TimeText.milliseconds(UnsafeBufferPointer(rebasing: line[range])) != nil
      else { continue }
      columns[column] = .time
      timeName = names[column]
      return
    }
  }

  /// Parses a row into `values`, with NaN for missing values.
  ///
  /// Returns `nil`, or the text of its time if that is before the time of an earlier row. Such a row
  /// has to be left out, because it is not known when it was measured.
  ///
  /// - Throws: `InkError` if the row has another number of columns, or a value is not a finite
  ///   number.
  mutating func parse(
    _ line: UnsafeBufferPointer<UInt8>, at place: @autoclosure () -> Place,
    into values: inout [Float]
  ) throws(InkError) -> String? {
    cells.split(line)
    guard !cells.isMalformed else { throw Self.openQuote(at: place()) }
    guard cells.fit(names, line) else {
      throw InkError(
        at: place(), expected: "\(columns.count.counted("cell")), as in the first row",
        found: "\(cells.ranges.count)")
    }
    var newTimes = times
    var late: String?
    for (column, range) in cells.ranges.prefix(columns.count).enumerated() {
      let cell = UnsafeBufferPointer(rebasing: line[range])
      switch columns[column] {
      case .unused: break
      case .value(let index):
        switch cells.value(cell) {
        case .number(let value): values[index] = value
        case .missing: values[index] = .nan
        case .unreadable:
          throw InkError(
            at: place(), expected: "a finite number in column `\(names[column])`",
            found: "`\(TableCells.text(cell).prefix(40))`")
        }
      case .time:
        switch newTimes.read(cell) {
        case .time: break
        case .late: late = String(TableCells.text(cell).prefix(40))
        case .unreadable:
          throw InkError(
            at: place(), expected: "a time as a number or text in column `\(names[column])`",
            found: "`\(TableCells.text(cell).prefix(40))`")
        }
      }
    }
    // A row with an error does not change the time.
    times = newTimes
    return late
  }

  private static func openQuote(at place: Place) -> InkError {
    InkError(
      at: place, expected: "a quotation mark at the end of a quoted cell", found: "none")
  }
}
