import Ink

/// Thinned ink as a graph: lines of pixels between the places where they end or meet.
struct SkeletonGraph {
  /// A line of pixels.
  struct Edge {
    /// The pixels in order, as indices; those of the nodes are not among them.
    var pixels: [Int32]
    /// The nodes at the start and the end; none for a ring.
    var nodes: [Int]
    /// The usual width of the ink along it, in pixels.
    var width: Double
  }

  /// A place where lines end or meet.
  struct Node {
    var x: Double
    var y: Double
    /// The greatest width of the ink, in pixels.
    var width: Double
    /// The edges that end here: twice their index, plus 1 for their end.
    var ends: [Int] = []
  }

  let width: Int
  private(set) var edges: [Edge] = []
  private(set) var nodes: [Node] = []
  /// The distance to the paper, in thirds of a pixel.
  let distances: [UInt8]

  /// The width of the ink at a distance to the paper, in pixels.
  static func inkWidth(_ distance: UInt8) -> Double { max(1, Double(distance) / 1.5 - 0.5) }

  /// Takes `mask`, which is thinned, apart.
  init(_ mask: InkMask, distances: [UInt8]) {
    width = mask.width
    self.distances = distances
    let width = mask.width
    var kinds = mask.pixels
    let steps = InkMask.steps(width: width)
    var nodePixels: [Int] = []
    kinds.withUnsafeMutableBufferPointer { pixels in
      for index in pixels.indices where pixels[index] != 0 {
        let around = InkMask.neighbours(of: index, in: pixels, width: width)
        if around.nonzeroBitCount != 2 { nodePixels.append(index) }
      }
    }
    for index in nodePixels { kinds[index] = Kind.node }
    var nodeOf: [Int: Int] = [:]
    for first in nodePixels where nodeOf[first] == nil {
      let number = nodes.count
      var (sumX, sumY, count, thickest) = (0, 0, 0, UInt8(0))
      var pending = [first]
      nodeOf[first] = number
      while let index = pending.popLast() {
        sumX += index % width
        sumY += index / width
        count += 1
        thickest = max(thickest, distances[index])
        for step in steps where kinds[index + step] == Kind.node && nodeOf[index + step] == nil {
          nodeOf[index + step] = number
          pending.append(index + step)
        }
      }
      nodes.append(
        Node(
          x: Double(sumX) / Double(count), y: Double(sumY) / Double(count),
          width: Self.inkWidth(thickest)))
    }
    /// Follows a line from `start`, which comes after `previous`; returns its pixels and what is next.
    func follow(from start: Int, after previous: Int) -> (pixels: [Int32], next: Int) {
      var (previous, index) = (previous, start)
      var line: [Int32] = []
      while true {
        kinds[index] = Kind.taken
        line.append(Int32(index))
        guard let step = steps.first(where: { kinds[index + $0] != 0 && index + $0 != previous })
        else { return (line, index) }
        (previous, index) = (index, index + step)
        if kinds[index] != Kind.line { return (line, index) }
      }
    }
    for index in nodePixels {
      for step in steps where kinds[index + step] == Kind.line {
        let (line, next) = follow(from: index + step, after: index)
        guard let start = nodeOf[index], let end = nodeOf[next] else { continue }
        append(line, from: start, to: end)
      }
    }
    for index in kinds.indices where kinds[index] == Kind.line {
      // The neighbour that comes last, so that the line goes round.
      let previous = steps.last { kinds[index + $0] != 0 }.map { index + $0 } ?? index
      let (line, _) = follow(from: index, after: previous)
      edges.append(Edge(pixels: line, nodes: [], width: usualWidth(line)))
    }
  }

  private enum Kind {
    static let line: UInt8 = 1
    static let node: UInt8 = 2
    static let taken: UInt8 = 3
  }

  private mutating func append(_ line: [Int32], from start: Int, to end: Int) {
    // Specks of paper within the ink.
    if start == end, line.count < 3 { return }
    nodes[start].ends.append(2 * edges.count)
    nodes[end].ends.append(2 * edges.count + 1)
    edges.append(Edge(pixels: line, nodes: [start, end], width: usualWidth(line)))
  }

  private func usualWidth(_ line: [Int32]) -> Double {
    line.map { distances[Int($0)] }.median().map(Self.inkWidth) ?? 1
  }

  /// The length of an edge, in pixels.
  func length(_ edge: Int) -> Double {
    let pixels = edges[edge].pixels
    var length = 1.0
    for index in pixels.indices.dropFirst() {
      let step = abs(Int(pixels[index] - pixels[index - 1]))
      length += step == 1 || step == width ? 1 : 1.4142
    }
    return length
  }

  /// Removes lines whose end hardly sticks out of the ink that they come from: they follow the roughness of
  /// its edge (the largest discs inside of the ink, as in Shaked and Bruckstein, "Pruning medial axes", 1998).
  mutating func removeSpurs(penWidth: Double) {
    var isRemoved = [Bool](repeating: false, count: edges.count)
    for node in nodes where node.ends.count >= 3 {
      let spurs = node.ends.filter { end in
        let edge = edges[end / 2]
        let tip = nodes[edge.nodes[1 - end % 2]]
        guard tip.ends.count == 1 else { return false }
        let protrusion = length(end / 2) + tip.width / 2 - node.width / 2
        // The tip of a spur is at the edge of the ink, that of a short line is as wide as a line.
        let isThin = tip.width < 0.6 * penWidth
        return protrusion < (isThin ? 0.75 : 0.3) * penWidth + 0.8
      }
      // At the end of a wide line that splits, the longest goes on.
      let kept =
        spurs.count >= node.ends.count - 1 ? spurs.max { length($0 / 2) < length($1 / 2) } : nil
      for end in spurs where end != kept { isRemoved[end / 2] = true }
    }
    guard isRemoved.contains(true) else { return }
    for node in nodes.indices { nodes[node].ends.removeAll { isRemoved[$0 / 2] } }
    for edge in edges.indices where isRemoved[edge] { edges[edge].pixels = [] }
  }
}
