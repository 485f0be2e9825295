import Foundation

/// The change of the learning rate during training.
public struct Schedule: Hashable, Sendable, Codable {
  /// The course of the rate after the warm-up.
  public enum Course: Hashable, Sendable, Codable {
    /// A constant rate.
    case constant
    /// Multiplies the rate by `factor` every `epochs` epochs.
    case step(epochs: Int, factor: Double)
    /// Half a cosine wave from the peak rate to 0 (Loshchilov & Hutter, 2017).
    case cosine
    /// Two half cosine waves: from 1/25 to the peak rate during 30 % of the steps, then to nearly 0
    /// (Smith & Topin, 2019).
    case oneCycle
  }

  /// The course after the warm-up.
  public var course: Course
  /// Whether the rate ends at nearly 0, so that the weights settle in the last epochs.
  var settles: Bool { course == .oneCycle || course == .cosine }
  /// The share of all steps in which the rate rises linearly from 0.
  public var warmup: Double

  /// Creates a schedule.
  public init(_ course: Course, warmup: Double = 0) {
    self.course = course
    self.warmup = warmup
  }

  /// Returns the factor for the peak rate at `step` of `total` in `epoch`; both start at 0.
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
