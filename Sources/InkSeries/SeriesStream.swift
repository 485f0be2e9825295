/// A buffer that takes a series row by row and gives its windows as soon as they are complete.
///
/// It keeps two copies of the rows of one window, and does not allocate memory for a row.
public struct SeriesStream: Sendable {
  /// The length and the stride of the windows.
  public let windows: SlidingWindows
  /// The number of values in a row.
  public let channelCount: Int
  /// The number of rows so far.
  public private(set) var rowCount = 0

  /// Two equal rings of `length` rows, one after the other.
  ///
  /// Each row is stored in both, so the last `length` rows are contiguous wherever the ring starts.
  private var rings: [Float]
  private var slot = 0
  /// The number of rows until the next window is complete.
  private var missing: Int

  /// Creates a stream of rows with `channelCount` values.
  ///
  /// - Precondition: `channelCount` is positive.
  public init(_ windows: SlidingWindows, channelCount: Int) {
    precondition(channelCount > 0, "a row must have at least one channel")
    self.windows = windows
    self.channelCount = channelCount
    rings = [Float](repeating: 0, count: 2 * windows.length * channelCount)
    missing = windows.length
  }

  /// Adds a row, and calls `body` with the window that it completes, if there is one.
  ///
  /// `body` gets the steps of the window and its values `[length, channels]`, which are valid only
  /// during the call.
  ///
  /// - Precondition: the row has ``channelCount`` values.
  public mutating func append(
    _ row: [Float], _ body: (Range<Int>, UnsafeBufferPointer<Float>) throws -> Void
  ) rethrows {
    precondition(
      row.count == channelCount, "a row has \(row.count) values, not \(channelCount)")
    let length = windows.length
    let (first, second) = (slot * channelCount, (slot + length) * channelCount)
    rings.withUnsafeMutableBufferPointer { rings in
      for channel in 0..<channelCount {
        rings[first + channel] = row[channel]
        rings[second + channel] = row[channel]
      }
    }
    rowCount += 1
    slot = slot + 1 == length ? 0 : slot + 1
    missing -= 1
    guard missing == 0 else { return }
    missing = windows.stride
    let window = slot * channelCount..<(slot + length) * channelCount
    try rings.withUnsafeBufferPointer { rings in
      try body(rowCount - length..<rowCount, UnsafeBufferPointer(rebasing: rings[window]))
    }
  }
}
