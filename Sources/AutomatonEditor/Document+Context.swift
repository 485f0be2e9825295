import Foundation
import Ink

// What the elements around a stroke say about it; see <doc:HowDrawingWorks>.

extension Document {
  /// Returns the state to which `stroke` is a self-loop without a head: both ends are at its ring, and
  /// the rest is outside.
  func holder(ofLoop stroke: Stroke, _ options: EditorOptions) -> State? {
    guard let first = stroke.points.first.map({ Vector($0) }),
      let last = stroke.points.last.map({ Vector($0) }),
      let state = nearestState(to: first, options),
      state.id == nearestState(to: last, options)?.id
    else { return nil }
    func gap(_ place: Vector) -> Double { abs(state.center.distance(to: place) - state.radius) }
    let reach = max(0.4 * state.radius, 16 / options.zoom)
    guard gap(first) <= reach, gap(last) <= reach else { return nil }
    let points = stroke.resampled(count: 48).points.map { Vector($0) }
    let distances = points.map { $0.distance(to: state.center) }
    let outside = distances.count { $0 > 0.95 * state.radius }
    let middle = points.reduce(Vector(0, 0), +) * (1 / Double(points.count))
    guard 10 * outside >= 8 * points.count,
      distances.max()! > 1.4 * state.radius,
      // Otherwise it goes around the state.
      middle.distance(to: state.center) > 0.7 * state.radius,
      stroke.sag > 0.5 * stroke.chord
    else { return nil }
    // A closed ring of the size of a state that only starts near another one.
    if stroke.chord < 0.12 * stroke.length, let fit = CircleFit(Drawing([stroke])),
      fit.radius > 0.4 * state.radius, min(gap(first), gap(last)) > 0.12 * state.radius
    {
      return nil
    }
    return state
  }

  /// Returns whether `stroke` is a round ring, open by at most about a quarter, away from all states.
  ///
  /// The picture alone decides about closed rings.
  func isOpenRingOnEmptyPaper(_ stroke: Stroke) -> Bool {
    guard let fit = CircleFit(Drawing([stroke])), fit.radius >= Self.minimumRing,
      (0.7...1).contains(fit.turns), (0.5...1.5).contains(stroke.chord / fit.radius)
    else { return false }
    let points = stroke.resampled(count: 48).points.map { Vector($0) }
    let corners = (3..<45).filter { index in
      let turn =
        (points[index + 3] - points[index]).angle - (points[index] - points[index - 3]).angle
      return abs(turn.remainder(dividingBy: 2 * .pi)) > 1
    }
    guard corners.count < 3 else { return false }
    let deviations = points.map { abs($0.distance(to: fit.center) / fit.radius - 1) }
    guard deviations.reduce(0, +) / Double(points.count) < 0.12, deviations.max()! < 0.4 else {
      return false
    }
    return states.allSatisfy {
      $0.center.distance(to: fit.center) > fit.radius + 0.8 * $0.radius
    }
  }

  /// The minimum radius of an open ring, in canvas points.
  private static let minimumRing = 20.0

  /// Returns an arrow from nowhere in the place of a triangle whose corner is at a state: the mark of
  /// initial states in JFLAP.
  func arrow(inPlaceOfTriangle stroke: Stroke, _ options: EditorOptions) -> Drawing? {
    guard let size = Drawing([stroke]).bounds?.longerSide, size >= Stroke.minimumExtent,
      stroke.chord <= 0.3 * size
    else { return nil }
    // The corners farthest from each other; a triangle has little ink elsewhere.
    let points = stroke.resampled(count: 96).points.map { Vector($0) }
    guard let corners = Self.corners(of: points) else { return nil }
    let sides = (0..<3).map { (corners[$0], corners[($0 + 1) % 3]) }
    let fits = points.allSatisfy { point in
      sides.contains { point.distance(toSegmentFrom: $0.0, to: $0.1) < 0.16 * size }
    }
    guard fits, sides.allSatisfy({ $0.0.distance(to: $0.1) > 0.35 * size }) else { return nil }
    for tip in corners {
      guard let state = nearestState(to: tip, options), size < 2 * state.radius else { continue }
      let reach = max(0.35 * state.radius, 12 / options.zoom)
      let distance = tip.distance(to: state.center)
      let others = corners.filter { $0 != tip }
      guard abs(distance - state.radius) <= reach,
        others.allSatisfy({ $0.distance(to: state.center) > distance + 0.3 * size }),
        // The head of an arrow is drawn at its tip.
        !transitions.contains(where: { isEnd(of: $0, at: tip, within: 0.6 * size) })
      else { continue }
      let base = others[0].middle(to: others[1])
      return Drawing([Stroke([Point(base.x, base.y), Point(tip.x, tip.y)])])
    }
    return nil
  }

  /// Returns the three points that are farthest from each other, or `nil` if they are on a line.
  private static func corners(of points: [Vector]) -> [Vector]? {
    guard let first = points.max(by: { $0.distance(to: points[0]) < $1.distance(to: points[0]) }),
      let second = points.max(by: { $0.distance(to: first) < $1.distance(to: first) }),
      let third = points.max(by: {
        $0.distance(toSegmentFrom: first, to: second)
          < $1.distance(toSegmentFrom: first, to: second)
      }),
      third.distance(toSegmentFrom: first, to: second) > 0.25 * first.distance(to: second)
    else { return nil }
    return [first, second, third]
  }

  private func isEnd(
    of transition: Transition, at place: Vector, within reach: Double
  ) -> Bool {
    guard case .regular(let start, let tip, _) = transition.shape else { return false }
    return start.distance(to: place) <= reach || tip.distance(to: place) <= reach
  }
}
