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
  /// The size of a barb, and how near to the tip it begins, as shares of the usual radius.
  private static let (longestBarb, barbReach) = (0.8, 0.15)

  /// The weight of the logarithm of the odds that a line in a picture is an arrow, and what is added to it, because
  /// most lines that are considered are none.
  private static let (lineWeight, seenLine) = (0.7, 2.0)

  /// How far from an arrow another one runs that is part of it, as a share of the usual radius.
  private static let twinReach = 0.5

  /// How far from a tip the remains of a head are, as a share of the usual radius: of any, and of those that are
  /// tied to the arrow.
  private static let (remainReach, tiedReach) = (0.4, 0.9)
  /// How near to an arrow the ends of tied remains are, and how far they go in front of its tip, as a share of the
  /// usual radius.
  private static let tie = 0.2
  /// How far on both sides of its line remains that cross an arrow are, as a share of the usual radius.
  private static let minimumCrossing = 0.02
  /// The distance between the ends of tied remains, as a share of their length, at least: a 0 has none.
  private static let minimumOpening = 0.25
  /// The size of what remains of a ring, and where it is, as shares of the ring's radius.
  private static let longestRemain = 0.7
  private static let besideRing = 0.78...1.25

  /// Interprets `traces` with `states`; `doubtful` are candidates for states that are left out.
  init(
    traces: [Trace], evidence: PictureEvidence?, states: [StateCandidate],
    doubtful: [StateCandidate]
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
      (writing, others) = WritingSearch(traces: rest, states: []).split()
      cost += WritingCosts.usual * Double(rest.count)
      return
    }
    let search = ArrowSearch(traces: rest, evidence: evidence, states: states, scale: scale)
    let writingCosts = WritingCosts(states: states, scale: scale, traces: rest)
    var costs: [Int: Double] = [:]
    for trace in rest { costs[trace.index] = min(Self.otherCost, writingCosts.cost(of: trace)) }
    var found = search.arrows()
    let traceOf = Dictionary(uniqueKeysWithValues: rest.map { ($0.index, $0) })
    for index in found.indices {
      let strokes = found[index].strokes
      let apart = strokes.reduce(0) { $0 + (costs[$1] ?? 0) }
      let together = writingCosts.cost(ofLetter: strokes.compactMap { traceOf[$0] })
      let writing = min(apart, together ?? apart)
      // A triangle has no line to look at.
      if let evidence, found[index].to != nil, !found[index].isTriangle {
        let kind = found[index].from == nil ? DrawnArrow.Kind.initial : .transition
        // An initial arrow can be chosen although it saves nothing; any other one that cannot win is not looked at.
        let most = Self.lineWeight * ArrowEvidence.most + Self.seenLine
        if kind == .initial || writing - found[index].cost > -most {
          let odds = evidence.arrows.odds(of: found[index].line, as: kind, scale: scale)
          found[index].cost -= Self.lineWeight * odds + Self.seenLine
        }
      }
      found[index].saving = writing - found[index].cost
    }
    arrows = ArrowChoice(found: found, traces: rest, states: states, scale: scale).arrows()
    if evidence != nil { arrows = Self.withoutTwins(arrows, scale: scale) }
    arrows = Self.withBarbs(arrows, of: rest, scale: scale)
      .sorted { ($0.from ?? -1, $0.to ?? -1) < ($1.from ?? -1, $1.to ?? -1) }
    let used = Set(arrows.flatMap(\.strokes))
    let unused = rest.filter { !used.contains($0.index) }
    let remains =
      evidence == nil
      ? [] : Self.remains(among: unused, traceOf, states: states, arrows: arrows, scale: scale)
    let left = unused.filter { !remains.contains($0.index) }
    for trace in left { cost += costs[trace.index] ?? 0 }
    (writing, others) = WritingSearch(traces: left, states: states).split()
    // An arrow that is chosen because there has to be an initial state costs no more than writing.
    cost += arrows.reduce(0) { $0 + $1.cost + min(0, $1.saving) }
    others += unused.filter { remains.contains($0.index) }
  }

  /// Returns the small traces along a ring or at a tip, which tracing leaves there; `traceOf` has the traces by
  /// stroke.
  private static func remains(
    among traces: [Trace], _ traceOf: [Int: Trace], states: [StateCandidate],
    arrows: [ArrowCandidate], scale: Double
  ) -> Set<Int> {
    func isAlongRing(_ trace: Trace) -> Bool {
      states.contains { state in
        trace.size < longestRemain * state.ring.radius
          && trace.points.allSatisfy { besideRing.contains(state.ring.share(of: $0)) }
      }
    }
    func isAtTip(_ trace: Trace) -> Bool {
      arrows.contains { arrow in
        arrow.tip.map { trace.isWithin(remainReach * scale, of: $0) } ?? false
      }
    }
    // A side of a triangle goes from a barb to the line or to the other barb, or crosses the line.
    func isTied(_ trace: Trace) -> Bool {
      arrows.contains { arrow in
        let heading = arrow.shaft.heading
        guard let tip = arrow.tip, trace.isWithin(tiedReach * scale, of: tip),
          trace.points.allSatisfy({ ($0 - tip).dot(heading) < tie * scale })
        else { return false }
        func isTouched(_ end: Vector) -> Bool {
          arrow.line.contains { $0.distance(to: end) < tie * scale }
            || arrow.strokes.contains {
              (traceOf[$0]?.distance(to: end) ?? .infinity) < tie * scale
            }
        }
        let touched = [trace.start, trace.end].filter(isTouched)
        let sides = trace.points.map { ($0 - tip).cross(heading) / scale }
        let crosses =
          sides.contains { $0 > minimumCrossing } && sides.contains { $0 < -minimumCrossing }
        return touched.count == 2 && trace.chord > minimumOpening * trace.length
          || crosses && !touched.isEmpty
      }
    }
    return Set(traces.filter { isAlongRing($0) || isAtTip($0) || isTied($0) }.map(\.index))
  }

  /// Joins arrows that run along a better one with the same ends, as a barb does that seems to fork from it.
  private static func withoutTwins(_ arrows: [ArrowCandidate], scale: Double) -> [ArrowCandidate] {
    var kept: [ArrowCandidate] = []
    for arrow in arrows.sorted(by: { $0.saving > $1.saving }) {
      let twin = kept.firstIndex { other in
        other.from == arrow.from && other.to == arrow.to
          && arrow.line.allSatisfy { point in
            other.line.contains { $0.distance(to: point) < twinReach * scale }
          }
      }
      guard let twin, let tip = arrow.line.last else {
        kept.append(arrow)
        continue
      }
      kept[twin].heads.append(Head(strokes: arrow.strokes, tip: tip, cost: 0))
      kept[twin].cost += arrow.cost + min(0, arrow.saving)
    }
    return kept
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
        let apex = trace.points.max {
          $0.distance(toSegmentFrom: trace.start, to: trace.end)
            < $1.distance(toSegmentFrom: trace.start, to: trace.end)
        }
        let near = [trace.start, trace.end, apex ?? trace.start].map { $0.distance(to: tip) }
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
    var places = Grid(side: scale)
    for (number, trace) in traces.enumerated() { places.insert(number, at: [trace.center]) }
    self.places = places
    var grid = Grid(side: scale)
    for (number, state) in states.enumerated() { grid.insert(number, at: [state.ring.center]) }
    self.grid = grid
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
    guard letter.high.x - letter.low.x < most, letter.high.y - letter.low.y < most else {
      return nil
    }
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
