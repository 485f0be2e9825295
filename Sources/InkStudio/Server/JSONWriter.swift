/// Writes JSON directly as bytes.
///
/// Every stroke is answered with a document. `JSONEncoder` needs milliseconds for a hundred elements.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether the next value in this list or object needs a comma before it.
  private var needsComma = false

  /// Writes an object; `write` adds its members.
  mutating func object(_ write: (inout JSONWriter) -> Void) { nest("{", "}", write) }

  /// Writes a list; `write` adds one value for each of `values`.
  mutating func list<Values: Sequence>(
    _ values: Values, _ write: (inout JSONWriter, Values.Element) -> Void
  ) {
    nest("[", "]") { json in
      for value in values { write(&json, value) }
    }
  }

  /// Writes a member of an object.
  mutating func member(_ name: StaticString, _ value: String) {
    self.name(name)
    self.value(value)
  }

  /// Writes a member of an object.
  mutating func member(_ name: StaticString, _ value: Double) {
    self.name(name)
    self.value(value)
  }

  /// Writes a member of an object.
  mutating func member(_ name: StaticString, _ value: Bool) {
    self.name(name)
    self.value(value)
  }

  /// Writes a member of an object that is a list of texts.
  mutating func member(_ name: StaticString, _ values: some Sequence<String>) {
    self.name(name)
    list(values) { $0.value($1) }
  }

  /// Writes the name of the next value.
  mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    needsComma = false
  }

  mutating func value(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func value(_ number: Double) {
    separate()
    // JSON has no infinity and no NaN.
    bytes.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
  }

  mutating func value(_ number: Int) {
    separate()
    bytes.append(contentsOf: number.description.utf8)
  }

  mutating func value(_ isTrue: Bool) {
    separate()
    bytes.append(contentsOf: (isTrue ? "true" : "false").utf8)
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func nest(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ write: (inout JSONWriter) -> Void
  ) {
    separate()
    bytes.append(UInt8(ascii: opening))
    needsComma = false
    write(&self)
    bytes.append(UInt8(ascii: closing))
    needsComma = true
  }
}
