extension Series {
  /// Returns the series with `rate` steps per second, by linear interpolation.
  ///
  /// Gaps are filled, except in a channel without values. A series that has this rate already is
  /// returned as it is.
  ///
  /// - Throws: `SeriesError` if neither rate nor times are known, no channel has a value, or the
  ///   result would be too long.
  public func resampled(toRate rate: Double) throws(SeriesError) -> Series {
    guard times != nil || self.rate != rate else { return self }
    return try SeriesPreparation(channels: channels, rate: rate).resample(self)
  }

  /// Returns spans of this series as spans of ``resampled(toRate:)``, which has `length` steps.
  ///
  /// A step belongs to a span if its time is from that of the first step of the span to before that
  /// of the first step after it. A span without any step is left out.
  public func resampled(_ spans: [Span], toRate rate: Double, length: Int) -> [Span] {
    func step(_ old: Int) -> Int {
      guard old < self.length else { return length }
      let seconds: Double
      if let times {
        seconds = (times[old] - times[0]) / 1000
      } else {
        seconds = self.rate.map { Double(old) / $0 } ?? 0
      }
      // A time that is a whole number of steps, up to rounding, is that step.
      return min(length, Int((seconds * rate - 1e-6).rounded(.up)))
    }
    guard times != nil || self.rate != rate else { return spans }
    return spans.compactMap { span in
      let range = (step(span.range.lowerBound), step(span.range.upperBound))
      return range.0 < range.1 ? Span(range.0..<range.1, label: span.label) : nil
    }
  }
}

/// A resampler that gets rows at any times and gives rows at a fixed rate, as soon as they are known.
///
/// It gives the values of `Series.resampled(toRate:)`, but does not fill gaps: a value between a
/// number and a gap is a gap. It does not allocate memory for a row.
public struct RowResampler: Sendable {
  /// The number of rows per second.
  public let rate: Double
  /// The longest pause between two rows that is filled, in milliseconds.
  public let longestPause: Double

  private var first = 0.0
  private var last: Double?
  private var lastRow: [Float]
  private var row: [Float]
  private var count = 0

  /// Creates a resampler of rows with `channelCount` values.
  ///
  /// - Precondition: `rate` is positive and finite, and `channelCount` is not negative.
  public init(rate: Double, channelCount: Int, longestPause: Double = 60_000) {
    precondition(rate > 0 && rate.isFinite, "the rate must be above 0")
    self.rate = rate
    self.longestPause = longestPause
    lastRow = [Float](repeating: .nan, count: channelCount)
    row = lastRow
  }

  /// Adds a row with its time in milliseconds, which does not decrease, and calls `body` with each
  /// row that is known now.
  ///
  /// A pause longer than ``longestPause`` is shortened to one step. Returns whether it was.
  ///
  /// - Precondition: there is a value for each channel.
  @discardableResult
  public mutating func append(
    _ values: [Float], at time: Double, _ body: ([Float]) throws -> Void
  ) rethrows -> Bool {
    precondition(values.count == row.count, "a row has the channels of the others")
    let interval = 1000 / rate
    guard let before = last else {
      first = time
      last = time
      lastRow = values
      count = 1
      try body(values)
      return false
    }
    let isTooLong = time - before > longestPause
    if isTooLong {
      // The next step is this row.
      first = time - Double(count) * interval
    }
    while true {
      let next = first + Double(count) * interval
      guard next <= time + 1e-6 * interval else { break }
      let fraction = isTooLong || time <= before ? 1 : min(1, (next - before) / (time - before))
      for channel in row.indices {
        let (a, b) = (Double(lastRow[channel]), Double(values[channel]))
        row[channel] = fraction == 1 ? values[channel] : Float(a + (b - a) * fraction)
      }
      count += 1
      try body(row)
    }
    last = time
    for channel in row.indices { lastRow[channel] = values[channel] }
    return isTooLong
  }
}
