import Ink
import InkRaster

/// A ring that is, or is not, that of a state.
public struct StateRing: Hashable, Sendable {
  /// Its middle, in points of the drawing.
  public var center: Point
  /// Its mean radius, in points of the drawing.
  public var radius: Double
  /// Whether it is the ring of a state; the inner ring of a final state can be one as well.
  public var isState: Bool

  /// The label of rings of states, and that of others, in data sets.
  public static let labels = (state: "state", other: "other")
  /// The label of states with two rings, and that of states with one, in data sets.
  public static let counts = (double: "double", single: "single")

  /// The side of the square in which a ring is looked at, in radii.
  private static let reach = 5.0
  /// The distances from the centre that an unrolled ring shows, in radii.
  private static let band = 0.5...1.45
  /// The overlap with a true ring from which a ring is that one, and below which it is none.
  private static let (same, different) = (0.6, 0.25)
  /// The share of a ring that has to be there: less than recognition needs, so that a model also learns from what is
  /// hardly a ring.
  private static let doubtful = 0.3

  /// Returns the square of `picture` around a ring, with what is beside it.
  public static func patch(
    of picture: any DiagramPicture, at center: Point, radius: Double
  ) -> Bitmap {
    picture.patch(at: center, direction: Point(1, 0), side: reach * radius)
  }

  /// Returns the ink around a ring, unrolled: a turn from left to right, and away from the centre downwards.
  ///
  /// The rings of a final state are two lines across it.
  public static func unrolled(
    of picture: any DiagramPicture, at center: Point, radius: Double
  ) -> Bitmap {
    picture.patch { column, row in
      let distance = band.lowerBound + row * (band.upperBound - band.lowerBound)
      let way = Vector(angle: 2 * .pi * column, length: distance * radius)
      return Point(center.x + way.x, center.y + way.y)
    }
  }

  /// Returns the true rings of the states of `diagram` and the rings that are found among the strokes of `drawing`,
  /// labelled by their overlap with the true ones; those that overlap one only in part are left out.
  public static func all(of diagram: Diagram, in drawing: Drawing) -> [StateRing] {
    let states = diagram.states.map {
      StateRing(center: Point($0.center.x, $0.center.y), radius: $0.radius, isState: true)
    }
    let traces = drawing.strokes.enumerated().compactMap { Trace($1, index: $0) }
    let search = RingSearch(traces: traces)
    let assembled =
      diagram.usualRadius.map { search.rings(about: $0, minimumVotes: doubtful) } ?? []
    let found = (search.rings() + assembled).compactMap { ring -> StateRing? in
      var found = StateRing(
        center: Point(ring.center.x, ring.center.y), radius: ring.radius, isState: true)
      let overlap = states.map(found.overlap).max() ?? 0
      guard overlap >= same || overlap < different else { return nil }
      found.isState = overlap >= same
      return found
    }
    return states + found
  }

  /// Returns the intersection over the union of the upright squares around two rings.
  private func overlap(with other: StateRing) -> Double {
    func shared(_ a: Double, _ b: Double) -> Double {
      max(0, min(a + radius, b + other.radius) - max(a - radius, b - other.radius))
    }
    let both = shared(center.x, other.center.x) * shared(center.y, other.center.y)
    return both / (4 * (radius * radius + other.radius * other.radius) - both)
  }
}
