import Foundation
import Ink

/// Finds heads of arrows in the ink, and draws each as two barbs at the end of its line.
///
/// A hatched, closed or small head that is thinned falls into fragments without a direction. With its narrow
/// gaps closed, it is a wedge: wide where the line comes in, and narrow at the tip.
struct ArrowHeads {
  /// A head, in pixels.
  struct Head {
    var tip: Point
    var corners: [Point]
    /// The line that it is the head of, and the point of the line at which the line enters the head.
    var line: Int
    var entry: Int
    /// Whether the line goes on towards its end in the head; otherwise, towards its start.
    var isForward: Bool
    /// The wedge, with the way of the line as the first axis.
    var wedge: Wedge
    /// The pixels of the wedge and those near it.
    var area: Set<Int>
    /// The distance from the tip to a long line, such as the ring of a state, in widths of the pen; 5 if there
    /// is none within that.
    var gap: Double

    /// Whether a place is in the last quarter of the wedge, or beyond.
    func isTip(_ place: Point) -> Bool {
      wedge.along(place) > wedge.end - 0.25 * (wedge.end - wedge.start)
    }

    /// How little it looks like a head.
    var cost: Double {
      (wedge.tipWidth + abs(wedge.offset)) / wedge.base + 0.1 * gap
    }
  }

  /// Gaps of twice this many widths of the pen are closed.
  private static let closing = 0.75
  /// The width of what counts as wide, and the width that a wedge has somewhere, in widths of the pen.
  private static let coreWidth = 2.0
  private static let minimumDepth = 2.3
  /// The width of the half of a wedge where its line comes in, in widths of the pen.
  private static let minimumBase = 2.4
  /// The length of a wedge, in widths of the pen.
  private static let lengths = 2.0...13.0
  /// The length of a barb, in widths of the pen.
  private static let longestBarb = 13.0
  /// Wedges of a higher cost are no heads.
  private static let highestCost = 1.1
  /// The length of a line that has a head near a long line, and of any line that has a head.
  private static let minimumShaft = 7.0
  private static let longShaft = 20.0
  /// How far a tip is from the state, and how long the line of a state is, in widths of the pen.
  private static let reach = 5.0
  private static let minimumRing = 25.0

  private let width: Int
  private let penWidth: Double
  private let lines: [TracedLine]
  private let lengths: [Double]
  /// The lines with points in each square of four widths of the pen.
  private var cells: [Int: Set<Int>] = [:]

  /// Returns `lines` without what is in a head, and the barbs of each head as one line over its tip.
  static func separated(
    _ lines: [TracedLine], in mask: InkMask, penWidth: Double
  ) -> (lines: [TracedLine], barbs: [TracedLine]) {
    let heads = ArrowHeads(lines, width: mask.width, penWidth: penWidth)
    var found: [Head] = []
    for area in heads.wideAreas(of: mask) {
      guard let head = heads.head(area), head.cost < Self.highestCost,
        found.allSatisfy({ $0.area.isDisjoint(with: head.area) })
      else { continue }
      found.append(head)
    }
    return heads.redrawn(found)
  }

  private init(_ lines: [TracedLine], width: Int, penWidth: Double) {
    self.lines = lines
    self.width = width
    self.penWidth = penWidth
    lengths = lines.map { Stroke($0.points).length }
    for (index, line) in lines.enumerated() {
      for point in line.points { cells[cell(point), default: []].insert(index) }
    }
  }

  private func cell(_ point: Point) -> Int {
    Int(point.y / (4 * penWidth)) << 20 + Int(point.x / (4 * penWidth))
  }

  private func pixel(_ point: Point) -> Int { Int(point.y) * width + Int(point.x) }

  private func place(_ pixel: Int) -> Point {
    Point(Double(pixel % width) + 0.5, Double(pixel / width) + 0.5)
  }

  /// Returns the lines with points in the cells of `places`.
  private func linesNear(_ places: [Point]) -> Set<Int> {
    Set(places.map(cell)).reduce(into: []) { $0.formUnion(cells[$1] ?? []) }
  }

  // MARK: Wide areas

  /// Returns the pixels of areas that are wide after gaps are closed.
  private func wideAreas(of mask: InkMask) -> [Set<Int>] {
    let radius = UInt8(min(200, 3 * Self.closing * penWidth))
    var closed = mask
    for index in closed.pixels.indices { closed.pixels[index] = 1 - mask.pixels[index] }
    let around = closed.distances()
    for index in closed.pixels.indices { closed.pixels[index] = around[index] <= radius ? 1 : 0 }
    let inside = closed.distances()
    for index in closed.pixels.indices {
      closed.pixels[index] = mask.pixels[index] != 0 || inside[index] > radius ? 1 : 0
    }
    let distances = closed.distances()
    func distance(atWidth width: Double) -> UInt8 {
      UInt8(min(250, max(6, 1.5 * (width * penWidth + 0.5))))
    }
    let (least, deep) = (distance(atWidth: Self.coreWidth), distance(atWidth: Self.minimumDepth))
    var core = mask
    for index in core.pixels.indices { core.pixels[index] = distances[index] >= least ? 1 : 0 }
    let cores = Components(of: core, contrast: [])
    let longest = Self.lengths.upperBound * penWidth
    var areas = [Set<Int>](repeating: [], count: cores.parts.count)
    var isDeep = [Bool](repeating: false, count: cores.parts.count)
    for run in cores.runs where Double(cores.parts[Int(run.part)].longerSide) <= longest {
      for column in Int(run.start)..<Int(run.end) {
        let (row, part) = (Int(run.row), Int(run.part))
        let depth = distances[row * width + column]
        if depth >= deep { isDeep[part] = true }
        let radius = Double(depth) / 3
        for y in Int(Double(row) - radius)...Int(Double(row) + radius) {
          let across = (radius * radius - Double((y - row) * (y - row))).squareRoot()
          guard across.isFinite else { continue }
          for x in Int(Double(column) - across)...Int(Double(column) + across)
          where closed.pixels[y * width + x] != 0 {
            areas[part].insert(y * width + x)
          }
        }
      }
    }
    return zip(areas, isDeep).filter(\.1).map(\.0)
  }

  // MARK: Wedges

  /// An area measured along the way of a line that comes into it.
  struct Wedge {
    /// Where the line comes in, and its way, of length 1.
    var entry: Point
    var way: Point
    /// The extent of the area along the way.
    var start = Double.infinity
    var end = -Double.infinity
    /// How far from the start the middle of the area is, as a share of its length.
    var middle = 0.0
    /// How far the middle is beside the way.
    var offset = 0.0
    /// The width of the half where the line comes in, and of the third around the tip.
    var base = 0.0
    var tipWidth = 0.0
    /// The outermost places of the base.
    var corners: [Point] = []

    func along(_ point: Point) -> Double {
      (point.x - entry.x) * way.x + (point.y - entry.y) * way.y
    }

    func beside(_ point: Point) -> Double {
      (point.y - entry.y) * way.x - (point.x - entry.x) * way.y
    }

    func place(along: Double, beside: Double) -> Point {
      Point(
        entry.x + along * way.x - beside * way.y, entry.y + along * way.y + beside * way.x)
    }

    /// Returns a corner moved towards the middle of the wedge, along and across the way.
    func inside(_ corner: Point, by distance: Double) -> Point {
      let beside = beside(corner)
      return place(
        along: along(corner) + distance,
        beside: beside < 0 ? min(0, beside + distance) : max(0, beside - distance))
    }

    init(_ places: [Point], entry: Point, way: Point) {
      (self.entry, self.way) = (entry, way)
      for place in places {
        let along = along(place)
        (start, end) = (min(start, along), max(end, along))
        middle += along
        offset += beside(place)
      }
      let count = Double(max(1, places.count))
      middle = (middle / count - start) / max(1e-9, end - start)
      offset /= count
      var (sides, tipSides) = ((0.0, 0.0), (0.0, 0.0))
      var outermost: (Point, Point) = (entry, entry)
      for place in places {
        let (share, beside) = ((along(place) - start) / max(1e-9, end - start), beside(place))
        if share < 0.5 {
          if beside < sides.0 { (sides.0, outermost.0) = (beside, place) }
          if beside > sides.1 { (sides.1, outermost.1) = (beside, place) }
        } else if share > 0.7 {
          tipSides = (min(tipSides.0, beside), max(tipSides.1, beside))
        }
      }
      (base, tipWidth) = (sides.1 - sides.0, tipSides.1 - tipSides.0)
      corners = [outermost.0, outermost.1]
    }
  }

  /// Returns the head that an area is, or `nil` if it is none.
  private func head(_ pixels: Set<Int>) -> Head? {
    // In a fixed order, so that sums are the same in each process.
    let places = pixels.sorted().map(place)
    let near = linesNear(places)
      .filter { !lines[$0].isClosed && lengths[$0] >= Self.minimumShaft * penWidth }
    guard !near.isEmpty else { return nil }
    var area = pixels
    let margin = Int(penWidth.rounded(.up))
    for pixel in pixels {
      for row in -margin...margin {
        for column in -margin...margin { area.insert(pixel + row * width + column) }
      }
    }
    var best: Head?
    for line in near.sorted() {
      let points = lines[line].points
      for index in points.indices.dropLast() {
        let isInside = (
          area.contains(pixel(points[index])), area.contains(pixel(points[index + 1]))
        )
        guard isInside.0 != isInside.1 else { continue }
        let isForward = isInside.1
        let entry = isForward ? index : index + 1
        guard
          let found = head(
            places, area: area, line: line, entry: entry, isForward: isForward),
          best.map({ found.cost < $0.cost }) ?? true
        else { continue }
        best = found
      }
    }
    return best
  }

  /// Returns the head that an area is for a line that comes in at the point `entry`, or `nil`.
  private func head(
    _ places: [Point], area: Set<Int>, line: Int, entry: Int, isForward: Bool
  ) -> Head? {
    // The line outside of the area, from the entry on, until it comes back.
    let points = lines[line].points
    var (last, length) = (entry, 0.0)
    var before: Point?
    while case let next = isForward ? last - 1 : last + 1, points.indices.contains(next),
      !area.contains(pixel(points[next]))
    {
      length += points[last].distance(to: points[next])
      last = next
      if before == nil, length >= 4 * penWidth { before = points[next] }
      if length > Self.longShaft * penWidth { break }
    }
    guard length >= Self.minimumShaft * penWidth, let before else { return nil }
    let distance = before.distance(to: points[entry])
    guard distance > 0 else { return nil }
    let way = Point(
      (points[entry].x - before.x) / distance, (points[entry].y - before.y) / distance)
    let wedge = Wedge(places, entry: points[entry], way: way)
    guard Self.lengths.contains((wedge.end - wedge.start) / penWidth), wedge.middle < 0.5,
      wedge.base >= Self.minimumBase * penWidth, wedge.tipWidth <= 0.72 * wedge.base,
      abs(wedge.offset) <= 0.3 * wedge.base
    else { return nil }
    let tip = wedge.place(along: wedge.end, beside: 0)
    let gap = gap(at: tip, except: line)
    guard gap < Self.reach || length > Self.longShaft * penWidth else { return nil }
    let head = Head(
      tip: tip, corners: wedge.corners.map { wedge.inside($0, by: penWidth / 2) }, line: line,
      entry: entry, isForward: isForward, wedge: wedge, area: area, gap: gap)
    return goesOn(head) || isClear(head) ? nil : head
  }

  /// Returns the distance from `tip` to a long line, in widths of the pen, or `reach` if none is nearer.
  private func gap(at tip: Point, except line: Int) -> Double {
    let (row, column) = (cell(tip) >> 20, cell(tip) & 0xFFFFF)
    var gap = Self.reach
    for row in row - 2...row + 2 {
      for column in column - 2...column + 2 {
        for other in cells[row << 20 + column] ?? []
        where other != line && lengths[other] >= Self.minimumRing * penWidth {
          for point in lines[other].points { gap = min(gap, point.distance(to: tip) / penWidth) }
        }
      }
    }
    return gap
  }

  /// Whether the line of a head goes on behind it, as at a crossing, or as a ring does.
  private func goesOn(_ head: Head) -> Bool {
    let points = lines[head.line].points
    let step = head.isForward ? 1 : -1
    var index = head.entry + step
    while points.indices.contains(index), head.area.contains(pixel(points[index])) { index += step }
    guard points.indices.contains(index) else { return false }
    let exit = points[index]
    while points.indices.contains(index) {
      let distance = points[index].distance(to: exit)
      if distance > Self.minimumShaft * penWidth {
        let along = head.wedge.along(points[index]) - head.wedge.along(exit)
        return along > 0.5 * distance
      }
      index += step
    }
    return false
  }

  /// Whether a head was thinned to its line and two barbs, so that nothing better can be drawn.
  private func isClear(_ head: Head) -> Bool {
    let near = linesNear(head.area.map(place))
    var sides: [Double] = []
    for line in near where line != head.line && lengths[line] < Self.minimumRing * penWidth {
      let points = lines[line].points
      guard points.contains(where: { head.area.contains(pixel($0)) }) else { continue }
      guard points.contains(where: { $0.distance(to: head.tip) < 2.5 * penWidth }) else {
        return false
      }
      for end in [points[0], points[points.count - 1]]
      where end.distance(to: head.tip) > 2.5 * penWidth {
        sides.append(head.wedge.beside(end))
      }
    }
    return sides.count == 2 && sides.min()! < -penWidth && sides.max()! > penWidth
  }

  // MARK: Drawing

  private func redrawn(_ heads: [Head]) -> (lines: [TracedLine], barbs: [TracedLine]) {
    guard !heads.isEmpty else { return (lines, []) }
    var heads = heads
    var owners: [Int: Int] = [:]
    for (index, head) in heads.enumerated() {
      for pixel in head.area { owners[pixel] = index }
    }
    var result: [TracedLine] = []
    for (number, line) in lines.enumerated() {
      let inside = line.points.map { point -> Int? in
        guard let owner = owners[pixel(point)] else { return nil }
        // The ring that a tip touches goes on there.
        return heads[owner].line == number || !heads[owner].isTip(point) ? owner : nil
      }
      guard inside.contains(where: { $0 != nil }) else {
        result.append(line)
        continue
      }
      var start = 0
      while start < inside.count {
        guard inside[start] == nil else {
          start += 1
          continue
        }
        var end = start
        while end < inside.count, inside[end] == nil { end += 1 }
        let before = start > 0 ? inside[start - 1] : nil
        let after = end < inside.count ? inside[end] : nil
        var piece = line
        piece.points = Array(line.points[start..<end])
        piece.isClosed = false
        if before != nil { piece.isFree[0] = true }
        if after != nil { piece.isFree[1] = true }
        append(
          piece, of: number, from: start, before: before, after: after, heads: &heads, to: &result)
        start = end
      }
    }
    let barbs = heads.map { head in
      let corners = [head.corners[0], head.tip, head.corners[1]]
      return TracedLine(points: Stroke(corners).resampled(spacing: 1).points, width: penWidth)
    }
    return (result, barbs)
  }

  /// Adds what is left of a line outside of heads: a barb goes into its head, a shaft goes on to the tip.
  private func append(
    _ piece: TracedLine, of line: Int, from start: Int, before: Int?, after: Int?,
    heads: inout [Head], to result: inout [TracedLine]
  ) {
    var piece = piece
    let end = start + piece.points.count - 1
    let length = Stroke(piece.points).length
    var isShaft = false
    for (index, place) in [(before, start), (after, end)] {
      guard let index, heads[index].line == line, heads[index].entry == place else { continue }
      isShaft = true
      if place == end { piece.points.append(heads[index].tip) }
      if place == start { piece.points.insert(heads[index].tip, at: 0) }
    }
    guard !isShaft else {
      result.append(piece)
      return
    }
    guard let index = before ?? after,
      let far = piece.points.max(by: {
        $0.distance(to: heads[index].tip) < $1.distance(to: heads[index].tip)
      })
    else {
      result.append(piece)
      return
    }
    let isLoose =
      (before != nil || piece.isFree[0]) && (after != nil || piece.isFree[1])
    let wedge = heads[index].wedge
    let isBarb =
      isLoose && far.distance(to: heads[index].tip) <= Self.longestBarb * penWidth
      && wedge.along(far) < wedge.end - 0.3 * (wedge.end - wedge.start)
    guard isBarb else {
      if !isLoose || length > 5 * penWidth { result.append(piece) }
      return
    }
    // Barbs are longer than the wedge where their gaps are wide.
    for point in piece.points {
      let side = wedge.beside(point) < 0 ? 0 : 1
      if abs(wedge.beside(point)) > abs(wedge.beside(heads[index].corners[side])) {
        heads[index].corners[side] = point
      }
    }
  }
}
