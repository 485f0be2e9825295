import Foundation
import JSONReading
import Testing

@Suite struct JSONCursorTests {
  /// Reads `text` as one value.
  private func read<Value>(_ text: String, _ value: (inout JSONCursor) -> Value?) -> Value? {
    Data(text.utf8).withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      let value = value(&cursor)
      return cursor.isAtEnd() ? value : nil
    }
  }

  private func decoded<Value: Decodable>(_ text: String, _ type: Value.Type) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }

  @Test func numbersAreThoseOfTheDecoder() {
    var texts = [
      "0", "-0", "-0.0", "1", "-1", "0.1", "1.5e3", "1E-7", "2e+2", "9007199254740993", "1e22",
      "1e23",
      "123456789012345678", "1234567890123456789", "12345678901234567890123", "0.30000000000000004",
      "4.9e-324", "1e-400", "1.7976931348623157e308", " \n\t 7 ", "831.5", "0.000001", "5e-5",
    ]
    var state: UInt64 = 88_172_645_463_325_252
    for _ in 0..<5000 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      let value = Double(bitPattern: state)
      if value.isFinite { texts.append("\(value)") }
      texts.append("\(Double(state % 100_000_000) / 10_000)")
      texts.append("\(state)e-\(state % 40)")
    }
    for text in texts {
      let number = read(text) { $0.number() }
      #expect(number?.bitPattern == decoded(text, Double.self)?.bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    "", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "NaN", "Infinity", "1 2", "1e999", "--1",
    "1,", "true",
  ])
  func otherNumbersAreLeftToTheDecoder(text: String) {
    #expect(read(text) { $0.number() } == nil)
    #expect(decoded(text, Double.self) == nil)
  }

  @Test func wholeNumbersHaveNoFraction() {
    for text in ["0", "-12", "123456789012345678"] {
      #expect(read(text) { $0.integer() } == decoded(text, Int.self))
    }
    for text in ["1.0", "1e2", "12345678901234567890"] {
      #expect(read(text) { $0.integer() } == nil)
    }
  }

  @Test func textsAreThoseOfTheDecoder() {
    for text in [#""""#, #""a b""#, #""\"\\\/\n\t\r\b\f""#, #""é\n日本""#, #"  "x" "#] {
      #expect(read(text) { $0.text() } == decoded(text, String.self), "\(text)")
      #expect(read(text) { $0.text() } != nil)
    }
    for text in [#"""#, #""a"#, #""\u0041""#, #""\x""#, "\"a\nb\"", #""a\"#, "a"] {
      #expect(read(text) { $0.text() } == nil, "\(text)")
    }
    let invalid = Data([0x22, 0xC3, 0x28, 0x22])
    #expect(
      invalid.withUnsafeBytes {
        var cursor = JSONCursor($0)
        return cursor.text()
      } == nil)
  }

  @Test func listsAndObjectsEndWhereTheyShould() {
    func list(_ text: String) -> [Int]? {
      var values: [Int] = []
      return read(text) { cursor in
        cursor.list {
          guard let value = $0.integer() else { return false }
          values.append(value)
          return true
        }
      }.map { values }
    }
    func object(_ text: String) -> [String: Int]? {
      var values: [String: Int] = [:]
      return read(text) { cursor in
        cursor.object { cursor, key in
          values[key] = cursor.integer()
          return values[key] != nil
        }
      }.map { values }
    }
    for text in ["[]", "[ ]", "[1]", " [1 , 2] "] {
      #expect(list(text) == decoded(text, [Int].self))
    }
    for text in ["[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "{}", "[1}"] {
      #expect(list(text) == nil, "\(text)")
    }
    for text in ["{}", #"{"a":1}"#, #" { "a" : 1 , "b" : -2 } "#] {
      #expect(object(text) == decoded(text, [String: Int].self))
    }
    for text in [
      "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{"é":1}"#, "{1:1}",
      #"{"a":1]"#,
    ] {
      #expect(object(text) == nil, "\(text)")
    }
  }
}
