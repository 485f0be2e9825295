import Foundation
import Ink
import InkRaster
import SeededRandom

extension Augmentation {
  /// Returns the line of one random variation of `example`.
  ///
  /// - Throws: `FileError` with the origin if there is no such picture.
  public func line(
    of example: Example, rasterizer: LineRasterizer, using generator: inout SeededGenerator
  ) throws -> LineImage {
    guard self != .none else { return try example.line(rasterizer) }
    var example = example
    var rasterizer = rasterizer
    switch example.content {
    case .drawing(let drawing):
      rasterizer = try rasterizer.with(penWidth: penWidths.map { generator.uniform($0) })
      let varied = vary(drawing, using: &generator)
      example.content = .drawing(disturb(varied, using: &generator))
    case .bitmap(let strip), .strip(let strip):
      example.content = .strip(vary(strip: strip, using: &generator))
    case .series: break
    }
    // Trainings without directions keep their random numbers.
    let hidesDirections =
      rasterizer.showsDirections && hiddenDirections > 0 && generator.chance(hiddenDirections)
    return try example.line(rasterizer, hidesDirections: hidesDirections)
  }

  /// Returns a line of writing with some strokes broken or doubled, and with remains of what is
  /// beside it.
  func disturb(_ line: Drawing, using generator: inout SeededGenerator) -> Drawing {
    guard let bounds = line.bounds, bounds.longerSide > 0 else { return line }
    // The height of a word, or the longer side of a dash.
    let size = max(bounds.height, bounds.width / 4)
    var strokes = line.strokes
    if coarseness > 0, generator.chance(coarseness) {
      if generator.chance(0.5) {
        let cell = size / generator.uniform(10...32)
        strokes = strokes.map { $0.snapped(to: cell) }
      } else {
        let spacing = size * generator.uniform(0.06...0.25)
        strokes = strokes.map { $0.resampled(spacing: spacing) }
      }
    }
    if breaks > 0, generator.chance(breaks) {
      for _ in 0...generator.index(below: 2) {
        let index = generator.index(below: strokes.count)
        let parts = strokes[index].broken(
          at: generator.uniform(0.15...0.85), gap: generator.uniform(0.02...0.1) * size)
        strokes.replaceSubrange(index...index, with: parts)
      }
    }
    if doubling > 0, generator.chance(doubling) {
      for _ in 0...generator.index(below: 2) {
        let stroke = strokes[generator.index(below: strokes.count)]
        let place = Transform.translation(
          x: 0.02 * size * generator.normal(), y: 0.02 * size * generator.normal())
        strokes.append(
          Stroke(stroke.points.map(place.apply))
            .shortened(by: generator.uniform(0...0.4) * stroke.length))
      }
    }
    if remains > 0, generator.chance(remains) {
      for _ in 0...generator.index(below: 2) {
        strokes.append(
          Remain(size: size, using: &generator).stroke(around: bounds, using: &generator))
      }
    }
    return Drawing(strokes)
  }
}

extension Stroke {
  /// Returns the stroke on the points of a square grid.
  fileprivate func snapped(to cell: Double) -> Stroke {
    Stroke(
      points.map { point in
        var snapped = point
        snapped.x = (point.x / cell).rounded() * cell
        snapped.y = (point.y / cell).rounded() * cell
        return snapped
      })
  }

  /// Returns the two parts of the stroke beside a gap, whose middle is at a share of the length.
  ///
  /// A stroke that is shorter than three gaps stays whole.
  fileprivate func broken(at share: Double, gap: Double) -> [Stroke] {
    let length = length
    guard length > 3 * gap else { return [self] }
    let end = min(length - gap / 2, max(gap / 2, share * length))
    return [
      reversed().shortened(by: length - end + gap / 2).reversed(), shortened(by: end + gap / 2),
    ]
  }
}

/// A piece of ink at the border of a line: of a state's ring around it, or of a neighbour.
struct Remain {
  private let points: [Point]
  private let side: Double

  /// Chooses a piece for a line of writing of the height `size`.
  init(size: Double, using generator: inout SeededGenerator) {
    // A part of a ring with its middle at angle 0, or a hook of a neighbour's letter.
    let isRing = generator.chance(0.6)
    let radius = size * (isRing ? generator.uniform(0.9...2.5) : generator.uniform(0.1...0.4))
    let length = size * (isRing ? generator.uniform(0.2...0.8) : generator.uniform(0.2...0.5))
    let half = min(.pi * 0.8, length / radius / 2)
    let turn = isRing ? 0 : generator.uniform(-.pi ... .pi)
    points = (0...8).map { step in
      let angle = half * (Double(step) / 4 - 1) + turn
      return Point(radius * (cos(angle) - cos(turn)), radius * (sin(angle) - sin(turn)))
    }
    side = size
  }

  /// Returns the piece beside a line of writing: mostly to the left or right of it.
  func stroke(around bounds: Bounds, using generator: inout SeededGenerator) -> Stroke {
    let gap = side * generator.uniform(0.12...0.45)
    let (width, height) = (bounds.width / 2 + gap, bounds.height / 2 + gap)
    let along = generator.uniform(-0.5...0.5)
    let place: Transform =
      switch generator.index(below: 6) {
      case 0, 1: .translation(x: width, y: along * bounds.height)
      case 2, 3: Transform.rotation(.pi).then(.translation(x: -width, y: along * bounds.height))
      case 4: Transform.rotation(.pi / 2).then(.translation(x: along * bounds.width, y: height))
      default:
        Transform.rotation(-.pi / 2).then(.translation(x: along * bounds.width, y: -height))
      }
    let all = place.then(.translation(x: bounds.center.x, y: bounds.center.y))
    return Stroke(points.map(all.apply))
  }
}
