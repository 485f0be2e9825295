/// A regular expression over symbols.
///
/// In text: symbols stand beside each other, `a|b` is a choice, `a*`, `a+` and `a?` repeat, parentheses
/// group, `ε` reads nothing, `∅` accepts nothing, `\` takes the meaning from a character, and a symbol of
/// several characters stands in quotes: `'begin'(a|b)*`. White space means nothing.
public struct RegularExpression: Hashable, Sendable, CustomStringConvertible {
  /// The expression as text.
  public let description: String
  private let automatonOfIt: Automaton

  /// How deep parentheses may be nested.
  private static let deepest = 1000

  /// Reads an expression.
  ///
  /// - Throws: `AutomatonError` naming the character where it cannot be read.
  public init(_ text: String) throws(AutomatonError) {
    var parser = Parser(text, deepest: Self.deepest)
    automatonOfIt = try parser.parse()
    description = text
  }

  /// An automaton of its words (Thompson, 1968): two states a symbol, tied by ε.
  public var automaton: Automaton { automatonOfIt }

  /// Reads an expression and builds its automaton at once.
  private struct Parser {
    private let characters: [Character]
    private var position = 0
    private let deepest: Int
    private var depth = 0
    private var stateCount = 0
    private var transitions: [Automaton.Transition] = []

    /// The part of an automaton from one state to another.
    private struct Piece {
      var start: Int
      var end: Int
    }

    init(_ text: String, deepest: Int) {
      characters = Array(text)
      self.deepest = deepest
    }

    mutating func parse() throws(AutomatonError) -> Automaton {
      let whole = try choice()
      guard position == characters.count else {
        throw refuse("the end", "`\(characters[position])`")
      }
      let states = (0..<stateCount).map {
        Automaton.State("q\($0)", isInitial: $0 == whole.start, isFinal: $0 == whole.end)
      }
      return Automaton(unchecked: states, transitions)
    }

    private func refuse(_ expected: String, _ found: String) -> AutomatonError {
      AutomatonError(
        at: "regular expression, character \(position + 1)", expected: expected, found: found)
    }

    private mutating func next() -> Character? {
      while position < characters.count, characters[position].isWhitespace { position += 1 }
      return position < characters.count ? characters[position] : nil
    }

    private mutating func state() -> Int {
      stateCount += 1
      return stateCount - 1
    }

    private mutating func connect(_ start: Int, _ end: Int, _ symbol: String? = nil) {
      transitions.append(
        .init(
          "t\(transitions.count)", from: "q\(start)", to: "q\(end)",
          symbols: symbol.map { [$0] } ?? [], includesEpsilon: symbol == nil))
    }

    private mutating func choice() throws(AutomatonError) -> Piece {
      var whole = try sequence()
      while next() == "|" {
        position += 1
        let other = try sequence()
        let (start, end) = (state(), state())
        connect(start, whole.start)
        connect(start, other.start)
        connect(whole.end, end)
        connect(other.end, end)
        whole = Piece(start: start, end: end)
      }
      return whole
    }

    private mutating func sequence() throws(AutomatonError) -> Piece {
      guard var whole = try repetition() else {
        throw refuse("a symbol, ε, ∅ or a parenthesis", next().map { "`\($0)`" } ?? "the end")
      }
      while let following = try repetition() {
        connect(whole.end, following.start)
        whole.end = following.end
      }
      return whole
    }

    private mutating func repetition() throws(AutomatonError) -> Piece? {
      guard var whole = try atom() else { return nil }
      while let sign = next(), "*+?".contains(sign) {
        position += 1
        let (start, end) = (state(), state())
        connect(start, whole.start)
        connect(whole.end, end)
        if sign != "+" { connect(start, end) }
        if sign != "?" { connect(whole.end, whole.start) }
        whole = Piece(start: start, end: end)
      }
      return whole
    }

    private mutating func atom() throws(AutomatonError) -> Piece? {
      guard let character = next() else { return nil }
      switch character {
      case "|", ")": return nil
      case "*", "+", "?":
        throw refuse("something to repeat", "`\(character)`")
      case "(":
        position += 1
        depth += 1
        guard depth <= deepest else { throw refuse("at most \(deepest) open parentheses", "more") }
        let inner = try choice()
        guard next() == ")" else { throw refuse("`)`", next().map { "`\($0)`" } ?? "the end") }
        position += 1
        depth -= 1
        return inner
      default:
        let piece = Piece(start: state(), end: state())
        switch character {
        case "ε": connect(piece.start, piece.end)
        case "∅": break
        case "'": connect(piece.start, piece.end, try quoted())
        case "\\":
          position += 1
          guard position < characters.count else {
            throw refuse("a character after `\\`", "the end")
          }
          connect(piece.start, piece.end, String(characters[position]))
        default: connect(piece.start, piece.end, String(character))
        }
        position += 1
        return piece
      }
    }

    /// A symbol in quotes; stops at the closing one.
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
  }
}

extension Automaton {
  /// A regular expression of the same words, by taking out one state after the other (Brzozowski &
  /// McCluskey, 1963), those with the fewest ways first.
  ///
  /// - Throws: `AutomatonError` where the expression becomes longer than the limit has transitions, in
  ///   characters.
  public func regularExpression(
    limit: Limit = .standard
  ) throws(AutomatonError) -> RegularExpression {
    var elimination = try Elimination(self, limit: limit)
    return try RegularExpression(elimination.expression(limit: limit))
  }
}

/// States on the way to an expression, with the expressions of the ways between them.
private struct Elimination {
  /// An expression with how tightly it holds together.
  private struct Term {
    enum Kind: Int, Comparable {
      case choice, sequence, atom

      static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
    }

    var text: String
    var kind: Kind

    static let empty = Term(text: "ε", kind: .atom)

    init(text: String, kind: Kind) { (self.text, self.kind) = (text, kind) }

    /// A symbol, quoted or escaped where it has to be.
    init(symbol: String) {
      let meanings: Set<Character> = ["|", "*", "+", "?", "(", ")", "ε", "∅", "\\", "'"]
      kind = .atom
      if symbol.count == 1, let character = symbol.first, !character.isWhitespace {
        text = meanings.contains(character) ? "\\\(symbol)" : symbol
      } else {
        let inner = symbol.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        text = "'\(inner)'"
      }
    }

    func within(_ kind: Kind) -> String { self.kind < kind ? "(\(text))" : text }

    func or(_ other: Term) -> Term {
      if text == other.text { return self }
      return Term(text: "\(text)|\(other.text)", kind: .choice)
    }

    func then(_ other: Term) -> Term {
      if text == "ε" { return other }
      if other.text == "ε" { return self }
      return Term(text: within(.sequence) + other.within(.sequence), kind: .sequence)
    }

    var repeated: Term {
      if text == "ε" { return self }
      return Term(text: within(.atom) + "*", kind: .atom)
    }
  }

  /// How many states are weighed against each other.
  private static let lookAhead = 64

  private var outgoing: [[Int: Term]]
  private var incoming: [Set<Int>]
  private let start: Int
  private let end: Int

  init(_ automaton: Automaton, limit: Limit) throws(AutomatonError) {
    let graph = Graph(automaton.trimmed)
    (start, end) = (graph.stateCount, graph.stateCount + 1)
    outgoing = [[Int: Term]](repeating: [:], count: graph.stateCount + 2)
    incoming = [Set<Int>](repeating: [], count: graph.stateCount + 2)
    for state in graph.edges.indices {
      for edge in graph.edges[state] {
        add(Term(symbol: graph.symbols[edge.symbol]), from: state, to: edge.target)
      }
      for edge in graph.silent[state] where edge.target != state {
        add(.empty, from: state, to: edge.target)
      }
      if graph.isFinal[state] { add(.empty, from: state, to: end) }
    }
    for state in graph.initial { add(.empty, from: start, to: state) }
  }

  private mutating func add(_ term: Term, from source: Int, to target: Int) {
    outgoing[source][target] = outgoing[source][target].map { $0.or(term) } ?? term
    incoming[target].insert(source)
  }

  mutating func expression(limit: Limit) throws(AutomatonError) -> String {
    var left = outgoing.indices.dropLast(2).sorted { (cost($1), $1) < (cost($0), $0) }
    while !left.isEmpty {
      // Costs change; to look at all of them again each time would take the square of their number.
      let candidates = max(0, left.count - Self.lookAhead)..<left.count
      let best = candidates.min { (cost(left[$0]), left[$0]) < (cost(left[$1]), left[$1]) }!
      try takeOut(left.remove(at: best), limit: limit)
    }
    return outgoing[start][end]?.text ?? "∅"
  }

  private func cost(_ state: Int) -> Int { incoming[state].count * outgoing[state].count }

  private mutating func takeOut(_ state: Int, limit: Limit) throws(AutomatonError) {
    let loop = outgoing[state][state]?.repeated ?? .empty
    let sources = incoming[state].filter { $0 != state }.sorted()
    let targets = outgoing[state].filter { $0.key != state }.sorted { $0.key < $1.key }
    var length = 0
    for source in sources {
      guard let first = outgoing[source].removeValue(forKey: state) else { continue }
      for (target, last) in targets {
        let term = first.then(loop).then(last)
        length += term.text.utf8.count
        guard length <= limit.transitions else {
          throw AutomatonError(
            at: "regular expression", expected: "at most \(limit.transitions) characters",
            found: "more")
        }
        add(term, from: source, to: target)
      }
    }
    for (target, _) in targets { incoming[target].remove(state) }
    outgoing[state] = [:]
    incoming[state] = []
  }
}
