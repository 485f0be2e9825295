import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkRecognizer
import SafeFiles

/// The documents of the studio.
///
/// Each document is written to disk after every change, and the answer waits for the disk. Only
/// `create` and `add` create documents. A page that shows a renamed or deleted document gets
/// `MissingDocument`.
actor Documents {
  private nonisolated let executor = SharedExecutor("documents")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A change of a document, for the pages that show it.
  enum Event: ServerEvent, Equatable {
    case changed(name: String, version: Int)
    /// The document has this new name; the last event of a stream.
    case renamed(String)
    /// The document with this name was deleted; the last event of a stream.
    case deleted(String)

    var eventName: String? {
      switch self {
      case .changed: nil
      case .renamed: "renamed"
      case .deleted: "deleted"
      }
    }

    private enum CodingKeys: CodingKey { case name, version }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .changed(let name, let version):
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(version, forKey: .version)
      case .renamed(let name), .deleted(let name):
        var container = encoder.singleValueContainer()
        try container.encode(name)
      }
    }
  }

  /// An open document.
  struct State: Sendable {
    var session: SketchSession
    /// A number that increases with every change, so that a page can order its answers.
    var version = 0
    /// A number that increases with every stroke and request for a change.
    fileprivate var changeCount = 0
    /// The page that drew the last stroke; strokes of different pages are not combined.
    var page: String?
    /// The reason why the last changes are not saved, if they are not.
    var problem: String?
    /// The latest changes with ids from pages, the newest last.
    private var changes: [(id: String, decision: SketchSession.Decision?)] = []
    private static let maximumChanges = 500

    init(session: SketchSession) { self.session = session }

    /// Makes the change `id` unless it was made already, and returns the decision about its stroke.
    ///
    /// A page sends a change again if its connection failed before the answer, or if it was not saved.
    @discardableResult
    mutating func once(
      _ id: String?, _ change: (inout State) throws -> SketchSession.Decision?
    ) rethrows -> SketchSession.Decision? {
      if let id, let known = changes.last(where: { $0.id == id }) { return known.decision }
      let decision = try change(&self)
      if let id {
        changes.append((id, decision))
        if changes.count > Self.maximumChanges { changes.removeFirst() }
      }
      return decision
    }

    /// The current document.
    var document: Document { session.editor.document }
  }

  /// A document that was renamed or deleted.
  private struct Departure {
    var id: String
    var name: String
    /// The new name, or `nil` if the document was deleted.
    var newName: String?
  }

  /// A page that shows a document.
  private struct Listener {
    var client: Client
    var events: AsyncStream<Event>.Continuation
  }

  /// Writes a file.
  typealias Writing = @Sendable (_ data: Data, _ path: String) throws -> Void
  /// Makes the system write the names in a folder to disk.
  typealias Flush = @Sendable (_ folder: String) -> Void

  private let folder: String
  private let recognizer: any DrawingRecognizer
  /// The recogniser of whole drawings, also for files that are opened.
  nonisolated let diagrams: DiagramRecognizer
  private let write: Writing
  private let flush: Flush
  private var open: [String: State] = [:]
  /// The next version to write of each document, and the task that writes it.
  private var unsaved: [String: Document] = [:]
  private var savers: [String: Task<Void, Never>] = [:]
  /// The requests that wait until the next version of a document was written, or could not be.
  private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]
  /// The names of documents that are being created.
  private var reserved: Set<String> = []
  private var listeners: [String: [UUID: Listener]] = [:]
  private var isEnding = false
  /// The number of the last request for each open document.
  private var uses: [String: Int] = [:]
  private var useCount = 0
  /// The latest renamed and deleted documents, the newest last.
  private var departures: [Departure] = []
  private static let maximumDepartures = 500
  /// The maximum number of open documents; the least recently used ones are closed.
  private static let maximumOpen = 200
  private static let maximumDocuments = 5000
  private static let maximumListeners = 200
  /// The maximum number of documents that one device, and all devices, keep open; the others are the owner's.
  private static let (maximumOpenOfDevice, maximumOpenOfDevices) = (16, 150)
  /// The maximum number of states and transitions of a document.
  private static let maximumElements = 5000

  init(
    folder: String, recognizer: any DrawingRecognizer, diagrams: DiagramRecognizer,
    writing: @escaping Writing = { try FileTree.write($0, to: $1) },
    flushing: @escaping Flush = { FileTree.flushNames(in: $0) }
  ) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    self.folder = folder
    self.recognizer = recognizer
    self.diagrams = diagrams
    write = writing
    flush = flushing
  }

  /// The names of all documents, sorted.
  var names: [String] {
    Set(FileName.all(in: folder, ending: "automaton")).union(open.keys).union(reserved).sorted()
  }

  private func path(of name: String) -> String {
    FileName.path(of: name, in: folder, ending: "automaton")
  }

  /// Returns the document with a name.
  ///
  /// `id` is the id of the document that the page shows, because another document may have its name now.
  ///
  /// - Throws: `MissingDocument` if there is no such document.
  func state(of name: String, id: String? = nil) async throws -> State {
    try await openIfNeeded(name, id: id)
    return try current(name, id: id)
  }

  /// Returns an open document.
  private func current(_ name: String, id: String?) throws -> State {
    useCount += 1
    guard let state = open[name], id == nil || id == state.document.id else {
      throw missing(name, id: id)
    }
    uses[name] = useCount
    return state
  }

  /// Reads a document that is not open, beside other requests.
  private func openIfNeeded(_ name: String, id: String?) async throws {
    guard open[name] == nil else { return }
    try FileName.check(name, of: "document")
    let path = path(of: name)
    guard FileTree.exists(path) else { throw missing(name, id: id) }
    let document = try await onOwnThread {
      let data: Data
      do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
        throw StudioError(
          "The document \(name) cannot be read: \(reason(for: error)).", .internalServerError)
      }
      return try DocumentFile.read(data, name: "\(name).automaton")
    }
    // Another request may have opened, renamed or deleted it meanwhile.
    guard open[name] == nil, FileTree.exists(path) else { return }
    try closeOldest()
    _ = show(document, as: name)
  }

  private func show(_ document: Document, as name: String) -> State {
    var state = State(
      session: SketchSession(Editor(document, ids: RandomIDs()), recognizer: recognizer))
    state.session.diagrams = diagrams
    open[name] = state
    uses[name] = useCount
    return state
  }

  /// Closes the least recently used document if too many are open.
  private func closeOldest() throws {
    guard open.count >= Self.maximumOpen else { return }
    // A document that a page shows stays open, so that undo still works.
    let idle = open.keys.filter {
      listeners[$0, default: [:]].isEmpty && savers[$0] == nil && unsaved[$0] == nil
    }
    guard let oldest = idle.min(by: { uses[$0, default: 0] < uses[$1, default: 0] }) else {
      throw StudioError(
        "\(Self.maximumOpen) documents are open in browser tabs. Close some of the tabs.", .conflict
      )
    }
    open[oldest] = nil
    uses[oldest] = nil
  }

  /// Returns what happened to the document with this name or id, as far as it is known.
  private func missing(_ name: String, id: String?) -> MissingDocument {
    let known = id ?? departures.last { $0.name == name }?.id
    var missing = MissingDocument(name: name)
    // After renaming a document back to its old name, its file may have been removed by hand.
    if let last = departures.last(where: { $0.id == known }), last.newName != name {
      missing.newName = last.newName
      missing.isDeleted = last.newName == nil
    } else {
      missing.isReplaced = id != nil && (open[name] != nil || FileTree.exists(path(of: name)))
    }
    return missing
  }

  /// Creates an empty document with a name; without a name, `Automaton 1` or the next unused number.
  func create(_ name: String? = nil) async throws -> (name: String, state: State) {
    let used = Set(names.map { $0.lowercased() })
    var new = name.map(FileName.normalized) ?? ""
    if name == nil {
      var number = 1
      while used.contains("automaton \(number)") { number += 1 }
      new = "Automaton \(number)"
    }
    try FileName.check(new, of: "document")
    guard !used.contains(new.lowercased()) else { throw Self.nameIsUsed(new) }
    return (new, try await keep(Document(id: UUID().uuidString), as: new))
  }

  /// Throws `NameProblem` if a new document cannot have a name.
  func checkNewName(_ name: String) throws(NameProblem) {
    try FileName.checkNew(name, of: "document", used: Set(names))
  }

  private static func nameIsUsed(_ name: String) -> StudioError {
    StudioError("Another document has the name \(name). Choose another name.", .conflict)
  }

  /// Writes a new document, beside other requests, and opens it.
  private func keep(_ document: Document, as name: String) async throws -> State {
    try makeRoom()
    try closeOldest()
    reserved.insert(name)
    defer { reserved.remove(name) }
    let (path, write) = (path(of: name), write)
    do { try await onOwnThread { try write(DocumentFile.write(document), path) } } catch {
      throw StudioError(
        "The document \(name) cannot be saved: \(reason(for: error)).", .internalServerError)
    }
    useCount += 1
    return show(document, as: name)
  }

  /// Changes a document, saves it, and notifies the pages that show it.
  ///
  /// The answer waits for the disk, unless other changes of the same request follow, which wait.
  ///
  /// - Throws: `StudioError` if the document is not on disk. The change is kept in memory, and the next one,
  ///   or the same one again, saves both.
  func change<Result: Sendable>(
    _ name: String, id: String?, isFollowed: Bool = false,
    _ change: @Sendable (inout State) throws -> Result
  ) async throws -> (State, Result) {
    try await openIfNeeded(name, id: id)
    var state = try current(name, id: id)
    let before = state.document
    let result = try change(&state)
    state.changeCount += 1
    let document = state.document
    guard document.elementCount <= max(before.elementCount, Self.maximumElements) else {
      throw StudioError(
        "A document can have at most \(Self.maximumElements) states and transitions.", .conflict)
    }
    if document != before {
      state.version += 1
      unsaved[name] = document
    }
    open[name] = state
    notify(name)
    if unsaved[name] != nil { save(name) }
    if !isFollowed, savers[name] != nil {
      await withCheckedContinuation { waiting[name, default: []].append($0) }
      state.problem = open[name]?.problem
      if let problem = state.problem {
        throw StudioError("“\(name)” is not saved: \(problem).", .init(code: 507))
      }
    }
    return (state, result)
  }

  /// Reads the strokes of a document that are not read yet, beside other requests; `work` settles a session.
  ///
  /// If the document is changed meanwhile, nothing happens; the page asks again when the pen rests.
  func read(
    _ name: String, id: String?, by work: @Sendable (SketchSession) async throws -> SketchSession
  ) async throws -> State {
    let state = try await state(of: name, id: id)
    guard state.session.needsSettling else {
      return unsaved[name] == nil ? state : try await change(name, id: id) { _ in }.0
    }
    let read = try await work(state.session)
    return try await change(name, id: id) { now in
      if now.changeCount == state.changeCount { now.session = read }
    }.0
  }

  private func notify(_ name: String) {
    for listener in (listeners[name] ?? [:]).values {
      listener.events.yield(.changed(name: name, version: open[name]?.version ?? 0))
    }
  }

  private func save(_ name: String) {
    guard savers[name] == nil else { return }
    let (path, write) = (path(of: name), write)
    savers[name] = Task {
      while let document = unsaved[name] {
        // Those that come while it is written wait for the next one.
        let served = waiting.removeValue(forKey: name) ?? []
        var problem: String?
        do {
          // Waiting for the disk holds up no other request.
          try await onOwnThread { try write(DocumentFile.write(document), path) }
        } catch {
          problem = reason(for: error)
        }
        let isNews = open[name]?.problem != problem
        open[name]?.problem = problem
        if isNews {
          open[name]?.version += 1
          notify(name)
        }
        if problem == nil, unsaved[name] == document { unsaved[name] = nil }
        for request in served { request.resume() }
        // The next change, or the end of the studio, saves again.
        if problem != nil { break }
      }
      savers[name] = nil
      for request in waiting.removeValue(forKey: name) ?? [] { request.resume() }
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
    guard FileTree.names(in: folder).count < maximumDocuments else {
      throw StudioError(
        "\(folder) has \(maximumDocuments) documents, the maximum. Move some of them to another folder.",
        .conflict)
    }
  }

  /// Moves a document to the folder `deleted`.
  func remove(_ name: String, id: String? = nil) async throws {
    _ = try await state(of: name, id: id)
    await saved(name)
    let document = try current(name, id: id).document
    let deleted = "\(folder)/deleted"
    try Self.makeRoom(in: deleted)
    let used = Set(FileName.all(in: deleted, ending: "automaton"))
    let new = FileName.unused(name, or: "document", used: used)
    try move(name, document, to: "\(deleted)/\(new).automaton")
    depart(Departure(id: document.id, name: name, newName: nil), .deleted(name))
  }

  /// Renames a document to an unused name, and returns the name.
  func rename(_ name: String, _ wish: String, id: String? = nil) async throws -> String {
    let wish = FileName.normalized(wish)
    _ = try await state(of: name, id: id)
    await saved(name)
    let document = try current(name, id: id).document
    try FileName.check(wish, of: "document")
    guard wish != name else { return name }
    let others = names.filter { $0 != name }.map { $0.lowercased() }
    guard !others.contains(wish.lowercased()) else { throw Self.nameIsUsed(wish) }
    try move(name, document, to: path(of: wish))
    open[wish] = open[name]
    open[wish]?.problem = nil
    uses[wish] = uses[name]
    depart(Departure(id: document.id, name: name, newName: wish), .renamed(wish))
    return wish
  }

  /// Moves the file of a document, or writes it if it was not saved before.
  ///
  /// When this returns, the new name is on disk.
  private func move(_ name: String, _ document: Document, to target: String) throws {
    let (files, source) = (FileManager.default, path(of: name))
    do {
      try files.createDirectory(
        atPath: FileTree.folder(of: target), withIntermediateDirectories: true)
      if unsaved[name] == nil, FileTree.exists(source) {
        try files.moveItem(atPath: source, toPath: target)
      } else {
        try write(DocumentFile.write(document), target)
        do { if FileTree.exists(source) { try files.removeItem(atPath: source) } } catch {
          try? files.removeItem(atPath: target)
          throw error
        }
      }
    } catch {
      throw StudioError(
        "The document \(name) was not changed, because its file cannot be moved: "
          + "\(reason(for: error)).", .internalServerError)
    }
    unsaved[name] = nil
    // The new name first, so that a power cut in between leaves both names and never none.
    let new = FileTree.folder(of: target)
    flush(new)
    if new != folder { flush(folder) }
  }

  /// Records that a document was renamed or deleted, and notifies the pages that show it.
  private func depart(_ departure: Departure, _ event: Event) {
    departures.append(departure)
    if departures.count > Self.maximumDepartures { departures.removeFirst() }
    open[departure.name] = nil
    uses[departure.name] = nil
    for listener in (listeners.removeValue(forKey: departure.name) ?? [:]).values {
      listener.events.yield(event)
      listener.events.finish()
    }
  }

  /// Adds an automaton as a document with an unused name, and returns the name.
  nonisolated func add(_ drawn: PlacedAutomaton, named wish: String) async throws -> String {
    try await add(Self.new(drawn), named: wish)
  }

  /// Returns a document of an automaton; the layout of many states takes time.
  ///
  /// - Throws: `StudioError` if it is too large.
  static func new(_ drawn: PlacedAutomaton) throws(StudioError) -> Document {
    try check(drawn.automaton.states.count + drawn.automaton.transitions.count)
    return Document(drawn, id: UUID().uuidString)
  }

  /// Adds a document with an unused name, and returns the name; `uncertain` is what its recognition left
  /// open.
  func add(
    _ document: Document, named wish: String, uncertain: [Diagram.Uncertainty] = []
  ) async throws -> String {
    try Self.check(document.elementCount)
    guard document.isSound else {
      throw StudioError(
        "\(wish) has positions that are too far away for a canvas.", .unprocessableContent)
    }
    let name = FileName.unused(wish, or: "document", used: Set(names))
    // If a file is opened twice, each copy is a separate document.
    var document = document
    document.id = UUID().uuidString
    _ = try await keep(document, as: name)
    open[name]?.session.uncertain = uncertain
    return name
  }

  private static func check(_ count: Int) throws(StudioError) {
    guard count <= maximumElements else {
      throw StudioError(
        "A document can have at most \(maximumElements) states and transitions. This one has \(count).",
        .contentTooLarge)
    }
  }

  /// The interval after which the version is sent again, to detect closed connections.
  private static let heartbeat = Duration.seconds(20)

  /// Returns a stream of the versions of a document; for a renamed or deleted one, only this event.
  ///
  /// - Throws: `MissingDocument`; `StudioError` if too many pages show the document, if the client or all
  ///   devices keep too many documents open, or after `endStreams()`.
  func versions(
    of name: String, id: String? = nil, for client: Client = .owner
  ) async throws -> AsyncStream<Event> {
    let version: Int
    do { version = try await state(of: name, id: id).version } catch let missing as MissingDocument
    {
      guard missing.newName != nil || missing.isDeleted else { throw missing }
      return AsyncStream { continuation in
        continuation.yield(missing.newName.map(Event.renamed) ?? .deleted(name))
        continuation.finish()
      }
    }
    guard !isEnding else { throw StudioError.ending }
    try checkStreams(of: name, for: client)
    guard listeners[name, default: [:]].count < Self.maximumListeners else {
      throw StudioError(
        "\(Self.maximumListeners) browser tabs show the document \(name). Close some of them.",
        .conflict)
    }
    let id = UUID()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(1))
    listeners[name, default: [:]][id] = Listener(client: client, events: continuation)
    let heartbeat = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: Self.heartbeat)
        self.notify(id, name)
      }
    }
    continuation.onTermination = { _ in
      heartbeat.cancel()
      Task { await self.forget(id, name) }
    }
    continuation.yield(.changed(name: name, version: version))
    return stream
  }

  private func notify(_ id: UUID, _ name: String) {
    listeners[name]?[id]?.events.yield(.changed(name: name, version: open[name]?.version ?? 0))
  }

  private func forget(_ id: UUID, _ name: String) { listeners[name]?[id] = nil }

  private func checkStreams(of name: String, for client: Client) throws(StudioError) {
    guard client != .owner else { return }
    let streams = listeners.values.flatMap(\.values).filter { $0.client == client }
    guard streams.count < Self.maximumOpenOfDevice else {
      throw StudioError(
        "This device shows \(streams.count) documents. Close some of its tabs.", .conflict)
    }
    let held = listeners.filter { $0.value.values.contains { $0.client != .owner } }
    guard held[name] != nil || held.count < Self.maximumOpenOfDevices else {
      throw StudioError(
        "Devices show \(held.count) documents. Close some of their tabs.", .conflict)
    }
  }

  /// Ends all streams of versions, and begins no other one: the server waits for the last stream.
  func endStreams() {
    isEnding = true
    for listener in listeners.values.flatMap(\.values) { listener.events.finish() }
    listeners = [:]
  }
}

extension Document {
  fileprivate var elementCount: Int { states.count + transitions.count }
}

/// Ids like those of the reference editor.
private struct RandomIDs: IDSource {
  func next() -> String { UUID().uuidString }
}
