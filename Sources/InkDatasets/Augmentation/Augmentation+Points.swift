import Foundation
import Ink
import SeededRandom

extension Augmentation {
  /// Returns a random variation of `drawing` of about the same size, centred near the origin.
  public func vary(_ drawing: Drawing, using generator: inout SeededGenerator) -> Drawing {
    guard let bounds = drawing.bounds, bounds.longerSide > 0, bounds.longerSide.isFinite else {
      return drawing
    }
    let center = bounds.center
    let size = bounds.longerSide
    let distortion = Distortion(self, using: &generator)
    let isCoarse = spacing > 0 && generator.chance(0.5)
    let apart = isCoarse ? generator.uniform(0.01...max(0.01, spacing)) * size : nil
    let strokes = drawing.strokes.map { stroke in
      var ends = changeEnds(of: stroke, using: &generator)
      if let apart { ends = ends.resampled(spacing: apart) }
      var shake = Tremor(amplitude: tremor * generator.uniform(), using: &generator)
      return Stroke(
        ends.points.map { point in
          var unit = point
          unit.x = (point.x - center.x) / size
          unit.y = (point.y - center.y) / size
          let moved = shake.apply(to: distortion.apply(to: unit), from: unit, using: &generator)
          var result = point
          result.x = moved.x * size
          result.y = moved.y * size
          return result
        })
    }
    return Drawing(strokes)
  }

  /// Shortens or lengthens both ends of a stroke.
  private func changeEnds(of stroke: Stroke, using generator: inout SeededGenerator) -> Stroke {
    guard trim > 0 || overshoot > 0 else { return stroke }
    var stroke = stroke
    let length = stroke.length
    for _ in 0..<2 {
      let change = generator.uniform(-trim...overshoot) * length
      stroke = (change < 0 ? stroke.shortened(by: -change) : stroke.lengthened(by: change))
        .reversed()
    }
    return stroke
  }
}

/// The tremor of a hand: a smooth, mean-reverting random walk along the ink.
private struct Tremor {
  private let amplitude: Double
  private var x = 0.0
  private var y = 0.0
  private var last: Point?

  init(amplitude: Double, using generator: inout SeededGenerator) {
    self.amplitude = amplitude
    x = generator.normal()
    y = generator.normal()
  }

  /// Moves a point; the distance between `unit`, the point before distortion, and the last one
  /// determines how much of the deviation decays.
  mutating func apply(
    to point: Point, from unit: Point, using generator: inout SeededGenerator
  ) -> Point {
    guard amplitude > 0 else { return point }
    let keep = exp(-(last?.distance(to: unit) ?? 0) / 0.08)
    let fresh = (1 - keep * keep).squareRoot()
    x = keep * x + fresh * generator.normal()
    y = keep * y + fresh * generator.normal()
    last = unit
    var moved = point
    moved.x += amplitude * x
    moved.y += amplitude * y
    return moved
  }
}

extension Stroke {
  /// Returns the stroke without the first `length` canvas points of its path.
  func shortened(by length: Double) -> Stroke {
    var walked = 0.0
    for (index, (a, b)) in zip(points, points.dropFirst()).enumerated() {
      let segment = a.distance(to: b)
      if walked + segment > length, segment > 0 {
        let start = a.interpolated(to: b, fraction: (length - walked) / segment)
        return Stroke([start] + points[(index + 1)...])
      }
      walked += segment
    }
    return self
  }

  /// Returns the stroke with a straight extension of `length` canvas points at its start.
  func lengthened(by length: Double) -> Stroke {
    guard let first = points.first,
      let next = points.first(where: { $0.distance(to: first) > 0 })
    else { return self }
    let scale = -length / first.distance(to: next)
    let start = first.interpolated(to: next, fraction: scale)
    return Stroke([start] + points)
  }
}
