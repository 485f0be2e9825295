import Ink
import InkRaster

/// A picture in which strokes were traced.
public protocol DiagramPicture: Sendable {
  /// The strokes, with the writing upright.
  var uprightDrawing: Drawing { get }

  /// Returns the same picture, whose upright drawing is turned clockwise by quarter turns from what it was.
  func turned(byQuarters quarters: Int) -> Self

  /// Returns the ink in square cells of the drawing, and not that in others, as it is in the picture: bright ink on
  /// black, or `nil` if there is none.
  ///
  /// - Parameters:
  ///   - cells: The middles of the cells.
  ///   - others: The middles of cells with other ink.
  ///   - cellSize: The side of a cell.
  ///   - angle: How far the ink is turned clockwise from where it is in the drawing, in radians.
  func strip(
    ofCells cells: [Vector], besides others: [Vector], cellSize: Double, turnedBy angle: Double
  ) -> Bitmap?

  /// The picture as photographed, in grey; a large one is smaller here.
  var page: Bitmap { get }

  /// Returns the place in the drawing of a place of ``page``, in its pixels.
  func drawingPlace(ofPixel pixel: Vector) -> Vector

  /// Returns the place of ``page``, in its pixels, of a place in the drawing.
  func pixel(at place: Vector) -> Vector
}
