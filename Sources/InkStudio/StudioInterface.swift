import Automata
import AutomatonEditor
import Foundation
import Hummingbird
import Ink
import InkDatasets
import InkImageIO
import InkRecognizer

/// The addresses that the page asks: JSON in, JSON out, and a stream of a document's versions.
///
/// | address | does |
/// | --- | --- |
/// | `POST /api/recognize` | a drawing → bitmap, ranked labels, refusal, time |
/// | `GET /api/recordings` | classes with counts, the next to draw, the drawings |
/// | `POST /api/recordings` | keeps a drawing; answered when it is on disk |
/// | `DELETE /api/recordings/ID` | takes one out |
/// | `GET /api/recordings.ndjson` | all of them, as a file |
/// | `GET /api/documents` | the names |
/// | `GET /api/documents/NAME` | a document as it is drawn |
/// | `GET /api/documents/NAME/versions` | server-sent events: a number each time it changes |
/// | `POST /api/documents/NAME/stroke` | draws; the decision comes with the document |
/// | `POST /api/documents/NAME/instead?label=` | makes the last stroke something else |
/// | `POST /api/documents/NAME/erase?attached=` | erases what a stroke crosses |
/// | `POST /api/documents/NAME/command` | a command of the editor |
/// | `POST /api/documents/NAME/undo`, `redo` | |
/// | `POST /api/documents/NAME/run` | a word → accepted or why not, step by step |
/// | `POST /api/documents/NAME/determinize`, `minimize`, `complement` | a new document |
/// | `POST /api/documents/NAME/open` | a file → a new document |
/// | `GET /api/documents/NAME/file?form=` | the document as automaton, jff, dot, txt, svg or png |
struct StudioInterface: Sendable {
  let recordings: Recordings
  let documents: Documents
  let recognizer: Recognizer

  private static let mostBytes = 8 << 20
  private static let mostStrokes = 200
  private static let mostPoints = 50_000
  private static let classes = ["state", "transition", "cycle", "other"]

  func add(to router: Router<BasicRequestContext>) {
    router.post("api/recognize") { request, _ in
      let recording = try await recording(request)
      let clock = ContinuousClock()
      let start = clock.now
      let bitmap = try recognizer.model.rasterizer.render(recording.drawing)
      let recognition = try recognizer.recognize(recording.drawing)
      let time = start.duration(to: clock.now)
      return try Answer.json(
        Message.Answer(
          recognition, bitmap,
          microseconds: Double(time.components.attoseconds) / 1e12
            + Double(time.components.seconds) * 1e6))
    }
    addRecordings(to: router)
    addDocuments(to: router)
    addAutomata(to: router)
  }

  // MARK: Recordings

  private struct Recorded: Encodable {
    struct Class: Encodable {
      var label: String
      var count: Int
    }

    struct Item: Encodable {
      var id: String
      var label: String
      var writer: String
      var bitmap: [UInt8]
      var size: Int
      var strokes: [[[Double]]]
    }

    var classes: [Class]
    var next: String
    var total: Int
    var items: [Item]
  }

  private func addRecordings(to router: Router<BasicRequestContext>) {
    router.get("api/recordings") { request, _ in
      let extra = (request.uri.queryParameters["classes"].map(String.init) ?? "")
        .split(separator: ",").map(String.init)
      return try await Answer.json(recorded(extra: extra))
    }
    router.post("api/recordings") { request, _ in
      let recording = try await recording(request)
      guard let label = recording.label, !label.isEmpty else {
        return Answer.problem(.badRequest, "expected a drawing with a label, found none")
      }
      _ = try await recordings.add(recording)
      return try await Answer.json(recorded(extra: []))
    }
    router.delete("api/recordings/:id") { _, context in
      let id = try context.parameters.require("id")
      guard try await recordings.remove(id) else {
        return Answer.problem(.notFound, "expected a drawing that is there, found none")
      }
      return try await Answer.json(recorded(extra: []))
    }
    router.get("api/recordings.ndjson") { _, _ in
      Answer.data(
        try await recordings.data(), type: "application/x-ndjson",
        fileName: "recordings.ndjson")
    }
  }

  private func recorded(extra: [String]) async throws -> Recorded {
    let (entries, counts) = (await recordings.all, await recordings.counts)
    var classes = Self.classes
    for label in extra + counts.keys.sorted() where !label.isEmpty && !classes.contains(label) {
      classes.append(label)
    }
    // One of those that there are fewest of, by chance.
    let fewest = classes.map { counts[$0] ?? 0 }.min() ?? 0
    let next = classes.filter { (counts[$0] ?? 0) == fewest }.randomElement() ?? classes[0]
    let items = entries.suffix(60).reversed().map { entry in
      let bitmap = try? recognizer.model.rasterizer.render(entry.recording.drawing)
      return Recorded.Item(
        id: entry.id, label: entry.recording.label ?? "", writer: entry.recording.writer ?? "",
        bitmap: bitmap?.pixels ?? [], size: bitmap?.width ?? 0,
        strokes: entry.recording.drawing.strokes.map { stroke in
          [stroke.points.map(\.x), stroke.points.map(\.y)]
        })
    }
    return Recorded(
      classes: classes.map { .init(label: $0, count: counts[$0] ?? 0) }, next: next,
      total: entries.count, items: items)
  }

  // MARK: Documents

  private func addDocuments(to router: Router<BasicRequestContext>) {
    router.get("api/documents") { _, _ in try Answer.json(await documents.names) }
    router.get("api/documents/:name") { _, context in
      let name = try name(context)
      return try await answering {
        Message.Picture(name, try await documents.state(of: name))
      }
    }
    router.get("api/documents/:name/versions") { _, context in
      let name = try name(context)
      let versions = try await documents.versions(of: name)
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream"],
        body: .init { writer in
          for await version in versions {
            try await writer.write(ByteBuffer(string: "data: \(version)\n\n"))
          }
          try await writer.finish(nil)
        })
    }
    router.post("api/documents/:name/stroke") { request, context in
      let name = try name(context)
      let recording = try await recording(request)
      let zoom = zoom(recording)
      return try await answering {
        let (state, decision) = try await documents.change(name) { state in
          state.session.editor.options.zoom = zoom
          var decision: SketchSession.Decision?
          for stroke in recording.drawing.strokes { decision = state.session.draw(stroke) }
          state.lastDrawing = recording.drawing
          return decision
        }
        return Message.Picture(name, state, decision: decision.map(Self.words))
      }
    }
    router.post("api/documents/:name/instead") { request, context in
      let name = try name(context)
      let label = request.uri.queryParameters["label"].map(String.init) ?? ""
      return try await answering {
        let (state, _) = try await documents.change(name) { state in
          guard let drawing = state.lastDrawing else {
            throw Documents.Problem(text: "expected a stroke before, found none")
          }
          try Self.replace(drawing, by: label, in: &state.session.editor)
        }
        return Message.Picture(name, state)
      }
    }
    router.post("api/documents/:name/erase") { request, context in
      let name = try name(context)
      let recording = try await recording(request)
      let zoom = zoom(recording)
      let cascade: Command.Cascade =
        request.uri.queryParameters["attached"] == "true" ? .deletesAttached : .keepsDangling
      return try await answering {
        let (state, _) = try await documents.change(name) { state in
          state.session.editor.options.zoom = zoom
          try? state.session.editor.perform(.erase(recording.drawing, cascade))
        }
        return Message.Picture(name, state)
      }
    }
    router.post("api/documents/:name/command") { request, context in
      let name = try name(context)
      let message = try await decode(Message.CommandMessage.self, request)
      return try await answering {
        let command = try message.command()
        let (state, _) = try await documents.change(name) { state in
          do { try state.session.editor.perform(command) } catch Refusal.nothingToDo {
            // A field that was left as it was.
          }
        }
        return Message.Picture(name, state)
      }
    }
    router.post("api/documents/:name/undo") { _, context in
      try await change(name(context)) { _ = $0.undo() }
    }
    router.post("api/documents/:name/redo") { _, context in
      try await change(name(context)) { _ = $0.redo() }
    }
  }

  private func change(
    _ name: String, _ change: @escaping @Sendable (inout Editor) -> Void
  ) async throws -> Response {
    try await answering {
      let (state, _) = try await documents.change(name) { change(&$0.session.editor) }
      return Message.Picture(name, state)
    }
  }

  /// Takes what a drawing became back, where it became something, and makes it what `label` says.
  private static func replace(
    _ drawing: Drawing, by label: String, in editor: inout Editor
  ) throws {
    let command: Command
    switch label {
    case "state": command = .drawState(drawing)
    case "transition": command = .drawTransition(drawing)
    case "cycle": command = .drawLoop(drawing)
    default:
      throw Documents.Problem(text: "expected state, transition or cycle, found `\(label)`")
    }
    let didUndo = editor.undo()
    do { try editor.perform(command) } catch {
      if didUndo { editor.redo() }
      throw error
    }
  }

  private static func words(_ decision: SketchSession.Decision) -> Message.Decision {
    let labels = SketchSession.labels
    switch decision {
    case .applied(let command, let recognition):
      let label =
        switch command {
        case .drawState: "state"
        case .drawLoop: "cycle"
        default: "transition"
        }
      let probability = recognition.ranked.first { $0.label == label }?.probability ?? 0
      return .init(
        text: "\(label), \(Int((probability * 100).rounded())) %", isRefused: false,
        instead: labels.filter { $0 != label })
    case .head: return .init(text: "the head of the arrow before it", isRefused: false, instead: [])
    case .refused(let reason, let second):
      let why =
        switch reason {
        case .recognition(.tooSmall): "too small"
        case .recognition(.unrecognised): "not recognised"
        case .recognition(.ambiguous): "ambiguous"
        case .document(let refusal): "no use for it here (\(refusal))"
        case .notANumber: "no place"
        }
      let others = labels.filter { $0 != second }
      return .init(text: why, isRefused: true, instead: (second.map { [$0] } ?? []) + others)
    }
  }

  // MARK: Automata

  private struct Word: Decodable {
    var word: String
  }

  private struct Steps: Encodable {
    struct Step: Encodable {
      var symbol: String?
      var states: [String]
      var transitions: [String]
    }

    var isAccepted: Bool
    var reason: String?
    var symbols: [String]
    var steps: [Step]
    var path: [String]?
  }

  private func addAutomata(to router: Router<BasicRequestContext>) {
    router.post("api/documents/:name/run") { request, context in
      let name = try name(context)
      let word = try await decode(Word.self, request).word
      return try await answering {
        let automaton = try await documents.state(of: name).session.editor.document.automaton
        let symbols = automaton.symbols(of: String(word.prefix(10_000)))
        let trace = automaton.trace(symbols)
        return Steps(
          isAccepted: trace.run.isAccepted, reason: trace.run.rejection?.words, symbols: symbols,
          steps: trace.steps.map {
            .init(symbol: $0.symbol, states: $0.states, transitions: $0.transitions)
          }, path: trace.path)
      }
    }
    let limit = Limit(states: 2000, transitions: 200_000, tableEntries: 500_000)
    router.post("api/documents/:name/determinize") { _, context in
      try await make("deterministic", of: name(context)) { try $0.determinized(limit: limit) }
    }
    router.post("api/documents/:name/minimize") { _, context in
      try await make("minimal", of: name(context)) { try $0.minimized(limit: limit) }
    }
    router.post("api/documents/:name/complement") { _, context in
      try await make("complement", of: name(context)) { try $0.complement(limit: limit) }
    }
    router.post("api/documents/:name/open") { request, context in
      let wish = try name(context)
      let buffer = try await request.body.collect(upTo: Self.mostBytes)
      let data = Data(buffer.readableBytesView)
      let form = request.uri.queryParameters["form"].map(String.init) ?? "automaton"
      return try await answering {
        guard let format = Format(path: "file.\(form)"), form != "json" else {
          return try await documents.add(DocumentFile.read(data, name: wish), named: wish)
        }
        return try await documents.add(format.read(data, name: wish), named: wish)
      }
    }
    router.get("api/documents/:name/file") { request, context in
      let name = try name(context)
      let form = request.uri.queryParameters["form"].map(String.init) ?? "automaton"
      let document = try await documents.state(of: name).session.editor.document
      return try file(document, name: name, form: form)
    }
  }

  /// A new document of what `make` makes of one's automaton; answers with its name.
  private func make(
    _ made: String, of name: String, _ make: @Sendable (Automaton) throws -> Automaton
  ) async throws -> Response {
    try await answering {
      let automaton = try await documents.state(of: name).session.editor.document.automaton
      return try await documents.add(Drawn(automaton: make(automaton)), named: "\(name) \(made)")
    }
  }

  private func file(_ document: Document, name: String, form: String) throws -> Response {
    let fileName = "\(name.filter(\.isASCII)).\(form)"
    switch form {
    case "automaton":
      return Answer.data(
        DocumentFile.write(document), type: "application/json", fileName: fileName)
    case "svg":
      return Answer.data(Data(document.svg.utf8), type: "image/svg+xml", fileName: fileName)
    case "png":
      return Answer.data(
        try PNG.encode(document.bitmap(scale: 2)), type: "image/png", fileName: fileName)
    default:
      guard let format = Format(path: "file.\(form)") else {
        return Answer.problem(
          .badRequest, "expected automaton, jff, dot, txt, json, svg or png, found \(form)")
      }
      let places = document.states.map { ($0.id, Drawn.Place(x: $0.center.x, y: $0.center.y)) }
      let drawn = Drawn(
        automaton: document.automaton, places: Dictionary(uniqueKeysWithValues: places))
      do {
        return Answer.data(try format.write(drawn), type: "text/plain", fileName: fileName)
      } catch {
        return Answer.problem(.unprocessableContent, "\(error)")
      }
    }
  }

  // MARK: Requests

  private func name(_ context: BasicRequestContext) throws -> String {
    let name = try context.parameters.require("name")
    return name.removingPercentEncoding ?? name
  }

  private func zoom(_ recording: Recording) -> Double {
    guard case .number(let zoom)? = recording.attributes["zoom"], (0.01...100).contains(zoom) else {
      return 1
    }
    return zoom
  }

  /// A drawing in the body, as one line of NDJSON has it.
  private func recording(_ request: Request) async throws -> Recording {
    let buffer = try await request.body.collect(upTo: Self.mostBytes)
    let line = LineReader.Line(
      place: Place(file: "drawing", line: 1), bytes: Data(buffer.readableBytesView))
    guard let item = NDJSON.item(line) else {
      throw HTTPError(.badRequest, message: "expected a drawing, found nothing")
    }
    switch item.result {
    case .failure(let error): throw HTTPError(.badRequest, message: "\(error)")
    case .success(let recording):
      let strokes = recording.drawing.strokes
      guard strokes.count <= Self.mostStrokes,
        strokes.reduce(0, { $0 + $1.points.count }) <= Self.mostPoints
      else {
        throw HTTPError(
          .contentTooLarge,
          message:
            "expected at most \(Self.mostStrokes) strokes of \(Self.mostPoints) points in all")
      }
      return recording
    }
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, _ request: Request
  ) async throws -> Value {
    let buffer = try await request.body.collect(upTo: Self.mostBytes)
    do {
      return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
    } catch {
      throw HTTPError(
        .badRequest, message: "expected JSON as the page sends it, found something else")
    }
  }

  /// The value as JSON, or what is wrong in words.
  private func answering(_ make: () async throws -> some Encodable) async throws -> Response {
    do {
      return try Answer.json(try await make())
    } catch let problem as Documents.Problem {
      return Answer.problem(.badRequest, problem.text)
    } catch let problem as Message.CommandMessage.Problem {
      return Answer.problem(.badRequest, problem.text)
    } catch let refusal as Refusal {
      return Answer.problem(.conflict, "not possible here: \(refusal)")
    } catch let error as DocumentError {
      return Answer.problem(.badRequest, "\(error)")
    } catch let error as AutomatonError {
      return Answer.problem(.badRequest, "\(error)")
    }
  }
}
