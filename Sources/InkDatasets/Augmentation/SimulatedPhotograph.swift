import Foundation
import Ink
import InkImageIO
import SeededRandom

/// A drawing as somebody would photograph it: ink on paper or a board, in uneven light and not quite
/// straight.
public struct SimulatedPhotograph: Sendable {
  /// The picture.
  public let photograph: Photograph
  /// Where the strokes are in the picture, in pixels.
  public let strokes: [Stroke]
  /// The map from the canvas of the drawing to the picture.
  public let perspective: Perspective
  /// What it was drawn on.
  public let surface: Surface

  /// What is drawn on.
  public enum Surface: String, CaseIterable, Sendable {
    /// White or yellowish paper without lines.
    case plain
    /// Paper with squares of 5 mm.
    case squared
    /// Paper with lines.
    case ruled
    /// A white board with coloured pens.
    case whiteboard
    /// A dark board with chalk.
    case blackboard
  }

  /// The steepest angle between the camera and the normal of the paper, in radians.
  static let steepest = 20 * Double.pi / 180
  /// The largest turn of the paper, in radians.
  static let largestTurn = 10 * Double.pi / 180

  /// Photographs `drawing` under conditions that `generator` chooses.
  ///
  /// - Precondition: the drawing has points.
  public init(of drawing: Drawing, using generator: inout SeededGenerator) {
    let bounds = drawing.bounds!
    let surface = generator.pick(
      [.plain, .plain, .plain, .squared, .squared, .ruled, .whiteboard, .blackboard] as [Surface])
    let columns = Int(generator.uniform(1200...2400))
    let isUpright = bounds.height > bounds.width
    let aspect = generator.pick([0.75, 0.75, 0.5625, 0.7])
    let (width, height) =
      isUpright
      ? (Int(Double(columns) * aspect), columns) : (columns, Int(Double(columns) * aspect))

    // The paper lies around the origin; the drawing fills 60 to 85 % of the picture.
    let share = generator.uniform(0.6...0.85)
    let scale =
      share * min(Double(width) / max(1, bounds.width), Double(height) / max(1, bounds.height))
    let camera = Camera(width: width, height: height, scale: scale, using: &generator)
    let middle = bounds.center
    perspective = camera.map(about: middle)
    self.surface = surface
    let perspective = perspective
    strokes = drawing.strokes.map { Stroke($0.points.map(perspective.apply)) }

    let isBoard = surface == .whiteboard || surface == .blackboard
    // Half a millimetre for a ring of 2 to 3 cm; chalk and board pens are wider.
    let penWidth = max(1.6, scale * generator.uniform(isBoard ? 3...4.5 : 1.5...3.2))
    let look = Look(surface, using: &generator)
    var ink = Plane(width: width, height: height)
    for stroke in strokes {
      let pressure = generator.uniform(0.85...1.1)
      let phase = generator.uniform(0...6.28)
      ink.draw(stroke) { along in
        let wave = sin(along / (14 * penWidth) + phase)
        return (penWidth * (pressure + 0.12 * wave), look.cover * (0.93 + 0.07 * wave))
      }
    }
    var paperLines = Plane(width: width, height: height)
    if surface == .squared || surface == .ruled {
      // A ring of 70 points has about 25 mm.
      let spacing = (surface == .squared ? 14.0 : 24.0) * generator.uniform(0.8...1.3)
      let inverse = perspective.inverse
      let lineWidth = generator.uniform(0.5...1.1) / scale
      paperLines.fill { column, row in
        let place = inverse.apply(to: Point(Double(column) + 0.5, Double(row) + 0.5))
        let down = abs((place.y - middle.y).remainder(dividingBy: spacing))
        let across =
          surface == .squared
          ? abs((place.x - middle.x).remainder(dividingBy: spacing)) : .infinity
        return max(0, min(1, (lineWidth - min(down, across)) * scale + 0.5))
      }
    }
    let blur = generator.uniform(0.4...1.1) * Double(columns) / 1600
    ink.blur(deviation: blur)
    paperLines.blur(deviation: blur)
    photograph = look.photograph(ink: ink, paperLines: paperLines, using: &generator)
  }
}

/// Where the camera is.
private struct Camera {
  let width: Int
  let height: Int
  /// Pixels for a canvas point, where the picture is sharpest.
  let scale: Double
  /// The angle to the normal of the paper, in radians, and the direction of the slope.
  let tilt: Double
  let slope: Double
  let turn: Double
  /// The distance to the paper, in longer sides of the picture.
  let distance: Double

  init(width: Int, height: Int, scale: Double, using generator: inout SeededGenerator) {
    (self.width, self.height, self.scale) = (width, height, scale)
    tilt = generator.uniform(0...SimulatedPhotograph.steepest)
    slope = generator.uniform(0...2 * Double.pi)
    let limit = SimulatedPhotograph.largestTurn
    turn = max(-limit, min(limit, generator.normal() * limit / 2.5))
    distance = generator.uniform(1.2...2.2)
  }

  /// The map from the canvas to the picture: the paper is turned, tilted around a line through
  /// `middle`, and seen from the distance.
  func map(about middle: Point) -> Perspective {
    let length = distance * Double(max(width, height))
    func seen(_ x: Double, _ y: Double) -> Point {
      let flat = Transform.rotation(turn).apply(to: Point(x * scale, y * scale))
      let along = flat.x * cos(slope) + flat.y * sin(slope)
      let beside = flat.y * cos(slope) - flat.x * sin(slope)
      let depth = 1 + along * sin(tilt) / length
      let (u, v) = (along * cos(tilt) / depth, beside / depth)
      return Point(
        u * cos(slope) - v * sin(slope) + Double(width) / 2,
        u * sin(slope) + v * cos(slope) + Double(height) / 2)
    }
    let corners = [(-100.0, -100.0), (100, -100), (100, 100), (-100, 100)]
    // Four corners of a square are never in line.
    return Perspective(
      from: corners.map { Point(middle.x + $0.0, middle.y + $0.1) },
      to: corners.map { seen($0.0, $0.1) })!
  }
}

/// Colours and light.
private struct Look {
  /// Red, green and blue, from 0 to 255.
  let paper: [Double]
  let ink: [Double]
  let lines: [Double]
  /// How much of the paper the ink covers.
  let cover: Double
  /// The light that is left in the darkest corner, and in a shadow with a soft edge.
  let dimmest: Double
  let shadow: Double?
  /// The deviation of the noise, and of the grain of a board.
  let noise: Double
  let grain: Double

  init(_ surface: SimulatedPhotograph.Surface, using generator: inout SeededGenerator) {
    func near(_ color: [Double], by range: Double) -> [Double] {
      color.map { min(255, max(0, $0 + generator.uniform(-range...range))) }
    }
    switch surface {
    case .plain, .squared, .ruled:
      let white = generator.uniform(205...245)
      let warmth = generator.uniform(0...20)
      paper = [white, white - warmth / 3, white - warmth]
      ink = near(
        generator.pick([
          [35, 45, 120], [30, 30, 35], [40, 40, 50], [90, 90, 95], [150, 40, 45],
        ]),
        by: 12)
      let share = generator.uniform(0.1...0.3)
      lines = zip(paper, generator.pick([[120.0, 150, 200], [150, 150, 150], [200, 150, 130]]))
        .map { $0 + ($1 - $0) * share * 2 }
      (cover, grain) = (generator.uniform(0.75...0.95), 0)
    case .whiteboard:
      paper = near([225, 228, 230], by: 12)
      ink = near(
        generator.pick([[30, 30, 40], [30, 60, 160], [180, 40, 50], [20, 120, 70]]), by: 10)
      lines = paper
      (cover, grain) = (generator.uniform(0.75...0.95), 1)
    case .blackboard:
      paper = near(generator.pick([[45, 70, 60], [40, 42, 45]]), by: 10)
      ink = near([225, 225, 215], by: 15)
      lines = paper
      (cover, grain) = (generator.uniform(0.65...0.9), 4)
    }
    dimmest = generator.uniform(0.55...1)
    shadow = generator.chance(0.3) ? generator.uniform(0.6...0.85) : nil
    noise = generator.uniform(1...5)
  }

  func photograph(
    ink inkPlane: Plane, paperLines: Plane, using generator: inout SeededGenerator
  ) -> Photograph {
    let (width, height) = (inkPlane.width, inkPlane.height)
    let direction = generator.uniform(0...2 * Double.pi)
    let (lightX, lightY) = (cos(direction), sin(direction))
    let edge = generator.uniform(-0.3...0.3)
    let shadowDirection = generator.uniform(0...2 * Double.pi)
    let softness = generator.uniform(0.01...0.08)
    var samples = [UInt8](repeating: 0, count: width * height * 3)
    for row in 0..<height {
      let y = Double(row) / Double(height) - 0.5
      for column in 0..<width {
        let x = Double(column) / Double(width) - 0.5
        var light = 1 - (1 - dimmest) * (0.5 + 0.7 * (x * lightX + y * lightY))
        if let shadow {
          let inside = (x * cos(shadowDirection) + y * sin(shadowDirection) - edge) / softness
          light *= shadow + (1 - shadow) / (1 + exp(-max(-40, min(40, inside))))
        }
        let index = row * width + column
        let (inkShare, lineShare) = (
          Double(inkPlane.values[index]), Double(paperLines.values[index])
        )
        let rough = grain > 0 ? grain * generator.normal() : 0
        let shake = noise * generator.normal()
        for channel in 0..<3 {
          let under = paper[channel] + (lines[channel] - paper[channel]) * lineShare + rough
          let value = (under + (ink[channel] - under) * inkShare) * light + shake
          samples[index * 3 + channel] = UInt8(max(0, min(255, value)))
        }
      }
    }
    return Photograph(width: width, height: height, channels: 3, samples: samples)
  }
}

/// How much of each pixel is covered, from 0 to 1, `[height, width]`.
private struct Plane {
  let width: Int
  let height: Int
  var values: [Float]

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    values = [Float](repeating: 0, count: width * height)
  }

  mutating func fill(_ share: (_ column: Int, _ row: Int) -> Double) {
    for row in 0..<height {
      for column in 0..<width { values[row * width + column] = Float(share(column, row)) }
    }
  }

  /// Draws `stroke`; `pen` gives its width and cover for a distance from its start, in pixels.
  mutating func draw(
    _ stroke: Stroke, pen: (_ along: Double) -> (width: Double, cover: Double)
  ) {
    var along = 0.0
    var last = stroke.points[0]
    for point in stroke.points {
      let (width, cover) = pen(along)
      mark(last, point, radius: width / 2, cover: cover)
      along += last.distance(to: point)
      last = point
    }
  }

  private mutating func mark(_ a: Point, _ b: Point, radius: Double, cover: Double) {
    let reach = radius + 1
    let (top, bottom) = (min(a.y, b.y) - reach, max(a.y, b.y) + reach)
    let (left, right) = (min(a.x, b.x) - reach, max(a.x, b.x) + reach)
    guard bottom >= 0, right >= 0, top < Double(height), left < Double(width) else { return }
    let segment = (x: b.x - a.x, y: b.y - a.y)
    let squared = segment.x * segment.x + segment.y * segment.y
    for row in max(0, Int(top))...min(height - 1, Int(bottom)) {
      for column in max(0, Int(left))...min(width - 1, Int(right)) {
        let (x, y) = (Double(column) + 0.5 - a.x, Double(row) + 0.5 - a.y)
        let share =
          squared > 0 ? max(0, min(1, (x * segment.x + y * segment.y) / squared)) : 0
        let (dx, dy) = (x - share * segment.x, y - share * segment.y)
        let distance = (dx * dx + dy * dy).squareRoot()
        let value = Float(cover * max(0, min(1, radius + 0.5 - distance)))
        let index = row * width + column
        if value > values[index] { values[index] = value }
      }
    }
  }

  /// Blurs with a Gaussian, first along rows, then along columns.
  mutating func blur(deviation: Double) {
    let reach = Int((3 * deviation).rounded(.up))
    let weights = (-reach...reach).map {
      Float(exp(-Double($0 * $0) / (2 * deviation * deviation)))
    }
    let sum = weights.reduce(0, +)
    var blurred = values
    func blur(step: Int, count: Int, place: (_ index: Int) -> Int) {
      for index in values.indices {
        let place = place(index)
        var total: Float = 0
        for offset in -reach...reach {
          let inside = max(-place, min(count - 1 - place, offset))
          total += weights[offset + reach] * values[index + inside * step]
        }
        blurred[index] = total / sum
      }
      swap(&values, &blurred)
    }
    let width = width
    blur(step: 1, count: width) { $0 % width }
    blur(step: width, count: height) { $0 / width }
  }
}
