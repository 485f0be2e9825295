import Foundation

/// The lines of a file or pipe, of which only one is kept in memory.
public struct TextLines {
  /// The longest line that is read, in bytes.
  public static let longestLine = 1 << 30

  private let input: InputFile

  /// Reads what was not yet read of `input`.
  public init(_ input: InputFile) {
    self.input = input
  }

  /// Calls `body` with the bytes and the number of each line; the bytes are valid during the call.
  ///
  /// Line ends (`\n` or `\r\n`) and a byte-order mark are left out. A line of more than `longest`
  /// bytes is `nil`. Reading ends if `body` returns false.
  ///
  /// - Throws: whatever `body` throws, and `InkError` if reading fails.
  public func forEach(
    longest: Int = longestLine,
    _ body: (UnsafeBufferPointer<UInt8>?, _ number: Int) throws -> Bool
  ) throws {
    var pending: [UInt8] = []
    var isTooLong = false
    var number = 0

    func finish(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Bool {
      number += 1
      guard !isTooLong else {
        isTooLong = false
        return try body(nil, number)
      }
      var line = bytes[...]
      if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      return try body(UnsafeBufferPointer(rebasing: line), number)
    }
    /// Calls `finish` with each whole line, and keeps the rest; returns whether to read on.
    func split(_ block: UnsafeBufferPointer<UInt8>) throws -> Bool {
      var rest = block[...]
      while !rest.isEmpty {
        let start = block.baseAddress! + rest.startIndex
        guard let found = memchr(start, 0x0A, rest.count) else { break }
        let length = found - UnsafeMutableRawPointer(mutating: start)
        let line = rest.prefix(length)
        rest = rest.dropFirst(length + 1)
        isTooLong = isTooLong || pending.count + length > longest
        if pending.isEmpty {
          guard try finish(UnsafeBufferPointer(rebasing: line)) else { return false }
        } else {
          pending.append(contentsOf: line)
          let goesOn = try pending.withUnsafeBufferPointer(finish)
          pending.removeAll(keepingCapacity: true)
          guard goesOn else { return false }
        }
      }
      isTooLong = isTooLong || pending.count + rest.count > longest
      if isTooLong { pending = [] } else { pending.append(contentsOf: rest) }
      return true
    }
    while true {
      let block = try input.next()
      guard !block.isEmpty else { break }
      guard try block.withUnsafeBufferPointer(split) else { return }
    }
    if isTooLong || !pending.isEmpty { _ = try pending.withUnsafeBufferPointer(finish) }
  }
}
