import Foundation
import Ink
import InkImageIO
import SeededRandom

/// Strokes and what they are drawn on, rendered as a camera would see them.
struct Scene {
  var width = 480
  var height = 360
  var strokes: [Stroke] = []
  /// Polygons that are filled with ink.
  var fills: [[Point]] = []
  /// Strokes with this share of the contrast of the ink.
  var pale: (strokes: [Stroke], share: Double) = ([], 0)
  var penWidth = 3.0
  var ink: (Double, Double, Double) = (40, 45, 60)
  var paper: (Double, Double, Double) = (235, 232, 225)
  /// The distance of the lines of squared paper, and how much darker they are.
  var grid: (spacing: Double, contrast: Double)?
  /// The angle of the lines of the paper, in radians.
  var gridAngle = 0.0
  /// How much light is left in the darkest corner.
  var dimmest = 1.0
  /// The deviation of the noise.
  var noise = 2.0
  var seed: UInt64 = 1

  /// Returns the picture, with soft edges of one pixel.
  func photograph() -> Photograph {
    var coverage = [Double](repeating: 0, count: width * height)
    func cover(_ a: Point, _ b: Point, by strength: Double = 1) {
      let reach = penWidth / 2 + 1
      let rows = max(0, Int(min(a.y, b.y) - reach))...min(height - 1, Int(max(a.y, b.y) + reach))
      let columns = max(0, Int(min(a.x, b.x) - reach))...min(width - 1, Int(max(a.x, b.x) + reach))
      for row in rows {
        for column in columns {
          let pixel = Point(Double(column) + 0.5, Double(row) + 0.5)
          let share = strength * min(1, max(0, penWidth / 2 + 0.5 - Self.distance(pixel, a, b)))
          coverage[row * width + column] = max(coverage[row * width + column], share)
        }
      }
    }
    for stroke in strokes {
      for (a, b) in zip(stroke.points, stroke.points.dropFirst()) { cover(a, b) }
      if stroke.points.count == 1 { cover(stroke.points[0], stroke.points[0]) }
    }
    for stroke in pale.strokes {
      for (a, b) in zip(stroke.points, stroke.points.dropFirst()) { cover(a, b, by: pale.share) }
    }
    for polygon in fills {
      for row in 0..<height {
        for column in 0..<width
        where Self.contains(polygon, Point(Double(column) + 0.5, Double(row) + 0.5)) {
          coverage[row * width + column] = 1
        }
      }
    }
    var random = SeededGenerator(seed: seed)
    var samples = [UInt8](repeating: 0, count: width * height * 3)
    let (bright, dark) = ([paper.0, paper.1, paper.2], [ink.0, ink.1, ink.2])
    for row in 0..<height {
      for column in 0..<width {
        let share = coverage[row * width + column]
        let across = Double(column) / Double(width) * Double(row) / Double(height)
        var light = 1 - (1 - dimmest) * across
        if let grid {
          let (x, y) = (Double(column), Double(row))
          let (along, down) = (
            x * cos(gridAngle) + y * sin(gridAngle), y * cos(gridAngle) - x * sin(gridAngle)
          )
          let near = min(
            abs(along.remainder(dividingBy: grid.spacing)),
            abs(down.remainder(dividingBy: grid.spacing)))
          light *= 1 - grid.contrast * max(0, 1 - near / 1.2)
        }
        let shake = noise * random.normal()
        for channel in 0..<3 {
          let value = (bright[channel] + (dark[channel] - bright[channel]) * share) * light + shake
          samples[(row * width + column) * 3 + channel] = UInt8(max(0, min(255, value)))
        }
      }
    }
    return Photograph(width: width, height: height, channels: 3, samples: samples)
  }

  static func distance(_ point: Point, _ a: Point, _ b: Point) -> Double {
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let squared = dx * dx + dy * dy
    guard squared > 0 else { return point.distance(to: a) }
    let along = max(0, min(1, ((point.x - a.x) * dx + (point.y - a.y) * dy) / squared))
    return point.distance(to: Point(a.x + dx * along, a.y + dy * along))
  }

  static func distance(_ point: Point, to strokes: [Stroke]) -> Double {
    strokes.reduce(.infinity) { least, stroke in
      let points = stroke.points
      guard let first = points.first else { return least }
      var least = min(least, point.distance(to: first))
      for end in points.indices.dropFirst() {
        least = min(least, distance(point, points[end - 1], points[end]))
      }
      return least
    }
  }

  private static func contains(_ polygon: [Point], _ point: Point) -> Bool {
    var isInside = false
    for (a, b) in zip(polygon, polygon.dropFirst() + [polygon[0]])
    where (a.y > point.y) != (b.y > point.y)
      && point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x
    {
      isInside.toggle()
    }
    return isInside
  }

  // MARK: Strokes

  static func ring(_ x: Double, _ y: Double, radius: Double, squash: Double = 1) -> Stroke {
    Stroke(
      (0...72).map { index in
        let angle = 2 * Double.pi * Double(index) / 72
        return Point(x + radius * cos(angle), y + radius * squash * sin(angle))
      })
  }

  static func line(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) -> Stroke {
    Stroke([Point(x0, y0), Point(x1, y1)])
  }

  /// A bow through three points.
  static func bow(_ a: Point, _ b: Point, _ c: Point) -> Stroke {
    Stroke(
      (0...40).map { index in
        let t = Double(index) / 40
        let (p, q, r) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
        return Point(p * a.x + q * b.x + r * c.x, p * a.y + q * b.y + r * c.y)
      })
  }

  /// Two rings with an arrow, lines that cross at `angle`, and a loop.
  static func automaton(random: inout SeededGenerator) -> (scene: Scene, crossing: [Stroke]) {
    var scene = Scene()
    scene.seed = random.next()
    let turn = random.uniform(0...Double.pi)
    let angle = random.uniform(0.45...1.57)
    let center = Point(240 + random.uniform(-20...20), 260 + random.uniform(-15...15))
    let crossing = [turn, turn + angle].map { direction in
      let (x, y) = (70 * cos(direction), 70 * sin(direction))
      let bend = random.uniform(-15...15)
      return bow(
        Point(center.x - x, center.y - y),
        Point(center.x - bend * sin(direction), center.y + bend * cos(direction)),
        Point(center.x + x, center.y + y))
    }
    let radius = random.uniform(28...40)
    let (left, right) = (90 + random.uniform(-10...10), 380 + random.uniform(-10...10))
    let y = 110 + random.uniform(-10...10)
    let tip = right - radius
    scene.strokes =
      [
        ring(left, y, radius: radius, squash: random.uniform(0.85...1)),
        ring(right, y, radius: radius), ring(right, y, radius: radius - 9),
        line(left + radius, y, tip, y), line(tip, y, tip - 20, y - 12),
        line(tip, y, tip - 20, y + 12),
        bow(Point(80, 330), Point(60, 270), Point(110, 230)),
      ] + crossing
    scene.penWidth = random.uniform(2.4...4.5)
    return (scene, crossing)
  }
}
