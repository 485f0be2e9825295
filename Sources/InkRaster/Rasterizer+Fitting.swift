extension Rasterizer {
  /// Returns a picture from another source at this rasteriser's size.
  ///
  /// With a frame for ``pictures``, a picture whose ink is inside the frame is scaled as a whole, and of
  /// any other one the ink is scaled and moved there. Without one, a picture of the right size is returned
  /// unchanged, and of any other one the ink is centred inside the margins. All are scaled by area
  /// averaging with their aspect ratio kept. A picture without ink becomes blank.
  public func fit(_ bitmap: Bitmap) -> Bitmap {
    guard let pictures else { return fitUnframed(bitmap) }
    guard let ink = InkPlacement(of: bitmap) else { return Bitmap(width: size, height: size) }
    let center = pictures.centersMass ? ink.mass : ink.middle
    let middle = (x: Double(bitmap.width) / 2, y: Double(bitmap.height) / 2)
    // Source pixels per output pixel.
    let whole = Double(max(bitmap.width, bitmap.height)) / Double(size)
    // A pixel more or less, of the source or the result, is no other frame.
    let slack = max(1, 1 / whole)
    let side = Double(ink.longerSide) / whole
    let drift = max(abs(center.x - middle.x), abs(center.y - middle.y)) / whole
    let (columns, rows) = (0..<bitmap.width, 0..<bitmap.height)
    if (pictures.sides.lowerBound - slack...pictures.sides.upperBound + slack).contains(side),
      drift <= pictures.drift + slack
    {
      if bitmap.width == size, bitmap.height == size { return bitmap }
      return scaled(bitmap, columns: columns, rows: rows, around: middle, step: whole)
    }
    let step = Double(ink.longerSide) / pictures.side
    /// The centre on one axis, moved as little as needed to keep all ink on the picture.
    func kept(_ center: Double, _ box: Range<Int>) -> Double {
      let half = Double(size) * step / 2
      let bounds = (Double(box.upperBound) - half, Double(box.lowerBound) + half)
      return bounds.0 <= bounds.1 ? min(max(center, bounds.0), bounds.1) : center
    }
    return scaled(
      bitmap, columns: columns, rows: rows,
      around: (kept(center.x, ink.columns), kept(center.y, ink.rows)), step: step)
  }

  /// Fits a picture as models of earlier versions have learnt it.
  private func fitUnframed(_ bitmap: Bitmap) -> Bitmap {
    if bitmap.width == size, bitmap.height == size { return bitmap }
    guard let ink = InkPlacement(of: bitmap, above: 0.1) else {
      return Bitmap(width: size, height: size)
    }
    let content = Double(size) - 2 * margin
    return scaled(
      bitmap, columns: ink.columns, rows: ink.rows, around: ink.middle,
      step: Double(ink.longerSide) / content)
  }

  /// Returns a part of the picture scaled by area averaging.
  ///
  /// `around` is what comes to the middle, and `step` the source pixels per output pixel.
  private func scaled(
    _ bitmap: Bitmap, columns: Range<Int>, rows: Range<Int>, around middle: (x: Double, y: Double),
    step: Double
  ) -> Bitmap {
    let half = Double(size) / 2
    let horizontal = (0..<size).map {
      Overlap(from: middle.x + (Double($0) - half) * step, length: step, within: columns).lengths
    }
    let vertical = (0..<size).map {
      Overlap(from: middle.y + (Double($0) - half) * step, length: step, within: rows).lengths
    }
    var result = Bitmap(width: size, height: size)
    for row in 0..<size {
      for column in 0..<size {
        var sum = 0.0
        for (y, height) in vertical[row] {
          for (x, width) in horizontal[column] {
            sum += Double(bitmap[y, x]) * width * height
          }
        }
        result[row, column] = UInt8((sum / (step * step)).rounded())
      }
    }
    return result
  }
}

/// The source pixels that an output pixel covers, in one direction.
struct Overlap {
  private let start: Double
  private let length: Double
  private let pixels: Range<Int>

  init(from start: Double, length: Double, within range: Range<Int>) {
    (self.start, self.length) = (start, length)
    let first = max(range.lowerBound, Int(start.rounded(.down)))
    pixels = first..<max(first, min(range.upperBound, Int((start + length).rounded(.up))))
  }

  /// Calls `body` with each pixel and the length of it that is covered.
  @inline(__always)
  func forEach(_ body: (_ index: Int, _ length: Double) -> Void) {
    for index in pixels {
      let covered = min(start + length, Double(index + 1)) - max(start, Double(index))
      if covered > 0 { body(index, covered) }
    }
  }

  /// The pixels with the length of each that is covered.
  var lengths: [(index: Int, length: Double)] {
    var lengths: [(index: Int, length: Double)] = []
    forEach { lengths.append(($0, $1)) }
    return lengths
  }

  /// Returns the mean of what is covered; what is outside of the range counts as 0.
  @inline(__always)
  func mean(_ value: (_ index: Int) -> Float) -> Float {
    var sum = 0.0
    forEach { sum += Double(value($0)) * $1 }
    return Float(sum / length)
  }
}
