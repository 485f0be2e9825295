import Foundation
import Ink
import InkDatasets
import InkRaster
import InkRecognizer
import SeededRandom

/// A change of every example before it is classified, to test how robust a model is.
public enum Disturbance: Hashable, Sendable {
  /// Rotates the picture by a random angle and scales it by a factor.
  case turned(shrunkTo: Double, seed: UInt64)
  /// Rotates the drawing by an angle in radians.
  ///
  /// A picture is also scaled by 0.72, so that no ink leaves its frame.
  case angle(Double)
  /// Scales the longer side of the drawing to this many canvas points, and rounds its coordinates to
  /// whole points, as devices do.
  case size(Double)
  /// Rasterises the drawing with this pen width, in pixels.
  case penWidth(Double)
  /// Resamples the drawing at this distance, as a share of its longer side.
  case spacing(Double)

  /// Whether the change applies only to drawings, and not to pictures.
  var needsPoints: Bool {
    switch self {
    case .turned, .angle: false
    case .size, .penWidth, .spacing: true
    }
  }

  /// Returns the answer of `recognizer` to the changed example.
  ///
  /// A picture is not changed if the change needs points.
  func answer(
    to example: Example, index: Int, by recognizer: Recognizer
  ) throws(RasterError) -> Recognition {
    let rasterizer = recognizer.model.preprocessing.rasterizer
    if case .drawing(let drawing) = example.content,
      (drawing.bounds?.longerSide ?? 0) < max(recognizer.model.decision.leastExtent, 1e-9)
    {
      // A tap is not changed, so that it remains a tap.
      return try recognizer.recognize(drawing)
    }
    switch (self, example.content) {
    case (.turned(let share, let seed), _):
      var generator = SeededGenerator(seed: seed, stream: 0xd157, UInt64(index))
      let bitmap = rasterizer.fit(try example.bitmap(rasterizer))
      return recognizer.recognize(
        bitmap.turned(by: generator.uniform(-.pi ... .pi), shrunkTo: share))
    case (.angle(let angle), .bitmap(let bitmap)):
      return recognizer.recognize(rasterizer.fit(bitmap).turned(by: angle, shrunkTo: 0.72))
    case (_, .bitmap(let bitmap)):
      return recognizer.recognize(bitmap)
    case (.angle(let angle), .drawing(let drawing)):
      return try recognizer.recognize(drawing.transformed(by: .rotation(angle)))
    case (.size(let size), .drawing(let drawing)):
      let scale = size / (drawing.bounds?.longerSide ?? size)
      let scaled = drawing.transformed(by: .scale(x: scale, y: scale))
      return try recognizer.recognize(
        scaled.mapPoints { Point($1.x.rounded(), $1.y.rounded(), time: $1.time) })
    case (.penWidth(let width), .drawing(let drawing)):
      return recognizer.recognize(try rasterizer.with(penWidth: width).render(drawing))
    case (.spacing(let share), .drawing(let drawing)):
      let spacing = share * (drawing.bounds?.longerSide ?? 0)
      return try recognizer.recognize(
        Drawing(drawing.strokes.map { $0.resampled(spacing: spacing) }))
    }
  }
}
