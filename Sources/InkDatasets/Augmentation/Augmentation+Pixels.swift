import Foundation
import Ink
import InkRaster
import SeededRandom

extension Augmentation {
  /// Returns a random variation of `bitmap`, by elastic distortion with waves as the smooth field
  /// (Simard, Steinkraus & Platt, 2003).
  public func vary(_ bitmap: Bitmap, using generator: inout SeededGenerator) -> Bitmap {
    if framed > 0, generator.chance(framed) {
      let quarters = generator.index(below: 4)
      return (generator.chance(0.5) ? bitmap.mirrored : bitmap).turned(byQuarters: quarters)
    }
    // The map goes from the result to the source, so it grows if the ink shrinks.
    let distortion = Distortion(self, using: &generator)
    let scale = 1 / generator.uniform(min(1, smallest)...1)
    let side = Double(max(bitmap.width, bitmap.height))
    let moveX = generator.uniform(-shift...shift) / side
    let moveY = generator.uniform(-shift...shift) / side
    return bitmap.warped { point in
      distortion.apply(to: Point((point.x - moveX) * scale, (point.y - moveY) * scale))
    }
  }
}

extension Bitmap {
  /// Returns the picture rotated clockwise by `angle` radians around its centre, and scaled by
  /// `share`.
  ///
  /// Pixels outside the frame are lost.
  public func turned(by angle: Double, shrunkTo share: Double) -> Bitmap {
    let back = Transform.rotation(-angle).then(.scale(x: 1 / share, y: 1 / share))
    return warped(by: back.apply)
  }

  /// Returns the picture whose pixels have the values at the points that `source` returns, in sides
  /// of the picture from its centre.
  fileprivate func warped(by source: (Point) -> Point) -> Bitmap {
    let (width, height) = (Double(self.width), Double(self.height))
    let side = max(width, height)
    var result = Bitmap(width: self.width, height: self.height)
    for row in 0..<self.height {
      for column in 0..<self.width {
        let place = source(
          Point(
            (Double(column) + 0.5 - width / 2) / side, (Double(row) + 0.5 - height / 2) / side))
        result[row, column] = interpolated(
          x: place.x * side + width / 2 - 0.5, y: place.y * side + height / 2 - 0.5)
      }
    }
    return result
  }

  /// Returns the bilinearly interpolated grey value; outside it is the background.
  fileprivate func interpolated(x: Double, y: Double) -> UInt8 {
    guard x > -1, y > -1, x < Double(width), y < Double(height) else { return 0 }
    let left = Int(x.rounded(.down))
    let top = Int(y.rounded(.down))
    let right = x - Double(left)
    let low = y - Double(top)
    func value(_ row: Int, _ column: Int) -> Double {
      row >= 0 && column >= 0 && row < height && column < width ? Double(self[row, column]) : 0
    }
    let upper = value(top, left) * (1 - right) + value(top, left + 1) * right
    let lower = value(top + 1, left) * (1 - right) + value(top + 1, left + 1) * right
    return UInt8((upper * (1 - low) + lower * low).rounded())
  }
}
