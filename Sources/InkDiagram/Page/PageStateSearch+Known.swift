import Ink
import InkNetwork

extension PageStateSearch {
  /// Returns the states that a person knows, in cells: as the network sees them, or as circles where it sees no ring.
  ///
  /// The missed one is the last.
  ///
  /// - Parameter found: The states that the network sees.
  static func states(
    in cells: CellAnswers, found: [PageState], known: KnownStates, decoding: PageDecoding
  ) -> [PageState] {
    let search = PageStateSearch(cells, decoding: decoding)
    var seen = found
    let usual = seen.map(\.radius).median() ?? PageNumbers.goodRadius.lowerBound
    let states = known.states.map { known in
      func apart(_ state: PageState) -> Double {
        state.center.distance(to: known.center) / known.radius
      }
      if let nearest = seen.indices.min(by: { apart(seen[$0]) < apart(seen[$1]) }),
        apart(seen[nearest]) < PageNumbers.samePlace
      {
        return seen.remove(at: nearest)
      }
      let half = Vector(known.radius, known.radius)
      let outlined = search.state(center: known.center, half: half, final: 0)
      if let outlined, outlined.support >= decoding.leastSupport { return outlined }
      return PageState(circleAt: known.center, radius: known.radius)
    }
    let radius = states.map(\.radius).median() ?? usual
    let missed = search.state(around: known.missed, seen: seen, besides: states, usual: radius)
    return states + [missed ?? PageState(circleAt: known.missed, radius: radius)]
  }

  /// Returns the state around a place that is none of the others; `nil` if the network sees no ring there.
  ///
  /// The ring can be too faint, too open or too small to be taken for a state without a person's word.
  ///
  /// - Parameters:
  ///   - seen: States that the network sees.
  ///   - usual: The usual radius of states on the page.
  private func state(
    around place: Vector, seen: [PageState], besides others: [PageState], usual: Double
  ) -> PageState? {
    func isNew(_ state: PageState) -> Bool {
      state.distance(to: place) < 0
        && others.allSatisfy {
          max(state.share(in: $0), $0.share(in: state)) < decoding.mostOverlap
        }
    }
    if let seen = seen.first(where: isNew) { return seen }
    var center = place
    var half = Vector(usual, usual)
    // From the middle of the ring, all of it can be seen.
    for _ in 0..<3 {
      let hits = firstRing(from: center, reach: PageNumbers.markedReach * usual)
      guard
        Double(hits.count) >= PageNumbers.markedSupport * Double(PageState.directions),
        let middle = hits.map({ $0.distance(to: center) }).median()
      else { return nil }
      let near = hits.filter { $0.distance(to: center) < PageNumbers.markedShape * middle }
      let (low, high) = near.corners
      center = low.middle(to: high)
      half = (high - low) * 0.5
      guard min(half.x, half.y) > 1 else { return nil }
    }
    guard let state = state(center: center, half: half, final: 0),
      state.support >= PageNumbers.markedSupport, isNew(state)
    else { return nil }
    return state
  }

  /// Returns the nearest place of a ring in each direction in which there is one.
  private func firstRing(from center: Vector, reach: Double) -> [Vector] {
    (0..<PageState.directions).compactMap { number in
      let way = PageState.direction(number)
      return stride(from: 1, through: reach, by: 0.5).lazy.map { center + way * $0 }
        .first { ring($0) > decoding.outlineRing }
    }
  }
}

extension PageState {
  /// A circle that the network does not see.
  fileprivate init(circleAt center: Vector, radius: Double) {
    self.init(
      center: center, half: Vector(radius, radius),
      outline: [Double](repeating: radius, count: PageState.directions), support: 1, finalOdds: 0)
  }
}
