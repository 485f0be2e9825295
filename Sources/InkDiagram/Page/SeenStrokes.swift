import Foundation
import Ink
import InkRecognizer

/// What the network sees in the strokes of a drawing: how likely each is part of a ring, of an arrow, or writing.
struct SeenStrokes {
  private let page: PageReading
  /// The logarithm of the odds that a stroke is of each class of a page, among all that are ink.
  private let odds: [Int: [Double]]
  private let traces: [Trace]

  /// Looks at the strokes with these traces.
  ///
  /// - Precondition: There is a trace.
  init(of traces: [Trace], in drawing: Drawing, with network: PageNetwork, workers: Int) {
    // That of rings and arrows, unless there is much writing.
    let usualSize = traces.map(\.size).sorted()[3 * traces.count / 4]
    let page = PageReading(
      of: traces.map { drawing.strokes[$0.index] }, usualSize: usualSize, with: network,
      workers: workers)
    (self.page, self.traces) = (page, traces)
    let ink = [PageNumbers.ring, PageNumbers.line, PageNumbers.head, PageNumbers.writing]
    // On a page that is too large, strokes are specks, of which the network knows nothing.
    let isSeen = usualSize > page.length(PageNumbers.leastCells)
    odds = Dictionary(
      uniqueKeysWithValues: traces.map { trace in
        var odds = [Double](repeating: 0, count: page.cells.classCount)
        guard isSeen else { return (trace.index, odds) }
        let shares = page.shares(of: trace.points).map { max($0, PageNumbers.leastShare) }
        let total = ink.reduce(0) { $0 + shares[$1] }
        for index in ink { odds[index] = log(shares[index] / (total - shares[index])) }
        return (trace.index, odds)
      })
  }

  // MARK: Rings

  /// Returns the logarithm of the odds that the strokes of a ring are one of a state; `isState` is whether the network
  /// sees a state there.
  func odds(of ring: Ring, isState: Bool) -> Double {
    let sum = ring.strokes.reduce(0) { $0 + odds[$1]![PageNumbers.ring] }
    return min(
      PageNumbers.mostRingOdds,
      PageNumbers.ringOdds * sum / Double(max(1, ring.strokes.count))
        + (isState ? PageNumbers.seenState : 0))
  }

  /// Returns the state that the network sees where a ring is.
  func state(of ring: Ring) -> PageState? {
    func apart(_ state: PageState) -> Double {
      page.place(state.center).distance(to: ring.center)
    }
    return page.states.filter { state in
      apart(state) < PageNumbers.sameState * max(page.length(state.radius), ring.radius)
    }
    .min { apart($0) < apart($1) }
  }

  /// Returns the rings that the network sees and that are not among `rings`, such as boxes and those of many parts.
  func rings(besides rings: [Ring]) -> [Ring] {
    page.states.compactMap { state in
      guard var ring = Ring([state.rim.map(page.place)], strokes: []) else { return nil }
      let isKnown = rings.contains {
        $0.center.distance(to: ring.center) < PageNumbers.knownRing * ring.radius
          && abs(log($0.radius / ring.radius)) < PageNumbers.knownRing
      }
      guard !isKnown else { return nil }
      ring.strokes =
        traces.filter { trace in
          guard odds[trace.index]![PageNumbers.ring] > 0 else { return false }
          let apart = trace.points.reduce(0) { $0 + abs(ring.share(of: $1) - 1) }
          return apart < PageNumbers.besideOutline * Double(trace.points.count)
        }
        .map(\.index)
      return ring.strokes.isEmpty ? nil : ring
    }
  }

  // MARK: Arrows and writing

  /// Returns whether a stroke is likely the head of an arrow.
  func isHead(_ trace: Trace) -> Bool { odds[trace.index]![PageNumbers.head] > 0 }

  /// Returns how unlikely it is that the strokes of an arrow are its line and its heads, and that it leads this way.
  func cost(of arrow: ArrowCandidate) -> Double {
    let heads = arrow.heads.flatMap(\.strokes) + (arrow.isTriangle ? arrow.shaft.strokes : [])
    let line = arrow.isTriangle ? [] : arrow.shaft.strokes
    func odds(of strokes: [Int], _ pageClass: Int) -> Double {
      strokes.reduce(0) { $0 + max(PageNumbers.leastPartOdds, self.odds[$1]![pageClass]) }
    }
    let odds =
      PageNumbers.lineOdds * odds(of: line, PageNumbers.line)
      + PageNumbers.headOdds * odds(of: heads, PageNumbers.head)
    return -odds - PageNumbers.directionOdds * page.direction(of: arrow.shaft.path)
  }

  /// Returns how much less likely a stroke is writing than its size and place say.
  ///
  /// What looks like writing can still be a part of an arrow, such as a scribbled head.
  func writingCost(of trace: Trace) -> Double {
    PageNumbers.writingOdds * max(0, -odds[trace.index]![PageNumbers.writing])
  }
}
