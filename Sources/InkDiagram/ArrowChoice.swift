import Ink

/// Chooses the arrows of a drawing among all that it may have.
struct ArrowChoice {
  let found: [ArrowCandidate]
  /// The strokes that are no rings of states.
  let traces: [Trace]
  let states: [StateCandidate]
  /// The usual radius of a state.
  let scale: Double

  /// The cost of each initial arrow after the first one, and of none.
  private static let initialCountCost = 3.0
  /// The number of arrows that are tried as the initial one.
  private static let maximumInitial = 4
  /// The cost of writing beside an initial arrow.
  private static let labelled = 1.5
  /// The cost of an arrow parallel to a better one: people write several symbols beside one arrow.
  private static let parallel = 5.0

  /// Returns the arrows that save most; one of them marks the initial state.
  func arrows() -> [ArrowCandidate] {
    func chosen(_ savings: [Double]) -> [Int] {
      Packing(
        candidates: zip(found, savings).map { .init(strokes: $0.strokes, saving: $1) }
      ).chosen()
    }
    var savings = found.map(\.saving)
    var first = chosen(savings)
    let parallels = parallels(to: first, savings)
    if !parallels.isEmpty {
      for index in parallels { savings[index] -= Self.parallel }
      first = chosen(savings)
    }
    let initial = first.filter { found[$0].isInitial }
    guard initial.count != 1 else { return first.map { found[$0] } }
    guard initial.isEmpty else {
      // Each of them in turn is the initial arrow, and the best drawing counts.
      let likely = initial.sorted { savings[$0] > savings[$1] }.prefix(Self.maximumInitial)
      let choices = likely.map { only in
        var changed = savings
        for index in found.indices where found[index].isInitial && index != only {
          changed[index] -= Self.initialCountCost
        }
        let choice = chosen(changed)
        return (choice: choice, saving: choice.reduce(0) { $0 + changed[$1] })
      }
      return choices.max { $0.saving < $1.saving }!.choice.map { found[$0] }
    }
    var owner: [Int: Int] = [:]
    for index in first { for stroke in found[index].strokes { owner[stroke] = index } }
    // What is lost by choosing an initial arrow instead of others.
    let labels = traces.filter { owner[$0.index] == nil && $0.size > 0.2 * scale }
    func gain(_ index: Int) -> Double {
      let others = Set(found[index].strokes.compactMap { owner[$0] })
      let lost = others.reduce(0) { $0 + savings[$1] }
      return savings[index] - lost - (hasLabel(found[index], labels) ? Self.labelled : 0)
    }
    guard
      let best = found.indices.filter({ found[$0].isInitial })
        .max(by: { gain($0) < gain($1) })
    else { return first.map { found[$0] } }
    savings[best] += Self.initialCountCost - (hasLabel(found[best], labels) ? Self.labelled : 0)
    return chosen(savings).map { found[$0] }
  }

  /// Returns the arrows with the ends of a chosen arrow and none of its strokes; none if no two of the
  /// chosen arrows have the same ends.
  private func parallels(to chosen: [Int], _ savings: [Double]) -> [Int] {
    let between = chosen.filter { found[$0].ends != nil }
    let best = Dictionary(between.map { (found[$0].ends!, $0) }) { one, other in
      savings[one] >= savings[other] ? one : other
    }
    guard best.count < between.count else { return [] }
    return found.indices.filter { index in
      guard let other = found[index].ends.flatMap({ best[$0] }) else { return false }
      return Set(found[index].strokes).isDisjoint(with: found[other].strokes)
    }
  }

  /// Whether there is writing near the middle or the start of an arrow.
  private func hasLabel(_ arrow: ArrowCandidate, _ labels: [Trace]) -> Bool {
    // It can be where the line goes on.
    let path = arrow.shaft.path
    let places = [path[path.count / 2], path[0]]
    return labels.contains { trace in
      !arrow.strokes.contains(trace.index)
        && places.contains { trace.center.distance(to: $0) < 0.81 * scale }
        && !states.contains { $0.ring.share(of: trace.center) < 1 }
    }
  }
}
