import Ink

/// A drawn line with its head as a sequence of points, with the rectangle around it.
struct Outline {
  /// The points of the line, and after them those of the head, which begins at the tip.
  let points: [Vector]
  /// The number of points of the line alone.
  let lineCount: Int
  let bounds: Bounds

  /// The number of pieces of each curve.
  private static let pieces = 12

  /// Creates the outline of a transition.
  init(_ appearance: Document.Appearance) {
    var points = [appearance.curves[0].start]
    for curve in appearance.curves {
      for piece in 1...Self.pieces {
        points.append(curve.point(at: Double(piece) / Double(Self.pieces)))
      }
    }
    lineCount = points.count
    self.points = points + appearance.head
    bounds = Bounds(around: self.points)
  }

  /// Returns whether the line or the head comes within `reach` of a point.
  func isWithin(_ reach: Double, of place: Vector) -> Bool {
    guard bounds.distance(to: place) <= reach else { return false }
    return zip(points, points.dropFirst()).contains {
      place.distance(toSegmentFrom: $0, to: $1) <= reach
    }
  }

  /// Returns whether the line or the head comes within `reach` of another one.
  func isWithin(_ reach: Double, of other: Outline) -> Bool {
    guard bounds.isWithin(reach, of: other.bounds) else { return false }
    return zip(points, points.dropFirst()).contains { start, end in
      let piece = Bounds(around: [start, end])
      guard piece.isWithin(reach, of: other.bounds) else { return false }
      return zip(other.points, other.points.dropFirst()).contains {
        piece.isWithin(reach, of: Bounds(around: [$0, $1]))
          && Vector.distance(start, end, $0, $1) <= reach
      }
    }
  }

  /// Returns the number of points of the line that are within `reach` of another line.
  ///
  /// Points in the `hidden` circles do not count.
  func pointCount(
    within reach: Double, of other: Outline, outside hidden: [(center: Vector, radius: Double)]
  ) -> Int {
    guard bounds.isWithin(reach, of: other.bounds) else { return 0 }
    return points.prefix(lineCount).count { point in
      hidden.allSatisfy { point.distance(to: $0.center) > $0.radius }
        && other.isWithin(reach, of: point)
    }
  }

  /// Returns whether the line or the head touches a rectangle.
  func touches(_ box: Bounds) -> Bool {
    guard bounds.isWithin(0, of: box) else { return false }
    return zip(points, points.dropFirst()).contains { box.touches(lineFrom: $0, to: $1) }
  }
}

extension Bounds {
  /// The smallest rectangle around points, at least one.
  init(around points: [Vector]) {
    self.init(around: Point(points[0].x, points[0].y))
    for point in points {
      (minX, minY) = (min(minX, point.x), min(minY, point.y))
      (maxX, maxY) = (max(maxX, point.x), max(maxY, point.y))
    }
  }

  /// The rectangle of a size around a point.
  init(around center: Vector, size: Vector) {
    self.init(around: [center - size * 0.5, center + size * 0.5])
  }

  /// Returns the rectangle with its edges moved outwards.
  func widened(by margin: Double) -> Bounds {
    Bounds(around: [
      Vector(minX - margin, minY - margin), Vector(maxX + margin, maxY + margin),
    ])
  }

  /// Returns whether the gaps to another rectangle, across and down, are at most `reach`.
  func isWithin(_ reach: Double, of other: Bounds) -> Bool {
    minX - other.maxX <= reach && other.minX - maxX <= reach && minY - other.maxY <= reach
      && other.minY - maxY <= reach
  }

  /// Returns whether a part of a straight line is in the rectangle (Liang & Barsky, 1984).
  func touches(lineFrom start: Vector, to end: Vector) -> Bool {
    let way = end - start
    var (first, last) = (0.0, 1.0)
    for (step, toLow, toHigh) in [
      (way.x, minX - start.x, maxX - start.x), (way.y, minY - start.y, maxY - start.y),
    ] {
      if step == 0 {
        if toLow > 0 || toHigh < 0 { return false }
      } else {
        first = max(first, min(toLow / step, toHigh / step))
        last = min(last, max(toLow / step, toHigh / step))
      }
    }
    return first <= last
  }
}
