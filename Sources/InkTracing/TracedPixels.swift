import Ink
import InkRaster

/// The pixels in which strokes were traced; thin lines in the middle of the ink lose what the ink has in small
/// loops and corners of letters.
struct TracedPixels: Hashable, Sendable {
  /// The contrast of the ink, `[height, width]`.
  let contrast: [UInt8]
  let width: Int
  let height: Int
  /// The width and height of a pixel in pixels of the photograph.
  let scale: Double

  /// The height that a strip has about, in pixels.
  private static let stripHeight = 56.0
  /// The most columns of a strip.
  private static let maximumColumns = 2_000.0
  /// The empty rows and columns around the ink.
  private static let margin = 6.0

  /// Cuts the ink along strokes, and no other, out of the picture.
  ///
  /// - Parameters:
  ///   - own: The strokes, in pixels of the photograph.
  ///   - others: The strokes of other ink.
  ///   - border: How far the ink reaches beside its strokes, in pixels of the photograph.
  ///   - reach: How far from a stroke its ink is looked for, where no other stroke is nearer.
  ///   - angle: How far the ink is turned clockwise in the strip, in radians.
  /// - Returns: A strip with bright ink on black, or `nil` if there is none.
  func strip(
    of own: [Stroke], besides others: [Stroke], border: Double, reach: Double,
    turnedBy angle: Double
  ) -> Bitmap? {
    guard let area = Drawing(own).bounds, reach > 0 else { return nil }
    let near = others.filter { stroke in
      stroke.points.contains {
        abs($0.x - area.center.x) < area.width / 2 + 2 * reach
          && abs($0.y - area.center.y) < area.height / 2 + 2 * reach
      }
    }
    let turned = Transform.rotation(angle).about(area.center)
    let picture = Transform.rotation(-angle).about(area.center)
    let own = Drawing(own).transformed(by: turned)
    let others = Drawing(near).transformed(by: turned)
    let bounds = own.bounds!
    let (left, top) = (bounds.minX - border, bounds.minY - border)
    let (across, down) = (bounds.width + 2 * border, bounds.height + 2 * border)
    let zoom = min(
      max(0.25, min(4, Self.stripHeight / down)), Self.maximumColumns / max(1, across))
    let columns = Int(across * zoom + 2 * Self.margin)
    let rows = Int(down * zoom + 2 * Self.margin)
    // Distances to strokes, in pixels of the strip.
    var mine = DistanceGrid(columns: columns, rows: rows)
    var theirs = mine
    func mark(_ stroke: Stroke, in grid: inout DistanceGrid) {
      grid.mark(
        stroke.points.map {
          Point(($0.x - left) * zoom + Self.margin, ($0.y - top) * zoom + Self.margin)
        })
    }
    for stroke in own.strokes { mark(stroke, in: &mine) }
    for stroke in others.strokes { mark(stroke, in: &theirs) }
    let (toMine, toTheirs) = (mine.distances(), theirs.distances())
    var values = [Double](repeating: 0, count: columns * rows)
    var inked: [Double] = []
    for row in 0..<rows {
      for column in 0..<columns {
        let index = row * columns + column
        guard toMine[index] <= reach * zoom, toMine[index] <= toTheirs[index] else { continue }
        let place = picture.apply(
          to: Point(
            (Double(column) + 0.5 - Self.margin) / zoom + left,
            (Double(row) + 0.5 - Self.margin) / zoom + top))
        let value = sample(place.x / scale - 0.5, place.y / scale - 0.5)
        values[index] = value
        if toMine[index] < 1 { inked.append(value) }
      }
    }
    inked.sort()
    guard !inked.isEmpty, inked[inked.count / 2] > 0 else { return nil }
    let factor = 255 / inked[inked.count * 3 / 4]
    return Bitmap(
      width: columns, height: rows, pixels: values.map { UInt8(max(0, min(255, $0 * factor))) })
  }

  /// Returns the contrast at a place between the middles of pixels.
  private func sample(_ x: Double, _ y: Double) -> Double {
    guard x >= 0, y >= 0, x < Double(width - 1), y < Double(height - 1) else { return 0 }
    let (column, row) = (Int(x), Int(y))
    let (right, lower) = (x - Double(column), y - Double(row))
    let index = row * width + column
    let above = Double(contrast[index]) * (1 - right) + Double(contrast[index + 1]) * right
    let below =
      Double(contrast[index + width]) * (1 - right) + Double(contrast[index + width + 1]) * right
    return above * (1 - lower) + below * lower
  }
}

/// The distance of each cell to marked ones.
private struct DistanceGrid {
  let columns: Int
  let rows: Int
  private var values: [Float]

  init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    values = [Float](repeating: .infinity, count: columns * rows)
  }

  /// Marks the cells along a line.
  mutating func mark(_ points: [Point]) {
    for (a, b) in zip(points, points.dropFirst() + points.suffix(1)) {
      let steps = max(1, Int(a.distance(to: b).rounded(.up)))
      for step in 0...steps {
        let share = Double(step) / Double(steps)
        let (x, y) = (Int(a.x + share * (b.x - a.x)), Int(a.y + share * (b.y - a.y)))
        if x >= 0, x < columns, y >= 0, y < rows { values[y * columns + x] = 0 }
      }
    }
  }

  /// Returns the distances, in cells, by two passes with the weights 1 and √2 (Borgefors, 1986).
  func distances() -> [Double] {
    var values = values
    let diagonal = Float(2).squareRoot()
    func relax(_ index: Int, _ other: Int, _ step: Float) {
      values[index] = min(values[index], values[other] + step)
    }
    for row in 0..<rows {
      for column in 0..<columns {
        let index = row * columns + column
        if column > 0 { relax(index, index - 1, 1) }
        guard row > 0 else { continue }
        relax(index, index - columns, 1)
        if column > 0 { relax(index, index - columns - 1, diagonal) }
        if column < columns - 1 { relax(index, index - columns + 1, diagonal) }
      }
    }
    for row in (0..<rows).reversed() {
      for column in (0..<columns).reversed() {
        let index = row * columns + column
        if column < columns - 1 { relax(index, index + 1, 1) }
        guard row < rows - 1 else { continue }
        relax(index, index + columns, 1)
        if column < columns - 1 { relax(index, index + columns + 1, diagonal) }
        if column > 0 { relax(index, index + columns - 1, diagonal) }
      }
    }
    return values.map(Double.init)
  }
}
