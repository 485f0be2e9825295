/// The texts that a line of writing may have.
///
/// A reader can have a vocabulary too: its words are allowed in every grammar.
public enum Grammar: String, CaseIterable, Hashable, Sendable, Codable {
  /// The name of a state: a letter, then primes, then an index of digits (`q0`), or after an
  /// underscore of digits or a letter (`q_0`, `a_n`), or of subscript characters (`q₀`), then primes.
  case state
  /// Symbols, separated by commas; each can have outputs after slashes (`0/1`).
  ///
  /// A symbol is one visible character, a number of digits, a letter with digits, a word of the
  /// vocabulary, or a spelling of the empty word: `ε`, `ϵ`, `λ`, `eps` or `epsilon`.
  case symbols
  /// A number: digits, with a sign before them and decimals after a point or comma if it has any.
  case number
  /// Any text.
  case text

  /// Returns whether `text` is in the grammar, without a vocabulary.
  public func accepts(_ text: String) -> Bool {
    var state = GrammarState.start
    for character in text {
      guard let next = next(after: state, character) else { return false }
      state = next
    }
    return isComplete(state)
  }

  /// The spellings of the empty word.
  static let emptyWordSpellings: Set<String> = ["ε", "ϵ", "λ", "eps", "epsilon"]

  /// The character between two symbols.
  static let separator: Character = ","

  /// The character between a symbol and its output.
  private static let outputSign: Character = "/"

  /// Returns the state after `character`, or `nil` where no text of the grammar goes on so.
  func next(after state: GrammarState, _ character: Character) -> GrammarState? {
    guard character != Alphabet.noWriting else { return nil }
    return switch self {
    case .text: .start
    case .state: Self.nextInName(after: state, character)
    case .symbols: Self.nextInSymbols(after: state, character)
    case .number: Self.nextInNumber(after: state, character)
    }
  }

  /// Returns whether a text may end in `state`.
  func isComplete(_ state: GrammarState) -> Bool {
    switch (self, state) {
    case (.text, _): true
    case (_, .start), (_, .sign), (_, .underscore), (_, .point), (_, .spelling): false
    default: true
    }
  }

  private static func nextInName(
    after state: GrammarState, _ character: Character
  ) -> GrammarState? {
    switch state {
    case .start: character.isLetter && !character.isSubscript ? .letter : nil
    case .letter, .letterPrime:
      if character.isPrime {
        .letterPrime
      } else if character.isDecimalDigit {
        .digits
      } else if character == "_" {
        .underscore
      } else {
        character.isSubscript ? .subscripts : nil
      }
    case .underscore:
      character.isDecimalDigit ? .digits : (character.isLetter ? .indexLetter : nil)
    case .digits:
      character.isDecimalDigit ? .digits : (character.isPrime ? .primes : nil)
    case .subscripts:
      character.isSubscript ? .subscripts : (character.isPrime ? .primes : nil)
    case .indexLetter, .primes: character.isPrime ? .primes : nil
    default: nil
    }
  }

  private static let spelledWord = Array("epsilon")

  private static func nextInSymbols(
    after state: GrammarState, _ character: Character
  ) -> GrammarState? {
    if character == separator { return Grammar.symbols.isComplete(state) ? .start : nil }
    if character == outputSign, Grammar.symbols.isComplete(state) { return .start }
    guard !character.isWhitespace else { return nil }
    switch state {
    case .start:
      if character == spelledWord[0] { return .spelledLetters(1) }
      if character.isDecimalDigit { return .digits }
      return character.isLetter ? .letter : .single
    case .digits: return character.isDecimalDigit ? .digits : nil
    case .letter, .letterDigits: return character.isDecimalDigit ? .letterDigits : nil
    case .firstSpelledLetter, .spelling, .spelled:
      let count = state.spelledCount
      if count < spelledWord.count, character == spelledWord[count] {
        return .spelledLetters(count + 1)
      }
      return count == 1 && character.isDecimalDigit ? .letterDigits : nil
    default: return nil
    }
  }

  private static func nextInNumber(
    after state: GrammarState, _ character: Character
  ) -> GrammarState? {
    if character.isDecimalDigit {
      switch state {
      case .start, .sign, .digits: return .digits
      case .point, .decimals: return .decimals
      default: return nil
      }
    }
    switch (state, character) {
    case (.start, "-"), (.start, "−"), (.start, "+"): return .sign
    case (.digits, "."), (.digits, ","): return .point
    default: return nil
    }
  }
}

/// How far a text is in its grammar.
enum GrammarState: Hashable {
  /// Nothing is written of the text or, in a list, of the symbol.
  case start
  case letter, letterPrime, underscore, digits, subscripts, indexLetter, primes
  case single, letterDigits
  /// The letter `e`, which may be the first of `epsilon`.
  case firstSpelledLetter
  /// Some letters of `epsilon`, which are no symbol.
  case spelling(Int)
  /// The letters of `eps` or `epsilon`.
  case spelled(Int)
  case sign, point, decimals

  /// The state after `count` letters of `epsilon`.
  static func spelledLetters(_ count: Int) -> GrammarState {
    switch count {
    case 1: .firstSpelledLetter
    case 3, 7: .spelled(count)
    default: .spelling(count)
    }
  }

  /// The number of letters of `epsilon`.
  var spelledCount: Int {
    switch self {
    case .firstSpelledLetter: 1
    case .spelling(let count), .spelled(let count): count
    default: 0
    }
  }
}

extension Character {
  fileprivate var isDecimalDigit: Bool { ("0"..."9").contains(self) }
  fileprivate var isPrime: Bool { self == "'" || self == "′" || self == "’" }
  /// Whether it is a subscript digit or letter, such as ₀ or ₙ.
  fileprivate var isSubscript: Bool {
    guard let scalar = unicodeScalars.first, unicodeScalars.count == 1 else { return false }
    return (0x2080...0x2089).contains(scalar.value) || (0x2090...0x209C).contains(scalar.value)
      || (0x1D62...0x1D6A).contains(scalar.value) || scalar.value == 0x2C7C
  }
}

/// A grammar for the classes of an alphabet, as tables.
struct GrammarTable {
  /// The number of a state from which the text has to become a word of the vocabulary.
  static let wordOnly = -1

  let separator: Int?
  private var complete: [Bool] = []
  private var following: [[Int?]] = []

  init(_ grammar: Grammar, alphabet: Alphabet) {
    separator = grammar == .symbols ? alphabet.class(of: Grammar.separator) : nil
    var numbers: [GrammarState: Int] = [.start: 0]
    var states: [GrammarState] = [.start]
    while following.count < states.count {
      let state = states[following.count]
      complete.append(grammar.isComplete(state))
      var row: [Int?] = [nil]
      for character in alphabet.characters {
        guard let next = grammar.next(after: state, character) else {
          row.append(nil)
          continue
        }
        if numbers[next] == nil {
          numbers[next] = states.count
          states.append(next)
        }
        row.append(numbers[next])
      }
      following.append(row)
    }
  }

  func isComplete(_ state: Int) -> Bool { state != Self.wordOnly && complete[state] }

  func next(after state: Int, _ number: Int) -> Int? {
    state == Self.wordOnly ? nil : following[state][number]
  }
}
