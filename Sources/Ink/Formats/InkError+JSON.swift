import Foundation
import JSONReading

extension Decodable {
  /// Decodes the JSON in `data`.
  ///
  /// `strokes` and `points` say which of the numbers in the path of an error, counted from 0, are
  /// those of the stroke and of the point.
  ///
  /// - Throws: `InkError` with the place of the stroke and point.
  init(
    inkJSON data: Data, at place: Place, stroke: Int = 0, point: Int
  ) throws(InkError) {
    do {
      try self.init(json: data)
    } catch let error as DecodingError {
      throw error.inkError(at: place, stroke: stroke, point: point)
    } catch {
      throw InkError(at: place, expected: "a JSON object", found: "\(error)")
    }
  }
}

extension DecodingError {
  /// Returns the error as an `InkError` with its place in the drawing.
  ///
  /// `stroke` and `point` say which of the indices in the error's path, counted from 0, are those of
  /// the stroke and of the point.
  func inkError(at place: Place, stroke: Int, point: Int) -> InkError {
    func located(_ context: Context) -> Place {
      var place = place
      let indices = context.codingPath.compactMap(\.intValue)
      if indices.count > stroke { place.stroke = indices[stroke] + 1 }
      if indices.count > point { place.point = indices[point] + 1 }
      return place
    }
    func name(_ context: Context) -> String {
      let keys = context.codingPath.filter { $0.intValue == nil }
      return keys.last.map { "`\($0.stringValue)`" } ?? "the \(place.line == nil ? "file" : "line")"
    }
    switch self {
    case .keyNotFound(let key, let context):
      return InkError(
        at: located(context), expected: "the key `\(key.stringValue)`", found: "none such")
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return InkError(
        at: located(context), expected: "\(Self.word(for: type)) in \(name(context))",
        found: "a value of another kind")
    case .dataCorrupted(let context):
      return InkError(
        at: located(context), expected: "a complete JSON object with numbers that fit",
        found: "something else in \(name(context))")
    @unknown default:
      return InkError(at: place, expected: "a recording in JSON", found: "something else")
    }
  }

  private static func word(for type: Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Double.Type: "a number"
    case is [String: Any].Type: "an object"
    default: "a list"
    }
  }
}
