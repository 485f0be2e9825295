import Ink

extension DrawnArrow {
  /// How far a line is from the arrow that it is, and from arrows that it is not, on average, in usual radii of a
  /// state.
  private static let (same, different) = (0.18, 0.3)
  /// How far the ends of a line are from those of the arrow that it is, in usual radii of a state.
  private static let nearEnd = 0.6

  /// Returns the lines that `recognizer` considers as arrows among the strokes of `traced`, labelled by the
  /// arrows of `diagram`, whose strokes are those of `drawing`; lines that are only near an arrow are left out.
  public static func all(
    of diagram: Diagram, in drawing: Drawing, traced: Drawing, picture: any DiagramPicture,
    recognizer: DiagramRecognizer
  ) -> [DrawnArrow] {
    let (lines, scale) = recognizer.lines(in: traced, picture: picture)
    let truths = truths(of: diagram, in: drawing)
    return lines.compactMap { line in
      var found = DrawnArrow(path: line.map { Point($0.x, $0.y) }, kind: .other)
      for truth in truths {
        let apart = max(distance(line, to: truth.path), distance(truth.path, to: line)) / scale
        guard apart < different else { continue }
        let (start, end) = (line[0], line[line.count - 1])
        let (first, last) = (truth.path[0], truth.path[truth.path.count - 1])
        // The other way round, it is none.
        guard start.distance(to: first) <= start.distance(to: last) else { continue }
        guard apart < same, max(start.distance(to: first), end.distance(to: last)) < nearEnd * scale
        else { return nil }
        found.kind = truth.kind
      }
      return found
    }
  }

  /// Returns the lines of the arrows, from their starts to their tips.
  private static func truths(
    of diagram: Diagram, in drawing: Drawing
  ) -> [(path: [Vector], kind: Kind)] {
    var strokes: [Diagram.StrokeRole: [Trace]] = [:]
    for (stroke, role) in zip(drawing.strokes.indices, diagram.strokes)
    where role.role == .transition || role.role == .initial {
      if let trace = Trace(drawing.strokes[stroke], index: stroke) {
        strokes[role, default: []].append(trace)
      }
    }
    func center(_ id: String) -> Vector? {
      diagram.states.first { $0.id == id }?.center
    }
    let arrows = strokes.sorted { $0.value[0].index < $1.value[0].index }
    return arrows.compactMap { role, traces in
      guard let element = role.element, var path = ArrowEnd.line(of: traces)?.path else {
        return nil
      }
      let (start, end) = (path[0], path[path.count - 1])
      if role.role == .initial {
        guard let state = center(element) else { return nil }
        if start.distance(to: state) < end.distance(to: state) { path.reverse() }
        return (path, .initial)
      }
      guard let number = Int(element.dropFirst()), diagram.transitions.indices.contains(number),
        let from = center(diagram.transitions[number].from),
        let to = center(diagram.transitions[number].to)
      else { return nil }
      let isReversed =
        start.distance(to: from) + end.distance(to: to)
        > start.distance(to: to) + end.distance(to: from)
      if isReversed { path.reverse() }
      return (path, .transition)
    }
  }

  /// Returns the mean distance of the points of a line from another line.
  private static func distance(_ line: [Vector], to other: [Vector]) -> Double {
    let sum = line.reduce(0.0) { sum, point in
      sum
        + zip(other, other.dropFirst()).reduce(Double.infinity) {
          min($0, point.distance(toSegmentFrom: $1.0, to: $1.1))
        }
    }
    return sum / Double(line.count)
  }
}
