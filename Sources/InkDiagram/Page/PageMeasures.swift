import Ink
import InkRaster
import InkRecognizer

/// What the search for arrows knows of a page: the measures that its networks judge (``PageArrowNetworks``), for fitting
/// them.
package struct PageMeasures: Encodable, Sendable {
  /// A line or a head that may be an arrow.
  package struct Line: Encodable, Sendable {
    /// The states at its ends; absent where there is none.
    let from, to: Int?
    /// Whether it was chosen; absent for what may mark initial states.
    let isChosen: Bool?
    /// Whether it is a shortest path between ends of lines (``PageShortestPaths``).
    let isShortestPath: Bool
    /// The measures.
    let values: [Double]
    /// Places along it, in pixels.
    let path: [[Double]]
  }

  /// The name of the picture.
  let picture: String
  /// The centre and the half axes of each state, in pixels.
  let states: [[Double]]
  /// The lines that may be arrows, the chosen ones first, in their order.
  let lines: [Line]
  /// The chosen ones, with the measures of their heads.
  let heads: [Line]
  /// What may mark initial states: lines, and heads without a line.
  let initialLines, initialHeads: [Line]
  /// The automaton of each state: the first state that chosen arrows connect with it.
  let automata: [Int]

  /// Measures the lines of a picture, as ``DiagramRecognizer`` does.
  package init(of picture: Bitmap, named name: String, with network: PageNetwork, workers: Int) {
    let page = PageReading(of: picture, with: network, workers: workers)
    self.picture = name
    states = page.states.map { state in
      let center = page.place(state.center)
      return [center.x, center.y, page.length(state.half.x), page.length(state.half.y)]
        .map(Self.rounded)
    }
    func line(_ arrow: PageArrow, isChosen: Bool?, _ values: [Double]) -> Line {
      let places = stride(from: 0, to: arrow.path.count, by: 3).map { arrow.path[$0] }
      let path = (places + arrow.path.suffix(1)).map(page.place)
      return Line(
        from: arrow.from, to: arrow.to, isChosen: isChosen, isShortestPath: arrow.isShortestPath,
        values: values.map(Self.rounded),
        path: path.map { [Self.rounded($0.x), Self.rounded($0.y)] })
    }
    guard let known = page.lines.map(PageArrowSearch.init)?.measures() else {
      (lines, heads, initialLines, initialHeads, automata) = ([], [], [], [], [])
      return
    }
    lines = known.lines.enumerated().map { number, arrow in
      line(arrow, isChosen: number < known.heads.count, arrow.known + arrow.left)
    }
    heads = known.heads.filter { $0.arrow.from != nil }
      .map { line($0.arrow, isChosen: true, PageArrowOdds.values(of: $0.heads)) }
    initialLines = known.markers.filter(\.hasLine).map { line($0, isChosen: nil, $0.known) }
    initialHeads = known.markers.filter { !$0.hasLine }.map { line($0, isChosen: nil, $0.known) }
    automata = known.automata
  }

  /// Returns a measure as it is written.
  static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
