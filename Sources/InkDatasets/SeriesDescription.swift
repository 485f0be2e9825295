import InkSeries

/// Statistics of the series in a data set.
public struct SeriesDescription: Hashable, Sendable, Codable {
  /// One channel.
  public struct Channel: Hashable, Sendable, Codable {
    /// The name.
    public var name: String
    /// The number of recordings with the channel.
    public var recordings: Int
    /// The number of values that were not measured.
    public var missing: Int
    /// The smallest value, or `nil` if all are missing.
    public var least: Double?
    /// The mean, or `nil` if all values are missing.
    public var mean: Double?
    /// The greatest value, or `nil` if all are missing.
    public var greatest: Double?
  }

  /// The labelled spans of one label.
  public struct Label: Hashable, Sendable, Codable {
    /// The number of spans.
    public var spans: Int
    /// The number of steps in them.
    public var steps: Int
  }

  /// The number of series.
  public var count: Int
  /// The channels, in the order of their first occurrence.
  public var channels: [Channel]
  /// Minimum, median and maximum of the lengths, the rates and the durations, if known.
  public var measures: [DatasetDescription.Measure]
  /// The number of series without a rate and times.
  public var unknownRateCount: Int
  /// The number of series of each session; series of unknown sessions are not included.
  public var sessions: [String: Int]
  /// The labelled spans of each label.
  public var spans: [String: Label]
  /// The number of steps outside of all labelled spans, in recordings with spans.
  public var unlabelledSteps: Int

  /// Describes the series of `dataset`, or returns `nil` if there are none.
  init?(of dataset: Dataset) {
    count = 0
    channels = []
    measures = []
    unknownRateCount = 0
    sessions = [:]
    spans = [:]
    unlabelledSteps = 0
    var positions: [String: Int] = [:]
    var sums: [Double] = []
    var totals: [Int] = []
    var lengths: [Double] = []
    var rates: [Double] = []
    var durations: [Double] = []
    for example in dataset.examples {
      guard case .series(let series) = example.content else { continue }
      count += 1
      lengths.append(Double(series.length))
      if let rate = series.meanRate { rates.append(rate) } else { unknownRateCount += 1 }
      if let duration = series.duration { durations.append(duration) }
      if let sitting = example.sitting { sessions[sitting, default: 0] += 1 }
      let places = series.channels.map { name in
        if let position = positions[name] { return position }
        positions[name] = channels.count
        channels.append(Channel(name: name, recordings: 0, missing: 0))
        sums.append(0)
        totals.append(0)
        return channels.count - 1
      }
      for (channel, place) in places.enumerated() {
        channels[place].recordings += 1
        totals[place] += series.length
        Self.add(series, channel: channel, to: &channels[place], sum: &sums[place])
      }
      guard !example.spans.isEmpty else { continue }
      var isLabelled = [Bool](repeating: false, count: series.length)
      for span in example.spans {
        spans[span.label, default: Label(spans: 0, steps: 0)].spans += 1
        spans[span.label]!.steps += span.range.count
        for step in span.range { isLabelled[step] = true }
      }
      unlabelledSteps += isLabelled.count { !$0 }
    }
    guard count > 0 else { return nil }
    for index in channels.indices where totals[index] > channels[index].missing {
      channels[index].mean = sums[index] / Double(totals[index] - channels[index].missing)
    }
    measures = [
      ("length, steps", lengths), ("rate, steps per second", rates), ("duration, s", durations),
    ].compactMap { name, values in DatasetDescription.Measure(name: name, of: values) }
  }

  private static func add(
    _ series: Series, channel: Int, to description: inout Channel, sum: inout Double
  ) {
    var (least, greatest) = (Float.infinity, -Float.infinity)
    var missing = 0
    var total = 0.0
    for index in stride(from: channel, to: series.values.count, by: series.channels.count) {
      let value = series.values[index]
      guard !value.isNaN else {
        missing += 1
        continue
      }
      least = min(least, value)
      greatest = max(greatest, value)
      total += Double(value)
    }
    description.missing += missing
    guard missing < series.length else { return }
    sum += total
    description.least = min(description.least ?? .infinity, Double(least))
    description.greatest = max(description.greatest ?? -.infinity, Double(greatest))
  }
}
