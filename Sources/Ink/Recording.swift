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
  public var attributes: [String: Attribute]

  /// The label of ink that is no writing, among lines of writing: U+FFFD, the replacement character.
  ///
  /// A reader learns it as a character, and rejects such ink.
  public static let noWriting = "\u{FFFD}"

  /// Creates a recording of `drawing`.
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

  /// The value of an attribute: what JSON can hold, without `null`.
  public enum Attribute: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A number.
    case number(Double)
    /// A boolean.
    case flag(Bool)
    /// A list of values.
    case list([Attribute])
    /// Values by their names.
    case object([String: Attribute])
  }
}

extension Recording.Attribute: Codable {
  /// Decodes a value; a `null` in an object is left out.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([Recording.Attribute].self) {
      self = .list(list)
    } else {
      self = .object(
        try value.decode([String: Recording.Attribute?].self).compactMapValues { $0 })
    }
  }

  /// Encodes the value as JSON has it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }
}
