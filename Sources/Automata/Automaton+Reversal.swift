extension Automaton {
  /// The automaton with every transition reversed and with initial and final states exchanged.
  ///
  /// It accepts the reversed words, and is rarely deterministic.
  public var reversed: Automaton {
    Automaton(
      unchecked: states.map {
        State($0.id, name: $0.name, isInitial: $0.isFinal, isFinal: $0.isInitial)
      },
      transitions.map {
        Transition(
          $0.id, from: $0.end, to: $0.start, symbols: $0.symbols,
          includesEpsilon: $0.includesEpsilon)
      },
      alphabet: alphabet)
  }
}
