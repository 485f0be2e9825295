import Foundation
import XMLTree

/// The whiteboard recordings of the IAM On-Line Handwriting Database (Liwicki & Bunke 2005): a
/// `<StrokeSet>` of `<Stroke>`s with `<Point>`s, whose times are in seconds.
///
/// Coordinates count from the corner with the sensor. The label is the transcription, which the files
/// of single lines lack.
enum WhiteboardReader {
  /// Reads the drawing in `data`.
  static func read(_ data: Data, path: String) -> InkFile.Item {
    InkFile.Item(at: Place(file: path)) { ignored throws(InkError) in
      let root = try XMLElementTree.root(of: data, path: path)
      let isSession = root.name == "WhiteboardCaptureSession"
      guard let set = isSession ? root.children(named: "StrokeSet").first : root else {
        throw root.error(in: path, expected: "<StrokeSet>", found: "none")
      }
      let corner = root.first("WhiteboardDescription", "SensorLocation")?.attributes["corner"]
      let right = corner?.hasSuffix("right") == true ? -1.0 : 1
      let down = corner?.hasPrefix("bottom") == true ? -1.0 : 1
      let strokes = try set.children(named: "Stroke").enumerated().map {
        index, element throws(InkError) in
        Stroke(
          try element.children(named: "Point").enumerated().map {
            number, point throws(InkError) in
            let place = Place(
              file: path, line: point.line, stroke: index + 1, point: number + 1)
            let time = point.attributes["time"].flatMap(Double.init)
            if time?.isFinite != true, point.attributes["time"] != nil {
              ignored.add("times that are no numbers")
            }
            return Point(
              right * (try coordinate("x", of: point, in: place)),
              down * (try coordinate("y", of: point, in: place)),
              time: time.flatMap { ($0 * 1000).isFinite ? $0 * 1000 : nil })
          })
      }
      guard strokes.contains(where: { !$0.points.isEmpty }) else {
        throw set.error(in: path, expected: "strokes with points", found: "none")
      }
      return Recording(
        Drawing(strokes), label: transcription(of: root),
        writer: root.first("General", "Form")?.attributes["writerID"])
    }
  }

  private static func coordinate(
    _ name: String, of point: XMLElementTree, in place: Place
  ) throws(InkError) -> Double {
    guard let text = point.attributes[name] else {
      throw InkError(at: place, expected: "x and y", found: "no \(name)")
    }
    guard let value = Double(text), value.isFinite else {
      throw InkError(at: place, expected: "a finite number as \(name)", found: "`\(text)`")
    }
    return value
  }

  private static func transcription(of root: XMLElementTree) -> String? {
    if let text = root.first("Transcription", "Text")?.trimmedText, !text.isEmpty { return text }
    let lines = root.first("Transcription")?.children(named: "TextLine")
      .compactMap { $0.attributes["text"] }
    return lines.flatMap { $0.isEmpty ? nil : $0.joined(separator: "\n") }
  }
}

extension XMLElementTree {
  /// The first element below this one at the end of a path of names.
  fileprivate func first(_ names: String...) -> XMLElementTree? {
    names.reduce(self as XMLElementTree?) { $0?.children(named: $1).first }
  }
}
