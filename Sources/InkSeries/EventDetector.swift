/// Finds events in the probabilities of consecutive windows, one window at a time.
///
/// Memory is bounded, and adding a window does not allocate, except for the event that it ends.
public struct EventDetector: Sendable {
  /// The labels, in the order of the probabilities.
  public let labels: [String]
  /// The windows; a network that answers at each step has windows of one step.
  public let windows: SlidingWindows
  /// The rule.
  public let rule: EventRule

  /// The sequence of windows, up to now, in which a label is at least the off-threshold.
  private struct Run {
    var start: Int
    var sum: Double
    var count: Int
  }

  private let isRest: [Bool]
  private var smoothed: [Double]
  /// The last probabilities of a moving average, one window after the other, in a ring.
  private var history: [Double]
  private var runs: [Run?]
  private var windowCount = 0
  /// The label of the event that lasts, and when it was reported.
  private var active: (label: Int, reportedAt: Int?)?

  /// Creates a detector.
  public init(labels: [String], windows: SlidingWindows, rule: EventRule) {
    self.labels = labels
    self.windows = windows
    self.rule = rule
    isRest = labels.map { rule.restLabels.contains($0) }
    smoothed = [Double](repeating: 0, count: labels.count)
    var historyCount = 0
    if case .movingAverage(let count) = rule.smoothing { historyCount = count * labels.count }
    history = [Double](repeating: 0, count: historyCount)
    runs = [Run?](repeating: nil, count: labels.count)
  }

  /// The event that lasts and is already certain, with its end up to now.
  public var current: Event? { event(until: windows.section(of: windowCount).lowerBound) }

  /// Adds the probabilities of the next window, and returns the event that it ends, if there is one.
  ///
  /// A probability that is not a number counts as 0. Give a rejected window as zeros.
  ///
  /// - Precondition: there is a probability for each label.
  public mutating func add(_ probabilities: [Double]) -> Event? {
    precondition(
      probabilities.count == labels.count,
      "\(probabilities.count) probabilities, but \(labels.count) labels")
    let section = windows.section(of: windowCount)
    let reportedAt = windows.range(of: windowCount).upperBound
    smooth(probabilities)
    windowCount += 1

    var top = 0
    for label in labels.indices where smoothed[label] > smoothed[top] { top = label }
    let canStart = !labels.isEmpty && !isRest[top] && smoothed[top] >= rule.onThreshold

    var ended: Event?
    var restarts = false
    if let label = active?.label,
      smoothed[label] < rule.offThreshold
        || canStart && smoothed[top] > smoothed[label]
    {
      ended = event(until: section.lowerBound)
      active = nil
      restarts = true
    }
    // Events do not overlap: what began during an event that ends here starts again here.
    for label in labels.indices where !isRest[label] {
      guard smoothed[label] >= rule.offThreshold else {
        runs[label] = nil
        continue
      }
      var run = Run(start: section.lowerBound, sum: 0, count: 0)
      if !restarts, let last = runs[label] { run = last }
      run.sum += Self.number(probabilities[label])
      run.count += 1
      runs[label] = run
    }
    if active == nil, canStart { active = (top, nil) }
    if let label = active?.label, active?.reportedAt == nil, let run = runs[label],
      section.upperBound - run.start >= rule.minimumDuration
    {
      active?.reportedAt = reportedAt
    }
    return ended
  }

  /// Returns the event that lasts until the end of the series, if there is one, and starts again.
  public mutating func finish() -> Event? {
    let last = current
    self = EventDetector(labels: labels, windows: windows, rule: rule)
    return last
  }

  /// Returns the active event if it was reported.
  private func event(until end: Int) -> Event? {
    guard let active, let reportedAt = active.reportedAt, let run = runs[active.label] else {
      return nil
    }
    return Event(
      label: labels[active.label], range: run.start..<end,
      probability: run.sum / Double(run.count), reportedAt: reportedAt)
  }

  private mutating func smooth(_ probabilities: [Double]) {
    switch rule.smoothing {
    case .none:
      for label in labels.indices { smoothed[label] = Self.number(probabilities[label]) }
    case .exponential(let factor):
      for label in labels.indices {
        smoothed[label] += factor * (Self.number(probabilities[label]) - smoothed[label])
      }
    case .movingAverage(let count):
      let slot = windowCount % count * labels.count
      for label in labels.indices {
        history[slot + label] = Self.number(probabilities[label])
        // A new sum for each window, because a running sum would drift.
        var sum = 0.0
        for index in stride(from: label, to: history.count, by: labels.count) {
          sum += history[index]
        }
        smoothed[label] = sum / Double(count)
      }
    }
  }

  private static func number(_ probability: Double) -> Double {
    probability.isFinite ? probability : 0
  }
}
