import Ink
import InkRaster

/// A picture in which the strokes of a drawing were traced.
public protocol DiagramPicture {
  /// Returns the ink of some strokes, and of no other one, as it is in the picture: bright ink on black, or
  /// `nil` if there is none.
  ///
  /// `angle` is how far it is turned clockwise from where it is in the drawing, in radians.
  func strip(of strokes: [Int], turnedBy angle: Double) -> Bitmap?

  /// The picture as photographed, in grey; a large one is smaller here.
  var page: Bitmap { get }

  /// Returns the place in the drawing of a place of ``page``, in its pixels.
  func drawingPlace(ofPixel pixel: Vector) -> Vector

  /// Returns the place of ``page``, in its pixels, of a place in the drawing.
  func pixel(at place: Vector) -> Vector

  /// Returns the ink at places of the drawing, bright on black, `[28, 28]`.
  ///
  /// - Parameter place: The place for a share of the columns and one of the rows, from 0 to 1.
  func patch(_ place: (_ column: Double, _ row: Double) -> Point) -> Bitmap
}

extension DiagramPicture {
  /// Returns the ink in a square, bright on black, `[28, 28]`.
  ///
  /// - Parameters:
  ///   - center: The middle of the square, in points of the drawing.
  ///   - direction: Where its right side is, as a vector of length 1.
  ///   - side: The length of its sides, in points of the drawing.
  func patch(at center: Point, direction: Point, side: Double) -> Bitmap {
    patch { column, row in
      let (x, y) = ((column - 0.5) * side, (row - 0.5) * side)
      return Point(
        center.x + x * direction.x - y * direction.y, center.y + x * direction.y + y * direction.x)
    }
  }
}
