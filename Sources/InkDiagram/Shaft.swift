import Ink

/// The line of an arrow, without heads that were drawn in the same stroke.
struct Shaft {
  /// The strokes, in the order of the line.
  var strokes: [Int]
  /// The line.
  var path: [Vector]
  /// Whether the pen drew a head at the first or the last point of the line.
  var headAtStart = false
  var headAtEnd = false
  /// What joining its strokes costs.
  var cost = 0.0

  /// The share of the stroke that is a line at least.
  private static let minimumLine = 0.24
  /// The minimum angle of the corner at a tip, in radians.
  private static let minimumCorner = 1.25

  /// The size of heads that people usually draw, and the largest, as shares of the line before them.
  private static let (usualHead, largestHead) = (0.35, 0.85)
}

extension Shaft {
  /// Creates the shaft of one stroke; a head is at most `largest` of the line before it.
  init(_ trace: Trace, head largest: Double = largestHead) {
    self.init(strokes: [trace.index], path: trace.points)
    if let tip = Self.tip(of: path, head: largest) {
      path = Array(path[...tip])
      headAtEnd = true
    }
    let backwards: [Vector] = path.reversed()
    if let tip = Self.tip(of: backwards, head: largest) {
      path = backwards[...tip].reversed()
      headAtStart = true
    }
  }

  /// Returns the shafts that a stroke may be: a corner may be that of a large head or be in the line.
  static func all(of trace: Trace) -> [Shaft] {
    let shafts = [Shaft(trace), Shaft(trace, head: usualHead)]
    let isSame =
      shafts[0].path.count == shafts[1].path.count && shafts[0].headAtStart == shafts[1].headAtStart
      && shafts[0].headAtEnd == shafts[1].headAtEnd
    return isSame ? [shafts[0]] : shafts
  }

  /// Joins two shafts across a gap.
  init(_ one: Shaft, _ other: Shaft, cost: Double) {
    self.init(
      strokes: one.strokes + other.strokes, path: one.path + other.path,
      headAtStart: one.headAtStart, headAtEnd: other.headAtEnd,
      cost: one.cost + other.cost + cost)
  }

  /// The shaft in the other direction.
  var reversed: Shaft {
    var shaft = self
    shaft.strokes.reverse()
    shaft.path.reverse()
    swap(&shaft.headAtStart, &shaft.headAtEnd)
    return shaft
  }

  var length: Double { path.pathLength }

  /// The direction at the last point, away from the line.
  var heading: Vector { path.heading(over: max(2, path.count / 8)) }

  /// Returns the index of the corner from which the rest of the path is a head.
  private static func tip(of path: [Vector], head largest: Double) -> Int? {
    let count = path.count
    guard count > 12 else { return nil }
    var walked = [0.0]
    for (a, b) in zip(path, path.dropFirst()) {
      walked.append(walked[walked.count - 1] + a.distance(to: b))
    }
    let total = walked[count - 1]
    let span = 2
    for index in max(span, Int(minimumLine * Double(count)))..<count - span {
      let heading = (path[index] - path[max(0, index - 4)]).unit
      guard path.turn(at: index, span: span) > minimumCorner else { continue }
      let rest = path[index...]
      let reach = rest.map { $0.distance(to: path[index]) }.max() ?? 0
      guard reach <= largest * walked[index], reach >= 0.025 * total else { continue }
      // The pen goes back beside the line.
      guard let far = rest.max(by: { ($0 - path[index]).length < ($1 - path[index]).length }),
        (far - path[index]).unit.dot(heading) < 0.2
      else { continue }
      // The sharpest of the neighbouring points is the corner.
      let last = min(count - span - 1, index + 3)
      return (index...last).max { sharpness(path, $0) < sharpness(path, $1) } ?? index
    }
    return nil
  }

  private static func sharpness(_ path: [Vector], _ index: Int) -> Double {
    let before = (path[index] - path[index - 2]).unit
    let after = (path[index + 2] - path[index]).unit
    return -before.dot(after)
  }
}

/// Strokes that may be the head at an end of a shaft.
struct Head {
  var strokes: [Int]
  /// Where it points.
  var tip: Vector
  var cost: Double
}
