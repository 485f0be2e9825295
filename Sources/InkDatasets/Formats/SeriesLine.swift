import Foundation
import Ink
import InkSeries
import JSONReading
import SafeFiles

/// A series as one line of NDJSON.
///
/// `{"label": …, "writer": …, "session": …, "spans": [{"start": 0, "end": 9, "label": …}, …],
/// "series": {"channels": […], "rate": …, "times": […], "values": [[…], …]}}`. `values` has a list
/// for each step; `null` is a gap. A span has the steps from `start` to before `end`. `rate`, `times`
/// (in milliseconds) and all keys but `series` may be absent. As in drawings, there are also
/// `device` and `source`, `word` is another name for `label`, and other keys with a text, number or
/// truth value are attributes.
enum SeriesLine {
  /// What a line says besides the series.
  private struct Facts: Codable {
    var label: String?
    var word: String?
    var writer: String?
    var session: String?
    var device: String?
    var source: String?
    var spans: [Part]?

    struct Part: Codable {
      var start: Int
      var end: Int
      var label: String
    }

    static let keys: Set = [
      "label", "word", "writer", "session", "device", "source", "spans", "series", "attributes",
    ]
  }

  /// A value of an attribute, or another value, which is left out.
  private struct AttributeValue: Codable {
    var attribute: JSONValue?

    init(_ attribute: JSONValue) {
      self.attribute = attribute
    }

    init(from decoder: any Decoder) throws {
      attribute = (try? JSONValue(from: decoder)).flatMap { $0 == .null ? nil : $0 }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let attribute {
        try container.encode(attribute)
      } else {
        try container.encodeNil()
      }
    }
  }

  // MARK: Reading

  /// Reads a line, or returns `nil` if it is not a series.
  ///
  /// The label is empty if there is none; a recording with spans has no other label.
  ///
  /// - Throws: `FileError` if the series cannot be read; `place` is its path.
  static func example(
    in line: UnsafeBufferPointer<UInt8>, place: String
  ) throws(FileError) -> Example? {
    // Other lines have their own reader, with its own errors.
    var scanner = JSONScanner(line, place: place)
    guard hasKey("series", line), let fields = try? scanner.fields(), fields["drawing"] == nil,
      let range = fields["series"]
    else { return nil }
    let series = try series(in: line, range, place: place)
    var rest: [UInt8] = [0x7B]
    var other: [UInt8] = [0x7B]
    func add(_ key: String, _ range: Range<Int>, to bytes: inout [UInt8]) {
      if bytes.count > 1 { bytes.append(0x2C) }
      bytes += Array((try? JSONEncoder().encode(key)) ?? Data())
      bytes.append(0x3A)
      bytes += line[range]
    }
    for (key, range) in fields where key != "series" {
      if Facts.keys.contains(key), key != "attributes" {
        add(key, range, to: &rest)
      } else {
        add(key, range, to: &other)
      }
    }
    rest.append(0x7D)
    other.append(0x7D)
    let facts: Facts
    do {
      facts = try Facts(strictJSON: Data(rest), name: place)
    } catch {
      throw FileError(json: error, path: place)
    }
    var example = Example(
      .series(series), label: facts.label ?? facts.word ?? "", writer: facts.writer,
      device: facts.device, source: facts.source, attributes: attributes(in: Data(other)),
      origin: place)
    example.session = facts.session
    for (index, part) in (facts.spans ?? []).enumerated() {
      guard part.start >= 0, part.start < part.end, part.end <= series.length, !part.label.isEmpty
      else {
        throw FileError(
          path: "\(place), span \(index + 1)",
          expected: "a label, and steps from 0 to \(series.length), the start before the end",
          found: "`\(part.label)` from \(part.start) to \(part.end)")
      }
      example.spans.append(Span(part.start..<part.end, label: part.label))
    }
    if !example.spans.isEmpty { example.label = "" }
    return example
  }

  /// Returns whether a text in quotation marks occurs in the line.
  private static func hasKey(_ key: String, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
    var rest = line[...]
    while !rest.isEmpty,
      let quote = memchr(line.baseAddress! + rest.startIndex, 0x22, rest.count)
    {
      let start = quote - UnsafeMutableRawPointer(mutating: line.baseAddress!) + 1
      rest = line[start...]
      if rest.starts(with: key.utf8), rest.dropFirst(key.utf8.count).first == 0x22 { return true }
    }
    return false
  }

  private static func attributes(in data: Data) -> [String: JSONValue] {
    struct Nested: Decodable { var attributes: [String: AttributeValue] }
    var values = (try? [String: AttributeValue](json: data)) ?? [:]
    if let nested = try? Nested(json: data) {
      values["attributes"] = nil
      values.merge(nested.attributes) { $1 }
    }
    return values.compactMapValues(\.attribute)
  }

  private static let seriesKeys: Set = ["channels", "rate", "times", "values"]

  private static func series(
    in line: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, place: String
  ) throws(FileError) -> Series {
    func refuse(_ expected: String, _ found: String) -> FileError {
      FileError(path: place, expected: expected, found: found)
    }
    let bytes = UnsafeBufferPointer(rebasing: line[range])
    var scanner = JSONScanner(bytes, place: place)
    let fields = try scanner.fields()
    func decode<Value: Decodable>(
      _ key: String, as type: Value.Type
    ) throws(FileError) -> Value? {
      guard let range = fields[key], !bytes[range].elementsEqual("null".utf8) else { return nil }
      do {
        return try type.init(strictJSON: Data(bytes[range]), name: "\(place), series.\(key)")
      } catch {
        throw FileError(json: error, path: place)
      }
    }
    if let unknown = fields.keys.filter({ !seriesKeys.contains($0) }).min() {
      throw FileError(
        path: "\(place), series.\(unknown)",
        expected: "one of the keys `channels`, `rate`, `times` or `values`", found: "`\(unknown)`")
    }
    guard let channels = try decode("channels", as: [String].self), !channels.isEmpty
    else {
      throw refuse("the key `channels` in `series`, with the names", "none such")
    }
    let rate = try decode("rate", as: Double.self)
    guard let valuesRange = fields["values"] else {
      throw refuse("the key `values` in `series`", "none such")
    }
    var values: [Float] = []
    var rows = JSONScanner(UnsafeBufferPointer(rebasing: bytes[valuesRange]), place: place)
    try rows.forEachElement { step, scanner throws(FileError) in
      try scanner.forEachElement { _, scanner throws(FileError) in
        switch NumberText.float(try scanner.scalar()) {
        case .number(let value): values.append(value)
        case .missing: values.append(.nan)
        case .unreadable:
          throw FileError(
            path: "\(place), step \(step + 1)", expected: "finite numbers or null",
            found: "another value")
        }
      }
      guard values.count == (step + 1) * channels.count else {
        throw FileError(
          path: "\(place), step \(step + 1)",
          expected: "\(channels.count.counted("value")), one for each channel",
          found: "\(values.count - step * channels.count)")
      }
    }
    var times: [Double]?
    if let range = fields["times"], !bytes[range].elementsEqual("null".utf8) {
      var numbers: [Double] = []
      var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[range]), place: place)
      try scanner.forEachElement { step, scanner throws(FileError) in
        guard case .number(let time) = NumberText.double(try scanner.scalar()) else {
          throw FileError(
            path: "\(place), step \(step + 1)", expected: "a time as a number",
            found: "another value")
        }
        numbers.append(time)
      }
      times = numbers
    }
    do {
      return try Series(channels: channels, values: values, rate: rate, times: times)
    } catch {
      throw FileError(path: place, expected: "a series", found: "\(error)")
    }
  }

  // MARK: Writing

  /// Calls `write` with the parts of the line of `example`, whose series is `series`.
  static func write(
    _ series: Series, of example: Example, _ write: ([UInt8]) throws -> Void
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let facts = Facts(
      label: example.label.isEmpty ? nil : example.label, writer: example.writer,
      session: example.session, device: example.device, source: example.source,
      spans: example.spans.isEmpty
        ? nil
        : example.spans.map {
          .init(start: $0.range.lowerBound, end: $0.range.upperBound, label: $0.label)
        })
    let values = example.attributes.mapValues { AttributeValue($0) }
    let plain = values.filter { !Facts.keys.contains($0.key) }
    let clashing = values.filter { Facts.keys.contains($0.key) }
    var head: [UInt8] = [0x7B]
    func add(_ json: Data) {
      guard json.count > 2 else { return }
      if head.count > 1 { head.append(0x2C) }
      head += json.dropFirst().dropLast()
    }
    add(try encoder.encode(facts))
    add(try encoder.encode(plain))
    if !clashing.isEmpty { add(try encoder.encode(["attributes": clashing])) }
    if head.count > 1 { head.append(0x2C) }
    head += Array(#""series":{"channels":"#.utf8)
    head += try encoder.encode(series.channels)
    if let rate = series.rate { head += Array(",\"rate\":\(text(rate))".utf8) }
    try write(head)
    if let times = series.times {
      try write(Array(",\"times\":[".utf8))
      for (step, time) in times.enumerated() {
        try write(Array((step > 0 ? "," : "").utf8) + Array(text(time).utf8))
      }
      try write([0x5D])
    }
    try write(Array(",\"values\":[".utf8))
    var row: [UInt8] = []
    for step in 0..<series.length {
      row.removeAll(keepingCapacity: true)
      row += step > 0 ? [0x2C, 0x5B] : [0x5B]
      for channel in series.channels.indices {
        if channel > 0 { row.append(0x2C) }
        let value = series[step, channel]
        row += (value.isNaN ? "null" : text(value)).utf8
      }
      row.append(0x5D)
      try write(row)
    }
    try write(Array("]}}".utf8))
  }

  /// Returns the shortest text that is read as the same number.
  private static func text(_ number: some BinaryFloatingPoint & CustomStringConvertible) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// Finds the values in JSON text without decoding them.
struct JSONScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let place: String
  private var index = 0

  /// Scans `bytes`; `place` is their path in errors.
  init(_ bytes: UnsafeBufferPointer<UInt8>, place: String) {
    self.bytes = bytes
    self.place = place
  }

  private func malformed() -> FileError {
    FileError(path: place, expected: "complete JSON", found: "something else at byte \(index + 1)")
  }

  private mutating func skipSpace() {
    while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) {
      index += 1
    }
  }

  /// Skips `byte` and the space before it, or returns false.
  private mutating func skip(_ byte: Character) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == byte.asciiValue! else { return false }
    index += 1
    return true
  }

  private mutating func skipText() throws(FileError) {
    guard skip("\"") else { throw malformed() }
    while index < bytes.count, bytes[index] != 0x22 { index += bytes[index] == 0x5C ? 2 : 1 }
    guard index < bytes.count else {
      index = bytes.count
      throw malformed()
    }
    index += 1
  }

  /// Skips a value of any kind.
  private mutating func skipValue() throws(FileError) {
    var depth = 0
    repeat {
      skipSpace()
      guard index < bytes.count else { throw malformed() }
      switch bytes[index] {
      case UInt8(ascii: "\""): try skipText()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        index += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard depth > 0 else { throw malformed() }
        depth -= 1
        index += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { throw malformed() }
        index += 1
      default: _ = try scalar()
      }
    } while depth > 0
  }

  /// Returns a number or word.
  mutating func scalar() throws(FileError) -> UnsafeBufferPointer<UInt8> {
    skipSpace()
    let start = index
    scan: while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "["),
        UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), 0x20, 0x09...0x0D:
        break scan
      default: index += 1
      }
    }
    guard index > start else { throw malformed() }
    return UnsafeBufferPointer(rebasing: bytes[start..<index])
  }

  /// Returns the places of the values of an object by their keys.
  mutating func fields() throws(FileError) -> [String: Range<Int>] {
    guard skip("{") else { throw malformed() }
    var fields: [String: Range<Int>] = [:]
    guard !skip("}") else { return fields }
    repeat {
      skipSpace()
      let keyStart = index
      try skipText()
      guard let key = try? String(json: Data(bytes[keyStart..<index])),
        skip(":")
      else { throw malformed() }
      skipSpace()
      let start = index
      try skipValue()
      fields[key] = start..<index
    } while skip(",")
    guard skip("}") else { throw malformed() }
    skipSpace()
    guard index == bytes.count else { throw malformed() }
    return fields
  }

  /// Calls `body` at each element of an array; it has to read the element.
  mutating func forEachElement(
    _ body: (_ index: Int, _ scanner: inout JSONScanner) throws(FileError) -> Void
  ) throws(FileError) {
    guard skip("[") else { throw malformed() }
    guard !skip("]") else { return }
    var element = 0
    repeat {
      try body(element, &self)
      element += 1
    } while skip(",")
    guard skip("]") else { throw malformed() }
  }
}
