import Foundation

/// A file format for automata.
public enum Format: String, Hashable, Sendable, CaseIterable {
  /// JFLAP's XML for finite automata.
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
    switch self {
    case .jflap: Data(try JFLAP.write(drawn).utf8)
    case .dot: Data(DOT.write(drawn.automaton).utf8)
    case .table: Data(try Table.write(drawn.automaton).utf8)
    case .exchange: try Exchange.write(drawn.automaton)
    }
  }

  /// The maximum size of a file, in bytes.
  public static let mostBytes = 512 << 20
}

/// An automaton with the positions of its states, as far as they are known.
public struct PlacedAutomaton: Hashable, Sendable {
  /// A position on the canvas, with x to the right and y down.
  public struct Place: Hashable, Sendable {
    /// The distance from the left, in canvas points.
    public var x: Double
    /// The distance from the top, in canvas points.
    public var y: Double

    /// Creates a position.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// The automaton.
  public var automaton: Automaton
  /// The centres of the states by id.
  public var places: [String: Place]

  /// Creates an automaton with positions.
  public init(automaton: Automaton, places: [String: Place] = [:]) {
    self.automaton = automaton
    self.places = places
  }
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

/// Collects the states and transitions of a file, in any order.
struct AutomatonBuilder {
  private let file: String
  private var states: [Automaton.State] = []
  private var indices: [String: Int] = [:]
  private struct Pair: Hashable {
    var start: String
    var end: String
  }
  private var order: [Pair] = []
  private var transitions: [Pair: Automaton.Transition] = [:]
  private var symbols: [Pair: Set<String>] = [:]
  /// The symbols of the file's alphabet, in addition to those of its transitions.
  var alphabet: [String] = []

  init(file: String) { self.file = file }

  var isEmpty: Bool { states.isEmpty }

  func contains(_ id: String) -> Bool { indices[id] != nil }

  /// The names of the states by id.
  var names: [String: String] {
    Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0.name) })
  }

  /// Adds a state, or changes it if it exists.
  mutating func state(_ id: String, _ change: (inout Automaton.State) -> Void = { _ in }) {
    if indices[id] == nil {
      indices[id] = states.count
      states.append(Automaton.State(id))
    }
    change(&states[indices[id]!])
  }

  /// Removes a state if it exists.
  mutating func remove(_ id: String) {
    guard let index = indices.removeValue(forKey: id) else { return }
    states.remove(at: index)
    for later in index..<states.count { indices[states[later].id] = later }
  }

  /// Adds a transition without symbols between two states, unless it exists.
  mutating func transition(_ start: String, _ end: String) {
    let pair = Pair(start: start, end: end)
    guard transitions[pair] == nil else { return }
    transitions[pair] = Automaton.Transition("t\(order.count)", from: start, to: end)
    order.append(pair)
  }

  /// Adds a symbol, or ε if it is `nil`, to the transition between two states.
  mutating func transition(_ start: String, _ end: String, symbol: String?) {
    transition(start, end)
    let pair = Pair(start: start, end: end)
    guard let symbol else {
      transitions[pair]!.includesEpsilon = true
      return
    }
    if symbols[pair, default: []].insert(symbol).inserted {
      transitions[pair]!.symbols.append(symbol)
    }
  }

  func automaton() throws(AutomatonError) -> Automaton {
    do {
      return try Automaton(
        states: states, transitions: order.map { transitions[$0]! }, alphabet: alphabet)
    } catch {
      throw AutomatonError(
        at: "\(file), \(error.place)", expected: error.expected, found: error.found)
    }
  }
}
