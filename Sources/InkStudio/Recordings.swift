import Foundation
import Ink
import InkDatasets

/// The recorded drawings: one line of NDJSON each, on disk before anything else is asked for.
actor Recordings {
  /// A drawing with what it is called here.
  struct Entry: Sendable {
    var id: String
    var recording: Recording
  }

  private let path: String
  private var entries: [Entry] = []
  private var handle: FileHandle
  private static let idKey = "id"
  /// They are all held in memory.
  private static let most = 100_000

  init(folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = "\(folder)/recordings.ndjson"
    if !FileTree.exists(path) { try Data().write(to: URL(fileURLWithPath: path)) }
    var read: [Entry] = []
    if (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 > 0 {
      try InkFile(path: path).forEach { item in
        guard case .success(let recording) = item.result else { return }
        var id = "line-\(item.place.line ?? 0)"
        if case .text(let known)? = recording.attributes[Self.idKey] { id = known }
        read.append(Entry(id: id, recording: recording))
      }
    }
    entries = read
    guard let handle = FileHandle(forUpdatingAtPath: path) else {
      throw Problem("\(path): expected a file that can be written, found none")
    }
    self.handle = handle
    // A line that was cut off is ended, so that the next one stands alone.
    let end = try handle.seekToEnd()
    if end > 0 {
      try handle.seek(toOffset: end - 1)
      if try handle.read(upToCount: 1) != Data("\n".utf8) {
        try handle.write(contentsOf: Data("\n".utf8))
      }
    }
  }

  /// The drawings in the order in which they were recorded.
  var all: [Entry] { entries }

  /// How many there are of each label.
  var counts: [String: Int] {
    entries.reduce(into: [:]) { $0[$1.recording.label ?? "", default: 0] += 1 }
  }

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
    let before = try handle.seekToEnd()
    do {
      try handle.write(contentsOf: lines)
      try handle.synchronize()
    } catch {
      // A disk that is full leaves no half of a line.
      try? handle.truncate(atOffset: before)
      throw error
    }
    entries += added
    return added
  }

  /// Takes a drawing out; returns whether there was one.
  func remove(_ id: String) throws -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    var rest = entries
    rest.remove(at: index)
    var data = Data()
    for (number, entry) in rest.enumerated() {
      data += try NDJSON.line(entry.recording, at: Place(file: path, line: number + 1))
      data += Data("\n".utf8)
    }
    try FileTree.write(data, to: path)
    guard let reopened = FileHandle(forUpdatingAtPath: path) else {
      throw Problem("\(path): expected a file that can be written, found none")
    }
    try? handle.close()
    handle = reopened
    entries = rest
    return true
  }

  /// The whole file.
  func data() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
}
