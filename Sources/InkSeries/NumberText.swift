import Foundation

/// Reads decimal numbers from bytes, correctly rounded, without making a text of each.
package enum NumberText {
  /// A number, a missing value, or neither.
  package enum Reading<Number: Equatable>: Equatable {
    case number(Number)
    case missing
    case unreadable
  }

  /// Reads a `Float`; an infinite number or one that does not fit is unreadable.
  ///
  /// With `decimalComma`, a comma is also read as the decimal point.
  package static func float(
    _ bytes: UnsafeBufferPointer<UInt8>, decimalComma: Bool = false
  ) -> Reading<Float> {
    let bytes = trimmed(bytes)
    if let exact = simple(bytes, decimalComma: decimalComma) {
      // Rounding twice can only be wrong at the middle between two floats.
      if exact.bitPattern & 0x1FFF_FFFF != 0x1000_0000, exact == 0 || abs(exact) > 1e-37,
        abs(exact) < 3e38
      {
        return .number(Float(exact))
      }
    }
    return general(bytes, decimalComma: decimalComma) { strtof($0, $1) }
  }

  /// Reads a `Double`; an infinite number or one that does not fit is unreadable.
  ///
  /// With `decimalComma`, a comma is also read as the decimal point.
  package static func double(
    _ bytes: UnsafeBufferPointer<UInt8>, decimalComma: Bool = false
  ) -> Reading<Double> {
    let bytes = trimmed(bytes)
    if let exact = simple(bytes, decimalComma: decimalComma) { return .number(exact) }
    return general(bytes, decimalComma: decimalComma) { strtod($0, $1) }
  }

  /// The powers of ten that a `Double` holds exactly.
  private static let powers: [Double] = (0...22).map { pow(10, Double($0)) }

  /// Returns the number if it has at most 15 digits and a small exponent, so that one operation
  /// rounds it correctly (Clinger, 1990).
  private static func simple(
    _ bytes: UnsafeBufferPointer<UInt8>, decimalComma: Bool
  ) -> Double? {
    var index = 0
    let count = bytes.count
    var isNegative = false
    if index < count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
      isNegative = bytes[index] == UInt8(ascii: "-")
      index += 1
    }
    var mantissa: UInt64 = 0
    var digits = 0
    var exponent = 0
    var isFraction = false
    scan: while index < count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
        digits += 1
        if isFraction { exponent -= 1 }
        guard digits <= 15 else { return nil }
      case UInt8(ascii: ".") where !isFraction: isFraction = true
      case UInt8(ascii: ",") where decimalComma && !isFraction: isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): break scan
      default: return nil
      }
      index += 1
    }
    guard digits > 0 else { return nil }
    if index < count {
      index += 1
      var sign = 1
      if index < count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
        sign = bytes[index] == UInt8(ascii: "-") ? -1 : 1
        index += 1
      }
      guard index < count, count - index <= 3 else { return nil }
      var given = 0
      while index < count {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
        given = given * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        index += 1
      }
      exponent += sign * given
    }
    guard (-22...22).contains(exponent) else { return nil }
    let magnitude =
      exponent < 0 ? Double(mantissa) / powers[-exponent] : Double(mantissa) * powers[exponent]
    return isNegative ? -magnitude : magnitude
  }

  /// Reads a number with the C library, which knows all forms.
  private static func general<Number: BinaryFloatingPoint>(
    _ bytes: UnsafeBufferPointer<UInt8>, decimalComma: Bool,
    _ parse: (UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Number
  ) -> Reading<Number> {
    guard !isMissing(bytes) else { return .missing }
    // Words such as `inf`, hexadecimal numbers and long texts are not numbers.
    let comma = UInt8(ascii: ",")
    guard bytes.count <= 400,
      bytes.allSatisfy({ isNumeric($0) || decimalComma && $0 == comma }),
      // With both a point and a comma, one of them would be for thousands.
      !bytes.contains(comma) || !bytes.contains(UInt8(ascii: "."))
    else { return .unreadable }
    var text = bytes.map { CChar(bitPattern: $0 == comma ? UInt8(ascii: ".") : $0) }
    text.append(0)
    return text.withUnsafeMutableBufferPointer { buffer in
      var end: UnsafeMutablePointer<CChar>?
      let number = parse(buffer.baseAddress!, &end)
      guard end == buffer.baseAddress! + buffer.count - 1, number.isFinite else {
        return .unreadable
      }
      return .number(number)
    }
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// The texts of a missing value, in lower case; an empty one is missing, too.
  private static let missingTexts = ["nan", "na", "n/a", "null", "none", "?"].map { Array($0.utf8) }

  private static func isMissing(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count <= 4 else { return false }
    let lower = bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    return lower.isEmpty || missingTexts.contains(lower)
  }

  /// Returns the bytes without spaces and tabs at the ends.
  package static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    var (start, end) = (0, bytes.count)
    while start < end, isSpace(bytes[start]) { start += 1 }
    while end > start, isSpace(bytes[end - 1]) { end -= 1 }
    return UnsafeBufferPointer(rebasing: bytes[start..<end])
  }
}
