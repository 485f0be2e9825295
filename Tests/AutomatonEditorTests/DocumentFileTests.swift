import AutomatonEditor
import Foundation
import Testing

@Suite struct DocumentFileTests {
  private static let reference = """
    {"id":"6E1F0C52-0B7E-4B7A-9C1E-2D5A4F3B8E10","automatonStates":{"S1":{"id":"S1","name":"A",
    "isFinalState":false,"center":[300,300],"radius":60,"dragPoint":[300,240]},"S2":{"id":"other",
    "name":"","isFinalState":true,"center":[600.5,300],"radius":55.25,"dragPoint":[0,0],"mood":"new"}},
    "transitions":{"T1":{"id":"T1","endState":"S1","currentSymbol":"","symbols":[],
    "includesEpsilon":false,"currentFlexPoint":[190,300],
    "type":{"type":"regular","startPoint":[140,300],"tipPoint":[240,300],"flexPoint":[190,300]}},
    "T2":{"id":"T2","startState":"S1","endState":"S2","currentSymbol":"b","symbols":["a"],
    "includesEpsilon":true,"type":{"type":"regular","startPoint":[360,300],"tipPoint":[545,300],
    "flexPoint":[450,280]}},
    "T3":{"id":"T3","startState":"S2","endState":"S2","currentSymbol":"","symbols":["c"],
    "includesEpsilon":false,"type":{"type":"cycle","point":[600.5,355],"center":[1,2],"radians":0.5}},
    "T4":{"id":"T4","startState":"gone","endState":"S2","currentSymbol":"","symbols":["d"],
    "includesEpsilon":false,"type":{"type":"regular","startPoint":[1,1],"tipPoint":[2,2],
    "flexPoint":[3,3]}}},"theme":{"dark":true,"size":[1,2.5,null]}}
    """

  @Test func theReferencesFilesAreReadAndSurvive() throws {
    let document = try DocumentFile.read(Data(Self.reference.utf8), name: "a.automaton")
    #expect(document.states.map(\.id) == ["S1", "S2"])
    #expect(document.states[1].isFinal && document.states[1].center == Vector(600.5, 300))
    #expect(document.isInitial("S1") && !document.isInitial("S2"))
    #expect(document.transition("T2")?.allSymbols == ["a", "b"])
    #expect(document.transition("T3")?.shape == .loop(angle: 0.5, isMirrored: false))
    // Its start is missing: it is loose and marks nothing.
    #expect(document.transition("T4")?.start == nil)
    #expect(document.danglingTransitions == ["T4"])
    #expect(document.extras.keys.sorted() == ["theme"])
    #expect(document.states[1].extras == ["mood": .text("new")])
    let written = DocumentFile.write(document)
    #expect(try DocumentFile.read(written, name: "b") == document)
    #expect(DocumentFile.write(try DocumentFile.read(written, name: "b")) == written)
    let text = String(decoding: written, as: UTF8.self)
    #expect(text.contains("\"dark\" : true") && text.contains("\"mood\" : \"new\""))
  }

  @Test func filesOf2021AreRead() throws {
    let legacy = """
      {"id":"X","tool":"pen","isEraserSelected":false,"isPenSelected":true,"outputString":"",
      "input":"AB","shouldDeleteLastStroke":false,"automatonStatesDict":{"S1":{"id":"S1","name":"1",
      "isEndState":true,"center":[10,20],"radius":30,"currentDragPoint":[10,-10]}},
      "transitionsDict":{"T":{"id":"T","endState":"S1","currentSymbol":"","symbols":["A"],
      "includesEpsilon":false,"type":{"type":"regular","startPoint":[-100,20],"tipPoint":[-20,20],
      "flexPoint":[-60,20]}}}}
      """
    let document = try DocumentFile.read(Data(legacy.utf8), name: "old")
    #expect(document.states[0].isFinal && document.isInitial("S1"))
  }

  @Test(arguments: [
    ("", "expected a document in JSON, found an empty file"), ("{", "expected a document in JSON"),
    ("[]", "expected an object"),
    ("{}", "expected `automatonStates` and `transitions`, found neither"),
    (#"{"automatonStates":{"a":{}},"transitions":{}}"#, "state `a`: expected `center`"),
    (
      #"{"automatonStates":{"a":{"center":[1],"radius":1}},"transitions":{}}"#,
      "state `a`, center: expected two finite numbers"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,1],"radius":-1}},"transitions":{}}"#,
      "a positive radius, found -1.0"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,1e999],"radius":1}},"transitions":{}}"#, "expected"
    ),
    (#"{"automatonStates":{},"transitions":{"t":{}}}"#, "transition `t`: expected `type`"),
    (
      #"{"automatonStates":{},"transitions":{"t":{"type":{"type":"round"}}}}"#,
      "a type, regular or cycle, found `round`"
    ),
    (
      #"{"automatonStates":{},"transitions":{"t":{"endState":"x","type":{"type":"cycle"}}}}"#,
      "a loop at a state"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,1],"radius":1}},"transitions":{"a":{"type":{"type":"cycle"}}}}"#,
      "an id of its own"
    ),
    (String(repeating: "[", count: 1_000_000), "expected a document in JSON"),
    (String(repeating: #"{"a":"#, count: 100_000), "expected a document in JSON"),
  ])
  func brokenFilesAreNamed(text: String, message: String) {
    #expect {
      try DocumentFile.read(Data(text.utf8), name: "file")
    } throws: {
      "\($0)".contains(message) && "\($0)".hasPrefix("file")
    }
  }
}
