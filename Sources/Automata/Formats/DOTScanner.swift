/// Splits text in the DOT language into tokens (https://graphviz.org/doc/info/lang.html).
struct DOTScanner {
  enum Token: Hashable {
    /// A name or a number without quotes, which can be a keyword.
    case word(String)
    /// A quoted text as it is written, apart from `\"`.
    case text(String)
    /// A label in HTML, without its outer angle brackets.
    case markup(String)
    case sign(UInt8)
    /// `->`.
    case arrow
    /// `--`.
    case line
    case end

    /// The token in messages.
    var description: String {
      switch self {
      case .word(let text), .text(let text): "`\(text)`"
      case .markup(let text): "`<\(text)>`"
      case .sign(let sign): "`\(Character(Unicode.Scalar(sign)))`"
      case .arrow: "`->`"
      case .line: "`--`"
      case .end: "the end"
      }
    }
  }

  private let file: String
  private let bytes: [UInt8]
  private var index = 0
  /// The current token.
  private(set) var token = Token.end
  /// Where the current token begins.
  private(set) var start = 0

  init(_ text: String, file: String) throws(AutomatonError) {
    self.file = file
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    try advance()
  }

  /// Returns the line and column of the byte at `offset`.
  func place(_ offset: Int) -> TextPlace {
    let before = bytes[..<min(offset, bytes.count)]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return TextPlace(
      line: before.count { $0 == 0x0A } + 1,
      column: String(decoding: before[lineStart...], as: UTF8.self).count + 1)
  }

  func error(at offset: Int, _ expected: String, _ found: String) -> AutomatonError {
    AutomatonError(file, place(offset), expected: expected, found: found)
  }

  /// Reads the next token and skips white space and comments.
  mutating func advance() throws(AutomatonError) {
    try skipSpace()
    start = index
    guard let byte = current else {
      token = .end
      return
    }
    switch byte {
    case UInt8(ascii: "\""): token = .text(try quotedTexts())
    case UInt8(ascii: "<"): token = .markup(try markup())
    case UInt8(ascii: "-") where next == UInt8(ascii: ">"):
      index += 2
      token = .arrow
    case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
      index += 2
      token = .line
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
      token = .word(try number())
    case _ where Self.isLetter(byte):
      while let byte = current, Self.isLetter(byte) || Self.isDigit(byte) { index += 1 }
      token = .word(String(decoding: bytes[start..<index], as: UTF8.self))
    default:
      index += 1
      token = .sign(byte)
    }
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }
  private var next: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Whether a name can begin with the byte; all characters beyond ASCII are letters.
  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
      || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  private func isNext(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[index...].starts(with: $0) }
  }

  private mutating func skipSpace() throws(AutomatonError) {
    while let byte = current {
      if byte <= 0x20 {
        index += 1
      } else if byte == UInt8(ascii: "#") || isNext("//") {
        while let byte = current, byte != 0x0A { _ = byte; index += 1 }
      } else if isNext("/*") {
        let open = index
        index += 2
        while index < bytes.count, !isNext("*/") { index += 1 }
        guard index < bytes.count else { throw error(at: open, "`*/` after `/*`", "the end") }
        index += 2
      } else {
        return
      }
    }
  }

  private mutating func number() throws(AutomatonError) -> String {
    let first = index
    if current == UInt8(ascii: "-") { index += 1 }
    let digits = index
    while let byte = current, Self.isDigit(byte) { index += 1 }
    var count = index - digits
    if current == UInt8(ascii: ".") {
      index += 1
      let fraction = index
      while let byte = current, Self.isDigit(byte) { index += 1 }
      count += index - fraction
    }
    let isAlone = current.map { !Self.isLetter($0) && $0 != UInt8(ascii: ".") } ?? true
    guard count > 0, isAlone else {
      var end = index
      while end < bytes.count, Self.isLetter(bytes[end]) || Self.isDigit(bytes[end]) { end += 1 }
      let found = String(decoding: bytes[first..<max(end, first + 1)], as: UTF8.self)
      throw error(
        at: first, "a number, or a name that begins with a letter (put others in quotes)",
        "`\(found)`")
    }
    return String(decoding: bytes[first..<index], as: UTF8.self)
  }

  /// Reads quoted texts that are joined by `+`.
  private mutating func quotedTexts() throws(AutomatonError) -> String {
    var text = try quotedText()
    while true {
      let end = index
      try skipSpace()
      guard current == UInt8(ascii: "+") else {
        index = end
        return String(decoding: text, as: UTF8.self)
      }
      index += 1
      try skipSpace()
      guard current == UInt8(ascii: "\"") else {
        throw error(at: index, "a quoted text after `+`", "another character")
      }
      text += try quotedText()
    }
  }

  private mutating func quotedText() throws(AutomatonError) -> [UInt8] {
    let open = index
    var text: [UInt8] = []
    index += 1
    while let byte = current {
      index += 1
      guard byte != UInt8(ascii: "\"") else { return text }
      guard byte == UInt8(ascii: "\\"), let escaped = current else {
        text.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "\""):
        text.append(escaped)
        index += 1
      case UInt8(ascii: "\\"):
        // Labels have further escapes, so both stay.
        text += [byte, byte]
        index += 1
      case 0x0A: index += 1
      case 0x0D where next == 0x0A: index += 2
      default: text.append(byte)
      }
    }
    throw error(at: open, "a closing quote", "the end")
  }

  private mutating func markup() throws(AutomatonError) -> String {
    let open = index
    var depth = 0
    while let byte = current {
      if isNext("<!--") {
        while index < bytes.count, !isNext("-->") { index += 1 }
        index = min(bytes.count, index + 3)
        continue
      }
      index += 1
      if byte == UInt8(ascii: "<") {
        depth += 1
      } else if byte == UInt8(ascii: ">") {
        depth -= 1
        if depth == 0 { return String(decoding: bytes[open + 1..<index - 1], as: UTF8.self) }
      }
    }
    throw error(at: open, "`>` that closes `<`", "the end")
  }
}
