/// What a transition of a machine does: one rule of its label.
public enum MachineRule: Hashable, Sendable {
  /// A direction in which the head of a Turing machine moves.
  public enum Move: String, Hashable, Sendable, CaseIterable {
    /// One cell to the left.
    case left = "L"
    /// One cell to the right.
    case right = "R"
    /// Nowhere.
    case stay = "S"
  }

  /// Reads a symbol; the rule of a Moore machine.
  case read(Character)
  /// Reads a symbol and writes some; the rule of a Mealy machine.
  case write(Character, String)
  /// Reads symbols, takes symbols off the stack and puts others on it; the first one is on top.
  case stack(read: String, pop: String, push: String)
  /// Reads a cell, writes it and moves.
  case tape(Character, Character, Move)

  /// The symbols that it reads, or that a cell has to contain.
  var read: String {
    switch self {
    case .read(let symbol), .write(let symbol, _), .tape(let symbol, _, _): String(symbol)
    case .stack(let read, _, _): read
    }
  }

  /// What people type for the empty word.
  static let epsilons: Set<String> = ["ε", "ϵ", "eps", "epsilon", #"\epsilon"#, "λ"]
  private static let blanks: Set<String> = ["□", "_", "⊔", "␣"]
  private static let special: Set<Character> = [",", ";", "/", "→", "\\", "-"]
  private static let maximumCharacters = 10_000

  /// Reads the rules of a label that a person typed; several are separated by `;`, `,` or spaces.
  ///
  /// A backslash before a character makes it a symbol: `\,`.
  ///
  /// - Throws: `AutomatonError` with an example of what to type.
  public static func rules(
    _ text: String, of kind: Machine.Kind
  ) throws(AutomatonError) -> [MachineRule] {
    guard text.count <= maximumCharacters else {
      throw AutomatonError(
        at: "label", expected: "at most \(maximumCharacters) characters", found: "\(text.count)")
    }
    let parts = split(text)
    for part in parts { try VisibleText.check(part.plain, at: "label") }
    let separators = Self.separators(of: kind)
    var rules: [MachineRule] = []
    var fields: [Part] = []
    for part in parts {
      fields.append(part)
      let isLast = fields.count == separators.count + 1
      guard isLast || separators[fields.count - 1].contains(part.separator ?? " ") else {
        throw refusal(of: fields, text, kind)
      }
      guard isLast else { continue }
      guard part.separator.map(", ;".contains) ?? true else {
        throw refusal(of: fields, text, kind)
      }
      rules.append(try rule(of: fields, kind))
      fields = []
    }
    guard fields.isEmpty else { throw refusal(of: fields, text, kind) }
    var known: Set<MachineRule> = []
    return rules.filter { known.insert($0).inserted }
  }

  /// The separators inside a rule that people and JFLAP write.
  private static func separators(of kind: Machine.Kind) -> [String] {
    switch kind {
    case .moore: []
    case .mealy: ["/;→"]
    case .pushdown: [",;", "→/;,"]
    case .turing: ["→/;,", ",;"]
    }
  }

  /// Symbols, and the separator that follows them.
  private struct Part {
    /// The symbols, each with whether a backslash was before it.
    var symbols: [(character: Character, isLiteral: Bool)] = []
    var separator: Character?

    var plain: String { String(symbols.map(\.character)) }
    /// The text as it was typed, unless a part of it is literal.
    var word: String? { symbols.contains(where: \.isLiteral) ? nil : plain }
  }

  /// Splits a label at its separators; space between symbols is one as well.
  private static func split(_ text: String) -> [Part] {
    var parts: [Part] = []
    var part = Part()
    var hasSpace = false
    func end(_ separator: Character) {
      part.separator = separator
      parts.append(part)
      part = Part()
      hasSpace = false
    }
    var rest = text[...]
    while let character = rest.popFirst() {
      if character.isWhitespace {
        hasSpace = !part.symbols.isEmpty
      } else if character == "-", rest.first == ">" {
        rest.removeFirst()
        end("→")
      } else if ",;/→".contains(character) {
        end(character)
      } else {
        if hasSpace { end(" ") }
        if character == "\\", let next = rest.first, !rest.hasPrefix("epsilon") {
          part.symbols.append((next, true))
          rest.removeFirst()
        } else {
          part.symbols.append((character, false))
        }
      }
    }
    if !part.symbols.isEmpty { parts.append(part) }
    return parts
  }

  private static func rule(
    of fields: [Part], _ kind: Machine.Kind
  ) throws(AutomatonError) -> MachineRule {
    switch kind {
    case .moore: return .read(try symbol(fields[0], kind))
    case .mealy: return .write(try symbol(fields[0], kind), try word(fields[1], kind))
    case .pushdown:
      return .stack(
        read: try word(fields[0], kind), pop: try word(fields[1], kind),
        push: try word(fields[2], kind))
    case .turing:
      guard let move = Move(rawValue: fields[2].plain.uppercased()) else {
        throw AutomatonError(
          at: "label",
          expected: "the move L, R or S at the end, for example `\(kind.exampleLabel)`",
          found: "`\(fields[2].plain)`")
      }
      return .tape(try cell(fields[0], kind), try cell(fields[1], kind), move)
    }
  }

  private static func word(_ part: Part, _ kind: Machine.Kind) throws(AutomatonError) -> String {
    guard !part.symbols.isEmpty else {
      throw AutomatonError(
        at: "label", expected: "a symbol or ε in each place, for example `\(kind.exampleLabel)`",
        found: "an empty place")
    }
    return part.word.map(epsilons.contains) ?? false ? "" : part.plain
  }

  private static func symbol(
    _ part: Part, _ kind: Machine.Kind
  ) throws(AutomatonError) -> Character {
    let word = try word(part, kind)
    guard word.count == 1, let symbol = word.first else {
      let noun = kind.noun
      throw AutomatonError(
        at: "label",
        expected: "one symbol that is read, for example `\(kind.exampleLabel)`",
        found: word.isEmpty ? "ε, which \(noun) cannot read" : "`\(word)`")
    }
    return symbol
  }

  private static func cell(_ part: Part, _ kind: Machine.Kind) throws(AutomatonError) -> Character {
    if part.word.map(blanks.contains) ?? false { return Machine.blank }
    let word = try word(part, kind)
    guard word.count == 1, let symbol = word.first else {
      throw AutomatonError(
        at: "label",
        expected: "one symbol of the tape, or □ or _ for a blank cell, for example "
          + "`\(kind.exampleLabel)`", found: word.isEmpty ? "ε" : "`\(word)`")
    }
    return symbol
  }

  private static func refusal(
    of fields: [Part], _ text: String, _ kind: Machine.Kind
  ) -> AutomatonError {
    let all = text.trimmingSpace
    return AutomatonError(
      at: "label",
      expected: "rules of \(kind.noun) such as `\(kind.exampleLabel)`, with ; between them",
      found: "`\(all)`")
  }

  /// The rule as text, from which ``rules(_:of:)`` reads it again.
  public var text: String {
    switch self {
    case .read(let symbol): Self.escaped(String(symbol))
    case .write(let symbol, let output):
      "\(Self.escaped(String(symbol)))/\(Self.escaped(output))"
    case .stack(let read, let pop, let push):
      "\(Self.escaped(read)), \(Self.escaped(pop)) → \(Self.escaped(push))"
    case .tape(let read, let write, let move):
      "\(Self.cellText(read)) → \(Self.cellText(write)), \(move.rawValue)"
    }
  }

  private static func cellText(_ cell: Character) -> String {
    cell == Machine.blank ? "□" : blanks.contains(String(cell)) ? "\\\(cell)" : escaped("\(cell)")
  }

  private static func escaped(_ word: String) -> String {
    if word.isEmpty { return "ε" }
    let meansEpsilon = epsilons.contains(word)
    return word.enumerated().map { index, character in
      special.contains(character) || character.isWhitespace
        || meansEpsilon && index == word.count - 1 ? "\\\(character)" : "\(character)"
    }.joined()
  }
}
