/// The DOT language of Graphviz for automata.
///
/// Final states have the shape `doublecircle`. An initial state is the target of an edge from a
/// node of the shape `point`. The label of an edge lists its symbols, separated by commas, with `ε`
/// for an ε-transition; a label of a machine has its rules. Symbols that no edge has are in the
/// graph's attribute `alphabet`, and the kind of a machine is in `kind`; Graphviz ignores both.
///
/// What other programs write is read as well: see ``DOTReader``.
enum DOT {
  static func write(_ drawn: PlacedAutomaton) -> String {
    let automaton = drawn.automaton
    var lines = ["digraph automaton {", "  rankdir=LR;", "  node [shape=circle];"]
    if let kind = drawn.kind { lines.append("  kind=\(kind.rawValue);") }
    let unread = automaton.unreadSymbols
    if !unread.isEmpty {
      lines.append("  alphabet=\(label(unread.map(LabelList.escaped).joined(separator: ", ")));")
    }
    for state in automaton.states {
      let shape = state.isFinal ? ", shape=doublecircle" : ""
      // A node without a name could be the start of an arrow that marks an initial state.
      let isBlank = state.id.isEmpty || state.name.allSatisfy(\.isWhitespace)
      let mark = isBlank ? ", is_final=\(state.isFinal)" : ""
      lines.append("  \(quoted(state.id)) [label=\(label(state.name))\(shape)\(mark)];")
    }
    let ids = Set(automaton.states.map(\.id))
    for (index, state) in automaton.states.filter(\.isInitial).enumerated() {
      var start = "start\(index)"
      while ids.contains(start) { start += "_" }
      lines.append("  \(start) [shape=point, label=\"\"];")
      lines.append("  \(start) -> \(quoted(state.id));")
    }
    for transition in automaton.transitions {
      for list in labels(of: transition, drawn.kind) {
        lines.append(
          "  \(quoted(transition.start)) -> \(quoted(transition.end)) [label=\(label(list))];")
      }
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// Returns the labels of the edges for a transition: one, and one more for each label of a machine that
  /// is no rule.
  private static func labels(
    of transition: Automaton.Transition, _ kind: Machine.Kind?
  ) -> [String] {
    let epsilon = transition.includesEpsilon ? ["ε"] : []
    guard let kind else {
      return [(transition.symbols.map(LabelList.escaped) + epsilon).joined(separator: ", ")]
    }
    let all = transition.symbols + epsilon
    let rules = all.filter { (try? MachineRule.rules($0, of: kind)) != nil }
    let others = all.filter { !rules.contains($0) }
    return (rules.isEmpty && !others.isEmpty ? [] : [rules.joined(separator: "; ")]) + others
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
  }

  /// Returns a text that Graphviz shows as it is.
  private static func label(_ text: String) -> String {
    quoted(text.replacing("&", with: "&amp;"))
  }

  static func read(
    _ text: String, name: String, as choice: KindChoice
  ) throws(AutomatonError) -> PlacedAutomaton {
    var parser = try DOTParser(text, file: name)
    return try DOTReader(parser.parse(), parser: parser, file: name).placed(as: choice)
  }
}

/// The attributes of a node, an edge or a graph.
typealias DOTAttributes = [String: DOTParser.Value]

/// A graph as the DOT language describes it.
struct DOTGraph {
  struct Node {
    var id: String
    var attributes: DOTAttributes
    /// Where it is first named, in bytes.
    var offset: Int
  }

  struct Edge {
    /// The attributes that have a label, the first one that is there counts.
    static let labels = ["label", "xlabel", "headlabel", "taillabel"]

    var start: Int
    var end: Int
    var attributes: DOTAttributes
    /// Whether its label is its own, and not that of all edges.
    var hasOwnLabel: Bool
    /// Where its statement begins, in bytes.
    var offset: Int
  }

  var name = ""
  var isStrict = false
  var attributes: DOTAttributes = [:]
  var nodes: [Node] = []
  var edges: [Edge] = []
  fileprivate var indices: [String: Int] = [:]
  /// The nodes of the subgraphs with names.
  fileprivate var groups: [String: [Int]] = [:]
  /// The edges that are described again by an edge between the same nodes.
  fileprivate var known: [[String]: Int] = [:]
}

/// Parses the DOT language.
struct DOTParser {
  enum Value: Hashable {
    case text(String)
    case markup(String)

    /// The text as it is written.
    var raw: String {
      switch self {
      case .text(let text), .markup(let text): text
      }
    }
  }

  /// The attributes that nodes and edges get where they are first named.
  private struct Defaults {
    var node: DOTAttributes = [:]
    var edge: DOTAttributes = [:]
  }

  private var scanner: DOTScanner
  private var graph = DOTGraph()
  /// The nodes in all subgraphs so far, counted in each.
  private var memberCount = 0
  /// The maximum number of edges, and of nodes in all subgraphs, which short texts can multiply.
  private let maximumItems: Int
  /// The maximum depth of nested subgraphs.
  private static let deepest = 100

  init(_ text: String, file: String) throws(AutomatonError) {
    scanner = try DOTScanner(text, file: file)
    maximumItems = max(1_000_000, text.utf8.count)
  }

  /// Returns the line and column of the byte at `offset`.
  func place(_ offset: Int) -> TextPlace { scanner.place(offset) }

  private func refuse(_ expected: String) -> AutomatonError {
    scanner.error(at: scanner.start, expected, scanner.token.description)
  }

  mutating func parse() throws(AutomatonError) -> DOTGraph {
    if keyword == "strict" {
      graph.isStrict = true
      try scanner.advance()
    }
    guard keyword == "digraph" else {
      throw refuse(keyword == "graph" ? "`digraph`, whose edges have a direction" : "`digraph`")
    }
    try scanner.advance()
    if let name = text {
      graph.name = name
      try scanner.advance()
    }
    try take("{")
    var defaults = Defaults()
    _ = try statements(&defaults, depth: 0)
    guard scanner.token == .end else { throw refuse("the end") }
    return graph
  }

  /// The current name, number or text.
  private var text: String? {
    switch scanner.token {
    case .word(let text), .text(let text), .markup(let text): text
    case .sign, .arrow, .line, .end: nil
    }
  }

  /// The current keyword, in lower case; keywords are case-insensitive.
  private var keyword: String? {
    guard case .word(let word) = scanner.token else { return nil }
    let known = ["strict", "digraph", "graph", "node", "edge", "subgraph"]
    return known.first { $0 == word.lowercased() }
  }

  private func isNext(_ sign: Unicode.Scalar) -> Bool {
    scanner.token == .sign(UInt8(ascii: sign))
  }

  private mutating func take(_ sign: Unicode.Scalar) throws(AutomatonError) {
    guard isNext(sign) else { throw refuse("`\(sign)`") }
    try scanner.advance()
  }

  /// Reads the statements up to `}`, and returns the nodes in them if they are in a subgraph.
  private mutating func statements(
    _ defaults: inout Defaults, depth: Int
  ) throws(AutomatonError) -> [Int] {
    var members: [Int] = []
    var known: Set<Int> = []
    while !isNext("}") {
      if isNext(";") || isNext(",") {
        try scanner.advance()
        continue
      }
      for member in try statement(&defaults, depth: depth) where depth > 0 {
        memberCount += 1
        if known.insert(member).inserted { members.append(member) }
      }
      guard memberCount <= maximumItems else {
        throw refuse("at most \(maximumItems) nodes in all subgraphs")
      }
    }
    try scanner.advance()
    return members
  }

  private mutating func statement(
    _ defaults: inout Defaults, depth: Int
  ) throws(AutomatonError) -> [Int] {
    let offset = scanner.start
    if let keyword, ["graph", "node", "edge"].contains(keyword) {
      try scanner.advance()
      guard isNext("[") else { throw refuse("`[` after `\(keyword)`") }
      let attributes = try attributes()
      switch keyword {
      case "node": defaults.node.merge(attributes) { $1 }
      case "edge": defaults.edge.merge(attributes) { $1 }
      default: if depth == 0 { graph.attributes.merge(attributes) { $1 } }
      }
      return []
    }
    var path: [[Int]] = []
    let isNode = keyword == nil && text != nil
    if isNode, let name = text {
      try scanner.advance()
      if isNext("=") {
        try scanner.advance()
        let value = try value()
        if depth == 0 { graph.attributes[name] = value }
        return []
      }
      path.append([node(name, defaults, offset)])
      try skipPort()
    } else {
      path.append(try group(defaults, depth: depth))
    }
    while scanner.token == .arrow {
      try scanner.advance()
      let offset = scanner.start
      if keyword == nil, let name = text {
        try scanner.advance()
        path.append([node(name, defaults, offset)])
        try skipPort()
      } else {
        path.append(try group(defaults, depth: depth))
      }
    }
    if scanner.token == .line { throw refuse("`->`, because edges of a digraph have a direction") }
    let attributes = try attributes()
    if path.count == 1 {
      if isNode, !attributes.isEmpty {
        graph.nodes[path[0][0]].attributes.merge(attributes) { $1 }
      }
      return path[0]
    }
    for (starts, ends) in zip(path, path.dropFirst()) {
      for start in starts {
        for end in ends { try edge(start, end, attributes, defaults, offset) }
      }
    }
    return path.flatMap(\.self)
  }

  private mutating func node(_ id: String, _ defaults: Defaults, _ offset: Int) -> Int {
    if let index = graph.indices[id] { return index }
    graph.indices[id] = graph.nodes.count
    graph.nodes.append(DOTGraph.Node(id: id, attributes: defaults.node, offset: offset))
    return graph.nodes.count - 1
  }

  private mutating func edge(
    _ start: Int, _ end: Int, _ attributes: DOTAttributes, _ defaults: Defaults, _ offset: Int
  ) throws(AutomatonError) {
    // Edges of a strict graph, or with the same key, are one edge.
    let key = attributes["key"]?.raw
    let hasLabel = DOTGraph.Edge.labels.contains { attributes[$0] != nil }
    if graph.isStrict || key != nil {
      let names = [graph.nodes[start].id, graph.nodes[end].id, graph.isStrict ? "" : key ?? ""]
      if let index = graph.known[names] {
        graph.edges[index].attributes.merge(attributes) { $1 }
        if hasLabel { graph.edges[index].hasOwnLabel = true }
        return
      }
      graph.known[names] = graph.edges.count
    }
    guard graph.edges.count < maximumItems else {
      throw scanner.error(at: offset, "at most \(maximumItems) edges", "more")
    }
    graph.edges.append(
      DOTGraph.Edge(
        start: start, end: end, attributes: defaults.edge.merging(attributes) { $1 },
        hasOwnLabel: hasLabel, offset: offset))
  }

  private mutating func skipPort() throws(AutomatonError) {
    for _ in 0..<2 where isNext(":") {
      try scanner.advance()
      guard text != nil else { throw refuse("a port after `:`") }
      try scanner.advance()
    }
  }

  /// Reads a subgraph, and returns its nodes, each once.
  private mutating func group(
    _ defaults: Defaults, depth: Int
  ) throws(AutomatonError) -> [Int] {
    var name: String?
    var hasKeyword = false
    if keyword == "subgraph" {
      hasKeyword = true
      try scanner.advance()
      if keyword == nil, let text {
        name = text
        try scanner.advance()
      }
    }
    guard isNext("{") else {
      // A subgraph that was described before.
      if let name, let members = graph.groups[name] { return members }
      throw refuse(hasKeyword ? "`{` after `subgraph`" : "a node, an edge or `}`")
    }
    guard depth < Self.deepest else {
      throw scanner.error(
        at: scanner.start, "at most \(Self.deepest) nested subgraphs", "more")
    }
    try scanner.advance()
    var inner = defaults
    let members = try statements(&inner, depth: depth + 1)
    if let name { graph.groups[name, default: []] += members }
    return members
  }

  private mutating func value() throws(AutomatonError) -> Value {
    let value: Value
    switch scanner.token {
    case .word(let text), .text(let text): value = .text(text)
    case .markup(let text): value = .markup(text)
    case .sign, .arrow, .line, .end: throw refuse("a value")
    }
    try scanner.advance()
    return value
  }

  private mutating func attributes() throws(AutomatonError) -> DOTAttributes {
    var attributes: DOTAttributes = [:]
    while isNext("[") {
      try scanner.advance()
      while !isNext("]") {
        guard let name = text else { throw refuse("an attribute or `]`") }
        try scanner.advance()
        if isNext("=") {
          try scanner.advance()
          attributes[name] = try value()
        } else {
          attributes[name] = .text("true")
        }
        if isNext(",") || isNext(";") { try scanner.advance() }
      }
      try scanner.advance()
    }
    return attributes
  }
}
