import Automata

extension Document {
  /// The automaton of the document: its states, and its transitions that have both ends.
  ///
  /// Its alphabet includes ``givenAlphabet``. Of a machine of another kind, it is the drawing: its symbols
  /// are the rules.
  public var automaton: Automaton {
    let initial = Set(transitions.filter(\.isInitialMarker).compactMap(\.end))
    let ways = transitions.compactMap { transition -> Automaton.Transition? in
      guard let start = transition.start, let end = transition.end else { return nil }
      return Automaton.Transition(
        transition.id, from: start, to: end, symbols: transition.allSymbols,
        includesEpsilon: transition.includesEpsilon)
    }
    let states = states.map {
      Automaton.State(
        $0.id, name: $0.name, isInitial: initial.contains($0.id), isFinal: $0.isFinal)
    }
    do {
      return try Automaton(states: states, transitions: ways, alphabet: givenAlphabet)
    } catch {
      preconditionFailure("a document has the states of its transitions: \(error)")
    }
  }

  /// The automaton with the centres of its states.
  public var placedAutomaton: PlacedAutomaton {
    let places = states.map { ($0.id, PlacedAutomaton.Place(x: $0.center.x, y: $0.center.y)) }
    return PlacedAutomaton(
      automaton: automaton, places: Dictionary(uniqueKeysWithValues: places), kind: kind)
  }

  /// Returns the automaton for an operation that only finite automata have.
  ///
  /// - Throws: `AutomatonError` with the reason if the document is another machine.
  public func finiteAutomaton(for operation: String) throws(AutomatonError) -> Automaton {
    if let kind { throw kind.refusal(of: operation) }
    return automaton
  }

  /// The machine beyond finite automata that the document draws, or `nil` for a finite automaton.
  ///
  /// - Throws: `AutomatonError` for a label that is not a rule.
  public var machine: Machine? {
    get throws(AutomatonError) {
      guard let kind else { return nil }
      return try Machine(automaton, kind: kind)
    }
  }

  /// The ids of the transitions with a dangling end, which are not part of ``automaton``.
  public var danglingTransitions: [String] { transitions.filter(\.isDangling).map(\.id) }

  /// The dangling transitions as text: `the arrow from q0 to nowhere`.
  public var danglingTransitionDescriptions: [String] {
    danglingTransitionDescriptions(automaton.shownNames)
  }

  /// Returns the dangling transitions as text, with `names`, the shown names of ``automaton``.
  package func danglingTransitionDescriptions(_ names: ShownNames) -> [String] {
    transitions.filter(\.isDangling).map { transition in
      let label = labelText(of: transition)
      return "the arrow from \(transition.start.map(names.state) ?? "nowhere") to "
        + (transition.end.map(names.state) ?? "nowhere") + (label.isEmpty ? "" : " (\(label))")
    }
  }
}
