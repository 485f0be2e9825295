/// A 64-bit hash that is the same on every machine (FNV-1a; Fowler, Noll & Vo).
///
/// It detects accidental differences; it is not a cryptographic hash.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
  /// The hash.
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Creates the fingerprint of no data.
  public init() {}

  /// Adds `bytes`.
  public mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }

  /// Adds a text and a terminator.
  public mutating func add(_ text: String) {
    add(text.utf8)
    add(CollectionOfOne(0xFF))
  }

  /// Adds a number.
  public mutating func add(_ number: Double) {
    withUnsafeBytes(of: number.bitPattern.littleEndian) { add($0) }
  }

  /// Sixteen hexadecimal digits.
  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
