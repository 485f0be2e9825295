import Foundation
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import SafeFiles

/// Fits how sure a model has to be, on examples that it did not learn from.
public struct Calibration: Sendable {
  /// The decision with the fitted temperature and thresholds.
  public let decision: Model.Decision
  /// For each label but the rejected one, the share of its examples that is refused with them.
  public let refused: [String: Share]
  /// The labels with too few examples to refuse even one, each with the number that is needed.
  ///
  /// Their thresholds are the model's.
  public let scarce: [String: Int]

  /// Fits the temperature by likelihood (Guo et al., 2017), then for each label the highest
  /// thresholds on probability and margin that refuse at most `falseRejections` of its examples, or the
  /// share that `exceptions` has for it.
  ///
  /// The likelihood is that of smoothed targets: of `n` examples, the right label's target is
  /// `(n + 1) / (n + 2)` (Platt, 1999, "Probabilistic Outputs for Support Vector Machines", 2.2).
  /// So a model that answers all of them right is not taken to be always right.
  ///
  /// What the model itself takes for the rejected label counts towards that share; where it is more
  /// already, the thresholds of that label are 0. What it takes for another label does not count
  /// here, but is counted in ``refused`` where that label's thresholds refuse it.
  ///
  /// - Throws: `FileError` where the labels are not the model's, or an example cannot be drawn.
  public init(
    of model: Model, on dataset: Dataset, falseRejections: Double,
    exceptions: [String: Double] = [:],
    workers: Int
  ) throws {
    var decision = model.decision
    var scarce: [String: Int] = [:]
    (decision.temperature, decision.leastProbabilities, decision.leastMargins) = (1, [:], [:])
    let labels = dataset.examples.map(\.label)
    func judged(_ decision: Model.Decision) throws -> [(answer: Recognition, label: String)] {
      var model = model
      model.decision = decision
      let answers = try Recognizer(model: model).answers(to: dataset, workers: workers)
      return zip(answers, labels).filter { $0.0.rejection != .tooSmall }.map { ($0, $1) }
    }
    let uncalibrated = try judged(decision)
    guard !uncalibrated.isEmpty else {
      throw FileError(
        path: dataset.examples.first?.origin ?? "calibration",
        expected: "drawings that are no taps to calibrate with", found: "taps only")
    }
    decision.temperature = Self.temperature(
      of: uncalibrated.map(\.answer), labels: uncalibrated.map(\.label))
    let calibrated = try judged(decision)

    for label in model.labels where label != decision.rejectedLabel {
      let answers = calibrated.filter { $0.label == label }.map(\.answer)
      let right = answers.filter { $0.top.label == label }
      let missing = answers.count { $0.top.label == decision.rejectedLabel }
      let share = exceptions[label] ?? falseRejections
      if share > 0, share * Double(answers.count) < 1 {
        scarce[label] = Int((1 / share).rounded(.up))
        decision.leastProbabilities[label] = model.decision.leastProbabilities[label]
        decision.leastMargins[label] = model.decision.leastMargins[label]
        continue
      }
      let mayRefuse = Int((share * Double(answers.count)).rounded(.down)) - missing
      if mayRefuse > 0, right.count > mayRefuse {
        // Probability and margin mostly fail together: the same rank of both.
        let probabilities = right.map(\.top.probability).sorted()
        let margins = right.map(\.margin).sorted()
        var rank = mayRefuse
        while rank > 0 {
          // Half way between what is refused and what is not.
          decision.leastProbabilities[label] = (probabilities[rank - 1] + probabilities[rank]) / 2
          decision.leastMargins[label] = (margins[rank - 1] + margins[rank]) / 2
          let count = right.count { decision.rejection(of: $0) != nil }
          if count <= mayRefuse { break }
          rank -= 1
        }
        if rank == 0 {
          decision.leastProbabilities[label] = nil
          decision.leastMargins[label] = nil
        }
      }
    }
    // Once all thresholds stand, for what is taken for another label meets that label's.
    self.refused = Dictionary(
      uniqueKeysWithValues: model.labels.filter { $0 != decision.rejectedLabel }.map { label in
        let answers = calibrated.filter { $0.label == label }.map(\.answer)
        return (
          label,
          Share(answers.count { decision.rejection(of: $0) != nil }, of: answers.count)
        )
      })
    self.decision = decision
    self.scarce = scarce
  }

  /// The temperature with the highest likelihood, by golden-section search over its logarithm.
  private static func temperature(of answers: [Recognition], labels: [String]) -> Double {
    guard let count = answers.first?.ranked.count, count > 1 else { return 1 }
    let target = Double(answers.count + 1) / Double(answers.count + 2)
    let remainder = (1 - target) / Double(count - 1)
    func loss(_ logarithm: Double) -> Double {
      zip(answers, labels).reduce(0) { sum, pair in
        pair.0.reheated(by: exp(-logarithm)).ranked.reduce(sum) { sum, answer in
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
