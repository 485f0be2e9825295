import Foundation
import Ink

/// A stroke of a drawing as evenly spaced points, with what its shape says; or a mark of writing in a picture.
struct Trace {
  /// The index of the stroke in the drawing, or of the mark in its ``PageWriting``.
  let index: Int
  /// Evenly spaced points, one for a dot; of a mark, places of its cells.
  let points: [Vector]
  /// The length of the pen's path.
  let length: Double
  /// The corners of the upright rectangle around the points.
  let low: Vector
  let high: Vector

  /// The number of points of a stroke with an extent.
  static let pointCount = 96

  /// Returns `nil` if the stroke has no points, or one that cannot be on a canvas.
  init?(_ stroke: Stroke, index: Int) {
    let all = stroke.points.map { Vector($0) }
    guard let first = all.first, all.allSatisfy({ $0.isFinite && $0.isOnCanvas }) else {
      return nil
    }
    self.index = index
    let length = stroke.length
    self.length = length
    points =
      length > 0
      ? stroke.withoutTimes.resampled(count: Self.pointCount).points.map { Vector($0) }
      : [first]
    // The resampled points can miss a corner.
    low = all.reduce(first) { Vector(min($0.x, $1.x), min($0.y, $1.y)) }
    high = all.reduce(first) { Vector(max($0.x, $1.x), max($0.y, $1.y)) }
  }

  /// Creates a mark of a picture from places of its cells, in any order, and the corners of all of them.
  init(index: Int, points: [Vector], low: Vector, high: Vector) {
    (self.index, self.points, self.low, self.high) = (index, points, low, high)
    length = points.pathLength
  }

  var start: Vector { points[0] }
  var end: Vector { points[points.count - 1] }
  var center: Vector { low.middle(to: high) }
  var width: Double { high.x - low.x }
  var height: Double { high.y - low.y }
  /// The longer side of the rectangle around it.
  var size: Double { max(width, height) }
  /// The distance from its start to its end.
  var chord: Double { start.distance(to: end) }
  /// The mean of its points.
  var mean: Vector { points.reduce(Vector(0, 0), +) * (1 / Double(points.count)) }

  /// Returns the distance of `place` from the nearest of its points.
  func distance(to place: Vector) -> Double {
    points.reduce(.infinity) { min($0, $1.distance(to: place)) }
  }

  /// Whether all its points are nearer to `place` than `reach`.
  func isWithin(_ reach: Double, of place: Vector) -> Bool {
    points.allSatisfy { $0.distance(to: place) < reach }
  }

  /// The point farthest from the line between the ends.
  var apex: Vector {
    points.max {
      $0.distance(toSegmentFrom: start, to: end) < $1.distance(toSegmentFrom: start, to: end)
    } ?? start
  }
}

extension Array where Element == Vector {
  /// Returns the signed turning angle of the path, and the sum of its absolute parts, in radians.
  ///
  /// Every `step`th point is used, so that a tremor does not count.
  func turning(smoothing step: Int) -> (signed: Double, absolute: Double) {
    guard count > 2 * step else { return (0, 0) }
    var (signed, absolute) = (0.0, 0.0)
    var previous = self[step] - self[0]
    var index = 2 * step
    while index < count {
      let way = self[index] - self[index - step]
      let turn = (way.angle - previous.angle).remainder(dividingBy: 2 * .pi)
      signed += turn
      absolute += abs(turn)
      previous = way
      index += step
    }
    return (signed, absolute)
  }

  /// Returns the angle by which the path turns at a point, from the way over `span` points before it to the way over
  /// as many behind it, from 0 to π.
  func turn(at index: Int, span: Int) -> Double {
    let before = self[index] - self[index - span]
    let after = self[index + span] - self[index]
    return abs((after.angle - before.angle).remainder(dividingBy: 2 * .pi))
  }

  /// The length of the path.
  var pathLength: Double { zip(self, dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) } }

  /// Returns the direction in which the path arrives at its last point.
  func heading(over count: Int) -> Vector {
    guard let last else { return Vector(0, 0) }
    return (last - self[Swift.max(0, self.count - 1 - count)]).unit
  }
}
