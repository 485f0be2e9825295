import Foundation

extension LabelReader {
  /// A row of writing near an arrow.
  struct LabelRow {
    var texts: [ScoredText]
    /// The logarithm of the odds that a row farther from the arrow belongs to the label, before it is read; `nil` for a row
    /// that belongs to it unless another one does.
    var doubtfulOdds: Double?
  }

  /// The logarithm of the odds that a further row at an arrow belongs to its label, before it is read.
  private static let furtherRow = 1.5
  /// The probability of each character of a text of which nothing is known, and the share of symbols that are words or
  /// numbers where no other one is.
  private static let (anyCharacter, firstWord) = (1 / 40.0, 0.05)
  /// The share of lists of `n` symbols that have one more.
  private static let furtherSymbol = 0.3
  /// How many symbols the usual alphabet counts as.
  ///
  /// These numbers were set by hand.
  private static let usualSymbols = 2.0

  /// Returns which rows of labels rather are remarks beside them: with texts that no other label of the drawing has, and
  /// that are no usual symbols.
  ///
  /// Where symbols are given, these decide, and doubtful rows are remarks.
  func remarks(in labels: [[LabelRow]]) -> [[Bool]] {
    guard alphabet.isEmpty else { return labels.map { $0.map { $0.doubtfulOdds != nil } } }
    // Doubtful rows say nothing of the others.
    var likely = agreed(
      symbols: labels.joined().map { $0.doubtfulOdds == nil ? $0.texts : [] })[...]
    let shares = labels.map { rows in
      defer { likely = likely.dropFirst(rows.count) }
      return likely.prefix(rows.count).map { SymbolShares($0) }
    }
    let all = shares.joined().reduce(into: SymbolShares()) { $0.add($1) }
    return zip(labels, shares).map { rows, own in
      let others = own.reduce(into: all) { $0.add($1, times: -1) }
      let odds = zip(rows, own).map { row, ownRow in
        var otherRows = all
        otherRows.add(ownRow, times: -1)
        return labelOdds(of: row, besides: others, otherRows)
      }
      // Doubtful rows are no further ones, and some row is the label if one is near.
      let isUsual = rows.map { $0.doubtfulOdds == nil }
      let isLabelled = zip(isUsual, odds).contains { $0 && $1 >= 0 }
      let possible = odds.indices.filter { isUsual[$0] || !isLabelled }
      let likeliest = isUsual.contains(true) ? possible.max { odds[$0] < odds[$1] } : nil
      return odds.indices.map { row in
        row != likeliest && (odds[row] < 0 || !possible.contains(row))
      }
    }
  }

  /// Returns the logarithm of the odds that a row is one of a label, given other labels and all other rows.
  private func labelOdds(
    of row: LabelRow, besides others: SymbolShares, _ otherRows: SymbolShares
  ) -> Double {
    guard let best = row.texts.map(\.score).max() else { return -.infinity }
    // Words of one label stand in several rows.
    let words =
      (otherRows.words + Self.usualSymbols * Self.firstWord)
      / (otherRows.total + Self.usualSymbols)
    var (asLabel, asRemark) = (0.0, 0.0)
    for text in row.texts {
      let random = pow(Self.anyCharacter, Double(text.text.count))
      let parts = Self.parts(of: text.text)
      let further = Double(Self.symbols(of: text.text).count - 1)
      let asList = parts.reduce(pow(Self.furtherSymbol, further)) {
        let usual = SymbolShares.isWord($1) ? 0 : Self.usualSymbols * prior($1)
        return $0 * ((others.shares[$1] ?? 0) + usual) / (others.total + Self.usualSymbols)
      }
      let asWords = parts.contains(where: SymbolShares.isWord) ? words * random : 0
      let seen = exp(text.score - best)
      asLabel += seen * max(asList, asWords)
      asRemark += seen * random
    }
    return (row.doubtfulOdds ?? Self.furtherRow) + log(asLabel / asRemark)
  }
}

/// How often labels have each symbol, input and output, and words or numbers.
private struct SymbolShares {
  var shares: [String: Double] = [:]
  var total = 0.0
  var words = 0.0

  init() {}

  /// The shares of one row with texts of these probabilities.
  init(_ texts: [ScoredText]) {
    for text in texts {
      for part in LabelReader.parts(of: text.text) {
        shares[part, default: 0] += text.score
        total += text.score
        if Self.isWord(part) { words += text.score }
      }
    }
  }

  static func isWord(_ part: String) -> Bool { part.count > 1 && !part.contains("/") }

  mutating func add(_ other: SymbolShares, times factor: Double = 1) {
    for (symbol, share) in other.shares {
      shares[symbol] = max(0, (shares[symbol] ?? 0) + factor * share)
    }
    total = max(0, total + factor * other.total)
    words = max(0, words + factor * other.words)
  }
}
