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
    let camera = Camera(
      width: width, height: height, scale: scale,
      tilt: generator.uniform(0...Self.steepest), slope: generator.uniform(0...2 * Double.pi),
      turn: max(
        -Self.largestTurn,
        min(Self.largestTurn, generator.normal() * Self.largestTurn / 2.5)),
      distance: generator.uniform(1.2...2.2))
    let middle = bounds.center
    perspective = camera.map(about: middle)
    self.surface = surface
    let perspective = perspective
    strokes = drawing.strokes.map { Stroke($0.points.map(perspective.apply)) }

    let isBoard = surface == .whiteboard || surface == .blackboard
    // Half a millimetre for a ring of 2 to 3 cm; chalk and board pens are wider.
    let penWidth = max(1.6, scale * generator.uniform(isBoard ? 3...4.5 : 1.5...3.2))
    let look = Look(surface, using: &generator)
    var ink = CoverPlane(width: width, height: height)
    for stroke in strokes {
      let pressure = generator.uniform(0.85...1.1)
      let phase = generator.uniform(0...6.28)
      ink.draw(stroke) { along in
        let wave = sin(along / (14 * penWidth) + phase)
        return (penWidth * (pressure + 0.12 * wave), look.cover * (0.93 + 0.07 * wave))
      }
    }
    var paperLines = CoverPlane(width: width, height: height)
    if surface == .squared || surface == .ruled {
      // A ring of 70 points has about 25 mm.
      let spacing = (surface == .squared ? 14.0 : 24.0) * generator.uniform(0.8...1.3)
      let inverse = perspective.inverse
      let lineWidth = generator.uniform(0.5...1.1) / scale
      paperLines.fill { column, row in
        let place = inverse.apply(to: Vector(Double(column) + 0.5, Double(row) + 0.5))
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
    ink inkPlane: CoverPlane, paperLines: CoverPlane, using generator: inout SeededGenerator
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
