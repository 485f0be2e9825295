import Foundation
import Ink
import SeededRandom

// Shapes of about unit size around the origin, by the label policy (`datasets/LABELS.md`).

extension Shape {
  /// Returns a ring that is slightly open or overlaps its start.
  static func state(_ hand: Hand, using generator: inout SeededGenerator) -> Shape {
    let overshoot = min(0.8, max(-0.9, hand.overshoot + 0.12 * generator.normal()))
    let ring = arc(
      from: hand.startAngle + 0.15 * generator.normal(), sweep: 2 * .pi + overshoot,
      isClockwise: hand.isClockwise, wobble: 0.03, drift: 0.05 * generator.normal(),
      using: &generator)
    return Shape(kind: "ring", strokes: [[ring]])
  }

  /// Returns a straight or bent line, with or without a head.
  static func transition(_ hand: Hand, using generator: inout SeededGenerator) -> Shape {
    let hasHead = generator.chance(0.65)
    let isBent = generator.chance(0.4)
    let sag = isBent ? generator.uniform(0.08...(hasHead ? 0.35 : 0.45)) : 0.01 * generator.normal()
    let line = bow(sag: generator.chance(0.5) ? sag : -sag)
    let kind = "\(isBent ? "bent" : "straight") \(hasHead ? "with head" : "without head")"
    guard hasHead else { return Shape(kind: kind, strokes: [[line]]) }
    return Shape(kind: kind, strokes: withHead(line, length: 1, hand, using: &generator))
  }

  /// Returns a loop with a head, nearly closed or an open arch.
  static func cycle(_ hand: Hand, using generator: inout SeededGenerator) -> Shape {
    let isArch = generator.chance(0.5)
    let loop = loop(
      sweep: isArch ? generator.uniform(3.3...4.6) : generator.uniform(4.6...6.4),
      height: isArch ? 1.15 : 1, using: &generator)
    var hand = hand
    // On a nearly closed loop, a single barb looks like an overlapping end.
    if hand.head == .half { hand.head = .oneStroke }
    return Shape(
      kind: isArch ? "open arch with head" : "near-closed loop with head",
      strokes: withHead(loop, length: 0.9, hand, using: &generator))
  }

  /// Returns a loop that is open at the bottom, in either direction.
  static func loop(
    sweep: Double, height: Double, using generator: inout SeededGenerator
  ) -> [Point] {
    let isClockwise = generator.chance(0.5)
    let middle = .pi / 2 + (isClockwise ? -1 : 1) * (.pi - sweep / 2)
    return arc(
      from: middle, sweep: sweep, isClockwise: isClockwise, wobble: 0.04,
      drift: 0.08 * generator.normal(), using: &generator
    ).map { Point($0.x, $0.y * height) }
  }

  /// Returns a shape that is not an automaton element.
  static func other(_ hand: Hand, using generator: inout SeededGenerator) -> Shape {
    switch generator.index(below: 8) {
    case 0: tap(using: &generator)
    case 1: Shape(kind: "scribble", strokes: [[scribble(using: &generator)]])
    case 2: Shape(kind: "zigzag", strokes: [zigzag(using: &generator)])
    case 3: Shape(kind: "letter-like", strokes: [letter(using: &generator)])
    case 4: Shape(kind: "polygon", strokes: [polygon(part: 1, using: &generator)])
    case 5: Shape(kind: "half-drawn polygon", strokes: [polygon(part: 0.6, using: &generator)])
    case 6: loneHead(hand, using: &generator)
    default:
      // An open loop without a head is rejected; only its surroundings could decide.
      Shape(
        kind: "open loop without head",
        strokes: [[loop(sweep: generator.uniform(3.4...4.2), height: 1.1, using: &generator)]])
    }
  }

  /// Returns a part of an elliptic curve of diameter 1 whose radius wobbles and drifts.
  static func arc(
    from start: Double, sweep: Double, isClockwise: Bool, wobble: Double, drift: Double,
    using generator: inout SeededGenerator
  ) -> [Point] {
    let waves = (2...4).map { order in
      (
        order: Double(order), height: wobble * generator.normal() / Double(order - 1),
        phase: generator.uniform(0...(2 * .pi))
      )
    }
    return (0...120).map { step in
      let share = Double(step) / 120
      let angle = start + (isClockwise ? 1 : -1) * sweep * share
      let radius = waves.reduce(0.5 * (1 + drift * (share - 0.5))) {
        $0 + 0.5 * $1.height * cos($1.order * angle + $1.phase)
      }
      return Point(radius * cos(angle), radius * sin(angle))
    }
  }

  /// Returns a circular arc over a chord of length 1 with the height `sag`.
  static func bow(sag: Double) -> [Point] {
    guard abs(sag) > 1e-3 else { return [Point(-0.5, 0), Point(0.5, 0)] }
    let radius = (0.25 + sag * sag) / (2 * sag)
    let half = asin(min(1, 0.5 / abs(radius)))
    // The arc is longer than a half circle.
    let reach = abs(sag) > 0.5 ? .pi - half : half
    return (0...60).map { step in
      let angle = reach * (Double(step) / 30 - 1)
      return Point(abs(radius) * sin(angle), radius * cos(angle) - (radius - sag))
    }
  }

  /// Adds the writer's style of arrow head to the end of `line`.
  static func withHead(
    _ line: [Point], length: Double, _ hand: Hand, using generator: inout SeededGenerator
  ) -> [[[Point]]] {
    let tip = line[line.count - 1]
    let before = line[max(0, line.count - 1 - max(1, line.count / 12))]
    let direction = atan2(tip.y - before.y, tip.x - before.x)
    let barbs = [1.0, -1].map { side in
      let angle = direction + .pi + side * (hand.headAngle + 0.1 * generator.normal())
      let reach = length * hand.headLength * exp(0.15 * generator.normal())
      return Point(tip.x + reach * cos(angle), tip.y + reach * sin(angle))
    }
    switch hand.head {
    case .oneStroke: return [[line, [tip, barbs[0]], [barbs[0], tip], [tip, barbs[1]]]]
    case .triangle:
      return [[line, [tip, barbs[0]], [barbs[0], barbs[1]], [barbs[1], tip]]]
    case .half: return [[line, [tip, barbs[0]]]]
    case .twoStrokes: return [[line], [[barbs[0], tip], [tip, barbs[1]]]]
    case .threeStrokes: return [[line], [[tip, barbs[0]]], [[tip, barbs[1]]]]
    }
  }

  private static func tap(using generator: inout SeededGenerator) -> Shape {
    let center = Point(generator.uniform(200...1800), generator.uniform(200...1800))
    let end = Point(
      center.x + 2 * generator.normal(), center.y + 2 * generator.normal())
    return Shape(kind: "tap", strokes: [[[center, end]]], stance: .fixed)
  }

  static func scribble(using generator: inout SeededGenerator) -> [Point] {
    let corners = (0..<10 + generator.index(below: 14)).map { _ in
      Point(generator.uniform(-0.5...0.5), generator.uniform(-0.5...0.5))
    }
    return smooth(corners)
  }

  /// Returns a zigzag of `count` lines, or of four to nine.
  static func zigzag(
    count: Int? = nil, using generator: inout SeededGenerator
  ) -> [[Point]] {
    let count = count ?? 4 + generator.index(below: 6)
    let height = generator.uniform(0.15...0.5)
    let corners = (0...count).map { index in
      Point(
        Double(index) / Double(count) - 0.5 + 0.03 * generator.normal(),
        (index % 2 == 0 ? height : -height) / 2 + 0.04 * generator.normal())
    }
    return zip(corners, corners.dropFirst()).map { [$0, $1] }
  }

  /// Returns two to four consecutive bends, as in S, 3, m or ?.
  private static func letter(using generator: inout SeededGenerator) -> [[Point]] {
    var corners = [Point(0, -0.5)]
    var side = generator.chance(0.5) ? 1.0 : -1
    let count = 5 + generator.index(below: 4)
    for index in 1...count {
      corners.append(
        Point(
          side * generator.uniform(0.15...0.45), Double(index) / Double(count) - 0.5))
      if generator.chance(0.75) { side = -side }
    }
    return [smooth(corners)]
  }

  private static func polygon(
    part: Double, using generator: inout SeededGenerator
  ) -> [[Point]] {
    let count = 3 + generator.index(below: 3)
    let corners = (0...count).map { index in
      let angle = 2 * .pi * Double(index % count) / Double(count) + 0.12 * generator.normal()
      let radius = 0.5 + 0.05 * generator.normal()
      return Point(radius * cos(angle), radius * sin(angle))
    }
    let sides = zip(corners, corners.dropFirst()).map { [$0, $1] }
    return Array(sides.prefix(max(2, Int((part * Double(count)).rounded()))))
  }

  private static func loneHead(_ hand: Hand, using generator: inout SeededGenerator) -> Shape {
    let angle = hand.headAngle + 0.1 * generator.normal()
    let ends = [1.0, -1].map { side in
      Point(-cos(angle) * exp(0.1 * generator.normal()), side * sin(angle))
    }
    return Shape(
      kind: "lone head", strokes: [[[ends[0], Point(0, 0)], [Point(0, 0), ends[1]]]])
  }

  /// Returns a smooth curve through `corners` (Catmull & Rom, 1974).
  static func smooth(_ corners: [Point]) -> [Point] {
    (0..<corners.count - 1).flatMap { index in
      let p0 = corners[max(0, index - 1)]
      let p1 = corners[index]
      let p2 = corners[index + 1]
      let p3 = corners[min(corners.count - 1, index + 2)]
      return (0..<16).map { step -> Point in
        let t = Double(step) / 16
        func value(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
          let linear = (c - a) * t
          let square = (2 * a - 5 * b + 4 * c - d) * t * t
          let cube = (3 * b - a - 3 * c + d) * t * t * t
          return 0.5 * (2 * b + linear + square + cube)
        }
        return Point(value(p0.x, p1.x, p2.x, p3.x), value(p0.y, p1.y, p2.y, p3.y))
      }
    }
  }
}
