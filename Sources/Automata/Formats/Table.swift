/// A transition table in text.
///
///     state | a      | b  | ε
///     → q0  | q0, q1 | q0 |
///     * q1  |        |    | q0
///
/// `→` marks initial states, and `*` marks final states. The columns are the alphabet. A comma
/// inside braces or parentheses is part of a name, as in `{q0,q1}`. Other special characters in
/// names are escaped by `\`.
///
/// ``TableReader`` reads the tables of other programs as well.
enum Table {
  /// The maximum number of cells that are written, states times symbols.
  private static let maximumCells = 10_000_000
  /// The maximum width of a column, in characters.
  private static let widest = 40

  /// Returns the table of an automaton.
  ///
  /// - Throws: `AutomatonError` if the table is too large, or a name or symbol has several lines.
  static func write(_ automaton: Automaton) throws(AutomatonError) -> String {
    var names: [String: String] = [:]
    for (id, name) in automaton.uniqueNames { names[id] = try escaped(name, isState: true) }
    let hasEpsilon = automaton.transitions.contains(where: \.includesEpsilon)
    var columns: [String] = []
    for symbol in automaton.alphabet { columns.append(try escaped(symbol, isState: false)) }
    var places: [String: Int] = [:]
    for (index, symbol) in automaton.alphabet.enumerated() { places[symbol] = index }
    let epsilon = columns.count
    if hasEpsilon { columns.append("ε") }
    guard columns.count * automaton.states.count <= maximumCells else {
      throw AutomatonError(
        at: "table format", expected: "at most \(maximumCells) states times symbols", found: "more")
    }
    let indices = Dictionary(
      uniqueKeysWithValues: automaton.states.enumerated().map { ($1.id, $0) })
    /// The unique targets of each cell in order.
    var targets: [Int: [String]] = [:]
    var known: Set<[Int]> = []
    for transition in automaton.transitions {
      let (row, target) = (indices[transition.start]!, indices[transition.end]!)
      let symbols =
        transition.symbols.map { places[$0]! } + (transition.includesEpsilon ? [epsilon] : [])
      for column in symbols where known.insert([row, column, target]).inserted {
        targets[row * columns.count + column, default: []].append(names[transition.end]!)
      }
    }
    var rows = [["state"] + columns]
    for (index, state) in automaton.states.enumerated() {
      let marks = (state.isInitial ? "→ " : "") + (state.isFinal ? "* " : "")
      rows.append(
        ["\(marks)\(names[state.id]!)"]
          + columns.indices.map {
            targets[index * columns.count + $0]?.joined(separator: ", ") ?? ""
          })
    }
    var widths = [Int](repeating: 0, count: columns.count + 1)
    for row in rows {
      for (column, cell) in row.enumerated() where widths[column] < widest {
        widths[column] = max(widths[column], min(widest, cell.count))
      }
    }
    var text = ""
    for row in rows {
      for (column, cell) in row.enumerated() {
        let isLast = column == columns.count
        if column > 0 { text += isLast && cell.isEmpty ? " |" : " | " }
        text += cell
        let missing = widths[column] - cell.prefix(widest).count
        if !isLast, missing > 0 { text += String(repeating: " ", count: missing) }
      }
      text += "\n"
    }
    return text
  }

  private static func escaped(_ text: String, isState: Bool) throws(AutomatonError) -> String {
    guard !text.isEmpty, !text.contains(where: \.isNewline) else {
      let shown = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .joined(separator: "\\n")
      throw AutomatonError(
        at: "table format",
        expected: "\(isState ? "names of states" : "symbols") of one line (change it, or use a "
          + "format without this limit: automaton, jff or dot)",
        found: text.isEmpty ? "an empty one" : "`\(shown)`")
    }
    let characters = Array(text)
    let hasGroups = isBalanced(characters)
    var depth = 0
    var escaped = ""
    for (index, character) in characters.enumerated() {
      depth += hasGroups ? step(character) : 0
      let isAtEdge = index == 0 || index + 1 == characters.count
      let hasMeaning =
        switch character {
        case "|", "\\": true
        case ",": isState && depth == 0
        case "{", "}", "(", ")": isState && !hasGroups
        case "*": isState && isAtEdge
        default: character.isWhitespace && isAtEdge
        }
      // A backslash before its first character keeps a name or symbol from having another meaning.
      if hasMeaning || index == 0 && (isState ? isMarked(text) : isEpsilon(text)) {
        escaped += "\\"
      }
      escaped.append(character)
    }
    return escaped
  }

  /// Returns the change of the nesting depth at `character`.
  static func step(_ character: Character) -> Int {
    switch character {
    case "{", "(": 1
    case "}", ")": -1
    default: 0
    }
  }

  /// Returns whether all braces and parentheses are closed.
  static func isBalanced(_ characters: some Sequence<Character>) -> Bool {
    var depth = 0
    for character in characters {
      depth += step(character)
      if depth < 0 { return false }
    }
    return depth == 0
  }

  static func read(
    _ text: String, name: String, as choice: KindChoice
  ) throws(AutomatonError) -> PlacedAutomaton {
    if ATT.matches(text) { return try ATT.read(text, name: name, as: choice) }
    return try TableReader(text, file: name).placed(as: choice)
  }

  /// Returns whether a table would read the symbol as ε.
  static func isEpsilon(_ symbol: String) -> Bool {
    LabelList.epsilons.contains(symbol) || LabelList.lambdas.contains(symbol)
  }

  /// Returns whether a table would read the start of a name as a mark.
  private static func isMarked(_ name: String) -> Bool {
    TableReader.marks.contains { name.hasPrefix($0.text) }
  }
}
