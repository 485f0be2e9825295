import Foundation
import Ink

/// A state that the drawing may have.
struct StateCandidate {
  /// Its outer ring.
  var ring: Ring
  /// The strokes of its rings.
  var strokes: [Int]
  var isFinal: Bool
  /// How likely it is a state, as the logarithm of odds.
  var evidence: Double

  /// Returns whether a place is inside its ring.
  func contains(_ place: Vector, margin: Double = 1) -> Bool { ring.share(of: place) < margin }
}

/// Finds which rings are states.
struct StateSearch {
  let traces: [Trace]
  let rings: [Ring]

  /// The evidence between which a ring is doubtful.
  static let doubtful = 2.0

  /// Returns the states and the doubtful ones, the most likely first; none overlaps a better one.
  func states() -> [StateCandidate] {
    guard let scale = scale() else { return [] }
    var grid = Grid(side: scale)
    for (number, trace) in traces.enumerated() { grid.insert(number, at: trace.points) }
    let judged = rings.map { ring in
      (ring: ring, evidence: evidence(ring, scale: scale, grid: grid))
    }
    .sorted { $0.evidence > $1.evidence }
    var states: [StateCandidate] = []
    var places = Grid(side: 2 * scale)
    for (ring, evidence) in judged where evidence > -Self.doubtful {
      let near = places.items(near: ring.center, reach: 2 * scale).filter {
        overlap(states[$0].ring, ring)
      }
      guard near.allSatisfy({ Set(states[$0].strokes).isDisjoint(with: ring.strokes) }) else {
        continue
      }
      if let only = near.first, near.count == 1, isPair(states[only].ring, ring) {
        states[only].isFinal = true
        states[only].strokes = (states[only].strokes + ring.strokes).sorted()
        states[only].evidence += 1
        if ring.radius > states[only].ring.radius { states[only].ring = ring }
        continue
      }
      guard near.isEmpty else { continue }
      places.insert(states.count, at: [ring.center])
      states.append(
        StateCandidate(
          ring: ring, strokes: ring.strokes, isFinal: ring.isDouble, evidence: evidence))
    }
    return states
  }

  /// Returns the usual radius of a state: the one that makes the most rings likely.
  private func scale() -> Double? {
    let good = rings.filter { $0.cost < 2 }.map(\.radius).sorted()
    let radii = good.isEmpty ? rings.map(\.radius).sorted() : good
    guard let largest = radii.last else { return nil }
    // Letters are less than half as large as states.
    let large = radii.filter { $0 > 0.45 * largest }
    return large[large.count / 2]
  }

  /// Returns the logarithm of the odds that a ring is a state.
  private func evidence(_ ring: Ring, scale: Double, grid: Grid) -> Double {
    let size = log(ring.radius / scale)
    var odds = 3.0 - ring.cost - (size < 0 ? 6 : 1.5) * size * size
    if ring.strokes.count > 1 { odds -= 0.7 }
    if ring.isDouble { odds += 1 }
    var (inside, meeting, beside) = (0, 0, 0)
    for number in grid.items(near: ring.center, reach: 1.6 * ring.radius) {
      let trace = traces[number]
      guard !ring.strokes.contains(trace.index) else { continue }
      let shares = [trace.start, trace.center, trace.end].map { ring.share(of: $0) }
      if shares.allSatisfy({ $0 < 0.95 }) {
        inside += 1
      } else if trace.length > 1.2 * ring.radius,
        [shares[0], shares[2]].contains(where: { (0.8...1.4).contains($0) })
      {
        meeting += 1
      } else if trace.size < 2.2 * ring.radius, trace.size > 0.8 * ring.radius,
        abs(trace.center.y - ring.center.y) < ring.radius,
        abs(trace.center.x - ring.center.x) < 3 * ring.radius
      {
        beside += 1
      }
    }
    odds += inside > 0 ? 1.5 : -0.5
    odds += min(1.5, 0.6 * Double(meeting))
    odds -= min(2, Double(beside))
    return odds
  }

  /// Whether the discs of two rings overlap.
  private func overlap(_ a: Ring, _ b: Ring) -> Bool {
    a.center.distance(to: b.center) < 0.9 * (a.radius + b.radius)
  }

  /// Whether two rings are those of a final state.
  private func isPair(_ a: Ring, _ b: Ring) -> Bool {
    let (outer, inner) = a.radius > b.radius ? (a, b) : (b, a)
    return inner.radius > 0.55 * outer.radius
      && inner.center.distance(to: outer.center) < 0.3 * outer.radius
  }
}
