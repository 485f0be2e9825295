import Ink

/// Renders ink as a small grey picture.
///
/// Training, evaluation and recognition all use this rasteriser. It scales the drawing to fit
/// inside the margins with its aspect ratio kept, centres it, and draws polylines with round caps
/// and joints. The pen width is fixed in **output pixels**, so the line does not depend on the size
/// of the drawing. Only +, −, ×, ÷ and √ of IEEE 754 are used, so the same points give the same
/// bytes on every platform.
public struct Rasterizer: Hashable, Sendable, Codable {
  /// The width and height, in pixels.
  public let size: Int
  /// The margin on each side, in pixels.
  public let margin: Double
  /// The pen width, in pixels.
  public let penWidth: Double
  /// Where the ink of pictures from other sources comes to be.
  ///
  /// `nil` in models of earlier versions: a picture of the right size is used unchanged, and any other one
  /// is cropped to its ink.
  public let pictures: PictureFrame?

  /// The allowed sizes.
  public static let sizes = 8...512

  /// Creates a rasteriser.
  ///
  /// - Throws: `RasterError.invalidParameter` if a number is out of its range, or margin and pen
  ///   leave no room for ink.
  public init(
    size: Int = 28, margin: Double = 1, penWidth: Double = 1.75, pictures: PictureFrame? = nil
  ) throws(RasterError) {
    guard Self.sizes.contains(size) else {
      throw .invalidParameter(name: "size", expected: "8 to 512 pixels", found: "\(size)")
    }
    try RasterError.check(margin: margin, penWidth: penWidth)
    guard Double(size) - 2 * margin - penWidth >= 4 else {
      throw .invalidParameter(
        name: "margin", expected: "at least 4 pixels left between margins and pen",
        found: "\(Double(size) - 2 * margin - penWidth)")
    }
    self.size = size
    self.margin = margin
    self.penWidth = penWidth
    self.pictures = pictures
  }

  /// The default rasteriser, 28 × 28 pixels.
  public static let standard = try! Rasterizer()

  /// The side of the square for the centre line of the pen, in pixels.
  public var contentSide: Double { Double(size) - 2 * margin - penWidth }

  /// Returns a rasteriser of the same size with another margin or pen width, if given.
  ///
  /// - Throws: `RasterError.invalidParameter` if they do not fit the size.
  public func with(
    margin: Double? = nil, penWidth: Double? = nil
  ) throws(RasterError) -> Rasterizer {
    try Rasterizer(
      size: size, margin: margin ?? self.margin, penWidth: penWidth ?? self.penWidth,
      pictures: pictures)
  }

  /// Returns the same rasteriser with another frame for pictures.
  public func with(pictures: PictureFrame?) -> Rasterizer {
    // The other numbers were checked before.
    try! Rasterizer(size: size, margin: margin, penWidth: penWidth, pictures: pictures)
  }

  /// Renders `drawing`.
  ///
  /// If the ink of pictures is centred by its mass, so is the drawing. A drawing without points gives a blank picture. A drawing without extent gives one dot in the
  /// centre.
  ///
  /// - Throws: `RasterError.notFinite` for a coordinate that is not a number or infinite, and
  ///   `RasterError.tooFarApart` where the extent is beyond what a `Double` can hold.
  public func render(_ drawing: Drawing) throws(RasterError) -> Bitmap {
    guard let bounds = try drawing.finiteBounds() else { return Bitmap(width: size, height: size) }
    var frame = frame(of: bounds)
    let pen = Pen(width: penWidth)
    let bitmap = pen.draw(drawing.strokes, columns: size, rows: size, place: frame.apply)
    guard let pictures, pictures.centersMass, let ink = InkPlacement(of: bitmap) else {
      return bitmap
    }
    frame.move(mass: ink, size: size)
    return pen.draw(drawing.strokes, columns: size, rows: size, place: frame.apply)
  }

  /// Returns the map from canvas points to pixels for a drawing with these bounds.
  private func frame(of bounds: Bounds) -> Frame {
    let scale = bounds.longerSide > 0 ? contentSide / bounds.longerSide : 0
    // An extent that is too small to divide by counts as 0.
    return Frame(
      center: bounds.center, scale: scale.isFinite ? scale : 0,
      middle: (Double(size) / 2, Double(size) / 2))
  }
}

/// The map that centres and scales a drawing.
private struct Frame {
  var center: Point
  var scale: Double
  var middle: (x: Double, y: Double)

  func apply(_ point: Point) -> (x: Float, y: Float) {
    (
      Float((point.x - center.x) * scale + middle.x),
      Float((point.y - center.y) * scale + middle.y)
    )
  }

  /// Moves the centre of mass to the middle, as far as all ink stays on the picture.
  mutating func move(mass ink: InkPlacement, size: Int) {
    let half = Double(size) / 2
    func shift(_ mass: Double, _ box: Range<Int>) -> Double {
      min(max(half - mass, -Double(box.lowerBound)), Double(size - box.upperBound))
    }
    middle.x += shift(ink.mass.x, ink.columns)
    middle.y += shift(ink.mass.y, ink.rows)
  }
}

extension Rasterizer {
  /// Reads the parameters and checks them.
  ///
  /// - Throws: `RasterError.invalidParameter` for a number out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      size: container.decode(Int.self, forKey: .size),
      margin: container.decode(Double.self, forKey: .margin),
      penWidth: container.decode(Double.self, forKey: .penWidth),
      pictures: container.decodeIfPresent(PictureFrame.self, forKey: .pictures))
  }
}
