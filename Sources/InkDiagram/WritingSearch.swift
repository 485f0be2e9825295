import Ink

/// Tells writing from shapes among the strokes that are no part of an automaton.
///
/// It knows nothing of automata, so that it also works for flow charts and lists.
struct WritingSearch {
  let traces: [Trace]
  private let seen: SeenStrokes
  /// The usual height of a letter.
  private let height: Double

  /// The size of the largest letters, as a share of the usual height.
  private static let largest = 2.3
  /// The cost up to which a small stroke at the end of a line is its head, and the lower one for a
  /// stroke beside others of its size, as letters are.
  private static let headCost = 1.2
  private static let headCostInLine = 0.3

  init(traces: [Trace], states: [StateCandidate], seen: SeenStrokes) {
    (self.traces, self.seen) = (traces, seen)
    let sizes = traces.map(\.size).filter { $0 > 0 }
    // Dots and commas are less than half as high as letters, and shapes are few.
    let middle = sizes.median() ?? 0
    let usual = sizes.filter { $0 > 0.5 * middle && $0 < 3 * middle }.median() ?? middle
    if let radius = states.map(\.ring.radius).median() {
      // Few strokes say little; letters are at most as high as the radius of a state.
      height = min(1.1 * radius, max(0.5 * radius, usual))
    } else {
      height = usual
    }
  }

  /// Returns the strokes that are writing.
  func writing() -> [Trace] {
    let large = traces.map(isShape)
    let heads = heads(large)
    return zip(traces, large).compactMap { trace, isLarge in
      isLarge || heads.contains(trace.index) ? nil : trace
    }
  }

  /// Whether a stroke is too large for a letter and no joined word.
  private func isShape(_ trace: Trace) -> Bool {
    let most = Self.largest * height
    guard trace.size > most else { return false }
    // A word goes up and down many times.
    let isWord =
      trace.height < most && trace.length > 2 * trace.width
      && trace.points.turning(smoothing: 4).absolute > 3 * .pi
    return !isWord
  }

  /// Returns the small strokes that are the heads of large ones.
  private func heads(_ large: [Bool]) -> Set<Int> {
    let small = traces.indices.filter { !large[$0] }.map { traces[$0] }
    guard height > 0, !small.isEmpty, small.count < traces.count else { return [] }
    let grid = Grid(side: 2 * height, of: small, at: \.points)
    let search = HeadSearch(traces: small, grid: grid, scale: 2 * height, seen: seen)
    var found: Set<Int> = []
    for (number, trace) in traces.enumerated() where large[number] {
      let shaft = Shaft(trace)
      for line in [shaft, shaft.reversed] where !line.headAtEnd {
        guard
          let head = search.heads(at: line).first(where: { head in
            head.cost
              < (head.strokes.allSatisfy { isInLine($0, small, grid) }
                ? Self.headCostInLine : Self.headCost)
          })
        else { continue }
        found.formUnion(head.strokes)
      }
    }
    return found
  }

  /// Whether there are strokes of the same size beside a stroke.
  private func isInLine(_ stroke: Int, _ small: [Trace], _ grid: Grid) -> Bool {
    guard let trace = small.first(where: { $0.index == stroke }) else { return false }
    return grid.items(near: trace.center, reach: 1.5 * height).contains { number in
      let other = small[number]
      let across = max(trace.low.x, other.low.x) - min(trace.high.x, other.high.x)
      let down = max(trace.low.y, other.low.y) - min(trace.high.y, other.high.y)
      return other.index != stroke && other.height > 0.6 * height && across < 0.7 * height
        && across > -0.3 * height && down < -0.4 * min(trace.height, other.height)
    }
  }
}
