import Foundation
import InkDatasets
import Synchronization

/// A file that takes a browser to the address with the token, and that only this user can read.
final class Doorway: Sendable {
  private let path: String
  private let isOpen = Mutex(false)

  init(folder: String) { path = "\(folder)/open.html" }

  /// Writes the file; returns its path from the root.
  func open(to address: String) throws -> String {
    let html = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Inkstate studio</title>
      <meta http-equiv="refresh" content="0; url=\(address)"></head>
      <body><p><a href="\(address)">Open the studio</a></p></body></html>

      """
    try isOpen.withLock { isOpen in
      // Nobody else may have it open already.
      try? FileManager.default.removeItem(atPath: path)
      let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw Problem("The file \(path) cannot be written.") }
      isOpen = true
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try file.write(contentsOf: Data(html.utf8))
    }
    return URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// Removes the file, where it was written.
  func close() {
    isOpen.withLock { isOpen in
      if isOpen { try? FileManager.default.removeItem(atPath: path) }
      isOpen = false
    }
  }
}
