/// Mermaid's state diagrams (https://mermaid.js.org/syntax/stateDiagram.html).
///
/// A state has a name in `state "name" as id`, `id : name` or else its id. `[*]` before an arrow marks an
/// initial state, and after it a final one. The text after a colon is the label.
enum Mermaid {
  static func read(
    _ text: String, name: String, as choice: KindChoice
  ) throws(AutomatonError) -> PlacedAutomaton {
    var graph = LabelledGraph(file: name) { TextPlace(line: $0, column: 1) }
    var hasHeader = false
    var isNote = false
    var noteCount = 0
    var isPreamble = false
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, whole) in lines.enumerated() {
      let line = String(whole).trimmingSpace
      let number = index + 1
      func refuse(_ part: Substring, _ expected: String, _ found: String) -> AutomatonError {
        let start = whole.firstRange(of: part)?.lowerBound ?? whole.startIndex
        return AutomatonError(
          name,
          TextPlace(
            line: number, column: whole.distance(from: whole.startIndex, to: start) + 1),
          expected: expected, found: found)
      }
      if line == "---", !hasHeader {
        isPreamble.toggle()
        continue
      }
      let isComment = line.hasPrefix("%%") || line.hasPrefix("```") || line.hasPrefix("\u{FEFF}%%")
      if line.isEmpty || isPreamble || isComment { continue }
      if !hasHeader {
        let word = line.prefix { !$0.isWhitespace && $0 != ";" }
        guard ["stateDiagram", "stateDiagram-v2"].contains(word.drop { $0 == "\u{FEFF}" }) else {
          throw refuse(word, "`stateDiagram-v2`", "`\(word)`")
        }
        hasHeader = true
        continue
      }
      if isNote {
        isNote = line.lowercased() != "end note"
        continue
      }
      if line.allSatisfy({ $0 == "-" }) {
        throw refuse(line[...], "a diagram without parallel parts", "`\(line)`, which divides them")
      }
      let first = line.prefix { $0.isLetter || $0 == "_" }
      switch first {
      case "direction", "classDef", "class", "style", "click", "accTitle", "accDescr", "hide",
        "scale",
        "title":
        if !line.contains("-->") { continue }
      case "note":
        isNote = !line.contains(":")
        noteCount += 1
        continue
      case "state":
        if try readState(line, &graph, refuse) { continue }
      default: break
      }
      if let arrow = line.firstRange(of: "-->") {
        try readEdge(line, arrow, number, &graph, refuse)
      } else if let colon = line.firstIndex(of: ":"), !line.hasSuffix("{") {
        let id = try Self.id(line[..<colon], refuse)
        let name = plain(line[line.index(after: colon)...])
        graph.node(id) { $0.name = name }
      } else {
        let id = try Self.id(line[...], refuse)
        graph.node(id)
      }
    }
    guard hasHeader else {
      throw AutomatonError(at: name, expected: "`stateDiagram-v2`", found: "an empty file")
    }
    if noteCount > 0 {
      graph.remarks.append("\(noteCount) note\(noteCount == 1 ? " is" : "s are") left out")
    }
    return try graph.placed(as: choice)
  }

  private typealias Refusal = (Substring, String, String) -> AutomatonError

  /// Reads `state "name" as id` or `state id`; returns whether it is one.
  private static func readState(
    _ line: String, _ graph: inout LabelledGraph, _ refuse: Refusal
  ) throws(AutomatonError) -> Bool {
    let rest = line.dropFirst(5).drop { $0.isWhitespace }
    guard rest.startIndex != line.index(line.startIndex, offsetBy: 5), !line.contains("-->") else {
      return false
    }
    if rest.hasSuffix("{") || rest.contains("<<") {
      throw refuse(rest, "states without parts, choices or forks", "`\(rest)`")
    }
    guard rest.first == "\"" else {
      graph.node(try id(rest, refuse))
      return true
    }
    let text = rest.dropFirst()
    guard let quote = text.lastIndex(of: "\"") else {
      throw refuse(rest, "a closing quote", "none")
    }
    let after = text[text.index(after: quote)...].drop { $0.isWhitespace }
    guard after.hasPrefix("as "), let id = try? Self.id(after.dropFirst(3), refuse) else {
      throw refuse(rest, "`as` and an id after the name", "`\(after)`")
    }
    graph.node(id) { $0.name = plain(text[..<quote]) }
    return true
  }

  private static func readEdge(
    _ line: String, _ arrow: Range<String.Index>, _ number: Int, _ graph: inout LabelledGraph,
    _ refuse: Refusal
  ) throws(AutomatonError) {
    let rest = line[arrow.upperBound...]
    let colon = colon(in: rest)
    let ends = [line[..<arrow.lowerBound], rest[..<(colon ?? rest.endIndex)]]
      .map { String($0).trimmingSpace }
    let label = colon.map { plain(rest[rest.index(after: $0)...]) } ?? ""
    switch (ends[0] == "[*]", ends[1] == "[*]") {
    case (true, true): throw refuse(line[...], "a state on one side of the arrow", "none")
    case (true, false):
      graph.node(try id(rest[..<(colon ?? rest.endIndex)], refuse)) { $0.isInitial = true }
      leaveOut(label, &graph)
    case (false, true):
      graph.node(try id(line[..<arrow.lowerBound], refuse)) { $0.isFinal = true }
      leaveOut(label, &graph)
    case (false, false):
      let start = try id(line[..<arrow.lowerBound], refuse)
      let end = try id(rest[..<(colon ?? rest.endIndex)], refuse)
      graph.node(start)
      graph.node(end)
      graph.edges.append(
        LabelledGraph.Edge(start: start, end: end, label: label, offset: number))
    }
  }

  /// Says that the label of an arrow from or to `[*]` is left out: such an arrow reads nothing.
  private static func leaveOut(_ label: String, _ graph: inout LabelledGraph) {
    guard !label.isEmpty else { return }
    graph.remarks.append("the label `\(label)` at [*] is left out")
  }

  /// Returns the colon before a label; `:::` names a class of styles.
  private static func colon(in text: Substring) -> Substring.Index? {
    var rest = text
    while let index = rest.firstIndex(of: ":") {
      guard rest[index...].hasPrefix(":::") else { return index }
      rest = rest[rest.index(index, offsetBy: 3)...]
    }
    return nil
  }

  /// Returns an id without a class of styles.
  private static func id(
    _ text: Substring, _ refuse: Refusal
  ) throws(AutomatonError) -> String {
    let whole = text.firstRange(of: ":::").map { text[..<$0.lowerBound] } ?? text
    var id = String(whole).trimmingSpace
    while id.hasSuffix(";") { id.removeLast() }
    let isPlain = !id.contains { $0.isWhitespace || "{}[]\"<>".contains($0) }
    guard !id.isEmpty, isPlain else { throw refuse(text, "the id of a state", "`\(id)`") }
    return id
  }

  /// Returns a text with characters that are written by their number or name, such as `#35;`.
  private static func plain(_ text: Substring) -> String {
    var result = ""
    var rest = String(text).trimmingSpace.replacing(/<br ?\/?>|\\n/, with: "\n")[...]
    while let start = rest.firstIndex(of: "#") {
      result += rest[..<start]
      let after = rest[rest.index(after: start)...]
      let name = after.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
      let entity = "&\(name);"
      let named = Typeset.withoutEntities(entity)
      let numbered = UInt32(name).flatMap(Unicode.Scalar.init).map { String($0) }
      if after[name.endIndex...].first == ";",
        let character = numbered ?? (named == entity ? nil : named)
      {
        result += character
        rest = after[name.endIndex...].dropFirst()
      } else {
        result += "#"
        rest = after
      }
    }
    return Typeset.withoutEntities(result + rest)
  }
}

extension Automaton {
  /// Returns the automaton as a Mermaid state diagram: initial states have an arrow from a dot, final
  /// states one to a ring.
  ///
  /// The symbols are the rules of a machine of the kind `kind`, if it is given.
  public func mermaid(of kind: Machine.Kind? = nil) -> String {
    let numbers = Dictionary(uniqueKeysWithValues: states.enumerated().map { ($1.id, "s\($0)") })
    var lines = ["stateDiagram-v2", "  direction LR"]
    for (state, name) in zip(states, stateNames) {
      lines.append("  state \"\(Self.mermaidText(name))\" as \(numbers[state.id]!)")
    }
    for state in states where state.isInitial { lines.append("  [*] --> \(numbers[state.id]!)") }
    for transition in transitions {
      let symbols =
        (kind == nil ? transition.symbols.map(LabelList.escaped) : transition.symbols)
        + (transition.includesEpsilon ? ["ε"] : [])
      let label = symbols.isEmpty ? "" : ": \(Self.mermaidText(symbols.joined(separator: ", ")))"
      lines.append(
        "  \(numbers[transition.start]!) --> \(numbers[transition.end]!)\(label)")
    }
    for state in states where state.isFinal { lines.append("  \(numbers[state.id]!) --> [*]") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Writes characters with a meaning in Mermaid by their number, and spaces that would be lost: those at
  /// the ends and after a backslash.
  private static func mermaidText(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    return scalars.enumerated().map { index, scalar in
      switch scalar {
      case "\"", "#", ";", ":", "<", ">", "&", "%", "{", "}", "[", "]", "\\", "*", "-", "`", "_",
        "~":
        "#\(scalar.value);"
      case " " where index == 0 || index == scalars.count - 1 || scalars[index - 1] == "\\":
        "#\(scalar.value);"
      default: scalar.value < 32 ? "#\(scalar.value);" : "\(scalar)"
      }
    }.joined()
  }
}
