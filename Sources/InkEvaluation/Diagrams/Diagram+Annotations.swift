import Foundation
import Ink
import InkDiagram

extension Diagram {
  /// Creates the truth from the annotations of a drawing, or returns `nil` if none is a state.
  ///
  /// This reads the layout of the CTU finite-automata database: groups with the truth `state`,
  /// `final state`, `arrow` and `label`, the text of a label, and parts such as `head` in groups of
  /// their own. References from an arrow to its states, or from a label to its element, are used where
  /// they exist; otherwise the ends of an arrow belong to the nearest states, and a label belongs to
  /// the group or state around it, or to the nearest arrow. An arrow from no state marks the initial
  /// state.
  public init?(_ ink: AnnotatedInk) {
    var annotated = AnnotatedDiagram(ink)
    guard let diagram = annotated.diagram() else { return nil }
    self = diagram
  }
}

/// Builds a diagram from annotated groups of strokes.
private struct AnnotatedDiagram {
  private enum Kind {
    case state, finalState, arrow, initialArrow, head, label, other

    init?(_ truth: String?) {
      guard let words = truth?.lowercased() else { return nil }
      func has(_ parts: String...) -> Bool { parts.contains(where: words.contains) }
      self =
        if has("label", "text", "symbol name") {
          .label
        } else if has("head") {
          .head
        } else if has("state", "circle") {
          has("final", "accept", "double") ? .finalState : .state
        } else if has("arrow", "transition", "edge") {
          has("initial", "start") ? .initialArrow : .arrow
        } else {
          .other
        }
    }
  }

  private struct Label {
    var text: String
    var strokes: [Int]
    /// The id of the group to which it belongs.
    var owner: String?
  }

  private struct Arrow {
    var group: String
    var strokes: [Int]
    var head: [Int]
    var from: String?
    var to: String?
    var isInitial: Bool
  }

  private let strokes: [Stroke]
  private var states: [(group: String, strokes: [Int], state: Diagram.State)] = []
  private var arrows: [Arrow] = []
  private var labels: [Label] = []
  private var groupCount = 0

  init(_ ink: AnnotatedInk) {
    strokes = ink.recording.drawing.strokes
    for group in ink.groups { add(existing(in: group), owner: nil) }
  }

  /// Returns `group` without strokes that the drawing does not have.
  private func existing(in group: AnnotatedInk.Group) -> AnnotatedInk.Group {
    var group = group
    group.strokes.removeAll { !strokes.indices.contains($0) }
    group.groups = group.groups.map(existing)
    return group
  }

  private static func text(
    of group: AnnotatedInk.Group, types: Set<String>
  ) -> String? {
    group.annotations.first { types.contains($0.type.lowercased()) }?.text
  }

  /// Returns what `group` is said to be.
  private static func truth(of group: AnnotatedInk.Group) -> String? {
    text(of: group, types: ["truth", "type", "class"])
  }

  private mutating func add(_ group: AnnotatedInk.Group, owner: String?) {
    groupCount += 1
    let id = group.id ?? "group \(groupCount)"
    let truth = Self.truth(of: group)
    let kind = Kind(truth)
    // The strokes of labels within an element are not part of its shape.
    let inner = group.groups.filter { Kind(Self.truth(of: $0)) == .label }
    let own = Set(group.strokes).subtracting(inner.flatMap(\.strokes)).sorted()
    var next = owner
    switch kind {
    case .state?, .finalState?:
      next = id
      let bounds = Drawing(own.map { strokes[$0] }).bounds
      states.append(
        (
          id, own,
          Diagram.State(
            id: "s\(states.count)", name: Self.text(of: group, types: ["name", "label"]) ?? "",
            final: kind == .finalState,
            center: bounds.map { Vector($0.center) } ?? Vector(0, 0),
            radius: bounds.map { ($0.width + $0.height) / 4 } ?? 0)
        ))
    case .arrow?, .initialArrow?:
      next = id
      let heads = group.groups.filter { Kind(Self.truth(of: $0)) == .head }
      arrows.append(
        Arrow(
          group: id, strokes: own, head: heads.flatMap(\.strokes),
          from: Self.text(of: group, types: ["from", "source", "tail", "start"])?.reference,
          to: Self.text(of: group, types: ["to", "target", "end"])?.reference,
          isInitial: kind == .initialArrow))
      if let text = Self.text(of: group, types: ["label", "text"]) {
        labels.append(Label(text: text, strokes: [], owner: id))
      }
    case .label?:
      let types: Set = ["text", "label", "transcription", "content", "value", "symbols", "name"]
      // Some files have the text after the kind: `label q0`.
      let rest = truth.map { $0.drop { $0 != " " && $0 != ":" } }?
        .trimmingCharacters(in: CharacterSet(charactersIn: " :"))
      labels.append(
        Label(
          text: Self.text(of: group, types: types) ?? rest ?? "", strokes: group.strokes,
          owner: Self.text(of: group, types: ["of", "owner", "parent", "element"])?.reference
            ?? owner))
      return
    case .head?, .other?, nil: break
    }
    for child in group.groups { add(child, owner: next) }
  }

  mutating func diagram() -> Diagram? {
    guard !states.isEmpty else { return nil }
    var diagram = Diagram(states: states.map(\.state), transitions: [], strokes: [])
    var roles = strokes.map { _ in Diagram.StrokeRole(.other) }
    var elements: [String: String] = [:]
    for state in states {
      elements[state.group] = state.state.id
      for stroke in state.strokes { roles[stroke] = .init(.state, element: state.state.id) }
    }
    var lines: [(id: String, strokes: [Int])] = []
    for arrow in arrows {
      let ends = ends(of: arrow)
      let from = arrow.from.flatMap { elements[$0] } ?? (arrow.isInitial ? nil : ends.from)
      let to = arrow.to.flatMap { elements[$0] } ?? ends.to
      guard let to else { continue }
      if let from {
        let id = "t\(diagram.transitions.count)"
        diagram.transitions.append(.init(from: from, to: to))
        elements[arrow.group] = id
        lines.append((id, arrow.strokes))
        for stroke in arrow.strokes { roles[stroke] = .init(.transition, element: id) }
      } else {
        if let index = diagram.states.firstIndex(where: { $0.id == to }) {
          diagram.states[index].initial = true
        }
        for stroke in arrow.strokes { roles[stroke] = .init(.initial, element: to) }
      }
    }
    for label in labels {
      let element =
        label.owner.flatMap { elements[$0] }
        ?? nearest(to: label.strokes, lines: lines)
      for stroke in label.strokes { roles[stroke] = .init(.text, element: element) }
      guard let element else { continue }
      if let index = diagram.states.firstIndex(where: { $0.id == element }) {
        diagram.states[index].name = label.text
      } else if let index = Int(element.dropFirst()), diagram.transitions.indices.contains(index) {
        diagram.transitions[index].symbols += label.text.split(separator: ",")
          .map { $0.trimmingCharacters(in: .whitespaces) }
          .filter { !$0.isEmpty && !diagram.transitions[index].symbols.contains($0) }
      }
    }
    diagram.strokes = roles
    return diagram
  }

  /// Returns the states at the tail and the tip of an arrow.
  private func ends(of arrow: Arrow) -> (from: String?, to: String?) {
    let shafts = arrow.strokes.filter { !arrow.head.contains($0) }.map { strokes[$0] }
    guard let line = shafts.max(by: { $0.chord < $1.chord }), let first = line.points.first,
      let last = line.points.last
    else { return (nil, nil) }
    let rest =
      arrow.head.isEmpty
      ? arrow.strokes.map { strokes[$0] }.filter { $0 != line } : arrow.head.map { strokes[$0] }
    var (tail, tip) = (first, last)
    if let center = Drawing(rest).bounds?.center {
      if first.distance(to: center) < last.distance(to: center) { (tail, tip) = (last, first) }
    } else if let furthest = line.points.max(by: {
      $0.distance(to: first) < $1.distance(to: first)
    }), line.chord > 0.3 * line.length {
      // The head goes back from the tip.
      tip = furthest
    }
    return (state(near: tail), state(near: tip))
  }

  private func state(near point: Point) -> String? {
    let near = states.map { entry -> (distance: Double, id: String, radius: Double) in
      return (
        abs(entry.state.center.distance(to: Vector(point)) - entry.state.radius), entry.state.id,
        entry.state.radius
      )
    }.min { $0.distance < $1.distance }
    guard let near, near.distance < 0.9 * near.radius else { return nil }
    return near.id
  }

  /// Returns the element of a label: the state around it or the nearest arrow.
  private func nearest(to label: [Int], lines: [(id: String, strokes: [Int])]) -> String? {
    guard let center = Drawing(label.map { strokes[$0] }).bounds?.center else { return nil }
    let around = states.first { entry in
      entry.state.center.distance(to: Vector(center)) < entry.state.radius
    }
    if let around { return around.state.id }
    return lines.min { one, other in
      distance(center, one.strokes) < distance(center, other.strokes)
    }?.id
  }

  private func distance(_ point: Point, _ line: [Int]) -> Double {
    line.flatMap { strokes[$0].points }.map { $0.distance(to: point) }.min() ?? .infinity
  }
}

extension String {
  /// The id in a reference such as `#a`.
  fileprivate var reference: String { hasPrefix("#") ? String(dropFirst()) : self }
}
