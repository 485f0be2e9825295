import Automata
import Ink
import InkDiagram

/// A document in which some elements stand for ink that is read again, together with newer strokes.
///
/// The elements of `base` are settled; they are drawn in ideal ink, so that a recogniser sees what is
/// around the new strokes.
struct Rereading {
  /// The settled elements.
  let base: Document
  /// The ideal strokes of settled elements, and then the new strokes.
  let drawing: Drawing
  /// The settled element of each ideal stroke.
  private let elements: [String]
  /// The elements that the new strokes became on their own.
  private let alone: [String?]

  /// How far from the new strokes settled elements are seen, in canvas points.
  private static let sight = 400.0
  /// The size of the largest letters of a remark that were no states, and of those that were, as shares of
  /// the usual radius.
  private static let (largestLetter, largestRound) = (2.0, 1.0)
  /// How far a state that is read again may be from where it is, as a share of its radius.
  private static let samePlace = 0.25

  init(of strokes: [Stroke], as alone: [String?], on base: Document) {
    (self.base, self.alone) = (base, alone)
    var ideal: [Stroke] = []
    var elements: [String] = []
    func add(_ line: [Vector], _ id: String) {
      ideal.append(Stroke(through: line))
      elements.append(id)
    }
    let seen = Drawing(strokes).bounds
    func isSeen(_ place: Vector, _ reach: Double) -> Bool {
      guard let seen else { return false }
      let reach = reach + Self.sight
      return place.x > seen.minX - reach && place.x < seen.maxX + reach
        && place.y > seen.minY - reach && place.y < seen.maxY + reach
    }
    let states = base.states.filter { isSeen($0.center, $0.radius) }
    for state in states {
      for radius in state.isFinal ? [state.radius, 0.8 * state.radius] : [state.radius] {
        add(
          (0...48).map { state.center + Vector(angle: Double($0) * .pi / 24, length: radius) },
          state.id)
      }
    }
    let ids = Set(states.map(\.id))
    for transition in base.transitions {
      guard [transition.start, transition.end].contains(where: { $0.map(ids.contains) ?? false }),
        let appearance = base.appearance(of: transition)
      else { continue }
      add(appearance.polyline, transition.id)
      add(appearance.head, transition.id)
    }
    self.elements = elements
    drawing = Drawing(ideal + strokes)
  }

  /// The ideal strokes that are rings of settled states.
  var rings: Set<Int> { Set(elements.indices.filter { base.state(elements[$0]) != nil }) }

  /// The number of ideal strokes.
  var idealCount: Int { elements.count }

  /// The result of reading.
  struct Result {
    var document: Document
    /// The id in the document of each element of the diagram.
    var ids: [String: String]
  }

  /// Returns the settled document with what `diagram` says about the new strokes; elements that are in
  /// `current` as well keep their ids.
  func result(_ diagram: Diagram, current: Document, ids: inout any IDSource) -> Result {
    let drawn = Document(recognized: diagram, in: drawing, id: base.id)
    var result = base
    let ideal = Set(drawing.strokes.prefix(idealCount))
    result.ink = base.ink + drawn.ink.filter { !ideal.contains($0) }
    var settled: [String: String] = [:]
    var fresh: Set<String> = []
    var written: Set<String> = []
    var marked: Set<String> = []
    for (index, stroke) in diagram.strokes.enumerated() {
      guard let element = stroke.element else { continue }
      if index < idealCount {
        if stroke.role != .text, settled[element] == nil { settled[element] = elements[index] }
      } else {
        switch stroke.role {
        case .text: written.insert(element)
        case .initial: marked.insert(element)
        default: fresh.insert(element)
        }
      }
    }
    var used = Set(base.states.map(\.id) + base.transitions.map(\.id))
    func newID(_ kept: String?) -> String {
      if let kept, used.insert(kept).inserted { return kept }
      var id = ids.next()
      while !used.insert(id).inserted || current.state(id) != nil || current.transition(id) != nil {
        id = ids.next()
      }
      return id
    }
    var names: [String: String] = [:]
    let isNamed = diagram.states.contains { !$0.name.isEmpty } || !base.states.isEmpty
    for (state, shape) in zip(diagram.states, drawn.states) {
      if let id = settled[state.id], let index = result.states.firstIndex(where: { $0.id == id }) {
        names[state.id] = id
        if fresh.contains(state.id), state.final { result.states[index].isFinal = true }
        if written.contains(state.id), !state.name.isEmpty {
          result.states[index].name = state.name
        }
        continue
      }
      let known = current.states.first {
        $0.center.distance(to: shape.center) < 0.6 * shape.radius && !used.contains($0.id)
      }
      var own = shape
      own.id = newID(known?.id)
      // What is read as it was drawn stays where it is.
      if let known, known.center.distance(to: own.center) < Self.samePlace * own.radius,
        abs(known.radius - own.radius) < Self.samePlace * own.radius
      {
        (own.center, own.radius) = (known.center, known.radius)
      }
      if own.name.isEmpty { own.name = known?.name ?? (isNamed ? "" : result.freeName) }
      names[state.id] = own.id
      result.states.append(own)
    }
    keepUnread(diagram, current, states: current.states, used: &used, in: &result)
    add(
      drawn, diagram, current: current, names: &names, settled: settled, written: written,
      to: &result
    ) { pair in
      newID(
        current.transitions.first {
          $0.start == pair.0 && $0.end == pair.1 && !used.contains($0.id)
        }?.id)
    }
    for state in diagram.states where state.initial && marked.contains(state.id) {
      guard let id = names[state.id],
        let number = diagram.states.firstIndex(of: state),
        var marker = drawn.transition("i\(number)"),
        !result.transitions.contains(where: { $0.isInitialMarker && $0.end == id })
      else { continue }
      marker.end = id
      marker.id = newID(current.transitions.first { $0.isInitialMarker && $0.end == id }?.id)
      result.transitions.append(marker)
    }
    keepUnread(diagram, current, used: &used, in: &result)
    return Result(document: result, ids: names)
  }

  /// The elements of strokes that the diagram leaves over: they stay what they were on their own.
  ///
  /// - Parameter result: The document that was read, with its states.
  private func unread(
    _ diagram: Diagram, _ current: Document, _ result: Document
  ) -> [(id: String, stroke: Stroke)] {
    let usual = diagram.states.map(\.radius).median() ?? 0
    return zip(zip(diagram.strokes, drawing.strokes).dropFirst(idealCount), alone).compactMap {
      let (read, stroke) = $0
      guard read.element == nil, let id = $1 else { return nil }
      guard let bounds = Drawing([stroke]).bounds else { return nil }
      if let marker = current.transition(id), marker.isInitialMarker,
        let state = result.state(marker.end)
      {
        // Most of an initial arrow is outside its state, and a bar between a name and an output is inside.
        let center = Vector(bounds.center.x, bounds.center.y)
        return center.distance(to: state.center) > state.radius ? (id, stroke) : nil
      }
      guard read.role == .text else { return (id, stroke) }
      // A remark is written with letters, which are smaller than arrows and than states.
      let size = bounds.longerSide
      let most = current.state(id) == nil ? Self.largestLetter : Self.largestRound
      return size > most * usual ? (id, stroke) : nil
    }
  }

  private func keepUnread(
    _ diagram: Diagram, _ current: Document, states: [Document.State], used: inout Set<String>,
    in result: inout Document
  ) {
    for (id, _) in unread(diagram, current, result) {
      guard let state = states.first(where: { $0.id == id }) else { continue }
      if used.insert(id).inserted {
        result.states.append(state)
      } else if let index = result.states.firstIndex(where: { $0.id == id }), state.isFinal {
        // One of its two rings was left over.
        result.states[index].isFinal = true
      }
    }
  }

  private func keepUnread(
    _ diagram: Diagram, _ current: Document, used: inout Set<String>, in result: inout Document
  ) {
    let unread = unread(diagram, current, result)
    for (_, stroke) in unread { result.ink.removeAll { $0 == stroke } }
    for (id, _) in unread {
      guard var transition = current.transition(id), used.insert(id).inserted else { continue }
      if result.state(transition.start) == nil { transition.start = nil }
      if result.state(transition.end) == nil { transition.end = nil }
      // A self-loop needs its state.
      guard !transition.isLoop || transition.start != nil else { continue }
      result.transitions.append(transition)
    }
  }

  /// A change of what was accepted.
  struct Change {
    var id: String
    var text: String
    /// The strokes that drew it.
    var strokes: [Stroke]
  }

  /// Returns what `current` has and the result has not, or not as it was.
  ///
  /// A line without its states that became part of another element is left out: it was never whole.
  func takenBack(
    _ diagram: Diagram, from current: Document, by result: Result
  ) -> [Change] {
    let next = result.document
    let names = current.automaton.shownNames
    var strokes: [String: [(stroke: Stroke, read: Diagram.StrokeRole)]] = [:]
    for (pair, id) in zip(zip(drawing.strokes, diagram.strokes).dropFirst(idealCount), alone) {
      if let id { strokes[id, default: []].append((pair.0, pair.1)) }
    }
    func change(_ id: String, _ what: String, _ otherwise: String) -> Change {
      let own = strokes[id, default: []]
      let isWriting = own.contains { $0.read.role == .text && $0.read.element != nil }
      let isInk = own.contains { $0.read.element == nil }
      let become = isWriting ? "is writing now" : isInk ? "is ink now" : otherwise
      return Change(id: id, text: "\(what) \(become)", strokes: own.map(\.stroke))
    }
    let states = current.states.compactMap { old -> Change? in
      let name = names.state(old.id)
      guard let new = next.state(old.id) else {
        return change(old.id, "the state \(name)", "is part of another element now")
      }
      if old.isFinal, !new.isFinal {
        return Change(id: old.id, text: "the state \(name) is not final any more", strokes: [])
      }
      // A name that a new state got by itself is replaced by the one that is written.
      guard !old.name.isEmpty, !new.name.contains(old.name), !old.hasOwnName else { return nil }
      return Change(
        id: old.id,
        text: "the state \(name) is \(new.name.isEmpty ? "without name" : new.name) now",
        strokes: [])
    }
    let transitions = current.transitions.compactMap { old -> Change? in
      let what =
        switch (old.start.map(names.state), old.end.map(names.state)) {
        case (nil, nil): "a line without states"
        case (nil, let end?) where old.isInitialMarker: "the initial arrow of \(end)"
        case (let start, let end): "the arrow from \(start ?? "nowhere") to \(end ?? "nowhere")"
        }
      guard let new = next.transition(old.id) else {
        let change = change(old.id, what, "leads elsewhere now")
        let isPart = !change.text.hasSuffix("writing now") && !change.text.hasSuffix("ink now")
        return isPart && old.isDangling ? nil : change
      }
      let lost = old.symbols.filter { symbol in !new.symbols.contains { $0.contains(symbol) } }
      guard !lost.isEmpty else { return nil }
      return Change(
        id: old.id,
        text:
          "\(what) has \(new.symbols.isEmpty ? "no symbols" : new.symbols.joined(separator: ", ")) "
          + "instead of \(old.symbols.joined(separator: ", ")) now", strokes: [])
    }
    return states + transitions
  }

  /// Adds the transitions.
  private func add(
    _ drawn: Document, _ diagram: Diagram, current: Document, names: inout [String: String],
    settled: [String: String], written: Set<String>, to result: inout Document,
    id: ((String, String)) -> String
  ) {
    for (number, transition) in diagram.transitions.enumerated() {
      let element = "t\(number)"
      if let id = settled[element],
        let index = result.transitions.firstIndex(where: { $0.id == id })
      {
        names[element] = id
        guard written.contains(element) else { continue }
        for symbol in transition.symbols {
          if symbol == "ε" {
            result.transitions[index].includesEpsilon = true
          } else if !result.transitions[index].symbols.contains(symbol) {
            result.transitions[index].symbols.append(symbol)
          }
        }
        continue
      }
      guard let start = names[transition.from], let end = names[transition.to],
        var own = drawn.transition(element)
      else { continue }
      (own.start, own.end) = (start, end)
      own.id = id((start, end))
      if let known = current.transition(own.id), known.start == start, known.end == end,
        known.shape.isNear(own.shape)
      {
        own.shape = known.shape
      }
      names[element] = own.id
      result.transitions.append(own)
    }
  }
}

extension Document.State {
  /// Whether its name is like those that new states get.
  fileprivate var hasOwnName: Bool { name.first == "q" && Int(name.dropFirst()) != nil }
}

extension Document.Transition.Shape {
  /// Whether two lines between the same states, or two self-loops, are in about the same place.
  fileprivate func isNear(_ other: Self) -> Bool {
    switch (self, other) {
    case (.regular(let start, let tip, let flex), .regular(_, _, let otherFlex)):
      flex.distance(to: otherFlex) < 0.15 * start.distance(to: tip)
    case (.loop(let angle, let isMirrored), .loop(let otherAngle, let isOtherMirrored)):
      isMirrored == isOtherMirrored
        && abs((angle - otherAngle).remainder(dividingBy: 2 * .pi)) < .pi / 8
    default: false
    }
  }
}
