import Ink

/// Draws strokes as a pen does on a page: dark ink on white.
public struct PageRasterizer: Hashable, Sendable {
  /// The width of a line, in pixels.
  public let penWidth: Double
  /// The white space around the ink, in pixels.
  public let margin: Double

  /// The longest part of a line that is drawn at once, in pixels: the boxes of long oblique ones are large.
  private static let longestPart = 32.0
  /// The points of a stroke that has more.
  private static let maximumPoints = 10_000

  /// Creates a rasteriser.
  public init(penWidth: Double, margin: Double) {
    (self.penWidth, self.margin) = (penWidth, margin)
  }

  /// Draws `strokes`, whose points are in `bounds`, with `scale` pixels for a canvas point.
  ///
  /// The corner of `bounds` is `margin` pixels from that of the picture.
  ///
  /// - Precondition: The coordinates are finite, and the picture has few enough pixels for the memory.
  public func render(_ strokes: [Stroke], in bounds: Bounds, scale: Double) -> Bitmap {
    func size(_ extent: Double) -> Int { Int((extent * scale + 2 * margin).rounded(.up)) }
    func place(_ point: Point) -> Point {
      Point((point.x - bounds.minX) * scale + margin, (point.y - bounds.minY) * scale + margin)
    }
    let parts = strokes.lazy.map { stroke in
      let isLong = stroke.points.count > Self.maximumPoints
      return Self.divided(
        (isLong ? stroke.resampled(count: Self.maximumPoints) : stroke).points.map(place))
    }
    return Pen(width: penWidth).draw(
      parts, columns: size(bounds.width), rows: size(bounds.height)
    ) { (Float($0.x), Float($0.y)) }.inverted()
  }

  /// Returns a line without parts that are longer than ``longestPart``.
  private static func divided(_ line: [Point]) -> Stroke {
    var points = Array(line.prefix(1))
    for (last, point) in zip(line, line.dropFirst()) {
      let count = (last.distance(to: point) / longestPart).rounded(.up)
      for part in stride(from: 1, to: count, by: 1) {
        let share = part / count
        points.append(
          Point(last.x + (point.x - last.x) * share, last.y + (point.y - last.y) * share))
      }
      points.append(point)
    }
    return Stroke(points)
  }
}
