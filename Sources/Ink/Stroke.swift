import Foundation

/// The points of the pen between touching the surface and lifting, in order.
public struct Stroke: Hashable, Sendable {
  /// The positions in drawing order.
  public var points: [Point]

  /// Creates a stroke of `points`.
  public init(_ points: [Point]) {
    self.points = points
  }

  /// Creates a stroke without times through the points of a line.
  package init(through line: [Vector]) {
    self.init(line.map { Point($0.x, $0.y) })
  }

  /// The stroke without times and pressures.
  package var withoutTimes: Stroke { Stroke(points.map { Point($0.x, $0.y) }) }

  /// The maximum number of steps for resampling.
  private static let maximumSteps = 1e6

  /// The length of the path through all points, in canvas points.
  public var length: Double {
    zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
  }

  /// The sum of the signed changes of direction along the stroke, in radians.
  ///
  /// Positive is clockwise on screen, for y points down. One full loop turns by about ±2π, a
  /// straight line by 0. Coincident points have no direction and are skipped.
  public var turningAngle: Double {
    var total = 0.0
    var previous: (dx: Double, dy: Double)?
    for (a, b) in zip(points, points.dropFirst()) {
      let step = (dx: b.x - a.x, dy: b.y - a.y)
      guard step.dx != 0 || step.dy != 0 else { continue }
      if let previous {
        let cross = previous.dx * step.dy - previous.dy * step.dx
        let dot = previous.dx * step.dx + previous.dy * step.dy
        total += atan2(cross, dot)
      }
      previous = step
    }
    return total
  }

  /// The stroke as `count` points evenly spaced along its path; both ends are kept.
  ///
  /// Time and pressure are interpolated. A stroke without extent gives `count` copies of its first
  /// point, an empty one stays empty.
  ///
  /// - Precondition: `count` is at least 2.
  public func resampled(count: Int) -> Stroke {
    precondition(count >= 2, "a resampled stroke has at least its two ends")
    guard let first = points.first, let last = points.last else { return self }
    let step = length / Double(count - 1)
    guard step > 0 else { return Stroke(Array(repeating: first, count: count)) }

    var result = [first]
    result.reserveCapacity(count)
    var walked = 0.0
    for (a, b) in zip(points, points.dropFirst()) {
      let segment = a.distance(to: b)
      while result.count < count - 1, Double(result.count) * step <= walked + segment, segment > 0 {
        let fraction = (Double(result.count) * step - walked) / segment
        result.append(a.interpolated(to: b, fraction: fraction))
      }
      walked += segment
    }
    // Rounding can leave the last points out; they are at the end.
    while result.count < count { result.append(last) }
    return Stroke(result)
  }

  /// The stroke as points at most `spacing` canvas points apart along its path, both ends kept.
  ///
  /// There are never more than a million, however small the spacing is. A stroke with a coordinate that is
  /// not a number has no length, and its ends remain.
  ///
  /// - Precondition: `spacing` is positive.
  public func resampled(spacing: Double) -> Stroke {
    precondition(spacing > 0, "the spacing of a resampled stroke is positive")
    guard points.count > 1 else { return self }
    let ratio = length / spacing
    let steps = ratio.isNaN ? 1 : min(ratio.rounded(.up), Self.maximumSteps)
    return resampled(count: max(2, Int(steps) + 1))
  }

  /// Returns the stroke without the points that are within `tolerance` canvas points of the result.
  ///
  /// Ends and corners stay (Ramer, 1972; Douglas & Peucker, 1973).
  public func simplified(tolerance: Double) -> Stroke {
    guard points.count > 2 else { return self }
    var kept = [Bool](repeating: false, count: points.count)
    kept[0] = true
    kept[points.count - 1] = true
    var pending = [(0, points.count - 1)]
    while let (start, end) = pending.popLast() {
      guard end - start > 1 else { continue }
      var furthest = (index: start, distance: tolerance)
      let (first, last) = (Vector(points[start]), Vector(points[end]))
      for index in start + 1..<end {
        let distance = Vector(points[index]).distance(toSegmentFrom: first, to: last)
        if distance > furthest.distance { furthest = (index, distance) }
      }
      guard furthest.index != start else { continue }
      kept[furthest.index] = true
      pending.append((start, furthest.index))
      pending.append((furthest.index, end))
    }
    return Stroke(zip(points, kept).filter(\.1).map(\.0))
  }

  /// Returns the reversed stroke, with mirrored times that still increase.
  public func reversed() -> Stroke {
    let origin = (points.first?.time ?? 0) + (points.last?.time ?? 0)
    return Stroke(
      points.reversed().map {
        Point($0.x, $0.y, time: $0.time.map { origin - $0 }, pressure: $0.pressure)
      })
  }
}
