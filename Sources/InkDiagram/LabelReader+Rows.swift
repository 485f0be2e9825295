import Foundation
import Ink

extension LabelReader {
  /// Writing that may be divided into other rows than those that its strokes tell.
  struct Block {
    var traces: [Trace]
    var knownRows: [TextLine]
    var isName: Bool
  }

  // These four were set by hand.

  /// The mean score of rows from which no others are tried.
  private static let readWell = -1.0
  /// The score of a character, at least.
  private static let leastCharacter = -6.0
  /// The characters of a level row, and the letters and digits of a sloped one, at least, besides the known rows.
  private static let (leastLevel, leastSloped) = (2, 4)

  /// Returns the likeliest rows of each block; `nil` where those are the known ones.
  ///
  /// - Parameter page: The writing in a picture, or `nil` if only strokes are known.
  func betterRows(
    of blocks: [Block], in page: PageWriting?,
    as writing: @Sendable (_ line: TextLine) -> Writing
  ) -> [[TextLine]?] {
    loop.map(blocks.count) { number, _ in
      let divisions = divisions(of: blocks[number], in: page, as: writing)
      var best = divisions[0]
      for other in divisions where other.odds > best.odds { best = other }
      return best.division.isKnown ? nil : best.division.rows
    }
  }

  /// A division of writing that was read.
  struct ReadDivision {
    let division: RowDivision
    /// The texts of the rows, with spaces between them.
    let text: String
    /// The measures by which it is judged.
    let values: [Double]
    /// The logarithm of the odds that it is right, but for a constant.
    let odds: Double
  }

  /// Returns the ways in which a block may be divided, the known one first; only that one if it is read well.
  ///
  /// Other rows than the known ones have at least two characters: an index below its letter is no row. Sloped ones have
  /// at least four letters or digits: fewer show no slope.
  func divisions(
    of block: Block, in page: PageWriting?, as writing: (_ line: TextLine) -> Writing
  ) -> [ReadDivision] {
    func texts(_ division: RowDivision) -> [ScoredText] {
      division.rows.map { bestText(of: writing($0), asName: block.isName) }
    }
    func isLongEnough(_ text: String, isSloped: Bool) -> Bool {
      isSloped
        ? text.count { $0.isLetter || $0.isNumber } >= Self.leastSloped
        : text.count >= Self.leastLevel
    }
    func judged(_ division: RowDivision, _ texts: [ScoredText]) -> ReadDivision {
      let counts = texts.map { Double(max(1, $0.text.count)) }
      let values = [
        // How well a character is read, in the mean of the rows.
        zip(texts, counts).reduce(0) { $0 + max(Self.leastCharacter, $1.0.score / $1.1) }
          / Double(texts.count),
        // A word that is read as one character is read badly.
        log(counts.reduce(0, +)),
        division.isKnown ? 1 : 0, min(abs(division.rows[0].slope), .pi / 4), division.gap,
        Double(texts.count - 1),
        // Many names and most symbols are one character.
        division.isKnown && counts == [1] ? 1 : 0,
      ]
      return ReadDivision(
        division: division, text: texts.map(\.text).joined(separator: " "), values: values,
        odds: zip(values, RowDivision.weights).reduce(0) { $0 + $1.0 * $1.1 })
    }
    let known = RowDivision(known: block.knownRows)
    let knownTexts = texts(known)
    var divisions = [judged(known, knownTexts)]
    let score = knownTexts.reduce(0) { $0 + $1.score }
    if score >= Self.readWell * Double(knownTexts.count) { return divisions }
    for other in RowDivision.candidates(for: block.traces, besides: block.knownRows, in: page) {
      let texts = texts(other)
      guard texts.allSatisfy({ isLongEnough($0.text, isSloped: other.isSloped) }) else { continue }
      divisions.append(judged(other, texts))
    }
    return divisions
  }

  /// Returns the texts of each symbol or list of symbols in a label, the likeliest first with probabilities.
  ///
  /// Rows of words are one symbol.
  func phrases(of rows: [TextLine], _ texts: [[ScoredText]]) -> [[ScoredText]] {
    var phrases: [(last: TextLine, texts: [[ScoredText]])] = []
    for (row, texts) in zip(rows, texts) where !texts.isEmpty {
      if let phrase = phrases.last, isPhrase(phrase.texts.last![0].text, above: texts[0].text),
        row.isRow(aboveOrBelow: phrase.last) || row.slope != 0 && row.slope == phrase.last.slope
      {
        phrases[phrases.count - 1] = (row, phrase.texts + [texts])
      } else {
        phrases.append((row, [texts]))
      }
    }
    return phrases.map { WrittenRows.joined($0.texts, by: " ") }
  }

  /// Whether the texts of two rows are one symbol: words, or an operand and an operator.
  func isPhrase(_ text: String, above other: String) -> Bool {
    // Known symbols stay apart.
    guard alphabet.isEmpty, !(vocabulary.contains(text) && vocabulary.contains(other)) else {
      return false
    }
    let operators: Set = ["&", "&&", "||"]
    func isOperand(_ text: String) -> Bool {
      text.count > 1 && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
    func isWords(_ text: String) -> Bool {
      text.count > 2 && text.allSatisfy { $0.isLetter || " _'’".contains($0) }
    }
    return isWords(text) && isWords(other) || operators.contains(text) && isOperand(other)
      || isOperand(text) && operators.contains(other)
  }
}
