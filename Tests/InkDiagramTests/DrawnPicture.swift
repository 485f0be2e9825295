import Foundation
import Ink
import InkDiagram
import InkRaster
import SeededRandom

/// A photograph of strokes and of areas that are filled with ink, with paper around them.
struct DrawnPicture: DiagramPicture {
  let page: Bitmap
  private let drawing: Drawing
  /// The place in the drawing of the upper left corner of the page.
  private let corner: Vector
  private var quarters = 0

  private static let border = 120.0
  private static let penRadius = 2.0
  private static let (paper, ink) = (225.0, 50.0)

  init(drawing: Drawing, filled: [[Point]] = []) {
    let bounds = drawing.bounds!
    let corner = Vector(bounds.minX - Self.border, bounds.minY - Self.border)
    let (width, height) = (
      Int(bounds.width + 2 * Self.border), Int(bounds.height + 2 * Self.border)
    )
    var coverage = [Double](repeating: 0, count: width * height)
    for point in drawing.strokes.flatMap(\.points) {
      let (x, y) = (point.x - corner.x, point.y - corner.y)
      for row in Int(y) - 4...Int(y) + 4 {
        for column in Int(x) - 4...Int(x) + 4 {
          let apart = hypot(Double(column) + 0.5 - x, Double(row) + 0.5 - y)
          let index = row * width + column
          coverage[index] = max(coverage[index], min(1, Self.penRadius + 0.5 - apart))
        }
      }
    }
    var random = SeededGenerator(seed: 1)
    (self.corner, self.drawing) = (corner, drawing)
    page = Bitmap(
      width: width, height: height,
      pixels: coverage.enumerated().map { index, share in
        let (row, column) = index.quotientAndRemainder(dividingBy: width)
        let place = Point(Double(column) + 0.5 + corner.x, Double(row) + 0.5 + corner.y)
        let isFilled = filled.contains { Self.isInside(place, $0) }
        let grey = Self.paper + (Self.ink - Self.paper) * (isFilled ? 1 : share)
        return UInt8(max(0, min(255, grey + 2 * random.normal())))
      })
  }

  /// The page itself, without what is beside the cells.
  func strip(
    ofCells cells: [Vector], besides others: [Vector], cellSize: Double, turnedBy angle: Double
  ) -> Bitmap? {
    var strip = Bitmap(width: page.width, height: page.height)
    for place in cells.map(pixel) {
      let rows = Int(max(0, place.y - cellSize))..<min(page.height, Int(place.y + cellSize) + 1)
      let columns = Int(max(0, place.x - cellSize))..<min(page.width, Int(place.x + cellSize) + 1)
      for row in rows {
        for column in columns {
          let middle = Vector(Double(column) + 0.5, Double(row) + 0.5)
          guard place.distance(to: middle) <= cellSize else { continue }
          strip[row, column] = 255 - page[row, column]
        }
      }
    }
    return strip
  }

  var uprightDrawing: Drawing { drawing.transformed(by: turn(quarters)) }

  func turned(byQuarters quarters: Int) -> DrawnPicture {
    var turned = self
    turned.quarters = (self.quarters + quarters) % 4
    return turned
  }

  private func turn(_ quarters: Int) -> Transform { .rotation(Double(quarters) * .pi / 2) }

  func drawingPlace(ofPixel pixel: Vector) -> Vector {
    let place = pixel + corner
    return Vector(turn(quarters).apply(to: Point(place.x, place.y)))
  }

  func pixel(at place: Vector) -> Vector {
    Vector(turn(-quarters).apply(to: Point(place.x, place.y))) - corner
  }

  /// Whether a place is on the same side of all sides of a convex area.
  private static func isInside(_ place: Point, _ corners: [Point]) -> Bool {
    let sides = zip(corners, corners.dropFirst() + corners.prefix(1)).map { a, b in
      (b.x - a.x) * (place.y - a.y) - (b.y - a.y) * (place.x - a.x)
    }
    return sides.allSatisfy { $0 > 0 } || sides.allSatisfy { $0 < 0 }
  }
}
