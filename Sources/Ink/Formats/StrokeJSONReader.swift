import Foundation

/// Lists of strokes whose points are JSON objects.
///
/// signature_pad's `toData()` is a list of strokes. Each is an object with `points`, or in its first
/// versions a list of points. ML Kit's ink is an object with such a list as `strokes`. Other drawing
/// components of web pages call it `lines` or `paths`.
enum StrokeJSONReader {
  /// The keys of an object that have the list of strokes.
  static let listNames = ["strokes", "lines", "paths"]

  /// Reads the drawing in `data`.
  static func read(_ data: Data, path: String) -> InkFile.Item {
    let place = Place(file: path)
    return InkFile.Item(at: place) { ignored throws(InkError) in
      let file = try File(inkJSON: data, at: place, point: 1)
      var strokes: [Stroke] = []
      for (number, stroke) in file.strokes.enumerated() {
        guard !stroke.isErasing else {
          ignored.add("erasing strokes")
          continue
        }
        let place = Place(file: path, stroke: number + 1)
        strokes.append(try stroke.stroke(in: place))
      }
      guard strokes.contains(where: { !$0.points.isEmpty }) else {
        throw InkError(at: place, expected: "strokes with points", found: "none")
      }
      let drawing = ignored.removingWrongPressures(of: Drawing(strokes))
      return Recording(drawing, label: file.label, writer: file.writer)
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct File: Decodable {
    var strokes: [StrokeObject]
    var label: String?
    var writer: String?

    init(from decoder: any Decoder) throws {
      guard let container = try? decoder.container(keyedBy: Key.self) else {
        strokes = try [StrokeObject](from: decoder)
        return
      }
      let name = StrokeJSONReader.listNames.first { container.contains(Key($0)) } ?? "strokes"
      strokes = try container.decode([StrokeObject].self, forKey: Key(name))
      label =
        (try? container.decode(String.self, forKey: Key("label")))
        ?? (try? container.decode(String.self, forKey: Key("word")))
      writer = try? container.decode(String.self, forKey: Key("writer"))
    }
  }

  private struct StrokeObject: Decodable {
    var points: [PointObject]
    var isErasing = false

    init(from decoder: any Decoder) throws {
      guard let container = try? decoder.container(keyedBy: Key.self) else {
        points = try [PointObject](from: decoder)
        return
      }
      let name = container.contains(Key("paths")) ? "paths" : "points"
      points = try container.decode([PointObject].self, forKey: Key(name))
      // signature_pad's rubber, and that of react-sketch-canvas.
      let operation = try? container.decode(String.self, forKey: Key("compositeOperation"))
      let draws = try? container.decode(Bool.self, forKey: Key("drawMode"))
      isErasing = operation == "destination-out" || draws == false
    }

    func stroke(in place: Place) throws(InkError) -> Stroke {
      Stroke(
        try points.enumerated().map { index, point throws(InkError) in
          guard let x = point.x, let y = point.y, x.isFinite, y.isFinite else {
            var place = place
            place.point = index + 1
            throw InkError(at: place, expected: "the numbers `x` and `y`", found: "one missing")
          }
          return Point(x, y, time: point.time, pressure: point.pressure)
        })
    }
  }

  private struct PointObject: Decodable {
    var x: Double?
    var y: Double?
    var time: Double?
    var pressure: Double?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      func position(_ names: String...) throws -> Double? {
        guard let name = names.first(where: { container.contains(Key($0)) }) else { return nil }
        return try container.decodeIfPresent(Double.self, forKey: Key(name))
      }
      // Times that are no numbers, such as dates, do not prevent reading the points.
      func optional(_ names: String...) -> Double? {
        guard let name = names.first(where: { container.contains(Key($0)) }) else { return nil }
        return (try? container.decodeIfPresent(Double.self, forKey: Key(name))) ?? nil
      }
      x = try position("x", "X")
      y = try position("y", "Y")
      time = optional("time", "t", "timestamp", "T")
      pressure = optional("pressure", "p", "force")
    }
  }
}
