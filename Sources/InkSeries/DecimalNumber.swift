/// Reads decimal numbers from bytes.
enum DecimalNumber {
  /// The powers of ten that are exact.
  private static let powers: [Double] = (0...22).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  /// Returns the number closest to a decimal such as `-12.5e3`, or `nil` if the text is not one.
  ///
  /// It does not allocate memory for numbers of at most 15 digits with small exponents: both the
  /// digits and the power of ten are exact then, so one operation rounds correctly (Clinger, 1990).
  static func value(of bytes: UnsafeRawBufferPointer) -> Double? {
    var index = 0
    func digit() -> UInt64? {
      guard index < bytes.count, (48...57).contains(bytes[index]) else { return nil }
      return UInt64(bytes[index] - 48)
    }
    func skip(_ character: Unicode.Scalar, or other: Unicode.Scalar) -> UInt8? {
      guard index < bytes.count,
        bytes[index] == UInt8(ascii: character) || bytes[index] == UInt8(ascii: other)
      else { return nil }
      defer { index += 1 }
      return bytes[index]
    }

    let sign = skip("-", or: "+")
    var digits: UInt64 = 0
    var digitCount = 0
    var exponent = 0
    var hasDigits = false
    func readDigits(ofFraction: Bool) {
      while let next = digit() {
        hasDigits = true
        index += 1
        if digitCount > 0 || next > 0 { digitCount += 1 }
        guard digitCount <= 15 else { continue }
        digits = digits * 10 + next
        if ofFraction { exponent -= 1 }
      }
    }
    readDigits(ofFraction: false)
    if skip(".", or: ".") != nil { readDigits(ofFraction: true) }
    guard hasDigits else { return nil }
    if skip("e", or: "E") != nil {
      let exponentSign = skip("-", or: "+")
      guard digit() != nil else { return nil }
      var written = 0
      while let next = digit() {
        written = min(written * 10 + Int(next), 100_000)
        index += 1
      }
      exponent += exponentSign == UInt8(ascii: "-") ? -written : written
    }
    guard index == bytes.count else { return nil }
    guard digitCount <= 15, abs(exponent) <= 22 else {
      return Double(String(decoding: bytes, as: UTF8.self))
    }
    let magnitude =
      exponent < 0 ? Double(digits) / powers[-exponent] : Double(digits) * powers[exponent]
    return sign == UInt8(ascii: "-") ? -magnitude : magnitude
  }
}
