import Foundation

/// Numbers of 16 bits (IEEE 754 binary16).
enum HalfPrecision {
  /// Returns the number with these bits.
  static func float(_ bits: UInt16) -> Float {
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = Float(bits & 0x3FF)
    switch exponent {
    case 0: return sign * fraction * 0x1p-24
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default:
      return Float(
        sign: sign < 0 ? .minus : .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
    }
  }
}

extension ContiguousBytes {
  /// Returns the little-endian numbers in these bytes; `number` converts the bits of each.
  func numbers<Bits: FixedWidthInteger, Number>(_ number: (Bits) -> Number) -> [Number] {
    withUnsafeBytes { bytes in
      let width = MemoryLayout<Bits>.size
      return (0..<bytes.count / width).map {
        number(Bits(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * width, as: Bits.self)))
      }
    }
  }

  /// Returns the floating-point numbers of `width` bytes in these bytes: 2, 4 or 8.
  func floats(width: Int) -> [Float] {
    switch width {
    case 2: numbers(HalfPrecision.float)
    case 4: numbers { (bits: UInt32) in Float(bitPattern: bits) }
    case 8: numbers { (bits: UInt64) in Float(Double(bitPattern: bits)) }
    default: preconditionFailure("numbers have 2, 4 or 8 bytes, not \(width)")
    }
  }
}
