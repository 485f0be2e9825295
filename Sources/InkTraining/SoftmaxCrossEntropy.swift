import Foundation

/// The loss of a classifier: softmax followed by cross-entropy.
///
/// For logits z `[C]`, class y, weights w `[C]` and smoothing ε (Szegedy et al., 2016), with
/// log p = z − log Σ exp z:
///
///     loss  l  = w_y · (−(1 − ε) · log p_y − ε/C · Σ_c log p_c)
///     batch L  = Σ l / Σ w_y
///
/// The weight is that of the example's own class. PyTorch's `CrossEntropyLoss` weights each part of the
/// smoothed target by the class of that part instead. The share ε/C of a rare class then has more weight than
/// the example's own class, and a network learns to answer the rare class always.
public struct SoftmaxCrossEntropy: Hashable, Sendable, TrainingLoss {
  /// The share of the target that is spread over all classes.
  public var labelSmoothing: Double
  /// The weight of each class.
  public var classWeights: [Double]

  /// Creates a loss.
  public init(labelSmoothing: Double = 0, classWeights: [Double]) {
    self.labelSmoothing = labelSmoothing
    self.classWeights = classWeights
  }

  func weight(of target: [Int]) -> Double { classWeights[target[0]] }

  func evaluate(
    logits: UnsafePointer<Float>, steps: Int, target: [Int], batchWeight: Double,
    gradient: UnsafeMutablePointer<Float>?
  ) -> AnswerSums {
    let target = target[0]
    let count = classWeights.count
    var highest = 0
    for index in 1..<max(1, count) where logits[index] > logits[highest] { highest = index }
    var sum = 0.0
    for index in 0..<count { sum += exp(Double(logits[index] - logits[highest])) }
    let logSum = Double(logits[highest]) + log(sum)

    let weight = classWeights[target]
    let spread = labelSmoothing / Double(count)
    var loss = 0.0
    for index in 0..<count {
      let share = weight * (spread + (index == target ? 1 - labelSmoothing : 0))
      if share != 0 { loss -= share * (Double(logits[index]) - logSum) }
    }
    if let gradient {
      for index in 0..<count {
        let share = weight * (spread + (index == target ? 1 - labelSmoothing : 0))
        let probability = exp(Double(logits[index]) - logSum)
        gradient[index] = Float((weight * probability - share) / batchWeight)
      }
    }
    return AnswerSums(loss: loss, rightCount: highest == target ? 1 : 0)
  }
}
