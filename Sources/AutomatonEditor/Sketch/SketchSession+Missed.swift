import Ink
import InkDiagram

extension SketchSession {
  /// Adds a state that was missed in a drawing, with its name and its arrows, as one undo step.
  ///
  /// An arrow of the document with a free end on the same line is tied to the state. What else is in the document stays.
  ///
  /// - Parameters:
  ///   - missed: The id of the state in `diagram`.
  ///   - diagram: The drawing as it was read again, with the states of the document and the missed one, on the canvas.
  ///   - drawing: The drawing, on the canvas.
  /// - Throws: `Refusal` if the diagram has no such state, the document has one there, or is no finite automaton.
  public mutating func add(
    missed: String, of diagram: Diagram, in drawing: Drawing
  ) throws(Refusal) {
    let document = editor.document
    if let kind = document.kind { throw .onlyFiniteAutomata(kind) }
    guard let state = diagram.states.first(where: { $0.id == missed }) else {
      throw .noSuchElement(missed)
    }
    guard document.states.allSatisfy({ $0.center.distance(to: state.center) > $0.radius / 2 })
    else { throw .nothingToDo }
    let result = try editor.withIDs { (ids) throws(Refusal) in
      try document.adding(missed, of: diagram, in: drawing, ids: &ids)
    }
    let noted = diagram.uncertain(by: result.ids)
    let open = uncertain.filter { old in
      !noted.contains { $0.element == old.element && $0.property == old.property }
    }
    try editor.revise(result.document)
    forgetLast()
    readings = open + noted
  }
}

extension Document {
  /// Returns the document with a state of a diagram and its arrows, and their ids by those of the diagram.
  fileprivate func adding(
    _ missed: String, of diagram: Diagram, in drawing: Drawing, ids: inout some IDSource
  ) throws(Refusal) -> (document: Document, ids: [String: String]) {
    var result = self
    var taken = takenIDs
    let read = Document(recognized: diagram, in: drawing, id: id)
    var state = read.state(missed)!
    state.id = try Self.freeID(&ids, &taken)
    result.states.append(state)
    var newIDs = [missed: state.id]
    // The others are those of the document, where they were drawn.
    var known = newIDs
    for state in read.states where state.id != missed {
      let nearest = states.min {
        $0.center.distance(to: state.center) < $1.center.distance(to: state.center)
      }
      if let nearest, nearest.center.distance(to: state.center) < nearest.radius {
        known[state.id] = nearest.id
      }
    }
    var left = Array(transitions.indices)
    for transition in read.transitions where [transition.start, transition.end].contains(missed) {
      let ends = [transition.start, transition.end].map { $0.flatMap { known[$0] } }
      guard transition.isInitialMarker || ends[0] != nil, ends[1] != nil else { continue }
      let same = left.filter { index in
        let own = transitions[index]
        return (own.start == nil || own.start == ends[0]) && (own.end == nil || own.end == ends[1])
      }.map { ($0, distance(from: transition, of: read, to: transitions[$0])) }
        .min { $0.1 < $1.1 }
      if let (same, distance) = same, distance < Self.sameLine {
        left.removeAll { $0 == same }
        (result.transitions[same].start, result.transitions[same].end) = (ends[0], ends[1])
        result.transitions[same].shape = transition.shape
        result.transitions[same].endsFreely = transition.endsFreely
        newIDs[transition.id] = result.transitions[same].id
        guard result.transitions[same].allSymbols.isEmpty else { continue }
        result.transitions[same].symbols = transition.symbols
        result.transitions[same].includesEpsilon = transition.includesEpsilon
      } else {
        var transition = transition
        let id = try Self.freeID(&ids, &taken)
        newIDs[transition.id] = id
        transition.id = id
        (transition.start, transition.end) = (ends[0], ends[1])
        result.transitions.append(transition)
      }
    }
    let drawn = zip(diagram.strokes, drawing.strokes).filter { role, _ in
      role.element.map { newIDs[$0] != nil } ?? false
    }.map(\.1)
    result.ink.removeAll { stroke in drawn.contains { $0.isSame(as: stroke) } }
    return (result, newIDs)
  }

  /// How far the middles of the lines of one arrow are apart at most, in canvas points.
  private static let sameLine = 20.0

  /// Returns how far the middles of the lines of a transition of another document and one of this document are apart.
  private func distance(
    from transition: Transition, of other: Document, to own: Transition
  ) -> Double {
    guard let line = other.appearance(of: transition), let ownLine = appearance(of: own) else {
      return .infinity
    }
    return line.handle.distance(to: ownLine.handle)
  }
}

extension Stroke {
  /// How far the same point is apart at most after two ways of computing it, in canvas points.
  private static let samePoint = 0.01

  fileprivate func isSame(as other: Stroke) -> Bool {
    points.count == other.points.count
      && zip(points, other.points).allSatisfy {
        Vector($0).distance(to: Vector($1)) < Self.samePoint
      }
  }
}
