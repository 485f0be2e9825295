import Foundation

extension FileTree {
  /// Writes `data` beside `path`, flushes it to disk and renames it into place, so that an error, a
  /// full disk or a power cut leaves what was there before.
  ///
  /// - Throws: `DatasetError` where the folder or the file cannot be written.
  public static func write(_ data: Data, to path: String) throws(DatasetError) {
    guard !isFolder(path) else {
      throw DatasetError(path: path, expected: "a place for a file", found: "a folder")
    }
    try replace(path) { temporary in
      try data.write(to: URL(fileURLWithPath: temporary))
    }
  }

  /// Lets `make` write a file or folder beside `path`, flushes it to disk and renames it into place.
  ///
  /// At every moment, either the old or the new one is at `path`: a folder changes places with the one
  /// that replaces it. Only on file systems that cannot do that is the old folder renamed first; should
  /// the program end just then, it is `path` with `.old-` and the number of the process behind it.
  ///
  /// - Throws: `DatasetError` where something cannot be written; it says where the old and the new
  ///   one are if they are not where they should be.
  public static func replace(
    _ path: String, by make: (_ temporary: String) throws -> Void
  ) throws(DatasetError) {
    // With its slash at the end, what is written beside it would lie in it.
    let path = trimmed(path)
    let folder = folder(of: path)
    let temporary = beside(path, "part")
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      removeLeftovers(of: path)
      try make(temporary)
      try flush(temporary)
      if isFolder(path) {
        try exchange(path, with: temporary)
      } else {
        try rename(temporary, to: path)
      }
    } catch {
      try? FileManager.default.removeItem(atPath: temporary)
      if let error = error as? DatasetError { throw error }
      throw DatasetError(
        path: path, expected: "room and permission to write", found: reason(error))
    }
    // The new name is on disk when its folder is.
    flushNames(in: folder)
  }

  /// Writes the names in a folder to disk, so that a power cut undoes no renaming.
  ///
  /// A file system without folders to flush has none to lose.
  public static func flushNames(in folder: String) { try? flushOne(folder) }

  /// Puts the folder at `temporary` in the place of the one at `path`, which is removed.
  static func exchange(
    _ path: String, with temporary: String,
    by exchangeNames: (String, String) -> Bool = exchangeNames
  ) throws {
    if !exchangeNames(path, temporary) {
      let old = beside(path, "old")
      try rename(path, to: old)
      do {
        try rename(temporary, to: path)
      } catch {
        do { try rename(old, to: path) } catch {
          throw DatasetError(
            path: path, expected: "room and permission to write",
            found: "\(reason(error)); what was there is now \(old)")
        }
        throw error
      }
      try removeReplaced(old, by: path)
    } else {
      try removeReplaced(temporary, by: path)
    }
  }

  private static func removeReplaced(_ old: String, by path: String) throws(DatasetError) {
    do { try FileManager.default.removeItem(atPath: old) } catch {
      throw DatasetError(
        path: path, expected: "permission to remove what was replaced",
        found: "\(reason(error)); the new one is in its place, the old one is \(old)")
    }
  }

  /// A new name beside `path`, which tells what it is and which process made it.
  private static func beside(_ path: String, _ kind: String) -> String {
    let process = ProcessInfo.processInfo.processIdentifier
    return join(
      folder(of: path), "\(shortName(of: path)).\(kind)-\(process)-\(UUID().uuidString)")
  }

  /// As much of the name as leaves room for more: file systems allow 255 bytes.
  private static func shortName(of path: String) -> String {
    var short = name(of: path)
    while short.utf8.count > 180 { short.removeLast() }
    return short
  }

  /// Removes what writers of `path` left behind that were ended; never the only copy of anything.
  private static func removeLeftovers(of path: String) {
    let pattern = /\.(part|old)-([0-9]+)-[0-9A-F-]{36}/
    let start = shortName(of: path)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder(of: path))) ?? []
    for name in names where name.hasPrefix(start) {
      guard let match = name.dropFirst(start.count).wholeMatch(of: pattern),
        let process = Int32(match.2), kill(process, 0) != 0, errno == ESRCH,
        match.1 == "part" || exists(path)
      else { continue }
      try? FileManager.default.removeItem(atPath: join(folder(of: path), name))
    }
  }

  // MARK: The system's calls

  private static func rename(_ old: String, to new: String) throws {
    guard Foundation.rename(old, new) == 0 else { throw POSIXError.last }
  }

  /// Lets two names change places in one step; returns whether the file system can.
  static func exchangeNames(_ one: String, _ other: String) -> Bool {
    #if canImport(Darwin)
      return renamex_np(one, other, UInt32(RENAME_SWAP)) == 0
    #else
      // The C library has it, but does not show it to Swift.
      typealias Renameat2 =
        @convention(c) (
          Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32
      let exchange: UInt32 = 2
      guard let symbol = dlsym(nil, "renameat2") else { return false }
      return unsafeBitCast(symbol, to: Renameat2.self)(AT_FDCWD, one, AT_FDCWD, other, exchange)
        == 0
    #endif
  }

  /// Flushes a file, or a folder with everything in it, to disk.
  private static func flush(_ path: String) throws {
    if isFolder(path) {
      #if !canImport(Darwin)
        // One call for the whole file system: tens of thousands of pictures one by one take minutes.
        typealias Syncfs = @convention(c) (Int32) -> Int32
        if let symbol = dlsym(nil, "syncfs") {
          return try withDescriptor(path) { descriptor in
            guard unsafeBitCast(symbol, to: Syncfs.self)(descriptor) == 0 else {
              throw POSIXError.last
            }
          }
        }
      #endif
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      for name in names { try flush(join(path, name)) }
    }
    try flushOne(path)
  }

  private static func flushOne(_ path: String) throws {
    try withDescriptor(path) { descriptor in
      guard fsync(descriptor) == 0 else { throw POSIXError.last }
    }
  }

  private static func withDescriptor(_ path: String, _ body: (Int32) throws -> Void) throws {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw POSIXError.last }
    defer { close(descriptor) }
    try body(descriptor)
  }

  private static func reason(_ error: any Error) -> String {
    if let code = (error as? CocoaError)?.code {
      switch code {
      case .fileWriteOutOfSpace: return "a full disk"
      case .fileWriteNoPermission: return "no permission"
      case .fileWriteFileExists: return "a file where a folder has to be"
      default: break
      }
    }
    if let code = (error as? POSIXError)?.code {
      return String(cString: strerror(code.rawValue))
    }
    return (error as NSError).localizedDescription.replacing("\n", with: " ")
  }
}

extension POSIXError {
  /// What the last call of the system failed with.
  fileprivate static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
