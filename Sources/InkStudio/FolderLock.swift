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

  deinit { close(descriptor) }
}
