extension Automaton {
  /// A likely mistake in an automaton.
  public enum Finding: Hashable, Sendable {
    /// There is no initial state.
    case noInitialState
    /// There are several initial states, which a nondeterministic automaton may have.
    case severalInitialStates([String])
    /// There is no final state.
    case noFinalState
    /// A transition without symbols and ε, which is never taken.
    case withoutSymbols(transition: String)
    /// A state that is not reachable from an initial state.
    case unreachable(state: String)
    /// A state from which no final state is reachable (not co-accessible).
    case dead(state: String)
    /// A state without a name.
    case unnamed(state: String)
    /// Several states with the same name.
    case sharedName(String, states: [String])
    /// Symbols of several characters, which change how a word is split
    /// (``Automaton/symbols(of:)``).
    case longSymbols([String])
    /// Labels that read several symbols, one after the other, as in JFLAP.
    case longLabels([String])
    /// A label that looks like a range and reads something else in JFLAP: what it reads.
    case unusualRange(String, reads: [String])
    /// Symbols that look like the empty word or like nothing.
    case emptyLooking([String])

    /// Whether the automaton accepts no word because of it.
    public var isError: Bool {
      switch self {
      case .noInitialState, .noFinalState: true
      case .severalInitialStates, .withoutSymbols, .unreachable, .dead, .unnamed,
        .sharedName, .longSymbols, .longLabels, .unusualRange, .emptyLooking:
        false
      }
    }
  }

  /// Whether the automaton accepts at least one word.
  public var acceptsAnyWord: Bool {
    let graph = Graph(expanded)
    return zip(graph.reachable, graph.isFinal).contains { $0 && $1 }
  }

  /// All likely mistakes; they do not affect a run.
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
    if !longLabels.isEmpty { findings.append(.longLabels(longLabels)) }
    if labelSyntax == .jflap {
      for label in labels where label.count > 1 && label.contains("[") {
        let parts = labelSyntax.parts(of: label)
        guard !LabelSyntax.isPlainRange(label), parts.count == 1 else { continue }
        findings.append(.unusualRange(label, reads: parts[0]))
      }
    }
    let emptyLooking = alphabet.filter(Self.looksEmpty)
    if !emptyLooking.isEmpty { findings.append(.emptyLooking(emptyLooking)) }
    return findings
  }
}

extension Automaton {
  /// Texts that people write for the empty word, or that show nothing.
  private static let emptyTexts: Set<String> = [
    "ε", "ϵ", "λ", "Λ", "eps", "epsilon", "lambda", "□", "␣",
  ]

  /// Returns whether a symbol looks like the empty word or like nothing.
  static func looksEmpty(_ symbol: String) -> Bool {
    emptyTexts.contains(symbol) || symbol.allSatisfy(\.isWhitespace)
  }

  /// Returns a symbol as it is shown in a list: in quotes if it could be taken for something else,
  /// such as the empty word, a space or two symbols.
  public static func shownSymbol(_ symbol: String) -> String {
    let isPlain = !looksEmpty(symbol) && !symbol.contains { $0 == "," || $0.isWhitespace }
    return isPlain ? symbol : "\"\(symbol)\""
  }
}

/// The names of states and transitions in messages, which never contain ids.
public struct ShownNames: Sendable {
  private struct Ends {
    var start: String
    var end: String
  }

  private let states: [String: String]
  private let transitions: [String: Ends]

  fileprivate init(_ automaton: Automaton) {
    let states = Dictionary(
      uniqueKeysWithValues: zip(automaton.states.map(\.id), automaton.stateNames))
    self.states = states
    transitions = Dictionary(
      uniqueKeysWithValues: automaton.transitions.map {
        ($0.id, Ends(start: states[$0.start] ?? "?", end: states[$0.end] ?? "?"))
      })
  }

  /// Returns the name of the state of that id, or `q` and its number where it has no name.
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
  /// The names of the states and transitions in messages.
  public var shownNames: ShownNames { ShownNames(self) }
}

extension Automaton.Finding {
  /// Returns a message for people; `names` are the automaton's ``Automaton/shownNames``.
  public func message(_ names: ShownNames) -> String {
    switch self {
    case .noInitialState: "no initial state"
    case .severalInitialStates(let ids): "several initial states: \(names.list(ids))"
    case .noFinalState: "no final state"
    case .withoutSymbols(let id): "the transition \(names.transition(id)) has no symbol and no ε"
    case .unreachable(let id): "no word reaches state \(names.state(id))"
    case .dead(let id): "no final state is reached from state \(names.state(id))"
    case .unnamed(let id): "a state has no name and is called \(names.state(id))"
    case .sharedName(let name, let ids): "\(ids.count) states are called \(name)"
    case .longSymbols(let symbols):
      "symbols of several characters: \(symbols.joined(separator: ", ")); words are split by longest "
        + "match, and spaces or commas may separate symbols"
    case .longLabels(let labels):
      "labels of several characters, which are read one after the other, as in JFLAP: "
        + labels.prefix(20).map { label in
          "`\(label)` reads "
            + label.prefix(6).map { Automaton.shownSymbol(String($0)) }.joined(separator: ", then ")
            + (label.count > 6 ? ", …" : "")
        }.joined(separator: "; ") + (labels.count > 20 ? "; …" : "")
    case .unusualRange(let label, let symbols):
      "in JFLAP, the label `\(label)` "
        + (symbols.isEmpty
          ? "reads nothing, because a range runs from the first character after [ to the third"
          : "reads one of \(symbols[0]) to \(symbols[symbols.count - 1]) and nothing else")
    case .emptyLooking(let symbols):
      symbols.map { "\"\($0)\"" }.joined(separator: ", ")
        + (symbols.count == 1 ? " is a symbol" : " are symbols") + " here, not the empty word"
    }
  }
}

extension Automaton.Nondeterminism {
  /// Returns the reason for people; `names` are the automaton's ``Automaton/shownNames``.
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
  /// The reason for people.
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
