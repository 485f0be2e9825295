import Ink
import SeededRandom

extension Drawing {
  /// Returns the same ink as somebody with other habits may draw it.
  ///
  /// Where ink meets, the pen may go on along another branch: an 8 becomes two rings, and a ring is
  /// drawn the other way round. Closed strokes begin anywhere, some strokes are drawn in two parts,
  /// and strokes are drawn from either end and in any order. What is seen stays the same, but for
  /// small gaps where strokes meet, which can be closed.
  public func drawnOtherwise(using generator: inout SeededGenerator) -> Drawing {
    let size = bounds?.longerSide ?? 0
    var paths = strokes.map(\.points)
    // The search for crossings compares all points with each other.
    let isShort = strokes.reduce(0) { $0 + $1.points.count } <= 1000
    for _ in 0..<3 where isShort && generator.chance(0.5) {
      let junctions = Junction.all(in: paths, gap: 0.08 * size)
      guard !junctions.isEmpty else { break }
      generator.pick(junctions).rejoin(&paths, using: &generator)
    }
    var result: [Stroke] = []
    for path in paths {
      var points = path
      let isClosed =
        points.count > 3 && points[0].distance(to: points[points.count - 1]) < 0.15 * size
      if isClosed, generator.chance(0.5) {
        let start = generator.index(below: points.count)
        points = Array(points[start...] + points[..<start])
      }
      var parts = [points]
      if points.count > 3, generator.chance(0.4) {
        // Both parts have the point where the pen was lifted.
        let cut = 1 + generator.index(below: points.count - 2)
        parts = [Array(points[...cut]), Array(points[cut...])]
      }
      for part in parts {
        let stroke = Stroke(part)
        result.append(generator.chance(0.5) ? stroke.reversed() : stroke)
      }
    }
    return Drawing(generator.permutation(result.count).map { result[$0] })
  }
}

/// A point where ink meets: two strokes, or two parts of one, that cross, or of which one ends at
/// the other.
private struct Junction {
  /// A place on a path: before point `next`, and after all points before it.
  struct Place {
    var path: Int
    var next: Int
  }

  var first: Place
  var second: Place
  var point: Point

  /// Returns the points where paths cross, and where one ends at most `gap` from another part.
  static func all(in paths: [[Point]], gap: Double) -> [Junction] {
    crossings(of: paths) + touches(of: paths, gap: gap)
  }

  private static func crossings(of paths: [[Point]]) -> [Junction] {
    var result: [Junction] = []
    for (index, path) in paths.enumerated() where path.count > 1 {
      for (otherIndex, other) in paths.enumerated().dropFirst(index) {
        for next in 1..<path.count {
          // Neighbours on a path share a point, but do not cross.
          let first = index == otherIndex ? next + 2 : 1
          guard first < other.count else { continue }
          for otherNext in first..<other.count {
            guard
              let point = crossing(
                path[next - 1], path[next], other[otherNext - 1], other[otherNext])
            else { continue }
            result.append(
              Junction(
                first: Place(path: index, next: next),
                second: Place(path: otherIndex, next: otherNext), point: point))
          }
        }
      }
    }
    return result
  }

  private static func touches(of paths: [[Point]], gap: Double) -> [Junction] {
    var result: [Junction] = []
    for (index, path) in paths.enumerated() where path.count > 1 {
      for isStart in [true, false] {
        let end = isStart ? path[0] : path[path.count - 1]
        let place = Place(path: index, next: isStart ? 0 : path.count)
        for (otherIndex, other) in paths.enumerated() where other.count > 1 {
          var candidates = other.indices
          if index == otherIndex {
            // A path leaves its end before it comes near it again.
            func isAway(_ point: Point) -> Bool { end.distance(to: point) > 2 * gap }
            if isStart {
              candidates = (path.firstIndex(where: isAway) ?? path.count)..<path.count
            } else {
              candidates = 0..<(path.lastIndex(where: isAway) ?? 0)
            }
          }
          let distances = candidates.map { end.distance(to: other[$0]) }
          guard let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }),
            distances[nearest] <= gap
          else { continue }
          let met = candidates.lowerBound + nearest
          let meeting = Place(
            path: otherIndex, next: met == other.count - 1 ? other.count : met)
          let isLast = index == otherIndex && !isStart
          result.append(
            Junction(
              first: isLast ? meeting : place, second: isLast ? place : meeting,
              point: other[met]))
        }
      }
    }
    return result
  }

  /// Returns where two segments cross.
  private static func crossing(_ a: Point, _ b: Point, _ c: Point, _ d: Point) -> Point? {
    let (rx, ry) = (b.x - a.x, b.y - a.y)
    let (sx, sy) = (d.x - c.x, d.y - c.y)
    let cross = rx * sy - ry * sx
    guard cross != 0 else { return nil }
    let (qx, qy) = (c.x - a.x, c.y - a.y)
    let t = (qx * sy - qy * sx) / cross
    let u = (qx * ry - qy * rx) / cross
    guard t >= 0, t < 1, u >= 0, u < 1 else { return nil }
    return a.interpolated(to: b, fraction: t)
  }

  /// Joins the branches that meet here in another way.
  func rejoin(_ paths: inout [[Point]], using generator: inout SeededGenerator) {
    let (one, other) = (paths[first.path], paths[second.path])
    let start = Array(one[..<first.next]) + [point]
    let end = [point] + Array(other[second.next...])
    if first.path == second.path {
      let loop = [point] + Array(one[first.next..<second.next]) + [point]
      if generator.chance(0.5) {
        // The loop is drawn the other way round.
        paths[first.path] = start + loop.reversed() + end
      } else {
        paths[first.path] = start + end
        paths.append(loop)
      }
    } else {
      let rest = [point] + Array(one[first.next...])
      let otherStart = Array(other[..<second.next]) + [point]
      if generator.chance(0.5) {
        paths[first.path] = start + end
        paths[second.path] = otherStart + rest
      } else {
        paths[first.path] = start + otherStart.reversed()
        paths[second.path] = rest.reversed() + end
      }
    }
    // A branch without ink is not drawn.
    paths.removeAll { path in path.allSatisfy { $0.x == point.x && $0.y == point.y } }
  }
}
