import Ink

/// Finds the arrows of a page.
///
/// Its lines are followed from each of their cells, and those that lead to the same ends on the same way are one
/// candidate. The likeliest are chosen, each judged by what better ones leave to it. At last, at most
/// one marker of an initial state is chosen for each automaton.
struct PageArrowSearch {
  let lines: PageLines

  /// Lines with the same ends on the same way.
  private struct Bundle {
    var ends: [Int?]
    /// Places along the first line.
    var places: [Vector]
    var paths: [[Vector]]
  }

  /// The number of places along a line by which it is compared.
  private static let placeCount = 12

  /// Returns the arrows of the page.
  func arrows() -> [PageArrow] {
    var odds = PageArrowOdds(lines)
    let followed = choose(among: followedCandidates(), with: &odds)
    let paths = choose(among: shortestPaths(besides: odds.isTaken), with: &odds)
    var chosen = followed.chosen + paths.chosen
    direct(&chosen)
    var arrows = chosen.filter { $0.from != nil }
    let markers = initialMarkers(
      among: chosen + followed.others + paths.others, besides: arrows)
    let initial = initialArrows(among: markers, automata: odds.automaton)
    // Chosen lines with one end lead to their state, whether they mark the initial one or not.
    let toOneState = chosen.filter { $0.from == nil }
    turnToUnreached(&arrows, besides: initial + toOneState, automata: odds.automaton)
    return arrows + initial
  }

  /// What is known of lines and heads (``PageMeasures``).
  typealias Measures = (
    lines: [PageArrow], heads: [(arrow: PageArrow, heads: PageHeads)], markers: [PageArrow],
    automata: [Int]
  )

  /// Returns what is known of each line that may be an arrow, of the heads of those that were chosen, and of what may mark
  /// initial states, and the automaton of each state.
  func measures() -> Measures {
    var odds = PageArrowOdds(lines)
    let followed = choose(among: followedCandidates(), with: &odds)
    let otherLines = odds.judged(followed.others)
    let paths = choose(among: shortestPaths(besides: odds.isTaken), with: &odds)
    let otherPaths = odds.judged(paths.others)
    let chosen = followed.chosen + paths.chosen
    var directed = chosen
    direct(&directed)
    let markers = initialMarkers(
      among: directed + followed.others + paths.others,
      besides: directed.filter { $0.from != nil })
    return (
      chosen + otherLines + otherPaths, Array(zip(chosen, ownHeads(of: chosen))), markers,
      odds.automaton
    )
  }

  /// Chooses the likeliest of some lines, each judged by what better ones leave to it.
  private func choose(
    among candidates: [PageArrow], with odds: inout PageArrowOdds
  ) -> (chosen: [PageArrow], others: [PageArrow]) {
    var rest = candidates
    for index in rest.indices { odds.judge(&rest[index]) }
    // What is chosen makes none likelier.
    let firstUnlikely = rest.partition { $0.odds <= leastOdds(of: $0) }
    var others = Array(rest[firstUnlikely...])
    rest.removeSubrange(firstUnlikely...)
    let lowest = min(lines.decoding.leastOdds, lines.decoding.leastUnexplainedOdds)
    var chosen: [PageArrow] = []
    while let best = rest.indices.max(by: { rest[$0].odds < rest[$1].odds }) {
      let before = rest[best].odds
      odds.judge(&rest[best])
      // Better ones were chosen since it was judged; another one may be likelier now.
      if rest[best].odds < before { continue }
      guard rest[best].odds > lowest else { break }
      let arrow = rest.remove(at: best)
      if arrow.odds > leastOdds(of: arrow) {
        chosen.append(arrow)
        odds.choose(arrow)
      } else {
        others.append(arrow)
      }
    }
    others += rest
    return (chosen, others)
  }

  /// Returns the lower limit of the odds of an arrow, as a logarithm.
  ///
  /// It is lower for a line between two states that most of its cells lead to and that shares few cells with other
  /// arrows: nothing else explains it.
  private func leastOdds(of line: PageArrow) -> Double {
    let isUnexplained =
      line.from != nil && line.from != line.to && line.votes > lines.decoding.unexplainedVotes
      && line.left[0] > lines.decoding.unexplainedOwn
    return isUnexplained ? lines.decoding.leastUnexplainedOdds : lines.decoding.leastOdds
  }

  /// Returns what may be arrows: lines as they are followed, cut at heads, exchanged where they run together, and joined
  /// across gaps.
  private func followedCandidates() -> [PageArrow] {
    let found = followed()
    let sure = found.filter { $0.votes > lines.decoding.pieceVotes }
    let whole = found + cut(sure) + exchanged(sure)
    return candidates(whole + joined(whole + whole.flatMap(loosened)))
  }

  /// Returns what may be arrows: shortest paths between ends of lines, besides cells that are taken.
  private func shortestPaths(besides isTaken: [Bool]) -> [PageArrow] {
    candidates(
      PageShortestPaths(lines, besides: isTaken).paths().map { path in
        let ends = [path.reversed(), path].map { way in
          lines.state(at: way[way.count - 1], towards: lines.heading(way))
        }
        return oriented(
          PageArrow(from: ends[0], to: ends[1], path: path, votes: 0, isShortestPath: true))
      })
  }

  /// Returns the lines that differ, also with their free ends tied to states.
  ///
  /// Those with one end lead to it.
  private func candidates(_ all: [PageArrow]) -> [PageArrow] {
    let limit = max(lines.decoding.sameLineCells, lines.decoding.sameLine * lines.scale)
    var candidates: [PageArrow] = []
    var byEnds: [Set<Int?>: [(number: Int, places: [Vector])]] = [:]
    for candidate in all + all.compactMap(tied) where candidate.path.count > 2 {
      var arrow = candidate
      guard arrow.from != nil || arrow.to != nil else { continue }
      if arrow.to == nil { arrow.turn() }
      let places = Self.places(arrow.path)
      let same = byEnds[[arrow.from, arrow.to], default: []].first {
        Self.distance($0.places, places) < limit
      }
      if let same {
        candidates[same.number].votes = max(candidates[same.number].votes, arrow.votes)
        continue
      }
      byEnds[[arrow.from, arrow.to], default: []].append((candidates.count, places))
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

  private func bundles(from starts: [(place: Vector, way: Vector)]) -> [Bundle] {
    let limit = max(lines.decoding.sameLineCells, lines.decoding.sameLine * lines.scale)
    var bundles: [Bundle] = []
    var byEnds: [[Int?]: [Int]] = [:]
    for start in starts {
      let (one, other) = (
        lines.follow(from: start.place, towards: start.way),
        lines.follow(from: start.place, towards: start.way * -1)
      )
      guard let last = one.path.last, let first = other.path.last else { continue }
      var ends = [
        lines.state(at: first, towards: other.way), lines.state(at: last, towards: one.way),
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

  /// Returns a line turned so that its last place is its tip.
  func oriented(_ line: PageArrow) -> PageArrow {
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
