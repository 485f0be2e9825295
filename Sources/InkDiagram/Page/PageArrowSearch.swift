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
    var rest = candidates().map { candidate in
      var arrow = candidate
      arrow.odds = odds.odds(of: arrow)
      return arrow
    }
    var chosen: [PageArrow] = []
    while let best = rest.indices.max(by: { rest[$0].odds < rest[$1].odds }) {
      let now = odds.odds(of: rest[best])
      // Better ones were chosen since it was judged; another one may be likelier now.
      if now < rest[best].odds {
        rest[best].odds = now
        continue
      }
      // What is chosen makes none likelier.
      guard now > PageNumbers.leastOdds else { break }
      let arrow = rest.remove(at: best)
      chosen.append(arrow)
      odds.choose(arrow)
    }
    direct(&chosen)
    return chosen + markers(besides: odds.isTaken)
  }

  /// Returns what may be arrows.
  ///
  /// These are lines with at least one end at a state, as they are, with their free ends tied, and joined. Those with
  /// one end lead to it.
  private func candidates() -> [PageArrow] {
    let (starts, perStart) = lines.starts
    let found = bundles(from: starts).map { bundle in
      let paths = bundle.paths.sorted { $0.count < $1.count }
      let path = paths[paths.count / 2]
      return oriented(
        PageArrow(
          from: bundle.ends[0], to: bundle.ends[1], path: path,
          votes: Double(paths.count) * perStart / Double(max(1, path.count))))
    }
    let joined = joined(found)
    let limit = max(PageNumbers.sameLineCells, PageNumbers.sameLine * lines.scale)
    var all: [PageArrow] = []
    var byEnds: [Set<Int?>: [[Vector]]] = [:]
    for candidate in found + found.compactMap(tied) + joined where candidate.path.count > 2 {
      var arrow = candidate
      if arrow.to == nil { arrow.turn() }
      let places = Self.places(arrow.path)
      let same = byEnds[[arrow.from, arrow.to], default: []]
      guard same.allSatisfy({ Self.distance($0, places) >= limit }) else { continue }
      byEnds[[arrow.from, arrow.to], default: []].append(places)
      all.append(arrow)
    }
    return all
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

  /// Decides which way arrows between states lead; each cell of a head belongs to the arrow that it lies along.
  private func direct(_ arrows: inout [PageArrow]) {
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
    for number in arrows.indices where arrows[number].from != nil {
      let heads = lines.heads(along: arrows[number].path) {
        owners[$0] == number || lines.head($0) <= PageNumbers.ownedHead
      }
      arrows[number].direction = heads.forwardOdds
      (arrows[number].headAtStart, arrows[number].headAtTip) = (heads.atStart, heads.atEnd)
      if heads.forwardOdds < 0 { arrows[number].turn() }
    }
  }

  /// Returns the heads without a line that point at a state: triangles and wedges that mark initial states.
  private func markers(besides isTaken: [Bool]) -> [PageArrow] {
    let columns = lines.cells.columns
    var isSeen = isTaken.indices.map { lines.head($0) <= PageNumbers.markerHead }
    var markers: [PageArrow] = []
    for first in isSeen.indices where !isSeen[first] {
      isSeen[first] = true
      var part = [first]
      var next = 0
      while next < part.count {
        let cell = part[next]
        next += 1
        for near in [cell - 1, cell + 1, cell - columns, cell + columns]
        where isSeen.indices.contains(near) && !isSeen[near] {
          isSeen[near] = true
          part.append(near)
        }
      }
      guard Double(part.count) > PageNumbers.markerSize * lines.scale,
        part.allSatisfy({ !isTaken[$0] }), !isAtLine(part)
      else { continue }
      func place(_ cell: Int) -> Vector {
        Vector(Double(cell % columns) + 0.5, Double(cell / columns) + 0.5)
      }
      let share = 1 / Double(part.count)
      let middle = part.reduce(Vector(0, 0)) { $0 + place($1) } * share
      let towards = part.reduce(Vector(0, 0)) { $0 + lines.towards($1) } * share
      let distances = lines.states.map { $0.distance(to: middle) }
      guard let state = distances.indices.min(by: { distances[$0] < distances[$1] }),
        distances[state] < PageNumbers.markerReach * lines.scale,
        towards.length > PageNumbers.markerField,
        towards.unit.dot((lines.states[state].center - middle).unit) > PageNumbers.markerStraight
      else { continue }
      let half = part.map { abs((place($0) - middle).dot(towards.unit)) }.max()!
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
      guard ends != [nil, nil] else { continue }
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
          back.dot(across) < -PageNumbers.joinStraight
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
            votes: min(one.votes, other.votes))))
    }
    return result
  }

  /// Returns an arrow with its free end tied to the state that it must mean, if there is one: a tip means the nearest
  /// state ahead, and a start a near one.
  private func tied(_ arrow: PageArrow) -> PageArrow? {
    guard (arrow.from == nil) != (arrow.to == nil) else { return nil }
    let isTip = arrow.to == nil
    let path = isTip ? arrow.path : arrow.path.reversed()
    let reach =
      isTip && arrow.direction > PageNumbers.knownDirection
      ? PageNumbers.tipReach : PageNumbers.startReach
    let (end, way) = (path.last!, lines.heading(path))
    var best: (state: Int, cost: Double)?
    for (number, state) in lines.states.enumerated() {
      let distance = state.distance(to: end)
      // An initial arrow is as far from its state as it is long, and a self-loop comes back.
      let isOwn = number == (isTip ? arrow.from : arrow.to)
      guard distance < reach * lines.scale,
        !isOwn || distance < PageNumbers.loopReturn * Double(path.count)
      else { continue }
      let cost = distance - 0.5 * lines.scale * (state.center - end).unit.dot(way)
      if cost < best?.cost ?? .infinity { best = (number, cost) }
    }
    guard let best else { return nil }
    var tied = arrow
    if isTip { tied.to = best.state } else { tied.from = best.state }
    return tied
  }

  /// Returns a line turned so that its last place is its tip.
  private func oriented(_ line: PageArrow) -> PageArrow {
    var arrow = line
    let heads = lines.heads(along: arrow.path)
    arrow.direction = heads.direction
    (arrow.headAtStart, arrow.headAtTip) = (heads.atStart, heads.atEnd)
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
