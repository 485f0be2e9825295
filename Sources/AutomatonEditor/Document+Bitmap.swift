import InkRaster

extension Document {
  /// The most pixels of a picture.
  private static let mostPixels = 1 << 24
  /// The most rows and columns.
  private static let longestSide = 1 << 14
  private static let letterUnit = 3.0
  private static let letterWidth = 2.5
  private static let margin = 20.0

  /// The document as a grey picture, black on white, `scale` pixels a canvas point.
  ///
  /// A document that would have more than 16,384 rows or columns, or 16 million pixels, is drawn
  /// smaller.
  public func bitmap(scale: Double = 1) -> Bitmap {
    precondition(scale.isFinite && scale > 0, "a scale is a positive number")
    var lines: [Line] = []
    for transition in transitions {
      guard let appearance = appearance(of: transition) else { continue }
      lines.append(Line(appearance.polyline, width: Geometry.lineWidth))
      lines.append(Line(appearance.head, width: Geometry.lineWidth))
    }
    for state in states {
      for radius in rings(of: state) {
        lines.append(
          Line(
            (0...96).map { state.center + Vector(angle: Double($0) * .pi / 48, length: radius) },
            width: Geometry.lineWidth))
      }
    }
    // Text comes last, each letter with some white around it.
    for transition in transitions {
      guard let appearance = appearance(of: transition) else { continue }
      lines += Self.lines(of: labelText(of: transition), around: appearance.label)
    }
    for state in states {
      lines += Self.lines(
        of: state.name, around: state.center, scale: Geometry.nameScale(of: state))
    }

    let points = lines.flatMap(\.points)
    let left = (points.map(\.x).min() ?? 0) - Self.margin
    let top = (points.map(\.y).min() ?? 0) - Self.margin
    let extent = Vector(
      (points.map(\.x).max() ?? 0) + Self.margin - left,
      (points.map(\.y).max() ?? 0) + Self.margin - top)
    let scale = min(
      scale, (Double(Self.mostPixels) / max(1, extent.x * extent.y)).squareRoot(),
      Double(Self.longestSide) / max(1, extent.x, extent.y))
    let (width, height) = (max(1, Int(extent.x * scale)), max(1, Int(extent.y * scale)))
    var picture = Bitmap(
      width: width, height: height, pixels: [UInt8](repeating: 255, count: width * height))
    for line in lines {
      let points = line.points.map { ($0 - Vector(left, top)) * scale }
      let ends = points.count == 1 ? points + points : points
      for (a, b) in zip(ends, ends.dropFirst()) {
        picture.draw(
          from: a, to: b, width: line.width * scale, isWhite: line.isWhite)
      }
    }
    return picture
  }

  /// What is drawn with one pen.
  private struct Line {
    var points: [Vector]
    var width: Double
    var isWhite: Bool

    init(_ points: [Vector], width: Double, isWhite: Bool = false) {
      (self.points, self.width, self.isWhite) = (points, width, isWhite)
    }
  }

  private static func lines(of text: String, around place: Vector, scale: Double = 1) -> [Line] {
    let unit = letterUnit * scale
    let width = Double(text.count) * StrokeFont.advance - 2
    let start = place - Vector(width, StrokeFont.height) * (unit / 2)
    let strokes = StrokeFont.strokes(of: text).map { stroke in stroke.map { start + $0 * unit } }
    return strokes.map { Line($0, width: 3 * letterWidth * scale, isWhite: true) }
      + strokes.map { Line($0, width: letterWidth * scale) }
  }
}

extension Bitmap {
  /// Draws a line with round ends; a pixel is as dark, or as white, as the line covers it, about.
  fileprivate mutating func draw(
    from a: Vector, to b: Vector, width lineWidth: Double, isWhite: Bool
  ) {
    let reach = lineWidth / 2 + 1
    func range(_ one: Double, _ other: Double, _ count: Int) -> Range<Int> {
      let low = max(0, Int((min(one, other) - reach).rounded(.down)))
      let high = min(count, Int((max(one, other) + reach).rounded(.up)))
      return low..<max(low, high)
    }
    let way = b - a
    let squared = way.x * way.x + way.y * way.y
    for row in range(a.y, b.y, height) {
      for column in range(a.x, b.x, width) {
        let place = Vector(Double(column) + 0.5, Double(row) + 0.5)
        let along =
          squared > 0
          ? min(1, max(0, ((place.x - a.x) * way.x + (place.y - a.y) * way.y) / squared)) : 0
        let cover = lineWidth / 2 + 0.5 - place.distance(to: a + way * along)
        guard cover > 0 else { continue }
        let light = UInt8(255 * min(1, cover))
        self[row, column] =
          isWhite ? max(self[row, column], light) : min(self[row, column], 255 - light)
      }
    }
  }
}
