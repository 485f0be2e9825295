import Foundation
import Ink
import SeededRandom

/// Signs of automata, drawn where a writer did not record them.
///
/// Lengths are shares of the height of a capital letter. The baseline is at y 0, and y points down.
enum DrawnSigns {
  /// The signs that can be drawn.
  static let all = Set("ΣΓ∅⊢□⊔→…#$*|:;{}/()[]_!~&")

  /// Draws `sign`, one of ``all``.
  static func drawing(of sign: Character, using generator: inout SeededGenerator) -> Drawing {
    let width = exp(0.12 * generator.normal())
    func near(_ x: Double, _ y: Double) -> Point {
      Point(width * x + 0.03 * generator.normal(), y + 0.03 * generator.normal())
    }
    /// A polygonal line with slightly bent sides.
    func line(_ corners: (Double, Double)...) -> Stroke {
      let points = corners.map { near($0.0, $0.1) }
      var bent = [points[0]]
      for (a, b) in zip(points, points.dropFirst()) {
        let bend = 0.05 * generator.normal()
        for step in 1...6 {
          let share = Double(step) / 6
          let straight = a.interpolated(to: b, fraction: share)
          let rise = 4 * share * (1 - share) * bend
          bent.append(
            Point(straight.x + rise * (a.y - b.y), straight.y + rise * (b.x - a.x)))
        }
      }
      return Stroke(bent)
    }
    /// An ellipse that overlaps its start or leaves a gap.
    func ring(_ x: Double, _ y: Double, _ radiusX: Double, _ radiusY: Double) -> Stroke {
      let start = generator.uniform(-2.5 ... -0.6)
      let turn = 2 * .pi * generator.uniform(0.95...1.08)
      let (spreadX, spreadY) = (radiusX * width, radiusY * exp(0.1 * generator.normal()))
      return Stroke(
        (0...24).map { step in
          let angle = start - turn * Double(step) / 24
          return Point(width * x + spreadX * cos(angle), y + spreadY * sin(angle))
        })
    }
    func dot(_ x: Double, _ y: Double) -> Stroke {
      let a = near(x, y)
      return Stroke([a, Point(a.x + 0.02, a.y + 0.02)])
    }
    let strokes: [Stroke]
    switch sign {
    case "Σ":
      strokes = [line((0.62, -0.95), (0, -1), (0.36, -0.5), (0, 0), (0.66, -0.02))]
    case "Γ":
      strokes =
        generator.chance(0.5)
        ? [line((0, 0), (0, -1), (0.55, -1))]
        : [line((0, -1), (0, 0)), line((0, -1), (0.55, -1))]
    case "∅":
      // Rounder than a zero with a slash, and its slash is longer.
      strokes = [ring(0.4, -0.45, 0.42, 0.4), line((-0.05, 0.12), (0.85, -1.05))]
    case "⊢": strokes = [line((0, -0.85), (0, 0)), line((0, -0.43), (0.55, -0.43))]
    case "⊔": strokes = [line((0, -0.75), (0, 0), (0.6, 0), (0.6, -0.75))]
    case "→":
      let tip = generator.uniform(0.75...1.3)
      let wing = generator.uniform(0.1...0.22)
      strokes = [
        line((0, -0.4), (tip, -0.4)),
        line((tip - wing, -0.4 - wing), (tip, -0.4), (tip - wing, -0.4 + wing)),
      ]
    case "…": strokes = [dot(0, -0.03), dot(0.25, -0.03), dot(0.5, -0.03)]
    case "#":
      strokes = [
        line((0.24, -0.95), (0.16, 0)), line((0.52, -0.95), (0.44, 0)),
        line((0, -0.64), (0.7, -0.64)), line((0, -0.32), (0.7, -0.32)),
      ]
    case "$":
      strokes = [
        Stroke(
          curve(near(0.5, -0.8), near(-0.35, -0.95), near(0.25, -0.47)).points
            + curve(near(0.25, -0.47), near(0.85, -0.05), near(0, -0.12)).points),
        line((0.27, -1.08), (0.25, 0.12)),
      ]
    case "*":
      strokes = [
        line((0.2, -0.9), (0.2, -0.5)), line((0.03, -0.8), (0.37, -0.6)),
        line((0.37, -0.8), (0.03, -0.6)),
      ]
    case "|": strokes = [line((0, -1.1), (0, 0.15))]
    case "/": strokes = [line((0.42, -1.05), (0, 0.1))]
    case "_": strokes = [line((0, 0.1), (0.6, 0.1))]
    case "!": strokes = [line((0.03, -1), (0, -0.3)), dot(0, -0.03)]
    case "~":
      strokes = [
        Stroke(
          curve(near(0, -0.35), near(0.12, -0.68), near(0.28, -0.43)).points
            + curve(near(0.28, -0.43), near(0.44, -0.18), near(0.56, -0.52)).points)
      ]
    case "&":
      strokes = [
        Stroke(
          curve(near(0.6, 0), near(0.2, -0.45), near(0.12, -0.8)).points
            + curve(near(0.14, -0.95), near(0.55, -1.05), near(0.3, -0.6)).points
            + curve(near(0.1, -0.35), near(-0.1, 0.1), near(0.3, 0)).points
            + [near(0.6, -0.4)])
      ]
    case ":": strokes = [dot(0, -0.5), dot(0, -0.05)]
    case ";":
      strokes = [dot(0.05, -0.5), curve(near(0.06, -0.1), near(0.08, 0.08), near(-0.03, 0.22))]
    case "(": strokes = [curve(near(0.25, -1.1), near(-0.2, -0.48), near(0.25, 0.15))]
    case ")": strokes = [curve(near(0, -1.1), near(0.45, -0.48), near(0, 0.15))]
    case "[": strokes = [line((0.25, -1.1), (0, -1.1), (0, 0.15), (0.25, 0.15))]
    case "]": strokes = [line((0, -1.1), (0.25, -1.1), (0.25, 0.15), (0, 0.15))]
    case "{", "}":
      let brace = Drawing([
        Stroke(
          curve(near(0.3, -1.1), near(0.02, -1.05), near(0.14, -0.6)).points
            + [near(0, -0.48)]
            + curve(near(0.14, -0.36), near(0.02, 0.1), near(0.3, 0.15)).points)
      ])
      return sign == "{" ? brace : brace.transformed(by: .scale(x: -1, y: 1))
    case "□": strokes = [line((0, -0.8), (0, 0), (0.7, 0), (0.7, -0.8), (0, -0.8))]
    default: preconditionFailure("no such sign: \(sign)")
    }
    return Drawing(strokes)
  }

  /// Returns the quadratic Bézier curve from `a` to `c` with the control point `b`.
  static func curve(_ a: Point, _ b: Point, _ c: Point) -> Stroke {
    Stroke(
      (0...8).map { step in
        let share = Double(step) / 8
        return a.interpolated(to: b, fraction: share)
          .interpolated(to: b.interpolated(to: c, fraction: share), fraction: share)
      })
  }
}

/// Where a recorded sign stands, in which size.
struct SignFrame {
  private let zone: ClosedRange<Double>
  private let width: Double

  /// The frame of `sign`, or `nil` for letters, digits and what is written like them.
  init?(_ sign: Character) {
    switch sign {
    case ",": (zone, width) = (-0.12...0.2, 0.3)
    case ";": (zone, width) = (-0.5...0.2, 0.3)
    case ":": (zone, width) = (-0.5...0, 0.2)
    case "'": (zone, width) = (-1.05 ... -0.72, 0.25)
    case ".": (zone, width) = (-0.08...0, 0.1)
    case "…": (zone, width) = (-0.1...0, 0.6)
    case "_": (zone, width) = (0...0.2, 0.8)
    case "~": (zone, width) = (-0.65 ... -0.25, 0.6)
    case "-": (zone, width) = (-0.5 ... -0.35, 0.45)
    case "→": (zone, width) = (-0.6 ... -0.2, 1)
    case "+": (zone, width) = (-0.68 ... -0.14, 0.55)
    case "=": (zone, width) = (-0.56 ... -0.28, 0.5)
    case "<", ">": (zone, width) = (-0.75 ... -0.12, 0.55)
    case "*": (zone, width) = (-0.95 ... -0.4, 0.55)
    case "(", ")", "[", "]", "{", "}", "|", "/": (zone, width) = (-1.1...0.15, 0.7)
    case "?", "!", "&", "#", "$": (zone, width) = (-1...0, 0.9)
    case "∅", "⊢", "□", "⊔": (zone, width) = (-0.85...0, 0.9)
    default: return nil
    }
  }

  /// Returns the recording as large as fits into the frame, in the middle of its height.
  func fitted(_ drawing: Drawing) -> Drawing {
    guard let bounds = drawing.bounds else { return drawing }
    let height = zone.upperBound - zone.lowerBound
    let scale = min(
      bounds.height > 0 ? height / bounds.height : .infinity,
      bounds.width > 0 ? width / bounds.width : .infinity)
    let middle = (zone.lowerBound + zone.upperBound) / 2
    guard scale.isFinite else { return Drawing([Stroke([Point(0, middle)])]) }
    return drawing.transformed(
      by: Transform.translation(x: -bounds.center.x, y: -bounds.center.y)
        .then(.scale(x: scale, y: scale)).then(.translation(x: 0, y: middle)))
  }
}
