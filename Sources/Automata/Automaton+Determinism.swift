extension Automaton {
  /// A reason why an automaton is not deterministic.
  public enum Nondeterminism: Hashable, Sendable {
    /// There is no initial state, or more than one: these.
    case initialStates([String])
    /// An ε-transition.
    case epsilon(transition: String)
    /// Several transitions of a state read the same symbol.
    case choice(state: String, symbol: String, transitions: [String])
  }

  /// All reasons why the automaton is not deterministic, in the order of its states.
  public var nondeterminism: [Nondeterminism] {
    var found: [Nondeterminism] = []
    if initialStates.count != 1 { found.append(.initialStates(initialStates)) }
    for transition in transitions where transition.includesEpsilon {
      found.append(.epsilon(transition: transition.id))
    }
    let expansion = expansion
    let graph = Graph(expansion.automaton)
    for state in graph.edges.indices {
      let bySymbol = Dictionary(grouping: graph.edges[state], by: \.symbol)
      for (symbol, edges) in bySymbol.sorted(by: { $0.key < $1.key }) {
        guard Set(edges.map(\.target)).count > 1 else { continue }
        found.append(
          .choice(
            state: states[expansion.owners[state]].id, symbol: graph.symbols[symbol],
            transitions: edges.flatMap { expansion.origins[$0.transition] }.map {
              transitions[$0].id
            }))
      }
    }
    return found
  }

  /// Whether there is one initial state, no ε, and at most one transition per state and symbol.
  public var isDeterministic: Bool { nondeterminism.isEmpty }

  /// Returns an equivalent automaton without ε-transitions, with the same states.
  ///
  /// - Throws: `AutomatonError` if the result exceeds the limit.
  public func withoutEpsilon(limit: Limit = .standard) throws(AutomatonError) -> Automaton {
    let graph = Graph(self)
    var marks = Marks(count: graph.stateCount)
    var states = states
    var transitions: [Transition] = []
    var edgeCount = 0
    var room = 0
    for state in states.indices {
      let closure = graph.closure(of: [state], &marks)
      room += closure.count
      try limit.check("ε-removal", transitions: room)
      states[state].isFinal = graph.accepts(in: closure)
      var symbolsByTarget: [Int: Set<Int>] = [:]
      for edge in closure.flatMap({ graph.edges[$0] }) {
        if symbolsByTarget[edge.target, default: []].insert(edge.symbol).inserted { edgeCount += 1 }
      }
      try limit.check("ε-removal", transitions: edgeCount)
      for (target, symbols) in symbolsByTarget.sorted(by: { $0.key < $1.key }) {
        transitions.append(
          Transition(
            "t\(transitions.count)", from: states[state].id, to: states[target].id,
            symbols: symbols.sorted().map { graph.symbols[$0] }))
      }
    }
    return Automaton(
      unchecked: states, transitions, alphabet: alphabet, labelSyntax: labelSyntax)
  }

  /// Returns an equivalent deterministic automaton by the subset construction (Rabin & Scott,
  /// 1959).
  ///
  /// Each state is a set of this automaton's states and is named after them. With `addsTrap`, every
  /// state has a transition for every symbol.
  ///
  /// - Throws: `AutomatonError` if the result exceeds the limit.
  public func determinized(
    addsTrap: Bool = false, limit: Limit = .standard
  ) throws(AutomatonError) -> Automaton {
    let graph = try subsets(limit: limit)
    return (addsTrap ? graph.completed() : graph).automaton
  }

  /// The names of states that are sets of states.
  enum SetNames {
    /// All names in the set; the limit may refuse their length.
    case whole
    /// All names in the set, or an empty name if it is longer than this.
    case short(Int)
    /// No name.
    case none
  }

  /// Performs the subset construction on the ``expanded`` automaton.
  ///
  /// No state has a transition for the `extra` symbols.
  func subsets(
    extra: [String] = [], names setNames: SetNames = .whole, limit: Limit
  ) throws(AutomatonError) -> DeterministicGraph {
    let expanded = expanded
    let stateNames =
      switch setNames {
      case .whole, .short: expanded.stateNames
      case .none: [String](repeating: "", count: expanded.states.count)
      }
    if let table = DeterministicGraph(expanded, extra: extra, names: stateNames, limit: limit) {
      // What the construction gives: the reachable states, in breadth-first order.
      let graph = table.ordered()
      try limit.check(Limit.subsetConstruction, states: graph.stateCount)
      try limit.check(Limit.subsetConstruction, transitions: graph.stateCount)
      if case .whole = setNames {
        let length = graph.names.reduce(0) { $0 + $1.utf8.count + 2 }
        try limit.check("names of sets", characters: length)
      }
      return graph
    }
    let graph = Graph(expanded, extra: extra)
    var marks = Marks(count: graph.stateCount)
    var sets = [graph.closure(of: graph.initial, &marks)]
    var numbers = [sets[0]: 0]
    var next: [Int32] = []
    var room = sets[0].count
    var position = 0
    while position < sets.count {
      let start = next.count
      next.append(contentsOf: repeatElement(-1, count: graph.symbols.count))
      for symbol in graph.symbols(readableIn: sets[position]) {
        let target = graph.step(sets[position], reading: symbol, &marks)
        if let number = numbers[target] {
          next[start + symbol] = Int32(number)
        } else {
          next[start + symbol] = Int32(sets.count)
          numbers[target] = sets.count
          sets.append(target)
          room += target.count
          try limit.check(Limit.subsetConstruction, states: sets.count)
          try limit.check(Limit.subsetConstruction, transitions: room)
        }
      }
      position += 1
      try limit.check(Limit.subsetConstruction, tableEntries: next.count)
    }
    let isDeterministic = sets.allSatisfy { $0.count == 1 }
    var names = [String](repeating: "", count: sets.count)
    func name(of set: [Int]) -> String {
      isDeterministic ? stateNames[set[0]] : Self.nameOfSet(set.map { stateNames[$0] })
    }
    switch setNames {
    case .whole:
      var length = 0
      for (index, set) in sets.enumerated() {
        length += set.reduce(0) { $0 + stateNames[$1].utf8.count + 2 }
        try limit.check("names of sets", characters: length)
        names[index] = name(of: set)
      }
    case .short(let longest):
      // The name of a set has at least as many characters as the set has states.
      for (index, set) in sets.enumerated() where set.count <= longest {
        let name = name(of: set)
        if isDeterministic || name.count <= longest { names[index] = name }
      }
    case .none: break
    }
    return DeterministicGraph(
      symbols: graph.symbols, next: next, isFinal: sets.map(graph.accepts), initial: 0,
      names: names)
  }

  /// Returns the name of a set of states with these names: `{q0,q1}`.
  static func nameOfSet(_ names: [String]) -> String {
    // Byte by byte, because joining and interpolating takes three times as long.
    let length = names.reduce(max(1, names.count) + 1) { $0 + $1.utf8.count }
    return String(unsafeUninitializedCapacity: length) { text in
      var count = 0
      func append(_ byte: UInt8) {
        text[count] = byte
        count += 1
      }
      append(UInt8(ascii: "{"))
      for (index, name) in names.enumerated() {
        if index > 0 { append(UInt8(ascii: ",")) }
        for byte in name.utf8 { append(byte) }
      }
      append(UInt8(ascii: "}"))
      return count
    }
  }

  /// Returns an equivalent deterministic automaton in which every state has a transition for every
  /// symbol of the alphabet.
  ///
  /// - Throws: `AutomatonError` if the result exceeds the limit.
  public func completed(limit: Limit = .standard) throws(AutomatonError) -> Automaton {
    try subsets(limit: limit).completed().automaton
  }

  /// The automaton without unreachable and dead states.
  ///
  /// Initial states stay.
  public var trimmed: Automaton {
    let graph = Graph(self)
    let (reachable, coaccessible) = (graph.reachable, graph.coaccessible)
    let kept = states.indices.filter {
      states[$0].isInitial || reachable[$0] && coaccessible[$0]
    }
    let ids = Set(kept.map { states[$0].id })
    let useful = Set(kept.filter { coaccessible[$0] }.map { states[$0].id })
    return Automaton(
      unchecked: kept.map { states[$0] },
      transitions.filter { ids.contains($0.start) && useful.contains($0.end) },
      alphabet: alphabet, labelSyntax: labelSyntax)
  }
}
