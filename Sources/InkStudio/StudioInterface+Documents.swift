import Automata
import AutomatonEditor
import Foundation
import Hummingbird
import Ink
import InkImageIO

// Drawing, running and keeping documents.

extension StudioInterface {
  func addDocuments(to router: Router<BasicRequestContext>) {
    router.get("api/documents") { _, _ in try Answer.json(await documents.names) }
    router.get("api/documents/:name") { _, context in
      let name = try name(context)
      return try await picturing {
        Message.Picture(name, try await documents.state(of: name))
      }
    }
    router.delete("api/documents/:name") { _, context in
      let name = try name(context)
      return try await answering {
        try await documents.remove(name)
        return await documents.names
      }
    }
    router.post("api/documents/:name/rename") { request, context in
      let name = try name(context)
      return try await answering { try await documents.rename(name, parameter("to", request)) }
    }
    router.get("api/documents/:name/versions") { _, context in
      let name = try name(context)
      do { return Answer.events(try await documents.versions(of: name)) } catch let problem
        as Problem
      {
        return Answer.problem(.badRequest, problem.description)
      }
    }
    router.post("api/documents/:name/stroke") { request, context in
      let name = try name(context)
      let id = shownID(request)
      let recording = try await recording(request)
      let zoom = zoom(recording)
      return try await picturing {
        let (state, decision) = try await documents.change(name, id: id) { state in
          state.session.editor.options.zoom = zoom
          var decision: SketchSession.Decision?
          for stroke in recording.drawing.strokes { decision = state.session.draw(stroke) }
          return decision
        }
        return Message.Picture(name, state, decision: decision.map(Self.words))
      }
    }
    router.post("api/documents/:name/instead") { request, context in
      let name = try name(context)
      let id = shownID(request)
      let label = request.uri.queryParameters["label"].map(String.init) ?? ""
      return try await picturing {
        let (state, _) = try await documents.change(name, id: id) { state in
          try state.session.redraw(as: label)
        }
        return Message.Picture(name, state)
      }
    }
    router.post("api/documents/:name/erase") { request, context in
      let name = try name(context)
      let id = shownID(request)
      let recording = try await recording(request)
      let zoom = zoom(recording)
      let cascade: Command.Cascade =
        request.uri.queryParameters["attached"] == "true" ? .deletesAttached : .keepsDangling
      return try await picturing {
        let (state, _) = try await documents.change(name, id: id) { state in
          state.session.editor.options.zoom = zoom
          try? state.session.editor.perform(.erase(recording.drawing, cascade))
        }
        return Message.Picture(name, state)
      }
    }
    router.post("api/documents/:name/command") { request, context in
      let name = try name(context)
      let id = shownID(request)
      let message = try await decode(Message.CommandMessage.self, request)
      return try await picturing {
        let command = try message.command()
        let (state, _) = try await documents.change(name, id: id) { state in
          do { try state.session.editor.perform(command) } catch Refusal.nothingToDo {
            // A field that was left as it was.
          }
        }
        return Message.Picture(name, state)
      }
    }
    router.post("api/documents/:name/undo") { request, context in
      try await change(name(context), shownID(request)) { _ = $0.undo() }
    }
    router.post("api/documents/:name/redo") { request, context in
      try await change(name(context), shownID(request)) { _ = $0.redo() }
    }
  }

  private func change(
    _ name: String, _ id: String?, _ change: @escaping @Sendable (inout Editor) -> Void
  ) async throws -> Response {
    try await picturing {
      let (state, _) = try await documents.change(name, id: id) { change(&$0.session.editor) }
      return Message.Picture(name, state)
    }
  }

  /// The id of the document that the page shows, where it says so.
  private func shownID(_ request: Request) -> String? {
    let id = parameter("id", request)
    return id.isEmpty ? nil : id
  }

  private static func words(_ decision: SketchSession.Decision) -> Message.Decision {
    let labels = SketchSession.labels
    switch decision {
    case .applied(_, let recognition):
      let label = decision.label ?? ""
      let probability = recognition.ranked.first { $0.label == label }?.probability ?? 0
      return .init(
        text: "\(label), \(Int((probability * 100).rounded())) %", isRefused: false,
        instead: labels.filter { $0 != label })
    case .head: return .init(text: "the head of the arrow before it", isRefused: false, instead: [])
    case .refused(let reason, let second):
      let why =
        switch reason {
        case .document: "not possible here: \(reason.words)"
        case .recognition, .notANumber: reason.words
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
  }

  private static let longestWord = 10_000
  /// States and transitions in all steps together.
  private static let mostSteps = 200_000

  func addAutomata(to router: Router<BasicRequestContext>) {
    router.post("api/documents/:name/run") { request, context in
      let name = try name(context)
      let word = try await decode(Word.self, request).word
      return try await answering {
        let automaton = try await documents.state(of: name).session.editor.document.automaton
        let symbols = automaton.symbols(of: word)
        guard symbols.count <= Self.longestWord else {
          throw Problem(
            "expected a word of at most \(Self.longestWord) symbols, found \(symbols.count)")
        }
        // Of long words through large automata, the first steps are shown.
        let size = automaton.states.count + automaton.transitions.count
        let shown = symbols.prefix(max(100, Self.mostSteps / max(1, size)))
        let run = automaton.run(symbols)
        let trace = automaton.trace(Array(shown))
        return Steps(
          isAccepted: run.isAccepted, reason: run.rejection?.words, symbols: symbols,
          steps: trace.steps.map {
            .init(symbol: $0.symbol, states: $0.states, transitions: $0.transitions)
          })
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
      let wish = FileName.spelled(try name(context))
      let data = try await body(request, upTo: Self.longestFile)
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
        try PNG.encode(SVGRenderer.load().bitmap(document.svg, scale: 2)), type: "image/png", fileName: fileName)
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
}
