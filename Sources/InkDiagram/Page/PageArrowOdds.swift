import Foundation
import Ink

/// How likely lines of a page are arrows: the logarithm of the odds is a weighted sum of what is known of each, and of
/// what those chosen before leave to it (logistic regression).
struct PageArrowOdds {
  private let lines: PageLines
  /// Places along the chosen arrows, by their ends.
  private var chosen: [Set<Int?>: [[Vector]]] = [:]
  /// Whether a cell is part of a chosen arrow.
  private(set) var isTaken: [Bool]

  init(_ lines: PageLines) {
    self.lines = lines
    isTaken = [Bool](repeating: false, count: lines.levels.count)
  }

  /// Chooses an arrow: its cells are its own.
  mutating func choose(_ arrow: PageArrow) {
    chosen[[arrow.from, arrow.to], default: []].append(
      PageArrowSearch.places(arrow.path))
    lines.cells.mark(
      arrow.path, reach: max(1, (PageNumbers.takenWidth * lines.scale).rounded(.down)),
      in: &isTaken)
  }

  /// Returns the logarithm of the odds that a line is an arrow besides the chosen ones; one that is nearly theirs is
  /// none.
  func odds(of arrow: PageArrow) -> Double {
    let own = ownShares(arrow.path)
    guard own.all > PageNumbers.leastOwn else { return -.infinity }
    let weights = PageNumbers.ArrowWeights.self
    let (isLoop, isInitial) = (arrow.from == arrow.to, arrow.from == nil)
    let length = log(max(1, arrow.path.pathLength) / lines.scale)
    let (level, writing) = means(arrow.path)
    let (sharpest, turning) = bends(arrow.path)
    let places = PageArrowSearch.places(arrow.path)
    let apart =
      chosen[[arrow.from, arrow.to], default: []]
      .map { PageArrowSearch.distance($0, places) / lines.scale }.min() ?? 2
    var odds =
      weights.offset + weights.votes * min(1.5, arrow.votes) + weights.level * level
      + weights.length * length + weights.sharpest * sharpest + weights.turning * turning
      + weights.headAtStart * log1p(arrow.headAtStart) + weights.headAtTip * log1p(arrow.headAtTip)
      + weights.direction * min(4, arrow.direction) + weights.writing * writing
      + weights.own * own.all + weights.ownEnds * own.ends + weights.ownMiddle * own.middle
      + weights.apart * min(2, apart)
    if arrow.hasTwoHeads { odds += weights.twoHeads }
    if let from = arrow.from {
      let inwards = (lines.states[from].center - arrow.path[0]).unit
      odds += weights.startMeets * inwards.dot(lines.heading(arrow.path.reversed()))
    }
    if let to = arrow.to {
      let tip = arrow.path[arrow.path.count - 1]
      let state = lines.states[to]
      odds += weights.tipMeets * (state.center - tip).unit.dot(lines.heading(arrow.path))
      odds += weights.tipGap * max(0, state.distance(to: tip)) / lines.scale
    }
    if isLoop { odds += weights.loop + weights.loopLength * length }
    if isInitial {
      odds +=
        weights.initial + weights.initialLength * length
        + weights.initialDirection * min(4, arrow.direction)
    }
    return odds
  }

  /// Returns the mean probabilities of a line and of writing along a path.
  private func means(_ path: [Vector]) -> (level: Double, writing: Double) {
    var (level, writing) = (0.0, 0.0)
    for place in path {
      let cell = lines.cells.cell(at: place)
      level += Double(lines.levels[cell])
      writing += Double(lines.cells.probability(of: PageNumbers.writing, in: cell))
    }
    return (level / Double(path.count), writing / Double(path.count))
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

  /// Returns the shares of the cells of a path that no chosen arrow has: of all, of those in the third at the end
  /// that has less, and of those in the middle third.
  private func ownShares(_ path: [Vector]) -> (all: Double, ends: Double, middle: Double) {
    let seen = path.map { lines.cells.cell(at: $0) }.filter {
      lines.levels[$0] > PageNumbers.goingOn
    }
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
