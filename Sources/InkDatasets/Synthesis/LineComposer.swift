import Foundation
import Ink
import SeededRandom

/// Composes lines of writing from recorded single characters.
///
/// The texts are those that people write on automata: names of states, symbols and lists of them, the
/// empty word, numbers, expressions, short words, random letters, signs, outputs, conditions, descriptions of several words
/// and numbers, and patterns of scanners. All characters of a line come from one writer, who is also the writer of the
/// line, so that splits by writer stay correct.
/// Punctuation, signs and `λ` that the writer did not record are drawn, and `ε` is the writer's
/// mirrored 3, or c with a bar; the attribute `drawn` lists these characters. The attribute `kind` names the kind of
/// text. Indices are small and low, or as large as the letter, or level with it, and characters touch
/// each other or stand far apart. Half of the outputs are written as fractions, with the symbol high and the
/// output low, some lists and numbers are binary, and some writers slash their zeros.
public struct LineComposer: Sendable {
  /// The random seed.
  public let seed: UInt64
  /// Whether the text of a line has `_` before a subscript, which is written small and low.
  public let marksSubscripts: Bool
  /// Words besides those of diagrams, also in identifiers; conditions and descriptions have them instead of frequent words.
  public let vocabulary: [String]

  /// Creates a composer with a random seed.
  public init(seed: UInt64, marksSubscripts: Bool = false, vocabulary: [String] = []) {
    self.seed = seed
    self.marksSubscripts = marksSubscripts
    self.vocabulary = vocabulary
  }

  /// Returns `perWriter` lines of each kind for each writer with the necessary characters.
  ///
  /// Recordings whose label is one character are used, if they have ink and a known writer.
  public func compose(from dataset: Dataset, perWriter: Int) -> Dataset {
    let hands = dataset.charactersByHand
    var composed: [Example] = []
    for (number, hand) in hands.keys.sorted().enumerated() {
      let (model, samples) = hands[hand]!
      var generator = SeededGenerator(seed: seed, stream: 0x11e5, UInt64(number))
      let writer = LineWriter(samples: samples, using: &generator)
      for (kindNumber, kind) in (LineKind.handwritten + LineKind.withSigns).enumerated() {
        let texts = writer.texts(kind, vocabulary: vocabulary)
        for index in 0..<perWriter {
          var generator = SeededGenerator(
            seed: seed, stream: 0x11e6, UInt64(number), UInt64(kindNumber), UInt64(index))
          guard let text = texts.next(using: &generator) else { continue }
          let line = writer.line(text, using: &generator)
          var example = model
          example.content = .drawing(line.drawing)
          example.label = text.spelled(markingSubscripts: marksSubscripts)
          example.attributes = ["kind": .text("composed \(kind.rawValue)")]
          if !line.drawn.isEmpty { example.attributes["drawn"] = .text(String(line.drawn)) }
          example.origin = "composed from \(hand)"
          composed.append(example)
        }
      }
    }
    return Dataset(composed)
  }
}

extension Dataset {
  /// The recorded characters of each writer, with the writer's first recording.
  ///
  /// Recordings whose label is one character are used, if they have ink and a known writer.
  var charactersByHand: [String: (model: Example, samples: [Character: [Drawing]])] {
    var hands: [String: (model: Example, samples: [Character: [Drawing]])] = [:]
    for example in examples {
      guard let hand = example.hand, example.label.count == 1,
        let drawing = example.content.drawing, drawing.bounds != nil
      else { continue }
      hands[hand, default: (example, [:])].samples[Character(example.label), default: []]
        .append(drawing)
    }
    return hands
  }
}

/// A text, of which some characters are subscripts.
package struct LineText {
  package var characters: [(character: Character, isSubscript: Bool)] = []

  package init(_ text: some Sequence<Character>) {
    characters = text.map { ($0, false) }
  }

  package func followed(by text: some Sequence<Character>, subscripted: Bool = false) -> LineText {
    var result = self
    result.characters += text.map { ($0, subscripted) }
    return result
  }

  package func spelled(markingSubscripts: Bool) -> String {
    var text = ""
    var wasSubscript = false
    for (character, isSubscript) in characters {
      if markingSubscripts, isSubscript, !wasSubscript { text.append("_") }
      text.append(character)
      wasSubscript = isSubscript
    }
    return text
  }
}

extension LineText {
  /// What a character is of a symbol with an output, such as `0/1`.
  fileprivate enum Part {
    case input, slash, output, other
  }

  /// The lengths of symbols and outputs that are written so; words are not.
  private static let shortParts = 1...3

  /// The part of each character.
  fileprivate var parts: [Part] {
    let symbols = characters.split(omittingEmptySubsequences: false) {
      [",", " "].contains($0.character)
    }
    return Array(
      symbols.map { symbol -> [Part] in
        guard let slash = symbol.firstIndex(where: { $0.character == "/" }),
          Self.shortParts.contains(slash - symbol.startIndex),
          Self.shortParts.contains(symbol.endIndex - slash - 1)
        else { return symbol.map { _ in .other } }
        return symbol.indices.map { $0 < slash ? .input : $0 == slash ? .slash : .output }
      }.joined(separator: [.other]))
  }
}

/// A kind of text on an automaton.
package enum LineKind: String {
  case name, index, primed, symbol, list, number, expression, word, letters
  case emptyWord = "empty word"
  case phrase, characters, signs, output, condition, machine, description, pattern

  /// The kinds that are composed of handwriting; others need more characters than most writers have.
  package static let handwritten: [LineKind] = [
    .name, .index, .primed, .symbol, .list, .number, .expression, .word, .letters, .emptyWord,
  ]

  /// The kinds with signs, which are drawn where the writer did not record them.
  package static let withSigns: [LineKind] = [
    .signs, .output, .condition, .machine, .description, .pattern,
  ]
}

/// Random texts of one kind, of the characters that a writer has.
package struct LineTexts {
  private let kind: LineKind
  private let characters: Set<Character>
  private let letters: [Character]
  private let digits: [Character]
  private let capitals: [Character]
  private let smalls: [Character]
  private let words: [String]
  private let emptyWords: [String]
  private let vocabulary: [String]

  /// Letters are recorded ones; only spellings of the empty word have drawn ones.
  package init(
    _ kind: LineKind, recorded: Set<Character>, drawn: Set<Character>, vocabulary: [String] = []
  ) {
    self.kind = kind
    self.vocabulary = vocabulary
    let characters = recorded.union(drawn)
    self.characters = characters
    letters = recorded.filter(\.isLetter).sorted()
    digits = Array("0123456789").filter(characters.contains)
    capitals = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ").filter(characters.contains)
    smalls = Array("abcdefghijklmnopqrstuvwxyz").filter(characters.contains)
    words = Self.allWords.flatMap { [$0, $0.capitalized, $0.uppercased()] }
      .filter { $0.allSatisfy(characters.contains) }
    emptyWords = ["ε", "λ", "eps"].filter { $0.allSatisfy(characters.contains) }
  }

  /// The shares of lists, and of other numbers, that are binary.
  private static let (listsOfBits, numbersOfBits) = (0.25, 0.3)
  /// The share of empty words that are `ε` anyway; the others are any spelling.
  private static let epsilons = 0.5
  /// The share of words that come from the vocabulary, if there is one.
  private static let vocabularyShare = 0.7
  /// How often a text is drawn until the writer has its characters.
  private static let tries = 8

  /// Words on diagrams.
  private static let allWords = """
    start end stop yes no ok init idle run wait done error fail loop next begin exit open close on off up down left \
    right push pop read write load save send get set put in out go reset ready busy true false if else do for while \
    check test print input output sum max min odd even high low red green coin lock unlock accept reject state final \
    trap dead sink empty full begin call return login user data file time order pay sort swap find add
    """.split(separator: " ").map(String.init)

  /// Returns a text, or `nil` if the writer does not have the characters for this kind.
  package func next(using generator: inout SeededGenerator) -> LineText? {
    switch kind {
    case .name: name(using: &generator)
    case .index: index(using: &generator)
    case .primed:
      characters.contains("'")
        ? name(using: &generator)?.followed(by: generator.chance(0.8) ? "'" : "''") : nil
    case .symbol: symbol(using: &generator).map { LineText([$0]) }
    case .list: list(using: &generator)
    case .number: number(using: &generator)
    case .expression: expression(using: &generator)
    case .word:
      (vocabulary.isEmpty ? nil : written(using: &generator, identifier))
        ?? (words.isEmpty ? nil : LineText(generator.pick(words)))
    case .letters: randomLetters(using: &generator)
    case .emptyWord: emptyWord(using: &generator)
    case .phrase: phrase(using: &generator)
    case .characters: randomCharacters(using: &generator)
    case .signs: signs(using: &generator)
    case .output: written(using: &generator, output)
    case .condition: written(using: &generator, condition)
    case .machine: written(using: &generator, machine)
    case .description: written(using: &generator, withSpaces: true, description)
    case .pattern: written(using: &generator, withSpaces: true, pattern)
    }
  }

  /// The words besides those of diagrams, in conditions and descriptions.
  private var otherWords: [String] { vocabulary.isEmpty ? CommonWords.all : vocabulary }

  /// Returns a text of which the writer has all characters, or `nil` if it seems that there is none.
  private func written(
    using generator: inout SeededGenerator, withSpaces: Bool = false,
    _ text: (inout SeededGenerator) -> String?
  ) -> LineText? {
    for _ in 0..<Self.tries {
      guard let text = text(&generator) else { return nil }
      if text.allSatisfy({ characters.contains($0) || withSpaces && $0 == " " }) {
        return LineText(text)
      }
    }
    return nil
  }

  /// A word of the vocabulary or of diagrams, or an identifier: doorOpen, door_open, Door101.
  private func identifier(using generator: inout SeededGenerator) -> String? {
    func word() -> String {
      words.isEmpty || generator.chance(Self.vocabularyShare)
        ? generator.pick(vocabulary) : generator.pick(words).lowercased()
    }
    let parts: [String] =
      switch generator.index(below: 10) {
      case 0: [word(), word().capitalized]
      case 1: [word(), "_", word()]
      case 2, 3:
        [word()]
          + (0...generator.index(below: 4)).map { _ in
            String(generator.chance(0.6) ? generator.index(below: 2) : generator.index(below: 10))
          }
      default: [word()]
      }
    let text = parts.joined()
    return switch generator.index(below: 5) {
    case 0: text.uppercased()
    case 1, 2: text.prefix(1).uppercased() + text.dropFirst()
    default: text
    }
  }

  /// Two to five words with spaces and punctuation: a part of a sentence.
  private func phrase(using generator: inout SeededGenerator) -> LineText? {
    guard !words.isEmpty else { return nil }
    var parts = (0..<2 + generator.index(below: 4)).map { _ in
      if generator.chance(0.1) { return String(generator.index(below: 3000)) }
      let word = generator.pick(generator.chance(0.25) ? words : CommonWords.all)
      guard generator.chance(0.1) else { return word }
      return generator.pick(["\(word),", "(\(word))", "\"\(word)\"", "\(word)'s", "\(word);"])
    }
    if generator.chance(0.5) {
      parts[0] = parts[0].prefix(1).uppercased() + parts[0].dropFirst()
    } else if generator.chance(0.2) {
      parts = parts.map { $0.uppercased() }
    }
    let end = generator.chance(0.5) ? generator.pick([".", ".", "?", "!", ":"]) : ""
    let text = parts.joined(separator: " ") + end
    return LineText(text.filter { $0 == " " || characters.contains($0) })
  }

  /// Two to eight characters of all that can be written, half of them letters and digits.
  private func randomCharacters(using generator: inout SeededGenerator) -> LineText? {
    let (all, usual) = (characters.sorted(), letters + digits)
    guard !usual.isEmpty else { return nil }
    return LineText(
      (0..<2 + generator.index(below: 7)).map { index in
        generator.pick(index == 0 || generator.chance(0.5) ? usual : all)
      })
  }

  /// A letter, often with a number that is mostly a subscript: q0, A, F1, s12.
  private func name(using generator: inout SeededGenerator) -> LineText? {
    guard !letters.isEmpty else { return nil }
    let letter: Character
    if generator.chance(0.4), characters.contains("q") {
      letter = "q"
    } else if generator.chance(0.6), !capitals.isEmpty {
      letter = generator.pick(capitals)
    } else {
      letter = generator.pick(letters)
    }
    guard !digits.isEmpty, letter == "q" || generator.chance(0.6) else { return LineText([letter]) }
    let count = generator.chance(0.85) ? 1 : 2
    let number = (0..<count).map { _ in generator.pick(digits) }
    return LineText([letter]).followed(by: number, subscripted: generator.chance(0.65))
  }

  /// A letter with a letter or number as subscript: a_n, x_3.
  private func index(using generator: inout SeededGenerator) -> LineText? {
    let indices = Array("ijkmn").filter(smalls.contains) + digits
    guard !letters.isEmpty, !indices.isEmpty else { return nil }
    return LineText([generator.pick(letters)])
      .followed(by: [generator.pick(indices)], subscripted: true)
  }

  private func symbol(using generator: inout SeededGenerator) -> Character? {
    let usual = Array("ab01").filter(characters.contains)
    if generator.chance(0.3), !usual.isEmpty { return generator.pick(usual) }
    let all = letters + digits
    return all.isEmpty ? nil : generator.pick(all)
  }

  /// Two to four symbols with commas: `a,b`, `0,1`, `00,01`.
  private func list(using generator: inout SeededGenerator) -> LineText? {
    if "01,".allSatisfy(characters.contains), generator.chance(Self.listsOfBits) {
      let count = generator.chance(0.65) ? 2 : 3 + generator.index(below: 2)
      return LineText(Self.binaryNumbers(count, using: &generator).joined(separator: ","))
    }
    let pools = [digits, Array("abcd").filter(characters.contains), smalls, letters + digits]
      .filter { $0.count > 1 }
    guard characters.contains(","), !pools.isEmpty else { return nil }
    var rest = Set(generator.pick(pools)).sorted()
    let count = min(rest.count, generator.chance(0.65) ? 2 : 3 + generator.index(below: 2))
    var symbols: [Character] = []
    for _ in 0..<count { symbols.append(rest.remove(at: generator.index(below: rest.count))) }
    // Most people list symbols in order.
    if generator.chance(0.75) { symbols.sort() }
    return LineText(symbols.map(String.init).joined(separator: ","))
  }

  /// Returns binary numbers of one length, up to eight, each larger than the one before.
  static func binaryNumbers(_ count: Int, using generator: inout SeededGenerator) -> [String] {
    let length = count > 4 || generator.chance(0.5) ? 3 : 2
    var rest = Array(0..<1 << length)
    while rest.count > count { rest.remove(at: generator.index(below: rest.count)) }
    return rest.map { number in
      let bits = String(number, radix: 2)
      return String(repeating: "0", count: length - bits.count) + bits
    }
  }

  private func number(using generator: inout SeededGenerator) -> LineText? {
    guard !digits.isEmpty else { return nil }
    let bits = digits.filter("01".contains)
    let pool = bits.count == 2 && generator.chance(Self.numbersOfBits) ? bits : digits
    func some(_ count: Int) -> String { String((0..<count).map { _ in generator.pick(pool) }) }
    var text = some(1 + generator.index(below: 4))
    if characters.contains("."), generator.chance(0.15) {
      text += "." + some(1 + generator.index(below: 2))
    }
    if characters.contains("-"), generator.chance(0.15) { text = "-" + text }
    return LineText(text)
  }

  /// A condition or an assignment: i++, r=0?, x>2.
  private func expression(using generator: inout SeededGenerator) -> LineText? {
    guard !letters.isEmpty, !digits.isEmpty, "+-=<>?".allSatisfy(characters.contains) else {
      return nil
    }
    let (a, b) = (generator.pick(letters), generator.pick(letters))
    let number = generator.pick(digits)
    let sign = generator.pick(["=", "=", "<", ">", "+", "-"])
    let end = "=<>".contains(sign) && generator.chance(0.4) ? "?" : ""
    switch generator.index(below: 4) {
    case 0: return LineText("\(a)\(generator.pick(["++", "--"]))")
    case 1: return LineText("\(a)=\(b)\(generator.pick(["+", "-"]))\(number)")
    default: return LineText("\(a)\(sign)\(generator.chance(0.7) ? number : b)\(end)")
    }
  }

  /// Two to six characters that make no word, so that a reader learns no language.
  private func randomLetters(using generator: inout SeededGenerator) -> LineText? {
    let pools = [smalls, smalls, capitals, letters, letters + digits].filter { !$0.isEmpty }
    guard !pools.isEmpty else { return nil }
    let pool = generator.pick(pools)
    return LineText((0..<2 + generator.index(below: 5)).map { _ in generator.pick(pool) })
  }

  /// A sign of automata, alone or with others: $, Σ*, a,Γ→ε, {0,1}.
  private func signs(using generator: inout SeededGenerator) -> LineText? {
    let signs = DrawnSigns.all.filter(characters.contains).sorted()
    let usual = letters + digits
    guard !signs.isEmpty else { return nil }
    guard !usual.isEmpty, generator.chance(0.5) else { return LineText([generator.pick(signs)]) }
    func one() -> Character { generator.pick(generator.chance(0.4) ? signs : usual) }
    let text =
      switch generator.index(below: 6) {
      case 0: "\(one()),\(one())"
      case 1: "\(one()),\(one())→\(one())"
      case 2: "{\(generator.pick(usual)),\(generator.pick(usual))}"
      case 3: "\(one())*"
      case 4: "\(one())\(generator.pick(["|", ":", ";", "→", "…", "/"]))\(one())"
      default: String((0..<2 + generator.index(below: 3)).map { _ in one() })
      }
    return text.allSatisfy(characters.contains) ? LineText(text) : LineText([generator.pick(signs)])
  }

  /// Symbols with outputs, as Mealy automata have them, or a name with one (Moore): 0/1, a,b/0, q0/1.
  private func output(using generator: inout SeededGenerator) -> String? {
    guard !letters.isEmpty, !digits.isEmpty else { return nil }
    let bits = digits.filter("01".contains)
    let pool = bits.isEmpty || generator.chance(0.5) ? letters + digits : bits
    func one() -> Character { generator.pick(pool) }
    return switch generator.index(below: 8) {
    case 0: "\(one()),\(one())/\(one())"
    case 1: "\(one())/\(one()),\(one())/\(one())"
    case 2: "\(one())/\(one())\(one())"
    case 3: "\(one())\(one())/\(one())"
    case 4:
      "\(generator.pick(letters + digits))\(generator.pick(digits))/\(generator.pick(digits))"
    default: "\(one())/\(one())"
    }
  }

  /// What people write at the transitions of a program's states: btn_press, x==0, !full&&go, coin/open.
  private func condition(using generator: inout SeededGenerator) -> String? {
    guard !words.isEmpty, !letters.isEmpty, !digits.isEmpty else { return nil }
    func word() -> String { generator.pick(generator.chance(0.5) ? words : otherWords) }
    func variable() -> String {
      switch generator.index(below: 6) {
      case 0: "\(generator.pick(letters))"
      case 1: "\(generator.pick(letters))\(generator.pick(digits))"
      case 2: word()
      case 3: word() + word().capitalized
      default: word() + "_" + word()
      }
    }
    func number() -> String {
      (0...generator.index(below: 2)).map { _ in String(generator.pick(digits)) }.joined()
    }
    return switch generator.index(below: 10) {
    case 0, 1, 2:
      variable() + generator.pick(["=", "==", "!=", "<", ">", "<=", ">="])
        + (generator.chance(0.8) ? number() : variable())
    case 3: generator.pick(["!", "~", "not"]) + variable()
    case 4, 5: variable() + generator.pick(["&&", "&", "||", "|", "+", "*"]) + variable()
    case 6: variable() + "/" + (generator.chance(0.6) ? variable() : number())
    case 7: "\(variable())(\(generator.chance(0.5) ? number() : variable()))"
    default: variable()
    }
  }

  /// What pushdown automata and Turing machines have at their transitions: a,Z→AZ, ε,A/ε, 0/1,R, a→b,L.
  private func machine(using generator: inout SeededGenerator) -> String? {
    let usual = Array("01abxyABXYZ").filter(characters.contains)
    let moves = Array("RLSrl").filter(characters.contains)
    guard !usual.isEmpty, !moves.isEmpty else { return nil }
    func one() -> Character {
      if generator.chance(0.12) { return generator.pick(["ε", "□", "$"]) }
      return generator.pick(generator.chance(0.8) ? usual : letters + digits)
    }
    let (read, written, move) = (one(), one(), generator.pick(moves))
    return switch generator.index(below: 10) {
    case 0, 1, 2, 3: "\(read)/\(written),\(move)"
    case 4: "\(read)→\(written),\(move)"
    case 5: "\(read);\(written);\(move)"
    case 6: "(\(read),\(written),\(move))"
    case 7: "\(read),\(one())→\(written)\(one())"
    case 8: "\(read),\(one())→\(written)"
    default: "\(read),\(one())/\(written)"
    }
  }

  /// How people describe states and what happens between them: State 5, GO NORTH, btn press/led off, N:0 S:1, got 10/0.
  private func description(using generator: inout SeededGenerator) -> String? {
    guard !words.isEmpty, !digits.isEmpty else { return nil }
    func word() -> String {
      generator.chance(0.5) ? generator.pick(words).lowercased() : generator.pick(otherWords)
    }
    func digit() -> String { String(generator.pick(digits)) }
    func number() -> String { generator.chance(0.8) ? digit() : digit() + digit() }
    func bits() -> String {
      (0...generator.index(below: 4)).map { _ in generator.pick(["0", "1"]) }.joined()
    }
    let parts: [String] =
      switch generator.index(below: 16) {
      case 0, 1, 2, 3: [word(), number()]
      case 4, 5, 6: [word(), word()]
      case 7: [word(), word(), word()]
      case 8: [word(), word(), number()]
      case 9: ["\(word()):\(digit())"]
      case 10: (0...generator.index(below: 2)).map { _ in "\(generator.pick(letters)):\(digit())" }
      case 11: ["(\(word())", "\(word()))"]
      case 12: ["\(word())=\(number())" + (generator.chance(0.3) ? ";" : "")]
      case 13: [word(), "\(bits())/\(digit())"]
      case 14: [word(), "\(word())/\(word())", word()]
      default: [digit() + generator.pick(["s", "ms", ".\(digit())s"]), word()]
      }
    let styled: [String] =
      switch generator.index(below: 10) {
      case 0, 1, 2: parts.map { $0.uppercased() }
      case 3, 4, 5: parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }
      case 6, 7: [parts[0].prefix(1).uppercased() + parts[0].dropFirst()] + parts.dropFirst()
      default: parts
      }
    return styled.joined(separator: " ")
  }

  /// What scanners read at a transition: [a-z], 0-9, A-Z,a-z, E|e, letter|digit.
  private func pattern(using generator: inout SeededGenerator) -> String? {
    guard !letters.isEmpty, !digits.isEmpty else { return nil }
    let signs = Array("+-*/=<>.;:,_!&|()").filter(characters.contains)
    func one() -> String {
      String(generator.pick(generator.chance(0.5) && !signs.isEmpty ? signs : letters + digits))
    }
    func range() -> String { generator.pick(["0-9", "a-z", "A-Z", "0-9", "a-zA-Z", "1-9", "0-1"]) }
    func name() -> String { generator.pick(["digit", "letter", "other", "any", "alpha", "space"]) }
    return switch generator.index(below: 10) {
    case 0, 1: "[\(range())]"
    case 2: range()
    case 3: "[\(range())\(generator.chance(0.5) ? "_" : one())]"
    case 4: "\(range()),\(range())"
    case 5: "\(one())|\(one())"
    case 6: "\(name())\(generator.pick(["/", "|", ",", " or "]))\(name())"
    case 7: "[\(name())]"
    case 8: "[^\(one())]"
    default: "\(one()),\(range())"
    }
  }

  private func emptyWord(using generator: inout SeededGenerator) -> LineText? {
    guard !emptyWords.isEmpty else { return nil }
    let word =
      emptyWords.contains("ε") && generator.chance(Self.epsilons)
      ? "ε" : generator.pick(emptyWords)
    guard characters.contains(","), generator.chance(0.3),
      let symbol = symbol(using: &generator), !emptyWords.contains(String(symbol))
    else { return LineText(word) }
    return LineText(generator.chance(0.5) ? "\(word),\(symbol)" : "\(symbol),\(word)")
  }
}

/// How one line differs from the habits of its writer; a value is `nil` where it does not.
struct LineVariety {
  /// The gap between characters; below 0 they overlap.
  var spacing: Double?
  /// The height of a subscript.
  var subscriptSize: Double?
  /// How far a subscript is below the line.
  var subscriptDrop: Double?

  /// Chooses differences.
  init(using generator: inout SeededGenerator) {
    if generator.chance(0.5) { spacing = generator.uniform(-0.06...0.5) }
    if generator.chance(0.5) {
      subscriptSize = generator.uniform(0.42...1.05)
      subscriptDrop =
        generator.chance(0.4) ? 0.03 * generator.normal() : generator.uniform(0.05...0.4)
    }
  }
}

/// How symbols with outputs (`0/1`) of one line are written as fractions: the symbol is high and the output low, and
/// both lean on the slash between them.
private struct FractionForm {
  /// How far the output is below the symbol.
  var drop: Double
  /// The size of the symbol and of the output.
  var size: Double
  /// The size of the slash.
  var slashSize: Double
  /// How far they reach over the slash, as a share of its width.
  var overlap: Double

  init(using generator: inout SeededGenerator) {
    drop = generator.uniform(0.15...1)
    size = generator.uniform(0.55...1)
    slashSize = generator.uniform(0.9...1.5)
    overlap = generator.uniform(0...0.45)
  }

  func size(of part: LineText.Part) -> Double {
    switch part {
    case .slash: slashSize
    case .input, .output: size
    case .other: 1
    }
  }

  /// How far a part is below its place in a line.
  func drop(of part: LineText.Part) -> Double {
    switch part {
    case .input: -drop / 2
    case .output: drop / 2
    case .slash, .other: 0
    }
  }
}

/// Writes lines with the characters and the habits of one writer.
///
/// Lengths are shares of the height of a capital letter. The baseline is at y 0, and y points down.
struct LineWriter {
  private let samples: [Character: [Drawing]]
  private let xHeight: Double
  private let descent: Double
  private let gap: Double
  private let subscriptSize: Double
  private let subscriptDrop: Double
  private let slashesZeros: Bool

  /// The share of writers who slash their zeros.
  private static let slashing = 0.1
  /// The share of lines with outputs that are written as fractions, and the usual width of a slash.
  private static let (fractions, slashWidth) = (0.5, 0.45)
  /// The width of a space, besides the gap between characters.
  private static let spaces = 0.3...1.0
  /// The share of `ε` that are written as a c with a bar.
  private static let barred = 0.3

  /// The characters with recordings.
  var recorded: Set<Character> { Set(samples.keys) }

  /// The characters that this writer can write without a recording.
  var drawable: Set<Character> {
    let always: Set<Character> = [",", "'", ".", "-", "+", "=", "<", ">", "?", "λ"]
    return samples["3"] == nil && samples["c"] == nil ? always : always.union(["ε"])
  }

  /// Returns the texts of a kind that this writer can write.
  func texts(_ kind: LineKind, vocabulary: [String]) -> LineTexts {
    // Identifiers have `_`.
    let hasSigns = LineKind.withSigns.contains(kind) || kind == .word && !vocabulary.isEmpty
    return LineTexts(
      kind, recorded: recorded, drawn: hasSigns ? drawable.union(DrawnSigns.all) : drawable,
      vocabulary: vocabulary)
  }

  init(samples: [Character: [Drawing]], using generator: inout SeededGenerator) {
    self.samples = samples
    xHeight = generator.uniform(0.5...0.72)
    descent = generator.uniform(0.22...0.42)
    gap = generator.uniform(0.08...0.3)
    subscriptSize = generator.uniform(0.45...0.7)
    subscriptDrop = generator.uniform(0.12...0.36)
    slashesZeros = generator.chance(Self.slashing)
  }

  /// Writes `text`, and returns the line with the characters that were not recorded.
  func line(
    _ text: LineText, using generator: inout SeededGenerator
  ) -> (drawing: Drawing, drawn: [Character]) {
    let (line, drawn) = strokes(of: text, LineVariety(using: &generator), using: &generator)
    // The size on the canvas, a slight slope and a place.
    let scale = exp(generator.uniform(log(18)...log(60)))
    let place = Transform.scale(x: scale, y: scale).then(.rotation(0.035 * generator.normal()))
      .then(.translation(x: generator.uniform(20...400), y: generator.uniform(60...400)))
    let drawing = line.transformed(by: place).mapPoints { _, point in
      Point((point.x * 100).rounded() / 100, (point.y * 100).rounded() / 100)
    }
    return (drawing, drawn)
  }

  /// Writes `text` with capitals of height 1, and returns it with the characters that were not
  /// recorded; `variety` takes the place of the writer's habits.
  func strokes(
    of text: LineText, _ variety: LineVariety,
    using generator: inout SeededGenerator
  ) -> (drawing: Drawing, drawn: [Character]) {
    var strokes: [Stroke] = []
    var drawn: Set<Character> = []
    let spacing = variety.spacing ?? gap * exp(0.25 * generator.normal())
    let subscriptSize =
      variety.subscriptSize ?? min(0.75, subscriptSize * exp(0.08 * generator.normal()))
    let drop = variety.subscriptDrop ?? subscriptDrop * exp(0.2 * generator.normal())
    let parts = text.parts
    let fraction =
      parts.contains(.slash) && generator.chance(Self.fractions)
      ? FractionForm(using: &generator) : nil
    var (x, middle) = (0.0, 0.0)
    var wander = 0.0
    var previous: Character?
    for ((character, isSubscript), part) in zip(text.characters, parts) {
      wander = 0.7 * wander + 0.025 * generator.normal()
      var size = (isSubscript ? subscriptSize : 1) * exp(0.06 * generator.normal())
      var baseline = wander + (isSubscript ? drop : 0)
      if let fraction {
        size *= fraction.size(of: part)
        // All parts have their middle on one line before the symbol rises and the output drops.
        baseline += fraction.drop(of: part) - 0.5 * (1 - fraction.size(of: part))
      }
      guard character != " " else {
        x += generator.uniform(Self.spaces)
        continue
      }
      let glyph = glyph(character, using: &generator)
      if samples[character] == nil { drawn.insert(character) }
      guard let bounds = glyph.bounds else { continue }
      if previous != nil {
        let usual = isSubscript || character == "," || character == "'" ? 0.5 * spacing : spacing
        x += usual * (previous == "," ? 1.6 : 1) + 0.05 * generator.normal()
        if let fraction, part == .slash || previous == "/" {
          x -= fraction.overlap * Self.slashWidth * fraction.slashSize
        }
        // Characters that overlap still follow each other from left to right.
        x = max(x, middle - 0.5 * size * bounds.width + 0.02)
      }
      let place = Transform.translation(x: -bounds.minX, y: 0).then(.scale(x: size, y: size))
        .then(.translation(x: x, y: baseline))
      strokes += glyph.transformed(by: place).strokes
      middle = x + 0.5 * size * bounds.width
      x += size * bounds.width
      previous = character
    }
    return (Drawing(strokes), drawn.sorted())
  }

  /// Returns a character on the baseline, in the size of its kind.
  private func glyph(
    _ character: Character, using generator: inout SeededGenerator
  ) -> Drawing {
    if let frame = SignFrame(character), let own = samples[character] {
      return frame.fitted(generator.pick(own))
    }
    guard let own = samples[character] else {
      guard character == "ε", let shape = epsilon(using: &generator) else {
        return drawn(character, using: &generator)
      }
      return fitted(shape, to: zone(of: character), using: &generator)
    }
    let glyph = fitted(generator.pick(own), to: zone(of: character), using: &generator)
    guard character == "0", slashesZeros, let bounds = glyph.bounds else { return glyph }
    func corner(_ x: Double, _ y: Double) -> Point {
      Point(
        bounds.minX + (x + 0.08 * generator.normal()) * bounds.width,
        bounds.minY + (y + 0.08 * generator.normal()) * bounds.height)
    }
    return Drawing(glyph.strokes + [Stroke([corner(0.95, 0.1), corner(0.05, 0.9)])])
  }

  /// An `ε` of other characters of the writer: a mirrored 3, or a c with a bar, like ∈.
  private func epsilon(using generator: inout SeededGenerator) -> Drawing? {
    guard let rounds = samples["c"], samples["3"] == nil || generator.chance(Self.barred) else {
      return samples["3"].map { generator.pick($0).transformed(by: .scale(x: -1, y: 1)) }
    }
    let round = generator.pick(rounds)
    guard let bounds = round.bounds else { return nil }
    let middle = bounds.minY + generator.uniform(0.4...0.6) * bounds.height
    return Drawing(
      round.strokes + [
        Stroke([
          Point(bounds.minX + generator.uniform(0...0.15) * bounds.width, middle),
          Point(
            bounds.minX + generator.uniform(0.65...1) * bounds.width,
            middle + 0.04 * generator.normal() * bounds.height),
        ])
      ])
  }

  /// The top and the bottom of a character.
  private func zone(of character: Character) -> ClosedRange<Double> {
    switch character {
    case "g", "p", "q", "y", "γ", "η", "μ", "ρ", "χ": -xHeight...descent
    case "j": -0.9...descent
    case "β", "ζ", "ξ", "φ", "ψ": -1...descent
    case "i": -0.9...0
    case "t": -0.88...0
    case "b", "d", "f", "h", "k", "l", "δ", "θ", "λ": -1...0
    case "ε": -xHeight * 1.1...0
    default: character.isUppercase || character.isNumber ? -1...0 : -xHeight...0
    }
  }

  /// Scales a recorded character to its zone, with small changes of its shape.
  private func fitted(
    _ drawing: Drawing, to zone: ClosedRange<Double>, using generator: inout SeededGenerator
  ) -> Drawing {
    let stretch = exp(0.06 * generator.normal())
    let shaped = drawing.transformed(
      by: Transform.rotation(0.04 * generator.normal()).then(.shear(0.05 * generator.normal()))
        .then(.scale(x: stretch, y: 1)))
    guard let bounds = shaped.bounds else { return drawing }
    let height = zone.upperBound - zone.lowerBound
    // A flat recording is not scaled to the height.
    let widest = 1.5 * max(height, 0.6)
    let scale = min(
      bounds.height > 0 ? height / bounds.height : .infinity,
      bounds.width > 0 ? widest / bounds.width : .infinity)
    guard scale.isFinite else { return Drawing([Stroke([Point(0, zone.upperBound)])]) }
    return shaped.transformed(
      by: Transform.translation(x: -bounds.minX, y: -bounds.maxY).then(.scale(x: scale, y: scale))
        .then(.translation(x: 0, y: zone.upperBound)))
  }

  /// Draws a character that is not recorded.
  private func drawn(
    _ character: Character, using generator: inout SeededGenerator
  ) -> Drawing {
    func near(_ x: Double, _ y: Double) -> Point {
      Point(x + 0.025 * generator.normal(), y + 0.025 * generator.normal())
    }
    let curve = DrawnSigns.curve
    switch character {
    case ",":
      let length = generator.uniform(0.14...0.3)
      return Drawing([curve(near(0.06, -0.08), near(0.09, 0.4 * length), near(-0.03, length))])
    case "'":
      return Drawing([curve(near(0.08, -1.05), near(0.06, -0.9), near(0, -0.72))])
    case ".":
      let (a, b) = (near(0, -0.03), near(0.02, 0))
      return Drawing([Stroke([a, b])])
    case "-":
      return Drawing([curve(near(0, -0.42), near(0.2, -0.43), near(0.42, -0.42))])
    case "+":
      return Drawing([
        curve(near(0, -0.42), near(0.22, -0.43), near(0.46, -0.42)),
        curve(near(0.23, -0.68), near(0.23, -0.4), near(0.22, -0.18)),
      ])
    case "=":
      return Drawing([
        curve(near(0, -0.52), near(0.22, -0.53), near(0.46, -0.52)),
        curve(near(0, -0.3), near(0.22, -0.31), near(0.46, -0.3)),
      ])
    case "<": return Drawing([Stroke([near(0.42, -0.72), near(0, -0.42), near(0.42, -0.14)])])
    case ">": return Drawing([Stroke([near(0, -0.72), near(0.42, -0.42), near(0, -0.14)])])
    case "?":
      let turn = near(0.24, -0.5)
      return Drawing([
        Stroke(
          curve(near(0, -0.85), near(0.3, -1.2), near(0.42, -0.75)).points
            + curve(near(0.42, -0.75), near(0.36, -0.6), turn).points
            + [near(0.22, -0.25)]),
        Stroke([near(0.22, -0.03), near(0.23, 0)]),
      ])
    case "λ":
      let foot = near(0.3, -0.55)
      return Drawing([
        curve(near(0.05, -1), near(0.22, -0.9), near(0.58, 0)),
        curve(foot, near(0.18, -0.3), near(0, 0)),
      ])
    default: return DrawnSigns.drawing(of: character, using: &generator)
    }
  }
}
