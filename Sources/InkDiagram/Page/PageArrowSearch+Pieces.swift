import Ink

/// Arrows made of lines that are cut, exchanged, joined or tied.
extension PageArrowSearch {
  // MARK: Parts of lines

  /// Returns lines that end at a head on their way, where they were followed to something beside it.
  func cut(_ found: [PageArrow]) -> [PageArrow] {
    found.flatMap { line -> [PageArrow] in
      var turned = line
      turned.turn()
      return [line, turned].flatMap { line in
        tips(of: line.path).map { tip in
          let path = Array(line.path[...tip])
          let to = lines.state(at: path[tip], towards: lines.heading(path))
          return oriented(
            PageArrow(from: line.from, to: to, path: path, votes: line.votes, isPieced: true))
        }
      }
    }
  }

  /// Returns where a path leaves heads that point along it, before its end.
  private func tips(of path: [Vector]) -> [Int] {
    let isHead = path.indices.map { number in
      let cell = lines.cells.cell(at: path[number])
      return lines.head(cell) > lines.decoding.tipHead
        && lines.towards(cell).dot(lines.way(path, at: number)) > lines.decoding.tipField
    }
    return path.indices.filter { number in
      number > 4 && number < path.count - 3 && isHead[number] && isHead[number - 1]
        && !isHead[number + 1] && !isHead[number + 2]
    }
  }

  /// Two lines that run together somewhere, by their numbers, and whether the same way.
  private struct Meeting: Hashable {
    var one: Int
    var other: Int
    var isAlong: Bool
  }

  /// Returns lines that go on as another one where they run together, as at crossings with small angles.
  func exchanged(_ found: [PageArrow]) -> [PageArrow] {
    let meetings = meetings(of: found)
    let order = meetings.keys.sorted {
      ($0.one, $0.other, $0.isAlong ? 0 : 1) < ($1.one, $1.other, $1.isAlong ? 0 : 1)
    }
    func spliced(
      _ start: PageArrow, until place: Int, _ end: PageArrow, from otherPlace: Int
    ) -> PageArrow {
      oriented(
        PageArrow(
          from: start.from, to: end.to,
          path: Array(start.path[...place] + end.path[otherPlace...]),
          votes: min(start.votes, end.votes), isPieced: true))
    }
    return order.flatMap { meeting -> [PageArrow] in
      let places = meetings[meeting]!
      var (place, otherPlace) = places[places.count / 2]
      let one = found[meeting.one]
      var other = found[meeting.other]
      if !meeting.isAlong {
        other.turn()
        otherPlace = other.path.count - 1 - otherPlace
      }
      return [
        spliced(one, until: place, other, from: otherPlace),
        spliced(other, until: otherPlace, one, from: place),
      ]
    }
  }

  /// Returns where lines run together: pairs of places along both.
  private func meetings(of found: [PageArrow]) -> [Meeting: [(Int, Int)]] {
    var inCell: [Int: [(line: Int, place: Int)]] = [:]
    for (line, arrow) in found.enumerated() {
      for (place, point) in arrow.path.enumerated() {
        inCell[lines.cells.cell(at: point), default: []].append((line, place))
      }
    }
    var meetings: [Meeting: [(Int, Int)]] = [:]
    for (one, arrow) in found.enumerated() {
      for (place, point) in arrow.path.enumerated() {
        let way = lines.way(arrow.path, at: place)
        for other in inCell[lines.cells.cell(at: point), default: []] where other.line > one {
          let cosine = way.dot(lines.way(found[other.line].path, at: other.place))
          guard abs(cosine) > lines.decoding.meetStraight else { continue }
          let meeting = Meeting(one: one, other: other.line, isAlong: cosine > 0)
          meetings[meeting, default: []].append((place, other.place))
        }
      }
    }
    return meetings
  }

  /// Returns copies of a line, each with one end free that is not at the ring of its state.
  func loosened(_ line: PageArrow) -> [PageArrow] {
    func isBeside(_ state: Int?, _ end: Vector) -> Bool {
      guard let state else { return false }
      return lines.states[state].distance(to: end) > lines.decoding.atRingCells
    }
    var (start, tip) = (line, line)
    (start.from, start.isPieced) = (nil, true)
    (tip.to, tip.isPieced) = (nil, true)
    return (isBeside(line.from, line.path[0]) ? [start] : [])
      + (isBeside(line.to, line.path[line.path.count - 1]) ? [tip] : [])
  }

  // MARK: Free ends

  /// Returns lines that are joined where free ends face each other, as where symbols stand in a gap of an arrow.
  func joined(_ found: [PageArrow]) -> [PageArrow] {
    let free = found.indices.filter {
      (found[$0].from == nil) != (found[$0].to == nil)
        && found[$0].votes > lines.decoding.freeVotes
    }
    let states = free.map { found[$0].from ?? found[$0].to! }
    // From the state to the free end.
    let outward = free.map { number in
      found[number].to == nil ? found[number].path : found[number].path.reversed()
    }
    var pairs: [(one: Int, other: Int, gap: Double)] = []
    for one in free.indices {
      for other in free.indices where other > one {
        let (end, start) = (outward[one].last!, outward[other].last!)
        let gap = end.distance(to: start)
        guard gap < lines.decoding.joinGap * lines.scale else { continue }
        let (way, back) = (lines.heading(outward[one]), lines.heading(outward[other]))
        let across = gap < 2 ? way : (start - end) * (1 / gap)
        let isLoop =
          states[one] == states[other] && gap < lines.decoding.loopGap * lines.scale
          && [end, start].allSatisfy { isNearest(states[one], to: $0) }
        let straight = isLoop ? lines.decoding.loopStraight : lines.decoding.joinStraight
        guard way.dot(across) > straight, back.dot(across) < -straight,
          !isThroughState(end, start)
        else { continue }
        pairs.append((one, other, gap))
      }
    }
    var isUsed: Set<Int> = []
    var result: [PageArrow] = []
    for pair in pairs.sorted(by: { $0.gap < $1.gap })
    where !isUsed.contains(pair.one) && !isUsed.contains(pair.other) {
      isUsed.formUnion([pair.one, pair.other])
      let (one, other) = (found[free[pair.one]], found[free[pair.other]])
      result.append(
        oriented(
          PageArrow(
            from: states[pair.one], to: states[pair.other],
            path: outward[pair.one] + outward[pair.other].reversed(),
            votes: min(one.votes, other.votes), isPieced: true)))
    }
    return result
  }

  /// Whether no other state is nearer to a place.
  private func isNearest(_ state: Int, to place: Vector) -> Bool {
    let distance = lines.states[state].distance(to: place)
    return lines.states.allSatisfy { $0.distance(to: place) >= distance }
  }

  /// Whether the way between two places leads through a state.
  private func isThroughState(_ one: Vector, _ other: Vector) -> Bool {
    stride(from: 0, through: one.distance(to: other), by: 2).contains { step in
      let place = one + (other - one).unit * step
      return lines.states.contains { $0.distance(to: place) < 0 }
    }
  }

  /// Returns an arrow with its free ends tied to the states that they must mean, if there are any: a tip means the
  /// nearest state ahead, and a start a near one.
  func tied(_ arrow: PageArrow) -> PageArrow? {
    guard arrow.from == nil || arrow.to == nil else { return nil }
    var tied = arrow
    if tied.to == nil {
      let reach =
        arrow.direction > lines.decoding.knownDirection
        ? lines.decoding.tipReach : lines.decoding.startReach
      tied.to = state(after: arrow.path, from: arrow.from, reach: reach)
    }
    if tied.from == nil {
      let reach = arrow.to == nil ? lines.decoding.tipReach : lines.decoding.startReach
      tied.from = state(after: arrow.path.reversed(), from: tied.to, reach: reach)
    }
    return tied.from == nil || tied.to == nil ? nil : tied
  }

  /// Returns the state that the free end of a path means, if one is near it or ahead.
  ///
  /// - Parameters:
  ///   - own: The state at the other end.
  ///   - reach: How far it is in any direction, in usual radii.
  private func state(after path: [Vector], from own: Int?, reach: Double) -> Int? {
    let (end, way) = (path[path.count - 1], lines.heading(path))
    var best: (state: Int, cost: Double)?
    for (number, state) in lines.states.enumerated() {
      let distance = state.distance(to: end)
      // An initial arrow is as far from its state as it is long, and a self-loop comes back.
      let outwards = state.center - end
      let isAhead = outwards.unit.dot(way) > lines.decoding.aheadStraight
      guard distance < (isAhead ? max(reach, lines.decoding.aheadReach) : reach) * lines.scale,
        number != own || distance < lines.decoding.loopReturn * Double(path.count)
      else { continue }
      let cost = distance - 0.5 * lines.scale * outwards.unit.dot(way)
      if cost < best?.cost ?? .infinity { best = (number, cost) }
    }
    return best?.state
  }
}
