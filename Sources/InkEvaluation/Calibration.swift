import Foundation
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import SafeFiles

/// A fit of the temperature and the rejection thresholds of a model, on examples that are not in its training data.
public struct Calibration: Sendable {
  /// The decision with the fitted temperature and thresholds.
  public let decision: Model.Decision
  /// The share of rejected examples for each label except the rejected one, with this decision.
  public let rejected: [String: Share]
  /// How the thresholds of each label except the rejected one were fitted.
  public let fits: [String: Fit]

  /// How the thresholds of a label were fitted.
  public enum Fit: Hashable, Sendable {
    /// By counting: they reject as many of the examples as they may.
    case counted
    /// By the tail of the lowest probabilities and margins, because the share is less than one of the examples;
    /// `needed` examples could be counted.
    case extrapolated(needed: Int)
    /// The label keeps the thresholds of the model, because fewer than `needed` examples are classified right.
    case kept(needed: Int)
    /// The label has no thresholds, because so many examples are classified as the rejected label that the share
    /// is used up.
    case usedUp(rejected: Int)
    /// The label has no thresholds, because no example may be rejected.
    case none
  }

  /// The number of correct answers below which no tail is estimated.
  static let minimumCount = 10

  /// Returns the share of new examples of `label` that is rejected at most, with 95 % confidence.
  public func bound(of label: String) -> Double? {
    rejected[label]?.upperBound
  }

  /// Fits the temperature by maximum likelihood (Guo et al., 2017), and then the thresholds.
  ///
  /// The thresholds of a label are the highest ones on probability and margin that reject at most the
  /// share `falseRejections` of its examples, or the share in `exceptions`.
  ///
  /// The likelihood uses smoothed targets: with `n` examples, the target of the correct label is
  /// `(n + 1) / (n + 2)` (Platt, 1999, "Probabilistic Outputs for Support Vector Machines", 2.2).
  /// Therefore the fit does not assume that a model without errors on these examples is always correct.
  ///
  /// If the share is less than one example, the thresholds are estimated from the tail of the lowest values; see
  /// ``Fit``. They reject none of the correctly classified examples.
  ///
  /// An example that the model classifies as the rejected label counts towards the share if that is at least one
  /// example. If these examples exceed the share, the thresholds of their label are 0. An example that the model
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
    var fits: [String: Fit] = [:]
    (decision.temperature, decision.minimumProbabilities, decision.minimumMargins) = (1, [:], [:])
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
      let budget = share * Double(answers.count)
      // The largest share of the correct answers that may be rejected without counting one.
      var tailShare: Double?
      if share == 0 {
        fits[label] = Fit.none
      } else if budget < 1 {
        fits[label] = .extrapolated(needed: Int((1 / share).rounded(.up)))
        tailShare = share
      } else if budget <= Double(missing) {
        fits[label] = .usedUp(rejected: missing)
      } else {
        fits[label] = .counted
        tailShare = (budget - Double(missing)) / Double(answers.count)
      }
      guard let tailShare else { continue }
      let mayReject = Int((share * Double(answers.count)).rounded(.down)) - missing
      // Use the same rank for both, because both are usually low for the same examples.
      let probabilities = right.map(\.top.probability).sorted()
      let margins = right.map(\.margin).sorted()
      var rank = right.count > mayReject ? max(0, mayReject) : 0
      while rank > 0 {
        // The thresholds are halfway between the last rejected and the first accepted value.
        decision.minimumProbabilities[label] = (probabilities[rank - 1] + probabilities[rank]) / 2
        decision.minimumMargins[label] = (margins[rank - 1] + margins[rank]) / 2
        let count = right.count { decision.rejection(of: $0) != nil }
        if count <= mayReject { break }
        rank -= 1
      }
      guard rank == 0 else { continue }
      guard right.count >= Self.minimumCount else {
        fits[label] = .kept(needed: Self.minimumCount)
        decision.minimumProbabilities[label] = model.decision.minimumProbabilities[label]
        decision.minimumMargins[label] = model.decision.minimumMargins[label]
        continue
      }
      decision.minimumProbabilities[label] = Self.lowerQuantile(tailShare, of: probabilities)
      decision.minimumMargins[label] = Self.lowerQuantile(tailShare, of: margins)
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
    self.fits = fits
  }

  /// Estimates the value that is above this share of probabilities or margins, from the lowest of `sorted`.
  ///
  /// The tail of odds is taken for a power law (Weissman, 1978), so that of log-odds is exponential: with the mean
  /// distance β of the k lowest values from the k-th, the quantile of the share p of n values is at
  /// s_k − β · log(k / np). Below the scale of 1, a few values that are nearly equal say nothing about the tail. The
  /// result is at most the lowest value.
  static func lowerQuantile(_ share: Double, of sorted: [Double]) -> Double {
    let logOdds = sorted.map { log(max($0, 1e-12)) - log(max(1 - $0, 1e-12)) }
    return min(sorted[0], 1 / (1 + exp(-lowerQuantile(share, ofLogarithms: logOdds))))
  }

  /// Estimates the value that is above this share of log-odds or logarithms, from the lowest of `sorted`.
  static func lowerQuantile(_ share: Double, ofLogarithms sorted: [Double]) -> Double {
    let count = max(3, Int(Double(sorted.count).squareRoot().rounded(.up)))
    let edge = sorted[count - 1]
    let scale = max(1, sorted[..<(count - 1)].reduce(0) { $0 + edge - $1 } / Double(count - 1))
    return min(sorted[0], edge - scale * log(Double(count) / (Double(sorted.count) * share)))
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
