import Foundation
import InkRecognizer

/// How much likelier letters that follow each other are in words than anywhere: a character n-gram model.
///
/// The probability of a letter c after a sequence s, which occurs n(s) times with d(s) different letters after it, is
/// p(c | s) = (n(sc) + d(s) · p(c | s′)) / (n(s) + d(s)), where s′ is s without its first letter (Witten & Bell, 1991).
/// A reader has learnt how often each letter occurs, so that only p(c | s) / p(c) counts.
struct LetterSequences: Sendable {
  /// The weight of the logarithm of p(c | s) / p(c), and of that of the end of a word.
  ///
  /// These and the next three were chosen on words and composed lines of people that the released reader did not learn
  /// from, and words in photographs by others.
  private static let (weight, endWeight) = (0.8, 0.5)
  /// What each letter of a word but the first is worth: a reader rather misses a letter than that it sees one too many.
  private static let letterWorth = 0.5
  /// The share of letters in a row that are a word; all others can follow each other in any way.
  private static let wordShare = 0.5
  /// The cost of a capital after a small letter, and of a small letter after two capitals.
  private static let caseCost = 3.0

  private let counts: LetterCounts
  /// The probability of each sequence's last letter, and the share of what follows it that is left to shorter sequences.
  private let probabilities: [Float]
  private let backoffs: [Float]
  /// The number of the letter of each class of the alphabet, or 0, and whether it is a capital or a small one.
  private let numbers: [Int]
  private let cases: [LetterCase?]
  /// The sequence of the beginning of a word.
  private let beginning: Int

  private enum LetterCase { case small, capital }

  init(_ counts: LetterCounts, alphabet: Alphabet) {
    self.counts = counts
    var probabilities = [Float](repeating: 1, count: counts.sequenceCount)
    var backoffs = probabilities
    for sequence in 0..<counts.sequenceCount {
      let longer = counts.longer(than: sequence)
      guard !longer.isEmpty else { continue }
      let sum = longer.reduce(0.0) { $0 + counts.count(of: $1) }
      // Every letter can occur.
      let left = sequence == 0 ? 0.5 * Double(longer.count) : Double(longer.count)
      for one in longer {
        let share =
          sequence == 0
          ? 1 / Double(longer.count) : Double(probabilities[counts.shorter(than: one)])
        probabilities[one] = Float((counts.count(of: one) + left * share) / (sum + left))
      }
      backoffs[sequence] = Float(left / (sum + left))
    }
    (self.probabilities, self.backoffs) = (probabilities, backoffs)
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
    /// The logarithm of how much likelier it is in words.
    fileprivate var ratio = 0.0
    /// What it adds to the logarithm of the probability of the text.
    fileprivate(set) var weight = 0.0

    /// The run of no letters.
    static let none = Run()
  }

  /// Returns the run after a character of the class `number` that follows characters of the classes `before`, and what the
  /// run before it adds if this character ends it.
  func run(
    after run: Run, _ number: Int, before: (last: Int, secondLast: Int)
  ) -> (run: Run, ended: Double) {
    guard numbers[number] > 0 else { return (.none, ended(run)) }
    var next = run
    next.count += 1
    guard run.count > 0 else {
      next.sequence = Int32(step(from: beginning, numbers[number]).sequence)
      return (next, 0)
    }
    let step = step(from: Int(run.sequence), numbers[number])
    next.sequence = Int32(step.sequence)
    next.ratio += Self.weight * step.surprise + Self.letterWorth
    let isCaseChange =
      cases[number] == .capital
      ? cases[before.last] == .small
      : cases[number] == .small && run.count > 1 && cases[before.last] == .capital
        && cases[before.secondLast] == .capital
    if isCaseChange { next.ratio -= Self.caseCost }
    next.weight = Self.weight(ofRatio: next.ratio)
    return (next, 0)
  }

  /// Returns what a run adds to the logarithm of the probability of its text if it ends.
  func ended(_ run: Run) -> Double {
    guard run.count > 1 else { return 0 }
    let end = step(from: Int(run.sequence), 0).logarithm
    return Self.weight(ofRatio: run.ratio + Self.endWeight * end)
  }

  /// The logarithm of the mean of the odds of a word and of other letters, by their shares.
  private static func weight(ofRatio ratio: Double) -> Double {
    logSum(log(wordShare) + ratio, log(1 - wordShare))
  }

  /// Returns the sequence after one more letter, and the logarithms of p(c | s) and of p(c | s) / p(c).
  private func step(
    from sequence: Int, _ letter: Int
  ) -> (sequence: Int, logarithm: Double, surprise: Double) {
    var (sequence, backoff) = (sequence, 1.0)
    while true {
      if let longer = counts.longer(than: sequence, with: letter) {
        let probability = backoff * Double(probabilities[longer])
        let alone = Double(probabilities[counts.longer(than: 0).lowerBound + letter])
        // The longest sequences have none after them.
        let next = counts.longer(than: longer).isEmpty ? counts.shorter(than: longer) : longer
        return (next, log(probability), log(probability / alone))
      }
      // Every letter is a sequence, so that the empty one has it.
      backoff *= Double(backoffs[sequence])
      sequence = counts.shorter(than: sequence)
    }
  }
}
