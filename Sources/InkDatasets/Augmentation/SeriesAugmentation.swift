import Foundation
import InkSeries
import SeededRandom

/// Random variations of series during training.
///
/// Each value is the maximum of a variation; 0 turns it off. They are applied in this order:
/// cropping, time warp, rotation, scaling, jitter.
public struct SeriesAugmentation: Hashable, Sendable, Codable {
  /// The share of the steps that is cut off, in total at both ends.
  public var crop: Double
  /// The change of speed: 0.2 is from 0.8 to 1.2 times the speed, changing smoothly.
  ///
  /// The number of steps and their times stay.
  public var warp: Double
  /// The rotation of groups of three axes around a random axis, in radians.
  ///
  /// All groups are rotated alike, because they belong to one device.
  public var rotation: Double
  /// The names of the channels in each group of three axes, or `nil` for those whose names differ
  /// only in one letter x, y and z, such as `acc_x`, `acc_y` and `acc_z`.
  public var axes: [[String]]?
  /// The change of scale of each group of axes or other channel: 0.1 is from 1/1.1 to 1.1.
  public var scaling: Double
  /// The standard deviation of random noise, as a share of that of the channel.
  public var jitter: Double

  /// Creates an augmentation; variations that are not given are off.
  public init(
    crop: Double = 0, warp: Double = 0, rotation: Double = 0, axes: [[String]]? = nil,
    scaling: Double = 0, jitter: Double = 0
  ) {
    self.crop = crop
    self.warp = warp
    self.rotation = rotation
    self.axes = axes
    self.scaling = scaling
    self.jitter = jitter
  }

  /// No variation.
  public static let none = SeriesAugmentation()

  /// Moderate variations for sensors that are worn, such as a watch.
  public static let wearable = SeriesAugmentation(
    crop: 0.1, warp: 0.15, rotation: 0.25, scaling: 0.1, jitter: 0.03)

  /// Variations that suit most sensors: they keep the length, and turn the device by at most 29°.
  ///
  /// People move in different directions, and wear a device at different angles. With half of this
  /// rotation, a model of the punches of three people (`scripts/reference/make-punches.py`) took up to a
  /// tenth of another person's punches of one class for other movements, depending on the seed.
  public static let mild = SeriesAugmentation(
    warp: 0.15, rotation: 0.5, scaling: 0.2, jitter: 0.05)

  /// The augmentations by name.
  public static let named: [String: SeriesAugmentation] = [
    "none": .none, "mild": .mild, "wearable": .wearable,
  ]

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case crop, warp, rotation, axes, scaling, jitter
  }

  /// Reads the JSON form; variations that are not given are off.
  ///
  /// - Throws: `DecodingError` if a value has the wrong type or is out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func number(_ key: CodingKeys, _ range: ClosedRange<Double>) throws -> Double {
      let value = try container.decodeIfPresent(Double.self, forKey: key) ?? 0
      guard range.contains(value) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription: "expected a number from \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }
    crop = try number(.crop, 0...0.9)
    warp = try number(.warp, 0...0.9)
    rotation = try number(.rotation, 0 ... .pi)
    axes = try container.decodeIfPresent([[String]].self, forKey: .axes)
    if let group = axes?.first(where: { Set($0).count != 3 || $0.count != 3 }) {
      throw DecodingError.dataCorruptedError(
        forKey: .axes, in: container,
        debugDescription:
          "expected groups of three different channels, found \(group.joined(separator: ", "))")
    }
    scaling = try number(.scaling, 0...10)
    jitter = try number(.jitter, 0...10)
  }

  /// Returns the positions of the channels in groups of three axes.
  ///
  /// A group whose channels are not all there is left out.
  public func groups(in channels: [String]) -> [[Int]] {
    if let axes {
      return axes.map { $0.compactMap { channels.firstIndex(of: $0) } }.filter { $0.count == 3 }
    }
    let lower = channels.map { Array($0.lowercased()) }
    var groups: [[Int]] = []
    var used = Set<Int>()
    for (index, name) in lower.enumerated() where !used.contains(index) {
      for (position, letter) in name.enumerated() where letter == "x" {
        var (second, third) = (name, name)
        (second[position], third[position]) = ("y", "z")
        guard let y = lower.firstIndex(of: second), let z = lower.firstIndex(of: third) else {
          continue
        }
        groups.append([index, y, z])
        used.formUnion([index, y, z])
        break
      }
    }
    return groups
  }

  /// Returns a random variation of a series.
  public func vary(_ series: Series, using generator: inout SeededGenerator) -> Series {
    vary(series, spans: [], using: &generator).series
  }

  /// Returns a random variation of a series and of the labelled parts in it.
  ///
  /// Parts that are cut off as a whole are left out.
  public func vary(
    _ series: Series, spans: [Span], using generator: inout SeededGenerator
  ) -> (series: Series, spans: [Span]) {
    guard self != .none else { return (series, spans) }
    var (varied, spans) = cropped(series, spans, using: &generator)
    (varied, spans) = warped(varied, spans, using: &generator)
    var values = varied.values
    changeValues(&values, channels: varied.channels, using: &generator)
    let most = Float.greatestFiniteMagnitude
    for index in values.indices where values[index].isInfinite {
      values[index] = values[index] > 0 ? most : -most
    }
    return (
      Series(
        unchecked: values, channels: varied.channels, rate: varied.rate, times: varied.times), spans
    )
  }

  private func cropped(
    _ series: Series, _ spans: [Span], using generator: inout SeededGenerator
  ) -> (Series, [Span]) {
    guard crop > 0 else { return (series, spans) }
    let removed = Int(Double(series.length) * generator.uniform(0...crop))
    let start = generator.index(below: removed + 1)
    let kept = start..<start + max(1, series.length - removed)
    return (
      series.part(kept),
      spans.compactMap { span in
        let range = span.range.clamped(to: kept)
        guard !range.isEmpty else { return nil }
        return Span(range.lowerBound - start..<range.upperBound - start, label: span.label)
      }
    )
  }

  /// Changes the speed by three waves that vanish at the ends.
  private func warped(
    _ series: Series, _ spans: [Span], using generator: inout SeededGenerator
  ) -> (Series, [Span]) {
    guard warp > 0 else { return (series, spans) }
    let speeds = (1...3).map { _ in generator.uniform(-warp / 3...warp / 3) }
    let last = series.length - 1
    let positions = (0...last).map { step -> Double in
      let share = last > 0 ? Double(step) / Double(last) : 0
      let shift = speeds.enumerated().reduce(0.0) { sum, wave in
        let frequency = Double(wave.offset + 1) * .pi
        return sum + wave.element * sin(frequency * share) / frequency
      }
      return min(Double(last), max(0, (share + shift) * Double(last)))
    }
    let count = series.channels.count
    var values: [Float] = []
    values.reserveCapacity(series.values.count)
    for position in positions {
      let step = min(Int(position), last)
      let fraction = position - Double(step)
      for channel in 0..<count {
        let value = series[step, channel]
        guard fraction > 0, step < last else {
          values.append(value)
          continue
        }
        let next = series[step + 1, channel]
        values.append(Float(Double(value) + (Double(next) - Double(value)) * fraction))
      }
    }
    /// The first step that reads from `step` or later.
    func warpedStep(_ step: Int) -> Int {
      positions.firstIndex { $0 >= Double(step) - 0.5 } ?? positions.count
    }
    return (
      Series(
        unchecked: values, channels: series.channels, rate: series.rate, times: series.times),
      spans.compactMap { span in
        let range = warpedStep(span.range.lowerBound)..<warpedStep(span.range.upperBound)
        return range.isEmpty ? nil : Span(range, label: span.label)
      }
    )
  }

  /// Rotates, scales and adds noise.
  private func changeValues(
    _ values: inout [Float], channels: [String], using generator: inout SeededGenerator
  ) {
    let count = channels.count
    let groups = rotation > 0 || scaling > 0 ? groups(in: channels) : []
    if rotation > 0, !groups.isEmpty {
      let matrix = Self.rotation(by: generator.uniform(-rotation...rotation), using: &generator)
      for start in stride(from: 0, to: values.count, by: count) {
        for group in groups {
          let old = group.map { values[start + $0] }
          for (row, channel) in group.enumerated() {
            values[start + channel] =
              matrix[row][0] * old[0] + matrix[row][1] * old[1] + matrix[row][2] * old[2]
          }
        }
      }
    }
    if scaling > 0 {
      var factors = [Float](repeating: 0, count: count)
      let grouped = Set(groups.joined())
      let single = channels.indices.filter { !grouped.contains($0) }
      for group in groups + single.map({ [$0] }) {
        let exponent = generator.uniform(-1...1)
        for channel in group { factors[channel] = Float(pow(1 + scaling, exponent)) }
      }
      for index in values.indices { values[index] *= factors[index % count] }
    }
    if jitter > 0 {
      let deviations = (0..<count).map { channel in
        Float(jitter) * Self.deviation(of: values, channel: channel, count: count)
      }
      for index in values.indices {
        values[index] += Float(generator.normal()) * deviations[index % count]
      }
    }
  }

  /// Returns the matrix of a rotation by `angle` around a random axis (Rodrigues, 1840).
  private static func rotation(
    by angle: Double, using generator: inout SeededGenerator
  ) -> [[Float]] {
    let axis = SIMD3(generator.normal(), generator.normal(), generator.normal())
    let length = (axis * axis).sum().squareRoot()
    let unit = length > 1e-9 ? axis / length : SIMD3(0, 0, 1)
    let (cosine, sine) = (cos(angle), sin(angle))
    let cross: [[Double]] = [
      [0, -unit.z, unit.y], [unit.z, 0, -unit.x], [-unit.y, unit.x, 0],
    ]
    return (0..<3).map { row in
      (0..<3).map { column in
        Float(
          (row == column ? cosine : 0) + sine * cross[row][column]
            + (1 - cosine) * unit[row] * unit[column])
      }
    }
  }

  /// Returns the standard deviation of a channel without its gaps.
  private static func deviation(of values: [Float], channel: Int, count: Int) -> Float {
    let measured = stride(from: channel, to: values.count, by: count)
      .map { Double(values[$0]) }.filter { $0.isFinite }
    guard !measured.isEmpty else { return 0 }
    let mean = measured.reduce(0, +) / Double(measured.count)
    let squares = measured.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return Float((squares / Double(measured.count)).squareRoot())
  }
}
