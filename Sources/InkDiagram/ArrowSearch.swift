import Ink

/// An arrow that the drawing may have.
struct ArrowCandidate {
  /// The line from its start to its tip.
  var shaft: Shaft
  var heads: [Head]
  /// The positions of the states at its ends, or `nil` where there is none.
  var from: Int?
  var to: Int?
  var cost: Double
  /// Whether a head was seen, in the stroke or beside it.
  var hasHead: Bool
  /// Whether it is a triangle that marks the initial state.
  var isTriangle = false
  /// How much less it costs than its strokes as writing.
  var saving = 0.0

  var strokes: [Int] { shaft.strokes + heads.flatMap(\.strokes) }
  /// Its last point if it leads to a state.
  var tip: Vector? { to == nil ? nil : shaft.path.last }
  /// The states that it leads between; `nil` if there is none at an end.
  var ends: Ends? {
    guard let from, let to else { return nil }
    return Ends(from: from, to: to)
  }
  /// Whether it leads from nowhere to a state.
  var isInitial: Bool { from == nil && to != nil }

  /// The states that an arrow leads from and to.
  struct Ends: Hashable {
    var from, to: Int
  }
}

/// Finds arrows between states.
struct ArrowSearch {
  /// The strokes that are no rings of states.
  let traces: [Trace]
  let states: [StateCandidate]
  /// The usual radius of a state.
  let scale: Double
  private let grid: Grid
  private let stateGrid: Grid
  private let heads: HeadSearch

  /// The costs of an arrow without a head, of an initial arrow and a self-loop without one, and of
  /// arrows from nowhere, to nowhere, and with both ends free.
  private static let headless = 1.4
  private static let headlessMarker = 2.4
  private static let headlessLoop = 0.5
  private static let fromNowhere = 0.6
  private static let toNowhere = 3.5
  private static let nowhere = 6.0
  /// How far a self-loop goes away from its ring at least, as a share of the radius.
  private static let minimumLoop = 0.2
  /// The least distance between the ends of an initial arrow, as a share of its length.
  private static let minimumInitialChord = 0.35
  /// The cost of a free end at the ring of a state.
  private static let freeBesideState = 3.0
  /// The cost of a triangle that marks the initial state.
  private static let markerCost = 0.6
  /// The cost of a marker that may be the head of an arrow.
  private static let headAsMarker = 4.0
  /// The cost below which a triangle is clearly a marker.
  private static let clearMarker = 2.7
  /// The cost above which a candidate is no arrow.
  private static let maximumCost = 12.0
  /// The length of a self-loop with its head, as a share of its size, at most; a filled head is longer.
  private static let longestLine = 4.5
  /// The number of lines that may go on where one ends: letters in the gap of a shaft are among them.
  private static let maximumJoints = 5
  /// The number of arrows that are kept for a shaft.
  private static let most = 10

  init(traces: [Trace], states: [StateCandidate], scale: Double, seen: SeenStrokes) {
    (self.traces, self.states, self.scale) = (traces, states, scale)
    grid = Grid(side: scale, of: traces, at: \.points)
    stateGrid = Grid(side: 2 * scale, of: states) { state in
      // A large state reaches far.
      (0..<16).map {
        state.ring.center + Vector(angle: Double($0) * .pi / 8, length: state.ring.radius)
      }
    }
    heads = HeadSearch(traces: traces, grid: grid, scale: scale, seen: seen)
  }

  /// Returns all arrows that are worth a thought.
  func arrows() -> [ArrowCandidate] {
    let lines = traces.filter {
      $0.length > 0.15 * scale && $0.points.count > 1 && $0.length < Self.longestLine * $0.size
    }
    let single = lines.map(Shaft.all)
    let shafts =
      single.flatMap(\.self).filter { $0.length > 0.35 * scale } + joined(single.map { $0[0] })
    let markers = traces.compactMap(marker)
    let triangles = Set(markers.filter { $0.cost < Self.clearMarker }.flatMap(\.strokes))
    // A triangle that points at a state is no self-loop.
    return markers
      + shafts.flatMap { arrows($0) }.filter { arrow in
        arrow.from != arrow.to || arrow.strokes.count > 1 || !triangles.contains(arrow.strokes[0])
      }
  }

  /// Returns the initial marker that a triangle beside a state is.
  private func marker(_ trace: Trace) -> ArrowCandidate? {
    guard trace.size > 0.3 * scale, trace.size < 1.5 * scale,
      trace.chord < 0.3 * trace.size, let triangle = Triangle(trace)
    else { return nil }
    var best: ArrowCandidate?
    for number in stateGrid.items(near: trace.center, reach: 2 * scale) {
      let ring = states[number].ring
      let shares = triangle.corners.map { ring.share(of: $0) }
      guard let nearest = shares.indices.min(by: { shares[$0] < shares[$1] }),
        ring.share(of: trace.mean) > 0.95
      else { continue }
      let tip = triangle.corners[nearest]
      let distance = (shares[nearest] - 1) * ring.radius / scale
      let rest = triangle.corners.indices.filter { $0 != nearest }.map { triangle.corners[$0] }
      let base = rest[0].middle(to: rest[1])
      // A triangle at the end of a line is the head of an arrow.
      let isHead = grid.items(near: base, reach: 0.5 * scale).contains { number in
        let line = traces[number]
        return line.index != trace.index && line.length > 1.5 * trace.size
          && [line.start, line.end].contains { trace.distance(to: $0) < 0.25 * scale }
      }
      let cost =
        Self.markerCost + triangle.cost + 0.5 * (distance / 0.2) * (distance / 0.2)
        + (isHead ? Self.headAsMarker : 0)
      if best.map({ cost < $0.cost }) ?? true {
        best = ArrowCandidate(
          shaft: Shaft(strokes: [trace.index], path: [base, base.middle(to: tip), tip]), heads: [],
          from: nil, to: number, cost: cost, hasHead: true, isTriangle: true)
      }
    }
    return best
  }

  // MARK: Shafts

  /// Returns shafts of two strokes that go on in the same direction.
  private func joined(_ shafts: [Shaft]) -> [Shaft] {
    let parts = shafts.filter {
      $0.path.turning(smoothing: 6).absolute < 3.5 && $0.length > 0.15 * scale
    }
    let ends = Grid(side: scale, of: parts) { [$0.path[0], $0.path[$0.path.count - 1]] }
    var found: [Shaft] = []
    for (number, one) in parts.enumerated() {
      for forward in [one, one.reversed] where !forward.headAtEnd {
        guard let end = forward.path.last, isFree(end, forward.heading) else { continue }
        var joints: [Shaft] = []
        for partner in ends.items(near: end, reach: 2.5 * scale) where partner > number {
          for other in [parts[partner], parts[partner].reversed] where !other.headAtStart {
            guard Set(forward.strokes).isDisjoint(with: other.strokes),
              let cost = gap(forward, other)
            else { continue }
            joints.append(Shaft(forward, other, cost: cost))
          }
        }
        found += joints.sorted { $0.cost < $1.cost }.prefix(Self.maximumJoints)
      }
    }
    return found
  }

  /// Returns the cost of going on from one shaft to another, or `nil` if they are too far apart.
  private func gap(_ one: Shaft, _ other: Shaft) -> Double? {
    guard let end = one.path.last, let start = other.path.first else { return nil }
    let gap = start - end
    let share = gap.length / scale
    guard share < 2, isFree(start, other.reversed.heading) else { return nil }
    let leaving = one.heading
    let arriving = other.reversed.heading * -1
    var bend = 1 - leaving.dot(arriving)
    if share > 0.2 {
      bend = max(bend, 1 - leaving.dot(gap.unit), 1 - arriving.dot(gap.unit))
    }
    guard bend < 0.5 else { return nil }
    return 1.27 + 0.4 * share + bend * bend / 0.05
  }

  // MARK: Ends

  /// Returns the states at an end with their costs, the cheapest first; the last has no state.
  private func attachments(_ end: Vector, _ heading: Vector) -> [(state: Int?, cost: Double)] {
    var found: [(state: Int?, cost: Double)] = []
    for number in stateGrid.items(near: end, reach: 2 * scale) {
      let ring = states[number].ring
      let distance = (ring.share(of: end) - 1) * ring.radius
      let way = ring.center - end
      // Whether the line goes on to the disc.
      let aim = way.dot(heading) > 0 && abs(way.cross(heading)) < 0.79 * ring.radius
      let cost: Double
      if distance < 0 {
        let depth = -distance / ring.radius
        cost = 0.5 * (depth / 0.31) * (depth / 0.31)
      } else {
        let share = distance / (0.5 * (scale + ring.radius))
        cost = 0.5 * (share / (aim ? 0.5 : 0.29)) * (share / (aim ? 0.5 : 0.29))
      }
      if cost < 5 { found.append((number, cost)) }
    }
    found.sort { $0.cost < $1.cost }
    // An end at a state is hardly free.
    let near = max(0, Self.freeBesideState - (found.first?.cost ?? .infinity))
    return found.prefix(2) + [(nil, near)]
  }

  /// Whether no state is at an end.
  private func isFree(_ end: Vector, _ heading: Vector) -> Bool {
    attachments(end, heading).allSatisfy { $0.state == nil || $0.cost > 0.4 }
  }

  /// Returns the arrows along a shaft, in both directions.
  private func arrows(_ shaft: Shaft) -> [ArrowCandidate] {
    let base = shapeCost(shaft)
    guard base < 6 else { return [] }
    var found: [ArrowCandidate] = []
    let backwards = shaft.reversed
    let tails = (shaft.headAtStart ? [] : heads.heads(at: backwards)).map(Optional.some) + [nil]
    let tips = (shaft.headAtEnd ? [] : heads.heads(at: shaft)).map(Optional.some) + [nil]
    for tail in tails {
      for tip in tips {
        let (atStart, atEnd) = (shaft.headAtStart || tail != nil, shaft.headAtEnd || tip != nil)
        if let tail, let tip, !Set(tail.strokes).isDisjoint(with: tip.strokes) { continue }
        // Without a head, the pen went from start to tip.
        let isReversed = atStart && !atEnd
        let line = isReversed ? backwards : shaft
        let (first, last) = isReversed ? (tip, tail) : (tail, tip)
        let hasHead = atStart || atEnd
        var cost = base + ((first?.cost ?? 0) + (last?.cost ?? 0))
        if atStart && atEnd { cost += 2.5 }
        let starts = attachments(first?.tip ?? line.path[0], line.reversed.heading)
        let ends = attachments(last?.tip ?? line.path[line.path.count - 1], line.heading)
        for from in starts {
          for to in ends {
            guard cost + from.cost + to.cost < Self.maximumCost,
              let ends = endCost(line, from, to)
            else { continue }
            let heads = hasHead ? 0 : headlessCost(from: from.state, to: to.state)
            found.append(
              ArrowCandidate(
                shaft: line, heads: [first, last].compactMap(\.self), from: from.state,
                to: to.state, cost: cost + ends + heads, hasHead: hasHead))
          }
        }
      }
    }
    return Array(found.sorted { $0.cost < $1.cost }.prefix(Self.most))
  }

  /// Returns the cost of an arrow without a head.
  private func headlessCost(from: Int?, to: Int?) -> Double {
    guard from != nil else { return Self.headlessMarker }
    return from == to ? Self.headlessLoop : Self.headless
  }

  /// Returns the cost of the states at both ends, or `nil` where there can be no arrow.
  private func endCost(
    _ line: Shaft, _ from: (state: Int?, cost: Double), _ to: (state: Int?, cost: Double)
  ) -> Double? {
    let cost = from.cost + to.cost
    switch (from.state, to.state) {
    case (nil, nil): return cost + Self.nowhere
    case (nil, let to?):
      // What comes back to where it began is a self-loop.
      let chord = line.path[0].distance(to: line.path[line.path.count - 1])
      guard chord > Self.minimumInitialChord * line.length else { return nil }
      // An initial arrow is short.
      let long = max(0, line.length / scale - 4)
      return cost + Self.fromNowhere + long * 0.95
        + 4 * share(of: line.path, inside: states[to].ring, below: 0.75)
    case (.some, nil): return cost + Self.toNowhere
    case (let one?, let other?) where one == other:
      let ring = states[one].ring
      let shares = line.path.map(ring.share)
      let inside = Double(shares.count { $0 < 0.85 }) / Double(shares.count)
      let far = (shares.max() ?? 0) - 1
      guard far > Self.minimumLoop, inside < 0.5,
        let first = line.path.first, let last = line.path.last,
        first.distance(to: last) < 0.8 * line.length
      else { return nil }
      return cost + 0.44 + max(0, 0.45 - far) * 6 + inside * 3
    case (let one?, let other?):
      let inside = [one, other].map {
        share(of: line.path, inside: states[$0].ring, below: 0.75)
      }
      return cost + 4 * inside.max()!
    }
  }

  /// Returns the share of the points of a path whose shares of the radius of a ring are below a limit.
  private func share(of path: [Vector], inside ring: Ring, below limit: Double) -> Double {
    Double(path.count { ring.share(of: $0) < limit }) / Double(path.count)
  }

  /// Returns the cost of the shape of a line, which letters have more of.
  private func shapeCost(_ shaft: Shaft) -> Double {
    let turning = shaft.path.turning(smoothing: 6)
    let wavy = max(0, turning.absolute - abs(turning.signed) - 0.9)
    let curled = max(0, abs(turning.signed) - 5)
    let short = max(0, 0.7 - shaft.length / scale)
    return shaft.cost + 0.27 + 0.56 * wavy + 1.1 * curled + 4 * short
  }
}
