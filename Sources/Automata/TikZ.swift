import Foundation

/// Automata in LaTeX with TikZ's library `automata` (https://tikz.dev/library-automata).
///
/// States are nodes with the option `state`, with `initial` and `accepting`. Transitions are edges of
/// `\path` or `\draw`, with labels in nodes or quotes. The files that the editor writes draw each arrow with
/// `\draw`; the node after it is its label, and an arrow that begins at a coordinate marks an initial
/// state.
struct TikZ {
  private let file: String
  private let text: [Character]
  private var index = 0
  private var graph: LabelledGraph
  /// The factors of the coordinates, y downwards.
  private var scale = (x: 1.0, y: -1.0)
  /// The distance of `right of`, in centimetres.
  private var nodeDistance = 1.0
  /// Names of the nodes that are no states.
  private var others: Set<String> = []

  static func read(
    _ text: String, name: String, as choice: KindChoice
  ) throws(AutomatonError) -> PlacedAutomaton {
    var reader = TikZ(text, file: name)
    try reader.read()
    return try reader.graph.placed(as: choice)
  }

  private init(_ text: String, file: String) {
    self.file = file
    let characters = Self.withoutComments(text)
    self.text = characters
    graph = LabelledGraph(file: file) { Self.place($0, in: characters) }
  }

  /// Returns the characters with spaces for those of comments, so that places stay.
  private static func withoutComments(_ text: String) -> [Character] {
    var characters: [Character] = []
    var isComment = false
    for character in text {
      if character.isNewline {
        isComment = false
      } else if character == "%", characters.last != "\\" {
        isComment = true
      }
      characters.append(isComment ? " " : character)
    }
    return characters
  }

  private static func place(_ offset: Int, in text: [Character]) -> TextPlace {
    let before = text[..<min(offset, text.count)]
    let lineStart = before.lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0
    return TextPlace(
      line: before.count(where: \.isNewline) + 1, column: before.count - lineStart + 1)
  }

  private func error(at offset: Int, _ expected: String, _ found: String) -> AutomatonError {
    AutomatonError(file, Self.place(offset, in: text), expected: expected, found: found)
  }

  private func refuse(_ expected: String) -> AutomatonError {
    let rest = String(text[min(index, text.count)...].prefix(20).prefix { !$0.isNewline })
    return error(at: index, expected, rest.isEmpty ? "the end" : "`\(rest)`")
  }

  // MARK: Pieces of text

  private var current: Character? { index < text.count ? text[index] : nil }

  private mutating func skipSpace() {
    while let character = current, character.isWhitespace { index += 1 }
  }

  private func isNext(_ word: String) -> Bool { text[index...].starts(with: word) }

  private mutating func take(_ word: String) -> Bool {
    guard isNext(word) else { return false }
    // A word such as `node` ends here.
    if let last = word.last, last.isLetter, index + word.count < text.count,
      text[index + word.count].isLetter
    {
      return false
    }
    index += word.count
    return true
  }

  /// Reads a group between `open` and `close`, or returns `nil` if there is none.
  private mutating func group(_ open: Character, _ close: Character) throws(AutomatonError)
    -> String?
  {
    skipSpace()
    guard current == open else { return nil }
    let start = index
    var (depth, braces) = (0, 0)
    while let character = current {
      index += 1
      if character == "\\" {
        index += 1
        continue
      }
      if open != "{" {
        if character == "{" { braces += 1 }
        if character == "}" { braces -= 1 }
      }
      guard braces <= 0 else { continue }
      if character == open { depth += 1 }
      if character == close { depth -= 1 }
      if depth == 0 { return String(text[start + 1..<min(index - 1, text.count)]) }
    }
    throw error(at: start, "`\(close)` that closes `\(open)`", "the end")
  }

  /// The options of all brackets that follow.
  private mutating func options() throws(AutomatonError) -> Options {
    var options = Options()
    while let part = try group("[", "]") { options.add(part) }
    return options
  }

  /// Options of TikZ: keys with values, split at commas outside braces.
  private struct Options {
    var all: [(key: String, value: String)] = []
    /// The labels in quotes.
    var labels: [String] = []

    mutating func add(_ text: String) {
      for part in Self.parts(text) {
        let part = part.trimmingSpace
        if part.hasPrefix("\""), let end = part.dropFirst().lastIndex(of: "\"") {
          let label = part[part.index(after: part.startIndex)..<end]
          labels.append(
            label.hasPrefix("{") && label.hasSuffix("}")
              ? String(label.dropFirst().dropLast()) : String(label))
          continue
        }
        let sign = part.firstIndex(of: "=")
        let value = sign.map { String(part[part.index(after: $0)...]).trimmingSpace } ?? ""
        all.append((String(part[..<(sign ?? part.endIndex)]).trimmingSpace, value))
      }
    }

    private static func parts(_ text: String) -> [String] {
      var parts = [""]
      var depth = 0
      var isQuoted = false
      for character in text {
        if "{[(".contains(character) { depth += 1 }
        if "}])".contains(character) { depth -= 1 }
        if character == "\"" { isQuoted.toggle() }
        if character == ",", depth <= 0, !isQuoted {
          parts.append("")
        } else {
          parts[parts.count - 1].append(character)
        }
      }
      return parts.filter { $0.contains { !$0.isWhitespace } }
    }

    func value(_ key: String) -> String? { all.last { $0.key == key }?.value }

    func has(_ key: String) -> Bool { value(key).map { $0 != "false" } ?? false }

    func hasKey(startingWith prefix: String) -> Bool { all.contains { $0.key.hasPrefix(prefix) } }
  }

  // MARK: Pictures

  private mutating func read() throws(AutomatonError) {
    guard let start = find("\\begin{tikzpicture}") else {
      throw AutomatonError(
        file, TextPlace(line: 1, column: 1), expected: "`\\begin{tikzpicture}`", found: "none")
    }
    // Styles for all pictures.
    setUp(String(text[..<start]))
    index = start + 19
    apply(try options())
    while true {
      skipSpace()
      if take("\\end{tikzpicture}") { break }
      try statement()
    }
    if let second = find("\\begin{tikzpicture}") {
      throw error(at: second, "one picture in a file", "a second one")
    }
    guard !graph.nodes.isEmpty else {
      throw error(at: start, "nodes with the option `state`", "none")
    }
  }

  /// Uses the distance between nodes of the settings before the picture.
  private mutating func setUp(_ preamble: String) {
    if let match = preamble.firstMatch(of: /node distance\s*=\s*([^,\]}]+)/) {
      nodeDistance = Self.length(String(match.1)) ?? nodeDistance
    }
  }

  private func find(_ word: String) -> Int? {
    let pattern = Array(word)
    guard index <= text.count - pattern.count else { return nil }
    return (index...(text.count - pattern.count)).first {
      text[$0] == "\\" && text[$0...].starts(with: pattern)
    }
  }

  private mutating func apply(_ options: Options) {
    if let x = options.value("x").flatMap(Self.length) { scale.x = x }
    if let y = options.value("y").flatMap(Self.length) { scale.y = -y }
    if let distance = options.value("node distance") {
      nodeDistance = Self.length(distance.components(separatedBy: " and ")[0]) ?? nodeDistance
    }
  }

  /// Returns a length in centimetres; numbers without a unit are centimetres.
  private static func length(_ text: String) -> Double? {
    let text = text.filter { !$0.isWhitespace && $0 != "{" && $0 != "}" }
    let digits = text.prefix { $0.isNumber || "+-.".contains($0) }
    guard let value = Double(digits), abs(value) < 1e6 else { return nil }
    let units = ["": 1, "cm": 1, "mm": 0.1, "pt": 1 / 28.45, "in": 2.54, "em": 0.35, "ex": 0.15]
    return units[String(text[digits.endIndex...])].map { value * $0 }
  }

  private mutating func statement() throws(AutomatonError) {
    let start = index
    if take(";") { return }
    if take("\\node") {
      try node(start)
    } else if take("\\path") || take("\\draw") {
      try path(start)
    } else if take("\\begin{scope}") {
      _ = try options()
    } else if take("\\end{scope}") || take("\\centering") || take("\\small") || take("\\tiny") {
      return
    } else if take("\\tikzset") || take("\\tikzstyle") {
      while current != nil, current != "{", current != "[" { index += 1 }
      if let part = try group("{", "}") { apply(part) } else { _ = try options() }
    } else if take("\\coordinate") {
      _ = try options()
      if let name = try group("(", ")") { others.insert(name) }
      while current != nil, current != ";" { index += 1 }
    } else {
      throw refuse("`\\node`, `\\path`, `\\draw` or `\\end{tikzpicture}`")
    }
  }

  private mutating func apply(_ text: String) {
    var options = Options()
    options.add(text)
    apply(options)
  }

  // MARK: Nodes

  private mutating func node(_ start: Int) throws(AutomatonError) {
    var options = Options()
    var name: String?
    var coordinate: PlacedAutomaton.Place?
    var content = ""
    while true {
      skipSpace()
      if let part = try group("[", "]") {
        options.add(part)
      } else if let part = try group("(", ")") {
        name = part.trimmingSpace
      } else if take("at") {
        guard let part = try group("(", ")") else { throw refuse("a coordinate after `at`") }
        coordinate = place(part)
      } else if let part = try group("{", "}") {
        content = part
      } else {
        break
      }
    }
    skipSpace()
    guard take(";") else { throw refuse("`;` after a node") }
    let isState =
      options.hasKey(startingWith: "state") || options.has("initial") || options.has("accepting")
    guard isState else {
      if let name {
        others.insert(name)
      } else if coordinate != nil, let last = lastDrawn, graph.edges[last].label.isEmpty {
        graph.edges[last].label = Typeset.tex(content)
        lastDrawn = nil
      } else if let text = Optional(Typeset.tex(content).trimmingSpace), !text.isEmpty {
        graph.remarks.append("the text `\(text)` is no state and is left out")
      }
      return
    }
    let id = name ?? "n\(graph.nodes.count)"
    guard !graph.contains(id) else {
      throw error(at: start, "a unique name", "another node `\(id)`")
    }
    let parts = Self.parts(of: content)
    let place = coordinate ?? relativePlace(options)
    graph.node(id) { state in
      state.name = Self.line(parts.name)
      state.output = parts.output
      state.isInitial = options.all.contains { key, value in
        value != "false" && ["initial", "initial by arrow", "initial by diamond"].contains(key)
          || ["initial above", "initial below", "initial left", "initial right"].contains(key)
      }
      state.isFinal = ["accepting", "accepting by double", "accepting by arrow", "double"]
        .contains(where: options.has)
      state.place = place
    }
  }

  /// The last arrow without a label that `\draw` drew.
  private var lastDrawn: Int?

  private static func line(_ text: String) -> String {
    String(Typeset.tex(text).trimmingSpace.map { $0.isNewline ? " " : $0 })
  }

  /// Returns the name of a state, and the output in its lower part.
  private static func parts(of content: String) -> (name: String, output: String?) {
    guard let part = content.firstRange(of: "\\nodepart{lower}") else { return (content, nil) }
    return (String(content[..<part.lowerBound]), line(String(content[part.upperBound...])))
  }

  /// Returns the place of a coordinate such as `1, -2cm`, or of a node.
  private func place(_ text: String) -> PlacedAutomaton.Place? {
    let parts = text.split(separator: ",").map { String($0).trimmingSpace }
    if parts.count == 1 { return graph.place(of: parts[0]) }
    guard parts.count == 2, let x = Double(parts[0]).map({ $0 * scale.x }) ?? Self.length(parts[0]),
      let y = Double(parts[1]).map({ $0 * scale.y }) ?? Self.length(parts[1]).map({ -$0 }),
      abs(x) < 1e6, abs(y) < 1e6
    else { return nil }
    return PlacedAutomaton.Place(x: x, y: y)
  }

  /// Returns the place beside another state: `right of=q0`, `below left=2cm of q0`.
  private func relativePlace(_ options: Options) -> PlacedAutomaton.Place? {
    for (key, value) in options.all {
      let words = key.split(separator: " ").map(String.init)
      let directions = words.filter { ["above", "below", "left", "right"].contains($0) }
      let rest = words.filter { !directions.contains($0) && $0 != "base" && $0 != "mid" }
      guard !directions.isEmpty, rest.isEmpty || rest == ["of"] else { continue }
      let pieces = value.components(separatedBy: "of ")
      let name = (pieces.last ?? value).trimmingSpace
      guard let anchor = graph.place(of: name) else {
        continue
      }
      let given =
        pieces.count > 1 ? Self.length(pieces[0].components(separatedBy: " and ")[0]) : nil
      // `right=of q0` measures between the borders.
      let distance = (given ?? nodeDistance) + (pieces.count > 1 ? 1 : 0)
      var place = anchor
      for direction in directions {
        switch direction {
        case "above": place.y -= distance
        case "below": place.y += distance
        case "left": place.x -= distance
        default: place.x += distance
        }
      }
      return place
    }
    return graph.nodes.isEmpty ? PlacedAutomaton.Place(x: 0, y: 0) : nil
  }

  // MARK: Paths

  private mutating func path(_ start: Int) throws(AutomatonError) {
    lastDrawn = nil
    let options = try options()
    skipSpace()
    var from = try end()
    while true {
      skipSpace()
      if take(";") { return }
      let offset = index
      guard current != nil else { throw refuse("`;` after a path") }
      if current == "(" {
        from = try end()
        continue
      }
      if take("edge") {
        _ = try edge(from, offset, options)
      } else if isNext("..") {
        try curve(from, offset)
        from = lastEnd
      } else if take("to") || take("--") || take("|-") || take("-|") {
        from = try edge(from, offset, options)
      } else if take("node") {
        _ = try nodeText()
      } else if try group("[", "]") == nil {
        throw refuse("an edge, a line or `;`")
      }
    }
  }

  /// The end of a path: a state, another node, or a coordinate.
  private enum End {
    case state(String)
    case other
  }

  private var lastEnd = End.other

  private mutating func end() throws(AutomatonError) -> End {
    skipSpace()
    if current == "+" { while current == "+" { index += 1 } }
    let offset = index
    guard let text = try group("(", ")") else { throw refuse("a node or coordinate") }
    let name = String(text.prefix { $0 != "." }).trimmingSpace
    if graph.contains(name) { return .state(name) }
    guard text.contains(",") || text.contains(":") || others.contains(name) || text.hasPrefix("$")
    else {
      throw error(at: offset, "a node of the picture", "`\(text)`")
    }
    return .other
  }

  /// Reads the labels and options after `edge` or `to` up to the target.
  private mutating func labels(_ options: inout Options) throws(AutomatonError) -> [String] {
    var labels: [String] = []
    while true {
      skipSpace()
      if let part = try group("[", "]") {
        options.add(part)
      } else if take("node") {
        if let text = try nodeText() { labels.append(text) }
      } else {
        return options.labels + labels
      }
    }
  }

  /// Reads the options and the text of a node on a path.
  private mutating func nodeText() throws(AutomatonError) -> String? {
    while true {
      if try group("[", "]") != nil { continue }
      if try group("(", ")") != nil { continue }
      if take("at") { continue }
      return try group("{", "}")
    }
  }

  /// Reads an edge after its first word, and returns its target.
  private mutating func edge(
    _ from: End, _ offset: Int, _ options: Options
  ) throws(AutomatonError) -> End {
    var options = options
    var labels = try labels(&options)
    skipSpace()
    var to = from
    // `()` is the start itself.
    if isNext("()") { index += 2 } else { to = try end() }
    skipSpace()
    while take("node") {
      if let text = try nodeText() { labels.append(text) }
      skipSpace()
    }
    try add(
      from, to, labels.joined(separator: "\\\\"), isReversed: options.has("<-"), at: offset,
      middle: nil)
    return to
  }

  /// Reads curves such as `.. controls (1, 2) and (3, 4) .. (n1)`, several of which are one arrow.
  private mutating func curve(_ from: End, _ offset: Int) throws(AutomatonError) {
    var joints: [PlacedAutomaton.Place?] = []
    var label = ""
    var to = End.other
    while true {
      skipSpace()
      guard isNext("..") else { break }
      index += 2
      skipSpace()
      guard take("controls") else { throw refuse("`controls` after `..`") }
      guard try group("(", ")") != nil else { throw refuse("a coordinate after `controls`") }
      skipSpace()
      if take("and"), try group("(", ")") == nil { throw refuse("a coordinate after `and`") }
      skipSpace()
      guard take("..") else { throw refuse("`..` after the control points") }
      skipSpace()
      while take("node") {
        if let text = try nodeText() { label += label.isEmpty ? text : "\\\\" + text }
        skipSpace()
      }
      let start = index
      to = try end()
      joints.append(place(String(text[start + 1..<index - 1])))
    }
    let middle = joints.count > 1 ? joints[joints.count / 2 - 1] : nil
    let count = graph.edges.count
    try add(from, to, label, isReversed: false, at: offset, middle: middle)
    if graph.edges.count > count, label.isEmpty { lastDrawn = count }
    lastEnd = to
  }

  private mutating func add(
    _ from: End, _ to: End, _ label: String, isReversed: Bool, at offset: Int,
    middle: PlacedAutomaton.Place?
  ) throws(AutomatonError) {
    switch isReversed ? (to, from) : (from, to) {
    case (.state(let start), .state(let end)):
      graph.edges.append(
        LabelledGraph.Edge(
          start: start, end: end, label: Typeset.tex(label), offset: offset, middle: middle))
    case (.other, .state(let end)): graph.node(end) { $0.isInitial = true }
    case (.state, .other): graph.remarks.append("an arrow to no state is left out")
    case (.other, .other): break
    }
  }
}
