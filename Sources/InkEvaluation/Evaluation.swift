import Foundation
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer

/// A share of right answers with the interval in which the true share lies with 95 % certainty.
public struct Share: Hashable, Sendable, Codable {
  /// How many.
  public var count: Int
  /// Of how many.
  public var total: Int
  /// The share itself; 0 of nothing.
  public var value: Double
  /// The lower end of Wilson's interval.
  public var low: Double
  /// The upper end of Wilson's interval.
  public var high: Double

  /// Makes the share of `count` in `total`, with Wilson's score interval (1927).
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
}

/// How well a model answers a set of examples.
public struct Evaluation: Hashable, Sendable, Codable {
  /// The labels, in the order of rows and columns below.
  public var labels: [String]
  /// The mean of the recalls of those classes that have examples, each counting alike.
  public var meanRecall: Double
  /// The class with the lowest recall, the first of equal ones, where there are examples.
  public var worstClass: ClassReport?
  /// How often the answer is the right one.
  ///
  /// The answer is the most likely label, whether it would be accepted or not; only a tap is
  /// answered with the label of what is refused.
  public var accuracy: Share
  /// What is said of each class.
  public var classes: [ClassReport]
  /// How often each class (row) was answered with each label (column).
  public var confusion: [[Int]]
  /// The mean of −log p of the right label.
  public var negativeLogLikelihood: Double
  /// How sure and how right the answers are, as the model gives them.
  public var reliability: Reliability
  /// The same as it would be with a temperature of 1, before calibration.
  public var uncalibratedReliability: Reliability
  /// How many answers would be refused.
  public var refused: Share
  /// How often each class (row) ended as each label (column) that was not refused; the last column
  /// counts what was.
  public var decisions: [[Int]]
  /// How well what is to be refused is told from the rest, where the model has a label for it and
  /// there are examples of both.
  public var rejection: RejectionCurve?
  /// The answers that are wrong, most certain first.
  public var errors: [Mistake]

  /// One class in numbers.
  public struct ClassReport: Hashable, Sendable, Codable {
    /// The class.
    public var label: String
    /// How many examples there are.
    public var support: Int
    /// Of the answers with this label, how many are right.
    public var precision: Share
    /// Of the examples of this class, how many are answered so.
    public var recall: Share
    /// The harmonic mean of precision and recall.
    public var f1: Double
    /// Of the examples of this class, how many are refused.
    public var refused: Share
  }

  /// One wrong answer.
  public struct Mistake: Hashable, Sendable, Codable {
    /// The position in the data set.
    public var index: Int
    /// Where the example stands.
    public var origin: String
    /// What it shows.
    public var label: String
    /// What the model said.
    public var answer: String
    /// How sure it was.
    public var probability: Double
    /// Why it would have been refused, if it would.
    public var rejection: String?
  }

  /// Asks `recognizer` about every example of `dataset`, on `workers` cores.
  ///
  /// `disturbance` changes every picture first, as a test of what the model has not seen.
  ///
  /// - Throws: `FileError` where the labels are not the model's, or an example cannot be drawn.
  public init(
    of recognizer: Recognizer, on dataset: Dataset, disturbance: Disturbance? = nil, workers: Int
  ) throws {
    let model = recognizer.model
    let answers = try recognizer.answers(to: dataset, disturbance: disturbance, workers: workers)
    let dataset = Dataset(dataset.examples, labels: model.labels)
    self.init(
      answers, dataset: dataset, classes: try dataset.classes(),
      decision: model.decision)
  }

  /// Counts `answers` to the examples of `dataset`.
  init(
    _ answers: [Recognition], dataset: Dataset, classes targets: [Int], decision: Model.Decision
  ) {
    let rejectedLabel = decision.rejectedLabel
    let labels = dataset.labels
    let count = labels.count
    var confusion = [[Int]](repeating: [Int](repeating: 0, count: count), count: count)
    let positions = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    var refusals = [Int](repeating: 0, count: count)
    var likelihood = 0.0
    var errors: [Mistake] = []
    var decisions = [[Int]](repeating: [Int](repeating: 0, count: count + 1), count: count)
    var judged: [Recognition] = []
    var judgedLabels: [String] = []
    for (index, answer) in answers.enumerated() {
      let example = dataset.examples[index]
      let isTap = answer.rejection == .tooSmall
      let label = isTap ? rejectedLabel ?? answer.top.label : answer.top.label
      confusion[targets[index]][positions[label]!] += 1
      if answer.rejection != nil { refusals[targets[index]] += 1 }
      decisions[targets[index]][answer.rejection == nil ? positions[label]! : count] += 1
      let probability = answer.ranked.first { $0.label == example.label }?.probability ?? 0
      // What a tap looks like when it is framed means nothing, so it is not judged.
      if !isTap {
        likelihood -= log(max(probability, 1e-30))
        judged.append(answer)
        judgedLabels.append(example.label)
      }
      if label != example.label {
        errors.append(
          Mistake(
            index: index, origin: example.origin, label: example.label, answer: label,
            probability: answer.top.probability, rejection: answer.rejection?.rawValue))
      }
    }
    errors.sort { ($0.probability, $1.index) > ($1.probability, $0.index) }
    let total = answers.count
    accuracy = Share((0..<count).reduce(0) { $0 + confusion[$1][$1] }, of: total)
    negativeLogLikelihood = likelihood / Double(max(1, judged.count))
    reliability = Reliability(judged, labels: judgedLabels)
    uncalibratedReliability = Reliability(
      judged.map { $0.reheated(by: decision.temperature) }, labels: judgedLabels)
    rejection = rejectedLabel.flatMap { RejectionCurve(judged, labels: judgedLabels, rejected: $0) }
    refused = Share(refusals.reduce(0, +), of: total)
    let classes = labels.indices.map { index in
      let right = confusion[index][index]
      let support = confusion[index].reduce(0, +)
      let answered = confusion.reduce(0) { $0 + $1[index] }
      return ClassReport(
        label: labels[index], support: support, precision: Share(right, of: answered),
        recall: Share(right, of: support),
        f1: support + answered > 0 ? 2 * Double(right) / Double(support + answered) : 0,
        refused: Share(refusals[index], of: support))
    }
    let present = classes.filter { $0.support > 0 }
    meanRecall = present.reduce(0) { $0 + $1.recall.value } / Double(max(1, present.count))
    worstClass = present.min { $0.recall.value < $1.recall.value }
    self.classes = classes
    self.labels = labels
    self.confusion = confusion
    self.decisions = decisions
    self.errors = errors
  }
}
