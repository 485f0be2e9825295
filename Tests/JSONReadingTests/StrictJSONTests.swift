import Foundation
import JSONReading
import Testing

@Suite struct StrictJSONTests {
  private enum Color: String, Codable, CaseIterable {
    case red, green, blue
  }

  private struct Part: Codable, Equatable {
    var count: Int
    var name: String?
    var color: Color?
    var weights: [String: Double]?
    var range: ClosedRange<Double>?
    var parts: [Part]?
    var isOpen: Bool?
  }

  /// Keys of one object that several types read, and a nested object without a type.
  private struct Whole: Decodable {
    var part: Part
    var other: Int?
    var inner: String?

    private enum Keys: CodingKey { case other, nested }
    private enum Nested: CodingKey { case inner }

    init(from decoder: any Decoder) throws {
      part = try Part(from: decoder)
      let container = try decoder.container(keyedBy: Keys.self)
      other = try container.decodeIfPresent(Int.self, forKey: .other)
      if container.contains(.nested) {
        inner = try container.nestedContainer(keyedBy: Nested.self, forKey: .nested)
          .decode(String.self, forKey: .inner)
      }
    }
  }

  private func message<Value: Decodable>(_ type: Value.Type, _ text: String) -> String {
    do {
      _ = try type.init(strictJSON: Data(text.utf8), name: "a.json")
      return "read"
    } catch {
      return "\(error)"
    }
  }

  @Test func whatTheTypeReadsIsRead() throws {
    let text = """
      {"count": 1, "name": null, "color": "green", "weights": {"any": 1, "key": 2.5}, "range": [0, 1],
       "parts": [{"count": 2}, {"count": 3, "parts": []}]}
      """
    let part = try Part(strictJSON: Data(text.utf8), name: "a.json")
    #expect(part == (try Part(json: Data(text.utf8))))
    #expect(part.weights == ["any": 1, "key": 2.5] && part.parts?.count == 2)
    let whole = try Whole(
      strictJSON: Data(#"{"count": 1, "other": 2, "nested": {"inner": "x"}}"#.utf8), name: "a.json")
    #expect(whole.part.count == 1 && whole.other == 2 && whole.inner == "x")
  }

  @Test(arguments: [
    (#"{"count": 1, "stride": 2}"#, "a.json, stride: expected one of the keys "),
    (
      #"{"count": 1, "parts": [{"count": 1}, {"count": 2, "Name": "x"}]}"#,
      "a.json, parts[1].Name: expected one of the keys `color`, `count`, `isOpen`, `name`, `parts`, "
        + "`range` or `weights`, found `Name`"
    ),
    (#"{"parts": []}"#, "a.json: expected the key `count`, found none"),
    (
      #"{"count": 1, "parts": [{"name": "x"}]}"#,
      "a.json, parts[0]: expected the key `count`, found none"
    ),
    (#"{"count": 2.5}"#, "a.json, count: expected a whole number, found 2.5"),
    (#"{"count": "2"}"#, "a.json, count: expected a whole number, found `2`"),
    (#"{"count": null}"#, "a.json, count: expected a whole number, found null"),
    (#"{"count": 1, "name": [1]}"#, "a.json, name: expected a text, found a list"),
    (#"{"count": 1, "isOpen": 1}"#, "a.json, isOpen: expected true or false, found 1"),
    (
      #"{"count": 1, "color": "RED"}"#,
      "a.json, color: expected `red`, `green` or `blue`, found `RED`"
    ),
    (#"{"count": 1, "color": 3}"#, "a.json, color: expected `red`, `green` or `blue`, found 3"),
    (#"{"count": 1, "parts": {}}"#, "a.json, parts: expected a list, found an object"),
    (#"{"count": 1, "parts": [7]}"#, "a.json, parts[0]: expected an object, found 7"),
    (
      #"{"count": 1, "weights": {"a": true}}"#, "a.json, weights.a: expected a number, found true"
    ),
    (#"{"count": 1, "range": [0, 1, 2]}"#, "a.json, range: expected 2 values, found 3"),
    (#"{"count": 1, "range": [0]}"#, "a.json, range: expected more values, found only 1"),
    ("[]", "a.json: expected an object, found a list"),
    (
      #"{"count": 1, "count": 2}"#,
      "a.json: expected each key once in an object, found `count` twice"
    ),
    (#"{"count": 1,}"#, "a.json: expected JSON, found `}` where a key in quotes was expected"),
    ("", "a.json: expected JSON, found an empty file"),
  ])
  func otherJSONIsNamedWithItsPlace(text: String, start: String) {
    #expect(message(Part.self, text).hasPrefix(start), "\(message(Part.self, text))")
  }

  @Test func keysOfSeveralReadersOfOneObjectAreKnown() {
    #expect(
      message(Whole.self, #"{"count": 1, "third": 2}"#).hasPrefix(
        "a.json, third: expected one of the keys `color`, `count`, `isOpen`, `name`, `nested`, "
          + "`other`"))
    #expect(
      message(Whole.self, #"{"count": 1, "nested": {"inner": "x", "more": 1}}"#)
        == "a.json, nested.more: expected the key `inner`, found `more`")
  }

  /// Keys are repeated within an object only, and never in texts.
  @Test(arguments: [
    "{\"a\":{\"b\":1},\"b\":{\"a\":1}}", "{\"a\":\"a\",\"b\":[\"a\",\"a\"]}",
    "[{\"a\":1},{\"a\":1}]", "{\"a\":\"\\\",\\\"a\\\":1\"}", "{\"a\":[{\"a\":1},\"a\"],\"b\":1}",
  ]) func differentKeysAreNotRepeated(json: String) {
    #expect(JSONProblem.repeatedKey(in: Data(json.utf8)) == nil)
  }

  @Test(arguments: [
    "{\"a\":[1,{}],\"a\":2}", "{\"x\":{\"a\":1,\"b\":[],\"a\":1}}", "[0,{\"a\":1, \"a\" :1}]",
    "{\"a\":1,\"\\u0061\":2}",
  ])
  func repeatedKeysAreFound(json: String) {
    #expect(JSONProblem.repeatedKey(in: Data(json.utf8)) == "a")
  }
}
