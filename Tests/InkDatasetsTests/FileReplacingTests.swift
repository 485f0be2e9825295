import Foundation
import Ink
import Testing
import TestSupport

@testable import InkDatasets
@testable import SafeFiles

/// Files and folders are replaced as a whole or not at all; links are followed once.
@Suite(.timeLimit(.minutes(30))) struct FileReplacingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: "\(folder.path)/\(name)")
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private func makeFolder(_ content: String) -> (String) throws -> Void {
    { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data(content.utf8).write(to: URL(fileURLWithPath: "\(path)/split.json"))
    }
  }

  @Test func theLongestNamesAreReplaced() throws {
    let name = String(repeating: "𠀀", count: 60) + ".txt"
    for content in ["one", "two"] {
      try FileTree.write(Data(content.utf8), to: "\(folder.path)/\(name)")
      #expect(text(name) == content)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
  }

  /// Whether this process has stopped looking, and what it missed.
  private final class Watcher: @unchecked Sendable {
    private let lock = NSLock()
    private var isOver = false
    private var missedCount = 0
    private var lookCount = 0

    func watch(_ path: String) {
      while !lock.withLock({ isOver }) {
        let isThere = access(path, F_OK) == 0
        lock.withLock {
          lookCount += 1
          if !isThere { missedCount += 1 }
        }
      }
      lock.withLock { isOver = false }
    }

    func end() -> (looks: Int, missed: Int) {
      lock.withLock { isOver = true }
      while lock.withLock({ isOver }) { usleep(100) }
      return (lookCount, missedCount)
    }
  }

  @Test func aFolderIsThereAtEveryMomentWhileItIsReplaced() throws {
    let path = "\(folder.path)/data"
    try FileTree.replace(path, by: makeFolder("0"))
    let watcher = Watcher()
    Thread.detachNewThread { watcher.watch("\(path)/split.json") }
    for number in 1...200 { try FileTree.replace(path, by: makeFolder("\(number)")) }
    let (looks, missed) = watcher.end()
    #expect(looks > 200 && missed == 0)
    #expect(text("data/split.json") == "200")
    #expect(FileTree.names(in: folder.path) == ["data"])
  }

  @Test func whereNamesCannotBeExchangedTheFolderIsRenamedFirst() throws {
    for (name, content) in [("data", "old"), ("new", "new")] {
      try makeFolder(content)("\(folder.path)/\(name)")
    }
    let (path, new) = ("\(folder.path)/data", "\(folder.path)/new")
    // What cannot be put in its place leaves it there.
    #expect(throws: (any Error).self) {
      try FileTree.exchange(path, with: "\(folder.path)/none") { _, _ in false }
    }
    #expect(text("data/split.json") == "old")
    try FileTree.exchange(path, with: new) { _, _ in false }
    #expect(text("data/split.json") == "new")
    #expect(FileTree.names(in: folder.path) == ["data"])
  }

  @Test func aFailedFolderLeavesTheOldOneAndNothingElse() throws {
    let path = "\(folder.path)/data"
    try FileTree.replace(path, by: makeFolder("old"))
    #expect(throws: FileError.self) {
      try FileTree.replace(path) { temporary in
        try makeFolder("half")(temporary)
        throw CocoaError(.fileWriteOutOfSpace)
      }
    }
    #expect(text("data/split.json") == "old")
    #expect(FileTree.names(in: folder.path) == ["data"])
  }

  @Test func leftoversOfEndedWritersAreRemoved() throws {
    let id = UUID().uuidString
    // No system counts its processes as far as that.
    let (ended, running) = (Int32.max - 7, ProcessInfo.processInfo.processIdentifier)
    let kept = [
      "out.part-\(running)-\(id)", "out.part-x-\(id)", "out.part-\(ended)",
      "out2.part-\(ended)-\(id)",
    ]
    for name in kept + ["out.part-\(ended)-\(id)"] { try folder.write(name, "half") }
    // The only copy of something is not removed.
    try folder.write("out.old-\(ended)-\(id)", "old")
    try FileTree.write(Data("1".utf8), to: "\(folder.path)/out")
    #expect(FileTree.names(in: folder.path) == (kept + ["out", "out.old-\(ended)-\(id)"]).sorted())
    try FileTree.write(Data("2".utf8), to: "\(folder.path)/out")
    #expect(FileTree.names(in: folder.path) == (kept + ["out"]).sorted())
    #expect(text("out") == "2")
  }

  @Test func theOldItemOfAnotherLongNameIsKept() throws {
    let start = String(repeating: "a", count: 180)
    let old = "\(start)~.old-\(Int32.max - 7)-\(UUID().uuidString)"
    try folder.write(old, "the only copy of another file")
    for name in [start + "bcd", start, start + "~"] {
      for _ in 0..<2 { try FileTree.write(Data("1".utf8), to: "\(folder.path)/\(name)") }
    }
    #expect(
      FileTree.names(in: folder.path) == [old, start + "bcd", start, start + "~"].sorted())
  }

  #if os(Linux)
    @Test func leftoversOfAKilledWriterAreRemovedBeforeItsParentAsksForIt() throws {
      var process: pid_t = 0
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
      defer { free(arguments[0]) }
      try #require(posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil) == 0)
      defer { waitpid(process, nil, 0) }
      // Waits until it has ended, and leaves it as it is.
      var information = siginfo_t()
      try #require(waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0)
      try folder.write("out.part-\(process)-\(UUID().uuidString)", "half")
      try FileTree.write(Data("1".utf8), to: "\(folder.path)/out")
      #expect(FileTree.names(in: folder.path) == ["out"])
    }
  #endif

  @Test func writersOfOneFileDoNotMeet() async throws {
    let path = "\(folder.path)/file"
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        let data = Data(repeating: UInt8(number), count: 100_000)
        group.addTask {
          (0..<10).allSatisfy { _ in (try? FileTree.write(data, to: path)) != nil }
        }
      }
      for await isWritten in group { #expect(isWritten) }
    }
    let data = try #require(FileManager.default.contents(atPath: path))
    #expect(data.count == 100_000 && Set(data).count == 1)
    #expect(FileTree.names(in: folder.path) == ["file"])
  }

  @Test func errorsSayWhatIsMissing() throws {
    try folder.write("file", "x")
    #expect {
      try FileTree.write(Data(), to: "\(folder.path)/file/below")
    } throws: {
      "\($0)".hasPrefix("\(folder.path)/file/below: expected room and permission to write")
    }
    #expect { try FileTree.write(Data(), to: folder.path) } throws: {
      "\($0)" == "\(folder.path): expected a path for a file, found a folder"
    }
    let long = "\(folder.path)/" + String(repeating: "a", count: 300)
    for (path, reason) in [
      (long, "a name that is too long"), ("/proc/x/y", "no folder that could hold it"),
      ("\(folder.path)/file/below", "a file where a folder has to be"),
    ] {
      #expect { try FileTree.write(Data(), to: path) } throws: {
        "\($0)" == "\(path): expected room and permission to write, found \(reason)"
      }
    }
    // What no disk is to blame for says what it is.
    let path = "\(folder.path)/ink.ndjson"
    let ink = Example(.drawing(Drawing([Stroke([Point(.nan, 0)])])), label: "a", origin: "o")
    #expect {
      try DatasetFormat.ndjson.write(Dataset([ink]), rasterizer: nil, to: path)
    } throws: {
      "\($0)".hasPrefix("\(path): expected data that can be written, found ")
        && "\($0)".contains("finite") && !"\($0)".contains("operation")
    }
  }

  // MARK: Links

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/\(name)", withDestinationPath: target)
  }

  @Test func whatALinkLeadsToIsReplacedAndTheLinkStays() throws {
    try folder.write("real/file", "old")
    try link("relative", to: "real/file")
    try link("absolute", to: "\(folder.path)/relative")
    try link("dangling", to: "real/new")
    for name in ["relative", "absolute", "dangling"] {
      try FileTree.write(Data(name.utf8), to: "\(folder.path)/\(name)")
      #expect(text(name) == name)
      #expect(
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder.path)/\(name)"))
          != nil)
    }
    #expect(text("real/file") == "absolute" && text("real/new") == "dangling")
    try FileTree.replace("\(folder.path)/data", by: makeFolder("old"))
    try link("folder", to: "data")
    try FileTree.replace("\(folder.path)/folder", by: makeFolder("new"))
    #expect(text("data/split.json") == "new" && text("folder/split.json") == "new")
    try link("round", to: "round")
    #expect { try FileTree.write(Data(), to: "\(folder.path)/round") } throws: {
      "\($0)".hasSuffix("expected a link to a file or folder, found one that leads back to itself")
    }
    #expect(
      FileTree.names(in: folder.path)
        == ["absolute", "dangling", "data", "folder", "real", "relative", "round"])
  }

  @Test func aPipeBehindALinkIsNotReplaced() throws {
    try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    try link("link", to: "pipe")
    for name in ["pipe", "link"] {
      let path = "\(folder.path)/\(name)"
      let message = ": expected a path for a file or folder, found a pipe or device"
      #expect { try FileTree.refuseExisting(path, force: true) } throws: {
        "\($0)" == path + message
      }
      #expect { try FileTree.write(Data(), to: path) } throws: { "\($0)".hasSuffix(message) }
    }
    var status = stat()
    #expect(stat("\(folder.path)/pipe", &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test(arguments: [0o600, 0o640, 0o755, 0o444]) func theModeStays(mode: Int) throws {
    let path = try folder.write("file", "old")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    try FileTree.write(Data("new".utf8), to: path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == mode && text("file") == "new")
  }

  @Test func linksInAFolderAreFollowedOnce() throws {
    try folder.write("a/1", "")
    try folder.write("a/z/deep/2", "")
    try folder.write("a/z/3", "")
    try link("a/in", to: "z")
    try link("a/again", to: "../a/z")
    try link("a/file", to: "1")
    try link("a/nowhere", to: "nothing")
    // Back to where one comes from, by a way round.
    try link("a/z/deep/back", to: "../../../a")
    let listing = try FileTree.listing(below: "\(folder.path)/a")
    #expect(
      listing.files.map { $0.dropFirst(folder.path.count + 1) } == [
        "a/1", "a/file", "a/z/3", "a/z/deep/2",
      ])
    #expect(listing.leftOut == [.init(path: "\(folder.path)/a/nowhere", reason: .isNoFile)])
    // The folder itself may be a link: whoever names it knows it.
    try link("b", to: "a")
    #expect(try FileTree.files(below: "\(folder.path)/b").count == 4)
  }

  @Test func linksOutOfAFolderAreRefusedAndListed() throws {
    try folder.write("a/1", "")
    try folder.write("ab/2", "")
    try link("a/beside", to: "../ab")
    try link("a/file", to: "../ab/2")
    try link("a/root", to: "/")
    try link("a/up", to: "..")
    try link("a/twice", to: "chain")
    try link("a/chain", to: "../ab/2")
    try link("a/pipe", to: "/dev/zero")
    let listing = try FileTree.listing(below: "\(folder.path)/a")
    #expect(listing.files == ["\(folder.path)/a/1"])
    #expect(
      listing.leftOut.map { FileTree.name(of: $0.path) } == [
        "beside", "chain", "file", "pipe", "root", "twice", "up",
      ])
    #expect(listing.leftOut.allSatisfy { $0.reason == .leadsOutside })
    #expect(
      listing.refusals.first
        == "\(folder.path)/a/beside: expected a file of this folder, found a link that leads out "
        + "of it")
    #expect(listing.refusals.count == 7)
  }

  @Test func aListingHasLimits() throws {
    for number in 0..<20 { try folder.write("a/\(number / 5)/\(number)", "") }
    let path = "\(folder.path)/a"
    #expect(try FileTree.listing(below: path, limits: .init(count: 24)).files.count == 20)
    let many = #expect(throws: FileError.self) {
      try FileTree.listing(below: path, limits: .init(count: 23))
    }
    #expect(many?.description == "\(path): expected at most 23 files in a folder, found more")
    let slow = #expect(throws: FileError.self) {
      try FileTree.listing(below: path, limits: .init(time: .zero))
    }
    #expect(slow?.expected == "a folder that can be listed within 0 s")
  }

  @Test func aRealFolderComesBeforeALinkToIt() throws {
    try folder.write("data/z/1", "")
    try folder.write("data/z.txt", "")
    try link("data/b", to: "z")
    #expect(
      try FileTree.files(below: "\(folder.path)/data").map { $0.dropFirst(folder.path.count + 1) }
        == ["data/z/1", "data/z.txt"])
  }
}
