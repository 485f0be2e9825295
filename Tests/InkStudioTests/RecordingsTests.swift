import Foundation
import Ink
import Synchronization
import TestSupport
import Testing

@testable import InkStudio

@Suite(.timeLimit(.minutes(30))) struct RecordingsTests {
  private func drawing(_ label: String) -> Recording {
    Recording(
      Drawing([Stroke([Point(0, 0, time: 0), Point(9, 5, time: 8)])]), label: label, writer: "w")
  }

  private func text(_ folder: TemporaryFolder, _ name: String = "recordings.ndjson") throws
    -> String
  {
    try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
  }

  @Test func whatWasAddedIsOnDisk() async throws {
    let folder = try TemporaryFolder()
    let recordings = try Recordings(folder: folder.path)
    var ids: [String] = []
    for label in ["state", "cycle", "state"] {
      ids.append(try await recordings.add(drawing(label)).id)
      #expect(try text(folder).split(separator: "\n").count == ids.count)
    }
    #expect(await recordings.counts == ["state": 2, "cycle": 1])
    #expect(try await recordings.remove(ids[1]))
    #expect(try await recordings.remove(ids[1]) == false)
    #expect(await recordings.counts == ["state": 2])
    _ = try await recordings.add(drawing("other"))
    #expect(await recordings.newest(2).map(\.recording.label) == ["other", "state"])
    // The next start finds the same.
    let again = try Recordings(folder: folder.path)
    #expect(await again.all.map(\.recording.label) == ["state", "state", "other"])
    #expect(await again.all.map(\.id).prefix(2) == [ids[0], ids[2]])
    #expect(await again.counts == ["state": 2, "other": 1])
  }

  @Test func nothingIsAnsweredBeforeItIsOnDisk() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/recordings.ndjson"
    // How many lines the file has each time that it is flushed.
    let flushed = Mutex<[Int]>([])
    let recordings = try Recordings(folder: folder.path) { _ in
      let lines = FileManager.default.contents(atPath: path)?.count { $0 == UInt8(ascii: "\n") }
      flushed.withLock { $0.append(lines ?? 0) }
    }
    let id = try await recordings.add(drawing("state")).id
    #expect(flushed.withLock { $0 } == [1])
    try await recordings.add([drawing("cycle"), drawing("other")])
    #expect(flushed.withLock { $0 } == [1, 3])
    #expect(try await recordings.remove(id))
    // The file of deleted drawings, then this one.
    #expect(flushed.withLock { $0.count } == 4)
    // What waits for the disk asks the system: a pipe has none.
    let pipe = Pipe()
    #expect(throws: (any Error).self) { try Recordings.toDisk(pipe.fileHandleForWriting) }
  }

  /// A file that was moved away still takes what is written to it.
  @Test func aFileThatIsNoLongerThereIsNotWrittenTo() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/recordings.ndjson"
    let recordings = try Recordings(folder: folder.path)
    _ = try await recordings.add(drawing("state"))
    try FileManager.default.moveItem(atPath: path, toPath: "\(path).moved")
    let problem = await #expect(throws: StudioError.self) {
      try await recordings.add(self.drawing("state"))
    }
    #expect(problem?.description.contains("moved or removed") == true)
    try Data().write(to: URL(fileURLWithPath: path))
    await #expect(throws: StudioError.self) { try await recordings.add(self.drawing("state")) }
  }

  @Test func whatIsNotOnDiskIsNotThere() async throws {
    let folder = try TemporaryFolder()
    let isFull = Mutex(false)
    let recordings = try Recordings(folder: folder.path) { _ in
      if isFull.withLock({ $0 }) { throw CocoaError(.fileWriteOutOfSpace) }
    }
    let id = try await recordings.add(drawing("state")).id
    let before = try text(folder)
    isFull.withLock { $0 = true }
    let problem = await #expect(throws: StudioError.self) {
      try await recordings.add(drawing("cycle"))
    }
    #expect(problem?.description.contains("the disk is full") ?? false)
    #expect(try text(folder) == before)
    await #expect(throws: StudioError.self) { try await recordings.remove(id) }
    #expect(await recordings.all.map(\.id) == [id])
    isFull.withLock { $0 = false }
    _ = try await recordings.add(drawing("other"))
    let again = try Recordings(folder: folder.path)
    #expect(await again.all.map(\.recording.label) == ["state", "other"])
  }

  @Test func aLineThatWasCutOffHarmsNoOther() async throws {
    let folder = try TemporaryFolder()
    let first = try Recordings(folder: folder.path)
    _ = try await first.add(drawing("state"))
    try folder.write("recordings.ndjson", try text(folder) + #"{"drawing":[[[0,"#)
    let second = try Recordings(folder: folder.path)
    let id = try await second.add(drawing("cycle")).id
    let third = try Recordings(folder: folder.path)
    #expect(await third.all.map(\.recording.label) == ["state", "cycle"])
    #expect(try await third.remove(id))
    #expect(await third.all.map(\.recording.label) == ["state"])
  }

  /// As after a full disk on which not even the half of a line could be removed.
  @Test func aLineThatWasCutOffWhileTheFileIsOpenHarmsNoOther() async throws {
    let folder = try TemporaryFolder()
    let recordings = try Recordings(folder: folder.path)
    _ = try await recordings.add(drawing("state"))
    let file = try FileHandle(
      forUpdating: URL(fileURLWithPath: "\(folder.path)/recordings.ndjson"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(#"{"drawing":[[[0,"#.utf8))
    try file.close()
    let id = try await recordings.add(drawing("cycle")).id
    #expect(try await recordings.remove(id))
    _ = try await recordings.add(drawing("other"))
    let again = try Recordings(folder: folder.path)
    #expect(await again.all.map(\.recording.label) == ["state", "other"])
  }

  @Test func deletingLeavesLinesThatCannotBeRead() async throws {
    let folder = try TemporaryFolder()
    let first = try Recordings(folder: folder.path)
    let id = try await first.add(drawing("state")).id
    _ = try await first.add(drawing("cycle"))
    let lines = try text(folder).split(separator: "\n").map(String.init)
    let broken = #"{"word":"mine","drawing":[[[1,2],[3]]]}"#
    try folder.write("recordings.ndjson", [lines[0], broken, lines[1], ""].joined(separator: "\n"))
    let second = try Recordings(folder: folder.path)
    #expect(try await second.remove(id))
    let kept = "\(broken)\n\(lines[1])\n"
    #expect(try await String(decoding: second.data(), as: UTF8.self) == kept)
    // Nothing is lost.
    #expect(try text(folder, "deleted.ndjson") == "\(lines[0])\n")
    // The next start leaves no trace of it in the file.
    _ = try Recordings(folder: folder.path)
    #expect(try text(folder) == kept)
  }

  @Test func deletingTouchesOneLineOnly() async throws {
    let folder = try TemporaryFolder()
    let recordings = try Recordings(folder: folder.path)
    let ids = try await recordings.add((0..<20).map { drawing("class \($0)") }).map(\.id)
    let path = "\(folder.path)/recordings.ndjson"
    func inode() throws -> UInt64? {
      try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
    }
    let (before, node) = (try text(folder).components(separatedBy: "\n"), try inode())
    for index in [0, 7, 19] { #expect(try await recordings.remove(ids[index])) }
    let after = try text(folder).components(separatedBy: "\n")
    // The file was not written again as a whole.
    #expect(try inode() == node && after.count == before.count)
    for (index, (one, other)) in zip(before, after).enumerated() {
      let isGone = [0, 7, 19].contains(index)
      #expect(other == (isGone ? String(repeating: " ", count: one.utf8.count) : one))
    }
    #expect(await recordings.all.count == 17)
    #expect(try text(folder, "deleted.ndjson") == [0, 7, 19].map { before[$0] + "\n" }.joined())
    // Those after them are still found.
    #expect(try await recordings.remove(ids[18]))
    #expect(await recordings.counts["class 18"] == nil)
  }

  @Test func aFileThatWasAddedIsRemovedAsAWhole() async throws {
    let folder = try TemporaryFolder()
    let recordings = try Recordings(folder: folder.path)
    let first = try await recordings.add(drawing("state"))
    let file = try await recordings.addFile([drawing("cycle"), drawing("state"), drawing("cycle")])
    let last = try await recordings.add(drawing("other"))
    #expect(try await recordings.removeFile("another") == false)
    // One that was deleted meanwhile changes nothing.
    let one = try #require(await recordings.all.first { $0.recording.label == "cycle" })
    #expect(try await recordings.remove(one.id))
    #expect(try await recordings.removeFile(file))
    #expect(try await recordings.removeFile(file) == false)
    #expect(await recordings.all.map(\.id) == [first.id, last.id])
    #expect(await recordings.counts == ["state": 1, "other": 1])
    let again = try Recordings(folder: folder.path)
    #expect(await again.all.map(\.id) == [first.id, last.id])
    let deleted = try text(folder, "deleted.ndjson")
    #expect(deleted.split(separator: "\n").count == 3, "nothing is lost")
  }

  @Test func aDeletionThatFailsChangesNoFile() async throws {
    let folder = try TemporaryFolder()
    // Of the deletion's two flushes, the second fails.
    let flushes = Mutex(0)
    let recordings = try Recordings(folder: folder.path) { _ in
      let number = flushes.withLock { count in
        count += 1
        return count
      }
      if number == 3 { throw POSIXError(.EIO) }
    }
    let id = try await recordings.add(drawing("state")).id
    let before = try text(folder)
    let problem = await #expect(throws: StudioError.self) { try await recordings.remove(id) }
    #expect(problem?.description.contains("a disk error") ?? false)
    #expect(try text(folder) == before && text(folder, "deleted.ndjson") == "")
    #expect(try await recordings.remove(id))
    #expect(try text(folder, "deleted.ndjson") == before)
  }

  @Test func aLineThatWasOverwrittenInPartIsRemoved() async throws {
    let folder = try TemporaryFolder()
    let first = try Recordings(folder: folder.path)
    let ids = try await first.add([drawing("state"), drawing("cycle")]).map(\.id)
    let lines = try text(folder).split(separator: "\n").map(String.init)
    #expect(try await first.remove(ids[0]))
    let half = String(repeating: " ", count: 20) + lines[0].dropFirst(20)
    // What was not deleted stays, whatever it is.
    let other = String(repeating: " ", count: 20) + lines[1].dropFirst(20)
    try folder.write("recordings.ndjson", [half, lines[1], other, ""].joined(separator: "\n"))
    let second = try Recordings(folder: folder.path)
    #expect(await second.all.map(\.recording.label) == ["cycle"])
    #expect(try text(folder) == "\(lines[1])\n\(other)\n")
  }

  @Test func deletedLinesAreNotMostOfALargeFile() async throws {
    let folder = try TemporaryFolder()
    let (unreadable, own) = ("{}", #"{"word":"own","drawing":[[[0,9],[0,5]]]}"#)
    try folder.write("recordings.ndjson", "\(unreadable)\n\(own)\n")
    let recordings = try Recordings(folder: folder.path, maximumGapSize: 500)
    var kept: [String] = []
    for number in 0..<60 {
      let id = try await recordings.add(drawing("\(number)")).id
      if number % 10 == 0 { kept.append(id) } else { #expect(try await recordings.remove(id)) }
      let file = try text(folder)
      let gaps = file.split(separator: "\n").filter { $0.hasPrefix(" ") }.joined().utf8.count
      #expect(gaps <= max(500, file.utf8.count / 2), "after drawing \(number)")
    }
    #expect(try text(folder).hasPrefix("\(unreadable)\n\(own)\n"))
    #expect(await recordings.all.map(\.id) == ["line-2"] + kept)
    #expect(await recordings.counts.count == 7)
    // Lines are found where they are now, and added behind them.
    #expect(try await recordings.remove(kept[2]))
    #expect(try await recordings.remove("line-2"))
    _ = try await recordings.add(drawing("last"))
    let labels = ["0", "10", "30", "40", "50", "last"]
    #expect(await recordings.all.map(\.recording.label) == labels)
    #expect(try text(folder).hasPrefix("\(unreadable)\n"))
    let again = try Recordings(folder: folder.path)
    #expect(await again.all.map(\.recording.label) == labels)
    #expect(try text(folder, "deleted.ndjson").count { $0 == "\n" } == 56)
    // In a small file, they stay until the next start.
    for id in await again.all.map(\.id) { #expect(try await again.remove(id)) }
    #expect(try text(folder).hasPrefix("\(unreadable)\n   "))
  }

  @Test func linesThatAnotherProgramAddedStay() async throws {
    let folder = try TemporaryFolder()
    let added = #"{"word":"cycle","drawing":[[[0,9],[0,5]]]}"#
    var long = drawing("state")
    long.attributes["note"] = .text(String(repeating: "long", count: 100))
    func change(_ lines: [String]) throws {
      let text = lines.map { $0 + "\n" }.joined()
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/recordings.ndjson"))
    }
    let recordings = try Recordings(folder: folder.path, maximumGapSize: 0)
    let ids = try await recordings.add([long, drawing("other")]).map(\.id)
    let lines = try text(folder).split(separator: "\n").map(String.init)
    try change([lines[0], lines[1], added])
    #expect(try await recordings.remove(ids[0]))
    #expect(try text(folder) == "\(lines[1])\n\(added)\n")
    // Where the other drawings are is not known then.
    try folder.write("recordings.ndjson", lines.joined(separator: "\n"))
    let again = try Recordings(folder: folder.path, maximumGapSize: 0)
    _ = try await again.add(drawing("last"))
    let last = try text(folder).split(separator: "\n").map(String.init)[2]
    try change([lines[0], added, lines[1], last])
    #expect(try await again.remove(ids[0]))
    let gap = String(repeating: " ", count: lines[0].utf8.count)
    #expect(try text(folder) == [gap, added, lines[1], last, ""].joined(separator: "\n"))
  }

  /// Two equal lines with spaces before them are no remains of each other.
  @Test func aLineMayBeginWithSpaces() async throws {
    let folder = try TemporaryFolder()
    let line = " " + #"{"word":"state","drawing":[[[0,9],[0,5]]]}"# + "\n"
    try folder.write("recordings.ndjson", line + line)
    let recordings = try Recordings(folder: folder.path)
    #expect(try await recordings.remove("line-1"))
    #expect(await recordings.all.map(\.id) == ["line-2"])
    let again = try Recordings(folder: folder.path)
    #expect(await again.all.count == 1)
  }

  @Test func eachLineHasItsOwnID() async throws {
    let folder = try TemporaryFolder()
    let lines = [#""a","id":"line-2""#, #""b""#, #""c","id":"line-2""#].map {
      #"{"word":\#($0),"drawing":[[[0,9],[0,5]]]}"# + "\n"
    }
    try folder.write("recordings.ndjson", lines.joined())
    let recordings = try Recordings(folder: folder.path)
    let ids = await recordings.all.map(\.id)
    #expect(Set(ids).count == 3)
    #expect(try await recordings.remove(ids[1]))
    #expect(await recordings.all.map(\.recording.label) == ["a", "c"])
  }

  @Test func aFileThatAnotherProgramChangedIsNotOverwritten() async throws {
    let folder = try TemporaryFolder()
    let recordings = try Recordings(folder: folder.path)
    let ids = try await recordings.add([drawing("state"), drawing("cycle")]).map(\.id)
    let lines = try text(folder).split(separator: "\n").map(String.init)
    let changed = [lines[1], lines[0], ""].joined(separator: "\n")
    try Data(changed.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/recordings.ndjson"))
    // Both lines are of one length: each stands where the other was.
    for id in ids {
      await #expect(throws: StudioError.self) { try await recordings.remove(id) }
    }
    #expect(try text(folder) == changed)
    let again = try Recordings(folder: folder.path)
    try folder.write("recordings.ndjson", "\n" + changed)
    for id in ids {
      await #expect(throws: StudioError.self) { try await again.remove(id) }
    }
    #expect(try text(folder) == "\n" + changed)
  }

  @Test func thereAreNoMoreThanFitIntoMemory() async throws {
    let folder = try TemporaryFolder()
    let recordings = try Recordings(folder: folder.path)
    let many = [Recording](repeating: drawing("state"), count: 100_001)
    let problem = await #expect(throws: StudioError.self) { try await recordings.add(many) }
    #expect(problem?.status == .conflict)
    #expect(await recordings.all.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/recordings.ndjson"))
  }

  @Test func timesBeginWithTheDrawing() {
    let start = 1_767_225_600_123.4
    let drawing = Drawing([
      Stroke([Point(0, 0, time: start), Point(1, 0, time: start + 8.25), Point(2, 0)]),
      Stroke([Point(0, 5, time: start + 700.125)]),
    ])
    let times = drawing.startingAtZero.strokes.map { $0.points.map(\.time) }
    #expect(times == [[0, 8.25, nil], [700.125]])
    #expect(drawing.startingAtZero.startingAtZero == drawing.startingAtZero)
    #expect(Drawing([Stroke([Point(1, 2)])]).startingAtZero == Drawing([Stroke([Point(1, 2)])]))
  }

  @Test(arguments: [(0.0, true), (1, true), (2.9, true), (3, false), (40, false)])
  func aTapHasNoExtent(extent: Double, isTap: Bool) {
    let drawing = Drawing([Stroke([Point(5, 5), Point(5, 5 + extent), Point(5, 5)])])
    #expect(drawing.isTap == isTap)
    #expect(Drawing([]).isTap)
  }
}
