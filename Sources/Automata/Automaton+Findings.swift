extension Automaton {
  /// Something about an automaton that its author may not have meant.
  public enum Finding: Hashable, Sendable {
    /// Nowhere to begin.
    case noInitialState
    /// Several states to begin in, which is no mistake where it is not meant to be deterministic.
    case severalInitialStates([String])
    /// Nowhere to end.
    case noFinalState
    /// A transition that can never be taken.
    case withoutSymbols(transition: String)
    /// A state that no word reaches.
    case unreachable(state: String)
    /// A state from which no final one is reached.
    case dead(state: String)
    /// A state without a name.
    case unnamed(state: String)
    /// States of the same name.
    case sharedName(String, states: [String])
    /// Symbols of several characters, which change how a word is read (``Automaton/symbols(of:)``).
    case longSymbols([String])

    /// Whether nothing can be accepted because of it.
    public var isError: Bool {
      switch self {
      case .noInitialState, .noFinalState: true
      case .severalInitialStates, .withoutSymbols, .unreachable, .dead, .unnamed,
        .sharedName, .longSymbols:
        false
      }
    }
  }

  /// Whether there is a word that is accepted.
  public var acceptsAnyWord: Bool {
    let graph = Graph(self)
    return zip(graph.reachable, graph.isFinal).contains { $0 && $1 }
  }

  /// Everything that looks like a mistake; running does not depend on it.
  public var findings: [Finding] {
    let graph = Graph(self)
    var findings: [Finding] = []
    switch initialStates.count {
    case 0: findings.append(.noInitialState)
    case 1: break
    default: findings.append(.severalInitialStates(initialStates))
    }
    if finalStates.isEmpty { findings.append(.noFinalState) }
    for transition in transitions where transition.symbols.isEmpty && !transition.includesEpsilon {
      findings.append(.withoutSymbols(transition: transition.id))
    }
    let (reachable, coaccessible) = (graph.reachable, graph.coaccessible)
    let (hasInitialState, hasFinalState) = (!graph.initial.isEmpty, graph.isFinal.contains(true))
    for (index, state) in states.enumerated() {
      if hasInitialState, !reachable[index] {
        findings.append(.unreachable(state: state.id))
      }
      if hasFinalState, !coaccessible[index] {
        findings.append(.dead(state: state.id))
      }
      if state.name.isEmpty { findings.append(.unnamed(state: state.id)) }
    }
    let byName = Dictionary(grouping: states, by: \.name)
    for (name, states) in byName.sorted(by: { $0.key < $1.key })
    where states.count > 1 && !name.isEmpty {
      findings.append(.sharedName(name, states: states.map(\.id)))
    }
    if !longSymbols.isEmpty { findings.append(.longSymbols(longSymbols)) }
    return findings
  }
}

/// What the states and transitions of an automaton are called in messages: never by their ids.
public struct ShownNames: Sendable {
  private struct Ends {
    var start: String
    var end: String
  }

  private let states: [String: String]
  private let transitions: [String: Ends]

  fileprivate init(_ automaton: Automaton) {
    var states: [String: String] = [:]
    for (index, state) in automaton.states.enumerated() {
      states[state.id] = state.name.isEmpty ? "#\(index + 1)" : state.name
    }
    self.states = states
    transitions = Dictionary(
      uniqueKeysWithValues: automaton.transitions.map {
        ($0.id, Ends(start: states[$0.start] ?? "?", end: states[$0.end] ?? "?"))
      })
  }

  /// Returns the name of the state of that id, or `#3` for the third state where it has no name.
  public func state(_ id: String) -> String { states[id] ?? "?" }

  /// Returns the names of the states of those ids, with commas between them.
  public func list(_ ids: [String]) -> String { ids.map(state).joined(separator: ", ") }

  /// Returns where the transition of that id begins and ends: `from q0 to q1`.
  public func transition(_ id: String) -> String {
    transitions[id].map { "from \($0.start) to \($0.end)" } ?? "?"
  }

  fileprivate func end(ofTransition id: String) -> String { transitions[id]?.end ?? "?" }
}

extension Automaton {
  /// What its states and transitions are called in messages.
  public var shownNames: ShownNames { ShownNames(self) }
}

extension Automaton.Finding {
  /// The finding in words; `names` are the automaton's ``Automaton/shownNames``.
  public func message(_ names: ShownNames) -> String {
    switch self {
    case .noInitialState: "no initial state"
    case .severalInitialStates(let ids): "several initial states: \(names.list(ids))"
    case .noFinalState: "no final state"
    case .withoutSymbols(let id): "the transition \(names.transition(id)) has no symbol and no ε"
    case .unreachable(let id): "no word reaches state \(names.state(id))"
    case .dead(let id): "no final state is reached from state \(names.state(id))"
    case .unnamed(let id): "state \(names.state(id)) has no name"
    case .sharedName(let name, let ids): "\(ids.count) states are called \(name)"
    case .longSymbols(let symbols):
      "symbols of several characters: \(symbols.joined(separator: ", ")); in a word the longest "
        + "symbol that fits is read, and spaces or commas may separate symbols"
    }
  }
}

extension Automaton.Nondeterminism {
  /// The reason in words; `names` are the automaton's ``Automaton/shownNames``.
  public func message(_ names: ShownNames) -> String {
    switch self {
    case .initialStates(let ids):
      ids.isEmpty ? "no initial state" : "several initial states: \(names.list(ids))"
    case .epsilon(let id): "the transition \(names.transition(id)) includes ε"
    case .choice(let state, let symbol, let transitions):
      "state \(names.state(state)) has several transitions for \(symbol): to "
        + transitions.map(names.end(ofTransition:)).joined(separator: ", ")
    }
  }
}

extension Run.Rejection {
  /// Why, in words.
  public var message: String {
    switch self {
    case .notFinal: "ends in no final state"
    case .stuck(let position): "stops at symbol \(position + 1): no transition reads it here"
    case .unknownSymbol(let symbol, let position):
      "no symbol `\(symbol)` in the automaton, at symbol \(position + 1)"
    case .noInitialState: "no initial state"
    }
  }
}
