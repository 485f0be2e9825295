/// Windows of one length that move over a series by a fixed stride.
///
/// Window k contains the steps from k · stride to below k · stride + length. There are only complete
/// windows, so a stream and a recording have the same ones.
public struct SlidingWindows: Hashable, Sendable {
  /// The longest window, in steps.
  public static let longest = 1 << 20

  /// The number of steps in a window.
  public let length: Int
  /// The number of steps between the starts of two windows.
  public let stride: Int

  /// Creates windows of `length` steps; without a stride, they move by a quarter of their length.
  ///
  /// - Throws: `WindowError` if the length or the stride is out of range.
  public init(length: Int, stride: Int? = nil) throws(WindowError) {
    guard (1...Self.longest).contains(length) else { throw .length(length) }
    let stride = stride ?? max(1, length / 4)
    guard (1...length).contains(stride) else { throw .stride(stride, length: length) }
    self.length = length
    self.stride = stride
  }

  /// Creates windows over series of `rate` steps a second.
  ///
  /// - Throws: `WindowError` if a duration is out of range, or in seconds and there is no rate.
  public init(
    length: SeriesDuration, stride: SeriesDuration? = nil, rate: Double?
  ) throws(WindowError) {
    let strideSteps: Int? = if let stride { try stride.steps(atRate: rate) } else { nil }
    try self.init(length: length.steps(atRate: rate), stride: strideSteps)
  }

  /// Returns the number of windows in a series of `seriesLength` steps.
  public func count(in seriesLength: Int) -> Int {
    seriesLength < length ? 0 : (seriesLength - length) / stride + 1
  }

  /// Returns the steps of the window with this index.
  public func range(of index: Int) -> Range<Int> {
    index * stride..<index * stride + length
  }

  /// Returns the steps that the answer about a window applies to: one stride in its middle.
  ///
  /// The sections of consecutive windows follow each other without gaps.
  public func section(of index: Int) -> Range<Int> {
    let start = index * stride + (length - stride) / 2
    return start..<start + stride
  }
}

/// `{"length": 120, "stride": 60}`
extension SlidingWindows: Codable {
  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` if a number is missing, `WindowError` if one is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      length: container.decode(Int.self, forKey: .length),
      stride: container.decode(Int.self, forKey: .stride))
  }
}
