/// A map of the plane that keeps lines straight, as a camera maps a sheet of paper (a homography).
///
/// Source: Hartley & Zisserman, Multiple View Geometry, 2nd edition (2004), sections 2.3 and 4.1.
public struct Perspective: Hashable, Sendable {
  /// The matrix of homogeneous coordinates, row by row.
  let matrix: [Double]

  init(matrix: [Double]) { self.matrix = matrix }

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
    guard let solution = LinearEquations.solution(&rows) else { return nil }
    self.init(matrix: solution + [1])
    // The inverse is asked for, and a map of a line has none.
    guard abs(determinant) > 1e-12 else { return nil }
  }

  /// The image of `point`; its time and pressure stay.
  public func apply(to point: Point) -> Point {
    var moved = point
    let depth = matrix[6] * point.x + matrix[7] * point.y + matrix[8]
    moved.x = (matrix[0] * point.x + matrix[1] * point.y + matrix[2]) / depth
    moved.y = (matrix[3] * point.x + matrix[4] * point.y + matrix[5]) / depth
    return moved
  }

  /// The map back.
  public var inverse: Perspective {
    let m = matrix
    return Perspective(matrix: [
      m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
      m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
      m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
    ])
  }

  private var determinant: Double {
    let m = matrix
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
      + m[2] * (m[3] * m[7] - m[4] * m[6])
  }
}
