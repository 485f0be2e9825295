import Foundation
import Ink

/// How much of each pixel is covered, from 0 to 1, `[height, width]`.
struct CoverPlane {
  let width: Int
  let height: Int
  var values: [Float]

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    values = [Float](repeating: 0, count: width * height)
  }

  /// The longest part of a segment that is marked at once: the boxes of long oblique ones are large.
  private static let longestPart = 16.0

  /// Draws a segment of any length.
  mutating func line(_ a: Vector, _ b: Vector, radius: Double, cover: Double) {
    let parts = max(1, (a.distance(to: b) / Self.longestPart).rounded(.up))
    guard parts < 1e5 else { return }
    let step = (b - a) * (1 / parts)
    for part in 0..<Int(parts) {
      let start = a + step * Double(part)
      mark(start, start + step, radius: radius, cover: cover)
    }
  }

  /// Draws a segment with round ends.
  mutating func mark(_ a: Vector, _ b: Vector, radius: Double, cover: Double) {
    let reach = radius + 1
    let (top, bottom) = (min(a.y, b.y) - reach, max(a.y, b.y) + reach)
    let (left, right) = (min(a.x, b.x) - reach, max(a.x, b.x) + reach)
    guard bottom >= 0, right >= 0, top < Double(height), left < Double(width) else { return }
    let (segmentX, segmentY) = (b.x - a.x, b.y - a.y)
    let squared = segmentX * segmentX + segmentY * segmentY
    let (rows, columns) = (
      max(0, Int(top))...min(height - 1, Int(bottom)),
      max(0, Int(left))...min(width - 1, Int(right))
    )
    let width = width
    values.withUnsafeMutableBufferPointer { values in
      for row in rows {
        let y = Double(row) + 0.5 - a.y
        for column in columns {
          let x = Double(column) + 0.5 - a.x
          let share = squared > 0 ? max(0, min(1, (x * segmentX + y * segmentY) / squared)) : 0
          let (dx, dy) = (x - share * segmentX, y - share * segmentY)
          let distance = (dx * dx + dy * dy).squareRoot()
          let value = Float(cover * max(0, min(1, radius + 0.5 - distance)))
          let index = row * width + column
          if value > values[index] { values[index] = value }
        }
      }
    }
  }

  /// Fills the area inside a closed line.
  mutating func fill(_ outline: [Vector], cover: Double) {
    let cover = Float(cover)
    outline.forEachRow(width: width, height: height) { row, columns in
      for column in columns {
        let index = row * width + column
        if cover > values[index] { values[index] = cover }
      }
    }
  }

  /// Blurs with a Gaussian, first along rows, then along columns.
  mutating func blur(deviation: Double) {
    let reach = Int((3 * deviation).rounded(.up))
    guard reach > 0 else { return }
    let weights = (-reach...reach).map {
      Float(exp(-Double($0 * $0) / (2 * deviation * deviation)))
    }
    let sum = weights.reduce(0, +)
    let (width, height) = (width, height)
    var blurred = [Float](repeating: 0, count: values.count)
    values.withUnsafeMutableBufferPointer { values in
      blurred.withUnsafeMutableBufferPointer { blurred in
        for row in 0..<height {
          let start = row * width
          for (offset, weight) in zip(-reach...reach, weights) {
            // The columns whose neighbour is in the row; outside, the edge goes on.
            let first = min(width, max(0, -offset))
            let end = max(first, min(width, width - offset))
            for column in 0..<first { blurred[start + column] += weight * values[start] }
            for column in first..<end {
              blurred[start + column] += weight * values[start + column + offset]
            }
            for column in end..<width {
              blurred[start + column] += weight * values[start + width - 1]
            }
          }
          for column in 0..<width { blurred[start + column] /= sum }
        }
        for row in 0..<height {
          let start = row * width
          for column in 0..<width { values[start + column] = 0 }
          for (offset, weight) in zip(-reach...reach, weights) {
            let source = min(height - 1, max(0, row + offset)) * width
            for column in 0..<width {
              values[start + column] += weight * blurred[source + column]
            }
          }
          for column in 0..<width { values[start + column] /= sum }
        }
      }
    }
  }
}

extension [Vector] {
  /// Calls `body` with the pixels of each row whose centres are inside the closed line through the
  /// points (even-odd rule).
  func forEachRow(width: Int, height: Int, _ body: (_ row: Int, _ columns: Range<Int>) -> Void) {
    guard count > 2, let low = map(\.y).min(), let high = map(\.y).max(), high > 0,
      low < Double(height)
    else { return }
    for row in Swift.max(0, Int(low))...Swift.min(height - 1, Int(high)) {
      let y = Double(row) + 0.5
      var crossings: [Double] = []
      for (index, a) in enumerated() {
        let b = self[(index + 1) % count]
        guard (a.y <= y) != (b.y <= y) else { continue }
        crossings.append(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
      }
      crossings.sort()
      for pair in stride(from: 0, to: crossings.count - 1, by: 2) {
        let first = Swift.max(0, Int((crossings[pair] - 0.5).rounded(.up)))
        let end = Swift.min(width, Int((crossings[pair + 1] - 0.5).rounded(.up)))
        if first < end { body(row, first..<end) }
      }
    }
  }
}
