import Foundation
import Ink

/// How the strokes of a drawing become a series; a model stores it.
///
/// Each stroke is resampled to steps at equal distances of length or time. The steps of all
/// strokes follow each other in drawing order. The movement from the end of one stroke to the start
/// of the next is one step, with the channel `penUp` equal to 1.
public struct StrokeEncoder: Hashable, Sendable {
  /// A channel of the series.
  ///
  /// Lengths are shares of the drawing's longer side, or canvas points if the scale is kept.
  public enum Channel: String, Hashable, Sendable, Codable, CaseIterable {
    /// The distance to the right of the drawing's centre, which is that of its bounds.
    case x
    /// The distance below the drawing's centre.
    case y
    /// The movement to the right since the step before; 0 at the first step.
    case dx
    /// The movement downwards since the step before; 0 at the first step.
    case dy
    /// The cosine of the direction of this movement; 0 without movement.
    case cos
    /// The sine of the direction of this movement; 0 without movement.
    case sin
    /// 1 if the pen was lifted for this movement, otherwise 0.
    case penUp
    /// The time since the step before, in seconds; 0 at the first step.
    case dt
  }

  /// The distances of the steps.
  public enum Sampling: Hashable, Sendable {
    /// This number of steps for every drawing.
    ///
    /// Strokes share them by length. With more strokes than steps, some strokes are left out.
    case steps(Int)
    /// Steps at this distance, as a share of the drawing's longer side.
    case distance(Double)
    /// Steps at this interval, in milliseconds; each point needs a time.
    case time(Double)
  }

  /// The channels, in order.
  public let channels: [Channel]
  /// The distances of the steps.
  public let sampling: Sampling
  /// The minimum number of steps of a stroke with extent; not used for a fixed number of steps.
  public let minStrokeSteps: Int
  /// The maximum number of steps of a drawing.
  public let maxSteps: Int
  /// Whether lengths are in canvas points; otherwise the drawing's longer side is 1.
  public let keepsScale: Bool
  /// Whether the drawing keeps its angle.
  ///
  /// Otherwise it is rotated so that the line from its first point to the centroid of its steps
  /// points to the right (Wobbrock, Wilson & Li, 2007).
  public let keepsRotation: Bool

  /// The maximum of ``maxSteps``.
  public static let maximumSteps = 65_536

  /// The default: eight steps or more per stroke at 1/20 of the drawing's size, at most 160 steps;
  /// position, movement, direction and pen-up; scale removed, rotation kept.
  public static let standard = StrokeEncoder(
    unchecked: [.x, .y, .dx, .dy, .cos, .sin, .penUp], sampling: .distance(0.05),
    minStrokeSteps: 8, maxSteps: 160, keepsScale: false, keepsRotation: true)

  /// Creates an encoder.
  ///
  /// - Throws: `SeriesError` if a setting is out of its range.
  public init(
    channels: [Channel] = standard.channels, sampling: Sampling = standard.sampling,
    minStrokeSteps: Int = standard.minStrokeSteps, maxSteps: Int = standard.maxSteps,
    keepsScale: Bool = standard.keepsScale, keepsRotation: Bool = standard.keepsRotation
  ) throws(SeriesError) {
    try Series.check(channels.map(\.rawValue))
    func check(_ isFine: Bool, _ expected: String, _ found: Any) throws(SeriesError) {
      guard isFine else { throw .invalidSetting("expected \(expected), found \(found)") }
    }
    try check(
      (1...Self.maximumSteps).contains(maxSteps), "maxSteps from 1 to \(Self.maximumSteps)",
      maxSteps)
    try check(
      (2...Self.maximumSteps).contains(minStrokeSteps),
      "minStrokeSteps from 2 to \(Self.maximumSteps)", minStrokeSteps)
    switch sampling {
    case .steps(let steps):
      try check(
        (1...Self.maximumSteps).contains(steps), "steps from 1 to \(Self.maximumSteps)", steps)
    case .distance(let share):
      try check((0.001...1).contains(share), "a distance from 0.001 to 1", share)
    case .time(let interval):
      try check(
        (0.1...60_000).contains(interval), "an interval from 0.1 to 60000 ms", interval)
    }
    self.init(
      unchecked: channels, sampling: sampling, minStrokeSteps: minStrokeSteps, maxSteps: maxSteps,
      keepsScale: keepsScale, keepsRotation: keepsRotation)
  }

  private init(
    unchecked channels: [Channel], sampling: Sampling, minStrokeSteps: Int, maxSteps: Int,
    keepsScale: Bool, keepsRotation: Bool
  ) {
    self.channels = channels
    self.sampling = sampling
    self.minStrokeSteps = minStrokeSteps
    self.maxSteps = maxSteps
    self.keepsScale = keepsScale
    self.keepsRotation = keepsRotation
  }

  /// Returns the series of a drawing; it never has gaps.
  ///
  /// A drawing without extent gives one step for each stroke, or the fixed number of equal steps.
  ///
  /// - Throws: `SeriesError` if the drawing has no point, a coordinate is not finite, or a time is
  ///   needed but missing.
  public func encode(_ drawing: Drawing) throws(SeriesError) -> Series {
    let (strokes, extent) = try unitStrokes(of: drawing)
    var steps = resampled(strokes)
    if !keepsRotation { Self.turn(&steps) }
    let scale = place(&steps, extent: extent)

    var values: [Float] = []
    values.reserveCapacity(steps.count * channels.count)
    for (index, step) in steps.enumerated() {
      let previous = index > 0 ? steps[index - 1] : step
      let (dx, dy) = (step.point.x - previous.point.x, step.point.y - previous.point.y)
      let distance = (dx * dx + dy * dy).squareRoot()
      for channel in channels {
        let value =
          switch channel {
          case .x: step.point.x * scale
          case .y: step.point.y * scale
          case .dx: dx * scale
          case .dy: dy * scale
          case .cos: distance > 0 ? dx / distance : 0
          case .sin: distance > 0 ? dy / distance : 0
          case .penUp: step.stroke == previous.stroke ? 0.0 : 1
          case .dt: ((step.point.time ?? 0) - (previous.point.time ?? 0)) / 1000
          }
        let most = Double(Float.greatestFiniteMagnitude)
        values.append(Float(min(most, max(-most, value))))
      }
    }
    return Series(
      unchecked: values, channels: channels.map(\.rawValue), rate: nil, times: nil)
  }

  /// A position of the pen in the series, and its stroke.
  private struct Step {
    var point: Point
    var stroke: Int
  }

  /// Whether every point needs a time.
  private var needsTimes: Bool {
    if case .time = sampling { true } else { channels.contains(.dt) }
  }

  /// Returns the strokes with points, centred and with a longer side of 1, and their longer side.
  ///
  /// The side is 0 for a drawing without extent.
  private func unitStrokes(
    of drawing: Drawing
  ) throws(SeriesError) -> (strokes: [Stroke], extent: Double) {
    var latest = -Double.infinity
    for (strokeIndex, stroke) in drawing.strokes.enumerated() {
      for (index, point) in stroke.points.enumerated() {
        guard point.x.isFinite, point.y.isFinite else {
          throw .pointNotFinite(stroke: strokeIndex, point: index)
        }
        guard needsTimes else { continue }
        guard let time = point.time, time.isFinite, time >= latest else {
          throw .unusableTime(stroke: strokeIndex, point: index, time: point.time)
        }
        latest = time
      }
    }
    guard let bounds = drawing.bounds else { throw .empty }
    guard bounds.longerSide < 1e100 else { throw .tooFarApart }
    let center = bounds.center
    // Smaller extents would overflow; they are a dot.
    let extent = bounds.longerSide > 1e-100 ? bounds.longerSide : 0
    let scale = extent > 0 ? 1 / extent : 0
    let strokes = drawing.strokes.filter { !$0.points.isEmpty }.map { stroke in
      Stroke(
        stroke.points.map {
          Point(
            ($0.x - center.x) * scale, ($0.y - center.y) * scale,
            time: needsTimes ? $0.time : nil)
        })
    }
    return (strokes, extent)
  }

  private func resampled(_ strokes: [Stroke]) -> [Step] {
    let extents = strokes.map { stroke -> Double in
      guard case .time = sampling else { return stroke.length }
      return stroke.points[stroke.points.count - 1].time! - stroke.points[0].time!
    }
    var steps: [Step] = []
    for (index, count) in stepCounts(extents).enumerated() where count > 0 {
      let stroke = strokes[index]
      let points: [Point]
      if count == 1 {
        points = [stroke.points[0]]
      } else if case .time = sampling {
        points = Self.resampled(stroke, byTime: count)
      } else {
        points = stroke.resampled(count: count).points
      }
      steps += points.map { Step(point: $0, stroke: index) }
    }
    return steps
  }

  /// Returns the number of steps of each stroke, from its length or duration.
  private func stepCounts(_ extents: [Double]) -> [Int] {
    let interval: Double
    switch sampling {
    case .steps(let steps):
      return Self.shared(steps, by: extents)
    case .distance(let share): interval = share
    case .time(let milliseconds): interval = milliseconds
    }
    let wanted = extents.map { extent in
      guard extent > 0 else { return 1 }
      return max(minStrokeSteps, Int(min(1e9, (extent / interval).rounded())) + 1)
    }
    return wanted.reduce(0, +) <= maxSteps ? wanted : Self.shared(maxSteps, by: extents)
  }

  /// Shares exactly `total` steps among strokes: two for each stroke with extent, one for each dot,
  /// and the rest by extent.
  ///
  /// Without room for this, strokes at equal distances in the order get one step each.
  private static func shared(_ total: Int, by extents: [Double]) -> [Int] {
    let count = extents.count
    var counts = extents.map { $0 > 0 ? 2 : 1 }
    guard counts.reduce(0, +) <= total else {
      counts = [Int](repeating: 0, count: count)
      guard total < count else {
        counts = [Int](repeating: 1, count: count)
        // The first strokes with extent get the steps that remain.
        var rest = total - count
        for index in counts.indices where rest > 0 && extents[index] > 0 {
          counts[index] = 2
          rest -= 1
        }
        return counts
      }
      for step in 0..<total { counts[step * count / total] = 1 }
      return counts
    }
    let sum = extents.reduce(0, +)
    let weights = sum > 0 ? extents : [Double](repeating: 1, count: count)
    let weight = sum > 0 ? sum : Double(count)
    // Cumulative rounding, so that the counts add up.
    let rest = total - counts.reduce(0, +)
    var passed = 0.0
    var given = 0
    for index in counts.indices {
      passed += weights[index]
      let upTo = index == count - 1 ? rest : Int((Double(rest) * passed / weight).rounded())
      let here = max(0, min(rest, upTo) - given)
      counts[index] += here
      given += here
    }
    return counts
  }

  /// Returns a stroke at `count` equal intervals of its duration.
  private static func resampled(_ stroke: Stroke, byTime count: Int) -> [Point] {
    let points = stroke.points
    let start = points[0].time!
    let interval = (points[points.count - 1].time! - start) / Double(count - 1)
    var index = 0
    return (0..<count).map { step in
      guard step < count - 1 else { return points[points.count - 1] }
      let time = start + Double(step) * interval
      while index + 1 < points.count, points[index + 1].time! <= time { index += 1 }
      guard index + 1 < points.count else { return points[index] }
      let (a, b) = (points[index], points[index + 1])
      return a.interpolated(to: b, fraction: (time - a.time!) / (b.time! - a.time!))
    }
  }

  /// Rotates the steps so that the line from the first one to their centroid points to the right.
  private static func turn(_ steps: inout [Step]) {
    let first = steps[0].point
    let count = Double(steps.count)
    let dx = steps.reduce(0) { $0 + $1.point.x } / count - first.x
    let dy = steps.reduce(0) { $0 + $1.point.y } / count - first.y
    let distance = (dx * dx + dy * dy).squareRoot()
    // A closed, even shape has no such direction.
    guard distance > 1e-9 else { return }
    let (cosine, sine) = (dx / distance, dy / distance)
    for index in steps.indices {
      let point = steps[index].point
      steps[index].point.x = point.x * cosine + point.y * sine
      steps[index].point.y = point.y * cosine - point.x * sine
    }
  }

  /// Centres the steps and returns the factor for lengths.
  private func place(_ steps: inout [Step], extent: Double) -> Double {
    var bounds = Bounds(around: steps[0].point)
    for step in steps { bounds = bounds.extended(to: step.point) }
    let center = bounds.center
    for index in steps.indices {
      steps[index].point.x -= center.x
      steps[index].point.y -= center.y
    }
    if keepsScale { return extent }
    // Rotation and resampling can change the longer side.
    return bounds.longerSide > 1e-9 ? 1 / bounds.longerSide : 0
  }
}

extension StrokeEncoder: Codable {
  private enum CodingKeys: String, CodingKey {
    case channels, steps, distance, interval, minStrokeSteps, maxSteps, keepsScale, keepsRotation
  }

  /// Reads the JSON form: `channels`, one of `steps`, `distance` and `interval`, `minStrokeSteps`,
  /// `maxSteps`, `keepsScale` and `keepsRotation`; what is absent is as in ``standard``.
  ///
  /// - Throws: `DecodingError` if a value has the wrong type or is out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func value<Value: Decodable>(_ key: CodingKeys, or standard: Value) throws -> Value {
      try container.decodeIfPresent(Value.self, forKey: key) ?? standard
    }
    let samplings: [Sampling] = [
      try container.decodeIfPresent(Int.self, forKey: .steps).map { .steps($0) },
      try container.decodeIfPresent(Double.self, forKey: .distance).map { .distance($0) },
      try container.decodeIfPresent(Double.self, forKey: .interval).map { .time($0) },
    ].compactMap { $0 }
    let standard = Self.standard
    do {
      guard samplings.count <= 1 else {
        throw SeriesError.invalidSetting(
          "expected one of steps, distance and interval, found \(samplings.count)")
      }
      try self.init(
        channels: value(.channels, or: standard.channels),
        sampling: samplings.first ?? standard.sampling,
        minStrokeSteps: value(.minStrokeSteps, or: standard.minStrokeSteps),
        maxSteps: value(.maxSteps, or: standard.maxSteps),
        keepsScale: value(.keepsScale, or: standard.keepsScale),
        keepsRotation: value(.keepsRotation, or: standard.keepsRotation))
    } catch let error as SeriesError {
      throw error.decodingError(at: decoder)
    }
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(channels, forKey: .channels)
    switch sampling {
    case .steps(let steps): try container.encode(steps, forKey: .steps)
    case .distance(let share): try container.encode(share, forKey: .distance)
    case .time(let interval): try container.encode(interval, forKey: .interval)
    }
    try container.encode(minStrokeSteps, forKey: .minStrokeSteps)
    try container.encode(maxSteps, forKey: .maxSteps)
    try container.encode(keepsScale, forKey: .keepsScale)
    try container.encode(keepsRotation, forKey: .keepsRotation)
  }
}
