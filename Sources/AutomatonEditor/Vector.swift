import Foundation
import Ink

/// A place on the canvas, or a way from one to another: x to the right, y down, in canvas points.
public struct Vector: Hashable, Sendable {
  /// To the right.
  public var x: Double
  /// Down.
  public var y: Double

  /// Makes a vector.
  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  /// The place of a pen's point.
  public init(_ point: Point) { self.init(point.x, point.y) }

  /// The vector of length `length` at `angle` radians from the x axis, clockwise on screen.
  public init(angle: Double, length: Double) {
    self.init(length * cos(angle), length * sin(angle))
  }

  /// The length.
  public var length: Double { hypot(x, y) }

  /// The angle from the x axis, clockwise on screen, in (−π, π].
  public var angle: Double { atan2(y, x) }

  /// Whether both numbers are finite.
  public var isFinite: Bool { x.isFinite && y.isFinite }

  /// The furthest place from the origin that a document holds, in canvas points along either axis; what
  /// is drawn around it still has coordinates that can be calculated with.
  public static let furthest = 1e9

  /// Whether it is a place that a document can hold.
  var isOnCanvas: Bool { abs(x) <= Self.furthest && abs(y) <= Self.furthest }

  /// The vector of length 1 in this direction; 0 has none and stays 0.
  public var unit: Vector { length > 0 ? self * (1 / length) : self }

  /// The vector turned by `angle` radians, clockwise on screen.
  public func turned(by angle: Double) -> Vector {
    Vector(x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle))
  }

  /// The distance to `other`.
  public func distance(to other: Vector) -> Double { (other - self).length }

  /// The middle between this place and `other`.
  public func middle(to other: Vector) -> Vector { (self + other) * 0.5 }

  /// The sum.
  public static func + (one: Vector, other: Vector) -> Vector {
    Vector(one.x + other.x, one.y + other.y)
  }

  /// The way from `other` to `one`.
  public static func - (one: Vector, other: Vector) -> Vector {
    Vector(one.x - other.x, one.y - other.y)
  }

  /// The vector, longer by `factor`.
  public static func * (one: Vector, factor: Double) -> Vector {
    Vector(one.x * factor, one.y * factor)
  }
}
