import Foundation
import Ink
import InkNetwork

/// Finds the states of a page: cells of rings vote for a centre and half axes.
struct PageStateSearch {
  /// What a cell of a ring says about its state.
  private struct Vote {
    var x, y, halfWidth, halfHeight: Float
    var probability, final: Float
    /// The votes of a whole ring add up to about 1, whatever its size.
    var weight: Float
    var isUsed = false
  }

  let cells: CellAnswers
  let decoding: PageDecoding
  private var votes: [Vote] = []
  /// The sums of the unused votes in squares of 5 × 5 cells around each cell.
  private var sums: [Float]
  /// Whether a cell is on the outline of a state.
  private var isOutline: [Bool]
  /// How many steps across or down a cell is from a part of a ring, a line or a head, up to a limit.
  private let stepsToDrawn: [Int]

  init(_ cells: CellAnswers, decoding: PageDecoding) {
    (self.cells, self.decoding) = (cells, decoding)
    let count = cells.rows * cells.columns
    sums = [Float](repeating: 0, count: count)
    isOutline = [Bool](repeating: false, count: count)
    // Arrows may hide a part of a ring.
    stepsToDrawn = cells.steps(
      to: (0..<count).map { cell in
        [PageNumbers.ring, PageNumbers.line, PageNumbers.head].reduce(0) {
          $0 + cells.probability(of: $1, in: cell)
        } > decoding.outlineRing
      }, limit: PageNumbers.mostClosing + 2)
    let unit = PageNumbers.unit
    for cell in 0..<count {
      let probability = cells.probability(of: PageNumbers.ring, in: cell)
      guard probability > decoding.votingRing else { continue }
      func field(_ number: Int) -> Float { cells.field(number, of: cell) }
      func length(_ number: Int) -> Float { unit * exp(max(-3, min(3, field(number)))) }
      let x = Float(cell % cells.columns) + 0.5 + unit * field(PageNumbers.centerX)
      let y = Float(cell / cells.columns) + 0.5 + unit * field(PageNumbers.centerY)
      guard x >= 0, y >= 0, x < Float(cells.columns), y < Float(cells.rows) else { continue }
      let (width, height) = (length(PageNumbers.halfWidth), length(PageNumbers.halfHeight))
      let around = 2 * .pi * ((width * width + height * height) / 2).squareRoot() + 1
      votes.append(
        Vote(
          x: x, y: y, halfWidth: width, halfHeight: height, probability: probability,
          final: field(PageNumbers.final), weight: probability / around))
    }
    for vote in votes { add(vote, sign: 1) }
  }

  /// Returns the states of a page.
  static func states(in cells: CellAnswers, decoding: PageDecoding) -> [PageState] {
    var search = PageStateSearch(cells, decoding: decoding)
    var states: [PageState] = []
    for _ in 0..<PageNumbers.mostCenters {
      guard let center = search.mostVoted else { break }
      func isNew(_ state: PageState) -> Bool {
        states.allSatisfy { other in
          other.distanceInAxes(to: state.center) >= decoding.nearestOther
            && state.distanceInAxes(to: other.center) >= decoding.nearestSmaller
            && max(state.share(in: other), other.share(in: state)) < decoding.mostOverlap
        }
      }
      guard let (voted, final) = search.takeState(at: center), isNew(voted) else { continue }
      let whole = search.enclosed(voted, final: final)
      let state = isNew(whole) ? whole : voted
      if search.ownShare(of: state) > decoding.ownRing {
        states.append(state)
        cells.mark(
          state.rim,
          reach: max(
            decoding.outlineCells, (decoding.outlineWidth * state.radius).rounded()),
          in: &search.isOutline)
      }
    }
    return states
  }

  /// Returns the share of a ring that is on the outline of no other state; 0 if it is not seen.
  ///
  /// What is left where two states touch, or where an arrow bows around one, is no third one.
  private func ownShare(of state: PageState) -> Double {
    let seen = state.rim.filter { ring($0) > decoding.outlineRing }
    let own = seen.count { !isOutline[cells.cell(at: $0)] }
    return Double(own) / Double(max(1, seen.count))
  }

  /// Changes the sums of the 5 × 5 cells around one.
  private mutating func changeSums(around cell: Int, _ change: (inout Float) -> Void) {
    let (column, row) = (cell % cells.columns, cell / cells.columns)
    for y in max(0, row - 2)...min(cells.rows - 1, row + 2) {
      for x in max(0, column - 2)...min(cells.columns - 1, column + 2) {
        change(&sums[y * cells.columns + x])
      }
    }
  }

  private mutating func add(_ vote: Vote, sign: Float) {
    let cell = Int(vote.y) * cells.columns + Int(vote.x)
    changeSums(around: cell) { $0 += sign * vote.weight }
  }

  private mutating func use(_ numbers: [Int]) {
    for number in numbers {
      votes[number].isUsed = true
      add(votes[number], sign: -1)
    }
  }

  /// The cell with the most unused votes, or `nil` if they are too few for a state.
  private var mostVoted: Int? {
    sums.indices.max { sums[$0] < sums[$1] }.flatMap {
      sums[$0] > decoding.leastVotes ? $0 : nil
    }
  }

  /// Takes the votes for a centre, and returns the state that they agree on, if they do, and the fields' answer whether it
  /// is final.
  private mutating func takeState(at center: Int) -> (state: PageState, final: Double)? {
    let (column, row) = (Float(center % cells.columns), Float(center / cells.columns))
    let near = votes.indices.filter { number in
      let vote = votes[number]
      guard !vote.isUsed else { return false }
      let reach = decoding.voteReach
      let across = (vote.x - column) / max(reach * vote.halfWidth, decoding.leastReach)
      let down = (vote.y - row) / max(reach * vote.halfHeight, decoding.leastReach)
      return across * across + down * down < 1
    }
    guard near.count >= PageNumbers.fewestVotes else {
      use(near)
      // Votes of this place that are not near it count for no other one.
      changeSums(around: center) { $0 = 0 }
      return nil
    }
    func median(_ numbers: [Int], _ value: KeyPath<Vote, Float>) -> Double {
      numbers.map { Double(votes[$0][keyPath: value]) }.median()!
    }
    func middle(_ value: KeyPath<Vote, Float>) -> Double {
      weightedMedian(near.map { (Double(votes[$0][keyPath: value]), Double(votes[$0].weight)) })!
    }
    /// The votes near the centre that have about these half axes.
    func alike(_ width: Double, _ height: Double) -> [Int] {
      near.filter {
        abs(log(Double(votes[$0].halfWidth) / width)) < decoding.likeSize
          && abs(log(Double(votes[$0].halfHeight) / height)) < decoding.likeSize
      }
    }
    // A long bow has more cells than a small ring, but covers a smaller share of its own ring.
    var like = alike(middle(\.halfWidth), middle(\.halfHeight))
    if !like.isEmpty { like = alike(median(like, \.halfWidth), median(like, \.halfHeight)) }
    use(near)
    guard like.count >= PageNumbers.fewestVotes else { return nil }
    let total = like.reduce(0) { $0 + votes[$1].probability }
    let final = like.reduce(0) { $0 + votes[$1].probability * votes[$1].final } / total
    let state = state(
      center: Vector(median(like, \.x), median(like, \.y)),
      half: Vector(median(like, \.halfWidth), median(like, \.halfHeight)), final: Double(final))
    return state.flatMap {
      $0.support < decoding.leastSupport ? nil : ($0, Double(final))
    }
  }

  /// Returns a state as large as what its ring encloses, or as the ring that is seen, if that is larger than what the votes
  /// say.
  ///
  /// Votes know little of the ends of long ovals and boxes. The ring may have gaps.
  private func enclosed(_ state: PageState, final: Double) -> PageState {
    let closings = (0...PageNumbers.mostClosing).lazy
    let inside = closings.compactMap { self.boundsOfEnclosed(by: state, closing: $0) }.first
    guard let (low, high) = inside ?? boundsOfRing(of: state) else { return state }
    let enclosed = (high - low) * 0.5
    guard
      enclosed.x > PageNumbers.enclosedMore * state.half.x
        || enclosed.y > PageNumbers.enclosedMore * state.half.y
    else { return state }
    guard var whole = self.state(center: low.middle(to: high), half: enclosed, final: final),
      // What encloses nothing may be the rings of several states.
      inside == nil ? whole.support > state.support : whole.support >= state.support
    else { return state }
    // The inner one of two rings may enclose it, and its outline is round at sharp ends.
    let rim = whole.rim.corners
    whole.half = Vector(
      max(enclosed.x, (rim.high.x - rim.low.x) / 2), max(enclosed.y, (rim.high.y - rim.low.y) / 2))
    return whole
  }

  /// Returns the corners of the rectangle around the ring on which the rim of a state is seen, without the outlines of other
  /// states; `nil` if none is seen, or it leads far away.
  private func boundsOfRing(of state: PageState) -> (low: Vector, high: Vector)? {
    func isRing(_ cell: Int) -> Bool {
      cells.probability(of: PageNumbers.ring, in: cell) > decoding.outlineRing && !isOutline[cell]
    }
    let reach = state.half * PageNumbers.enclosedReach
    let span = -PageNumbers.ringStep...PageNumbers.ringStep
    return bounds(
      from: state.rim.map(cells.cell(at:)), by: span.flatMap { y in span.map { ($0, y) } },
      through: isRing
    ) { place in
      let off = place - state.center
      return abs(off.x) < reach.x && abs(off.y) < reach.y
    }
  }

  /// Returns the corners of the rectangle around the cells that are enclosed with the centre of a state, as far as what
  /// encloses them; `nil` if it is open.
  ///
  /// - Parameter closing: Cells up to so many steps more from what is drawn count as drawn.
  private func boundsOfEnclosed(
    by state: PageState, closing: Int
  ) -> (low: Vector, high: Vector)? {
    let reach = state.half * PageNumbers.enclosedReach
    let (least, most) = (state.center - reach, state.center + reach)
    let found = bounds(
      from: [cells.cell(at: state.center)], by: [(-1, 0), (1, 0), (0, -1), (0, 1)],
      through: { stepsToDrawn[$0] > 1 + closing }
    ) { place in
      place.x > max(1, least.x) && place.x < min(Double(cells.columns) - 1, most.x)
        && place.y > max(1, least.y) && place.y < min(Double(cells.rows) - 1, most.y)
    }
    guard let (low, high) = found else { return nil }
    let beside = PageNumbers.besideEnclosed + Double(closing)
    return (low - Vector(beside, beside), high + Vector(beside, beside))
  }

  /// Returns the corners of the rectangle around the places of cells that are reached from some; `nil` if none is open, or
  /// one is not inside.
  ///
  /// - Parameters:
  ///   - steps: The cells next to one: how far across and down.
  ///   - isOpen: Whether cells can be reached.
  private func bounds(
    from first: [Int], by steps: [(x: Int, y: Int)], through isOpen: (_ cell: Int) -> Bool,
    isInside: (_ place: Vector) -> Bool
  ) -> (low: Vector, high: Vector)? {
    var next = first.filter(isOpen)
    var isSeen = [Bool](repeating: false, count: stepsToDrawn.count)
    for cell in next { isSeen[cell] = true }
    var bounds: (low: Vector, high: Vector)?
    while let cell = next.popLast() {
      let place = cells.place(of: cell)
      guard isInside(place) else { return nil }
      let (low, high) = bounds ?? (place, place)
      bounds = (
        Vector(min(low.x, place.x), min(low.y, place.y)),
        Vector(max(high.x, place.x), max(high.y, place.y))
      )
      let (column, row) = (cell % cells.columns, cell / cells.columns)
      for step in steps {
        let (x, y) = (column + step.x, row + step.y)
        guard x >= 0, y >= 0, x < cells.columns, y < cells.rows else { continue }
        let near = y * cells.columns + x
        guard !isSeen[near], isOpen(near) else { continue }
        isSeen[near] = true
        next.append(near)
      }
    }
    return bounds
  }

  /// Returns the probability of a ring at a place.
  func ring(_ place: Vector) -> Float {
    guard place.x >= 0, place.y >= 0, place.x < Double(cells.columns),
      place.y < Double(cells.rows)
    else { return 0 }
    return cells.probability(
      of: PageNumbers.ring, in: Int(place.y) * cells.columns + Int(place.x))
  }

  /// Returns a state with its outline: the outermost crest of the ring in each direction.
  func state(center: Vector, half: Vector, final: Double) -> PageState? {
    let shares = PageNumbers.ringShares
    let seen: [Double?] = (0..<PageState.directions).map { number in
      let way = PageState.direction(number)
      let radius = 1 / Vector(way.x / half.x, way.y / half.y).length
      let step = min(0.03 * radius, 0.8)
      var crest: (level: Float, distance: Double)?
      for distance in stride(
        from: shares.upperBound * radius, through: shares.lowerBound * radius, by: -step)
      {
        let level = ring(center + way * distance)
        if level > decoding.outlineRing {
          if level > crest?.level ?? 0 { crest = (level, distance) }
        } else if crest != nil {
          break
        }
      }
      return crest?.distance
    }
    let seenCount = seen.count { $0 != nil }
    guard seenCount > 0 else { return nil }
    /// The nearest direction on one side in which the ring is seen: the steps to it, and the radius.
    func nearest(to number: Int, side: Int) -> (steps: Double, radius: Double) {
      (1...seen.count).lazy.compactMap { steps in
        seen[(number + side * steps + seen.count) % seen.count].map { (Double(steps), $0) }
      }.first!
    }
    let raw = seen.indices.map { number -> Double in
      if let radius = seen[number] { return radius }
      // Between those on both sides.
      let (before, after) = (nearest(to: number, side: -1), nearest(to: number, side: 1))
      return (before.radius * after.steps + after.radius * before.steps)
        / (before.steps + after.steps)
    }
    // The median of five directions leaves out what touches the ring.
    let outline = raw.indices.map { number in
      (-2...2).map { raw[(number + $0 + raw.count) % raw.count] }.median()!
    }
    let inner = innerRing(center: center, outline: outline)
    return PageState(
      center: center, half: half, outline: outline,
      support: Double(seenCount) / Double(seen.count),
      finalOdds: decoding.finalField * final + decoding.finalRing * inner
        + decoding.finalOffset)
  }

  /// Returns the share of directions in which there is a second ring inside an outline.
  private func innerRing(center: Vector, outline: [Double]) -> Double {
    let count = outline.enumerated().count { number, radius in
      let way = PageState.direction(number)
      var isInside = false
      for distance in stride(
        from: radius, through: decoding.innermost * radius, by: -max(0.4, radius / 60))
      {
        let level = ring(center + way * distance)
        if !isInside {
          isInside = level < decoding.outlineRing
        } else if level > decoding.votingRing {
          return true
        }
      }
      return false
    }
    return Double(count) / Double(outline.count)
  }
}
