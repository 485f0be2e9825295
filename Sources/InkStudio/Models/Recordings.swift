import Foundation
import Ink
import InkDatasets
import SafeFiles

/// Recorded drawings, one per line of an NDJSON file; each is on disk before its request is answered.
///
/// Unreadable lines stay in the file unchanged. A deleted line is overwritten with spaces, so that no
/// other line moves. If deleted lines are more than half of the file and more than a MiB, they are removed
/// from it. The next start removes all of them, also those that were overwritten in part when the power failed.
actor Recordings {
  private nonisolated let executor = SharedExecutor("recordings")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A drawing with its id.
  struct Entry: Sendable {
    var id: String
    var recording: Recording
  }

  private struct Slot {
    var entry: Entry
    /// The range of its bytes in the file, without the line end.
    var bytes: Range<Int>
  }

  /// Waits until the changes of a file are on disk.
  typealias Flush = @Sendable (FileHandle) throws -> Void
  /// Makes the system write the file to disk, and waits for it.
  static let toDisk: Flush = { file in
    guard fsync(file.fileDescriptor) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  private let folder: String
  private let path: String
  private let flush: Flush
  /// The drawings in the order of the file; `nil` for a deleted one.
  private var slots: [Slot?] = []
  /// The indices in `slots`, by id.
  private var places: [String: Int] = [:]
  private(set) var counts: [String: Int] = [:]
  /// The drawings of the latest files that were imported, the newest last.
  private var imports: [(id: String, drawings: [String])] = []
  private static let maximumImports = 10
  /// The size of the deleted lines in the file, in bytes.
  private var gapSize = 0
  /// The size of deleted lines, in bytes, up to which they stay in the file.
  private let maximumGapSize: Int
  /// The same, but larger after an attempt to remove them failed.
  private var toleratedGapSize: Int
  /// The file, after the first write.
  private var handle: FileHandle?
  private static let idKey = "id"
  private static let space = UInt8(ascii: " ")
  private static let lineEnd = UInt8(ascii: "\n")
  /// The maximum number of drawings, because all are in memory.
  private static let most = 100_000
  private static let maximumBytes = 1 << 30

  /// Reads the recordings in `folder`; creates no files until a drawing is recorded.
  init(
    folder: String, maximumGapSize: Int = 1 << 20, flush: @escaping Flush = Recordings.toDisk
  ) throws {
    self.folder = folder
    (self.maximumGapSize, toleratedGapSize) = (maximumGapSize, maximumGapSize)
    self.flush = flush
    path = "\(folder)/recordings.ndjson"
    try FolderLock.refuseLink(path)
    try FolderLock.refuseLink("\(folder)/deleted.ndjson")
    guard FileTree.exists(path) else { return }
    var data = try Self.contents(of: path)
    let deleted = "\(folder)/deleted.ndjson"
    let whole = Self.withoutGaps(data, deleted: FileManager.default.contents(atPath: deleted)).file
    // If the disk is full, the old file is used.
    if whole.count < data.count, (try? FileTree.write(whole, to: path)) != nil { data = whole }
    gapSize = data.count - whole.count
    (slots, places) = Self.slots(of: data, at: path)
    for slot in slots.compactMap(\.self) {
      counts[slot.entry.recording.label ?? "", default: 0] += 1
    }
  }

  private static func contents(of path: String) throws(StudioError) -> Data {
    do { return try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw StudioError("\(path) cannot be read: \(reason(for: error)).", .internalServerError)
    }
  }

  private static func slots(of data: Data, at path: String) -> ([Slot?], [String: Int]) {
    var slots: [Slot?] = []
    var places: [String: Int] = [:]
    for (number, bytes) in lines(of: data).enumerated() {
      let place = Place(file: path, line: number + 1)
      guard bytes.count <= NDJSON.longestLine,
        let item = NDJSON.item(data[bytes], at: place),
        case .success(let recording) = item.result
      else { continue }
      var id = "line-\(number + 1)"
      if case .text(let known)? = recording.attributes[idKey], places[known] == nil { id = known }
      // Another line may have this id.
      while places[id] != nil { id += "-" }
      places[id] = slots.count
      slots.append(Slot(entry: Entry(id: id, recording: recording), bytes: bytes))
    }
    return (slots, places)
  }

  /// Returns the range of bytes of every line, without the line ends.
  private static func lines(of data: Data) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    data.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: lineEnd) ?? bytes.count
        lines.append(start..<end)
        start = end + 1
      }
    }
    return lines
  }

  /// Returns the file without the lines that were overwritten with spaces, and without what is left of
  /// those in `deleted`; and the places of its lines in it.
  private static func withoutGaps(
    _ data: Data, deleted: @autoclosure () -> Data? = nil
  ) -> (file: Data, places: [Range<Int>: Range<Int>]) {
    let lines = lines(of: data)
    // Almost never needed.
    lazy var deletedFile = deleted() ?? Data()
    lazy var deletedLines = Dictionary(grouping: Self.lines(of: deletedFile), by: \.count)
    func isGap(_ line: Range<Int>) -> Bool {
      guard let first = line.first, data[first] == space else { return false }
      let rest = data[line].drop { $0 == space }
      return rest.isEmpty
        || deletedLines[line.count, default: []].contains {
          // A line may begin with spaces of its own.
          let text = deletedFile[$0].drop { $0 == space }
          return rest.count < text.count && text.suffix(rest.count).elementsEqual(rest)
        }
    }
    guard lines.contains(where: isGap) else { return (data, [:]) }
    var (file, places) = (Data(), [Range<Int>: Range<Int>]())
    for line in lines where !isGap(line) {
      places[line] = file.count..<file.count + line.count
      file += data[line.lowerBound..<min(data.count, line.upperBound + 1)]
    }
    return (file, places)
  }

  /// The drawings in the order of recording.
  var all: [Entry] { slots.compactMap { $0?.entry } }

  /// Returns the latest drawings, the newest first.
  func newest(_ count: Int) -> [Entry] {
    Array(slots.reversed().lazy.compactMap { $0?.entry }.prefix(count))
  }

  /// Adds a drawing; when this returns, it is on disk.
  func add(_ recording: Recording) throws -> Entry {
    try add([recording])[0]
  }

  /// Adds drawings; when this returns, they are on disk.
  @discardableResult
  func add(_ recordings: [Recording]) throws -> [Entry] {
    guard places.count + recordings.count <= Self.most else {
      throw StudioError(
        "\(path) would have more than \(Self.most) recordings. Move it to another folder.",
        .conflict)
    }
    let (handle, before) = try openForWriting()
    var lines = Data()
    var added: [Slot] = []
    for var recording in recordings {
      let id = UUID().uuidString
      recording.attributes[Self.idKey] = .text(id)
      let place = Place(file: path, line: slots.count + added.count + 1)
      let line = try NDJSON.line(recording, at: place)
      let start = before + lines.count
      lines += line + Data([Self.lineEnd])
      added.append(
        Slot(entry: Entry(id: id, recording: recording), bytes: start..<start + line.count))
    }
    guard before + lines.count <= Self.maximumBytes else {
      throw StudioError(
        "\(path) would be larger than \(Self.maximumBytes >> 20) MiB. Move it to another folder.",
        .conflict)
    }
    do {
      try handle.write(contentsOf: lines)
      try flush(handle)
    } catch {
      // Remove a partial line, for example after the disk became full.
      try? handle.truncate(atOffset: UInt64(before))
      throw StudioError(
        "The drawing was not saved in \(path): \(reason(for: error)).", .internalServerError)
    }
    for slot in added {
      places[slot.entry.id] = slots.count
      slots.append(slot)
      counts[slot.entry.recording.label ?? "", default: 0] += 1
    }
    return added.map(\.entry)
  }

  /// Adds the drawings of a file, and returns an id with which they can be removed together.
  func addFile(_ recordings: [Recording]) throws -> String {
    let id = UUID().uuidString
    imports.append((id, try add(recordings).map(\.id)))
    if imports.count > Self.maximumImports { imports.removeFirst() }
    return id
  }

  /// Moves the drawings of a file that was added to `deleted.ndjson`; returns whether the file is known.
  func removeFile(_ id: String) throws -> Bool {
    guard let index = imports.firstIndex(where: { $0.id == id }) else { return false }
    _ = try remove(imports[index].drawings)
    imports.remove(at: index)
    return true
  }

  /// Moves a drawing to `deleted.ndjson`; returns whether it was found.
  func remove(_ id: String) throws -> Bool { try remove([id]) > 0 }

  /// Moves drawings to `deleted.ndjson`; returns how many of them were found.
  func remove(_ ids: [String]) throws -> Int {
    let found = ids.compactMap { id in
      places[id].flatMap { place in slots[place].map { (place, $0) } }
    }
    guard !found.isEmpty else { return 0 }
    let length: Int
    do {
      let handle: FileHandle
      (handle, length) = try openForWriting()
      var lines: [(bytes: Data, offset: UInt64)] = []
      for (place, slot) in found {
        try handle.seek(toOffset: UInt64(slot.bytes.lowerBound))
        let line = try handle.read(upToCount: slot.bytes.count) ?? Data()
        guard
          let item = NDJSON.item(line, at: Place(file: path, line: place + 1)),
          try item.result.get() == slot.entry.recording
        else {
          throw StudioError("Another program changed \(path). Restart the studio.", .conflict)
        }
        lines.append((line, UInt64(slot.bytes.lowerBound)))
      }
      try move(lines, of: handle)
    } catch let problem as StudioError {
      throw problem
    } catch is InkError {
      throw StudioError("Another program changed \(path). Restart the studio.", .conflict)
    } catch {
      throw StudioError(
        "Nothing was deleted from \(path): \(reason(for: error)).", .internalServerError)
    }
    for (place, slot) in found {
      gapSize += slot.bytes.count + 1
      slots[place] = nil
      places[slot.entry.id] = nil
      let label = slot.entry.recording.label ?? ""
      counts[label, default: 1] -= 1
      if counts[label] == 0 { counts[label] = nil }
    }
    if gapSize > toleratedGapSize, gapSize > length / 2 {
      let isDone = removeGaps()
      toleratedGapSize = isDone ? maximumGapSize : 2 * gapSize
    }
    return found.count
  }

  /// Removes deleted lines from the file; returns whether that succeeded.
  ///
  /// If the disk is full, or another program changed the file, it stays as it is.
  private func removeGaps() -> Bool {
    guard let data = try? Self.contents(of: path) else { return false }
    let (file, moved) = Self.withoutGaps(data)
    var slots = slots.compactMap(\.self)
    for index in slots.indices {
      guard let bytes = moved[slots[index].bytes] else { return false }
      slots[index].bytes = bytes
    }
    guard let handle, isStillAtPath(handle), (try? handle.seekToEnd()) == UInt64(data.count),
      (try? FileTree.write(file, to: path)) != nil
    else { return false }
    self.handle = try? FileHandle(forUpdating: URL(fileURLWithPath: path))
    self.slots = slots
    places = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($1.entry.id, $0) })
    gapSize = 0
    return true
  }

  /// Returns the file without deleted drawings.
  func data() throws -> Data {
    guard FileTree.exists(path) else { return Data() }
    let data = try Self.contents(of: path)
    return gapSize > 0 ? Self.withoutGaps(data).file : data
  }

  /// Appends lines to `deleted.ndjson`, and overwrites them with spaces.
  ///
  /// After an error, both files are as they were; if the lines could not be restored, they are in
  /// `deleted.ndjson` as well.
  private func move(_ lines: [(bytes: Data, offset: UInt64)], of handle: FileHandle) throws {
    let path = "\(folder)/deleted.ndjson"
    try FolderLock.refuseLink(path)
    if !FileTree.exists(path) { try FileTree.write(Data(), to: path) }
    let deleted = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? deleted.close() }
    let before = try Self.endLastLine(of: deleted)
    do {
      try deleted.write(contentsOf: Data(lines.flatMap { $0.bytes + [Self.lineEnd] }))
      try flush(deleted)
    } catch {
      try? deleted.truncate(atOffset: before)
      throw error
    }
    func overwrite(_ content: (Data) -> Data) throws {
      for (bytes, offset) in lines {
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: content(bytes))
      }
      try flush(handle)
    }
    do { try overwrite { Data(repeating: Self.space, count: $0.count) } } catch {
      // If the lines cannot be restored, the deleted ones are the only ones.
      if (try? overwrite(\.self)) != nil { try? deleted.truncate(atOffset: before) }
      throw error
    }
  }

  /// Ends a partial line, so that the next one is on its own line; returns the length of the file.
  private static func endLastLine(of handle: FileHandle) throws -> UInt64 {
    let end = try handle.seekToEnd()
    guard end > 0 else { return end }
    try handle.seek(toOffset: end - 1)
    guard try handle.read(upToCount: 1) != Data([lineEnd]) else { return end }
    try handle.write(contentsOf: Data([lineEnd]))
    return end + 1
  }

  /// Whether `handle` still is the file at `path`.
  private func isStillAtPath(_ handle: FileHandle) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(handle.fileDescriptor, &opened) == 0 && stat(path, &named) == 0
      && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
  }

  /// Returns the file, positioned at its end, and its length.
  private func openForWriting() throws -> (FileHandle, length: Int) {
    if let handle {
      guard isStillAtPath(handle) else {
        throw StudioError(
          "Another program moved or removed \(path). Restart the studio.", .internalServerError)
      }
      return (handle, Int(try end(of: handle)))
    }
    try FolderLock.refuseLink(path)
    if !FileTree.exists(path) {
      do { try FileTree.write(Data(), to: path) } catch {
        throw StudioError("\(path) cannot be created: \(reason(for: error)).", .internalServerError)
      }
    }
    let opened: FileHandle
    do { opened = try FileHandle(forUpdating: URL(fileURLWithPath: path)) } catch {
      throw StudioError("\(path) cannot be written: \(reason(for: error)).", .internalServerError)
    }
    let end = try end(of: opened)
    handle = opened
    return (opened, Int(end))
  }

  /// Returns the length of the file, after a partial line was ended, which an earlier error may have
  /// left.
  private func end(of handle: FileHandle) throws(StudioError) -> UInt64 {
    do { return try Self.endLastLine(of: handle) } catch {
      throw StudioError("\(path) cannot be written: \(reason(for: error)).", .internalServerError)
    }
  }
}

extension Drawing {
  /// The drawing with times that start at 0 and are rounded to microseconds.
  ///
  /// Pages send milliseconds since 1970.
  var startingAtZero: Drawing {
    let times = strokes.flatMap(\.points).compactMap(\.time)
    guard let start = times.min() else { return self }
    return mapPoints { _, point in
      var point = point
      point.time = point.time.map { (($0 - start) * 1000).rounded() / 1000 }
      return point
    }
  }

  /// The minimum longer side of a drawing that is not a tap, in screen points.
  private static var minimumExtent: Double { 3 }

  /// Whether it is a tap of a pen, a finger or the mouse.
  var isTap: Bool { (bounds?.longerSide ?? 0) < Self.minimumExtent }
}
