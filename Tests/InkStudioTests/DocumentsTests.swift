import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkRecognizer
import SafeFiles
import Synchronization
import TestSupport
import Testing

@testable import InkStudio

@Suite(.timeLimit(.minutes(30))) struct DocumentsTests {
  private let folder: TemporaryFolder
  private let documents: Documents

  init() throws {
    folder = try TemporaryFolder()
    documents = try Documents(
      folder: folder.path, recognizer: Recognizer.released(), diagrams: .released())
  }

  /// Adds a state.
  private static func add(
    x: Double = 0
  ) -> @Sendable (inout Documents.State) throws -> Void {
    { try $0.session.editor.perform(.addState(center: Vector(x, 0))) }
  }

  private func states(_ name: String) throws -> Int {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name).automaton"))
    return try DocumentFile.read(data, name: name).states.count
  }

  private func events(_ name: String, id: String? = nil) async throws -> [Documents.Event] {
    var events: [Documents.Event] = []
    for await event in try await documents.versions(of: name, id: id) { events.append(event) }
    return events
  }

  @Test(arguments: [
    "", "a/b", "..", ".hidden", "a\0", " a", String(repeating: "a", count: 61), "é/",
  ])
  func namesAreNoPaths(name: String) async throws {
    #expect(!FileName.isValid(name))
    await #expect(throws: StudioError.self) { try await documents.state(of: name) }
    await #expect(throws: StudioError.self) { try await documents.create(name) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func aChangeIsOnDiskWhenItIsAnswered() async throws {
    _ = try await documents.create("A")
    for number in 1...3 {
      _ = try await documents.change("A", id: nil, Self.add(x: Double(number) * 200))
      #expect(try states("A") == number)
    }
  }

  @Test func documentsAreSavedAtOnceAndTold() async throws {
    _ = try await documents.create("A 1")
    let versions = try await documents.versions(of: "A 1")
    for number in 1...3 {
      _ = try await documents.change("A 1", id: nil, Self.add(x: Double(number) * 200))
    }
    var seen: Documents.Event?
    for await event in versions {
      seen = event
      if event == .changed(name: "A 1", version: 3) { break }
    }
    #expect(seen == .changed(name: "A 1", version: 3))
    await documents.saved()
    let again = try Documents(
      folder: folder.path, recognizer: Recognizer.released(), diagrams: .released())
    #expect(await again.names == ["A 1"])
    #expect(try await again.state(of: "A 1").document.states.count == 3)
    let name = try await again.add(Document(id: "x"), named: "A 1")
    #expect(name == "A 1 2")
    #expect(try await again.rename("A 1", "B") == "B")
    await #expect(throws: StudioError.self) { try await again.rename("B", "A 1 2") }
    await #expect(throws: StudioError.self) { try await again.rename("B", "../B") }
    try await again.remove("B")
    #expect(await again.names == ["A 1 2"])
    // Nothing is lost.
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/deleted/B.automaton"))
  }

  @Test func onlyMakingMakesADocument() async throws {
    let missing = MissingDocument(name: "A")
    await #expect(throws: missing) { try await documents.state(of: "A") }
    await #expect(throws: missing) { try await documents.change("A", id: nil, Self.add()) }
    await #expect(throws: missing) { try await documents.rename("A", "B") }
    await #expect(throws: missing) { try await documents.remove("A") }
    await #expect(throws: missing) { try await documents.versions(of: "A") }
    #expect(await documents.names.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)

    #expect(try await documents.create().name == "Automaton 1")
    #expect(try states("Automaton 1") == 0)
    #expect(try await documents.create("Automaton 3").name == "Automaton 3")
    #expect(try await documents.create().name == "Automaton 2")
    #expect(try await documents.create().name == "Automaton 4")
    let problem = await #expect(throws: StudioError.self) {
      try await documents.create("automaton 3")
    }
    #expect(problem?.status == .conflict)
  }

  @Test func whatWasRenamedIsNotFoundUnderItsOldName() async throws {
    let (_, state) = try await documents.create("a")
    let id = state.document.id
    _ = try await documents.change("a", id: id, Self.add())
    let listening = try await documents.versions(of: "a")
    _ = try await documents.rename("a", "b", id: id)
    var heard: [Documents.Event] = []
    for await event in listening { heard.append(event) }
    #expect(heard.last == .renamed("b"))

    let gone = MissingDocument(name: "a", newName: "b")
    for known in [nil, id] {
      await #expect(throws: gone) { try await documents.state(of: "a", id: known) }
      await #expect(throws: gone) { try await documents.change("a", id: known, Self.add()) }
      await #expect(throws: gone) { try await documents.rename("a", "c", id: known) }
      await #expect(throws: gone) { try await documents.remove("a", id: known) }
      // A page that was hidden hears of it later.
      #expect(try await events("a", id: known) == [.renamed("b")])
    }
    await documents.saved()
    #expect(await documents.names == ["b"])
    #expect(try states("b") == 1)

    // A new document of the old name is another one.
    let (_, other) = try await documents.create("a")
    #expect(other.document.id != id)
    await #expect(throws: gone) { try await documents.change("a", id: id, Self.add()) }
    #expect(try await documents.state(of: "a").document.states.isEmpty)
    _ = try await documents.change("b", id: id, Self.add(x: 300))
    _ = try await documents.rename("b", "c", id: id)
    #expect(try await events("a", id: id) == [.renamed("c")])
    #expect(try await events("b") == [.renamed("c")])
    try await documents.remove("c", id: id)
    #expect(try await events("b") == [.deleted("b")])
    await #expect(throws: MissingDocument(name: "a", isDeleted: true)) {
      try await documents.state(of: "a", id: id)
    }
    await #expect(throws: MissingDocument(name: "a", isReplaced: true)) {
      try await documents.state(of: "a", id: "another page's")
    }
    // Back to its first name.
    _ = try await documents.rename("a", "d")
    _ = try await documents.rename("d", "a")
    #expect(try await documents.state(of: "a").document.id == other.document.id)
  }

  @Test func copiesOfAFileAreDocumentsOfTheirOwn() async throws {
    let file = Document(id: "from a file")
    let names = [
      try await documents.add(file, named: "x"), try await documents.add(file, named: "x"),
    ]
    #expect(names == ["x", "x 2"])
    let id = try await documents.state(of: "x").document.id
    await #expect(throws: MissingDocument(name: "x 2", isReplaced: true)) {
      try await documents.change("x 2", id: id, Self.add())
    }
  }

  /// Documents whose disk is full from some moment on.
  private func failing(
    flushing: @escaping Documents.Flush = { _ in }
  ) async throws -> (Documents, Flag) {
    let box = Flag()
    let documents = try Documents(
      folder: folder.path, recognizer: Recognizer.released(), diagrams: .released(),
      writing: { data, path in
        if box.value { throw CocoaError(.fileWriteOutOfSpace) }
        try FileTree.write(data, to: path)
      }, flushing: flushing)
    _ = try await documents.create("x")
    _ = try await documents.change("x", id: nil, Self.add())
    await documents.saved()
    #expect(try states("x") == 1)
    box.value = true
    let problem = await #expect(throws: StudioError.self) {
      try await documents.change("x", id: nil, Self.add(x: 300))
    }
    #expect(problem?.description == "“x” is not saved: the disk is full." && problem?.status == 507)
    await documents.saved()
    #expect(try await documents.state(of: "x").problem == "the disk is full")
    #expect(try states("x") == 1)
    return (documents, box)
  }

  @Test func whatCouldNotBeSavedIsKeptAndSaidAndTriedAgain() async throws {
    let (documents, isFull) = try await failing()
    for number in 1...300 { _ = try? await documents.create("other \(number)") }
    isFull.value = false
    for number in 1...250 { _ = try await documents.create("other \(number)") }
    #expect(try await documents.state(of: "x").document.states.count == 2)
    await documents.saved()
    #expect(try await documents.state(of: "x").problem == nil)
    #expect(try states("x") == 2)
  }

  @Test func whatCouldNotBeSavedIsSavedWhenItIsSentAgain() async throws {
    let (documents, isFull) = try await failing()
    func again() async throws {
      _ = try await documents.change("x", id: nil) { state in
        try state.once("1") { state in
          try state.session.editor.perform(.addState(center: Vector(600, 0), radius: nil))
          return nil
        }
      }
    }
    for _ in 1...2 {
      await #expect(throws: StudioError.self) { try await again() }
      #expect(try states("x") == 1)
    }
    isFull.value = false
    try await again()
    #expect(try states("x") == 3)
    #expect(try await documents.state(of: "x").problem == nil)
  }

  /// Another page asks for this if the one that made the changes is closed.
  @Test func whatCouldNotBeSavedIsSavedWhenItIsRead() async throws {
    let (documents, isFull) = try await failing()
    await #expect(throws: StudioError.self) { try await documents.read("x", id: nil) { $0 } }
    isFull.value = false
    _ = try await documents.read("x", id: nil) { $0 }
    #expect(try states("x") == 2)
  }

  @Test(arguments: [true, false])
  func whatCouldNotBeSavedIsRenamedAsItIs(isStillFull: Bool) async throws {
    let (documents, isFull) = try await failing()
    isFull.value = isStillFull
    if isStillFull {
      let problem = await #expect(throws: StudioError.self) { try await documents.rename("x", "y") }
      #expect(problem?.description.contains("the disk is full") ?? false)
      #expect(await documents.names == ["x"])
      #expect(try await documents.state(of: "x").document.states.count == 2)
      isFull.value = false
    }
    _ = try await documents.rename("x", "y")
    #expect(try states("y") == 2)
    #expect(try await documents.state(of: "y").problem == nil)
    await documents.saved()
    #expect(await documents.names == ["y"])
  }

  @Test(arguments: [true, false])
  func whatCouldNotBeSavedIsDeletedAsItIs(isStillFull: Bool) async throws {
    let (documents, isFull) = try await failing()
    isFull.value = isStillFull
    if isStillFull {
      await #expect(throws: StudioError.self) { try await documents.remove("x") }
      #expect(await documents.names == ["x"])
      isFull.value = false
    }
    try await documents.remove("x")
    // The end of the studio saves what is unsaved, and nothing that was deleted.
    await documents.saved()
    #expect(await documents.names.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/x.automaton"))
    #expect(try states("deleted/x") == 2)
  }

  /// Other programs spell accents as a letter and a mark.
  @Test func aFileIsFoundHoweverItsNameIsSpelled() async throws {
    let (spelled, onDisk) = ("a\u{308} \u{e9}", "a\u{308} e\u{301}")
    try folder.write("\(onDisk).automaton", DocumentFile.write(Document(id: "x")))
    let names = await documents.names
    #expect(names.map { Array($0.unicodeScalars) } == [Array("\u{e4} \u{e9}".unicodeScalars)])
    for name in [names[0], spelled, onDisk] {
      _ = try await documents.change(name, id: "x", Self.add(x: 200))
    }
    await documents.saved()
    // It stays the same file.
    #expect(try files() == ["\(onDisk).automaton"])
    #expect(try states(onDisk) == 3)
    await #expect(throws: StudioError.self) { try await documents.create(names[0]) }
    let again = try Documents(
      folder: folder.path, recognizer: Recognizer.released(), diagrams: .released())
    #expect(try await again.state(of: names[0]).document.states.count == 3)
    #expect(try await again.rename(names[0], "b") == "b")
    #expect(try files() == ["b.automaton"])
    try folder.write("\(onDisk).automaton", DocumentFile.write(Document(id: "y")))
    try await again.remove(names[0])
    #expect(await again.names == ["b"])
    #expect(try files() == ["b.automaton", "deleted"])
  }

  /// The names in the folder as they are on disk.
  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func aNewNameIsOnDiskBeforeItIsAnswered() async throws {
    // What was flushed, and the files that were in it then.
    let flushed = Mutex<[String: [String]]>([:])
    let documents = try Documents(
      folder: folder.path, recognizer: Recognizer.released(), diagrams: .released(),
      flushing: { path in flushed.withLock { $0[path] = FileTree.names(in: path) } })
    for name in ["a", "c"] { _ = try await documents.create(name) }
    _ = try await documents.rename("a", "b")
    #expect(flushed.withLock { $0 } == [folder.path: ["b.automaton", "c.automaton"]])
    try await documents.remove("b")
    #expect(
      flushed.withLock { $0 } == [
        folder.path: ["c.automaton", "deleted"], "\(folder.path)/deleted": ["b.automaton"],
      ])
    // One that could not be saved before is written anew, and its old file removed.
    let (failed, isFull) = try await failing(flushing: { path in
      flushed.withLock { $0[path] = FileTree.names(in: path) }
    })
    isFull.value = false
    try await failed.remove("x")
    #expect(flushed.withLock { $0[folder.path] } == ["c.automaton", "deleted"])
    #expect(
      flushed.withLock { $0["\(folder.path)/deleted"] } == ["b.automaton", "x.automaton"])
  }

  @Test func thereAreNoMoreDocumentsThanMayBe() async throws {
    for number in 0..<4999 { try folder.write("\(number).automaton", "") }
    _ = try await documents.create("last")
    let problem = await #expect(throws: StudioError.self) { try await documents.create("more") }
    #expect(problem?.description.contains("has 5000 documents, the maximum") == true)
  }

  /// Of the 200 that are open, devices hold 150 at most, each of them 16.
  @Test func devicesLeaveDocumentsForTheOwner() async throws {
    var streams: [AsyncStream<Documents.Event>] = []
    var refused = 0
    for number in 0..<180 {
      _ = try await documents.create("\(number)")
      do {
        let client = Client.device("\(number / 15)")
        streams.append(try await documents.versions(of: "\(number)", for: client))
      } catch is StudioError {
        refused += 1
      }
    }
    #expect(streams.count == 150 && refused == 30)
    _ = try await documents.create("mine")
    streams.append(try await documents.versions(of: "mine"))
  }

  /// The server would wait for it without end.
  @Test func noStreamBeginsWhileTheStudioEnds() async throws {
    _ = try await documents.create("a")
    let versions = try await documents.versions(of: "a")
    await documents.endStreams()
    for await _ in versions {}
    let problem = await #expect(throws: StudioError.self) {
      try await documents.versions(of: "a")
    }
    #expect(problem?.status == .serviceUnavailable)
  }

  @Test func documentsThatNobodyLooksAtAreClosedAndFoundAgain() async throws {
    for name in ["looked at", "left"] {
      _ = try await documents.create(name)
      _ = try await documents.change(name, id: nil, Self.add())
    }
    await documents.saved()
    let versions = try await documents.versions(of: "looked at")
    for number in 1...300 { _ = try await documents.create("other \(number)") }
    #expect(try await documents.state(of: "looked at").session.editor.canUndo)
    let left = try await documents.state(of: "left")
    #expect(!left.session.editor.canUndo && left.document.states.count == 1)
    _ = versions
  }

  @Test func aDocumentHoldsNoMoreThanItMay() async throws {
    let dot = (0...5000).map { "q\($0)" }.joined(separator: ";")
    let drawn = try Format.dot.read(Data("digraph { \(dot) }".utf8), name: "x")
    let problem = await #expect(throws: StudioError.self) {
      try await documents.add(drawn, named: "x")
    }
    #expect(problem?.status == .contentTooLarge)
    #expect(await documents.names.isEmpty)
  }

  @Test func aFullDocumentCanBeChangedButDoesNotGrow() async throws {
    let states = (0..<5000).map { #""q\#($0)":{"center":[\#(200 * $0),500],"radius":60}"# }
    let json = #"{"automatonStates":{\#(states.joined(separator: ","))},"transitions":{}}"#
    let file = try DocumentFile.read(Data(json.utf8), name: "x")
    let name = try await documents.add(file, named: "x")
    let problem = await #expect(throws: StudioError.self) {
      try await documents.change(name, id: nil, Self.add(x: -500))
    }
    #expect(problem?.status == .conflict)
    let (state, _) = try await documents.change(name, id: nil) {
      try $0.session.editor.perform(.setFinal(state: "q7", true))
    }
    #expect(state.document.states.count == 5000 && state.version == 1)
    await documents.saved()
  }
}

/// A flag that closures share.
private final class Flag: Sendable {
  private let mutex = Mutex(false)

  var value: Bool {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }
}
