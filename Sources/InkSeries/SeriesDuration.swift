/// A length of time in a series, in steps or in seconds.
///
/// Its text is `120` for steps, and `2s`, `0.5 s` or `500ms` for time.
public enum SeriesDuration: Hashable, Sendable, CustomStringConvertible {
  /// A number of steps.
  case steps(Int)
  /// A number of seconds.
  case seconds(Double)

  /// Creates a duration from its text, or returns `nil` if the text is not a duration above zero.
  public init?(_ text: String) {
    var number = text[...]
    var secondsPerUnit: Double?
    if number.hasSuffix("ms") {
      secondsPerUnit = 0.001
      number.removeLast(2)
    } else if number.hasSuffix("s") {
      secondsPerUnit = 1
      number.removeLast()
    }
    if secondsPerUnit != nil, number.last == " " { number.removeLast() }
    // `Double` also reads hexadecimal numbers, `inf` and `nan`.
    guard number.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
    if let secondsPerUnit {
      guard let value = Double(number), value > 0, value.isFinite else { return nil }
      self = .seconds(value * secondsPerUnit)
    } else {
      guard let value = Int(number), value > 0 else { return nil }
      self = .steps(value)
    }
  }

  /// Returns the number of steps at `rate` steps a second, at least 1.
  ///
  /// - Throws: `WindowError` if the duration is in seconds and there is no rate.
  public func steps(atRate rate: Double?) throws(WindowError) -> Int {
    switch self {
    case .steps(let count): return count
    case .seconds(let seconds):
      guard let rate else { throw .noRate(self) }
      return Int(min(max(1, (seconds * rate).rounded()), 0x1p62))
    }
  }

  /// The duration as text: `120 steps` or `2.5 s`.
  public var description: String {
    switch self {
    case .steps(let count): count.counted("step")
    case .seconds(let seconds):
      seconds == seconds.rounded() && seconds < 1e15
        ? "\(Int(seconds)) s" : "\(seconds) s"
    }
  }
}
