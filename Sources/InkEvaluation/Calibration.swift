import Foundation
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import SafeFiles

/// A fit of the rejection thresholds of a model, on examples that are not in its training data.
public struct Calibration: Sendable {
  /// The decision with the fitted temperature and thresholds.
  public let decision: Model.Decision
  /// The share of rejected examples for each label except the rejected one, with this decision.
  public let rejected: [String: Share]
  /// The number of examples that are needed, for each label that has too few to reject even one.
  ///
  /// These labels keep the thresholds of the model.
  public let neededCounts: [String: Int]

  /// Fits the temperature by maximum likelihood (Guo et al., 2017), and then the thresholds.
  ///
  /// The thresholds of a label are the highest ones on probability and margin that reject at most the
  /// share `falseRejections` of its examples, or the share in `exceptions`.
  ///
  /// The likelihood uses smoothed targets: with `n` examples, the target of the correct label is
  /// `(n + 1) / (n + 2)` (Platt, 1999, "Probabilistic Outputs for Support Vector Machines", 2.2).
  /// Therefore the fit does not assume that a model without errors on these examples is always correct.
  ///
  /// An example that the model classifies as the rejected label counts towards the share. If these
  /// examples exceed the share, the thresholds of their label are 0. An example that the model
  /// classifies as another label does not count towards the share. ``rejected`` counts it if the
  /// thresholds of that other label reject it.
  ///
  /// - Throws: `FileError` if a label is not one of the model's, or if an example cannot be rasterised.
  public init(
    of model: Model, on dataset: Dataset, falseRejections: Double,
    exceptions: [String: Double] = [:],
    workers: Int
  ) throws {
    var decision = model.decision
    var neededCounts: [String: Int] = [:]
    (decision.temperature, decision.leastProbabilities, decision.leastMargins) = (1, [:], [:])
    let labels = dataset.examples.map(\.label)
    func answers(with decision: Model.Decision) throws -> [(answer: Recognition, label: String)] {
      var model = model
      model.decision = decision
      let answers = try Recognizer(model: model).answers(to: dataset, workers: workers)
      return zip(answers, labels).filter { $0.0.rejection != .tooSmall }.map { ($0, $1) }
    }
    let uncalibrated = try answers(with: decision)
    guard !uncalibrated.isEmpty else {
      throw FileError(
        path: dataset.examples.first?.origin ?? "calibration",
        expected: "examples to calibrate with", found: "only taps")
    }
    decision.temperature = Self.temperature(
      of: uncalibrated.map(\.answer), labels: uncalibrated.map(\.label))
    let calibrated = try answers(with: decision)

    for label in model.labels where label != decision.rejectedLabel {
      let answers = calibrated.filter { $0.label == label }.map(\.answer)
      let right = answers.filter { $0.top.label == label }
      let missing = answers.count { $0.top.label == decision.rejectedLabel }
      let share = exceptions[label] ?? falseRejections
      if share > 0, share * Double(answers.count) < 1 {
        neededCounts[label] = Int((1 / share).rounded(.up))
        decision.leastProbabilities[label] = model.decision.leastProbabilities[label]
        decision.leastMargins[label] = model.decision.leastMargins[label]
        continue
      }
      let mayReject = Int((share * Double(answers.count)).rounded(.down)) - missing
      if mayReject > 0, right.count > mayReject {
        // Use the same rank for both, because both are usually low for the same examples.
        let probabilities = right.map(\.top.probability).sorted()
        let margins = right.map(\.margin).sorted()
        var rank = mayReject
        while rank > 0 {
          // The thresholds are halfway between the last rejected and the first accepted value.
          decision.leastProbabilities[label] = (probabilities[rank - 1] + probabilities[rank]) / 2
          decision.leastMargins[label] = (margins[rank - 1] + margins[rank]) / 2
          let count = right.count { decision.rejection(of: $0) != nil }
          if count <= mayReject { break }
          rank -= 1
        }
        if rank == 0 {
          decision.leastProbabilities[label] = nil
          decision.leastMargins[label] = nil
        }
      }
    }
    // This needs all thresholds: an example may be classified as any label.
    self.rejected = Dictionary(
      uniqueKeysWithValues: model.labels.filter { $0 != decision.rejectedLabel }.map { label in
        let answers = calibrated.filter { $0.label == label }.map(\.answer)
        return (
          label,
          Share(answers.count { decision.rejection(of: $0) != nil }, of: answers.count)
        )
      })
    self.decision = decision
    self.neededCounts = neededCounts
  }

  /// Returns the temperature with the highest likelihood, by golden-section search over its logarithm.
  private static func temperature(of answers: [Recognition], labels: [String]) -> Double {
    guard let count = answers.first?.ranked.count, count > 1 else { return 1 }
    let target = Double(answers.count + 1) / Double(answers.count + 2)
    let remainder = (1 - target) / Double(count - 1)
    func loss(_ logarithm: Double) -> Double {
      zip(answers, labels).reduce(0) { sum, pair in
        pair.0.scalingLogits(by: exp(-logarithm)).ranked.reduce(sum) { sum, answer in
          sum - (answer.label == pair.1 ? target : remainder) * log(max(answer.probability, 1e-30))
        }
      }
    }
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (log(0.1), log(10.0))
    while high - low > 1e-3 {
      let first = high - ratio * (high - low)
      let second = low + ratio * (high - low)
      if loss(first) < loss(second) { high = second } else { low = first }
    }
    return exp((low + high) / 2)
  }
}
