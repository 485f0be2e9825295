import Foundation
import Ink

extension Document {
  /// The shape of a drawn transition.
  public struct Appearance: Hashable, Sendable {
    /// The curves of the line.
    public var curves: [Geometry.Curve]
    /// The head: the end of a barb, the tip, the end of the other barb.
    public var head: [Vector]
    /// The middle of the label.
    public var label: Vector
    /// The handle: the middle point of a line, or the farthest point of a self-loop.
    public var handle: Vector

    /// The line as a dense sequence of points.
    var polyline: [Vector] {
      curves.flatMap { curve in (0...24).map { curve.point(at: Double($0) / 24) } }
    }
  }

  /// Returns the shape of `transition`, or `nil` for a self-loop whose state is missing.
  public func appearance(of transition: Transition) -> Appearance? {
    Appearance(
      transition.shape, at: transition.isLoop ? state(transition.start) : nil,
      labelSize: Geometry.extent(ofLines: labelLines(of: transition)),
      labelPlace: transition.labelPlace)
  }

  /// Returns whether `path` comes within `reach` of the ring or the centre of `state`.
  func crosses(_ path: [Vector], _ state: State, reach: Double) -> Bool {
    let ring = (0...64).map {
      state.center + Vector(angle: Double($0) * .pi / 32, length: state.radius)
    }
    return Self.isNear(path, ring, reach: reach)
      || Self.isNear(path, [state.center, state.center], reach: reach)
  }

  /// Returns whether `path` comes within `reach` of the line or the head of `transition`.
  func crosses(_ path: [Vector], _ transition: Transition, reach: Double) -> Bool {
    guard let appearance = appearance(of: transition) else { return false }
    return Self.isNear(path, appearance.polyline, reach: reach)
      || Self.isNear(path, appearance.head, reach: reach)
  }

  /// Returns whether `path` comes within `reach` of a stroke of the ink.
  func crosses(_ path: [Vector], _ stroke: Stroke, reach: Double) -> Bool {
    let line = stroke.points.map { Vector($0) }
    return Self.isNear(path, line.count == 1 ? line + line : line, reach: reach)
  }

  private static func isNear(_ path: [Vector], _ line: [Vector], reach: Double) -> Bool {
    let steps = zip(path, path.dropFirst().isEmpty ? path[...] : path.dropFirst())
    for (a, b) in steps {
      for (c, d) in zip(line, line.dropFirst())
      where Vector.distance(a, b, c, d) <= reach {
        return true
      }
    }
    return false
  }
}

extension Document.Appearance {
  /// The distance between a label's edge and its line, in canvas points.
  static let labelDistance = 12.0
  private static let regularSpan = 24.0
  private static let loopSpan = 20.0

  /// Creates the look of a shape, or returns `nil` for a self-loop without a state.
  init?(
    _ shape: Document.Transition.Shape, at state: Document.State?, labelSize: Vector,
    labelPlace: Document.Transition.LabelPlace?
  ) {
    /// Returns the middle of a label beside a point of the line.
    func label(at place: Vector, _ outward: Vector) -> Vector {
      Self.label(of: labelSize, at: place, outward: outward, gap: Self.labelDistance)
    }
    switch shape {
    case .regular(let start, let tip, let flex):
      // A cubic Hermite spline through all three.
      let (m0, m1, m2) = ((flex - start) * 0.5, (tip - start) * 0.5, (tip - flex) * 0.5)
      let curves = [
        Geometry.Curve(
          start: start, end: flex, first: start + m0 * (1 / 3), second: flex - m1 * (1 / 3)),
        Geometry.Curve(
          start: flex, end: tip, first: flex + m1 * (1 / 3), second: tip - m2 * (1 / 3)),
      ]
      // On the outer side of the bend; above a straight line.
      let across = (tip - start).unit.turned(by: -.pi / 2)
      let sag = flex - start.middle(to: tip)
      let side = sag.x * across.x + sag.y * across.y
      let isStraight = abs(side) < 1
      let outward =
        isStraight ? (across.y > 0 ? across * -1 : across) : across * (side < 0 ? -1 : 1)
      self.init(
        curves: curves, head: Geometry.head(at: tip, from: flex, span: Self.regularSpan),
        label: label(at: flex, outward), handle: flex)
    case .loop(let angle, let isMirrored):
      guard let state else { return nil }
      let outward = Vector(angle: angle + .pi / 2, length: 1)
      let aside = outward.turned(by: isMirrored ? -.pi / 2 : .pi / 2)
      // As wide and as high on any state.
      let lean = min(0.5, Geometry.loopFoot / state.radius)
      let first = state.center + outward.turned(by: isMirrored ? lean : -lean) * state.radius
      let last = state.center + outward.turned(by: isMirrored ? -lean : lean) * state.radius
      let curve = Geometry.Curve(
        start: first, end: last,
        first: first + outward * Geometry.loopReach - aside * Geometry.loopBelly,
        second: last + outward * Geometry.loopReach + aside * Geometry.loopBelly)
      let top = curve.point(at: 0.5)
      self.init(
        curves: [curve],
        head: Geometry.head(at: last, from: curve.point(at: 0.9), span: Self.loopSpan),
        label: label(at: top, outward), handle: top)
    }
    if let labelPlace { self.label = self.label(of: labelSize, at: labelPlace) }
  }

  /// Returns the middle of a label of this size at a place.
  func label(of size: Vector, at place: Document.Transition.LabelPlace) -> Vector {
    let way = place.along * Double(curves.count)
    let number = max(0, min(curves.count - 1, Int(way)))
    let t = way - Double(number)
    let left = curves[number].direction(at: t).unit.turned(by: -.pi / 2)
    return Self.label(
      of: size, at: curves[number].point(at: t), outward: place.gap < 0 ? left * -1 : left,
      gap: abs(place.gap))
  }

  /// Returns the middle of a label whose edge has a distance of `gap` from a point of its line.
  private static func label(
    of size: Vector, at place: Vector, outward: Vector, gap: Double
  ) -> Vector {
    place + outward * (gap + (abs(outward.x) * size.x + abs(outward.y) * size.y) / 2)
  }
}

extension Vector {
  /// Returns the distance between two line segments.
  static func distance(_ a: Vector, _ b: Vector, _ c: Vector, _ d: Vector) -> Double {
    func side(_ p: Vector, _ q: Vector, _ r: Vector) -> Double { (q - p).cross(r - p) }
    if side(a, b, c) * side(a, b, d) < 0, side(c, d, a) * side(c, d, b) < 0 { return 0 }
    return min(
      a.distance(toSegmentFrom: c, to: d), b.distance(toSegmentFrom: c, to: d),
      c.distance(toSegmentFrom: a, to: b), d.distance(toSegmentFrom: a, to: b))
  }
}

extension Document.Transition.Shape {
  /// Returns a straight line from one ring to another.
  static func straight(from: Document.State, to: Document.State) -> Self {
    let (start, tip) = (from.ringPoint(towards: to.center), to.ringPoint(towards: from.center))
    return .regular(start: start, tip: tip, flex: start.middle(to: tip))
  }

  /// Returns a line from one ring to another that bends to its left by `bend`, with its middle point
  /// `shift` nearer to the second.
  static func bowed(
    from: Document.State, to: Document.State, by bend: Double, shift: Double = 0
  ) -> Self {
    let way = (to.center - from.center).unit
    let flex =
      from.center.middle(to: to.center) + way.turned(by: -.pi / 2) * bend + way * shift
    return .regular(
      start: from.ringPoint(towards: flex), tip: to.ringPoint(towards: flex), flex: flex)
  }

  /// Returns the arrow of an initial state, which comes from the left.
  static func marker(of state: Document.State) -> Self {
    marker(of: state, from: Vector(-1, 0), length: markerLength)
  }

  /// Returns the arrow of an initial state that comes from a side.
  static func marker(of state: Document.State, from side: Vector, length: Double) -> Self {
    let tip = state.center + side * state.radius
    return .regular(start: tip + side * length, tip: tip, flex: tip + side * (length / 2))
  }

  /// The length of the arrow of an initial state, in canvas points.
  static let markerLength = 100.0
}
