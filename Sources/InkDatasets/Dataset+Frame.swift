import Ink
import InkRaster

extension Dataset {
  /// The largest number of pictures that are measured.
  private static let maximumMeasured = 2000
  /// The share of the picture by which the sizes and places of most of the ink may differ in a set
  /// that has a frame.
  private static let maximumSpread = 0.1

  /// Returns the rasteriser for a network that learns the examples: where the ink of the pictures is, is
  /// measured.
  ///
  /// If all examples are pictures, `margin` and `penWidth` are measured, too, so that drawings are
  /// rendered as the pictures are. Otherwise they are those of ``Rasterizer/standard``, unless given.
  ///
  /// - Throws: `RasterError.invalidParameter` if the numbers do not fit each other.
  public func rasterizer(
    size: Int = Rasterizer.standard.size, margin: Double? = nil, penWidth: Double? = nil
  ) throws(RasterError) -> Rasterizer {
    let plain = try Rasterizer(
      size: size, margin: margin ?? Rasterizer.standard.margin,
      penWidth: penWidth ?? Rasterizer.standard.penWidth)
    let standard = try PictureFrame.margin(plain.margin, size: size)
    let pictures = sampledPictures
    guard let frame = try Self.frame(of: pictures, size: size, isGiven: margin != nil) else {
      return plain.with(pictures: standard)
    }
    guard examples.allSatisfy(\.isPicture) else { return plain.with(pictures: frame) }
    let measured = Self.penWidth(of: pictures, size: size)
    // A frame without room for a pen, as photographs have it, is no measure for drawings.
    return
      (try? Rasterizer(
        size: size, margin: margin ?? max(0, (Double(size) - frame.side) / 2),
        penWidth: penWidth ?? measured ?? plain.penWidth, pictures: frame))
      ?? plain.with(pictures: frame)
  }

  /// Some of the pictures, spread over the set.
  private var sampledPictures: [Bitmap] {
    let members = examples.indices.filter { examples[$0].isPicture }
    let count = min(members.count, Self.maximumMeasured)
    return (0..<count).compactMap { position in
      switch examples[members[position * members.count / count]].content {
      case .bitmap(let bitmap): bitmap
      case .strip(let strip): strip.lightOnDark
      case .drawing, .series: nil
      }
    }
  }

  /// Returns the frame of pictures, or `nil` if they have none in common.
  ///
  /// Pictures of the network's size have the frame that it learns; if there are none, all pictures
  /// need about the same one, and no margin may be given.
  private static func frame(
    of pictures: [Bitmap], size: Int, isGiven: Bool
  ) throws(RasterError) -> PictureFrame? {
    let ofSize = pictures.filter { $0.width == size && $0.height == size }
    guard !ofSize.isEmpty || !isGiven else { return nil }
    var sides: [Double] = []
    var (driftsOfBoxes, driftsOfMass): ([Double], [Double]) = ([], [])
    for bitmap in ofSize.isEmpty ? pictures : ofSize {
      guard let ink = InkPlacement(of: bitmap) else { continue }
      let step = Double(max(bitmap.width, bitmap.height)) / Double(size)
      func drift(_ center: (x: Double, y: Double)) -> Double {
        max(abs(center.x - Double(bitmap.width) / 2), abs(center.y - Double(bitmap.height) / 2))
          / step
      }
      sides.append(Double(ink.longerSide) / step)
      driftsOfBoxes.append(drift(ink.middle))
      driftsOfMass.append(drift(ink.mass))
    }
    guard !sides.isEmpty else { return nil }
    func quantile(_ values: [Double], _ share: Double) -> Double {
      values.sorted()[Int((share * Double(values.count - 1)).rounded())]
    }
    let centersMass = quantile(driftsOfMass, 0.9) < quantile(driftsOfBoxes, 0.9)
    let drifts = centersMass ? driftsOfMass : driftsOfBoxes
    let spread = Double(size) * maximumSpread
    guard
      !ofSize.isEmpty
        || quantile(sides, 0.95) - quantile(sides, 0.05) <= spread
          && quantile(drifts, 0.95) <= spread
    else { return nil }
    return try PictureFrame(
      side: quantile(sides, 0.5), sides: quantile(sides, 0.01)...quantile(sides, 0.99),
      drift: quantile(drifts, 0.99), centersMass: centersMass)
  }

  /// Returns the median width of lines on pictures, in pixels of a picture of `size`, or `nil` without
  /// pictures.
  ///
  /// A line of width w has the area w for each unit of its length, and two edges. The area is the sum of
  /// the grey values, and the length of the edges that of the slopes between them.
  private static func penWidth(of pictures: [Bitmap], size: Int) -> Double? {
    let widths = pictures.compactMap { bitmap -> Double? in
      var (area, edges) = (0.0, 0.0)
      func value(_ row: Int, _ column: Int) -> Double {
        row < bitmap.height && column < bitmap.width ? Double(bitmap[row, column]) : 0
      }
      for row in 0..<bitmap.height {
        for column in 0..<bitmap.width {
          let grey = value(row, column)
          let (right, below) = (value(row, column + 1) - grey, value(row + 1, column) - grey)
          area += grey
          edges += (right * right + below * below).squareRoot()
        }
      }
      guard edges > 0 else { return nil }
      return 2 * area / edges * Double(size) / Double(max(bitmap.width, bitmap.height))
    }
    guard let median = widths.median() else { return nil }
    return (min(max(median, 0.5), Double(size) / 4) * 20).rounded() / 20
  }
}
