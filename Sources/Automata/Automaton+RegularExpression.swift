extension Automaton {
  /// Returns an equivalent regular expression by state elimination (Brzozowski & McCluskey, 1963).
  ///
  /// States with few transitions are eliminated first.
  ///
  /// - Throws: `AutomatonError` if the total length of the expressions, in characters, exceeds the
  ///   limit's transitions, or if a symbol is a mark that combines with its neighbours.
  public func regularExpression(
    limit: Limit = .standard
  ) throws(AutomatonError) -> RegularExpression {
    var elimination = try Elimination(self, limit: limit)
    return RegularExpression(written: try elimination.expression(), alphabet: alphabet)
  }
}

/// A graph of states with regular expressions on its edges.
private struct Elimination {
  /// An expression with its operator precedence.
  private struct Term {
    enum Kind: Int, Comparable {
      case choice, sequence, atom

      static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
    }

    var text: String
    var kind: Kind

    static let empty = Term(text: "ε", kind: .atom)

    init(text: String, kind: Kind) { (self.text, self.kind) = (text, kind) }

    /// Creates the expression of a symbol, quoted or escaped if necessary.
    ///
    /// - Throws: `AutomatonError` if the symbol would combine with the character before or after it.
    init(symbol: String) throws(AutomatonError) {
      guard VisibleText.standsAlone(symbol) else {
        throw AutomatonError(
          at: "regular expression", expected: "symbols that do not combine with their neighbours",
          found: "`\(symbol)`")
      }
      kind = .atom
      if symbol.count == 1, let character = symbol.first, !character.isWhitespace {
        // Halves of flags and of syllables would combine with each other.
        let combines = (symbol + symbol).count < 2
        text =
          combines
          ? " \(symbol) "
          : RegularExpression.meanings.contains(character) ? "\\\(symbol)" : symbol
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

  /// The number of states whose costs are compared.
  private static let lookAhead = 64

  private var outgoing: [[Int: Term]]
  private var incoming: [Set<Int>]
  private let start: Int
  private let end: Int
  private let limit: Limit
  /// The characters of all expressions.
  private var length = 0

  init(_ automaton: Automaton, limit: Limit) throws(AutomatonError) {
    let graph = Graph(automaton.expanded.trimmed)
    self.limit = limit
    (start, end) = (graph.stateCount, graph.stateCount + 1)
    outgoing = [[Int: Term]](repeating: [:], count: graph.stateCount + 2)
    incoming = [Set<Int>](repeating: [], count: graph.stateCount + 2)
    for state in graph.edges.indices {
      let byTarget = Dictionary(grouping: graph.edges[state], by: \.target)
      for (target, edges) in byTarget.sorted(by: { $0.key < $1.key }) {
        let texts = try edges.map { edge throws(AutomatonError) in
          try Term(symbol: graph.symbols[edge.symbol]).text
        }
        var known: Set<String> = []
        let choices = texts.filter { known.insert($0).inserted }
        try add(
          Term(
            text: choices.joined(separator: "|"), kind: choices.count > 1 ? .choice : .atom),
          from: state, to: target)
      }
      for edge in graph.epsilonEdges[state] where edge.target != state {
        try add(.empty, from: state, to: edge.target)
      }
      if graph.isFinal[state] { try add(.empty, from: state, to: end) }
    }
    for state in graph.initial { try add(.empty, from: start, to: state) }
  }

  private mutating func add(
    _ term: Term, from source: Int, to target: Int
  ) throws(AutomatonError) {
    let before = outgoing[source][target]
    let whole = before.map { $0.or(term) } ?? term
    length += whole.text.utf8.count - (before?.text.utf8.count ?? 0)
    try limit.check("regular expression", characters: length)
    outgoing[source][target] = whole
    incoming[target].insert(source)
  }

  mutating func expression() throws(AutomatonError) -> String {
    var left = outgoing.indices.dropLast(2).sorted { (cost($1), $1) < (cost($0), $0) }
    while !left.isEmpty {
      // Costs change at each step, so comparing all states would take quadratic time.
      let candidates = max(0, left.count - Self.lookAhead)..<left.count
      let best = candidates.min { (cost(left[$0]), left[$0]) < (cost(left[$1]), left[$1]) }!
      try takeOut(left.remove(at: best))
    }
    return outgoing[start][end]?.text ?? "∅"
  }

  /// Returns the increase in length if `state` is eliminated (Delgado & Morais, 2004).
  private func cost(_ state: Int) -> Int {
    let sources = incoming[state].filter { $0 != state }
    let ways = outgoing[state].filter { $0.key != state }
    let entering = sources.reduce(0) { $0 + (outgoing[$1][state]?.text.utf8.count ?? 0) }
    let leaving = ways.values.reduce(0) { $0 + $1.text.utf8.count }
    let loop = outgoing[state][state]?.text.utf8.count ?? 0
    return entering * (ways.count - 1) + leaving * (sources.count - 1)
      + loop * (sources.count * ways.count - 1)
  }

  private mutating func takeOut(_ state: Int) throws(AutomatonError) {
    let loop = outgoing[state][state]?.repeated ?? .empty
    let sources = incoming[state].filter { $0 != state }.sorted()
    let targets = outgoing[state].filter { $0.key != state }.sorted { $0.key < $1.key }
    for source in sources {
      guard let first = outgoing[source].removeValue(forKey: state) else { continue }
      length -= first.text.utf8.count
      for (target, last) in targets {
        let expected = first.text.utf8.count + loop.text.utf8.count + last.text.utf8.count
        try limit.check("regular expression", characters: length + expected)
        try add(first.then(loop).then(last), from: source, to: target)
      }
    }
    for (target, _) in targets { incoming[target].remove(state) }
    length -= outgoing[state].values.reduce(0) { $0 + $1.text.utf8.count }
    outgoing[state] = [:]
    incoming[state] = []
  }
}
