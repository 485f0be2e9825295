import Ink

/// A drawn line with its head, as straight pieces and the rectangle around them.
struct Outline {
  /// The corners of the line, and after them those of the head, which begins at the tip.
  private let points: [Vector]
  /// Points of the line in even steps.
  let samples: [Vector]
  let bounds: Bounds

  /// The number of pieces of each curve.
  private static let pieces = 10

  /// Creates the outline of a transition.
  init(_ appearance: Document.Appearance) {
    var samples = [appearance.curves[0].start]
    for curve in appearance.curves {
      for piece in 1...Self.pieces {
        samples.append(curve.point(at: Double(piece) / Double(Self.pieces)))
      }
    }
    self.samples = samples
    let (start, tip) = (samples[0], samples[samples.count - 1])
    let isStraight = samples.allSatisfy { $0.distance(toSegmentFrom: start, to: tip) < 0.1 }
    points = (isStraight ? [start, tip] : samples) + appearance.head
    bounds = Bounds(around: points)
  }

  /// Returns whether the line or the head comes within `reach` of a point.
  func isWithin(_ reach: Double, of place: Vector) -> Bool {
    guard
      place.x >= bounds.minX - reach, place.x <= bounds.maxX + reach,
      place.y >= bounds.minY - reach, place.y <= bounds.maxY + reach
    else { return false }
    for index in 1..<points.count {
      let (start, way) = (points[index - 1], points[index] - points[index - 1])
      let toPlace = place - start
      let squared = way.dot(way)
      let share = squared > 0 ? min(1, max(0, toPlace.dot(way) / squared)) : 0
      let rest = toPlace - way * share
      if rest.dot(rest) <= reach * reach { return true }
    }
    return false
  }

  /// Returns whether the line or the head comes within `reach` of another one.
  func isWithin(_ reach: Double, of other: Outline) -> Bool {
    guard bounds.isWithin(reach, of: other.bounds) else { return false }
    for index in 1..<points.count {
      let (start, end) = (points[index - 1], points[index])
      let piece = Bounds(around: [start, end])
      guard piece.isWithin(reach, of: other.bounds) else { continue }
      for second in 1..<other.points.count {
        let (from, to) = (other.points[second - 1], other.points[second])
        if piece.isWithin(reach, of: Bounds(around: [from, to])),
          Vector.distance(start, end, from, to) <= reach
        {
          return true
        }
      }
    }
    return false
  }

  /// Returns whether the line or the head touches a rectangle.
  func touches(_ box: Bounds) -> Bool {
    guard bounds.isWithin(0, of: box) else { return false }
    return (1..<points.count).contains { box.touches(lineFrom: points[$0 - 1], to: points[$0]) }
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
    guard
      min(start.x, end.x) <= maxX, max(start.x, end.x) >= minX,
      min(start.y, end.y) <= maxY, max(start.y, end.y) >= minY
    else { return false }
    let way = end - start
    var (first, last) = (0.0, 1.0)
    // A line along an edge is between the other two, as its ends show.
    if way.x != 0 {
      let (toLeft, toRight) = ((minX - start.x) / way.x, (maxX - start.x) / way.x)
      (first, last) = (max(first, min(toLeft, toRight)), min(last, max(toLeft, toRight)))
    }
    if way.y != 0 {
      let (toTop, toBottom) = ((minY - start.y) / way.y, (maxY - start.y) / way.y)
      (first, last) = (max(first, min(toTop, toBottom)), min(last, max(toTop, toBottom)))
    }
    return first <= last
  }
}
