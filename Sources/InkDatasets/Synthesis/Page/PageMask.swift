import Ink

/// Draws the classes of a page in cells of 2 × 2 px.
struct PageMask {
  /// The width and height of a cell, in px.
  static let cell = 2

  private(set) var mask: SegmentationMask

  /// Creates the mask of a page, which is in px of the picture.
  init(of page: Page) {
    let cell = Self.cell
    let (width, height) = ((page.width + cell - 1) / cell, (page.height + cell - 1) / cell)
    mask = SegmentationMask(
      width: width, height: height, classes: [UInt8](repeating: 0, count: width * height))
    // Where strokes cross, the rarer class is seen.
    for pageClass in [PageClass.writing, .ring, .line, .head] {
      for stroke in page.strokes where stroke.pageClass == pageClass { draw(stroke) }
    }
  }

  private mutating func draw(_ stroke: Page.Stroke) {
    let (width, height) = (mask.width, mask.height)
    stroke.forEachCell(width: width, height: height) { index, _ in
      mask.classes[index] = stroke.pageClass.rawValue
    }
  }

  /// Removes the classes of cells whose centre, in px, is covered.
  mutating func clear(where isCovered: (Vector) -> Bool) {
    let cell = Double(Self.cell)
    for row in 0..<mask.height {
      for column in 0..<mask.width where mask.classes[row * mask.width + column] != 0 {
        if isCovered(Vector((Double(column) + 0.5) * cell, (Double(row) + 0.5) * cell)) {
          mask.classes[row * mask.width + column] = 0
        }
      }
    }
  }
}

extension Page.Stroke {
  /// Calls `body` with each cell of a mask of `width` × `height` cells that the stroke covers, perhaps
  /// several times, and the number of the segment that does; that of a filled area is `nil`.
  func forEachCell(width: Int, height: Int, _ body: (_ index: Int, _ segment: Int?) -> Void) {
    let scale = 1 / Double(PageMask.cell)
    let path = path.map { $0 * scale }
    // A cell counts if its centre is at most a quarter of it beside the ink.
    let radius = self.width * scale / 2 + 0.3
    func mark(_ a: Vector, _ b: Vector, _ segment: Int) {
      let (top, bottom) = (min(a.y, b.y) - radius, max(a.y, b.y) + radius)
      let (left, right) = (min(a.x, b.x) - radius, max(a.x, b.x) + radius)
      guard bottom >= 0, right >= 0, top < Double(height), left < Double(width) else { return }
      for row in max(0, Int(top))...min(height - 1, Int(bottom)) {
        for column in max(0, Int(left))...min(width - 1, Int(right)) {
          let place = Vector(Double(column) + 0.5, Double(row) + 0.5)
          if place.distance(toSegmentFrom: a, to: b) <= radius {
            body(row * width + column, segment)
          }
        }
      }
    }
    for segment in 0..<max(0, path.count - 1) { mark(path[segment], path[segment + 1], segment) }
    if path.count == 1 { mark(path[0], path[0], 0) }
    guard isFilled else { return }
    path.forEachRow(width: width, height: height) { row, columns in
      for column in columns { body(row * width + column, nil) }
    }
  }
}
