import Foundation
import Ink
import InkRaster

extension Augmentation {
  /// Warps `bitmap`: every pixel takes the value of the place that it comes from, interpolated
  /// between four pixels (Simard, Steinkraus & Platt, 2003, with waves as the smooth field).
  public func vary(_ bitmap: Bitmap, using generator: inout SeededGenerator) -> Bitmap {
    // The map is used backwards, from the result to the source, so it grows where the ink shrinks.
    let distortion = Distortion(self, using: &generator)
    let scale = 1 / (exactSize ?? generator.uniform(min(1, smallest)...1))
    let moveX = generator.uniform(-shift...shift)
    let moveY = generator.uniform(-shift...shift)
    let (width, height) = (Double(bitmap.width), Double(bitmap.height))
    let side = max(width, height)
    var result = Bitmap(width: bitmap.width, height: bitmap.height)
    for row in 0..<bitmap.height {
      for column in 0..<bitmap.width {
        let unit = Point(
          (Double(column) + 0.5 - moveX - width / 2) / side * scale,
          (Double(row) + 0.5 - moveY - height / 2) / side * scale)
        let source = distortion.apply(to: unit)
        result[row, column] = bitmap.interpolated(
          x: source.x * side + width / 2 - 0.5, y: source.y * side + height / 2 - 0.5)
      }
    }
    return result
  }
}

extension Bitmap {
  /// The grey value between four pixels' centres; background outside.
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
