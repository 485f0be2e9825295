import Foundation
import Ink

/// Assigns lines of writing to states and arrows; the rest are remarks.
struct LabelSearch {
  let interpretation: Interpretation
  /// The writing in each state.
  private(set) var names: [Int: WrittenRows] = [:]
  /// The writing at each arrow, in reading order.
  private(set) var symbols: [Int: [TextLine]] = [:]
  /// The lines at each arrow, before they are divided into rows.
  private var undivided: [Int: [TextLine]] = [:]
  /// The writing that belongs to nothing.
  private(set) var remarks: [TextLine] = []
  /// The remarks near each arrow that may be rows of its label if their texts are like those of other labels, with the
  /// logarithms of the odds before they are read.
  private(set) var doubtful: [Int: [(row: TextLine, odds: Double)]] = [:]

  /// The cost of a line that labels nothing.
  private static let remarkCost = 4.0
  /// The number of strokes and the width, as a share of the height, above which writing is no label.
  private static let maximumStrokes = 40
  private static let maximumWidth = 14.0
  /// The additional cost of a line whose longer side is less than this share of the usual height of labels: it may be a
  /// dash of the paper, or dirt.
  private static let (smallCost, smallSize) = (1.5, 0.4)
  /// The number of arrows that a line may label.
  private static let maximumArrows = 5
  /// The least unit of the distance between label and arrow, as a share of the radius of states.
  private static let minimumUnit = 0.6
  /// The cost up to which a further line belongs to the label of an arrow.
  private static let furtherCost = 1.6
  /// The unit of the distance between a doubtful row and an arrow, as a share of the radius of states, the logarithm of the
  /// odds of one that touches the arrow, and the number of lines with such rows at an arrow; set by hand.
  private static let (doubtfulUnit, touchingOdds, maximumDoubtful) = (1.2, 1.5, 3)
  /// The number of rows that a label has besides those that are near the arrow.
  private static let maximumRows = 3
  /// The cost of a label whose strokes all are near the tip of an arrow, as parts of heads are, and how near that
  /// is, as a share of the usual radius.
  private static let (atTipCost, tipReach) = (1.5, 0.9)

  init(_ interpretation: Interpretation) {
    self.interpretation = interpretation
    let costs = WritingCosts(
      states: interpretation.states, scale: interpretation.scale, traces: interpretation.writing)
    var inside: [Int: [Trace]] = [:]
    var outside: [Trace] = []
    for trace in interpretation.writing {
      if let state = costs.state(around: trace) {
        inside[state, default: []].append(trace)
      } else {
        outside.append(trace)
      }
    }
    for (state, traces) in inside.sorted(by: { $0.key < $1.key }) {
      if traces.count <= Self.maximumStrokes {
        names[state] = WrittenRows(traces: traces)
      } else {
        remarks.append(TextLine(traces: traces))
      }
    }
    let lines = TextLine.lines(of: outside, height: Self.height(of: outside, interpretation.scale))
    assign(lines)
  }

  /// Assigns the writing of a picture, without arrows that have no label and are parallel to one that has a label.
  ///
  /// People write a second symbol beside the first one, so that such a line is part of the paper or of a remark.
  static func ofPicture(_ interpretation: Interpretation) -> LabelSearch {
    let search = LabelSearch(interpretation)
    let arrows = interpretation.arrows
    let labelled = Set(
      arrows.indices.filter { search.symbols[$0] != nil }.compactMap { arrows[$0].ends })
    var rest = interpretation
    rest.arrows = arrows.indices.filter { number in
      let isParallel = arrows[number].ends.map(labelled.contains) ?? false
      return !isParallel || search.symbols[number] != nil || search.doubtful[number] != nil
    }.map { arrows[$0] }
    return rest.arrows.count == arrows.count ? search : LabelSearch(rest)
  }

  /// Returns the usual height of writing: of strokes that are no commas and no dots.
  private static func height(of traces: [Trace], _ scale: Double) -> Double {
    traces.map(\.height).filter { $0 > 0.2 * scale }.median() ?? 0.5 * scale
  }

  /// A line that may label an arrow, and how unlikely that is.
  private struct Pair {
    var line: Int
    var arrow: Int
    var cost: Double
  }

  private mutating func assign(_ lines: [TextLine]) {
    let scale = interpretation.scale
    guard scale > 0 else {
      remarks += lines
      return
    }
    let height = Self.height(of: lines.flatMap(\.traces), scale)
    // Where people write small, labels still stand as far from arrows as states are large.
    let unit = max(height, Self.minimumUnit * scale)
    let arrows = interpretation.arrows
    let grid = Grid(side: scale, of: arrows, at: \.shaft.path)
    let tips = arrows.compactMap(\.tip)
    func isAtTip(_ line: TextLine) -> Bool {
      tips.contains { tip in
        line.traces.allSatisfy { trace in
          trace.points.allSatisfy { $0.distance(to: tip) < Self.tipReach * scale }
        }
      }
    }
    func canLabel(_ line: TextLine) -> Bool {
      line.traces.count <= Self.maximumStrokes && line.width < Self.maximumWidth * height
    }
    // The arrows near each line, the nearest first.
    let near: [[Pair]] = lines.enumerated().map { number, line in
      guard canLabel(line) else { return [] }
      let reach = 0.5 * line.size + 2 * unit
      let tipCost = isAtTip(line) ? Self.atTipCost : 0
      return grid.items(near: line.center, reach: reach).map { arrow in
        Pair(
          line: number, arrow: arrow,
          cost: cost(of: line, at: arrows[arrow], height: height, unit: unit) + tipCost)
      }.filter { $0.cost < Self.remarkCost }.sorted { $0.cost < $1.cost }
    }
    let heights = zip(lines, near).filter { !$1.isEmpty }.map(\.0.height)
    let usualHeight = weightedMedian(heights.map { ($0, $0) }) ?? 0
    let pairs = zip(lines, near).flatMap { line, near in
      let smallCost = line.size < Self.smallSize * usualHeight ? Self.smallCost : 0
      return near.map { Pair(line: $0.line, arrow: $0.arrow, cost: $0.cost + smallCost) }
        .filter { $0.cost < Self.remarkCost }.prefix(Self.maximumArrows)
    }
    // An arrow has one label, and a label one arrow.
    let packing = Packing(
      candidates: pairs.map { pair in
        .init(strokes: [pair.line, lines.count + pair.arrow], saving: Self.remarkCost - pair.cost)
      })
    var assigned: [Int: [Int]] = [:]
    var used: Set<Int> = []
    for index in packing.chosen() {
      assigned[pairs[index].arrow, default: []].append(pairs[index].line)
      used.insert(pairs[index].line)
    }
    for pair in pairs.sorted(by: { $0.cost < $1.cost })
    where !used.contains(pair.line) && pair.cost < Self.furtherCost {
      let near = assigned[pair.arrow, default: []].contains { other in
        distance(lines[pair.line], lines[other]) < 1.2 * height
      }
      guard near else { continue }
      assigned[pair.arrow, default: []].append(pair.line)
      used.insert(pair.line)
    }
    for arrow in assigned.keys.sorted() where !arrows[arrow].isInitial {
      let unused = lines.indices.filter { !used.contains($0) && canLabel(lines[$0]) }
      let further = further(of: assigned[arrow]!, among: unused, lines)
      assigned[arrow]! += further
      used.formUnion(further)
    }
    func isReadBefore(_ one: TextLine, _ other: TextLine) -> Bool {
      let rows = ((one.center.y / height).rounded(), (other.center.y / height).rounded())
      return (rows.0, one.center.x) < (rows.1, other.center.x)
    }
    for (arrow, numbers) in assigned where !arrows[arrow].isInitial {
      let label = numbers.map { lines[$0] }.sorted(by: isReadBefore)
      undivided[arrow] = label
      symbols[arrow] = label.flatMap { WrittenRows(traces: $0.traces).undividedByBars }
        .sorted(by: isReadBefore)
    }
    for (arrow, numbers) in assigned where arrows[arrow].isInitial {
      remarks += numbers.map { lines[$0] }
    }
    let unassigned = lines.indices.filter { !used.contains($0) }.map { lines[$0] }
    remarks += unassigned
    let farUnit = max(height, Self.doubtfulUnit * scale)
    var far: [Int: [(line: TextLine, cost: Double)]] = [:]
    for line in unassigned
    where canLabel(line) && !isAtTip(line) && line.size >= Self.smallSize * usualHeight {
      let costs = grid.items(near: line.center, reach: 0.5 * line.size + 2 * farUnit)
        .filter { !arrows[$0].isInitial }
        .map { ($0, cost(of: line, at: arrows[$0], height: height, unit: farUnit)) }
      guard let (arrow, cost) = costs.min(by: { $0.1 < $1.1 }), cost < Self.remarkCost else {
        continue
      }
      far[arrow, default: []].append((line, cost))
    }
    for (arrow, lines) in far {
      let nearest = lines.sorted { $0.cost < $1.cost }.prefix(Self.maximumDoubtful)
      doubtful[arrow] = nearest.sorted { isReadBefore($0.line, $1.line) }.flatMap { line, cost in
        WrittenRows(traces: line.traces).undividedByBars.map { ($0, Self.touchingOdds - cost) }
      }
    }
  }

  /// The writing in states and at arrows that may be divided into other rows, by the numbers of these.
  var blocks: (names: [Int: LabelReader.Block], labels: [Int: LabelReader.Block]) {
    (
      names.filter { !$1.hasBars }.mapValues { name in
        .init(traces: name.rows.flatMap(\.traces), knownRows: name.rows, isName: true)
      },
      Dictionary(
        uniqueKeysWithValues: undivided.map { arrow, lines in
          let traces = lines.flatMap(\.traces)
          return (arrow, .init(traces: traces, knownRows: symbols[arrow]!, isName: false))
        })
    )
  }

  /// Divides writing into the rows in which it is read best.
  mutating func divide(
    with reader: LabelReader, as writing: @Sendable (_ line: TextLine) -> LabelReader.Writing
  ) {
    func better(_ blocks: [LabelReader.Block]) -> [[TextLine]?] {
      reader.betterRows(of: blocks, in: interpretation.pageWriting, as: writing)
    }
    let blocks = blocks
    let named = blocks.names.keys.sorted()
    for (state, rows) in zip(named, better(named.map { blocks.names[$0]! })) {
      if let rows { names[state] = WrittenRows(rows: rows) }
    }
    let labelled = blocks.labels.keys.sorted()
    // All writing at an arrow is one label, or each line is one.
    for (arrow, rows) in zip(labelled, better(labelled.map { blocks.labels[$0]! })) {
      if let rows {
        symbols[arrow] = rows
      } else if undivided[arrow]!.count > 1 {
        let lines = undivided[arrow]!.map { line in
          LabelReader.Block(
            traces: line.traces, knownRows: WrittenRows(traces: line.traces).undividedByBars,
            isName: false)
        }
        let ofLines = better(lines)
        if ofLines.contains(where: { $0 != nil }) {
          symbols[arrow] = zip(lines, ofLines).flatMap { $1 ?? $0.knownRows }
        }
      }
    }
  }

  /// Returns the further rows of a label, each above or below another one; none if there are so many that they are a
  /// text beside it.
  private func further(of label: [Int], among others: [Int], _ lines: [TextLine]) -> [Int] {
    var rows = label
    var rest = others
    while rows.count <= label.count + Self.maximumRows {
      let next = rest.firstIndex { other in
        rows.contains { lines[$0].isRow(aboveOrBelow: lines[other]) }
      }
      guard let next else { return Array(rows.dropFirst(label.count)) }
      rows.append(rest.remove(at: next))
    }
    return []
  }

  /// Returns the distance between the rectangles of two lines.
  private func distance(_ a: TextLine, _ b: TextLine) -> Double {
    let across = max(0, max(a.low.x, b.low.x) - min(a.high.x, b.high.x))
    let down = max(0, max(a.low.y, b.low.y) - min(a.high.y, b.high.y))
    return hypot(across, down)
  }

  private func cost(
    of line: TextLine, at arrow: ArrowCandidate, height: Double, unit: Double
  ) -> Double {
    let (low, high) = (line.low, line.high)
    let path = arrow.shaft.path
    var nearest = (distance: Double.infinity, index: 0)
    for (index, point) in path.enumerated() {
      let off = Vector(
        max(0, max(low.x - point.x, point.x - high.x)),
        max(0, max(low.y - point.y, point.y - high.y)))
      // The centre decides among lines that touch the rectangle.
      let distance = off.length + 0.15 * point.distance(to: line.center)
      if distance < nearest.distance { nearest = (distance, index) }
    }
    let share = nearest.distance / unit
    let place = abs(2 * Double(nearest.index) / Double(max(1, path.count - 1)) - 1)
    let wide = max(0, line.width / height - 5) * 0.4
    let arrowCost = arrow.isInitial ? 1.5 : 0
    return 1.1 * share * share + 0.5 * place * place + wide + arrowCost
  }
}
