extension Rasterizer {
  /// Returns a picture from another source at this rasteriser's size.
  ///
  /// A picture of the right size is returned unchanged. Any other picture is cropped to its ink,
  /// scaled by area averaging with its aspect ratio kept, and centred inside the margins. A picture
  /// without ink becomes blank.
  public func fit(_ bitmap: Bitmap) -> Bitmap {
    if bitmap.width == size, bitmap.height == size { return bitmap }
    guard let ink = inkBounds(of: bitmap) else { return Bitmap(width: size, height: size) }

    let content = Double(size) - 2 * margin
    // Source pixels per output pixel.
    let step = Double(max(ink.columns.count, ink.rows.count)) / content
    let middleX = Double(ink.columns.lowerBound + ink.columns.upperBound) / 2
    let middleY = Double(ink.rows.lowerBound + ink.rows.upperBound) / 2
    let half = Double(size) / 2

    let horizontal = (0..<size).map {
      overlaps(
        from: middleX + (Double($0) - half) * step, length: step, within: ink.columns)
    }
    let vertical = (0..<size).map {
      overlaps(from: middleY + (Double($0) - half) * step, length: step, within: ink.rows)
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

  /// The rows and columns that hold ink: anything brighter than a tenth of the brightest pixel.
  private func inkBounds(of bitmap: Bitmap) -> (rows: Range<Int>, columns: Range<Int>)? {
    guard let brightest = bitmap.pixels.max(), brightest > 0 else { return nil }
    let threshold = brightest / 10
    var rows: Range<Int>?
    var columns: Range<Int>?
    for row in 0..<bitmap.height {
      for column in 0..<bitmap.width where bitmap[row, column] > threshold {
        rows = (rows?.lowerBound ?? row)..<row + 1
        let known = columns ?? column..<column + 1
        columns = min(known.lowerBound, column)..<max(known.upperBound, column + 1)
      }
    }
    guard let rows, let columns else { return nil }
    return (rows, columns)
  }
}

/// The source pixels that an output pixel covers, each with the covered length.
func overlaps(
  from start: Double, length: Double, within range: Range<Int>
) -> [(index: Int, length: Double)] {
  let first = max(range.lowerBound, Int(start.rounded(.down)))
  let last = min(range.upperBound - 1, Int((start + length).rounded(.up)) - 1)
  guard first <= last else { return [] }
  return (first...last).compactMap { index in
    let covered = min(start + length, Double(index + 1)) - max(start, Double(index))
    return covered > 0 ? (index, covered) : nil
  }
}
