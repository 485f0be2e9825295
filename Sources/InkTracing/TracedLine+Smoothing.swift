import Foundation
import Ink

extension TracedLine {
  /// Returns the line without the stairs of pixels, with points `spacing` apart.
  func smoothed(deviation: Double, spacing: Double) -> TracedLine {
    guard points.count > 2 else { return self }
    let even = points.resampled(spacing: 1)
    let reach = Int((2.5 * deviation).rounded(.up))
    let weights = (0...reach).map { exp(-0.5 * pow(Double($0) / deviation, 2)) }
    let count = even.count
    var result: [Vector] = []
    result.reserveCapacity(count)
    for index in 0..<count {
      // The same number of points on both sides keeps ends in place.
      let most = isClosed ? min(reach, (count - 1) / 2) : min(reach, min(index, count - 1 - index))
      var (place, sum) = (even[index] * weights[0], weights[0])
      for offset in 0..<most {
        let weight = weights[offset + 1]
        let after = even[wrapped(index + offset + 1, count)]
        let before = even[wrapped(index - offset - 1, count)]
        place = place + (after + before) * weight
        sum += 2 * weight
      }
      result.append(Vector(place.x / sum, place.y / sum))
    }
    var line = self
    line.points = result.resampled(spacing: spacing)
    return line
  }

  /// The last point of a closed line is its first.
  private func wrapped(_ index: Int, _ count: Int) -> Int {
    guard isClosed else { return index }
    let period = count - 1
    return ((index % period) + period) % period
  }
}

extension [TracedLine] {
  /// Returns the lines without specks beside others, and without dots that no pen made.
  func withoutSpecks(penWidth: Double) -> [TracedLine] {
    let reach = 2.5 * penWidth
    func cell(_ point: Vector) -> (Int, Int) { (Int(point.x / reach), Int(point.y / reach)) }
    let isSpeck = map { $0.points.pathLength < 1.5 * penWidth && !$0.isClosed }
    var near: Set<Int> = []
    for (line, isSpeck) in zip(self, isSpeck) where !isSpeck {
      for point in line.points {
        let (x, y) = cell(point)
        near.insert(y << 24 + x)
      }
    }
    return zip(self, isSpeck).filter { line, isSpeck in
      guard isSpeck, let point = line.points.first else { return true }
      if line.points.count == 1, line.width < 0.4 * penWidth { return false }
      let (x, y) = cell(point)
      return !(y - 1...y + 1).contains { row in
        (x - 1...x + 1).contains { near.contains(row << 24 + $0) }
      }
    }.map(\.0)
  }
}
