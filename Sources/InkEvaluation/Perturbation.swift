import Foundation
import Ink
import InkDatasets
import InkRaster
import InkRecognizer
import SeededRandom

/// A change of every example before it is classified, to test how robust a model is.
public enum Perturbation: Hashable, Sendable {
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

  /// Returns the recogniser that answers to changed examples: one with another pen, or `recognizer`
  /// itself.
  ///
  /// - Throws: `RasterError` if the pen does not fit the pictures of the model.
  func recognizer(for recognizer: Recognizer) throws -> Recognizer {
    guard case .penWidth(let width) = self else { return recognizer }
    let model = recognizer.model
    let preprocessing = try model.preprocessing.map { preprocessing in
      guard case .raster(let rasterizer, let scale) = preprocessing else { return preprocessing }
      return .raster(try rasterizer.with(penWidth: width), scale: scale)
    }
    return Recognizer(
      model: try Model(
        network: model.network, labels: model.labels, preprocessing: preprocessing,
        decision: model.decision, provenance: model.provenance))
  }

  /// Returns the answer of `recognizer`, which is that of ``recognizer(for:)``, to the changed example.
  ///
  /// A picture is not changed if the change needs points.
  func answer(
    to example: Example, index: Int, by recognizer: Recognizer
  ) throws(PreparationError) -> Recognition {
    if let drawing = example.content.drawing {
      let minimumExtent = example.minimumExtent(or: recognizer.model.decision.minimumExtent)
      if (drawing.bounds?.longerSide ?? 0) < max(minimumExtent, 1e-9) {
        // A tap is not changed, so that it remains a tap.
        return try recognizer.recognize(example)
      }
      guard recognizer.model.pictureScale != nil else {
        return try recognizer.recognize(.drawing(changed(drawing, index: index)), of: example)
      }
    }
    guard let rasterizer = recognizer.model.rasterizer, !example.isSeries else {
      return try recognizer.recognize(example)
    }
    func bitmap(_ rasterizer: Rasterizer) throws(PreparationError) -> Bitmap {
      do { return try example.bitmap(rasterizer) } catch { throw .raster(error) }
    }
    switch (self, example.content) {
    case (.turned(let share, _), _):
      return try recognizer.recognize(
        bitmap(rasterizer).turned(by: angle(of: index), shrunkTo: share))
    case (.angle(let angle), .bitmap(let bitmap)):
      return try recognizer.recognize(rasterizer.fit(bitmap).turned(by: angle, shrunkTo: 0.72))
    case (_, .drawing(let drawing)):
      return try recognizer.recognize(.drawing(changed(drawing, index: index)), of: example)
    case (.angle, .strip), (.angle, .series), (.size, _), (.penWidth, _), (.spacing, _):
      return try recognizer.recognize(example)
    }
  }

  /// The random angle for example number `index`.
  private func angle(of index: Int) -> Double {
    guard case .turned(_, let seed) = self else { return 0 }
    var generator = SeededGenerator(seed: seed, stream: 0xd157, UInt64(index))
    return generator.uniform(-.pi ... .pi)
  }

  /// Returns the drawing with changed points; another pen changes none.
  private func changed(_ drawing: Drawing, index: Int) -> Drawing {
    switch self {
    case .turned: return drawing.transformed(by: .rotation(angle(of: index)))
    case .angle(let angle): return drawing.transformed(by: .rotation(angle))
    case .size(let size):
      let scale = size / (drawing.bounds?.longerSide ?? size)
      return drawing.transformed(by: .scale(x: scale, y: scale))
        .mapPoints { Point($1.x.rounded(), $1.y.rounded(), time: $1.time) }
    case .penWidth: return drawing
    case .spacing(let share):
      let spacing = share * (drawing.bounds?.longerSide ?? 0)
      return Drawing(drawing.strokes.map { $0.resampled(spacing: spacing) })
    }
  }
}
