import Foundation
import Ink

/// Finds the arrows of a page.
///
/// Its lines are followed from each of their cells, and those that lead to the same ends on the same way are one
/// candidate. The likeliest are chosen, each judged by what better ones leave to it.
struct PageArrowSearch {
  private let lines: PageLines

  /// Lines with the same ends on the same way.
  private struct Bundle {
    var ends: [Int?]
    /// Places along the first line.
    var places: [Vector]
    var paths: [[Vector]]
  }

  /// The number of places along a line by which it is compared.
  private static let placeCount = 12

  init(_ lines: PageLines) {
    self.lines = lines
  }

  /// Returns the arrows of the page.
  func arrows() -> [PageArrow] {
    var odds = PageArrowOdds(lines)
    var (chosen, _) = choose(with: &odds)
    direct(&chosen)
    return chosen + markers(besides: odds.isTaken)
  }

  /// Returns what is known of each line that may be an arrow, and of the heads of those that were chosen.
  func measures() -> (lines: [PageArrow], heads: [(arrow: PageArrow, heads: PageHeads)]) {
    var odds = PageArrowOdds(lines)
    let (chosen, others) = choose(with: &odds)
    let heads = ownHeads(of: chosen)
    // Those that are nearly others have no odds.
    let judged = others.map { other in
      var arrow = other
      odds.judge(&arrow)
      return arrow
    }.filter { $0.odds > -.infinity }
    return (chosen + judged, Array(zip(chosen, heads)))
  }

  /// Chooses the likeliest of the lines that may be arrows, each judged by what better ones leave to it.
  private func choose(
    with odds: inout PageArrowOdds
  ) -> (chosen: [PageArrow], others: [PageArrow]) {
    var rest = candidates()
    for index in rest.indices { odds.judge(&rest[index]) }
    // What is chosen makes none likelier.
    let firstUnlikely = rest.partition { $0.odds <= PageNumbers.leastOdds }
    var others = Array(rest[firstUnlikely...])
    rest.removeSubrange(firstUnlikely...)
    var chosen: [PageArrow] = []
    while let best = rest.indices.max(by: { rest[$0].odds < rest[$1].odds }) {
      let before = rest[best].odds
      odds.judge(&rest[best])
      // Better ones were chosen since it was judged; another one may be likelier now.
      if rest[best].odds < before { continue }
      guard rest[best].odds > PageNumbers.leastOdds else { break }
      let arrow = rest.remove(at: best)
      chosen.append(arrow)
      odds.choose(arrow)
    }
    others += rest
    return (chosen, others)
  }

  /// Returns what may be arrows.
  ///
  /// These are lines as they are followed, cut at heads, exchanged where they run together, joined across gaps, and
  /// with their free ends tied to states. Those with one end lead to it.
  private func candidates() -> [PageArrow] {
    let found = followed()
    let sure = found.filter { $0.votes > PageNumbers.pieceVotes }
    let whole = found + cut(sure) + exchanged(sure)
    let all = whole + joined(whole + whole.flatMap(loosened))
    let limit = max(PageNumbers.sameLineCells, PageNumbers.sameLine * lines.scale)
    var candidates: [PageArrow] = []
    var byEnds: [Set<Int?>: [[Vector]]] = [:]
    for candidate in all + all.compactMap(tied) where candidate.path.count > 2 {
      var arrow = candidate
      guard arrow.from != nil || arrow.to != nil else { continue }
      if arrow.to == nil { arrow.turn() }
      let places = Self.places(arrow.path)
      let same = byEnds[[arrow.from, arrow.to], default: []]
      guard same.allSatisfy({ Self.distance($0, places) >= limit }) else { continue }
      byEnds[[arrow.from, arrow.to], default: []].append(places)
      candidates.append(arrow)
    }
    return candidates
  }

  /// Returns the lines that are followed from all cells, each with the states at its ends.
  private func followed() -> [PageArrow] {
    let (starts, perStart) = lines.starts
    return bundles(from: starts).map { bundle in
      let paths = bundle.paths.sorted { $0.count < $1.count }
      let path = paths[paths.count / 2]
      return oriented(
        PageArrow(
          from: bundle.ends[0], to: bundle.ends[1], path: path,
          votes: Double(paths.count) * perStart / Double(max(1, path.count))))
    }
  }

  /// Returns the mean distance of the places of two ways, whatever their directions, in cells.
  static func distance(_ one: [Vector], _ other: [Vector]) -> Double {
    min(meanDistance(one, other), meanDistance(one, other.reversed()))
  }

  private static func meanDistance(_ one: [Vector], _ other: some Sequence<Vector>) -> Double {
    zip(one, other).reduce(0) { $0 + $1.0.distance(to: $1.1) } / Double(placeCount)
  }

  /// Returns places along a path by which it is compared.
  static func places(_ path: [Vector]) -> [Vector] {
    (0..<placeCount).map {
      path[($0 * (path.count - 1) + (placeCount - 1) / 2) / (placeCount - 1)]
    }
  }

  /// Decides which way arrows between states lead.
  private func direct(_ arrows: inout [PageArrow]) {
    let heads = ownHeads(of: arrows)
    for number in arrows.indices where arrows[number].from != nil {
      let odds = PageArrowOdds.directions(heads[number])
      arrows[number].direction = odds.forward - odds.backward
      arrows[number].hasTwoHeads = odds.both > max(odds.forward, odds.backward)
      if arrows[number].direction < 0 { arrows[number].turn() }
    }
  }

  /// Returns the heads of each arrow; each cell of a head belongs to the arrow that it lies along.
  private func ownHeads(of arrows: [PageArrow]) -> [PageHeads] {
    let reach = lines.headReach
    var owners = [Int?](repeating: nil, count: lines.levels.count)
    var costs = [Double](repeating: .infinity, count: lines.levels.count)
    for (number, arrow) in arrows.enumerated() {
      for (index, place) in arrow.path.enumerated() {
        let way = lines.way(arrow.path, at: index)
        let toEnd = Double(min(index, arrow.path.count - 1 - index))
        for down in stride(from: -reach, through: reach, by: 1) {
          for across in stride(from: -reach, through: reach, by: 1) {
            let cell = lines.cells.cell(at: place + Vector(across, down))
            guard lines.head(cell) > PageNumbers.ownedHead else { continue }
            let cost =
              Vector(across, down).length
              + PageNumbers.headTurned * (1 - abs(lines.towards(cell).dot(way)))
              + PageNumbers.headFar * max(0, toEnd - lines.scale)
            if cost < costs[cell] { (costs[cell], owners[cell]) = (cost, number) }
          }
        }
      }
    }
    return arrows.indices.map { number in
      lines.heads(along: arrows[number].path) {
        owners[$0] == number || lines.head($0) <= PageNumbers.ownedHead
      }
    }
  }

  /// Returns the heads without a line that point at a state: triangles and wedges that mark initial states.
  private func markers(besides isTaken: [Bool]) -> [PageArrow] {
    let parts = lines.cells.groups(
      of: isTaken.indices.map { lines.head($0) > PageNumbers.markerHead },
      neighbors: lines.cells.neighbors)
    var markers: [PageArrow] = []
    for part in parts {
      guard Double(part.count) > PageNumbers.markerSize * lines.scale,
        part.allSatisfy({ !isTaken[$0] }), !isAtLine(part)
      else { continue }
      let share = 1 / Double(part.count)
      let middle = part.reduce(Vector(0, 0)) { $0 + lines.cells.place(of: $1) } * share
      let towards = part.reduce(Vector(0, 0)) { $0 + lines.towards($1) } * share
      let distances = lines.states.map { $0.distance(to: middle) }
      guard let state = distances.indices.min(by: { distances[$0] < distances[$1] }),
        distances[state] < PageNumbers.markerReach * lines.scale,
        towards.length > PageNumbers.markerField,
        towards.unit.dot((lines.states[state].center - middle).unit) > PageNumbers.markerStraight
      else { continue }
      let half = part.map { abs((lines.cells.place(of: $0) - middle).dot(towards.unit)) }.max()!
      var marker = PageArrow(
        from: nil, to: state,
        path: [middle - towards.unit * half, middle + towards.unit * half], votes: 1)
      marker.headAtTip = Double(part.count)
      marker.direction = 1
      // Not a doubtful one.
      marker.odds = PageNumbers.doubtfulOdds
      markers.append(marker)
    }
    return markers
  }

  /// Whether some cells of a head are beside a line.
  private func isAtLine(_ part: [Int]) -> Bool {
    let columns = lines.cells.columns
    let touching = part.count { cell in
      [-2, -1, 1, 2, -2 * columns, -columns, columns, 2 * columns].contains { step in
        let near = cell + step
        return lines.levels.indices.contains(near)
          && lines.levels[near] - lines.head(near) > PageNumbers.startingLine
      }
    }
    return Double(touching) > PageNumbers.markerLine * Double(part.count)
  }

  private func bundles(from starts: [(place: Vector, way: Vector)]) -> [Bundle] {
    let limit = max(PageNumbers.sameLineCells, PageNumbers.sameLine * lines.scale)
    var bundles: [Bundle] = []
    var byEnds: [[Int?]: [Int]] = [:]
    for start in starts {
      let (one, other) = (
        lines.follow(from: start.place, towards: start.way),
        lines.follow(from: start.place, towards: start.way * -1)
      )
      guard let last = one.path.last, let first = other.path.last else { continue }
      var ends = [
        lines.state(at: first, towards: other.way)?.state,
        lines.state(at: last, towards: one.way)?.state,
      ]
      var path = other.path.reversed() + one.path
      // One order for both directions: by state, and a self-loop clockwise.
      let isTurned =
        ends[0] == ends[1] ? path.area < 0 : (ends[0] ?? -1) > (ends[1] ?? -1)
      if isTurned {
        path.reverse()
        ends.reverse()
      }
      let places = Self.places(path)
      let same = byEnds[ends, default: []].first { number in
        Self.meanDistance(bundles[number].places, places) < limit
      }
      if let same {
        bundles[same].paths.append(path)
      } else {
        byEnds[ends, default: []].append(bundles.count)
        bundles.append(Bundle(ends: ends, places: places, paths: [path]))
      }
    }
    return bundles
  }

  // MARK: Parts of lines

  /// Returns lines that end at a head on their way, where they were followed to something beside it.
  private func cut(_ found: [PageArrow]) -> [PageArrow] {
    found.flatMap { line -> [PageArrow] in
      var turned = line
      turned.turn()
      return [line, turned].flatMap { line in
        tips(of: line.path).map { tip in
          let path = Array(line.path[...tip])
          let to = lines.state(at: path[tip], towards: lines.heading(path))?.state
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
      return lines.head(cell) > PageNumbers.tipHead
        && lines.towards(cell).dot(lines.way(path, at: number)) > PageNumbers.tipField
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
  private func exchanged(_ found: [PageArrow]) -> [PageArrow] {
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
          guard abs(cosine) > PageNumbers.meetStraight else { continue }
          let meeting = Meeting(one: one, other: other.line, isAlong: cosine > 0)
          meetings[meeting, default: []].append((place, other.place))
        }
      }
    }
    return meetings
  }

  /// Returns copies of a line, each with one end free that is not at the ring of its state.
  private func loosened(_ line: PageArrow) -> [PageArrow] {
    func isBeside(_ state: Int?, _ end: Vector) -> Bool {
      guard let state else { return false }
      return lines.states[state].distance(to: end) > PageNumbers.atRingCells
    }
    var (start, tip) = (line, line)
    (start.from, start.isPieced) = (nil, true)
    (tip.to, tip.isPieced) = (nil, true)
    return (isBeside(line.from, line.path[0]) ? [start] : [])
      + (isBeside(line.to, line.path[line.path.count - 1]) ? [tip] : [])
  }

  // MARK: Free ends

  /// Returns lines that are joined where free ends face each other, as where symbols stand in a gap of an arrow.
  private func joined(_ found: [PageArrow]) -> [PageArrow] {
    let free = found.indices.filter {
      (found[$0].from == nil) != (found[$0].to == nil)
        && found[$0].votes > PageNumbers.freeVotes
    }
    // From the state to the free end.
    let outward = free.map { number in
      found[number].to == nil ? found[number].path : found[number].path.reversed()
    }
    var pairs: [(one: Int, other: Int, gap: Double)] = []
    for one in free.indices {
      for other in free.indices where other > one {
        let (end, start) = (outward[one].last!, outward[other].last!)
        let gap = end.distance(to: start)
        guard gap < PageNumbers.joinGap * lines.scale else { continue }
        let (way, back) = (lines.heading(outward[one]), lines.heading(outward[other]))
        let across = gap < 2 ? way : (start - end) * (1 / gap)
        guard way.dot(across) > PageNumbers.joinStraight,
          back.dot(across) < -PageNumbers.joinStraight, !isThroughState(end, start)
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
            from: one.from ?? one.to, to: other.from ?? other.to,
            path: outward[pair.one] + outward[pair.other].reversed(),
            votes: min(one.votes, other.votes), isPieced: true)))
    }
    return result
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
  private func tied(_ arrow: PageArrow) -> PageArrow? {
    guard arrow.from == nil || arrow.to == nil else { return nil }
    var tied = arrow
    if tied.to == nil {
      let reach =
        arrow.direction > PageNumbers.knownDirection
        ? PageNumbers.tipReach : PageNumbers.startReach
      tied.to = state(after: arrow.path, from: arrow.from, reach: reach)
    }
    if tied.from == nil {
      let reach = arrow.to == nil ? PageNumbers.tipReach : PageNumbers.startReach
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
      let isAhead = outwards.unit.dot(way) > PageNumbers.aheadStraight
      guard distance < (isAhead ? max(reach, PageNumbers.aheadReach) : reach) * lines.scale,
        number != own || distance < PageNumbers.loopReturn * Double(path.count)
      else { continue }
      let cost = distance - 0.5 * lines.scale * outwards.unit.dot(way)
      if cost < best?.cost ?? .infinity { best = (number, cost) }
    }
    return best?.state
  }

  /// Returns a line turned so that its last place is its tip.
  private func oriented(_ line: PageArrow) -> PageArrow {
    var arrow = line
    let heads = lines.heads(along: arrow.path)
    arrow.direction = heads.direction
    (arrow.headAtStart, arrow.headAtTip, arrow.along) = (heads.atStart, heads.atEnd, heads.along)
    if arrow.direction < 0 { arrow.turn() }
    return arrow
  }
}

extension [Vector] {
  /// Twice the area that the path and the way back enclose; above 0 if it goes around clockwise on screen.
  fileprivate var area: Double {
    guard let first else { return 0 }
    return zip(self, dropFirst()).reduce(0) { $0 + ($1.0 - first).cross($1.1 - first) }
  }
}
