import Foundation
import Ink

/// Finds heads at the ends of shafts: an angle, one or two barbs, a triangle, or a filled one.
struct HeadSearch {
  /// The strokes that may be heads; none is part of a ring.
  let traces: [Trace]
  /// The positions of the traces by stroke.
  let grid: Grid
  /// The usual radius of a state.
  let scale: Double
  /// What the network sees, which knows larger heads.
  let seen: SeenStrokes

  /// The number of heads that are kept for an end.
  private static let most = 4
  /// The cost above which a head or a barb is none.
  private static let maximumCost = 4.0
  /// The cost of a head of one barb.
  private static let singleBarb = 1.3

  /// Returns the likeliest heads at the last point of `shaft`.
  func heads(at shaft: Shaft) -> [Head] {
    guard let end = shaft.path.last else { return [] }
    let heading = shaft.heading
    let length = shaft.length
    var heads: [Head] = []
    var barbs: [(stroke: Int, side: Double, cost: Double, end: Vector)] = []
    for number in grid.items(near: end, reach: 0.5 * scale) {
      let trace = traces[number]
      let longest =
        seen.isHead(trace)
        ? min(PageNumbers.largestHead * scale, PageNumbers.headOfLine * length)
        : min(1.3 * scale, length)
      guard !shaft.strokes.contains(trace.index), trace.size < longest,
        trace.size > 0.04 * scale, trace.distance(to: end) < 0.7 * scale
      else { continue }
      if let barb = barb(trace, at: end, heading) {
        barbs.append((trace.index, barb.side, barb.cost, barb.end))
      } else if let head = angle(trace, at: end, heading) ?? blob(trace, at: end, heading) {
        heads.append(head)
      }
    }
    for (number, one) in barbs.enumerated() {
      heads.append(
        Head(strokes: [one.stroke], tip: end, cost: one.cost + Self.singleBarb))
      for other in barbs[(number + 1)...] where one.side * other.side < 0 {
        heads.append(
          Head(
            strokes: [one.stroke, other.stroke], tip: one.end.middle(to: other.end),
            cost: 0.6 * (one.cost + other.cost)))
      }
    }
    let likely = heads.filter { $0.cost < Self.maximumCost }
    return Array(likely.sorted { $0.cost < $1.cost }.prefix(Self.most))
  }

  /// Returns the cost of a distance between the end and the head.
  private func near(_ distance: Double) -> Double {
    let share = distance / (0.2 * scale)
    return 0.5 * share * share
  }

  /// Returns the cost of the angle between a barb and the line back from the tip.
  private func slant(_ angle: Double) -> Double {
    let off = max(0, abs(abs(angle) - 0.7) - 0.45) / 0.3
    return 0.5 * off * off
  }

  /// Returns the angle of `way` from the line back from the tip.
  private func angle(_ way: Vector, _ heading: Vector) -> Double {
    (way.angle - (heading * -1).angle).remainder(dividingBy: 2 * .pi)
  }

  private func barb(
    _ trace: Trace, at end: Vector, _ heading: Vector
  ) -> (side: Double, cost: Double, end: Vector)? {
    guard trace.chord > 0.9 * trace.length, trace.chord > 0,
      seen.isHead(trace) || trace.size < 0.9 * scale
    else { return nil }
    let isForward = trace.start.distance(to: end) <= trace.end.distance(to: end)
    let (near, far) = isForward ? (trace.start, trace.end) : (trace.end, trace.start)
    let angle = angle(far - near, heading)
    let cost = self.near(near.distance(to: end)) + slant(angle)
    return cost < Self.maximumCost ? (angle < 0 ? -1 : 1, cost, near) : nil
  }

  private func angle(_ trace: Trace, at end: Vector, _ heading: Vector) -> Head? {
    guard trace.points.count > 8, trace.length > 0 else { return nil }
    let chord = trace.end - trace.start
    let apex = trace.apex
    let (one, other) = (trace.start - apex, trace.end - apex)
    // Both arms are straight.
    guard one.length + other.length > 0.72 * trace.length, chord.length > 0.2 * trace.length,
      min(one.length, other.length) > 0.3 * max(one.length, other.length)
    else { return nil }
    let (a, b) = (angle(one, heading), angle(other, heading))
    guard a * b < 0 else { return nil }
    let large = seen.isHead(trace) ? 0 : max(0, trace.size / scale - 0.8) / 0.3
    // The apex can be ahead of the line.
    let way = apex - end
    let ahead = way.dot(heading)
    let cost =
      near(hypot(ahead > 0 ? 0.5 * ahead : ahead, way.cross(heading))) + slant(a) + slant(b)
      + 0.5 * large * large
    return Head(strokes: [trace.index], tip: apex, cost: cost)
  }

  /// Returns a triangle or a filled head.
  private func blob(_ trace: Trace, at end: Vector, _ heading: Vector) -> Head? {
    guard trace.points.count > 8, trace.length > 2.2 * trace.size else { return nil }
    let distance = trace.distance(to: end)
    // The line of the shaft goes through it.
    let off = abs((trace.mean - end).cross(heading)) / max(trace.size, 1e-9)
    let ahead = (trace.mean - end).dot(heading) / max(trace.size, 1e-9)
    guard ahead < 0.8, ahead > -0.9 else { return nil }
    let tip = trace.points.max { ($0 - end).dot(heading) < ($1 - end).dot(heading) } ?? end
    let narrow = seen.isHead(trace) ? 0 : max(0, trace.size / scale - 0.65) / 0.15
    let cost =
      0.8 + near(distance) + 0.5 * (off / 0.25) * (off / 0.25) + 0.5 * narrow * narrow
    return Head(strokes: [trace.index], tip: tip, cost: cost)
  }
}
