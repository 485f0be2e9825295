import Ink

/// What all strokes of a drawing are, for given states.
struct Interpretation {
  var states: [StateCandidate]
  var arrows: [ArrowCandidate]
  /// The strokes that are writing, outside and inside states; in a picture, the marks of ``pageWriting``.
  var writing: [Trace]
  /// The writing of a picture with its pixels; `nil` if only strokes are known.
  var pageWriting: PageWriting?
  /// Whether the strokes were traced on a picture; their directions are then unknown.
  var isTraced = false
  /// The usual radius of a state.
  var scale: Double
  /// How unlikely all this is, as a negative logarithm.
  var cost: Double

  /// The cost of a doubtful ring that is no state.
  private static let otherCost = 6.0
  /// The size of a barb, and how near to the tip it begins, as shares of the usual radius.
  private static let (longestBarb, barbReach) = (0.8, 0.15)

  /// Interprets `traces` with `states`; `doubtful` are candidates for states that are left out.
  ///
  /// `seen` is what the network sees in the strokes.
  init(
    traces: [Trace], states: [StateCandidate], doubtful: [StateCandidate], seen: SeenStrokes
  ) {
    // From left to right, whatever the order of the strokes.
    self.states = Self.completed(states, with: traces).sorted {
      ($0.ring.center.x, $0.ring.center.y) < ($1.ring.center.x, $1.ring.center.y)
    }
    let states = self.states
    scale = states.map(\.ring.radius).median() ?? 0
    cost = doubtful.reduce(0) { $0 + max(0, $1.evidence) }
    cost += states.reduce(0) {
      $0 + max(0, -$1.evidence) + WritingCosts.usual * Double($1.strokes.count)
    }
    let ringStrokes = Set(states.flatMap(\.strokes))
    let rest = traces.filter { !ringStrokes.contains($0.index) }
    guard scale > 0 else {
      arrows = []
      writing = WritingSearch(traces: rest, states: [], seen: seen).writing()
      cost += WritingCosts.usual * Double(rest.count)
      return
    }
    let search = ArrowSearch(traces: rest, states: states, scale: scale, seen: seen)
    let writingCosts = WritingCosts(states: states, scale: scale, traces: rest)
    var costs: [Int: Double] = [:]
    for trace in rest {
      costs[trace.index] =
        min(Self.otherCost, writingCosts.cost(of: trace)) + seen.writingCost(of: trace)
    }
    var found = search.arrows()
    let traceOf = Dictionary(uniqueKeysWithValues: rest.map { ($0.index, $0) })
    for index in found.indices {
      found[index].cost += seen.cost(of: found[index])
      let strokes = found[index].strokes
      let apart = strokes.reduce(0) { $0 + (costs[$1] ?? 0) }
      let together = writingCosts.cost(ofLetter: strokes.compactMap { traceOf[$0] })
      found[index].saving = min(apart, together ?? apart) - found[index].cost
    }
    arrows = ArrowChoice(found: found, traces: rest, states: states, scale: scale).arrows()
    arrows = Self.withBarbs(arrows, of: rest, scale: scale)
      .sorted { ($0.from ?? -1, $0.to ?? -1) < ($1.from ?? -1, $1.to ?? -1) }
    let used = Set(arrows.flatMap(\.strokes))
    let left = rest.filter { !used.contains($0.index) }
    for trace in left { cost += costs[trace.index] ?? 0 }
    writing = WritingSearch(traces: left, states: states, seen: seen).writing()
    // An arrow that is chosen because there has to be an initial state costs no more than writing.
    cost += arrows.reduce(0) { $0 + $1.cost + min(0, $1.saving) }
  }

  /// Adds what is left at the tips of arrows to their heads: a barb that begins there, however it is turned.
  private static func withBarbs(
    _ arrows: [ArrowCandidate], of traces: [Trace], scale: Double
  ) -> [ArrowCandidate] {
    var arrows = arrows
    var used = Set(arrows.flatMap(\.strokes))
    for index in arrows.indices {
      guard let tip = arrows[index].tip else { continue }
      let heading = arrows[index].shaft.heading
      for trace in traces where !used.contains(trace.index) {
        guard trace.size < longestBarb * scale, trace.length < 2.2 * trace.size,
          trace.size < 0.6 * arrows[index].shaft.length
        else { continue }
        let near = [trace.start, trace.end, trace.apex].map { $0.distance(to: tip) }
        guard near.min()! < barbReach * scale, (trace.mean - tip).dot(heading) < 0 else {
          continue
        }
        used.insert(trace.index)
        arrows[index].heads.append(Head(strokes: [trace.index], tip: tip, cost: 0))
      }
    }
    return arrows
  }

  /// Returns the states with the strokes that retrace their rings or close them.
  private static func completed(
    _ states: [StateCandidate], with traces: [Trace]
  ) -> [StateCandidate] {
    var states = states
    let used = Set(states.flatMap(\.strokes))
    let largest = states.map(\.ring.radius).max() ?? 0
    let grid = Grid(side: largest, of: states) { [$0.ring.center] }
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
  private static let further = 0.36
  /// How far strokes of a letter are apart at most, as a share of the radius of a state.
  private static let touch = 0.05
  /// The size of the largest letters, as a share of the usual height.
  private static let largestLetter = 1.3

  private let states: [StateCandidate]
  private let scale: Double
  private let grid: Grid
  /// The usual height of letters, as a share of the radius of a state.
  private var height = 0.8

  /// The traces outside the rings, and their positions by place.
  private let traces: [Trace]
  private let places: Grid

  init(states: [StateCandidate], scale: Double, traces: [Trace]) {
    (self.states, self.scale, self.traces) = (states, scale, traces)
    places = Grid(side: scale, of: traces) { [$0.center] }
    grid = Grid(side: scale, of: states) { [$0.ring.center] }
    // The names in the states show how large the writing is.
    let names = traces.filter { $0.height > 0.2 * scale && state(around: $0) != nil }
    if let usual = names.map(\.height).median() { height = min(1.1, max(0.65, usual / scale)) }
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
    guard letter.size < most else { return nil }
    return Self.usual + Self.further * Double(strokes.count - 1)
  }

  /// Whether another stroke crosses or touches the stroke and is of about its size, as in a letter of
  /// several strokes.
  private func isPartOfLetter(_ trace: Trace) -> Bool {
    places.items(near: trace.center, reach: scale).contains { number in
      let other = traces[number]
      guard other.index != trace.index, other.size > 0.5 * trace.size,
        trace.size > 0.5 * other.size, cost(ofLetter: [trace, other]) != nil
      else { return false }
      let reach = Self.touch * scale
      return trace.low.x < other.high.x + reach && other.low.x < trace.high.x + reach
        && trace.low.y < other.high.y && other.low.y < trace.high.y
    }
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
    let straight = trace.length > 0 && trace.chord > 0.95 * trace.length ? 0.51 : 0
    let usual = isPartOfLetter(trace) ? (Self.usual + Self.further) / 2 : Self.usual
    return usual + large + straight * min(1, size)
  }
}
