import Foundation
import InkNetwork
import InkRecognizer

/// The accuracy of answers compared with their probability, in bins of the probability.
public struct Reliability: Hashable, Sendable, Codable {
  /// The answers in one interval of the probability.
  public struct Bin: Hashable, Sendable, Codable {
    /// The number of answers.
    public var count: Int
    /// The mean probability of the answers.
    public var probability: Double
    /// The share of answers that are correct.
    public var accuracy: Double
  }

  /// Bins of equal width, from 0 to 1.
  public var bins: [Bin]

  /// The number of bins.
  static let binCount = 15

  /// Sorts the most likely labels into bins by their probability; `labels` are the correct ones.
  init(_ answers: [Recognition], labels: [String]) {
    self.init(
      zip(answers, labels).map { ($0.top.probability, isRight: $0.top.label == $1) })
  }

  /// Sorts answers into bins by their probability.
  init(_ answers: [(probability: Double, isRight: Bool)]) {
    var sums = [(count: Int, probability: Double, right: Int)](
      repeating: (0, 0, 0), count: Self.binCount)
    for (probability, isRight) in answers {
      let bin = min(Self.binCount - 1, Int(probability * Double(Self.binCount)))
      sums[bin].count += 1
      sums[bin].probability += probability
      sums[bin].right += isRight ? 1 : 0
    }
    bins = sums.map { sum in
      let count = Double(max(1, sum.count))
      return Bin(
        count: sum.count, probability: sum.probability / count, accuracy: Double(sum.right) / count)
    }
  }

  /// The expected calibration error (Guo et al., 2017).
  ///
  /// It is the mean distance between probability and accuracy, weighted by the counts of the bins.
  public var expectedError: Double {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0 else { return 0 }
    return bins.reduce(0) { $0 + Double($1.count) * abs($1.probability - $1.accuracy) }
      / Double(total)
  }
}

extension Recognition {
  /// Returns the answer with all logits multiplied by `factor`: `pᵢ ∝ pᵢ^factor`.
  ///
  /// Multiplying by the temperature of the model gives the probabilities before calibration.
  func scalingLogits(by factor: Double) -> Recognition {
    guard factor != 1 else { return self }
    let logits = ranked.map { Float(log(max($0.probability, 1e-30)) * factor) }
    var result = self
    for (index, probability) in softmax(logits).enumerated() {
      result.ranked[index].probability = probability
    }
    return result
  }
}
