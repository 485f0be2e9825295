import Ink

/// A parser for the rows of a CSV table with numbers, one line of bytes at a time.
///
/// Fields are separated by the header's comma, semicolon or tab, and can be quoted. An empty field,
/// `nan`, `NA` and `?` are missing values. Parsing a row does not allocate memory.
struct RowParser {
  /// What a column is.
  private enum Column {
    case value(Int)
    case time
    case unused
  }

  /// The names of the channels, in the order of the values.
  let channels: [String]
  private let names: [String]
  private let columns: [Column]
  private let separator: UInt8
  private var lastTime = -Double.infinity

  /// The name of the column with times in milliseconds, in any case.
  static let timeName = "time"

  /// Creates a parser from the header.
  ///
  /// Without `wanted` channels, all columns but the time are channels.
  ///
  /// - Throws: `InkError` if the header has an empty or repeated name, or lacks a wanted channel.
  init(
    header: UnsafeRawBufferPointer, at place: Place, channels wanted: [String]?
  ) throws(InkError) {
    separator =
      [UInt8(ascii: "\t"), UInt8(ascii: ";")].first { header.contains($0) } ?? UInt8(ascii: ",")
    var names: [String] = []
    var start = 0
    while start <= header.count {
      guard let field = Field(in: header, from: start, separator: separator) else {
        throw InkError(
          at: place, expected: "a closing quote in column \(names.count + 1)", found: "none")
      }
      names.append(field.text(in: header))
      start = field.next
    }
    guard !names.allSatisfy({ Double($0) != nil }) else {
      throw InkError(
        at: place, expected: "a header row with the names of the channels", found: "numbers")
    }
    for (index, name) in names.enumerated() {
      guard !name.isEmpty else {
        throw InkError(
          at: place, expected: "a name for column \(index + 1)", found: "an empty field")
      }
      guard !names[..<index].contains(name) else {
        throw InkError(
          at: place, expected: "different names of columns", found: "`\(name)` twice")
      }
    }
    let channels = wanted ?? names.filter { $0.lowercased() != Self.timeName }
    guard !channels.isEmpty else {
      throw InkError(at: place, expected: "one or more channels", found: "a time column only")
    }
    if let missing = channels.first(where: { !names.contains($0) }) {
      throw InkError(
        at: place, expected: "a column for channel `\(missing)`",
        found: "the columns \(Self.list(names))")
    }
    columns = names.map { name in
      if let index = channels.firstIndex(of: name) { return .value(index) }
      return name.lowercased() == Self.timeName ? .time : .unused
    }
    self.channels = channels
    self.names = names
  }

  /// Parses a row into `values`, and returns its time in milliseconds, if there is a time column.
  ///
  /// - Throws: `InkError` if the row has another number of columns, a value is not a number or too
  ///   large, or the time is before that of the last row without an error.
  mutating func parse(
    _ row: UnsafeRawBufferPointer, at place: @autoclosure () -> Place, into values: inout [Float]
  ) throws(InkError) -> Double? {
    var start = 0
    var column = 0
    var time: Double?
    while start <= row.count {
      guard let field = Field(in: row, from: start, separator: separator) else {
        throw InkError(
          at: place(), expected: "a closing quote in column \(column + 1)", found: "none")
      }
      start = field.next
      if column < columns.count {
        switch columns[column] {
        case .unused: break
        case .value(let index):
          let value = try number(field, of: row, column: column, at: place())
          values[index] = value.map { Float($0) } ?? .nan
          guard !values[index].isInfinite else {
            throw InkError(
              at: place(), expected: "a finite number in column `\(names[column])`",
              found: "`\(field.excerpt(in: row))`")
          }
        case .time:
          guard let value = try number(field, of: row, column: column, at: place()) else {
            throw InkError(
              at: place(), expected: "a time in column `\(names[column])`", found: "none")
          }
          time = value
        }
      }
      column += 1
    }
    guard column == columns.count else {
      throw InkError(
        at: place(), expected: "\(columns.count.counted("column")) as in the header",
        found: column.counted("column"))
    }
    if let time {
      guard time >= lastTime else {
        throw InkError(
          at: place(), expected: "a time of \(lastTime) or later, as in the row before",
          found: "\(time)")
      }
      lastTime = time
    }
    return time
  }

  /// Returns the number in a field, or `nil` for a missing value.
  private func number(
    _ field: Field, of row: UnsafeRawBufferPointer, column: Int, at place: @autoclosure () -> Place
  ) throws(InkError) -> Double? {
    let bytes = UnsafeRawBufferPointer(rebasing: row[field.content])
    if let number = DecimalNumber.value(of: bytes), number.isFinite { return number }
    guard Self.isMissing(bytes) else {
      throw InkError(
        at: place(), expected: "a number in column `\(names[column])`",
        found: "`\(field.excerpt(in: row))`")
    }
    return nil
  }

  private static func isMissing(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch bytes.count {
    case 0: true
    case 1: bytes[0] == UInt8(ascii: "?")
    case 2: bytes[0] | 32 == UInt8(ascii: "n") && bytes[1] | 32 == UInt8(ascii: "a")
    case 3:
      bytes[0] | 32 == UInt8(ascii: "n") && bytes[1] | 32 == UInt8(ascii: "a")
        && bytes[2] | 32 == UInt8(ascii: "n")
    default: false
    }
  }

  /// Returns the first names as text.
  private static func list(_ names: [String]) -> String {
    let more = names.count > 12 ? " and \(names.count - 12) more" : ""
    return names.prefix(12).joined(separator: ", ") + more
  }
}

/// The place of a field in a line.
private struct Field {
  /// The bytes without spaces and quotes around them.
  var content: Range<Int>
  /// The start of the next field; beyond the line after the last one.
  var next: Int

  /// Finds the field that starts at `start`, or returns `nil` if its quote is not closed.
  init?(in line: UnsafeRawBufferPointer, from start: Int, separator: UInt8) {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\r") }
    let quote = UInt8(ascii: "\"")
    var first = start
    while first < line.count, isSpace(line[first]) { first += 1 }
    var end = first
    if end < line.count, line[end] == quote {
      end += 1
      var isOpen = true
      // A doubled quote closes and opens again.
      while end < line.count, isOpen || line[end] != separator {
        if line[end] == quote { isOpen.toggle() }
        end += 1
      }
      if isOpen { return nil }
    } else {
      while end < line.count, line[end] != separator { end += 1 }
    }
    next = end + 1
    while end > first, isSpace(line[end - 1]) { end -= 1 }
    if end - first >= 2, line[first] == quote, line[end - 1] == quote {
      first += 1
      end -= 1
    }
    content = first..<end
  }

  /// Returns the text of the field.
  func text(in line: UnsafeRawBufferPointer) -> String {
    String(decoding: line[content], as: UTF8.self).replacing("\"\"", with: "\"")
  }

  /// Returns the start of the text for a message.
  func excerpt(in line: UnsafeRawBufferPointer) -> String {
    let text = text(in: line)
    return text.count > 40 ? text.prefix(40) + "…" : text
  }
}
