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
  /// Thresholds from the lowest to the highest score; where there are many, evenly chosen ones.
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

    var goodBelow = 0
    var junkBelow = 0
    // Pairs of a good example and another in which the good one scores higher, ties counting half.
    var pairs = 0.0
    var all: [Threshold] = []
    var index = 0
    while index < scored.count {
      all.append(
        Threshold(
          score: scored[index].score, goodRefused: Double(goodBelow) / Double(goodCount),
          junkAccepted: Double(junkCount - junkBelow) / Double(junkCount)))
      let end = scored[index...].firstIndex { $0.score > scored[index].score } ?? scored.count
      let good = scored[index..<end].count { $0.isGood }
      let junk = end - index - good
      pairs += Double(good) * (Double(junkBelow) + Double(junk) / 2)
      goodBelow += good
      junkBelow += junk
      index = end
    }
    rejectedLabel = rejected
    area = pairs / (Double(goodCount) * Double(junkCount))
    let most = 100
    thresholds =
      all.count <= most ? all : (0..<most).map { all[$0 * (all.count - 1) / (most - 1)] }
  }
}
