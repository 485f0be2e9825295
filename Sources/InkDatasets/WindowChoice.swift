import Ink
import InkSeries
import SafeFiles

/// How recordings are cut into windows: the rate, the windows and the label of the rest.
public struct WindowChoice: Hashable, Sendable {
  /// The steps per second to which recordings are resampled first, or `nil` if they stay as they are.
  public var rate: Double?
  /// The windows and their labels.
  public var plan: WindowPlan

  /// The longest window that is chosen without being asked for, in seconds.
  public static let longestSeconds = 5.0
  /// The longest window that is chosen for recordings without a rate, in steps.
  public static let longestSteps = 256

  /// Creates a choice, for example that of a model.
  public init(rate: Double?, plan: WindowPlan) {
    self.rate = rate
    self.plan = plan
  }

  /// Chooses windows for the recordings of `dataset`, or returns `nil` if each recording is one
  /// example: no window is given, and no recording has labelled spans.
  ///
  /// Without `window`, the length is the median length of the spans that are not rest, but at most
  /// ``longestSeconds``. Give the training part only.
  ///
  /// - Throws: `WindowError` if a length is out of range, or in seconds and the rate is unknown.
  public init?(
    for dataset: Dataset, window: SeriesDuration? = nil, stride: SeriesDuration? = nil,
    restLabel: String? = nil
  ) throws(WindowError) {
    let hasSpans = dataset.examples.contains { !$0.spans.isEmpty }
    guard window != nil || hasSpans else { return nil }
    rate = dataset.medianRate
    let length: SeriesDuration
    if let window {
      length = window
    } else {
      var lengths: [Double] = []
      var restLengths: [Double] = []
      for example in dataset.examples {
        guard case .series(let series) = example.content else { continue }
        let factor =
          if let rate, let own = series.meanRate { rate / own } else { 1.0 }
        for span in example.spans {
          let steps = Double(span.range.count) * factor
          if span.label == restLabel || EventRule.standardRestLabels.contains(span.label) {
            restLengths.append(steps)
          } else {
            lengths.append(steps)
          }
        }
      }
      let usual = (lengths.isEmpty ? restLengths : lengths).median()!
      let longest = rate.map { Self.longestSeconds * $0 } ?? Double(Self.longestSteps)
      length = .steps(max(1, Int(min(longest, usual).rounded())))
    }
    plan = WindowPlan(
      try SlidingWindows(length: length, stride: stride, rate: rate), restLabel: restLabel)
  }

  /// The windows as text: `windows of 50 steps (2 s) every 12 steps`.
  public var summary: String {
    func text(_ steps: Int) -> String {
      let count = steps.counted("step")
      guard let rate else { return count }
      let hundredths = (100 * Double(steps) / rate).rounded()
      let seconds = hundredths / 100
      return "\(count) (\(SeriesDuration.seconds(seconds)))"
    }
    return "windows of \(text(plan.windows.length)) every \(text(plan.windows.stride))"
      + (rate.map { ", \($0.shortText) steps a second" } ?? "")
  }

  /// Windows as examples, and what was left out.
  public struct Cut: Hashable, Sendable {
    /// The windows.
    public var dataset: Dataset
    /// The number of recordings that are shorter than a window.
    public var shortRecordingCount: Int
    /// The number of windows without a label: outside all spans, or with too little of one.
    public var unlabelledCount: Int
    /// The number of windows without any value.
    public var emptyCount = 0
  }

  /// Cuts the recordings of `dataset` into windows, which keep person and session.
  ///
  /// - Throws: `WindowError` if all recordings are shorter than a window, and `FileError` naming an
  ///   example that is no recording or cannot be resampled.
  public func cut(_ dataset: Dataset) throws -> Cut {
    let recordings = try dataset.examples.map { try prepared($0) }
    let cut = try plan.cut(
      recordings.map { example in
        WindowPlan.Outline(
          length: example.recordingLength,
          // A recording with spans has no label of its own.
          labels: example.label.isEmpty ? .spans(example.spans) : .whole(example.label))
      })
    let labels = Set(dataset.labels).union([plan.restLabel].compactMap { $0 }).sorted()
    var result = Cut(
      dataset: Dataset([], labels: labels), shortRecordingCount: cut.shortRecordingCount,
      unlabelledCount: cut.unlabelledCount)
    for window in cut.windows {
      var example = recordings[window.recording]
      guard case .series(let series) = example.content else { continue }
      let part = series.part(window.range)
      guard part.values.contains(where: { !$0.isNaN }) else {
        result.emptyCount += 1
        continue
      }
      example.content = .series(part)
      example.origin += ", steps \(window.range.lowerBound + 1)–\(window.range.upperBound)"
      example.label = window.label
      example.spans = []
      result.dataset.examples.append(example)
    }
    return result
  }

  /// Returns a recording at ``rate``, with its spans.
  ///
  /// A recording without rate and times is taken to have this rate.
  ///
  /// - Throws: `FileError` if the example is no recording, or would be too long.
  public func prepared(_ example: Example) throws(FileError) -> Example {
    guard case .series(let series) = example.content else {
      throw FileError(
        path: example.origin, expected: "a recording to cut into windows",
        found: "a drawing or picture")
    }
    guard let rate else { return example }
    let known = series.assuming(rate: rate)
    let resampled: Series
    do {
      resampled = try known.resampled(toRate: rate)
    } catch SeriesError.allMissing {
      // Its windows are counted as empty.
      return example
    } catch {
      throw FileError(
        path: example.origin, expected: "a recording for \(rate.shortText) steps a second",
        found: "another one (\(error))")
    }
    var result = example
    result.content = .series(resampled)
    result.spans = known.resampled(example.spans, toRate: rate, length: resampled.length)
    return result
  }
}

extension Example {
  /// The number of steps of a recording; 0 for other examples.
  fileprivate var recordingLength: Int {
    if case .series(let series) = content { series.length } else { 0 }
  }
}

extension Dataset {
  /// The median of the recordings' rates with three significant digits, or `nil` if one is unknown.
  public var medianRate: Double? {
    guard let rates, !rates.isEmpty else { return nil }
    let median = rates[rates.count / 2]
    var unit = 1.0
    while median / unit >= 1000 { unit *= 10 }
    while median / unit < 100 { unit /= 10 }
    return unit < 1 ? (median / unit).rounded() / (1 / unit) : (median / unit).rounded() * unit
  }

  /// Whether the rates of the recordings differ by more than a quarter, so that they have to be
  /// resampled before they are compared.
  public var hasDifferentRates: Bool {
    guard let rates, let lowest = rates.first, let highest = rates.last else { return false }
    return highest > 1.25 * lowest
  }

  /// The rates of the recordings, sorted, or `nil` if one is unknown.
  private var rates: [Double]? {
    var rates: [Double] = []
    for example in examples {
      guard case .series(let series) = example.content else { continue }
      guard let rate = series.meanRate else { return nil }
      rates.append(rate)
    }
    return rates.sorted()
  }
}
