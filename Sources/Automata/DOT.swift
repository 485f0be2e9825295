/// The Graphviz format for automata: nodes, edges and their attributes.
///
/// Final states have the shape `doublecircle`. An initial state is the target of an edge from a
/// node of the shape `point` or `none`. The label of an edge lists its symbols, separated by commas
/// or line ends (`\n`), with `ε` for an ε-transition. Symbols that no edge has are in the graph's
/// attribute `alphabet`, which Graphviz ignores.
enum DOT {
  static func write(_ automaton: Automaton) -> String {
    var lines = ["digraph automaton {", "  rankdir=LR;", "  node [shape=circle];"]
    let unread = automaton.unreadSymbols
    if !unread.isEmpty {
      lines.append("  alphabet=\(quoted(unread.map(escaped).joined(separator: ", ")));")
    }
    for state in automaton.states {
      let shape = state.isFinal ? ", shape=doublecircle" : ""
      lines.append("  \(quoted(state.id)) [label=\(quoted(state.name))\(shape)];")
    }
    let ids = Set(automaton.states.map(\.id))
    for (index, state) in automaton.states.filter(\.isInitial).enumerated() {
      var start = "start\(index)"
      while ids.contains(start) { start += "_" }
      lines.append("  \(start) [shape=point, label=\"\"];")
      lines.append("  \(start) -> \(quoted(state.id));")
    }
    for transition in automaton.transitions {
      let symbols = transition.symbols.map(escaped) + (transition.includesEpsilon ? ["ε"] : [])
      lines.append(
        "  \(quoted(transition.start)) -> \(quoted(transition.end)) "
          + "[label=\(quoted(symbols.joined(separator: ", ")))];")
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
  }

  /// Returns a symbol for a list, with special characters escaped by `\`.
  private static func escaped(_ symbol: String) -> String {
    symbol == "ε"
      ? "\\ε"
      : symbol.map { character in
        switch character {
        // In Graphviz, some letters after a backslash are line ends.
        case ",", "\\": "\\\(character)"
        default: character.isWhitespace ? "\\\(character)" : "\(character)"
        }
      }.joined()
  }

  /// Returns the symbols of a list, with `nil` for ε.
  private static func symbols(_ list: String) -> [String?] {
    var symbols: [String?] = []
    var current = ""
    var isEscaped = false
    var hadEscape = false
    var hadEscapeBefore = false
    func finish() {
      if current == "ε", !hadEscape {
        symbols.append(nil)
      } else if !current.isEmpty {
        symbols.append(current)
      }
      (current, hadEscape) = ("", false)
    }
    for character in list {
      if isEscaped {
        if "nlr".contains(character) {
          hadEscape = hadEscapeBefore
          finish()
        } else {
          current.append(character)
        }
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
        hadEscapeBefore = hadEscape
        hadEscape = true
      } else if character == "," {
        finish()
      } else if !character.isWhitespace {
        current.append(character)
      }
    }
    finish()
    return symbols
  }

  static func read(_ text: String, name: String) throws(AutomatonError) -> Automaton {
    var parser = Parser(text, file: name)
    return try parser.parse()
  }

  private enum Token: Hashable {
    case word(String)
    /// A quoted text, which is never a keyword.
    case text(String)
    case sign(Character)
    case arrow
  }

  private struct Parser {
    private let file: String
    private var rest: Substring
    private var line = 1
    private var token: Token?
    private var builder: AutomatonBuilder
    private var starts: Set<String> = []
    private var edges: [(start: String, end: String, label: String)] = []
    private var defaults: [String: String] = [:]
    private var edgeDefaults: [String: String] = [:]

    init(_ text: String, file: String) {
      self.file = file
      rest = text[...]
      builder = AutomatonBuilder(file: file)
    }

    private func refuse(_ expected: String) -> AutomatonError {
      let found: String =
        switch token {
        case .word(let word)?, .text(let word)?: "`\(word)`"
        case .sign(let sign)?: "`\(sign)`"
        case .arrow?: "`->`"
        case nil: "the end"
        }
      return AutomatonError(at: "\(file), line \(line)", expected: expected, found: found)
    }

    mutating func parse() throws(AutomatonError) -> Automaton {
      try advance()
      if keyword == "strict" { try advance() }
      guard keyword == "digraph" else { throw refuse("`digraph`") }
      try advance()
      if name != nil { try advance() }
      try take("{")
      while token != .sign("}") { try statement() }
      try advance()
      guard token == nil else { throw refuse("the end") }
      return try finish()
    }

    /// The current identifier or quoted text.
    private var name: String? {
      switch token {
      case .word(let name)?, .text(let name)?: name
      case .sign?, .arrow?, nil: nil
      }
    }

    /// The current keyword, in lower case; keywords are case-insensitive.
    private var keyword: String? {
      guard case .word(let word)? = token else { return nil }
      let known = ["strict", "digraph", "graph", "node", "edge", "subgraph"]
      return known.first { $0 == word.lowercased() }
    }

    private mutating func statement() throws(AutomatonError) {
      guard let first = name else {
        guard token == .sign(";") else { throw refuse("a node, an edge or `}`") }
        try advance()
        return
      }
      let keyword = keyword
      guard keyword != "subgraph" else { throw refuse("a graph without subgraphs") }
      try advance()
      if token == .sign("=") {
        try advance()
        guard let value = name else { throw refuse("a value") }
        if first == "alphabet" { builder.alphabet += DOT.symbols(value).compactMap(\.self) }
        try advance()
        return
      }
      var path = [first]
      while token == .arrow {
        try advance()
        guard let next = name else { throw refuse("a node") }
        path.append(next)
        try advance()
      }
      let attributes = try attributes()
      if path.count == 1 {
        switch keyword {
        case "node"?: defaults.merge(attributes) { $1 }
        case "edge"?: edgeDefaults.merge(attributes) { $1 }
        case .some: break
        case nil: node(first, attributes)
        }
        return
      }
      for (start, end) in zip(path, path.dropFirst()) {
        for id in [start, end] where !starts.contains(id) && !builder.contains(id) { node(id, [:]) }
        edges.append((start, end, attributes["label"] ?? edgeDefaults["label"] ?? ""))
      }
    }

    private mutating func node(_ id: String, _ attributes: [String: String]) {
      let shape = attributes["shape"] ?? (builder.contains(id) ? nil : defaults["shape"])
      if let shape, ["point", "none", "plaintext"].contains(shape) {
        starts.insert(id)
        // An edge may already have added the node.
        builder.remove(id)
        return
      }
      builder.state(id) { state in
        if let label = attributes["label"] { state.name = label }
        if let shape { state.isFinal = shape == "doublecircle" }
      }
    }

    private mutating func attributes() throws(AutomatonError) -> [String: String] {
      var attributes: [String: String] = [:]
      while token == .sign("[") {
        try advance()
        while token != .sign("]") {
          guard let attribute = name else { throw refuse("an attribute or `]`") }
          try advance()
          if token == .sign("=") {
            try advance()
            guard let value = name else { throw refuse("a value") }
            attributes[attribute] = value
            try advance()
          }
          if token == .sign(",") || token == .sign(";") { try advance() }
        }
        try advance()
      }
      return attributes
    }

    private mutating func finish() throws(AutomatonError) -> Automaton {
      for edge in edges {
        guard !starts.contains(edge.end) else {
          throw AutomatonError(
            at: file, expected: "edges to states", found: "an edge to the point `\(edge.end)`")
        }
        if starts.contains(edge.start) {
          builder.state(edge.end) { $0.isInitial = true }
          continue
        }
        builder.transition(edge.start, edge.end)
        for symbol in DOT.symbols(edge.label) {
          builder.transition(edge.start, edge.end, symbol: symbol)
        }
      }
      return try builder.automaton()
    }

    private mutating func take(_ sign: Character) throws(AutomatonError) {
      guard token == .sign(sign) else { throw refuse("`\(sign)`") }
      try advance()
    }

    /// Reads the next token and skips white space and comments.
    private mutating func advance() throws(AutomatonError) {
      while let character = rest.first {
        if character.isNewline { line += 1 }
        if character.isWhitespace {
          rest.removeFirst()
        } else if rest.hasPrefix("//") || character == "#" {
          rest = rest.drop { !$0.isNewline }
        } else if rest.hasPrefix("/*") {
          while !rest.isEmpty, !rest.hasPrefix("*/") {
            if rest.removeFirst().isNewline { line += 1 }
          }
          rest = rest.dropFirst(2)
        } else {
          break
        }
      }
      guard let character = rest.first else {
        token = nil
        return
      }
      if rest.hasPrefix("->") {
        rest.removeFirst(2)
        token = .arrow
      } else if character == "\"" {
        token = .text(try quotedText())
      } else if character.isLetter || character.isNumber || "_.-".contains(character) {
        var end = rest.startIndex
        // `a->b` contains an arrow.
        while end < rest.endIndex,
          rest[end].isLetter || rest[end].isNumber
            || "_.-".contains(rest[end]), !rest[end...].hasPrefix("->")
        {
          end = rest.index(after: end)
        }
        token = .word(String(rest[..<end]))
        rest = rest[end...]
      } else {
        token = .sign(character)
        rest.removeFirst()
      }
    }

    private mutating func quotedText() throws(AutomatonError) -> String {
      var text = ""
      rest.removeFirst()
      while let character = rest.popFirst() {
        if character == "\"" { return text }
        if character.isNewline { line += 1 }
        // Only quotes and backslashes are escaped here; labels have further escapes.
        if character == "\\", let next = rest.first, next == "\"" || next == "\\" {
          text.append(rest.removeFirst())
        } else {
          text.append(character)
        }
      }
      token = nil
      throw refuse("a closing quote")
    }
  }
}
