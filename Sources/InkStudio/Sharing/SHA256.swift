/// The hash function SHA-256 (FIPS 180-4).
///
/// It is used for tokens of devices and for the fingerprint of the certificate, which are short. A package
/// for it would double the time to build the studio.
enum SHA256 {
  /// Returns the hash of `bytes`: 32 bytes.
  static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var message = Array(bytes)
    let bitCount = UInt64(message.count) * 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    message += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) }
    var state: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
      0x5be0_cd19,
    ]
    for start in stride(from: 0, to: message.count, by: 64) {
      add(message[start..<start + 64], to: &state)
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }

  /// Returns the hash as 64 hexadecimal digits.
  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    hash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
    func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
      word >> count | word << (32 - count)
    }
    var words = [UInt32](repeating: 0, count: 64)
    for (index, byte) in block.enumerated() {
      words[index / 4] = words[index / 4] << 8 | UInt32(byte)
    }
    for i in 16..<64 {
      let (one, two) = (words[i - 15], words[i - 2])
      let first = turned(one, 7) ^ turned(one, 18) ^ one >> 3
      let second = turned(two, 17) ^ turned(two, 19) ^ two >> 10
      words[i] = words[i - 16] &+ first &+ words[i - 7] &+ second
    }
    var s = state
    for i in 0..<64 {
      let choice = s[4] & s[5] ^ ~s[4] & s[6]
      let upper = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)
      let sum = s[7] &+ upper &+ choice &+ constants[i] &+ words[i]
      let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
      let lower = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)
      s = [sum &+ lower &+ majority, s[0], s[1], s[2], s[3] &+ sum, s[4], s[5], s[6]]
    }
    for i in 0..<8 { state[i] &+= s[i] }
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ]
}
