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
  /// The last comma of a line counts. An empty word, or `ε`, is the empty word. Empty lines, lines
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
      guard let separator = line.lastIndex(of: "\t") ?? line.lastIndex(of: ",") else {
        throw AutomatonError(
          at: "\(name), line \(index + 1)", expected: "a word, a comma, and accepted or rejected",
          found: "`\(trimmed)`")
      }
      let word = line[..<separator].trimmingCharacters(in: .whitespaces)
      let answer = line[line.index(after: separator)...].trimmingCharacters(in: .whitespaces)
      guard let isAccepted = answers[answer.lowercased()] else {
        if index == 0, answer.lowercased() == "expected" { continue }
        throw AutomatonError(
          at: "\(name), line \(index + 1)", expected: "accepted or rejected after the last comma",
          found: "`\(answer)`")
      }
      tests.append(WordTest(word, isAccepted: isAccepted))
    }
    return tests
  }
}
