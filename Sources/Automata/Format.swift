import Foundation

/// The ways in which an automaton lies in a file.
public enum Format: String, Hashable, Sendable, CaseIterable {
  /// JFLAP's XML for finite automata.
  case jflap = "jff"
  /// Graphviz's language: initial states have an arrow from a point, final ones are double circles.
  case dot
  /// A transition table: a line a state, a column a symbol.
  case table = "txt"
  /// The reference editor's exchange form: names, one target for each list of symbols.
  case exchange = "json"

  /// The endings of file names in this format, the usual one first.
  public var endings: [String] {
    switch self {
    case .jflap: ["jff", "xml"]
    case .dot: ["dot", "gv"]
    case .table: ["txt"]
    case .exchange: ["json"]
    }
  }

  /// The format that the ending of `path` stands for, or `nil`.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    let ending = path[path.index(after: dot)...].lowercased()
    guard let format = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
      return nil
    }
    self = format
  }

  /// Reads an automaton; `name` is the file's, for messages.
  ///
  /// - Throws: `AutomatonError` naming the place.
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
  /// - Throws: `AutomatonError` where the format cannot hold it.
  public func write(_ drawn: PlacedAutomaton) throws(AutomatonError) -> Data {
    switch self {
    case .jflap: Data(try JFLAP.write(drawn).utf8)
    case .dot: Data(DOT.write(drawn.automaton).utf8)
    case .table: Data(try Table.write(drawn.automaton).utf8)
    case .exchange: try Exchange.write(drawn.automaton)
    }
  }

  /// The longest file that is read, in bytes.
  public static let mostBytes = 512 << 20
}

/// An automaton with where its states stand, where that is known.
public struct PlacedAutomaton: Hashable, Sendable {
  /// A place on a canvas, x to the right and y down.
  public struct Place: Hashable, Sendable {
    /// Canvas points from the left.
    public var x: Double
    /// Canvas points from the top.
    public var y: Double

    /// Makes a place.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// The automaton.
  public var automaton: Automaton
  /// The centres of its states by id.
  public var places: [String: Place]

  /// Makes a drawn automaton.
  public init(automaton: Automaton, places: [String: Place] = [:]) {
    self.automaton = automaton
    self.places = places
  }
}

extension Automaton {
  /// What each state is called in formats without ids: its name where that is its own, otherwise its
  /// id, with a number behind it where that is the name of another.
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
  /// The symbols of the alphabet that no transition reads, which a format has to write by themselves.
  var unreadSymbols: [String] {
    let read = Set(transitions.flatMap(\.symbols))
    return alphabet.filter { !read.contains($0) }
  }
}

/// Collects what a file tells in any order about states and ways between them.
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
  /// The symbols of the alphabet that the file gives, besides those of its transitions.
  var alphabet: [String] = []

  init(file: String) { self.file = file }

  var isEmpty: Bool { states.isEmpty }

  func contains(_ id: String) -> Bool { indices[id] != nil }

  /// The names of the states by id.
  var names: [String: String] {
    Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0.name) })
  }

  /// Adds the state, or changes what is known of it.
  mutating func state(_ id: String, _ change: (inout Automaton.State) -> Void = { _ in }) {
    if indices[id] == nil {
      indices[id] = states.count
      states.append(Automaton.State(id))
    }
    change(&states[indices[id]!])
  }

  /// Takes the state back, where there is one.
  mutating func remove(_ id: String) {
    guard let index = indices.removeValue(forKey: id) else { return }
    states.remove(at: index)
    for later in index..<states.count { indices[states[later].id] = later }
  }

  /// Adds the transition between two states, without symbols, unless it is there.
  mutating func transition(_ start: String, _ end: String) {
    let pair = Pair(start: start, end: end)
    guard transitions[pair] == nil else { return }
    transitions[pair] = Automaton.Transition("t\(order.count)", from: start, to: end)
    order.append(pair)
  }

  /// Adds a symbol, or ε where it is `nil`, to the transition between two states.
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
