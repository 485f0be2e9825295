import Automata
import AutomatonEditor
import Foundation
import Ink
import Testing

/// Documents of machines beyond finite automata.
@Suite(.timeLimit(.minutes(30))) struct MachineDocumentTests {
  /// Two states with an arrow and a self-loop.
  private func document(
    _ kind: Automata.Machine.Kind?, _ commands: [Command] = []
  ) throws -> Document {
    var editor = Editor(Document(id: "d"), ids: CountingIDs())
    if let kind { try editor.perform(.setKind(kind)) }
    try editor.perform(.addState(center: Vector(100, 100)))
    try editor.perform(.addState(center: Vector(400, 100)))
    try editor.perform(.connect(from: "e1", to: "e2"))
    for command in commands { try editor.perform(command) }
    return editor.document
  }

  @Test(arguments: Automata.Machine.Kind.allCases) func theKindAndTheLabelsAreKept(
    kind: Automata.Machine.Kind
  ) throws {
    let typed = "\(kind.exampleLabel)"
    let document = try document(kind, [.setSymbols(transition: "e3", typed)])
    let data = DocumentFile.write(document)
    #expect(try DocumentFile.read(data, name: "a") == document)
    #expect(document.transitions[0].symbols == [typed])
    // An older program would read it as a finite automaton.
    #expect(String(decoding: data, as: UTF8.self).contains("\"formatVersion\" : 2"))
    let drawn = Document(document.placedAutomaton, id: "again")
    #expect(drawn.kind == kind && drawn.transitions[0].symbols == [typed])
    #expect(try document.machine?.transitions[0].rules.count == 1)
    #expect(throws: AutomatonError.self) { try document.finiteAutomaton(for: "minimize") }
  }

  @Test func finiteAutomataAreWrittenAsBefore() throws {
    let text = String(decoding: DocumentFile.write(try document(nil)), as: UTF8.self)
    #expect(!text.contains("kind") && text.contains("\"formatVersion\" : 1"))
    let unknown = text.replacingOccurrences(of: "\"id\" : \"d\"", with: "\"kind\" : \"quantum\"")
    #expect {
      try DocumentFile.read(Data(unknown.utf8), name: "a")
    } throws: { error in
      "\(error)".contains("finite, moore, mealy, pushdown, turing")
        && "\(error)".contains("quantum")
    }
  }

  @Test func badLabelsAndEpsilonAreRefused() throws {
    var editor = Editor(try document(.turing), ids: CountingIDs(after: 9))
    #expect(throws: Refusal.self) { try editor.perform(.setSymbols(transition: "e3", "a")) }
    #expect(throws: Refusal.onlyFiniteAutomata(.turing)) {
      try editor.perform(.setEpsilon(transition: "e3", true))
    }
    #expect(throws: Refusal.onlyFiniteAutomata(.turing)) {
      try editor.perform(.setAlphabet(["a"]))
    }
    try editor.perform(.setKind(nil))
    try editor.perform(.setSymbols(transition: "e3", "a"))
    try editor.perform(.setKind(.turing))
    // Labels of another kind stay until they are corrected.
    #expect(throws: AutomatonError.self) { try editor.document.machine }
    editor.undo()
    #expect(editor.document.kind == nil)
  }

  @Test func rulesHaveLinesInPictures() throws {
    let document = try document(
      .pushdown, [.setSymbols(transition: "e3", "a, Z → AZ; b, A → ε")])
    #expect(document.svg.contains(">a, Z → AZ</text>"))
    #expect(document.svg.contains(">b, A → ε</text>"))
    #expect(document.tikz.contains(#"align=center"#))
    let clear = document.svg(isTransparent: true)
    #expect(!clear.contains("#fff") && document.svg.contains("#fff"))
    let moore = try self.document(.moore, [.setSymbols(transition: "e3", "a, b")])
    #expect(moore.svg.contains(">a, b</text>"))
  }
}
