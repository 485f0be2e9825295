import Automata
import Foundation
import Fuzzing
import Ink
import InkDatasets
import InkDiagram
import InkRaster
import InkRecognizer
import Synchronization

@testable import AutomatonEditor
@testable import InkStudio
@testable import JSONReading

/// Runs `body` to its end.
private func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
  let semaphore = DispatchSemaphore(value: 0)
  let box = Box()
  Task {
    do { try await body() } catch { box.error = error }
    semaphore.signal()
  }
  semaphore.wait()
  if let error = box.error { throw error }
}

/// Written by one task, and read after it.
private final class Box: @unchecked Sendable {
  var error: (any Error)?
}

private let recordingsFile = InputPath("recordings.ndjson")
private let kinds = [
  "addState", "connect", "setFinal", "setInitial", "moveState", "move", "arrange", "insert",
  "resizeState", "bend", "moveStart", "moveTip", "turnLoop", "flip", "rename", "setSymbols",
  "setAlphabet", "convertInk", "deleteInk", "delete", "clear",
  "setKind",
]

/// A document with unread ink: a line, a square that can become a state, and a dot.
private var inkDocument: Document {
  var document = Document(id: "input")
  document.ink = [
    Stroke([Point(0, 0), Point(90, 5)]),
    Stroke([Point(0, 0), Point(80, 0), Point(80, 80), Point(0, 80), Point(0, 0)]),
    Stroke([Point(200, 200)]),
  ]
  return document
}

/// What recognises nothing.
private struct NoRecognizer: DrawingRecognizer {
  func recognition(of drawing: Drawing) -> Recognition? { nil }
}

/// Performs what a page does by drawing and typing, with the elements of a document.
private func draw(_ editor: inout Editor) {
  let document = editor.document
  let ring = inkDocument.ink[1].points
  let places = document.states.prefix(2).map(\.center) + [Vector(300, 300)]
  var commands: [Command] = [.erase(Drawing([Stroke([Point(-50, 40), Point(400, 45)])]))]
  for place in places {
    let drawing = Drawing([
      Stroke(ring.map { Point($0.x + place.x - 40, $0.y + place.y - 40) })
    ])
    commands += [.drawState(drawing), .drawTransition(drawing), .drawLoop(drawing)]
  }
  for transition in document.transitions.prefix(2) {
    commands += [
      .setPendingSymbol(transition: transition.id, "z"),
      .addSymbols(transition: transition.id, "z, ε"),
      .addSymbols(transition: transition.id, document.labelText(of: transition)),
      .removeSymbol(transition: transition.id, "z"), .setEpsilon(transition: transition.id, false),
      .setEpsilon(transition: transition.id, true),
    ]
  }
  for command in commands.reversed() {
    do { try editor.perform(command) } catch { _ = "\(error)" }
  }
}

/// Requires that what a page shows of a document is JSON that JavaScript takes, with every name.
private func requireShown(_ editor: Editor) {
  let names = editor.document.states.map(\.name)
  var session = SketchSession(editor, recognizer: NoRecognizer())
  session.uncertain = editor.document.states.map { state in
    Diagram.Uncertainty(
      element: state.id, property: .name, value: state.name, probability: 0.5,
      alternatives: names.prefix(4).map { .init($0, probability: 0.1) })
  }
  let decision = Message.Decision(text: "a \"state\"", isRefused: false, instead: names)
  var json = JSONWriter()
  Message.Picture("input", Documents.State(session: session), decision: decision).write(to: &json)
  let shown = try? JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
  func texts(_ key: String, _ member: String) -> [String?]? {
    (shown?[key] as? [[String: Any]])?.map { $0[member] as? String }
  }
  require(
    texts("states", "name") == names && texts("uncertain", "text") == names
      && (shown?["decision"] as? [String: Any])?["instead"] as? [String] == names,
    "the page shows other names: \(String(decoding: json.bytes, as: UTF8.self).prefix(1000))")
  requireAnswered(["state"] + names)
}

/// Requires that the answer to a recognised stroke is JSON with the labels of a model.
private func requireAnswered(_ labels: [String]) {
  let recognition = Recognition(
    ranked: labels.map { .init(label: $0, probability: 1 / Double(labels.count)) },
    rejection: .ambiguous)
  let answer = Message.Recognized(recognition, Bitmap(width: 2, height: 1), microseconds: 1)
  let json = required("an answer is written") { try JSONEncoder().encode(answer) }
  let shown = try? JSONSerialization.jsonObject(with: json) as? [String: Any]
  require(
    (shown?["ranked"] as? [[String: Any]])?.map { $0["label"] as? String } == labels,
    "other labels: \(String(decoding: json.prefix(1000), as: UTF8.self))")
}

/// Always the same id.
private struct OneID: IDSource {
  func next() -> String { "e1" }
}

/// Requires that a state is refused where there is no id for it, and that nothing changes.
private func requireRefused(withoutID document: Document) {
  var editor = Editor(document, ids: OneID())
  _ = try? editor.perform(.addState(center: Vector(7, 7), radius: 9))
  let before = editor.document
  require(
    (try? editor.perform(.addState(center: Vector(8, 8), radius: 9))) == nil
      && editor.document == before, "a state was added without an id")
}

/// Requires that an automaton with short ids is the same.
private func requireSame(withShortIDs automaton: Automaton) {
  let short = automaton.withShortIDs()
  require(
    short.states.map(\.isFinal) == automaton.states.map(\.isFinal)
      && short.states.map(\.isInitial) == automaton.states.map(\.isInitial)
      && short.transitions.map(\.symbols) == automaton.transitions.map(\.symbols),
    "another automaton with short ids")
  require(short.states.allSatisfy { !$0.name.isEmpty }, "a state without a name")
}

/// Requires that the times of a drawing start at 0, and that it is a tap before as after.
private func requireStartingAtZero(_ drawing: Drawing) {
  let moved = drawing.startingAtZero
  let (before, after) = (drawing.strokes.flatMap(\.points), moved.strokes.flatMap(\.points))
  require(
    before.count == after.count
      && after.compactMap(\.time).min() == before.compactMap(\.time).min().map { _ in 0 }
      && zip(before, after).allSatisfy { ($0.x, $0.y) == ($1.x, $1.y) }
      && moved.isTap == drawing.isTap, "\(drawing) became \(moved)")
}

/// Flushes that fail from one of them on.
private final class FailingFlush: Sendable {
  private let remaining: Atomic<Int>

  init(after count: Int) { remaining = Atomic(count) }

  func callAsFunction(_ file: FileHandle) throws {
    let before = remaining.subtract(1, ordering: .relaxed).oldValue
    if before <= 0 { throw POSIXError(.EIO) }
  }
}

/// Requires that no recording is lost or added where flushes fail.
private func requireKept(_ recordings: [Recordings.Entry], failingAfter count: Int) async throws {
  let flush = FailingFlush(after: count)
  let failing = try Recordings(folder: recordingsFile.folder, flush: { try flush($0) })
  let new = Recording(Drawing([Stroke([Point(1, 2)])]), label: "new")
  if count == 0 {
    require((try? await failing.add(new)) == nil, "a drawing was added without a flush")
  }
  if let first = recordings.first {
    require((try? await failing.remove(first.id)) == nil, "a drawing was removed without a flush")
  }
  let after = await (try Recordings(folder: recordingsFile.folder, flush: { _ in })).all
  require(
    after.map(\.recording) == recordings.map(\.recording),
    "\(recordings.count) recordings became \(after.count)")
}

/// Requires that a recording which another program changed or moved is not removed.
private func requireRefused(after entry: Recordings.Entry) async throws {
  let recordings = try Recordings(folder: recordingsFile.folder, flush: { _ in })
  let data = try await recordings.data()
  let other = Data(data.map { $0 == UInt8(ascii: "n") ? UInt8(ascii: "m") : $0 })
  try other.write(to: URL(fileURLWithPath: recordingsFile.path))
  require((try? await recordings.remove(entry.id)) == nil, "a changed line was removed")
  require(try await recordings.data() == other, "a refused removal changed the file")
  require(
    (try? await recordings.add(entry.recording)) != nil, "nothing was added to a changed file")
  let moved = recordingsFile.path + "-moved"
  try FileManager.default.moveItem(atPath: recordingsFile.path, toPath: moved)
  require((try? await recordings.remove(entry.id)) == nil, "a line was removed of a moved file")
  try? FileManager.default.removeItem(atPath: moved)
}

let studioFuzzers = [
  Fuzzer(
    "command",
    dictionary: kinds.map { "{\"kind\":\"\($0)\"" } + [
      "\"id\":\"e1\"", "\"ids\":[\"e1\",\"e2\"]", "\"to\":\"e2\"", "\"number\":0",
      "\"place\":{\"x\":",
      "\"y\":", "\"radius\":", "\"text\":\"", "\"value\":true", "\"zoom\":", "1e308", "-1e308",
      "1e-320", "},", "[", "]",
    ] + Arrangement.allCases.map(\.rawValue) + DrawnClass.allCases.map(\.rawValue),
    seeds: {
      let copied = try Fuzzer.files("Examples/Automata/a.automaton").map {
        String(decoding: $0, as: UTF8.self)
      }
      let insert: [String: Any] = [
        "kind": "insert", "text": copied[0], "place": ["x": 9, "y": 9],
      ]
      return try [
        #"[{"kind":"addState","place":{"x":0,"y":0},"radius":50},{"kind":"addState","place":{"x":300,"y":9}},{"kind":"connect","id":"e1","to":"e2"},{"kind":"connect","id":"e1","to":"e1"},{"kind":"bend","id":"e3","place":{"x":100,"y":90}},{"kind":"rename","id":"e1","text":"q0"},{"kind":"setSymbols","id":"e3","text":"a, ε"}]"#,
        #"[{"kind":"addState","place":{"x":0,"y":0}},{"kind":"setInitial","id":"e1","value":true},{"kind":"moveTip","id":"e2","place":{"x":1,"y":1}},{"kind":"setFinal","id":"e1","value":true},{"kind":"resizeState","id":"e1","radius":80},{"kind":"delete","id":"e1","value":false}]"#,
        #"[{"kind":"addState","place":{"x":0,"y":0}},{"kind":"connect","id":"e1","to":"e1"},{"kind":"turnLoop","id":"e2","place":{"x":5,"y":-70}},{"kind":"flip","id":"e2"},{"kind":"setSymbols","id":"e2","text":"0…3"},{"kind":"moveState","id":"e1","place":{"x":9,"y":9}},{"kind":"setAlphabet","text":"a…c"},{"kind":"clear"}]"#,
        #"[{"kind":"addState","place":{"x":0,"y":0}},{"kind":"addState","place":{"x":300,"y":9}},{"kind":"move","ids":["e1","e2"],"place":{"x":5,"y":5}},{"kind":"arrange","ids":["e1","e2"],"text":"row"},{"kind":"convertInk","number":1,"text":"state"},{"kind":"deleteInk","number":0},{"kind":"delete","ids":["e1","e2"],"value":true}]"#,
      ].map { Data($0.utf8) } + [JSONSerialization.data(withJSONObject: [insert])]
    },
    read: { data in
      let messages: [Message.CommandMessage]
      do { messages = try [Message.CommandMessage](json: data) } catch { return }
      var editor = Editor(inkDocument, ids: CountingIDs())
      for message in messages.prefix(40) {
        do { try editor.perform(message.command()) } catch { _ = "\(error)" }
      }
      requireShown(editor)
      draw(&editor)
      requireShown(editor)
      // What commands make is saved, read and drawn.
      let written = DocumentFile.write(editor.document)
      let again = required("what was written is read") {
        try DocumentFile.read(written, name: "again")
      }
      require(DocumentFile.write(again) == written, "other bytes after it was read again")
      _ = editor.document.svg
      requireRefused(withoutID: editor.document)
      requireSame(withShortIDs: editor.document.automaton)
      let last = editor.document
      while editor.undo() {}
      require(editor.document == inkDocument, "undoing everything leaves another document")
      while editor.redo() {}
      require(editor.document == last, "another document after undoing and redoing everything")
    }),
  Fuzzer(
    "recordings",
    dictionary: ["\"id\":\"", "\"word\":", "\"drawing\":[[[", "{", "}", "\n", "    ", "null"],
    seeds: {
      let recording = Recording(
        Drawing([Stroke([Point(1, 2, time: 0), Point(3, 4, time: 9)])]), label: "a")
      // Most of the file, so that it is removed from it.
      let long = Recording(Drawing([Stroke((0..<60).map { Point(Double($0), 2) })]), label: "b")
      let line = try NDJSON.line(recording, at: Place(file: "seed"))
      let longLine = try NDJSON.line(long, at: Place(file: "seed"))
      return [
        longLine + Data([10]) + line, line,
        line + Data([10]) + line + Data("\n      \n".utf8) + line.dropLast(3),
      ]
    },
    read: { data in
      _ = recordingsFile(data)
      defer {
        try? FileManager.default.removeItem(atPath: "\(recordingsFile.folder)/deleted.ndjson")
      }
      try wait {
        let first = try Recordings(folder: recordingsFile.folder)
        try await requireKept(await first.all, failingAfter: data.count % 2)
        // Opened again, because a start may remove deleted lines from the file.
        let recordings = try Recordings(folder: recordingsFile.folder, maximumGapSize: 0)
        let before = await recordings.all
        before.forEach { requireStartingAtZero($0.recording.drawing) }
        let newest = await recordings.newest(1)
        require(newest.map(\.id) == before.suffix(1).map(\.id), "another newest one")
        _ = try await recordings.data()
        require(try await !recordings.remove("none"), "a recording that there is not was removed")
        let added: Recordings.Entry
        do {
          added = try await recordings.add(
            Recording(Drawing([Stroke([Point(1, 2)])]), label: "new"))
          if let first = before.first {
            require(try await recordings.remove(first.id), "a recording was not removed")
          }
          // The lines may have moved.
          let second = try await recordings.add(added.recording)
          require(try await recordings.remove(second.id), "a new recording was not removed")
        } catch { fatalError("fuzz: nothing was added or removed: \(error)") }
        let again = try Recordings(folder: recordingsFile.folder, flush: { _ in })
        let after = await again.all
        require(
          after.count == before.count + 1 - (before.isEmpty ? 0 : 1),
          "\(before.count) recordings became \(after.count)")
        require(after.contains { $0.id == added.id }, "the added recording is missing")
        require(
          zip(before.dropFirst(), after).allSatisfy { $0.recording == $1.recording },
          "a recording changed")
        try await requireRefused(after: added)
      }
    }),
]
