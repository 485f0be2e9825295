import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkRecognizer

/// The documents that are being drawn. Each is written to disk after every change, beside the answers.
actor Documents {
  /// What those who look at a document hear.
  struct Event: Encodable, Sendable, Equatable {
    var name: String
    var version = 0
    var renamedTo: String?
    var isDeleted = false
  }

  /// What a page is shown.
  struct State: Sendable {
    var session: SketchSession
    /// Grows with every change, so that a page knows what is newer.
    var version = 0
    /// Why it could not be saved.
    var problem: String?
  }

  private let folder: String
  private let recognizer: any DrawingRecognizer
  private var open: [String: State] = [:]
  /// What is to be written next, and those who are writing: one a document.
  private var unsaved: [String: Document] = [:]
  private var savers: [String: Task<Void, Never>] = [:]
  private var listeners: [String: [UUID: AsyncStream<Event>.Continuation]] = [:]
  /// The order in which open documents were last asked for.
  private var uses: [String: Int] = [:]
  private var useCount = 0
  /// More stay on disk; those that were not looked at for longest are closed.
  private static let mostOpen = 200
  private static let mostDocuments = 5000
  private static let mostListeners = 200
  /// A document with more elements is none that a person draws.
  private static let mostElements = 5000

  init(folder: String, recognizer: any DrawingRecognizer) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    self.folder = folder
    self.recognizer = recognizer
  }

  /// The names of all documents, sorted.
  var names: [String] {
    let saved = FileName.all(in: folder, ending: "automaton")
    let drawn = open.filter { $0.value.version > 0 }.keys
    return Set(saved).union(drawn).sorted()
  }

  private func path(of name: String) -> String { "\(folder)/\(name).automaton" }

  /// The document of that name; an empty one where there is none yet.
  func state(of name: String) throws -> State {
    useCount += 1
    if let state = open[name] {
      uses[name] = useCount
      return state
    }
    guard FileName.isFine(name) else {
      throw Problem("expected a name of letters, digits, spaces, - and _, found `\(name)`")
    }
    if open.count >= Self.mostOpen {
      // What a page looks at stays, with its undo.
      let idle = open.keys.filter {
        listeners[$0, default: [:]].isEmpty && savers[$0] == nil && unsaved[$0] == nil
      }
      guard let oldest = idle.min(by: { uses[$0, default: 0] < uses[$1, default: 0] }) else {
        throw Problem("expected at most \(Self.mostOpen) documents in pages, found more")
      }
      open[oldest] = nil
      uses[oldest] = nil
    }
    var document = Document(id: UUID().uuidString)
    if FileTree.exists(path(of: name)) {
      let data: Data
      do { data = try Data(contentsOf: URL(fileURLWithPath: path(of: name))) } catch {
        throw Problem("\(name): expected a file that can be read, found \(error)")
      }
      document = try DocumentFile.read(data, name: "\(name).automaton")
    }
    let state = State(
      session: SketchSession(Editor(document, ids: RandomIDs()), recognizer: recognizer))
    open[name] = state
    uses[name] = useCount
    return state
  }

  /// Changes a document, saves it, and tells those who look at it.
  ///
  /// `id` is the document's that the page shows: another one may have its name by now.
  func change<Result: Sendable>(
    _ name: String, id: String?, _ change: @Sendable (inout State) throws -> Result
  ) throws -> (State, Result) {
    var state = try state(of: name)
    let before = state.session.editor.document
    guard id == nil || id == before.id else {
      throw Problem(
        "expected the document \(name) that is shown, found that it was renamed or deleted")
    }
    let result = try change(&state)
    let document = state.session.editor.document
    guard document.elementCount <= max(before.elementCount, Self.mostElements) else {
      throw Problem("expected at most \(Self.mostElements) elements, found more")
    }
    if document != before {
      if state.version == 0, !FileTree.exists(path(of: name)) { try makeRoom() }
      state.version += 1
      unsaved[name] = document
      save(name)
    }
    open[name] = state
    tell(name)
    return (state, result)
  }

  private func tell(_ name: String) {
    for listener in (listeners[name] ?? [:]).values {
      listener.yield(Event(name: name, version: open[name]?.version ?? 0))
    }
  }

  private func save(_ name: String) {
    guard savers[name] == nil else { return }
    let path = path(of: name)
    savers[name] = Task {
      while let document = unsaved[name] {
        let problem = await Task.detached {
          do {
            try FileTree.write(DocumentFile.write(document), to: path)
            return nil as String?
          } catch {
            return "\(error)"
          }
        }.value
        let isNews = open[name]?.problem != problem
        open[name]?.problem = problem
        if isNews {
          open[name]?.version += 1
          tell(name)
        }
        if problem == nil, unsaved[name] == document { unsaved[name] = nil }
        // The next change, or the end of the studio, tries again.
        if problem != nil { break }
      }
      savers[name] = nil
    }
  }

  /// Waits until a document is on disk.
  private func saved(_ name: String) async {
    while let saver = savers[name] { await saver.value }
  }

  /// Waits until all documents are on disk.
  func saved() async {
    for name in Array(unsaved.keys) { save(name) }
    for name in Array(savers.keys) { await saved(name) }
  }

  private func makeRoom() throws {
    try Self.makeRoom(in: folder)
  }

  private static func makeRoom(in folder: String) throws {
    guard FileTree.names(in: folder).count < mostDocuments else {
      throw Problem("expected at most \(mostDocuments) documents in \(folder), found more")
    }
  }

  /// Puts a document aside, into the folder `deleted`.
  func remove(_ name: String) async throws {
    await saved(name)
    _ = try state(of: name)
    let aside = "\(folder)/deleted"
    try Self.makeRoom(in: aside)
    try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
    if FileTree.exists(path(of: name)) {
      let taken = Set(FileName.all(in: aside, ending: "automaton"))
      let free = FileName.free(name, or: "document", taken: taken)
      try FileManager.default.moveItem(
        atPath: path(of: name), toPath: "\(aside)/\(free).automaton")
    }
    close(name, Event(name: name, isDeleted: true))
  }

  /// Gives a document another name, one that is free; returns it.
  func rename(_ name: String, _ wish: String) async throws -> String {
    let wish = FileName.spelled(wish)
    await saved(name)
    let document = try state(of: name).session.editor.document
    guard FileName.isFine(wish) else {
      throw Problem("expected a name of letters, digits, spaces, - and _, found `\(wish)`")
    }
    guard wish != name else { return name }
    let others = names.filter { $0 != name }.map { $0.lowercased() }
    guard !others.contains(wish.lowercased()) else {
      throw Problem("expected a name that is free, found `\(wish)`, which another document has")
    }
    if FileTree.exists(path(of: name)) {
      try FileManager.default.moveItem(atPath: path(of: name), toPath: path(of: wish))
    } else {
      try makeRoom()
      try FileTree.write(DocumentFile.write(document), to: path(of: wish))
    }
    open[wish] = open[name]
    uses[wish] = uses[name]
    close(name, Event(name: name, renamedTo: wish))
    return wish
  }

  private func close(_ name: String, _ event: Event) {
    open[name] = nil
    uses[name] = nil
    for listener in (listeners.removeValue(forKey: name) ?? [:]).values {
      listener.yield(event)
      listener.finish()
    }
  }

  /// Makes a document of an automaton under a name that is free; returns the name.
  nonisolated func add(_ drawn: Drawn, named wish: String) async throws -> String {
    // Laying out many states takes its time, which nobody else has to wait for.
    try await add(Document(drawn, id: UUID().uuidString), named: wish)
  }

  /// Keeps a document under a name that is free; returns the name.
  func add(_ document: Document, named wish: String) throws -> String {
    guard document.elementCount <= Self.mostElements else {
      throw Problem(
        "expected at most \(Self.mostElements) elements, found \(document.elementCount)")
    }
    try makeRoom()
    let name = FileName.free(wish, or: "document", taken: Set(names))
    let data = DocumentFile.write(document)
    try FileTree.write(data, to: path(of: name))
    _ = try state(of: name)
    return name
  }

  /// How often a listener is sent the version again, so that one who has gone away is noticed.
  private static let heartbeat = Duration.seconds(20)

  /// The versions of a document as it changes.
  func versions(of name: String) throws -> AsyncStream<Event> {
    let version = try state(of: name).version
    guard listeners[name, default: [:]].count < Self.mostListeners else {
      throw Problem("expected at most \(Self.mostListeners) pages on a document, found more")
    }
    let id = UUID()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(1))
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
    continuation.yield(Event(name: name, version: version))
    return stream
  }

  private func tell(_ id: UUID, _ name: String) {
    listeners[name]?[id]?.yield(Event(name: name, version: open[name]?.version ?? 0))
  }

  private func forget(_ id: UUID, _ name: String) { listeners[name]?[id] = nil }

  /// Tells all listeners that there is nothing more to hear.
  func endListening() {
    for listener in listeners.values.flatMap(\.values) { listener.finish() }
    listeners = [:]
  }
}

extension Document {
  fileprivate var elementCount: Int { states.count + transitions.count }
}

/// Ids as the reference's app has them.
private struct RandomIDs: IDSource {
  func next() -> String { UUID().uuidString }
}
