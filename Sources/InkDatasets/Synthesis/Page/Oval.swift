import Foundation
import Ink

/// A superellipse: |x / a|ᵉ + |y / b|ᵉ = 1, turned.
struct Oval {
  var center: Vector
  var halfWidth: Double
  var halfHeight: Double
  /// The angle, in radians, clockwise.
  var angle: Double
  /// 2 for an ellipse; infinity for a rectangle.
  var exponent: Double

  /// The geometric mean of the half axes.
  var radius: Double { (halfWidth * halfHeight).squareRoot() }

  /// The distance from the centre to the edge in a direction, in radians.
  func reach(_ direction: Double) -> Double {
    let (x, y) = (abs(cos(direction - angle)) / halfWidth, abs(sin(direction - angle)) / halfHeight)
    if exponent > 30 { return 1 / max(x, y) }
    return pow(pow(x, exponent) + pow(y, exponent), -1 / exponent)
  }

  /// Returns the point in a direction from the centre, `gap` outside the edge.
  func edge(_ direction: Double, gap: Double = 0) -> Vector {
    center + Vector(angle: direction, length: reach(direction) + gap)
  }

  /// Returns whether a point is inside, `margin` px around it included.
  func contains(_ place: Vector, margin: Double = 0) -> Bool {
    let way = place - center
    let distance = way.length
    guard distance < max(halfWidth, halfHeight) * 1.5 + margin else { return false }
    return distance < reach(way.angle) + margin
  }

  /// Returns the point of the edge at a parameter: 2π is once around.
  func point(_ parameter: Double) -> Vector {
    if exponent > 30 { return corner(parameter) }
    let (c, s) = (cos(parameter), sin(parameter))
    func power(_ value: Double) -> Double {
      exponent == 2 ? value : copysign(pow(abs(value), 2 / exponent), value)
    }
    return center + Vector(power(c) * halfWidth, power(s) * halfHeight).turned(by: angle)
  }

  /// Returns the point of a rectangle's edge, at an even speed along each side.
  private func corner(_ parameter: Double) -> Vector {
    let quarter = (parameter / (.pi / 2)).rounded(.down)
    let along = 2 * (parameter / (.pi / 2) - quarter) - 1
    var place = Vector(1, along)
    for _ in 0..<((Int(quarter) % 4 + 4) % 4) { place = Vector(-place.y, place.x) }
    return center + Vector(place.x * halfWidth, place.y * halfHeight).turned(by: angle)
  }

  /// Returns the oval with both half axes multiplied by `factor`.
  func scaled(by factor: Double) -> Oval {
    var oval = self
    oval.halfWidth *= factor
    oval.halfHeight *= factor
    return oval
  }
}

/// Ways of a pen.
enum Curve {
  /// Returns a straight line.
  static func line(_ a: Vector, _ b: Vector, count: Int = 24) -> [Vector] {
    (0...count).map { a + (b - a) * (Double($0) / Double(count)) }
  }

  /// Returns a cubic Bézier curve.
  static func cubic(
    _ a: Vector, _ b: Vector, _ c: Vector, _ d: Vector, count: Int = 40
  ) -> [Vector] {
    (0...count).map { step in
      let t = Double(step) / Double(count)
      let u = 1 - t
      return a * (u * u * u) + b * (3 * u * u * t) + c * (3 * u * t * t) + d * (t * t * t)
    }
  }

  /// Returns a curve whose middle is `bow` times its chord beside it.
  static func bowed(_ a: Vector, _ b: Vector, bow: Double, skew: Double = 0.5) -> [Vector] {
    let way = b - a
    let middle = a + way * skew + Vector(-way.y, way.x) * (2 * bow)
    return cubic(a, a + (middle - a) * (2 / 3.0), b + (middle - b) * (2 / 3.0), b, count: 32)
  }

  /// Returns the length of a way.
  static func length(_ path: [Vector]) -> Double {
    zip(path, path.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
  }

  /// Returns the direction in which a way ends, over its last `reach`.
  static func endDirection(_ path: [Vector], reach: Double) -> Double {
    let tip = path[path.count - 1]
    return (tip - (path.last { $0.distance(to: tip) > reach } ?? path[0])).angle
  }
}
