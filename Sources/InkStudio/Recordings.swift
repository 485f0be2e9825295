import Foundation
import Ink
import InkDatasets

/// Recorded drawings: one line of NDJSON each, on disk before anything else is asked for.
///
/// Lines that cannot be read stay in the file as they are.
actor Recordings {
  /// A drawing with what it is called here.
  struct Entry: Sendable {
    var id: String
    var recording: Recording
  }

  private let folder: String
  private let path: String
  private var entries: [Entry] = []
  private(set) var counts: [String: Int] = [:]
  /// The file, once something is written.
  private var handle: FileHandle?
  private static let idKey = "id"
  /// They are all held in memory.
  private static let most = 100_000
  private static let mostBytes = 1 << 30

  /// Reads what was recorded in `folder` before; nothing is made there until something is recorded.
  init(folder: String) throws {
    self.folder = folder
    path = "\(folder)/recordings.ndjson"
    guard FileTree.exists(path), try !Data(contentsOf: URL(fileURLWithPath: path)).isEmpty else {
      return
    }
    var read: [Entry] = []
    try InkFile(path: path).forEach { item in
      guard case .success(let recording) = item.result else { return }
      var id = "line-\(item.place.line ?? 0)"
      if case .text(let known)? = recording.attributes[Self.idKey] { id = known }
      read.append(Entry(id: id, recording: recording))
    }
    entries = read
    counts = Self.counts(of: read)
  }

  private static func counts(of entries: [Entry]) -> [String: Int] {
    entries.reduce(into: [:]) { $0[$1.recording.label ?? "", default: 0] += 1 }
  }

  /// The drawings in the order in which they were recorded.
  var all: [Entry] { entries }

  /// Adds a drawing; when this returns, it is on disk.
  func add(_ recording: Recording) throws -> Entry {
    try add([recording])[0]
  }

  /// Adds drawings; when this returns, they are on disk.
  @discardableResult
  func add(_ recordings: [Recording]) throws -> [Entry] {
    guard entries.count + recordings.count <= Self.most else {
      throw Problem("expected at most \(Self.most) drawings in \(path), found more")
    }
    var lines = Data()
    var added: [Entry] = []
    for var recording in recordings {
      let id = UUID().uuidString
      recording.attributes[Self.idKey] = .text(id)
      let place = Place(file: path, line: entries.count + added.count + 1)
      lines += try NDJSON.line(recording, at: place) + Data("\n".utf8)
      added.append(Entry(id: id, recording: recording))
    }
    let handle = try openForWriting()
    let before = try handle.seekToEnd()
    guard Int(before) + lines.count <= Self.mostBytes else {
      throw Problem("expected at most \(Self.mostBytes >> 20) MiB in \(path), found more")
    }
    do {
      try handle.write(contentsOf: lines)
      try handle.synchronize()
    } catch {
      // A disk that is full leaves no half of a line.
      try? handle.truncate(atOffset: before)
      throw Problem("\(path): expected room for a drawing, found none (\(error))")
    }
    entries += added
    for entry in added { counts[entry.recording.label ?? "", default: 0] += 1 }
    return added
  }

  /// Takes a drawing out, into `deleted.ndjson`; returns whether there was one.
  func remove(_ id: String) throws -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    var kept = Data()
    var number = 0
    var removed = Data()
    let lines = try Data(contentsOf: URL(fileURLWithPath: path))
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
    for (row, line) in lines.enumerated() {
      // Readable lines are the entries in their order; all others stay.
      let item = NDJSON.item(
        LineReader.Line(place: Place(file: path, line: row + 1), bytes: Data(line)))
      var isEntry = false
      if case .success? = item?.result { isEntry = true }
      if isEntry, number == index { removed = Data(line) } else { kept += line + Data("\n".utf8) }
      if isEntry { number += 1 }
    }
    try append(removed + Data("\n".utf8), to: "\(folder)/deleted.ndjson")
    try FileTree.write(kept, to: path)
    try? handle?.close()
    handle = nil
    entries.remove(at: index)
    counts = Self.counts(of: entries)
    return true
  }

  /// The whole file.
  func data() throws -> Data {
    FileTree.exists(path) ? try Data(contentsOf: URL(fileURLWithPath: path)) : Data()
  }

  private func append(_ data: Data, to path: String) throws {
    if !FileTree.exists(path) { try FileTree.write(Data(), to: path) }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? handle.close() }
    try handle.seekToEnd()
    try handle.write(contentsOf: data)
  }

  private func openForWriting() throws -> FileHandle {
    if let handle { return handle }
    if !FileTree.exists(path) { try FileTree.write(Data(), to: path) }
    guard let opened = FileHandle(forUpdatingAtPath: path) else {
      throw Problem("\(path): expected a file that can be written, found none")
    }
    handle = opened
    // A line that was cut off is ended, so that the next one stands alone.
    let end = try opened.seekToEnd()
    if end > 0 {
      try opened.seek(toOffset: end - 1)
      if try opened.read(upToCount: 1) != Data("\n".utf8) {
        try opened.write(contentsOf: Data("\n".utf8))
      }
    }
    return opened
  }
}
