import Ink
import InkNetwork
import InkRaster

/// A page whose states and arrows are known, as the network sees it: for fitting ``PageDecoding``.
package struct PageExample: Sendable {
  /// A state, in pixels of the picture.
  package struct State: Sendable {
    var center: Vector
    var half: Vector
    var isFinal: Bool

    package init(center: Vector, half: Vector, isFinal: Bool) {
      (self.center, self.half, self.isFinal) = (center, half, isFinal)
    }
  }

  /// An arrow between states, by their numbers; an initial one starts at none.
  package struct Arrow: Hashable, Sendable {
    var from: Int?
    var to: Int

    package init(from: Int?, to: Int) { (self.from, self.to) = (from, to) }
  }

  private let look: PageReading.Look
  private let states: [State]
  private let arrows: Set<Arrow>

  /// Looks at a picture, at the size that the numbers of the network choose.
  package init(
    _ picture: Bitmap, states: [State], arrows: Set<Arrow>, with network: PageNetwork, workers: Int
  ) {
    // The others would take three times the memory.
    look = PageReading(of: picture, with: network, workers: workers).look
    (self.states, self.arrows) = (states, arrows)
  }

  /// Returns how many states, final states and arrows are missed, or found where there are none.
  ///
  /// One look at the page counts, not what several looks agree on.
  package func mistakes(with decoding: PageDecoding) -> Int {
    let reading = look.reading(decoding: decoding)
    let seen = reading.seenAutomaton()
    var found: [Int: Int] = [:]
    for (number, state) in seen.states.enumerated() {
      let center = reading.place(state.center)
      func apart(_ known: Int) -> Double {
        center.distance(to: states[known].center, inAxes: states[known].half)
      }
      let nearest = states.indices.filter { !found.values.contains($0) }.min {
        apart($0) < apart($1)
      }
      if let nearest, apart(nearest) < PageNumbers.samePlace { found[number] = nearest }
    }
    let final = found.count { (seen.states[$0].finalOdds > 0) != states[$1].isFinal }
    // What leads to a state that is none differs from all known arrows.
    func known(_ state: Int) -> Int { found[state] ?? -1 - state }
    var seenArrows: Set<Arrow> = []
    for arrow in seen.arrows {
      let (from, to) = (arrow.from.map(known), known(arrow.to!))
      seenArrows.insert(Arrow(from: from, to: to))
      if arrow.hasTwoHeads, let from { seenArrows.insert(Arrow(from: to, to: from)) }
    }
    return states.count - found.count + seen.states.count - found.count + final
      + seenArrows.symmetricDifference(arrows).count
  }
}
