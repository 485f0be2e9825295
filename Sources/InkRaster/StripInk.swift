import DisjointSets
import Ink

/// The ink of a line of writing on a strip that was cut from a picture.
package struct StripInk: LineShape {
  /// The number of columns of the strip, after a large one is made smaller.
  let width: Int
  /// The number of rows of the strip, after a large one is made smaller.
  let height: Int
  /// The width and height of a cell in pixels of the original strip.
  let pixelsPerCell: Double

  /// The share of ink in each cell, `[height, width]`, from 0 to 1.
  private var values: [Float]
  /// Ink without a gap in one column, from left to right.
  private var runs: [Run] = []
  /// The number of connected parts.
  private var partCount = 0
  /// The width of the pen, in cells.
  private(set) var penWidth = 1.0

  private struct Run {
    var column: Int
    var rows: Range<Int>
    var part: Int
    /// The number of sides to the left and right that touch no ink.
    var openSides = 0
  }

  /// Strips that are higher are made smaller first.
  private static let maximumRows = 192

  /// Finds the ink of `strip`, or returns `nil` if there is no writing.
  package init?(_ strip: Bitmap) {
    let factor = max(1, (strip.height + Self.maximumRows - 1) / Self.maximumRows)
    pixelsPerCell = Double(factor)
    width = strip.width / factor
    height = strip.height / factor
    guard width > 0, height > 0 else { return nil }
    let grey = Self.shrunk(strip, by: factor, width: width, height: height)
    let bright = Self.withBrightInk(grey, width: width, height: height)
    guard let values = Self.evened(bright, width: width, height: height) else { return nil }
    self.values = values
    findParts()
    removePaperLines()
    guard partCount > 0 else { return nil }
    removeDirt()
    guard partCount > 0 else { return nil }
  }

  // MARK: Grey values

  private static func shrunk(_ strip: Bitmap, by factor: Int, width: Int, height: Int) -> [Float] {
    if factor == 1 { return strip.pixels.map(Float.init) }
    var result = [Float](repeating: 0, count: width * height)
    for row in 0..<height * factor {
      for column in 0..<width * factor {
        result[row / factor * width + column / factor] += Float(strip[row, column])
      }
    }
    let area = Float(factor * factor)
    return result.map { $0 / area }
  }

  /// Returns the picture with ink brighter than its surroundings.
  ///
  /// Most ink covers less than the background, so the differences from the mean of the surroundings
  /// are skewed towards the ink. Where it covers as much, the ends of the strip are mostly background.
  private static func withBrightInk(_ grey: [Float], width: Int, height: Int) -> [Float] {
    let radius = max(8, height / 2)
    let sums = SummedTable(grey, width: width, height: height)
    var (squares, cubes) = (0.0, 0.0)
    var ends: [Float] = []
    for row in 0..<height {
      for column in 0..<width {
        let value = grey[row * width + column]
        let mean = sums.mean(
          rows: max(0, row - radius)..<min(height, row + radius + 1),
          columns: max(0, column - radius)..<min(width, column + radius + 1))
        let difference = Double(value) - mean
        squares += difference * difference
        cubes += difference * difference * difference
        if column == 0 || column == width - 1 { ends.append(value) }
      }
    }
    let deviation = (squares / Double(grey.count)).squareRoot()
    guard deviation > 0 else { return grey }
    let skew = cubes / Double(grey.count) / (deviation * deviation * deviation)
    ends.sort()
    let brightness = Double(ends[ends.count / 2]) - sums.mean(rows: 0..<height, columns: 0..<width)
    return skew < brightness / deviation / 2 ? grey.map { 255 - $0 } : grey
  }

  /// Returns the shares of ink of a picture with bright ink, or `nil` if nothing stands out.
  private static func evened(_ grey: [Float], width: Int, height: Int) -> [Float]? {
    let light = Background(grey, width: width, height: height)
    var excess = grey
    light.subtract(from: &excess)
    let noise = noise(of: grey, width: width)
    // What stands out at all is judged by the brightest cells, however few they are. The level of the
    // ink is that of most of it: strokes that cross are brighter.
    let top = minimumOfHighest(min(excess.count, max(4, height / 4)), in: excess)
    guard top >= max(minimumContrast, 5 * noise) else { return nil }
    let least = max(0.35 * top, 3 * noise)
    var inked = excess.filter { $0 >= least }
    let ink = inked.selectSorted(at: inked.count * 3 / 4)
    let low = max(2 * noise, ink / 4)
    let high = max(low + 1, 0.75 * ink)
    return excess.map { min(1, max(0, ($0 - low) / (high - low))) }
  }

  /// The least difference between ink and background, in grey values.
  private static let minimumContrast: Float = 24

  /// Estimates the deviation of the noise from the differences of neighbours in a row, most of which
  /// are not at the edge of ink.
  private static func noise(of grey: [Float], width: Int) -> Float {
    let step = max(1, grey.count >> 14)
    var differences: [Float] = []
    for index in stride(from: 0, to: grey.count - 1, by: step) where (index + 1) % width != 0 {
      differences.append(abs(grey[index + 1] - grey[index]))
    }
    guard !differences.isEmpty else { return 0 }
    // Half of the differences of normal noise are below 0.674 √2 deviations.
    return differences.selectSorted(at: differences.count / 2) / 0.954
  }

  // MARK: Parts

  private func isInk(row: Int, column: Int) -> Bool {
    (0..<width).contains(column) && values[row * width + column] > 0.5
  }

  /// Finds the runs of ink and joins those that touch, also at their corners.
  private mutating func findParts() {
    runs = []
    // The runs of each part.
    var sets = DisjointSets(count: 0)
    var previous = 0..<0
    for column in 0..<width {
      let first = runs.count
      var row = 0
      while row < height {
        guard isInk(row: row, column: column) else {
          row += 1
          continue
        }
        var run = Run(column: column, rows: row..<row, part: 0)
        while row < height, isInk(row: row, column: column) {
          if !isInk(row: row, column: column - 1) { run.openSides += 1 }
          if !isInk(row: row, column: column + 1) { run.openSides += 1 }
          row += 1
        }
        run.rows = run.rows.lowerBound..<row
        sets.append()
        runs.append(run)
      }
      var other = previous.lowerBound
      for index in first..<runs.count {
        let rows = runs[index].rows
        while other < previous.upperBound, runs[other].rows.upperBound < rows.lowerBound {
          other += 1
        }
        var touching = other
        while touching < previous.upperBound, runs[touching].rows.lowerBound <= rows.upperBound {
          sets.join(index, into: touching)
          touching += 1
        }
      }
      previous = first..<runs.count
    }
    var numbers: [Int: Int] = [:]
    for index in runs.indices {
      let root = sets.root(of: index)
      let number = numbers[root] ?? numbers.count
      numbers[root] = number
      runs[index].part = number
    }
    partCount = numbers.count
    let area = runs.reduce(0) { $0 + $1.rows.count }
    let edges = runs.reduce(0) { $0 + $1.openSides + 2 }
    penWidth = edges > 0 ? max(1, Self.edgesPerLength * Double(area) / Double(edges)) : 1
  }

  /// The mean number of cell edges beside a line of length 1, over all angles.
  private static let edgesPerLength = 8 / Double.pi

  /// The widest break of a line of the paper, in cells.
  private static let longestBreak = 6

  /// Removes lines of the paper: thin ink along most of the width, except where writing crosses it.
  private mutating func removePaperLines() {
    guard width > 3 * height else { return }
    let thickest = Int((1.5 * penWidth).rounded(.up))
    let all = self
    for line in all.longLines(thickest: thickest) {
      for run in line.map({ all.runs[$0] }) {
        for row in run.rows { values[row * width + run.column] = 0 }
      }
    }
    findParts()
    // A single long dash is no line of the paper.
    if runs.isEmpty { self = all }
  }

  /// Returns the thin runs, by index, of each line along most of the width.
  private func longLines(thickest: Int) -> [[Int]] {
    var lines: [[Int]] = []
    // The thin runs of each line, the middle of the last one, and the last column with ink.
    var open: [(runs: [Int], middle: Double, column: Int)] = []
    func close(before column: Int) {
      open.removeAll { line in
        guard line.column < column - Self.longestBreak else { return false }
        if Double(line.runs.count) > 0.6 * Double(width) { lines.append(line.runs) }
        return true
      }
    }
    for (index, run) in runs.enumerated() {
      close(before: run.column)
      let middle = Double(run.rows.lowerBound + run.rows.upperBound) / 2
      let isThin = run.rows.count <= thickest
      if isThin, let line = open.firstIndex(where: { abs($0.middle - middle) <= 1 }) {
        open[line].runs.append(index)
        open[line].middle = middle
        open[line].column = run.column
      } else if let line = open.firstIndex(where: { run.rows.contains(Int($0.middle)) }) {
        // Writing crosses the line.
        open[line].column = run.column
      } else if isThin, run.column < width / 4 {
        open.append(([index], middle, run.column))
      }
    }
    close(before: .max)
    return lines
  }

  /// Removes specks, what is left of neighbours above and below, and all grey that is not beside ink.
  private mutating func removeDirt() {
    var areas = [Int](repeating: 0, count: partCount)
    var tops = [Int](repeating: height, count: partCount)
    var bottoms = [Int](repeating: 0, count: partCount)
    for run in runs {
      areas[run.part] += run.rows.count
      tops[run.part] = min(tops[run.part], run.rows.lowerBound)
      bottoms[run.part] = max(bottoms[run.part], run.rows.upperBound)
    }
    let large = (0..<partCount).filter { Double(areas[$0]) >= Double(height * height) / 1000 }
    // A neighbour is cut off at the edge and reaches only a little into the strip.
    let edge = height / 5
    let own = large.filter { part in
      !(tops[part] == 0 && bottoms[part] <= edge)
        && !(bottoms[part] == height && tops[part] >= height - edge)
    }
    let kept = own.isEmpty ? large : own
    let numbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    runs = runs.compactMap { run in
      guard let number = numbers[run.part] else { return nil }
      var run = run
      run.part = number
      return run
    }
    partCount = kept.count
    var isNear = [Bool](repeating: false, count: values.count)
    for run in runs {
      for column in max(0, run.column - 1)...min(width - 1, run.column + 1) {
        for row in max(0, run.rows.lowerBound - 1)..<min(height, run.rows.upperBound + 1) {
          isNear[row * width + column] = true
        }
      }
    }
    for index in values.indices where !isNear[index] { values[index] = 0 }
  }

  func forEachPiece(_ body: (_ x: Double, _ y: Double, _ amount: Double) -> Void) {
    for run in runs {
      body(
        Double(run.column) + 0.5, Double(run.rows.lowerBound + run.rows.upperBound) / 2,
        Double(run.rows.count))
    }
  }

  /// The boxes are smaller than the ink by half the pen, so that they are those of its centre line.
  func parts(slope: Double) -> [LinePart] {
    let none = LinePart(
      minX: .infinity, maxX: -.infinity, minY: .infinity, maxY: -.infinity, length: 0, rise: 0)
    var parts = [LinePart](repeating: none, count: partCount)
    for run in runs {
      let x = Double(run.column)
      let shift = slope * (x + 0.5)
      parts[run.part].minX = min(parts[run.part].minX, x)
      parts[run.part].maxX = max(parts[run.part].maxX, x + 1)
      parts[run.part].minY = min(parts[run.part].minY, Double(run.rows.lowerBound) - shift)
      parts[run.part].maxY = max(parts[run.part].maxY, Double(run.rows.upperBound) - shift)
      parts[run.part].length += Double(run.openSides + 2) / Self.edgesPerLength
      parts[run.part].rise += Double(run.openSides) / 2
    }
    return parts.map { part in
      var part = part
      part.rise = max(0, part.rise - abs(slope) * (part.maxX - part.minX) - penWidth)
      let insetX = min(penWidth, part.maxX - part.minX) / 2
      let insetY = min(penWidth, part.maxY - part.minY) / 2
      part.minX += insetX
      part.maxX -= insetX
      part.minY += insetY
      part.maxY -= insetY
      return part
    }
  }

  /// The connected parts of the ink, from left to right: the rectangle around each, in pixels of the strip.
  ///
  /// Lines of the paper and dirt are no parts.
  package var boundsOfParts: [Bounds] {
    var parts = [(columns: Range<Int>, rows: Range<Int>)](
      repeating: (width..<width, height..<height), count: partCount)
    // The runs are in the order of their columns.
    for run in runs {
      let (columns, rows) = parts[run.part]
      parts[run.part] = (
        min(columns.lowerBound, run.column)..<run.column + 1,
        min(
          rows.lowerBound, run.rows.lowerBound)..<(rows.isEmpty
          ? run.rows.upperBound : max(rows.upperBound, run.rows.upperBound))
      )
    }
    func edge(_ cell: Int) -> Double { Double(cell) * pixelsPerCell }
    return
      parts
      .map { columns, rows in
        Bounds(around: Point(edge(columns.lowerBound), edge(rows.lowerBound)))
          .extended(to: Point(edge(columns.upperBound), edge(rows.upperBound)))
      }
      .sorted { ($0.minX, $0.maxX) < ($1.minX, $1.maxX) }
  }

  // MARK: Picture

  /// Makes ink that a pen outside of `widths`, in cells, drew as wide as one of them.
  mutating func fitPen(to widths: ClosedRange<Double>) {
    if penWidth < widths.lowerBound {
      spread((widths.lowerBound - penWidth) / 2)
    } else if penWidth > widths.upperBound {
      // The background spreads.
      values = values.map { 1 - $0 }
      spread((penWidth - widths.upperBound) / 2)
      values = values.map { 1 - $0 }
    }
  }

  /// Gives each cell the highest value within `radius`.
  private mutating func spread(_ radius: Double) {
    guard radius >= 0.25 else { return }
    let reach = Int(radius.rounded(.up))
    // The share falls to 0 within a cell at the edge of the disc.
    var disc: [(row: Int, column: Int, share: Float)] = []
    for row in -reach...reach {
      for column in -reach...reach {
        let distance = Double(row * row + column * column).squareRoot()
        let share = Float(min(1, radius + 1 - distance))
        if share > 0 { disc.append((row, column, share)) }
      }
    }
    // Inside an area, a neighbour that is as high reaches all that a cell reaches, so edges are enough.
    func isEdge(_ row: Int, _ column: Int) -> Bool {
      let value = values[row * width + column]
      return (max(0, row - 1)...min(height - 1, row + 1)).contains { r in
        (max(0, column - 1)...min(width - 1, column + 1)).contains {
          values[r * width + $0] < value
        }
      }
    }
    var result = values
    for row in 0..<height {
      for column in 0..<width where values[row * width + column] > 0 && isEdge(row, column) {
        let value = values[row * width + column]
        for cell in disc {
          let (r, c) = (row + cell.row, column + cell.column)
          guard (0..<height).contains(r), (0..<width).contains(c) else { continue }
          result[r * width + c] = max(result[r * width + c], value * cell.share)
        }
      }
    }
    values = result
  }

  /// Returns the picture of the ink with `rows` rows, scaled by area averaging.
  func resampled(by frame: LineFrame, rows: Int) -> Bitmap {
    // The cells that a row of the picture covers, in the column at `x`. Rows are at least as high as
    // a cell, so that enlarged ink stays smooth.
    func cells(row: Int, x: Double) -> Overlap {
      let shift = frame.slope * x
      let top = frame.levelledY(row: Double(row)) + shift
      let bottom = frame.levelledY(row: Double(row + 1)) + shift
      let length = max(1, bottom - top)
      return Overlap(from: (top + bottom - length) / 2, length: length, within: 0..<height)
    }
    var columns = [Float](repeating: 0, count: rows * width)
    for row in 0..<rows {
      let level = cells(row: row, x: 0)
      for column in 0..<width {
        let covered = frame.slope == 0 ? level : cells(row: row, x: Double(column) + 0.5)
        columns[row * width + column] = covered.mean { values[$0 * width + column] }
      }
    }

    func across(row: Int) -> [Overlap] {
      let shift = frame.shift(row: Double(row) + 0.5)
      return (0..<frame.columns).map { column in
        let left = frame.x(column: Double(column) + shift)
        let right = frame.x(column: Double(column + 1) + shift)
        let length = max(1, right - left)
        return Overlap(from: (left + right - length) / 2, length: length, within: 0..<width)
      }
    }
    let upright = frame.slant == 0 ? across(row: 0) : nil
    var shares = [Float](repeating: 0, count: rows * frame.columns)
    for row in 0..<rows {
      for (column, covered) in (upright ?? across(row: row)).enumerated() {
        shares[row * frame.columns + column] = covered.mean { columns[row * width + $0] }
      }
    }
    // Thin lines of a large strip become faint; the brightest ink is made white, within limits.
    let brightest = shares.max() ?? 0
    let gain = brightest > 0 ? min(4, 1 / brightest) : 1
    return Bitmap(
      width: frame.columns, height: rows,
      pixels: shares.map { UInt8(min(1, $0 * gain) * 255 + 0.5) })
  }
}

/// Returns the least of the `count` highest values.
private func minimumOfHighest(_ count: Int, in values: [Float]) -> Float {
  var highest: [Float] = []
  for value in values where highest.count < count || value > highest[count - 1] {
    if highest.count == count { highest.removeLast() }
    highest.insert(value, at: highest.firstIndex { $0 < value } ?? highest.count)
  }
  return highest.last ?? 0
}

/// The sums of a picture from its corner, for means of rectangles.
private struct SummedTable {
  private let sums: [Double]
  private let stride: Int

  init(_ values: [Float], width: Int, height: Int) {
    stride = width + 1
    var sums = [Double](repeating: 0, count: stride * (height + 1))
    for row in 0..<height {
      var line = 0.0
      for column in 0..<width {
        line += Double(values[row * width + column])
        sums[(row + 1) * stride + column + 1] = sums[row * stride + column + 1] + line
      }
    }
    self.sums = sums
  }

  func mean(rows: Range<Int>, columns: Range<Int>) -> Double {
    let (top, bottom) = (rows.lowerBound * stride, rows.upperBound * stride)
    let sum =
      sums[bottom + columns.upperBound] - sums[bottom + columns.lowerBound]
      - sums[top + columns.upperBound] + sums[top + columns.lowerBound]
    return sum / Double(rows.count * columns.count)
  }
}

/// The light of the background: the level below most of each block, and lines through these.
private struct Background {
  private let levels: [Float]
  private let rows: Blocks
  private let columns: Blocks

  /// The share of a block's cells that are darker than its background level.
  private static let quantile = 0.2

  /// Blocks of about equal length, one after the other.
  private struct Blocks {
    let length: Int
    let count: Int

    init(length: Int, side: Int) {
      self.length = length
      count = max(1, (length + side / 2) / side)
    }

    func range(_ block: Int) -> Range<Int> {
      block * length / count..<(block + 1) * length / count
    }

    /// The block before a cell, and how far the cell is from its centre, in blocks.
    func place(_ cell: Int) -> (block: Int, share: Float) {
      guard count > 1 else { return (0, 0) }
      let position = (Float(cell) + 0.5) * Float(count) / Float(length) - 0.5
      let block = min(count - 2, max(0, Int(position)))
      return (block, position - Float(block))
    }
  }

  init(_ values: [Float], width: Int, height: Int) {
    let side = min(64, max(16, height))
    rows = Blocks(length: height, side: side)
    columns = Blocks(length: width, side: side)
    var levels: [Float] = []
    for blockRow in 0..<rows.count {
      for blockColumn in 0..<columns.count {
        let range = columns.range(blockColumn)
        var block: [Float] = []
        block.reserveCapacity(rows.range(blockRow).count * range.count)
        for row in rows.range(blockRow) {
          block += values[row * width + range.lowerBound..<row * width + range.upperBound]
        }
        levels.append(block.selectSorted(at: Int(Double(block.count - 1) * Self.quantile)))
      }
    }
    self.levels = levels
  }

  /// Takes the light away from a picture of the same size.
  func subtract(from values: inout [Float]) {
    let places = (0..<columns.length).map(columns.place)
    for row in 0..<rows.length {
      let y = rows.place(row)
      for (column, x) in places.enumerated() {
        func along(_ row: Int) -> Float {
          let first = row * columns.count + x.block
          guard x.share != 0 else { return levels[first] }
          return levels[first] + (levels[first + 1] - levels[first]) * x.share
        }
        let top = along(y.block)
        values[row * columns.length + column] -=
          y.share == 0 ? top : top + (along(y.block + 1) - top) * y.share
      }
    }
  }
}
