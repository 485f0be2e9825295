import Foundation

/// A random number generator that gives the same numbers for the same seed on every machine.
///
/// It is xoshiro256** (Blackman & Vigna, 2018), initialised by SplitMix64. With a stream for each
/// example, the numbers do not depend on the order in which examples are processed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  @usableFromInline var state: (UInt64, UInt64, UInt64, UInt64)

  /// Creates the generator for a seed and a stream.
  public init(seed: UInt64, stream: UInt64...) {
    var mixer = seed
    func next() -> UInt64 {
      mixer &+= 0x9E37_79B9_7F4A_7C15
      var mixed = mixer
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
    for number in stream { mixer = next() ^ (number &* 0xD134_2543_DE82_EF95) }
    state = (next(), next(), next(), next())
  }

  /// The next 64 random bits.
  @inlinable public mutating func next() -> UInt64 {
    func rotate(_ value: UInt64, by count: UInt64) -> UInt64 {
      (value << count) | (value >> (64 - count))
    }
    let result = rotate(state.1 &* 5, by: 7) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = rotate(state.3, by: 45)
    return result
  }

  /// Returns a number from 0 to below 1 with 53 random bits.
  @inlinable public mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// A number in `range`, evenly distributed.
  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// A number from the normal distribution of mean 0 and deviation 1 (Box & Muller, 1958).
  public mutating func normal() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * .pi * uniform())
  }

  /// A whole number from 0 to below `count`.
  public mutating func index(below count: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(count)).high)
  }

  /// True with `probability`.
  public mutating func chance(_ probability: Double) -> Bool {
    uniform() < probability
  }

  /// One of `elements`.
  public mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[index(below: elements.count)]
  }

  /// The numbers from 0 to below `count` in random order (Fisher–Yates).
  public mutating func permutation(_ count: Int) -> [Int] {
    var order = Array(0..<count)
    for last in stride(from: count - 1, to: 0, by: -1) {
      order.swapAt(last, index(below: last + 1))
    }
    return order
  }
}
