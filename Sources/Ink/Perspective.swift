/// A map of the plane that keeps lines straight, as a camera maps a sheet of paper (a homography).
///
/// Source: Hartley & Zisserman, Multiple View Geometry, 2nd edition (2004), sections 2.3 and 4.1.
public struct Perspective: Hashable, Sendable {
  /// The rows of the matrix of homogeneous coordinates.
  @usableFromInline let toX: SIMD3<Double>
  @usableFromInline let toY: SIMD3<Double>
  @usableFromInline let toDepth: SIMD3<Double>

  private init(toX: SIMD3<Double>, toY: SIMD3<Double>, toDepth: SIMD3<Double>) {
    (self.toX, self.toY, self.toDepth) = (toX, toY, toDepth)
  }

  /// Creates the map that takes four points to four others, or `nil` if three of them are in line.
  ///
  /// - Precondition: there are four points each.
  public init?(from sources: [Point], to targets: [Point]) {
    precondition(sources.count == 4 && targets.count == 4, "expected four points each")
    var rows: [[Double]] = []
    for (source, target) in zip(sources, targets) {
      let (x, y, u, v) = (source.x, source.y, target.x, target.y)
      rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, u])
      rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, v])
    }
    guard let m = LinearEquations.solution(&rows) else { return nil }
    self.init(
      toX: SIMD3(m[0], m[1], m[2]), toY: SIMD3(m[3], m[4], m[5]),
      toDepth: SIMD3(m[6], m[7], 1))
    // A map onto a line shows no plane.
    guard abs(determinant) > 1e-12 else { return nil }
  }

  /// The image of `place`.
  @inlinable public func apply(to place: Vector) -> Vector {
    let depth = toDepth.x * place.x + toDepth.y * place.y + toDepth.z
    return Vector(
      (toX.x * place.x + toX.y * place.y + toX.z) / depth,
      (toY.x * place.x + toY.y * place.y + toY.z) / depth)
  }

  private var determinant: Double {
    let (x, y, depth) = (toX, toY, toDepth)
    return x.x * (y.y * depth.z - y.z * depth.y) - x.y * (y.x * depth.z - y.z * depth.x)
      + x.z * (y.x * depth.y - y.y * depth.x)
  }
}
