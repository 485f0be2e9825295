import Foundation
import Ink

/// What all strokes of a drawing are, for given states.
struct Interpretation {
  var states: [StateCandidate]
  var arrows: [ArrowCandidate]
  /// The strokes that are writing, outside and inside states.
  var writing: [Trace]
  /// The strokes that are nothing known.
  var others: [Trace]
  /// The usual radius of a state.
  var scale: Double
  /// How unlikely all this is, as a negative logarithm.
  var cost: Double

  /// The cost of a doubtful ring that is no state.
  private static let otherCost = 6.0
  /// Interprets `traces` with `states`; `doubtful` are candidates for states that are left out.
  init(traces: [Trace], states: [StateCandidate], doubtful: [StateCandidate]) {
    // From left to right, whatever the order of the strokes.
    self.states = Self.completed(states, with: traces).sorted {
      ($0.ring.center.x, $0.ring.center.y) < ($1.ring.center.x, $1.ring.center.y)
    }
    let states = self.states
    let radii = states.map(\.ring.radius).sorted()
    scale = radii.isEmpty ? 0 : radii[radii.count / 2]
    cost = doubtful.reduce(0) { $0 + max(0, $1.evidence) }
    cost += states.reduce(0) {
      $0 + max(0, -$1.evidence) + WritingCosts.usual * Double($1.strokes.count)
    }
    let ringStrokes = Set(states.flatMap(\.strokes))
    let rest = traces.filter { !ringStrokes.contains($0.index) }
    guard scale > 0 else {
      arrows = []
      (writing, others) = WritingSearch(traces: rest, states: []).split()
      cost += WritingCosts.usual * Double(rest.count)
      return
    }
    let search = ArrowSearch(traces: rest, states: states, scale: scale)
    let writingCosts = WritingCosts(states: states, scale: scale, traces: rest)
    var costs: [Int: Double] = [:]
    for trace in rest { costs[trace.index] = min(Self.otherCost, writingCosts.cost(of: trace)) }
    var found = search.arrows()
    let traceOf = Dictionary(uniqueKeysWithValues: rest.map { ($0.index, $0) })
    for index in found.indices {
      let strokes = found[index].strokes
      let apart = strokes.reduce(0) { $0 + (costs[$1] ?? 0) }
      let together = writingCosts.cost(ofLetter: strokes.compactMap { traceOf[$0] })
      found[index].saving = min(apart, together ?? apart) - found[index].cost
    }
    arrows = ArrowChoice(found: found, traces: rest, states: states, scale: scale).arrows()
      .sorted { ($0.from ?? -1, $0.to ?? -1) < ($1.from ?? -1, $1.to ?? -1) }
    let used = Set(arrows.flatMap(\.strokes))
    let left = rest.filter { !used.contains($0.index) }
    for trace in left { cost += costs[trace.index] ?? 0 }
    (writing, others) = WritingSearch(traces: left, states: states).split()
    // An arrow that is chosen because there has to be an initial state costs no more than writing.
    cost += arrows.reduce(0) { $0 + $1.cost + min(0, $1.saving) }
  }

  /// Returns the states with the strokes that retrace their rings or close them.
  private static func completed(
    _ states: [StateCandidate], with traces: [Trace]
  ) -> [StateCandidate] {
    var states = states
    let used = Set(states.flatMap(\.strokes))
    let largest = states.map(\.ring.radius).max() ?? 0
    var grid = Grid(side: max(1e-6, largest))
    for (number, state) in states.enumerated() { grid.insert(number, at: [state.ring.center]) }
    for trace in traces where !used.contains(trace.index) && trace.size < 2.5 * largest {
      for number in grid.items(near: trace.center, reach: 1.5 * largest) {
        let ring = states[number].ring
        guard trace.length > 0.3 * ring.radius,
          trace.points.allSatisfy({ (0.82...1.16).contains(ring.share(of: $0)) })
        else { continue }
        states[number].strokes = (states[number].strokes + [trace.index]).sorted()
        break
      }
    }
    return states
  }
}

/// How unlikely strokes are writing.
struct WritingCosts {
  /// The cost of a stroke outside a state that looks like a letter.
  static let usual = 1.4
  /// The cost of each further stroke of a letter.
  private static let further = 0.4
  /// The size of the largest letters, as a share of the usual height.
  private static let largestLetter = 1.3

  private let states: [StateCandidate]
  private let scale: Double
  private let grid: Grid
  /// The usual height of letters, as a share of the radius of a state.
  private var height = 0.8

  init(states: [StateCandidate], scale: Double, traces: [Trace]) {
    (self.states, self.scale) = (states, scale)
    var grid = Grid(side: scale)
    for (number, state) in states.enumerated() { grid.insert(number, at: [state.ring.center]) }
    self.grid = grid
    // The names in the states show how large the writing is.
    let heights = traces.filter { $0.height > 0.2 * scale && state(around: $0) != nil }
      .map(\.height).sorted()
    if !heights.isEmpty { height = min(1.1, max(0.65, heights[heights.count / 2] / scale)) }
  }

  /// Returns the state whose ring encloses the stroke.
  func state(around trace: Trace) -> Int? {
    grid.items(near: trace.mean, reach: 2 * scale).first { number in
      let ring = states[number].ring
      guard ring.share(of: trace.mean) < 0.9 else { return false }
      let inside = trace.points.count { ring.share(of: $0) < 1.02 }
      return Double(inside) > 0.85 * Double(trace.points.count)
    }
  }

  /// Returns the negative logarithm of the probability that the strokes are one letter, or `nil` if they
  /// are one stroke or larger than a letter.
  func cost(ofLetter strokes: [Trace]) -> Double? {
    guard strokes.count > 1 else { return nil }
    let letter = TextLine(traces: strokes)
    let most = Self.largestLetter * height * scale
    guard letter.high.x - letter.low.x < most, letter.high.y - letter.low.y < most else {
      return nil
    }
    return Self.usual + Self.further * Double(strokes.count - 1)
  }

  /// Returns the negative logarithm of the probability that the stroke is writing.
  func cost(of trace: Trace) -> Double {
    let size = trace.size / scale
    if let state = state(around: trace) {
      // A name is in the middle.
      let aside = states[state].ring.share(of: trace.center)
      return 0.4 + max(0, size - 1.5) * 4 + max(0, aside - 0.45) * 4
    }
    let large =
      max(0, trace.height / scale / height - 1.2) * 2.5
      + max(0, trace.width / scale / height - 1.5) * 2
    let straight = trace.length > 0 && trace.chord > 0.95 * trace.length ? 0.4 : 0
    return Self.usual + large + straight * min(1, size)
  }
}
