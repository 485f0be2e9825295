import Ink
import InkDiagram
import SeededRandom

/// A part of a drawing that is drawn at once.
struct DrawnPart {
  enum Kind {
    case ring, innerRing, name, shaft, head, label, remark
  }

  var kind: Kind
  /// The state or transition of which it is a part.
  var element: Int
  var strokes: [Stroke]
  var role: Diagram.StrokeRole
  /// Whether it is a part of the arrow from nowhere.
  var isMarker = false
}

extension DiagramPlan {
  /// Draws all elements.
  func elements(
    by hand: DiagramHand, using generator: inout SeededGenerator
  ) -> [DrawnPart] {
    var parts: [DrawnPart] = []
    for (index, state) in states.enumerated() {
      let id = "s\(index)"
      let rings = hand.rings(
        center: state.center, radius: state.radius, isFinal: state.isFinal, using: &generator)
      let role = Diagram.StrokeRole(.state, element: id)
      parts.append(DrawnPart(kind: .ring, element: index, strokes: rings.outer, role: role))
      parts.append(DrawnPart(kind: .innerRing, element: index, strokes: rings.inner, role: role))
      if let name = state.name {
        var ink = hand.text(name, height: letterHeight, using: &generator)
        let room = state.radius * (state.isFinal ? 0.62 : 0.8)
        if let bounds = ink.bounds {
          let scale = min(1, 2 * room / bounds.diagonal)
          let spare = 0.12 * state.radius
          ink = ink.transformed(
            by: Transform.translation(x: -bounds.center.x, y: -bounds.center.y)
              .then(.scale(x: scale, y: scale))
              .then(
                .translation(
                  x: state.center.x + spare * generator.uniform(-1...1),
                  y: state.center.y + spare * generator.uniform(-1...1))))
        }
        parts.append(
          DrawnPart(
            kind: .name, element: index, strokes: ink.strokes,
            role: Diagram.StrokeRole(.text, element: id)))
      }
    }
    for (index, arrow) in arrows.enumerated() {
      let ink = hand.arrow(
        along: arrow.path, radius: radius, isLoop: arrow.from == arrow.to,
        around: arrow.isInterrupted ? arrow.label?.bounds : nil, using: &generator)
      let role = Diagram.StrokeRole(.transition, element: "t\(index)")
      parts.append(DrawnPart(kind: .shaft, element: index, strokes: ink.shafts, role: role))
      parts.append(DrawnPart(kind: .head, element: index, strokes: ink.heads, role: role))
      parts.append(
        DrawnPart(
          kind: .label, element: index, strokes: arrow.label?.strokes ?? [],
          role: Diagram.StrokeRole(.text, element: "t\(index)")))
    }
    for marker in markers {
      let role = Diagram.StrokeRole(.initial, element: "s\(marker.state)")
      let ink =
        marker.isTriangle
        ? (hand.triangle(along: marker.path, using: &generator), [])
        : hand.arrow(
          along: marker.path, radius: radius, isLoop: false, around: nil, using: &generator)
      for (kind, strokes) in [(DrawnPart.Kind.shaft, ink.0), (.head, ink.1)] {
        parts.append(
          DrawnPart(
            kind: kind, element: marker.state, strokes: strokes, role: role, isMarker: true))
      }
    }
    for remark in remarks {
      parts.append(
        DrawnPart(
          kind: .remark, element: 0, strokes: remark.strokes, role: Diagram.StrokeRole(.text)))
    }
    for line in underlines {
      parts.append(
        DrawnPart(
          kind: .remark, element: 1, strokes: [hand.line(line, using: &generator)],
          role: Diagram.StrokeRole(.other)))
    }
    // A tap of the pen.
    if generator.chance(0.03) {
      let tap = Point(
        states[0].center.x + radius * 2 * generator.normal(),
        states[0].center.y + radius * 2 * generator.normal())
      parts.append(
        DrawnPart(
          kind: .remark, element: 1000, strokes: [Stroke([tap, Point(tap.x + 1, tap.y + 1)])],
          role: Diagram.StrokeRole(.other)))
    }
    return parts.filter { !$0.strokes.isEmpty }
  }
}

/// The order in which the parts of a drawing are drawn.
enum DrawingOrder: String {
  case statesFirst = "states first"
  case elements = "element by element"
  case labelsLast = "labels last"
  case backAndForth = "back and forth"
  case random

  static func random(using generator: inout SeededGenerator) -> DrawingOrder {
    generator.pick([
      .statesFirst, .statesFirst, .elements, .elements, .labelsLast, .labelsLast, .backAndForth,
      .random,
    ])
  }

  /// Returns the strokes in this order, with times in most drawings; a random order has none.
  func strokes(
    of parts: [DrawnPart], hand: DiagramHand, using generator: inout SeededGenerator
  ) -> [(stroke: Stroke, role: Diagram.StrokeRole)] {
    let labelsFollow = generator.chance(0.6)
    let keys = parts.map { moment($0, labelsFollow: labelsFollow, using: &generator) }
    let order = parts.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
    var strokes: [(stroke: Stroke, role: Diagram.StrokeRole)] = []
    let isTimed = self != .random && generator.chance(0.85)
    var time = 0.0
    for part in order.map({ parts[$0] }) {
      for stroke in part.strokes {
        guard isTimed else {
          strokes.append((stroke.withoutTimes, part.role))
          continue
        }
        let timed = hand.timed(stroke, from: time)
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
    case .remark: index - 1
    }
  }
}
