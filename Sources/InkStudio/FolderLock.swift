import Foundation

/// Keeps a folder for one process: two that write the same files would undo each other's changes.
///
/// The system releases it when the process ends, however it ends.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Locks the folder, and makes it first where it is missing.
  ///
  /// Only its owner may enter a new folder; one that is there keeps its permissions.
  ///
  /// - Throws: `Problem` where another process has the folder or it cannot be used.
  init(_ folder: String) throws {
    let path = "\(folder)/.lock"
    let files = FileManager.default
    do {
      if !files.fileExists(atPath: folder) {
        try files.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
    } catch {
      throw Problem("The folder \(folder) cannot be used: \(reason(for: error)).")
    }
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Problem("The folder \(folder) cannot be used: \(String(cString: strerror(errno))).")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw Problem(
        "Another studio uses the folder \(folder). End it first, or choose another --data.")
    }
  }

  deinit { close(descriptor) }
}
