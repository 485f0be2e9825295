import Foundation
import Ink

/// Where the camera is that looks at a sheet.
struct Camera {
  /// The size of the picture, in pixels.
  let width: Int
  let height: Int
  /// The angle to the normal of the paper, in radians.
  let tilt: Double
  /// The direction of the slope, in radians.
  let slope: Double
  /// The turn of the paper, in radians.
  let turn: Double
  /// The distance to the paper, in longer sides of the picture.
  let distance: Double

  /// The map from the canvas to the picture: the paper is turned, tilted around a line through
  /// `middle`, and seen from the distance.
  func map(about middle: Point) -> Perspective {
    let length = distance * Double(max(width, height))
    func seen(_ x: Double, _ y: Double) -> Point {
      let flat = Transform.rotation(turn).apply(to: Point(x, y))
      let along = flat.x * cos(slope) + flat.y * sin(slope)
      let beside = flat.y * cos(slope) - flat.x * sin(slope)
      let depth = 1 + along * sin(tilt) / length
      let (u, v) = (along * cos(tilt) / depth, beside / depth)
      return Point(
        u * cos(slope) - v * sin(slope) + Double(width) / 2,
        u * sin(slope) + v * cos(slope) + Double(height) / 2)
    }
    let corners = [(-100.0, -100.0), (100, -100), (100, 100), (-100, 100)]
    // Four corners of a square are never in line.
    return Perspective(
      from: corners.map { Point(middle.x + $0.0, middle.y + $0.1) },
      to: corners.map { seen($0.0, $0.1) })!
  }
}
