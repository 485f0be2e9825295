import ErrorText

/// Where in the input something is: a file and, inside it, a line, a stroke and a point.
///
/// Lines, strokes and points count from 1, as editors show them.
public struct Place: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file, or `standard input`.
  public var file: String
  /// The line; in XML, the line where the element starts.
  public var line: Int?
  /// The stroke within the drawing.
  public var stroke: Int?
  /// The point within the stroke.
  public var point: Int?

  /// Creates a place in `file`.
  public init(file: String, line: Int? = nil, stroke: Int? = nil, point: Int? = nil) {
    self.file = file
    self.line = line
    self.stroke = stroke
    self.point = point
  }

  /// The place as text, for example `a.ndjson, line 3, stroke 1, point 7`.
  public var description: String {
    var words = file
    if let line { words += ", line \(line)" }
    if let stroke { words += ", stroke \(stroke)" }
    if let point { words += ", point \(point)" }
    return words
  }
}

/// An error in an input file: the place, the expected and the found value.
public struct InkError: DescribedError, Hashable {
  /// The place of the error.
  public var place: Place
  /// The value that the format requires.
  public var expected: String
  /// The value that was found.
  public var found: String
  /// Whether the file is in no format for ink, so that it may be something else.
  package var isUnknownFormat = false

  /// Creates the error for `found` instead of `expected` at `place`.
  public init(at place: Place, expected: String, found: String) {
    self.place = place
    self.expected = expected
    self.found = found
  }

  /// The error in one line.
  public var description: String { "\(place): expected \(expected), found \(found)" }
}
