import Foundation

/// A word, and whether an automaton should accept it.
public struct WordTest: Hashable, Sendable {
  /// The word as it was written.
  public var word: String
  /// Whether it should be accepted.
  public var isAccepted: Bool

  /// Creates a test.
  public init(_ word: String, isAccepted: Bool) {
    self.word = word
    self.isAccepted = isAccepted
  }

  /// The words for the expected answers, in files.
  private static let answers: [String: Bool] = [
    "accepted": true, "accept": true, "yes": true, "true": true, "1": true, "+": true,
    "rejected": false, "reject": false, "no": false, "false": false, "0": false, "-": false,
  ]

  /// Reads tests from text with one on each line: the word, a tab or comma, and `accepted` or
  /// `rejected`.
  ///
  /// A semicolon separates as well. The last separator of a line counts. A field in quotes is what is
  /// between them, in which `""` is a quote (RFC 4180). An empty word, or `ε`, is the empty word. Empty lines, lines
  /// that start with `#`, and a first line `word, expected` are passed over. `yes`, `1`, `true` and
  /// `+` mean accepted; `no`, `0`, `false` and `-` mean rejected.
  ///
  /// - Throws: `AutomatonError` with the first line that is not a test.
  public static func read(_ text: String, name: String) throws(AutomatonError) -> [WordTest] {
    var tests: [WordTest] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
      let place = "\(name), line \(index + 1)"
      guard let fields = fields(of: line) else {
        throw AutomatonError(
          at: place, expected: "a word, a comma, and accepted or rejected", found: "`\(trimmed)`")
      }
      let word = try unquoted(fields.word, at: place)
      let answer = try unquoted(fields.answer, at: place)
      guard let isAccepted = answers[answer.lowercased()] else {
        if index == 0, answer.lowercased() == "expected" { continue }
        throw AutomatonError(
          at: place, expected: "accepted or rejected after the last comma",
          found: "`\(answer)`")
      }
      tests.append(WordTest(word, isAccepted: isAccepted))
    }
    return tests
  }

  /// Splits a line at its last tab, or else its last comma or semicolon outside quotes.
  private static func fields(of line: Substring) -> (word: Substring, answer: Substring)? {
    var last: (tab: Substring.Index?, other: Substring.Index?)
    var isQuoted = false
    var isStart = true
    for index in line.indices {
      let character = line[index]
      if character == "\"", isQuoted || isStart {
        isQuoted.toggle()
      } else if !isQuoted, "\t,;".contains(character) {
        if character == "\t" { last.tab = index } else { last.other = index }
        isStart = true
        continue
      }
      if !character.isWhitespace { isStart = false }
    }
    // A quote without its end is a symbol.
    let anywhere = isQuoted ? line.lastIndex { "\t,;".contains($0) } : nil
    guard let separator = anywhere ?? last.tab ?? last.other else { return nil }
    return (line[..<separator], line[line.index(after: separator)...])
  }

  /// Returns a field without white space and quotes around it.
  ///
  /// - Throws: `AutomatonError` if text follows the closing quote.
  private static func unquoted(
    _ field: Substring, at place: String
  ) throws(AutomatonError) -> String {
    let text = field.trimmingCharacters(in: .whitespaces)
    guard text.count > 1, text.hasPrefix("\"") else { return text }
    var result = ""
    var rest = text.dropFirst()
    while let character = rest.popFirst() {
      if character != "\"" {
        result.append(character)
      } else if rest.first == "\"" {
        rest.removeFirst()
        result.append("\"")
      } else {
        guard rest.isEmpty else {
          throw AutomatonError(
            at: place, expected: "nothing after the closing quote", found: "`\(rest)`")
        }
        return result
      }
    }
    throw AutomatonError(at: place, expected: "a closing quote", found: "`\(text)`")
  }
}
