import Foundation
import Ink
import SafeFiles
import SeededRandom

/// The rings, shafts and heads of one writer, recorded.
public struct PageShapes: Sendable {
  /// The source and the name.
  let name: String
  private let pieces: StrokeComposer.Pieces
  private let closed: [Stroke]

  /// Returns those of each writer of recordings with the labels `state` and `transition`.
  public static func all(in dataset: Dataset) -> [PageShapes] {
    var pieces: [String: StrokeComposer.Pieces] = [:]
    for example in dataset.examples {
      guard let hand = example.hand else { continue }
      pieces[hand, default: StrokeComposer.Pieces()].add(example)
    }
    return pieces.keys.sorted().compactMap { PageShapes($0, pieces[$0]!) }
  }

  /// Returns those of each writer of a data set that was read from a path.
  ///
  /// - Throws: `FileError` if there are none.
  public static func all(in dataset: Dataset, from path: String) throws(FileError) -> [PageShapes] {
    let shapes = all(in: dataset)
    guard !shapes.isEmpty else {
      throw FileError(
        path: path,
        expected: "rings and arrows with heads of a writer, with the labels state and transition",
        found: "none")
    }
    return shapes
  }

  private init?(_ name: String, _ pieces: StrokeComposer.Pieces) {
    self.name = name
    closed = pieces.rings.filter { ring in
      let bounds = Drawing([ring]).bounds
      return ring.chord < 0.12 * ring.length && (bounds?.width ?? 0) > 0
        && (bounds?.height ?? 0) > 0
    }
    guard !closed.isEmpty, !pieces.heads.isEmpty else { return nil }
    self.pieces = pieces
  }

  /// Returns a ring along an oval.
  func ring(_ oval: Oval, using generator: inout SeededGenerator) -> [Vector] {
    let ring = generator.pick(closed).resampled(count: 48)
    let bounds = Drawing([ring]).bounds!
    let (middle, round) = (bounds.center, 2 / oval.exponent)
    return ring.points.map { point in
      // A recorded ring is an ellipse: its angles are kept, and its distances scaled.
      var place = Vector(
        2 * (point.x - middle.x) / bounds.width, 2 * (point.y - middle.y) / bounds.height)
      if round < 1 {
        place = Vector(
          copysign(pow(abs(place.x), round), place.x), copysign(pow(abs(place.y), round), place.y))
      }
      return oval.center
        + Vector(place.x * oval.halfWidth, place.y * oval.halfHeight).turned(by: oval.angle)
    }
  }

  /// Returns a path with the deviations of a recorded shaft.
  func line(_ path: [Vector], using generator: inout SeededGenerator) -> [Vector] {
    guard !pieces.shafts.isEmpty else { return path }
    return Stroke(through: path).trembling(like: generator.pick(pieces.shafts)).points
      .map { Vector($0) }
  }

  /// Returns the strokes of a head with its tip at a place.
  func head(
    tip: Vector, direction: Double, length: Double, using generator: inout SeededGenerator
  ) -> [[Vector]] {
    generator.pick(pieces.heads).strokes.map { stroke in
      stroke.map { tip + (Vector($0) * length).turned(by: direction) }
    }
  }
}

extension Stroke {
  /// Returns the stroke with the deviations of another one, which is about straight.
  fileprivate func trembling(like model: Stroke) -> Stroke {
    guard model.chord > 0, let first = model.points.first, let last = model.points.last else {
      return self
    }
    let straighten = Transform.translation(x: -first.x, y: -first.y)
      .then(.rotation(-atan2(last.y - first.y, last.x - first.x)))
      .then(.scale(x: 1 / model.chord, y: 1 / model.chord))
    let even = resampled(count: 101)
    let length = even.length
    // The deviations of a hand do not grow with long lines.
    let scale = 0.5 * min(length, 160)
    return Stroke(
      model.resampled(spacing: model.length / 48).points.map { point in
        let straight = straighten.apply(to: point)
        let position = min(100, max(0, 100 * straight.x))
        let index = min(99, Int(position))
        let (a, b) = (even.points[index], even.points[index + 1])
        let step = max(1e-9, a.distance(to: b))
        let place = a.interpolated(to: b, fraction: position - Double(index))
        let side = scale * straight.y
        return Point(place.x - side * (b.y - a.y) / step, place.y + side * (b.x - a.x) / step)
      })
  }
}
