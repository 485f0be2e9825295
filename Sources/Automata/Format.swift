import Foundation

/// A file format for automata.
public enum Format: String, Hashable, Sendable, CaseIterable {
  /// JFLAP's XML for finite automata, Moore, Mealy and Turing machines and pushdown automata.
  case jflap = "jff"
  /// Graphviz's DOT: initial states have an arrow from a point, final states are double circles.
  case dot
  /// A transition table with a line for each state and a column for each symbol.
  case table = "txt"
  /// The exchange form of the reference editor: JSON with names, and one target for each symbol.
  case exchange = "json"

  /// The file extensions of this format, the usual one first.
  public var endings: [String] {
    switch self {
    case .jflap: ["jff", "xml"]
    case .dot: ["dot", "gv"]
    case .table: ["txt"]
    case .exchange: ["json"]
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
  /// - Throws: `AutomatonError` with the place in the file.
  public func read(_ data: Data, name: String) throws(AutomatonError) -> PlacedAutomaton {
    guard data.count <= Self.mostBytes else {
      throw AutomatonError(
        at: name, expected: "at most \(Self.mostBytes >> 20) MiB", found: "\(data.count >> 20) MiB")
    }
    if self == .jflap { return try JFLAP.read(data, name: name) }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw AutomatonError(at: name, expected: "text in UTF-8", found: "other bytes")
    }
    let automaton =
      switch self {
      case .dot: try DOT.read(text, name: name)
      case .table: try Table.read(text, name: name)
      case .exchange, .jflap: try Exchange.read(data, name: name)
      }
    return PlacedAutomaton(automaton: automaton)
  }

  /// Writes an automaton.
  ///
  /// - Throws: `AutomatonError` if the format cannot represent the automaton.
  public func write(_ drawn: PlacedAutomaton) throws(AutomatonError) -> Data {
    if let kind = drawn.kind, self != .jflap {
      throw AutomatonError(
        at: "\(rawValue) format",
        expected: "a finite automaton (.jff and .automaton can hold others)",
        found: kind.noun)
    }
    return switch self {
    case .jflap: Data(try JFLAP.write(drawn).utf8)
    case .dot: Data(DOT.write(drawn.automaton).utf8)
    case .table: Data(try Table.write(drawn.automaton).utf8)
    case .exchange: try Exchange.write(drawn.automaton)
    }
  }

  /// The maximum size of a file, in bytes.
  public static let mostBytes = 512 << 20
}

extension Automaton {
  /// A unique name for each state, for formats without ids.
  ///
  /// It is the state's name if that is unique, otherwise its id, followed by a number if another
  /// state has that name.
  var uniqueNames: [String: String] {
    let counts = Dictionary(grouping: states, by: \.name).mapValues(\.count)
    func isOwn(_ name: String) -> Bool { !name.isEmpty && counts[name] == 1 }
    var taken = Set(states.map(\.name))
    var names: [String: String] = [:]
    for state in states {
      var name = isOwn(state.name) ? state.name : state.id
      var number = 1
      while !isOwn(state.name), name != state.name, !taken.insert(name).inserted {
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
  var unreadSymbols: [String] {
    let read = Set(transitions.flatMap(\.symbols))
    return alphabet.filter { !read.contains($0) }
  }
}
