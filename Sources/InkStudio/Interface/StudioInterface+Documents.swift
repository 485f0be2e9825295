import Automata
import AutomatonEditor
import Foundation
import Hummingbird
import Ink
import InkImageIO

// Requests for documents and automata.

extension StudioInterface {
  func addDocuments(to router: Router<StudioContext>) {
    router.get("api/documents") { _, _ in try StudioResponse.json(await documents.names) }
    router.post("api/documents") { request, _ in
      let wish = try Query(request.uri.query)["name"]
      return try await respond {
        let (name, state) = try await documents.create(wish)
        return StudioResponse.json(Message.Picture(name, state), status: .created)
      }
    }
    router.get("api/documents/:name") { request, context in
      let (name, id) = try shown(request, context)
      return try await respondWithDocument {
        Message.Picture(name, try await documents.state(of: name, id: id))
      }
    }
    router.delete("api/documents/:name") { request, context in
      let (name, id) = try shown(request, context)
      return try await respondWithJSON {
        try await documents.remove(name, id: id)
        return await documents.names
      }
    }
    router.post("api/documents/:name/rename") { request, context in
      let (name, id) = try shown(request, context)
      let wish = try parameter("to", request) ?? ""
      return try await respondWithJSON { try await documents.rename(name, wish, id: id) }
    }
    router.get("api/documents/:name/versions") { request, context in
      let (name, id) = try shown(request, context)
      return try await respond {
        StudioResponse.events(
          try await documents.versions(of: name, id: id, for: context.client), context)
      }
    }
    router.post("api/documents/:name/stroke") { request, context in
      let (name, id) = try shown(request, context)
      let recording = try await recording(request)
      let zoom = zoom(recording)
      let stroke = try strokeID(recording)
      var page: String?
      if case .text(let text)? = recording.attributes["page"] { page = text }
      return try await respondWithDocument { [page] in
        let strokes = recording.drawing.strokes
        var state = try await documents.state(of: name, id: id)
        var decision: SketchSession.Decision?
        // One after the other: nobody else waits for all of them.
        for (index, one) in strokes.enumerated() {
          let number = index == 0 ? stroke : stroke.map { "\($0) \(index)" }
          (state, decision) = try await documents.change(
            name, id: id, isFollowed: index < strokes.count - 1
          ) { state in
            state.once(number) { state in
              if state.page != page {
                // Strokes of different pages are not combined.
                state.session.separate()
                state.page = page
              }
              state.session.editor.options.zoom = zoom
              return state.session.draw(one)
            }
          }
        }
        return Message.Picture(name, state, decision: decision.map(Self.message))
      }
    }
    router.post("api/documents/:name/read") { request, context in
      let (name, id) = try shown(request, context)
      return try await respondWithDocument {
        Message.Picture(name, try await settled((name, id), context))
      }
    }
    router.post("api/documents/:name/choose") { request, context in
      let element = try parameter("element", request) ?? ""
      let text = try parameter("text", request) ?? ""
      return try await changeSettled(request, context) {
        $0.session.settle()
        let correction = Correction(of: element, to: text, in: $0.session)
        try $0.session.choose(text, for: element)
        return correction
      }
    }
    router.post("api/documents/:name/copy") { request, context in
      let (name, id) = try shown(request, context)
      let chosen = try await decode(Message.Chosen.self, request).ids
      return try await respond {
        let part = try await documents.state(of: name, id: id).document.part(Set(chosen))
        return StudioResponse.data(DocumentFile.write(part), type: "application/json")
      }
    }
    router.post("api/documents/:name/instead") { request, context in
      let label = try parameter("label", request) ?? ""
      return try await change(request, context) {
        let drawing = $0.session.redrawable
        try $0.session.redraw(as: label)
        return drawing.map { Correction(drawing: $0, label: label, kind: .shape) }
      }
    }
    router.post("api/documents/:name/erase") { request, context in
      let recording = try await recording(request)
      let zoom = zoom(recording)
      let stroke = try strokeID(recording)
      let cascade: Command.Cascade =
        try parameter("attached", request) == "true" ? .deletesAttached : .keepsDangling
      return try await changeSettled(request, context) { state in
        state.once(stroke) { state in
          state.session.settle()
          state.session.editor.options.zoom = zoom
          try? state.session.editor.perform(.erase(recording.drawing, cascade))
          return nil
        }
        return nil
      }
    }
    router.post("api/documents/:name/command") { request, context in
      let message = try await decode(Message.CommandMessage.self, request)
      let command = try message.command()
      return try await changeSettled(request, context) { state in
        // The command acts on what was read; without this, strokes before it would stay ink.
        state.session.settle()
        state.session.editor.options.zoom = zoom(message.zoom)
        let correction = Correction(of: command, in: state.session)
        do { try state.session.editor.perform(command) } catch Refusal.nothingToDo {
          // The value of a field did not change.
        }
        return correction
      }
    }
    router.post("api/documents/:name/undo") { request, context in
      try await change(request, context) {
        $0.session.undo()
        return nil
      }
    }
    router.post("api/documents/:name/restore") { request, context in
      try await change(request, context) {
        try $0.session.restoreTakenBack()
        return nil
      }
    }
    router.post("api/documents/:name/redo") { request, context in
      try await change(request, context) {
        $0.session.editor.redo()
        return nil
      }
    }
  }

  /// Reads what is drawn on a document, so that a change of it has little to do.
  @discardableResult
  func settled(
    _ shown: (name: String, id: String?), _ context: StudioContext
  ) async throws -> Documents.State {
    try await documents.read(shown.name, id: shown.id) { session in
      try await longWork.run(for: context) { _ in
        var session = session
        session.settle()
        return session
      }
    }
  }

  /// Changes a document once, and answers with it.
  ///
  /// If the page keeps corrections, to which its user agreed, keeps the correction that the change is.
  private func change(
    _ request: Request, _ context: StudioContext,
    _ change: @Sendable (inout Documents.State) throws -> Correction?
  ) async throws -> Response {
    let (name, id) = try shown(request, context)
    let number = try checked(try parameter("change", request))
    let keeps = try parameter("keep", request) == "true"
    return try await respondWithDocument {
      let (state, correction) = try await documents.change(name, id: id) { state in
        var correction: Correction?
        try state.once(number) { state in
          correction = try change(&state)
          return nil
        }
        return correction
      }
      if keeps, let correction { try await keep(correction) }
      return Message.Picture(name, state)
    }
  }

  /// Reads what is drawn on a document, changes it once, and answers with it.
  private func changeSettled(
    _ request: Request, _ context: StudioContext,
    _ change: @Sendable (inout Documents.State) throws -> Correction?
  ) async throws -> Response {
    // As an argument of the call, it crashes the optimiser of Swift 6.3.
    let document = try shown(request, context)
    _ = try await settled(document, context)
    return try await self.change(request, context, change)
  }

  private func keep(_ correction: Correction) async throws {
    let store =
      switch correction.kind {
      case .shape: recordings
      case .writing: writing
      }
    _ = try await store.add(correction.recording)
  }

  /// Returns the page's id of a stroke, which is the same if the stroke is sent again.
  private func strokeID(_ recording: Recording) throws -> String? {
    guard case .text(let id)? = recording.attributes["stroke"] else { return nil }
    return try checked(id)
  }

  /// Returns the page's id of a change.
  private func checked(_ id: String?) throws(StudioError) -> String? {
    guard id?.utf8.count ?? 0 <= 100 else {
      throw StudioError("The id of the change has more than 100 bytes. Reload the page.")
    }
    return id
  }

  /// Returns the name of the document that the page shows, and its id if the page sends it.
  func shown(
    _ request: Request, _ context: StudioContext
  ) throws -> (name: String, id: String?) {
    (try name(context), try parameter("id", request))
  }

  private static func message(_ decision: SketchSession.Decision) -> Message.Decision {
    let labels = DrawnClass.labels
    switch decision {
    case .applied(_, let recognition):
      let label = decision.label ?? ""
      let probability = recognition.ranked.first { $0.label == label }?.probability ?? 0
      return .init(
        text: "\(label), \(Int((probability * 100).rounded())) %", isRefused: false,
        instead: labels.filter { $0 != label })
    case .head:
      return .init(text: "This is the head of the arrow before it.", isRefused: false, instead: [])
    case .writing:
      return .init(text: "This is writing.", isRefused: false, instead: [])
    case .scratchedOut:
      return .init(text: "This was scratched out.", isRefused: false, instead: [])
    case .refused(let reason, let second):
      let why =
        switch reason {
        case .document: "Not possible here: \(reason.message)"
        case .recognition(let rejection): "Rejected: \(rejection.explanation)"
        case .writing: "Rejected: \(reason.message)"
        case .notANumber: "Rejected: \(reason.message)"
        }
      let others = labels.filter { $0 != second }
      return .init(text: why, isRefused: true, instead: (second.map { [$0] } ?? []) + others)
    }
  }

  // MARK: Files

  func addFiles(to router: Router<StudioContext>) {
    router.post("api/documents/:name/open") { request, context in
      let wish = FileName.normalized(try name(context))
      let data = try await body(request).withoutByteOrderMark
      let ending = try parameter("form", request) ?? "automaton"
      return try await respondWithJSON {
        try await documents.checkNewName(wish)
        let found = try await longWork.run(for: context) { _ in
          try DrawnFile(data, ending: ending, name: wish)?.automaton(with: documents.diagrams)
        }
        if let found {
          let name = try await documents.add(
            found.document, named: wish, uncertain: found.uncertain)
          return Message.Opened(name: name, photograph: found.photograph, remarks: found.remarks)
        }
        guard let form = DocumentFormat(ending: ending, data: data) else {
          throw StudioError(
            "The studio cannot open .\(ending.prefix(40)) files. The studio opens "
              + Constants.documentEndings.map { ".\($0)" }.joined(separator: ", ")
              + ".")
        }
        let document = try await longWork.run(for: context) { _ in
          try form.format.map { try Documents.new($0.read(data, name: wish)) }
            ?? DocumentFile.read(data, name: wish)
        }
        return Message.Opened(name: try await documents.add(document, named: wish))
      }
    }
    router.post("api/documents/:name/missed") { request, context in
      let data = try await body(request)
      let (name, id) = try shown(request, context)
      return try await respondWithDocument {
        let number = try checked(try parameter("change", request))
        let document = try await settled((name, id), context).document
        let mended = try await longWork.run(for: context) { [place = try place(request)] _ in
          let ending = try parameter("form", request) ?? ""
          guard let file = try DrawnFile(data, ending: ending, name: name) else {
            throw StudioError("Expected a photograph, found a .\(ending.prefix(40)) file.")
          }
          return try file.mended(
            document, missed: place.missed, place: place.map, with: documents.diagrams)
        }
        let (state, _) = try await documents.change(name, id: id) { state in
          try state.once(number) { state in
            try state.session.add(missed: mended.missed, of: mended.diagram, in: mended.drawing)
            return nil
          }
        }
        return Message.Picture(name, state)
      }
    }
    router.get("api/documents/:name/file") { request, context in
      let (name, id) = try shown(request, context)
      let ending = try parameter("form", request) ?? "automaton"
      let scale = try scale(request)
      let isTransparent = try parameter("transparent", request) == "true"
      return try await respond {
        guard let form = SavedFormat(ending: ending) else {
          throw StudioError(
            "The studio cannot save a document as \(ending.prefix(40)). It saves "
              + SavedFormat.all.map(\.ending).joined(separator: ", ") + ".")
        }
        let document = try await documents.state(of: name, id: id).document
        if form == .picture(.png), scale != nil || isTransparent {
          let data = try await longWork.run(for: context) { _ in
            try PictureFormat.pngData(
              of: document.svg(isTransparent: isTransparent), scale: scale ?? 2,
              isTransparent: isTransparent)
          }
          return StudioResponse.data(data, type: "image/png", fileName: "\(name).png")
        }
        return try await longWork.run(for: context) { _ in
          try file(document, as: form, fileName: "\(name).\(ending)")
        }
      }
    }
  }

  /// Returns the place of a state that was missed, and the map from the photograph to the canvas.
  private func place(_ request: Request) throws(StudioError) -> (missed: Vector, map: Transform) {
    let missed = Vector(try coordinate("x", request), try coordinate("y", request))
    let numbers = (try parameter("matrix", request) ?? "").split(separator: ",")
    guard let map = Transform(matrix: numbers.map { Double($0) ?? .nan }) else {
      throw StudioError(
        "Expected the six numbers of a map as the matrix, found "
          + "“\(numbers.joined(separator: ",").prefix(100))”.")
    }
    return (missed, map)
  }

  /// Returns a coordinate on the canvas.
  private func coordinate(_ name: String, _ request: Request) throws(StudioError) -> Double {
    let text = try parameter(name, request) ?? ""
    guard let number = Double(text), abs(number) <= Vector.furthest else {
      throw StudioError(
        "Expected a coordinate on the canvas as \(name), found “\(text.prefix(40))”.")
    }
    return number
  }

  /// Returns the scale of a PNG in the address, or `nil` if there is none.
  private func scale(_ request: Request) throws -> Double? {
    guard let text = try parameter("scale", request) else { return nil }
    guard let scale = Double(text), (0.01...PictureFormat.maximumScale).contains(scale) else {
      throw StudioError("The scale of a PNG is a number up to \(Int(PictureFormat.maximumScale)).")
    }
    return scale
  }

  private func file(
    _ document: Document, as form: SavedFormat, fileName: String
  ) throws -> Response {
    switch form {
    case .picture(let form):
      return StudioResponse.data(
        try form.data(of: document.svg, scale: 2), type: form.mediaType, fileName: fileName)
    case .typesetting(let form):
      return StudioResponse.data(
        Data(form.text(of: document).utf8), type: "text/plain; charset=utf-8", fileName: fileName)
    case .document(let form):
      guard let format = form.format else {
        return StudioResponse.data(
          DocumentFile.write(document), type: "application/json", fileName: fileName)
      }
      let data: Data
      do { data = try format.write(document.placedAutomaton.withShortIDs) } catch {
        throw StudioError(
          "The automaton cannot be saved as \(form.title): \(error).", .unprocessableContent)
      }
      return StudioResponse.data(data, type: "text/plain", fileName: fileName)
    }
  }
}
