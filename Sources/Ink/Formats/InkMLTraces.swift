import XMLTree

/// A trace or some consecutive points of it.
struct TracePiece: Hashable {
  var trace: XMLElementTree
  /// The first point, from 1.
  var first = 1
  /// The last point; `nil` for the last one that the trace has.
  var last: Int?

  init(_ trace: XMLElementTree, first: Int = 1, last: Int? = nil) {
    self.trace = trace
    self.first = first
    self.last = last
  }

  static func == (one: TracePiece, other: TracePiece) -> Bool {
    one.trace === other.trace && one.first == other.first && one.last == other.last
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(trace))
    hasher.combine(first)
    hasher.combine(last)
  }

  var isWhole: Bool { first == 1 && last == nil }

  /// The piece of the trace's stroke.
  func cut(_ stroke: Stroke, in place: Place) throws(InkError) -> Stroke {
    if isWhole { return stroke }
    let count = stroke.points.count
    let last = last ?? count
    guard 1 <= first, first <= last, last <= count else {
      throw InkError(
        at: place, expected: "a view of points from 1 to \(count)", found: "\(first) to \(last)")
    }
    return Stroke(Array(stroke.points[first - 1..<last]))
  }
}

/// Finds the traces that groups hold and views refer to (InkML, sections 3.3 and 3.4).
///
/// Each reference is looked up once, so many views of one trace are cheap. Cycles and long chains
/// of views are refused.
struct TraceViews {
  /// A trace, or what a group or view consists of.
  private final class Node {
    let piece: TracePiece?
    let children: [Node]

    init(_ piece: TracePiece) { (self.piece, children) = (piece, []) }
    init(_ children: [Node]) { (piece, self.children) = (nil, children) }
  }

  private let elements: [String: XMLElementTree]
  private let path: String
  private var known: [ObjectIdentifier: Node] = [:]
  private var underWay = Set<ObjectIdentifier>()

  /// The maximum depth of nested groups and views.
  private static let deepest = 300

  init(elements: [String: XMLElementTree], path: String) {
    self.elements = elements
    self.path = path
  }

  /// The ink of `group` in its order, every piece once.
  mutating func pieces(of group: XMLElementTree) throws(InkError) -> [TracePiece] {
    var pieces: [TracePiece] = []
    var seen = Set<ObjectIdentifier>()
    var seenPieces = Set<TracePiece>()
    func collect(_ node: Node) {
      guard seen.insert(ObjectIdentifier(node)).inserted else { return }
      if let piece = node.piece, piece.trace.isInk, seenPieces.insert(piece).inserted {
        pieces.append(piece)
      }
      node.children.forEach(collect)
    }
    collect(try node(of: group))
    return pieces
  }

  private mutating func node(of element: XMLElementTree) throws(InkError) -> Node {
    let id = ObjectIdentifier(element)
    if let node = known[id] { return node }
    guard underWay.insert(id).inserted else {
      throw element.error(
        in: path, expected: "references without cycles", found: "a cycle"
      )
    }
    guard underWay.count <= Self.deepest else {
      throw element.error(
        in: path, expected: "at most \(Self.deepest) nested groups and views",
        found: "more")
    }
    let node: Node
    if element.name == "trace" {
      node = Node(TracePiece(element))
    } else if element.name == "traceView", let reference = element.attributes["traceDataRef"] {
      guard let target = elements[reference.fragment] else {
        throw element.error(
          in: path, expected: "the id of a trace as traceDataRef", found: "`\(reference)`")
      }
      node = try part(
        of: self.node(of: target), from: indices("from", of: element),
        to: indices("to", of: element), for: element)
    } else {
      var children: [Node] = []
      for child in element.children
      where ["trace", "traceGroup", "traceView"].contains(child.name) {
        children.append(try self.node(of: child))
      }
      node = Node(children)
    }
    underWay.remove(id)
    known[id] = node
    return node
  }

  /// The numbers of `from` or `to`: `2:5` is the fifth point of the second trace.
  private func indices(
    _ name: String, of view: XMLElementTree
  ) throws(InkError) -> ArraySlice<Int> {
    guard let text = view.attributes[name] else { return [] }
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard numbers.allSatisfy({ (1...1_000_000_000).contains($0) }) else {
      throw view.error(
        in: path, expected: "numbers from 1, with colons between them, as \(name)",
        found: "`\(text)`")
    }
    return numbers[...]
  }

  /// Returns the part of `node` between two positions, both included.
  private func part(
    of node: Node, from: ArraySlice<Int>, to: ArraySlice<Int>, for view: XMLElementTree
  ) throws(InkError) -> Node {
    guard !from.isEmpty || !to.isEmpty else { return node }
    if var piece = node.piece {
      guard from.count <= 1, to.count <= 1 else {
        throw view.error(in: path, expected: "one number for a trace", found: "several")
      }
      let (start, end) = (piece.first, piece.last)
      if let first = from.first { piece.first = start + first - 1 }
      if let last = to.first { piece.last = start + last - 1 }
      // The number of points of a whole trace is known only after decoding.
      if let end, let last = piece.last, last > end || piece.first > last {
        throw view.error(
          in: path, expected: "a view of points from 1 to \(end - start + 1)",
          found: "\(piece.first - start + 1) to \(last - start + 1)")
      }
      return Node(piece)
    }
    let first = from.first ?? 1
    let last = to.first ?? node.children.count
    guard 1 <= first, first <= last, last <= node.children.count else {
      throw view.error(
        in: path, expected: "a view from 1 to \(node.children.count)", found: "\(first) to \(last)")
    }
    var children: [Node] = []
    for index in first...last {
      children.append(
        try part(
          of: node.children[index - 1], from: index == first ? from.dropFirst() : [],
          to: index == last ? to.dropFirst() : [], for: view))
    }
    return Node(children)
  }
}

/// The continuations of traces that are stored in several pieces (InkML, section 3.2.2).
struct TraceContinuations {
  /// The piece that follows each piece.
  private var next: [Int: Int] = [:]
  private var hasPrior = Set<Int>()

  init(
    of pieces: [TracePiece], elements: [String: XMLElementTree], path: String
  ) throws(InkError) {
    var whole: [ObjectIdentifier: Int] = [:]
    for (index, piece) in pieces.enumerated() where piece.isWhole {
      whole[ObjectIdentifier(piece.trace)] = index
    }
    for (index, piece) in pieces.enumerated() {
      let trace = piece.trace
      switch trace.attributes["continuation"] {
      case nil, "begin": continue
      case "middle", "end": break
      case let other?:
        throw trace.error(
          in: path, expected: "begin, middle or end as continuation", found: "`\(other)`")
      }
      guard let reference = trace.attributes["priorRef"], let prior = elements[reference.fragment],
        prior.name == "trace"
      else {
        throw trace.error(
          in: path, expected: "the id of the trace before as priorRef",
          found: trace.attributes["priorRef"].map { "`\($0)`" } ?? "none")
      }
      // The trace belongs to another recording.
      guard piece.isWhole, let before = whole[ObjectIdentifier(prior)] else { continue }
      guard next.updateValue(index, forKey: before) == nil else {
        throw trace.error(
          in: path, expected: "one continuation of `\(reference)`", found: "another")
      }
      hasPrior.insert(index)
    }
    var reached = 0
    for start in pieces.indices where !hasPrior.contains(start) {
      var index: Int? = start
      while let here = index { (reached, index) = (reached + 1, next[here]) }
    }
    // A cycle cannot be reached from outside.
    guard reached == pieces.count else {
      let circle = pieces[hasPrior.min() ?? 0].trace
      throw circle.error(
        in: path, expected: "continuations without cycles",
        found: "a cycle")
    }
  }

  /// Returns the index of each piece's stroke among the joined ones.
  func strokeIndices(of count: Int) -> [Int] {
    var indices = [Int](repeating: 0, count: count)
    for (stroke, start) in (0..<count).filter({ !hasPrior.contains($0) }).enumerated() {
      var piece: Int? = start
      while let index = piece { (indices[index], piece) = (stroke, next[index]) }
    }
    return indices
  }

  /// Returns the strokes, with the pieces of each one joined at the position of the first.
  func joined(_ strokes: [Stroke]) -> [Stroke] {
    strokes.indices.filter { !hasPrior.contains($0) }.map { index in
      var stroke = strokes[index]
      var following = next[index]
      while let index = following {
        stroke.points += strokes[index].points
        following = next[index]
      }
      return stroke
    }
  }
}

extension String {
  /// The id that a reference within the document names: `#a` or `a`.
  var fragment: String { hasPrefix("#") ? String(dropFirst()) : self }
}
