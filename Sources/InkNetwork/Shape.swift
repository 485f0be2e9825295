/// The shape of what flows between two layers, for one example.
public enum Shape: Hashable, Sendable, CustomStringConvertible {
  /// `[channels, height, width]`.
  case planes(channels: Int, height: Int, width: Int)
  /// `[length, channels]`: step after step.
  case series(length: Int, channels: Int)
  /// `[count]`.
  case vector(Int)

  /// The number of values.
  public var count: Int {
    switch self {
    case .planes(let channels, let height, let width): channels * height * width
    case .series(let length, let channels): length * channels
    case .vector(let count): count
    }
  }

  /// The planes, the values of a step, or those of a vector: what batch normalisation counts as
  /// channels.
  public var channelCount: Int {
    switch self {
    case .planes(let channels, _, _), .series(_, let channels): channels
    case .vector(let count): count
    }
  }

  /// The lengths of the axes, for example `16 × 28 × 28`.
  public var description: String {
    switch self {
    case .planes(let channels, let height, let width): "\(channels) × \(height) × \(width)"
    case .series(let length, let channels): "\(length) × \(channels)"
    case .vector(let count): "\(count)"
    }
  }

  /// The shape in words, for example `planes of 16 × 28 × 28`.
  var words: String {
    switch self {
    case .planes: "planes of \(self)"
    case .series: "a series of \(self)"
    case .vector: "a vector of \(self)"
    }
  }
}
