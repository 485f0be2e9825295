import Foundation

/// Finds errors in JSON that decoders do not report exactly.
package enum JSONProblem {
  /// Returns the first syntax error in `data` (RFC 8259) with line and column, or `nil`.
  package static func description(of data: Data) -> String? {
    guard !data.isEmpty else { return "an empty file" }
    guard String(validating: data, as: UTF8.self) != nil else { return "bytes that are not UTF-8" }
    return data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> String? in
      var scanner = JSONScanner(bytes)
      do throws(JSONScanner.Stop) {
        try scanner.scan()
        return nil
      } catch {
        return "\(error.problem) (\(scanner.place))"
      }
    }
  }

  /// Returns the first key that occurs twice in one object of `data`, which is well-formed JSON.
  ///
  /// A decoder would ignore one of the two values.
  package static func repeatedKey(in data: Data) -> String? {
    data.withUnsafeBytes { bytes in
      /// The keys so far of each enclosing object; `nil` for a list.
      var open: [Set<String>?] = []
      var isKeyNext = false
      var index = 0
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: "{"):
          open.append([])
          isKeyNext = true
        case UInt8(ascii: "["):
          open.append(nil)
          isKeyNext = false
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
        case UInt8(ascii: ","): isKeyNext = open.last.map { $0 != nil } ?? false
        case UInt8(ascii: ":"): isKeyNext = false
        case UInt8(ascii: "\""):
          let start = index
          index += 1
          while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
          }
          guard isKeyNext, index < bytes.count else { break }
          let inner = bytes[start + 1..<index]
          var key = String(decoding: inner, as: UTF8.self)
          if inner.contains(UInt8(ascii: "\\")),
            let plain = try? String(json: Data(bytes[start...index]))
          {
            key = plain
          }
          if open[open.count - 1]?.insert(key).inserted == false { return key }
        default: break
        }
        index += 1
      }
      return nil
    }
  }
}

/// Scans JSON and stops at the first error.
private struct JSONScanner {
  struct Stop: Error {
    var problem: String
  }

  /// The maximum nesting depth of Foundation's decoder.
  private static let deepest = 512

  private let bytes: UnsafeRawBufferPointer
  private var index = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The place where it stopped.
  var place: String {
    let before = bytes[..<min(index, bytes.count)]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let column = String(decoding: before[start...], as: UTF8.self).count + 1
    return "line \(line), column \(column)"
  }

  mutating func scan() throws(Stop) {
    /// The closing brackets of the open lists and objects.
    var open: [UInt8] = []
    repeat {
      skipSpace()
      switch current ?? 0 {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard open.count < Self.deepest else {
          throw Stop(problem: "lists or objects nested deeper than \(Self.deepest)")
        }
        let isObject = current == UInt8(ascii: "{")
        open.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        index += 1
        skipSpace()
        if current != open.last {
          if isObject { try key() }
          continue
        }
      case UInt8(ascii: "\""): try text()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
      default:
        guard let word = ["true", "false", "null"].first(where: isNext) else {
          throw found("a value")
        }
        index += word.utf8.count
      }
      skipSpace()
      // Closes all lists and objects that end here.
      while let closing = open.last, current == closing {
        open.removeLast()
        index += 1
        skipSpace()
      }
      guard let closing = open.last else { break }
      try take(",", or: closing)
      if closing == UInt8(ascii: "}") { try key() }
    } while true
    guard index == bytes.count else { throw found("the end") }
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  private func isNext(_ word: String) -> Bool { bytes[index...].starts(with: word.utf8) }

  private func found(_ expected: String) -> Stop {
    guard current != nil else { return Stop(problem: "the end where \(expected) was expected") }
    let rest = String(decoding: bytes[index..<min(bytes.count, index + 16)], as: UTF8.self)
    return Stop(problem: "`\(rest.prefix(1))` where \(expected) was expected")
  }

  private mutating func take(_ sign: Unicode.Scalar, or closing: UInt8? = nil) throws(Stop) {
    guard current == UInt8(ascii: sign) else {
      throw found("`\(sign)`" + (closing.map { " or `\(Unicode.Scalar($0))`" } ?? ""))
    }
    index += 1
  }

  private mutating func key() throws(Stop) {
    skipSpace()
    guard current == UInt8(ascii: "\"") else { throw found("a key in quotes") }
    try text()
    skipSpace()
    try take(":")
  }

  private mutating func text() throws(Stop) {
    index += 1
    while let byte = current, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw Stop(problem: "a line end or control character in a text") }
      index += 1
      guard byte == UInt8(ascii: "\\") else { continue }
      guard let escaped = current, "\"\\/bfnrtu".utf8.contains(escaped) else {
        throw found("one of \"\\/bfnrtu after a backslash")
      }
      index += 1
      if escaped == UInt8(ascii: "u") { try unicode() }
    }
    try take("\"")
  }

  /// Reads the digits of `\u0041`, and the second half of a surrogate pair.
  private mutating func unicode() throws(Stop) {
    let first = try digits()
    guard (0xD800...0xDFFF).contains(first) else { return }
    guard first < 0xDC00, isNext("\\u") else {
      throw Stop(problem: "half a surrogate pair in a text")
    }
    index += 2
    guard (0xDC00...0xDFFF).contains(try digits()) else {
      throw Stop(problem: "half a surrogate pair in a text")
    }
  }

  private mutating func digits() throws(Stop) -> Int {
    var value = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw found("four hexadecimal digits")
      }
      value = 16 * value + digit
      index += 1
    }
    return value
  }

  private mutating func number() throws(Stop) {
    let start = index
    if current == UInt8(ascii: "-") { index += 1 }
    let digitStart = index
    try skipDigits()
    guard bytes[digitStart] != UInt8(ascii: "0") || index == digitStart + 1 else {
      throw Stop(problem: "a number that begins with 0")
    }
    if current == UInt8(ascii: ".") {
      index += 1
      try skipDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      index += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
      try skipDigits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      throw Stop(problem: "the number \(text.prefix(40)), which is too large")
    }
  }

  private mutating func skipDigits() throws(Stop) {
    let start = index
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    guard index > start else { throw found("a digit") }
  }
}
