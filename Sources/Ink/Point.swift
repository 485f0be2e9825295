/// One position of the pen.
///
/// Coordinates are canvas points with the origin at the top left and y pointing **down**.
public struct Point: Hashable, Sendable {
  /// The distance from the left edge, in canvas points.
  public var x: Double
  /// The distance from the top edge, in canvas points.
  public var y: Double
  /// When the pen was here, in milliseconds from any origin; `nil` if unknown.
  public var time: Double?
  /// How hard the pen pressed, from 0 to 1; `nil` if unknown.
  public var pressure: Double?

  /// Creates a point at `x`, `y`.
  public init(_ x: Double, _ y: Double, time: Double? = nil, pressure: Double? = nil) {
    self.x = x
    self.y = y
    self.time = time
    self.pressure = pressure
  }

  /// The distance to `other`, in canvas points.
  public func distance(to other: Point) -> Double {
    let dx = other.x - x
    let dy = other.y - y
    return (dx * dx + dy * dy).squareRoot()
  }

  /// Returns the point at `fraction` of the line to `other`, with interpolated time and pressure.
  public func interpolated(to other: Point, fraction: Double) -> Point {
    func between(_ a: Double?, _ b: Double?) -> Double? {
      guard let a, let b else { return nil }
      return a + (b - a) * fraction
    }
    return Point(
      x + (other.x - x) * fraction, y + (other.y - y) * fraction,
      time: between(time, other.time), pressure: between(pressure, other.pressure))
  }
}
