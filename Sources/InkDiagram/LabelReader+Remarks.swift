import Foundation

extension LabelReader {
  /// The logarithm of the odds that a further row at an arrow belongs to its label, before it is read.
  private static let furtherRow = 1.5
  /// The probability of each character of a text of which nothing is known, and the share of labels that are words where
  /// no other label is one.
  private static let (anyCharacter, firstWord) = (1 / 40.0, 0.05)
  /// The share of lists of `n` symbols that have one more.
  private static let furtherSymbol = 0.3
  /// How many labels the usual alphabet counts as.
  private static let usualLabels = 2.0

  /// Returns the rows of labels that rather are remarks beside them: with texts that no other label of the drawing has,
  /// and that are no usual symbols.
  ///
  /// One row of each label is none.
  ///
  /// - Parameters:
  ///   - rows: The texts of all rows.
  ///   - labels: The rows of each label.
  func remarks(in rows: [[ScoredText]], of labels: [Range<Int>]) -> Set<Int> {
    guard alphabet.isEmpty, labels.contains(where: { $0.count > 1 }) else { return [] }
    let likely = agreed(symbols: rows).map(Self.shares)
    let all = likely.reduce(into: SymbolShares()) { $0.add($1) }
    func odds(_ row: Int) -> Double {
      guard let best = rows[row].map(\.score).max() else { return -.infinity }
      let others = all.without(likely[row])
      var (asLabel, asRemark) = (0.0, 0.0)
      for text in rows[row] {
        let seen = exp(text.score - best)
        let random = pow(Self.anyCharacter, Double(text.text.count))
        asLabel += seen * probability(of: text.text, besides: others, random: random)
        asRemark += seen * random
      }
      return Self.furtherRow + log(asLabel / asRemark)
    }
    var remarks: Set<Int> = []
    for label in labels where label.count > 1 {
      let odds = label.map { (row: $0, odds: odds($0)) }
      let best = odds.max { $0.odds < $1.odds }!.row
      remarks.formUnion(odds.filter { $0.row != best && $0.odds < 0 }.map(\.row))
    }
    return remarks
  }

  /// Returns the probability of a label in a drawing with the other labels `others`.
  ///
  /// - Parameter random: The probability of its characters if they are any.
  private func probability(
    of text: String, besides others: SymbolShares, random: Double
  ) -> Double {
    let symbols = Self.symbols(of: text)
    let list = pow(Self.furtherSymbol, Double(symbols.count - 1))
    let known = symbols.reduce(list) { product, symbol in
      let usual = symbol.count == 1 ? Self.usualLabels * prior(symbol) : 0
      return product * ((others.shares[symbol] ?? 0) + usual) / (others.total + Self.usualLabels)
    }
    let words =
      (others.words + Self.usualLabels * Self.firstWord) / (others.total + Self.usualLabels)
    return SymbolShares.isWord(text) ? max(known, words * random) : known
  }

  /// Returns the shares of symbols in a row with these texts and their probabilities.
  private static func shares(_ texts: [ScoredText]) -> SymbolShares {
    var shares = SymbolShares()
    for text in texts {
      for symbol in symbols(of: text.text) { shares.shares[symbol, default: 0] += text.score }
      shares.total += Double(symbols(of: text.text).count) * text.score
      if SymbolShares.isWord(text.text) { shares.words += text.score }
    }
    return shares
  }
}

/// How often labels have each symbol, and are words.
private struct SymbolShares {
  var shares: [String: Double] = [:]
  var total = 0.0
  var words = 0.0

  static func isWord(_ text: String) -> Bool {
    LabelReader.symbols(of: text).contains { $0.count > 1 }
  }

  mutating func add(_ other: SymbolShares) {
    shares.merge(other.shares, uniquingKeysWith: +)
    total += other.total
    words += other.words
  }

  func without(_ other: SymbolShares) -> SymbolShares {
    var rest = self
    for (symbol, share) in other.shares {
      rest.shares[symbol] = max(0, (rest.shares[symbol] ?? 0) - share)
    }
    rest.total = max(0, total - other.total)
    rest.words = max(0, words - other.words)
    return rest
  }
}
