import Foundation
import SeededRandom

/// A rule that splits a data set into training, validation and test parts.
///
/// All examples of one writer (of a source), or of one session of a writer, are in the same part.
/// Examples of unknown writers or sessions are split one by one, class by class; those with the same
/// content stay together.
public struct Split: Hashable, Sendable {
  /// The method that assigns examples to parts.
  public enum Method: Hashable, Sendable {
    /// Writers are shuffled and assigned until each part has its share.
    case writer
    /// Sessions are shuffled and assigned until each part has its share.
    case session
    /// Cross-validation: of `count` equal folds, fold `index` (from 0) is the test part, and the
    /// next one the validation part.
    case fold(index: Int, count: Int)
    /// A hash of each writer decides, so that adding data later moves no writer.
    case hash
  }

  /// A part of a data set.
  public enum Part: String, Hashable, Sendable, CaseIterable, Codable {
    /// The examples for training.
    case train
    /// The examples for choosing settings.
    case validation
    /// The examples for the final evaluation.
    case test
  }

  /// The method that assigns the parts.
  public var method: Method
  /// The random seed.
  public var seed: UInt64
  /// The validation part's share of all examples.
  public var validationShare: Double
  /// The test part's share of all examples.
  public var testShare: Double

  /// The usual share of the validation part, and of the test part.
  public static let usualShare = 0.15

  /// Creates a rule.
  public init(
    method: Method, seed: UInt64, validationShare: Double = Split.usualShare,
    testShare: Double = Split.usualShare
  ) {
    self.method = method
    self.seed = seed
    self.validationShare = validationShare
    self.testShare = testShare
  }

  /// Returns the part of each example of `dataset`.
  public func parts(of dataset: Dataset) -> [Part] {
    switch method {
    case .writer: byShare(dataset, Self.groups(of: dataset, by: \.hand, seed: seed))
    case .session: byShare(dataset, Self.groups(of: dataset, by: \.sitting, seed: seed))
    case .fold(let index, let count):
      Self.folds(of: dataset, count: count, seed: seed).map { fold in
        if fold == index { return .test }
        return fold == (index + 1) % count && validationShare > 0 ? .validation : .train
      }
    case .hash: dataset.examples.map { hashed($0) }
    }
  }

  /// Returns the fold of each example, from 0 to below `count`.
  ///
  /// All examples of a writer are in one fold. The classes of unknown writers are spread evenly.
  public static func folds(of dataset: Dataset, count: Int, seed: UInt64) -> [Int] {
    var folds = [Int](repeating: 0, count: dataset.examples.count)
    var sizes = [Int](repeating: 0, count: count)
    for group in groups(of: dataset, by: \.hand, seed: seed) {
      // The smallest fold gets the next group; of equal ones, the first.
      let smallest = sizes.indices.min { sizes[$0] < sizes[$1] }!
      for index in group { folds[index] = smallest }
      sizes[smallest] += group.count
    }
    return folds
  }

  private func byShare(_ dataset: Dataset, _ groups: [[Int]]) -> [Part] {
    let total = Double(dataset.examples.count)
    var wanted = [
      (Part.train, total * (1 - validationShare - testShare)),
      (.validation, total * validationShare), (.test, total * testShare),
    ]
    var parts = [Part](repeating: .train, count: dataset.examples.count)
    for group in groups {
      // The part with the largest relative deficit.
      let neediest = wanted.indices.max { a, b in
        need(wanted[a].1, of: wanted[a].0, total) < need(wanted[b].1, of: wanted[b].0, total)
      }!
      for index in group { parts[index] = wanted[neediest].0 }
      wanted[neediest].1 -= Double(group.count)
    }
    return parts
  }

  private func need(_ missing: Double, of part: Part, _ total: Double) -> Double {
    let share =
      switch part {
      case .train: 1 - validationShare - testShare
      case .validation: validationShare
      case .test: testShare
      }
    return share > 0 ? missing / (share * total) : -.infinity
  }

  private func hashed(_ example: Example) -> Part {
    var fingerprint = Fingerprint()
    fingerprint.add(example.hand ?? example.contentFingerprint.description)
    var generator = SeededGenerator(seed: seed, stream: fingerprint.value)
    let draw = generator.uniform()
    if draw < testShare { return .test }
    return draw < testShare + validationShare ? .validation : .train
  }

  /// Returns the examples of each writer or session in random order, then those without one, shuffled
  /// within their class and in alternating classes.
  ///
  /// Examples without one are in the group of the first example with the same content.
  private static func groups(
    of dataset: Dataset, by name: (Example) -> String?, seed: UInt64
  ) -> [[Int]] {
    var hands: [String: [Int]] = [:]
    var unknown: [Int] = []
    for (index, example) in dataset.examples.enumerated() {
      if let hand = name(example) {
        hands[hand, default: []].append(index)
      } else {
        unknown.append(index)
      }
    }
    let handNames = hands.keys.sorted()
    var handOf: [Fingerprint: String] = [:]
    if !unknown.isEmpty {
      for hand in handNames {
        for index in hands[hand]! { handOf[dataset.examples[index].contentFingerprint] = hand }
      }
    }
    // The first example of each content, and all of them.
    var firsts: [Fingerprint: Int] = [:]
    var copies: [Int: [Int]] = [:]
    var single: [String: [Int]] = [:]
    for index in unknown {
      let content = dataset.examples[index].contentFingerprint
      if let hand = handOf[content] {
        hands[hand]!.append(index)
      } else if let first = firsts[content] {
        copies[first]!.append(index)
      } else {
        firsts[content] = index
        copies[index] = [index]
        single[dataset.examples[index].label, default: []].append(index)
      }
    }
    var generator = SeededGenerator(seed: seed, stream: 0x5911)
    var groups = generator.permutation(handNames.count).map { hands[handNames[$0]]! }
    for label in single.keys.sorted() {
      let members = single[label]!
      groups += generator.permutation(members.count).map { copies[members[$0]]! }
    }
    return groups
  }
}
