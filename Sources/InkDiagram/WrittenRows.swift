import Ink

/// Writing in a state or at an arrow: one row or several, such as a name over an output (Moore).
struct WrittenRows {
  /// The strokes that are a line between two rows.
  private let bars: [Trace]
  /// The rows above the first bar, and below each, from the top.
  private let parts: [[TextLine]]

  /// The strokes that may cross a gap between rows, as a share of all: tails of letters.
  private static let crossing = 0.1
  /// The height of a row, as a share of the highest one, below which it is a dot, a prime or a bar.
  static let leastRow = 0.4
  /// The strokes of rows without a bar between them, at least.
  ///
  /// What is left of a ring, or an index below its letter, is no row. Set by hand, after names in two pictures by
  /// people were divided.
  private static let leastStrokes = 6
  /// How many times as wide as high a bar is at least, and its width as a share of all writing.
  private static let (barShape, barWidth) = (4.0, 0.4)

  /// Divides writing, of at least one stroke, into rows.
  init(traces: [Trace]) {
    let all = TextLine(traces: traces)
    func isWide(_ trace: Trace) -> Bool {
      trace.width > Self.barShape * trace.height && trace.width > Self.barWidth * all.width
    }
    let letters = traces.filter { !isWide($0) }
    // What has nothing above or below it is a dash.
    let bars = traces.filter { bar in
      let beside = letters.filter { (bar.low.x...bar.high.x).contains($0.center.x) }
      return isWide(bar) && beside.contains { $0.high.y < bar.center.y }
        && beside.contains { $0.low.y > bar.center.y }
    }
    let barStrokes = Set(bars.map(\.index))
    let written = traces.filter { !barStrokes.contains($0.index) }
    // Rows are searched between bars, because a name can be much higher than its output.
    let groups = Dictionary(grouping: written) { trace in
      bars.count { $0.center.y < trace.center.y }
    }
    let isDivided = !bars.isEmpty || written.count >= Self.leastStrokes
    parts = groups.sorted { $0.key < $1.key }.map { _, part in
      isDivided ? Self.rows(of: part) : [TextLine(traces: part)]
    }
    self.bars = bars
  }

  /// Creates rows that are known.
  init(rows: [TextLine]) { (bars, parts) = ([], [rows]) }

  /// The rows, from the top.
  var rows: [TextLine] { parts.flatMap(\.self) }

  /// Whether bars divide it.
  var hasBars: Bool { !bars.isEmpty }

  /// The rows, and the bars as one more.
  var lines: [TextLine] { bars.isEmpty ? rows : rows + [TextLine(traces: bars)] }

  /// The rows, or everything as one line if there are bars, which may be signs.
  var undividedByBars: [TextLine] {
    bars.isEmpty ? rows : [TextLine(traces: (rows + [TextLine(traces: bars)]).flatMap(\.traces))]
  }

  /// Returns the texts of the whole, given those of each row, the likeliest first with probabilities; the rows are
  /// separated by `/` where there is a bar, otherwise by spaces.
  func texts(of rows: [[ScoredText]]) -> [ScoredText] {
    let read = rows.divided(like: parts).map { part in
      Self.joined(part.filter { !$0.isEmpty }, by: " ")
    }
    return Self.joined(read.filter { !$0.isEmpty }, by: "/")
  }

  /// Returns the texts of rows with these texts, of at least one each, joined by `separator`.
  static func joined(_ read: [[ScoredText]], by separator: String) -> [ScoredText] {
    guard read.count > 1 else { return read.first ?? [] }
    func text(_ chosen: [ScoredText]) -> ScoredText {
      ScoredText(
        text: chosen.map(\.text).joined(separator: separator),
        score: chosen.reduce(1) { $0 * $1.score })
    }
    let best = read.map { $0[0] }
    var texts = [text(best)]
    for (number, row) in read.enumerated() {
      for other in row.dropFirst() {
        var chosen = best
        chosen[number] = other
        texts.append(text(chosen))
      }
    }
    return texts.likeliestFirst()
  }

  /// Returns the rows of strokes, between heights that hardly any stroke crosses.
  private static func rows(of traces: [Trace]) -> [TextLine] {
    let most = Int(crossing * Double(traces.count))
    // Between two ends of strokes, the same strokes cross.
    let ends = Set(traces.flatMap { [$0.low.y, $0.high.y] }).sorted()
    let gaps = zip(ends, ends.dropFirst()).map { ($0 + $1) / 2 }.filter { height in
      traces.count { $0.low.y < height && height < $0.high.y } <= most
    }
    var rows: [[Trace]] = [[]]
    var rest = gaps[...]
    for trace in traces.sorted(by: { $0.center.y < $1.center.y }) {
      var isNext = false
      while let gap = rest.first, gap < trace.center.y {
        isNext = true
        rest = rest.dropFirst()
      }
      if isNext, !rows[rows.count - 1].isEmpty { rows.append([]) }
      rows[rows.count - 1].append(trace)
    }
    var lines = rows.map { TextLine(traces: $0) }
    // Dots, primes and indices belong to the letters that are nearest.
    let highest = lines.map(\.height).max() ?? 0
    var number = 1
    while number < lines.count {
      let (above, below) = (lines[number - 1], lines[number])
      let isSmall = min(above.height, below.height) < leastRow * highest
      let isBeside = below.low.x > above.center.x || above.low.x > below.center.x
      if isSmall || isBeside {
        lines[number - 1] = TextLine(traces: above.traces + below.traces)
        lines.remove(at: number)
      } else {
        number += 1
      }
    }
    return lines
  }
}
