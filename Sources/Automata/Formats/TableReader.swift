/// Reads transition tables as people and spreadsheets write them, and lists of transitions.
///
/// Columns are separated by `|` (Markdown as well), tabs, semicolons, commas or spaces; the separator
/// is the first of these that every line has. A header of `from`, `symbol` and `to`, or three columns
/// in which the states are in the first and third one, is a list of transitions.
///
/// - `→`, `->` or `>` before a name marks an initial state; `*` before or after it, or `F:`, a final one.
///   Lines such as `start: q0` and `F = {q1}` do the same.
/// - `∅`, `-` or an empty cell is no transition; `{q0,q1}` and `q0, q1` are two, unless a state has that name.
/// - A column `output` makes the states those of a Moore machine, and cells such as `q1/x` the transitions
///   those of a Mealy machine.
struct TableReader {
  /// What a mark before the name of a state says.
  struct Mark {
    var text: String
    var isInitial = false
    var isFinal = false
  }

  static let marks = [
    Mark(text: "-->", isInitial: true), Mark(text: "->", isInitial: true),
    Mark(text: "=>", isInitial: true), Mark(text: ">", isInitial: true),
    Mark(text: "→", isInitial: true), Mark(text: "⟶", isInitial: true),
    Mark(text: "⇒", isInitial: true), Mark(text: "➔", isInitial: true),
    Mark(text: "➜", isInitial: true), Mark(text: "▶", isInitial: true),
    Mark(text: "*", isFinal: true), Mark(text: "F:", isFinal: true),
    Mark(text: "I:", isInitial: true),
  ]
  /// What a cell without a state contains.
  static let nothing: Set = ["∅", "Ø", "ø", "-", "--", "–", "—", "−", "{}", "{ }", "⊥"]

  private static let startKeys: Set = [
    "start", "starts", "initial", "start state", "start states", "initial state", "initial states",
    "i", "startzustand", "anfangszustand",
  ]
  private static let finalKeys: Set = [
    "final", "finals", "accept", "accepting", "final state", "final states", "accept states",
    "accepting states", "f", "endzustände", "endzustand",
  ]
  private static let alphabetKeys: Set = ["alphabet", "σ", "sigma", "symbols"]
  private static let sources: Set = [
    "from", "source", "src", "start", "state", "current", "current state", "from state", "von",
    "origin",
  ]
  private static let targets: Set = [
    "to", "target", "destination", "dest", "dst", "next", "next state", "to state", "end", "nach",
    "new state", "goal",
  ]
  private static let outputs: Set = [
    "output", "outputs", "out", "ausgabe", "salida", "sortie", "output symbol", "write",
  ]
  private static let finalColumns: Set = ["final", "accepting", "accept", "final?", "is_final"]
  private static let startColumns: Set = ["start", "initial", "initial?", "is_start", "is_initial"]
  private static let agreement: Set = ["yes", "y", "1", "true", "x", "✓", "✔", "*", "ja", "+"]
  private static let refusal: Set = ["", "no", "n", "0", "false", "-", "nein"]

  /// A character, its column, and whether it was escaped by `\`.
  private struct Sign {
    var character: Character
    var column: Int
    var isEscaped = false

    var isSpace: Bool { character.isWhitespace && !isEscaped }
  }

  private struct Cell {
    var signs: [Sign]
    var column: Int

    var text: String { String(signs.map(\.character)) }
    var isEmpty: Bool { signs.isEmpty }
    var hasEscapes: Bool { signs.contains(where: \.isEscaped) }
  }

  private struct Line {
    var number: Int
    var text: Substring
    var cells: [Cell] = []
  }

  private let file: String
  private var graph: LabelledGraph

  private var lines: [Line] = []
  /// The states that lines such as `F: q1` name, and where.
  private var named: [(name: String, isInitial: Bool, place: TextPlace)] = []
  private var separator: Character = "|"
  private var isOwn = false

  init(_ text: String, file: String) throws(AutomatonError) {
    self.file = file
    graph = LabelledGraph(file: file) { _ in TextPlace(line: 1, column: 1) }
    try UnknownFormat.refuse(text, file: file)
    try split(text)
    try read()
  }

  func placed(as choice: KindChoice) throws(AutomatonError) -> PlacedAutomaton {
    try graph.placed(as: choice)
  }

  private func error(
    _ line: Int, _ column: Int, _ expected: String, _ found: String
  ) -> AutomatonError {
    AutomatonError(
      file, TextPlace(line: line, column: column), expected: expected, found: found)
  }

  // MARK: Lines and cells

  private mutating func split(_ text: String) throws(AutomatonError) {
    let hasBars = text.contains("|")
    let isMarkdown =
      text.contains("```") || text.contains("|-") || text.contains("| -") || text.contains("|:")
    for (index, whole) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      var line = whole
      if !hasBars, line.contains(where: { "│┃║".contains($0) }) {
        line = Substring(line.map { "│┃║".contains($0) ? "|" : String($0) }.joined())
      }
      let isBlank = line.allSatisfy { $0.isWhitespace || $0 == "\u{FEFF}" }
      if isBlank || Self.isRule(line) { continue }
      if isMarkdown, line.hasPrefix("#") || line.hasPrefix("```") { continue }
      if try isKey(line, number: index + 1) { continue }
      lines.append(Line(number: index + 1, text: line))
    }
    guard let first = lines.first else {
      if !named.isEmpty { throw error(1, 1, "a line with symbols", "only lines such as `F: q1`") }
      throw AutomatonError(at: file, expected: "a line with symbols", found: "an empty file")
    }
    let isState =
      first.text.prefix { $0 != "|" }.lowercased().filter { !$0.isWhitespace } == "state"
    let candidates: [Character] = ["|", "\t", ";", ","]
    separator =
      candidates.first { sign in lines.allSatisfy { $0.text.contains(sign) } }
      ?? (isState || first.text.contains("|") ? "|" : " ")
    isOwn = isState && separator == "|"
    let isFramed =
      separator == "|"
      && lines.allSatisfy { $0.text.drop(while: \.isWhitespace).first == "|" }
    for index in lines.indices {
      let isHeader = index == 0
      lines[index].cells = try cells(lines[index], isHeader: isHeader, isFramed: isFramed)
    }
    if isFramed, lines.count > 1, lines[1].cells.allSatisfy({ Self.isDashes($0.text) }) {
      lines.remove(at: 1)
    } else if separator == "|", lines.count > 1,
      lines[1].cells.first.map({ $0.text.count > 2 }) ?? false,
      lines[1].cells.allSatisfy({ Self.isDashes($0.text) })
    {
      lines.remove(at: 1)
    }
  }

  /// Returns whether the line is only drawn: `+---+---+`.
  private static func isRule(_ line: Substring) -> Bool {
    let signs = line.filter { !$0.isWhitespace }
    return signs.count > 2 && signs.allSatisfy { "+-=─━═┼╪╬├┤┌┐└┘┬┴╞╡╔╗╚╝╠╣╦╩".contains($0) }
      && (signs.contains("+") || signs.contains { "─━═".contains($0) } || signs.count > 4)
  }

  private static func isDashes(_ text: String) -> Bool {
    !text.isEmpty && text.contains("-") && text.allSatisfy { $0 == "-" || $0 == ":" }
  }

  /// Reads a line such as `F = {q1, q2}`; returns whether it is one.
  private mutating func isKey(_ line: Substring, number: Int) throws(AutomatonError) -> Bool {
    guard !line.contains("|"), !line.contains("\t"),
      let sign = line.firstIndex(where: { $0 == ":" || $0 == "=" })
    else { return false }
    let key = String(line[..<sign]).trimmingSpace.lowercased()
    let rest = line[line.index(after: sign)...]
    let isInitial = Self.startKeys.contains(key)
    let isAlphabet = Self.alphabetKeys.contains(key)
    guard isInitial || isAlphabet || Self.finalKeys.contains(key), rest.first != ">" else {
      return false
    }
    // `F:q1,q1,q0` is a row whose state has a mark.
    if key.count == 1, line[sign] == ":", rest.first.map({ !$0.isWhitespace }) ?? true,
      rest.contains(where: { ",; ".contains($0) })
    {
      return false
    }
    let list = String(rest).trimmingSpace
    let isSet = list.hasPrefix("{") && list.hasSuffix("}")
    let place = TextPlace(
      line: number, column: line.distance(from: line.startIndex, to: sign) + 2)
    for part in (isSet ? list.dropFirst().dropLast() : list[...])
      .split(whereSeparator: { ",; ".contains($0) })
    {
      if isAlphabet {
        graph.alphabet.append(String(part))
      } else if !Self.nothing.contains(String(part)) {
        named.append((String(part), isInitial, place))
      }
    }
    return true
  }

  private func cells(
    _ line: Line, isHeader: Bool, isFramed: Bool
  ) throws(AutomatonError) -> [Cell] {
    var cells: [[Sign]] = [[]]
    var starts = [1]
    var depth = 0
    let keepsGroups = !isHeader && separator != "|" && Table.isBalanced(line.text)
    var isQuoted = false
    let hasTeX = line.text.contains("$")
    var rest = line.text[...]
    var column = 0
    while let character = rest.popFirst() {
      column += 1
      if column == 1, character == "\u{FEFF}" { continue }
      if isQuoted {
        if character != "\"" {
          cells[cells.count - 1].append(Sign(character: character, column: column))
        } else if rest.first == "\"" {
          rest.removeFirst()
          column += 1
          cells[cells.count - 1].append(Sign(character: "\"", column: column, isEscaped: true))
        } else {
          isQuoted = false
        }
        continue
      }
      if character == "\"", separator != "|", cells.last!.allSatisfy(\.isSpace),
        rest.contains("\"") || rest.first != separator && !rest.isEmpty
      {
        isQuoted = true
        continue
      }
      // In Markdown, a backslash before a letter begins a command of TeX.
      let isTeX = isFramed && (rest.first?.isLetter ?? false || rest.first != "|" && hasTeX)
      if character == "\\", separator == "|", !isTeX, let next = rest.first {
        rest.removeFirst()
        cells[cells.count - 1].append(
          Sign(character: next, column: column, isEscaped: !isFramed || next == "|"))
        column += 1
        continue
      }
      if keepsGroups { depth += Table.step(character) }
      if depth == 0, character == separator || separator == " " && character.isWhitespace {
        cells.append([])
        starts.append(column + 1)
      } else {
        cells[cells.count - 1].append(Sign(character: character, column: column))
      }
    }
    guard !isQuoted else {
      throw error(line.number, starts.last!, "a closing quote in the line", "the end of the line")
    }
    var result = zip(cells, starts).map { signs, start -> Cell in
      var rest = signs.drop(while: \.isSpace)
      while let last = rest.last, last.isSpace { rest.removeLast() }
      return Self.plain(Cell(signs: Array(rest), column: rest.first?.column ?? start), isOwn: isOwn)
    }
    if isFramed {
      result.removeFirst()
      if result.count > 1, result.last!.isEmpty, line.text.last(where: { !$0.isWhitespace }) == "|"
      {
        result.removeLast()
      }
    }
    return separator == " " ? Self.joined(result) : result
  }

  /// Returns a cell without the signs of Markdown for code, and with TeX's mathematics as it is shown.
  private static func plain(_ cell: Cell, isOwn: Bool) -> Cell {
    guard !isOwn, cell.signs.count > 2 else { return cell }
    var cell = cell
    if cell.signs.first?.character == "`", cell.signs.last?.character == "`" {
      cell.signs = Array(cell.signs.dropFirst().dropLast())
    }
    guard cell.signs.count(where: { $0.character == "$" }) > 1 else { return cell }
    let text = cell.signs.map { $0.isEscaped ? "\\\($0.character)" : "\($0.character)" }.joined()
    cell.signs = Typeset.tex(text).map { Sign(character: $0, column: cell.column) }
    return cell
  }

  /// Joins marks with the names after them, and lists such as `q0, q1`, which spaces separated.
  private static func joined(_ cells: [Cell]) -> [Cell] {
    var result: [Cell] = []
    var isOpen = false
    for (index, cell) in cells.enumerated() where !cell.isEmpty || index == 0 && cells.count > 1 {
      if isOpen, !result.isEmpty {
        result[result.count - 1].signs += cell.signs
      } else {
        result.append(cell)
      }
      let isMark = result.count == 1 && marks.contains { $0.text == cell.text }
      isOpen = cell.text.hasSuffix(",") && cell.signs.count > 1 || isMark
    }
    if let first = result.first, first.isEmpty, result.count > 1 { result.removeFirst() }
    return result
  }

  // MARK: Meaning

  private mutating func read() throws(AutomatonError) {

    var header = lines[0]
    if let list = transitionList() {
      try read(list)
    } else {
      if separator == " ", lines.count > 1, header.cells.count + 1 == lines[1].cells.count {
        header.cells.insert(Cell(signs: [], column: 1), at: 0)
      }
      guard header.cells.count > 1 && lines.count > 1 || isOwn else {
        throw error(
          header.number, 1,
          "a table with columns between |, tabs, ; or commas, or a line that begins with `state`",
          "`\(String(header.text).trimmingSpace)`")
      }
      try readTable(header)
    }
    for (name, isInitial, place) in named {
      guard graph.contains(name) else {
        throw unknownState(name, place)
      }
      graph.node(name) { if isInitial { $0.isInitial = true } else { $0.isFinal = true } }
    }
  }

  /// Returns the error for a state without a line: a mark that is not known at a name, several states in
  /// one cell, or a state that is missing.
  private func unknownState(_ name: String, _ place: TextPlace) -> AutomatonError {
    func parts(_ text: String) -> [String] {
      text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    }
    let marked = lines.dropFirst().first { line in
      let shown = self.marked(line.cells[0]).name
      return shown != name && parts(shown).contains(name) && parts(shown).count < 4
    }
    if let marked, parts(name).count == 1 {
      let cell = marked.cells[0]
      return error(
        marked.number, cell.column,
        "a name, with → or > before it if it is initial, and * if it is final", "`\(cell.text)`")
    }
    if parts(name).count > 1, parts(name).allSatisfy(graph.contains) {
      return AutomatonError(
        file, place, expected: "several states as {\(parts(name).joined(separator: ","))}",
        found: "`\(name)`")
    }
    return AutomatonError(
      file, place,
      expected: "a line for state `\(name)` (a cell without a transition is empty, ∅ or -)",
      found: "none")
  }

  /// Returns a state's name and its marks.
  private func marked(_ cell: Cell) -> (name: String, mark: Mark) {
    var rest = cell.signs[...]
    var all = Mark(text: "")
    while let mark = Self.marks.first(where: { mark in
      rest.count >= mark.text.count
        && zip(rest, mark.text).allSatisfy { $0.character == $1 && !$0.isEscaped }
    }) {
      if mark.isInitial { all.isInitial = true }
      if mark.isFinal { all.isFinal = true }
      rest = rest.dropFirst(mark.text.count).drop(while: \.isSpace)
    }
    while rest.count > 1, let last = rest.last, last.character == "*", !last.isEscaped {
      all.isFinal = true
      rest.removeLast()
      while rest.last?.isSpace ?? false { rest.removeLast() }
    }
    return (String(rest.map(\.character)), all)
  }

  private mutating func add(_ cell: Cell, in line: Line, isNew: Bool) throws(AutomatonError)
    -> String
  {
    let (name, mark) = marked(cell)
    guard !name.isEmpty else {
      throw error(line.number, cell.column, "the name of a state", "none")
    }
    guard !isNew || !graph.contains(name) else {
      throw error(
        line.number, cell.column, "one line for each state", "a second line for `\(name)`")
    }
    graph.node(name) {
      if mark.isInitial { $0.isInitial = true }
      if mark.isFinal { $0.isFinal = true }
    }
    return name
  }

  private mutating func edge(
    _ start: String, _ end: String, _ symbol: Cell, output: String? = nil
  ) {
    let text = symbol.text
    let isEpsilon = !symbol.hasEscapes && Table.isEpsilon(text)
    let label = output.map { "\(text)/\($0.isEmpty ? "ε" : $0)" } ?? text
    graph.edges.append(
      LabelledGraph.Edge(
        start: start, end: end, label: label, offset: 0,
        isSymbol: !isEpsilon && output == nil && !text.isEmpty))
  }

  /// Refuses arrows and headings in place of a symbol: they belong to a form that is not known.
  private func checkSymbol(_ cell: Cell, in line: Line) throws(AutomatonError) {
    guard !isOwn, !cell.hasEscapes else { return }
    let isArrow = ["->", "=>", "→", "⟶", "➔"].contains { cell.text.contains($0) }
    guard isArrow || cell.text.count > 1 && cell.text.first == "@" else { return }
    throw error(line.number, cell.column, "a symbol such as `a`", "`\(cell.text)`")
  }

  private mutating func readTable(_ header: Line) throws(AutomatonError) {
    let symbols = Array(header.cells.dropFirst())
    var seen: Set<String> = []
    for symbol in symbols {
      let isUnique = seen.insert(symbol.hasEscapes ? "\\\(symbol.text)" : symbol.text).inserted
      guard !symbol.isEmpty, isUnique else {
        throw error(
          header.number, symbol.column, "columns for different symbols",
          symbol.isEmpty ? "an empty one" : "a repeated one, `\(symbol.text)`")
      }
      try checkSymbol(symbol, in: header)
    }
    for line in lines.dropFirst() {
      guard line.cells.count <= header.cells.count else {
        throw error(
          line.number, line.cells[header.cells.count].column,
          "at most \(header.cells.count) column\(header.cells.count == 1 ? "" : "s")",
          "\(line.cells.count)")
      }
      guard line.cells.count == header.cells.count || separator == "|" || separator == "\t" else {
        throw error(
          line.number, line.text.count + 1, "\(header.cells.count) columns as in the first line",
          "\(line.cells.count)")
      }
      _ = try add(line.cells[0], in: line, isNew: true)
    }
    let states = Set(graph.nodes.map(\.id))
    /// The columns that describe states instead of transitions.
    var (outputColumn, special): (Int?, [Int: Bool]) = (nil, [:])
    for (index, symbol) in symbols.enumerated() {
      let values = lines.dropFirst().map {
        index + 1 < $0.cells.count ? $0.cells[index + 1].text : ""
      }
      guard values.contains(where: { !$0.isEmpty && !states.contains($0) }) else { continue }
      let word = symbol.text.lowercased()
      let isAnswer = values.allSatisfy {
        Self.agreement.contains($0.lowercased()) || Self.refusal.contains($0.lowercased())
      }
      if Self.outputs.contains(word) {
        outputColumn = index
      } else if isAnswer, Self.finalColumns.contains(word) {
        special[index] = false
      } else if isAnswer, Self.startColumns.contains(word) {
        special[index] = true
      }
    }
    let isMealy = isMealy(symbols, states, besides: outputColumn, special)
    if outputColumn != nil {
      graph.kind = .machine(.moore)
    } else {
      graph.kind = isMealy ? .machine(.mealy) : .finite
    }
    for line in lines.dropFirst() {
      let start = marked(line.cells[0]).name
      for (index, cell) in line.cells.dropFirst().enumerated() {
        if index == outputColumn {
          graph.node(start) { $0.output = Self.output(cell.text) }
        } else if let isStart = special[index] {
          guard Self.agreement.contains(cell.text.lowercased()) else { continue }
          graph.node(start) { if isStart { $0.isInitial = true } else { $0.isFinal = true } }
        } else {
          for target in targets(cell, states, isMealy: isMealy) {
            var (name, output): (String, String?) = (target.text, nil)
            if isMealy {
              let parts = MooreName(name)
              (name, output) = (parts.name.trimmingSpace, parts.output ?? "")
            }
            guard states.contains(name) else {
              throw unknownState(name, TextPlace(line: line.number, column: target.column))
            }
            edge(start, name, symbols[index], output: output)
          }
        }
      }
    }
    let used = Set(special.keys).union(outputColumn.map { [$0] } ?? [])
    for (index, symbol) in symbols.enumerated() where !used.contains(index) && !isMealy {
      if symbol.hasEscapes || !Table.isEpsilon(symbol.text) { graph.alphabet.append(symbol.text) }
    }
  }

  private static func output(_ text: String) -> String {
    ["ε", "-"].contains(text) ? "" : text
  }

  /// Returns whether every transition has an output: `q1/x`.
  private func isMealy(
    _ symbols: [Cell], _ states: Set<String>, besides column: Int?, _ special: [Int: Bool]
  ) -> Bool {
    guard column == nil else { return false }
    var hasOutput = false
    for line in lines.dropFirst() {
      for (index, cell) in line.cells.dropFirst().enumerated() where special[index] == nil {
        for target in targets(cell, states, isMealy: true) {
          guard !states.contains(target.text), target.text.contains("/") else { return false }
          hasOutput = true
        }
      }
    }
    return hasOutput
  }

  /// Returns the states in a cell; commas inside braces or parentheses are part of names.
  private func targets(_ cell: Cell, _ states: Set<String>, isMealy: Bool) -> [Cell] {
    guard !cell.isEmpty else { return [] }
    if states.contains(cell.text) { return [cell] }
    if !cell.hasEscapes, Self.nothing.contains(cell.text) { return [] }
    var signs = cell.signs[...]
    let isSet =
      signs.count > 1 && signs.first!.character == "{" && signs.last!.character == "}"
      && !signs.first!.isEscaped && !signs.last!.isEscaped
    let isOneSet = isSet && Self.depths(signs).dropLast().allSatisfy { $0 > 0 }
    if isOneSet, !states.contains(cell.text) { signs = signs.dropFirst().dropLast() }
    var parts = Self.split(signs, at: [",", ";"])
    if parts.count == 1, !isMealy, !states.contains(parts[0].text) {
      let words = Self.split(signs, at: [" "])
      if words.allSatisfy({ states.contains($0.text) }) { parts = words }
    }
    return parts.filter {
      !$0.isEmpty && (states.contains($0.text) || !Self.nothing.contains($0.text))
    }
  }

  /// Returns the nesting depth after each character.
  private static func depths(_ signs: ArraySlice<Sign>) -> [Int] {
    var depth = 0
    return signs.map { sign in
      if !sign.isEscaped { depth += Table.step(sign.character) }
      return depth
    }
  }

  private static func split(_ signs: ArraySlice<Sign>, at separators: Set<Character>) -> [Cell] {
    let isBalanced = Table.isBalanced(signs.lazy.filter { !$0.isEscaped }.map(\.character))
    let depths = depths(signs)
    var parts: [ArraySlice<Sign>] = []
    var start = signs.startIndex
    for (index, depth) in zip(signs.indices, depths) {
      let sign = signs[index]
      guard separators.contains(sign.character), !sign.isEscaped, !isBalanced || depth == 0 else {
        continue
      }
      parts.append(signs[start..<index])
      start = index + 1
    }
    parts.append(signs[start...])
    return parts.map { part in
      var part = part.drop(while: \.isSpace)
      while part.last?.isSpace ?? false { part.removeLast() }
      return Cell(signs: Array(part), column: part.first?.column ?? signs.first?.column ?? 1)
    }
  }

  // MARK: Lists of transitions

  private struct TransitionList {
    var rows: ArraySlice<Line>
    var source = 0
    var symbol = 1
    var target = 2
    var output: Int?
    var count = 3
  }

  private func transitionList() -> TransitionList? {
    let header = lines[0].cells.map { $0.text.lowercased() }
    if !isOwn, header.count == 3 || header.count == 4,
      let source = header.firstIndex(where: Self.sources.contains),
      let target = header.lastIndex(where: Self.targets.contains), source != target
    {
      let others = header.indices.filter { $0 != source && $0 != target }
      let output = others.count == 2 ? others.first { Self.outputs.contains(header[$0]) } : nil
      guard others.count == 1 || output != nil else { return nil }
      return TransitionList(
        rows: lines.dropFirst(), source: source, symbol: others.first { $0 != output }!,
        target: target, output: output, count: header.count)
    }
    guard lines.count > 1,
      lines.allSatisfy({ $0.cells.count == 3 && !$0.cells[0].isEmpty && !$0.cells[2].isEmpty })
    else { return nil }
    let (starts, ends) = (
      Set(lines.map { marked($0.cells[0]).name }), Set(lines.map { marked($0.cells[2]).name })
    )
    let symbols = Set(lines.map { $0.cells[1].text })
    guard !isOwn, !starts.isDisjoint(with: ends), symbols.isDisjoint(with: starts.union(ends)),
      starts.contains(marked(lines[0].cells[2]).name)
        || ends.contains(marked(lines[0].cells[0]).name)
    else { return nil }
    return TransitionList(rows: lines[...])
  }

  private mutating func read(_ list: TransitionList) throws(AutomatonError) {
    graph.kind = list.output == nil ? .finite : .machine(.mealy)
    for line in list.rows {
      guard line.cells.count == list.count else {
        throw error(
          line.number,
          line.cells.count > list.count ? line.cells[list.count].column : line.text.count + 1,
          "\(list.count) columns as in the first line", "\(line.cells.count)")
      }
      let start = try add(line.cells[list.source], in: line, isNew: false)
      let end = try add(line.cells[list.target], in: line, isNew: false)
      let symbol = line.cells[list.symbol]
      try checkSymbol(symbol, in: line)
      if let output = list.output {
        edge(start, end, symbol, output: Self.output(line.cells[output].text))
      } else if symbol.isEmpty {
        graph.edges.append(LabelledGraph.Edge(start: start, end: end, label: "ε", offset: 0))
      } else {
        for part in Self.split(symbol.signs[...], at: [","]) {
          edge(start, end, part.isEmpty ? symbol : part)
        }
      }
    }
  }
}
