import Foundation
import Ink

/// Draws the fields of a page (``SegmentationFieldNames/pages``) in cells of 2 × 2 px.
struct PageFields {
  private(set) var fields: SegmentationFields
  private let width: Int
  private let height: Int

  private static let names = SegmentationFieldNames.pages
  /// The numbers of the groups.
  private static let (state, arrow) = (0, 1)
  /// The first field of each group.
  private static let starts = [0, names.groups[0].fields.count]

  /// Creates the fields of a page, which is in px of the picture.
  init(of page: Page) {
    let cell = PageMask.cell
    (width, height) = ((page.width + cell - 1) / cell, (page.height + cell - 1) / cell)
    fields = SegmentationFields(Self.names, cells: width * height)
    // What is inside is drawn later.
    let order = page.states.indices.sorted {
      page.states[$0].halfWidth * page.states[$0].halfHeight
        > page.states[$1].halfWidth * page.states[$1].halfHeight
    }
    for number in order { fill(page.states[number]) }
    for stroke in page.strokes where stroke.pageClass == .ring {
      guard case .state(let number) = stroke.element else { continue }
      let state = page.states[number]
      stroke.forEachCell(width: width, height: height) { index, _ in set(state, at: index) }
    }
    // In the order of the mask.
    for pageClass in [PageClass.line, .head] {
      for stroke in page.strokes where stroke.pageClass == pageClass {
        guard case .arrow(let number) = stroke.element else { continue }
        draw(stroke, of: page.arrows[number])
      }
    }
  }

  private mutating func fill(_ state: Page.State) {
    let scale = 1 / Double(PageMask.cell)
    let rim = (0..<64).map { step -> Vector in
      let angle = 2 * .pi * Double(step) / 64
      let place = Vector(cos(angle) * state.halfWidth, sin(angle) * state.halfHeight)
      return (state.center + place.turned(by: state.angle)) * scale
    }
    let width = width
    rim.forEachRow(width: width, height: height) { row, columns in
      for column in columns { set(state, at: row * width + column) }
    }
  }

  private mutating func set(_ state: Page.State, at index: Int) {
    let cell = Double(PageMask.cell)
    let place = Vector(Double(index % width) + 0.5, Double(index / width) + 0.5) * cell
    let way = (state.center - place) * (1 / SegmentationFieldNames.pageUnit)
    let (c, s) = (cos(state.angle), sin(state.angle))
    func half(_ across: Double, _ down: Double) -> Double {
      let half = (pow(state.halfWidth * across, 2) + pow(state.halfHeight * down, 2)).squareRoot()
      return log(max(1, half) / SegmentationFieldNames.pageUnit)
    }
    set(Self.state, at: index, [way.x, way.y, half(c, s), half(s, c), state.isFinal ? 1 : 0])
  }

  private mutating func draw(_ stroke: Page.Stroke, of arrow: Page.Arrow) {
    let path = stroke.path
    let head: Vector? =
      stroke.pageClass == .head ? arrow.direction(at: path.middle) : nil
    // The line of an arrow with two heads has no direction.
    if head == nil, arrow.hasTwoHeads {
      stroke.forEachCell(width: width, height: height) { index, _ in
        forget(Self.arrow, at: index)
      }
      return
    }
    stroke.forEachCell(width: width, height: height) { index, segment in
      let towards =
        head
        ?? (path[min(path.count - 1, (segment ?? 0) + 3)] - path[max(0, (segment ?? 0) - 2)]).unit
      set(Self.arrow, at: index, [towards.x, towards.y])
    }
  }

  private mutating func set(_ group: Int, at index: Int, _ values: [Double]) {
    fields.known[index * Self.names.groups.count + group] = 1
    let start = index * Self.names.count + Self.starts[group]
    for (offset, value) in values.enumerated() { fields.values[start + offset] = Float(value) }
  }

  private mutating func forget(_ group: Int, at index: Int) {
    fields.known[index * Self.names.groups.count + group] = 0
    let start = index * Self.names.count + Self.starts[group]
    for field in start..<start + Self.names.groups[group].fields.count { fields.values[field] = 0 }
  }

  /// Forgets what is known of cells whose centre, in px, is covered.
  mutating func clear(where isCovered: (Vector) -> Bool) {
    let (cell, groups) = (Double(PageMask.cell), Self.names.groups.count)
    for index in 0..<width * height
    where (0..<groups).contains(where: { fields.known[index * groups + $0] != 0 }) {
      let place = Vector(Double(index % width) + 0.5, Double(index / width) + 0.5) * cell
      guard isCovered(place) else { continue }
      for group in 0..<groups { forget(group, at: index) }
    }
  }
}

extension Page.Arrow {
  /// Returns the direction in which the head at a place points: that at the tip, or of an arrow with two
  /// heads at the nearer end.
  fileprivate func direction(at place: Vector) -> Vector {
    let reach = max(3, place.distance(to: tip) * 1.2)
    guard hasTwoHeads, place.distance(to: path[0]) < place.distance(to: tip) else {
      return Vector(angle: Curve.endDirection(path, reach: reach), length: 1)
    }
    let back = max(3, place.distance(to: path[0]) * 1.2)
    return Vector(angle: Curve.endDirection(path.reversed(), reach: back), length: 1)
  }
}

extension [Vector] {
  fileprivate var middle: Vector {
    reduce(Vector(0, 0)) { $0 + $1 } * (1 / Double(Swift.max(1, count)))
  }
}
