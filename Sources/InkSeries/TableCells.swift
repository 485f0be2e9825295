/// The cells of one line of a table, as ranges of its bytes.
package struct TableCells {
  package private(set) var ranges: [Range<Int>] = []
  /// Whether a quoted cell is not closed.
  package private(set) var isMalformed = false
  private let delimiter: UInt8

  /// Creates cells for lines of a table with this delimiter.
  package init(delimiter: UInt8) {
    self.delimiter = delimiter
  }

  /// Returns the delimiter of a table: a tab or semicolon if the line has one, otherwise a comma.
  package static func delimiter(in line: UnsafeBufferPointer<UInt8>) -> UInt8 {
    [UInt8(ascii: "\t"), UInt8(ascii: ";")].first { line.contains($0) } ?? UInt8(ascii: ",")
  }

  /// Whether a comma in a cell is a decimal point, because it does not separate cells.
  package var usesDecimalCommas: Bool { delimiter != UInt8(ascii: ",") }

  /// Finds the cells of `line`; quotation marks around a cell are not part of it.
  package mutating func split(_ line: UnsafeBufferPointer<UInt8>) {
    ranges.removeAll(keepingCapacity: true)
    isMalformed = false
    let quote = UInt8(ascii: "\"")
    var start = 0
    let end = line.count
    while true {
      if start < end, line[start] == quote {
        var index = start + 1
        while index < end {
          if line[index] == quote {
            // A doubled quotation mark is a part of the text.
            guard index + 1 < end, line[index + 1] == quote else { break }
            index += 1
          }
          index += 1
        }
        guard index < end, index + 1 == end || line[index + 1] == delimiter else {
          isMalformed = true
          return
        }
        ranges.append(start + 1..<index)
        guard index + 1 < end else { return }
        start = index + 2
      } else {
        var index = start
        while index < end, line[index] != delimiter { index += 1 }
        ranges.append(start..<index)
        guard index < end else { return }
        start = index + 1
      }
    }
  }

  /// Returns whether the cells of `line` are those of a table with the columns `names`.
  ///
  /// Empty cells after them are a delimiter at the end of the line. Columns without a name at the end
  /// may be missing.
  package func fit(_ names: [String], _ line: UnsafeBufferPointer<UInt8>) -> Bool {
    if ranges.count == names.count { return true }
    if ranges.count < names.count { return names[ranges.count...].allSatisfy(\.isEmpty) }
    return ranges[names.count...].allSatisfy {
      NumberText.trimmed(UnsafeBufferPointer(rebasing: line[$0])).isEmpty
    }
  }

  /// Returns the value of a cell: a number, or 1 and 0 for `true` and `false`.
  package func value(_ cell: UnsafeBufferPointer<UInt8>) -> NumberText.Reading<Float> {
    let reading = NumberText.float(cell, decimalComma: usesDecimalCommas)
    guard reading == .unreadable else { return reading }
    let text = NumberText.trimmed(cell)
    if Self.equals(text, "true") { return .number(1) }
    return Self.equals(text, "false") ? .number(0) : .unreadable
  }

  /// Returns whether a cell is text: neither empty nor a number, a truth value or a time.
  package func isText(_ cell: UnsafeBufferPointer<UInt8>) -> Bool {
    value(cell) == .unreadable && TimeText.milliseconds(cell) == nil
  }

  /// Returns the number in a cell in double precision, or `nil` if there is none.
  package func number(_ cell: UnsafeBufferPointer<UInt8>) -> Double? {
    guard case .number(let value) = NumberText.double(cell, decimalComma: usesDecimalCommas) else {
      return nil
    }
    return value
  }

  /// Returns whether a cell that is no value is text or a time, not a number out of range or in
  /// another form, such as `inf`, `0x10` or `1.234,5`.
  package func isTextual(_ cell: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = NumberText.trimmed(cell)
    if TimeText.milliseconds(text) != nil || TimeText.isDate(text) { return true }
    let first = text.first { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
    guard let first, !(0x30...0x39).contains(first) else {
      // Such as `2nd floor`, but no number with an exponent or in hexadecimal digits.
      return text.contains { byte in
        byte >= 0x80 || ((0x67...0x7A).contains(byte | 0x20) && byte | 0x20 != 0x78)
      }
    }
    let words: [StaticString] = ["inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"]
    guard !words.contains(where: { Self.equals(text, $0) }) else { return false }
    return text.contains { $0 >= 0x80 || (0x61...0x7A).contains($0 | 0x20) }
  }

  /// Returns whether `bytes` are `word`, which is in lower case, in capitals or not.
  private static func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    bytes.count == word.utf8CodeUnitCount
      && bytes.indices.allSatisfy { bytes[$0] | 0x20 == word.utf8Start[$0] }
  }

  /// Returns a cell as text.
  package static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: NumberText.trimmed(bytes), as: UTF8.self).replacing("\"\"", with: "\"")
  }
}
