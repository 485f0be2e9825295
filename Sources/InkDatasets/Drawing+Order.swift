import Ink
import SeededRandom

extension Drawing {
  /// Returns the same ink as somebody with other habits may draw it.
  ///
  /// Closed strokes begin anywhere, some strokes are drawn in two parts, and strokes are drawn from
  /// either end and in any order. What is seen stays the same.
  public func drawnOtherwise(using generator: inout SeededGenerator) -> Drawing {
    let size = bounds?.longerSide ?? 0
    var result: [Stroke] = []
    for stroke in strokes {
      var points = stroke.points
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
