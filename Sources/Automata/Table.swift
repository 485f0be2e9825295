/// A transition table in text.
///
///     state | a      | b  | ε
///     → q0  | q0, q1 | q0 |
///     * q1  |        |    | q0
///
/// `→` (or `->`) marks initial states, and `*` marks final states. The columns are the alphabet. A comma
/// inside braces or parentheses is part of a name, as in `{q0,q1}`. Other special characters in
/// names are escaped by `\`.
enum Table {
  /// The maximum number of cells that are written, states times symbols.
  private static let mostCells = 10_000_000
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
    guard columns.count * automaton.states.count <= mostCells else {
      throw AutomatonError(
        at: "table format", expected: "at most \(mostCells) states times symbols", found: "more")
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
        case "*", "→": isState && index == 0
        case "-": isState && index == 0 && characters.dropFirst().first == ">"
        case "ε": !isState && characters.count == 1
        default: character.isWhitespace && isAtEdge
        }
      if hasMeaning { escaped += "\\" }
      escaped.append(character)
    }
    return escaped
  }

  /// Returns the change of the nesting depth at `character`.
  private static func step(_ character: Character) -> Int {
    switch character {
    case "{", "(": 1
    case "}", ")": -1
    default: 0
    }
  }

  /// Returns whether all braces and parentheses are closed.
  private static func isBalanced(_ characters: some Sequence<Character>) -> Bool {
    var depth = 0
    for character in characters {
      depth += step(character)
      if depth < 0 { return false }
    }
    return depth == 0
  }

  /// A part of a line: characters, and whether each was escaped by `\`.
  private typealias Piece = [(character: Character, isEscaped: Bool)]

  static func read(_ text: String, name: String) throws(AutomatonError) -> Automaton {
    var builder = AutomatonBuilder(file: name)
    var columns: [String?]?
    var isTable = false
    var entries: [(line: Int, start: String, end: String, symbol: String?)] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      func refuse(_ expected: String, _ found: String) -> AutomatonError {
        AutomatonError(at: "\(name), line \(index + 1)", expected: expected, found: found)
      }
      let cells = split(pieces(line), at: "|").map(trimmed)
      if cells.allSatisfy(\.isEmpty) { continue }
      guard let known = columns else {
        isTable = plain(cells[0]) == "state"
        columns = cells.dropFirst().map { cell in
          cell.count == 1 && cell[0].character == "ε" && !cell[0].isEscaped ? nil : plain(cell)
        }
        if let columns, columns.contains("") || Set(columns).count != columns.count {
          throw refuse("columns for different symbols", "an empty or repeated one")
        }
        continue
      }
      guard cells.count <= known.count + 1 else {
        throw refuse(
          "at most \(known.count + 1) column\(known.isEmpty ? "" : "s")", "\(cells.count)")
      }
      let (state, isInitial, isFinal) = marked(cells[0])
      guard !state.isEmpty else { throw refuse("the name of a state", "none") }
      guard !builder.contains(state) else {
        throw refuse("one line for each state", "a second line for `\(state)`")
      }
      builder.state(state) { ($0.isInitial, $0.isFinal) = (isInitial, isFinal) }
      for (cell, symbol) in zip(cells.dropFirst(), known) {
        for target in targets(cell).map(trimmed).map(plain) where !target.isEmpty {
          entries.append((index + 1, state, target, symbol))
        }
      }
    }
    guard columns != nil else {
      throw AutomatonError(at: name, expected: "a line with symbols", found: "an empty file")
    }
    guard !builder.isEmpty || isTable else {
      throw AutomatonError(
        at: name, expected: "a line that begins with `state`, or lines of states", found: "neither")
    }
    builder.alphabet = (columns ?? []).compactMap(\.self)
    for entry in entries {
      guard builder.contains(entry.end) else {
        throw AutomatonError(
          at: "\(name), line \(entry.line)", expected: "a line for state `\(entry.end)`",
          found: "none")
      }
      builder.transition(entry.start, entry.end, symbol: entry.symbol)
    }
    return try builder.automaton()
  }

  /// Returns a state's name and its marks.
  private static func marked(_ cell: Piece) -> (name: String, isInitial: Bool, isFinal: Bool) {
    var rest = cell[...]
    var isInitial = false
    var isFinal = false
    func begins(_ text: String) -> Bool {
      rest.count >= text.count
        && zip(rest, text).allSatisfy { $0.character == $1 && !$0.isEscaped }
    }
    while true {
      if begins("→") {
        isInitial = true
        rest = rest.dropFirst()
      } else if begins("->") {
        isInitial = true
        rest = rest.dropFirst(2)
      } else if begins("*") {
        isFinal = true
        rest = rest.dropFirst()
      } else {
        break
      }
      rest = rest.drop { $0.character.isWhitespace && !$0.isEscaped }
    }
    return (plain(Array(rest)), isInitial, isFinal)
  }

  private static func pieces(_ line: Substring) -> Piece {
    var pieces: Piece = []
    var isEscaped = false
    for character in line {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        pieces.append((character, isEscaped))
        isEscaped = false
      }
    }
    return pieces
  }

  private static func split(_ piece: Piece, at sign: Character) -> [Piece] {
    piece.split(omittingEmptySubsequences: false) { $0.character == sign && !$0.isEscaped }
      .map(Array.init)
  }

  /// Returns the states in a cell; commas inside braces or parentheses are part of names.
  private static func targets(_ cell: Piece) -> [Piece] {
    let signs = cell.lazy.filter { !$0.isEscaped }.map(\.character)
    guard isBalanced(signs) else { return split(cell, at: ",") }
    var targets: [Piece] = [[]]
    var depth = 0
    for piece in cell {
      if !piece.isEscaped { depth += step(piece.character) }
      if piece.character == ",", !piece.isEscaped, depth == 0 {
        targets.append([])
      } else {
        targets[targets.count - 1].append(piece)
      }
    }
    return targets
  }

  private static func trimmed(_ piece: Piece) -> Piece {
    func isSpace(_ one: (character: Character, isEscaped: Bool)) -> Bool {
      one.character.isWhitespace && !one.isEscaped
    }
    var rest = piece.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return Array(rest)
  }

  private static func plain(_ piece: Piece) -> String { String(piece.map(\.character)) }
}
