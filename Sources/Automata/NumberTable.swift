/// Numbers from 0 for keys, in the order in which the keys came.
///
/// Open addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4). The hash is a
/// product with a random odd number, so that other keys collide in every run.
struct NumberTable {
  private struct Slot {
    var key: UInt64 = 0
    /// The number of the key, or −1 where no key is.
    var number: Int32 = -1
  }

  private var slots: [Slot]
  private let multiplier = UInt64.random(in: .min ... .max) | 1
  private(set) var count = 0

  /// Creates a table that holds `count` keys before it grows.
  init(count: Int = 8) {
    var size = 16
    while size < 2 * count { size *= 2 }
    slots = [Slot](repeating: Slot(), count: size)
  }

  /// Returns the place of `key`, or the free one where it belongs.
  @inline(__always) private func place(of key: UInt64) -> Int {
    // The high bits of the product, as many as the size has.
    let shift = 64 - slots.count.trailingZeroBitCount
    var place = Int(truncatingIfNeeded: (key &* multiplier) &>> UInt64(shift))
    while slots[place].number >= 0, slots[place].key != key {
      place = (place + 1) & (slots.count - 1)
    }
    return place
  }

  /// The number of `key`, or `nil` if it did not come.
  func number(of key: UInt64) -> Int? {
    let number = slots[place(of: key)].number
    return number < 0 ? nil : Int(number)
  }

  /// Returns the number of `key`, which is the next one if it is new.
  mutating func insert(_ key: UInt64) -> (number: Int, isNew: Bool) {
    let found = place(of: key)
    guard slots[found].number < 0 else { return (Int(slots[found].number), false) }
    slots[found] = Slot(key: key, number: Int32(count))
    count += 1
    if 2 * count > slots.count { grow() }
    return (count - 1, true)
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: 2 * old.count)
    for slot in old where slot.number >= 0 { slots[place(of: slot.key)] = slot }
  }
}

/// Numbers from 0 for texts, in the order in which the texts came.
///
/// Most ids and symbols have a few ASCII characters, which are a number themselves.
struct TextNumbers {
  /// The texts by their numbers.
  private(set) var texts: [String] = []
  private var table: NumberTable
  /// The numbers of all texts, as soon as one of them is no number.
  private var positions: [String: Int]?

  /// Creates a table that holds `count` texts before it grows.
  init(count: Int) {
    texts.reserveCapacity(count)
    table = NumberTable(count: count)
  }

  /// Creates the table of texts that differ.
  init(_ texts: [String]) {
    self.init(count: texts.count)
    for text in texts { _ = insert(text) }
  }

  /// Gives `text` the next number; returns `false` if it has one.
  mutating func insert(_ text: String) -> Bool {
    let isNew: Bool
    if positions == nil, let key = Self.key(of: text) {
      isNew = table.insert(key).isNew
    } else {
      isNew = withPositions { positions, count in
        guard positions[text] == nil else { return false }
        positions[text] = count
        return true
      }
    }
    if isNew { texts.append(text) }
    return isNew
  }

  /// Returns the number of `text`, or `nil` if it did not come.
  mutating func number(of text: String) -> Int? {
    // Other texts can be canonically equivalent to a short one, as the sign of Kelvin is to K.
    if positions == nil, let key = Self.key(of: text) { return table.number(of: key) }
    return withPositions { positions, _ in positions[text] }
  }

  private mutating func withPositions<Result>(
    _ body: (inout [String: Int], _ count: Int) -> Result
  ) -> Result {
    if positions == nil {
      positions = Dictionary(minimumCapacity: texts.capacity)
      for (number, text) in texts.enumerated() { positions![text] = number }
    }
    return body(&positions!, texts.count)
  }

  /// A number for at most seven ASCII characters.
  private static func key(of text: String) -> UInt64? {
    let count = text.utf8.count
    guard count < 8 else { return nil }
    var key = UInt64(count)
    for byte in text.utf8 {
      guard byte < 0x80 else { return nil }
      key = key << 8 | UInt64(byte)
    }
    return key
  }
}
