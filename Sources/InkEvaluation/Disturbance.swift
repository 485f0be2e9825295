import Foundation
import Ink
import InkDatasets
import InkRaster
import InkRecognizer
import SeededRandom

/// A change of every example before it is shown to a model, as a test of what it bears.
public enum Disturbance: Hashable, Sendable {
  /// The picture is turned by a random angle and shrunk to a share of its size.
  case turned(shrunkTo: Double, seed: UInt64)
  /// The drawing, or the picture shrunk to 0.72 so that it stays in its frame, is turned by radians.
  case angle(Double)
  /// The drawing's longer side is scaled to canvas points, and its coordinates are rounded to whole
  /// ones, as devices do.
  case size(Double)
  /// The drawing is rasterised with a pen of another width, in pixels.
  case penWidth(Double)
  /// The drawing's points are this far apart, as a share of its longer side.
  case spacing(Double)

  /// Whether only drawings can be changed so, and not pictures.
  var needsPoints: Bool {
    switch self {
    case .turned, .angle: false
    case .size, .penWidth, .spacing: true
    }
  }

  /// What `recognizer` says to the changed example; where points are needed and there are none, to
  /// the example as it is.
  func answer(
    to example: Example, index: Int, by recognizer: Recognizer
  ) throws(RasterError) -> Recognition {
    let rasterizer = recognizer.model.preprocessing.rasterizer
    if case .drawing(let drawing) = example.content,
      (drawing.bounds?.longerSide ?? 0) < max(recognizer.model.decision.leastExtent, 1e-9)
    {
      // A tap stays a tap.
      return try recognizer.recognize(drawing)
    }
    switch (self, example.content) {
    case (_, .series): throw .series
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
