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
    /// Lists of strokes with points as JSON objects: signature_pad's `toData()` and ML Kit's ink.
    case strokeJSON
    /// Scenes of Excalidraw, with their `freedraw` elements.
    case excalidraw
    /// Requests of Google's handwriting input.
    case handwritingRequest
    /// Scalable Vector Graphics.
    case svg
    /// The format of the UNIPEN project.
    case unipen
    /// The whiteboard recordings of the IAM On-Line Handwriting Database.
    case whiteboardXML

    /// The ending of file names in this format.
    public var ending: String {
      switch self {
      case .ndjson: "ndjson"
      case .inkML: "inkml"
      case .gestureXML, .whiteboardXML: "xml"
      case .strokeJSON, .handwritingRequest: "json"
      case .excalidraw: "excalidraw"
      case .svg: "svg"
      case .unipen: "dat"
      }
    }

    /// The endings of all formats, each once.
    public static let endings = allCases.map(\.ending).reduce(into: [String]()) { endings, ending in
      if !endings.contains(ending) { endings.append(ending) }
    }

    /// Whether a file with this ending is mostly ink.
    package var endsLikeInk: Bool {
      switch self {
      case .ndjson, .inkML, .gestureXML, .whiteboardXML, .excalidraw: true
      case .strokeJSON, .handwritingRequest, .svg, .unipen: false
      }
    }

    /// Whether people draw whole automata in programs that write this format.
    package var hasWholeDrawings: Bool {
      switch self {
      case .ndjson, .inkML, .svg, .excalidraw: true
      case .gestureXML, .strokeJSON, .handwritingRequest, .unipen, .whiteboardXML: false
      }
    }

    /// Whether the name of a file says that it is ink.
    public static func isNamed(_ path: String) -> Bool {
      allCases.contains { $0.endsLikeInk && path.lowercased().hasSuffix(".\($0.ending)") }
    }

    /// Whether a file may have several drawings, which are counted.
    public var hasSeveralDrawings: Bool {
      switch self {
      case .ndjson, .inkML, .handwritingRequest, .unipen: true
      case .gestureXML, .strokeJSON, .excalidraw, .svg, .whiteboardXML: false
      }
    }
  }

  /// A recording or an error, with its place in the file.
  public struct Item: Sendable {
    /// The file and, where a file holds several recordings, the line.
    public var place: Place
    /// The recording or what is wrong with it.
    public var result: Result<Recording, InkError>
    /// What the file has besides the recording and was left out, such as `pen-up traces`.
    public var ignored: [String] = []
  }

  /// The path of the file.
  public let path: String
  /// The format, by the first bytes, or else by the extension `.ndjson`.
  public let format: Format
  /// The annotation of InkML, or the level of UNIPEN, that has the label; `nil` for the usual ones.
  public let labelAnnotation: String?

  /// An open pipe, which cannot be opened again.
  private let pipe: InputFile?

  /// The maximum size of a file that is read as a whole, in bytes: all but NDJSON.
  private static let longestFile = 10 << 20
  /// The maximum number of bytes for detecting the format.
  private static let longestStart = 64 << 10

  /// Looks at the first bytes of the file or pipe at `path`.
  ///
  /// - Throws: `InkError` if it cannot be opened or holds no ink that we know.
  public init(path: String, labelAnnotation: String? = nil) throws {
    try self.init(InputFile(path: path), labelAnnotation: labelAnnotation)
  }

  /// Looks at the first bytes of `input`.
  ///
  /// - Throws: `InkError` if it cannot be read or holds no ink that we know.
  public init(_ input: InputFile, labelAnnotation: String? = nil) throws {
    let start = try input.start(atMost: Self.longestStart) {
      Self.detection(ofPrefix: $0).isFinal
    }
    path = input.path
    self.labelAnnotation = labelAnnotation
    // A malformed first line does not prevent reading the lines after it.
    let named: Format? =
      path.lowercased().hasSuffix(".ndjson") && !start.isEmpty ? .ndjson : nil
    guard let format = Self.detectFormat(ofPrefix: start) ?? named else {
      var error = InkError(
        at: Place(file: path), expected: "ink: \(Self.formatNames)",
        found: start.isEmpty ? "an empty file" : "something else")
      error.isUnknownFormat = !start.isEmpty
      throw error
    }
    self.format = format
    pipe = input.isRegular ? nil : input
  }

  /// The names of all formats, for messages and help.
  public static let formatNames =
    "NDJSON, InkML, gesture XML, signature_pad's or ML Kit's JSON, Excalidraw, Google's handwriting "
    + "requests, SVG, UNIPEN or IAM-OnDB's XML"

  /// The format that a file beginning with `prefix` is in, or `nil` if it holds no ink.
  public static func detectFormat(ofPrefix prefix: Data) -> Format? {
    detection(ofPrefix: prefix).format
  }

  /// The format of a file beginning with `prefix`, and whether more bytes cannot change it.
  private static func detection(ofPrefix prefix: Data) -> (format: Format?, isFinal: Bool) {
    switch XMLTreeParser.rootName(ofPrefix: prefix) {
    case "ink": return (.inkML, true)
    case "Gesture": return (.gestureXML, true)
    case "svg": return (.svg, true)
    case "WhiteboardCaptureSession", "StrokeSet": return (.whiteboardXML, true)
    default: break
    }
    var bytes = prefix[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    bytes = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    switch bytes.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return JSONInkStart.format(of: Array(bytes))
    case UInt8(ascii: "."): return UNIPENReader.format(ofStart: Array(bytes))
    default: return (nil, false)
    }
  }

  /// Calls `body` with each item of the file in order, including those that cannot be read.
  ///
  /// A pipe has its items only once.
  ///
  /// - Throws: `InkError` if the file as a whole cannot be read, and whatever `body` throws.
  public func forEach(_ body: (Item) throws -> Void) throws {
    switch format {
    case .ndjson:
      try NDJSON.forEachItem(of: input(), body)
    case .inkML:
      try InkMLReader.read(contents(), path: path, labelAnnotation: labelAnnotation).forEach(body)
    case .gestureXML: try body(GestureXMLReader.read(contents(), path: path))
    case .strokeJSON: try body(StrokeJSONReader.read(contents(), path: path))
    case .excalidraw: try body(ExcalidrawReader.read(contents(), path: path))
    case .handwritingRequest:
      try HandwritingRequestReader.read(contents(), path: path).forEach(body)
    case .svg: try body(SVGReader.read(contents(), path: path))
    case .unipen:
      try UNIPENReader.read(contents(), path: path, level: labelAnnotation).forEach(body)
    case .whiteboardXML: try body(WhiteboardReader.read(contents(), path: path))
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

  func contents() throws(InkError) -> Data {
    guard let data = try input().rest(atMost: Self.longestFile) else {
      throw InkError(
        at: Place(file: path), expected: "at most \(Self.longestFile >> 20) MiB", found: "more")
    }
    return data
  }
}
