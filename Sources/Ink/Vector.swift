import Foundation

/// A point or a displacement on the canvas, in canvas points, with x to the right and y down.
public struct Vector: Hashable, Sendable {
  /// The coordinate to the right.
  public var x: Double
  /// The coordinate down.
  public var y: Double

  /// Creates a vector.
  @inlinable public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  /// Creates a vector from a point of a stroke.
  @inlinable public init(_ point: Point) { self.init(point.x, point.y) }

  /// Creates a vector of a length and an angle from the x axis, clockwise on screen, in radians.
  @inlinable public init(angle: Double, length: Double) {
    self.init(length * cos(angle), length * sin(angle))
  }

  /// The length.
  ///
  /// The coordinates are squared, so that it is infinite above 1e154, and 0 below 1e-162.
  @inlinable public var length: Double { (x * x + y * y).squareRoot() }

  /// The angle from the x axis, clockwise on screen, in (−π, π].
  public var angle: Double { atan2(y, x) }

  /// Whether both numbers are finite.
  public var isFinite: Bool { x.isFinite && y.isFinite }

  /// The maximum absolute coordinate in a document, in canvas points.
  public static let furthest = 1e9

  /// Whether a document can contain this point.
  package var isOnCanvas: Bool { abs(x) <= Self.furthest && abs(y) <= Self.furthest }

  /// The vector of length 1 in this direction; the zero vector stays zero.
  @inlinable public var unit: Vector { length > 0 ? self * (1 / length) : self }

  /// The vector turned by `angle` radians, clockwise on screen.
  public func turned(by angle: Double) -> Vector {
    Vector(x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle))
  }

  /// The distance to `other`.
  @inlinable public func distance(to other: Vector) -> Double { (other - self).length }

  /// Returns the midpoint between this point and `other`.
  @inlinable public func middle(to other: Vector) -> Vector { (self + other) * 0.5 }

  /// Returns the scalar product.
  @inlinable package func dot(_ other: Vector) -> Double { x * other.x + y * other.y }

  /// Returns the cross product: positive if `other` is clockwise from this one on screen.
  @inlinable package func cross(_ other: Vector) -> Double { x * other.y - y * other.x }

  /// The distance to the segment from `a` to `b`.
  package func distance(toSegmentFrom a: Vector, to b: Vector) -> Double {
    let way = b - a
    let squared = way.dot(way)
    guard squared > 0 else { return distance(to: a) }
    return distance(to: a + way * min(1, max(0, (self - a).dot(way) / squared)))
  }

  /// The sum.
  @inlinable public static func + (one: Vector, other: Vector) -> Vector {
    Vector(one.x + other.x, one.y + other.y)
  }

  /// The displacement from `other` to `one`.
  @inlinable public static func - (one: Vector, other: Vector) -> Vector {
    Vector(one.x - other.x, one.y - other.y)
  }

  /// The vector multiplied by `factor`.
  @inlinable public static func * (one: Vector, factor: Double) -> Vector {
    Vector(one.x * factor, one.y * factor)
  }
}

extension Vector: Codable {
  /// Reads a list of x and y.
  ///
  /// - Throws: `DecodingError` where it is not two numbers.
  public init(from decoder: any Decoder) throws {
    let numbers = try [Double](from: decoder)
    guard numbers.count == 2 else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "expected two numbers, found \(numbers.count)"))
    }
    self.init(numbers[0], numbers[1])
  }

  /// Writes a list of x and y.
  public func encode(to encoder: any Encoder) throws { try [x, y].encode(to: encoder) }
}

extension Collection<Vector> {
  /// The mean; not a number if there is none.
  @inlinable package var mean: Vector { reduce(Vector(0, 0), +) * (1 / Double(count)) }
}

extension [Vector] {
  /// The length of the path.
  package var pathLength: Double {
    zip(self, dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
  }

  /// Returns places evenly along the path, at most `spacing` apart; see ``Stroke/resampled(spacing:)``.
  package func resampled(spacing: Double) -> [Vector] {
    Stroke(through: self).resampled(spacing: spacing).points.map { Vector($0) }
  }
}
