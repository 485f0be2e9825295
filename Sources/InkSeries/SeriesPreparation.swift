/// How a series becomes the input of a network; a model stores it.
///
/// The steps, in this order:
/// 1. The channels are selected by name.
/// 2. Gaps are filled: linearly between the neighbours in time, and with the nearest value at the
///    ends. A channel without any value gets its mean of the training part.
/// 3. The series is resampled to ``rate`` by linear interpolation.
/// 4. The whole series is resampled to the number of steps that ``length`` gives.
/// 5. Each channel is normalised: `(value − mean) / scale`.
public struct SeriesPreparation: Hashable, Sendable {
  /// The number of steps of a prepared series.
  public enum Length: Hashable, Sendable {
    /// Every series has this number of steps.
    case exactly(Int)
    /// A longer series has this number of steps; shorter ones keep theirs.
    case atMost(Int)
  }

  /// The names of the channels, in the order of the network.
  public let channels: [String]
  /// The steps per second that series are resampled to, or `nil` if they stay as they are.
  public let rate: Double?
  /// The length that series are resampled to, or `nil` if they keep theirs.
  public let length: Length?
  /// The mean of each channel, measured from the training part.
  public let means: [Float]
  /// The standard deviation of each channel, measured from the training part; 1 for a constant.
  public let scales: [Float]

  /// The maximum number of values of a prepared series.
  public static let maximumValues = 1 << 28

  /// Creates a preparation; without `means` and `scales`, values stay as they are.
  ///
  /// - Throws: `SeriesError` if a setting is out of its range.
  public init(
    channels: [String], rate: Double? = nil, length: Length? = nil, means: [Float]? = nil,
    scales: [Float]? = nil
  ) throws(SeriesError) {
    try Series.check(channels)
    if let rate, !(rate > 0 && rate.isFinite) { throw .wrongRate(rate) }
    let means = means ?? [Float](repeating: 0, count: channels.count)
    let scales = scales ?? [Float](repeating: 1, count: channels.count)
    guard means.count == channels.count, scales.count == channels.count else {
      throw .invalidSetting(
        "expected \(channels.count) means and scales, one for each channel, found "
          + "\(means.count) and \(scales.count)")
    }
    guard means.allSatisfy(\.isFinite), scales.allSatisfy({ $0.isFinite && $0 > 0 }) else {
      throw .invalidSetting("expected finite means and scales above 0, found others")
    }
    if let steps = length?.steps, !(1...Self.maximumValues / channels.count).contains(steps) {
      throw .invalidSetting(
        "expected a length from 1 to \(Self.maximumValues / channels.count), found \(steps)")
    }
    self.channels = channels
    self.rate = rate
    self.length = length
    self.means = means
    self.scales = scales
  }

  /// Returns a preparation with mean and scale of each channel, measured from `series`.
  ///
  /// Give the training part only. Values are measured after gap filling and resampling. Without
  /// `channels`, those of the first series are used.
  ///
  /// - Throws: `SeriesError` if there is no series, or if one does not fit.
  public static func measured(
    on series: some Sequence<Series>, channels: [String]? = nil, rate: Double? = nil,
    length: Length? = nil
  ) throws -> SeriesPreparation {
    var plain: SeriesPreparation?
    var moments: [Moments] = []
    for series in series {
      let preparation =
        try plain
        ?? SeriesPreparation(channels: channels ?? series.channels, rate: rate, length: length)
      if plain == nil {
        plain = preparation
        moments = preparation.channels.map { _ in Moments() }
      }
      let columns = try preparation.resampledColumns(of: series)
      for (channel, column) in columns.values.enumerated() where column.hasValues {
        moments[channel].add(column.values)
      }
    }
    guard let plain else { throw SeriesError.empty }
    return try SeriesPreparation(
      channels: plain.channels, rate: rate, length: length, means: moments.map(\.floatMean),
      scales: moments.map(\.floatScale))
  }

  /// Returns the series as the network reads it: without gaps, resampled and normalised.
  ///
  /// - Throws: `SeriesError` if a channel is unknown, the rate is needed but unknown, no channel has
  ///   a value, or the result would have more than ``maximumValues`` values.
  public func prepare(_ series: Series) throws(SeriesError) -> Series {
    let columns = try resampledColumns(of: series)
    let count = channels.count
    var values = [Float](repeating: 0, count: columns.length * count)
    let most = Double(Float.greatestFiniteMagnitude)
    for (channel, column) in columns.values.enumerated() {
      // A channel without values is its mean, and so 0.
      guard column.hasValues else { continue }
      let (mean, scale) = (Double(means[channel]), Double(scales[channel]))
      for (step, value) in column.values.enumerated() {
        values[step * count + channel] = Float(min(most, max(-most, (value - mean) / scale)))
      }
    }
    return Series(
      unchecked: values, channels: channels, rate: columns.rate, times: columns.times)
  }

  /// Returns the series without gaps and resampled, but not normalised.
  ///
  /// A channel without any value stays without values.
  ///
  /// - Throws: `SeriesError` as ``prepare(_:)``.
  func resample(_ series: Series) throws(SeriesError) -> Series {
    let columns = try resampledColumns(of: series)
    let count = channels.count
    var values = [Float](repeating: .nan, count: columns.length * count)
    for (channel, column) in columns.values.enumerated() where column.hasValues {
      for (step, value) in column.values.enumerated() {
        values[step * count + channel] = Float(value)
      }
    }
    return Series(
      unchecked: values, channels: channels, rate: columns.rate, times: columns.times)
  }

  /// One channel without gaps.
  private struct Column {
    var values: [Double]
    /// Whether any value was measured.
    var hasValues = true
  }

  /// The channels after gap filling and resampling.
  private struct Columns {
    var values: [Column]
    var rate: Double?
    var times: [Double]?
    var length: Int { values[0].values.count }
  }

  /// Returns the channels before normalisation.
  private func resampledColumns(of series: Series) throws(SeriesError) -> Columns {
    let series = try series.selecting(channels)
    let times = series.times
    var columns = Columns(
      values: channels.indices.map { Self.filled(series, channel: $0) }, rate: series.rate,
      times: times)
    guard columns.values.contains(where: \.hasValues) else { throw .allMissing }

    /// Replaces the columns by their values at `positions`, in steps.
    func resample(at positions: [Double]) {
      for channel in columns.values.indices {
        columns.values[channel].values = positions.map {
          Self.value(of: columns.values[channel].values, at: $0)
        }
      }
    }
    if let rate, times != nil || series.rate != rate {
      guard let duration = series.duration else { throw .unknownRate }
      let exact = (duration * rate * (1 + 1e-12)).rounded(.down) + 1
      guard exact * Double(channels.count) <= Double(Self.maximumValues) else {
        throw .tooLong(steps: exact, most: Self.maximumValues / channels.count)
      }
      if let times {
        resample(at: Self.positions(in: times, count: Int(exact), interval: 1000 / rate))
      } else {
        let ratio = series.rate! / rate
        resample(at: (0..<Int(exact)).map { Double($0) * ratio })
      }
      columns.rate = rate
      columns.times = nil
    }
    let steps: Int? =
      switch length {
      case .exactly(let steps) where steps != columns.length: steps
      case .atMost(let steps) where steps < columns.length: steps
      default: nil
      }
    if let steps {
      let ratio = Double(columns.length - 1) / Double(max(1, steps - 1))
      let positions = (0..<steps).map { Double($0) * ratio }
      columns.times = columns.times.map { times in positions.map { Self.value(of: times, at: $0) } }
      // The steps of a shorter series have another distance in time.
      columns.rate = ratio > 0 ? columns.rate.map { $0 / ratio } : nil
      resample(at: positions)
    }
    return columns
  }

  /// Returns a channel with its gaps filled.
  private static func filled(_ series: Series, channel: Int) -> Column {
    let measured = series.values(ofChannel: channel)
    var values = measured.map(Double.init)
    guard measured.contains(where: \.isNaN) else { return Column(values: values) }
    func time(_ step: Int) -> Double { series.times?[step] ?? Double(step) }
    var last: Int?
    for step in values.indices where !values[step].isNaN {
      let start = last.map { $0 + 1 } ?? 0
      for gap in start..<step {
        guard let last else {
          values[gap] = values[step]
          continue
        }
        let width = time(step) - time(last)
        let fraction = width > 0 ? (time(gap) - time(last)) / width : 0.5
        values[gap] = values[last] + (values[step] - values[last]) * fraction
      }
      last = step
    }
    guard let last else {
      return Column(values: [Double](repeating: 0, count: values.count), hasValues: false)
    }
    for gap in last + 1..<values.count { values[gap] = values[last] }
    return Column(values: values)
  }

  /// Returns the value at a position between two steps.
  private static func value(of values: [Double], at position: Double) -> Double {
    let last = values.count - 1
    let step = min(Int(position), last)
    let fraction = position - Double(step)
    guard step < last, fraction > 0 else { return values[step] }
    return values[step] + (values[step + 1] - values[step]) * fraction
  }

  /// Returns the positions, in steps, of `count` times from the first one on.
  ///
  /// Of several steps at the same time, the last one counts.
  private static func positions(in times: [Double], count: Int, interval: Double) -> [Double] {
    var step = 0
    return (0..<count).map { index in
      let time = times[0] + Double(index) * interval
      while step + 1 < times.count, times[step + 1] <= time { step += 1 }
      guard step + 1 < times.count else { return Double(times.count - 1) }
      return Double(step) + (time - times[step]) / (times[step + 1] - times[step])
    }
  }

  /// The number of values, their mean and the sum of squared differences from it.
  private struct Moments {
    var count = 0.0
    var mean = 0.0
    var squares = 0.0

    /// Adds a channel of one series (Chan, Golub & LeVeque, 1983).
    mutating func add(_ values: [Double]) {
      let number = Double(values.count)
      let partMean = values.reduce(0, +) / number
      let partSquares = values.reduce(0) { $0 + ($1 - partMean) * ($1 - partMean) }
      let total = count + number
      let difference = partMean - mean
      mean += difference * number / total
      squares += partSquares + difference * difference * count * number / total
      count = total
    }

    var floatMean: Float { Float(mean) }

    var floatScale: Float {
      guard count > 0 else { return 1 }
      let deviation = (squares / count).squareRoot()
      // Below this, the differences are those of rounding.
      let least = max(abs(mean) * Double(Float.ulpOfOne), Double(Float.leastNormalMagnitude))
      return deviation > least ? Float(min(deviation, Double(Float.greatestFiniteMagnitude))) : 1
    }
  }
}

extension SeriesPreparation.Length {
  /// The number of steps.
  public var steps: Int {
    switch self {
    case .exactly(let steps), .atMost(let steps): steps
    }
  }
}

extension SeriesPreparation: Codable {
  private enum CodingKeys: String, CodingKey {
    case channels, rate, length, maxLength, means, scales
  }

  /// Reads the JSON form: `channels`, `means`, `scales`, and `rate`, `length` (the exact number of
  /// steps) and `maxLength`, which may be absent.
  ///
  /// - Throws: `DecodingError` if a value has the wrong type or is out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let exact = try container.decodeIfPresent(Int.self, forKey: .length)
    let most = try container.decodeIfPresent(Int.self, forKey: .maxLength)
    do {
      guard exact == nil || most == nil else {
        throw SeriesError.invalidSetting("expected length or maxLength, found both")
      }
      try self.init(
        channels: container.decode([String].self, forKey: .channels),
        rate: container.decodeIfPresent(Double.self, forKey: .rate),
        length: exact.map { .exactly($0) } ?? most.map { .atMost($0) },
        means: container.decode([Float].self, forKey: .means),
        scales: container.decode([Float].self, forKey: .scales))
    } catch let error as SeriesError {
      throw error.decodingError(at: decoder)
    }
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(channels, forKey: .channels)
    try container.encodeIfPresent(rate, forKey: .rate)
    switch length {
    case .exactly(let steps)?: try container.encode(steps, forKey: .length)
    case .atMost(let steps)?: try container.encode(steps, forKey: .maxLength)
    case nil: break
    }
    try container.encode(means, forKey: .means)
    try container.encode(scales, forKey: .scales)
  }
}
