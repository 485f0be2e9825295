import Foundation

/// The recording format: one JSON object per line, a superset of Quick, Draw!'s format.
///
/// `{"word": label, "drawing": [[xs, ys, ts, ps], …]}` with one entry of `drawing` a stroke. Times
/// (`ts`, milliseconds) and pressures (`ps`, 0…1) may be absent, empty, or hold `null` where a
/// point has none. Besides Quick, Draw!'s keys there are `writer`, `device` and `source`; every
/// other key with a value is kept as an attribute. Attributes that are named
/// as one of the format's own keys are in an object `attributes`, so that every recording is read
/// as it was written.
public enum NDJSON {
  /// The longest line that is kept, in bytes; 10⁶ points take about 16 MB.
  public static let longestLine = 32 << 20

  /// Reads one line, or returns `nil` where it is blank; `bytes` are `nil` for a line of more than
  /// ``longestLine`` bytes.
  public static func item(_ bytes: Data?, at place: Place) -> InkFile.Item? {
    guard let bytes else {
      let error = InkError(
        at: place, expected: "a line of at most \(longestLine >> 20) MiB", found: "a longer one")
      return InkFile.Item(place: place, result: .failure(error))
    }
    let isBlank = bytes.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    guard !isBlank else { return nil }
    return InkFile.Item(
      place: place, result: Result { () throws(InkError) in try decode(bytes, at: place) })
  }

  /// Calls `body` with what each line of `input` holds, as soon as the line is complete.
  ///
  /// - Throws: whatever `body` throws, and `InkError` if reading fails.
  public static func forEachItem(
    of input: InputFile, _ body: (InkFile.Item) throws -> Void
  ) throws {
    try TextLines(input).forEach(longest: longestLine) { line, number in
      let place = Place(file: input.path, line: number)
      if let item = item(line.map { Data($0) }, at: place) { try body(item) }
      return true
    }
  }

  /// The recording as one line of JSON, without a line end.
  ///
  /// Keys are sorted.
  ///
  /// - Throws: `InkError` if a coordinate, time or pressure is not a finite number.
  public static func line(_ recording: Recording, at place: Place) throws(InkError) -> Data {
    for (strokeIndex, stroke) in recording.drawing.strokes.enumerated() {
      for (pointIndex, point) in stroke.points.enumerated() {
        let numbers = [point.x, point.y, point.time ?? 0, point.pressure ?? 0]
        if let bad = numbers.first(where: { !$0.isFinite }) {
          throw InkError(
            at: Place(
              file: place.file, line: place.line, stroke: strokeIndex + 1, point: pointIndex + 1),
            expected: "finite numbers", found: "\(bad)")
        }
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(Line(recording))
    } catch {
      throw InkError(at: place, expected: "a recording that JSON can hold", found: "\(error)")
    }
  }

  private static func decode(_ bytes: Data, at place: Place) throws(InkError) -> Recording {
    if let recording = plainRecording(bytes) { return recording }
    return try Line(inkJSON: bytes, at: place, point: 2).recording(at: place)
  }
}

/// One line as JSON has it.
private struct Line: Codable {
  var word: String?
  var writer: String?
  var device: String?
  var source: String?
  /// Stroke, then channel (x, y, time, pressure), then point.
  var drawing: [[[Double?]]]
  var attributes: [String: JSONValue] = [:]

  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }

    static let word = Key(stringValue: "word")
    static let writer = Key(stringValue: "writer")
    static let device = Key(stringValue: "device")
    static let source = Key(stringValue: "source")
    static let drawing = Key(stringValue: "drawing")
    static let attributes = Key(stringValue: "attributes")

    /// The names of the format's own keys.
    static let own: Set = ["word", "writer", "device", "source", "drawing", "attributes"]
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    word = try container.decodeIfPresent(String.self, forKey: .word)
    writer = try container.decodeIfPresent(String.self, forKey: .writer)
    device = try container.decodeIfPresent(String.self, forKey: .device)
    source = try container.decodeIfPresent(String.self, forKey: .source)
    drawing = try container.decode([[[Double?]]].self, forKey: .drawing)
    func readAttribute(_ key: Key, in container: KeyedDecodingContainer<Key>) {
      if let value = try? container.decode(JSONValue.self, forKey: key), value != .null {
        attributes[key.stringValue] = value
      }
    }
    for key in container.allKeys where !Key.own.contains(key.stringValue) {
      readAttribute(key, in: container)
    }
    if let nested = try? container.nestedContainer(keyedBy: Key.self, forKey: .attributes) {
      for key in nested.allKeys { readAttribute(key, in: nested) }
    } else {
      readAttribute(.attributes, in: container)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func write(
      _ attributes: [String: JSONValue], to container: inout KeyedEncodingContainer<Key>
    ) throws {
      for (name, attribute) in attributes {
        try container.encode(attribute, forKey: Key(stringValue: name))
      }
    }
    try write(attributes.filter { !Key.own.contains($0.key) }, to: &container)
    let clashing = attributes.filter { Key.own.contains($0.key) }
    if !clashing.isEmpty {
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: .attributes)
      try write(clashing, to: &nested)
    }
    try container.encodeIfPresent(word, forKey: .word)
    try container.encodeIfPresent(writer, forKey: .writer)
    try container.encodeIfPresent(device, forKey: .device)
    try container.encodeIfPresent(source, forKey: .source)
    try container.encode(drawing, forKey: .drawing)
  }

  init(_ recording: Recording) {
    word = recording.label
    writer = recording.writer
    device = recording.device
    source = recording.source
    attributes = recording.attributes
    drawing = recording.drawing.strokes.map { stroke in
      let points = stroke.points
      var channels: [[Double?]] = [points.map(\.x), points.map(\.y)]
      let hasPressure = points.contains { $0.pressure != nil }
      if points.contains(where: { $0.time != nil }) {
        channels.append(points.map(\.time))
      } else if hasPressure {
        channels.append([])
      }
      if hasPressure { channels.append(points.map(\.pressure)) }
      return channels
    }
  }

  func recording(at place: Place) throws(InkError) -> Recording {
    var strokes: [Stroke] = []
    for (index, channels) in drawing.enumerated() {
      var place = place
      place.stroke = index + 1
      guard (2...4).contains(channels.count) else {
        throw InkError(
          at: place, expected: "2 to 4 lists (x, y, time, pressure)", found: "\(channels.count)")
      }
      let count = channels[0].count
      for (channel, name) in zip(channels.dropFirst(), ["y", "time", "pressure"])
      where channel.count != count && (name == "y" || !channel.isEmpty) {
        throw InkError(
          at: place, expected: "as many \(name) values as x values, \(count)",
          found: "\(channel.count)")
      }
      func value(_ channel: Int, _ point: Int) -> Double? {
        channel < channels.count && !channels[channel].isEmpty ? channels[channel][point] : nil
      }
      var points: [Point] = []
      points.reserveCapacity(count)
      for point in 0..<count {
        place.point = point + 1
        guard let x = channels[0][point], let y = channels[1][point], x.isFinite, y.isFinite else {
          throw InkError(at: place, expected: "two finite coordinates", found: "null")
        }
        let pressure = value(3, point)
        if let pressure, !(0...1).contains(pressure) {
          throw InkError(at: place, expected: "a pressure from 0 to 1", found: "\(pressure)")
        }
        points.append(Point(x, y, time: value(2, point), pressure: pressure))
      }
      strokes.append(Stroke(points))
    }
    return Recording(
      Drawing(strokes), label: word, writer: writer, device: device, source: source,
      attributes: attributes)
  }
}
