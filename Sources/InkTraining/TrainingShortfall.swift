/// A training whose answers are worse than those of a model that ignores its input.
///
/// Such a model always answers the most frequent class, or reads nothing on every line.
public struct TrainingShortfall: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The most frequent class of the training part, or `nil` for a reader.
  public var mostFrequentLabel: String?
  /// The accuracy on the training part, or the character error rate of a reader.
  public var reached: Double
  /// The accuracy of always answering the most frequent class, or the character error rate of reading nothing.
  public var baseline: Double

  /// Compares the epoch that is kept with the baseline; `nil` if the training is better.
  ///
  /// `counts` has the number of training examples of each class.
  init?(_ record: EpochRecord, counts: [(label: String, count: Int)]) {
    if let reading = record.trainingReading {
      guard reading.characterErrorRate >= 1 else { return nil }
      (mostFrequentLabel, reached, baseline) = (nil, reading.characterErrorRate, 1)
      return
    }
    let total = counts.reduce(0) { $0 + $1.count }
    guard let most = counts.max(by: { $0.count < $1.count }), total > 0 else { return nil }
    let share = Double(most.count) / Double(total)
    guard record.trainingAccuracy < share else { return nil }
    (mostFrequentLabel, reached, baseline) = (most.label, record.trainingAccuracy, share)
  }

  /// The shortfall and what to do about it, in one line.
  public var description: String {
    let advice = "train for more epochs or at a lower learning rate, and check the labels"
    guard let mostFrequentLabel else {
      return
        "the model reads the training lines no better than reading nothing (character error rate "
        + "\(reached.percent)): \(advice)"
    }
    return "the training accuracy of \(reached.percent) is below the \(baseline.percent) of always "
      + "answering `\(mostFrequentLabel)`, the most frequent class: \(advice)"
  }
}
