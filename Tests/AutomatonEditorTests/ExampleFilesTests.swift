import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkRecognizer
import Testing

/// The files in `Examples/Automata`: the automata of the usability test of the reference editor, and
/// the strokes of a drawing.
///
/// `INKSTATE_WRITE_EXAMPLES=1` writes them anew.
@Suite(.timeLimit(.minutes(30))) struct ExampleFilesTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Automata")

  private static let files: [(name: String, machine: Machine)] =
    [("a-prime", Machine.aPrime)]
    + zip(["a", "b", "c", "d", "e", "mod3"], Machine.all).map { ($0, $1) }

  private static func data(_ name: String) throws -> Data {
    try Data(contentsOf: folder.appendingPathComponent(name))
  }

  private static func document(_ name: String) throws -> Document {
    try DocumentFile.read(data("\(name).automaton"), name: "\(name).automaton")
  }

  private static func accepts(_ automaton: Automaton, _ word: String) -> Bool {
    automaton.accepts(automaton.symbols(of: word))
  }

  @Test func everyWordOfTheTableIsAnsweredRight() throws {
    try Self.writeIfAsked()
    for (name, machine) in Self.files {
      let document = try Self.document(name)
      #expect(document.states.map(\.name) == machine.places.map(\.name))
      let automaton = document.automaton
      for word in machine.accepted { #expect(Self.accepts(automaton, word), "\(name): \(word)") }
      for word in machine.rejected { #expect(!Self.accepts(automaton, word), "\(name): \(word)") }
      #expect(automaton.findings.isEmpty && document.danglingTransitions.isEmpty, "\(name)")
    }
    let jflap = try Format.jflap.read(Self.data("mod3.jff"), name: "mod3.jff").automaton
    #expect(try jflap.isEquivalent(to: Self.document("mod3").automaton))
  }

  @Test func theirStatesAndLabelsStandApart() throws {
    for (name, _) in Self.files {
      let document = try Self.document(name)
      for (index, state) in document.states.enumerated() {
        for other in document.states[..<index] {
          #expect(state.center.distance(to: other.center) > state.radius + other.radius + 100)
        }
      }
      let labels = document.transitions.filter { !$0.isInitialMarker }.compactMap {
        document.appearance(of: $0)?.label
      }
      for (index, label) in labels.enumerated() {
        #expect(labels[..<index].allSatisfy { $0.distance(to: label) > 30 }, "\(name)")
        #expect(
          document.states.allSatisfy { $0.center.distance(to: label) > $0.radius }, "\(name)")
      }
    }
  }

  @Test func theStrokesBecomeTwoStates() throws {
    var session = SketchSession(
      Editor(Document(id: "drawn"), ids: CountingIDs()), recognizer: try Recognizer.released())
    try InkFile(path: Self.folder.appendingPathComponent("strokes.ndjson").path).forEach { item in
      guard case .success(let recording) = item.result else {
        Issue.record("a recording that can be read")
        return
      }
      for stroke in recording.drawing.strokes { _ = session.draw(stroke) }
    }
    let document = session.editor.document
    #expect(document.states.map(\.isFinal) == [false, true])
    let ids = document.states.map(\.id)
    #expect(document.isInitial(ids[0]) && !document.isInitial(ids[1]))
    #expect(document.automaton.transitions.map { [$0.start, $0.end] } == [ids])
  }

  // MARK: Writing them

  private static func writeIfAsked() throws {
    if ProcessInfo.processInfo.environment["INKSTATE_WRITE_EXAMPLES"] == nil { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, machine) in files {
      let document = try machine.document
      try DocumentFile.write(document).write(to: folder.appendingPathComponent("\(name).automaton"))
      guard name == "mod3" else { continue }
      try Format.jflap.write(document.placedAutomaton).write(
        to: folder.appendingPathComponent("mod3.jff"))
    }
    let sketch = Sketch([
      .ring(center: Point(300, 300), radius: 70), .ring(center: Point(800, 300), radius: 70),
      .ring(center: Point(800, 300), radius: 50), .line(from: Point(80, 300), to: Point(225, 300)),
      .line(from: Point(376, 300), to: Point(724, 300)),
    ])
    let recording = Recording(Synthesizer(seed: 31).drawing(of: sketch, writer: 2))
    let line = try NDJSON.line(recording, at: Place(file: "strokes.ndjson"))
    try (line + Data("\n".utf8)).write(to: folder.appendingPathComponent("strokes.ndjson"))
  }
}

extension Machine {
  /// The automaton as it is made with the editor's commands; the first state is initial.
  fileprivate var document: Document {
    get throws {
      var editor = Editor(Document(id: "example-\(name)"), ids: CountingIDs())
      for place in places {
        try editor.perform(.addState(center: Vector(place.x, place.y), radius: Self.radius))
        let state = editor.document.states.last!
        try editor.perform(.rename(state: state.id, place.name))
        if place.isFinal { try editor.perform(.setFinal(state: state.id, true)) }
      }
      let ids = editor.document.states.map(\.id)
      try editor.perform(.setInitial(state: ids[0], true))
      for way in ways {
        try editor.perform(.connect(from: ids[way.from], to: ids[way.to]))
        let id = editor.document.transitions.last!.id
        if !way.symbols.isEmpty {
          try editor.perform(
            .addSymbols(transition: id, way.symbols.joined(separator: ",")))
        }
        if way.includesEpsilon { try editor.perform(.setEpsilon(transition: id, true)) }
      }
      return editor.document
    }
  }
}
