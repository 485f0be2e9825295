import Foundation

/// A lock on a folder, because two processes would overwrite each other's changes.
///
/// The system releases it when the process ends, even after a crash.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Locks the folder, and creates it if it is missing.
  ///
  /// Only the owner can access a new folder. An existing folder keeps its permissions.
  ///
  /// - Throws: `StudioError` if another process uses the folder, or if it cannot be written.
  init(_ folder: String) throws {
    let path = "\(folder)/.lock"
    try Self.makeFolder(folder)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StudioError("The folder \(folder) cannot be used: \(String(cString: strerror(errno))).")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw StudioError(
        "Another studio uses the folder \(folder). Stop it first, or choose another folder with --data."
      )
    }
  }

  /// Creates a folder that only the owner can access; an existing one keeps its permissions.
  ///
  /// - Throws: `StudioError` if it cannot be created.
  static func makeFolder(_ folder: String) throws {
    let files = FileManager.default
    do {
      if !files.fileExists(atPath: folder) {
        try files.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
    } catch {
      throw StudioError("The folder \(folder) cannot be used: \(reason(for: error)).")
    }
  }

  /// Takes a file of secrets away from other accounts, and says so if they could read or change it.
  static func warningAfterClosing(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
    let mode = String(status.st_mode & 0o777, radix: 8)
    let isClosed = chmod(path, 0o600) == 0
    return "Other accounts could use \(path), because it had mode \(mode). "
      + (isClosed ? "It has mode 600 now. " : "Its mode cannot be changed. ")
      + "Remove it if somebody may have read it: then it is made anew, and devices are paired again."
  }

  /// Throws if a file of the studio is a link, whose target others may have chosen.
  ///
  /// - Throws: `StudioError`.
  static func refuseLink(_ path: String) throws(StudioError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
    throw StudioError(
      "\(path) is a link. Put the file itself there, so that nothing is written elsewhere.",
      .internalServerError)
  }

  deinit { close(descriptor) }
}
