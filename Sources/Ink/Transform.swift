import Foundation

/// An affine map of the canvas: `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`.
public struct Transform: Hashable, Sendable {
  var a = 1.0
  var b = 0.0
  var c = 0.0
  var d = 1.0
  var tx = 0.0
  var ty = 0.0

  /// Moves nothing.
  public static let identity = Transform()

  /// Moves by `x`, `y` canvas points.
  public static func translation(x: Double, y: Double) -> Transform {
    Transform(tx: x, ty: y)
  }

  /// Scales about the origin; a negative factor reflects.
  public static func scale(x: Double, y: Double) -> Transform {
    Transform(a: x, d: y)
  }

  /// Turns about the origin by `angle` radians; positive is clockwise on screen, for y points down.
  public static func rotation(_ angle: Double) -> Transform {
    Transform(a: cos(angle), b: sin(angle), c: -sin(angle), d: cos(angle))
  }

  /// Slants: x grows by `factor`·y.
  public static func shear(_ factor: Double) -> Transform {
    Transform(c: factor)
  }

  /// This map followed by `next`.
  public func then(_ next: Transform) -> Transform {
    Transform(
      a: next.a * a + next.c * b, b: next.b * a + next.d * b,
      c: next.a * c + next.c * d, d: next.b * c + next.d * d,
      tx: next.a * tx + next.c * ty + next.tx, ty: next.b * tx + next.d * ty + next.ty)
  }

  /// This map with `center` in the place of the origin.
  public func about(_ center: Point) -> Transform {
    Transform.translation(x: -center.x, y: -center.y).then(self)
      .then(.translation(x: center.x, y: center.y))
  }

  /// The six numbers of the map, a, b, c, d, x and y, in the order of SVG's `matrix`.
  public var matrix: [Double] { [a, b, c, d, tx, ty] }

  /// The map back.
  ///
  /// - Precondition: ``scale`` is not 0.
  public var inverse: Transform {
    let area = a * d - b * c
    return Transform(
      a: d / area, b: -b / area, c: -c / area, d: a / area,
      tx: (c * ty - d * tx) / area, ty: (b * tx - a * ty) / area)
  }

  /// The factor by which lengths grow, if the map keeps shapes; otherwise the root of that of areas.
  public var scale: Double { abs(a * d - b * c).squareRoot() }

  /// How far the map turns the x axis, clockwise on screen, in radians in (−π, π].
  public var angle: Double { atan2(b, a) }

  /// The image of `point`; its time and pressure stay.
  public func apply(to point: Point) -> Point {
    var moved = point
    moved.x = a * point.x + c * point.y + tx
    moved.y = b * point.x + d * point.y + ty
    return moved
  }

  /// The image of `place`.
  public func apply(to place: Vector) -> Vector {
    Vector(a * place.x + c * place.y + tx, b * place.x + d * place.y + ty)
  }
}

extension Transform {
  /// Creates the map of the six numbers of ``matrix``; `nil` if there are not six finite ones, or it has no inverse.
  public init?(matrix: [Double]) {
    guard matrix.count == 6, matrix.allSatisfy(\.isFinite) else { return nil }
    self.init(
      a: matrix[0], b: matrix[1], c: matrix[2], d: matrix[3], tx: matrix[4], ty: matrix[5])
    guard scale > 0, inverse.matrix.allSatisfy(\.isFinite) else { return nil }
  }
}
