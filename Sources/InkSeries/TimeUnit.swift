/// A unit of the times in a table.
public enum TimeUnit: String, Sendable, CaseIterable {
  /// Seconds.
  case s
  /// Milliseconds.
  case ms
  /// Microseconds.
  case us
  /// Nanoseconds.
  case ns

  /// The number of milliseconds in the unit.
  public var milliseconds: Double {
    switch self {
    case .s: 1000
    case .ms: 1
    case .us: 1e-3
    case .ns: 1e-6
    }
  }

  /// Returns the likely unit of times that begin with `time`: nanoseconds, microseconds or milliseconds
  /// since 1970, or else seconds.
  public static func typical(of time: Double) -> TimeUnit {
    time >= 1e17 ? .ns : time >= 1e14 ? .us : time >= 1e11 ? .ms : .s
  }

  /// Returns the unit at the end of the name of a column such as `time_ms` or `t [us]`.
  package init?(ofColumn name: String) {
    let words = Self.words(name)
    guard words.count > 1 else { return nil }
    self.init(rawValue: words[words.count - 1])
  }

  /// Returns whether a column is one of times by its name: `time`, `t` or `timestamp`, with a unit or
  /// without.
  package static func isColumn(_ name: String) -> Bool {
    let words = words(name)
    guard let first = words.first, ["time", "t", "timestamp"].contains(first) else { return false }
    return words.count == 1 || (words.count == 2 && Self(ofColumn: name) != nil)
  }

  /// Returns the name of the column with the times: the one called `wanted`, in capitals or not, or else
  /// the first that is named like times and is none of `channels`.
  package static func column(
    named wanted: String?, in names: [String], besides channels: [String]
  ) -> String? {
    guard let wanted else { return names.first { !channels.contains($0) && isColumn($0) } }
    return names.first { $0.lowercased() == wanted.lowercased() }
  }

  private static func words(_ name: String) -> [String] {
    name.lowercased().split { !$0.isLetter }.map(String.init)
  }
}
