import Foundation

extension Decodable {
  /// Creates a value from JSON that may come from anywhere, with the default settings of `JSONDecoder`.
  ///
  /// Unknown keys are ignored, so this is for formats that allow them. Foundation's decoder ends the process
  /// if the last byte opens the 513th array: it reports that arrays may be nested 512 deep, and looks for
  /// the line of this byte behind the end. JSON never ends like this, so such data are refused here first,
  /// also in UTF-16 and UTF-32.
  ///
  /// - Throws: `DecodingError` if the data are not valid JSON for this type, or an error of the type.
  package init(json data: Data) throws {
    guard data.last(where: { $0 != 0 }) != UInt8(ascii: "[") else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "The given data was not valid JSON."))
    }
    self = try JSONDecoder().decode(Self.self, from: data)
  }

  /// Creates a value from JSON in UTF-8 that has no other keys than those that the type reads.
  ///
  /// Errors name the place: the name of the JSON, for example its file, and the keys and indices that lead to
  /// the value.
  ///
  /// - Throws: ``JSONError``, or an error of the type.
  package init(strictJSON data: Data, name: String) throws {
    if let problem = JSONProblem.description(of: data) {
      throw JSONError(place: name, expected: "JSON", found: problem)
    }
    if let key = JSONProblem.repeatedKey(in: data) {
      throw JSONError(
        place: name, expected: "each key once in an object", found: "`\(key)` twice")
    }
    do {
      self = try JSONDecoder().decode(Checked<Self>.self, from: data).value
    } catch let error as DecodingError {
      throw JSONError(error, in: data, name: name)
    }
  }
}

/// A value in JSON that is not as it has to be.
package struct JSONError: LocalizedError, Hashable, CustomStringConvertible {
  /// The file or another name of the JSON, and the keys and indices that lead to the value.
  package var place: String
  /// The expected value.
  package var expected: String
  /// The found value.
  package var found: String

  /// The error in one line.
  package var description: String { "\(place): expected \(expected), found \(found)" }
  /// The error in one line.
  package var errorDescription: String? { description }

  /// Creates the error for `found` instead of `expected` at a place.
  package init(place: String, expected: String, found: String) {
    self.place = place
    self.expected = expected
    self.found = found
  }

  fileprivate init(_ error: DecodingError, in data: Data, name: String) {
    func place(_ path: [any CodingKey]) -> String {
      let text = path.reduce("") { text, key in
        if let index = key.intValue { return "\(text)[\(index)]" }
        return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
      }
      guard !text.isEmpty else { return name }
      return text.hasPrefix("[") ? name + text : "\(name), \(text)"
    }
    func found(_ path: [any CodingKey]) -> String {
      (try? JSONDecoder().decode(AnyValue.self, from: data))?.words(at: path[...]) ?? "none"
    }
    switch error {
    case .keyNotFound(let key, let context):
      self.init(
        place: place(context.codingPath), expected: "the key `\(key.stringValue)`", found: "none")
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      self.init(
        place: place(context.codingPath), expected: Self.words(for: type),
        found: found(context.codingPath))
    case .dataCorrupted(let context):
      // This package's own types describe what they expect, and not always what they found.
      let (text, start) = (context.debugDescription, "expected ")
      let parts = text.components(separatedBy: ", found ")
      let isExpectation = text.hasPrefix(start)
      self.init(
        place: place(context.codingPath),
        expected: isExpectation ? String(parts[0].dropFirst(start.count)) : "another value",
        found: !isExpectation
          ? text
          : parts.count > 1
            ? parts.dropFirst().joined(separator: ", found ") : found(context.codingPath))
    @unknown default:
      self.init(place: name, expected: "a value of this kind", found: "another")
    }
  }

  private static func words(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: return "a text"
    case is Bool.Type: return "true or false"
    case is any UnsignedInteger.Type: return "a whole number of 0 or more"
    case is any BinaryInteger.Type: return "a whole number"
    case is any BinaryFloatingPoint.Type, is Date.Type: return "a number"
    default: return "\(type)".hasPrefix("Array<") ? "a list" : "an object"
    }
  }
}

/// Returns `texts` in quotes with commas, and “or” before the last one.
private func alternatives(_ texts: [String]) -> String {
  let quoted = texts.map { "`\($0)`" }
  guard quoted.count > 1 else { return quoted.first ?? "none" }
  return quoted.dropLast().joined(separator: ", ") + " or " + quoted[quoted.count - 1]
}

/// Any JSON value, for messages.
private enum AnyValue: Decodable {
  case leaf(String)
  case list([AnyValue])
  case object([String: AnyValue])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .leaf("null")
    } else if let flag = try? value.decode(Bool.self) {
      self = .leaf("\(flag)")
    } else if let number = try? value.decode(Double.self) {
      self = .leaf(Int64(exactly: number).map { "\($0)" } ?? "\(number)")
    } else if let text = try? value.decode(String.self) {
      self = .leaf(text.count > 40 ? "`\(text.prefix(40))…`" : "`\(text)`")
    } else if let list = try? value.decode([AnyValue].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: AnyValue].self))
    }
  }

  /// Returns what is at `path`, in words.
  func words(at path: ArraySlice<any CodingKey>) -> String {
    switch self {
    case .leaf(let text): return text
    case .list(let values):
      guard let key = path.first else { return "a list" }
      guard let index = key.intValue, values.indices.contains(index) else {
        return "only \(values.count)"
      }
      return values[index].words(at: path.dropFirst())
    case .object(let values):
      guard let key = path.first else { return "an object" }
      return values[key.stringValue]?.words(at: path.dropFirst()) ?? "none"
    }
  }
}

// MARK: Decoding

/// A value whose objects have only keys that were read, and whose lists were read to their ends.
private struct Checked<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    let checking = CheckingDecoder(decoder)
    do {
      value = try Value(from: checking)
    } catch let error as DecodingError {
      // Foundation's error does not name the values that are possible.
      guard let type = Value.self as? any CaseIterable.Type else { throw error }
      let texts = rawTexts(of: type)
      guard !texts.isEmpty else { throw error }
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "expected \(alternatives(texts))"))
    }
    try checking.check()
  }
}

/// Returns the texts that stand for the cases of an enumeration.
private func rawTexts<Value: CaseIterable>(of type: Value.Type) -> [String] {
  type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
}

/// Types that the decoder reads without their own `init(from:)`, or that have no keys.
private protocol Leaf {}
extension Bool: Leaf {}
extension String: Leaf {}
extension Double: Leaf {}
extension Float: Leaf {}
extension Int: Leaf {}
extension Int8: Leaf {}
extension Int16: Leaf {}
extension Int32: Leaf {}
extension Int64: Leaf {}
extension UInt: Leaf {}
extension UInt8: Leaf {}
extension UInt16: Leaf {}
extension UInt32: Leaf {}
extension UInt64: Leaf {}
extension Date: Leaf {}

/// Decodes a leaf as it is, and another value with checks; `path` leads to it.
private func checked<Value: Decodable>(
  _ type: Value.Type, at path: [any CodingKey], _ leaf: () throws -> Value,
  _ other: () throws -> Checked<Value>
) throws -> Value {
  guard type is any Leaf.Type else { return try other().value }
  do { return try leaf() } catch let error as DecodingError {
    guard case .dataCorrupted = error else { throw error }
  } catch {}
  // A number that the type cannot hold.
  throw DecodingError.typeMismatch(type, .init(codingPath: path, debugDescription: ""))
}

private struct AnyKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
  init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

/// The keys of an object, and those that were asked for.
private final class ObjectKeys {
  private let path: [any CodingKey]
  private let present: [String]
  private var known: Set<String> = []

  init(_ object: KeyedDecodingContainer<AnyKey>) {
    path = object.codingPath
    present = object.allKeys.map(\.stringValue)
  }

  func ask(for key: any CodingKey) { known.insert(key.stringValue) }

  func check() throws {
    guard let unknown = present.filter({ !known.contains($0) }).min() else { return }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: path + [AnyKey(stringValue: unknown)],
        debugDescription: known.isEmpty
          ? "expected no keys, found `\(unknown)`"
          : "expected \(known.count == 1 ? "the key" : "one of the keys") "
            + "\(alternatives(known.sorted())), found `\(unknown)`"))
  }
}

/// A decoder that notes which keys and elements are read.
private final class CheckingDecoder: Decoder {
  private let base: any Decoder
  private var keys: ObjectKeys?
  private var checks: [() throws -> Void] = []

  init(_ base: any Decoder) { self.base = base }

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func check() throws {
    try keys?.check()
    for check in checks { try check() }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    // A value can have several containers with the keys of one object.
    let keys = try self.keys ?? ObjectKeys(base.container(keyedBy: AnyKey.self))
    self.keys = keys
    return KeyedDecodingContainer(
      CheckingObject(base: try base.container(keyedBy: type), keys: keys, decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    list(try base.unkeyedContainer())
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    // What is decoded from the whole value checks its keys itself.
    keys = nil
    return CheckingValue(base: try base.singleValueContainer())
  }

  func object<Key: CodingKey>(
    _ base: KeyedDecodingContainer<Key>, _ names: KeyedDecodingContainer<AnyKey>
  ) -> KeyedDecodingContainer<Key> {
    let keys = ObjectKeys(names)
    checks.append { try keys.check() }
    return KeyedDecodingContainer(CheckingObject(base: base, keys: keys, decoder: self))
  }

  func list(_ base: any UnkeyedDecodingContainer) -> CheckingList {
    let list = CheckingList(base: base, decoder: self)
    checks.append { try list.check() }
    return list
  }
}

private struct CheckingValue: SingleValueDecodingContainer {
  let base: any SingleValueDecodingContainer

  var codingPath: [any CodingKey] { base.codingPath }
  func decodeNil() -> Bool { base.decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try checked(type, at: codingPath) {
      try base.decode(type)
    } _: {
      try base.decode(Checked<Value>.self)
    }
  }
}

private struct CheckingObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: KeyedDecodingContainer<Key>
  let keys: ObjectKeys
  let decoder: CheckingDecoder

  var codingPath: [any CodingKey] { base.codingPath }
  var allKeys: [Key] { base.allKeys }

  func contains(_ key: Key) -> Bool {
    keys.ask(for: key)
    return base.contains(key)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    keys.ask(for: key)
    return try base.decodeNil(forKey: key)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    keys.ask(for: key)
    return try checked(type, at: codingPath + [key]) {
      try base.decode(type, forKey: key)
    } _: {
      try base.decode(Checked<Value>.self, forKey: key)
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    keys.ask(for: key)
    return decoder.object(
      try base.nestedContainer(keyedBy: type, forKey: key),
      try base.nestedContainer(keyedBy: AnyKey.self, forKey: key))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    keys.ask(for: key)
    return decoder.list(try base.nestedUnkeyedContainer(forKey: key))
  }

  func superDecoder() throws -> any Decoder { try base.superDecoder() }
  func superDecoder(forKey key: Key) throws -> any Decoder {
    keys.ask(for: key)
    return try base.superDecoder(forKey: key)
  }
}

private final class CheckingList: UnkeyedDecodingContainer {
  private var base: any UnkeyedDecodingContainer
  private let decoder: CheckingDecoder

  init(base: any UnkeyedDecodingContainer, decoder: CheckingDecoder) {
    (self.base, self.decoder) = (base, decoder)
  }

  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int? { base.count }
  var isAtEnd: Bool { base.isAtEnd }
  var currentIndex: Int { base.currentIndex }

  func check() throws {
    guard !isAtEnd, let count else { return }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: codingPath,
        debugDescription: "expected \(currentIndex) values, found \(count)"))
  }

  private func checkHasNext() throws {
    guard isAtEnd else { return }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: codingPath,
        debugDescription: "expected more values, found only \(currentIndex)"))
  }

  func decodeNil() throws -> Bool { try base.decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try checkHasNext()
    return try checked(type, at: codingPath + [AnyKey(intValue: currentIndex)]) {
      try base.decode(type)
    } _: {
      try base.decode(Checked<Value>.self)
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try checkHasNext()
    // The names are read from a copy, which does not move on.
    var copy = base
    let names = try copy.nestedContainer(keyedBy: AnyKey.self)
    return decoder.object(try base.nestedContainer(keyedBy: type), names)
  }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try checkHasNext()
    return decoder.list(try base.nestedUnkeyedContainer())
  }

  func superDecoder() throws -> any Decoder { try base.superDecoder() }
}
