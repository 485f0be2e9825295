/// The cells of one line of a table, as ranges of its bytes.
package struct TableCells {
  package private(set) var ranges: [Range<Int>] = []
  /// Whether a quoted cell is not closed.
  package private(set) var isBroken = false
  private let delimiter: UInt8

  /// Creates cells for lines of a table with this delimiter.
  package init(delimiter: UInt8) {
    self.delimiter = delimiter
  }

  /// Returns the delimiter of a table: a tab or semicolon if the line has one, otherwise a comma.
  package static func delimiter(in line: UnsafeBufferPointer<UInt8>) -> UInt8 {
    [UInt8(ascii: "\t"), UInt8(ascii: ";")].first { line.contains($0) } ?? UInt8(ascii: ",")
  }

  /// Finds the cells of `line`; quotation marks around a cell are not part of it.
  package mutating func split(_ line: UnsafeBufferPointer<UInt8>) {
    ranges.removeAll(keepingCapacity: true)
    isBroken = false
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
          isBroken = true
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

  /// Returns a cell as text.
  package static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: NumberText.trimmed(bytes), as: UTF8.self).replacing("\"\"", with: "\"")
  }
}
