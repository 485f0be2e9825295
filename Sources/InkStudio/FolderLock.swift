import Foundation

/// Keeps a folder for one process: two that write the same files would each undo what the other did.
///
/// The system lets go of it when the process ends, however it ends.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// - Throws: `Problem` where another process has the folder.
  init(_ folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    descriptor = open("\(folder)/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      throw Problem("\(folder): expected a folder that no other studio uses, found one that does")
    }
  }

  deinit { close(descriptor) }
}
