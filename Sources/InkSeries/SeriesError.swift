import ErrorText
import Ink

/// The error for a series that is not as it has to be, or that does not fit its preparation.
///
/// Steps, strokes and points count from 0 here, and from 1 in the text.
public enum SeriesError: DescribedError, Hashable {
  /// There is no channel.
  case noChannels
  /// Two channels have the same name.
  case repeatedChannel(String)
  /// There is no step, or the drawing has no point.
  case empty
  /// The number of values is no multiple of the number of channels.
  case partialStep(values: Int, channels: Int)
  /// A value is infinite.
  case infinite(step: Int, channel: String)
  /// The rate is not a positive number.
  case wrongRate(Double)
  /// The number of times is not the number of steps.
  case wrongTimeCount(Int, length: Int)
  /// A time is not a finite number.
  case infiniteTime(step: Int)
  /// A time is before the one of the step before.
  case decreasingTime(step: Int, from: Double, to: Double)
  /// The series has no channel of this name.
  case unknownChannel(String, known: [String])
  /// The series has neither a rate nor times, so it cannot be resampled to a rate.
  case unknownRate
  /// No channel has a value.
  case allMissing
  /// The series would have more steps than are allowed.
  case tooLong(steps: Double, most: Int)
  /// A point of a drawing is not finite.
  case pointNotFinite(stroke: Int, point: Int)
  /// The points of a drawing are too far apart.
  case tooFarApart
  /// A point of a drawing has no finite time, or an earlier one than the point before, but the encoder needs times.
  case unusableTime(stroke: Int, point: Int, time: Double?)
  /// A setting is out of its range.
  case invalidSetting(String)

  /// The error in one line.
  public var description: String {
    switch self {
    case .noChannels: "expected one or more channels, found none"
    case .repeatedChannel(let name): "expected different channels, found `\(name)` twice"
    case .empty: "expected one or more steps, found none"
    case .partialStep(let values, let channels):
      "expected a value of each of \(channels.counted("channel")) at every step, found "
        + values.counted("value")
    case .infinite(let step, let channel):
      "step \(step + 1), channel `\(channel)`: expected a finite number, found an infinite one"
    case .wrongRate(let rate): "expected a rate above 0, found \(rate)"
    case .wrongTimeCount(let count, let length):
      "expected a time for each of \(length.counted("step")), found \(count)"
    case .infiniteTime(let step):
      "step \(step + 1): expected a finite time, found none"
    case .decreasingTime(let step, let before, let time):
      "step \(step + 1): expected a time of \(before) ms or later, as the step before, "
        + "found \(time) ms"
    case .unknownChannel(let name, let known):
      "expected a channel `\(name)`, found \(Self.list(known))"
    case .unknownRate:
      "expected a rate or times, because the model resamples to a rate; found neither"
    case .allMissing: "expected values, found gaps only"
    case .tooLong(let steps, let most):
      "expected at most \(most) steps after resampling, found \(steps)"
    case .pointNotFinite(let stroke, let point):
      "stroke \(stroke + 1), point \(point + 1): expected finite coordinates, found others"
    case .tooFarApart: "expected points within 10^100 of each other, found others"
    case .unusableTime(let stroke, let point, let time):
      "stroke \(stroke + 1), point \(point + 1): expected a time that does not decrease, found "
        + (time.map { $0.isFinite ? "\($0) ms after a later one" : "one that is not finite" }
          ?? "none")
    case .invalidSetting(let reason): reason
    }
  }

  /// Returns the error of a decoder for a value that this error describes.
  func decodingError(at decoder: any Decoder) -> DecodingError {
    .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: description))
  }

  /// Returns the first names as text.
  private static func list(_ names: [String]) -> String {
    let more = names.count > 12 ? " and \(names.count - 12) more" : ""
    return names.prefix(12).joined(separator: ", ") + more
  }
}
