import Ink

/// Finds the rings of a drawing: in one stroke, in two arcs, and two rings in one stroke.
struct RingSearch {
  let traces: [Trace]

  /// The largest share of a turn by which a ring may be open.
  private static let maximumGap = 0.27
  /// The residual of a stroke, with ends that stick out, above which it is no ring.
  private static let maximumResidual = 0.22
  /// The number of turns from which one stroke may be two rings.
  private static let doubleTurns = 1.6
  /// The number of neighbours at an end that may be the other arc.
  private static let maximumPartners = 6

  /// Returns all rings; a stroke can be in several.
  func rings() -> [Ring] {
    var rings: [Ring] = []
    var arcs: [(trace: Trace, radius: Double)] = []
    for trace in traces where trace.points.count > 1 {
      if let ring = ring(of: trace) { rings.append(ring) }
      if let radius = arcRadius(of: trace) { arcs.append((trace, radius)) }
    }
    return rings + pairs(of: arcs)
  }

  /// Returns the ring of a whole stroke, whose ends may stick out.
  private func ring(of trace: Trace) -> Ring? {
    let points = trace.points
    guard let whole = Ring([points], strokes: [trace.index]), whole.residual < Self.maximumResidual
    else { return nil }
    if whole.turns > Self.doubleTurns, let double = double(points, around: whole) { return double }
    var best: Ring?
    for cut in [(0, 0), (0, 8), (8, 0), (0, 16), (16, 0), (8, 8)] {
      guard let ring = Ring([Array(points[cut.0..<points.count - cut.1])], strokes: [trace.index])
      else { continue }
      // What sticks out has to be near the ring all the same.
      let ends = [points[0], points[points.count - 1]].map { abs(ring.share(of: $0) - 1) }
      guard ring.gap < Self.maximumGap, ring.turns > 0.65, ends.allSatisfy({ $0 < 0.6 }) else {
        continue
      }
      if best.map({ ring.cost + 0.3 < $0.cost }) ?? true { best = ring }
      if cut == (0, 0), ring.cost < 0.5 { break }
    }
    return best.flatMap { $0.cost < Ring.maximumCost ? $0 : nil }
  }

  /// Returns the outer of two rings in one stroke.
  private func double(_ points: [Vector], around whole: Ring) -> Ring? {
    // The angle from the start, without jumps.
    var angles: [Double] = [0]
    for (a, b) in zip(points, points.dropFirst()) {
      let turn = ((b - whole.center).angle - (a - whole.center).angle)
        .remainder(dividingBy: 2 * .pi)
      angles.append(angles[angles.count - 1] + turn)
    }
    let total = angles[angles.count - 1]
    guard let half = angles.firstIndex(where: { abs($0) >= abs(total) / 2 }),
      half >= 8, points.count - half >= 8,
      let one = Ring([Array(points[..<half])], strokes: whole.strokes),
      let two = Ring([Array(points[half...])], strokes: whole.strokes)
    else { return nil }
    var outer = one.radius > two.radius ? one : two
    let inner = one.radius > two.radius ? two : one
    guard outer.cost < Ring.maximumCost, inner.cost < Ring.maximumCost,
      inner.radius > 0.5 * outer.radius,
      inner.center.distance(to: outer.center) < 0.35 * outer.radius
    else { return nil }
    outer.isDouble = true
    return outer
  }

  /// Returns the radius of an arc that may be part of a ring.
  private func arcRadius(of trace: Trace) -> Double? {
    // An ellipse through an arc alone is far from the ring.
    guard trace.points.count > 2 else { return nil }
    // The circle through its ends and its middle.
    let half = trace.points[trace.points.count / 2]
    let foot = trace.start.middle(to: trace.end)
    let sag = half.distance(to: foot)
    guard sag > 0.05 * trace.length else { return nil }
    let radius = (0.25 * trace.chord * trace.chord + sag * sag) / (2 * sag)
    let center = half + (foot - half).unit * radius
    let off = trace.points.reduce(0.0) { $0 + abs($1.distance(to: center) - radius) }
    guard (0.8...6.5).contains(trace.length / radius),
      off < 0.2 * radius * Double(trace.points.count)
    else { return nil }
    return radius
  }

  /// Returns the rings of two arcs whose ends meet.
  private func pairs(of arcs: [(trace: Trace, radius: Double)]) -> [Ring] {
    guard arcs.count > 1, let usual = arcs.map(\.radius).median() else { return [] }
    let grid = Grid(side: usual, of: arcs) { [$0.trace.start, $0.trace.end] }
    var found: [Ring] = []
    for (number, one) in arcs.enumerated() {
      let reach = 1.4 * one.radius
      let partners = grid.items(near: one.trace.end, reach: reach).filter { $0 > number }
        .map { (index: $0, distance: endDistance(one.trace, arcs[$0].trace)) }
        .filter { $0.distance < 2 * reach }
        .sorted { $0.distance < $1.distance }.prefix(Self.maximumPartners)
      for partner in partners {
        let other = arcs[partner.index]
        guard
          let ring = Ring(
            [resized(one.trace, with: other.trace), resized(other.trace, with: one.trace)],
            strokes: [one.trace.index, other.trace.index].sorted()),
          ring.gap < Self.maximumGap, ring.turns > 0.7, ring.cost < Ring.maximumCost / 2,
          partner.distance < 0.5 * .pi * ring.radius
        else { continue }
        found.append(ring)
      }
    }
    return found
  }

  /// Returns the sum of the distances between the ends of two strokes that meet at both.
  private func endDistance(_ a: Trace, _ b: Trace) -> Double {
    min(
      a.start.distance(to: b.start) + a.end.distance(to: b.end),
      a.start.distance(to: b.end) + a.end.distance(to: b.start))
  }

  /// Returns points of one stroke, as dense as those of the other one.
  private func resized(_ trace: Trace, with other: Trace) -> [Vector] {
    let step = max(1, Int((other.length / max(trace.length, 1e-9)).rounded()))
    guard step > 1 else { return trace.points }
    return stride(from: 0, to: trace.points.count, by: min(step, 12)).map { trace.points[$0] }
  }
}
