/// A document that is being edited: commands, undo and redo.
///
/// A value: the same commands on the same editor give the same document.
public struct Editor: Sendable {
  /// The document as it is.
  public private(set) var document: Document
  /// How near is near enough.
  public var options: EditorOptions
  /// Changes with everything that is done, undone or done again.
  private(set) var revision = 0
  private var ids: any IDSource
  private var before: [Document] = []
  private var after: [Document] = []

  /// How many commands can be undone.
  public static let undoDepth = 200

  /// Begins with `document`.
  public init(
    _ document: Document, ids: any IDSource, options: EditorOptions = EditorOptions()
  ) {
    self.document = document
    self.ids = ids
    self.options = options
  }

  /// Does `command`, as one step of undoing.
  ///
  /// - Throws: `Refusal` where it does nothing; then there is no step.
  public mutating func perform(_ command: Command) throws(Refusal) {
    var ids = ids
    let next = try Self.applied(command, to: document, &ids, options)
    self.ids = ids
    before.append(document)
    if before.count > Self.undoDepth { before.removeFirst() }
    after = []
    document = next
    revision += 1
  }

  private static func applied(
    _ command: Command, to document: Document, _ ids: inout some IDSource,
    _ options: EditorOptions
  ) throws(Refusal) -> Document {
    try document.applying(command, ids: &ids, options: options)
  }

  /// Whether there is something to undo.
  public var canUndo: Bool { !before.isEmpty }
  /// Whether there is something to do again.
  public var canRedo: Bool { !after.isEmpty }

  /// Takes the last command back; returns whether there was one.
  @discardableResult
  public mutating func undo() -> Bool {
    guard let previous = before.popLast() else { return false }
    after.append(document)
    document = previous
    revision += 1
    return true
  }

  /// Does again what was taken back last; returns whether there was something.
  @discardableResult
  public mutating func redo() -> Bool {
    guard let next = after.popLast() else { return false }
    before.append(document)
    document = next
    revision += 1
    return true
  }
}
