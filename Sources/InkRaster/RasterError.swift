import ErrorText

/// Why a drawing or picture cannot be rasterised.
public enum RasterError: DescribedError, Hashable {
  /// A parameter of the rasteriser is out of its range.
  case invalidParameter(name: String, expected: String, found: String)
  /// A coordinate is not a number or infinite; strokes and points count from 1.
  case notFinite(stroke: Int, point: Int, x: Double, y: Double)
  /// The drawing's extent is not a finite number.
  case tooFarApart
  /// A line of writing is too long for its height.
  case tooLong(columns: Int, limit: Int)
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
    case .tooLong(let columns, let limit):
      "expected a line of writing of at most \(limit) columns, found \(columns); cut it into words"
    case .series: "a series, which has no picture"
    }
  }

  /// Checks a margin and a pen width, in pixels.
  ///
  /// - Throws: `RasterError.invalidParameter` if one is out of its range.
  static func check(margin: Double, penWidth: Double) throws(RasterError) {
    guard margin >= 0, margin.isFinite else {
      throw .invalidParameter(name: "margin", expected: "0 pixels or more", found: "\(margin)")
    }
    guard penWidth >= 0.5, penWidth.isFinite else {
      throw .invalidParameter(
        name: "penWidth", expected: "0.5 pixels or more", found: "\(penWidth)")
    }
  }
}
