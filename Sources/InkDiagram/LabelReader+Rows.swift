import Foundation
import Ink

extension LabelReader {
  /// Writing that may be in other rows than those on level baselines.
  struct Block {
    var traces: [Trace]
    var levelRows: [TextLine]
    var isName: Bool
  }

  /// What sloped rows cost together, and what each row, each radian of its slope up to 45°, and a steeper slope cost.
  ///
  /// All costs are logarithms of probabilities. The first was chosen among four on composed pages of validation writers;
  /// the others were set by hand. On these pages a lower cost of slopes reads as well, but level labels in pictures by
  /// people were read as sloped ones.
  private static let (slopedCost, rowCost, slopeCost, steepCost) = (1.0, 1.0, 2.5, 2.0)
  /// The score of a row from which it is not tried otherwise.
  private static let readWell = -1.0
  /// How many times as wide as high a text is: this, and so much more for each character; how much the logarithm of
  /// that deviates, and the share of texts of which it says nothing.
  ///
  /// The first three are those of 1,257 labels cut out of composed pages.
  private static let (leastAspect, characterAspect, aspectDeviation) = (0.6, 0.27, 0.3)
  private static let strangeAspect = 0.002
  /// The margin of a strip, as a share of the height of its text, and the least height of ink, as a share of its width.
  private static let (margin, leastHeight) = (0.4, 0.2)
  /// The number of marks or strokes of a character, at most, and the cost of each further one; set by hand.
  private static let (marksOfCharacter, markCost) = (2, 1.5)

  /// Returns the sloped rows of each block that are read better than its level ones; `nil` where none are.
  ///
  /// - Parameter page: The writing in a picture, or `nil` if only strokes are known.
  func slopedRows(
    of blocks: [Block], in page: PageWriting?,
    as writing: @Sendable (_ line: TextLine) -> Writing
  ) -> [[TextLine]?] {
    loop.map(blocks.count) { number, _ in
      let block = blocks[number]
      func score(_ rows: [TextLine]) -> Double {
        rows.reduce(0) { $0 + self.score(of: $1, asName: block.isName, writing($1)) }
      }
      let levelScore = score(block.levelRows)
      let readWell = Self.readWell - Self.rowCost
      guard levelScore < Double(block.levelRows.count) * readWell else { return nil }
      var best: (rows: [TextLine]?, score: Double) = (nil, levelScore)
      for rows in SlopedRows.candidates(for: block.traces, besides: block.levelRows, in: page) {
        let score = score(rows) - Self.slopedCost
        if score > best.score { best = (rows, score) }
      }
      return best.rows
    }
  }

  /// Returns how well a row is read, and how well its text fits its ink.
  private func score(of row: TextLine, asName isName: Bool, _ writing: Writing) -> Double {
    let best = bestText(of: writing, asName: isName)
    let slope = abs(row.slope)
    var score = best.score - Self.rowCost - Self.slopeCost * min(slope, .pi / 4)
    if slope > .pi / 4 { score -= Self.steepCost }
    let lost = row.traces.count - Self.marksOfCharacter * best.text.count
    score -= Self.markCost * Double(max(0, lost))
    let usual = Self.leastAspect + Self.characterAspect * Double(best.text.count)
    let deviation = log(Self.aspect(of: writing) / usual) / Self.aspectDeviation
    let strange = Self.strangeAspect
    return score + log((1 - strange) * exp(-deviation * deviation / 2) + strange)
  }

  /// Returns how many times as wide as high writing is, with the margin that strips have.
  private static func aspect(of writing: Writing) -> Double {
    switch writing {
    case .picture(let strip?, _): return Double(strip.width) / Double(max(1, strip.height))
    case .picture(nil, let strokes), .ink(let strokes):
      let (width, inkHeight) = (strokes.bounds?.width ?? 0, strokes.bounds?.height ?? 0)
      let height = max(inkHeight, leastHeight * width, 1e-9)
      return (width + margin * height) / ((1 + margin) * height)
    }
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
