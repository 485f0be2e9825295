/// Any JSON value, to keep what files say besides what is known.
public enum JSONValue: Hashable, Sendable, Codable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// A whole number that `Double` does not represent.
  case integer(Int64)
  /// A text.
  case text(String)
  /// A list.
  case list([JSONValue])
  /// Values by name.
  case object([String: JSONValue])

  /// The maximum nesting depth of lists and objects.
  private static let deepest = 100

  /// Reads any value.
  ///
  /// - Throws: `DecodingError` if lists and objects are nested more than 100 levels deep.
  public init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.deepest else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "values nested deeper than \(Self.deepest)"))
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try Self.number(in: container) {
      if value.magnitude >= 0x1p53, let whole = try? container.decode(Int64.self),
        Double(exactly: whole) == nil
      {
        self = .integer(whole)
      } else {
        self = .number(value)
      }
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if var values = try? decoder.unkeyedContainer() {
      var list: [JSONValue] = []
      while !values.isAtEnd { list.append(try values.decode(JSONValue.self)) }
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Returns the number in the container, or `nil` for another value.
  private static func number(in container: any SingleValueDecodingContainer) throws -> Double? {
    do { return try container.decode(Double.self) } catch DecodingError.typeMismatch { return nil }
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value):
      // JSON has only finite numbers; whole numbers are written without a decimal point.
      if !value.isFinite {
        try container.encodeNil()
      } else if let whole = Int64(exactly: value) {
        try container.encode(whole)
      } else {
        try container.encode(value)
      }
    case .text(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }

  /// The value as a number, or `nil`.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .null, .bool, .text, .list, .object: nil
    }
  }
}
