/// A QR code (ISO/IEC 18004) of text in bytes, with error correction level M and up to version 10.
///
/// Addresses need no more. Another system library would have to be installed on each machine.
struct QRCode {
  /// The number of modules of a side, without the quiet zone.
  private(set) var size: Int
  /// Whether each module is dark, row by row.
  private(set) var modules: [Bool]
  /// Which modules belong to the patterns and not to the data.
  private var isFixed: [Bool]

  /// The codewords for error correction in each block, and the number of blocks, of versions 1 to 10.
  private static let corrections = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26]
  private static let blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5]

  /// Creates the code of a text, or `nil` if the text has more than 213 bytes.
  ///
  /// `mask` is one of the eight masks; without it, the one with the lowest penalty is used.
  init?(_ text: String, mask: Int? = nil) {
    let bytes = Array(text.utf8)
    guard let version = (1...10).first(where: { Self.capacity($0) >= bytes.count }) else {
      return nil
    }
    size = 17 + 4 * version
    modules = Array(repeating: false, count: size * size)
    isFixed = modules
    addPatterns(version)
    addData(Self.codewords(bytes, version))
    let plain = self
    var best: (penalty: Int, code: QRCode)?
    for mask in mask.map({ $0...$0 }) ?? 0...7 {
      var code = plain
      code.apply(mask)
      let penalty = code.penalty
      if penalty < best?.penalty ?? .max { best = (penalty, code) }
    }
    self = best?.code ?? plain
  }

  /// Whether the module at a place is dark; what is outside is light.
  func isDark(_ x: Int, _ y: Int) -> Bool {
    (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
  }

  /// The code in the characters of a terminal, two rows of modules in each line, dark on light.
  var terminalText: String {
    let quiet = 2
    return stride(from: -quiet, to: size + quiet, by: 2).map { y in
      let line = (-quiet..<size + quiet).map { x in
        switch (isDark(x, y), isDark(x, y + 1)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      // Black on white, whatever the colours of the terminal are.
      return "\u{1b}[38;5;16;48;5;231m\(line.joined())\u{1b}[0m\n"
    }.joined()
  }

  /// The dark modules as the path of an SVG, one unit a module, from the corner of the code on.
  var path: String {
    (0..<size).flatMap { y in
      (0..<size).filter { x in isDark(x, y) }.map { x in "M\(x) \(y)h1v1h-1z" }
    }.joined()
  }

  // MARK: Data

  /// The bits of all codewords of a version, those for error correction included.
  private static func bitCount(_ version: Int) -> Int {
    var count = (16 * version + 128) * version + 64
    if version >= 2 {
      let alignments = version / 7 + 2
      count -= (25 * alignments - 10) * alignments - 55
    }
    return version >= 7 ? count - 36 : count
  }

  private static func dataCount(_ version: Int) -> Int {
    bitCount(version) / 8 - corrections[version - 1] * blocks[version - 1]
  }

  /// The bytes of text that fit, beside the mode and the length.
  private static func capacity(_ version: Int) -> Int {
    (8 * dataCount(version) - 4 - (version < 10 ? 8 : 16)) / 8
  }

  /// Returns the data and their error correction, in the order in which they are placed.
  private static func codewords(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, version < 10 ? 8 : 16)
    for byte in bytes { append(Int(byte), 8) }
    let count = dataCount(version)
    append(0, min(4, 8 * count - bits.count))
    append(0, (8 - bits.count % 8) % 8)
    var data = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    for pad in 0..<count - data.count { data.append(pad % 2 == 0 ? 0xec : 0x11) }
    let (blockCount, correction) = (blocks[version - 1], corrections[version - 1])
    let short = count / blockCount
    let longCount = count % blockCount
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    for block in 0..<blockCount {
      let length = block < blockCount - longCount ? short : short + 1
      parts.append(data[start..<start + length])
      start += length
    }
    let checks = parts.map { remainder($0, by: generator(correction)) }
    var result: [UInt8] = []
    for index in 0...short {
      result += parts.compactMap { $0.count > index ? $0[$0.startIndex + index] : nil }
    }
    for index in 0..<correction { result += checks.map { $0[index] } }
    return result
  }

  /// Returns the product in the field of 256 elements with x⁸ + x⁴ + x³ + x² + 1.
  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var result = 0
    for bit in (0..<8).reversed() {
      result = result << 1 ^ (result >> 7) * 0x11d
      result ^= Int(b >> bit & 1) * Int(a)
    }
    return UInt8(result)
  }

  /// Returns the coefficients of (x − 1)(x − 2)(x − 4)…, without the leading one.
  private static func generator(_ degree: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in 0..<degree {
        result[index] = product(result[index], root)
        if index + 1 < degree { result[index] ^= result[index + 1] }
      }
      root = product(root, 2)
    }
    return result
  }

  private static func remainder(_ data: ArraySlice<UInt8>, by divisor: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: divisor.count)
    for byte in data {
      let factor = byte ^ result.removeFirst()
      result.append(0)
      for index in divisor.indices { result[index] ^= product(divisor[index], factor) }
    }
    return result
  }

  // MARK: Patterns

  private mutating func fix(_ x: Int, _ y: Int, _ isDark: Bool) {
    guard (0..<size).contains(x), (0..<size).contains(y) else { return }
    modules[y * size + x] = isDark
    isFixed[y * size + x] = true
  }

  private mutating func addPatterns(_ version: Int) {
    for index in 0..<size {
      fix(6, index, index % 2 == 0)
      fix(index, 6, index % 2 == 0)
    }
    for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      for dy in -4...4 {
        for dx in -4...4 { fix(x + dx, y + dy, ![2, 4].contains(max(abs(dx), abs(dy)))) }
      }
    }
    let places = Self.alignments(version, size)
    for x in places {
      for y in places
      where ![(6, 6), (6, size - 7), (size - 7, 6)].contains(where: { $0 == (x, y) }) {
        for dy in -2...2 {
          for dx in -2...2 { fix(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
        }
      }
    }
    addFormat(0)
    guard version >= 7 else { return }
    var rest = version
    for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1f25 }
    let bits = version << 12 | rest
    for index in 0..<18 {
      let (x, y) = (size - 11 + index % 3, index / 3)
      fix(x, y, bits >> index & 1 == 1)
      fix(y, x, bits >> index & 1 == 1)
    }
  }

  private static func alignments(_ version: Int, _ size: Int) -> [Int] {
    guard version >= 2 else { return [] }
    let count = version / 7 + 2
    let step = (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
    return [6] + (0..<count - 1).map { size - 7 - $0 * step }
  }

  /// Writes the level of error correction, M, and the mask.
  private mutating func addFormat(_ mask: Int) {
    var rest = mask
    for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
    let bits = (mask << 10 | rest) ^ 0x5412
    func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
    for index in 0...5 { fix(8, index, bit(index)) }
    fix(8, 7, bit(6))
    fix(8, 8, bit(7))
    fix(7, 8, bit(8))
    for index in 9..<15 { fix(14 - index, 8, bit(index)) }
    for index in 0..<8 { fix(size - 1 - index, 8, bit(index)) }
    for index in 8..<15 { fix(8, size - 15 + index, bit(index)) }
    fix(8, size - 8, true)
  }

  /// Places the bits in columns of two, from the right, upwards and downwards in turn.
  private mutating func addData(_ codewords: [UInt8]) {
    var index = 0
    for pair in stride(from: size - 1, through: 1, by: -2) {
      let right = pair <= 6 ? pair - 1 : pair
      for step in 0..<size {
        for x in [right, right - 1] {
          let y = (right + 1) & 2 == 0 ? size - 1 - step : step
          guard !isFixed[y * size + x], index < codewords.count * 8 else { continue }
          modules[y * size + x] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
          index += 1
        }
      }
    }
  }

  private mutating func apply(_ mask: Int) {
    for y in 0..<size {
      for x in 0..<size where !isFixed[y * size + x] {
        let isTurned =
          switch mask {
          case 0: (x + y) % 2 == 0
          case 1: y % 2 == 0
          case 2: x % 3 == 0
          case 3: (x + y) % 3 == 0
          case 4: (x / 3 + y / 2) % 2 == 0
          case 5: x * y % 2 + x * y % 3 == 0
          case 6: (x * y % 2 + x * y % 3) % 2 == 0
          default: ((x + y) % 2 + x * y % 3) % 2 == 0
          }
        if isTurned { modules[y * size + x].toggle() }
      }
    }
    addFormat(mask)
  }

  /// How hard the code is to read: runs, squares, parts that look like a corner, and too much of a colour.
  private var penalty: Int {
    var result = 0
    let corner = [true, false, true, true, true, false, true, false, false, false, false]
    for isColumn in [false, true] {
      for line in 0..<size {
        let row = (0..<size).map { isColumn ? isDark(line, $0) : isDark($0, line) }
        var start = 0
        for end in 1...size where end == size || row[end] != row[start] {
          if end - start >= 5 { result += end - start - 2 }
          start = end
        }
        for start in 0...size - 11 {
          let part = row[start..<start + 11]
          if part.elementsEqual(corner) || part.elementsEqual(corner.reversed()) { result += 40 }
        }
      }
    }
    for y in 0..<size - 1 {
      for x in 0..<size - 1 {
        let isOne = isDark(x, y)
        if isDark(x + 1, y) == isOne, isDark(x, y + 1) == isOne, isDark(x + 1, y + 1) == isOne {
          result += 3
        }
      }
    }
    let dark = modules.filter { $0 }.count
    let share = dark * 20 - modules.count * 10
    return result + 10 * max(0, (abs(share) + modules.count - 1) / modules.count - 1)
  }
}
