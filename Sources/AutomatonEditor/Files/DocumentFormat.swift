import Automata
import Foundation

/// The format of an automaton file: the editor's, or that of another tool.
public enum DocumentFormat: String, Hashable, Sendable, CaseIterable {
  /// The editor's document.
  case automaton
  /// JFLAP's XML.
  case jff
  /// Graphviz's DOT.
  case dot
  /// A transition table, or a list of transitions.
  case table
  /// The reference editor's exchange form, or the JSON of another editor.
  case exchange
  /// A state diagram of Mermaid.
  case mermaid
  /// LaTeX with TikZ.
  case tikz
  /// The transitions of AT&T's FSM library or OpenFst, which are only read.
  case att

  /// The file extensions of all formats, the editor's first.
  public static let endings = allCases.flatMap(\.endings)

  /// The file extensions of this format, the usual one first.
  public var endings: [String] { format?.endings ?? ["automaton"] }

  /// The name of the format for people.
  public var title: String {
    switch self {
    case .automaton: "Inkstate"
    case .jff: "JFLAP"
    case .dot: "Graphviz"
    case .table: "table in text"
    case .exchange: "exchange JSON"
    case .mermaid: "Mermaid"
    case .tikz: "LaTeX, TikZ"
    case .att: "AT&T FSM"
    }
  }

  /// The file extensions that are only read, because other programs expect another form in them.
  private static let readEndings: Set = ["csv", "tsv", "md", "att", "mermaid", "tikz"]

  /// The file extensions of files that are written.
  public static let writtenEndings = endings.filter { !readEndings.contains($0) }

  /// Whether files of this format are written, and not only read.
  public var isWritten: Bool { self != .att }

  /// Creates the format for writing a file of the name `path`, or `nil` if its extension is not one
  /// of ``writtenEndings``.
  public init?(writing path: String) {
    let path = path.lowercased()
    guard Self.writtenEndings.contains(where: { path.hasSuffix(".\($0)") }) else { return nil }
    self.init(path: path)
  }

  /// Creates the format for a file of the name `path`, or `nil` if its extension is not one of
  /// `endings`.
  public init?(path: String) {
    let path = path.lowercased()
    let form = Self.allCases.first { $0.endings.contains { path.hasSuffix(".\($0)") } }
    guard let form else { return nil }
    self = form
  }

  /// Creates the format of a file with the extension `ending`; for JSON and text, the content decides.
  public init?(ending: String, data: Data) {
    if ["json", "txt", "md"].contains(ending.lowercased()) {
      self.init(lookingAt: data)
      // A list or a text is JSON too, and no table.
      if ending.lowercased() == "json", self == .table { self = .exchange }
    } else {
      self.init(path: "file.\(ending)")
    }
  }

  /// Creates the format that fits the content `data`.
  public init(lookingAt data: Data) {
    let start = String(decoding: data.prefix(4096), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines.union(["\u{FEFF}"]))
    if start.hasPrefix("<") {
      self = .jff
    } else if start.hasPrefix("{") {
      let isDocument = data.range(of: Data("\"automatonStates".utf8)) != nil
      self = isDocument ? .automaton : .exchange
    } else if Self.beginsDOT(start) {
      self = .dot
    } else if start.contains("\\begin{tikzpicture}") || start.hasPrefix("\\documentclass") {
      self = .tikz
    } else if Self.mermaidStarts.contains(where: start.hasPrefix) {
      self = .mermaid
    } else {
      self = .table
    }
  }

  private static let mermaidStarts = ["stateDiagram", "```mermaid", "%%{", "---\ntitle:"]

  /// Returns whether the first word after comments is a keyword of DOT with a graph after it.
  private static func beginsDOT(_ start: String) -> Bool {
    var rest = start[...]
    while true {
      rest = rest.drop(while: \.isWhitespace)
      if rest.hasPrefix("/*") {
        guard let end = rest.firstRange(of: "*/") else { return true }
        rest = rest[end.upperBound...]
      } else if rest.hasPrefix("//") || rest.hasPrefix("#") {
        rest = rest.drop { !$0.isNewline }
      } else {
        break
      }
    }
    let word = rest.prefix(while: \.isLetter).lowercased()
    return ["digraph", "strict"].contains(word) || word == "graph" && rest.contains("{")
  }

  /// The format of another tool, or `nil` for the editor's.
  public var format: Format? {
    switch self {
    case .automaton: nil
    case .jff: .jflap
    case .dot: .dot
    case .table: .table
    case .exchange: .exchange
    case .mermaid: .mermaid
    case .tikz: .tikz
    case .att: .att
    }
  }
}

extension Data {
  /// The data without the UTF-8 byte-order mark with which some programs start a file.
  public var withoutByteOrderMark: Data {
    starts(with: [0xEF, 0xBB, 0xBF]) ? Data(dropFirst(3)) : self
  }
}
