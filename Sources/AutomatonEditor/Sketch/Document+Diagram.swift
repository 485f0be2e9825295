import Automata
import Foundation
import Ink
import InkDiagram

extension Document {
  /// Creates a document of what was recognised in `drawing`, laid out as it was drawn.
  ///
  /// Strokes that are part of no element and label none stay as ``ink``.
  ///
  /// - Throws: `AutomatonError` if two states have one id, a state is not on the canvas, or a state of a
  ///   transition is missing. Diagrams of a `DiagramRecognizer` have none of this.
  public init(_ diagram: Diagram, drawing: Drawing, id: String) throws(AutomatonError) {
    var known: Set<String> = []
    for state in diagram.states {
      let place = "state `\(state.id)`"
      guard known.insert(state.id).inserted else {
        throw AutomatonError(
          at: place, expected: "a unique id", found: "another state with this id")
      }
      guard state.center.isOnCanvas, state.radius > 0, state.radius <= Vector.furthest else {
        throw AutomatonError(
          at: place, expected: "coordinates and a positive radius of at most \(Vector.furthest)",
          found: "\(state.center.x), \(state.center.y) and \(state.radius)")
      }
    }
    for (number, transition) in diagram.transitions.enumerated() {
      for end in [transition.from, transition.to] where !known.contains(end) {
        throw AutomatonError(
          at: "transition \(number + 1)", expected: "a state `\(end)`", found: "none")
      }
    }
    self.init(recognized: diagram, in: drawing, id: id)
  }

  /// Creates a document of what a `DiagramRecognizer` found in `drawing`.
  init(recognized diagram: Diagram, in drawing: Drawing, id: String) {
    self.init(id: id)
    states = diagram.states.map {
      State(
        id: $0.id, name: $0.name, isFinal: $0.final, center: $0.center, radius: $0.radius)
    }
    let known = Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0) })
    for (number, transition) in diagram.transitions.enumerated() {
      guard let from = known[transition.from], let to = known[transition.to] else { continue }
      let symbols = transition.symbols.filter { $0 != "ε" }
      transitions.append(
        Transition(
          id: "t\(number)", start: from.id, end: to.id, symbols: symbols,
          includesEpsilon: symbols.count < transition.symbols.count,
          shape: from.id == to.id
            ? Self.loop(along: transition.path, at: from)
            : Self.line(along: transition.path, from: from, to: to)))
    }
    bendApart(diagram)
    for (number, state) in diagram.states.enumerated() where state.initial {
      guard let holder = known[state.id] else { continue }
      let left = [
        holder.center - Vector(2 * holder.radius, 0), holder.center - Vector(holder.radius, 0),
      ]
      let path = state.marker.count > 1 ? state.marker : left
      let start = path[0]
      let tip = holder.ringPoint(towards: start)
      transitions.append(
        Transition(
          id: "i\(number)", end: holder.id,
          shape: .regular(start: start, tip: tip, flex: start.middle(to: tip)), endsFreely: true))
    }
    ink = zip(diagram.strokes, drawing.strokes).filter { role, _ in
      role.element == nil
    }.map(\.1)
  }

  /// Bends straight arrows in opposite directions apart, to the sides on which they were drawn.
  private mutating func bendApart(_ diagram: Diagram) {
    let paths = Dictionary(
      uniqueKeysWithValues: diagram.transitions.enumerated().map { ("t\($0)", $1.path) })
    /// Returns how far left of the line between the centres of its states an arrow was drawn, if it is straight.
    func offset(_ transition: Transition) -> Double? {
      guard let from = transition.start.flatMap(state), let to = transition.end.flatMap(state),
        transition.shape == .straight(from: from, to: to)
      else { return nil }
      guard let path = paths[transition.id], !path.isEmpty else { return 0 }
      let way = (to.center - from.center).unit
      return -way.cross(path[path.count / 2] - from.center)
    }
    for index in transitions.indices {
      let (start, end) = (transitions[index].start, transitions[index].end)
      let opposite = transitions.first {
        $0.start == end && $0.end == start && offset($0) != nil
      }
      guard let own = offset(transitions[index]), let other = opposite.flatMap(offset) else {
        continue
      }
      // Where both were drawn on one side, as where nothing is known, they bend to their left.
      bow(index, toRight: own < 0 && other < 0)
    }
  }

  /// Returns the shape of a self-loop that was drawn along `path`.
  private static func loop(along path: [Vector], at state: State) -> Transition.Shape {
    guard path.count > 2 else { return .loop(angle: .pi, isMirrored: false) }
    let middle = path.reduce(Vector(0, 0), +) * (1 / Double(path.count))
    let turning = Stroke(through: path).smoothTurningAngle
    return .loop(angle: loopAngle(middle - state.center), isMirrored: turning < 0)
  }

  /// Returns the shape of a line that was drawn along `path`, with its ends on the rings.
  private static func line(along path: [Vector], from: State, to: State) -> Transition.Shape {
    guard let first = path.first, let last = path.last, path.count > 2 else {
      return .straight(from: from, to: to)
    }
    let flex = path[path.count / 2]
    let chord = first.distance(to: last)
    let way = (last - first).unit
    let sag = abs((flex - first).cross(way))
    guard sag > 0.05 * chord else { return .straight(from: from, to: to) }
    return .regular(
      start: from.ringPoint(towards: flex), tip: to.ringPoint(towards: flex), flex: flex)
  }
}
