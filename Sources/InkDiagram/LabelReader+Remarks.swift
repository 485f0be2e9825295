import Foundation

extension LabelReader {
  /// A row of writing near an arrow.
  struct LabelRow {
    var texts: [ScoredText]
    /// The logarithm of the odds that a doubtful row, one farther from the arrow, belongs to the label, before it is read;
    /// `nil` for a row at the arrow.
    var doubtfulOdds: Double?
  }

  /// The logarithm of the odds that a further row at an arrow belongs to its label, before it is read.
  private static let furtherRow = 1.5
  /// The probability of each character of a text of which nothing is known, and the share of symbols that are words or
  /// numbers where no other one is.
  private static let (anyCharacter, firstWord) = (1 / 40.0, 0.05)
  /// The share of lists of `n` symbols that have one more.
  private static let furtherSymbol = 0.3
  /// How many symbols the usual alphabet counts as; this and the numbers above were set by hand.
  private static let usualSymbols = 2.0

  /// Returns whether each row of each label is likelier a remark beside it: its text is neither like those of other labels
  /// of the drawing nor a usual symbol.
  ///
  /// Where the alphabet is given, none is.
  func areRemarks(in labels: [[LabelRow]]) -> [[Bool]] {
    guard alphabet.isEmpty else { return labels.map { $0.map { _ in false } } }
    // Doubtful rows say nothing of the others.
    let likely = agreed(symbols: labels.joined().map { $0.doubtfulOdds == nil ? $0.texts : [] })
    let shares = likely.divided(like: labels).map { $0.map(SymbolShares.init) }
    let all = shares.joined().reduce(into: SymbolShares()) { $0.add($1) }
    return zip(labels, shares).map { rows, own in
      let label = own.reduce(into: SymbolShares()) { $0.add($1) }
      let odds = zip(rows, own).map { row, ownRow in
        // Words of one label stand in several rows.
        let words =
          (all.words - ownRow.words + Self.usualSymbols * Self.firstWord)
          / (all.total - ownRow.total + Self.usualSymbols)
        return labelOdds(of: row, words: words) { part in
          let usual = SymbolShares.isWord(part) ? 0 : Self.usualSymbols * prior(part)
          let others = (all.shares[part] ?? 0) - (label.shares[part] ?? 0)
          return (max(0, others) + usual) / (all.total - label.total + Self.usualSymbols)
        }
      }
      // The rows at the arrow that may be its label, or else the doubtful ones, or else the likeliest at the arrow.
      let atArrow = rows.indices.filter { rows[$0].doubtfulOdds == nil }
      let doubtful = rows.indices.filter { rows[$0].doubtfulOdds != nil }
      let chosen = [atArrow, doubtful].map { $0.filter { odds[$0] >= 0 } }.first { !$0.isEmpty }
      let kept = chosen ?? atArrow.max { odds[$0] < odds[$1] }.map { [$0] } ?? []
      return rows.indices.map { !kept.contains($0) }
    }
  }

  /// Returns the logarithm of the odds that a row is one of a label.
  ///
  /// - Parameters:
  ///   - words: The share of words and numbers among the symbols of other rows.
  ///   - share: Returns the share of a symbol, an input or an output in other labels.
  private func labelOdds(
    of row: LabelRow, words: Double, share: (_ part: String) -> Double
  ) -> Double {
    guard let best = row.texts.map(\.score).max() else { return -.infinity }
    var (asLabel, asRemark) = (0.0, 0.0)
    for text in row.texts {
      let random = pow(Self.anyCharacter, Double(text.text.count))
      let parts = Self.parts(of: text.text)
      let further = Double(Self.symbols(of: text.text).count - 1)
      let asList = parts.reduce(pow(Self.furtherSymbol, further)) { $0 * share($1) }
      let asWords = parts.contains(where: SymbolShares.isWord) ? words * random : 0
      let seen = exp(text.score - best)
      asLabel += seen * max(asList, asWords)
      asRemark += seen * random
    }
    return (row.doubtfulOdds ?? Self.furtherRow) + log(asLabel / asRemark)
  }
}

/// How often labels have each symbol, input and output, and words or numbers.
struct SymbolShares {
  var shares: [String: Double] = [:]
  var total = 0.0
  var words = 0.0

  init() {}

  /// The shares of texts with these parts and probabilities.
  init(_ texts: some Sequence<[String]>, _ probabilities: some Sequence<Double>) {
    for (parts, probability) in zip(texts, probabilities) {
      for part in parts {
        shares[part, default: 0] += probability
        total += probability
        if Self.isWord(part) { words += probability }
      }
    }
  }

  /// The shares of one row with texts of these probabilities.
  init(_ texts: [ScoredText]) {
    self.init(texts.map { LabelReader.parts(of: $0.text) }, texts.map(\.score))
  }

  static func isWord(_ part: String) -> Bool { part.count > 1 && !part.contains("/") }

  mutating func add(_ other: SymbolShares) {
    shares.merge(other.shares, uniquingKeysWith: +)
    total += other.total
    words += other.words
  }
}
