import Ink
import InkRaster
import InkRecognizer

/// An end of a line, such as that of an arrow.
public struct ArrowEnd: Hashable, Sendable {
  /// Where the line ends, in points of the drawing.
  public var place: Point
  /// The direction in which the line arrives there, as a vector of length 1.
  public var direction: Point
  /// Whether it is an arrow with a head there.
  public var hasHead: Bool

  /// The label of ends with a head, and that of others, in data sets.
  public static let labels = (head: "head", end: "end")

  /// The side of the square in which a head is looked for, as a share of the usual radius of a state.
  private static let reach = 1.5

  /// The angle by which a line goes to and fro at most, in radians.
  private static let maximumTurning = 2.5

  /// Returns the square of `picture` around the end of a line; `scale` is the usual radius of a state.
  public static func patch(
    of picture: any DiagramPicture, at place: Point, direction: Point, scale: Double
  ) -> Bitmap {
    picture.patch(at: place, direction: direction, side: reach * scale)
  }

  /// Returns the ends of the arrows, of the parts of their heads and of the writing of `drawing`, whose
  /// strokes have the roles of `diagram`.
  ///
  /// The head of an arrow is where strokes other than the longest one are, or where the pen turned back.
  public static func all(of diagram: Diagram, in drawing: Drawing) -> [ArrowEnd] {
    var arrows: [String: [Trace]] = [:]
    var writing: [ArrowEnd] = []
    for (stroke, role) in zip(drawing.strokes.indices, diagram.strokes) {
      guard let trace = Trace(drawing.strokes[stroke], index: stroke) else { continue }
      if role.role == .text {
        writing += bareEnds(of: trace)
      } else if role.role == .transition || role.role == .initial, let element = role.element {
        arrows[role.role.rawValue + element, default: []].append(trace)
      }
    }
    return arrows.sorted { $0.key < $1.key }.flatMap { ends(of: $1) } + writing
  }

  /// Returns both ends of a line without a head; a dot has none.
  private static func bareEnds(of trace: Trace) -> [ArrowEnd] {
    guard trace.points.count > 1 else { return [] }
    let line = Shaft(trace, head: 0)
    return [ArrowEnd(line, hasHead: false), ArrowEnd(line.reversed, hasHead: false)]
  }

  private static func ends(of arrow: [Trace]) -> [ArrowEnd] {
    guard let shaft = line(of: arrow) else { return [] }
    // Parts of a head have ends as well.
    return [ArrowEnd(shaft.reversed, hasHead: false), ArrowEnd(shaft, hasHead: shaft.headAtEnd)]
      + arrow.filter { $0.index != shaft.strokes[0] }.flatMap(bareEnds)
  }

  /// Returns the line of an arrow from its start to its head, if it has one, or `nil` if it cannot be told.
  static func line(of arrow: [Trace]) -> Shaft? {
    // A hatched head has a longer path than a short line.
    guard let line = arrow.max(by: { $0.size < $1.size }) else { return nil }
    let rest = arrow.filter { $0.index != line.index }
    var shaft = Shaft(line)
    if rest.isEmpty, shaft.headAtStart, !shaft.headAtEnd { shaft = shaft.reversed }
    // A triangle is no line.
    guard shaft.path.count > 8, !(rest.isEmpty && Triangle(line) != nil) else { return nil }
    if rest.isEmpty, !shaft.headAtEnd {
      // What goes to and fro may be a head that was not found.
      let turning = line.turning
      guard turning.absolute - abs(turning.signed) < maximumTurning else { return nil }
    }
    if let head = rest.map(\.mean).first {
      shaft = Shaft(line, head: 0)
      let (start, end) = (shaft.path[0], shaft.path[shaft.path.count - 1])
      if head.distance(to: start) < head.distance(to: end) { shaft = shaft.reversed }
      shaft.headAtEnd = true
    }
    return shaft
  }

  private init(_ line: Shaft, hasHead: Bool) {
    let (end, heading) = (line.path[line.path.count - 1], line.heading)
    place = Point(end.x, end.y)
    direction = Point(heading.x, heading.y)
    self.hasHead = hasHead
  }
}
