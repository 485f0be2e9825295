/// The symbols that a person typed into one text field.
///
/// Commas and white space separate symbols: `a, b` and `a b` are two, `ab` is one of two
/// characters. `ε`, `eps`, `epsilon` and `\epsilon` mean the empty word. `0…9`, `0..9` and `a..e`
/// are ranges of digits or Latin letters. Quotes (`","` or `','`) or a backslash (`\,`) make a
/// special character a symbol. Invisible characters are refused.
public struct TypedSymbols: Hashable, Sendable {
  /// The unique symbols in the order of typing.
  public private(set) var symbols: [String] = []
  /// Whether the empty word was among them.
  public private(set) var includesEpsilon = false

  private static let epsilons: Set<String> = ["ε", "ϵ", "eps", "epsilon", #"\epsilon"#]
  private static let ellipses = ["…", "...", ".."]
  private static let maximumCharacters = 10_000
  private static let advice = "(put it in quotes to use it as a symbol)"

  /// Parses `text`, which may contain no symbols.
  ///
  /// - Throws: `AutomatonError` with the part that cannot be read and what to type instead.
  public init(_ text: String) throws(AutomatonError) {
    guard text.count <= Self.maximumCharacters else {
      throw Self.error("at most \(Self.maximumCharacters) characters", "\(text.count)")
    }
    let tokens = try Self.tokens(of: text)
    var index = 0
    while index < tokens.count {
      let token = tokens[index]
      index += 1
      if token.isLiteral {
        try add(token.text)
      } else if Self.epsilons.contains(token.text) {
        includesEpsilon = true
      } else if let ends = Self.range(in: token.text) {
        try add(from: ends.first, to: ends.last, typed: token.text)
      } else if Self.ellipses.contains(token.text) {
        // `0, 1, …, 9`: from the symbol before to the symbol after.
        guard index > 1, index < tokens.count else {
          throw Self.error("a symbol before and after `\(token.text)` \(Self.advice)", "none")
        }
        let (first, last) = (tokens[index - 2], tokens[index])
        try add(
          from: first.text, to: last.text, typed: "\(first.text)\(token.text)\(last.text)")
        index += 1
      } else if Self.ellipses.contains(where: token.text.contains) {
        throw Self.error(
          "a range from one character to another, such as 0…9 \(Self.advice)", "`\(token.text)`")
      } else {
        try add(token.text)
      }
    }
  }

  /// Parses an alphabet, which does not contain ε.
  ///
  /// - Throws: `AutomatonError` as ``init(_:)`` does, and for ε.
  public static func alphabet(_ text: String) throws(AutomatonError) -> [String] {
    let typed = try TypedSymbols(text)
    guard !typed.includesEpsilon else {
      throw error("symbols of an alphabet (put ε in quotes to use the letter)", "the empty word ε")
    }
    return typed.symbols
  }

  /// Returns text that is parsed as `symbols`; special symbols such as `,` are quoted.
  public static func text(of symbols: [String]) -> String {
    symbols.map { symbol in
      // With several symbols, a quote could close that of another symbol.
      let isPlain =
        !symbol.contains { "\"'\\".contains($0) }
        && (try? TypedSymbols(symbol)).map { $0.symbols == [symbol] } ?? false
      if isPlain { return symbol }
      let escaped = symbol.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\"\(escaped)\""
    }.joined(separator: ", ")
  }

  private struct Token {
    var text = ""
    /// Whether the token was quoted or escaped and has no special meaning.
    var isLiteral = false
  }

  private static func error(_ expected: String, _ found: String) -> AutomatonError {
    AutomatonError(at: "symbols", expected: expected, found: found)
  }

  private static func tokens(of text: String) throws(AutomatonError) -> [Token] {
    var tokens: [Token] = []
    var token = Token()
    func finished(_ token: inout Token) -> Token? {
      defer { token = Token() }
      return token.text.isEmpty ? nil : token
    }
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == "," || character.isWhitespace {
        if let token = finished(&token) { tokens.append(token) }
      } else if token.text.isEmpty, character == "\"" || character == "'",
        let end = closing(character, in: rest)
      {
        token.text = unescaped(rest[..<end])
        token.isLiteral = true
        guard !token.text.isEmpty else {
          throw error("a symbol between quotes (type ε for the empty word)", "none")
        }
        rest = rest[rest.index(after: end)...]
        if let token = finished(&token) { tokens.append(token) }
      } else if character == "\\", let next = rest.first,
        !next.isLetter && !next.isNumber
          || next == "ε" || next == "ϵ"
      {
        token.text.append(next)
        token.isLiteral = true
        rest.removeFirst()
      } else {
        token.text.append(character)
      }
    }
    if let token = finished(&token) { tokens.append(token) }
    return tokens
  }

  /// Returns the position of the closing quote in `rest`, or `nil`.
  private static func closing(_ quote: Character, in rest: Substring) -> Substring.Index? {
    var index = rest.startIndex
    while index < rest.endIndex, rest[index] != quote {
      if rest[index] == "\\" { rest.formIndex(after: &index) }
      if index < rest.endIndex { rest.formIndex(after: &index) }
    }
    guard index < rest.endIndex else { return nil }
    let next = rest.index(after: index)
    // A quote in the middle of a symbol is part of it.
    guard next == rest.endIndex || rest[next] == "," || rest[next].isWhitespace else { return nil }
    return index
  }

  private static func unescaped(_ text: Substring) -> String {
    var result = ""
    var rest = text
    while let character = rest.popFirst() {
      result.append(character == "\\" ? rest.popFirst() ?? character : character)
    }
    return result
  }

  /// Returns the ends of a range such as `a..e` or `0…9`, or `nil` for other text.
  private static func range(in token: String) -> (first: String, last: String)? {
    for ellipsis in ellipses {
      guard token.count == ellipsis.count + 2,
        token.dropFirst().dropLast() == ellipsis
      else { continue }
      return (String(token.prefix(1)), String(token.suffix(1)))
    }
    return nil
  }

  private mutating func add(_ symbol: String) throws(AutomatonError) {
    try VisibleText.check(symbol, at: "symbols")
    if !symbols.contains(symbol) { symbols.append(symbol) }
  }

  private mutating func add(
    from first: String, to last: String, typed: String
  ) throws(AutomatonError) {
    let kinds: [ClosedRange<Unicode.Scalar>] = ["0"..."9", "a"..."z", "A"..."Z"]
    guard first.unicodeScalars.count == 1, last.unicodeScalars.count == 1,
      let low = first.unicodeScalars.first, let high = last.unicodeScalars.first, low <= high,
      kinds.contains(where: { $0.contains(low) && $0.contains(high) })
    else {
      throw Self.error("a range such as 0…9 or a…e \(Self.advice)", "`\(typed)`")
    }
    for value in low.value...high.value { try add(String(Unicode.Scalar(UInt8(value)))) }
  }
}
