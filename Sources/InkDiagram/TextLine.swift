import DisjointSets
import Ink

/// Strokes, or marks of a picture, that form a line of writing.
struct TextLine: Bounded {
  let traces: [Trace]
  /// How far its baseline is turned clockwise, in radians.
  let slope: Double
  /// The distances across the baseline between which it is, if only parts of its marks may be in it.
  let band: Range<Double>?
  let low: Vector
  let high: Vector

  /// Creates a line of at least one stroke.
  init(traces: [Trace], slope: Double = 0, band: Range<Double>? = nil) {
    (self.traces, self.slope, self.band) = (traces, slope, band)
    (low, high) = traces.flatMap { [$0.low, $0.high] }.corners
  }

  var strokes: [Int] { traces.map(\.index).sorted() }

  /// Groups strokes by nearness, baseline and size.
  ///
  /// Two strokes are neighbours if their rectangles nearly touch; a stroke far above or below the
  /// other is another line. `height` is the usual height of writing.
  static func lines(of traces: [Trace], height: Double) -> [TextLine] {
    guard height > 0 else { return traces.map { TextLine(traces: [$0]) } }
    let grid = Grid(side: height, of: traces, at: \.points)
    var sets = DisjointSets(count: traces.count)
    for (number, trace) in traces.enumerated() {
      var near: Set<Int> = []
      for place in [trace.start, trace.end, trace.center, trace.low, trace.high] {
        near.formUnion(grid.items(near: place, reach: height))
      }
      for other in near.sorted() where other > number && joins(trace, traces[other], height) {
        sets.join(other, into: number)
      }
    }
    let groups = sets.groups(of: traces.indices)
    return joinedAtCommas(groups.map { TextLine(traces: $0.map { traces[$0] }) })
  }

  /// Joins lines with a comma between them, however wide people space a list.
  private static func joinedAtCommas(_ lines: [TextLine]) -> [TextLine] {
    let sorted = lines.sorted { ($0.low.x, $0.low.y) < ($1.low.x, $1.low.y) }
    var joined: [TextLine] = []
    for line in sorted {
      let left = joined.suffix(maximumOpen).lastIndex { $0.isContinued(by: line) }
      if let left {
        joined[left] = TextLine(traces: joined[left].traces + line.traces)
      } else {
        joined.append(line)
      }
    }
    return joined
  }

  /// The number of lines to the left at which a line may go on.
  private static let maximumOpen = 32

  /// Whether `line` is beside this one, and a comma is between them.
  private func isContinued(by line: TextLine) -> Bool {
    let larger = max(height, line.height)
    let overlap = min(high.y, line.high.y) - max(low.y, line.low.y)
    guard line.low.x - high.x < 1.1 * larger, line.high.x > high.x,
      overlap > 0.4 * min(height, line.height)
    else { return false }
    func isComma(_ trace: Trace) -> Bool {
      trace.size < 0.5 * larger && trace.center.y > max(low.y, line.low.y) + 0.5 * overlap
    }
    let last = traces.max { $0.high.x < $1.high.x }
    let first = line.traces.min { $0.low.x < $1.low.x }
    return (last.map(isComma) ?? false) || (first.map(isComma) ?? false)
  }

  /// The gap between rows of one text and the height of the smaller row, as shares of the height of the larger one.
  private static let (rowGap, rowHeight) = (0.8, 0.5)
  /// How much of the narrower row is above or below the other, at least, and how much of the smaller one is beside the
  /// other, at most; these and the numbers above were set by hand.
  private static let (rowOverlap, besideRow) = (0.5, 0.5)

  /// Whether another line is the row above or below this one in the same text.
  func isRow(aboveOrBelow other: TextLine) -> Bool {
    let (larger, smaller) = (max(height, other.height), min(height, other.height))
    let gap = max(low.y, other.low.y) - min(high.y, other.high.y)
    let overlap = min(high.x, other.high.x) - max(low.x, other.low.x)
    return gap < Self.rowGap * larger && gap > -Self.besideRow * smaller
      && smaller > Self.rowHeight * larger
      && overlap >= Self.rowOverlap * min(width, other.width)
  }

  /// Whether two strokes are beside each other in a line, or parts of one character.
  private static func joins(_ a: Trace, _ b: Trace, _ height: Double) -> Bool {
    let across = max(a.low.x, b.low.x) - min(a.high.x, b.high.x)
    let down = max(a.low.y, b.low.y) - min(a.high.y, b.high.y)
    let tall = max(height, min(a.height, b.height))
    // One above the other: the dot of an i, the bar of a t or an equals sign.
    if across < 0 { return down < 0.35 * height }
    // Beside each other: their vertical extents overlap, or nearly. A comma joins what is around it.
    let isComma = min(a.size, b.size) < 0.45 * height
    return across < (isComma ? 0.9 : 0.65) * tall && down < (isComma ? 0.25 : 0.12) * height
  }
}
