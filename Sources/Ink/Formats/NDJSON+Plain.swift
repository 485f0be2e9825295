import Foundation
import JSONReading

extension NDJSON {
  /// Reads a line in the form that recordings usually have, or returns `nil` for any other line, with or without
  /// an error: `JSONDecoder` takes eight times as long, and reads all of them in the same way.
  static func plainRecording(_ bytes: Data) -> Recording? {
    bytes.withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      var line = PlainLine()
      guard cursor.object({ line.read($1, from: &$0) }) != nil, cursor.isAtEnd() else { return nil }
      return line.recording
    }
  }
}

/// The keys of a line that were read so far.
private struct PlainLine {
  private var texts: [String: String] = [:]
  private var strokes: [Stroke]?
  private var attributes: [String: JSONValue] = [:]
  private var nullKeys: Set<String> = []
  /// The coordinates, times and pressures of a stroke, whose memory is used for all strokes.
  private var channels: [[Double]] = Array(repeating: [], count: 4)

  /// The deepest attributes that are read.
  private static let deepest = 8

  /// The recording, if there was a drawing.
  var recording: Recording? {
    guard let strokes else { return nil }
    return Recording(
      Drawing(strokes), label: texts["word"], writer: texts["writer"], device: texts["device"],
      source: texts["source"], attributes: attributes)
  }

  /// Reads the value of `key`; returns whether it could.
  mutating func read(_ key: String, from cursor: inout JSONCursor) -> Bool {
    guard texts[key] == nil, attributes[key] == nil, !nullKeys.contains(key) else { return false }
    switch key {
    case "drawing":
      guard strokes == nil else { return false }
      var strokes: [Stroke] = []
      guard
        cursor.list({ cursor in
          guard let stroke = readStroke(from: &cursor) else { return false }
          strokes.append(stroke)
          return true
        }) != nil
      else { return false }
      self.strokes = strokes
    case "word", "writer", "device", "source":
      if cursor.word("null") {
        nullKeys.insert(key)
      } else {
        guard let text = cursor.text() else { return false }
        texts[key] = text
      }
    // Its keys are those of the line.
    case "attributes": return false
    default:
      guard let value = Self.value(from: &cursor, depth: 1) else { return false }
      if value == .null { nullKeys.insert(key) } else { attributes[key] = value }
    }
    return true
  }

  private mutating func readStroke(from cursor: inout JSONCursor) -> Stroke? {
    var count = 0
    guard
      cursor.list({ cursor in
        guard count < channels.count else { return false }
        channels[count].removeAll(keepingCapacity: true)
        guard
          cursor.list({ cursor in
            guard let number = cursor.number() else { return false }
            channels[count].append(number)
            return true
          }) != nil
        else { return false }
        count += 1
        return true
      }) != nil, count >= 2, channels[1].count == channels[0].count
    else { return nil }
    let (xs, ys) = (channels[0], channels[1])
    let times = count > 2 ? channels[2] : []
    let pressures = count > 3 ? channels[3] : []
    guard times.isEmpty || times.count == xs.count,
      pressures.isEmpty || pressures.count == xs.count,
      pressures.allSatisfy((0...1).contains)
    else { return nil }
    return Stroke(
      xs.indices.map {
        Point(
          xs[$0], ys[$0], time: times.isEmpty ? nil : times[$0],
          pressure: pressures.isEmpty ? nil : pressures[$0])
      })
  }

  private static func value(from cursor: inout JSONCursor, depth: Int) -> JSONValue? {
    guard depth <= deepest else { return nil }
    switch cursor.peek() {
    case UInt8(ascii: "\""): return cursor.text().map(JSONValue.text)
    case UInt8(ascii: "t"): return cursor.word("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return cursor.word("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return cursor.word("null") ? .null : nil
    case UInt8(ascii: "["):
      var values: [JSONValue] = []
      return cursor.list {
        guard let value = value(from: &$0, depth: depth + 1) else { return false }
        values.append(value)
        return true
      }.map { .list(values) }
    case UInt8(ascii: "{"):
      var values: [String: JSONValue] = [:]
      return cursor.object {
        guard values[$1] == nil, let value = value(from: &$0, depth: depth + 1) else {
          return false
        }
        values[$1] = value
        return true
      }.map { .object(values) }
    default:
      // Larger ones may be whole numbers that only `Int64` represents.
      guard let number = cursor.number(), number.magnitude < 0x1p53 else { return nil }
      return .number(number)
    }
  }
}
