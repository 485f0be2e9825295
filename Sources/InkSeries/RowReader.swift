import Ink

/// A reader of the rows of a CSV table from a file or pipe, one at a time.
///
/// The first line is a header with the names of the channels. A column `time`, in milliseconds, is
/// not a channel unless asked for. The reader keeps one row in memory and does not allocate for a
/// row.
public struct RowReader {
  /// The longest line, in bytes.
  public static let longestLine = 1 << 20

  /// The names of the channels, in the order of the values.
  public var channels: [String] { parser.channels }
  /// The values of the last row, one for each channel; NaN for missing ones.
  public private(set) var values: [Float]
  /// The time of the last row in milliseconds, if there is a time column.
  public private(set) var time: Double?
  /// The number of the last line.
  public private(set) var line: Int

  private var lines: BufferedLines
  private var parser: RowParser

  /// Reads the header from `input`.
  ///
  /// `channels` are the wanted ones; other columns are left out. Without `channels`, all columns but
  /// the time are channels.
  ///
  /// - Throws: `InkError` if there is no header, it lacks a channel, or reading fails.
  public init(_ input: InputFile, channels: [String]? = nil) throws(InkError) {
    lines = BufferedLines(input)
    guard let header = try lines.next() else {
      throw InkError(
        at: Place(file: input.path), expected: "a header row with the names of the channels",
        found: "no text")
    }
    line = lines.number
    parser = try RowParser(
      header: header, at: Place(file: input.path, line: line), channels: channels)
    values = [Float](repeating: 0, count: parser.channels.count)
  }

  /// Reads the next row into ``values`` and ``time``; returns whether there is one.
  ///
  /// Empty lines are skipped. After an error in a row, the next call reads the next row.
  ///
  /// - Throws: `InkError` if the row is malformed, its time decreases, or reading fails.
  public mutating func next() throws(InkError) -> Bool {
    defer { line = lines.number }
    guard let row = try lines.next() else { return false }
    time = try parser.parse(
      row, at: Place(file: lines.input.path, line: lines.number), into: &values)
    return true
  }
}

/// The lines of an input that contain text, in one buffer that is reused.
private final class BufferedLines {
  let input: InputFile
  /// The number of the last line.
  private(set) var number = 0

  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
  /// The bytes in the buffer that were not returned yet.
  private var pending = 0..<0
  private var isAtEnd = false

  init(_ input: InputFile) {
    self.input = input
  }

  deinit {
    buffer.deallocate()
  }

  /// Returns the next line with text, or `nil` at the end; it is valid until the next call.
  ///
  /// - Throws: `InkError` if the line is too long, which the next call skips, or reading fails.
  func next() throws(InkError) -> UnsafeRawBufferPointer? {
    while let range = try nextLine() {
      var line = buffer[range]
      if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
      if line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) {
        return UnsafeRawBufferPointer(rebasing: line)
      }
    }
    return nil
  }

  private func nextLine() throws(InkError) -> Range<Int>? {
    var searched = pending.lowerBound
    var isTooLong = false
    while true {
      if let end = buffer[searched..<pending.upperBound].firstIndex(of: UInt8(ascii: "\n")) {
        defer { pending = end + 1..<pending.upperBound }
        return try counted(pending.lowerBound..<end, isTooLong: isTooLong)
      }
      if isAtEnd {
        guard isTooLong || !pending.isEmpty else { return nil }
        defer { pending = 0..<0 }
        return try counted(pending, isTooLong: isTooLong)
      }
      if isTooLong || pending.count >= RowReader.longestLine {
        isTooLong = true
        pending = 0..<0
      }
      makeRoom()
      searched = pending.upperBound
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[searched...])
      let count = try input.read(into: room)
      isAtEnd = count == 0
      pending = pending.lowerBound..<searched + count
    }
  }

  private func counted(_ line: Range<Int>, isTooLong: Bool) throws(InkError) -> Range<Int> {
    number += 1
    guard !isTooLong else {
      throw InkError(
        at: Place(file: input.path, line: number),
        expected: "a line of at most \(RowReader.longestLine) bytes", found: "a longer one")
    }
    return line
  }

  /// Makes room for more bytes after the pending ones.
  private func makeRoom() {
    guard pending.isEmpty || pending.upperBound == buffer.count else { return }
    let rest = UnsafeRawBufferPointer(rebasing: buffer[pending])
    pending = 0..<rest.count
    if rest.count == buffer.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 2 * buffer.count, alignment: 1)
      larger.copyMemory(from: rest)
      buffer.deallocate()
      buffer = larger
    } else {
      buffer.copyMemory(from: rest)
    }
  }
}
