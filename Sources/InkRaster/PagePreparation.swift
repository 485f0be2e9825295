import Ink

/// How a picture of a whole page becomes numbers for a network: about 0 where nothing is drawn and about 1
/// in the middle of strokes, dark or light, whatever the light.
///
/// With grey values g, the mean m of the surroundings and the contrast a = ±(g − m):
///
///     value = clip(a / (p + 8), −0.3, 1.5), where p is the 99th percentile of a
///
/// The mean is that of two box filters of (2 · `radius` + 1)² pixels one after the other, which only
/// count pixels of the picture. The sign is that of the side with the longer tail: Σ a³ > 0.
public struct PagePreparation: Hashable, Sendable, Codable {
  /// The longer side that larger pictures get, in pixels.
  public let longerSide: Int
  /// How far the surroundings reach in each direction, in pixels.
  public let radius: Int

  /// The usual numbers.
  public static let standard = try! PagePreparation(longerSide: 1024, radius: 24)

  /// The allowed longer sides.
  public static let longerSides = 32...16_384
  /// The grey levels that are added to the strongest contrast, so that noise on a blank page stays weak.
  private static let noise: Float = 8
  /// The share of pixels with less contrast than the strongest.
  private static let strongest = 0.99
  /// The values that are kept.
  private static let range: ClosedRange<Float> = -0.3...1.5

  /// Creates a preparation.
  ///
  /// - Throws: `RasterError.invalidParameter` if a number is outside its range.
  public init(longerSide: Int, radius: Int) throws(RasterError) {
    guard Self.longerSides.contains(longerSide) else {
      throw .invalidParameter(
        name: "longerSide", expected: "32 to 16384 pixels", found: "\(longerSide)")
    }
    guard (1...1024).contains(radius) else {
      throw .invalidParameter(name: "radius", expected: "1 to 1024 pixels", found: "\(radius)")
    }
    (self.longerSide, self.radius) = (longerSide, radius)
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where it is not that form, `RasterError` where the numbers do not fit.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      longerSide: container.decode(Int.self, forKey: .longerSide),
      radius: container.decode(Int.self, forKey: .radius))
  }

  /// The numbers in a line.
  public var summary: String {
    "pages of \(longerSide) pixels, contrast with \(2 * radius + 1) pixels around"
  }

  // MARK: Size

  /// The picture as it is, or with its longer side of ``longerSide`` pixels where that is less.
  public func scaled(_ bitmap: Bitmap) -> Bitmap {
    max(bitmap.width, bitmap.height) <= longerSide
      ? bitmap : Self.scaled(bitmap, longerSide: longerSide)
  }

  /// The picture with its longer side of so many pixels, and at least one pixel the other way.
  ///
  /// A smaller picture takes the mean of the areas of its pixels; a larger one is interpolated.
  public static func scaled(_ bitmap: Bitmap, longerSide: Int) -> Bitmap {
    let longer = max(bitmap.width, bitmap.height)
    guard longer > 0, longer != longerSide else { return bitmap }
    func side(_ side: Int) -> Int { max(1, (side * longerSide + longer / 2) / longer) }
    let (width, height) = (side(bitmap.width), side(bitmap.height))
    let (columns, rows) = (
      Shares(of: bitmap.width, for: width), Shares(of: bitmap.height, for: height)
    )
    var pixels = [UInt8](repeating: 0, count: width * height)
    var sums = [Float](repeating: 0, count: bitmap.width)
    bitmap.pixels.withUnsafeBufferPointer { source in
      sums.withUnsafeMutableBufferPointer { sums in
        pixels.withUnsafeMutableBufferPointer { pixels in
          for row in 0..<height {
            sums.update(repeating: 0)
            rows.forEach(of: row) { place, share in
              let line = source.baseAddress! + place * bitmap.width
              for column in 0..<sums.count { sums[column] += Float(line[column]) * share }
            }
            for column in 0..<width {
              var sum: Float = 0
              columns.forEach(of: column) { sum += sums[$0] * $1 }
              pixels[row * width + column] = UInt8(min(255, sum.rounded()))
            }
          }
        }
      }
    }
    return Bitmap(width: width, height: height, pixels: pixels)
  }

  /// What the new pixels of a row or a column are made of.
  private struct Shares {
    /// For each new pixel, its first old one.
    private var firsts: [Int] = []
    /// For each new pixel, where the shares of its old ones begin; and the end of all.
    private var starts = [0]
    private var shares: [Float] = []

    /// The shares of `length` old pixels in `count` new ones.
    init(of length: Int, for count: Int) {
      let scale = Double(length) / Double(count)
      for index in 0..<count {
        if scale <= 1 {
          let place = (Double(index) + 0.5) * scale - 0.5
          let first = Int(max(0, place))
          let rest = Float(max(0, place) - Double(first))
          let isInside = first + 1 < length
          firsts.append(isInside ? first : length - 1)
          shares += isInside ? [1 - rest, rest] : [1]
        } else {
          let (start, end) = (Double(index) * scale, Double(index + 1) * scale)
          firsts.append(Int(start))
          shares += (Int(start)..<min(length, Int(end.rounded(.up)))).map { pixel in
            Float((min(end, Double(pixel + 1)) - max(start, Double(pixel))) / scale)
          }
        }
        starts.append(shares.count)
      }
    }

    /// Calls `body` with each old pixel of a new one, and its share.
    @inline(__always)
    func forEach(of new: Int, _ body: (_ old: Int, _ share: Float) -> Void) {
      for index in starts[new]..<starts[new + 1] {
        body(firsts[new] + index - starts[new], shares[index])
      }
    }
  }

  // MARK: Contrast

  /// The numbers for the pixels of `bitmap`, `[height, width]`: its grey values are as photographed, and its
  /// size stays.
  public func values(of bitmap: Bitmap) -> [Float] {
    var values = bitmap.pixels.map(Float.init)
    guard !values.isEmpty else { return values }
    let mean = boxMean(
      boxMean(values, width: bitmap.width, height: bitmap.height), width: bitmap.width,
      height: bitmap.height)
    var tail: Float = 0
    for row in 0..<bitmap.height {
      var sum: Float = 0
      for index in row * bitmap.width..<(row + 1) * bitmap.width {
        let contrast = values[index] - mean[index]
        values[index] = contrast
        sum += contrast * contrast * contrast
      }
      tail += sum
    }
    let sign: Float = tail > 0 ? 1 : -1
    let factor = 1 / (strongestContrast(values, sign: sign) + Self.noise)
    for index in values.indices {
      values[index] = min(
        max(values[index] * sign * factor, Self.range.lowerBound), Self.range.upperBound)
    }
    return values
  }

  /// The 99th percentile of the contrasts times `sign`, to a quarter of a level, and at least 0.
  private func strongestContrast(_ contrasts: [Float], sign: Float) -> Float {
    let steps = 4
    var counts = [Int](repeating: 0, count: 256 * steps)
    for contrast in contrasts {
      counts[min(counts.count - 1, Int(max(0, contrast * sign) * Float(steps)))] += 1
    }
    let stronger = Int(Double(contrasts.count) * (1 - Self.strongest))
    return Float(counts.value(atRank: contrasts.count - 1 - stronger) ?? 0) / Float(steps)
  }

  /// The means of boxes of (2 · radius + 1)² around each value, as far as they lie inside.
  private func boxMean(_ values: [Float], width: Int, height: Int) -> [Float] {
    var result = [Float](unsafeUninitializedCapacity: values.count) { $1 = values.count }
    values.withUnsafeBufferPointer { source in
      result.withUnsafeMutableBufferPointer { target in
        for row in 0..<height {
          let line = source.baseAddress! + row * width
          slide(length: width) { column, entering, leaving, count, sum in
            if let entering { sum += Double(line[entering]) }
            if let leaving { sum -= Double(line[leaving]) }
            if let column { target[row * width + column] = Float(sum / Double(count)) }
          }
        }
      }
    }
    var sums = [Double](repeating: 0, count: width)
    let across = result
    across.withUnsafeBufferPointer { source in
      result.withUnsafeMutableBufferPointer { target in
        sums.withUnsafeMutableBufferPointer { sums in
          slide(length: height) { row, entering, leaving, count, _ in
            if let entering {
              for x in 0..<width { sums[x] += Double(source[entering * width + x]) }
            }
            if let leaving {
              for x in 0..<width { sums[x] -= Double(source[leaving * width + x]) }
            }
            guard let row else { return }
            let share = 1 / Double(count)
            for x in 0..<width { target[row * width + x] = Float(sums[x] * share) }
          }
        }
      }
    }
    return result
  }

  /// Moves a window of 2 · radius + 1 places along `length` ones: `body` gets what enters and leaves it, and
  /// then its centre with the number of places inside.
  @inline(__always)
  private func slide(
    length: Int,
    _ body: (
      _ center: Int?, _ entering: Int?, _ leaving: Int?, _ count: Int, _ sum: inout Double
    ) -> Void
  ) {
    var sum = 0.0
    for place in 0..<min(radius, length) { body(nil, place, nil, 0, &sum) }
    for center in 0..<length {
      let (entering, leaving) = (center + radius, center - radius - 1)
      let count = min(length, entering + 1) - max(0, leaving + 1)
      body(
        center, entering < length ? entering : nil, leaving >= 0 ? leaving : nil, count, &sum)
    }
  }
}
