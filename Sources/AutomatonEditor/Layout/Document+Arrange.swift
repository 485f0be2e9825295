import Automata
import Foundation
import Ink

/// An arrangement of several states.
public enum Arrangement: String, Hashable, Sendable, CaseIterable {
  /// The centres are in one row.
  case row
  /// The centres are in one column.
  case column
  /// The centres have the same distances from left to right.
  case spreadAcross
  /// The centres have the same distances from top to bottom.
  case spreadDown
  /// The radii are the same.
  case equalRadii
  /// The states are in columns, from the initial state on, and the arrows are straight.
  case layers
}

extension Document {
  /// Moves states with their arrows; other elements stay, and no loose end becomes attached.
  mutating func move(_ ids: [String], by way: Vector) throws(Refusal) {
    guard way.isFinite else { throw .notANumber }
    for id in ids where state(id) != nil {
      try place(id, at: states[stateIndex(id)].center + way)
    }
    // A transition between two of the states has moved along; the bend of any other is its own.
    let moved = Set(ids)
    for id in ids {
      guard let transition = transition(id), !transition.isLoop,
        ![transition.start, transition.end].contains(where: { $0.map(moved.contains) ?? false }),
        case .regular(let start, let tip, let flex) = transition.shape
      else { continue }
      if transition.start == nil, transition.end == nil {
        transitions[try transitionIndex(id)].shape = .regular(
          start: start + way, tip: tip + way, flex: flex + way)
      } else {
        try bend(id, through: flex + way)
      }
    }
  }

  /// Moves states, or changes their radii, so that they are arranged.
  mutating func arrange(_ ids: Set<String>, _ arrangement: Arrangement) throws(Refusal) {
    let chosen = states.filter { ids.contains($0.id) }
    guard chosen.count > 1 else { throw .nothingToDo }
    let count = Double(chosen.count)
    let middle = chosen.reduce(Vector(0, 0)) { $0 + $1.center } * (1 / count)
    var centers: [String: Vector] = [:]
    switch arrangement {
    case .row: for state in chosen { centers[state.id] = Vector(state.center.x, middle.y) }
    case .column: for state in chosen { centers[state.id] = Vector(middle.x, state.center.y) }
    case .spreadAcross, .spreadDown:
      let isAcross = arrangement == .spreadAcross
      func place(_ state: State) -> Double { isAcross ? state.center.x : state.center.y }
      let sorted = chosen.sorted { (place($0), $0.id) < (place($1), $1.id) }
      let (first, last) = (place(sorted[0]), place(sorted[sorted.count - 1]))
      for (index, state) in sorted.enumerated() {
        let here = first + (last - first) * Double(index) / (count - 1)
        centers[state.id] = isAcross ? Vector(here, state.center.y) : Vector(state.center.x, here)
      }
    case .equalRadii:
      let radius = chosen.reduce(0) { $0 + $1.radius } / count
      for state in chosen {
        states[try stateIndex(state.id)].radius = radius
        try place(state.id, at: state.center)
      }
      return
    case .layers: return try layOut(chosen, around: middle)
    }
    for state in chosen { try place(state.id, at: centers[state.id]!) }
  }

  /// Lays out states in columns, and straightens the arrows between them.
  private mutating func layOut(_ chosen: [State], around middle: Vector) throws(Refusal) {
    let ids = Set(chosen.map(\.id))
    let whole = automaton
    let part: Automaton
    do {
      part = try Automaton(
        states: whole.states.filter { ids.contains($0.id) },
        transitions: whole.transitions.filter { ids.contains($0.start) && ids.contains($0.end) },
        labelSyntax: whole.labelSyntax)
    } catch { preconditionFailure("a part of an automaton is one: \(error)") }
    let drawn = Document(PlacedAutomaton(automaton: part), id: id)
    // The layout has room for states of the usual size.
    let largest = { (states: [State]) in states.map(\.radius).max() ?? 1 }
    let zoom = max(1, largest(chosen) / largest(drawn.states))
    let center =
      drawn.states.reduce(Vector(0, 0)) { $0 + $1.center } * (1 / Double(drawn.states.count))
    func placed(_ place: Vector) -> Vector { middle + (place - center) * zoom }
    for state in drawn.states { try place(state.id, at: placed(state.center)) }
    struct Ends: Hashable {
      var start: String?
      var end: String?
      var isMarker: Bool

      init(_ transition: Transition) {
        (start, end, isMarker) = (transition.start, transition.end, transition.isInitialMarker)
      }
    }
    // The layout has one transition for all of the same states.
    let laidOut = Dictionary(
      drawn.transitions.map { (Ends($0), $0) }, uniquingKeysWith: { first, _ in first })
    var counts: [Ends: Int] = [:]
    for index in transitions.indices {
      let ends = Ends(transitions[index])
      guard let example = laidOut[ends] else { continue }
      let count = counts[ends, default: 0]
      counts[ends] = count + 1
      transitions[index].labelPlace = count == 0 ? example.labelPlace : nil
      switch example.shape {
      case .regular(let start, let tip, let flex):
        let aside =
          Vector(tip.y - start.y, start.x - tip.x).unit * (Self.parallelBow * Double(count))
        transitions[index].shape = .regular(
          start: placed(start), tip: placed(tip), flex: placed(flex + aside))
      case .loop(let angle, let isMirrored):
        let turn = Self.parallelAngle * Double(count)
        transitions[index].shape = .loop(angle: angle + turn, isMirrored: isMirrored)
      }
      project(index)
    }
  }

  /// How much further a second transition of the same states is bent, in canvas points.
  private static let parallelBow = 60.0
  /// How much further a second self-loop is turned, in radians.
  private static let parallelAngle = 0.9

  /// Returns the elements of those ids as a document; the transitions keep an end only with its state.
  public func part(_ ids: Set<String>) -> Document {
    var part = Document(id: id, kind: kind)
    (part.labelSyntax, part.acceptance) = (labelSyntax, acceptance)
    part.states = states.filter { ids.contains($0.id) }
    let kept = Set(part.states.map(\.id))
    part.transitions = transitions.compactMap { transition in
      let ends = [transition.start, transition.end].compactMap(\.self)
      let isBetween = !ends.isEmpty && ends.allSatisfy(kept.contains)
      guard ids.contains(transition.id) || isBetween else { return nil }
      guard !transition.isLoop || isBetween else { return nil }
      var copy = transition
      if let start = copy.start, !kept.contains(start) {
        (copy.start, copy.endsFreely) = (nil, false)
      }
      if let end = copy.end, !kept.contains(end) {
        copy.end = nil
        if copy.start != nil { copy.endsFreely = false }
      }
      return copy
    }
    return part
  }

  /// Whether a symbol has several characters, so that ``labelSyntax`` matters.
  private var hasLongSymbols: Bool {
    transitions.contains { $0.allSymbols.contains { $0.count > 1 } }
  }

  /// Adds copies of the elements of another document.
  mutating func insert(
    _ other: Document, by way: Vector, _ ids: inout some IDSource
  ) throws(Refusal) {
    guard way.isFinite else { throw .notANumber }
    if other.labelSyntax != labelSyntax, other.hasLongSymbols {
      guard !hasLongSymbols else { throw .otherLabels }
      labelSyntax = other.labelSyntax
    }
    var names: [String: String] = [:]
    var taken = takenIDs
    for var state in other.states {
      let id = try Self.freeID(&ids, &taken)
      names[state.id] = id
      state.id = id
      state.center = state.center + way
      states.append(state)
    }
    for var transition in other.transitions {
      transition.id = try Self.freeID(&ids, &taken)
      transition.start = transition.start.flatMap { names[$0] }
      transition.end = transition.end.flatMap { names[$0] }
      transition.shape = transition.shape.moved(by: way)
      transitions.append(transition)
    }
  }
}

extension Document.Transition.Shape {
  /// Returns the shape moved by a vector; a self-loop moves with its state.
  fileprivate func moved(by way: Vector) -> Self {
    guard case .regular(let start, let tip, let flex) = self else { return self }
    return .regular(start: start + way, tip: tip + way, flex: flex + way)
  }
}
