import Foundation

/// Automata in LaTeX with TikZ's library `automata` (https://tikz.dev/library-automata).
///
/// States are nodes with the option `state`, with `initial` and `accepting`, or with a style of the file that
/// has them. Transitions are edges of `\path` or `\draw`, with labels in nodes or quotes. The files that the
/// editor writes draw each arrow with `\draw`; the node after it is its label, and an arrow that begins at a
/// coordinate or an empty node marks an initial state.
struct TikZ {
  private let file: String
  private let text: [Character]
  private var index = 0
  private var graph: LabelledGraph
  /// The factors of the coordinates, y downwards.
  private var scale = (x: 1.0, y: -1.0)
  /// The distance of `right of`, in centimetres.
  private var nodeDistance = 1.0
  /// The nodes that are no states, and whether they are empty: coordinates, and nodes that say `start`.
  private var others: [String: Bool] = [:]
  /// The styles that the file defines, with their options.
  private var styles: [String: [Options.Entry]] = [:]
  /// The tips of lines whose own options do not say them, in the picture and its open scopes.
  private var tips: [TikZTips?] = [nil]

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
    /// A key with its value, or an arrow specification such as `-{Stealth[length=2mm]}` as a key.
    struct Entry {
      var key: String
      var value: String
    }

    var all: [Entry] = []
    /// The labels in quotes.
    var labels: [String] = []

    mutating func add(_ text: String) {
      for part in Self.parts(text) {
        let part = part.trimmingSpace
        if part.hasPrefix("\""), let end = part.dropFirst().lastIndex(of: "\"") {
          let label = part[part.index(after: part.startIndex)..<end]
          labels.append(Self.withoutBraces(String(label)))
          continue
        }
        let sign = Self.equals(in: part)
        let value = sign.map { String(part[part.index(after: $0)...]).trimmingSpace } ?? ""
        var key = String(part[..<(sign ?? part.endIndex)]).trimmingSpace
        if key.hasPrefix("/tikz/") { key.removeFirst(6) }
        all.append(Entry(key: key, value: value))
      }
    }

    /// Returns the position of the first `=` outside braces and brackets.
    private static func equals(in text: String) -> String.Index? {
      var depth = 0
      for index in text.indices {
        if "{[".contains(text[index]) { depth += 1 }
        if "}]".contains(text[index]) { depth -= 1 }
        if depth <= 0, text[index] == "=" { return index }
      }
      return nil
    }

    /// Returns the text without the braces around it.
    static func withoutBraces(_ text: String) -> String {
      text.hasPrefix("{") && text.hasSuffix("}") ? String(text.dropFirst().dropLast()) : text
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

    /// The tips of a line, or `nil` if the options do not say them.
    var tips: TikZTips? {
      for entry in all.reversed() where entry.value.isEmpty {
        if let tips = TikZTips(entry.key) { return tips }
      }
      return nil
    }
  }

  // MARK: Styles

  /// The maximum nesting depth of styles, and number of options that they stand for.
  private static let (deepest, maximumOptions) = (20, 1000)

  /// Keeps the styles that options define: `final/.style={accepting}`.
  private mutating func define(_ options: Options) {
    for entry in options.all {
      guard let slash = entry.key.range(of: "/.", options: .backwards) else { continue }
      let name = String(entry.key[..<slash.lowerBound]).trimmingSpace
      var content = Options()
      content.add(Options.withoutBraces(entry.value))
      switch entry.key[slash.upperBound...] {
      case "style": styles[name] = content.all
      case "append style": styles[name, default: []] += content.all
      case "prefix style": styles[name] = content.all + styles[name, default: []]
      default: break
      }
    }
  }

  /// Returns options with what the styles among them stand for; the names of the styles stay.
  ///
  /// - Throws: `AutomatonError` for styles that stand for themselves, or for too much.
  private func expanded(
    _ options: Options, at offset: Int
  ) throws(AutomatonError) -> Options {
    var result = options
    result.all = []
    func visit(_ entries: [Options.Entry], _ depth: Int) throws(AutomatonError) {
      guard depth <= Self.deepest, result.all.count + entries.count <= Self.maximumOptions else {
        throw error(
          at: offset,
          "styles of at most \(Self.maximumOptions) options, nested \(Self.deepest) deep",
          "more")
      }
      for entry in entries {
        result.all.append(entry)
        guard let style = styles[entry.key] else { continue }
        // `state/.style={state, fill=red}` changes what the library defines.
        try visit(style.filter { $0.key != entry.key }, depth + 1)
      }
    }
    try visit(options.all, 0)
    return result
  }

  /// Returns expanded options of an element after those that all such elements have.
  private func expanded(
    _ options: Options, every names: [String], at offset: Int
  ) throws(AutomatonError) -> Options {
    var whole = options
    whole.all = names.flatMap { styles[$0] ?? [] } + options.all
    return try expanded(whole, at: offset)
  }

  /// Returns whether expanded options are those of a state.
  private func isState(_ options: Options) -> Bool {
    options.all.contains { entry in
      entry.value != "false"
        && (Self.stateKeys.contains(entry.key)
          || entry.key.hasPrefix("state") && styles[entry.key] == nil)
    }
  }

  private static let initialKeys: Set = [
    "initial", "initial by arrow", "initial by diamond", "initial above", "initial below",
    "initial left", "initial right",
  ]
  private static let finalKeys: Set = [
    "accepting", "accepting by double", "accepting by arrow", "accepting above", "accepting below",
    "accepting left", "accepting right",
  ]
  private static let stateKeys = initialKeys.union(finalKeys)
    .union(["state", "state with output", "state without output"])

  // MARK: Pictures

  private mutating func read() throws(AutomatonError) {
    guard let start = find("\\begin{tikzpicture}") else {
      throw AutomatonError(
        file, TextPlace(line: 1, column: 1), expected: "`\\begin{tikzpicture}`", found: "none")
    }
    setUp(before: start)
    index = start + 19
    let options = try options()
    define(options)
    apply(try expanded(options, every: ["every picture"], at: start))
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

  /// Uses the settings for all pictures, which are before the first one.
  private mutating func setUp(before start: Int) {
    if let match = String(text[..<start]).firstMatch(of: /node distance\s*=\s*([^,\]}]+)/) {
      nodeDistance = Self.length(String(match.1)) ?? nodeDistance
    }
    index = 0
    while index < start {
      if text[index] == "\\", take("\\tikzset") || take("\\tikzstyle") {
        // Other commands can be in the middle of these.
        let next = index
        do { try settings() } catch { index = next }
      } else {
        index += 1
      }
    }
  }

  /// Reads what follows `\tikzset` or `\tikzstyle`: `{keys}`, or `{name}=[keys]`.
  private mutating func settings() throws(AutomatonError) {
    let offset = index
    guard let part = try group("{", "}") else { throw refuse("`{` after the command") }
    skipSpace()
    let adds = take("+")
    guard take("=") else {
      var options = Options()
      options.add(part)
      define(options)
      apply(try expanded(options, at: offset))
      return
    }
    let content = try options()
    let name = part.trimmingSpace
    styles[name] = (adds ? styles[name, default: []] : []) + content.all
  }

  private func find(_ word: String) -> Int? {
    let pattern = Array(word)
    guard index <= text.count - pattern.count else { return nil }
    return (index...(text.count - pattern.count)).first {
      text[$0] == "\\" && text[$0...].starts(with: pattern)
    }
  }

  private mutating func apply(_ options: Options) {
    if let given = options.tips { tips[tips.count - 1] = given }
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
      let options = try options()
      define(options)
      tips.append(try expanded(options, every: ["every scope"], at: start).tips ?? tips.last!)
    } else if take("\\end{scope}") {
      if tips.count > 1 { tips.removeLast() }
    } else if take("\\centering") || take("\\small") || take("\\tiny") {
      return
    } else if take("\\tikzset") || take("\\tikzstyle") {
      try settings()
    } else if take("\\coordinate") {
      _ = try options()
      if let name = try group("(", ")") { others[name.trimmingSpace] = true }
      while current != nil, current != ";" { index += 1 }
    } else {
      throw refuse("`\\node`, `\\path`, `\\draw` or `\\end{tikzpicture}`")
    }
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
    options = try expanded(options, every: ["every node"], at: start)
    guard isState(options) else {
      let text = Self.line(content)
      let isEmpty = Self.marksStart(text)
      if let name {
        others[name] = isEmpty
      } else if coordinate != nil, let last = lastDrawn, graph.edges[last].label.isEmpty {
        graph.edges[last].label = try shownLabel(content, at: start)
        lastDrawn = nil
        return
      }
      if !isEmpty { graph.remarks.append("the text `\(text)` is no state and is left out") }
      return
    }
    options = try expanded(options, every: ["every state"], at: start)
    let id = name ?? "n\(graph.nodes.count)"
    guard !graph.contains(id) else {
      throw error(at: start, "a unique name", "another node `\(id)`")
    }
    let parts = Self.parts(of: content)
    let place = coordinate ?? relativePlace(options)
    graph.node(id) { state in
      state.name = Self.line(parts.name)
      state.output = parts.output
      func has(_ keys: Set<String>) -> Bool {
        options.all.contains { $0.value != "false" && keys.contains($0.key) }
      }
      state.isInitial = has(Self.initialKeys)
      state.isFinal = has(Self.finalKeys) || options.has("double")
      state.place = place
    }
  }

  /// Returns whether the text of a node that is no state, or of an arrow, marks a start or says nothing.
  private static func marksStart(_ text: String) -> Bool {
    ["", "start", "begin", "init", "initial"].contains(text.trimmingSpace.lowercased())
  }

  /// Returns the label of an arrow as it is shown.
  private func shownLabel(_ content: String, at offset: Int) throws(AutomatonError) -> String {
    let (shown, unknown) = Typeset.read(content)
    guard let unknown else { return shown }
    throw error(
      at: offset, "a label without the command \\\(unknown), which is not read",
      "`\(content.trimmingSpace)`")
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
    for entry in options.all {
      let value = entry.value
      let words = entry.key.split(separator: " ").map(String.init)
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
    let options = try expanded(try options(), every: ["every path"], at: start)
    skipSpace()
    var from = try end()
    /// The line so far, if it has not reached a node yet.
    var open: Line?
    func flush() throws(AutomatonError) {
      if let line = open { try add(line, to: .blank) }
      open = nil
    }
    while true {
      skipSpace()
      let offset = index
      if take(";") { return try flush() }
      guard current != nil else { throw refuse("`;` after a path") }
      if current == "(" {
        try flush()
        from = try end()
        continue
      }
      if take("edge") {
        var whole = options
        whole.all += try expanded(Options(), every: ["every edge"], at: offset).all
        if let line = try edge(Line(from: from, tips: nil, offset: offset), whole) {
          try add(line, to: .blank)
        }
      } else if isNext("..") {
        var line = open ?? Line(from: from, tips: nil, offset: offset)
        line.tips = options.tips ?? tips.last!
        open = nil
        from = try curve(line)
      } else if take("to") || take("--") || take("|-") || take("-|") {
        let line = open ?? Line(from: from, tips: nil, offset: offset)
        open = try edge(line, options)
        from = lastEnd
      } else if take("node") {
        let (text, style) = try nodeText()
        guard !isState(try expanded(style, every: ["every node"], at: offset)) else {
          throw error(at: offset, "a state in a statement of its own, `\\node`", "one on a path")
        }
        if let text, open != nil {
          open?.labels.append(text)
        } else if let text, !Self.marksStart(Self.line(text)) {
          graph.remarks.append("the text `\(Self.line(text))` at no arrow is left out")
        }
      } else if try group("[", "]") == nil {
        throw refuse("an edge, a line or `;`")
      }
    }
  }

  /// The end of a path.
  private enum End {
    case state(String)
    /// A coordinate, or a node that is empty or says `start`.
    case blank
    /// A node with a text that is no state.
    case text(String)
  }

  /// A line from an end, on its way to another one.
  private struct Line {
    var from: End
    /// Its tips, or `nil` if nothing says them.
    var tips: TikZTips?
    var labels: [String] = []
    var offset: Int

    init(from: End, tips: TikZTips?, offset: Int) {
      (self.from, self.tips, self.offset) = (from, tips, offset)
    }
  }

  private var lastEnd = End.blank

  private mutating func end() throws(AutomatonError) -> End {
    skipSpace()
    if current == "+" { while current == "+" { index += 1 } }
    let offset = index
    guard let text = try group("(", ")") else { throw refuse("a node or coordinate") }
    let name = String(text.prefix { $0 != "." }).trimmingSpace
    if graph.contains(name) { return .state(name) }
    if let isEmpty = others[name] { return isEmpty ? .blank : .text(name) }
    guard text.contains(",") || text.contains(":") || text.hasPrefix("$") else {
      throw error(at: offset, "a node of the picture", "`\(text)`")
    }
    return .blank
  }

  /// Reads the labels and options after `edge` or `to` up to the target.
  private mutating func labels(_ options: inout Options) throws(AutomatonError) -> [String] {
    var labels: [String] = []
    while true {
      skipSpace()
      if let part = try group("[", "]") {
        options.add(part)
      } else if take("node") {
        if let text = try nodeText().text { labels.append(text) }
      } else {
        return options.labels + labels
      }
    }
  }

  /// Reads the text and the options of a node on a path.
  private mutating func nodeText() throws(AutomatonError) -> (text: String?, options: Options) {
    var options = Options()
    while true {
      if let part = try group("[", "]") {
        options.add(part)
      } else if try group("(", ")") == nil, !take("at") {
        return (try group("{", "}"), options)
      }
    }
  }

  /// Reads an edge after its first word.
  ///
  /// Returns the line if it has only reached a coordinate or an empty node, from which it can go on.
  private mutating func edge(
    _ line: Line, _ options: Options
  ) throws(AutomatonError) -> Line? {
    var own = Options()
    var line = line
    line.labels += try labels(&own)
    line.tips = try expanded(own, at: line.offset).tips ?? options.tips ?? tips.last!
    skipSpace()
    // `()` is the start itself.
    var to = line.from
    if isNext("()") { index += 2 } else { to = try end() }
    skipSpace()
    while take("node") {
      if let text = try nodeText().text { line.labels.append(text) }
      skipSpace()
    }
    lastEnd = to
    if case .blank = to { return line }
    try add(line, to: to)
    return nil
  }

  /// Reads curves such as `.. controls (1, 2) and (3, 4) .. (n1)`, several of which are one arrow, and
  /// returns their end.
  private mutating func curve(_ line: Line) throws(AutomatonError) -> End {
    var line = line
    var joints: [PlacedAutomaton.Place?] = []
    var to = End.blank
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
        if let text = try nodeText().text { line.labels.append(text) }
        skipSpace()
      }
      let start = index
      to = try end()
      joints.append(place(String(text[start + 1..<index - 1])))
    }
    skipSpace()
    while take("node") {
      if let text = try nodeText().text { line.labels.append(text) }
      skipSpace()
    }
    let count = graph.edges.count
    try add(line, to: to, middle: joints.count > 1 ? joints[joints.count / 2 - 1] : nil)
    if graph.edges.count > count, line.labels.isEmpty { lastDrawn = count }
    return to
  }

  /// Adds what a line means: a transition in the direction of its tips, or the mark of an initial state.
  private mutating func add(
    _ line: Line, to end: End, middle: PlacedAutomaton.Place? = nil
  ) throws(AutomatonError) {
    let label = try shownLabel(line.labels.joined(separator: "\\\\"), at: line.offset)
    // A line without tips is drawn from the first state to the second one.
    let tips = line.tips ?? TikZTips(atStart: false, atEnd: false)
    let hasTips = tips.atStart || tips.atEnd
    if tips.atEnd || !hasTips {
      try add(line.from, end, label, hasTip: hasTips, at: line.offset, middle: middle)
    }
    if tips.atStart {
      try add(end, line.from, label, hasTip: true, at: line.offset, middle: middle)
    }
  }

  private mutating func add(
    _ from: End, _ to: End, _ label: String, hasTip: Bool, at offset: Int,
    middle: PlacedAutomaton.Place?
  ) throws(AutomatonError) {
    let isLabelled = !Self.marksStart(label)
    switch (from, to) {
    case (.state(let start), .state(let end)):
      graph.edges.append(
        LabelledGraph.Edge(start: start, end: end, label: label, offset: offset, middle: middle))
    case (.text(let name), _) where isLabelled, (_, .text(let name)) where isLabelled:
      throw error(
        at: offset, "arrows between states, which are nodes with the option `state`",
        "an arrow with the label `\(label)` at the node `\(name)`")
    case (.blank, .state) where isLabelled:
      throw error(
        at: offset, "an arrow without a symbol to an initial state",
        "an arrow from no state with the label `\(label)`")
    case (.blank, .state(let end)) where hasTip: graph.node(end) { $0.isInitial = true }
    case (.state, _): graph.remarks.append("an arrow to no state is left out")
    case (_, .state): graph.remarks.append("a line from no state is left out")
    default: break
    }
  }
}

/// The tips of a line in TikZ, as its options say them: `->`, `<->`, `latex-`, `-{Stealth[round]}`.
private struct TikZTips {
  /// Whether a tip at the start of the line points backwards.
  var atStart: Bool
  /// Whether a tip at its end points forwards.
  var atEnd: Bool

  init(atStart: Bool, atEnd: Bool) { (self.atStart, self.atEnd) = (atStart, atEnd) }

  /// Reads an arrow specification, or returns `nil` for another option.
  init?(_ text: String) {
    var depth = 0
    let dash = text.indices.first { index in
      if "{[".contains(text[index]) { depth += 1 }
      if "}]".contains(text[index]) { depth -= 1 }
      return depth == 0 && text[index] == "-"
    }
    guard let dash, let start = Self.isTip(text[..<dash], pointing: "<"),
      let end = Self.isTip(text[text.index(after: dash)...], pointing: ">")
    else { return nil }
    (atStart, atEnd) = (start, end)
  }

  /// The beginnings of the names of tips that point somewhere, and of those that do not.
  private static let pointed = [
    "latex", "stealth", "to", "triangle", "open triangle", "angle", "implies", "hook", "kite",
    "straight barb", "arc barb", "classical", "computer modern", "left to", "right to", "left hook",
    "right hook", "vee", "rightarrow",
  ]
  private static let blunt = [
    "bar", "circle", "square", "diamond", "open", "round", "butt", "tee", "ray", "space", "fast",
    "cap", "bracket", "parenthesis", "turned", "serif",
  ]

  /// Returns whether the tips on one side point away from the line, or `nil` if they are no tips.
  private static func isTip(_ text: Substring, pointing sign: Character) -> Bool? {
    var rest = text.drop(while: \.isWhitespace)
    var points = false
    while let character = rest.first {
      if "<>|()[]o*.".contains(character), !(character == "o" && rest.hasPrefix("open")) {
        if character == sign { points = true }
        rest.removeFirst()
        continue
      }
      var name = rest
      if character == "{" {
        var depth = 0
        let end = rest.indices.first { index in
          depth += rest[index] == "{" ? 1 : rest[index] == "}" ? -1 : 0
          return depth == 0
        }
        guard let end else { return nil }
        name = rest[..<end].dropFirst()
        rest = rest[rest.index(after: end)...]
      } else {
        rest = rest[rest.endIndex...]
      }
      let plain = name.lowercased().drop(while: \.isWhitespace)
      if plain.contains(sign) || pointed.contains(where: plain.hasPrefix) {
        points = true
      } else if !blunt.contains(where: plain.hasPrefix),
        !plain.allSatisfy({ "<>|()[]o*. ".contains($0) })
      {
        return nil
      }
    }
    return points
  }
}
