import ErrorText

/// The error for a file or folder, or something in it, that is not as it has to be.
public struct FileError: DescribedError, Hashable {
  /// The file or folder, and the place in it if known.
  public var path: String
  /// The expected value.
  public var expected: String
  /// The found value.
  public var found: String

  /// Creates the error for `found` instead of `expected` in `path`.
  public init(path: String, expected: String, found: String) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// The error in one line.
  public var description: String { "\(path): expected \(expected), found \(found)" }
}
