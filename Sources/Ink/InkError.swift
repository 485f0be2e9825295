/// Where in the input something is: a file and, inside it, a line, a stroke and a point.
///
/// Lines, strokes and points count from 1, as editors show them.
public struct Place: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file, or `standard input`.
  public var file: String
  /// The line (or, in XML, the line at which the element stands).
  public var line: Int?
  /// The stroke within the drawing.
  public var stroke: Int?
  /// The point within the stroke.
  public var point: Int?

  /// Makes a place in `file`.
  public init(file: String, line: Int? = nil, stroke: Int? = nil, point: Int? = nil) {
    self.file = file
    self.line = line
    self.stroke = stroke
    self.point = point
  }

  /// The place in words, for example `a.ndjson, line 3, stroke 1, point 7`.
  public var description: String {
    var words = file
    if let line { words += ", line \(line)" }
    if let stroke { words += ", stroke \(stroke)" }
    if let point { words += ", point \(point)" }
    return words
  }
}

/// Input that does not say what its format promises: where, what was expected and what was there.
public struct InkError: Error, Hashable, CustomStringConvertible {
  /// Where the input went wrong.
  public var place: Place
  /// What the format asks for there.
  public var expected: String
  /// What was there instead.
  public var found: String

  /// Makes the error of having `found` something else than was `expected` at `place`.
  public init(at place: Place, expected: String, found: String) {
    self.place = place
    self.expected = expected
    self.found = found
  }

  /// The error in one line.
  public var description: String { "\(place): expected \(expected), found \(found)" }
}
