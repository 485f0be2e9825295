import Foundation
import Ink
import InkEvaluation

/// Whether a new model is better than an old one on the same drawings, by a sign test.
struct SignTest: Hashable, Sendable, CustomStringConvertible {
  /// The mistakes of the old model that the new one does not make.
  let corrected: Int
  /// The mistakes of the new model that the old one does not make.
  let added: Int
  /// The mistakes that both models make.
  let shared: Int

  /// The probability below which a difference is not called chance.
  private static let significance = 0.05

  init(corrected: Int, added: Int, shared: Int) {
    (self.corrected, self.added, self.shared) = (corrected, added, shared)
  }

  /// Compares the mistakes in two evaluations on the same drawings.
  init(before: Evaluation, after: Evaluation) {
    let (old, new) = (Set(before.errors.map(\.index)), Set(after.errors.map(\.index)))
    self.init(
      corrected: old.subtracting(new).count, added: new.subtracting(old).count,
      shared: old.intersection(new).count)
  }

  /// The probability of a difference at least this large if both models are equally good.
  var probability: Double {
    let (count, fewer) = (corrected + added, min(corrected, added))
    // The terms of the binomial distribution, each from the one before; as logarithms, none vanishes.
    var term = Double(count) * log(0.5)
    var tail = exp(term)
    for number in 0..<fewer {
      term += log(Double(count - number)) - log(Double(number + 1))
      tail += exp(term)
    }
    return min(1, 2 * tail)
  }

  var description: String {
    let counts =
      "it corrects \(corrected.counted("mistake")) of the model in use and makes "
      + "\(added.counted("new mistake"))"
    guard corrected + added > 0 else {
      return shared == 0
        ? "Neither model makes a mistake on the test drawings."
        : "Both models make the same mistakes on the test drawings."
    }
    guard probability < Self.significance else {
      return "No clear difference between the models: \(counts), which can be chance."
    }
    return "The new model is \(corrected > added ? "better" : "worse"): \(counts)."
  }
}
