import Ink

/// A reader of the rows of a table from a file or pipe, one at a time.
///
/// Cells are separated by the first row's commas, semicolons or tabs. The first row has the names of
/// the columns; without it, they are `dim_0` and so on. An empty cell, `nan` or `?` is a missing value.
/// The reader keeps one row in memory and does not allocate for a row.
public struct RowReader {
  /// The longest line, in bytes.
  public static let longestLine = 1 << 20

  /// The values of the last row, one for each channel; NaN for missing ones.
  public private(set) var values: [Float]
  /// The number of the last line.
  public var line: Int { lines.number }
  /// The time of the last row in the table's unit, if there is a column with times.
  public var time: Double? { parser.time }
  /// The text of the last row's time if it is before that of an earlier row, otherwise `nil`.
  ///
  /// Such a row has to be left out, because it is not known when it was measured.
  public private(set) var lateTime: String?
  /// The unit of the times, if it is known: that in the name of their column, such as `time_ms`, or
  /// milliseconds for times that are text, after the first row.
  public var timeUnit: TimeUnit? {
    parser.timesAreText ? .ms : parser.timeName.flatMap(TimeUnit.init(ofColumn:))
  }
  /// Whether the times are text, such as `2024-01-17T08:14:46Z`, which ``time`` has in milliseconds.
  public var timesAreText: Bool { parser.timesAreText }
  /// Whether the rows have times.
  public var hasTimes: Bool { parser.hasTimes }

  private let lines: BufferedLines
  private var parser: RowParser
  /// Why the first row could not be read, until ``next()`` says so.
  private var firstRowError: InkError?

  /// Reads the names of the columns from `input`.
  ///
  /// `channels` are the names of the values, in order; other columns are left out. `timeColumn` is the
  /// name of the column with the time; by default, its name is that of a time, such as `timestamp`, or
  /// its cells are times that are text. To find the latter, the first row is waited for.
  ///
  /// - Throws: `InkError` if there is no row, a column is missing, or reading fails.
  public init(
    _ input: InputFile, channels: [String], timeColumn: String? = nil
  ) throws(InkError) {
    lines = BufferedLines(input)
    values = [Float](repeating: .nan, count: channels.count)
    guard let first = try lines.next() else {
      throw InkError(
        at: Place(file: input.path), expected: "a row with the names of the channels",
        found: "no text")
    }
    parser = try RowParser(
      firstLine: first, at: Place(file: input.path, line: lines.number), channels: channels,
      timeColumn: timeColumn)
    if parser.isFirstLineARow { lines.keepLast() }
    if timeColumn == nil, !parser.hasTimes {
      do {
        if let row = try lines.next() {
          parser.findTimes(in: row)
          lines.keepLast()
        }
      } catch {
        firstRowError = error
      }
    }
  }

  /// Reads the next row into ``values`` and ``time``; returns whether there is one.
  ///
  /// Empty lines are skipped. After an error in a row, the next call reads the next row; ``values``
  /// is not useful until then. ``lateTime`` says whether the row has to be left out.
  ///
  /// - Throws: `InkError` if the row is malformed, or reading fails.
  public mutating func next() throws(InkError) -> Bool {
    if let error = firstRowError {
      firstRowError = nil
      throw error
    }
    guard let row = try lines.next() else { return false }
    lateTime = nil
    lateTime = try parser.parse(
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
  /// The place of the last line in the buffer.
  private var last = 0..<0
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
  func next() throws(InkError) -> UnsafeBufferPointer<UInt8>? {
    while let range = try nextLine() {
      var line = UnsafeRawBufferPointer(rebasing: buffer[range]).bindMemory(to: UInt8.self)
      if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) {
        line = UnsafeBufferPointer(rebasing: line[3...])
      }
      if line.last == UInt8(ascii: "\r") { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
      if !NumberText.trimmed(line).isEmpty {
        last = range
        return line
      }
    }
    return nil
  }

  /// Makes the last line the next one again.
  func keepLast() {
    // At the end of the input, nothing is pending any more.
    pending = last.lowerBound..<max(last.upperBound, pending.upperBound)
    number -= 1
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
