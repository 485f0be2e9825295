import Foundation

/// The loss of a classifier: softmax followed by cross-entropy, with label smoothing and class
/// weights as PyTorch's `CrossEntropyLoss` has them.
///
/// For logits z `[C]`, class y, weights w `[C]` and smoothing ε (Szegedy et al., 2016), with
/// log p = z − log Σ exp z:
///
///     loss  l  = −(1 − ε) · w_y · log p_y − ε/C · Σ_c w_c · log p_c
///     batch L  = Σ l / Σ w_y
public struct SoftmaxCrossEntropy: Hashable, Sendable {
  /// The share of the target that is spread over all classes.
  public var labelSmoothing: Double
  /// How much each class counts.
  public var classWeights: [Double]

  /// Makes a loss.
  public init(labelSmoothing: Double = 0, classWeights: [Double]) {
    self.labelSmoothing = labelSmoothing
    self.classWeights = classWeights
  }

  /// The loss of one example, and whether its highest logit is the right one.
  ///
  /// Writes the gradient of the batch's loss, for which `batchWeight` is Σ w_y, to `gradient`
  /// unless that is `nil`.
  func evaluate(
    logits: UnsafePointer<Float>, target: Int, batchWeight: Double,
    gradient: UnsafeMutablePointer<Float>?
  ) -> (loss: Double, isRight: Bool) {
    let count = classWeights.count
    var highest = 0
    for index in 1..<max(1, count) where logits[index] > logits[highest] { highest = index }
    var sum = 0.0
    for index in 0..<count { sum += exp(Double(logits[index] - logits[highest])) }
    let logSum = Double(logits[highest]) + log(sum)

    let spread = labelSmoothing / Double(count)
    var loss = 0.0
    var targetSum = 0.0
    for index in 0..<count {
      let share = classWeights[index] * (spread + (index == target ? 1 - labelSmoothing : 0))
      targetSum += share
      if share != 0 { loss -= share * (Double(logits[index]) - logSum) }
    }
    if let gradient {
      for index in 0..<count {
        let share = classWeights[index] * (spread + (index == target ? 1 - labelSmoothing : 0))
        let probability = exp(Double(logits[index]) - logSum)
        gradient[index] = Float((targetSum * probability - share) / batchWeight)
      }
    }
    return (loss, highest == target)
  }
}
