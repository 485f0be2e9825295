/// Reads plain JSON (RFC 8259) in UTF-8 from front to back, many times faster than a decoder.
///
/// Each method returns `nil` where the next value is something else, or JSON that is rarely written: escapes such as
/// `\u0041`, or numbers outside the range of `Double`. The caller then leaves the whole text to a decoder, which reads
/// it or says what is wrong.
package struct JSONCursor {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  /// Starts before the first value in `bytes`, which have to outlive the cursor.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes.assumingMemoryBound(to: UInt8.self)
  }

  /// Whether nothing follows but space.
  package mutating func isAtEnd() -> Bool { peek() == nil }

  /// Returns the first byte of the next value or sign.
  package mutating func peek() -> UInt8? {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case let byte: return byte
      }
    }
    return nil
  }

  /// Passes the next sign if it is `sign`.
  package mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: sign) else { return false }
    index += 1
    return true
  }

  /// Reads a list; `element` reads one of its values and returns whether it could.
  package mutating func list(_ element: (inout JSONCursor) -> Bool) -> Void? {
    guard take("[") else { return nil }
    if take("]") { return () }
    repeat {
      guard element(&self) else { return nil }
    } while take(",")
    return take("]") ? () : nil
  }

  /// Reads an object; `value` reads the value of a key in ASCII and returns whether it could.
  ///
  /// The caller finds keys that come twice.
  package mutating func object(_ value: (inout JSONCursor, _ key: String) -> Bool) -> Void? {
    guard take("{") else { return nil }
    if take("}") { return () }
    repeat {
      guard let key = text(), key.utf8.allSatisfy({ $0 < 0x80 }), take(":"), value(&self, key)
      else { return nil }
    } while take(",")
    return take("}") ? () : nil
  }

  /// Reads a word: `true`, `false` or `null`.
  package mutating func word(_ word: StaticString) -> Bool {
    guard let first = peek(), first == word.utf8Start[0],
      index + word.utf8CodeUnitCount <= bytes.count,
      (0..<word.utf8CodeUnitCount).allSatisfy({ bytes[index + $0] == word.utf8Start[$0] })
    else { return false }
    index += word.utf8CodeUnitCount
    return true
  }

  /// Reads a text.
  package mutating func text() -> String? {
    guard take("\"") else { return nil }
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      guard bytes[index] >= 0x20 else { return nil }
      guard bytes[index] != UInt8(ascii: "\\") else { return escapedText(from: start) }
      index += 1
    }
    guard index < bytes.count else { return nil }
    index += 1
    return String(validating: bytes[start..<index - 1], as: UTF8.self)
  }

  /// Reads the rest of a text that began at `start` and has an escape here.
  private mutating func escapedText(from start: Int) -> String? {
    var units = Array(bytes[start..<index])
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      var unit = bytes[index]
      guard unit >= 0x20 else { return nil }
      if unit == UInt8(ascii: "\\") {
        index += 1
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unit = bytes[index]
        case UInt8(ascii: "n"): unit = 0x0A
        case UInt8(ascii: "t"): unit = 0x09
        case UInt8(ascii: "r"): unit = 0x0D
        case UInt8(ascii: "b"): unit = 0x08
        case UInt8(ascii: "f"): unit = 0x0C
        default: return nil
        }
      }
      units.append(unit)
      index += 1
    }
    guard index < bytes.count else { return nil }
    index += 1
    return String(validating: units, as: UTF8.self)
  }

  /// Reads a whole number of at most 18 digits, written without fraction and exponent.
  package mutating func integer() -> Int? {
    guard let number = scanNumber(), number.exponent == 0, number.isWhole, number.digits <= 18
    else { return nil }
    return number.isNegative ? -Int(number.mantissa) : Int(number.mantissa)
  }

  /// Reads a number, rounded to the nearest `Double`.
  package mutating func number() -> Double? {
    let start = index
    guard let number = scanNumber() else { return nil }
    var value: Double
    if number.digits <= 18, number.mantissa <= 1 << 53, abs(number.exponent) < Self.powers.count {
      // Both are exact, so that the one operation rounds correctly (Clinger, 1990).
      value = Double(number.mantissa)
      let power = Self.powers[abs(number.exponent)]
      value = number.exponent < 0 ? value / power : value * power
      if number.isNegative { value = -value }
    } else {
      let text = String(decoding: bytes[start..<index].drop { $0 <= 0x20 }, as: UTF8.self)
      // A decoder refuses what is too large, and too small for anything but 0.
      guard let rounded = Double(text), rounded.isFinite, rounded != 0 else { return nil }
      value = rounded
    }
    return value
  }

  /// The powers of ten that a `Double` represents.
  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// A number: mantissa · 10^exponent, if it has at most 18 digits.
  private struct Scanned {
    var mantissa: UInt64 = 0
    var exponent = 0
    var digits = 0
    var isNegative = false
    var isWhole = true
  }

  private mutating func scanNumber() -> Scanned? {
    var number = Scanned()
    guard let first = peek() else { return nil }
    if first == UInt8(ascii: "-") {
      number.isNegative = true
      index += 1
    }
    let start = index
    scanDigits(&number)
    guard index > start, bytes[start] != UInt8(ascii: "0") || index == start + 1 else { return nil }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      let start = index
      scanDigits(&number)
      guard index > start else { return nil }
      number.exponent = start - index
      number.isWhole = false
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      var isNegative = false
      if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-")
      {
        isNegative = bytes[index] == UInt8(ascii: "-")
        index += 1
      }
      var power = Scanned()
      scanDigits(&power)
      guard 1...4 ~= power.digits else { return nil }
      number.exponent += isNegative ? -Int(power.mantissa) : Int(power.mantissa)
      number.isWhole = false
    }
    return number
  }

  @inline(__always)
  private mutating func scanDigits(_ number: inout Scanned) {
    while index < bytes.count {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return }
      number.mantissa = number.mantissa &* 10 &+ UInt64(digit)
      number.digits += 1
      index += 1
    }
  }
}
