import Automata

/// A name or a list of symbols as people read it: with indices, Greek letters and primes.
///
/// `q_0`, `q_10` and `x_{n+1}` have an index, `\alpha` is a Greek letter, and `'` is a prime. All other
/// text is shown as it is.
public struct ShownText: Hashable, Sendable {
  /// A part on the line, or an index below it.
  public struct Part: Hashable, Sendable {
    /// The characters.
    public var text: String
    /// Whether it is an index.
    public var isIndex: Bool
  }

  /// The parts in reading order; none for an empty text.
  public private(set) var parts: [Part] = []

  /// The size of an index, as a share of the size of the text.
  public static let indexScale = 0.7
  /// How far an index is below the line, as a share of the size of the text.
  public static let indexDrop = 0.25

  /// Reads a name or a list of symbols as it was typed.
  public init(_ text: String) {
    guard text.contains(where: { "_\\'".contains($0) }) else {
      add(text, isIndex: false)
      return
    }
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == "\\", let letter = Self.greek(&rest) {
        add(letter, isIndex: false)
      } else if character == "_", !parts.isEmpty, let index = Self.index(&rest) {
        add(Self.primed(index), isIndex: true)
      } else {
        add(Self.primed(String(character)), isIndex: false)
      }
    }
  }

  /// The text with indices on the line.
  var plain: String { parts.map(\.text).joined() }

  /// The width of the text in characters of full size.
  var width: Double {
    parts.reduce(0) { $0 + Double($1.text.count) * ($1.isIndex ? Self.indexScale : 1) }
  }

  private mutating func add(_ text: String, isIndex: Bool) {
    guard !text.isEmpty else { return }
    if parts.last?.isIndex == isIndex {
      parts[parts.count - 1].text += text
    } else {
      parts.append(Part(text: text, isIndex: isIndex))
    }
  }

  private static func primed(_ text: String) -> String { text.replacing("'", with: "′") }

  /// Takes an index off the text after `_`: digits, one letter, or anything in braces.
  private static func index(_ rest: inout Substring) -> String? {
    if rest.first == "{", let end = rest.firstIndex(of: "}") {
      let index = String(rest[rest.index(after: rest.startIndex)..<end])
      guard !index.isEmpty else { return nil }
      rest = rest[rest.index(after: end)...]
      return ShownText(index).plain
    }
    let word = rest.prefix { $0.isLetter || $0.isNumber }
    guard !word.isEmpty, word.count == 1 || word.allSatisfy(\.isNumber) else { return nil }
    rest = rest.dropFirst(word.count)
    return String(word)
  }

  /// Takes the name of a Greek letter off the text after a backslash.
  private static func greek(_ rest: inout Substring) -> String? {
    let word = rest.prefix { $0.isLetter && $0.isASCII }
    guard let letter = letters[String(word)] else { return nil }
    rest = rest.dropFirst(word.count)
    return letter
  }

  /// The Greek letters that TeX has; its capitals that look like Latin ones have no names.
  private static let letters: [String: String] = {
    let capitals: Set = [
      "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
    ]
    var table = Typeset.greek.filter { $0.key.first!.isLowercase || capitals.contains($0.key) }
    (table["varepsilon"], table["varphi"]) = ("ε", "φ")
    return table
  }()
}
