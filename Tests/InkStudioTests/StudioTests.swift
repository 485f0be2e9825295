import AutomatonEditor
import Foundation
import Ink
import InkRecognizer
import TestSupport
import Testing

@testable import InkStudio

@Suite struct StudioTests {
  private func drawing(_ label: String) -> Recording {
    Recording(
      Drawing([Stroke([Point(0, 0, time: 0), Point(9, 5, time: 8)])]), label: label, writer: "w")
  }

  @Test func whatWasAddedIsOnDisk() async throws {
    let folder = try TemporaryFolder()
    let recordings = try Recordings(folder: folder.path)
    var ids: [String] = []
    for label in ["state", "cycle", "state"] {
      ids.append(try await recordings.add(drawing(label)).id)
      let text = try String(contentsOfFile: "\(folder.path)/recordings.ndjson", encoding: .utf8)
      #expect(text.split(separator: "\n").count == ids.count)
    }
    #expect(await recordings.counts == ["state": 2, "cycle": 1])
    #expect(try await recordings.remove(ids[1]))
    #expect(try await recordings.remove(ids[1]) == false)
    _ = try await recordings.add(drawing("other"))
    // As the next start finds them.
    let again = try Recordings(folder: folder.path)
    #expect(await again.all.map(\.recording.label) == ["state", "state", "other"])
    #expect(await again.all.map(\.id).prefix(2) == [ids[0], ids[2]])
  }

  @Test func aLineThatWasCutOffHarmsNoOther() async throws {
    let folder = try TemporaryFolder()
    let first = try Recordings(folder: folder.path)
    _ = try await first.add(drawing("state"))
    let path = "\(folder.path)/recordings.ndjson"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try folder.write("recordings.ndjson", text + #"{"drawing":[[[0,"#)
    let second = try Recordings(folder: folder.path)
    _ = try await second.add(drawing("cycle"))
    let third = try Recordings(folder: folder.path)
    #expect(await third.all.map(\.recording.label) == ["state", "cycle"])
  }

  @Test(arguments: [
    "", "a/b", "..", ".hidden", "a\0", " a", String(repeating: "a", count: 61), "é/",
  ])
  func namesAreNoPaths(name: String) async throws {
    let folder = try TemporaryFolder()
    let documents = try Documents(folder: folder.path, recognizer: .released())
    #expect(!Documents.isName(name))
    await #expect(throws: Documents.Problem.self) { try await documents.state(of: name) }
  }

  @Test func documentsAreSavedAtOnceAndTold() async throws {
    let folder = try TemporaryFolder()
    let documents = try Documents(folder: folder.path, recognizer: .released())
    let versions = try await documents.versions(of: "A 1")
    for number in 1...3 {
      _ = try await documents.change("A 1") {
        try $0.session.editor.perform(.addState(center: Vector(Double(number) * 200, 0)))
      }
    }
    var seen: [Int] = []
    for await version in versions {
      seen.append(version)
      if version == 3 { break }
    }
    #expect(seen.last == 3)
    let again = try Documents(folder: folder.path, recognizer: .released())
    #expect(await again.names == ["A 1"])
    #expect(try await again.state(of: "A 1").session.editor.document.states.count == 3)
    let name = try await again.add(Document(id: "x"), named: "A 1")
    #expect(name == "A 1 2")
  }

  @Test(arguments: [
    (#"{"kind":"rename","id":"e1","text":"B"}"#, Command.rename(state: "e1", "B")),
    (#"{"kind":"moveState","id":"e1","place":{"x":1,"y":2}}"#, .moveState("e1", to: Vector(1, 2))),
    (#"{"kind":"delete","id":"e1","value":true}"#, .delete("e1", .deletesAttached)),
    (#"{"kind":"clear"}"#, .clear), (#"{"kind":"rename","id":"e1"}"#, nil),
    (#"{"kind":"explode"}"#, nil),
  ])
  func commandsAreReadByTheirKind(json: String, command: Command?) throws {
    let message = try JSONDecoder().decode(Message.CommandMessage.self, from: Data(json.utf8))
    #expect((try? message.command()) == command)
  }
}
