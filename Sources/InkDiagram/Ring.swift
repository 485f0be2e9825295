import Foundation
import Ink

/// An ellipse through the points of some strokes, and how well they follow it.
struct Ring {
  /// The strokes that draw it.
  var strokes: [Int]
  /// The mean radius.
  var radius: Double
  /// The shorter axis as a share of the longer one.
  var roundness: Double
  /// The mean distance of the points from the ellipse, as a share of the radius.
  var residual: Double
  /// How much the radius has four maxima in a turn, as that of a box has, as a share of the radius.
  var squareness: Double
  /// The largest angle without ink, as a share of the full turn.
  var gap: Double
  /// The number of turns of the pen around the centre.
  var turns: Double
  /// Whether it is two rings in one stroke.
  var isDouble = false
  private let conic: Conic

  var center: Vector { conic.center }

  /// Fits an ellipse by least squares, or a circle where no ellipse fits.
  init?(_ parts: [[Vector]], strokes: [Int]) {
    let points = parts.flatMap(\.self)
    guard points.count >= 8, let conic = Conic(points) else { return nil }
    self.strokes = strokes
    self.conic = conic
    let (xx, xy, yy) = conic.form
    let determinant = xx * yy - xy * xy
    let middle = (xx + yy) / 2
    let spread = ((xx - yy) * (xx - yy) / 4 + xy * xy).squareRoot()
    guard determinant > 0, middle - spread > 0 else { return nil }
    radius = pow(determinant, -0.25)
    roundness = ((middle - spread) / (middle + spread)).squareRoot()
    var squares = 0.0
    var fourth = Vector(0, 0)
    var angles: [Double] = []
    angles.reserveCapacity(points.count)
    turns = 0
    for part in parts {
      var total = 0.0
      var previous: Double?
      for point in part {
        let way = point - conic.center
        let share = conic.share(way)
        squares += (share - 1) * (share - 1)
        let angle = way.angle
        angles.append(angle)
        // In the coordinates in which the ellipse is a circle, a box is a square.
        let round = conic.rounded(way).angle
        fourth = fourth + Vector(angle: 4 * round, length: share - 1)
        if let previous { total += (angle - previous).remainder(dividingBy: 2 * .pi) }
        previous = angle
      }
      turns += abs(total) / (2 * .pi)
    }
    residual = (squares / Double(points.count)).squareRoot()
    squareness = 2 * fourth.length / Double(points.count)
    angles.sort()
    var largest = angles[0] + 2 * .pi - angles[angles.count - 1]
    for (a, b) in zip(angles, angles.dropFirst()) { largest = max(largest, b - a) }
    gap = largest / (2 * .pi)
    guard center.isFinite, center.isOnCanvas, radius.isFinite, residual.isFinite else {
      return nil
    }
  }

  /// Returns the distance of `place` from the centre as a share of the radius in its direction.
  func share(of place: Vector) -> Double {
    conic.share(place - center)
  }

  /// How unlikely such a ring is, as a negative logarithm.
  var cost: Double {
    let shape = residual / 0.085
    let open = max(0, gap - 0.06) / 0.13
    let narrow = max(0, 0.72 - roundness) / 0.14
    let square = max(0, squareness - 0.035) / 0.012
    let over = isDouble ? 0 : max(0, turns - 1.3) / 0.35
    return 0.5 * (shape * shape + open * open + narrow * narrow + over * over + square * square)
  }

  /// The cost above which a ring is none.
  static let maximumCost = 3.5
}

/// An ellipse as a quadratic form.
private struct Conic {
  var center: Vector
  /// The quadratic form around the centre: xx, xy and yy.
  var form: (Double, Double, Double)

  /// Returns the distance from the centre as a share of the radius in this direction.
  func share(_ way: Vector) -> Double {
    let (xx, xy, yy) = form
    return max(0, xx * way.x * way.x + 2 * xy * way.x * way.y + yy * way.y * way.y).squareRoot()
  }

  /// Returns `way` in coordinates in which the ellipse is a circle.
  func rounded(_ way: Vector) -> Vector {
    // The square root of the form, by its trace and determinant.
    let (xx, xy, yy) = form
    let root = max(0, xx * yy - xy * xy).squareRoot()
    return Vector((xx + root) * way.x + xy * way.y, xy * way.x + (yy + root) * way.y)
  }

  /// Fits A x² + B xy + C y² + D x + E y = 1 around the mean by least squares.
  init?(_ points: [Vector]) {
    let mean = points.mean
    let size = points.reduce(0.0) { $0 + $1.distance(to: mean) } / Double(points.count)
    guard size > 0, size.isFinite else { return nil }
    // The sums of x^i y^j, of which the normal equations consist.
    var sums = [Double](repeating: 0, count: 25)
    for point in points {
      let p = (point - mean) * (1 / size)
      var x = 1.0
      for i in 0..<5 {
        var power = x
        for j in 0..<5 - i {
          sums[5 * i + j] += power
          power *= p.y
        }
        x *= p.x
      }
    }
    let powers = [(2, 0), (1, 1), (0, 2), (1, 0), (0, 1), (0, 0)]
    var matrix = powers.prefix(5).map { a in
      powers.map { b in sums[5 * (a.0 + b.0) + a.1 + b.1] }
    }
    guard let s = LinearEquations.solution(&matrix) else { return nil }
    let (a, b, c, d, e) = (s[0], s[1] / 2, s[2], s[3], s[4])
    let determinant = a * c - b * b
    guard determinant > 0, a > 0 else { return nil }
    let x = -(c * d - b * e) / (2 * determinant)
    let y = -(a * e - b * d) / (2 * determinant)
    let level = 1 + a * x * x + 2 * b * x * y + c * y * y
    guard level > 0 else { return nil }
    center = mean + Vector(x, y) * size
    let scale = 1 / (level * size * size)
    form = (a * scale, b * scale, c * scale)
  }
}
