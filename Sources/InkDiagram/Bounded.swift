import Ink

/// What has an upright rectangle around it.
protocol Bounded {
  /// The corners of the rectangle.
  var low: Vector { get }
  var high: Vector { get }
}

extension Bounded {
  var center: Vector { low.middle(to: high) }
  var width: Double { high.x - low.x }
  var height: Double { high.y - low.y }
  /// The longer side of the rectangle.
  var size: Double { max(width, height) }
}
