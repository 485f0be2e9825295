import Automata
import Foundation

/// The format of an automaton file: the editor's, or that of another tool.
public enum DocumentForm: String, Hashable, Sendable, CaseIterable {
  /// The editor's document.
  case automaton
  /// JFLAP's XML.
  case jff
  /// Graphviz's DOT.
  case dot
  /// A transition table.
  case table
  /// The reference editor's exchange form.
  case exchange

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
    }
  }

  /// Creates the format for writing a file of the name `path`, or `nil` if its extension is not one
  /// of `endings`.
  public init?(path: String) {
    let path = path.lowercased()
    let form = Self.allCases.first { $0.endings.contains { path.hasSuffix(".\($0)") } }
    guard let form else { return nil }
    self = form
  }

  /// Creates the format of a file with the extension `ending`; for JSON, the content decides.
  public init?(ending: String, data: Data) {
    if ending.lowercased() == "json" {
      self.init(lookingAt: data)
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
    } else if start.hasPrefix("digraph") || start.hasPrefix("strict") || start.hasPrefix("/") {
      self = .dot
    } else {
      self = .table
    }
  }

  /// The format of another tool, or `nil` for the editor's.
  public var format: Format? {
    switch self {
    case .automaton: nil
    case .jff: .jflap
    case .dot: .dot
    case .table: .table
    case .exchange: .exchange
    }
  }
}

extension Data {
  /// The data without the UTF-8 byte-order mark with which some programs start a file.
  public var withoutByteOrderMark: Data {
    starts(with: [0xEF, 0xBB, 0xBF]) ? Data(dropFirst(3)) : self
  }
}
