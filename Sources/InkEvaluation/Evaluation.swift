import Foundation
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer

/// A share with its 95 % confidence interval.
public struct Share: Hashable, Sendable, Codable {
  /// The numerator of the share.
  public var count: Int
  /// The denominator of the share.
  public var total: Int
  /// The share as a number; 0 if the total is 0.
  public var value: Double
  /// The lower end of the interval.
  public var low: Double
  /// The upper end of the interval.
  public var high: Double
  /// The number of writers that were resampled for the interval, or `nil` for Wilson's interval.
  ///
  /// Wilson's interval takes all examples as independent.
  public var writers: Int?

  /// Creates the share of `count` in `total`, with Wilson's score interval (1927).
  public init(_ count: Int, of total: Int) {
    self.count = count
    self.total = total
    guard total > 0 else {
      (value, low, high) = (0, 0, 1)
      return
    }
    let n = Double(total)
    let p = Double(count) / n
    let z = 1.959963984540054
    let center = (p + z * z / (2 * n)) / (1 + z * z / n)
    let half = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot() / (1 + z * z / n)
    value = p
    low = max(0, center - half)
    high = min(1, center + half)
  }

  /// The upper bound of Clopper and Pearson (1934), which the share of all examples exceeds with a probability of
  /// at most 5 %, or `nil` if nothing is known.
  public var upperBound: Double? {
    guard total > count else { return nil }
    return BetaDistribution(a: Double(count + 1), b: Double(total - count)).quantile(0.95)
  }

  /// Extends Wilson's interval to `interval`, which comes from samples of so many writers.
  ///
  /// It stays at least Wilson's: samples without a mistake would give no interval.
  mutating func widen(to interval: (low: Double, high: Double), writers: Int) {
    low = min(low, interval.low)
    high = max(high, interval.high)
    self.writers = writers
  }
}

/// The results of a model on a set of examples.
public struct Evaluation: Hashable, Sendable, Codable {
  /// The labels, in the order of rows and columns below.
  public var labels: [String]
  /// The mean of the recalls of all classes that have examples; the classes count equally.
  public var meanRecall: Double
  /// The mean of the F1 of all classes that have examples or answers; the classes count equally.
  ///
  /// It is also called macro F1.
  public var meanF1: Double
  /// The class with the lowest recall, or `nil` without examples; the first one of equal classes.
  public var worstClass: ClassReport?
  /// The share of examples whose answer is correct.
  ///
  /// The answer is the most likely label, even if the decision rejects it. The answer to a tap is the
  /// rejected label.
  public var accuracy: Share
  /// The results for each class.
  public var classes: [ClassReport]
  /// The number of examples of each class (row) whose answer is each label (column).
  public var confusion: [[Int]]
  /// The mean of −log p of the correct label.
  public var negativeLogLikelihood: Double
  /// The calibration of the model's probabilities.
  public var reliability: Reliability
  /// The calibration of the probabilities at temperature 1, which is before calibration.
  public var uncalibratedReliability: Reliability
  /// The share of examples that the decision rejects.
  public var rejected: Share
  /// The share of valid examples that are rejected.
  public var falseRejectionRate: Share
  /// The share of the other examples, those of the rejected label, that are accepted.
  public var falseAcceptanceRate: Share
  /// The number of known writers of the examples.
  public var writerCount: Int
  /// The number of examples of each class (row) that are accepted as each label (column); the last
  /// column counts rejected examples.
  public var decisions: [[Int]]
  /// The trade-off between false rejections and false acceptances; `nil` if the model has no rejected
  /// label, or if either valid or other examples are missing.
  public var rejection: RejectionCurve?
  /// The wrong answers, the most probable first.
  public var errors: [Mistake]

  private enum CodingKeys: String, CodingKey {
    case labels, meanRecall, meanF1, worstClass, accuracy, classes, confusion, negativeLogLikelihood
    case reliability, uncalibratedReliability, decisions, rejection, errors, writerCount
    case rejected = "refused"
    case falseRejectionRate = "goodRefused"
    case falseAcceptanceRate = "junkAccepted"
  }

  /// The results for one class.
  public struct ClassReport: Hashable, Sendable, Codable {
    /// The label of the class.
    public var label: String
    /// The number of examples of the class.
    public var support: Int
    /// The share of answers with this label that are correct.
    public var precision: Share
    /// The share of examples of this class whose answer is this label.
    public var recall: Share
    /// The harmonic mean of precision and recall.
    public var f1: Double
    /// The share of examples of this class that are rejected.
    public var rejected: Share

    private enum CodingKeys: String, CodingKey {
      case label, support, precision, recall, f1
      case rejected = "refused"
    }
  }

  /// One wrong answer.
  public struct Mistake: Hashable, Sendable, Codable {
    /// The index of the example in the data set.
    public var index: Int
    /// The file and place of the example.
    public var origin: String
    /// The correct label.
    public var label: String
    /// The label that the model gave.
    public var answer: String
    /// The probability of the most likely label.
    public var probability: Double
    /// The probability of the correct label, or `nil` in reports that do not have it.
    public var labelProbability: Double?
    /// The reason for which the answer is rejected, or `nil` if it is accepted.
    public var rejection: String?
  }

  /// Evaluates `recognizer` on `dataset`, on `workers` cores; `perturbation` changes each example first.
  ///
  /// - Throws: `FileError` if a label is not one of the model's, or if an example cannot be rasterised.
  public init(
    of recognizer: Recognizer, on dataset: Dataset, perturbation: Perturbation? = nil, workers: Int
  ) throws {
    let model = recognizer.model
    let answers = try recognizer.answers(to: dataset, perturbation: perturbation, workers: workers)
    let dataset = Dataset(dataset.examples, labels: model.labels)
    self.init(
      answers, dataset: dataset, classes: try dataset.classes(),
      decision: model.decision)
  }

  /// Evaluates `answers` to the examples of `dataset`.
  init(
    _ answers: [Recognition], dataset: Dataset, classes targets: [Int], decision: Model.Decision
  ) {
    let rejectedLabel = decision.rejectedLabel
    let labels = dataset.labels
    let count = labels.count
    var confusion = [[Int]](repeating: [Int](repeating: 0, count: count), count: count)
    let positions = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    let writers = dataset.examples.map(\.hand)
    let sampling = WriterSampling(writers)
    writerCount = Set(writers.compactMap { $0 }).count
    var (rightAnswers, rejections) = (ShareTally(), ShareTally())
    var (falseRejections, falseAcceptances) = (ShareTally(), ShareTally())
    let none = [ShareTally](repeating: ShareTally(), count: count)
    var (precisions, recalls, classRejections) = (none, none, none)
    var likelihood = 0.0
    var errors: [Mistake] = []
    var decisions = [[Int]](repeating: [Int](repeating: 0, count: count + 1), count: count)
    var drawn: [Recognition] = []
    var drawnLabels: [String] = []
    for (index, answer) in answers.enumerated() {
      let example = dataset.examples[index]
      let isTap = answer.rejection == .tooSmall
      let label = isTap ? rejectedLabel ?? answer.top.label : answer.top.label
      let (target, answered) = (targets[index], positions[label]!)
      confusion[target][answered] += 1
      let isRejected = answer.rejection != nil
      rightAnswers.add(target == answered, index, sampling)
      precisions[answered].add(target == answered, index, sampling)
      recalls[target].add(target == answered, index, sampling)
      rejections.add(isRejected, index, sampling)
      classRejections[target].add(isRejected, index, sampling)
      if example.label == rejectedLabel {
        falseAcceptances.add(!isRejected, index, sampling)
      } else {
        falseRejections.add(isRejected, index, sampling)
      }
      decisions[targets[index]][answer.rejection == nil ? positions[label]! : count] += 1
      let probability = answer.ranked.first { $0.label == example.label }?.probability ?? 0
      // The probabilities of a tap mean nothing, because its picture shows no shape.
      if !isTap {
        likelihood -= log(max(probability, 1e-30))
        drawn.append(answer)
        drawnLabels.append(example.label)
      }
      if label != example.label {
        errors.append(
          Mistake(
            index: index, origin: example.origin, label: example.label, answer: label,
            probability: answer.top.probability, labelProbability: probability,
            rejection: answer.rejection?.rawValue))
      }
    }
    errors.sort { ($0.probability, $1.index) > ($1.probability, $0.index) }
    accuracy = rightAnswers.share(sampling)
    negativeLogLikelihood = likelihood / Double(max(1, drawn.count))
    reliability = Reliability(drawn, labels: drawnLabels)
    uncalibratedReliability = Reliability(
      drawn.map { $0.scalingLogits(by: decision.temperature) }, labels: drawnLabels)
    rejection = rejectedLabel.flatMap { RejectionCurve(drawn, labels: drawnLabels, rejected: $0) }
    rejected = rejections.share(sampling)
    falseRejectionRate = falseRejections.share(sampling)
    falseAcceptanceRate = falseAcceptances.share(sampling)
    let classes = labels.indices.map { index in
      let right = confusion[index][index]
      let support = confusion[index].reduce(0, +)
      let answered = confusion.reduce(0) { $0 + $1[index] }
      return ClassReport(
        label: labels[index], support: support, precision: precisions[index].share(sampling),
        recall: recalls[index].share(sampling),
        f1: support + answered > 0 ? 2 * Double(right) / Double(support + answered) : 0,
        rejected: classRejections[index].share(sampling))
    }
    let present = classes.filter { $0.support > 0 }
    meanRecall = present.reduce(0) { $0 + $1.recall.value } / Double(max(1, present.count))
    let answered = classes.filter { $0.support > 0 || $0.precision.total > 0 }
    meanF1 = answered.reduce(0) { $0 + $1.f1 } / Double(max(1, answered.count))
    worstClass = present.min { $0.recall.value < $1.recall.value }
    self.classes = classes
    self.labels = labels
    self.confusion = confusion
    self.decisions = decisions
    self.errors = errors
  }
}
