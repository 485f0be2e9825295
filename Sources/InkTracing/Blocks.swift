/// A value for each square of a picture, `[height, width]`.
struct Blocks: Sendable {
  let width: Int
  let height: Int
  var values: [UInt8]

  /// Replaces each value by what `choose` makes of the values up to `radius` away in rows and columns.
  mutating func spread(radius: Int, by choose: (UInt8, UInt8) -> UInt8) {
    // Along the rows, then along the columns.
    for (step, count) in [(1, width), (width, height)] {
      let source = values
      for index in values.indices {
        let place = index / step % count
        let near = max(-radius, -place)...min(radius, count - 1 - place)
        values[index] = near.reduce(source[index]) { choose($0, source[index + $1 * step]) }
      }
    }
  }

  /// Replaces each value by the mean of those around it.
  mutating func smooth() {
    let source = values
    for row in 0..<height {
      for column in 0..<width {
        var (sum, count) = (0, 0)
        for y in max(0, row - 1)...min(height - 1, row + 1) {
          for x in max(0, column - 1)...min(width - 1, column + 1) {
            sum += Int(source[y * width + x])
            count += 1
          }
        }
        values[row * width + column] = UInt8(sum / count)
      }
    }
  }

  /// Gives `body` the values along row `row` of a picture of `width` columns whose squares have the
  /// side `side`, interpolated between their centres.
  func withRow(_ row: Int, side: Int, width: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width) { line in
      let (top, bottom, down) = Self.neighbours(of: row, side: side, count: height)
      values.withUnsafeBufferPointer { values in
        for column in 0..<width {
          let (left, right, along) = Self.neighbours(of: column, side: side, count: self.width)
          let upper =
            Int(values[top * self.width + left]) * (256 - along)
            + Int(values[top * self.width + right]) * along
          let lower =
            Int(values[bottom * self.width + left]) * (256 - along)
            + Int(values[bottom * self.width + right]) * along
          line[column] = UInt8((upper * (256 - down) + lower * down) >> 16)
        }
      }
      body(UnsafeBufferPointer(line))
    }
  }

  /// Returns the squares on both sides of a position, and how far it is from the first, in 256ths.
  @inline(__always)
  private static func neighbours(of position: Int, side: Int, count: Int) -> (Int, Int, Int) {
    // In units of half pixels, so that the centres of squares and pixels are whole.
    let place = 2 * position + 1 - side
    guard place > 0 else { return (0, 0, 0) }
    let first = place / (2 * side)
    guard first < count - 1 else { return (count - 1, count - 1, 0) }
    return (first, first + 1, (place - first * 2 * side) * 128 / side)
  }
}
