import Foundation
import Testing

@testable import Ink

/// Lines in the usual form are read without a decoder; an empty object of attributes is never in them.
@Suite struct PlainNDJSONTests {
  private let place = Place(file: "a.ndjson", line: 1)

  /// The same line with an empty object of attributes, which the decoder reads.
  private func unusual(_ line: String) -> String { line.dropLast() + #","attributes":{}}"# }

  private func recording(_ line: String) throws -> Recording? {
    try NDJSON.item(Data(line.utf8), at: place)?.result.get()
  }

  private func expectSame(_ line: String) throws {
    let plain = try #require(NDJSON.plainRecording(Data(line.utf8)), "\(line.prefix(200))")
    #expect(NDJSON.plainRecording(Data(unusual(line).utf8)) == nil)
    #expect(try recording(unusual(line)) == plain)
    #expect(try recording(line) == plain)
  }

  @Test func recordingsOfThisRepositoryAreReadLikeByTheDecoder() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    for file in ["../../datasets/synthetic.ndjson", "../../Examples/Ink/drawings.ndjson"] {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for line in text.split(separator: "\n").prefix(200) { try expectSame(String(line)) }
    }
  }

  @Test(arguments: [
    #"{"drawing":[]}"#, #"{"drawing":[[[],[]]]}"#,
    #"{"drawing":[[[1],[2]],[[3,4],[5,6],[],[0,1]]]}"#,
    #" { "word" : "a" , "drawing" : [ [ [1.5e1] , [-0] , [7] , [0.25] ] ] } "#,
    #"{"word":null,"writer":"é\n","device":"pen","source":"s","drawing":[[[1],[2]]],"key_id":"5","recognized":true}"#,
    #"{"drawing":[[[1],[2]]],"a":null,"b":[1,null,"x",{"c":false}],"d":1.5,"e":{},"f":9007199254740991}"#,
  ])
  func usualLinesAreReadLikeByTheDecoder(line: String) throws {
    // The sign of the added key has to come before the space at the end.
    try expectSame(line.trimmingCharacters(in: .whitespaces))
    #expect(NDJSON.plainRecording(Data(line.utf8)) != nil)
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"drawing":[[[1],[2]]]}x"#, #"{"drawing":[[[1],[2,3]]]}"#,
    #"{"drawing":[[[1]]]}"#,
    #"{"drawing":[[[1],[2],[3],[2]]]}"#, #"{"drawing":[[[1],[2],[3],[0],[1]]]}"#,
    #"{"drawing":[[[null],[2]]]}"#,
    #"{"drawing":[[[1],[2],[null]]]}"#, #"{"drawing":[],"drawing":[]}"#,
    #"{"drawing":[],"word":"a","word":"b"}"#,
    #"{"drawing":[],"word":null,"word":"b"}"#, #"{"drawing":[],"a":1,"a":2}"#,
    #"{"drawing":[],"word":5}"#,
    #"{"drawing":[],"a":9007199254740993}"#, #"{"drawing":[],"a":{"b":1,"b":2}}"#,
    #"{"drawing":[],"é":1}"#,
    #"{"drawing":[[[1e999],[2]]]}"#, #"{"drawing":[],"a":[[[[[[[[[1]]]]]]]]]}"#,
    #"{"drawing":[],"word":"\u0041"}"#,
  ])
  func otherLinesAreLeftToTheDecoder(line: String) {
    #expect(NDJSON.plainRecording(Data(line.utf8)) == nil)
  }
}
