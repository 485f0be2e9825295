/// Reads times that are written as text, without making a text of each.
///
/// These are ISO 8601 (`2024-01-17T08:14:46.02Z`, also with a space or slashes, and
/// `20240117T081446`), the time of day (`14:12:30.020`, `14:12:30:020` or `2:12 PM`), also after a date
/// in another order, durations (`0 days 00:00:01.5`), and minutes with seconds and their fraction
/// (`01:30.5`).
package enum TimeText {
  /// The number of milliseconds in a day.
  static let day = 86_400_000.0

  /// Returns the milliseconds from 1970, or those of the day if there is no date whose order of day
  /// and month is known; `nil` if `bytes` are no time.
  package static func milliseconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    var text = Cursor(NumberText.trimmed(bytes))
    // Most cells are numbers or words.
    guard let first = text.peek, Cursor.isDigit(first), text.bytes.count <= 48 else { return nil }
    var (days, isCompact) = (0.0, false)
    if let date = text.date() {
      (days, isCompact) = date
      guard text.skipDateEnd() else { return nil }
    } else if let count = text.dayCount() {
      days = count
    }
    guard let time = isCompact ? text.compactTime() : text.time() else { return nil }
    guard let zone = text.zone(), text.peek == nil else { return nil }
    return days * day + time - zone
  }

  /// Returns whether `bytes` are a date without a time.
  package static func isDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var text = Cursor(NumberText.trimmed(bytes))
    return text.date() != nil && text.peek == nil
  }

  /// A place in the bytes of a time.
  private struct Cursor {
    let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      self.bytes = bytes
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skip(_ character: Character) -> Bool {
      guard peek == character.asciiValue else { return false }
      index += 1
      return true
    }

    /// Skips a word in capitals or not, which is given in lower case.
    mutating func skip(word: StaticString) -> Bool {
      let count = word.utf8CodeUnitCount
      guard index + count <= bytes.count,
        (0..<count).allSatisfy({ bytes[index + $0] | 0x20 == word.utf8Start[$0] })
      else { return false }
      index += count
      return true
    }

    /// Reads a whole number and the number of its digits, if it has one of `counts`.
    mutating func number(_ counts: ClosedRange<Int>) -> (value: Int, digits: Int)? {
      let start = index
      var value = 0
      while let byte = peek, Self.isDigit(byte), index - start < 10 {
        value = value * 10 + Int(byte - 0x30)
        index += 1
      }
      guard counts.contains(index - start) else {
        index = start
        return nil
      }
      return (value, index - start)
    }

    /// Reads a date as days from 1970; 0 if the order of its day and month is not known.
    mutating func date() -> (days: Double, isCompact: Bool)? {
      let start = index
      if let compact = number(8...8), peek == 0x54 {
        guard
          let days = Self.days(
            compact.value / 10000, compact.value / 100 % 100, compact.value % 100)
        else { return nil }
        return (days, true)
      }
      index = start
      guard let first = number(1...4), let separator = peek,
        [0x2D, 0x2F, 0x2E].contains(separator)
      else {
        index = start
        return nil
      }
      index += 1
      guard let second = number(1...2), peek == separator else {
        index = start
        return nil
      }
      index += 1
      guard let third = number(1...4) else {
        index = start
        return nil
      }
      if first.digits == 4 {
        guard let days = Self.days(first.value, second.value, third.value) else { return nil }
        return (days, false)
      }
      guard third.digits == 2 || third.digits == 4, (1...31).contains(first.value),
        (1...31).contains(second.value)
      else { return nil }
      return (0, false)
    }

    /// Skips what is between a date and a time.
    mutating func skipDateEnd() -> Bool {
      if skip("T") || skip("t") || skip("_") { return true }
      let start = index
      _ = skip(",")
      while skip(" ") {}
      return index > start
    }

    /// Reads the number of days of a duration.
    mutating func dayCount() -> Double? {
      let start = index
      guard let count = number(1...6), skip(" "), skip(word: "day") else {
        index = start
        return nil
      }
      _ = skip(word: "s")
      _ = skip(",")
      while skip(" ") {}
      return Double(count.value)
    }

    /// Reads a time with colons, in milliseconds.
    mutating func time() -> Double? {
      guard let first = number(1...4), skip(":"), let second = number(1...2), second.value < 60
      else { return nil }
      guard skip(":") else {
        // With a fraction, they are minutes and seconds.
        if let fraction = fraction(isColonAllowed: false) {
          return Double(first.value * 60 + second.value) * 1000 + fraction
        }
        return clock(hours: first.value, Double(second.value) * 60_000)
      }
      guard let third = number(1...2), third.value < 61 else { return nil }
      let fraction = fraction(isColonAllowed: true) ?? 0
      return clock(
        hours: first.value, Double(second.value * 60 + third.value) * 1000 + fraction)
    }

    /// Reads a time without colons, in milliseconds.
    mutating func compactTime() -> Double? {
      guard let digits = number(4...6), digits.digits != 5 else { return nil }
      let clock = digits.digits == 4 ? digits.value * 100 : digits.value
      let (hours, minutes, seconds) = (clock / 10000, clock / 100 % 100, clock % 100)
      guard hours < 25, minutes < 60, seconds < 61 else { return nil }
      return Double((hours * 60 + minutes) * 60 + seconds) * 1000
        + (fraction(isColonAllowed: false) ?? 0)
    }

    /// Reads the fraction of a second, in milliseconds.
    private mutating func fraction(isColonAllowed: Bool) -> Double? {
      let start = index
      let isColon = isColonAllowed && skip(":")
      guard isColon || skip(".") || skip(",") else { return nil }
      guard let digits = number(1...9) else {
        index = start
        return nil
      }
      var unit = 1000.0
      for _ in 0..<digits.digits { unit /= 10 }
      // After a colon, milliseconds may be written without zeros in front.
      if isColon, digits.digits < 3 { unit = 1 }
      return Double(digits.value) * unit
    }

    /// Returns the milliseconds of a time of day, which may be followed by AM or PM.
    private mutating func clock(hours: Int, _ rest: Double) -> Double? {
      let start = index
      while skip(" ") {}
      var hours = hours
      if skip(word: "am") {
        guard (1...12).contains(hours) else { return nil }
        hours %= 12
      } else if skip(word: "pm") {
        guard (1...12).contains(hours) else { return nil }
        hours = hours % 12 + 12
      } else {
        index = start
      }
      return Double(hours) * 3_600_000 + rest
    }

    /// Reads a time zone, in milliseconds ahead of UTC; 0 without one, `nil` if it is malformed.
    mutating func zone() -> Double? {
      while skip(" ") {}
      if skip("Z") || skip("z") || skip(word: "utc") || skip(word: "gmt") { return 0 }
      let sign: Double
      if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return 0 }
      guard let digits = number(1...4) else { return nil }
      if digits.digits > 2 {
        return sign * Double(digits.value / 100 * 60 + digits.value % 100) * 60_000
      }
      guard skip(":") else { return sign * Double(digits.value) * 3_600_000 }
      guard let minutes = number(2...2) else { return nil }
      return sign * Double(digits.value * 60 + minutes.value) * 60_000
    }

    /// Returns the days from 1970 to a day of the Gregorian calendar (Richards, 2013).
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Double? {
      guard (1...12).contains(month), (1...31).contains(day) else { return nil }
      let early = month < 3 ? 1 : 0
      let shifted = year - early
      let era = shifted / 400
      let yearOfEra = shifted - era * 400
      let dayOfYear = (153 * (month + 12 * early - 3) + 2) / 5 + day - 1
      let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
      return Double(era * 146_097 + dayOfEra - 719_468)
    }
  }
}

/// Reads the times of a recording, cell by cell, as numbers or as text.
package struct TimeCells {
  private let usesDecimalCommas: Bool
  /// Whether the times are text and so in milliseconds, or `nil` before the first one.
  package private(set) var areText: Bool?
  /// The last time that was not late, in the unit of the column.
  package private(set) var last: Double?
  /// What is added to times of the day, because midnight has passed.
  private var passed = 0.0

  /// A time, one that is before an earlier one, or neither.
  package enum Reading {
    case time(Double)
    case late
    case unreadable
  }

  /// Creates a reader of cells in which a comma can be the decimal point.
  package init(usesDecimalCommas: Bool) {
    self.usesDecimalCommas = usesDecimalCommas
  }

  /// Reads the time of the next row.
  package mutating func read(_ cell: UnsafeBufferPointer<UInt8>) -> Reading {
    var time: Double
    if areText != true,
      case .number(let number) = NumberText.double(cell, decimalComma: usesDecimalCommas)
    {
      areText = false
      time = number
    } else if areText != false, let milliseconds = TimeText.milliseconds(cell) {
      areText = true
      time = milliseconds + passed
      // Times with a date do not go back by half a day.
      if let last, time < last - TimeText.day / 2, milliseconds < TimeText.day {
        passed += TimeText.day
        time += TimeText.day
      }
    } else {
      return .unreadable
    }
    if let last, time < last { return .late }
    last = time
    return .time(time)
  }

  /// Returns whether so many of `count` rows are late that the clock started again, or the rows are in
  /// another order.
  ///
  /// One row of twenty may be late, but none of fewer than ten.
  package static func areTooMany(late: Int, of count: Int) -> Bool {
    late > (count < 10 ? 0 : max(1, count / 20))
  }
}
