import Foundation
import Ink

extension TracedLine {
  /// Returns the line without the stairs of pixels, with points `spacing` apart.
  func smoothed(deviation: Double, spacing: Double) -> TracedLine {
    guard points.count > 2 else { return self }
    let even = Stroke(points).resampled(spacing: 1).points
    let reach = Int((2.5 * deviation).rounded(.up))
    let weights = (0...reach).map { exp(-0.5 * pow(Double($0) / deviation, 2)) }
    let count = even.count
    var result: [Point] = []
    result.reserveCapacity(count)
    for index in 0..<count {
      // The same number of points on both sides keeps ends in place.
      let most = isClosed ? min(reach, (count - 1) / 2) : min(reach, min(index, count - 1 - index))
      var (x, y, sum) = (even[index].x * weights[0], even[index].y * weights[0], weights[0])
      for offset in 0..<most {
        let weight = weights[offset + 1]
        let after = even[wrapped(index + offset + 1, count)]
        let before = even[wrapped(index - offset - 1, count)]
        x += (after.x + before.x) * weight
        y += (after.y + before.y) * weight
        sum += 2 * weight
      }
      result.append(Point(x / sum, y / sum))
    }
    var line = self
    line.points = Stroke(result).resampled(spacing: spacing).points
    return line
  }

  /// The last point of a closed line is its first.
  private func wrapped(_ index: Int, _ count: Int) -> Int {
    guard isClosed else { return index }
    let period = count - 1
    return ((index % period) + period) % period
  }
}
