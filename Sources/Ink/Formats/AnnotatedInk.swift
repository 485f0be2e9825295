/// A whole drawing of an InkML file, with its groups of strokes and what they are annotated with.
public struct AnnotatedInk: Hashable, Sendable {
  /// An annotation: `<annotation type="truth">state</annotation>`.
  public struct Annotation: Hashable, Sendable {
    /// The type, empty if there is none.
    public var type: String
    /// The text without white space around it.
    public var text: String

    /// Creates an annotation.
    public init(type: String, text: String) {
      (self.type, self.text) = (type, text)
    }
  }

  /// A group of strokes.
  public struct Group: Hashable, Sendable {
    /// The id in the file, if there is one.
    public var id: String?
    /// The annotations in the order of the file.
    public var annotations: [Annotation] = []
    /// The indices of all strokes in the group and the groups in it.
    public var strokes: [Int] = []
    /// The groups in it.
    public var groups: [Group] = []

    /// Creates a group without strokes.
    public init() {}
  }

  /// All strokes, in the order of the file.
  public var recording: Recording
  /// The outermost groups, in the order of the file.
  public var groups: [Group]
  /// What the file has besides the drawing and was left out, such as `pen-up traces`.
  public var ignored: [String] = []

  /// Creates a drawing with groups.
  public init(recording: Recording, groups: [Group]) {
    (self.recording, self.groups) = (recording, groups)
  }
}

extension InkFile {
  /// Returns all strokes of an InkML file as one drawing with its groups, or `nil` for other formats.
  ///
  /// A pipe can be read only once.
  ///
  /// - Throws: `InkError` if the file is damaged or has no traces.
  public func annotatedInk() throws -> AnnotatedInk? {
    format == .inkML
      ? try InkMLReader.annotated(
        contents(), path: path, labelAnnotation: labelAnnotation) : nil
  }
}
