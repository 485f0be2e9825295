import Ink
import InkNetwork
import InkRaster

/// The writing in a picture: marks, that is, connected groups of the cells in which the network sees writing.
///
/// A mark is a letter, a part of one, or several that touch.
struct PageWriting {
  /// The marks, in the drawing; the index of each is its position.
  let marks: [Trace]
  /// The strokes that were traced in each mark.
  let strokes: [[Int]]
  private let picture: any DiagramPicture
  /// The places of the cells of each mark, and of all other ink, in the drawing.
  let cells: [[Vector]]
  private let otherInk: [Vector]
  /// The side of a cell in the drawing.
  let cellSize: Double

  /// Finds where the marks of a page are in the drawing of a picture.
  ///
  /// - Parameters:
  ///   - groups: The cells of each mark.
  ///   - traces: The traced strokes of writing.
  init(
    _ groups: [[Int]], of page: PageReading, traces: [Trace], in picture: any DiagramPicture
  ) {
    func place(_ cell: Int) -> Vector {
      picture.drawingPlace(ofPixel: page.place(page.cells.place(of: cell)))
    }
    cells = groups.map { $0.map(place) }
    marks = cells.enumerated().map { Trace(ofCells: $1, index: $0) }
    otherInk = page.cells.classes.indices.filter { cell in
      ![PageNumbers.nothing, PageNumbers.writing].contains(Int(page.cells.classes[cell]))
    }.map(place)
    let (corner, beside) = (page.place(Vector(0, 0)), page.place(Vector(1, 0)))
    cellSize = picture.drawingPlace(ofPixel: corner).distance(
      to: picture.drawingPlace(ofPixel: beside))
    self.picture = picture
    var markOfCell: [Int: Int] = [:]
    for (number, group) in groups.enumerated() {
      for cell in group { markOfCell[cell] = number }
    }
    var strokes = [[Int]](repeating: [], count: groups.count)
    for trace in traces {
      var counts: [Int: Int] = [:]
      for point in trace.points {
        let cell = page.cells.cell(at: page.cell(picture.pixel(at: point)))
        if let mark = markOfCell[cell] { counts[mark, default: 0] += 1 }
      }
      if let mark = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key {
        strokes[mark].append(trace.index)
      }
    }
    self.strokes = strokes
  }

  /// Returns the traced strokes of a line of marks.
  func strokes(of line: TextLine) -> [Int] { line.strokes.flatMap { strokes[$0] }.sorted() }

  /// Returns the pixels of a line of marks, and of nothing else; `nil` if there is no ink.
  ///
  /// - Parameter angle: How far they are turned clockwise, in radians.
  func strip(of line: TextLine, turnedBy angle: Double) -> Bitmap? {
    let own = Set(line.strokes)
    let reach = line.low.distance(to: line.high) / 2 + PageNumbers.nearCells * cellSize
    let across = Vector(angle: line.slope + .pi / 2, length: 1)
    func isNear(_ place: Vector) -> Bool { place.distance(to: line.center) < reach }
    func isInside(_ place: Vector) -> Bool { line.band?.contains(place.dot(across)) ?? true }
    let ownCells = line.strokes.flatMap { cells[$0] }
    let others = cells.indices.filter { !own.contains($0) }.flatMap { cells[$0].filter(isNear) }
    return picture.strip(
      ofCells: ownCells.filter(isInside),
      besides: others + ownCells.filter { !isInside($0) } + otherInk.filter(isNear),
      cellSize: cellSize, turnedBy: angle)
  }
}

extension PageReading {
  /// The cells of each mark: a connected group of cells of writing, from the first cell.
  var marks: [[Int]] {
    cells.groups(
      of: cells.classes.map { Int($0) == PageNumbers.writing }, neighbors: cells.surroundings
    )
    .filter { $0.count >= PageNumbers.leastMark }
  }
}

extension Trace {
  /// Creates what stands for a mark, with the places of its cells, in any order.
  fileprivate init(ofCells cells: [Vector], index: Int) {
    let step = max(1, cells.count / Self.pointCount)
    let points = stride(from: 0, to: cells.count, by: step).map { cells[$0] }
    let (low, high) = cells.corners
    self.init(index: index, points: points, length: points.pathLength, low: low, high: high)
  }
}
