import InkRaster

/// The ink of a strip: 0 is the paper and 1 the ink, `[height, width]`.
struct StripPixels {
  let width: Int
  let height: Int
  private(set) var values: [Float]

  private init(width: Int, height: Int) {
    self.width = width
    self.height = height
    values = [Float](repeating: 0, count: width * height)
  }

  /// Creates the ink of `strip`, whose paper and ink have these levels.
  init(_ strip: Bitmap, _ levels: StripLevels) {
    width = strip.width
    height = strip.height
    let shares = (0..<256).map { (Float($0) - levels.paper) / (levels.ink - levels.paper) }
    values = strip.pixels.map { shares[Int($0)] }
  }

  /// Ink that touches the border is not continued beyond it.
  private static let faintest: Float = 0.3

  /// Returns the strip with so many columns and rows, each column centred at a place of this one and
  /// slanted by `slant` columns a row, with bilinear interpolation.
  ///
  /// Beyond the border is the paper at the border.
  func sampled(
    columns: Int, rows: Int, places: [(x: Float, y: Float)], slant: Float
  ) -> StripPixels {
    var result = StripPixels(width: columns, height: rows)
    let (lastColumn, lastRow) = (Float(width - 1), Float(height - 1))
    let width = width
    values.withUnsafeBufferPointer { source in
      places.withUnsafeBufferPointer { places in
        result.values.withUnsafeMutableBufferPointer { target in
          for row in 0..<rows {
            let down = Float(row) + 0.5 - Float(rows) / 2
            let aside = slant * down
            for column in 0..<columns {
              let x = places[column].x + aside
              let y = places[column].y + down
              let insideX = min(lastColumn, max(0, x))
              let insideY = min(lastRow, max(0, y))
              let left = Int(insideX)
              let top = Int(insideY)
              let right = insideX - Float(left)
              let low = insideY - Float(top)
              let first = top * width + left
              let nextX = insideX < lastColumn ? 1 : 0
              let second = insideY < lastRow ? first + width : first
              let upper = source[first] + (source[first + nextX] - source[first]) * right
              let lower = source[second] + (source[second + nextX] - source[second]) * right
              let value = upper + (lower - upper) * low
              let isInside = x == insideX && y == insideY
              target[row * columns + column] = isInside || value < Self.faintest ? value : 0
            }
          }
        }
      }
    }
    return result
  }

  /// Makes lines thicker by about `change` pixels on each side, or thinner if it is negative.
  mutating func thicken(by change: Float) {
    var rest = abs(change)
    while rest > 0 {
      let share = min(1, rest)
      let isThicker = change > 0
      replaceValues { value, left, right, up, down in
        let extreme =
          isThicker
          ? max(max(left, right), max(value, max(up, down)))
          : min(min(left, right), min(value, min(up, down)))
        return value + share * (extreme - value)
      }
      rest -= 1
    }
  }

  /// Replaces each value by what `replacement` returns for it and those on its left, right, above and below.
  private mutating func replaceValues(
    _ replacement: (Float, _ left: Float, _ right: Float, _ up: Float, _ down: Float) -> Float
  ) {
    let (width, height) = (width, height)
    let old = values
    old.withUnsafeBufferPointer { old in
      values.withUnsafeMutableBufferPointer { new in
        for row in 0..<height {
          let above = max(0, row - 1) * width
          let here = row * width
          let below = min(height - 1, row + 1) * width
          for column in 0..<width {
            let left = old[here + max(0, column - 1)]
            let right = old[here + min(width - 1, column + 1)]
            let (up, down) = (old[above + column], old[below + column])
            new[here + column] = replacement(old[here + column], left, right, up, down)
          }
        }
      }
    }
  }

  /// Blurs by about `radius` pixels in both directions.
  mutating func blur(_ radius: Float) {
    var rest = radius
    while rest > 0.05 {
      // A kernel of three pixels has a deviation of at most 0.8 pixels.
      let side = min(1, rest) / 3
      replaceValues { value, left, right, up, down in
        value + side / 2 * ((left + right) + (up + down) - 4 * value)
      }
      rest -= 1
    }
  }

  /// Draws a line across the strip, which is at `row` at the left border.
  mutating func drawRule(at row: Float, slope: Float, pen: Float, strength: Float) {
    for column in 0..<width {
      let center = row + slope * Float(column)
      let first = max(0, Int((center - pen / 2).rounded(.down)))
      let last = min(height - 1, Int((center + pen / 2).rounded(.down)))
      guard first <= last else { continue }
      for row in first...last {
        let top = max(Float(row), center - pen / 2)
        let bottom = min(Float(row + 1), center + pen / 2)
        let index = row * width + column
        values[index] = max(values[index], strength * min(1, max(0, bottom - top)))
      }
    }
  }

  /// Draws a straight line with a round pen.
  mutating func draw(
    from a: (x: Float, y: Float), to b: (x: Float, y: Float), pen: Float, strength: Float
  ) {
    let reach = pen / 2 + 0.5
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let squared = dx * dx + dy * dy
    let left = max(0, min(a.x, b.x) - reach)
    let right = min(Float(width - 1), max(a.x, b.x) + reach)
    let top = max(0, min(a.y, b.y) - reach)
    let bottom = min(Float(height - 1), max(a.y, b.y) + reach)
    guard left <= right, top <= bottom else { return }
    for row in Int(top)...Int(bottom) {
      for column in Int(left)...Int(right) {
        let (x, y) = (Float(column) + 0.5 - a.x, Float(row) + 0.5 - a.y)
        let along = squared > 0 ? min(1, max(0, (x * dx + y * dy) / squared)) : 0
        let (restX, restY) = (x - along * dx, y - along * dy)
        let coverage = reach - (restX * restX + restY * restY).squareRoot()
        let index = row * width + column
        values[index] = max(values[index], strength * min(1, max(0, coverage)))
      }
    }
  }
}
