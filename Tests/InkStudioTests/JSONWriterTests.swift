import Foundation
import Testing

@testable import InkStudio

@Suite(.timeLimit(.minutes(30))) struct JSONWriterTests {
  @Test func readersUnderstandIt() throws {
    var json = JSONWriter()
    let texts = ["", "a\"b\\c", "\u{0}\n\u{1f}\t", "ε 🙂 \u{2028}", "</script>"]
    json.object { json in
      json.name("texts")
      json.list(texts) { $0.value($1) }
      json.name("numbers")
      json.list([0, -1.5, 1e300, 0.1, .nan, .infinity]) { $0.value($1) }
      json.name("none")
      json.list([] as [Int]) { $0.value($1) }
      json.name("nested")
      json.list([1, 2]) { json, number in
        json.object { json in
          json.name("number")
          json.value(number)
          json.name("isOne")
          json.value(number == 1)
        }
      }
    }
    let read = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
    #expect(read?["texts"] as? [String] == texts)
    #expect((read?["numbers"] as? [Any])?.prefix(4).map { $0 as? Double } == [0, -1.5, 1e300, 0.1])
    #expect((read?["numbers"] as? [Any])?.suffix(2).allSatisfy { $0 is NSNull } ?? false)
    #expect((read?["none"] as? [Any])?.isEmpty ?? false)
    let nested = read?["nested"] as? [[String: Any]]
    #expect(nested?.map { $0["number"] as? Int } == [1, 2])
    #expect(nested?.map { $0["isOne"] as? Bool } == [true, false])
  }
}
