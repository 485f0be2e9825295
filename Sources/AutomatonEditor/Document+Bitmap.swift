import InkRaster

extension Document {
  /// The most pixels of a picture.
  private static let mostPixels = 1 << 24
  private static let letterUnit = 3.0
  private static let letterWidth = 2.5
  private static let margin = 20.0

  /// The document as a grey picture, black on white, `scale` pixels a canvas point.
  ///
  /// A document that would be larger than 16 million pixels is drawn smaller.
  public func bitmap(scale: Double = 1) -> Bitmap {
    precondition(scale.isFinite && scale > 0, "a scale is a positive number")
    var lines: [(points: [Vector], width: Double)] = []
    func write(_ text: String, around place: Vector) {
      let unit = Self.letterUnit
      let start =
        place
        - Vector(
          (Double(text.count) * StrokeFont.advance - 2) * unit / 2, StrokeFont.height * unit / 2)
      for stroke in StrokeFont.strokes(of: text) {
        lines.append((stroke.map { start + $0 * unit }, Self.letterWidth))
      }
    }
    for transition in transitions {
      guard let appearance = appearance(of: transition) else { continue }
      lines.append((appearance.polyline, Geometry.lineWidth))
      lines.append((appearance.head, Geometry.lineWidth))
      let label = labelText(of: transition)
      if !label.isEmpty { write(label, around: appearance.label) }
    }
    for state in states {
      for radius in rings(of: state) {
        lines.append(
          (
            (0...96).map {
              state.center + Vector(angle: Double($0) * .pi / 48, length: radius)
            }, Geometry.lineWidth
          ))
      }
      write(state.name, around: state.center)
    }

    let points = lines.flatMap(\.points)
    let left = (points.map(\.x).min() ?? 0) - Self.margin
    let top = (points.map(\.y).min() ?? 0) - Self.margin
    let extent = Vector(
      (points.map(\.x).max() ?? 0) + Self.margin - left,
      (points.map(\.y).max() ?? 0) + Self.margin - top)
    let fitting = (Double(Self.mostPixels) / max(1, extent.x * extent.y)).squareRoot()
    let scale = min(scale, fitting)
    let (width, height) = (max(1, Int(extent.x * scale)), max(1, Int(extent.y * scale)))
    var picture = Bitmap(
      width: width, height: height, pixels: [UInt8](repeating: 255, count: width * height))
    for line in lines {
      let points = line.points.map { ($0 - Vector(left, top)) * scale }
      let ends = points.count == 1 ? points + points : points
      for (a, b) in zip(ends, ends.dropFirst()) {
        picture.darken(from: a, to: b, width: line.width * scale)
      }
    }
    return picture
  }
}

extension Bitmap {
  /// Draws a line with round ends; a pixel is as dark as the line covers it, about.
  fileprivate mutating func darken(from a: Vector, to b: Vector, width lineWidth: Double) {
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
        self[row, column] = min(self[row, column], UInt8(255 * (1 - min(1, cover))))
      }
    }
  }
}
