import Ink

/// The circle that a ring was meant to be.
struct CircleFit {
  var center: Vector
  var radius: Double
  /// How often the pen went round.
  var turns: Double

  /// Fits by least squares of x² + y² − 2ax − 2by − c (Kåsa, 1976), on points evenly spaced along each
  /// stroke, so that slow parts weigh no more than fast ones; `nil` where the points have no extent or
  /// lie on a line.
  init?(_ drawing: Drawing) {
    let length = drawing.length
    guard length > 0, length.isFinite else { return nil }
    let points = drawing.strokes.flatMap { stroke -> [Vector] in
      let share = stroke.length / length
      guard share > 0 else { return [] }
      return stroke.withoutTimes(count: max(3, Int(share * 96))).map { Vector($0) }
    }
    let count = Double(points.count)
    let mean = points.reduce(Vector(0, 0), +) * (1 / count)
    var (xx, xy, yy, xz, yz) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for point in points {
      let d = point - mean
      let z = d.x * d.x + d.y * d.y
      xx += d.x * d.x
      xy += d.x * d.y
      yy += d.y * d.y
      xz += d.x * z
      yz += d.y * z
    }
    let determinant = xx * yy - xy * xy
    guard determinant > 1e-9 * xx * yy, determinant > 0 else { return nil }
    let offset = Vector(
      (xz * yy - yz * xy) / (2 * determinant), (yz * xx - xz * xy) / (2 * determinant))
    center = mean + offset
    radius = ((xx + yy) / count + offset.x * offset.x + offset.y * offset.y).squareRoot()
    // The pen went round as often as both its turning and its way say; a tremor makes either too much.
    let turning = drawing.strokes.reduce(0) { $0 + abs($1.smoothTurningAngle) } / (2 * .pi)
    turns = min(turning, length / (2 * .pi * radius))
    guard center.isFinite, radius.isFinite, radius > 0 else { return nil }
  }
}

extension Stroke {
  /// Evenly spaced points.
  fileprivate func withoutTimes(count: Int) -> [Point] {
    resampled(count: count).points.map { Point($0.x, $0.y) }
  }

  /// The turning angle of the stroke without its tremor.
  var smoothTurningAngle: Double { resampled(count: 32).turningAngle }
}
