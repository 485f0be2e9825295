import Foundation
import Ink

/// How likely lines of a page are arrows, by what is known of each and what those chosen before leave to it
/// (``PageArrowNetworks``); and which states the chosen ones connect.
struct PageArrowOdds {
  private let lines: PageLines
  /// Places along the chosen arrows, by their ends.
  private var chosen: [Set<Int?>: [[Vector]]] = [:]
  /// Whether a cell is part of a chosen arrow.
  private(set) var isTaken: [Bool]
  /// The automaton of each state: the first state that chosen arrows connect with it.
  private(set) var automaton: [Int]

  init(_ lines: PageLines) {
    self.lines = lines
    automaton = Array(lines.states.indices)
    isTaken = [Bool](repeating: false, count: lines.levels.count)
  }

  /// Chooses an arrow: its cells are its own.
  mutating func choose(_ arrow: PageArrow) {
    chosen[[arrow.from, arrow.to], default: []].append(
      PageArrowSearch.places(arrow.path))
    lines.cells.mark(
      arrow.path, reach: max(1, (lines.decoding.takenWidth * lines.scale).rounded(.down)),
      in: &isTaken)
    takeHead(of: arrow)
    guard let from = arrow.from, let to = arrow.to else { return }
    let (kept, other) = (
      min(automaton[from], automaton[to]), max(automaton[from], automaton[to])
    )
    for state in automaton.indices where automaton[state] == other { automaton[state] = kept }
  }

  /// Takes the cells of the head at the tip of an arrow.
  private mutating func takeHead(of arrow: PageArrow) {
    let tip = arrow.path[arrow.path.count - 1]
    let reach = (lines.decoding.headSize * lines.scale).rounded(.down)
    var next = arrow.path.suffix(Int(reach)).map { lines.cells.cell(at: $0) }
    var isSeen = Set(next)
    while let cell = next.popLast() {
      for near in lines.cells.neighbors(of: cell)
      where lines.head(near) > lines.decoding.tipHead
        && lines.cells.place(of: near).distance(to: tip) < reach && isSeen.insert(near).inserted
      {
        isTaken[near] = true
        next.append(near)
      }
    }
  }

  /// Finds the logarithm of the odds that a line is an arrow besides the chosen ones; one that is nearly theirs is none.
  func judge(_ arrow: inout PageArrow) {
    let cells = arrow.path.map(lines.cells.cell)
    if arrow.known.isEmpty {
      arrow.known = known(of: arrow, cells)
      if arrow.isShortestPath { arrow.known += knownOfShortestPath(arrow, cells) }
    }
    arrow.left = left(to: arrow, cells)
    let network = arrow.isShortestPath ? lines.networks.shortestPath : lines.networks.arrow
    arrow.odds =
      arrow.left[0] > lines.decoding.leastOwn ? network(arrow.known + arrow.left)[0] : -.infinity
  }

  /// Returns the lines that are no chosen arrow, each judged by what the chosen ones leave to it.
  func judged(_ others: [PageArrow]) -> [PageArrow] {
    others.map { other in
      var arrow = other
      judge(&arrow)
      return arrow
    }.filter { $0.odds > -.infinity }
  }

  /// Judges a line that may be an initial arrow, beside the chosen arrows.
  ///
  /// - Parameters:
  ///   - tips: The tips of the arrows to its state.
  ///   - starts: The starts of the arrows from its state.
  func judgeInitial(
    _ line: inout PageArrow, tips: [PageArrowSearch.End], starts: [PageArrowSearch.End]
  ) {
    let tip = PageArrowSearch.End(place: line.path.last!, way: lines.heading(line.path))
    let heads = lines.heads(along: line.path) { !isTaken[$0] }
    let cells = line.path.map(lines.cells.cell)
    line.known =
      known(of: line, cells) + knownOfShortestPath(line, cells) + left(to: line, cells).dropLast()
      + [line.isShortestPath ? 1 : 0, log1p(heads.atEnd), log1p(heads.nearest[1])]
      + knownOfTip(tip, tips: tips, starts: starts)
    line.odds = lines.networks.initialLine(line.known)[0]
  }

  /// Returns what is known of the tip of an initial arrow or marker, in the order of the weights: the distance of the nearest
  /// tip of another arrow, in usual radii, and the cosine between both; the distance of the nearest start of one; and
  /// whether other arrows lead to its state.
  func knownOfTip(
    _ tip: PageArrowSearch.End, tips: [PageArrowSearch.End], starts: [PageArrowSearch.End]
  ) -> [Double] {
    func apart(_ end: PageArrowSearch.End) -> Double {
      min(2, end.place.distance(to: tip.place) / lines.scale)
    }
    let nearest = tips.min { apart($0) < apart($1) }
    return [
      nearest.map(apart) ?? 2, nearest.map { $0.way.dot(tip.way) } ?? 0,
      starts.map(apart).min() ?? 2, tips.isEmpty ? 0 : 1,
    ]
  }

  /// Returns what the heads of a line say of its direction, in the order of the weights.
  static func values(of heads: PageHeads) -> [Double] {
    let sizes = [heads.atStart, heads.atEnd] + heads.outwards + heads.near + heads.nearest
    let shares = [heads.near, heads.nearest, heads.outwards].map {
      ($0[1] - $0[0]) / ($0[1] + $0[0] + 1)
    }
    return sizes.map(log1p) + heads.along + shares
  }

  /// Returns what is known of a line with these cells, whatever is chosen, in the order of the weights.
  private func known(of arrow: PageArrow, _ cells: [Int]) -> [Double] {
    let (isLoop, isInitial) = (arrow.from == arrow.to, arrow.from == nil)
    let length = min(
      isInitial ? PageNumbers.mostInitialLength : PageNumbers.mostLength,
      log(max(1, arrow.path.pathLength) / lines.scale))
    let (level, lowest, writing) = levels(of: cells)
    let (sharpest, turning) = bends(arrow.path)
    let direction = min(4, arrow.direction)
    let start = arrow.from.map {
      ends(at: lines.states[$0], end: arrow.path[0], way: lines.heading(arrow.path.reversed()))
    }
    let tip = arrow.to.map {
      ends(
        at: lines.states[$0], end: arrow.path[arrow.path.count - 1],
        way: lines.heading(arrow.path))
    }
    return [
      min(1.5, arrow.votes), level, lowest, writing, shaft(of: cells), length, sharpest, turning,
      log1p(arrow.headAtStart), log1p(arrow.headAtTip), direction,
      min(arrow.along[0], arrow.along[1]), max(arrow.along[0], arrow.along[1]),
      arrow.isPieced ? 1 : 0,
      start?.meets ?? 0, start?.gap ?? 0, tip?.meets ?? 0, tip?.gap ?? 0,
      isLoop ? 1 : 0, isLoop ? length : 0, isInitial ? 1 : 0, isInitial ? length : 0,
      isInitial ? direction : 0, isInitial ? room(at: arrow) : 0,
    ]
  }

  /// Returns what else is known of a shortest path, in the order of the weights: its longest gap, in usual radii, and how
  /// much of a line goes on where it bends, and at a start without a state.
  private func knownOfShortestPath(_ arrow: PageArrow, _ cells: [Int]) -> [Double] {
    let leftAtBends = leftAtBends(of: arrow.path)
    return [
      min(2, Double(longestGap(in: cells)) / lines.scale), leftAtBends.ahead,
      leftAtBends.back,
      arrow.from == nil
        ? goesOn(from: arrow.path[0], towards: lines.heading(arrow.path.reversed())) : 0,
    ]
  }

  /// Returns how far the start of an initial arrow is from other states than its own, in usual radii, at most three.
  private func room(at arrow: PageArrow) -> Double {
    let distances = lines.states.indices.filter { $0 != arrow.to }
      .map { lines.states[$0].distance(to: arrow.path[0]) / lines.scale }
    return max(0, min(3, distances.min() ?? 3))
  }

  /// Returns how straight an end leads to a state, as a cosine, and how far it is from its ring, in usual radii.
  private func ends(at state: PageState, end: Vector, way: Vector) -> (meets: Double, gap: Double) {
    (state.inwards(from: end).dot(way), max(0, state.distance(to: end)) / lines.scale)
  }

  /// Returns what the chosen arrows leave to a line, in the order of the weights: the shares of its cells that are its
  /// own, and its distance to the nearest one with the same ends.
  private func left(to arrow: PageArrow, _ cells: [Int]) -> [Double] {
    let own = ownShares(of: cells)
    let places = PageArrowSearch.places(arrow.path)
    let apart =
      chosen[[arrow.from, arrow.to], default: []]
      .map { PageArrowSearch.distance($0, places) / lines.scale }.min() ?? 2
    return [own.all, own.ends, own.middle, min(2, apart)]
  }

  /// Returns the mean probability of a line in the cells of a path, the lowest one of eight cells, and the mean one of
  /// writing.
  private func levels(of cells: [Int]) -> (mean: Double, lowest: Double, writing: Double) {
    let levels = cells.map { Double(lines.levels[$0]) }
    let writing = cells.reduce(0) {
      $0 + Double(lines.cells.probability(of: PageNumbers.writing, in: $1))
    }
    let mean = levels.reduce(0, +) / Double(levels.count)
    let span = 8
    guard levels.count > span else { return (mean, mean, writing / Double(cells.count)) }
    var sum = levels[..<span].reduce(0, +)
    var lowest = sum
    for next in span..<levels.count {
      sum += levels[next] - levels[next - span]
      lowest = min(lowest, sum)
    }
    return (mean, lowest / Double(span), writing / Double(cells.count))
  }

  /// Returns the number of cells in the longest part of a path without a line.
  private func longestGap(in cells: [Int]) -> Int {
    var (longest, length) = (0, 0)
    for cell in cells {
      length = lines.levels[cell] > lines.decoding.goingOn ? 0 : length + 1
      longest = max(longest, length)
    }
    return longest
  }

  /// Returns the share of the cells of a path that are a line and no head.
  private func shaft(of cells: [Int]) -> Double {
    let count = cells.count { lines.levels[$0] - lines.head($0) > lines.decoding.goingOn }
    return Double(count) / Double(cells.count)
  }

  /// Returns the sharpest bend of a path and the sum of all, in radians.
  private func bends(_ path: [Vector]) -> (sharpest: Double, sum: Double) {
    let span = 5
    var (sharpest, sum) = (0.0, 0.0)
    var last: Vector?
    for start in stride(from: 0, to: path.count - span, by: 3) {
      let way = (path[start + span] - path[start]).unit
      if let last { sum += abs(atan2(last.cross(way), last.dot(way))) }
      last = way
      if start >= span {
        let before = (path[start] - path[start - span]).unit
        sharpest = max(sharpest, acos(max(-1, min(1, before.dot(way)))))
      }
    }
    return (sharpest, min(12, sum))
  }

  /// Returns how much of a line goes straight on where a path bends, ahead and back: that is another line, or a crossing.
  private func leftAtBends(of path: [Vector]) -> (ahead: Double, back: Double) {
    let span = 5
    var (ahead, back) = (0.0, 0.0)
    for place in stride(from: span, to: path.count - span, by: 2) {
      let before = (path[place] - path[place - span]).unit
      let after = (path[place + span] - path[place]).unit
      guard before.dot(after) < PageNumbers.bend else { continue }
      ahead = max(ahead, goesOn(from: path[place], towards: before))
      back = max(back, goesOn(from: path[place], towards: after * -1))
    }
    return (ahead, back)
  }

  /// Returns how much of a line goes on from a place in a direction, as a probability.
  private func goesOn(from place: Vector, towards way: Vector) -> Double {
    let across = Vector(-way.y, way.x)
    let first = PageNumbers.bendCells + PageNumbers.bendWidth * lines.scale
    let levels = [first, first + 1, first + 2].map { step in
      [-1.0, 0, 1].map { lines.levels[lines.cells.cell(at: place + way * step + across * $0)] }
        .max()!
    }
    return Double(levels.min()!)
  }

  /// Returns the shares of the cells of a path that no chosen arrow has: of all, of those in the third at the end
  /// that has less, and of those in the middle third.
  private func ownShares(of cells: [Int]) -> (all: Double, ends: Double, middle: Double) {
    let seen = cells.filter { lines.levels[$0] > lines.decoding.goingOn }
    func share(_ cells: ArraySlice<Int>) -> Double {
      Double(cells.count { !isTaken[$0] }) / Double(max(1, cells.count))
    }
    let third = seen.count / 3
    return (
      share(seen[...]), min(share(seen.prefix(third)), share(seen.suffix(third))),
      share(seen.dropFirst(third).dropLast(third))
    )
  }
}
