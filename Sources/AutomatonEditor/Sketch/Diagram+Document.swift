import InkDiagram

extension Diagram {
  /// Creates the diagram of a document's automaton, which has no strokes.
  ///
  /// Transitions with a free end are left out, except that an initial marker makes its state initial.
  public init(_ document: Document) {
    let automaton = document.automaton
    let initial = Set(automaton.initialStates)
    self.init(
      states: document.states.map {
        State(
          id: $0.id, name: $0.name, initial: initial.contains($0.id), final: $0.isFinal,
          center: $0.center, radius: $0.radius)
      },
      transitions: automaton.transitions.map {
        Transition(
          from: $0.start, to: $0.end, symbols: $0.symbols + ($0.includesEpsilon ? ["ε"] : []))
      }, strokes: [])
  }
}
