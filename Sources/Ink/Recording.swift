/// A drawing with its label, writer, device, source and other attributes.
public struct Recording: Hashable, Sendable {
  /// The ink.
  public var drawing: Drawing
  /// The label, for example `circle`.
  public var label: String?
  /// The writer; the same name in another `source` is another person.
  public var writer: String?
  /// The device, for example `finger` or `stylus`.
  public var device: String?
  /// The collection it comes from, for example `dollar1`.
  public var source: String?
  /// Anything else the file says about it, such as Quick, Draw!'s `key_id` or the speed of drawing.
  public var attributes: [String: JSONValue]

  /// The label of ink that is no writing, among lines of writing: U+FFFD, the replacement character.
  ///
  /// A reader learns it as a character, and rejects such ink.
  public static let noWriting = "\u{FFFD}"

  /// Whether attributes are those of strokes that were traced on a picture (``isTraced``).
  package static func isTraced(_ attributes: [String: JSONValue]) -> Bool {
    attributes["widths"] != nil && attributes["greys"] != nil
  }

  /// Whether the strokes were traced on a picture: the attributes have the width and the darkness of each.
  ///
  /// Nobody drew such strokes in the direction and order that they have.
  public var isTraced: Bool { Self.isTraced(attributes) }

  /// Creates a recording of `drawing`.
  public init(
    _ drawing: Drawing, label: String? = nil, writer: String? = nil, device: String? = nil,
    source: String? = nil, attributes: [String: JSONValue] = [:]
  ) {
    self.drawing = drawing
    self.label = label
    self.writer = writer
    self.device = device
    self.source = source
    self.attributes = attributes
  }
}
