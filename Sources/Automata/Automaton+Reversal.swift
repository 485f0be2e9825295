extension Automaton {
  /// The automaton with every transition reversed and with initial and final states exchanged.
  ///
  /// It accepts the reversed words, and is rarely deterministic.
  public var reversed: Automaton {
    let labels = transitions.map { $0.symbols.map(labelSyntax.reversed) }
    // A label that is none when it is reversed is split into its symbols.
    guard labels.allSatisfy({ $0.allSatisfy { $0 != nil } }) else {
      return expansion.automaton.reversed
    }
    return Automaton(
      unchecked: states.map {
        State($0.id, name: $0.name, isInitial: $0.isFinal, isFinal: $0.isInitial)
      },
      zip(transitions, labels).map { transition, labels in
        Transition(
          transition.id, from: transition.end, to: transition.start,
          symbols: labels.compactMap(\.self), includesEpsilon: transition.includesEpsilon)
      },
      alphabet: alphabet, labelSyntax: labelSyntax)
  }
}
