import Foundation
import XMLTree

/// The gesture logs of the $1 and $N recognisers (Wobbrock, Wilson & Li 2007; Anthony & Wobbrock
/// 2012): one `<Gesture>` a file, with `<Point>`s directly below it or in `<Stroke>`s.
enum GestureXMLReader {
  /// Reads the gesture in `data`.
  static func read(_ data: Data, path: String) -> InkFile.Item {
    InkFile.Item(at: Place(file: path)) { _ throws(InkError) in
      let gesture = try XMLElementTree.root(of: data, path: path)
      guard gesture.name == "Gesture" else {
        throw gesture.error(in: path, expected: "<Gesture>", found: "<\(gesture.name)>")
      }
      let groups = gesture.children(named: "Stroke")
      let strokes = try (groups.isEmpty ? [gesture] : groups).enumerated().map {
        index, element throws(InkError) in
        Stroke(
          try element.children(named: "Point").enumerated().map {
            number, point throws(InkError) in
            try self.point(point, in: Place(file: path, stroke: index + 1, point: number + 1))
          })
      }
      guard strokes.contains(where: { !$0.points.isEmpty }) else {
        throw gesture.error(in: path, expected: "points", found: "none")
      }
      var attributes: [String: JSONValue] = [:]
      if let speed = gesture.attributes["Speed"] { attributes["speed"] = .text(speed.lowercased()) }
      return Recording(
        Drawing(strokes), label: gesture.attributes["Name"].flatMap(label),
        writer: gesture.attributes["Subject"], device: gesture.attributes["InputType"],
        attributes: attributes)
    }
  }

  /// `circle03` and `arrowhead~10` number the samples of one label.
  private static func label(_ name: String) -> String? {
    var label = name[...]
    while label.last?.isNumber == true { label = label.dropLast() }
    if label.last == "~" { label = label.dropLast() }
    return label.isEmpty ? nil : String(label)
  }

  private static func point(_ element: XMLElementTree, in place: Place) throws(InkError) -> Point {
    var place = place
    place.line = element.line
    func number(_ name: String) throws(InkError) -> Double? {
      guard let text = element.attributes[name] else { return nil }
      guard let value = Double(text), value.isFinite else {
        throw InkError(at: place, expected: "a finite number as \(name)", found: "`\(text)`")
      }
      return value
    }
    guard let x = try number("X"), let y = try number("Y") else {
      throw InkError(at: place, expected: "X and Y", found: "one of them missing")
    }
    let pressure = try number("Pressure")
    if let pressure, !(0...255).contains(pressure) {
      throw InkError(at: place, expected: "a Pressure from 0 to 255", found: "\(pressure)")
    }
    return Point(x, y, time: try number("T"), pressure: pressure.map { $0 / 255 })
  }
}
