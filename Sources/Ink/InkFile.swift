import Foundation

/// A file of recordings, whatever its format: the content decides, not the extension.
public struct InkFile: Sendable {
  /// The ways of writing ink down that are understood.
  public enum Format: String, Sendable, CaseIterable {
    /// One JSON object a line: Quick, Draw!'s raw and simplified drawings, and our own recordings.
    case ndjson
    /// The W3C's Ink Markup Language.
    case inkML
    /// The gesture logs of the $1 and $N recognisers.
    case gestureXML
  }

  /// A recording, or the reason why there is none, with the place where it stands.
  public struct Item: Sendable {
    /// The file and, where a file holds several recordings, the line.
    public var place: Place
    /// The recording or what is wrong with it.
    public var result: Result<Recording, InkError>
  }

  /// The path of the file.
  public let path: String
  /// The format, told by the first bytes; where they tell nothing, `.ndjson` is taken at its word.
  public let format: Format

  /// An XML file is read as a whole; real ones have some 100 KB, and the parser takes no more.
  static let longestXML = 10 << 20

  /// Looks at the first bytes of the file at `path`.
  ///
  /// - Throws: `InkError` where the file cannot be opened or holds no ink that we know.
  public init(path: String) throws {
    let handle = try Self.open(path)
    defer { try? handle.close() }
    let start = (try? handle.read(upToCount: 64 << 10)) ?? Data()
    // A first line that is broken does not hide the good ones after it.
    let named: Format? =
      path.lowercased().hasSuffix(".ndjson") && !start.isEmpty ? .ndjson : nil
    guard let format = Self.detectFormat(ofPrefix: start) ?? named else {
      throw InkError(
        at: Place(file: path), expected: "NDJSON, InkML or gesture XML",
        found: start.isEmpty ? "an empty file" : "something else")
    }
    self.path = path
    self.format = format
  }

  /// The format that a file beginning with `prefix` is in, or `nil` where it holds no ink.
  public static func detectFormat(ofPrefix prefix: Data) -> Format? {
    var bytes = prefix[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    bytes = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    switch bytes.first {
    case UInt8(ascii: "{"): return .ndjson
    case UInt8(ascii: "<"):
      switch rootElement(of: String(decoding: bytes, as: UTF8.self)) {
      case "ink": return .inkML
      case "Gesture": return .gestureXML
      default: return nil
      }
    default: return nil
    }
  }

  /// Hands every item of the file to `body`, in order; a bad item does not end the reading.
  ///
  /// - Throws: `InkError` where the file as a whole cannot be read, and whatever `body` throws.
  public func forEach(_ body: (Item) throws -> Void) throws {
    switch format {
    case .ndjson:
      let handle = try Self.open(path)
      defer { try? handle.close() }
      try LineReader(handle, name: path).forEach { line in
        if let item = NDJSON.item(line) { try body(item) }
      }
    case .inkML: try InkMLReader.read(xml(), path: path).forEach(body)
    case .gestureXML: try body(GestureXMLReader.read(xml(), path: path))
    }
  }

  /// Every item of the file at `path`, in order.
  ///
  /// - Throws: `InkError` where the file as a whole cannot be read.
  public static func items(path: String) throws -> [Item] {
    var items: [Item] = []
    try InkFile(path: path).forEach { items.append($0) }
    return items
  }

  private static func open(_ path: String) throws -> FileHandle {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw InkError(at: Place(file: path), expected: "a file", found: "nothing of that name")
    }
    guard !isDirectory.boolValue, let handle = FileHandle(forReadingAtPath: path) else {
      throw InkError(
        at: Place(file: path), expected: "a readable file",
        found: isDirectory.boolValue ? "a folder" : "no permission to read")
    }
    return handle
  }

  private func xml() throws -> Data {
    let handle = try Self.open(path)
    defer { try? handle.close() }
    let data = (try? handle.read(upToCount: Self.longestXML + 1)) ?? Data()
    guard data.count <= Self.longestXML else {
      throw InkError(
        at: Place(file: path), expected: "at most \(Self.longestXML >> 20) MiB of XML",
        found: "more")
    }
    return data
  }

  /// The local name of the first element, past declarations, comments and namespace prefixes.
  private static func rootElement(of text: String) -> Substring? {
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      rest = rest[start...].dropFirst()
      if rest.hasPrefix("!--") {
        guard let end = rest.range(of: "-->") else { return nil }
        rest = rest[end.upperBound...]
      } else if rest.first != "?", rest.first != "!" {
        let name = rest.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        return name.split(separator: ":").last
      }
    }
    return nil
  }
}
