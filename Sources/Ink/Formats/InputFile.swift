import Foundation
import Synchronization

/// A file or pipe that is read once from its start, with a preview of its first bytes.
///
/// A pipe cannot be opened twice. After detecting its format, continue to read from the same
/// `InputFile`.
public final class InputFile: Sendable {
  /// The path in error messages.
  public let path: String
  /// Whether it can be opened again and gives the same bytes.
  public let isRegular: Bool

  private let handle: FileHandle
  /// The previewed bytes that were not read yet.
  private let pending = Mutex<[UInt8]>([])

  /// Opens the file or pipe at `path`.
  ///
  /// - Throws: `InkError` if there is none, or none that can be read.
  public init(path: String) throws(InkError) {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw InkError(at: Place(file: path), expected: "a file", found: "nothing of that name")
    }
    guard !isDirectory.boolValue, let handle = FileHandle(forReadingAtPath: path) else {
      throw InkError(
        at: Place(file: path), expected: "a readable file",
        found: isDirectory.boolValue ? "a folder" : "no permission to read")
    }
    self.path = path
    self.handle = handle
    var status = stat()
    isRegular = fstat(handle.fileDescriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Reads from `handle`; `name` is how errors call it.
  public init(_ handle: FileHandle, name: String) {
    self.handle = handle
    path = name
    isRegular = false
  }

  /// The first bytes, `count` of them or as many as there are; they are read again later.
  ///
  /// - Throws: `InkError` if reading fails.
  public func start(_ count: Int) throws(InkError) -> Data {
    try start(atMost: count) { _ in false }
  }

  /// The first bytes, until they are `count` or the file ends or `isEnough` says so.
  func start(atMost count: Int, until isEnough: (Data) -> Bool) throws(InkError) -> Data {
    var bytes = take()
    while bytes.count < count, !isEnough(Data(bytes)) {
      let more = try readSome()
      if more.isEmpty { break }
      bytes += more
    }
    let all = bytes
    pending.withLock { $0 = all }
    return Data(bytes.prefix(count))
  }

  /// The next bytes as soon as there are some; none at the end of the file.
  package func next() throws(InkError) -> [UInt8] {
    let looked = take()
    return looked.isEmpty ? try readSome() : looked
  }

  /// Everything that was not yet read, or `nil` if it is more than `limit` bytes.
  ///
  /// - Throws: `InkError` if reading fails.
  public func rest(atMost limit: Int) throws(InkError) -> Data? {
    var data = Data()
    while true {
      let bytes = try next()
      if bytes.isEmpty { return data }
      data.append(contentsOf: bytes)
      if data.count > limit { return nil }
    }
  }

  private func take() -> [UInt8] {
    pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
  }

  /// Copies the next bytes to `buffer` as soon as there are some; returns 0 at the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(InkError) -> Int {
    let preview = take()
    guard preview.isEmpty else {
      let count = min(buffer.count, preview.count)
      buffer.copyBytes(from: preview[..<count])
      pending.withLock { $0 = Array(preview[count...]) }
      return count
    }
    return try checked(readSome(into: buffer))
  }

  private func readSome() throws(InkError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = try checked(buffer.withUnsafeMutableBytes { readSome(into: $0) })
    return Array(buffer.prefix(count))
  }

  /// Reads the available bytes with `read`, and returns what it returns.
  ///
  /// `FileHandle.read(upToCount:)` waits for all bytes, and `availableData` ends the process on an error.
  private func readSome(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Foundation.read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  private func checked(_ count: Int) throws(InkError) -> Int {
    guard count >= 0 else {
      throw InkError(
        at: Place(file: path), expected: "readable input", found: String(cString: strerror(errno)))
    }
    return count
  }
}
