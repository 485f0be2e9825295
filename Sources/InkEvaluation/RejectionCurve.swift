import Foundation
import InkRecognizer

/// What is refused and what gets through, for every threshold on the probability of an answer.
///
/// An answer's score is the highest probability of a label that is not the rejected one.
public struct RejectionCurve: Hashable, Sendable, Codable {
  /// One threshold with what follows from it.
  public struct Threshold: Hashable, Sendable, Codable {
    /// The least score that is accepted.
    public var score: Double
    /// The share of good examples that is refused.
    public var goodRefused: Double
    /// The share of the others that is accepted.
    public var junkAccepted: Double
  }

  /// The label of what is to be refused.
  public var rejectedLabel: String
  /// The probability that a good example has a higher score than one of the others: the area under
  /// the receiver operating characteristic (Hanley & McNeil, 1982).
  public var area: Double
  /// A hundred thresholds, evenly spaced in log p/(1 − p) from 0.02 to 0.9999.
  public var thresholds: [Threshold]

  /// Makes the curve, or `nil` where there are not both good examples and others.
  init?(_ answers: [Recognition], labels: [String], rejected: String) {
    let scored = zip(answers, labels).map { answer, label in
      (
        score: answer.ranked.first { $0.label != rejected }?.probability ?? 0,
        isGood: label != rejected
      )
    }.sorted { $0.score < $1.score }
    let goodCount = scored.count { $0.isGood }
    let junkCount = scored.count - goodCount
    guard goodCount > 0, junkCount > 0 else { return nil }

    // Pairs of a good example and another in which the good one scores higher, ties counting half.
    var pairs = 0.0
    var junkBelow = 0
    var index = 0
    while index < scored.count {
      let end = scored[index...].firstIndex { $0.score > scored[index].score } ?? scored.count
      let good = scored[index..<end].count { $0.isGood }
      let junk = end - index - good
      pairs += Double(good) * (Double(junkBelow) + Double(junk) / 2)
      junkBelow += junk
      index = end
    }
    rejectedLabel = rejected
    area = pairs / (Double(goodCount) * Double(junkCount))
    thresholds = (0..<100).map { step in
      let (lowest, highest) = (log(0.02 / 0.98), log(0.9999 / 0.0001))
      let score = 1 / (1 + exp(-(lowest + (highest - lowest) * Double(step) / 99)))
      return Threshold(
        score: score,
        goodRefused: Double(scored.count { $0.isGood && $0.score < score }) / Double(goodCount),
        junkAccepted: Double(scored.count { !$0.isGood && $0.score >= score }) / Double(junkCount))
    }
  }
}
