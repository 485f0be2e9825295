import Foundation

/// The output of a network for CTC: the logarithm of the probability of each class at each step.
public struct LogProbabilities: Hashable, Sendable {
  /// The number of classes, the blank included.
  public let classCount: Int
  /// The number of steps.
  public let stepCount: Int
  /// The natural logarithms, `[steps, classes]`; none is above 0.
  public let values: [Float]

  /// Creates an output from logarithms of probabilities, `[steps, classes]`.
  ///
  /// - Precondition: `values` has `classCount` numbers for each step.
  public init(_ values: [Float], classCount: Int) {
    precondition(
      classCount > 0 && values.count % classCount == 0,
      "\(values.count) values are not steps of \(classCount) classes")
    self.classCount = classCount
    stepCount = values.count / classCount
    self.values = values
  }

  /// Creates an output from the logits of a network, `[steps, classes]`:
  /// `log pᵢ = zᵢ / T − log Σⱼ exp(zⱼ / T)`.
  ///
  /// T is the temperature. All classes are equally likely at a step whose logits are not finite.
  ///
  /// - Precondition: `logits` has `classCount` numbers for each step, and the temperature is
  ///   positive.
  public init(logits: [Float], classCount: Int, temperature: Double = 1) {
    precondition(temperature > 0, "the temperature is positive")
    precondition(
      classCount > 0 && logits.count % classCount == 0,
      "\(logits.count) logits are not steps of \(classCount) classes")
    var values: [Float] = []
    values.reserveCapacity(logits.count)
    for start in stride(from: 0, to: logits.count, by: classCount) {
      let row = logits[start..<start + classCount]
      let highest = row.max()!
      let sum = row.reduce(0.0) { $0 + exp(Double($1 - highest) / temperature) }
      let isDefined = sum.isFinite
      for logit in row {
        values.append(
          isDefined
            ? Float(Double(logit - highest) / temperature - log(sum)) : -log(Float(classCount)))
      }
    }
    self.init(values, classCount: classCount)
  }

  /// The logarithm of the probability of a class at a step.
  ///
  /// - Precondition: there are such a step and such a class.
  public subscript(step: Int, number: Int) -> Float { values[step * classCount + number] }

  /// Returns the probability that a text has the character of a class: 1 − Πₜ (1 − pₜ).
  func probability(ofClass number: Int) -> Double {
    let absent = (0..<stepCount).reduce(0.0) {
      $0 + log1p(-min(1, exp(Double(self[$1, number]))))
    }
    return -expm1(absent)
  }
}

/// Returns log(exp(a) + exp(b)).
@inline(__always) func logSum(_ a: Double, _ b: Double) -> Double {
  let (low, high) = a < b ? (a, b) : (b, a)
  return low == -.infinity ? high : high + log1p(exp(low - high))
}
