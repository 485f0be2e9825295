import Foundation
import Ink
import SeededRandom

extension PageDraft {
  /// An arrow of a given automaton, before it is drawn.
  private struct PlannedArrow {
    var arrow: Page.Arrow
    /// The marker that it is, if it comes from nowhere.
    var mark: InitialMark?
    var symbols: [String] = []
    var label: Label?
  }

  /// How many ways are tried for an arrow, and how often places for its symbols.
  private static let attempts = 12
  /// Arrows do not run along each other: the distance, in radii, and the share of an arrow, and of a self-loop,
  /// that may be nearer.
  private static let (apart, together, loopsTogether) = (0.3, 0.25, 0.05)
  /// The distance between the start of an initial arrow and other states, in radii, and between symbols, in heights
  /// of capitals.
  private static let (away, betweenSymbols) = (0.8, 0.6)

  /// Draws an automaton, and returns `false` if its states, or the arrows that it has to have, find no place.
  mutating func draw(_ machine: DrawnMachine) -> Bool {
    let whole = Region(left: 0, top: 0, width: Double(page.width), height: Double(page.height))
    placeStates(in: whole, count: machine.states.count)
    let states = ovals.indices
    guard states.count == machine.states.count, var arrows = arrows(of: machine) else {
      return false
    }
    page.arrows = arrows.map(\.arrow)
    // All lines have their places before anything is written, so that no text lies on one.
    for number in arrows.indices where !arrows[number].symbols.isEmpty {
      arrows[number].label = label(of: number, arrows[number].symbols)
      if let box = arrows[number].label?.box { boxes.append(box) }
    }
    let isWritten = arrows.filter { $0.symbols.isEmpty || $0.label != nil }
    guard machine.edges == nil || isWritten.count == arrows.count else { return false }
    arrows = isWritten
    page.arrows = arrows.map(\.arrow)
    guard connectsStates else { return false }
    for state in states {
      drawOutline(state)
      let inside = machine.states[state].isFinal ? drawInnerRing(state) : ovals[state]
      guard let name = machine.states[state].name else { continue }
      write(writer.write(name, using: &dice.generator), in: inside, .state(state))
    }
    for (number, planned) in arrows.enumerated() {
      let element = Page.Element.arrow(number)
      let box = planned.label.flatMap { write($0, element) }
      if let mark = planned.mark {
        draw(mark, element)
      } else {
        drawLine(planned.arrow.path, element, around: box)
        drawHead(planned.arrow.path, element)
      }
    }
    drawBeside()
    return true
  }

  /// Returns the initial arrows and those of the transitions at their places, or `nil` if one that has to be there
  /// has none.
  private mutating func arrows(of machine: DrawnMachine) -> [PlannedArrow]? {
    var arrows: [PlannedArrow] = []
    func others() -> [[Vector]] { arrows.map(\.arrow.path) }
    for state in ovals.indices where machine.states[state].isInitial {
      let rest = ovals.indices.filter { $0 != state }.map { ovals[$0] }
      let distance = Self.away * habits.radius
      let mark = first(apartFrom: others(), path: \.path) { draft in
        let mark = draft.initialMark(draft.dice.choose(.initialMarker), at: state)
        // Near another state it would come from there.
        return mark.flatMap { mark in
          rest.contains { $0.contains(mark.path[0], margin: distance) } ? nil : mark
        }
      }
      guard let mark else { return nil }
      let arrow = Page.Arrow(from: nil, to: state, path: mark.path, hasTwoHeads: false)
      arrows.append(PlannedArrow(arrow: arrow, mark: mark))
    }
    let (states, centers) = (ovals.indices, ovals.map(\.center))
    let distance = 2 * habits.radius * (1 + habits.spacing)
    let edges = machine.edges(between: centers, distance: distance, using: &dice.generator)
    let lines = edges.filter { $0.from != $0.to }
    for edge in lines + edges.filter({ $0.from == $0.to }) {
      let share = edge.from == edge.to ? Self.loopsTogether : Self.together
      let path = first(apartFrom: others(), share: share, path: \.self) {
        edge.from == edge.to ? $0.loop(at: edge.from) : $0.path(edge.from, edge.to, states)
      }
      if let path {
        let arrow = Page.Arrow(from: edge.from, to: edge.to, path: path, hasTwoHeads: false)
        arrows.append(PlannedArrow(arrow: arrow, symbols: edge.symbols))
      } else if machine.edges != nil {
        return nil
      }
    }
    return arrows
  }

  /// Returns the first of several proposals whose way does not run along others, or `nil` if there is none.
  private mutating func first<Proposal>(
    apartFrom others: [[Vector]], share: Double = together, path: (Proposal) -> [Vector],
    _ propose: (inout PageDraft) -> Proposal?
  ) -> Proposal? {
    let near = Self.apart * habits.radius
    for _ in 0..<Self.attempts {
      guard let proposal = propose(&self) else { continue }
      let way = path(proposal)
      let isApart = others.allSatisfy { other in
        let touching = way.count { place in other.contains { $0.distance(to: place) < near } }
        return Double(touching) <= share * Double(way.count)
      }
      if isApart { return proposal }
    }
    return nil
  }

  /// Returns the symbols of arrow number `own` in a place that is nearest to it, or `nil` if there is none.
  private mutating func label(of own: Int, _ symbols: [String]) -> Label? {
    let writing = writer.write(
      LineText(symbols.joined(separator: ",")), using: &dice.generator)
    let (paths, margin) = (page.arrows.map(\.path), 0.16 * habits.radius)
    let others = boxes.map { $0.widened(by: Self.betweenSymbols * habits.symbolHeight) }
    let isLoop = page.arrows[own].from == page.arrows[own].to
    for _ in 0..<Self.attempts {
      let label = label(writing, along: paths[own], of: own, isOutside: isLoop) { box, place in
        func distance(_ path: [Vector]) -> Double {
          path.map { box.nearest(to: $0).distance(to: $0) }.min()!
        }
        let usual = distance(paths[own])
        let isOn = place == .onLine || place == .inGap
        // What lies on a self-loop leaves nothing of it.
        return (isOn ? !isLoop : usual > 0) && !others.contains(where: box.overlaps)
          && paths.indices.allSatisfy { $0 == own || distance(paths[$0]) > 1.4 * usual + margin }
      }
      if let label { return label }
    }
    return nil
  }

  /// Whether the arrows connect almost all states.
  private var connectsStates: Bool {
    var reached: Set = [0]
    for _ in ovals.indices {
      for arrow in page.arrows {
        guard let from = arrow.from else { continue }
        if reached.contains(from) { reached.insert(arrow.to) }
        if reached.contains(arrow.to) { reached.insert(from) }
      }
    }
    return page.arrows.contains { $0.from != nil }
      && reached.count >= ovals.count - (ovals.count > 4 ? 1 : 0)
  }
}
