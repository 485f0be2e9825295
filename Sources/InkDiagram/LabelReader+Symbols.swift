import Foundation
import InkReader

extension LabelReader {
  /// The share of drawings whose symbols have outputs.
  private static let outputs = 0.05
  /// The share of labels without an output where labels have outputs, and of labels with one elsewhere.
  private static let (withoutOutput, strayOutput) = (0.1, 0.01)
  /// How much the labels of a drawing count, as an exponent: as for names, many say little more than one.
  fileprivate static let trust = 0.7
  /// How common symbols are.
  private static let commonSymbols = [
    "a": 0.14, "b": 0.14, "c": 0.06, "d": 0.03, "0": 0.14, "1": 0.14, "ε": 0.06, "2": 0.04,
    "3": 0.03, "x": 0.02, "y": 0.02,
  ]

  /// Returns the texts of all labels with probabilities, given that a drawing has a small alphabet, and that most of
  /// its labels have outputs, or few.
  func agreed(symbols lists: [[ScoredText]]) -> [[ScoredText]] {
    let rounds = 4
    let split = lists.map { $0.map { Self.parts(of: $0.text) } }
    var weights = lists.map(Self.weights)
    // Outputs may be of another kind than inputs.
    let inputs = split.map { $0.map { $0.compactMap(Self.input) } }
    let kinds = SymbolKind.probabilities(inputs, weights)
    let withOutputs = Self.outputShare(of: lists, weights)
    func prior(_ part: String) -> Double {
      guard let input = Self.input(part) else {
        // As common as outputs are in this drawing, if that is more than usual.
        return self.prior(part) * max(1, withOutputs / Self.outputs)
      }
      let kind = SymbolKind(input)
      return self.prior(part) * (0.05 + 0.95 * (kinds[kind] ?? 1) / kind.prior)
    }
    /// How common a symbol is, as an input or an output.
    func commonness(_ part: String) -> Double {
      Self.input(part) == nil ? self.prior(part) / Self.outputs : prior(part)
    }
    for _ in 0..<rounds {
      let all = SymbolShares(split.joined(), weights.joined())
      weights = lists.indices.map { number in
        let own = SymbolShares(split[number], weights[number])
        let shares = zip(split[number], weights[number]).flatMap { parts, share in
          parts.map { _ in share }
        }
        let rest = shares.reduce(all.total, -)
        let scored = zip(lists[number], split[number]).map { text, symbols in
          var score = text.score
          for symbol in symbols {
            let others = max(0, (all.shares[symbol] ?? 0) - (own.shares[symbol] ?? 0))
            let base = 2 * prior(symbol)
            score += log((others + base) / (max(0, rest) + 2))
            // The labels with a symbol pay together for how rare it is in automata: where each may be 1 or l, they are 1.
            score += min(1, others) * log(commonness(symbol)) / (others + 1)
          }
          let listed = Self.symbols(of: text.text)
          if Set(listed).count < listed.count { score -= 4 }
          let likely = Self.outputLikelihoods(of: text.text)
          score += log(
            withOutputs * likely.amongOutputs + (1 - withOutputs) * likely.otherwise)
          return ScoredText(text: text.text, score: score)
        }
        return Self.weights(scored)
      }
    }
    return Self.ranked(lists, weights)
  }

  /// Returns the probability that the labels of a drawing have outputs.
  private static func outputShare(of lists: [[ScoredText]], _ weights: [[Double]]) -> Double {
    let fit = zip(lists, weights).reduce(0.0) { sum, label in
      var (amongOutputs, otherwise) = (0.0, 0.0)
      for (text, weight) in zip(label.0, label.1) {
        let likely = outputLikelihoods(of: text.text)
        amongOutputs += weight * likely.amongOutputs
        otherwise += weight * likely.otherwise
      }
      return label.0.isEmpty ? sum : sum + log(amongOutputs / otherwise)
    }
    return 1 / (1 + exp(-log(outputs / (1 - outputs)) - trust * fit))
  }

  /// Returns the probability of a label like `text`, which has outputs or has none: in a drawing whose labels have
  /// outputs, and in another one.
  private static func outputLikelihoods(
    of text: String
  ) -> (amongOutputs: Double, otherwise: Double) {
    let hasOutputs = symbols(of: text).allSatisfy { $0.contains("/") }
    return hasOutputs ? (1 - withoutOutput, strayOutput) : (withoutOutput, 1 - strayOutput)
  }

  /// Returns the symbols of a list that was read.
  static func symbols(of text: String) -> [String] {
    text.split(separator: ",").map(String.init)
  }

  /// Returns what the labels of a drawing repeat: symbols, or an input with its slash (`a/`) and an output (`/1`).
  static func parts(of text: String) -> [String] {
    symbols(of: text).flatMap { symbol in
      let parts = symbol.split(separator: "/", maxSplits: 1)
      return parts.count == 2 ? ["\(parts[0])/", "/\(parts[1])"] : [symbol]
    }
  }

  /// Returns the symbol of a part of a label, or `nil` for an output.
  private static func input(_ part: String) -> String? {
    guard part.count > 1 else { return part }
    if part.first == "/" { return nil }
    return part.last == "/" ? String(part.dropLast()) : part
  }

  /// Returns how common a part of a label is before anything was read.
  func prior(_ part: String) -> Double {
    guard let symbol = Self.input(part) else {
      return Self.outputs * prior(String(part.dropFirst()))
    }
    let isCharacter = symbol.count == 1 && symbol.allSatisfy { $0.isLetter || $0.isNumber }
    let usual = Self.commonSymbols[symbol] ?? (isCharacter ? 0.006 : 0.001)
    guard !vocabulary.isEmpty else { return usual }
    return 0.1 * usual + (vocabulary.contains(symbol) ? 0.9 / Double(vocabulary.count) : 0)
  }
}

/// The kind of a symbol; the symbols of a drawing are mostly of one kind, besides the empty word.
enum SymbolKind: Hashable, CaseIterable {
  case digit, small, capital, other, empty

  init(_ symbol: String) {
    guard symbol != "ε", let character = symbol.first else {
      self = .empty
      return
    }
    if symbol.allSatisfy(\.isNumber) {
      self = .digit
    } else if !character.isLetter
      || zip(symbol, symbol.dropFirst()).contains(where: { $0.isLetter && $1.isLetter })
    {
      // Words and signs are one kind: drawings of scanners have both.
      self = .other
    } else {
      self = character.isUppercase ? .capital : .small
    }
  }

  /// Whether a symbol can be of this kind, if its size says nothing.
  private func includes(_ symbol: String) -> Bool {
    let kind = SymbolKind(symbol)
    if kind == self || kind == .empty { return true }
    guard self == .small || self == .capital, symbol.count == 1 else { return false }
    return symbol.first?.isSameInBothCases ?? false
  }

  /// The share of drawings with such symbols.
  var prior: Double {
    switch self {
    case .digit: 0.45
    case .small: 0.4
    case .capital: 0.1
    case .other: 0.05
    case .empty: 1
    }
  }

  /// Returns the probability of each kind, given the texts of all labels with their weights.
  static func probabilities(
    _ labels: [[[String]]], _ weights: [[Double]]
  ) -> [SymbolKind: Double] {
    let kinds = allCases.filter { $0 != .empty }
    let scores = kinds.map { kind in
      let fit = zip(labels, weights).reduce(0.0) { sum, label in
        let share = zip(label.0, label.1).reduce(0.0) { share, text in
          let fits = text.0.allSatisfy { kind.includes($0) }
          return share + (fits ? text.1 : 0)
        }
        return sum + log(share + 0.01)
      }
      return log(kind.prior) + LabelReader.trust * fit
    }
    var result: [SymbolKind: Double] = [.empty: 1]
    for (kind, share) in zip(kinds, LabelReader.shares(scores)) { result[kind] = share }
    return result
  }
}
