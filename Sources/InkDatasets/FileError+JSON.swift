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
}
