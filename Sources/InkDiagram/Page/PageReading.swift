import Ink
import InkNetwork
import InkRaster
import InkRecognizer

/// What the network sees on a page: its states, and what each cell is.
///
/// The network looks at the page once; if the states are small or large there, it looks once more at the size
/// at which they are as large as most that it learnt from.
struct PageReading {
  /// The states, in cells.
  let states: [PageState]
  /// The lines outside the states; `nil` if there is no state.
  let lines: PageLines?
  /// What the network says.
  let cells: CellAnswers
  /// The size of a cell, in units of the page: pixels of a picture, or canvas points.
  private let cellSize: Double
  /// The place of the corner of the first cell on the page.
  private let origin: Vector

  /// The cells of a page at some size.
  private struct Look {
    let cells: CellAnswers
    let cellSize: Double
    var origin = Vector(0, 0)
  }

  /// Reads a grey picture.
  ///
  /// The answers are the mean of those to the picture and to its mirror image.
  init(of picture: Bitmap, with network: PageRecognizer, workers: Int) {
    let side = Double(max(picture.width, picture.height))
    self.init(with: network, firstSide: PageNumbers.firstSide) { longerSide in
      let recognition = network.recognize(
        picture, longerSide: Int(longerSide), workers: workers)
      let mirrored = network.recognize(
        recognition.picture.mirrored, longerSide: Int(longerSide), workers: workers)
      let seen = Double(max(recognition.picture.width, recognition.picture.height))
      return Look(
        cells: recognition.cells.averaged(
          withMirrored: mirrored.cells, negating: PageNumbers.fieldsAcross),
        cellSize: Double(network.cellSize) * side / seen)
    }
  }

  /// Reads strokes, drawn with a pen as the network knows it.
  ///
  /// Strokes of `usualSize` are drawn large enough where the page is not too large for that.
  ///
  /// - Precondition: There is a point, and all coordinates are finite.
  init(of strokes: [Stroke], usualSize: Double, with network: PageRecognizer, workers: Int) {
    let bounds = Drawing(strokes).bounds!
    let pen = PageRasterizer(penWidth: PageNumbers.penWidth, margin: PageNumbers.margin)
    let wanted = PageNumbers.leastStroke * bounds.longerSide / max(usualSize, 1e-6)
    let firstSide = min(max(PageNumbers.firstInkSide, wanted), PageNumbers.sides.upperBound)
    self.init(with: network, firstSide: firstSide) { longerSide in
      // A dot has no extent.
      let scale = longerSide / max(bounds.longerSide, 1e-6)
      let picture = pen.render(strokes, in: bounds, scale: scale)
      let recognition = network.recognize(
        picture, longerSide: max(picture.width, picture.height), workers: workers)
      return Look(
        cells: recognition.cells, cellSize: Double(network.cellSize) / scale,
        origin: Vector(bounds.minX, bounds.minY) - Vector(1, 1) * (pen.margin / scale))
    }
  }

  private init(
    with network: PageRecognizer, firstSide: Double, look: (_ longerSide: Double) -> Look
  ) {
    var seen = look(firstSide)
    var states = PageStateSearch.states(in: seen.cells)
    if let radius = states.map(\.radius).median().map({ $0 * Double(network.cellSize) }),
      !PageNumbers.goodRadius.contains(radius)
    {
      let good = PageNumbers.goodRadius
      let wanted = radius < good.lowerBound ? good.lowerBound : good.upperBound
      let side = min(
        max(firstSide * wanted / radius, PageNumbers.sides.lowerBound),
        PageNumbers.sides.upperBound)
      if side != firstSide {
        seen = look(side)
        states = PageStateSearch.states(in: seen.cells)
      }
    }
    self.states = states
    (cells, cellSize, origin) = (seen.cells, seen.cellSize, seen.origin)
    lines = states.isEmpty ? nil : PageLines(cells, states: states)
  }

  /// States and the arrows between them.
  typealias Automaton = (states: [PageState], arrows: [PageArrow])

  /// The states and the arrows between them, as the cells alone show them.
  ///
  /// Beside states with arrows, rings without are left out if they are smaller or larger than the others, or not whole:
  /// letters, holes and numbers of exercises.
  func automaton() -> Automaton {
    guard let lines else { return ([], []) }
    var arrows = PageArrowSearch(lines).arrows()
    let tied = Set(arrows.filter(\.hasLine).flatMap { [$0.from, $0.to] }.compactMap(\.self))
    let kept = states.indices.filter {
      let size = states[$0].radius / lines.scale
      return tied.contains($0)
        || (tied.count < 2
          ? size > PageNumbers.letterSize
          : PageNumbers.loneSize.contains(size) && states[$0].support > PageNumbers.loneSupport)
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
  func place(_ cell: Vector) -> Vector { origin + cell * cellSize }

  /// Returns where a place on the page is in cells.
  func cell(_ place: Vector) -> Vector { (place - origin) * (1 / cellSize) }

  /// Returns a length in cells on the page.
  func length(_ cells: Double) -> Double { cells * cellSize }

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
    lines?.direction(of: line.map(cell)) ?? 0
  }
}
