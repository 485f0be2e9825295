import Foundation
import InkDatasets
import InkReader
import InkRecognizer
import SafeFiles

/// A fit of a reader's temperature and of its limits for accepted texts, on lines that are not in its
/// training data.
public struct ReadingCalibration: Sendable {
  /// The decision with the fitted temperature and limits.
  public let decision: Model.Decision
  /// The fitted limits.
  public let limits: Model.Decision.ReadingLimits
  /// The share of rejected lines with this decision.
  public let rejected: Share
  /// The share of rejected drawings that are no writing.
  public let noWritingRejected: Share
  /// How the limits were fitted; ``Calibration/Fit/kept(needed:)`` if there are too few lines.
  public let fit: Calibration.Fit
  /// How often the best text is right, by its probability, before and after.
  public let reliability: (before: Reliability, after: Reliability)

  /// The temperature is fitted on from this many to less than twice as many lines, if there are so many.
  private static let selectedLines = 3000

  /// Fits the temperature, and then the limits.
  ///
  /// The temperature is the one with which the probability of the best text says best whether it is
  /// right, by maximum likelihood; of many lines, an even selection is enough for it. The limits reject at most the
  /// share `falseRejections` of the lines. They share these rejections so that most drawings that are no writing are
  /// rejected, and then most lines that are read wrongly. If the share is less than one line, the limits are estimated
  /// from the tail of the lowest values, and with very few lines the model keeps its own decision.
  ///
  /// - Throws: `FileError` if there are no lines, or one cannot be rendered; `ModelError` if the model
  ///   does not read lines of writing.
  public init(
    of model: Model, on dataset: Dataset, falseRejections: Double, workers: Int
  ) throws {
    let reader = try Reader(model: model)
    guard dataset.examples.contains(where: { !$0.isNoWriting }) else {
      throw FileError(
        path: dataset.examples.first?.origin ?? "calibration",
        expected: "lines of writing to calibrate with", found: "none")
    }
    let decoder = reader.decoderWithoutLimits()
    func answers(_ temperature: Double, to dataset: Dataset) throws(FileError) -> [Answer] {
      zip(
        dataset.examples,
        try reader.readings(of: dataset, with: decoder, temperature: temperature, workers: workers)
      ).map { Answer($1, to: $0) }
    }
    let selection = Self.lines(of: dataset, atLeast: Self.selectedLines)
    func lines(_ answers: [Answer]) -> [(probability: Double, isRight: Bool)] {
      answers.filter(\.isWriting).map { ($0.reading.probability, $0.isRight) }
    }
    func loss(_ temperature: Double) throws -> Double {
      lines(try answers(temperature, to: selection)).reduce(0) {
        $0 - log(max(1e-6, $1.isRight ? $1.probability : 1 - $1.probability))
      }
    }
    // The best texts change with the temperature, so the loss is not smooth: a grid is searched.
    func best(around middle: Double, step: Double, count: Int) throws -> Double {
      try (-count...count).map { middle * exp(step * Double($0)) }.map { ($0, try loss($0)) }
        .min { $0.1 < $1.1 }!.0
    }
    let isTooSmall = dataset.examples.count { !$0.isNoWriting } < Calibration.minimumCount
    let temperature =
      isTooSmall
      ? model.decision.temperature
      : try best(around: best(around: 1, step: 0.16, count: 6), step: 0.04, count: 3)
    let calibrated = try answers(temperature, to: dataset)
    reliability = (
      Reliability(lines(try answers(model.decision.temperature, to: dataset))),
      Reliability(lines(calibrated))
    )
    let writing = calibrated.filter(\.isWriting)
    let own = model.decision.reading ?? .standard
    var limits = Self.limits(calibrated, falseRejections: falseRejections)
    if isTooSmall {
      fit = .kept(needed: Calibration.minimumCount)
      limits = own
    } else if falseRejections > 0, falseRejections * Double(writing.count) < 1 {
      fit = .extrapolated(needed: Int((1 / falseRejections).rounded(.up)))
      // Both limits together reject the share. The one of `noWriting` is at least its largest value: 1 − (1 − value)
      // can be smaller than the value.
      let shares = writing.map(\.reading.noWriting).sorted(by: >)
      limits = Model.Decision.ReadingLimits(
        minimumEvidence: max(
          -1000,
          Calibration.lowerQuantile(
            falseRejections / 2, ofLogarithms: writing.map(\.reading.evidence).sorted())),
        minimumProbability: 0,
        maximumNoWriting: max(
          shares[0],
          1 - Calibration.lowerQuantile(falseRejections / 2, of: shares.map { 1 - $0 })))
    } else {
      fit = .counted
    }
    if reader.alphabet.noWritingClass == nil {
      limits.maximumNoWriting = Model.Decision.ReadingLimits.standard.maximumNoWriting
    }
    var decision = model.decision
    decision.temperature = temperature
    decision.reading = limits
    self.decision = decision
    self.limits = limits
    func share(_ answers: [Answer]) -> Share {
      Share(answers.count { limits.reject($0.reading) }, of: answers.count)
    }
    rejected = share(calibrated.filter(\.isWriting))
    noWritingRejected = share(calibrated.filter { !$0.isWriting })
  }

  /// What was read of a line or of a drawing that is no writing.
  struct Answer {
    var reading: Reading
    var isWriting: Bool
    var isRight: Bool

    init(_ reading: Reading, isWriting: Bool, isRight: Bool) {
      self.reading = reading
      self.isWriting = isWriting
      self.isRight = isRight
    }

    init(_ reading: Reading, to example: Example) {
      self.reading = reading
      isWriting = !example.isNoWriting
      isRight = reading.text == example.label
    }
  }

  /// Returns the lines of `dataset` that are writing, or an even selection of at least so many.
  static func lines(of dataset: Dataset, atLeast count: Int) -> Dataset {
    let lines = dataset.examples.indices.filter { !dataset.examples[$0].isNoWriting }
    return dataset.subset(
      stride(from: 0, to: lines.count, by: max(1, lines.count / count)).map { lines[$0] })
  }

  /// Returns the limits that reject most of what is unwanted, and at most this share of the lines.
  static func limits(
    _ answers: [Answer], falseRejections: Double
  ) -> Model.Decision.ReadingLimits {
    let lines = answers.filter(\.isWriting)
    let others = answers.filter { !$0.isWriting }
    let wrong = lines.filter { !$0.isRight }
    let mayReject = Int((falseRejections * Double(lines.count)).rounded(.down))
    let shares = lines.map(\.reading.noWriting).sorted(by: >)
    let evidences = lines.map(\.reading.evidence).sorted()
    let probabilities = lines.map(\.reading.probability).sorted()
    // Each limit alone rejects so many of the lines; together they reject at most the sum.
    func limits(_ counts: (Int, Int, Int)) -> Model.Decision.ReadingLimits {
      Model.Decision.ReadingLimits(
        minimumEvidence: min(0, max(-1000, threshold(evidences, counts.0))),
        minimumProbability: counts.1 == 0 ? 0 : threshold(probabilities, counts.1),
        maximumNoWriting: max(0, threshold(shares, counts.2)))
    }
    var best = limits((0, 0, 0))
    func rejected(_ limits: Model.Decision.ReadingLimits) -> (Int, Int) {
      (others.count { limits.reject($0.reading) }, wrong.count { limits.reject($0.reading) })
    }
    var maximumRejected = rejected(best)
    let step = max(1, mayReject / 12)
    for first in stride(from: 0, through: mayReject, by: step) {
      for second in stride(from: 0, through: mayReject, by: step) {
        for third in stride(from: 0, through: mayReject, by: step) {
          let tried = limits((first, second, third))
          guard lines.count(where: { tried.reject($0.reading) }) <= mayReject else { break }
          let count = rejected(tried)
          if count > maximumRejected { (best, maximumRejected) = (tried, count) }
        }
      }
    }
    return best
  }

  /// Returns what divides the first `count` of sorted values from the rest.
  private static func threshold(_ values: [Double], _ count: Int) -> Double {
    guard count > 0 else { return values[0] }
    return count < values.count ? (values[count - 1] + values[count]) / 2 : values[count - 1]
  }
}

extension Model.Decision.ReadingLimits {
  /// Whether a reading without limits is rejected by these.
  func reject(_ reading: Reading) -> Bool {
    reading.rejection != nil || reading.noWriting > maximumNoWriting
      || reading.evidence < minimumEvidence || reading.probability < minimumProbability
  }
}
