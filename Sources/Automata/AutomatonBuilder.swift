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
  /// How the symbols of the transitions are read.
  var labelSyntax = LabelSyntax.symbols

  init(file: String) { self.file = file }

  /// Whether there are no states.
  var isEmpty: Bool { states.isEmpty }

  func contains(_ id: String) -> Bool { indices[id] != nil }

  /// Adds a state, or changes it if it exists.
  mutating func state(_ id: String, _ change: (inout Automaton.State) -> Void = { _ in }) {
    if indices[id] == nil {
      indices[id] = states.count
      states.append(Automaton.State(id))
    }
    change(&states[indices[id]!])
  }

  /// Adds a transition without symbols between two states, unless it exists.
  ///
  /// Returns the id of the transition.
  @discardableResult
  mutating func transition(_ start: String, _ end: String) -> String {
    let pair = Pair(start: start, end: end)
    if let known = transitions[pair] { return known.id }
    let id = "t\(order.count)"
    transitions[pair] = Automaton.Transition(id, from: start, to: end)
    order.append(pair)
    return id
  }

  /// Adds a symbol, or ε if it is `nil`, to the transition between two states.
  ///
  /// Returns the id of the transition.
  @discardableResult
  mutating func transition(_ start: String, _ end: String, symbol: String?) -> String {
    transition(start, end)
    let pair = Pair(start: start, end: end)
    if let symbol {
      if symbols[pair, default: []].insert(symbol).inserted {
        transitions[pair]!.symbols.append(symbol)
      }
    } else {
      transitions[pair]!.includesEpsilon = true
    }
    return transitions[pair]!.id
  }

  func automaton() throws(AutomatonError) -> Automaton {
    do {
      return try Automaton(
        states: states, transitions: order.map { transitions[$0]! }, alphabet: alphabet,
        labelSyntax: labelSyntax)
    } catch {
      throw AutomatonError(
        at: "\(file), \(error.place)", expected: error.expected, found: error.found)
    }
  }
}
