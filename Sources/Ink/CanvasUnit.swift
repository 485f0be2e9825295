/// The unit of the coordinates of drawings, judged by their sizes.
///
/// Coordinates are usually in canvas points, about the pixels of a screen. Other programs write them from
/// 0 to 1, in centimetres or in inches.
public enum CanvasUnit {
  /// The name of the attribute of a recording with the canvas points in one unit of its coordinates.
  public static let attributeName = "pointsPerUnit"

  /// The number of drawings that show a unit by their sizes alone.
  private static let minimumCount = 8
  /// The coordinates of a page that is too small for a screen, in points.
  private static let minimumPage = 64.0
  /// The longer side of usual drawings, in points; a tenth of it is ``Stroke/minimumExtent``.
  private static let usualExtent = 120.0

  /// Returns the canvas points in one unit of the coordinates of `drawings`, a set or a page, or `nil` if
  /// they are in points.
  ///
  /// They are not in points if a quarter of the drawings or more would be taps, half of them are smaller
  /// than two taps, and there are several of them or all coordinates are on a page that is smaller than
  /// any screen. Drawings without extent are not counted.
  public static func pointsPerUnit(of drawings: some Sequence<Drawing>) -> Double? {
    var extents: [Double] = []
    var page = 0.0
    for drawing in drawings {
      guard let bounds = drawing.bounds else { continue }
      let corners = [bounds.minX, bounds.minY, bounds.maxX, bounds.maxY]
      page = max(page, corners.lazy.map(abs).max()!)
      if bounds.longerSide > 0 { extents.append(bounds.longerSide) }
    }
    guard !extents.isEmpty, extents.count >= minimumCount || page < minimumPage else { return nil }
    extents.sort()
    let median = extents[extents.count / 2]
    guard extents[extents.count / 4] < Stroke.minimumExtent, median < 2 * Stroke.minimumExtent,
      median > usualExtent / 1e12
    else { return nil }
    return rounded(usualExtent / median)
  }

  /// Returns a positive number with two digits, which is easier to read and to repeat.
  private static func rounded(_ number: Double) -> Double {
    var (unit, rest) = (1.0, number)
    while rest >= 100 { (unit, rest) = (unit * 10, rest / 10) }
    while rest < 10 { (unit, rest) = (unit / 10, rest * 10) }
    return rest.rounded() * unit
  }
}

extension Recording {
  /// The canvas points in one unit of the coordinates, or `nil` if they are in points or unknown.
  public var pointsPerUnit: Double? {
    get { Self.pointsPerUnit(in: attributes) }
    set { attributes[CanvasUnit.attributeName] = newValue.map { .number($0) } }
  }

  /// Returns the canvas points in one unit that `attributes` have, if it is a usable number.
  public static func pointsPerUnit(in attributes: [String: JSONValue]) -> Double? {
    guard case .number(let points)? = attributes[CanvasUnit.attributeName], points > 0,
      points.isFinite
    else { return nil }
    return points
  }
}
