import Ink

/// The parts of a line of writing: strokes, or the connected ink of a picture.
protocol LineShape {
  /// Calls `body` with the position and the amount of each small piece of ink.
  func forEachPiece(_ body: (_ x: Double, _ y: Double, _ amount: Double) -> Void)
  /// The width of the pen, or 0 for ink without width.
  var penWidth: Double { get }
  /// Returns the parts after the line is levelled by `slope`, with `y - slope * x` for y.
  func parts(slope: Double) -> [LinePart]
}

/// The box of one part of a line, for the centre line of the pen.
struct LinePart {
  var minX: Double
  var maxX: Double
  var minY: Double
  var maxY: Double
  /// The length of the line that the pen drew.
  var length: Double
  /// The part of the length that goes up or down.
  var rise: Double
}

/// The strokes of a line.
struct StrokeShape: LineShape {
  let penWidth = 0.0
  private let strokes: [[(x: Double, y: Double)]]

  init(_ strokes: [[(x: Double, y: Double)]]) {
    self.strokes = strokes.filter { !$0.isEmpty }
  }

  func forEachPiece(_ body: (_ x: Double, _ y: Double, _ amount: Double) -> Void) {
    for points in strokes {
      for (a, b) in zip(points, points.dropFirst()) {
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        body((a.x + b.x) / 2, (a.y + b.y) / 2, (dx * dx + dy * dy).squareRoot())
      }
    }
  }

  func parts(slope: Double) -> [LinePart] {
    strokes.map { points in
      var previous = (x: points[0].x, y: points[0].y - slope * points[0].x)
      var part = LinePart(
        minX: previous.x, maxX: previous.x, minY: previous.y, maxY: previous.y, length: 0, rise: 0)
      for point in points.dropFirst() {
        let next = (x: point.x, y: point.y - slope * point.x)
        let (dx, dy) = (next.x - previous.x, next.y - previous.y)
        part.minX = min(part.minX, next.x)
        part.maxX = max(part.maxX, next.x)
        part.minY = min(part.minY, next.y)
        part.maxY = max(part.maxY, next.y)
        part.length += (dx * dx + dy * dy).squareRoot()
        part.rise += abs(dy)
        previous = next
      }
      return part
    }
  }
}

/// The map from a line of writing to the rows and columns of its picture.
///
/// y is levelled by `y - slope * x`. Inside a band around most of the ink, one scale applies to x
/// and y, but for the stretch of x. Above and below the band, y is squeezed. The band covers nearly all lines as a whole.
struct LineFrame {
  /// The number of columns of the picture.
  let columns: Int
  /// The slope that is taken out, in y per x.
  let slope: Double
  /// How far the rows below the middle one lie to the left, in columns per row.
  let slant: Double
  private let band: ClosedRange<Double>
  private let scale: Double
  private let stretch: Double
  private let centerX: Double
  private let centerLevel: Double
  private let middleRow: Double

  /// The height of the band, in sizes of the parts with most of the ink.
  private static let reach = 3.0
  /// The scale above and below the band.
  private static let squeeze = 0.15
  /// The widest pen on the picture, in widths of the rasteriser's pen.
  private static let widestPen = 4.0
  /// The longest gap without ink that does not change the scale, in heights of the line.
  private static let longestGap = 8.0
  /// How far a view lets the end of a line rise above its beginning, at most, in heights of the line: a long line would
  /// become small.
  private static let maximumRise = 0.3

  /// Finds the frame of `shape`, which has at least one part, in `view`.
  ///
  /// - Throws: `RasterError.tooLong` if the picture would be wider than allowed.
  init(_ shape: some LineShape, rasterizer: LineRasterizer, view: LineView) throws(RasterError) {
    var slope = Self.slope(of: shape)
    if view.slope != 0 {
      let level = LineExtent(shape.parts(slope: slope))
      let steepest = level.width > 0 ? Self.maximumRise * level.height / level.width : 0
      slope += min(steepest, max(-steepest, view.slope))
    }
    self.slope = slope
    let parts = shape.parts(slope: slope)
    let extent = LineExtent(parts)

    let usualSize = weightedMedian(
      parts.map { (max($0.maxX - $0.minX, $0.maxY - $0.minY), $0.length) })
    let body = max(usualSize ?? extent.height, extent.height / 12)
    var band = -Double.infinity...Double.infinity
    if extent.height > Self.reach * body {
      // The band holds the middle of the ink, and has no end where it reaches the end of the ink.
      let middle =
        weightedMedian(parts.map { (($0.minY + $0.maxY) / 2, $0.length) })
        ?? (extent.minY + extent.maxY) / 2
      let half = Self.reach / 2 * body
      if middle - half <= extent.minY {
        band = -.infinity...extent.minY + 2 * half
      } else if middle + half >= extent.maxY {
        band = extent.maxY - 2 * half ... .infinity
      } else {
        band = middle - half...middle + half
      }
    }
    self.band = band

    let top = Self.level(extent.minY, band: band)
    let bottom = Self.level(extent.maxY, band: band)
    let room = Double(rasterizer.height) - 2 * rasterizer.margin - rasterizer.penWidth
    // Dashes and dots have hardly any height; their width, gaps or pen takes its place.
    let size = max(
      bottom - top, extent.covered - extent.rise,
      extent.longestGap / Self.longestGap,
      shape.penWidth * room / (Self.widestPen * rasterizer.penWidth))
    let scale = size > 0 ? room / size : 0
    // An extent that is too small to divide by counts as 0.
    self.scale = scale.isFinite ? scale : 0
    stretch = rasterizer.stretch * view.stretch
    slant = rasterizer.stretch * view.slant
    let width =
      extent.width * self.scale * stretch + abs(slant) * Double(rasterizer.height)
      + 2 * rasterizer.margin + rasterizer.penWidth
    let needed = width.rounded(.up)
    guard needed <= Double(rasterizer.maxWidth) else {
      throw .tooLong(columns: Int(min(needed, 1e15)), limit: rasterizer.maxWidth)
    }
    columns = max(rasterizer.minWidth, Int(needed))
    centerX = (extent.minX + extent.maxX) / 2
    centerLevel = (top + bottom) / 2
    middleRow = Double(rasterizer.height) / 2
  }

  /// The width of a column on the line; 0 for a line without extent.
  var unitsPerColumn: Double { scale > 0 ? 1 / (scale * stretch) : 0 }

  /// The height of a row on the line; 0 for a line without extent.
  var unitsPerRow: Double { scale > 0 ? 1 / scale : 0 }

  /// The position on the picture.
  func place(_ x: Double, _ y: Double) -> (column: Double, row: Double) {
    let row = (Self.level(y - slope * x, band: band) - centerLevel) * scale + middleRow
    return ((x - centerX) * scale * stretch + Double(columns) / 2 - shift(row: row), row)
  }

  /// The x coordinate of a horizontal position on the picture, in the middle row.
  func x(column: Double) -> Double { centerX + (column - Double(columns) / 2) * unitsPerColumn }

  /// How far a row lies to the left of where it would without slant, in columns.
  func shift(row: Double) -> Double { slant * (row - middleRow) }

  /// The y coordinate, at x 0, of a vertical position on the picture.
  func levelledY(row: Double) -> Double {
    let level = centerLevel + (row - middleRow) * unitsPerRow
    let inside = min(max(level, band.lowerBound), band.upperBound)
    return inside + (level - inside) / Self.squeeze
  }

  private static func level(_ y: Double, band: ClosedRange<Double>) -> Double {
    let inside = min(max(y, band.lowerBound), band.upperBound)
    return inside + (y - inside) * squeeze
  }

  /// Estimates the slope of the line, in y per x; 0 for a short line or one without ups and downs.
  ///
  /// It is the median of the slopes between the means of the ink in 12 columns (Theil, 1950; Sen,
  /// 1968). A subscript or a long tail at one end hardly changes it. It is reduced for lines that are
  /// short for their height, where it says nothing, and for steep ones.
  private static func slope(of shape: some LineShape) -> Double {
    let extent = LineExtent(shape.parts(slope: 0))
    guard extent.width > extent.height / 2, extent.width > 0 else { return 0 }
    let count = 12
    var columns = [(x: Double, y: Double, amount: Double)](repeating: (0, 0, 0), count: count)
    shape.forEachPiece { x, y, amount in
      let share = (x - extent.minX) / extent.width
      let index = min(count - 1, max(0, Int(share * Double(count))))
      columns[index].x += amount * x
      columns[index].y += amount * y
      columns[index].amount += amount
    }
    let means = columns.filter { $0.amount > 0 }
      .map { (x: $0.x / $0.amount, y: $0.y / $0.amount, amount: $0.amount) }
    var slopes: [(value: Double, weight: Double)] = []
    for (index, a) in means.enumerated() {
      for b in means[(index + 1)...] where b.x > a.x {
        slopes.append(((b.y - a.y) / (b.x - a.x), a.amount * b.amount * (b.x - a.x)))
      }
    }
    guard let slope = weightedMedian(slopes), slope != 0 else { return 0 }
    let level = LineExtent(shape.parts(slope: slope))
    let length = ramp(level.width, from: 2.5 * level.height, to: 5 * level.height)
    let liveliness = ramp(level.rise, from: 0.5 * level.covered, to: level.covered)
    let steepness = 1 - ramp(abs(slope), from: 0.6, to: 0.9)
    return slope * length * liveliness * steepness
  }

  /// 0 up to `start`, 1 from `end` on, and linear between them.
  private static func ramp(_ value: Double, from start: Double, to end: Double) -> Double {
    guard end > start else { return value > start ? 1 : 0 }
    return min(1, max(0, (value - start) / (end - start)))
  }
}

/// The extent of a whole line.
private struct LineExtent {
  var minX: Double
  var maxX: Double
  var minY: Double
  var maxY: Double
  /// The width without the gaps between the parts.
  var covered = 0.0
  /// The widest gap between the parts.
  var longestGap = 0.0
  /// The length of ink that goes up or down.
  var rise = 0.0

  var width: Double { maxX - minX }
  var height: Double { maxY - minY }

  init(_ parts: [LinePart]) {
    (minX, maxX, minY, maxY) = (parts[0].minX, parts[0].maxX, parts[0].minY, parts[0].maxY)
    for part in parts {
      minX = min(minX, part.minX)
      maxX = max(maxX, part.maxX)
      minY = min(minY, part.minY)
      maxY = max(maxY, part.maxY)
      rise += part.rise
    }
    var end = minX
    for part in parts.sorted(by: { $0.minX < $1.minX }) where part.maxX > end {
      covered += part.maxX - max(end, part.minX)
      longestGap = max(longestGap, part.minX - end)
      end = part.maxX
    }
  }
}
