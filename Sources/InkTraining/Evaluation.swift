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
  /// The mean distance between how sure and how right the answers are, over 15 bins (Guo et al.,
  /// 2017).
  public var calibrationError: Double
  /// How many answers would be refused.
  public var refused: Share
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
  /// - Throws: `DatasetError` where the labels are not the model's, or an example cannot be drawn.
  public init(
    of recognizer: Recognizer, on dataset: Dataset, disturbance: Disturbance? = nil, workers: Int
  ) throws {
    let model = recognizer.model
    if let stranger = dataset.labels.first(where: { !model.labels.contains($0) }) {
      throw DatasetError(
        path: dataset.examples.first { $0.label == stranger }?.origin ?? "data set",
        expected: "labels of the model, \(model.labels.joined(separator: ", "))",
        found: "`\(stranger)`")
    }
    let dataset = Dataset(dataset.examples, labels: model.labels)
    let answers = ParallelAnswers(count: dataset.examples.count)
    ParallelLoop(workers: workers).run(dataset.examples.count) { index, _ in
      let example = dataset.examples[index]
      let answer = Result { () throws(RasterError) -> Recognition in
        // A drawing's own size decides whether it is a tap.
        if case .drawing(let drawing) = example.content, disturbance == nil {
          return try recognizer.recognize(drawing)
        }
        let bitmap = model.rasterizer.fit(try example.bitmap(model.rasterizer))
        return recognizer.recognize(disturbance?.apply(to: bitmap, index: index) ?? bitmap)
      }.mapError {
        DatasetError(
          path: example.origin, expected: "a drawing that can be rasterised", found: "\($0)")
      }
      answers.store(answer, at: index)
    }
    self.init(
      try answers.all(), dataset: dataset, classes: try dataset.classes(),
      rejectedLabel: model.decision.rejectedLabel)
  }

  /// Counts `answers` to the examples of `dataset`.
  init(
    _ answers: [Recognition], dataset: Dataset, classes targets: [Int], rejectedLabel: String?
  ) {
    let labels = dataset.labels
    let count = labels.count
    var confusion = [[Int]](repeating: [Int](repeating: 0, count: count), count: count)
    let positions = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    var refusals = [Int](repeating: 0, count: count)
    var likelihood = 0.0
    var errors: [Mistake] = []
    var judged: [(probability: Double, isRight: Bool)] = []
    for (index, answer) in answers.enumerated() {
      let example = dataset.examples[index]
      let isTap = answer.rejection == .tooSmall
      let label = isTap ? rejectedLabel ?? answer.top.label : answer.top.label
      confusion[targets[index]][positions[label]!] += 1
      if answer.rejection != nil { refusals[targets[index]] += 1 }
      let probability = answer.ranked.first { $0.label == example.label }?.probability ?? 0
      // What a tap looks like when it is framed means nothing, so it is not judged.
      if !isTap {
        likelihood -= log(max(probability, 1e-30))
        judged.append((answer.top.probability, label == example.label))
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
    calibrationError = Self.calibrationError(judged)
    refused = Share(refusals.reduce(0, +), of: total)
    classes = labels.indices.map { index in
      let right = confusion[index][index]
      let support = confusion[index].reduce(0, +)
      let answered = confusion.reduce(0) { $0 + $1[index] }
      return ClassReport(
        label: labels[index], support: support, precision: Share(right, of: answered),
        recall: Share(right, of: support),
        f1: support + answered > 0 ? 2 * Double(right) / Double(support + answered) : 0,
        refused: Share(refusals[index], of: support))
    }
    self.labels = labels
    self.confusion = confusion
    self.errors = errors
  }

  private static func calibrationError(_ answers: [(probability: Double, isRight: Bool)]) -> Double
  {
    guard !answers.isEmpty else { return 0 }
    var bins = [(count: Int, probability: Double, right: Double)](
      repeating: (0, 0, 0), count: 15)
    for answer in answers {
      let bin = min(14, Int(answer.probability * 15))
      bins[bin].count += 1
      bins[bin].probability += answer.probability
      bins[bin].right += answer.isRight ? 1 : 0
    }
    return bins.reduce(0) { $0 + abs($1.probability - $1.right) } / Double(answers.count)
  }
}

/// A change of every picture before it is shown to a model: turned by a random angle and shrunk.
public struct Disturbance: Hashable, Sendable, Codable {
  /// The size that pictures are shrunk to, as a share of their own.
  public var shrink: Double
  /// The start of the random angles.
  public var seed: UInt64

  /// Turns by any angle and shrinks to `shrink`.
  public init(shrink: Double, seed: UInt64) {
    self.shrink = shrink
    self.seed = seed
  }

  func apply(to bitmap: Bitmap, index: Int) -> Bitmap {
    var generator = SeededGenerator(seed: seed, stream: 0xd157, UInt64(index))
    var augmentation = Augmentation.none
    augmentation.rotation = .pi
    augmentation.exactSize = shrink
    return augmentation.vary(bitmap, using: &generator)
  }
}

/// Answers that come in any order.
private final class ParallelAnswers: @unchecked Sendable {
  private let memory: UnsafeMutableBufferPointer<Result<Recognition, DatasetError>?>

  init(count: Int) {
    memory = .allocate(capacity: count)
    memory.initialize(repeating: nil)
  }

  deinit {
    memory.deinitialize()
    memory.deallocate()
  }

  /// Every index is stored once, by one worker.
  func store(_ answer: Result<Recognition, DatasetError>, at index: Int) {
    memory[index] = answer
  }

  func all() throws(DatasetError) -> [Recognition] {
    try memory.map { answer throws(DatasetError) in try answer!.get() }
  }
}
