import Foundation
import Ink
import SeededRandom

/// Draws the elements of automata with the ink and the habits of one writer.
struct DiagramHand {
  /// The shape of an arrow's head.
  private enum Head: CaseIterable {
    case oneStroke, half, twoStrokes, threeStrokes, triangle, loneTriangle, filled
  }

  private let letters: LineWriter
  private let words: LineTexts
  private let pieces: StrokeComposer.Pieces?
  private let hand: Hand
  private let head: Head
  /// The length of a head, as a share of a state's radius.
  private let headReach: Double
  private let openness: Double
  private let doublesInOneStroke: Bool
  /// How often a line between two states bows.
  let bowing: Double
  /// The side to which lines bow, 1 or -1.
  let side: Double
  /// Whether opposite arrows are two straight lines.
  let drawsPairsParallel: Bool

  init(letters: LineWriter, pieces: StrokeComposer.Pieces?, using generator: inout SeededGenerator)
  {
    self.letters = letters
    self.pieces = pieces
    words = LineTexts(.word, recorded: letters.recorded, drawn: letters.drawable)
    hand = Hand(using: &generator)
    head = generator.pick(Head.allCases)
    headReach = generator.uniform(0.28...0.6)
    openness = generator.uniform(0...0.2)
    doublesInOneStroke = generator.chance(0.15)
    bowing = generator.uniform()
    side = generator.chance(0.5) ? 1 : -1
    drawsPairsParallel = generator.chance(0.15)
  }

  /// Returns the space between the end of a line and a ring, as a share of the radius.
  func gap(using generator: inout SeededGenerator) -> Double {
    0.06 + 0.07 * generator.normal()
  }

  /// Returns a word, or `nil` if the writer has no letters.
  func remark(using generator: inout SeededGenerator) -> LineText? {
    words.next(using: &generator)
  }

  /// Returns `text` with capitals of `height`.
  func text(
    _ text: LineText, height: Double, using generator: inout SeededGenerator
  ) -> Drawing {
    letters.strokes(of: text, using: &generator).drawing.transformed(
      by: Transform.scale(x: height, y: height).then(.rotation(0.05 * generator.normal())))
  }

  // MARK: Rings

  /// Returns the strokes of a ring; two rings if `isFinal`.
  func rings(
    center: Point, radius: Double, isFinal: Bool, using generator: inout SeededGenerator
  ) -> (outer: [Stroke], inner: [Stroke]) {
    let inner = radius * generator.uniform(0.72...0.88)
    guard isFinal else { return (ring(center, radius, using: &generator), []) }
    let isInOne = doublesInOneStroke ? generator.chance(0.8) : generator.chance(0.06)
    guard isInOne else {
      let near = Point(
        center.x + 0.03 * radius * generator.normal(),
        center.y + 0.03 * radius * generator.normal())
      return (
        ring(center, radius, using: &generator), ring(near, inner, using: &generator)
      )
    }
    let outer = plainRing(center, radius, using: &generator)
    // The pen goes round again, farther inside.
    let scale = inner / radius
    let again = outer.points.map {
      Point(center.x + scale * ($0.x - center.x), center.y + scale * ($0.y - center.y))
    }
    let blend = min(12, again.count / 4)
    let joined = again.enumerated().map { index, point in
      index < blend
        ? outer.points[index].interpolated(
          to: point, fraction: Double(index) / Double(max(1, blend))) : point
    }
    return ([Stroke(outer.points + joined).withoutTimes], [])
  }

  private func ring(
    _ center: Point, _ radius: Double, using generator: inout SeededGenerator
  ) -> [Stroke] {
    let whole = plainRing(center, radius, using: &generator)
    switch generator.uniform() {
    case ..<0.08:
      let cut = whole.points.count * (35 + generator.index(below: 30)) / 100
      let first = Stroke(Array(whole.points[...cut]))
      let second = Stroke(Array(whole.points[cut...])).shortened(by: 0.04 * whole.length)
      return generator.chance(0.5) ? [first, second] : [first, second.reversed()]
    case ..<(0.12 + openness):
      return [whole.part(of: generator.uniform(0.8...0.96), using: &generator)]
    case ..<0.4: return [whole.goingOn(for: generator.uniform(0...0.25), using: &generator)]
    default: return [whole]
    }
  }

  /// Returns a ring in one stroke, about closed.
  private func plainRing(
    _ center: Point, _ radius: Double, using generator: inout SeededGenerator
  ) -> Stroke {
    let ring: Stroke
    if let pieces {
      let closed = pieces.rings.filter { $0.chord < 0.12 * $0.length }
      ring = generator.pick(closed.isEmpty ? pieces.rings : closed)
    } else {
      var shape = Shape.state(hand, using: &generator)
      shape.strokes = shape.strokes.map { $0.map { $0.map(Transform.scale(x: 100, y: 100).apply) } }
      ring = Pen(hand).draw(shape, using: &generator).strokes[0]
    }
    guard let bounds = Drawing([ring]).bounds, bounds.width > 0, bounds.height > 0 else {
      return ring
    }
    let aspect = min(1.25, max(0.8, bounds.width / bounds.height))
    return Stroke(
      ring.points.map(
        Transform.translation(x: -bounds.center.x, y: -bounds.center.y)
          .then(
            .scale(
              x: 2 * radius * aspect.squareRoot() / bounds.width,
              y: 2 * radius / aspect.squareRoot() / bounds.height)
          ).then(.translation(x: center.x, y: center.y)).apply))
  }

  // MARK: Arrows

  /// Returns an arrow along `path`, with its line interrupted by `label`.
  func arrow(
    along path: [Point], radius: Double, isLoop: Bool, around label: Bounds?,
    using generator: inout SeededGenerator
  ) -> (shafts: [Stroke], heads: [Stroke]) {
    let reach = radius * headReach * exp(0.12 * generator.normal())
    let hasNoHead = isLoop && generator.chance(0.08)
    var parts = [path]
    if let label {
      let clear = 0.12 * radius
      let inside = path.indices.filter {
        path[$0].x > label.minX - clear && path[$0].x < label.maxX + clear
          && path[$0].y > label.minY - clear && path[$0].y < label.maxY + clear
      }
      if let first = inside.first, let last = inside.last, first > 4, last < path.count - 5 {
        parts = [Array(path[..<first]), Array(path[(last + 1)...])]
      }
    }
    let before = parts.dropLast().map { line($0, using: &generator) }
    let end = parts[parts.count - 1]
    if hasNoHead { return (before + [line(end, using: &generator)], []) }
    if let pieces {
      let shaft = line(end, using: &generator)
      let head = generator.pick(pieces.heads)
      let strokes = placed(head.strokes, on: end, reach: reach, turn: 0.1 * generator.normal())
      return head.continues
        ? (before + [Stroke(shaft.points + strokes.flatMap(\.points))], [])
        : (before + [shaft], strokes)
    }
    let drawn = withHead(end, reach: reach, isLoop: isLoop, using: &generator)
    return (before + [drawn[0]], Array(drawn.dropFirst()))
  }

  /// Returns a line with the tremor of a recorded or synthetic one.
  func line(_ path: [Point], using generator: inout SeededGenerator) -> Stroke {
    guard let pieces else { return pen([[path]], using: &generator)[0] }
    return Stroke(path).trembling(like: generator.pick(pieces.shafts))
  }

  /// The direction of the last part of a path, in radians.
  private func direction(_ path: [Point], reach: Double) -> Double {
    let tip = path[path.count - 1]
    let back = path.last { $0.distance(to: tip) > 0.7 * reach } ?? path[0]
    return atan2(tip.y - back.y, tip.x - back.x)
  }

  private func placed(
    _ head: [[Point]], on path: [Point], reach: Double, turn: Double
  ) -> [Stroke] {
    let tip = path[path.count - 1]
    let place = Transform.scale(x: reach, y: reach)
      .then(.rotation(direction(path, reach: reach) + turn))
      .then(.translation(x: tip.x, y: tip.y))
    return head.map { Stroke($0.map(place.apply)) }
  }

  /// Returns a line with a synthetic head: the first stroke has the line.
  private func withHead(
    _ path: [Point], reach: Double, isLoop: Bool, using generator: inout SeededGenerator
  ) -> [Stroke] {
    var style = generator.chance(0.85) ? head : generator.pick(Head.allCases)
    // On a loop, a single barb looks like an overlapping end.
    if isLoop, style == .half { style = .oneStroke }
    let tip = path[path.count - 1]
    let angle = direction(path, reach: reach)
    let barbs = [1.0, -1].map { side -> Point in
      let turned = angle + .pi + side * (hand.headAngle * 0.8 + 0.1 * generator.normal())
      let length = reach * exp(0.12 * generator.normal())
      return Point(tip.x + length * cos(turned), tip.y + length * sin(turned))
    }
    let triangle = [[tip, barbs[0]], [barbs[0], barbs[1]], [barbs[1], tip]]
    switch style {
    case .oneStroke:
      return pen([[path, [tip, barbs[0]], [barbs[0], tip], [tip, barbs[1]]]], using: &generator)
    case .half: return pen([[path, [tip, barbs[0]]]], using: &generator)
    case .twoStrokes:
      return pen([[path], [[barbs[0], tip], [tip, barbs[1]]]], using: &generator)
    case .threeStrokes:
      return pen([[path], [[tip, barbs[0]]], [[tip, barbs[1]]]], using: &generator)
    case .triangle: return pen([[path] + triangle], using: &generator)
    case .loneTriangle: return pen([[path], triangle], using: &generator)
    case .filled:
      let filling = (1...3).flatMap { step -> [[Point]] in
        let share = Double(step) / 4
        let a = barbs[0].interpolated(to: tip, fraction: share)
        let b = barbs[1].interpolated(to: tip, fraction: share)
        return [[a, b]]
      }
      let zigzag = zip(filling, filling.dropFirst()).flatMap { [$0, [$0[1], $1[0]]] }
      return pen([[path], triangle + [[tip, filling[0][0]]] + zigzag], using: &generator)
    }
  }

  /// Returns a triangle whose tip is the end of `path`.
  func triangle(along path: [Point], using generator: inout SeededGenerator) -> [Stroke] {
    let (start, tip) = (path[0], path[path.count - 1])
    let (dx, dy) = (0.55 * (tip.y - start.y), -0.55 * (tip.x - start.x))
    let corners = [
      tip, Point(start.x + dx, start.y + dy), Point(start.x - dx, start.y - dy), tip,
    ].map { Point($0.x + 1.5 * generator.normal(), $0.y + 1.5 * generator.normal()) }
    let sides = zip(corners, corners.dropFirst()).map { [$0, $1] }
    return generator.chance(0.7)
      ? pen([sides], using: &generator)
      : pen([[sides[0]], [sides[1], sides[2]]], using: &generator)
  }

  private func pen(_ strokes: [[[Point]]], using generator: inout SeededGenerator) -> [Stroke] {
    Pen(hand).draw(Shape(kind: "element", strokes: strokes, stance: .fixed), using: &generator)
      .strokes
  }

  /// Returns `stroke` with the times of a pen that starts at `start`.
  func timed(_ stroke: Stroke, from start: Double) -> Stroke {
    if let first = stroke.points.first?.time, stroke.points.allSatisfy({ $0.time != nil }) {
      return Stroke(
        stroke.points.map { Point($0.x, $0.y, time: start + ($0.time! - first)) })
    }
    var time = start
    var previous = stroke.points.first
    return Stroke(
      stroke.points.map { point in
        time += max(2, previous!.distance(to: point) / hand.speed)
        previous = point
        return Point(point.x, point.y, time: time.rounded())
      })
  }
}
