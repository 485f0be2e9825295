import Foundation
import Ink
import SeededRandom

extension PageDraft {
  /// An initial marker and its place.
  struct InitialMark {
    /// What it is.
    let marker: InitialMarker
    /// The number of the state.
    let state: Int
    /// The direction from the state to its start.
    let out: Vector
    /// The way from its start to its tip.
    let path: [Vector]
  }

  /// Returns the gap between an end of an arrow and a ring, in px.
  private mutating func gap() -> Double {
    let usual = habits.gap + 0.05 * dice.generator.normal()
    let radii = dice.generator.chance(0.3) ? dice.number(.arrowGap) : usual
    return max(-0.35, min(1, radii)) * habits.radius * (habits.areDots ? 0.4 : 1)
  }

  // MARK: Between states

  /// Draws the arrows between the states of an automaton.
  mutating func drawArrows(_ states: Range<Int>) {
    let near = 2.6 * habits.radius * (1 + habits.spacing) * max(1, habits.aspect)
    for from in states {
      for to in states where to != from {
        let isNext = to == from + 1
        let distance = ovals[from].center.distance(to: ovals[to].center)
        let chance = isNext ? 0.75 : distance < near ? 0.3 : 0.5 / Double(states.count)
        guard dice.generator.chance(chance) else { continue }
        drawArrow(from, to, states)
      }
    }
    if dice.happens(.allReached) { reachAll(states) }
  }

  /// Draws an arrow to each state that has none from another one and is not the initial one.
  private mutating func reachAll(_ states: Range<Int>) {
    let initial = states.first { page.states[$0].isInitial } ?? states.lowerBound
    for to in states where to != initial {
      let center = ovals[to].center
      let others = states.filter { $0 != to }.sorted {
        ovals[$0].center.distance(to: center) < ovals[$1].center.distance(to: center)
      }
      for from in others {
        let isReached = page.arrows.contains {
          $0.to == to && $0.from != nil && $0.from != to || $0.hasTwoHeads && $0.from == to
        }
        if isReached { break }
        drawArrow(from, to, states)
      }
    }
  }

  private mutating func drawArrow(_ from: Int, _ to: Int, _ states: Range<Int>) {
    let number = page.arrows.count
    let element = Page.Element.arrow(number)
    let isShared = dice.happens(.sharedEnd)
    guard
      let path = isShared
        ? sharedPath(from, to) ?? path(from, to, states)
        : path(from, to, states)
    else { return }
    let other = page.arrows.last { $0.from == from && $0.to == to }
    guard other == nil else { return }
    let length = Curve.length(path)
    guard length > 0.35 * habits.radius else { return }
    let endsOnArrow =
      isShared
      && path.last.map { last in
        page.arrows.contains { $0.to == to && $0.path.contains(last) }
      } == true
    let hasTwoHeads = !endsOnArrow && dice.happens(.headAtBothEnds)
    page.arrows.append(
      Page.Arrow(from: from, to: to, path: path, hasTwoHeads: hasTwoHeads))
    let box = symbols().flatMap { writeSymbols($0, along: path, element) }
    drawLine(path, element, around: box)
    if !endsOnArrow { drawHead(path, element) }
    if hasTwoHeads { drawHead(path.reversed(), element) }
  }

  /// Returns the way of an arrow, or `nil` if others are in the way.
  mutating func path(_ from: Int, _ to: Int, _ states: Range<Int>) -> [Vector]? {
    let (a, b) = (ovals[from], ovals[to])
    let gaps = (gap(), gap())
    let direction = (b.center - a.center).angle
    var form: ArrowForm = dice.choose(.arrowForm)
    for attempt in 0..<4 {
      let path: [Vector]
      switch form {
      case .straight:
        let shift = attempt == 0 ? 0.05 * dice.generator.normal() : 0.35 * dice.generator.normal()
        path = Curve.line(
          a.edge(direction + shift, gap: gaps.0), b.edge(direction + .pi - shift, gap: gaps.1))
      case .bowed:
        let bow = dice.number(.bow)
        let turn = atan(2.4 * bow)
        path = Curve.bowed(
          a.edge(direction + turn, gap: gaps.0), b.edge(direction + .pi - turn, gap: gaps.1),
          bow: bow, skew: dice.generator.uniform(0.4...0.6))
      case .curvedTwice:
        let (start, end) = (
          a.edge(direction, gap: gaps.0), b.edge(direction + .pi, gap: gaps.1)
        )
        let side = Vector(-(end - start).y, (end - start).x) * dice.generator.uniform(-0.8...0.8)
        let way = (end - start) * (1 / 3.0)
        path = Curve.cubic(start, start + way + side, end - way - side, end)
      case .elbow: path = elbow(a, b, gaps)
      case .aroundAll: path = wayAround(a, b, gaps, states)
      }
      let isClear = ovals.indices.allSatisfy { index in
        let oval = ovals[index]
        let margin = index == from || index == to ? -0.36 * oval.radius : 2
        return path.allSatisfy { !oval.contains($0, margin: margin) }
      }
      // People seldom draw across a text.
      let crossesText =
        attempt < 3
        && boxes.contains { box in path.contains { box.contains($0, margin: 0) } }
        && dice.generator.chance(0.8)
      if isClear, !crossesText { return path }
      form = attempt == 2 && dice.generator.chance(0.4) ? .aroundAll : .bowed
    }
    return nil
  }

  /// Returns a way of two or three sides.
  private mutating func elbow(_ a: Oval, _ b: Oval, _ gaps: (Double, Double)) -> [Vector] {
    let way = b.center - a.center
    let (right, down) = (way.x > 0 ? 0 : Double.pi, way.y > 0 ? Double.pi / 2 : -.pi / 2)
    if dice.generator.chance(0.6), abs(way.x) > a.halfWidth, abs(way.y) > b.halfHeight {
      let startsAcross = dice.generator.chance(0.5)
      let start = a.edge(startsAcross ? right : down, gap: gaps.0)
      let end = b.edge(startsAcross ? down + .pi : right + .pi, gap: gaps.1)
      let corner = startsAcross ? Vector(end.x, start.y) : Vector(start.x, end.y)
      return Curve.line(start, corner, count: 16) + Curve.line(corner, end, count: 16).dropFirst()
    }
    // Out at the top or bottom, along, and back in.
    let side = dice.generator.chance(0.5) ? -1.0 : 1
    let (start, end) = (
      a.edge(side * .pi / 2, gap: gaps.0), b.edge(side * .pi / 2, gap: gaps.1)
    )
    let level =
      (side < 0 ? min(start.y, end.y) : max(start.y, end.y))
      + side * habits.radius * dice.generator.uniform(0.5...2)
    let (first, second) = (Vector(start.x, level), Vector(end.x, level))
    return Curve.line(start, first, count: 10) + Curve.line(first, second, count: 20).dropFirst()
      + Curve.line(second, end, count: 10).dropFirst()
  }

  /// Returns a way over or under all states.
  private mutating func wayAround(
    _ a: Oval, _ b: Oval, _ gaps: (Double, Double), _ states: Range<Int>
  ) -> [Vector] {
    let side = dice.generator.chance(0.5) ? -1.0 : 1
    let start = a.edge(side * .pi / 2 + 0.3 * dice.generator.normal(), gap: gaps.0)
    let end = b.edge(side * .pi / 2 + 0.3 * dice.generator.normal(), gap: gaps.1)
    let between = states.map { ovals[$0] }.filter {
      $0.center.x > min(start.x, end.x) - $0.halfWidth
        && $0.center.x < max(start.x, end.x) + $0.halfWidth
    }
    let edges = between.map { side * ($0.center.y + side * $0.halfHeight) } + [side * start.y]
    let level = side * (edges.max()! + habits.radius * dice.generator.uniform(0.5...1.5))
    let rise = Vector(0, (level - (start.y + end.y) / 2) * 4 / 3)
    let lean = (end.x - start.x) * dice.generator.uniform(-0.1...0.25)
    return Curve.cubic(start, start + rise + Vector(lean, 0), end + rise - Vector(lean, 0), end)
  }

  /// Returns a way to another arrow with the same target, or `nil` if there is none.
  private mutating func sharedPath(_ from: Int, _ to: Int) -> [Vector]? {
    guard let other = page.arrows.last(where: { $0.to == to && $0.from != from && $0.from != nil })
    else { return nil }
    let meeting = other.path[other.path.count * 3 / 4]
    let start = ovals[from].edge((meeting - ovals[from].center).angle, gap: gap())
    guard start.distance(to: meeting) > habits.radius else { return nil }
    return Curve.bowed(start, meeting, bow: dice.number(.bow) * 0.5)
  }

  // MARK: Lines and heads

  /// Draws the line of an arrow, with a gap where `box` is.
  mutating func drawLine(
    _ path: [Vector], _ element: Page.Element, around box: TextBox? = nil,
    pageClass: PageClass = .line
  ) {
    var parts = [path]
    if let box {
      let inside = path.indices.filter { box.contains(path[$0], margin: 0.1 * habits.radius) }
      if let first = inside.first, let last = inside.last, first > 2, last < path.count - 3 {
        parts = [Array(path[...first]), Array(path[last...])]
      }
    } else if dice.happens(.brokenArrow) {
      let pieces = dice.count(.arrowPieces)
      let gap = dice.generator.index(below: 3)
      parts = (0..<pieces).map { piece in
        let (start, end) = (
          piece * path.count / pieces + (piece > 0 ? gap : 0), (piece + 1) * path.count / pieces
        )
        return Array(path[min(start, end - 1)..<end])
      }
    }
    let isDouble = dice.happens(.doubleLine)
    let times = dice.happens(.retracedArrow) ? 2 : 1
    for part in parts where part.count > 1 {
      for _ in 0..<times {
        let line = trembling(part)
        if isDouble {
          let way = (part[part.count - 1] - part[0]).unit * (0.1 * habits.radius + 1.5)
          let side = Vector(-way.y, way.x)
          ink(line.map { $0 + side }, pageClass, element)
          ink(line.map { $0 - side }, pageClass, element)
        } else {
          ink(line, pageClass, element)
        }
      }
    }
  }

  /// Draws a head at the end of a path.
  mutating func drawHead(
    _ path: [Vector], _ element: Page.Element, pageClass: PageClass = .head
  ) {
    let style =
      dice.generator.chance(0.1) ? dice.choose(.headStyle) as HeadStyle : habits.headStyle
    guard style != .none else { return }
    let tip = path[path.count - 1]
    let length = max(2, habits.headLength * exp(0.12 * dice.generator.normal()))
    let direction =
      Curve.endDirection(path, reach: 0.5 * length) + 0.1 * dice.generator.normal()
    if let shapes, style == .oneStroke || style == .twoStrokes {
      for stroke in shapes.head(
        tip: tip, direction: direction, length: length, using: &dice.generator)
      {
        ink(stroke, pageClass, element)
      }
      return
    }
    let wings = [1.0, -1].map { side -> Vector in
      let opening = habits.headOpening / 2 + 0.08 * dice.generator.normal()
      return tip
        + Vector(
          angle: direction + .pi + side * opening,
          length: length * exp(0.12 * dice.generator.normal()))
    }
    func near() -> Vector {
      tip + Vector(dice.generator.normal(), dice.generator.normal()) * (0.05 * length)
    }
    func side(_ a: Vector, _ b: Vector) -> [Vector] {
      wobbling(Curve.line(a, b, count: 6), by: 0.04 * length)
    }
    switch style {
    case .oneStroke: ink(side(wings[0], near()) + side(near(), wings[1]), pageClass, element)
    case .twoStrokes:
      ink(side(near(), wings[0]), pageClass, element)
      ink(side(near(), wings[1]), pageClass, element)
    case .triangle, .filled:
      ink(
        side(tip, wings[0]) + side(wings[0], wings[1]) + side(wings[1], tip), pageClass, element,
        isFilled: style == .filled)
    case .oneWing: ink(side(near(), wings[dice.generator.index(below: 2)]), pageClass, element)
    case .none: break
    }
  }

  // MARK: Loops and initial markers

  /// Draws a self-loop.
  mutating func drawLoop(_ state: Int) {
    guard let path = loop(at: state) else { return }
    let element = Page.Element.arrow(page.arrows.count)
    page.arrows.append(Page.Arrow(from: state, to: state, path: path, hasTwoHeads: false))
    let box = symbols().flatMap { writeSymbols($0, along: path, element, isOutside: true) }
    drawLine(path, element, around: box)
    drawHead(path, element)
  }

  /// Returns the way of a self-loop, or `nil` if another state is in the way.
  mutating func loop(at state: Int) -> [Vector]? {
    let oval = ovals[state]
    let place: LoopPlace = dice.choose(.loopPlace)
    let usual: Double =
      switch place {
      case .above: -.pi / 2
      case .below: .pi / 2
      case .left: .pi
      case .right: 0
      case .oblique: dice.generator.pick([-0.25, -0.75, 0.25, 0.75]) * .pi
      }
    let direction = usual + 0.15 * dice.generator.normal()
    let radius = habits.radius
    let opening = dice.number(.loopOpening) * radius
    let size = radius * (dice.generator.chance(0.3) ? dice.number(.loopSize) : habits.loopSize)
    let half = atan(opening / 2 / max(1, oval.reach(direction)))
    let flip = dice.generator.chance(0.5) ? 1.0 : -1
    let start = oval.edge(direction - flip * half, gap: gap())
    let end = oval.edge(direction + flip * half, gap: gap())
    let out = Vector(angle: direction, length: 1.33 * size)
    let width = max(0.35 * size, opening) * dice.generator.uniform(0.5...2.4)
    let side = Vector(angle: direction - flip * .pi / 2, length: width)
    let path = Curve.cubic(start, start + out + side, end + out - side, end)
    let isFree = ovals.indices.allSatisfy { index in
      index == state || path.allSatisfy { !ovals[index].contains($0, margin: 2) }
    }
    return isFree && Curve.length(path) > 0.5 * radius ? path : nil
  }

  /// Draws the marker of an initial state.
  mutating func drawInitialMarker(_ states: Range<Int>) {
    let marker: InitialMarker = dice.choose(.initialMarker)
    guard marker != .nothing else { return }
    let isFirst = dice.generator.chance(0.8)
    let state =
      isFirst ? states.lowerBound : states.lowerBound + dice.generator.index(below: states.count)
    guard let mark = initialMark(marker, at: state) else { return }
    page.arrows.append(Page.Arrow(from: nil, to: state, path: mark.path, hasTwoHeads: false))
    draw(mark, .arrow(page.arrows.count - 1))
  }

  /// Returns the place of an initial marker, or `nil` if another state is in the way.
  mutating func initialMark(_ marker: InitialMarker, at state: Int) -> InitialMark? {
    let oval = ovals[state]
    let place: InitialPlace = dice.choose(.initialPlace)
    let usual: Double =
      switch place {
      case .left: .pi
      case .above: -.pi / 2
      case .anywhere: dice.generator.uniform(-.pi ... .pi)
      }
    let direction = usual + 0.2 * dice.generator.normal()
    let out = Vector(angle: direction, length: 1)
    let tip = oval.edge(direction, gap: gap())
    let radii =
      marker == .arrow ? dice.number(.initialLength) : dice.generator.uniform(0.4...0.9)
    let length = habits.radius * radii
    let start = tip + out * length
    let line = Curve.line(start, tip, count: 8)
    let isFree = ovals.indices.allSatisfy { index in
      index == state || line.allSatisfy { !ovals[index].contains($0, margin: 2) }
    }
    guard isFree else { return nil }
    let path = Curve.bowed(start, tip, bow: 0.04 * dice.generator.normal())
    return InitialMark(marker: marker, state: state, out: out, path: path)
  }

  /// Draws an initial marker.
  mutating func draw(_ mark: InitialMark, _ element: Page.Element) {
    page.states[mark.state].isInitial = true
    let (path, out) = (mark.path, mark.out)
    let (start, tip) = (path[0], path[path.count - 1])
    if mark.marker == .arrow {
      drawLine(path, element)
      drawHead(path, element)
      guard dice.happens(.initialWord) else { return }
      let word =
        dice.generator.chance(0.6)
        ? writer.spelled("start", using: &dice.generator) : writer.word(using: &dice.generator)
      if dice.generator.chance(0.3) {
        // The line is drawn already, and leaves no gap for the word.
        _ = writeSymbols(word, along: path, element)
        return
      }
      let half = Vector(word.width, word.height) * (habits.symbolHeight / 2)
      let gap = 0.3 * habits.symbolHeight
      let center = start + Vector(out.x * (half.x + gap), out.y * (half.y + gap))
      let box = Self.box(of: word, at: center, height: habits.symbolHeight, turn: 0)
      if !isTaken(box) { write(word, at: center, height: habits.symbolHeight, element: element) }
    } else {
      let side =
        Vector(-out.y, out.x) * (start.distance(to: tip) * dice.generator.uniform(0.4...0.7))
      let (a, b) = (start + side, start - side)
      let sides = Curve.line(a, tip, count: 8) + Curve.line(tip, b, count: 8).dropFirst()
      let back = mark.marker == .triangle ? Array(Curve.line(b, a, count: 8).dropFirst()) : []
      ink(wobbling(sides + back, by: habits.tremor), .head, element)
    }
  }
}
