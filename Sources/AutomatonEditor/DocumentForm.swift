import Automata
import Foundation

/// The form of a file that holds an automaton: the editor's own, or one of the formats of other tools.
public enum DocumentForm: String, Hashable, Sendable, CaseIterable {
  /// The editor's document, with its drawing.
  case automaton
  /// JFLAP's XML.
  case jff
  /// Graphviz's language.
  case dot
  /// A transition table.
  case table
  /// The reference editor's exchange form.
  case exchange

  /// The endings of file names that stand for a form, the editor's own first.
  public static let endings =
    ["automaton"] + [Format.jflap, .dot, .table, .exchange].flatMap(\.endings)

  /// Returns the form in which a file of the name `path` is written; `nil` where its ending is none of
  /// ``endings``.
  public init?(path: String) {
    if path.lowercased().hasSuffix(".automaton") {
      self = .automaton
      return
    }
    switch Format(path: path) {
    case .jflap?: self = .jff
    case .dot?: self = .dot
    case .table?: self = .table
    case .exchange?: self = .exchange
    case nil: return nil
    }
  }

  /// Returns the form of a file whose name ends in `.ending`; JSON is told by its content.
  public init?(ending: String, data: Data) {
    if ending.lowercased() == "json" {
      self.init(lookingAt: data)
    } else {
      self.init(path: "file.\(ending)")
    }
  }

  /// Returns the form that `data` looks like.
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

  /// The format of another tool; `nil` for the editor's own form.
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
