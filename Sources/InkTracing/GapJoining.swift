import Foundation
import Ink

/// Joins lines whose ends point at each other across a gap.
///
/// Gaps come from pens that skip, from light ink, and from printed lines that were removed.
struct GapJoining {
  let lines: [TracedLine]
  let penWidth: Double

  /// An end that touches nothing.
  private struct End {
    var line: Int
    var isLast: Bool
    var point: Vector
    /// The direction in which the line would go on, of length 1.
    var direction: Vector
    /// The length of its line.
    var length: Double
  }

  /// The widest gap, in widths of the pen.
  private static let widestGap = 8.0

  /// Returns the lines with gaps closed.
  func joined() -> [TracedLine] {
    let ends = ends()
    var links: [(cost: Double, a: Int, b: Int)] = []
    let reach = Self.widestGap * penWidth
    // Ends by squares of the plane.
    var cells: [Int: [Int]] = [:]
    func cell(_ x: Int, _ y: Int) -> Int { y << 24 + x }
    for (index, end) in ends.enumerated() {
      cells[cell(Int(end.point.x / reach), Int(end.point.y / reach)), default: []].append(index)
    }
    for (index, end) in ends.enumerated() {
      let (x, y) = (Int(end.point.x / reach), Int(end.point.y / reach))
      for row in y - 1...y + 1 {
        for column in x - 1...x + 1 {
          for other in cells[cell(column, row)] ?? [] where other > index {
            if let cost = cost(end, ends[other]) { links.append((cost, index, other)) }
          }
        }
      }
    }
    var partner = [Int: Int]()
    for link in links.sorted(by: { ($0.cost, $0.a, $0.b) < ($1.cost, $1.a, $1.b) })
    where partner[link.a] == nil && partner[link.b] == nil {
      partner[link.a] = link.b
      partner[link.b] = link.a
    }
    return follow(ends: ends, partner: partner)
  }

  private func ends() -> [End] {
    var ends: [End] = []
    for (index, line) in lines.enumerated() where !line.isClosed && line.points.count > 2 {
      let length = line.points.pathLength
      guard length > 2 * penWidth else { continue }
      for isLast in [false, true] where line.isFree[isLast ? 1 : 0] {
        let points = isLast ? line.points.reversed() : line.points
        let reach = min(points.count - 1, Int(max(4, 2.5 * penWidth)))
        let (tip, back) = (points[0], points[reach])
        let distance = tip.distance(to: back)
        guard distance > 0 else { continue }
        ends.append(
          End(
            line: index, isLast: isLast, point: tip,
            direction: Vector((tip.x - back.x) / distance, (tip.y - back.y) / distance),
            length: length))
      }
    }
    return ends
  }

  /// Returns what joining two ends costs, or `nil` if they do not point at each other.
  private func cost(_ a: End, _ b: End) -> Double? {
    let gap = a.point.distance(to: b.point)
    guard gap <= Self.widestGap * penWidth else { return nil }
    guard gap < 0.6 * min(a.length, b.length) || gap < 2 * penWidth else { return nil }
    // The two ends of a short line are no gap.
    guard a.line != b.line || gap < 0.3 * a.length else { return nil }
    guard gap > 0.5 else { return 0 }
    let link = Vector((b.point.x - a.point.x) / gap, (b.point.y - a.point.y) / gap)
    func bend(_ direction: Vector, _ sign: Double) -> Double {
      acos(max(-1, min(1, sign * direction.dot(link))))
    }
    let (first, second) = (bend(a.direction, 1), bend(b.direction, -1))
    // Close ends may miss each other by the roughness of the ink.
    let most = gap < 2 * penWidth ? 1.1 : gap < 4 * penWidth ? 0.6 : 0.4
    guard max(first, second) < most else { return nil }
    return gap / penWidth + 3 * (first + second)
  }

  private func follow(ends: [End], partner: [Int: Int]) -> [TracedLine] {
    var endOf: [Int: Int] = [:]
    for (index, end) in ends.enumerated() { endOf[2 * end.line + (end.isLast ? 1 : 0)] = index }
    func next(after side: Int) -> Int? {
      guard let end = endOf[side], let other = partner[end] else { return nil }
      return 2 * ends[other].line + (ends[other].isLast ? 1 : 0)
    }
    var isTaken = [Bool](repeating: false, count: lines.count)
    var result: [TracedLine] = []
    for onlyEnds in [true, false] {
      for line in lines.indices where !isTaken[line] {
        let start = [2 * line, 2 * line + 1].first { next(after: $0) == nil }
        if onlyEnds, start == nil { continue }
        var side = start ?? 2 * line
        let first = side
        var joined = TracedLine(points: [], width: 0, isClosed: lines[line].isClosed)
        var weight = 0.0
        while true {
          let part = lines[side / 2]
          isTaken[side / 2] = true
          joined.points += side % 2 == 0 ? part.points : part.points.reversed()
          joined.width += part.width * Double(part.points.count)
          weight += Double(part.points.count)
          guard let following = next(after: side ^ 1) else { break }
          if isTaken[following / 2] {
            joined.isClosed = following == first
            break
          }
          side = following
        }
        joined.width /= max(1, weight)
        if joined.isClosed, joined.points.first != joined.points.last {
          joined.points.append(joined.points[0])
        }
        result.append(joined)
      }
    }
    return result
  }
}
