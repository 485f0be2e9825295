/// The names of what a reader leaves out of a drawing, each once and in order.
struct IgnoredParts {
  private(set) var names: [String] = []

  mutating func add(_ name: String) {
    if !names.contains(name) { names.append(name) }
  }

  mutating func add(_ others: IgnoredParts) { others.names.forEach { add($0) } }

  /// Returns `drawing` without its pressures if one of them is not from 0 to 1.
  mutating func removingWrongPressures(of drawing: Drawing) -> Drawing {
    let isRight = drawing.strokes.allSatisfy { stroke in
      stroke.points.allSatisfy { $0.pressure.map((0...1).contains) ?? true }
    }
    guard !isRight else { return drawing }
    add("pressure without a maximum")
    return drawing.mapPoints { _, point in Point(point.x, point.y, time: point.time) }
  }
}

extension InkFile.Item {
  /// Creates what `read` returns or throws, and the parts that it ignored.
  init(
    at place: Place, reading read: (inout IgnoredParts) throws(InkError) -> Recording
  ) {
    var ignored = IgnoredParts()
    let result = Result { () throws(InkError) in try read(&ignored) }
    self.init(place: place, result: result, ignored: ignored.names)
  }
}
