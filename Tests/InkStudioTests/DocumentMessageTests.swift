import AutomatonEditor
import Foundation
import Ink
import InkRecognizer
import TestSupport
import Testing

@testable import InkStudio

/// What the page sends about symbols and the alphabet, and what it is shown.
@Suite(.timeLimit(.minutes(30))) struct DocumentMessageTests {
  private func command(_ json: String) throws -> Command {
    try JSONDecoder().decode(Message.CommandMessage.self, from: Data(json.utf8)).command()
  }

  @Test func whatIsTypedBecomesCommands() throws {
    #expect(
      try command(#"{"kind":"setSymbols","id":"t","text":"a,b"}"#)
        == .setSymbols(transition: "t", "a,b"))
    #expect(
      try command(#"{"kind":"setAlphabet","text":"b, a 0…2"}"#)
        == .setAlphabet(["b", "a", "0", "1", "2"]))
    #expect(try command(#"{"kind":"setAlphabet","text":""}"#) == .setAlphabet([]))
    for text in ["ε", "9…0"] {
      #expect {
        try command(#"{"kind":"setAlphabet","text":"\#(text)"}"#)
      } throws: {
        "\($0)".hasPrefix("symbols: expected")
      }
    }
  }

  @Test func aPictureHasTheAlphabet() throws {
    var editor = Editor(Document(id: "6E1F-D"), ids: CountingIDs())
    try editor.perform(.addState(center: Vector(0, 0)))
    let id = editor.document.states[0].id
    try editor.perform(.connect(from: id, to: id))
    try editor.perform(.addSymbols(transition: editor.document.transitions[0].id, "b a"))
    try editor.perform(.setAlphabet(["c"]))
    let state = Documents.State(
      session: SketchSession(editor, recognizer: try Recognizer.released()))
    var json = JSONWriter()
    Message.Picture("d", state).write(to: &json)
    let picture = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
    #expect(picture?["alphabet"] as? [String] == ["a", "b", "c"])
    #expect(picture?["typedAlphabet"] as? String == "c")
    #expect(picture?["otherSymbols"] as? String == "a, b")
  }

  /// The field of the alphabet may be sent back as it is: nothing changes.
  @Test func theAlphabetIsShownAsItIsTyped() throws {
    var editor = Editor(Document(id: "d"), ids: CountingIDs())
    try editor.perform(.addState(center: Vector(0, 0)))
    let id = editor.document.states[0].id
    try editor.perform(.connect(from: id, to: id))
    let transition = editor.document.transitions[0].id
    try editor.perform(.addSymbols(transition: transition, #"a ",""#))
    try editor.perform(.setAlphabet([",", "b", "ε", "x y", "\""]))
    let state = Documents.State(
      session: SketchSession(editor, recognizer: try Recognizer.released()))
    var json = JSONWriter()
    Message.Picture("d", state).write(to: &json)
    let picture = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
    let text = try #require(picture?["typedAlphabet"] as? String)
    let message = try JSONSerialization.data(
      withJSONObject: ["kind": "setAlphabet", "text": text])
    let sent = try JSONDecoder().decode(Message.CommandMessage.self, from: message).command()
    #expect(throws: Refusal.nothingToDo) { try editor.perform(sent) }
    // A symbol of a transition goes with it, unless it was given.
    try editor.perform(.delete([transition]))
    #expect(editor.document.automaton.alphabet == ["\"", ",", "b", "x y", "ε"])
  }
}
