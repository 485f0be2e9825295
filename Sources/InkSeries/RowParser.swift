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
  private let columns: [Column]
  private var cells: TableCells
  /// The time of the last row, or `nil` without a time column or before the first row.
  private(set) var time: Double?
  /// The name of the column with the time, or `nil` if there is none.
  let timeName: String?

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
    cells.split(line)
    guard !cells.isBroken else { throw Self.openQuote(at: place) }
    let texts = cells.ranges.map { UnsafeBufferPointer(rebasing: line[$0]) }
    let hasHeader = texts.contains { NumberText.float($0) == .unreadable }
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

  /// Parses a row into `values`, with NaN for missing values.
  ///
  /// - Throws: `InkError` if the row has another number of columns, a value is not a finite number,
  ///   or the time is before that of the last row without an error.
  mutating func parse(
    _ line: UnsafeBufferPointer<UInt8>, at place: @autoclosure () -> Place,
    into values: inout [Float]
  ) throws(InkError) {
    cells.split(line)
    guard !cells.isBroken else { throw Self.openQuote(at: place()) }
    guard cells.ranges.count == columns.count else {
      throw InkError(
        at: place(), expected: "\(columns.count.counted("cell")), as in the first row",
        found: "\(cells.ranges.count)")
    }
    var newTime = time
    for (column, range) in cells.ranges.enumerated() {
      let cell = UnsafeBufferPointer(rebasing: line[range])
      switch columns[column] {
      case .unused: break
      case .value(let index):
        switch NumberText.float(cell) {
        case .number(let value): values[index] = value
        case .missing: values[index] = .nan
        case .unreadable:
          throw InkError(
            at: place(), expected: "a finite number in column `\(names[column])`",
            found: "`\(TableCells.text(cell).prefix(40))`")
        }
      case .time:
        guard case .number(let value) = NumberText.double(cell) else {
          throw InkError(
            at: place(), expected: "a time as a number in column `\(names[column])`",
            found: "`\(TableCells.text(cell).prefix(40))`")
        }
        if let time, value < time {
          throw InkError(
            at: place(), expected: "a time of \(time) or later, as in the row before",
            found: "\(value)")
        }
        newTime = value
      }
    }
    time = newTime
  }

  private static func openQuote(at place: Place) -> InkError {
    InkError(
      at: place, expected: "a quotation mark at the end of a quoted cell", found: "none")
  }
}
