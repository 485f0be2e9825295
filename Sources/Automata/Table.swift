/// A transition table in text.
///
///     state | a      | b  | ε
///     → q0  | q0, q1 | q0 |
///     * q1  |        |    | q0
///
/// `→` (or `->`) stands before initial states, `*` before final ones. What has a meaning here stands
/// behind a `\` where it is part of a name.
enum Table {
  private static let meanings: Set<Character> = ["|", ",", "\\", "*", "→", ">", "ε", "-"]

  static func write(_ automaton: Automaton) -> String {
    let names = automaton.uniqueNames.mapValues(escaped)
    let alphabet = automaton.alphabet
    let hasEpsilon = automaton.transitions.contains(where: \.includesEpsilon)
    var targets: [String: [String: [String]]] = [:]
    for transition in automaton.transitions {
      for symbol in transition.symbols.map(escaped) + (transition.includesEpsilon ? ["ε"] : []) {
        var list = targets[transition.start]?[symbol] ?? []
        if !list.contains(names[transition.end]!) { list.append(names[transition.end]!) }
        targets[transition.start, default: [:]][symbol] = list
      }
    }
    let columns = alphabet.map(escaped) + (hasEpsilon ? ["ε"] : [])
    var rows = [["state"] + columns]
    for state in automaton.states {
      let marks = (state.isInitial ? "→ " : "") + (state.isFinal ? "* " : "")
      rows.append(
        ["\(marks)\(names[state.id]!)"]
          + columns.map { targets[state.id]?[$0]?.joined(separator: ", ") ?? "" })
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        .joined(separator: " | ").trimmingEnd + "\n"
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    text.map { meanings.contains($0) || $0.isWhitespace ? "\\\($0)" : "\($0)" }.joined()
  }

  /// A part of a line: characters, and whether each stood behind a `\`.
  private typealias Piece = [(character: Character, isEscaped: Bool)]

  static func read(_ text: String, name: String) throws(AutomatonError) -> Automaton {
    var builder = AutomatonBuilder(file: name)
    var columns: [String?]?
    var ways: [(line: Int, start: String, end: String, symbol: String?)] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      func refuse(_ expected: String, _ found: String) -> AutomatonError {
        AutomatonError(at: "\(name), line \(index + 1)", expected: expected, found: found)
      }
      let cells = split(pieces(line), at: "|").map(trimmed)
      if cells.allSatisfy(\.isEmpty) { continue }
      guard let known = columns else {
        columns = cells.dropFirst().map { cell in
          cell.count == 1 && cell[0].character == "ε" && !cell[0].isEscaped ? nil : plain(cell)
        }
        if let columns, columns.contains("") || Set(columns).count != columns.count {
          throw refuse("columns for different symbols", "an empty or repeated one")
        }
        continue
      }
      guard cells.count <= known.count + 1 else {
        throw refuse("at most \(known.count + 1) columns", "\(cells.count)")
      }
      let (state, isInitial, isFinal) = marked(cells[0])
      guard !state.isEmpty else { throw refuse("the name of a state", "none") }
      guard !builder.contains(state) else {
        throw refuse("a line a state", "another for `\(state)`")
      }
      builder.state(state) { ($0.isInitial, $0.isFinal) = (isInitial, isFinal) }
      for (cell, symbol) in zip(cells.dropFirst(), known) {
        for target in split(cell, at: ",").map(trimmed).map(plain) where !target.isEmpty {
          ways.append((index + 1, state, target, symbol))
        }
      }
    }
    guard columns != nil else {
      throw AutomatonError(at: name, expected: "a line with symbols", found: "an empty file")
    }
    for way in ways {
      guard builder.contains(way.end) else {
        throw AutomatonError(
          at: "\(name), line \(way.line)", expected: "a line for state `\(way.end)`", found: "none")
      }
      builder.transition(way.start, way.end, symbol: way.symbol)
    }
    return try builder.automaton()
  }

  /// A state's name without the marks before it.
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

extension String {
  fileprivate var trimmingEnd: String {
    var rest = self[...]
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
