import Foundation

/// Decodes an XML file by its byte-order mark or its XML declaration.
enum XMLText {
  private enum Encoding {
    case utf8, utf16LittleEndian, utf16BigEndian, latin1
  }

  /// The text in UTF-8, without byte-order mark and declaration, its lines ended by `\n`.
  ///
  /// The lines keep their numbers.
  static func utf8(of data: Data) throws(XMLTreeError) -> [UInt8] {
    let mark = byteOrderMark(of: data)
    let bytes = [UInt8](data.dropFirst(mark?.length ?? 0))
    let encoding = if let mark { mark.encoding } else { try declaredEncoding(of: bytes) }
    var text: [UInt8]
    switch encoding {
    case .utf8: text = try checkedUTF8(bytes)
    case .latin1: text = latin1(bytes)
    case .utf16LittleEndian: text = try utf16(bytes) { UInt16($0) | UInt16($1) << 8 }
    case .utf16BigEndian: text = try utf16(bytes) { UInt16($0) << 8 | UInt16($1) }
    }
    if text.contains(0x0D) { text = withPlainLineEnds(text) }
    if let bad = text.firstIndex(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A }) {
      throw XMLTreeError(
        line: line(of: bad, in: text), expected: "text without control characters",
        found: text[bad] == 0
          ? "a zero byte"
          : "U+00" + (text[bad] < 16 ? "0" : "")
            + String(text[bad], radix: 16, uppercase: true))
    }
    return try withoutDeclaration(text)
  }

  /// Returns the decodable text at the start of a file.
  static func lossyText(of prefix: Data) -> String {
    guard let mark = byteOrderMark(of: prefix) else {
      return String(decoding: prefix, as: UTF8.self)
    }
    let bytes = [UInt8](prefix.dropFirst(mark.length))
    let isLittle = mark.encoding == .utf16LittleEndian
    guard isLittle || mark.encoding == .utf16BigEndian else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index -> UInt16 in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    return String(decoding: units, as: UTF16.self)
  }

  private static func byteOrderMark(of data: Data) -> (encoding: Encoding, length: Int)? {
    if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    return nil
  }

  // MARK: The declaration

  /// Where the XML declaration ends, or `nil` if there is none.
  private static func endOfDeclaration(in text: [UInt8]) throws(XMLTreeError) -> Int? {
    guard text.starts(with: "<?xml".utf8), text.count > 5,
      text[5] == 0x20 || (0x09...0x0D).contains(text[5]) || text[5] == UInt8(ascii: "?")
    else { return nil }
    // Declarations usually have about 60 bytes.
    for index in 5..<max(5, min(text.count - 1, 1000))
    where text[index] == UInt8(ascii: "?") && text[index + 1] == UInt8(ascii: ">") {
      return index + 2
    }
    throw XMLTreeError(
      line: 1, expected: "well-formed XML", found: "no end of the XML declaration")
  }

  private static func declaredEncoding(of bytes: [UInt8]) throws(XMLTreeError) -> Encoding {
    guard let end = try endOfDeclaration(in: bytes) else { return .utf8 }
    let declaration = String(decoding: bytes[..<end], as: UTF8.self)
    guard let match = declaration.firstMatch(of: /\sencoding\s*=\s*["']([^"']*)["']/) else {
      return .utf8
    }
    let name = match.1.lowercased().filter { $0.isLetter || $0.isNumber }
    switch name {
    case "utf8", "ascii", "usascii": return .utf8
    case "iso88591", "iso885911987", "latin1", "isolatin1", "csisolatin1", "l1", "isoir100",
      "ibm819", "cp819":
      return .latin1
    default:
      throw XMLTreeError(
        line: 1, expected: "UTF-8, UTF-16 with a byte-order mark, or ISO-8859-1 as the encoding",
        found: "`\(match.1)`")
    }
  }

  /// Returns the text with the declaration replaced by its line ends.
  private static func withoutDeclaration(_ text: [UInt8]) throws(XMLTreeError) -> [UInt8] {
    guard let end = try endOfDeclaration(in: text) else { return text }
    return text[..<end].filter { $0 == 0x0A } + text[end...]
  }

  // MARK: The bytes

  private static func checkedUTF8(_ bytes: [UInt8]) throws(XMLTreeError) -> [UInt8] {
    guard String(validating: bytes, as: UTF8.self) == nil else { return bytes }
    var number = 1
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if String(validating: line, as: UTF8.self) == nil { break }
      number += 1
    }
    throw XMLTreeError(line: number, expected: "text in UTF-8", found: "other bytes")
  }

  private static func latin1(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text.append(0xC0 | byte >> 6)
        text.append(0x80 | byte & 0x3F)
      }
    }
    return text
  }

  private static func utf16(
    _ bytes: [UInt8], unit: (UInt8, UInt8) -> UInt16
  ) throws(XMLTreeError) -> [UInt8] {
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
    var text: [UInt8] = []
    text.reserveCapacity(units.count)
    let isBroken = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
    ) { text.append($0) }
    guard !isBroken, bytes.count % 2 == 0 else {
      throw XMLTreeError(
        line: line(of: text.count, in: text), expected: "text in UTF-16",
        found: isBroken ? "half a character" : "an odd number of bytes")
    }
    return text
  }

  private static func withPlainLineEnds(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for (index, byte) in text.enumerated() {
      if byte != 0x0D {
        result.append(byte)
      } else if index + 1 == text.count || text[index + 1] != 0x0A {
        result.append(0x0A)
      }
    }
    return result
  }

  private static func line(of index: Int, in text: [UInt8]) -> Int {
    text[..<index].count { $0 == 0x0A } + 1
  }
}
