import Foundation

extension FileTree {
  /// Writes `data` atomically: to a temporary file, which is flushed to disk and renamed to `path`.
  ///
  /// An error, a full disk or a power cut leaves the old file. A replaced file keeps its
  /// permissions. If `path` is a link, its target is written.
  ///
  /// - Throws: `FileError` if the folder or the file cannot be written.
  public static func write(_ data: Data, to path: String) throws(FileError) {
    guard !isFolder(path) else {
      throw FileError(path: path, expected: "a path for a file", found: "a folder")
    }
    try replace(path) { temporary in
      try data.write(to: URL(fileURLWithPath: temporary))
    }
  }

  /// Replaces `path` atomically by a file or folder that `make` writes to a temporary path.
  ///
  /// The permissions are kept. If `path` is a link, its target is replaced. Either the old or the
  /// new item is at `path` at every moment, because two folders are exchanged in one step. On file
  /// systems without this operation, the old folder is renamed first. If the process ends at that
  /// moment, the old folder has the name `path` with `.old-` and the process id.
  ///
  /// - Throws: `FileError` if writing fails; it names the places of the old and the new item if
  ///   they are not the usual ones.
  public static func replace(
    _ path: String, by make: (_ temporary: String) throws -> Void
  ) throws(FileError) {
    // With a slash at the end, the temporary path would be inside the folder.
    let path = try target(ofLink: trimmed(path))
    try refuseDevice(path)
    let folder = folder(of: path)
    let temporary = beside(path, "part")
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      removeLeftovers(of: path)
      try make(temporary)
      try flush(temporary)
      try keepMode(of: path, for: temporary)
      if isFolder(path) {
        try exchange(path, with: temporary)
      } else {
        try rename(temporary, to: path)
      }
    } catch {
      try? FileManager.default.removeItem(atPath: temporary)
      if let error = error as? FileError { throw error }
      guard error is CocoaError || error is POSIXError else {
        throw FileError(path: path, expected: "data that can be written", found: "\(error)")
      }
      throw FileError(
        path: path, expected: "room and permission to write", found: reason(error))
    }
    // Flushing the folder writes the new name to disk.
    flushNames(in: folder)
  }

  /// Flushes the names in a folder to disk, so that a power cut does not undo a renaming.
  ///
  /// An error is ignored: not every file system flushes folders, and the item has its name already.
  public static func flushNames(in folder: String) { try? flushOne(folder) }

  /// Returns the final target of the link at `path`, or `path` if it is not a link.
  private static func target(ofLink path: String) throws(FileError) -> String {
    var target = path
    // The number of links that the system follows.
    for _ in 0..<40 {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target) else {
        return target
      }
      target = next.hasPrefix("/") ? next : join(folder(of: target), next)
    }
    throw FileError(
      path: path, expected: "a link to a file or folder", found: "one that leads back to itself")
  }

  /// Gives `temporary` the permissions of the file or folder that it replaces.
  private static func keepMode(of path: String, for temporary: String) throws {
    var (old, new) = (stat(), stat())
    guard stat(path, &old) == 0, stat(temporary, &new) == 0,
      old.st_mode & S_IFMT == new.st_mode & S_IFMT
    else { return }
    guard chmod(temporary, old.st_mode & 0o777) == 0 else { throw POSIXError.last }
  }

  /// Replaces the folder at `path` by the one at `temporary`, and removes the old one.
  package static func exchange(
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
          throw FileError(
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

  private static func removeReplaced(_ old: String, by path: String) throws(FileError) {
    do { try FileManager.default.removeItem(atPath: old) } catch {
      throw FileError(
        path: path, expected: "permission to remove what was replaced",
        found: "\(reason(error)); the new one is in its place, the old one is \(old)")
    }
  }

  /// Returns a new name next to `path`, with its kind and the process id.
  private static func beside(_ path: String, _ kind: String) -> String {
    let process = ProcessInfo.processInfo.processIdentifier
    return join(
      folder(of: path), "\(shortName(of: path)).\(kind)-\(process)-\(UUID().uuidString)")
  }

  /// The longest name, in bytes, that is whole in temporary names, which have up to 55 more; file
  /// systems allow 255.
  private static let longestName = 180

  /// Returns the name, or the start of a long one.
  private static func shortName(of path: String) -> String {
    let name = name(of: path)
    var short = name
    while short.utf8.count > longestName { short.removeLast() }
    // The mark keeps it apart from a file with the whole name.
    return short == name ? name : short + "~"
  }

  /// Removes temporary files of processes that ended while they wrote `path`, but never the only
  /// copy; old items of long names, which others share the start of, are all kept.
  private static func removeLeftovers(of path: String) {
    let pattern = /\.(part|old)-([0-9]+)-[0-9A-F-]{36}/
    let start = shortName(of: path)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder(of: path))) ?? []
    for name in names where name.hasPrefix(start) {
      guard let match = name.dropFirst(start.count).wholeMatch(of: pattern),
        let process = Int32(match.2), !isRunning(process),
        // An old item may be that of another long name with the same start.
        match.1 == "part" || exists(path) && self.name(of: path).utf8.count <= longestName
      else { continue }
      try? FileManager.default.removeItem(atPath: join(folder(of: path), name))
    }
  }

  // MARK: The system's calls

  /// Returns whether a process runs.
  ///
  /// One that was killed keeps its number until its parent asks how it ended, which may be never.
  private static func isRunning(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 || errno != ESRCH else { return false }
    // On Linux, a letter after the name of the program, which is in parentheses, says how it is: a
    // zombie has ended.
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let name = status.lastIndex(of: ")")
    else { return true }
    return !status[name...].hasPrefix(") Z")
  }

  private static func rename(_ old: String, to new: String) throws {
    guard Foundation.rename(old, new) == 0 else { throw POSIXError.last }
  }

  /// Exchanges two names in one step; returns whether the file system supports it.
  package static func exchangeNames(_ one: String, _ other: String) -> Bool {
    #if canImport(Darwin)
      return renamex_np(one, other, UInt32(RENAME_SWAP)) == 0
    #else
      // The C library has the function, but Swift does not import it.
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
        // One call flushes the file system; flushing thousands of pictures one by one takes
        // minutes.
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
    switch (error as? CocoaError)?.code {
    case .fileWriteOutOfSpace?: return "a full disk"
    case .fileWriteNoPermission?, .fileReadNoPermission?: return "no permission"
    case .fileWriteFileExists?: return "a file where a folder has to be"
    case .fileNoSuchFile?, .fileReadNoSuchFile?: return "no folder that could hold it"
    case .fileWriteVolumeReadOnly?: return "a read-only disk"
    case .fileWriteInvalidFileName?: return "a name that is too long or not allowed"
    default: break
    }
    let code = POSIXError(causing: error)?.code
    switch code {
    case .ENOSPC?, .EDQUOT?: return "a full disk"
    case .EFBIG?: return "a limit on the size of files"
    case .EACCES?, .EPERM?: return "no permission"
    case .EROFS?: return "a read-only disk"
    case .ENOENT?: return "no folder that could hold it"
    case .ENOTDIR?, .EEXIST?: return "a file where a folder has to be"
    case .EISDIR?: return "a folder where a file has to be"
    case .ENAMETOOLONG?: return "a name that is too long"
    case .EIO?: return "a disk error"
    default: return "another system error" + (code.map { " (error \($0.rawValue))" } ?? "")
    }
  }
}

extension POSIXError {
  /// The error of the last system call.
  package static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// Creates the error of the system that `error` is or that caused it, or returns `nil`.
  package init?(causing error: any Error) {
    let cause = (error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] ?? error
    if let cause = cause as? POSIXError {
      self = cause
      return
    }
    // On Linux, Foundation does not convert this type.
    guard let cause = cause as? NSError, cause.domain == NSPOSIXErrorDomain,
      let code = POSIXErrorCode(rawValue: Int32(cause.code))
    else { return nil }
    self.init(code)
  }
}
