import Foundation
import InkRecognizer

/// How much likelier letters that follow each other are in words than anywhere: a character n-gram model.
///
/// The probability of a letter c after a sequence s is p(c | s) = (n(sc) + d(s) · p(c | s′)) / (n(s) + d(s)). There, n(sc)
/// is the count of s with c, n(s) the sum of these over all letters, d(s) the number of letters that occur after s, and s′
/// is s without its first letter (Witten & Bell, 1991); where nothing occurs after s, it is p(c | s′). For the empty
/// sequence it is (n(c) + ½) / (Σ n + ½ N) with N letters, the end of a word among them. A reader has learnt how often each
/// letter occurs, so that only p(c | s) / p(c) counts.
struct LetterSequences: Sendable {
  /// The weight of the logarithm of p(c | s) / p(c), and of that of the end of a word.
  ///
  /// These and the next three were chosen on words and composed lines of people that the released reader did not learn
  /// from, and words in photographs by others.
  private static let (weight, endWeight) = (0.8, 0.5)
  /// What each letter of a word but the first is worth, because readers miss letters more often than they add some.
  private static let letterWorth = 0.5
  /// The logarithms of the share of letters in a row that are a word, and of the share of those that follow each other in
  /// any way: one half each.
  private static let (wordShare, otherShare) = (log(0.5), log(0.5))
  /// The cost of a word that begins with a capital after a small letter, and of a small letter after two capitals.
  private static let caseCost = 3.0

  private let counts: LetterCounts
  /// The probability of each sequence's last letter, and the share of what follows it that is left to shorter sequences.
  private let probabilities: [Float]
  /// The number of the letter of each class of the alphabet, or 0, and whether it is a capital or a small one.
  private let numbers: [Int]
  private let cases: [LetterCase?]
  /// The sequence of the beginning of a word.
  private let beginning: Int

  private enum LetterCase { case small, capital }

  init(_ counts: LetterCounts, alphabet: Alphabet) {
    self.counts = counts
    probabilities = counts.probabilities
    let letters = Dictionary(
      uniqueKeysWithValues: counts.letters.enumerated().map { ($1, $0 + 1) })
    numbers = [0] + alphabet.characters.map { $0.small.flatMap { letters[$0] } ?? 0 }
    cases =
      [nil]
      + alphabet.characters.map {
        $0.isUppercase ? .capital : ($0.isLowercase ? .small : nil)
      }
    beginning = counts.longer(than: 0, with: 0)!
  }

  /// Letters in a row at the end of a text.
  struct Run {
    /// The sequence of its last letters, or -1 if there are none.
    fileprivate var sequence: Int32 = -1
    fileprivate var count: Int32 = 0
    /// The logarithm of the odds that it is a word.
    fileprivate var logOdds = 0.0
    /// What it adds to the logarithm of the probability of the text.
    fileprivate(set) var weight = 0.0

    /// The run of no letters.
    static let none = Run()
  }

  /// Returns the run after a character of the class `number` that follows one of the class `last`, and what the run before
  /// it adds if this character ends it.
  func run(after run: Run, _ number: Int, last: Int) -> (run: Run, ended: Double) {
    guard numbers[number] > 0 else { return (.none, ended(run)) }
    // A capital after a small letter begins another word, as in `readLine`.
    let isOther = run.count > 0 && cases[number] == .capital && cases[last] == .small
    var next = isOther ? Run(logOdds: -Self.caseCost) : run
    next.count += 1
    guard next.count > 1 else {
      next.sequence = Int32(step(from: beginning, numbers[number]).sequence)
      return (next, isOther ? ended(run) : 0)
    }
    let step = step(from: Int(run.sequence), numbers[number])
    next.sequence = Int32(step.sequence)
    next.logOdds += Self.weight * step.logRatio + Self.letterWorth
    // A capital inside a run follows another one: after a small letter, it begins a run.
    if cases[number] == .small, run.count > 1, cases[last] == .capital {
      next.logOdds -= Self.caseCost
    }
    next.weight = Self.weight(ofLogOdds: next.logOdds)
    return (next, 0)
  }

  /// Returns what a run adds to the logarithm of the probability of its text if it ends.
  func ended(_ run: Run) -> Double {
    guard run.count > 1 else { return 0 }
    let end = step(from: Int(run.sequence), 0).logProbability
    return Self.weight(ofLogOdds: run.logOdds + Self.endWeight * end)
  }

  /// Returns the logarithm of how much likelier letters are than if nothing was known of words.
  private static func weight(ofLogOdds logOdds: Double) -> Double {
    logSum(wordShare + logOdds, otherShare)
  }

  /// Returns the sequence after one more letter, and the logarithms of p(c | s) and of p(c | s) / p(c).
  func step(
    from sequence: Int, _ letter: Int
  ) -> (sequence: Int, logProbability: Double, logRatio: Double) {
    var (sequence, backoff) = (sequence, 1.0)
    while true {
      if let longer = counts.longer(than: sequence, with: letter) {
        let probability = backoff * Double(probabilities[2 * longer])
        let alone = Double(probabilities[2 * (counts.longer(than: 0).lowerBound + letter)])
        return (longer, log(probability), log(probability / alone))
      }
      // Every letter is a sequence, so that the empty one has it.
      backoff *= Double(probabilities[2 * sequence + 1])
      sequence = counts.shorter(than: sequence)
    }
  }
}
