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
    case unproductive(state: String)
    /// A state without a name.
    case unnamed(state: String)
    /// States of the same name.
    case sharedName(String, states: [String])
    /// Symbols of several characters, which are read only with ``Tokenization/longestMatch``.
    case longSymbols([String])

    /// Whether nothing can be accepted because of it.
    public var isError: Bool {
      switch self {
      case .noInitialState, .noFinalState: true
      case .severalInitialStates, .withoutSymbols, .unreachable, .unproductive, .unnamed,
        .sharedName, .longSymbols:
        false
      }
    }
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
    let (reachable, productive) = (graph.reachable, graph.productive)
    for (index, state) in states.enumerated() {
      if !initialStates.isEmpty, !reachable[index] {
        findings.append(.unreachable(state: state.id))
      }
      if !finalStates.isEmpty, !productive[index] {
        findings.append(.unproductive(state: state.id))
      }
      if state.name.isEmpty { findings.append(.unnamed(state: state.id)) }
    }
    let byName = Dictionary(grouping: states, by: \.name)
    for (name, states) in byName.sorted(by: { $0.key < $1.key })
    where states.count > 1 && !name.isEmpty {
      findings.append(.sharedName(name, states: states.map(\.id)))
    }
    let long = alphabet.filter { $0.count > 1 }
    if !long.isEmpty { findings.append(.longSymbols(long)) }
    return findings
  }
}

extension Automaton {
  /// What each state is called when it is spoken of: its name, or its id where it has none.
  public var shownNames: [String: String] {
    Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0.name.isEmpty ? $0.id : $0.name) })
  }
}

extension Automaton.Finding {
  /// The finding in words; `names` are the automaton's ``Automaton/shownNames``.
  public func words(_ names: [String: String]) -> String {
    switch self {
    case .noInitialState: "no initial state"
    case .severalInitialStates(let ids): "several initial states: \(list(ids, names))"
    case .noFinalState: "no final state"
    case .withoutSymbols(let id): "transition \(id) has no symbol and no ε"
    case .unreachable(let id): "no word reaches state \(names[id] ?? id)"
    case .unproductive(let id): "no final state is reached from state \(names[id] ?? id)"
    case .unnamed(let id): "state \(id) has no name"
    case .sharedName(let name, let ids): "\(ids.count) states are called \(name)"
    case .longSymbols(let symbols):
      "symbols of several characters, read only as longest matches: "
        + symbols.joined(separator: ", ")
    }
  }
}

extension Automaton.Nondeterminism {
  /// The reason in words; `names` are the automaton's ``Automaton/shownNames``.
  public func words(_ names: [String: String]) -> String {
    switch self {
    case .initialStates(let ids):
      ids.isEmpty ? "no initial state" : "several initial states: \(list(ids, names))"
    case .epsilon(let transition): "transition \(transition) needs no symbol"
    case .choice(let state, let symbol, let transitions):
      "in state \(names[state] ?? state), \(symbol) leads several ways, by "
        + transitions.joined(separator: ", ")
    }
  }
}

extension Run.Rejection {
  /// Why, in words.
  public var words: String {
    switch self {
    case .notFinal: "ends in no final state"
    case .dead(let position): "no way on at symbol \(position + 1)"
    case .unknownSymbol(let symbol, let position):
      "no symbol `\(symbol)` in the automaton, at symbol \(position + 1)"
    case .noInitialState: "no initial state"
    }
  }
}

private func list(_ ids: [String], _ names: [String: String]) -> String {
  ids.map { names[$0] ?? $0 }.joined(separator: ", ")
}
