import Ink

/// A stroke of a drawing as evenly spaced points, with what its shape says; or a mark of writing in a picture.
struct Trace: Bounded {
  /// The index of the stroke in the drawing, or of the mark in its ``PageWriting``.
  let index: Int
  /// Evenly spaced points, one for a dot; of a mark, places of its cells.
  let points: [Vector]
  /// The length of the pen's path.
  let length: Double
  let low: Vector
  let high: Vector

  /// The number of points of a stroke with an extent.
  static let pointCount = 96

  var start: Vector { points[0] }
  var end: Vector { points[points.count - 1] }
  /// The distance from its start to its end.
  var chord: Double { start.distance(to: end) }
  /// The mean of its points.
  var mean: Vector { points.mean }

  /// Returns the distance of `place` from the nearest of its points.
  func distance(to place: Vector) -> Double {
    points.reduce(.infinity) { min($0, $1.distance(to: place)) }
  }

  /// The point farthest from the line between the ends.
  var apex: Vector {
    points.max {
      $0.distance(toSegmentFrom: start, to: end) < $1.distance(toSegmentFrom: start, to: end)
    } ?? start
  }
}

extension Trace {
  /// Returns `nil` if the stroke has no points, or one that cannot be on a canvas.
  init?(_ stroke: Stroke, index: Int) {
    let all = stroke.points.map { Vector($0) }
    guard let first = all.first, all.allSatisfy({ $0.isFinite && $0.isOnCanvas }) else {
      return nil
    }
    let length = stroke.length
    // The resampled points can miss a corner.
    let (low, high) = all.corners
    self.init(
      index: index,
      points: length > 0
        ? stroke.withoutTimes.resampled(count: Self.pointCount).points.map { Vector($0) }
        : [first],
      length: length, low: low, high: high)
  }
}

extension [Vector] {
  /// The corners of the upright rectangle around the points, at least one.
  var corners: (low: Vector, high: Vector) {
    (
      reduce(self[0]) { Vector(Swift.min($0.x, $1.x), Swift.min($0.y, $1.y)) },
      reduce(self[0]) { Vector(Swift.max($0.x, $1.x), Swift.max($0.y, $1.y)) }
    )
  }

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

  /// Returns the direction in which the path arrives at its last point.
  func heading(over count: Int) -> Vector {
    guard let last else { return Vector(0, 0) }
    return (last - self[Swift.max(0, self.count - 1 - count)]).unit
  }
}
