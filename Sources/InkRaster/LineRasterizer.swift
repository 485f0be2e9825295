import Ink

/// Renders a line of writing as a grey picture of a fixed height, as wide as the writing.
///
/// Training and use of a reader call it with the same parameters. It levels the line if the line
/// slopes, scales it to the height, with one scale in both directions unless ``stretch`` makes it wider, and
/// draws it with the pen of all rasterisers. So the sizes of the characters relative to each other stay, and
/// the drop of a subscript stays. The scale follows the size of most of the ink: what a single stroke adds far
/// above or below is squeezed. ``render(_:isTraced:)`` takes strokes, ``render(_:)`` takes a strip that was cut
/// from a picture.
public struct LineRasterizer: Hashable, Sendable, Codable {
  /// The height of a picture, in pixels.
  public let height: Int
  /// The margin on each side, in pixels.
  public let margin: Double
  /// The pen width, in pixels.
  public let penWidth: Double
  /// How many times wider than high a character becomes.
  ///
  /// Narrow letters then cover more of the steps of a reader, which are a few columns wide.
  public let stretch: Double
  /// The width of the narrowest picture, in pixels.
  public let minWidth: Int
  /// The width of the widest picture, in pixels.
  public let maxWidth: Int
  /// Whether pictures have four more planes, with the pen directions.
  ///
  /// These planes are 0 for strips and traced strokes, whose directions are unknown.
  public let showsDirections: Bool

  /// The allowed stretches.
  public static let stretches = 1.0...4.0
  /// The allowed heights.
  public static let heights = 16...256
  /// The allowed widths.
  public static let widths = 4...1 << 14

  /// Creates a rasteriser of lines.
  ///
  /// - Throws: `RasterError.invalidParameter` if a number is out of its range, or margin and pen
  ///   leave no room for ink.
  public init(
    height: Int = 32, margin: Double = 2, penWidth: Double = 2, stretch: Double = 1,
    minWidth: Int = 8, maxWidth: Int = 2048, showsDirections: Bool = false
  ) throws(RasterError) {
    guard Self.heights.contains(height) else {
      throw .invalidParameter(
        name: "height",
        expected: "\(Self.heights.lowerBound) to \(Self.heights.upperBound) pixels",
        found: "\(height)")
    }
    try RasterError.check(margin: margin, penWidth: penWidth)
    guard Double(height) - 2 * margin - penWidth >= 8 else {
      throw .invalidParameter(
        name: "margin", expected: "at least 8 pixels left between margins and pen",
        found: "\(Double(height) - 2 * margin - penWidth)")
    }
    guard Self.stretches.contains(stretch) else {
      throw .invalidParameter(
        name: "stretch",
        expected: "\(Self.stretches.lowerBound) to \(Self.stretches.upperBound)",
        found: "\(stretch)")
    }
    guard minWidth <= maxWidth, Self.widths.contains(minWidth), Self.widths.contains(maxWidth)
    else {
      throw .invalidParameter(
        name: "minWidth, maxWidth",
        expected:
          "\(Self.widths.lowerBound) to \(Self.widths.upperBound) pixels, the smaller one first",
        found: "\(minWidth), \(maxWidth)")
    }
    self.height = height
    self.margin = margin
    self.penWidth = penWidth
    self.stretch = stretch
    self.minWidth = minWidth
    self.maxWidth = maxWidth
    self.showsDirections = showsDirections
  }

  /// The number of planes of a picture: the ink, and perhaps the four pen directions.
  public var planeCount: Int { showsDirections ? 5 : 1 }

  /// The thinnest and the thickest pen of a strip in its picture, in widths of the pen of strokes.
  private static let (thinnestPen, thickestPen) = (0.75, 1.6)

  /// The default rasteriser, 32 rows high.
  public static let standard = try! LineRasterizer()

  /// Returns a rasteriser of the same height, stretch, widths and planes with another margin or pen width, if
  /// given.
  ///
  /// - Throws: `RasterError.invalidParameter` if they do not fit the height.
  public func with(
    margin: Double? = nil, penWidth: Double? = nil
  ) throws(RasterError) -> LineRasterizer {
    try LineRasterizer(
      height: height, margin: margin ?? self.margin, penWidth: penWidth ?? self.penWidth,
      stretch: stretch, minWidth: minWidth, maxWidth: maxWidth, showsDirections: showsDirections)
  }

  /// Renders `drawing`, one line of writing.
  ///
  /// A drawing without points gives a blank picture. A drawing without extent gives one dot in the
  /// centre.
  ///
  /// - Parameter isTraced: Whether the strokes were traced on a picture; their directions are then unknown and left
  ///   out.
  /// - Throws: `RasterError.notFinite` for a coordinate that is not a number or infinite,
  ///   `RasterError.tooFarApart` where the extent is beyond what a `Double` can hold, and
  ///   `RasterError.tooLong` for a line that does not fit into `maxWidth`.
  public func render(_ drawing: Drawing, isTraced: Bool = false) throws(RasterError) -> LineImage {
    try render(drawing, isTraced: isTraced, view: .plain)
  }

  /// Renders `drawing`, one line of writing, in `view`.
  package func render(
    _ drawing: Drawing, isTraced: Bool, view: LineView
  ) throws(RasterError) -> LineImage {
    guard let bounds = try drawing.finiteBounds() else { return blank }
    // Coordinates as shares of the longer side, so that no sum of them overflows.
    let unit = bounds.longerSide > 0 ? bounds.longerSide : 1
    let center = bounds.center
    func shares(_ point: Point) -> (x: Double, y: Double) {
      ((point.x - center.x) / unit, (point.y - center.y) / unit)
    }
    let shape = StrokeShape(drawing.strokes.map { $0.points.map(shares) })
    let frame = try LineFrame(shape, rasterizer: self, view: view)
    let pen = Pen(width: penWidth)
    func place(_ point: Point) -> (x: Float, y: Float) {
      let (x, y) = shares(point)
      let place = frame.place(x, y)
      return (Float(place.column), Float(place.row))
    }
    let bitmap = pen.draw(drawing.strokes, columns: frame.columns, rows: height, place: place)
    return LineImage(
      bitmap: bitmap,
      directions: showsDirections && !isTraced
        ? pen.directions(
          of: drawing.strokes.map { $0.points.map(place) }, columns: frame.columns, rows: height)
        : noDirections(columns: frame.columns),
      left: frame.x(column: 0) * unit + center.x, unitsPerColumn: frame.unitsPerColumn * unit)
  }

  /// Renders `strip`, a line of writing that was cut from a picture.
  ///
  /// The ink may be dark or light. Uneven light, faint dirt and the lines of the paper are removed,
  /// and the picture is cropped to the writing. A strip without writing gives a blank picture.
  ///
  /// - Throws: `RasterError.tooLong` for a line that does not fit into `maxWidth`.
  public func render(_ strip: Bitmap) throws(RasterError) -> LineImage {
    try render(StripInk(strip), view: .plain)
  }

  /// Renders the ink of a strip in `view`; none gives a blank picture.
  ///
  /// - Throws: `RasterError.tooLong` for a line that does not fit into `maxWidth`.
  package func render(_ ink: StripInk?, view: LineView) throws(RasterError) -> LineImage {
    guard var ink else { return blank }
    let frame = try LineFrame(ink, rasterizer: self, view: view)
    // A thin pen on a large strip would leave hardly a trace in the picture, and a thick one fill it.
    let pen = penWidth * frame.unitsPerRow
    ink.fitPen(to: Self.thinnestPen * pen...Self.thickestPen * pen)
    return LineImage(
      bitmap: ink.resampled(by: frame, rows: height),
      directions: noDirections(columns: frame.columns),
      left: frame.x(column: 0) * ink.pixelsPerCell,
      unitsPerColumn: frame.unitsPerColumn * ink.pixelsPerCell)
  }

  /// The picture of no writing.
  private var blank: LineImage {
    LineImage(
      bitmap: Bitmap(width: minWidth, height: height), directions: noDirections(columns: minWidth),
      left: 0, unitsPerColumn: 0)
  }

  /// The planes of directions of a picture that shows none.
  private func noDirections(columns: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: (planeCount - 1) * height * columns)
  }

  private enum CodingKeys: CodingKey {
    case height, margin, penWidth, stretch, minWidth, maxWidth, showsDirections
  }

  /// Writes the parameters; files of models without directions stay as they were.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(height, forKey: .height)
    try container.encode(margin, forKey: .margin)
    try container.encode(penWidth, forKey: .penWidth)
    try container.encode(stretch, forKey: .stretch)
    try container.encode(minWidth, forKey: .minWidth)
    try container.encode(maxWidth, forKey: .maxWidth)
    if showsDirections { try container.encode(true, forKey: .showsDirections) }
  }

  /// Reads the parameters and checks them.
  ///
  /// - Throws: `RasterError.invalidParameter` for a number out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      height: container.decode(Int.self, forKey: .height),
      margin: container.decode(Double.self, forKey: .margin),
      penWidth: container.decode(Double.self, forKey: .penWidth),
      // Models of earlier versions have none.
      stretch: container.decodeIfPresent(Double.self, forKey: .stretch) ?? 1,
      minWidth: container.decode(Int.self, forKey: .minWidth),
      maxWidth: container.decode(Int.self, forKey: .maxWidth),
      showsDirections: container.decodeIfPresent(Bool.self, forKey: .showsDirections) ?? false)
  }
}

/// One way to look at a line of writing.
///
/// A reader that is unsure looks at a line in several.
package struct LineView: Hashable, Sendable {
  /// How many times wider the line becomes than in the plain view.
  package let stretch: Double
  /// How far it rises for its length, as both are before the stretch; a long line rises less.
  package let slope: Double
  /// How far it leans to the right for its height, before the stretch of the rasteriser.
  package let slant: Double

  /// Creates a view.
  package init(stretch: Double = 1, slope: Double = 0, slant: Double = 0) {
    self.stretch = stretch
    self.slope = slope
    self.slant = slant
  }

  /// The view that readers are trained with.
  package static let plain = LineView()
}

/// The picture of a line of writing, and where its columns are on the canvas.
public struct LineImage: Hashable, Sendable {
  /// The picture, with bright ink on black.
  public let bitmap: Bitmap
  /// The pen directions right, left, down and up, `[4, height, width]`; empty unless the rasteriser shows them.
  public let directions: [UInt8]
  /// The x coordinate of the left edge of the first column, on the canvas or the strip.
  public let left: Double
  /// The width of a column on the canvas or the strip; 0 for writing without extent.
  public let unitsPerColumn: Double

  /// The x coordinate of the left edge of `column`, on the canvas or the strip.
  public func x(column: Int) -> Double { left + Double(column) * unitsPerColumn }

  /// All planes: `[planes, height, width]`.
  public var planes: [UInt8] { bitmap.pixels + directions }

  /// Whether there is no ink.
  public var isBlank: Bool { bitmap.pixels.allSatisfy { $0 == 0 } }
}
