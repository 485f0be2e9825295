/// Where the ink is on pictures from another source, in pixels of the rasteriser's picture.
///
/// A picture with its ink there is scaled as a whole. Of any other one, the ink is scaled and moved
/// there. The size of the picture does not matter, so the same ink gives about the same picture at every
/// size.
public struct PictureFrame: Hashable, Sendable, Codable {
  /// The longer side of ink that is scaled.
  public let side: Double
  /// The longer sides of the ink on pictures that are scaled as a whole.
  public let sides: ClosedRange<Double>
  /// The largest distance of the ink's centre from the middle, across or down, on pictures that are
  /// scaled as a whole.
  public let drift: Double
  /// Whether the centre of ink is its centre of mass, as in MNIST, and not that of the box around it.
  public let centersMass: Bool

  /// Creates a frame.
  ///
  /// - Throws: `RasterError.invalidParameter` if a number is negative or not finite, or `side` is 0.
  public init(
    side: Double, sides: ClosedRange<Double>, drift: Double, centersMass: Bool
  ) throws(RasterError) {
    guard side > 0, side.isFinite else {
      throw .invalidParameter(name: "side", expected: "more than 0 pixels", found: "\(side)")
    }
    guard sides.lowerBound >= 0, sides.upperBound.isFinite else {
      throw .invalidParameter(
        name: "sides", expected: "0 pixels or more",
        found: "\(sides.lowerBound) to \(sides.upperBound)")
    }
    guard drift >= 0, drift.isFinite else {
      throw .invalidParameter(name: "drift", expected: "0 pixels or more", found: "\(drift)")
    }
    (self.side, self.sides, self.drift, self.centersMass) = (side, sides, drift, centersMass)
  }

  /// The frame of pictures of `size` × `size` pixels with their ink centred inside `margin`.
  ///
  /// Ink that is there already, to a pixel, is not scaled again, because that would blur it.
  ///
  /// - Throws: `RasterError.invalidParameter` if the margin leaves no room for ink.
  public static func margin(_ margin: Double, size: Int) throws(RasterError) -> PictureFrame {
    let side = Double(size) - 2 * margin
    return try PictureFrame(
      side: side, sides: max(0, side - 1)...max(0, side) + 1, drift: 1, centersMass: false)
  }

  /// The frame of pictures of `size` × `size` pixels that are all scaled as a whole.
  ///
  /// - Throws: `RasterError.invalidParameter` if the size is not positive.
  public static func whole(size: Int) throws(RasterError) -> PictureFrame {
    let size = Double(size)
    return try PictureFrame(side: size, sides: 0...size, drift: size, centersMass: false)
  }

  /// What it is, in a few words.
  public var summary: String {
    let center = centersMass ? "centre of mass" : "centre"
    return
      "ink \(sides.lowerBound.rounded()) to \(sides.upperBound.rounded()) high or wide and its "
      + "\(center) at most \((drift * 10).rounded() / 10) from the middle, or else "
      + "\((side * 10).rounded() / 10)"
  }

  /// Reads the numbers and checks them.
  ///
  /// - Throws: `RasterError.invalidParameter` for a number out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      side: container.decode(Double.self, forKey: .side),
      sides: container.decode(ClosedRange<Double>.self, forKey: .sides),
      drift: container.decode(Double.self, forKey: .drift),
      centersMass: container.decode(Bool.self, forKey: .centersMass))
  }
}

/// Where the ink is on a picture, in its pixels.
package struct InkPlacement: Sendable {
  /// The rows with ink.
  package let rows: Range<Int>
  /// The columns with ink.
  package let columns: Range<Int>
  /// The centre of mass.
  package let mass: (x: Double, y: Double)

  /// The longer side of the box around the ink.
  package var longerSide: Int { max(rows.count, columns.count) }

  /// The centre of the box around the ink.
  package var middle: (x: Double, y: Double) {
    (
      Double(columns.lowerBound + columns.upperBound) / 2,
      Double(rows.lowerBound + rows.upperBound) / 2
    )
  }

  /// The usual threshold: the noise of JPEGs around lines is below it.
  package static let threshold = 0.25

  /// Finds the ink on `bitmap`, bright on black, or fails if there is none.
  ///
  /// - Parameter threshold: The share of the brightest pixel above which a pixel is ink.
  package init?(of bitmap: Bitmap, above threshold: Double = Self.threshold) {
    guard let brightest = bitmap.pixels.max(), brightest > 0 else { return nil }
    let least = UInt8(Double(brightest) * threshold)
    var (top, bottom, left, right) = (bitmap.height, -1, bitmap.width, -1)
    var (sum, sumX, sumY) = (0, 0, 0)
    for row in 0..<bitmap.height {
      for column in 0..<bitmap.width {
        let value = bitmap[row, column]
        guard value > least else { continue }
        (top, bottom) = (min(top, row), row)
        (left, right) = (min(left, column), max(right, column))
        sum += Int(value)
        sumX += Int(value) * column
        sumY += Int(value) * row
      }
    }
    (rows, columns) = (top..<bottom + 1, left..<right + 1)
    mass = (Double(sumX) / Double(sum) + 0.5, Double(sumY) / Double(sum) + 0.5)
  }
}
