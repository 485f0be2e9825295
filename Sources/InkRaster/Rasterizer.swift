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

  /// The allowed sizes.
  public static let sizes = 8...512

  /// Creates a rasteriser.
  ///
  /// - Throws: `RasterError.invalidParameter` if a number is out of its range, or margin and pen
  ///   leave no room for ink.
  public init(size: Int = 28, margin: Double = 1, penWidth: Double = 1.75) throws(RasterError) {
    guard Self.sizes.contains(size) else {
      throw .invalidParameter(name: "size", expected: "8 to 512 pixels", found: "\(size)")
    }
    guard margin >= 0, margin.isFinite else {
      throw .invalidParameter(name: "margin", expected: "0 pixels or more", found: "\(margin)")
    }
    guard penWidth >= 0.5, penWidth.isFinite else {
      throw .invalidParameter(
        name: "penWidth", expected: "0.5 pixels or more", found: "\(penWidth)")
    }
    guard Double(size) - 2 * margin - penWidth >= 4 else {
      throw .invalidParameter(
        name: "margin", expected: "at least 4 pixels left between margins and pen",
        found: "\(Double(size) - 2 * margin - penWidth)")
    }
    self.size = size
    self.margin = margin
    self.penWidth = penWidth
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
    try Rasterizer(size: size, margin: margin ?? self.margin, penWidth: penWidth ?? self.penWidth)
  }

  /// Renders `drawing`.
  ///
  /// A drawing without points gives a blank picture. A drawing without extent gives one dot in the
  /// centre.
  ///
  /// - Throws: `RasterError.notFinite` for a coordinate that is not a number or infinite, and
  ///   `RasterError.tooFarApart` where the extent is beyond what a `Double` can hold.
  public func render(_ drawing: Drawing) throws(RasterError) -> Bitmap {
    guard let frame = try frame(of: drawing) else { return Bitmap(width: size, height: size) }

    // The squared distance of each pixel's centre to the ink, in pixels².
    var nearest = [Float](repeating: .greatestFiniteMagnitude, count: size * size)
    nearest.withUnsafeMutableBufferPointer { nearest in
      let canvas = DistanceCanvas(size: size, reach: Float(penWidth / 2 + 0.5), nearest: nearest)
      for stroke in drawing.strokes {
        guard var previous = stroke.points.first.map(frame.apply) else { continue }
        if stroke.points.count == 1 { canvas.addSegment(from: previous, to: previous) }
        for point in stroke.points.dropFirst() {
          let next = frame.apply(point)
          canvas.addSegment(from: previous, to: next)
          previous = next
        }
      }
    }

    // The grey value of a pixel is the share of its width that the line covers.
    let reach = Float(penWidth / 2 + 0.5)
    let pixels = nearest.map { squared -> UInt8 in
      let coverage = reach - squared.squareRoot()
      return UInt8(min(1, max(0, coverage)) * 255 + 0.5)
    }
    return Bitmap(width: size, height: size, pixels: pixels)
  }

  /// Returns the map from canvas points to pixels, or `nil` for a drawing without points.
  private func frame(of drawing: Drawing) throws(RasterError) -> Frame? {
    for (strokeIndex, stroke) in drawing.strokes.enumerated() {
      if let index = stroke.points.firstIndex(where: { !$0.x.isFinite || !$0.y.isFinite }) {
        let point = stroke.points[index]
        throw .notFinite(stroke: strokeIndex + 1, point: index + 1, x: point.x, y: point.y)
      }
    }
    guard let bounds = drawing.bounds else { return nil }
    guard bounds.longerSide.isFinite else { throw .tooFarApart }
    let scale = bounds.longerSide > 0 ? contentSide / bounds.longerSide : 0
    // An extent that is too small to divide by counts as 0.
    return Frame(center: bounds.center, scale: scale.isFinite ? scale : 0, middle: Double(size) / 2)
  }
}

/// The map that centres and scales a drawing.
private struct Frame {
  var center: Point
  var scale: Double
  var middle: Double

  func apply(_ point: Point) -> (x: Float, y: Float) {
    (
      Float((point.x - center.x) * scale + middle),
      Float((point.y - center.y) * scale + middle)
    )
  }
}

/// The squared distance from each pixel's centre to the nearest segment so far.
private struct DistanceCanvas {
  var size: Int
  /// Pixels further away than this from a segment stay untouched.
  var reach: Float
  var nearest: UnsafeMutableBufferPointer<Float>

  func addSegment(from a: (x: Float, y: Float), to b: (x: Float, y: Float)) {
    let dx = b.x - a.x
    let dy = b.y - a.y
    let squared = dx * dx + dy * dy
    let inverse = squared > 0 ? 1 / squared : 0

    let left = max(0, Int(min(a.x, b.x) - reach))
    let right = min(size - 1, Int(max(a.x, b.x) + reach))
    let top = max(0, Int(min(a.y, b.y) - reach))
    let bottom = min(size - 1, Int(max(a.y, b.y) + reach))
    guard left <= right, top <= bottom else { return }

    for row in top...bottom {
      let fromY = Float(row) + 0.5 - a.y
      for column in left...right {
        let fromX = Float(column) + 0.5 - a.x
        let along = (fromX * dx + fromY * dy) * inverse
        let clamped = along < 0 ? 0 : (along > 1 ? 1 : along)
        let restX = fromX - clamped * dx
        let restY = fromY - clamped * dy
        let distance = restX * restX + restY * restY
        let index = row * size + column
        if distance < nearest[index] { nearest[index] = distance }
      }
    }
  }
}

/// Why a drawing cannot be rasterised.
public enum RasterError: Error, Hashable, CustomStringConvertible {
  /// A parameter of the rasteriser is out of its range.
  case invalidParameter(name: String, expected: String, found: String)
  /// A coordinate is not a number or infinite; strokes and points count from 1.
  case notFinite(stroke: Int, point: Int, x: Double, y: Double)
  /// The drawing's extent is not a finite number.
  case tooFarApart
  /// The example is a series, which has no picture.
  case series

  /// The error in one line.
  public var description: String {
    switch self {
    case .invalidParameter(let name, let expected, let found):
      "raster parameter \(name): expected \(expected), found \(found)"
    case .notFinite(let stroke, let point, let x, let y):
      "stroke \(stroke), point \(point): expected two finite coordinates, found \(x), \(y)"
    case .tooFarApart:
      "expected coordinates within 10^308 of each other, found points further apart"
    case .series: "a series, which has no picture"
    }
  }
}

extension Rasterizer {
  private enum CodingKeys: CodingKey {
    case size, margin, penWidth
  }

  /// Reads the parameters and checks them.
  ///
  /// - Throws: `RasterError.invalidParameter` for a number out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      size: container.decode(Int.self, forKey: .size),
      margin: container.decode(Double.self, forKey: .margin),
      penWidth: container.decode(Double.self, forKey: .penWidth))
  }
}
