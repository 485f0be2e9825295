import Foundation
import Ink

/// The shapes of drawn elements; see <doc:HowDrawingWorks>.
public enum Geometry {
  /// A cubic Bézier curve.
  public struct Curve: Hashable, Sendable {
    /// Where it begins.
    public var start: Vector
    /// The control points.
    public var controls: (Vector, Vector) { (first, second) }
    /// Where it ends.
    public var end: Vector
    var first: Vector
    var second: Vector

    /// The point at `t`, from 0 to 1.
    public func point(at t: Double) -> Vector {
      let s = 1 - t
      return start * (s * s * s) + first * (3 * s * s * t) + second * (3 * s * t * t)
        + end * (t * t * t)
    }

    /// The direction of travel at `t`, of any length.
    func direction(at t: Double) -> Vector {
      let s = 1 - t
      return (first - start) * (s * s) + (second - first) * (2 * s * t)
        + (end - second) * (t * t)
    }
  }

  /// The width of all lines, in canvas points.
  public static let lineWidth = 4.0
  /// The height of text, in canvas points.
  public static let textSize = 24.0
  /// The width of the line in the colour of the paper around letters.
  public static let haloWidth = 5.0
  /// The lengths of the dashes of a dangling transition and of the gaps between them.
  public static let dashes = [8.0, 10]
  /// The distance between the two rings of a final state, in canvas points.
  public static let finalRingInset = 10.0

  /// The distances of a self-loop's ends and control points from its axis and from the ring.
  ///
  /// The reference editor draws a thinner self-loop, which its head hides on small states.
  static let loopFoot = 20.0
  static let loopReach = 90.0
  static let loopBelly = 36.0

  /// The approximate width of a character and height of a line of text, in canvas points.
  static let letter = Vector(16, textSize)

  /// Returns the approximate size of `text`, in canvas points.
  static func extent(of text: String) -> Vector {
    Vector(letter.x * ShownText(text).width, letter.y)
  }

  /// Returns the approximate size of lines below each other, in canvas points.
  static func extent(ofLines lines: [String]) -> Vector {
    let widths = lines.map { extent(of: $0).x }
    return Vector(widths.max() ?? 0, letter.y + lineHeight * Double(max(1, lines.count) - 1))
  }

  /// The distance between two lines of a label, in canvas points.
  package static let lineHeight = 1.2 * textSize

  /// Returns how far each line of a label is below its middle, in canvas points.
  static func lineOffsets(count: Int) -> [Double] {
    (0..<count).map { (Double($0) - Double(count - 1) / 2) * lineHeight }
  }

  /// Returns the scale at which a state's name fits inside its rings, at most 1.
  package static func nameScale(of state: Document.State) -> Double {
    let room = 1.7 * (state.radius - (state.isFinal ? finalRingInset : 0))
    return min(1, max(0.35, room / max(1, extent(of: state.name).x)))
  }

  /// Returns the points of an arrow head: two barbs that meet at the tip.
  static func head(at tip: Vector, from flex: Vector, span: Double) -> [Vector] {
    let direction = (tip - flex).unit
    let anchor = tip - direction * (span / 3)
    let across = direction.turned(by: .pi / 2) * (span / 2)
    return [anchor + across, tip, anchor - across]
  }
}
