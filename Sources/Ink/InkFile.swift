import Foundation
import XMLTree

/// A file of recordings in any format; the content determines the format, not the extension.
public struct InkFile: Sendable {
  /// The formats that can be read.
  public enum Format: String, Sendable, CaseIterable {
    /// One JSON object per line: Quick, Draw!'s raw and simplified drawings, and Inkstate's
    /// recordings.
    case ndjson
    /// The W3C's Ink Markup Language.
    case inkML
    /// The gesture logs of the $1 and $N recognisers.
    case gestureXML

    /// The ending of file names in this format.
    public var ending: String {
      switch self {
      case .ndjson: "ndjson"
      case .inkML: "inkml"
      case .gestureXML: "xml"
      }
    }
  }

  /// A recording or an error, with its place in the file.
  public struct Item: Sendable {
    /// The file and, where a file holds several recordings, the line.
    public var place: Place
    /// The recording or what is wrong with it.
    public var result: Result<Recording, InkError>
  }

  /// The path of the file.
  public let path: String
  /// The format, by the first bytes, or else by the extension `.ndjson`.
  public let format: Format

  /// An open pipe, which cannot be opened again.
  private let pipe: InputFile?

  /// The maximum size of an XML file, in bytes, which is read as a whole.
  private static let longestXML = 10 << 20
  /// The maximum number of bytes for detecting the format.
  private static let longestStart = 64 << 10

  /// Looks at the first bytes of the file or pipe at `path`.
  ///
  /// - Throws: `InkError` if it cannot be opened or holds no ink that we know.
  public init(path: String) throws {
    try self.init(InputFile(path: path))
  }

  /// Looks at the first bytes of `input`.
  ///
  /// - Throws: `InkError` if it cannot be read or holds no ink that we know.
  public init(_ input: InputFile) throws {
    let start = try input.start(atMost: Self.longestStart) {
      Self.detectFormat(ofPrefix: $0) != nil
    }
    path = input.path
    // A broken first line does not prevent reading the lines after it.
    let named: Format? =
      path.lowercased().hasSuffix(".ndjson") && !start.isEmpty ? .ndjson : nil
    guard let format = Self.detectFormat(ofPrefix: start) ?? named else {
      var error = InkError(
        at: Place(file: path), expected: "NDJSON, InkML or gesture XML",
        found: start.isEmpty ? "an empty file" : "something else")
      error.isUnknownFormat = !start.isEmpty
      throw error
    }
    self.format = format
    pipe = input.isRegular ? nil : input
  }

  /// The format that a file beginning with `prefix` is in, or `nil` if it holds no ink.
  public static func detectFormat(ofPrefix prefix: Data) -> Format? {
    switch XMLTreeParser.rootName(ofPrefix: prefix) {
    case "ink": return .inkML
    case "Gesture": return .gestureXML
    default: break
    }
    var bytes = prefix[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    bytes = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    return bytes.first == UInt8(ascii: "{") ? .ndjson : nil
  }

  /// Calls `body` with each item of the file in order, including those that cannot be read.
  ///
  /// A pipe has its items only once.
  ///
  /// - Throws: `InkError` if the file as a whole cannot be read, and whatever `body` throws.
  public func forEach(_ body: (Item) throws -> Void) throws {
    switch format {
    case .ndjson:
      try LineReader(input()).forEach { line in
        if let item = NDJSON.item(line) { try body(item) }
      }
    case .inkML: try InkMLReader.read(xml(), path: path).forEach(body)
    case .gestureXML: try body(GestureXMLReader.read(xml(), path: path))
    }
  }

  /// Every item of the file at `path`, in order.
  ///
  /// - Throws: `InkError` if the file as a whole cannot be read.
  public static func items(path: String) throws -> [Item] {
    var items: [Item] = []
    try InkFile(path: path).forEach { items.append($0) }
    return items
  }

  private func input() throws(InkError) -> InputFile {
    if let pipe { pipe } else { try InputFile(path: path) }
  }

  func xml() throws(InkError) -> Data {
    guard let data = try input().rest(atMost: Self.longestXML) else {
      throw InkError(
        at: Place(file: path), expected: "at most \(Self.longestXML >> 20) MiB of XML",
        found: "more")
    }
    return data
  }
}
