import Foundation
import Ink

/// Finds the arrows of a page: its lines are followed from each of their cells, and those that lead to the same ends
/// on the same way are one.
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
    let (starts, perStart) = lines.starts
    var found = bundles(from: starts).map { bundle in
      let paths = bundle.paths.sorted { $0.count < $1.count }
      let path = paths[paths.count / 2]
      var arrow = PageArrow(
        from: bundle.ends[0], to: bundle.ends[1], path: path,
        votes: Double(paths.count) * perStart / Double(max(1, path.count)))
      orient(&arrow)
      return arrow
    }
    found = tied(joined(found))
    // Those between states are chosen first, then the better seen ones.
    func rank(_ arrow: PageArrow) -> Double {
      (arrow.from != nil && arrow.to != nil ? 1e6 : 0)
        + min(1, arrow.votes) * Double(arrow.path.count).squareRoot()
    }
    found.sort { rank($0) > rank($1) }
    var isTaken = [Bool](repeating: false, count: lines.levels.count)
    var chosen: [PageArrow] = []
    for var arrow in found {
      let seen = arrow.path.map { lines.cells.cell(at: $0) }.filter { lines.levels[$0] > 0.3 }
      arrow.own = Double(seen.count { !isTaken[$0] }) / Double(max(1, seen.count))
      guard isLikely(arrow) else { continue }
      chosen.append(arrow)
      let reach = max(1, (0.08 * lines.scale).rounded(.down))
      for place in arrow.path {
        for down in stride(from: -reach, through: reach, by: 1) {
          for across in stride(from: -reach, through: reach, by: 1) {
            isTaken[lines.cells.cell(at: place + Vector(across, down))] = true
          }
        }
      }
    }
    return chosen + markers(besides: isTaken)
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
      let places = (0..<Self.placeCount).map {
        path[($0 * (path.count - 1) + (Self.placeCount - 1) / 2) / (Self.placeCount - 1)]
      }
      let same = byEnds[ends, default: []].first { number in
        let apart = zip(bundles[number].places, places).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        return apart < limit * Double(Self.placeCount)
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

  /// Returns the direction in which a path leaves its last place.
  private func heading(_ path: [Vector]) -> Vector {
    let span = max(4, Int(0.4 * lines.scale))
    return (path[path.count - 1] - path[max(0, path.count - 1 - span)]).unit
  }

  /// Joins lines whose free ends face each other, as where symbols stand in a gap of an arrow.
  private func joined(_ found: [PageArrow]) -> [PageArrow] {
    // From the state to the free end.
    let free = found.indices.filter {
      (found[$0].from == nil) != (found[$0].to == nil)
        && found[$0].votes > PageNumbers.initialVotes
    }
    let outward = free.map { number in
      found[number].to == nil ? found[number].path : found[number].path.reversed()
    }
    var pairs: [(one: Int, other: Int, gap: Double)] = []
    for one in free.indices {
      for other in free.indices where other > one {
        let (end, start) = (outward[one].last!, outward[other].last!)
        let gap = end.distance(to: start)
        guard gap < PageNumbers.joinGap * lines.scale else { continue }
        let (way, back) = (heading(outward[one]), heading(outward[other]))
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
      var arrow = PageArrow(
        from: one.from ?? one.to, to: other.from ?? other.to,
        path: outward[pair.one] + outward[pair.other].reversed(),
        votes: min(one.votes, other.votes))
      orient(&arrow)
      result.append(arrow)
    }
    let joined = Set(isUsed.map { free[$0] })
    return found.indices.filter { !joined.contains($0) }.map { found[$0] } + result
  }

  /// Ties free ends to the states that they must mean: a tip means the nearest state ahead, and a start a near one.
  private func tied(_ found: [PageArrow]) -> [PageArrow] {
    found.map { arrow in
      guard arrow.from == nil || arrow.to == nil, arrow.from != nil || arrow.to != nil else {
        return arrow
      }
      var arrow = arrow
      let isTip = arrow.to == nil
      let path = isTip ? arrow.path : arrow.path.reversed()
      let reach =
        isTip && arrow.direction > PageNumbers.knownDirection
        ? PageNumbers.tipReach : PageNumbers.startReach
      let (end, way) = (path.last!, heading(path))
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
      guard let best else { return arrow }
      if isTip { arrow.to = best.state } else { arrow.from = best.state }
      return arrow
    }
  }

  /// Turns a line so that its last place is its tip.
  private func orient(_ arrow: inout PageArrow) {
    let heads = lines.heads(along: arrow.path)
    (arrow.direction, arrow.lineLength) = (heads.direction, heads.lineLength)
    (arrow.headAtStart, arrow.headAtTip) = (heads.atStart, heads.atEnd)
    guard arrow.direction < 0 else { return }
    arrow.path.reverse()
    swap(&arrow.from, &arrow.to)
    swap(&arrow.headAtStart, &arrow.headAtTip)
    arrow.direction = -arrow.direction
  }

  private func isLikely(_ arrow: PageArrow) -> Bool {
    let scale = lines.scale
    let length = Double(arrow.path.count) / scale
    guard let to = arrow.to else { return false }
    guard let from = arrow.from else {
      return PageNumbers.initialLength.contains(length) && arrow.votes > PageNumbers.initialVotes
        && arrow.own > PageNumbers.initialOwn && arrow.headAtTip > PageNumbers.initialHead
        && arrow.lineLength > PageNumbers.initialLine * scale
        && arrow.direction > PageNumbers.initialDirection
    }
    guard from == to else {
      return arrow.votes > PageNumbers.transitionVotes && arrow.own > PageNumbers.transitionOwn
    }
    let height = arrow.path.map { lines.states[from].distance(to: $0) }.max()!
    return height > PageNumbers.loopHeight * scale && length > PageNumbers.loopLength
      && arrow.votes > PageNumbers.loopVotes && arrow.own > PageNumbers.loopOwn
  }
}

extension [Vector] {
  /// Twice the area that the path and the way back enclose; above 0 if it goes around clockwise on screen.
  fileprivate var area: Double {
    guard let first else { return 0 }
    return zip(self, dropFirst()).reduce(0) { $0 + ($1.0 - first).cross($1.1 - first) }
  }
}
