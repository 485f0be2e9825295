import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkRecognizer

/// The documents that are being drawn, each on disk after every change.
actor Documents {
  /// What a page is shown, and what became of the last stroke.
  struct State: Sendable {
    var session: SketchSession
    /// Grows with every change, so that a page knows what is newer.
    var version = 0
    var lastDrawing: Drawing?
  }

  /// What cannot be done, in words.
  struct Problem: Error {
    var text: String
  }

  private let folder: String
  private let recognizer: Recognizer
  private var open: [String: State] = [:]
  private var listeners: [String: [UUID: AsyncStream<Int>.Continuation]] = [:]
  private static let mostOpen = 200
  /// A document with more elements is none that a person draws.
  private static let mostElements = 5000

  init(folder: String, recognizer: Recognizer) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    self.folder = folder
    self.recognizer = recognizer
  }

  /// The names of all documents, sorted.
  var names: [String] {
    let saved = FileTree.names(in: folder).filter { $0.hasSuffix(".automaton") }
      .map { String($0.dropLast(".automaton".count)) }
    return Set(saved.filter(Self.isName)).union(open.keys).sorted()
  }

  /// Whether `text` can be a document's name, and a file's: letters, digits, spaces, `-` and `_`.
  static func isName(_ text: String) -> Bool {
    (1...60).contains(text.count)
      && text.unicodeScalars.allSatisfy {
        CharacterSet.alphanumerics.contains($0) || " -_".unicodeScalars.contains($0)
      } && text.first != " " && text.last != " "
  }

  private func path(of name: String) -> String { "\(folder)/\(name).automaton" }

  /// The document of that name; an empty one where there is none yet.
  func state(of name: String) throws -> State {
    if let state = open[name] { return state }
    guard Self.isName(name) else {
      throw Problem(text: "expected a name of letters, digits, spaces, - and _, found `\(name)`")
    }
    guard open.count < Self.mostOpen else {
      throw Problem(text: "expected at most \(Self.mostOpen) open documents, found more")
    }
    var document = Document(id: UUID().uuidString)
    if let data = FileManager.default.contents(atPath: path(of: name)) {
      document = try DocumentFile.read(data, name: "\(name).automaton")
    }
    let state = State(
      session: SketchSession(Editor(document, ids: RandomIDs()), recognizer: recognizer))
    open[name] = state
    return state
  }

  /// Changes a document, saves it, and tells those who look at it.
  func change<Result: Sendable>(
    _ name: String, _ change: @Sendable (inout State) throws -> Result
  ) throws -> (State, Result) {
    var state = try state(of: name)
    let before = state.session.editor.document
    let result = try change(&state)
    let document = state.session.editor.document
    guard document.states.count + document.transitions.count <= Self.mostElements else {
      throw Problem(text: "expected at most \(Self.mostElements) elements, found more")
    }
    if document != before {
      state.version += 1
      try FileTree.write(DocumentFile.write(document), to: path(of: name))
    }
    open[name] = state
    for listener in (listeners[name] ?? [:]).values { listener.yield(state.version) }
    return (state, result)
  }

  /// Makes a document of an automaton under a name that is free; returns the name.
  func add(_ drawn: Drawn, named wish: String) throws -> String {
    try add(Document(drawn, id: UUID().uuidString), named: wish)
  }

  /// Keeps a document under a name that is free; returns the name.
  func add(_ document: Document, named wish: String) throws -> String {
    let plain = String(
      wish.unicodeScalars.filter {
        CharacterSet.alphanumerics.contains($0) || " -_".unicodeScalars.contains($0)
      }.map(Character.init).prefix(50)
    ).trimmingCharacters(in: .whitespaces)
    let stem = plain.isEmpty ? "document" : plain
    let taken = Set(names)
    var name = stem
    var number = 2
    while taken.contains(name) {
      name = "\(stem) \(number)"
      number += 1
    }
    let data = DocumentFile.write(document)
    try FileTree.write(data, to: path(of: name))
    _ = try state(of: name)
    return name
  }

  /// How often a listener is sent the version again, so that one who has gone away is noticed.
  private static let heartbeat = Duration.seconds(20)

  /// The versions of a document as it changes.
  func versions(of name: String) throws -> AsyncStream<Int> {
    let version = try state(of: name).version
    let id = UUID()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int.self, bufferingPolicy: .bufferingNewest(1))
    listeners[name, default: [:]][id] = continuation
    let heart = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: Self.heartbeat)
        self.tell(id, name)
      }
    }
    continuation.onTermination = { _ in
      heart.cancel()
      Task { await self.forget(id, name) }
    }
    continuation.yield(version)
    return stream
  }

  private func tell(_ id: UUID, _ name: String) {
    listeners[name]?[id]?.yield(open[name]?.version ?? 0)
  }

  private func forget(_ id: UUID, _ name: String) { listeners[name]?[id] = nil }

  /// Tells all listeners that there is nothing more to hear.
  func endListening() {
    for listener in listeners.values.flatMap(\.values) { listener.finish() }
    listeners = [:]
  }
}

/// Ids as the reference's app has them.
private struct RandomIDs: IDSource {
  func next() -> String { UUID().uuidString }
}
