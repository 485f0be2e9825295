/// A document with undo and redo.
///
/// It is a value: the same commands on the same editor give the same document.
public struct Editor: Sendable {
  /// The current document.
  public private(set) var document: Document
  /// The distances of the editor.
  public var options: EditorOptions
  /// A number that changes with every command, undo and redo.
  private(set) var revision = 0
  private var ids: any IDSource
  private var before: [Document] = []
  private var after: [Document] = []

  /// The maximum number of undo steps.
  public static let undoDepth = 200

  /// Creates an editor for `document`.
  public init(
    _ document: Document, ids: any IDSource, options: EditorOptions = EditorOptions()
  ) {
    self.document = document
    self.ids = ids
    self.options = options
  }

  /// Performs `command` as one undo step.
  ///
  /// - Throws: `Refusal` if the command cannot be performed; the editor does not change then.
  public mutating func perform(_ command: Command) throws(Refusal) {
    var ids = ids
    let next = try Self.applied(command, to: document, &ids, options)
    self.ids = ids
    become(next)
  }

  private mutating func become(_ next: Document) {
    before.append(document)
    if before.count > Self.undoDepth { before.removeFirst() }
    after = []
    document = next
    revision += 1
  }

  /// Replaces the document by `next` as one undo step.
  ///
  /// - Throws: `Refusal` if nothing would change, or a position is not on the canvas.
  mutating func revise(_ next: Document) throws(Refusal) {
    guard next.isSound else { throw .notANumber }
    guard next != document else { throw .nothingToDo }
    become(next)
  }

  /// Returns what `body` makes with the source of ids, which goes on after the ids that it took.
  mutating func withIDs<Result, Failure>(
    _ body: (inout any IDSource) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var ids = ids
    defer { self.ids = ids }
    return try body(&ids)
  }

  private static func applied(
    _ command: Command, to document: Document, _ ids: inout some IDSource,
    _ options: EditorOptions
  ) throws(Refusal) -> Document {
    try document.applying(command, ids: &ids, options: options)
  }

  /// Whether a command can be undone.
  public var canUndo: Bool { !before.isEmpty }
  /// Whether a command can be redone.
  public var canRedo: Bool { !after.isEmpty }

  /// Undoes the last command; returns whether there was one.
  @discardableResult
  public mutating func undo() -> Bool {
    guard let previous = before.popLast() else { return false }
    after.append(document)
    document = previous
    revision += 1
    return true
  }

  /// Redoes the last undone command; returns whether there was one.
  @discardableResult
  public mutating func redo() -> Bool {
    guard let next = after.popLast() else { return false }
    before.append(document)
    document = next
    revision += 1
    return true
  }
}
