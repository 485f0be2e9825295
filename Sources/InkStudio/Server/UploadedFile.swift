import Foundation
import SafeFiles

/// An uploaded file in a temporary file, because readers take paths and detect formats from files.
struct UploadedFile {
  let path: String
  /// The name of the file for people.
  private let name: String

  /// Writes `data` to a temporary file whose name ends in `ending`.
  ///
  /// The caller removes it.
  init(_ data: Data, ending: String, name: String) throws {
    path = FileTree.join(NSTemporaryDirectory(), "inkstate-\(UUID().uuidString).\(ending)")
    self.name = name
    try FileTree.write(data, to: path)
  }

  /// Removes the temporary file.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Returns `text` with the name of the file instead of its path.
  func named(in text: String) -> String { text.replacingOccurrences(of: path, with: name) }

  /// Reads the file with `read`; its errors have the name of the file instead of its path.
  ///
  /// - Throws: `StudioError`.
  func read<Content>(_ read: (String) throws -> Content) throws(StudioError) -> Content {
    do { return try read(path) } catch {
      throw StudioError(named(in: plainText(of: error)))
    }
  }
}
