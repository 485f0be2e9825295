import Ink
import InkNetwork
import InkRaster
import InkRecognizer
import ParallelLoops

/// What the network sees on a page: its states, and what each cell is.
///
/// The network looks at the page; if the states are small or large there, it looks again at the size at which they are
/// as large as most that it learnt from. At a picture, it looks in other ways as well, and what most looks show is its
/// automaton (``PageConsensus``).
struct PageReading: Sendable {
  /// The states, in cells.
  let states: [PageState]
  /// The lines outside the states; `nil` if there is no state.
  let lines: PageLines?
  /// The look that was chosen, without the others that vote with it.
  let look: Look
  /// Whether a person said where the states are.
  private let isKnown: Bool
  private let toCells: Transform
  /// Looks at the same page in other ways.
  private let lookAgain: @Sendable () -> [Look]
  private let decoding: PageDecoding
  private let loop: ParallelLoop

  /// The cells of a page at some size.
  struct Look: Sendable {
    fileprivate let cells: CellAnswers
    /// The map from its cells to the page: to pixels of a picture, or to the canvas.
    fileprivate let toPage: Transform
    /// The networks that judge its lines.
    fileprivate let networks: PageArrowNetworks

    /// Returns what these cells alone show.
    func reading(decoding: PageDecoding) -> PageReading {
      PageReading(
        self, states: PageStateSearch.states(in: cells, decoding: decoding), decoding: decoding)
    }
  }

  /// What the network says.
  var cells: CellAnswers { look.cells }

  /// Reads a grey picture.
  ///
  /// The answers are the mean of those to the picture and to its mirror image; both, and the same of a smaller picture,
  /// vote on the automaton.
  ///
  /// - Parameters:
  ///   - quarters: The quarter turns clockwise after which the picture is upright, as the network knows pages.
  ///   - known: The states, in pixels, if a person said where they are.
  init(
    of picture: Bitmap, quarters: Int = 0, known: KnownStates? = nil, with network: PageNetwork,
    workers: Int
  ) {
    let recognizer = network.recognizer
    let (middle, side) = (
      Point(Double(picture.width) / 2, Double(picture.height) / 2),
      Double(max(picture.width, picture.height))
    )
    let picture = picture.brightened.turned(byQuarters: quarters)
    // Around the middle, which is in another place of a picture that is turned.
    let back = Transform.translation(
      x: -Double(picture.width) / 2, y: -Double(picture.height) / 2
    )
    .then(.rotation(-Double(quarters) * .pi / 2)).then(.translation(x: middle.x, y: middle.y))
    /// The mean, and what it is the mean of.
    @Sendable func looks(_ longerSide: Double) -> [Look] {
      let recognition = recognizer.recognize(
        picture, longerSide: Int(longerSide), workers: workers)
      let mirrored = recognizer.recognize(
        recognition.picture.mirrored, longerSide: Int(longerSide), workers: workers
      ).cells.mirrored(negating: PageNumbers.fieldsAcross)
      let own = recognition.cells
      let seen = Double(max(recognition.picture.width, recognition.picture.height))
      return [own.averaged(with: mirrored), own, mirrored].map {
        let cellSize = Double(recognizer.cellSize) * side / seen
        return Look(
          cells: $0, toPage: .scale(x: cellSize, y: cellSize).then(back), networks: network.arrows)
      }
    }
    self.init(
      with: network, firstSide: PageNumbers.firstSide, known: known, workers: workers,
      look: looks
    ) { longerSide in
      looks(longerSide * PageNumbers.smallerLook)
    }
  }

  /// Reads strokes, drawn with a pen as the network knows it.
  ///
  /// Strokes of `usualSize` are drawn large enough where the page is not too large for that.
  ///
  /// - Precondition: There is a point, and all coordinates are finite.
  init(of strokes: [Stroke], usualSize: Double, with network: PageNetwork, workers: Int) {
    let recognizer = network.recognizer
    let bounds = Drawing(strokes).bounds!
    let pen = PageRasterizer(penWidth: PageNumbers.penWidth, margin: PageNumbers.margin)
    let wanted = PageNumbers.leastStroke * bounds.longerSide / max(usualSize, 1e-6)
    let firstSide = min(max(PageNumbers.firstInkSide, wanted), PageNumbers.sides.upperBound)
    self.init(with: network, firstSide: firstSide, workers: workers) { longerSide in
      // A dot has no extent.
      let scale = longerSide / max(bounds.longerSide, 1e-6)
      let picture = pen.render(strokes, in: bounds, scale: scale)
      let recognition = recognizer.recognize(
        picture, longerSide: max(picture.width, picture.height), workers: workers)
      let (cellSize, margin) = (Double(recognizer.cellSize) / scale, pen.margin / scale)
      return [
        Look(
          cells: recognition.cells,
          toPage: .scale(x: cellSize, y: cellSize).then(
            .translation(x: bounds.minX - margin, y: bounds.minY - margin)),
          networks: network.arrows)
      ]
    }
  }

  /// - Parameters:
  ///   - look: Looks at the page at some size; the first answers count, and the others vote with them.
  ///   - lookAgain: More looks that vote.
  private init(
    with network: PageNetwork, firstSide: Double, known: KnownStates? = nil, workers: Int,
    look: (_ longerSide: Double) -> [Look],
    lookAgain: @escaping @Sendable (_ longerSide: Double) -> [Look] = { _ in [] }
  ) {
    let (cellSize, decoding) = (Double(network.recognizer.cellSize), network.decoding)
    var side = firstSide
    var looks = look(side)
    var states = PageStateSearch.states(in: looks[0].cells, decoding: decoding)
    if let radius = states.map(\.radius).median().map({ $0 * cellSize }),
      !PageNumbers.goodRadius.contains(radius)
    {
      let good = PageNumbers.goodRadius
      let wanted = radius < good.lowerBound ? good.lowerBound : good.upperBound
      side = min(
        max(firstSide * wanted / radius, PageNumbers.sides.lowerBound),
        PageNumbers.sides.upperBound)
      if side != firstSide {
        looks = look(side)
        states = PageStateSearch.states(in: looks[0].cells, decoding: decoding)
      }
    }
    let seen = looks[0]
    if let known {
      let toCells = seen.toPage.inverse
      states = PageStateSearch.states(
        in: seen.cells, found: states,
        known: known.moved(scale: toCells.scale, by: toCells.apply), decoding: decoding)
    }
    let (others, finalSide) = (Array(looks.dropFirst()), side)
    let isKnown = known != nil
    self.init(seen, states: states, decoding: decoding, isKnown: isKnown, workers: workers) {
      // Where a person said where the states are, nothing is voted on.
      isKnown ? [] : others + lookAgain(finalSide)
    }
  }

  private init(
    _ look: Look, states: [PageState], decoding: PageDecoding, isKnown: Bool = false,
    workers: Int = 1,
    lookAgain: @escaping @Sendable () -> [Look] = { [] }
  ) {
    (self.look, self.states, self.decoding) = (look, states, decoding)
    toCells = look.toPage.inverse
    lines =
      states.isEmpty
      ? nil
      : PageLines(look.cells, states: states, decoding: decoding, networks: look.networks)
    self.isKnown = isKnown
    loop = ParallelLoop(workers: workers)
    self.lookAgain = lookAgain
  }

  /// States and the arrows between them.
  typealias Automaton = (states: [PageState], arrows: [PageArrow])

  /// The states and the arrows between them, as most looks at the page show them.
  func automaton() -> Automaton {
    let looks = lookAgain()
    let automata = loop.map(looks.count + 1) { number, _ in
      guard number > 0 else { return seenAutomaton() }
      let other = looks[number - 1]
      let seen = other.reading(decoding: decoding).seenAutomaton()
      let scale = other.toPage.scale / look.toPage.scale
      return (seen.states.map { $0.scaled(by: scale) }, seen.arrows.map { $0.scaled(by: scale) })
    }
    return PageConsensus(automata).automaton()
  }

  /// The states and the arrows between them, as the cells alone show them.
  ///
  /// Beside states with arrows, rings without are left out if they are smaller or larger than the others, or not whole:
  /// letters, holes and numbers of exercises.
  func seenAutomaton() -> Automaton {
    guard let lines else { return ([], []) }
    var arrows = PageArrowSearch(lines: lines).arrows()
    let tied = Set(arrows.filter(\.hasLine).flatMap { [$0.from, $0.to] }.compactMap(\.self))
    let kept = states.indices.filter {
      let size = states[$0].radius / lines.scale
      return isKnown || tied.contains($0)
        || (tied.count < 2
          ? size > decoding.letterSize
          : PageNumbers.loneSize.contains(size) && states[$0].support > decoding.loneSupport)
    }
    let numbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    // Triangles beside rings that are no states.
    arrows.removeAll { numbers[$0.to!] == nil }
    for index in arrows.indices {
      arrows[index].from = arrows[index].from.map { numbers[$0]! }
      arrows[index].to = arrows[index].to.map { numbers[$0]! }
    }
    return (kept.map { states[$0] }, arrows)
  }

  /// Returns where a place in cells is on the page.
  func place(_ cell: Vector) -> Vector { look.toPage.apply(to: cell) }

  /// Returns where a place on the page is in cells.
  func cell(_ place: Vector) -> Vector { toCells.apply(to: place) }

  /// Returns a length in cells on the page.
  func length(_ cells: Double) -> Double { cells * look.toPage.scale }

  /// Returns the mean probability of each class at places on the page.
  func shares(of points: [Vector]) -> [Double] {
    var sums = [Double](repeating: 0, count: cells.classCount)
    for point in points {
      let cell = cells.cell(at: cell(point))
      for index in sums.indices { sums[index] += Double(cells.probability(of: index, in: cell)) }
    }
    return sums.map { $0 / Double(points.count) }
  }

  /// Returns how much the heads say that a line on the page leads from its first to its last point.
  func direction(of line: [Vector]) -> Double {
    lines?.heads(along: line.map(cell).withPlaceForEachCell).direction ?? 0
  }
}

extension Bitmap {
  /// The picture with more light, if even its brightest places are dark: weak contrast looks like noise.
  var brightened: Bitmap {
    var counts = [Int](repeating: 0, count: 256)
    for pixel in pixels { counts[Int(pixel)] += 1 }
    let brightest = counts.value(atRank: pixels.count - 1 - pixels.count / 100)
    guard let brightest, brightest > 0, brightest < PageNumbers.dark else { return self }
    let factor = Double(PageNumbers.bright) / Double(brightest)
    return Bitmap(
      width: width, height: height,
      pixels: pixels.map { UInt8(min(255, (Double($0) * factor).rounded())) })
  }
}
