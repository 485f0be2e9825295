/// Reads a graph of the DOT language as an automaton, by the conventions of the programs that write such files.
///
/// - A final state has two peripheries (`doublecircle`, `doubleoctagon`, `peripheries=2`), an
///   attribute such as `is_final=true`, or an edge to a point.
/// - An initial state has an edge from a node that is no state: a point, an invisible node, or one
///   without a shape or name. It can also have an attribute such as `is_start=true`, be the `root`,
///   or be the only bold state (OpenFst) or the only one filled with `#66cc33` (automata-lib).
/// - Nodes of the shape `record` with two fields are states of a Moore machine and their outputs
///   (AALpy, LearnLib).
struct DOTReader {
  private let source: DOTGraph
  private let parser: DOTParser
  /// The ids of the states of all nodes.
  private let ids: [String]
  private var graph: LabelledGraph

  private static let doubleShapes: Set = [
    "doublecircle", "doubleoctagon", "tripleoctagon", "Mcircle",
  ]
  /// The shapes of Graphviz (https://graphviz.org/doc/info/shapes.html).
  private static let shapes = Set(
    """
    box polygon ellipse oval circle point egg triangle plaintext plain diamond trapezium parallelogram \
    house pentagon hexagon septagon octagon doublecircle doubleoctagon tripleoctagon invtriangle \
    invtrapezium invhouse Mdiamond Msquare Mcircle rect rectangle square star none None underline \
    cylinder note tab folder box3d component promoter cds terminator utr primersite restrictionsite \
    fivepoverhang threepoverhang noverhang assembly signature insulator ribosite rnastab proteasesite \
    proteinstab rpromoter rarrow larrow lpromoter record Mrecord epsf custom
    """.split(separator: " ").map(String.init))
  private static let textShapes: Set = ["none", "None", "plaintext", "plain"]
  private static let finalKeys = ["is_final", "isFinal", "final", "accepting", "is_accepting"]
  private static let initialKeys = [
    "is_start", "isStart", "is_initial", "isInitial", "initial", "start",
  ]
  private static let startWords: Set = ["start", "begin", "init", "initial", "ε", "epsilon"]

  init(_ source: DOTGraph, parser: DOTParser, file: String) throws(AutomatonError) {
    self.source = source
    self.parser = parser
    ids = source.nodes.map { $0.id.replacing("\\\\", with: "\\") }
    graph = LabelledGraph(file: file, place: parser.place)
    try read()
  }

  func placed(as choice: KindChoice) throws(AutomatonError) -> PlacedAutomaton {
    try graph.placed(as: choice)
  }

  private func error(at offset: Int, _ expected: String, _ found: String) -> AutomatonError {
    AutomatonError(graph.file, parser.place(offset), expected: expected, found: found)
  }

  private mutating func read() throws(AutomatonError) {
    if let text = source.attributes["kind"]?.raw {
      graph.kind = KindChoice(name: text) ?? .detected
    }
    if let alphabet = source.attributes["alphabet"] {
      let list = try label(alphabet, Names(graph: source.name), at: 0)
      graph.alphabet = LabelList(list).items.map(\.text)
    }
    let edges = try visibleEdges()
    let looks = try source.nodes.map { node throws(AutomatonError) in try look(of: node) }
    let markers = markers(edges, looks)
    for (index, look) in looks.enumerated() where markers[index] == nil {
      let node = source.nodes[index]
      graph.node(ids[index]) { state in
        state.name = look.name
        state.isInitial = look.isInitial
        state.isFinal = look.isFinal
        state.output = look.output
        state.place = node.attributes["pos"].flatMap { Self.places(in: $0.raw)?.first }
      }
    }
    let hasStates = looks.contains { !$0.isBare || $0.isSaidState }
    for edge in edges {
      let (start, end) = (ids[edge.start], ids[edge.end])
      switch (markers[edge.start], markers[edge.end]) {
      case (.initial?, nil):
        guard !edge.hasOwnLabel || !Self.hasSymbol(edge.label) else {
          throw error(
            at: edge.offset,
            "an arrow without a symbol from `\(start)`, which marks an initial state",
            "`\(edge.label)`")
        }
        graph.node(end) { $0.isInitial = true }
      case (nil, .final?): graph.node(start) { $0.isFinal = true }
      case (nil, nil):
        if hasStates,
          let point = [edge.start, edge.end].first(where: {
            looks[$0].isShapeless && !looks[$0].isSaidState
          })
        {
          throw error(
            at: edge.offset, "edges between states",
            "an edge of `\(ids[point])`, which is not drawn as a state")
        }
        graph.edges.append(
          LabelledGraph.Edge(
            start: start, end: end, label: edge.label, offset: edge.offset, middle: edge.middle))
      default: break
      }
    }
    for (index, marker) in markers.enumerated() where marker == .text && !looks[index].isBlank {
      graph.remarks.append("the text `\(looks[index].name)` is no state and is left out")
    }
    findInitialState(looks, markers)
    nameUnknownShapes(markers)
  }

  /// Adds a remark for the shapes of states that Graphviz does not know and draws as boxes.
  private mutating func nameUnknownShapes(_ markers: [Marker?]) {
    var known = Self.shapes
    for (node, marker) in zip(source.nodes, markers) where marker == nil {
      guard let shape = node.attributes["shape"]?.raw, known.insert(shape).inserted else {
        continue
      }
      let plain = shape.lowercased().filter(\.isLetter)
      let meant = Self.shapes.sorted().first { $0.lowercased() == plain }
      graph.remarks.append(
        "Graphviz has no shape `\(shape)`, and draws a box"
          + (meant.map { "; did you mean `\($0)`?" } ?? ""))
    }
  }

  // MARK: Edges

  private struct Edge {
    var start: Int
    var end: Int
    var label: String
    /// Whether its label is its own, and not that of all edges.
    var hasOwnLabel: Bool
    var offset: Int
    var middle: PlacedAutomaton.Place?
  }

  /// Returns the edges that are drawn, in the direction of their heads.
  private func visibleEdges() throws(AutomatonError) -> [Edge] {
    var edges: [Edge] = []
    for edge in source.edges where !Self.isInvisible(edge.attributes) {
      let names = Names(
        graph: source.name, tail: source.nodes[edge.start].id, head: source.nodes[edge.end].id)
      var text = ""
      if let tex = edge.attributes["texlbl"] {
        text = try tikz(label: tex.raw, at: edge.offset)
      } else {
        for name in DOTGraph.Edge.labels where text.trimmingSpace.isEmpty {
          guard let value = edge.attributes[name] else { continue }
          text = try label(value, names, at: edge.offset)
        }
      }
      let spline = edge.attributes["pos"].flatMap { Self.places(in: $0.raw) }
      let forward = Edge(
        start: edge.start, end: edge.end, label: text, hasOwnLabel: edge.hasOwnLabel,
        offset: edge.offset,
        middle: spline.flatMap(Self.middle))
      var back = forward
      swap(&back.start, &back.end)
      switch edge.attributes["dir"]?.raw {
      case "back"?: edges.append(back)
      case "both"?: edges += [forward, back]
      case "none"?: throw error(at: edge.offset, "edges with a direction", "dir=none")
      default: edges.append(forward)
      }
    }
    return edges
  }

  /// Returns a label in TeX as it is shown.
  private func tikz(label: String, at offset: Int) throws(AutomatonError) -> String {
    let (shown, unknown) = Typeset.read(label)
    guard let unknown else { return shown }
    throw error(
      at: offset, "a label without TeX's command \\\(unknown), which is not read", "`\(label)`")
  }

  private static func isInvisible(_ attributes: DOTAttributes) -> Bool {
    attributes["style"]?.raw.contains("invis") ?? false
  }

  // MARK: Nodes

  /// What a reader sees of a node.
  private struct Look {
    var name: String
    var output: String?
    var isInitial: Bool
    var isFinal: Bool
    /// Whether an attribute such as `is_final=false` says that it is a state.
    var isSaidState: Bool
    /// Whether no name is shown.
    var isBlank: Bool
    /// Whether neither a name nor a shape is shown, so that it is no state.
    var isShapeless: Bool
    /// Whether it can be no state.
    var isBare: Bool { isBlank || isShapeless || isText }
    /// Whether only its name is shown.
    var isText: Bool
  }

  private func look(of node: DOTGraph.Node) throws(AutomatonError) -> Look {
    let attributes = node.attributes
    let shape = attributes["shape"]?.raw ?? "ellipse"
    let names = Names(graph: source.name, node: node.id)
    var fields = [node.id]
    if let tex = attributes["texlbl"] {
      fields = [Self.line(Typeset.tex(tex.raw))]
    } else if case .markup(let text)? = attributes["label"] {
      fields = try markup(text, at: node.offset).map(Self.line)
    } else {
      let raw = attributes["label"]?.raw ?? "\\N"
      let parts = shape == "record" || shape == "Mrecord" ? Self.recordFields(raw) : [raw]
      fields = parts.map { Self.text($0, names, lineEnd: " ") }
    }
    if fields.allSatisfy({ $0.trimmingSpace.isEmpty }), let value = attributes["xlabel"] {
      fields = [Self.line(try label(value, names, at: node.offset))]
    }
    let isBlank =
      node.id.isEmpty || shape == "point" || fields.allSatisfy { $0.trimmingSpace.isEmpty }
    let isText = Self.textShapes.contains(shape)
    let rings = (attributes["peripheries"]?.raw).flatMap(Int.init)
    let saysInitial = Self.flag(Self.initialKeys, attributes)
    let saysFinal = Self.flag(Self.finalKeys, attributes)
    return Look(
      name: fields.count == 2 ? fields[0] : fields.joined(separator: "|"),
      output: fields.count == 2 ? fields[1].trimmingSpace : nil,
      isInitial: saysInitial ?? false,
      isFinal: saysFinal ?? rings.map { $0 > 1 } ?? Self.doubleShapes.contains(shape),
      isSaidState: saysInitial != nil || saysFinal != nil,
      isBlank: isBlank,
      isShapeless: shape == "point" || node.id.isEmpty || isText && isBlank
        || Self.isInvisible(attributes), isText: isText)
  }

  /// Returns the value of the first of these attributes that is true or false.
  private static func flag(_ keys: [String], _ attributes: DOTAttributes) -> Bool? {
    for key in keys {
      switch attributes[key]?.raw.lowercased() {
      case "true", "yes", "1": return true
      case "false", "no", "0": return false
      default: continue
      }
    }
    return nil
  }

  /// What a node that is no state stands for.
  private enum Marker {
    case initial, final
    /// A text beside the graph.
    case text
  }

  /// Returns what the nodes that are no states stand for, and `nil` for states.
  private func markers(_ edges: [Edge], _ looks: [Look]) -> [Marker?] {
    var incoming = [Int](repeating: 0, count: looks.count)
    var outgoing = incoming
    var hasSymbols = [Bool](repeating: false, count: looks.count)
    for edge in edges {
      outgoing[edge.start] += 1
      incoming[edge.end] += 1
      guard Self.hasSymbol(edge.label) else { continue }
      hasSymbols[edge.start] = true
      hasSymbols[edge.end] = true
    }
    return looks.indices.map { index in
      guard looks[index].isBare, !looks[index].isFinal, !looks[index].isSaidState else {
        return nil
      }
      let isShapeless = looks[index].isShapeless
      switch (incoming[index], outgoing[index]) {
      case (0, 0): return .text
      case (0, _): return isShapeless || !hasSymbols[index] ? .initial : nil
      case (_, 0): return isShapeless && !hasSymbols[index] ? .final : nil
      default: return nil
      }
    }
  }

  /// Returns whether a label has symbols, and is neither empty nor a word such as `start`.
  private static func hasSymbol(_ label: String) -> Bool {
    let word = label.trimmingSpace.lowercased()
    return !word.isEmpty && !startWords.contains(word)
  }

  /// Uses the attributes that mark an initial state without an arrow, if there is none yet.
  private mutating func findInitialState(_ looks: [Look], _ markers: [Marker?]) {
    guard !graph.nodes.contains(where: \.isInitial) else { return }
    for key in Self.initialKeys + ["initial_state", "initialState", "root"] {
      guard let id = source.attributes[key]?.raw, graph.contains(id) else { continue }
      graph.node(id) { $0.isInitial = true }
      return
    }
    let states = source.nodes.indices.filter { markers[$0] == nil }
    for (key, value) in [("style", "bold"), ("fillcolor", "#66cc33")] {
      let found = states.filter { source.nodes[$0].attributes[key]?.raw.lowercased() == value }
      guard found.count == 1 else { continue }
      graph.node(ids[found[0]]) { $0.isInitial = true }
      graph.remarks.append(
        "no arrow marks an initial state; `\(looks[found[0]].name)` is taken as one, because no other "
          + "has \(key)=\(value)")
      return
    }
  }

  // MARK: Labels

  /// The names that labels can refer to.
  private struct Names {
    var graph: String
    var node = ""
    var tail = ""
    var head = ""
  }

  private func label(
    _ value: DOTParser.Value, _ names: Names, at offset: Int
  ) throws(AutomatonError) -> String {
    switch value {
    case .text(let text): Self.text(text, names)
    case .markup(let text): try markup(text, at: offset).joined(separator: "\n")
    }
  }

  private func markup(_ text: String, at offset: Int) throws(AutomatonError) -> [String] {
    do { return try MarkupLabel(text).fields } catch {
      throw self.error(at: offset, "a label in HTML with \(error.expected)", error.found)
    }
  }

  /// Returns a label as it is shown: escapes such as `\n` and `\N`, and entities.
  private static func text(_ raw: String, _ names: Names, lineEnd: String = "\n") -> String {
    var result = ""
    var rest = raw[...]
    while let character = rest.popFirst() {
      guard character == "\\", let next = rest.popFirst() else {
        result.append(character)
        continue
      }
      switch next {
      case "n", "l", "r": result += lineEnd
      case "N": result += shown(names.node)
      case "G": result += shown(names.graph)
      case "T": result += shown(names.tail)
      case "H": result += shown(names.head)
      case "E": result += "\(shown(names.tail))->\(shown(names.head))"
      case "L": break
      default: result.append(next)
      }
    }
    return Typeset.withoutEntities(result)
  }

  /// Returns a text of several lines in one.
  private static func line(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }

  /// Returns a name in a label as it is shown.
  private static func shown(_ id: String) -> String {
    id.contains("\\")
      ? text(id.replacing(/\\[NGTHEL]/, with: ""), Names(graph: ""), lineEnd: " ") : id
  }

  /// Returns the fields of a record's label, without ports; escapes of other kinds stay.
  private static func recordFields(_ raw: String) -> [String] {
    var fields = [""]
    var rest = raw[...]
    while let character = rest.popFirst() {
      switch character {
      case "\\":
        guard let next = rest.popFirst() else { break }
        fields[fields.count - 1] += "{}|<> ".contains(next) ? String(next) : "\\\(next)"
      case "{", "}": break
      case "|": fields.append("")
      case "<":
        if let end = rest.firstIndex(of: ">") { rest = rest[rest.index(after: end)...] }
      default: fields[fields.count - 1].append(character)
      }
    }
    return fields.map { field in
      let start = field.drop { $0 == " " }
      let end = start.lastIndex { $0 != " " }.map { start.index(after: $0) }
      return String(start[..<(end ?? start.startIndex)])
    }
  }

  // MARK: Positions

  /// Returns the points of an attribute `pos`, with y downwards, without the tips of heads.
  private static func places(in text: String) -> [PlacedAutomaton.Place]? {
    var places: [PlacedAutomaton.Place] = []
    for part in text.prefix(while: { $0 != ";" }).split(whereSeparator: \.isWhitespace) {
      let fields = part.split(separator: ",")
      guard fields.first != "e", fields.first != "s" else { continue }
      let numbers = fields.map { Double($0.hasSuffix("!") ? $0.dropLast() : $0) }
      guard numbers.count > 1, let x = numbers[0], let y = numbers[1], abs(x) < 1e9, abs(y) < 1e9
      else { return nil }
      places.append(PlacedAutomaton.Place(x: x, y: -y))
    }
    return places.isEmpty ? nil : places
  }

  /// Returns the point in the middle of a spline of cubic curves.
  private static func middle(of spline: [PlacedAutomaton.Place]) -> PlacedAutomaton.Place? {
    guard spline.count > 3, spline.count % 3 == 1 else { return nil }
    let count = (spline.count - 1) / 3
    guard count % 2 == 1 else { return spline[3 * (count / 2)] }
    let part = spline[(3 * (count / 2))...].prefix(4)
    let weights = [0.125, 0.375, 0.375, 0.125]
    return zip(part, weights).reduce(into: PlacedAutomaton.Place(x: 0, y: 0)) { sum, one in
      sum.x += one.0.x * one.1
      sum.y += one.0.y * one.1
    }
  }
}
