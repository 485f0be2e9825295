import Foundation
import Ink
import SeededRandom

/// The habits of one writer.
struct Hand {
  /// The style of an arrow head.
  enum Head: CaseIterable {
    /// Back and forth without lifting the pen.
    case oneStroke
    /// Without lifting the pen, and round again to the tip: a triangle.
    case triangle
    /// One barb only.
    case half
    /// The pen is lifted before a V.
    case twoStrokes
    /// The pen is lifted before each barb.
    case threeStrokes
  }

  let device: String
  /// How far upright lines lean, as a share of their height.
  let slant: Double
  /// The width of round shapes, as a share of their height.
  let roundness: Double
  /// How fast the pen moves, in canvas points a millisecond.
  let speed: Double
  /// How much the hand shakes, as a share of the drawing's size.
  let tremor: Double
  /// How far a ring goes on past its start, in radians; below 0 it stays open.
  let overshoot: Double
  var head: Head
  /// The length of a head's barbs, as a share of the line's.
  let headLength: Double
  /// The angle between a barb and the line, in radians.
  let headAngle: Double
  /// Whether round shapes are drawn clockwise, which is rare for right-handed people.
  let isClockwise: Bool
  /// Where rings begin, in radians; −π/2 is the top.
  let startAngle: Double
  /// The usual longer side of a drawing, in canvas points.
  let size: Double
  /// How many points the device records a second.
  let samplingRate: Double

  init(using generator: inout SeededGenerator) {
    let isLeftHanded = generator.chance(0.12)
    device = generator.pick(["stylus", "finger", "mouse"])
    slant = 0.12 * generator.normal() + (isLeftHanded ? -0.08 : 0.05)
    roundness = exp(0.12 * generator.normal())
    speed = exp(0.4 * generator.normal() - 0.5)
    tremor = 0.008 * generator.uniform()
    overshoot = 0.12 + 0.2 * generator.normal()
    head = generator.pick(Head.allCases)
    headLength = generator.uniform(0.16...0.38)
    headAngle = generator.uniform(0.35...0.9)
    isClockwise = generator.chance(isLeftHanded ? 0.7 : 0.2)
    startAngle = -.pi / 2 + 0.4 * generator.normal()
    size = exp(generator.uniform(log(60)...log(400)))
    samplingRate = generator.pick([60, 90, 120, 240])
  }
}

/// Moves along a shape as a hand does: each smooth piece has a bell-shaped speed, so that the pen
/// slows down at corners.
///
/// The minimum-jerk profile of Flash & Hogan (1985): `s(τ) = 10 τ³ − 15 τ⁴ + 6 τ⁵`.
struct HandMovement {
  private let hand: Hand

  init(_ hand: Hand) {
    self.hand = hand
  }

  func draw(_ shape: Shape, using generator: inout SeededGenerator) -> Drawing {
    var time = 0.0
    let size = Drawing(shape.strokes.map { Stroke($0.flatMap { $0 }) }).bounds?.longerSide ?? 0
    let strokes = shape.strokes.map { pieces -> Stroke in
      var points: [Point] = []
      var shakeX = generator.normal()
      var shakeY = generator.normal()
      for piece in pieces {
        let path = Stroke(piece).resampled(count: 200)
        let duration = 40 + path.length / (hand.speed * exp(0.15 * generator.normal()))
        let step = 1000 / hand.samplingRate
        var local = 0.0
        while local < duration {
          let tau = local / duration
          let along = tau * tau * tau * (10 + tau * (-15 + 6 * tau))
          let position = along * Double(path.points.count - 1)
          let index = min(Int(position), path.points.count - 2)
          var point = path.points[index].interpolated(
            to: path.points[index + 1], fraction: position - Double(index))
          shakeX = 0.8 * shakeX + 0.6 * generator.normal()
          shakeY = 0.8 * shakeY + 0.6 * generator.normal()
          point.x += hand.tremor * size * shakeX
          point.y += hand.tremor * size * shakeY
          points.append(Self.recorded(point, time: time + local))
          local += step
        }
        time += duration
      }
      if let last = pieces.last?.last { points.append(Self.recorded(last, time: time)) }
      time += generator.uniform(80...350)
      return Stroke(points)
    }
    return Drawing(strokes)
  }

  /// Devices report tenths of a canvas point and whole milliseconds.
  private static func recorded(_ point: Point, time: Double) -> Point {
    Point(
      (point.x * 10).rounded() / 10, (point.y * 10).rounded() / 10, time: time.rounded())
  }
}
