import Foundation
import InkRecognizer

/// The false rejections and false acceptances for thresholds on the score of an answer.
///
/// The score is the highest probability of a label other than the rejected one.
public struct RejectionCurve: Hashable, Sendable, Codable {
  /// A threshold and its error rates.
  public struct Threshold: Hashable, Sendable, Codable {
    /// The lowest score that is accepted.
    public var score: Double
    /// The share of valid examples that are rejected.
    public var falseRejectionRate: Double
    /// The share of other examples that are accepted.
    public var falseAcceptanceRate: Double

    private enum CodingKeys: String, CodingKey {
      case score
      case falseRejectionRate = "goodRefused"
      case falseAcceptanceRate = "junkAccepted"
    }
  }

  /// The label of the examples to reject.
  public var rejectedLabel: String
  /// The probability that a valid example has a higher score than another one: the area under the
  /// receiver operating characteristic (Hanley & McNeil, 1982).
  public var area: Double
  /// A hundred thresholds, evenly spaced in log p/(1 − p) from 0.02 to 0.9999.
  public var thresholds: [Threshold]

  /// Creates the curve, or `nil` if either valid or other examples are missing.
  init?(_ answers: [Recognition], labels: [String], rejected: String) {
    let scored = zip(answers, labels).map { answer, label in
      (
        score: answer.ranked.first { $0.label != rejected }?.probability ?? 0,
        isValid: label != rejected
      )
    }.sorted { $0.score < $1.score }
    let validCount = scored.count { $0.isValid }
    let otherCount = scored.count - validCount
    guard validCount > 0, otherCount > 0 else { return nil }

    // The pairs in which a valid example has a higher score than another one; a tie counts half.
    var pairs = 0.0
    var othersBelow = 0
    var index = 0
    while index < scored.count {
      let end = scored[index...].firstIndex { $0.score > scored[index].score } ?? scored.count
      let valid = scored[index..<end].count { $0.isValid }
      let others = end - index - valid
      pairs += Double(valid) * (Double(othersBelow) + Double(others) / 2)
      othersBelow += others
      index = end
    }
    rejectedLabel = rejected
    area = pairs / (Double(validCount) * Double(otherCount))
    thresholds = (0..<100).map { step in
      let (lowest, highest) = (log(0.02 / 0.98), log(0.9999 / 0.0001))
      let score = 1 / (1 + exp(-(lowest + (highest - lowest) * Double(step) / 99)))
      return Threshold(
        score: score,
        falseRejectionRate:
          Double(scored.count { $0.isValid && $0.score < score }) / Double(validCount),
        falseAcceptanceRate:
          Double(scored.count { !$0.isValid && $0.score >= score }) / Double(otherCount))
    }
  }
}
