import Foundation

/// The scenes of Excalidraw and its libraries: the `freedraw` elements, in which points are relative to
/// `x` and `y`.
///
/// A stroke's number in errors is that of its element.
enum ExcalidrawReader {
  /// Reads the drawing in `data`.
  static func read(_ data: Data, path: String) -> InkFile.Item {
    let place = Place(file: path)
    return InkFile.Item(at: place) { ignored throws(InkError) in
      let scene = try Scene(inkJSON: data, at: place, point: 1)
      var strokes: [Stroke] = []
      var others = Set<String>()
      for (number, element) in scene.elements.enumerated() {
        if element.isDeleted {
          ignored.add("deleted elements")
        } else if let ink = element.ink {
          strokes.append(try ink.stroke(in: Place(file: path, stroke: number + 1)))
        } else {
          others.insert(element.type)
        }
      }
      let names = others.sorted().prefix(10).map { "`\($0)`" }.joined(separator: ", ")
      if !others.isEmpty { ignored.add("elements of the type \(names)") }
      guard strokes.contains(where: { !$0.points.isEmpty }) else {
        throw InkError(
          at: place, expected: "`freedraw` elements",
          found: others.isEmpty ? "none" : "elements of the type \(names)")
      }
      return Recording(ignored.removingWrongPressures(of: Drawing(strokes)))
    }
  }

  private struct Scene: Decodable {
    var elements: [Element]

    private enum Key: CodingKey { case elements, library, libraryItems }
    private struct LibraryItem: Decodable { var elements: [Element] }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      if let items = try container.decodeIfPresent([LibraryItem].self, forKey: .libraryItems) {
        elements = items.flatMap(\.elements)
      } else if let items = try container.decodeIfPresent([[Element]].self, forKey: .library) {
        elements = items.flatMap { $0 }
      } else {
        elements = try container.decode([Element].self, forKey: .elements)
      }
    }
  }

  private struct Element: Decodable {
    var type: String
    var isDeleted: Bool
    var ink: Ink?

    private enum Key: CodingKey { case type, isDeleted }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      type = try container.decode(String.self, forKey: .type)
      isDeleted = (try? container.decode(Bool.self, forKey: .isDeleted)) ?? false
      // Files before 2021 call it `draw`.
      if !isDeleted, type == "freedraw" || type == "draw" { ink = try Ink(from: decoder) }
    }
  }

  private struct Ink: Decodable {
    var x: Double
    var y: Double
    /// In radians, clockwise, about the middle of the element.
    var angle: Double?
    var points: [[Double?]]
    var pressures: [Double?]?

    func stroke(in place: Place) throws(InkError) -> Stroke {
      var points: [Point] = []
      for (index, position) in self.points.enumerated() {
        guard position.count >= 2, let right = position[0], let down = position[1],
          (x + right).isFinite, (y + down).isFinite
        else {
          var place = place
          place.point = index + 1
          throw InkError(at: place, expected: "two finite coordinates", found: "others")
        }
        let pressure = pressures.flatMap { index < $0.count ? $0[index] : nil }
        points.append(Point(x + right, y + down, pressure: pressure))
      }
      let drawing = Drawing([Stroke(points)])
      guard let angle, angle != 0, angle.isFinite, let center = drawing.bounds?.center else {
        return drawing.strokes[0]
      }
      return drawing.transformed(by: .rotation(angle).about(center)).strokes[0]
    }
  }
}
