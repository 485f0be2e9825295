import Ink

/// Areas that are filled with ink, such as heads of arrows, and thick dots.
struct FilledAreas {
  /// Their outlines; dots are single points.
  private(set) var lines: [TracedLine] = []
  /// Whether nothing was taken out.
  private(set) var isEmpty = true

  /// The width that the ink of an area has somewhere, in widths of the pen.
  private static let minimumWidth = 3.3
  /// The width that it has everywhere, in widths of the pen.
  private static let edgeWidth = 1.8
  /// The length of an area, in its width; what is longer is a thick line.
  private static let greatestLength = 2.2

  /// The least convexity of an area; where lines meet, ink has the form of a star.
  private static let minimumConvexity = 0.8
  /// The longer side of an area, in widths of the pen; what is larger is a hole in the paper or a finger.
  private static let longestSide = 10.0

  /// Takes the filled areas out of `mask`.
  init(takenFrom mask: inout InkMask, distances: [UInt8], penWidth: Double) {
    func distance(atWidth width: Double) -> UInt8 {
      UInt8(min(250, max(8, 1.5 * (width * penWidth + 0.5))))
    }
    let least = distance(atWidth: Self.edgeWidth)
    var core = mask
    core.pixels = distances.map { $0 >= least ? 1 : 0 }
    let cores = Components(of: core, contrast: [])
    guard !cores.parts.isEmpty else { return }
    var deepest = [UInt8](repeating: 0, count: cores.parts.count)
    var runs = [[Components.Run]](repeating: [], count: cores.parts.count)
    for run in cores.runs {
      runs[Int(run.part)].append(run)
      for column in run.start..<run.end {
        let distance = distances[Int(run.row) * mask.width + Int(column)]
        deepest[Int(run.part)] = max(deepest[Int(run.part)], distance)
      }
    }
    for (index, part) in cores.parts.enumerated() {
      // Where lines meet, ink is wide as well, but in one place only.
      guard deepest[index] >= distance(atWidth: Self.minimumWidth),
        Double(part.longerSide) >= 2 * penWidth
      else { continue }
      // Distances are in thirds of a pixel.
      let depth = Double(deepest[index]) / 3
      let length = Double(part.longerSide) + 2 * depth
      // A ring that is filled nearly has a core that goes round.
      guard length < Self.greatestLength * 2 * depth + penWidth else { continue }
      let area = Area(
        runs[index], part: part, depth: depth, distances: distances, mask: mask,
        margin: 0.7 * penWidth + 1)
      guard area.convexity >= Self.minimumConvexity else { continue }
      area.remove(from: &mask)
      isEmpty = false
      guard Double(area.longerSide) <= Self.longestSide * penWidth else { continue }
      if Double(area.longerSide) < 3.5 * penWidth {
        let center = Vector(
          Double(part.minX + part.maxX + 1) / 2, Double(part.minY + part.maxY + 1) / 2)
        lines.append(TracedLine(points: [center], width: 2 * depth))
      } else {
        let outline = area.outline()
        guard outline.count > 4 else { continue }
        lines.append(TracedLine(points: outline + [outline[0]], width: penWidth, isClosed: true))
      }
    }
  }

  /// The ink around the core of an area.
  private struct Area {
    private let left: Int
    private let top: Int
    private let width: Int
    private let height: Int
    /// 1 for the ink of the area, with an empty row or column at each side.
    private let pixels: [UInt8]

    /// The greater of the extents of its ink.
    let longerSide: Int
    /// The share of the ink in the smallest convex area around it.
    let convexity: Double

    init(
      _ runs: [Components.Run], part: Components.Part, depth: Double, distances: [UInt8],
      mask: InkMask, margin: Double
    ) {
      let reach = Int(depth + margin) + 1
      let (minX, maxX) = (max(1, part.minX - reach), min(mask.width - 2, part.maxX + reach))
      let (minY, maxY) = (max(1, part.minY - reach), min(mask.height - 2, part.maxY + reach))
      (left, top) = (minX - 1, minY - 1)
      (width, height) = (maxX - minX + 3, maxY - minY + 3)
      var pixels = [UInt8](repeating: 0, count: width * height)
      for run in runs {
        let y = Int(run.row)
        for x in Int(run.start)..<Int(run.end) {
          // Distances are in thirds of a pixel.
          let radius = Double(distances[y * mask.width + x]) / 3 + margin
          let rows = Int(radius)
          for row in max(minY, y - rows)...min(maxY, y + rows) {
            let across = (radius * radius - Double((row - y) * (row - y))).squareRoot()
            for column in max(minX, x - Int(across))...min(maxX, x + Int(across))
            where mask.pixels[row * mask.width + column] != 0 {
              pixels[(row - top) * width + column - left] = 1
            }
          }
        }
      }
      self.pixels = pixels
      var corners: [(x: Int, y: Int)] = []
      var (count, across, down) = (0, (Int.max, 0), (Int.max, 0))
      for row in 0..<height {
        let line = pixels[row * width..<(row + 1) * width]
        guard let first = line.firstIndex(of: 1), let last = line.lastIndex(of: 1) else { continue }
        let (start, end) = (first - row * width, last - row * width + 1)
        count += line.reduce(0) { $0 + Int($1) }
        across = (min(across.0, start), max(across.1, end))
        down = (min(down.0, row), max(down.1, row + 1))
        corners += [(start, row), (end, row), (start, row + 1), (end, row + 1)]
      }
      longerSide = max(across.1 - across.0, down.1 - down.0)
      convexity = Double(count) / max(1, Self.hullArea(corners))
    }

    /// Returns the area of the smallest convex polygon around points (Andrew, 1979).
    private static func hullArea(_ points: [(x: Int, y: Int)]) -> Double {
      func half(_ points: some Sequence<(x: Int, y: Int)>) -> [(x: Int, y: Int)] {
        var hull: [(x: Int, y: Int)] = []
        for point in points {
          while hull.count > 1 {
            let (a, b) = (hull[hull.count - 2], hull[hull.count - 1])
            guard (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) <= 0 else { break }
            hull.removeLast()
          }
          hull.append(point)
        }
        return hull.dropLast()
      }
      let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
      let hull = half(sorted) + half(sorted.reversed())
      var doubled = 0
      for (a, b) in zip(hull, hull.dropFirst() + hull.prefix(1)) {
        doubled += a.x * b.y - b.x * a.y
      }
      return abs(Double(doubled)) / 2
    }

    func remove(from mask: inout InkMask) {
      for row in 0..<height {
        for column in 0..<width where pixels[row * width + column] != 0 {
          mask.pixels[(top + row) * mask.width + left + column] = 0
        }
      }
    }

    /// Returns the pixels at the edge, clockwise (Moore's tracing).
    func outline() -> [Vector] {
      guard let start = pixels.firstIndex(of: 1) else { return [] }
      let steps = InkMask.steps(width: width)
      var result: [Vector] = []
      var index = start
      var direction = 0
      repeat {
        result.append(
          Vector(Double(left + index % width) + 0.5, Double(top + index / width) + 0.5))
        guard let turn = (0..<8).first(where: { pixels[index + steps[(direction + $0) % 8]] != 0 })
        else { return result }
        let step = (direction + turn) % 8
        index += steps[step]
        // Starts at the pixel after the one that it came from.
        direction = (step + 6) % 8
      } while index != start && result.count < pixels.count
      return result
    }
  }
}
