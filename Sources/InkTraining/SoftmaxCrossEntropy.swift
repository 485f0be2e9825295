import Foundation

/// The loss of a classifier: softmax followed by cross-entropy.
///
/// Label smoothing and class weights are those of PyTorch's `CrossEntropyLoss`.
///
/// For logits z `[C]`, class y, weights w `[C]` and smoothing ε (Szegedy et al., 2016), with
/// log p = z − log Σ exp z:
///
///     loss  l  = −(1 − ε) · w_y · log p_y − ε/C · Σ_c w_c · log p_c
///     batch L  = Σ l / Σ w_y
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
    return AnswerSums(loss: loss, rightCount: highest == target ? 1 : 0)
  }
}
