import Foundation
import Ink
import InkRaster

/// A line that is, or is not, an arrow from its first to its last point.
public struct DrawnArrow: Hashable, Sendable {
  /// What a line is.
  public enum Kind: String, Sendable {
    /// It leads from a state to a state.
    case transition
    /// It leads from nowhere to a state.
    case initial
    /// It is no arrow, or one in the other direction, or it ends elsewhere.
    case other
  }

  /// The line from its start to its tip, in points of the drawing.
  public var path: [Point]
  /// What it is.
  public var kind: Kind

  /// The width of what is seen of a line, and the way before its start and behind its tip, in usual radii of a state.
  private static let (width, beyond) = (1.5, 0.6)
  /// The lengths of its start and of its end that are seen enlarged, in usual radii of a state and as shares of the
  /// line.
  private static let (tail, longestTail) = (0.5, 0.25)
  private static let (head, longestHead) = (1.1, 0.6)
  /// The shares of the columns that show the start and the tip.
  private static let (tailColumns, headColumns) = (0.25, 0.45)

  /// Returns the ink along a line, straightened: its start is on the left.
  ///
  /// Both ends are seen at the same size, however long the line is.
  ///
  /// - Precondition: The line has two points at least.
  public static func patch(
    of picture: any DiagramPicture, along path: [Point], scale: Double
  ) -> Bitmap {
    patch(of: picture, along: path.map { Vector($0) }, scale: scale)
  }

  static func patch(of picture: any DiagramPicture, along path: [Vector], scale: Double) -> Bitmap {
    precondition(path.count > 1, "a line has two points at least")
    let line = StraightenedLine(path)
    let tail = min(Self.tail * scale, longestTail * line.length)
    let head = min(Self.head * scale, longestHead * line.length)
    let beyond = Self.beyond * scale
    // The way along the line at some shares of the columns.
    let knots = [
      (0, -beyond), (tailColumns, tail), (1 - headColumns, line.length - head),
      (1, line.length + beyond),
    ]
    return picture.patch { column, row in
      let next = knots.dropFirst().firstIndex { column <= $0.0 } ?? 3
      let (before, after) = (knots[next - 1], knots[next])
      let share = (column - before.0) / (after.0 - before.0)
      let place = line.place(
        along: before.1 + share * (after.1 - before.1), beside: (row - 0.5) * width * scale)
      return Point(place.x, place.y)
    }
  }
}

/// A line by the way along it and beside it.
private struct StraightenedLine {
  private let points: [Vector]
  private let normals: [Vector]
  private let step: Double
  let length: Double

  /// The number of pieces into which a line is divided.
  private static let count = 48
  /// The number of pieces over which its direction is taken.
  private static let span = 3

  init(_ path: [Vector]) {
    length = path.pathLength
    step = max(length, 1e-9) / Double(Self.count)
    let points = Stroke(path.map { Point($0.x, $0.y) }).resampled(count: Self.count + 1).points
      .map { Vector($0) }
    self.points = points
    normals = points.indices.map { index in
      let way = points[min(Self.count, index + Self.span)] - points[max(0, index - Self.span)]
      return Vector(-way.y, way.x).unit
    }
  }

  /// Returns a place; before and behind the line, it goes on straight.
  func place(along: Double, beside: Double) -> Vector {
    let position = max(0, min(Double(Self.count), along / step))
    let index = min(Self.count - 1, Int(position))
    let share = position - Double(index)
    let point = points[index] + (points[index + 1] - points[index]) * share
    let normal = (normals[index] + (normals[index + 1] - normals[index]) * share).unit
    let direction = Vector(normal.y, -normal.x)
    return point + normal * beside + direction * (along - position * step)
  }
}
