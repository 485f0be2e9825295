import ErrorText

/// A picture file that cannot be read or written.
public struct PictureError: DescribedError, Hashable {
  /// The file.
  public var path: String
  /// The expected value.
  public var expected: String
  /// The found value.
  public var found: String

  package init(path: String, expected: String, found: String) {
    (self.path, self.expected, self.found) = (path, expected, found)
  }

  /// The error in one line.
  public var description: String { "\(path): expected \(expected), found \(found)" }
}
