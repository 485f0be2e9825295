import Foundation

/// The beta distribution, whose quantiles give exact bounds for shares and quantiles of Student's t.
struct BetaDistribution: Hashable, Sendable {
  /// The first parameter, above 0.
  let a: Double
  /// The second parameter, above 0.
  let b: Double

  /// Returns the probability of values up to `x`: the regularised incomplete beta function.
  ///
  /// It is the continued fraction in DLMF 8.17.22, evaluated with Lentz's method.
  func probability(upTo x: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    // The fraction converges quickly below the mean only.
    guard x <= (a + 1) / (a + b + 2) else {
      return 1 - BetaDistribution(a: b, b: a).probability(upTo: 1 - x)
    }
    let factor =
      exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    let tiny = 1e-300
    var (value, numerator, denominator) = (1.0, 1.0, 0.0)
    for step in 0..<10_000 {
      let m = Double(step / 2)
      let coefficient: Double
      if step == 0 {
        coefficient = 1
      } else if step % 2 == 0 {
        coefficient = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      } else {
        coefficient = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      }
      denominator = 1 + coefficient * denominator
      denominator = 1 / (abs(denominator) < tiny ? tiny : denominator)
      numerator = 1 + coefficient / numerator
      if abs(numerator) < tiny { numerator = tiny }
      value *= numerator * denominator
      if abs(numerator * denominator - 1) < 1e-14 { break }
    }
    return factor * (value - 1)
  }

  /// Returns the value below which a value is with this probability, by bisection.
  func quantile(_ probability: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if self.probability(upTo: middle) < probability { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// Returns the distance from 0 that Student's t exceeds with probability `alpha`, in both directions together.
  static func studentsQuantile(alpha: Double, degreesOfFreedom: Int) -> Double {
    let nu = Double(degreesOfFreedom)
    let x = BetaDistribution(a: nu / 2, b: 0.5).quantile(alpha)
    return (nu * (1 - x) / x).squareRoot()
  }
}
