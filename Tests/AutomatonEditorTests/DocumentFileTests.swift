import Automata
import AutomatonEditor
import Foundation
import Ink
import Testing

@Suite(.timeLimit(.minutes(30))) struct DocumentFileTests {
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

  @Test func whatJFLAPDrawsStaysInADocument() throws {
    let file = """
      <structure><type>fa</type><automaton>
      <state id="0" name="p"><x>0</x><y>0</y><initial/><label>odd</label></state>
      <state id="5" name="q"><x>300</x><y>0</y><final/></state>
      <transition><from>0</from><to>5</to><read>ab</read><controlx>150</controlx>
      <controly>-90</controly></transition>
      <transition><from>5</from><to>5</to><read>[0-9]</read><controlx>300</controlx>
      <controly>200</controly></transition>
      <note><text>mine</text><x>10</x><y>400</y></note></automaton></structure>
      """
    let drawn = try Format.jflap.read(Data(file.utf8), name: "a.jff")
    let document = Document(drawn, id: "d")
    #expect(document.states.count == 2 && document.labelSyntax == .jflap)
    #expect(document.states[0].label == "odd")
    #expect(document.notes == [.init("mine", at: .init(x: 10, y: 400))])
    guard case .regular(_, _, let flex) = document.transitions[0].shape else {
      Issue.record("a self-loop")
      return
    }
    // The bend of the file is above the states, which are in one row.
    #expect(flex.y < -40 && abs(flex.x - 150) < 1)
    #expect(document.transitions[1].shape == .loop(angle: 0, isMirrored: false))
    let again = try DocumentFile.read(DocumentFile.write(document), name: "b")
    #expect(again == document)
    let automaton = again.automaton
    #expect(automaton.accepts(["a", "b", "7"]) && !automaton.accepts(["ab"]))
    #expect(again.placedAutomaton.controlPoints.count == 2)
    let point = again.placedAutomaton.controlPoints[document.transitions[0].id]
    #expect(abs((point?.x ?? 0) - 150) < 1 && abs((point?.y ?? 0) + 90) < 1)
    let written = try Format.jflap.read(Format.jflap.write(again.placedAutomaton), name: "c.jff")
    #expect(written.automaton.transitions.map(\.symbols) == [["ab"], ["[0-9]"]])
    #expect(written.notes == drawn.notes && written.stateLabels == drawn.stateLabels)
  }

  @Test func theAcceptanceIsStored() throws {
    var document = Document(id: "d", kind: .pushdown)
    document.acceptance = .emptyStack
    let data = DocumentFile.write(document)
    #expect(try DocumentFile.read(data, name: "a") == document)
    for (text, kind) in [("empty-stack", "turing"), ("none", "pushdown")] {
      let file = """
        {"automatonStates":{},"transitions":{},"kind":"\(kind)","acceptance":"\(text)"}
        """
      #expect(throws: AutomatonError.self) { try DocumentFile.read(Data(file.utf8), name: "a") }
    }
  }

  @Test func notesAndLabelsOfOtherProgramsStay() throws {
    let file = """
      {"automatonStates":{"S":{"center":[0,0],"radius":60,"label":7}},"transitions":{},
      "notes":{"text":"x"}}
      """
    let document = try DocumentFile.read(Data(file.utf8), name: "a")
    #expect(document.notes.isEmpty && document.extras.keys.contains("notes"))
    #expect(document.states[0].label.isEmpty && document.states[0].extras["label"] == .number(7))
    #expect(try DocumentFile.read(DocumentFile.write(document), name: "b") == document)
  }

  @Test func labelsAreNotReadInAnotherWayWhenTheyArePasted() throws {
    func document(_ symbol: String, _ syntax: LabelSyntax) throws -> Document {
      Document(
        PlacedAutomaton(
          automaton: try Automaton(
            states: [.init("s")], transitions: [.init("t", from: "s", to: "s", symbols: [symbol])],
            labelSyntax: syntax)), id: "d")
    }
    var ids = CountingIDs()
    let jflap = try document("ab", .jflap)
    let pasted = try document("a", .symbols).applying(.insert(jflap, by: Vector(0, 0)), ids: &ids)
    #expect(pasted.labelSyntax == .jflap)
    #expect(throws: Refusal.otherLabels) {
      try document("ab", .symbols).applying(.insert(jflap, by: Vector(0, 0)), ids: &ids)
    }
  }

  @Test func whatOthersKeepInAFileStays() throws {
    let text = """
      {"id":"x","count":1234567890123456789,"share":0.1,"automatonStates":{"S":{"center":[0,0],
      "radius":60}},"transitions":{"T":{"startState":"S","endState":"S","mark":[1],
      "type":{"type":"cycle","radians":0.5,"hand":"left"}}}}
      """
    let document = try DocumentFile.read(Data(text.utf8), name: "file")
    #expect(
      document.extras == ["count": .integer(1_234_567_890_123_456_789), "share": .number(0.1)])
    #expect(document.transitions[0].extras == ["mark": .list([.number(1)])])
    #expect(document.transitions[0].shapeExtras == ["hand": .text("left")])
    #expect(try DocumentFile.read(DocumentFile.write(document), name: "again") == document)
  }

  @Test func theGivenAlphabetIsKept() throws {
    let text = """
      {"alphabet":["b","a","b",""],"automatonStates":{"A":{"center":[0,0],"radius":60}},
      "transitions":{"T":{"startState":"A","endState":"A","symbols":["a","c"],
      "type":{"type":"cycle","radians":0}}}}
      """
    let document = try DocumentFile.read(Data(text.utf8), name: "file")
    #expect(document.givenAlphabet == ["a", "b"] && document.extras.isEmpty)
    #expect(document.automaton.alphabet == ["a", "b", "c"])
    #expect(try DocumentFile.read(DocumentFile.write(document), name: "again") == document)
    // Without one nothing is written.
    let plain = DocumentFile.write(Document(id: "x"))
    #expect(!String(decoding: plain, as: UTF8.self).contains("alphabet"))
    for broken in ["{}", "[1]"] {
      let file = #"{"alphabet":\#(broken),"automatonStates":{},"transitions":{}}"#
      #expect {
        try DocumentFile.read(Data(file.utf8), name: "file")
      } throws: {
        "\($0)".contains("alphabet")
      }
    }
  }

  @Test func loopsThatNameOtherStatesKeepTheirLanguage() throws {
    let text = """
      {"automatonStates":{"A":{"center":[0,0],"radius":60},"B":{"center":[300,0],"radius":60}},
      "transitions":{"T":{"startState":"A","endState":"B","symbols":["a"],
      "type":{"type":"cycle","radians":0}},"U":{"startState":"gone","endState":"gone",
      "type":{"type":"cycle","radians":0,"point":[5,5]}}}}
      """
    let document = try DocumentFile.read(Data(text.utf8), name: "file")
    #expect(document.automaton.transitions.map { [$0.start, $0.end] } == [["A", "B"]])
    #expect(document.danglingTransitions == ["U"] && !document.isInitial("A"))
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
    ("{\n \"ä\": tru}", "found `t` where a value was expected (line 2, column 7)"),
    ("{\"a\": [1 2]}", "found `2` where `,` or `]` was expected"), ("[01]", "begins with 0"),
    ("[\"\\ud800\"]", "half a surrogate pair"), ("[1] 2", "found `2` where the end was expected"),
    ("[\"a\nb\"]", "a line end or control character in a text (line 1, column 4)"),
    ("[-]", "where a digit was expected"), ("[1, 2", "found the end where `,` or `]`"),
    ("", "expected a document in JSON, found an empty file"), ("{", "expected a document in JSON"),
    ("[]", "expected an object"),
    ("{}", "expected `automatonStates` and `transitions`, found neither"),
    (#"{"automatonStates":{"a":{}},"transitions":{}}"#, "state `a`: expected `center`"),
    (
      #"{"automatonStates":{"a":{"center":[1],"radius":1}},"transitions":{}}"#,
      "state `a`, center: expected two numbers"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,1],"radius":-1}},"transitions":{}}"#,
      "a radius above 0 and up to 10^9, found -1.0"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,1e999],"radius":1}},"transitions":{}}"#,
      "expected a document in JSON, found the number 1e999, which is too large (line 1, column"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,1e308],"radius":1}},"transitions":{}}"#,
      "state `a`, center: expected two numbers from −10^9 to 10^9, found 1.0, 1e+308"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,NaN],"radius":1}},"transitions":{}}"#,
      "found `N` where a value was expected (line 1, column 38)"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,1],"radius":1},"a":{"center":[2,2],"radius":1}}}"#,
      "expected each key once in an object, found `a` twice"
    ),
    (
      #"{"automatonStates":{"\u0061":{"center":[1,1],"radius":1},"a":{"center":[2,2],"radius":1}}}"#,
      "found `a` twice"
    ),
    (
      #"{"automatonStates":{},"transitions":{},"formatVersion":7}"#,
      "format version 3 or an older one, found 7"
    ),
    (
      #"{"automatonStates":{},"transitions":{},"x":"# + String(repeating: "[", count: 101)
        + String(repeating: "]", count: 101) + "}", "values nested deeper than 100"
    ),
    (#"{"automatonStates":{},"transitions":{"t":{}}}"#, "transition `t`: expected `type`"),
    (
      #"{"automatonStates":{},"transitions":{"t":{"type":{"type":"round"}}}}"#,
      "a type, regular or cycle, found `round`"
    ),
    (
      #"{"automatonStates":{"a":{"center":[1,1],"radius":1}},"transitions":{"a":{"type":{"type":"cycle"}}}}"#,
      "a unique id"
    ),
    (
      String(repeating: "[", count: 1_000_000),
      "lists or objects nested deeper than 512 (line 1, column"
    ),
    (
      String(repeating: #"{"a":"#, count: 100_000),
      "lists or objects nested deeper than 512 (line 1, column"
    ),
  ])
  func malformedFilesAreNamed(text: String, message: String) {
    #expect {
      try DocumentFile.read(Data(text.utf8), name: "file")
    } throws: {
      "\($0)".contains(message) && "\($0)".hasPrefix("file")
    }
  }

  @Test func namesTellTheForm() {
    for (path, form) in [
      ("a.automaton", .automaton), ("b/A.AUTOMATON", .automaton), ("a.xml", .jff), ("a.gv", .dot),
      ("a.txt", .table), ("a.json", .exchange), ("a.pdf", nil), ("json", nil), ("a.json/b", nil),
    ] as [(String, DocumentFormat?)] {
      #expect(DocumentFormat(path: path) == form, "\(path)")
    }
    #expect(DocumentFormat.endings.allSatisfy { DocumentFormat(path: "a.\($0)") != nil })
    #expect(
      DocumentFormat.endings == [
        "automaton", "jff", "xml", "dot", "gv", "txt", "csv", "tsv", "md", "json", "mmd", "mermaid",
        "tex", "tikz", "att",
      ])
    for form in DocumentFormat.allCases {
      for ending in form.endings { #expect(DocumentFormat(path: "a.B.\(ending)") == form) }
    }
    // What is read as JSON may be the editor's own.
    #expect(
      DocumentFormat(ending: "json", data: Data(#"{"automatonStates":{}}"#.utf8)) == .automaton)
    #expect(DocumentFormat(ending: "JSON", data: Data(#"{"states":{}}"#.utf8)) == .exchange)
    #expect(DocumentFormat(ending: "GV", data: Data()) == .dot)
    #expect(DocumentFormat(ending: "txt", data: Data("/* x */ Digraph {}".utf8)) == .dot)
    #expect(DocumentFormat(ending: "md", data: Data("```mermaid\n".utf8)) == .mermaid)
    #expect(DocumentFormat(ending: "txt", data: Data("state | a\n".utf8)) == .table)
    #expect(DocumentFormat(ending: "", data: Data()) == nil)
  }
}
