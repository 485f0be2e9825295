/// The circle of a drawn ring.
package struct CircleFit {
  package var center: Vector
  package var radius: Double
  /// The number of turns of the pen around the centre.
  package var turns: Double

  /// Fits a circle by least squares of x² + y² − 2ax − 2by − c (Kåsa, 1976).
  ///
  /// The points are resampled evenly, so that slow parts have no more weight. Returns `nil` if the
  /// points have no extent or are on a line.
  package init?(_ drawing: Drawing) {
    let length = drawing.length
    guard length > 0, length.isFinite else { return nil }
    let points = drawing.strokes.flatMap { stroke -> [Vector] in
      let share = stroke.length / length
      guard share > 0 else { return [] }
      return stroke.resampled(count: max(3, Int(share * 96))).points.map { Vector($0) }
    }
    let count = Double(points.count)
    let mean = points.mean
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
    // A tremor increases the turning angle and the length, so the smaller estimate is used.
    let turning = drawing.strokes.reduce(0) { $0 + abs($1.smoothTurningAngle) } / (2 * .pi)
    turns = min(turning, length / (2 * .pi * radius))
    guard center.isFinite, radius.isFinite, radius > 0 else { return nil }
  }
}

extension Stroke {
  /// The turning angle of the stroke after smoothing.
  package var smoothTurningAngle: Double { resampled(count: 32).turningAngle }
}
