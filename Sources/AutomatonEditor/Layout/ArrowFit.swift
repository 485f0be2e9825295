import Ink

/// The start, tip and middle of a drawn line or arrow; see <doc:HowDrawingWorks>.
struct ArrowFit {
  var start: Vector
  var tip: Vector
  var flex: Vector
  /// Whether it has a head, which decides the direction.
  var hasHead: Bool

  /// The maximum sag of a straight shaft, as a share of its chord.
  private static let straight = 0.05
  /// The minimum length of a head drawn without lifting the pen, as a share of the stroke.
  private static let minimumHead = 0.04

  /// The distance of the points that form a corner, and the minimum angle of a corner, in radians.
  private static let span = 3
  private static let minimumCorner = 1.0

  /// Fits an arrow, or returns `nil` if the drawing has no extent.
  init?(_ drawing: Drawing) {
    guard let shaft = drawing.strokes.max(by: { $0.length < $1.length }), shaft.length > 0 else {
      return nil
    }
    let points = shaft.resampled(count: 128).points.map { Vector($0) }
    guard points.allSatisfy(\.isFinite) else { return nil }
    // If the head is drawn without lifting the pen, the stroke goes back from the tip.
    let last = points.count - 1
    let furthestFromStart = Self.furthest(from: points[0], in: points)
    let furthestFromEnd = last - Self.furthest(from: points[last], in: points.reversed())
    // A hook at the other end is shorter than a head.
    let (backAtEnd, backAtStart) = (last - furthestFromStart, furthestFromEnd)
    var line = points
    hasHead = Double(max(backAtEnd, backAtStart)) / Double(last) > Self.minimumHead
    if hasHead {
      line =
        backAtEnd >= backAtStart
        ? Array(points[...furthestFromStart]) : points[furthestFromEnd...].reversed()
    }
    // Further strokes are heads; a head at the start reverses the arrow.
    let heads = drawing.strokes.filter { $0 != shaft }.flatMap(\.points).map { Vector($0) }
    if !heads.isEmpty {
      let middle = heads.reduce(Vector(0, 0), +) * (1 / Double(heads.count))
      hasHead = true
      if middle.distance(to: line[0]) < middle.distance(to: line[line.count - 1]) { line.reverse() }
    }
    let (start, tip) = (line[0], line[line.count - 1])
    let chord = start.distance(to: tip)
    guard chord > 0 else { return nil }
    let half = line[line.count / 2]
    let across = (tip - start).unit.turned(by: .pi / 2)
    let sag = line.map { abs(($0 - start).x * across.x + ($0 - start).y * across.y) }.max() ?? 0
    (self.start, self.tip) = (start, tip)
    flex = sag > Self.straight * chord ? half : start.middle(to: tip)
  }

  /// Returns the index of the first point that is about as far from `place` as the farthest one.
  ///
  /// A pen that draws both barbs passes the tip twice.
  private static func furthest(from place: Vector, in points: [Vector]) -> Int {
    let distances = points.map { $0.distance(to: place) }
    let enough = 0.98 * (distances.max() ?? 0)
    guard let near = distances.firstIndex(where: { $0 >= enough }) else { return 0 }
    // A barb can reach slightly farther than the tip, which is the first corner.
    let end = distances[near...].firstIndex { $0 < enough } ?? distances.count
    let corner = (near..<end).first { index in
      guard index >= span, index + span < points.count else { return false }
      let (before, after) = (
        points[index] - points[index - span], points[index + span] - points[index]
      )
      let turn = abs((after.angle - before.angle).remainder(dividingBy: 2 * .pi))
      return turn > minimumCorner
    }
    // The corner is in the middle of the turn.
    if let corner, corner + span < end { return corner + span / 2 }
    return corner ?? (near..<end).max { distances[$0] < distances[$1] } ?? near
  }
}
