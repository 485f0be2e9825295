import DisjointSets
import Foundation
import Ink

/// A line that was traced, in pixels of the evened picture.
struct TracedLine {
  var points: [Vector]
  /// The width of the ink, in pixels.
  var width: Double
  /// Whether its ends are one.
  var isClosed = false
  /// Whether its first and its last point touch no other line.
  var isFree = [true, true]
}

/// Joins the lines of a graph where the pen went on, straight through crossings.
struct StrokePaths {
  private let graph: SkeletonGraph
  private let penWidth: Double
  /// The lines.
  private(set) var lines: [TracedLine] = []

  /// For each end of an edge, the end that goes on from it.
  private var partners: [Int: Int] = [:]
  /// For each end of an edge at a place where lines meet, what is known of it.
  private var approaches: [Int: Approach] = [:]
  /// For each end of an edge that turns sharply into its partner, where it does.
  private var corners: [Int: Vector] = [:]
  /// Edges that are only the middle of a crossing.
  private var isBridge: [Bool]

  /// How a line comes to the place where it meets others.
  private struct Approach {
    /// Where it leaves the ink of the others.
    var anchor: Vector
    /// The direction from the anchor away from the meeting, of length 1.
    var direction: Vector
    /// The number of pixels of the edge before the anchor.
    var trimmed: Int
    /// The middle of the meeting.
    var center: Vector
    /// The angle by which it turns on its way from the anchor.
    var turn = 0.0
  }

  /// The greatest bend, in radians, at which a line goes on through a meeting.
  private static let greatestBend = 50 * Double.pi / 180

  /// What a line that ends at a meeting costs, and one of four lines that meet, as shares of the square of the
  /// greatest bend.
  private static let (endCost, fourWayEndCost) = (0.5, 0.7)

  /// The greatest bend, in radians, of lines that cross where they share their way for a while.
  private static let crossingBend = 0.4

  /// How far the direction of a short line is measured, and that of a long one, in widths of the pen: letters turn
  /// within a few widths, and hands tremble along arrows.
  private static let (shortReach, longReach) = (4.0, 6.0)
  /// The length from which a line is long, in widths of the pen.
  private static let longLine = 16.0

  /// The bend, in radians, from which a ring has a corner.
  private static let sharpBend = 0.7

  /// For each edge, the round holes beside it.
  private let holes: [Set<UInt16>]

  init(_ graph: SkeletonGraph, holes: RoundHoles, penWidth: Double) {
    self.graph = graph
    self.penWidth = penWidth
    self.holes = graph.edges.map { holes.holes(beside: $0.pixels, inkWidth: $0.width) }
    isBridge = [Bool](repeating: false, count: graph.edges.count)
    for meeting in meetings() { join(meeting) }
    follow()
  }

  private func point(_ pixel: Int32) -> Vector {
    let (row, column) = Int(pixel).quotientAndRemainder(dividingBy: graph.width)
    return Vector(Double(column) + 0.5, Double(row) + 0.5)
  }

  // MARK: Meetings

  /// Returns the ends of edges that meet, with the middle and the width of each meeting.
  ///
  /// Where two lines cross at an angle, the thinned ink has two forks with a short bridge.
  private mutating func meetings() -> [(ends: [Int], center: Vector, width: Double)] {
    var sets = DisjointSets(count: graph.nodes.count)
    for (index, edge) in graph.edges.enumerated()
    where edge.nodes.count == 2 && !edge.pixels.isEmpty {
      let (a, b) = (graph.nodes[edge.nodes[0]], graph.nodes[edge.nodes[1]])
      guard a.ends.count >= 3, b.ends.count >= 3 else { continue }
      let length = graph.length(index)
      let widest = max(a.width, b.width)
      let thinnest = edge.pixels.map { graph.distances[Int($0)] }.min() ?? 0
      let isWide = SkeletonGraph.inkWidth(thinnest) > 1.3 * penWidth && length < 5 * penWidth
      guard length < 0.9 * widest + 1 || isWide || isCrossing(index, length: length) else {
        continue
      }
      isBridge[index] = true
      sets.join(edge.nodes[0], into: edge.nodes[1])
    }
    return sets.groups(of: graph.nodes.indices).compactMap { nodes in
      let ends = nodes.flatMap { graph.nodes[$0].ends }.filter { !isBridge[$0 / 2] }
      guard ends.count >= 2 else { return nil }
      let count = Double(nodes.count)
      return (
        ends,
        Vector(
          nodes.reduce(0) { $0 + graph.nodes[$1].x } / count + 0.5,
          nodes.reduce(0) { $0 + graph.nodes[$1].y } / count + 0.5),
        nodes.reduce(0) { max($0, graph.nodes[$1].width) }
      )
    }
  }

  /// Whether two lines cross at a small angle, so that they share their way along an edge.
  private func isCrossing(_ edge: Int, length: Double) -> Bool {
    let nodes = graph.edges[edge].nodes.map { graph.nodes[$0] }
    guard length < 7 * penWidth, nodes.allSatisfy({ $0.ends.count == 3 }) else { return false }
    let center = Vector((nodes[0].x + nodes[1].x) / 2 + 0.5, (nodes[0].y + nodes[1].y) / 2 + 0.5)
    let sides = nodes.map { node in
      node.ends.filter { $0 / 2 != edge }.map {
        approach(of: $0, center: center, width: node.width)
      }
    }
    guard sides.allSatisfy({ $0.count == 2 }) else { return false }
    func bends(_ first: Int) -> Double {
      max(
        bend(from: sides[0][0], to: sides[1][first]),
        bend(from: sides[0][1], to: sides[1][1 - first]))
    }
    return min(bends(0), bends(1)) < Self.crossingBend
  }

  /// Decides which of the lines at a meeting go on in each other.
  private mutating func join(_ meeting: (ends: [Int], center: Vector, width: Double)) {
    let ends = meeting.ends
    if ends.count == 2 {
      // Nothing meets: only a spur was removed here.
      partners[ends[0]] = ends[1]
      partners[ends[1]] = ends[0]
      return
    }
    let found = ends.map { approach(of: $0, center: meeting.center, width: meeting.width) }
    for (end, approach) in zip(ends, found) { approaches[end] = approach }
    var isJoined = [Bool](repeating: false, count: ends.count)
    for (a, b) in ringPairs(ends, found)
    where !isJoined[a] && !isJoined[b]
      && !goOnElsewhere(a, b, found.indices.filter { !isJoined[$0] }, found)
    {
      partners[ends[a]] = ends[b]
      partners[ends[b]] = ends[a]
      (isJoined[a], isJoined[b]) = (true, true)
      if abs(Self.angle(from: found[a].direction * -1, to: found[b].direction)) > Self.sharpBend {
        corners[ends[a]] = meeting.center
        corners[ends[b]] = meeting.center
      }
    }
    var costs: [(cost: Double, a: Int, b: Int)] = []
    for a in ends.indices where !isJoined[a] {
      for b in ends.indices where b > a && !isJoined[b] {
        let cost = bend(from: found[a], to: found[b])
        if cost < Self.greatestBend { costs.append((cost, a, b)) }
      }
    }
    // Where four lines meet, two lines usually cross.
    let isFourWay = ends.count == 4 && !isJoined.contains(true)
    let endCost =
      Self.greatestBend * Self.greatestBend * (isFourWay ? Self.fourWayEndCost : Self.endCost)
    let chosen =
      ends.count <= 8 ? best(costs, count: ends.count, endCost: endCost) : greedy(costs)
    for (a, b) in chosen {
      partners[ends[a]] = ends[b]
      partners[ends[b]] = ends[a]
    }
  }

  /// Returns the pairs of lines around the same round hole, the straightest first: the line between a
  /// ring and a loop is around both.
  private func ringPairs(_ ends: [Int], _ found: [Approach]) -> [(Int, Int)] {
    Set(ends.flatMap { holes[$0 / 2] }).sorted().compactMap { hole -> (Double, Int, Int)? in
      let around = ends.indices.filter { holes[ends[$0] / 2].contains(hole) }
      guard around.count == 2 else { return nil }
      return (bend(from: found[around[0]], to: found[around[1]]), around[0], around[1])
    }.sorted { $0.0 < $1.0 }.map { ($0.1, $0.2) }
  }

  /// Whether the lines `a` and `b` around a hole both go on straight in two others of `free`: areas between arrows
  /// can be as round as rings.
  private func goOnElsewhere(_ a: Int, _ b: Int, _ free: [Int], _ found: [Approach]) -> Bool {
    let most = min(bend(from: found[a], to: found[b]) / 2, Self.greatestBend)
    func straight(_ end: Int) -> [Int] {
      free.filter { $0 != a && $0 != b && bend(from: found[end], to: found[$0]) < most }
    }
    let (first, second) = (straight(a), straight(b))
    // Each needs a line of its own.
    return !first.isEmpty && !second.isEmpty && Set(first + second).count > 1
  }

  private func approach(of end: Int, center: Vector, width: Double) -> Approach {
    let edge = graph.edges[end / 2]
    let pixels = edge.pixels
    let count = pixels.count
    func pixel(_ index: Int) -> Int32 { end % 2 == 0 ? pixels[index] : pixels[count - 1 - index] }
    // Close to the others, the thinned ink bends towards them.
    let most = min(count / 2, Int(1.5 * width + 2))
    var trimmed = min(most, Int((0.5 * width).rounded(.up)))
    while trimmed < most,
      SkeletonGraph.inkWidth(graph.distances[Int(pixel(trimmed))]) > 1.25 * edge.width + 0.3
    {
      trimmed += 1
    }
    trimmed = min(trimmed, count - 1)
    let usual = Double(count) > Self.longLine * penWidth ? Self.longReach : Self.shortReach
    let reach = min(count - 1 - trimmed, Int(max(8, usual * penWidth)))
    let anchor = point(pixel(trimmed))
    guard reach >= 2 else {
      let far = count > 1 ? point(pixel(count - 1)) : anchor
      return Approach(
        anchor: anchor, direction: Self.unit(from: center, to: far), trimmed: trimmed,
        center: center)
    }
    let middle = point(pixel(trimmed + reach / 2))
    let far = point(pixel(trimmed + reach))
    let near = Self.unit(from: anchor, to: middle)
    let next = Self.unit(from: middle, to: far)
    // Half of the turn along the line also lies before its middle.
    let turn = Self.angle(from: next, to: near)
    let change = reach >= 8 ? max(-0.3, min(0.3, turn / 2)) : 0
    return Approach(
      anchor: anchor, direction: near.turned(by: change), trimmed: trimmed, center: center,
      turn: reach >= 8 ? -turn : 0)
  }

  private static func unit(from a: Vector, to b: Vector) -> Vector {
    let distance = a.distance(to: b)
    return distance > 0 ? Vector((b.x - a.x) / distance, (b.y - a.y) / distance) : Vector(1, 0)
  }

  private static func angle(from a: Vector, to b: Vector) -> Double {
    atan2(a.cross(b), a.dot(b))
  }

  /// Returns how much a line would bend that comes in by one approach and leaves by the other.
  private func bend(from a: Approach, to b: Approach) -> Double {
    let incoming = a.direction * -1
    // Lines that turn alike on both sides, as rings do, go on in each other.
    let unlike = 0.35 * min(1, abs(a.turn + b.turn))
    let whole = abs(Self.angle(from: incoming, to: b.direction)) + unlike
    guard a.anchor.distance(to: b.anchor) > max(2, penWidth) else { return whole }
    let link = Self.unit(from: a.anchor, to: b.anchor)
    let first = Self.angle(from: incoming, to: link)
    let second = Self.angle(from: link, to: b.direction)
    return max(whole, 0.7 * (abs(first) + abs(second)) + unlike)
  }

  /// Returns the pairs with the least sum of squared bends, where a line that ends costs `endCost`.
  private func best(
    _ costs: [(cost: Double, a: Int, b: Int)], count: Int, endCost: Double
  ) -> [(Int, Int)] {
    var table = [Double](repeating: .infinity, count: count * count)
    for (cost, a, b) in costs { table[a * count + b] = cost * cost }
    func search(_ used: Int, _ first: Int) -> (cost: Double, pairs: [(Int, Int)]) {
      guard first < count else { return (0, []) }
      guard used >> first & 1 == 0 else { return search(used, first + 1) }
      var result = search(used | 1 << first, first + 1)
      result.cost += endCost
      for other in first + 1..<max(count, first + 1)
      where used >> other & 1 == 0 && table[first * count + other] < .infinity {
        let rest = search(used | 1 << first | 1 << other, first + 1)
        let cost = rest.cost + table[first * count + other]
        if cost < result.cost { result = (cost, rest.pairs + [(first, other)]) }
      }
      return result
    }
    return search(0, 0).pairs
  }

  private func greedy(_ costs: [(cost: Double, a: Int, b: Int)]) -> [(Int, Int)] {
    var used: Set<Int> = []
    var pairs: [(Int, Int)] = []
    for (_, a, b) in costs.sorted(by: { $0.cost < $1.cost })
    where !used.contains(a) && !used.contains(b) {
      used.formUnion([a, b])
      pairs.append((a, b))
    }
    return pairs
  }

  // MARK: Lines

  private mutating func follow() {
    var isTaken = isBridge
    for (index, edge) in graph.edges.enumerated() where edge.pixels.isEmpty {
      isTaken[index] = true
    }
    for (index, edge) in graph.edges.enumerated() where !isTaken[index] && edge.nodes.isEmpty {
      isTaken[index] = true
      var points = edge.pixels.map(point)
      points.append(points[0])
      lines.append(TracedLine(points: points, width: edge.width, isClosed: true))
    }
    // First the lines with ends, then those that go round.
    for onlyEnds in [true, false] {
      for edge in graph.edges.indices where !isTaken[edge] {
        let start = [2 * edge, 2 * edge + 1].first { partners[$0] == nil }
        if onlyEnds, start == nil { continue }
        walk(from: start ?? 2 * edge, isTaken: &isTaken)
      }
    }
    for node in graph.nodes where node.ends.isEmpty {
      lines.append(TracedLine(points: [Vector(node.x + 0.5, node.y + 0.5)], width: node.width))
    }
  }

  /// Follows the line that starts with the end `first` of an edge.
  private mutating func walk(from first: Int, isTaken: inout [Bool]) {
    var points: [Vector] = []
    var (widths, count) = (0.0, 0)
    var end = first
    var isClosed = false
    if partners[first] == nil, let approach = approaches[first] {
      points.append(touching(approach))
    }
    while true {
      let edge = end / 2
      isTaken[edge] = true
      let pixels = graph.edges[edge].pixels
      let far = end ^ 1
      var start = approaches[end]?.trimmed ?? 0
      var stop = pixels.count - (approaches[far]?.trimmed ?? 0)
      if stop <= start {
        start = pixels.count / 2
        stop = start + 1
      }
      let part = end % 2 == 0 ? Array(pixels) : pixels.reversed()
      points += part[start..<stop].map(point)
      widths += graph.edges[edge].width * Double(pixels.count)
      count += pixels.count
      guard let next = partners[far] else {
        if let approach = approaches[far] { points.append(touching(approach)) }
        break
      }
      if let corner = corners[far] { points.append(corner) }
      if isTaken[next / 2] {
        isClosed = next == first
        break
      }
      end = next
    }
    if isClosed, let start = points.first { points.append(start) }
    var line = TracedLine(
      points: points, width: widths / Double(max(1, count)), isClosed: isClosed)
    line.isFree = [approaches[first] == nil, approaches[end ^ 1] == nil]
    lines.append(line)
  }

  /// Returns where a line touches another: the point closest to the middle of the meeting.
  private func touching(_ approach: Approach) -> Vector {
    let along = (approach.anchor - approach.center).dot(approach.direction)
    return approach.anchor - approach.direction * max(0, along)
  }
}
