/// Strokes that belong together, in the order in which they were drawn.
public struct Drawing: Hashable, Sendable {
  /// The strokes in drawing order.
  public var strokes: [Stroke]

  /// Creates a drawing of `strokes`.
  public init(_ strokes: [Stroke]) {
    self.strokes = strokes
  }

  /// The number of points of all strokes.
  public var pointCount: Int { strokes.reduce(0) { $0 + $1.points.count } }

  /// The length of all strokes together, in canvas points.
  public var length: Double { strokes.reduce(0) { $0 + $1.length } }

  /// The smallest upright rectangle around every point, or `nil` if there is no point.
  public var bounds: Bounds? {
    var bounds: Bounds?
    for stroke in strokes {
      for point in stroke.points {
        bounds = bounds?.extended(to: point) ?? Bounds(around: point)
      }
    }
    return bounds
  }

  /// Returns the drawing with each point moved by `transform`; times and pressures stay.
  public func transformed(by transform: Transform) -> Drawing {
    mapPoints { _, point in transform.apply(to: point) }
  }

  /// Returns the drawing with each point replaced by the result of `move`.
  public func mapPoints(_ move: (_ stroke: Int, Point) -> Point) -> Drawing {
    Drawing(
      strokes.enumerated().map { index, stroke in Stroke(stroke.points.map { move(index, $0) }) })
  }
}

/// An upright rectangle on the canvas.
public struct Bounds: Hashable, Sendable {
  /// The left edge, in canvas points.
  public var minX: Double
  /// The top edge, in canvas points.
  public var minY: Double
  /// The right edge, in canvas points.
  public var maxX: Double
  /// The bottom edge, in canvas points.
  public var maxY: Double

  /// The empty rectangle at `point`.
  public init(around point: Point) {
    (minX, minY, maxX, maxY) = (point.x, point.y, point.x, point.y)
  }

  /// The horizontal extent, in canvas points.
  public var width: Double { maxX - minX }
  /// The vertical extent, in canvas points.
  public var height: Double { maxY - minY }
  /// The longer side, in canvas points.
  public var longerSide: Double { max(width, height) }
  /// The middle of the rectangle.
  public var center: Point { Point(minX + width / 2, minY + height / 2) }

  /// The smallest rectangle around this one and `point`.
  public func extended(to point: Point) -> Bounds {
    var result = self
    result.minX = min(minX, point.x)
    result.minY = min(minY, point.y)
    result.maxX = max(maxX, point.x)
    result.maxY = max(maxY, point.y)
    return result
  }

  /// The distance to `place`, 0 inside.
  package func distance(to place: Vector) -> Double {
    Vector(max(minX - place.x, 0, place.x - maxX), max(minY - place.y, 0, place.y - maxY)).length
  }
}
