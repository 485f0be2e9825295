import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkRecognizer
import SafeFiles

/// The documents that are being drawn. Each is written to disk after every change, beside the answers.
///
/// A document exists from `create` or `add` on. Nothing else makes one: a page that shows a document
/// which was renamed or deleted gets `MissingDocument`.
actor Documents {
  /// What the pages that show a document are told.
  enum Event: ServerEvent, Equatable {
    case changed(name: String, version: Int)
    /// The new name; the last event of a stream.
    case renamed(String)
    /// The name that it had; the last event of a stream.
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

  /// What a page is shown.
  struct State: Sendable {
    var session: SketchSession
    /// Grows with every change, so that a page knows what is newer.
    var version = 0
    /// The page that drew last: strokes of two pages do not belong together.
    var page: String?
    /// Why it could not be saved.
    var problem: String?
    /// The last strokes that pages gave an id, the newest at the end.
    private var strokes: [(id: String, decision: SketchSession.Decision?)] = []
    private static let mostStrokes = 500

    init(session: SketchSession) { self.session = session }

    /// Returns what became of the stroke `id`: draws it, unless that was done already.
    ///
    /// A page whose connection broke before the answer sends a stroke again.
    mutating func drawOnce(
      _ id: String?, _ draw: (inout State) -> SketchSession.Decision?
    ) -> SketchSession.Decision? {
      if let id, let known = strokes.last(where: { $0.id == id }) { return known.decision }
      let decision = draw(&self)
      if let id {
        strokes.append((id, decision))
        if strokes.count > Self.mostStrokes { strokes.removeFirst() }
      }
      return decision
    }

    /// The document as it is.
    var document: Document { session.editor.document }
  }

  /// A document that got another name or was deleted.
  private struct Departure {
    var id: String
    var name: String
    /// `nil` where it was deleted.
    var newName: String?
  }

  /// Writes a file.
  typealias Writing = @Sendable (_ data: Data, _ path: String) throws -> Void
  /// Writes the names in a folder to disk.
  typealias Flush = @Sendable (_ folder: String) -> Void

  private let folder: String
  private let recognizer: any DrawingRecognizer
  private let write: Writing
  private let flush: Flush
  private var open: [String: State] = [:]
  /// What is to be written next, and those who are writing: one a document.
  private var unsaved: [String: Document] = [:]
  private var savers: [String: Task<Void, Never>] = [:]
  private var listeners: [String: [UUID: AsyncStream<Event>.Continuation]] = [:]
  /// The order in which open documents were last asked for.
  private var uses: [String: Int] = [:]
  private var useCount = 0
  /// The last ones, the newest at the end.
  private var departures: [Departure] = []
  private static let mostDepartures = 500
  /// More stay on disk; those that were not looked at for longest are closed.
  private static let mostOpen = 200
  private static let mostDocuments = 5000
  private static let mostListeners = 200
  /// A document with more elements is none that a person draws.
  private static let mostElements = 5000

  init(
    folder: String, recognizer: any DrawingRecognizer,
    writing: @escaping Writing = { try FileTree.write($0, to: $1) },
    flushing: @escaping Flush = { FileTree.flushNames(in: $0) }
  ) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    self.folder = folder
    self.recognizer = recognizer
    write = writing
    flush = flushing
  }

  /// The names of all documents, sorted.
  var names: [String] {
    Set(FileName.all(in: folder, ending: "automaton")).union(open.keys).sorted()
  }

  private func path(of name: String) -> String {
    FileName.path(of: name, in: folder, ending: "automaton")
  }

  /// The document of that name.
  ///
  /// `id` is that of the document which the page shows: another one may have its name by now.
  ///
  /// - Throws: `MissingDocument` where there is none.
  func state(of name: String, id: String? = nil) throws -> State {
    let state = try opened(name, id: id)
    guard id == nil || id == state.document.id else { throw missing(name, id: id) }
    return state
  }

  private func opened(_ name: String, id: String?) throws -> State {
    useCount += 1
    if let state = open[name] {
      uses[name] = useCount
      return state
    }
    try FileName.check(name, of: "document")
    guard FileTree.exists(path(of: name)) else { throw missing(name, id: id) }
    try closeOldest()
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path(of: name))) } catch {
      throw Problem(
        "The document \(name) cannot be read: \(reason(for: error)).", .internalServerError)
    }
    return show(try DocumentFile.read(data, name: "\(name).automaton"), as: name)
  }

  private func show(_ document: Document, as name: String) -> State {
    let state = State(
      session: SketchSession(Editor(document, ids: RandomIDs()), recognizer: recognizer))
    open[name] = state
    uses[name] = useCount
    return state
  }

  /// Closes the document that was not looked at for longest, where too many are open.
  private func closeOldest() throws {
    guard open.count >= Self.mostOpen else { return }
    // A document that a page shows stays open, with its undo.
    let idle = open.keys.filter {
      listeners[$0, default: [:]].isEmpty && savers[$0] == nil && unsaved[$0] == nil
    }
    guard let oldest = idle.min(by: { uses[$0, default: 0] < uses[$1, default: 0] }) else {
      throw Problem(
        "\(Self.mostOpen) documents are open in pages. Close some of the pages.", .conflict)
    }
    open[oldest] = nil
    uses[oldest] = nil
  }

  /// What became of the document of that name, or of that id, as far as it is known.
  private func missing(_ name: String, id: String?) -> MissingDocument {
    let known = id ?? departures.last { $0.name == name }?.id
    var missing = MissingDocument(name: name)
    // A file may have been taken away by hand from under the name that it got back.
    if let last = departures.last(where: { $0.id == known }), last.newName != name {
      missing.newName = last.newName
      missing.isDeleted = last.newName == nil
    } else {
      missing.isReplaced = id != nil && (open[name] != nil || FileTree.exists(path(of: name)))
    }
    return missing
  }

  /// Makes an empty document called `name`; without a name, `Automaton 1` or the next that is free.
  func create(_ name: String? = nil) throws -> (name: String, state: State) {
    let taken = Set(names.map { $0.lowercased() })
    var free = name.map(FileName.spelled) ?? ""
    if name == nil {
      var number = 1
      while taken.contains("automaton \(number)") { number += 1 }
      free = "Automaton \(number)"
    }
    try FileName.check(free, of: "document")
    guard !taken.contains(free.lowercased()) else { throw Self.taken(free) }
    return (free, try keep(Document(id: UUID().uuidString), as: free))
  }

  private static func taken(_ name: String) -> Problem {
    Problem("Another document is called \(name). Choose another name.", .conflict)
  }

  /// Writes a new document and opens it.
  private func keep(_ document: Document, as name: String) throws -> State {
    try makeRoom()
    try closeOldest()
    do { try write(DocumentFile.write(document), path(of: name)) } catch {
      throw Problem(
        "The document \(name) cannot be saved: \(reason(for: error)).", .internalServerError)
    }
    useCount += 1
    return show(document, as: name)
  }

  /// Changes a document, saves it, and tells the pages that show it.
  func change<Result: Sendable>(
    _ name: String, id: String?, _ change: @Sendable (inout State) throws -> Result
  ) throws -> (State, Result) {
    var state = try state(of: name, id: id)
    let before = state.document
    let result = try change(&state)
    let document = state.document
    guard document.elementCount <= max(before.elementCount, Self.mostElements) else {
      throw Problem(
        "A document holds at most \(Self.mostElements) states and transitions.", .conflict)
    }
    if document != before {
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
      listener.yield(.changed(name: name, version: open[name]?.version ?? 0))
    }
  }

  private func save(_ name: String) {
    guard savers[name] == nil else { return }
    let (path, write) = (path(of: name), write)
    savers[name] = Task {
      while let document = unsaved[name] {
        let problem = await Task.detached {
          do {
            try write(DocumentFile.write(document), path)
            return nil as String?
          } catch {
            return reason(for: error)
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
      throw Problem(
        "\(folder) holds \(mostDocuments) documents. Move some of them elsewhere.", .conflict)
    }
  }

  /// Puts a document into the folder `deleted`.
  func remove(_ name: String, id: String? = nil) async throws {
    _ = try state(of: name, id: id)
    await saved(name)
    let document = try state(of: name, id: id).document
    let aside = "\(folder)/deleted"
    try Self.makeRoom(in: aside)
    let taken = Set(FileName.all(in: aside, ending: "automaton"))
    let free = FileName.free(name, or: "document", taken: taken)
    try move(name, document, to: "\(aside)/\(free).automaton")
    depart(Departure(id: document.id, name: name, newName: nil), .deleted(name))
  }

  /// Gives a document another name, one that is free; returns it.
  func rename(_ name: String, _ wish: String, id: String? = nil) async throws -> String {
    let wish = FileName.spelled(wish)
    _ = try state(of: name, id: id)
    await saved(name)
    let document = try state(of: name, id: id).document
    try FileName.check(wish, of: "document")
    guard wish != name else { return name }
    let others = names.filter { $0 != name }.map { $0.lowercased() }
    guard !others.contains(wish.lowercased()) else { throw Self.taken(wish) }
    try move(name, document, to: path(of: wish))
    open[wish] = open[name]
    open[wish]?.problem = nil
    uses[wish] = uses[name]
    depart(Departure(id: document.id, name: name, newName: wish), .renamed(wish))
    return wish
  }

  /// Moves the file of a document; where it could not be saved, writes the document as it is now.
  ///
  /// When this returns, its new name is on disk.
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
      throw Problem(
        "The document \(name) stays as it is, because its file cannot be moved: "
          + "\(reason(for: error)).", .internalServerError)
    }
    unsaved[name] = nil
    // The new name first: a power cut in between may leave both, but never neither.
    let new = FileTree.folder(of: target)
    flush(new)
    if new != folder { flush(folder) }
  }

  /// Remembers that a document is gone from its name, and tells the pages that show it.
  private func depart(_ departure: Departure, _ event: Event) {
    departures.append(departure)
    if departures.count > Self.mostDepartures { departures.removeFirst() }
    open[departure.name] = nil
    uses[departure.name] = nil
    for listener in (listeners.removeValue(forKey: departure.name) ?? [:]).values {
      listener.yield(event)
      listener.finish()
    }
  }

  /// Makes a document of an automaton under a name that is free; returns the name.
  nonisolated func add(_ drawn: PlacedAutomaton, named wish: String) async throws -> String {
    try Self.check(drawn.automaton.states.count + drawn.automaton.transitions.count)
    // Laying out many states takes its time, which nobody else has to wait for.
    return try await add(Document(drawn, id: UUID().uuidString), named: wish)
  }

  /// Keeps a document under a name that is free; returns the name.
  func add(_ document: Document, named wish: String) throws -> String {
    try Self.check(document.elementCount)
    let name = FileName.free(wish, or: "document", taken: Set(names))
    // A file may be opened twice, and each copy is a document of its own.
    var document = document
    document.id = UUID().uuidString
    _ = try keep(document, as: name)
    return name
  }

  private static func check(_ count: Int) throws(Problem) {
    guard count <= mostElements else {
      throw Problem(
        "A document holds at most \(mostElements) states and transitions, this has \(count).",
        .contentTooLarge)
    }
  }

  /// How often a listener is sent the version again, so that one who has gone away is noticed.
  private static let heartbeat = Duration.seconds(20)

  /// The versions of a document as it changes; of one that is gone, what became of it.
  func versions(of name: String, id: String? = nil) throws -> AsyncStream<Event> {
    let version: Int
    do { version = try state(of: name, id: id).version } catch let missing as MissingDocument {
      guard missing.newName != nil || missing.isDeleted else { throw missing }
      return AsyncStream { continuation in
        continuation.yield(missing.newName.map(Event.renamed) ?? .deleted(name))
        continuation.finish()
      }
    }
    guard listeners[name, default: [:]].count < Self.mostListeners else {
      throw Problem(
        "\(Self.mostListeners) pages show the document \(name). Close some of them.", .conflict)
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
    continuation.yield(.changed(name: name, version: version))
    return stream
  }

  private func tell(_ id: UUID, _ name: String) {
    listeners[name]?[id]?.yield(.changed(name: name, version: open[name]?.version ?? 0))
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
