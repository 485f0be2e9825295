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

  /// Returns the unit in the name of a column such as `time_ms`, `t [us]`, `seconds_elapsed` or
  /// `Milliseconds`.
  package init?(ofColumn name: String) {
    let words = ColumnWords(name)
    // A single letter alone is no unit.
    let unit = words.words.last {
      ColumnWords.units[$0] != nil && (words.words.count > 1 || $0.count > 1)
    }
    guard let unit = unit.flatMap({ ColumnWords.units[$0] }) else { return nil }
    self = unit
  }

  /// Returns whether a column is one of times by its name: `time`, `t`, `ts`, `timestamp`, `datetime`,
  /// `elapsed`, `milliseconds` and the like, with a unit or without.
  package static func isColumn(_ name: String) -> Bool { ColumnWords(name).areTime }

  /// Returns whether a column numbers its rows by its name, such as `index` or `frame`.
  ///
  /// It can also be something else, such as the index finger, so its values have to decide.
  package static func isCounter(_ name: String) -> Bool { ColumnWords(name).areCounter }

  /// Returns the name of the column with the times: the one called `wanted`, in capitals or not, or else
  /// the first that is named like times and is none of `channels`.
  package static func column(
    named wanted: String?, in names: [String], besides channels: [String]
  ) -> String? {
    guard let wanted else { return names.first { !channels.contains($0) && isColumn($0) } }
    return names.first { $0.lowercased() == wanted.lowercased() }
  }
}

/// The words of the name of a column, in lower case: `elapsedTime (ms)` has `elapsed`, `time` and `ms`.
private struct ColumnWords {
  let words: [String]
  private let hasDigits: Bool

  static let units: [String: TimeUnit] = [
    "s": .s, "sec": .s, "secs": .s, "second": .s, "seconds": .s,
    "ms": .ms, "msec": .ms, "msecs": .ms, "millis": .ms, "millisecond": .ms, "milliseconds": .ms,
    "us": .us, "µs": .us, "μs": .us, "usec": .us, "usecs": .us, "micros": .us, "microsecond": .us,
    "microseconds": .us,
    "ns": .ns, "nsec": .ns, "nsecs": .ns, "nanos": .ns, "nanosecond": .ns, "nanoseconds": .ns,
  ]
  /// Words that make a name one of times, whatever the other words are.
  private static let stamps: Set = ["timestamp", "timestamps", "datetime"]
  /// Words for times.
  private static let times: Set = [
    "time", "times", "t", "ts", "epoch", "clock", "elapsed", "uptime", "timecode", "timedelta",
  ]
  /// Words that say which time it is.
  private static let details: Set = [
    "since", "start", "boot", "reboot", "unix", "utc", "gmt", "local", "system", "sys", "sensor",
    "device", "phone", "watch", "server", "host", "sample", "recording", "record", "relative",
    "rel",
    "absolute", "abs", "log", "logging", "event", "measurement", "iso", "the", "in", "of", "from",
    "posix", "wall",
  ]
  private static let counters: Set = [
    "index", "idx", "frame", "frames", "sample", "samples", "row", "rows", "line", "seq",
    "sequence",
    "packet", "tick", "ticks", "counter", "unnamed", "record", "nr", "no", "num", "number", "id",
    "n",
    "i",
  ]

  init(_ name: String) {
    var words: [String] = []
    var word = ""
    func end() {
      if !word.isEmpty { words.append(word.lowercased()) }
      word = ""
    }
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      guard character.isLetter else {
        end()
        continue
      }
      if character.isUppercase, index > 0, characters[index - 1].isLetter {
        let isNext = index + 1 < characters.count && characters[index + 1].isLowercase
        // `elapsedTime` and `UNIXTime` have two words, `TIME` has one.
        if characters[index - 1].isLowercase || isNext { end() }
      }
      word.append(character)
    }
    end()
    // `timeStamp` is `timestamp`.
    for (first, second) in [("time", "stamp"), ("date", "time"), ("milli", "seconds")] {
      if let index = words.indices.dropLast().first(where: {
        words[$0] == first && words[$0 + 1] == second
      }) {
        words.replaceSubrange(index...index + 1, with: [first + second])
      }
    }
    self.words = words
    hasDigits = name.contains(where: \.isNumber)
  }

  var areTime: Bool {
    if words.contains(where: Self.stamps.contains) { return true }
    guard !words.isEmpty,
      words.allSatisfy({
        Self.times.contains($0) || Self.details.contains($0) || Self.units[$0] != nil
      })
    else { return false }
    // `t1` and `t2` are two of something.
    if words == ["t"], hasDigits { return false }
    if words.contains(where: Self.times.contains) { return true }
    // A unit alone, such as `Milliseconds`; but a column can be called `second` or `s`.
    let units = words.filter { Self.units[$0] != nil }
    return units.count == words.count
      && units.contains { $0.count > 1 && $0 != "second" && $0 != "us" }
  }

  var areCounter: Bool { !words.isEmpty && words.allSatisfy(Self.counters.contains) }
}
