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
}

/// Finds which rings are states.
struct StateSearch {
  let traces: [Trace]
  private let rings: [Ring]
  private let byStroke: [Int: Trace]
  /// The strokes that are rings of their own.
  private let isRing: Set<Int>
  /// The usual size of a stroke.
  private let usualSize: Double
  /// The usual size of a stroke, specks left out: that of a letter, if there is writing.
  private let letterSize: Double

  /// The strokes that are known to be rings of states.
  private let known: Set<Int>

  private let seen: SeenStrokes

  init(traces: [Trace], known: Set<Int>, seen: SeenStrokes) {
    var rings = RingSearch(traces: traces).rings()
    rings += seen.rings(besides: rings)
    self.seen = seen
    (self.traces, self.rings, self.known) = (traces, rings, known)
    let sizes = traces.map(\.size)
    let usual = sizes.median() ?? 0
    usualSize = usual
    letterSize = sizes.filter { $0 > 0.5 * usual }.median() ?? 0
    isRing = Set(rings.filter { $0.strokes.count == 1 }.map { $0.strokes[0] })
    byStroke = Dictionary(uniqueKeysWithValues: traces.map { ($0.index, $0) })
  }

  /// The evidence between which a ring is doubtful.
  static let doubtful = 2.0
  /// The evidence of a ring that is known to be a state.
  private static let certain = 8.0
  /// The evidence above which a ring is likely a state.
  private static let likely = 1.5
  /// The size of an o, as a share of the usual size of letters, at most.
  private static let largestLetter = 1.4
  /// The number of strokes inside a ring above which they are no name.
  private static let maximumInside = 12
  /// The gap of a letter that is nearly a ring, as a share of the full turn.
  private static let openLetter = 0.12
  /// The space between the rings of a final state, as a share of the radius.
  private static let minimumSpace = 0.048
  /// The evidence against a ring that begins and ends at another one.
  private static let loopCost = 10.0

  /// Returns the states and the doubtful ones, the most likely first; none overlaps a better one.
  func states() -> [StateCandidate] {
    guard let scale = scale() else { return [] }
    let grid = Grid(side: scale, of: traces, at: \.points)
    let centers = Grid(side: 2 * scale, of: rings) { [$0.center] }
    let alone = rings.indices.map { evidence($0, scale: scale, grid: grid) }
    let judged = zip(rings, alone).map { ring, own in
      // Better rings of about this size.
      let near = centers.items(near: ring.center, reach: 3 * scale).filter {
        alone[$0] > max(-Self.doubtful, own - 1.5)
          && rings[$0].radius > 0.6 * min(scale, ring.radius)
          && Set(rings[$0].strokes).isDisjoint(with: ring.strokes)
      }
      let likely = near.filter { alone[$0] > Self.likely }.map { rings[$0] }
      let isNone =
        near.contains { isLoop(ring, at: rings[$0]) } || isPairOfArrows(ring, near: likely)
      return (ring: ring, evidence: isNone ? own - Self.loopCost : own)
    }
    .sorted { $0.evidence > $1.evidence }
    var states: [StateCandidate] = []
    var places = Grid(side: 2 * scale)
    for (ring, evidence) in judged {
      let near = places.items(near: ring.center, reach: 2 * scale).filter {
        overlap(states[$0].ring, ring)
      }
      guard near.allSatisfy({ Set(states[$0].strokes).isDisjoint(with: ring.strokes) }) else {
        continue
      }
      // The second ring of a final state has no evidence of its own.
      if let only = near.first, near.count == 1, isPair(states[only].ring, ring) {
        // An open one with nothing inside is a C.
        if ring.radius < states[only].ring.radius, ring.gap > Self.openLetter,
          !hasInside(ring, of: states[only], grid: grid)
        {
          continue
        }
        states[only].isFinal = true
        states[only].strokes = (states[only].strokes + ring.strokes).sorted()
        states[only].evidence += 1
        if ring.radius > states[only].ring.radius { states[only].ring = ring }
        continue
      }
      guard near.isEmpty, evidence > -Self.doubtful else { continue }
      places.insert(states.count, at: [ring.center])
      states.append(
        StateCandidate(
          ring: ring, strokes: ring.strokes, isFinal: ring.isDouble, evidence: evidence))
    }
    let taken = Set(states.flatMap(\.strokes))
    for index in states.indices where !states[index].isFinal {
      guard let arcs = arcs(along: states[index].ring, except: taken, grid: grid) else { continue }
      states[index].isFinal = true
      states[index].strokes = (states[index].strokes + arcs).sorted()
    }
    // What was added to a state that is known is meant.
    for index in states.indices where known.isDisjoint(with: states[index].strokes) {
      let odds = seen.state(of: states[index].ring)?.finalOdds ?? 0
      if odds > PageNumbers.surelyFinal { states[index].isFinal = true }
      if odds < PageNumbers.surelyNotFinal { states[index].isFinal = false }
    }
    return states
  }

  /// Returns the strokes that go along `ring` beside it, if together they are a second ring with gaps, as
  /// where two rings touch.
  private func arcs(along ring: Ring, except taken: Set<Int>, grid: Grid) -> [Int]? {
    var isCovered = [Bool](repeating: false, count: 36)
    var arcs: [Int] = []
    for number in grid.items(near: ring.center, reach: 1.5 * ring.radius) {
      let trace = traces[number]
      guard !taken.contains(trace.index), trace.length > 0.3 * ring.radius else { continue }
      var (along, directions) = (0.0, Set<Int>())
      for (a, b) in zip(trace.points, trace.points.dropFirst()) {
        let middle = a.middle(to: b)
        let (way, step, share) = (middle - ring.center, b - a, ring.share(of: middle))
        guard (0.65...1.4).contains(share), abs(share - 1) > Self.minimumSpace,
          abs(way.dot(step)) < 0.4 * way.length * step.length
        else { continue }
        along += step.length
        let turns: Double = way.angle / (2 * .pi)
        directions.insert(Int((turns + 1) * 36) % 36)
      }
      guard along > 0.6 * trace.length else { continue }
      arcs.append(trace.index)
      for direction in directions { isCovered[direction] = true }
    }
    return isCovered.count(where: \.self) >= 20 ? arcs : nil
  }

  /// Returns the usual radius of a state: that of rings with something inside, as most have.
  private func scale() -> Double? {
    let radii = rings.map(\.radius).sorted()
    guard let largest = radii.last else { return nil }
    let grid = Grid(side: largest / 2, of: traces) { [$0.center] }
    var votes: [(radius: Double, weight: Double)] = []
    for ring in rings {
      let inside = grid.items(near: ring.center, reach: ring.radius).count { number in
        let trace = traces[number]
        guard !ring.strokes.contains(trace.index), trace.size < 1.4 * ring.radius else {
          return false
        }
        return [trace.start, trace.center, trace.end].allSatisfy { ring.share(of: $0) < 0.9 }
      }
      let likelihood = exp(-ring.cost) * (ring.strokes.count > 1 ? 0.3 : 1)
      let isFull = (1...Self.maximumInside).contains(inside)
      let isLetter = inside == 0 && 2 * ring.radius < Self.largestLetter * letterSize
      let weight = isFull || known.isSuperset(of: ring.strokes) ? 1 : isLetter ? 0.02 : 0.15
      votes.append((ring.radius, likelihood * weight * ring.radius / largest))
    }
    // Of several sizes that are as common, states have the largest.
    return Self.maximumSupported(votes)
  }

  /// The number of rings that are compared at most.
  private static let maximumVotes = 500

  /// Returns the radius about which the rings with the most weight are.
  private static func maximumSupported(_ votes: [(radius: Double, weight: Double)]) -> Double? {
    let heaviest = votes.sorted { $0.weight > $1.weight }.prefix(maximumVotes)
      .map { (radius: $0.radius, log: log($0.radius), weight: $0.weight) }
    let supports = heaviest.map { one in
      heaviest.reduce(0.0) {
        let size = ($1.log - one.log) / 0.35
        return $0 + $1.weight * exp(-0.5 * size * size)
      }
    }
    return zip(heaviest, supports).max { $0.1 < $1.1 }?.0.radius
  }

  /// Returns the logarithm of the odds that the ring with this number is a state.
  private func evidence(_ number: Int, scale: Double, grid: Grid) -> Double {
    let ring = rings[number]
    if known.isSuperset(of: ring.strokes) { return Self.certain }
    let size = log(ring.radius / scale)
    let isState = seen.state(of: ring) != nil
    let isSeen = isState && ring.radius > PageNumbers.leastSeen * scale
    var odds =
      2.5 - 1.5 * (isSeen ? PageNumbers.seenShape : 1) * ring.cost
      - (isSeen ? PageNumbers.seenSize : 1) * (size < 0 ? 16 : 4) * size * size
      + seen.odds(of: ring, isState: isState)
    if ring.strokes.count > 1 { odds -= 1 }
    if ring.isDouble { odds += 1 }
    var (inside, meeting, beside) = (0, 0, 0)
    for number in grid.items(near: ring.center, reach: 4 * ring.radius) {
      let trace = traces[number]
      guard !ring.strokes.contains(trace.index) else { continue }
      let shares = [trace.start, trace.center, trace.end].map { ring.share(of: $0) }
      if shares.allSatisfy({ $0 < 0.88 }), shares[1] < 0.7 {
        inside += 1
      } else if trace.length > 1.2 * ring.radius,
        [shares[0], shares[2]].contains(where: { (0.8...1.4).contains($0) })
      {
        meeting += 1
      } else if trace.height < 2.6 * ring.radius, trace.height > 1.15 * ring.radius,
        abs(trace.center.y - ring.center.y) < ring.radius,
        abs(trace.center.x - ring.center.x) < (isRing.contains(trace.index) ? 2.9 : 4.5)
          * ring.radius
      {
        // Letters of a line are as high as an o; the labels of a state are lower.
        beside += 1
      }
    }
    odds += inside > Self.maximumInside ? -2 : inside > 0 ? 2 : -0.8
    odds += min(1.5, 0.6 * Double(meeting))
    // Letters are as large as most strokes; states are larger, or arrows lead there.
    if meeting == 0, traces.count > 2, 2 * ring.radius < 1.7 * usualSize { odds -= 2.5 }
    odds -= min(3, 1.5 * Double(beside)) * (inside > 0 ? 0.5 : 1)
    return odds
  }

  /// Whether a ring begins and ends at another one that it is not around, as a self-loop does.
  private func isLoop(_ ring: Ring, at other: Ring) -> Bool {
    guard ring.strokes.count == 1, !ring.isDouble, other.share(of: ring.center) > 1.15 else {
      return false
    }
    // Without a head that was drawn in the same stroke.
    return Shaft.all(of: byStroke[ring.strokes[0]]!).contains { shaft in
      [shaft.path[0], shaft.path[shaft.path.count - 1]].allSatisfy {
        (0.6...1.4).contains(other.share(of: $0))
      }
    }
  }

  /// Whether two arcs end at other rings, as opposite arrows do.
  private func isPairOfArrows(_ ring: Ring, near: [Ring]) -> Bool {
    guard ring.strokes.count > 1 else { return false }
    let ends = ring.strokes.flatMap { [byStroke[$0]!.start, byStroke[$0]!.end] }
    let held = ends.count { end in
      near.contains { $0.radius < 1.5 * ring.radius && (0.5...1.6).contains($0.share(of: end)) }
    }
    return held >= 3
  }

  /// Whether the discs of two rings overlap.
  private func overlap(_ a: Ring, _ b: Ring) -> Bool {
    a.center.distance(to: b.center) < 0.9 * (a.radius + b.radius)
  }

  /// Whether a stroke that is no ring of the state is inside `ring`.
  private func hasInside(_ ring: Ring, of state: StateCandidate, grid: Grid) -> Bool {
    grid.items(near: ring.center, reach: ring.radius).contains { number in
      let trace = traces[number]
      return !ring.strokes.contains(trace.index) && !state.strokes.contains(trace.index)
        && ring.share(of: trace.center) < 0.7 && trace.size < 1.7 * ring.radius
    }
  }

  /// Whether two rings are those of a final state.
  private func isPair(_ a: Ring, _ b: Ring) -> Bool {
    let (outer, inner) = a.radius > b.radius ? (a, b) : (b, a)
    return inner.radius > 0.55 * outer.radius
      && inner.center.distance(to: outer.center) < 0.3 * outer.radius
  }
}
