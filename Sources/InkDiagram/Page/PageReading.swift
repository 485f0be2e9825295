import Ink
import InkNetwork
import InkRaster
import InkRecognizer

/// The states and arrows that the network sees in a picture of a page.
///
/// The network looks at the picture once; if the states are small or large there, it looks once more at the size
/// at which they are as large as most that it learnt from.
struct PageReading {
  /// The states, in cells.
  private(set) var states: [PageState] = []
  /// The arrows, in cells.
  private(set) var arrows: [PageArrow] = []
  /// What the network says.
  let cells: CellAnswers
  /// The size of a cell, in pixels of the picture.
  let cellSize: Double

  /// Reads a grey picture.
  init(of picture: Bitmap, with network: PageRecognizer, workers: Int) {
    let side = Double(max(picture.width, picture.height))
    func look(at longerSide: Double) -> (cells: CellAnswers, cellSize: Double) {
      let recognition = network.recognize(
        picture, longerSide: Int(longerSide), workers: workers)
      let seen = Double(max(recognition.picture.width, recognition.picture.height))
      return (recognition.cells, Double(network.cellSize) * side / seen)
    }
    var longerSide = Double(PageNumbers.firstSide)
    var (cells, cellSize) = look(at: longerSide)
    states = PageStateSearch.states(in: cells)
    if let radius = states.map(\.radius).median().map({ $0 * Double(network.cellSize) }),
      !PageNumbers.goodRadius.contains(radius)
    {
      let good = PageNumbers.goodRadius
      let wanted = radius < good.lowerBound ? good.lowerBound : good.upperBound
      longerSide = min(
        max(longerSide * wanted / radius, PageNumbers.sides.lowerBound),
        PageNumbers.sides.upperBound)
      (cells, cellSize) = look(at: longerSide)
      states = PageStateSearch.states(in: cells)
    }
    (self.cells, self.cellSize) = (cells, cellSize)
    guard !states.isEmpty else { return }
    arrows = PageArrowSearch(PageLines(cells, states: states)).arrows()
    leaveOutLetters()
  }

  /// Leaves out rings that are much smaller than the others and have no arrows: letters and holes.
  private mutating func leaveOutLetters() {
    let usual = states.map(\.radius).median()!
    let tied = Set(arrows.flatMap { [$0.from, $0.to] }.compactMap(\.self))
    let kept = states.indices.filter {
      tied.contains($0) || states[$0].radius > PageNumbers.letterSize * usual
    }
    let numbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    states = kept.map { states[$0] }
    for index in arrows.indices {
      arrows[index].from = arrows[index].from.map { numbers[$0]! }
      arrows[index].to = arrows[index].to.map { numbers[$0]! }
    }
  }

  /// Returns a place of the picture, in its pixels.
  func place(_ place: Vector) -> Vector { place * cellSize }

  /// Returns the class that most of a line has, given in pixels of the picture.
  func pageClass(of points: [Vector]) -> Int {
    var sums = [Double](repeating: 0, count: cells.classCount)
    for point in points {
      let cell = cells.cell(at: Vector(point.x / cellSize, point.y / cellSize))
      for index in sums.indices { sums[index] += Double(cells.probability(of: index, in: cell)) }
    }
    return sums.indices.max { sums[$0] < sums[$1] }!
  }
}
