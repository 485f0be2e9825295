import Ink

/// Three straight lines that close.
struct Triangle {
  var corners: [Vector]
  /// How far the stroke is from the triangle, as a negative logarithm.
  var cost: Double

  /// Returns `nil` if the stroke is no triangle.
  init?(_ trace: Trace) {
    guard trace.points.count > 12, trace.size > 0 else { return nil }
    let mean = trace.mean
    let points = trace.points
    // The corner farthest from the middle, the one farthest from it, and the one farthest from both.
    guard let one = points.max(by: { $0.distance(to: mean) < $1.distance(to: mean) }),
      let two = points.max(by: { $0.distance(to: one) < $1.distance(to: one) }),
      let three = points.max(by: {
        $0.distance(toSegmentFrom: one, to: two) < $1.distance(toSegmentFrom: one, to: two)
      })
    else { return nil }
    corners = [one, two, three]
    let sides = [(one, two), (two, three), (three, one)]
    let lengths = sides.map { $0.0.distance(to: $0.1) }
    guard lengths.min()! > 0.35 * lengths.max()! else { return nil }
    let squares = points.reduce(0.0) { sum, point in
      let distance = sides.map { point.distance(toSegmentFrom: $0.0, to: $0.1) }.min()!
      return sum + distance * distance
    }
    let residual = (squares / Double(points.count)).squareRoot() / trace.size
    // Each side is drawn about once.
    let around = trace.length / lengths.reduce(0, +)
    guard residual < 0.12, (0.85...1.6).contains(around) else { return nil }
    cost = 0.5 * (residual / 0.035) * (residual / 0.035)
  }
}
