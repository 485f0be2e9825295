import Foundation
import Ink
import SeededRandom

extension Bounds {
  fileprivate func overlaps(_ other: Bounds, margin: Double) -> Bool {
    minX - margin < other.maxX && other.minX < maxX + margin
      && minY - margin < other.maxY && other.minY < maxY + margin
  }
}

extension DiagramPlan {
  /// Writes the label of an arrow where it belongs to no other, and returns whether there is such a
  /// place.
  mutating func placeLabel(
    of index: Int, hand: DiagramHand, using generator: inout SeededGenerator
  ) -> Bool {
    let arrow = arrows[index]
    guard !arrow.symbols.isEmpty else { return true }
    let text = LineText(arrow.symbols.joined(separator: ","))
    let height = letterHeight * exp(0.1 * generator.normal())
    let ink = hand.text(text, height: height, using: &generator)
    guard let bounds = ink.bounds else { return false }
    let (halfWidth, halfHeight) = (bounds.width / 2, bounds.height / 2)
    let isLoop = arrow.from == arrow.to
    // The side of a bow is outside; of a straight line it is mostly above.
    let path = arrow.path
    let (start, end) = (path[0], path[path.count - 1])
    let middle = path[path.count / 2]
    let chord = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
    let isOn = !isLoop && generator.chance(0.05)
    let isOver = isOn && generator.chance(0.3)
    let usualGap = height * generator.uniform(0.1...0.55)
    for attempt in 0..<30 {
      let along =
        isLoop
        ? 0.5 + 0.06 * generator.normal()
        : attempt < 4 ? 0.5 + 0.06 * generator.normal() : generator.uniform(0.25...0.75)
      let place = min(path.count - 2, max(1, Int(along * Double(path.count))))
      let (before, after) = (path[place - 1], path[place + 1])
      let length = max(1e-6, before.distance(to: after))
      var normal = Point(-(after.y - before.y) / length, (after.x - before.x) / length)
      let outward =
        (middle.x - chord.x) * normal.x + (middle.y - chord.y) * normal.y
      let isBowed = abs(outward) > 0.04 * start.distance(to: end)
      let wanted = isBowed ? outward > 0 : abs(normal.y) > 0.3 ? normal.y < 0 : normal.x > 0
      let side = wanted == (attempt % 4 < 3) || isLoop && wanted ? 1.0 : -1
      normal = Point(side * normal.x, side * normal.y)
      let reach = abs(normal.x) * halfWidth + abs(normal.y) * halfHeight
      let distance = isOn ? 0.1 * height * generator.normal() : reach + usualGap
      let center = Point(
        path[place].x + distance * normal.x, path[place].y + distance * normal.y)
      let moved = ink.transformed(
        by: .translation(x: center.x - bounds.center.x, y: center.y - bounds.center.y))
      guard fits(moved.bounds!, for: index, mayCover: isOn) else { continue }
      arrows[index].label = moved
      arrows[index].isInterrupted = isOn && !isOver
      return true
    }
    return false
  }

  /// Whether a label within `box` is nearest to its own arrow and meets nothing.
  private func fits(_ box: Bounds, for index: Int, mayCover: Bool) -> Bool {
    let margin = 0.08 * radius
    for state in states where box.distance(to: Vector(state.center)) < state.radius + margin {
      return false
    }
    for other in arrows {
      if let bounds = other.label?.bounds,
        box.overlaps(bounds, margin: max(3 * margin, 0.6 * letterHeight))
      {
        return false
      }
    }
    let own = arrows[index].path.map { box.distance(to: Vector($0)) }.min()!
    if own < margin, !mayCover { return false }
    let lines =
      arrows.indices.filter { $0 != index }.map { arrows[$0].path }
      + markers.map(\.path)
    return lines.allSatisfy { line in
      let distance = line.map { box.distance(to: Vector($0)) }.min()!
      return distance > 2 * margin && distance > 1.4 * own + margin
    }
  }

  /// Writes a title above or a remark below the drawing, sometimes.
  mutating func addRemarks(hand: DiagramHand, using generator: inout SeededGenerator) {
    guard generator.chance(0.13),
      let text = hand.remark(using: &generator)
    else { return }
    let drawn = Drawing(
      arrows.map { Stroke($0.path) } + markers.map { Stroke($0.path) }
        + arrows.flatMap { $0.label?.strokes ?? [] }
        + states.map { state in
          Stroke([
            Point(state.center.x - state.radius, state.center.y - state.radius),
            Point(state.center.x + state.radius, state.center.y + state.radius),
          ])
        })
    let height = letterHeight * generator.uniform(0.9...1.5)
    let ink = hand.text(text, height: height, using: &generator)
    guard let all = drawn.bounds, let own = ink.bounds else { return }
    let isAbove = generator.chance(0.7)
    let gap = radius * generator.uniform(0.6...1.5)
    let x = all.minX + generator.uniform() * max(0, all.width - own.width) - own.minX
    let y = isAbove ? all.minY - gap - own.maxY : all.maxY + gap - own.minY
    remarks.append(ink.transformed(by: .translation(x: x, y: y)))
    if generator.chance(0.3) {
      let below = y + own.maxY + 0.25 * height
      underlines.append(
        [
          Point(x + own.minX, below),
          Point(x + own.maxX, below + 0.05 * height * generator.normal()),
        ]
      )
    }
  }
}
