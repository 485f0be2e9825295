import Foundation
import Ink
import SafeFiles

/// The lines of a file, without a copy of each.
struct TextLines {
  /// The longest line that is read, in bytes.
  static let longestLine = 1 << 30

  private let input: InputFile

  /// Reads what was not yet read of `input`.
  init(_ input: InputFile) {
    self.input = input
  }

  /// Calls `body` with the bytes and the number of each line; the bytes are valid during the call.
  ///
  /// Line ends (`\n` or `\r\n`) and a byte-order mark are left out. Reading ends if `body` returns
  /// false.
  ///
  /// - Throws: whatever `body` throws, and `FileError` if reading fails or a line is too long.
  func forEach(_ body: (UnsafeBufferPointer<UInt8>, _ number: Int) throws -> Bool) throws {
    var pending: [UInt8] = []
    var number = 0

    func finish(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Bool {
      number += 1
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
        if pending.isEmpty {
          guard try finish(UnsafeBufferPointer(rebasing: line)) else { return false }
        } else {
          pending.append(contentsOf: line)
          let goesOn = try pending.withUnsafeBufferPointer(finish)
          pending.removeAll(keepingCapacity: true)
          guard goesOn else { return false }
        }
      }
      pending.append(contentsOf: rest)
      guard pending.count <= Self.longestLine else {
        throw FileError(
          path: "\(input.path), line \(number + 1)",
          expected: "a line of at most \(Self.longestLine >> 20) MiB", found: "a longer one")
      }
      return true
    }
    while true {
      let block = try input.next()
      guard !block.isEmpty else { break }
      guard try block.withUnsafeBufferPointer(split) else { return }
    }
    if !pending.isEmpty { _ = try pending.withUnsafeBufferPointer(finish) }
  }
}
