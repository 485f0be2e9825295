import Foundation
import Ink
import InkDiagram
import SeededRandom

/// A part of a drawing that is drawn at once.
struct DrawnPart {
  /// A kind of part; a label is the symbols of an arrow.
  enum Kind {
    case ring, innerRing, name, shaft, head, label, remark
  }

  /// What it is.
  var kind: Kind
  /// The number of the state or transition of which it is a part; 0 for a remark.
  var element: Int
  /// Its strokes, in drawing order.
  var strokes: [Stroke]
  /// What each of its strokes is.
  var role: Diagram.StrokeRole
  /// Whether it is a part of the arrow from nowhere.
  var isMarker = false
}

extension Page {
  /// How often a pen goes on from a line to its head, and from a ring to the inner one.
  private static let (joinedHeads, joinedRings) = (0.4, 0.5)
  /// How near the inner ring then begins, as a share of half the width of the state.
  private static let joinedReach = 0.6
  /// The distance between points of a stroke, in px.
  private static let spacing = 4.0

  /// Returns the parts in which the page was drawn, some of which are joined to one stroke.
  func parts(using generator: inout SeededGenerator) -> [DrawnPart] {
    let (joinsHeads, joinsRings) = (
      generator.chance(Self.joinedHeads), generator.chance(Self.joinedRings)
    )
    var numbers: [Int: Int] = [:]
    for (number, arrow) in arrows.enumerated() where arrow.from != nil {
      numbers[number] = numbers.count
    }
    var parts: [DrawnPart] = []
    for (number, stroke) in strokes.enumerated() {
      let part = part(number, stroke, transitions: numbers)
      guard let last = parts.last, last.element == part.element, last.role.role == part.role.role
      else {
        parts.append(part)
        continue
      }
      let (before, after) = (last.strokes[last.strokes.count - 1], part.strokes[0])
      let isJoined =
        switch (last.kind, part.kind) {
        case (.shaft, .head): joinsHeads
        case (.ring, .innerRing):
          joinsRings
            && before.points.last!.distance(to: after.points[0])
              < Self.joinedReach * states[last.element].halfWidth
        default: false
        }
      if isJoined {
        // The pen goes on.
        parts[parts.count - 1].strokes[last.strokes.count - 1] = Ink.Stroke(
          before.points + after.points)
      } else if last.kind == part.kind {
        parts[parts.count - 1].strokes += part.strokes
      } else {
        parts.append(part)
      }
    }
    return parts.map { part in
      var part = part
      part.strokes = part.strokes.map { $0.resampled(spacing: Self.spacing) }
      return part
    }
  }

  /// Returns what a stroke is a part of; `transitions` has the numbers of the arrows among the transitions.
  private func part(_ number: Int, _ stroke: Stroke, transitions: [Int: Int]) -> DrawnPart {
    let ink = [Ink.Stroke(through: stroke.path)]
    switch stroke.element {
    case .state(let state):
      let isInner = states[state].innerRing?.contains(number) ?? false
      let isText = stroke.pageClass == .writing
      return DrawnPart(
        kind: isText ? .name : isInner ? .innerRing : .ring, element: state, strokes: ink,
        role: Diagram.StrokeRole(isText ? .text : .state, element: "s\(state)"))
    case .arrow(let arrow):
      let kind: DrawnPart.Kind =
        switch stroke.pageClass {
        case .writing: .label
        case .head: .head
        default: .shaft
        }
      guard let transition = transitions[arrow] else {
        let state = arrows[arrow].to
        return DrawnPart(
          kind: kind, element: state, strokes: ink,
          role: Diagram.StrokeRole(.initial, element: "s\(state)"), isMarker: true)
      }
      return DrawnPart(
        kind: kind, element: transition, strokes: ink,
        role: Diagram.StrokeRole(
          kind == .label ? .text : .transition, element: "t\(transition)"))
    case .none:
      return DrawnPart(
        kind: .remark, element: 0, strokes: ink,
        role: Diagram.StrokeRole(stroke.pageClass == .writing ? .text : .other))
    }
  }
}

/// The order in which the parts of a drawing are drawn.
enum DrawingOrder: String {
  case statesFirst = "states first"
  case elements = "element by element"
  case labelsLast = "labels last"
  case backAndForth = "back and forth"
  case random

  /// The speeds of pens, in canvas points a millisecond.
  private static let speeds = 0.3...1.3

  /// Returns an order; orders in which people draw are likelier.
  static func random(using generator: inout SeededGenerator) -> DrawingOrder {
    generator.pick([
      .statesFirst, .statesFirst, .elements, .elements, .labelsLast, .labelsLast, .backAndForth,
      .random,
    ])
  }

  /// Returns the strokes in this order, with times in most drawings; a random order has none.
  func strokes(
    of parts: [DrawnPart], using generator: inout SeededGenerator
  ) -> [(stroke: Stroke, role: Diagram.StrokeRole)] {
    let labelsFollow = generator.chance(0.6)
    let keys = parts.map { moment($0, labelsFollow: labelsFollow, using: &generator) }
    let order = parts.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
    var strokes: [(stroke: Stroke, role: Diagram.StrokeRole)] = []
    let isTimed = self != .random && generator.chance(0.85)
    let speed = generator.uniform(Self.speeds)
    var time = 0.0
    for part in order.map({ parts[$0] }) {
      for stroke in part.strokes {
        guard isTimed else {
          strokes.append((stroke, part.role))
          continue
        }
        let timed = stroke.timed(from: time, speed: speed)
        strokes.append((timed, part.role))
        time = (timed.points.last?.time ?? time) + generator.uniform(80...350).rounded()
      }
      time += generator.uniform(100...1500).rounded()
    }
    if self == .random {
      strokes = generator.permutation(strokes.count).map { strokes[$0] }
    }
    return strokes.map { pair in
      let points = pair.stroke.points.map {
        Point(($0.x * 10).rounded() / 10, ($0.y * 10).rounded() / 10, time: $0.time)
      }
      return (Stroke(points), pair.role)
    }
  }

  /// Returns when a part is drawn, in parts of a drawing.
  private func moment(
    _ part: DrawnPart, labelsFollow: Bool, using generator: inout SeededGenerator
  ) -> Double {
    let index = Double(part.element)
    var head = 0.1
    switch generator.uniform() {
    case ..<0.06: head = -0.1
    case ..<0.1: head = 500
    default: break
    }
    let late = self == .backAndForth && generator.chance(0.3) ? generator.uniform(0...200) : 0
    let lines = self == .elements || self == .backAndForth ? 0.5 : 100.0
    let texts = self == .labelsLast ? 1000.0 : 0
    let start = part.isMarker ? index + 0.3 : index + lines
    return switch part.kind {
    case .ring: index
    case .innerRing: index + 0.05 + (generator.chance(0.15) ? 400 : 0) + late
    case .name: index + 0.1 + texts + late
    case .shaft: start + late / 4
    case .head: start + head + late
    case .label: start + 0.2 + texts + (labelsFollow ? 0 : 300) + late
    // A title is written first.
    case .remark: -1
    }
  }
}

extension Stroke {
  /// Returns the stroke with the times of a pen that starts at `start`, in ms, at a speed in canvas points a millisecond.
  fileprivate func timed(from start: Double, speed: Double) -> Stroke {
    var time = start
    var previous = points.first
    return Stroke(
      points.map { point in
        time += max(2, previous!.distance(to: point) / speed)
        previous = point
        return Point(point.x, point.y, time: time.rounded())
      })
  }
}
