import Foundation
import InkDatasets
import Synchronization

/// An HTML file that redirects a browser to the address with the token; only this user can read it.
final class RedirectPage: Sendable {
  private let path: String
  private let isWritten = Mutex(false)

  init(folder: String) { path = "\(folder)/open.html" }

  /// Writes the file, and returns its absolute path.
  func write(for address: String) throws -> String {
    let html = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Inkstate studio</title>
      <meta http-equiv="refresh" content="0; url=\(address)"></head>
      <body><p><a href="\(address)">Open the studio</a></p></body></html>

      """
    try isWritten.withLock { isWritten in
      // A new file, because another program may have the old one open.
      try? FileManager.default.removeItem(atPath: path)
      let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw StudioError("The file \(path) cannot be written.") }
      isWritten = true
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try file.write(contentsOf: Data(html.utf8))
    }
    return URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// Removes the file if it was written.
  func remove() {
    isWritten.withLock { isWritten in
      if isWritten { try? FileManager.default.removeItem(atPath: path) }
      isWritten = false
    }
  }
}
