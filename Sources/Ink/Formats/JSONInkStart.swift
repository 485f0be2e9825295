/// The start of a JSON file, whose first keys decide the format of its ink.
///
/// It is not decoded, because it may be cut off anywhere.
struct JSONInkStart {
  /// The start ended before the format was clear.
  private struct Cut: Error {}

  private let bytes: [UInt8]
  private var index = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the format of a file that starts with `bytes`, and whether more bytes cannot change it.
  ///
  /// An object of any other kind is a line of NDJSON, whose reader says what is missing.
  static func format(of bytes: [UInt8]) -> (format: InkFile.Format?, isFinal: Bool) {
    let isObject = bytes.first == UInt8(ascii: "{")
    var start = JSONInkStart(bytes)
    do {
      if isObject { return (try start.object() ?? .ndjson, true) }
      return (try start.isListOfStrokes() ? .strokeJSON : nil, true)
    } catch {
      return (isObject ? .ndjson : nil, false)
    }
  }

  /// Reads the keys of the outermost object.
  private mutating func object() throws(Cut) -> InkFile.Format? {
    var format: InkFile.Format?
    try forEachKey { start, key throws(Cut) in
      let first = try start.peek()
      switch key {
      case "drawing": format = .ndjson
      case "type" where first == UInt8(ascii: "\""):
        if try start.string().hasPrefix("excalidraw") { format = .excalidraw }
      case "requests" where first == UInt8(ascii: "["): format = .handwritingRequest
      case _ where StrokeJSONReader.listNames.contains(key) && first == UInt8(ascii: "["):
        if try start.isListOfStrokes() { format = .strokeJSON }
      default: try start.skipValue()
      }
      return format == nil
    }
    return format
  }

  /// Whether the list that comes next begins with a list of points or an object with one; skips any
  /// other list.
  private mutating func isListOfStrokes() throws(Cut) -> Bool {
    var look = self
    if try look.beginsWithStroke() { return true }
    try skipValue()
    return false
  }

  private mutating func beginsWithStroke() throws(Cut) -> Bool {
    index += 1
    // Strokes without points may come first.
    while try peek() == UInt8(ascii: "[") {
      index += 1
      let next = try peek()
      if next == UInt8(ascii: "{") { return try hasKey(["x", "X"]) }
      guard next == UInt8(ascii: "]") else { return false }
      index += 1
      guard try peek() == UInt8(ascii: ",") else { return false }
      index += 1
    }
    guard try peek() == UInt8(ascii: "{") else { return false }
    return try hasKey(["points", "paths"])
  }

  private mutating func hasKey(_ names: Set<String>) throws(Cut) -> Bool {
    var found = false
    try forEachKey { start, key throws(Cut) in
      found = names.contains(key)
      if !found { try start.skipValue() }
      return !found
    }
    return found
  }

  /// Calls `body` at the value of each key of the object that comes next, until it returns false; it
  /// skips the value.
  private mutating func forEachKey(
    _ body: (inout JSONInkStart, String) throws(Cut) -> Bool
  ) throws(Cut) {
    index += 1
    while try peek() == UInt8(ascii: "\"") {
      let key = try string()
      guard try peek() == UInt8(ascii: ":") else { return }
      index += 1
      guard try body(&self, key), try peek() == UInt8(ascii: ",") else { return }
      index += 1
    }
  }

  /// Returns the next byte that is not white space.
  private mutating func peek() throws(Cut) -> UInt8 {
    while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) {
      index += 1
    }
    guard index < bytes.count else { throw Cut() }
    return bytes[index]
  }

  /// Reads the string that comes next; escapes stay, because no name here has any.
  private mutating func string() throws(Cut) -> String {
    let start = index + 1
    index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < bytes.count else { throw Cut() }
    defer { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skipValue() throws(Cut) {
    var depth = 0
    repeat {
      switch try peek() {
      case UInt8(ascii: "\""): _ = try string()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        index += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        // Nothing was opened: the value is missing.
        if depth == 0 { return }
        depth -= 1
        index += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { return }
        index += 1
      default:
        while index < bytes.count, !Self.endsWord(bytes[index]) { index += 1 }
        guard index < bytes.count else { throw Cut() }
      }
    } while depth > 0
  }

  /// Whether a number, `true`, `false` or `null` ends before the byte.
  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), 0x20, 0x09...0x0D:
      true
    default: false
    }
  }
}
