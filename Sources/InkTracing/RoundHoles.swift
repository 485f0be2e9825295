/// Areas of paper that ink encloses and that are about as round as a ring drawn by hand.
///
/// The lines around such an area are one ring, whatever touches it from outside, unless they cross there.
struct RoundHoles {
  /// 0 for ink, 1 for paper, and from 2 for each round hole, `[height, width]`.
  let labels: [UInt16]
  private let width: Int

  /// The greatest share of a hole outside of the ellipse that it is most like; of a square, 0.074 are.
  private static let greatestDifference = 0.06

  /// Finds the holes in `mask` that are at least `minimumSide` wide and high.
  init(in mask: InkMask, minimumSide: Int) {
    width = mask.width
    let paper = Components(of: mask, contrast: [], value: 0)
    // What is inside of a hole, such as the name of a state, belongs to it.
    var spans: [[(start: Int32, end: Int32)]] = paper.parts.map { part in
      let isHole =
        part.minX > 0 && part.minY > 0 && part.maxX < mask.width - 1
        && part.maxY < mask.height - 1
      let (across, down) = (part.maxX - part.minX + 1, part.maxY - part.minY + 1)
      guard isHole, min(across, down) >= minimumSide, max(across, down) < 3 * min(across, down)
      else { return [] }
      return [(Int32, Int32)](repeating: (.max, 0), count: down)
    }
    for run in paper.runs where !spans[Int(run.part)].isEmpty {
      let row = Int(run.row) - paper.parts[Int(run.part)].minY
      let span = spans[Int(run.part)][row]
      spans[Int(run.part)][row] = (min(span.start, run.start), max(span.end, run.end))
    }
    var numbers = [UInt16](repeating: 1, count: paper.parts.count)
    var next: UInt16 = 2
    for index in paper.parts.indices where !spans[index].isEmpty {
      guard next < .max, Self.isRound(spans[index]) else { continue }
      numbers[index] = next
      next += 1
    }
    var labels = [UInt16](repeating: 0, count: mask.pixels.count)
    labels.withUnsafeMutableBufferPointer { labels in
      for run in paper.runs {
        let (row, number) = (Int(run.row) * mask.width, numbers[Int(run.part)])
        for column in run.start..<run.end { labels[row + Int(column)] = number }
      }
    }
    self.labels = labels
  }

  private static func isRound(
    _ spans: [(start: Int32, end: Int32)]
  ) -> Bool {
    // An ellipse with the same moments is two deviations large in every direction.
    var (area, sumX, sumY, squareX, squareY, product) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (row, span) in spans.enumerated() where span.end > span.start {
      let (count, y) = (Double(span.end - span.start), Double(row))
      let middle = Double(span.start + span.end - 1) / 2
      area += count
      sumX += count * middle
      sumY += count * y
      squareX += count * (middle * middle + (count * count - 1) / 12)
      squareY += count * y * y
      product += count * middle * y
    }
    guard area > 0 else { return false }
    let (x, y) = (sumX / area, sumY / area)
    let (a, b) = (squareX / area - x * x, squareY / area - y * y)
    let c = product / area - x * y
    let determinant = a * b - c * c
    guard determinant > 0 else { return false }
    var outside = 0
    for (row, span) in spans.enumerated() where span.end > span.start {
      let dy = Double(row) - y
      for column in span.start..<span.end {
        let dx = Double(column) - x
        if (b * dx * dx - 2 * c * dx * dy + a * dy * dy) > 4 * determinant { outside += 1 }
      }
    }
    return Double(outside) < greatestDifference * area
  }

  /// Returns the round holes on one side of a line of pixels whose ink is so wide.
  ///
  /// A line with a hole on both sides is within it, and no part of the ring.
  func holes(beside pixels: [Int32], inkWidth: Double) -> Set<UInt16> {
    guard pixels.count >= 2 else { return [] }
    var counts: [[UInt16: Int]] = [[:], [:]]
    let step = max(1, pixels.count / 12)
    var samples = 0
    for index in stride(from: 0, to: pixels.count, by: step) {
      let before = Int(pixels[max(0, index - 3)])
      let after = Int(pixels[min(pixels.count - 1, index + 3)])
      let along = (x: after % width - before % width, y: after / width - before / width)
      let length = Double(along.x * along.x + along.y * along.y).squareRoot()
      guard length > 0 else { continue }
      samples += 1
      let here = (x: Int(pixels[index]) % width, y: Int(pixels[index]) / width)
      for (number, side) in [-1.0, 1.0].enumerated() {
        let normal = (x: -side * Double(along.y) / length, y: side * Double(along.x) / length)
        for distance in 1...Int(inkWidth + 3) {
          let x = here.x + Int((normal.x * Double(distance)).rounded())
          let y = here.y + Int((normal.y * Double(distance)).rounded())
          guard x >= 0, x < width, y >= 0, y * width + x < labels.count else { break }
          let label = labels[y * width + x]
          guard label != 0 else { continue }
          if label > 1 { counts[number][label, default: 0] += 1 }
          break
        }
      }
    }
    let sides = counts.map { Set($0.filter { $0.value * 2 > samples }.keys) }
    return sides[0].symmetricDifference(sides[1])
  }
}
