import Automata
import Ink

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
      return try Automaton(
        states: states, transitions: ways, alphabet: givenAlphabet, labelSyntax: labelSyntax)
    } catch {
      preconditionFailure("a document has the states of its transitions: \(error)")
    }
  }

  /// The automaton with the centres of its states, and what else was drawn.
  public var placedAutomaton: PlacedAutomaton {
    let places = states.map { ($0.id, PlacedAutomaton.Place(x: $0.center.x, y: $0.center.y)) }
    var drawn = PlacedAutomaton(
      automaton: automaton, places: Dictionary(uniqueKeysWithValues: places), kind: kind)
    drawn.acceptance = acceptance
    drawn.notes = notes
    for state in states where !state.label.isEmpty { drawn.stateLabels[state.id] = state.label }
    let known = Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0) })
    for transition in transitions {
      guard let start = transition.start.flatMap({ known[$0] }), transition.end != nil,
        let point = transition.shape.controlPoint(at: start)
      else { continue }
      drawn.controlPoints[transition.id] = PlacedAutomaton.Place(x: point.x, y: point.y)
    }
    return drawn
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
      return try Machine(automaton, kind: kind, acceptance: acceptance)
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

extension Document.Transition.Shape {
  /// The distance between a bend and a straight line that counts as straight, in canvas points.
  private static let straight = 1.0
  /// The distance of the control point of a self-loop from the centre of its state, in radii.
  private static let loopControlReach = 3.0

  /// Returns the control point of a quadratic Bézier curve with this bend, or `nil` for a straight line
  /// and for a self-loop above its state.
  fileprivate func controlPoint(at state: Document.State) -> Vector? {
    switch self {
    case .regular(let start, let tip, let flex):
      let middle = start.middle(to: tip)
      return flex.distance(to: middle) > Self.straight ? flex * 2 - middle : nil
    case .loop(let angle, _):
      let direction = Vector(angle: angle + .pi / 2, length: 1)
      return abs(direction.x) < 1e-6 && direction.y < 0
        ? nil : state.center + direction * (Self.loopControlReach * state.radius)
    }
  }

  /// Whether its points are on the canvas, or its angle is a number.
  var isOnCanvas: Bool {
    switch self {
    case .regular(let start, let tip, let flex):
      start.isOnCanvas && tip.isOnCanvas && flex.isOnCanvas
    case .loop(let angle, _): angle.isFinite
    }
  }

  /// Creates the shape of a transition that is a quadratic Bézier curve with this control point.
  init(from: Document.State, to: Document.State, control: Vector) {
    if from.id == to.id {
      self = .loop(angle: Document.loopAngle(control - from.center), isMirrored: false)
    } else {
      let (start, tip) = (from.ringPoint(towards: control), to.ringPoint(towards: control))
      self = .regular(
        start: start, tip: tip, flex: start * 0.25 + control * 0.5 + tip * 0.25)
    }
  }
}
