import Foundation
import Ink
import SeededRandom

extension PageDraft {
  /// An arrow of a given automaton, before it is drawn.
  private struct PlannedArrow {
    /// Its ends and its way.
    var arrow: Page.Arrow
    /// The marker that it is, if it comes from nowhere.
    var mark: InitialMark?
    /// The symbols of its transition.
    var symbols: [String] = []
    /// The symbols at their place; `nil` if there is none.
    var label: Label?

    /// Whether it is a self-loop.
    var isLoop: Bool { arrow.from == arrow.to }
  }

  /// How many ways are tried for an arrow, and how often places for its symbols.
  private static let attempts = 12
  /// Arrows do not run along each other: the distance, in radii, and the shares of an arrow, and of a self-loop or an
  /// initial arrow, that may be nearer.
  private static let (apart, together, shortTogether) = (0.3, 0.25, 0.05)
  /// The least distances between rings, between an arrow and states that it does not join, and between the start of an
  /// initial arrow and other states, in radii.
  private static let (betweenRings, clear, away) = (0.7, 0.15, 0.8)
  /// The least distance between symbols, in heights of capitals.
  private static let betweenSymbols = 0.6
  /// How many times as far other lines are from symbols as their own, and how much farther, in radii.
  private static let (farther, margin) = (1.4, 0.16)
  /// The distance between the points of a way, in radii, where ways are compared.
  private static let step = 0.1

  /// Draws an automaton, and returns `false` if its states, or the arrows that it has to have, find no place.
  mutating func draw(_ machine: DrawnMachine) -> Bool {
    placeStates(in: whole, count: machine.states.count)
    let states = ovals.indices
    guard states.count == machine.states.count, areApart, var arrows = arrows(of: machine) else {
      return false
    }
    page.arrows = arrows.map(\.arrow)
    // All lines have their places before anything is written, so that no text lies on one.
    for number in arrows.indices where !arrows[number].symbols.isEmpty {
      let taken = arrows.compactMap(\.label?.box)
      arrows[number].label = label(of: number, arrows[number].symbols, besides: taken)
    }
    let written = arrows.filter { $0.symbols.isEmpty || $0.label != nil }
    guard machine.edges == nil || written.count == arrows.count else { return false }
    arrows = written
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
    for state in ovals.indices where machine.states[state].isInitial {
      let others = ovals.indices.filter { $0 != state }.map { ovals[$0] }
      let distance = Self.away * habits.radius
      let mark = first(apartFrom: arrows, of: [state], share: Self.shortTogether, path: \.path) {
        $0.initialMark($0.dice.choose(.initialMarker), at: state).flatMap { mark in
          // Near another state it would come from there.
          others.contains { $0.contains(mark.path[0], margin: distance) } ? nil : mark
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
      let share = edge.from == edge.to ? Self.shortTogether : Self.together
      let path = first(apartFrom: arrows, of: [edge.from, edge.to], share: share, path: \.self) {
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

  /// Returns the first of several proposals of which at most `share` runs along other arrows, that does not run
  /// along too much of them, and that meets no states but `ends`; `nil` if there is none.
  private mutating func first<Proposal>(
    apartFrom others: [PlannedArrow], of ends: [Int], share: Double,
    path: (Proposal) -> [Vector], _ propose: (inout PageDraft) -> Proposal?
  ) -> Proposal? {
    let (near, clear) = (Self.apart * habits.radius, Self.clear * habits.radius)
    let states = ovals.indices.filter { !ends.contains($0) }.map { ovals[$0] }
    let ways = others.map { dense($0.arrow.path) }
    func along(_ way: [Vector], _ other: [Vector]) -> Double {
      let count = way.count { place in other.contains { $0.distance(to: place) < near } }
      return Double(count) / Double(way.count)
    }
    for _ in 0..<Self.attempts {
      guard let proposal = propose(&self) else { continue }
      let way = dense(path(proposal))
      let meetsState = way.contains { place in
        states.contains { $0.contains(place, margin: clear) }
      }
      guard !meetsState else { continue }
      let isApart = zip(others, ways).allSatisfy { other, otherWay in
        let isShort = other.isLoop || other.mark != nil
        return along(way, otherWay) <= share
          && along(otherWay, way) <= (isShort ? Self.shortTogether : Self.together)
      }
      if isApart { return proposal }
    }
    return nil
  }

  /// Returns a way as points that are near each other.
  private func dense(_ path: [Vector]) -> [Vector] {
    Stroke(through: path).resampled(spacing: Self.step * habits.radius).points.map { Vector($0) }
  }

  /// Returns the symbols of arrow number `own` in a place that is nearest to it, and outside a self-loop; `nil` if
  /// there is none.
  private mutating func label(
    of own: Int, _ symbols: [String], besides taken: [TextBox]
  ) -> Label? {
    let writing = writer.write(LineText(symbols.joined(separator: ",")), using: &dice.generator)
    let (arrow, ways) = (page.arrows[own], page.arrows.map { dense($0.path) })
    let loop = arrow.from == arrow.to ? ovals[arrow.to].center : nil
    let height = loop.map { $0.distance(to: arrow.path[arrow.path.count / 2]) } ?? 0
    let margin = Self.margin * habits.radius
    let others = taken.map { $0.widened(by: Self.betweenSymbols * habits.symbolHeight) }
    for _ in 0..<Self.attempts {
      let label = label(writing, along: arrow.path, of: own, isOutside: loop != nil) { box, place in
        func distance(_ way: [Vector]) -> Double {
          way.map { box.nearest(to: $0).distance(to: $0) }.min()!
        }
        let (usual, isOn) = (distance(ways[own]), place == .onLine || place == .inGap)
        // What lies on a self-loop leaves nothing of it.
        let isBeside =
          loop.map { usual > 0 && $0.distance(to: box.center) > height } ?? (isOn || usual > 0)
        return isBeside && !others.contains(where: box.overlaps)
          && ways.indices.allSatisfy {
            $0 == own || distance(ways[$0]) > Self.farther * usual + margin
          }
      }
      if let label { return label }
    }
    return nil
  }

  /// Whether there is room for arrows between all states.
  private var areApart: Bool {
    ovals.indices.allSatisfy { first in
      ovals[..<first].allSatisfy { other in
        let way = other.center - ovals[first].center
        return way.length - ovals[first].reach(way.angle) - other.reach(way.angle + .pi)
          >= Self.betweenRings * habits.radius
      }
    }
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
