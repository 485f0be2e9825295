/// The shape of what flows between two layers, for one example.
public enum Shape: Hashable, Sendable, CustomStringConvertible {
  /// `[channels, height, width]`.
  case planes(channels: Int, height: Int, width: Int)
  /// `[channels, length]`.
  case series(channels: Int, length: Int)
  /// `[count]`.
  case vector(Int)

  /// The number of values.
  public var count: Int {
    switch self {
    case .planes(let channels, let height, let width): channels * height * width
    case .series(let channels, let length): channels * length
    case .vector(let count): count
    }
  }

  /// What batch normalisation counts as channels: planes, or the values of a vector.
  public var channelCount: Int {
    switch self {
    case .planes(let channels, _, _), .series(let channels, _): channels
    case .vector(let count): count
    }
  }

  /// The lengths of the axes, for example `16 × 28 × 28`.
  public var description: String {
    switch self {
    case .planes(let channels, let height, let width): "\(channels) × \(height) × \(width)"
    case .series(let channels, let length): "\(channels) × \(length)"
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
