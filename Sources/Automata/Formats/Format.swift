import Foundation

/// A file format for automata.
public enum Format: String, Hashable, Sendable, CaseIterable {
  /// JFLAP's XML for finite automata, Moore, Mealy and Turing machines and pushdown automata.
  case jflap = "jff"
  /// Graphviz's DOT: initial states have an arrow from a point, final states are double circles.
  case dot
  /// A transition table with a line for each state and a column for each symbol; tables of
  /// spreadsheets, Markdown and lists of transitions are read as well.
  case table = "txt"
  /// The exchange form of the reference editor: JSON with names, and one target for each symbol. The
  /// JSON of FSM Designer, automatonSimulator and Automatarium is read as well.
  case exchange = "json"
  /// Mermaid's state diagrams.
  case mermaid = "mmd"
  /// LaTeX with TikZ, which is only read; `AutomatonEditor` writes it, because that needs a drawing.
  case tikz = "tex"
  /// The tables of transitions of AT&T's FSM library and OpenFst, which are only read.
  case att

  /// The file extensions of this format, the usual one first.
  public var endings: [String] {
    switch self {
    case .jflap: ["jff", "xml"]
    case .dot: ["dot", "gv"]
    case .table: ["txt", "csv", "tsv", "md"]
    case .exchange: ["json"]
    case .mermaid: ["mmd", "mermaid"]
    case .tikz: ["tex", "tikz"]
    case .att: ["att"]
    }
  }

  /// Creates the format for the extension of `path`, or `nil`.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    let ending = path[path.index(after: dot)...].lowercased()
    guard let format = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
      return nil
    }
    self = format
  }

  /// Reads an automaton; `name` is the file's name in messages.
  ///
  /// - Parameter kind: What the labels are, in files that do not say it.
  /// - Throws: `AutomatonError` with the place in the file.
  public func read(
    _ data: Data, name: String, as kind: KindChoice = .detected
  ) throws(AutomatonError) -> PlacedAutomaton {
    let limit = self == .tikz || self == .mermaid ? Self.maximumBytes >> 5 : Self.maximumBytes
    guard data.count <= limit else {
      throw AutomatonError(
        at: name, expected: "at most \(limit >> 20) MiB", found: "\(data.count >> 20) MiB")
    }
    if self == .jflap { return try JFLAP.read(data, name: name) }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw AutomatonError(at: name, expected: "text in UTF-8", found: "other bytes")
    }
    return switch self {
    case .dot: try DOT.read(text, name: name, as: kind)
    case .table: try Table.read(text, name: name, as: kind)
    case .mermaid: try Mermaid.read(text, name: name, as: kind)
    case .tikz: try TikZ.read(text, name: name, as: kind)
    case .att: try ATT.read(text, name: name, as: kind)
    case .exchange, .jflap:
      if let drawn = try OtherJSON.read(data, name: name, as: kind) {
        drawn
      } else {
        PlacedAutomaton(automaton: try Exchange.read(data, name: name))
      }
    }
  }

  /// Writes an automaton.
  ///
  /// - Throws: `AutomatonError` if the format cannot represent the automaton, or is only read.
  public func write(_ drawn: PlacedAutomaton) throws(AutomatonError) -> Data {
    if let kind = drawn.kind, self != .jflap, self != .dot {
      throw AutomatonError(
        at: "\(rawValue) format",
        expected: "a finite automaton (.jff, .dot and .automaton can hold others)",
        found: kind.noun)
    }
    let automaton = drawn.automaton.withLabelsAsSymbols
    switch self {
    case .jflap: return Data(try JFLAP.write(drawn).utf8)
    case .dot:
      var labelled = drawn
      labelled.automaton = automaton
      return Data(DOT.write(labelled).utf8)
    case .table: return Data(try Table.write(automaton).utf8)
    case .exchange: return try Exchange.write(automaton)
    case .mermaid: return Data(automaton.mermaid().utf8)
    case .tikz, .att:
      throw AutomatonError(
        at: "\(rawValue) format", expected: "a format that is written",
        found: "one that is only read")
    }
  }

  /// The maximum size of a file, in bytes.
  public static let maximumBytes = 512 << 20
}

extension Automaton {
  /// A unique name for each state, for formats without ids.
  ///
  /// It is the state's name if that is unique, or ``stateNames`` has one; otherwise its id, followed by
  /// a number if another state has that name.
  var uniqueNames: [String: String] {
    let stateNames = stateNames
    let counts = Dictionary(grouping: stateNames) { $0 }.mapValues(\.count)
    func isOwn(_ name: String) -> Bool { counts[name] == 1 }
    var taken = Set(stateNames)
    var names: [String: String] = [:]
    for (state, stateName) in zip(states, stateNames) {
      var name = isOwn(stateName) ? stateName : state.id
      var number = 1
      while !isOwn(stateName), name != stateName, !taken.insert(name).inserted {
        number += 1
        name = "\(state.id)_\(number)"
      }
      names[state.id] = name
    }
    return names
  }
}

extension Automaton {
  /// The symbols of the alphabet that no transition reads, which a format writes separately.
  public var unreadSymbols: [String] {
    let read = Set(transitions.flatMap(\.symbols).flatMap { labelSyntax.parts(of: $0).joined() })
    return alphabet.filter { !read.contains($0) }
  }
}
