/// What kind of line a stroke is, by its points alone.
public enum StrokeKind: String, Hashable, Sendable, CaseIterable {
  /// Shorter than ``Stroke/minimumExtent``: a tap.
  case dot
  /// Straight, perhaps with a small hook at an end.
  case line
  /// Bent to one side or both, by at most half its chord.
  case bow
  /// Anything else: loops, rings, corners.
  case curve
}

extension Stroke {
  /// The longer side, in canvas points, below which a stroke is a tap.
  public static let minimumExtent = 12.0

  /// The distance between the ends, in canvas points.
  public var chord: Double {
    guard let first = points.first, let last = points.last else { return 0 }
    return first.distance(to: last)
  }

  /// The greatest distance of a point from the straight line through both ends, in canvas points.
  ///
  /// Where the ends coincide, it is the greatest distance from them.
  public var sag: Double {
    guard let first = points.first, let last = points.last else { return 0 }
    let chord = chord
    return points.reduce(0) { greatest, point in
      guard chord > 0 else { return max(greatest, point.distance(to: first)) }
      let cross =
        (last.x - first.x) * (point.y - first.y) - (last.y - first.y) * (point.x - first.x)
      return max(greatest, abs(cross) / chord)
    }
  }

  /// The rough form of the stroke, whose coordinates are in canvas points.
  public var form: StrokeKind { form(pointsPerUnit: 1) }

  /// Returns the rough form of the stroke, whose coordinates are in units of so many canvas points.
  public func form(pointsPerUnit: Double) -> StrokeKind {
    let extent = Drawing([self]).bounds?.longerSide ?? 0
    guard extent * pointsPerUnit >= Self.minimumExtent else { return .dot }
    let (chord, sag, length) = (chord, sag, length)
    if sag <= 0.15 * chord, chord >= 0.75 * length { return .line }
    return sag <= 0.5 * chord && chord >= 0.55 * length ? .bow : .curve
  }
}
