import Foundation
import InkNetwork
import InkRecognizer

/// How sure answers are beside how often they are right, in bins of their probability.
public struct Reliability: Hashable, Sendable, Codable {
  /// One bin.
  public struct Bin: Hashable, Sendable, Codable {
    /// How many answers fall into it.
    public var count: Int
    /// Their mean probability.
    public var probability: Double
    /// The share of them that is right.
    public var accuracy: Double
  }

  /// Bins of equal width, from 0 to 1.
  public var bins: [Bin]

  /// The number of bins.
  static let binCount = 15

  /// Sorts the top answers into bins by their probability; `labels` are the right ones.
  init(_ answers: [Recognition], labels: [String]) {
    var sums = [(count: Int, probability: Double, right: Int)](
      repeating: (0, 0, 0), count: Self.binCount)
    for (answer, label) in zip(answers, labels) {
      let top = answer.top
      let bin = min(Self.binCount - 1, Int(top.probability * Double(Self.binCount)))
      sums[bin].count += 1
      sums[bin].probability += top.probability
      sums[bin].right += top.label == label ? 1 : 0
    }
    bins = sums.map { sum in
      let count = Double(max(1, sum.count))
      return Bin(
        count: sum.count, probability: sum.probability / count, accuracy: Double(sum.right) / count)
    }
  }

  /// The mean distance between probability and accuracy, weighted by the bins' counts.
  ///
  /// It is the expected calibration error of Guo et al. (2017).
  public var expectedError: Double {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0 else { return 0 }
    return bins.reduce(0) { $0 + Double($1.count) * abs($1.probability - $1.accuracy) }
      / Double(total)
  }
}

extension Recognition {
  /// The answer with its probabilities as they are when their logits are multiplied with `factor`:
  /// `pᵢ ∝ pᵢ^factor`.
  ///
  /// What was divided by a temperature before the softmax is got back by multiplying with it.
  func reheated(by factor: Double) -> Recognition {
    guard factor != 1 else { return self }
    let logits = ranked.map { Float(log(max($0.probability, 1e-30)) * factor) }
    var result = self
    for (index, probability) in softmax(logits).enumerated() {
      result.ranked[index].probability = probability
    }
    return result
  }
}
