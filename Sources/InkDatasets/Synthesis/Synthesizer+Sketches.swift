import Foundation
import Ink
import SeededRandom

/// A drawing of several elements at their positions on the canvas.
public struct Sketch: Hashable, Sendable {
  /// An element.
  public enum Element: Hashable, Sendable {
    /// A ring.
    case ring(center: Point, radius: Double)
    /// A line that sags by a share of its length, with or without a head.
    case line(from: Point, to: Point, sag: Double = 0, hasHead: Bool = true)
    /// A loop at a ring, `angle` radians from the x axis, clockwise on screen.
    case loop(center: Point, radius: Double, angle: Double)
  }

  /// The elements in drawing order.
  public var elements: [Element]

  /// Creates a sketch.
  public init(_ elements: [Element]) { self.elements = elements }
}

extension Synthesizer {
  /// The pauses between two elements, in milliseconds; within an element they are shorter.
  private static let pauses = 1000.0...2500

  /// Returns the strokes of `sketch`, drawn by writer number `writer`, from 0, with small
  /// deviations.
  public func drawing(of sketch: Sketch, writer: Int) -> Drawing {
    var habits = SeededGenerator(seed: seed, stream: 1, UInt64(writer))
    let hand = Hand(using: &habits)
    var generator = SeededGenerator(seed: seed, stream: 3, UInt64(writer))
    var time = 0.0
    var strokes: [Stroke] = []
    for element in sketch.elements {
      let shape = Shape.element(element, hand, using: &generator)
      let drawing = HandMovement(hand).draw(shape, using: &generator)
      for stroke in drawing.strokes {
        strokes.append(
          Stroke(
            stroke.points.map {
              Point($0.x, $0.y, time: $0.time.map { time + $0 })
            }))
      }
      time = (strokes.last?.points.last?.time ?? time) + generator.uniform(Self.pauses).rounded()
    }
    return Drawing(strokes)
  }
}

extension Shape {
  /// Returns an element at its position, in canvas points.
  fileprivate static func element(
    _ element: Sketch.Element, _ hand: Hand, using generator: inout SeededGenerator
  ) -> Shape {
    func shaken(_ place: Point, _ most: Double) -> Point {
      Point(
        place.x + generator.uniform(-most...most), place.y + generator.uniform(-most...most))
    }
    let strokes: [[[Point]]]
    let transform: Transform
    switch element {
    case .ring(let center, let radius):
      strokes = state(hand, using: &generator).strokes
      let size = 2 * radius * exp(0.04 * generator.normal())
      let place = shaken(center, 0.05 * radius)
      transform = Transform.scale(
        x: size * hand.roundness.squareRoot(), y: size / hand.roundness.squareRoot()
      )
      .then(.translation(x: place.x, y: place.y))
    case .line(let start, let end, let sag, let hasHead):
      let line = bow(sag: sag * exp(0.1 * generator.normal()) + 0.01 * generator.normal())
      let (from, to) = (shaken(start, 8), shaken(end, 8))
      let length = from.distance(to: to)
      // The size of a head does not depend on the length of its line.
      let size = min(1, 110 / max(1, length))
      strokes =
        hasHead ? withHead(line, length: size, hand, using: &generator) : [[line]]
      transform = Transform.scale(x: length, y: length)
        .then(.rotation(atan2(to.y - from.y, to.x - from.x)))
        .then(.translation(x: (from.x + to.x) / 2, y: (from.y + to.y) / 2))
    case .loop(let center, let radius, let angle):
      let cycle = cycle(hand, using: &generator)
      let line = cycle.strokes[0][0]
      let (first, last) = (line[0], line[line.count - 1])
      let middle = line.reduce(Point(0, 0)) {
        Point($0.x + $1.x / Double(line.count), $0.y + $1.y / Double(line.count))
      }
      let base = Point((first.x + last.x) / 2, (first.y + last.y) / 2)
      let outward = atan2(middle.y - base.y, middle.x - base.x)
      let size = radius * generator.uniform(1...1.5)
      let reach = radius * generator.uniform(1...1.12)
      strokes = cycle.strokes
      transform = Transform.translation(x: -base.x, y: -base.y).then(.rotation(angle - outward))
        .then(.scale(x: size, y: size))
        .then(.translation(x: center.x + reach * cos(angle), y: center.y + reach * sin(angle)))
    }
    return Shape(
      kind: "sign", strokes: strokes.map { $0.map { $0.map(transform.apply) } }, stance: .fixed)
  }
}
