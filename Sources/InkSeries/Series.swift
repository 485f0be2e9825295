/// A recording of sensors: values of named channels, step after step.
///
/// A value that was not measured is NaN. Two series with the same gaps are equal.
public struct Series: Sendable {
  /// The names of the channels.
  public let channels: [String]
  /// The values, `[length, channels]`: all channels of the first step, then those of the next.
  public let values: [Float]
  /// The number of steps per second, or `nil` if it is unknown.
  public let rate: Double?
  /// The time of each step, in milliseconds from any origin, never decreasing; or `nil` if unknown.
  public let times: [Double]?

  /// The number of steps.
  public var length: Int { values.count / channels.count }

  /// Creates a series.
  ///
  /// - Throws: `SeriesError` if there is no channel or no step, if a value is infinite, or if names,
  ///   counts, rate or times are not as described.
  public init(
    channels: [String], values: [Float], rate: Double? = nil, times: [Double]? = nil
  ) throws(SeriesError) {
    try Self.check(channels)
    guard values.count % channels.count == 0 else {
      throw .partialStep(values: values.count, channels: channels.count)
    }
    guard !values.isEmpty else { throw .empty }
    if let index = values.firstIndex(where: { $0.isInfinite }) {
      throw .infinite(step: index / channels.count, channel: channels[index % channels.count])
    }
    if let rate, !(rate > 0 && rate.isFinite) { throw .wrongRate(rate) }
    if let times {
      let length = values.count / channels.count
      guard times.count == length else {
        throw .wrongTimeCount(times.count, length: length)
      }
      for (step, time) in times.enumerated() {
        guard time.isFinite else { throw .infiniteTime(step: step) }
        if step > 0, time < times[step - 1] {
          throw .decreasingTime(step: step, from: times[step - 1], to: time)
        }
      }
    }
    self.channels = channels
    self.values = values
    self.rate = rate
    self.times = times
  }

  /// Creates a series of values that are known to be correct.
  package init(unchecked values: [Float], channels: [String], rate: Double?, times: [Double]?) {
    self.channels = channels
    self.values = values
    self.rate = rate
    self.times = times
  }

  /// The value of a channel at a step; NaN if it was not measured.
  ///
  /// - Precondition: the series has this step and this channel.
  public subscript(step: Int, channel: Int) -> Float { values[step * channels.count + channel] }

  /// The time from the first to the last step, in seconds, or `nil` if it is unknown.
  public var duration: Double? {
    if let times { return (times[times.count - 1] - times[0]) / 1000 }
    return rate.map { Double(length - 1) / $0 }
  }

  /// The steps per second: ``rate``, or else the mean over ``times``; `nil` if both are unknown.
  public var meanRate: Double? {
    if let rate { return rate }
    guard let duration, duration > 0 else { return nil }
    return Double(length - 1) / duration
  }

  /// Returns the series with this rate if neither its rate nor its times are known.
  package func assuming(rate: Double) -> Series {
    meanRate == nil
      ? Series(unchecked: values, channels: channels, rate: rate, times: times) : self
  }

  /// Returns the values of one channel.
  ///
  /// - Precondition: the series has a channel of this number.
  public func values(ofChannel channel: Int) -> [Float] {
    precondition(channels.indices.contains(channel), "there are \(channels.count) channels")
    return stride(from: channel, to: values.count, by: channels.count).map { values[$0] }
  }

  /// Returns a part of the series.
  ///
  /// - Precondition: `steps` is not empty and within the series.
  public func part(_ steps: Range<Int>) -> Series {
    precondition(
      !steps.isEmpty && steps.lowerBound >= 0 && steps.upperBound <= length,
      "a part has steps of the series")
    let count = channels.count
    return Series(
      unchecked: Array(values[steps.lowerBound * count..<steps.upperBound * count]),
      channels: channels, rate: rate, times: times.map { Array($0[steps]) })
  }

  /// Returns the channels `names`, in this order.
  ///
  /// - Throws: `SeriesError` if the series has no channel of a name, or if a name is given twice.
  public func selecting(_ names: [String]) throws(SeriesError) -> Series {
    guard names != channels else { return self }
    try Self.check(names)
    var columns: [Int] = []
    for name in names {
      guard let column = channels.firstIndex(of: name) else {
        throw .unknownChannel(name, known: channels)
      }
      columns.append(column)
    }
    var selected: [Float] = []
    selected.reserveCapacity(length * columns.count)
    for start in stride(from: 0, to: values.count, by: channels.count) {
      for column in columns { selected.append(values[start + column]) }
    }
    return Series(unchecked: selected, channels: names, rate: rate, times: times)
  }

  /// Checks that there are channels, and that their names differ.
  static func check(_ channels: [String]) throws(SeriesError) {
    guard !channels.isEmpty else { throw .noChannels }
    var seen = Set<String>()
    for name in channels where !seen.insert(name).inserted { throw .repeatedChannel(name) }
  }
}

extension Series: Hashable {
  /// Returns whether both have the same channels, values, gaps, rate and times.
  public static func == (one: Series, other: Series) -> Bool {
    one.channels == other.channels && one.rate == other.rate && one.times == other.times
      && one.values.count == other.values.count
      && zip(one.values, other.values).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }
  }

  /// Adds channels, length and the first values to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(channels)
    hasher.combine(values.count)
    for value in values.prefix(16) where !value.isNaN { hasher.combine(value) }
  }
}

/// A labelled part of a recording.
public struct Span: Hashable, Sendable {
  /// The steps of the part.
  public var range: Range<Int>
  /// The label.
  public var label: String

  /// Creates a span.
  public init(_ range: Range<Int>, label: String) {
    self.range = range
    self.label = label
  }
}
