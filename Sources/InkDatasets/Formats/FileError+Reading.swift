import Ink
import JSONReading
import SafeFiles

extension FileError {
  /// Creates the error of reading JSON in `path`.
  package init(json error: any Error, path: String) {
    let error = error as? JSONError
    self.init(
      path: error?.place ?? path, expected: error?.expected ?? "JSON of this kind",
      found: error?.found ?? "other JSON")
  }

  /// The error for a line that is longer than ``TextLines/longestLine``.
  static func longLine(at place: String) -> FileError {
    FileError(
      path: place, expected: "a line of at most \(TextLines.longestLine >> 20) MiB",
      found: "a longer one")
  }
}
