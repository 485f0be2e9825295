/// A drawing with what is known about it: what it shows, whose hand made it, and where it is from.
public struct Recording: Hashable, Sendable {
  /// The ink.
  public var drawing: Drawing
  /// What the drawing shows, for example `circle`.
  public var label: String?
  /// Who drew it; comparable only within one `source`.
  public var writer: String?
  /// What it was drawn with, for example `finger` or `stylus`.
  public var device: String?
  /// The collection it comes from, for example `dollar1`.
  public var source: String?
  /// Anything else the file says about it, such as Quick, Draw!'s `key_id` or the speed of drawing.
  public var attributes: [String: Attribute]

  /// Makes a recording of `drawing`.
  public init(
    _ drawing: Drawing, label: String? = nil, writer: String? = nil, device: String? = nil,
    source: String? = nil, attributes: [String: Attribute] = [:]
  ) {
    self.drawing = drawing
    self.label = label
    self.writer = writer
    self.device = device
    self.source = source
    self.attributes = attributes
  }

  /// A further fact about a recording: one JSON value without parts.
  public enum Attribute: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A number.
    case number(Double)
    /// Yes or no.
    case flag(Bool)
  }
}
