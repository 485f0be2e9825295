/// A regular expression over symbols.
///
/// Syntax: `ab` is a sequence, `a|b` a choice, and `a*`, `a+` and `a?` are repetitions; `a{3}`,
/// `a{2,}` and `a{2,4}` repeat as often as they say. `[a-c]` is one of these symbols, `[^a]` any other
/// symbol of the alphabet, and `.` any symbol of it. Parentheses group. `ε` is the empty word, `∅` the
/// empty language, and `\` escapes a character. A symbol of several characters is quoted:
/// `'begin'(a|b)*`. White space is ignored.
public struct RegularExpression: Hashable, Sendable, CustomStringConvertible {
  /// The meaning of the characters of an expression.
  public enum Notation: String, Hashable, Sendable, CaseIterable {
    /// The syntax of ``RegularExpression``.
    case standard
    /// JFLAP's: `a+b` is a choice, `a*` a repetition and `!` the empty word. All other characters
    /// except parentheses and `\` are symbols.
    case jflap
  }

  /// The expression as text.
  public let description: String
  /// The additional symbols of the alphabet.
  public let alphabet: [String]
  /// The notation of ``description``.
  public let notation: Notation
  /// What could have been meant otherwise, in one line each.
  public let remarks: [String]

  /// Parses an expression over its own symbols and those in `alphabet`.
  ///
  /// - Throws: `AutomatonError` with the position of a syntax error, if a symbol is empty, or if the
  ///   automaton would be too large.
  public init(
    _ text: String, alphabet: [String] = [], notation: Notation = .standard
  ) throws(AutomatonError) {
    remarks = try Parser.parse(text, alphabet, notation).remarks
    description = text
    self.alphabet = alphabet
    self.notation = notation
  }

  /// Creates an expression from text that is known to be valid.
  init(written text: String, alphabet: [String]) {
    description = text
    self.alphabet = alphabet
    notation = .standard
    remarks = []
  }

  /// An equivalent automaton by Thompson's construction (1968).
  public var automaton: Automaton {
    do {
      return try Parser.parse(description, alphabet, notation).automaton
    } catch {
      preconditionFailure("the expression is valid: \(error)")
    }
  }

  /// Characters of textbooks, and what they mean here.
  private static let textbookSigns: [Character: Character] = [
    "λ": "ε", "ϵ": "ε", "∪": "|", "·": "·", "⋅": "·", "∗": "*",
  ]

  /// The characters that are no symbols unless they are escaped.
  static let meanings = Set("|*+?()[{.ε∅\\'").union(textbookSigns.keys)

  /// Parses an expression and builds its automaton.
  private struct Parser {
    private let characters: [Character]
    private let notation: Notation
    /// The symbols that `.` and `[^a]` choose from, once they are known.
    private let known: [String]
    private var position = 0
    private var stateCount = 0
    private var transitions: [Edge] = []
    /// The open levels: the whole expression, and each open parenthesis.
    private var levels = [Level()]
    /// The symbols that only ranges exclude.
    private var excluded: [String] = []
    /// Whether the expression chooses from the alphabet.
    private var usesAlphabet = false
    /// Whether ``known`` has all symbols of the expression.
    private var knowsAlphabet = false
    /// The characters whose meaning is worth a remark.
    private var read: Set<String> = []

    /// The maximum number of states.
    private static let maximumStates = 1_000_000
    /// The maximum number of symbols in brackets.
    private static let maximumSymbols = 10_000

    /// A transition between numbered states; without symbols it is an ε-transition.
    private struct Edge {
      var start: Int
      var end: Int
      var symbols: [String]?
    }

    /// The part of an automaton from one state to another.
    ///
    /// When it is complete, its states and transitions are all from its first ones on.
    private struct Piece {
      var start: Int
      var end: Int
      var firstState: Int
      var firstTransition: Int
    }

    /// The content of a level so far: the finished choices, and the current sequence.
    private struct Level {
      var choice: Piece?
      var sequence: Piece?
    }

    /// Returns the automaton of an expression, and the remarks about it.
    static func parse(
      _ text: String, _ alphabet: [String], _ notation: Notation
    ) throws(AutomatonError) -> (automaton: Automaton, remarks: [String]) {
      var parser = Parser(text, notation, known: alphabet)
      var automaton = try parser.parse().addingToAlphabet(alphabet + parser.excluded)
      if parser.usesAlphabet {
        // Now the alphabet is known.
        guard !automaton.alphabet.isEmpty else {
          throw AutomatonError(
            at: "regular expression",
            expected:
              "an alphabet, because . is any symbol of it (name it with --alphabet, or write "
              + "\\. for the symbol)", found: "none")
        }
        parser = Parser(text, notation, known: automaton.alphabet)
        parser.knowsAlphabet = true
        automaton = try parser.parse().addingToAlphabet(parser.known)
      }
      return (automaton, parser.remarks)
    }

    private init(_ text: String, _ notation: Notation, known: [String]) {
      characters = Array(text)
      (self.notation, self.known) = (notation, known)
    }

    /// What could have been meant otherwise.
    private var remarks: [String] {
      var remarks: [String] = []
      func list(_ characters: [String]) -> String {
        characters.map { "`\($0)`" }.joined(separator: ", ")
      }
      let signs = read.filter { $0.count == 1 && textbookSigns[Character($0)] != nil }.sorted()
      if notation == .standard, !signs.isEmpty {
        let meanings = signs.map { sign in
          let meaning = textbookSigns[Character(sign)]!
          return "`\(sign)` " + (meaning == "·" ? "joins a sequence" : "means `\(meaning)`")
        }
        remarks.append(
          meanings.joined(separator: ", ") + " (write a \\ before it for the symbol)")
      }
      if notation == .standard, read.contains(".") {
        remarks.append(
          "`.` is any symbol of the alphabet \(known.prefix(20).joined(separator: ", "))"
            + (known.count > 20 ? ", …" : "") + " (write \\. for the symbol)")
      }
      if read.contains("+"), !read.contains("|") {
        remarks.append(
          "`+` repeats what is before it; if it means a choice, as in JFLAP, use --notation jflap")
      }
      if read.contains(Self.lazySign) {
        remarks.append(
          "`?` or `+` after a repetition repeats it once more, and does not make it lazy or possessive"
        )
      }
      if read.contains("&&") {
        remarks.append("`&&` in brackets is the symbol `&`, and no intersection")
      }
      if read.contains(Self.untilSign) {
        remarks.append("`U` is a symbol in this notation; write | for a union")
      }
      let escapes = read.filter { $0.count == 2 && $0.hasPrefix("\\") }.sorted()
      if !escapes.isEmpty {
        remarks.append("\(list(escapes)): a \\ makes the next character a symbol and nothing else")
      }
      let symbols = read.filter { $0.count == 1 && plainSigns.contains(Character($0)) }.sorted()
      if !symbols.isEmpty {
        let isOne = symbols.count == 1
        remarks.append("\(list(symbols)) \(isOne ? "is a symbol" : "are symbols") in this notation")
      }
      return remarks
    }

    /// The characters that are symbols in this notation, and signs elsewhere.
    private var plainSigns: Set<Character> {
      switch notation {
      case .standard: Set("!^$").union(Self.otherSigns)
      case .jflap: Set("|?[{.∪·⋅∗^$'").union(Self.otherSigns)
      }
    }

    /// The characters that are signs in textbooks, and symbols in both notations.
    private static let otherSigns = Set("∘•∙⁺Λ∩Σ,")
    /// What ``read`` has for a sign after a repetition, and for a U with spaces around it.
    private static let (lazySign, untilSign) = ("repeated", "union")

    /// The meaning of a character in this notation: `|`, `*`, `ε` and so on, `·` for a sequence, or
    /// `nil` for a symbol.
    private func meaning(_ character: Character) -> Character? {
      switch notation {
      case .standard:
        RegularExpression.textbookSigns[character]
          ?? (RegularExpression.meanings.contains(character) || character == ")" ? character : nil)
      case .jflap:
        switch character {
        case "+": "|"
        case "!", "λ", "ε": "ε"
        case "*", "(", ")", "∅", "\\": character
        default: nil
        }
      }
    }

    private mutating func parse() throws(AutomatonError) -> Automaton {
      while let character = next() {
        let meaning = meaning(character)
        if textbookSigns[character] != nil || plainSigns.contains(character) {
          read.insert(String(character))
        }
        if character == "U", isApart(position) { read.insert(Self.untilSign) }
        switch meaning {
        case "(":
          levels.append(Level())
          position += 1
        case "|":
          if notation == .standard { read.insert("|") }
          try endSequence()
          position += 1
        case ")":
          guard levels.count > 1 else { throw refuse("the end", "`)`") }
          let inner = try endLevel()
          position += 1
          append(try repeated(inner))
        case "·": position += 1
        case "*", "+", "?", "{": throw refuse("something to repeat", "`\(character)`")
        default: append(try repeated(try atom(character, meaning)))
        }
      }
      guard levels.count == 1 else { throw refuse("`)`", "the end") }
      let whole = try endLevel()
      let states = (0..<stateCount).map {
        Automaton.State("q\($0)", isInitial: $0 == whole.start, isFinal: $0 == whole.end)
      }
      let transitions = transitions.enumerated().map { index, edge in
        Automaton.Transition(
          "t\(index)", from: "q\(edge.start)", to: "q\(edge.end)", symbols: edge.symbols ?? [],
          includesEpsilon: edge.symbols == nil)
      }
      return Automaton(unchecked: states, transitions, alphabet: [])
    }

    /// Returns whether there is white space on both sides of a character.
    private func isApart(_ position: Int) -> Bool {
      position > 0 && position + 1 < characters.count && characters[position - 1].isWhitespace
        && characters[position + 1].isWhitespace
    }

    /// Appends a piece to the current sequence.
    private mutating func append(_ piece: Piece) {
      guard let before = levels[levels.count - 1].sequence else {
        levels[levels.count - 1].sequence = piece
        return
      }
      levels[levels.count - 1].sequence = joined(before, piece)
    }

    private mutating func joined(_ first: Piece, _ second: Piece) -> Piece {
      connect(first.end, second.start)
      var whole = first
      whole.end = second.end
      return whole
    }

    /// Ends the current sequence and adds it to the choices.
    private mutating func endSequence() throws(AutomatonError) {
      guard let other = levels[levels.count - 1].sequence else {
        throw refuse("a symbol, ε, ∅ or a parenthesis", next().map { "`\($0)`" } ?? "the end")
      }
      levels[levels.count - 1].sequence = nil
      guard let whole = levels[levels.count - 1].choice else {
        levels[levels.count - 1].choice = other
        return
      }
      var piece = whole
      (piece.start, piece.end) = (try state(), try state())
      connect(piece.start, whole.start)
      connect(piece.start, other.start)
      connect(whole.end, piece.end)
      connect(other.end, piece.end)
      levels[levels.count - 1].choice = piece
    }

    private mutating func endLevel() throws(AutomatonError) -> Piece {
      try endSequence()
      return levels.removeLast().choice!
    }

    private func refuse(_ expected: String, _ found: String) -> AutomatonError {
      AutomatonError(
        at: "regular expression, character \(position + 1)", expected: expected, found: found)
    }

    private mutating func next() -> Character? {
      while position < characters.count, characters[position].isWhitespace { position += 1 }
      return position < characters.count ? characters[position] : nil
    }

    private mutating func state() throws(AutomatonError) -> Int {
      guard stateCount < Self.maximumStates else {
        throw refuse("an expression of at most \(Self.maximumStates) states", "a larger one")
      }
      stateCount += 1
      return stateCount - 1
    }

    private mutating func connect(_ start: Int, _ end: Int, _ symbols: [String]? = nil) {
      transitions.append(Edge(start: start, end: end, symbols: symbols))
    }

    // MARK: Repetitions

    /// Returns a piece with the repetitions that follow it.
    private mutating func repeated(_ piece: Piece) throws(AutomatonError) -> Piece {
      var whole = piece
      var last: Character?
      while let character = next(), let sign = meaning(character), "*+?{".contains(sign) {
        // Elsewhere, `a+?` and `a{2}+` repeat as often as `a+` and `a{2}`.
        if last == "+" && sign == "?" || last == "{" && "?+".contains(sign) {
          read.insert(Self.lazySign)
        }
        last = sign
        if RegularExpression.textbookSigns[character] != nil { read.insert(String(character)) }
        position += 1
        switch sign {
        case "{": whole = try counted(whole)
        case "*": whole = try wrapped(whole, skips: true, repeats: true)
        case "?": whole = try wrapped(whole, skips: true, repeats: false)
        default:
          whole = try wrapped(whole, skips: false, repeats: true)
          if let following = next(), !")|*+?{".contains(self.meaning(following) ?? "a") {
            read.insert("+")
          }
        }
      }
      return whole
    }

    /// Returns a piece that may be left out or repeated.
    private mutating func wrapped(
      _ inner: Piece, skips: Bool, repeats: Bool
    ) throws(AutomatonError) -> Piece {
      var whole = inner
      (whole.start, whole.end) = (try state(), try state())
      connect(whole.start, inner.start)
      connect(inner.end, whole.end)
      if skips { connect(whole.start, whole.end) }
      if repeats { connect(inner.end, inner.start) }
      return whole
    }

    /// Reads a count such as `3}`, `2,}` or `2,4}`, and returns a piece that is repeated so often.
    private mutating func counted(_ piece: Piece) throws(AutomatonError) -> Piece {
      let wanted = "a count such as {3}, {2,} or {2,4} (write \\{ for the symbol)"
      func number() -> Int? {
        var digits = ""
        while let character = next(), character.isASCII, character.isNumber {
          digits.append(character)
          position += 1
        }
        return Int(digits)
      }
      let least = number()
      var most = least
      if next() == "," {
        position += 1
        most = number()
        if next() != "}" || least == nil && most == nil { most = -1 }
      }
      guard next() == "}", least != nil || most != nil, most ?? .max >= least ?? 0 else {
        throw refuse(wanted, next().map { "`\($0)`" } ?? "the end")
      }
      position += 1
      return try repeated(piece, from: least ?? 0, to: most)
    }

    /// Returns a piece that is repeated at least and at most so often, or without end.
    private mutating func repeated(
      _ piece: Piece, from least: Int, to most: Int?
    ) throws(AutomatonError) -> Piece {
      // A slice would make each new transition copy them all.
      let original = Array(transitions[piece.firstTransition...])
      let size = stateCount - piece.firstState
      let count = most ?? max(1, least)
      guard count > 0 else {
        // Nothing leads into the piece.
        var empty = piece
        (empty.start, empty.end) = (try state(), try state())
        connect(empty.start, empty.end)
        return empty
      }
      guard count <= Self.maximumStates / size else {
        throw refuse("an expression of at most \(Self.maximumStates) states", "a larger one")
      }
      var whole: Piece?
      for index in 0..<count {
        var copy = piece
        if index > 0 {
          let offset = stateCount - piece.firstState
          stateCount += size
          for old in original {
            var new = old
            new.start += offset
            new.end += offset
            transitions.append(new)
          }
          copy.start += offset
          copy.end += offset
        }
        let isLast = index == count - 1
        if index >= least || most == nil && isLast {
          copy = try wrapped(copy, skips: index >= least, repeats: most == nil && isLast)
        }
        whole = whole.map { joined($0, copy) } ?? copy
      }
      return whole!
    }

    // MARK: Symbols

    private mutating func atom(
      _ character: Character, _ meaning: Character?
    ) throws(AutomatonError) -> Piece {
      let (firstState, firstTransition) = (stateCount, transitions.count)
      let piece = Piece(
        start: try state(), end: try state(), firstState: firstState,
        firstTransition: firstTransition)
      switch meaning {
      case "ε": connect(piece.start, piece.end)
      case "∅": break
      case "'": connect(piece.start, piece.end, [try quoted()])
      case ".":
        usesAlphabet = true
        read.insert(".")
        connect(piece.start, piece.end, known)
      case "[": connect(piece.start, piece.end, try bracketed())
      case "\\": connect(piece.start, piece.end, [try escaped()])
      default: connect(piece.start, piece.end, [String(character)])
      }
      position += 1
      return piece
    }

    /// Returns the character after a backslash.
    private mutating func escaped() throws(AutomatonError) -> String {
      position += 1
      guard position < characters.count else { throw refuse("a character after `\\`", "the end") }
      let symbol = String(characters[position])
      // Elsewhere, a \ before a letter or digit begins a class, a control character or a number.
      if notation == .standard, let first = symbol.first, first.isASCII,
        first.isLetter || first.isNumber
      {
        read.insert("\\\(symbol)")
      }
      return symbol
    }

    /// Reads a quoted symbol up to the closing quote.
    private mutating func quoted() throws(AutomatonError) -> String {
      var symbol = ""
      position += 1
      while position < characters.count, characters[position] != "'" {
        if characters[position] == "\\", position + 1 < characters.count { position += 1 }
        symbol.append(characters[position])
        position += 1
      }
      guard position < characters.count else { throw refuse("a closing quote", "the end") }
      guard !symbol.isEmpty else { throw refuse("a symbol between quotes", "none") }
      return symbol
    }

    /// Reads symbols in brackets up to the closing one: `a-c`, `xyz` or `^a`.
    private mutating func bracketed() throws(AutomatonError) -> [String] {
      var symbols: [String] = []
      var found: Set<String> = []
      position += 1
      let excludes = next() == "^"
      if excludes { position += 1 }
      func add(_ symbol: String) throws(AutomatonError) {
        if found.insert(symbol).inserted { symbols.append(symbol) }
        guard symbols.count <= Self.maximumSymbols else {
          throw refuse("at most \(Self.maximumSymbols) symbols in brackets", "more")
        }
      }
      while let character = next(), character != "]" {
        let following = position + 1 < characters.count ? characters[position + 1] : nil
        if character == "[", following == ":" {
          throw refuse(
            "symbols in brackets (classes such as [:alpha:] are not read; write a-z)", "`[:`")
        }
        if character == "&", following == "&" { read.insert("&&") }
        let first = character == "\\" ? try escaped() : String(character)
        position += 1
        guard next() == "-", position + 1 < characters.count, characters[position + 1] != "]" else {
          try add(first)
          continue
        }
        position += 1
        guard let end = next() else { break }
        let last = end == "\\" ? try escaped() : String(end)
        guard first.unicodeScalars.count == 1, last.unicodeScalars.count == 1,
          let low = first.unicodeScalars.first?.value, let high = last.unicodeScalars.first?.value,
          low <= high
        else {
          throw refuse("a range such as a-c (write \\- for the symbol)", "`\(first)-\(last)`")
        }
        for value in low...high {
          if let scalar = Unicode.Scalar(value) { try add(String(scalar)) }
        }
        position += 1
      }
      guard next() == "]" else {
        throw refuse("`]` after the symbols (write \\[ for the symbol)", "the end")
      }
      guard !symbols.isEmpty else { throw refuse("symbols in brackets", "none") }
      guard excludes else { return symbols }
      usesAlphabet = true
      excluded += symbols
      let rest = known.filter { !found.contains($0) }
      guard !knowsAlphabet || !rest.isEmpty else {
        throw refuse(
          "an alphabet with other symbols, because [^\(symbols[0])…] is any other one (name it with "
            + "--alphabet)", "only \(symbols.prefix(20).joined(separator: ", "))")
      }
      return rest
    }
  }
}
