import ErrorText
import Ink

/// A rule that turns the probabilities of consecutive windows into events.
///
/// An event is a longest sequence of windows in which the smoothed probability of one label is at
/// least ``offThreshold``, and in at least one of them is the highest and at least ``onThreshold``.
/// A label that reaches the on-threshold with a higher probability ends the event of another.
public struct EventRule: Hashable, Sendable {
  /// How probabilities are smoothed; before the first window they are 0.
  public enum Smoothing: Hashable, Sendable {
    /// No smoothing.
    case none
    /// The mean of the last windows, as many as given.
    case movingAverage(Int)
    /// `sₜ = α pₜ + (1 − α) sₜ₋₁`, with α from ``minimumFactor`` to 1.
    case exponential(Double)
  }

  /// The smoothing.
  public let smoothing: Smoothing
  /// The smoothed probability that starts an event.
  public let onThreshold: Double
  /// The smoothed probability below which an event ends.
  public let offThreshold: Double
  /// The duration below which an event is dropped, in steps.
  public let minimumDuration: Int
  /// The labels that never make events.
  public let restLabels: Set<String>

  /// The default of ``smoothing``.
  public static let standardSmoothing = Smoothing.exponential(0.5)
  /// The default of ``onThreshold``.
  public static let standardOnThreshold = 0.6
  /// The default of ``offThreshold``.
  public static let standardOffThreshold = 0.4

  /// The labels that make no events by default.
  public static let standardRestLabels: Set<String> = ["none", "other", "rest"]

  /// Creates a rule.
  ///
  /// With the default smoothing and thresholds, one certain window makes no event and two do.
  ///
  /// - Throws: `EventRuleError` if a number is out of range.
  public init(
    smoothing: Smoothing = standardSmoothing, onThreshold: Double = standardOnThreshold,
    offThreshold: Double = standardOffThreshold, minimumDuration: Int = 0,
    restLabels: Set<String> = Self.standardRestLabels
  ) throws(EventRuleError) {
    switch smoothing {
    case .none: break
    case .movingAverage(let count):
      guard (1...Self.longestAverage).contains(count) else { throw .averageLength(count) }
    case .exponential(let factor):
      guard factor >= Self.minimumFactor, factor <= 1 else { throw .smoothingFactor(factor) }
    }
    guard onThreshold > 0, onThreshold <= 1 else { throw .onThreshold(onThreshold) }
    guard offThreshold > 0, offThreshold <= onThreshold else {
      throw .offThreshold(offThreshold, on: onThreshold)
    }
    guard minimumDuration >= 0 else { throw .minimumDuration(minimumDuration) }
    self.smoothing = smoothing
    self.onThreshold = onThreshold
    self.offThreshold = offThreshold
    self.minimumDuration = minimumDuration
    self.restLabels = restLabels
  }

  /// The smallest factor of exponential smoothing.
  public static let minimumFactor = 0.001
  /// The longest moving average, in windows.
  public static let longestAverage = 10_000

  /// Returns the longest time from the start of an action until its event is reported, in steps, or
  /// `nil` if smoothed probabilities never reach the on-threshold.
  ///
  /// It applies to a model that is certain of exactly those windows that get the label of the action
  /// in training, and to actions that last long enough to be found. The last rows are needed because
  /// windows are complete only at every stride.
  public func longestDelay(with plan: WindowPlan) -> Int? {
    let windows = plan.windows
    let share = Int((plan.minimumShare * Double(windows.length)).rounded(.up))
    guard let windowsUntilOn = windowCount(until: onThreshold),
      let windowsUntilOff = windowCount(until: offThreshold)
    else { return nil }
    let windowsOfDuration = max(1, (minimumDuration + windows.stride - 1) / windows.stride)
    let count = max(windowsUntilOn, windowsUntilOff - 1 + windowsOfDuration)
    return share + count * windows.stride - 1
  }

  /// Returns the number of certain windows until the smoothed probability reaches `threshold`, or
  /// `nil` if it never does.
  private func windowCount(until threshold: Double) -> Int? {
    switch smoothing {
    case .none: return 1
    case .movingAverage(let count):
      return (1...count).first { Double($0) / Double(count) >= threshold }
    case .exponential(let factor):
      var (smoothed, count) = (factor, 1)
      while smoothed < threshold {
        // Close to 1, the last digits do not change any more.
        let next = smoothed + factor * (1 - smoothed)
        guard next > smoothed else { return nil }
        (smoothed, count) = (next, count + 1)
      }
      return count
    }
  }
}

/// The error for an event rule with a number that is out of range.
public enum EventRuleError: DescribedError, Hashable {
  /// The number of windows of a moving average.
  case averageLength(Int)
  /// The factor of exponential smoothing.
  case smoothingFactor(Double)
  /// The on-threshold.
  case onThreshold(Double)
  /// The off-threshold.
  case offThreshold(Double, on: Double)
  /// The least duration, in steps.
  case minimumDuration(Int)

  /// The error in one line.
  public var description: String {
    switch self {
    case .averageLength(let count):
      "a moving average must have from 1 to \(EventRule.longestAverage) windows, not \(count)"
    case .smoothingFactor(let factor):
      "the factor of exponential smoothing must be from \(EventRule.minimumFactor) to 1, not \(factor)"
    case .onThreshold(let threshold):
      "the on-threshold must be above 0 and at most 1, not \(threshold)"
    case .offThreshold(let threshold, let on):
      "the off-threshold must be above 0 and at most the on-threshold of \(on), not \(threshold)"
    case .minimumDuration(let steps):
      "the least duration must not be negative; it is \(steps.counted("step"))"
    }
  }
}
