import Foundation

/// How the learning rate changes while training.
public struct Schedule: Hashable, Sendable, Codable {
  /// The course after the warm-up.
  public enum Course: Hashable, Sendable, Codable {
    /// The same rate throughout.
    case constant
    /// `factor` times as much every `epochs` epochs.
    case step(epochs: Int, factor: Double)
    /// Half a cosine wave from the full rate to 0 (Loshchilov & Hutter, 2017).
    case cosine
    /// Up from a 25th during the first 30 %, then down to nearly 0, both along a cosine
    /// (Smith & Topin, 2019).
    case oneCycle
  }

  /// The course after the warm-up.
  public var course: Course
  /// Whether the rate falls to nearly 0, so that the last epochs have the most settled weights.
  var settles: Bool { course == .oneCycle || course == .cosine }
  /// The share of all steps during which the rate rises from 0 in a straight line.
  public var warmup: Double

  /// Makes a schedule.
  public init(_ course: Course, warmup: Double = 0) {
    self.course = course
    self.warmup = warmup
  }

  /// What the learning rate is multiplied with at `step` (from 0) of `total`, in `epoch` (from 0).
  public func factor(step: Int, of total: Int, epoch: Int) -> Double {
    let warmupSteps = Int((warmup * Double(total)).rounded())
    if step < warmupSteps { return Double(step + 1) / Double(warmupSteps + 1) }
    let share = Double(step - warmupSteps) / Double(max(1, total - warmupSteps))
    func cosine(_ share: Double, from start: Double, to end: Double) -> Double {
      end + (start - end) * (1 + cos(.pi * share)) / 2
    }
    switch course {
    case .constant: return 1
    case .step(let epochs, let factor): return pow(factor, Double(epoch / epochs))
    case .cosine: return cosine(share, from: 1, to: 0)
    case .oneCycle:
      return share < 0.3
        ? cosine(share / 0.3, from: 1 / 25.0, to: 1)
        : cosine((share - 0.3) / 0.7, from: 1, to: 1e-5)
    }
  }
}
