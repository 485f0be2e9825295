import Foundation
import Ink
import SeededRandom

/// A page while it is drawn.
struct PageDraft {
  /// The place of a text.
  struct TextBox {
    var center: Vector
    var halfWidth: Double
    var halfHeight: Double

    func overlaps(_ other: TextBox) -> Bool {
      abs(center.x - other.center.x) < halfWidth + other.halfWidth
        && abs(center.y - other.center.y) < halfHeight + other.halfHeight
    }

    /// Returns a place that is larger by `margin` px on each side.
    func widened(by margin: Double) -> TextBox {
      TextBox(center: center, halfWidth: halfWidth + margin, halfHeight: halfHeight + margin)
    }

    /// Returns the point of the place that is nearest to another point.
    func nearest(to place: Vector) -> Vector {
      Vector(
        max(center.x - halfWidth, min(center.x + halfWidth, place.x)),
        max(center.y - halfHeight, min(center.y + halfHeight, place.y)))
    }

    /// Whether a point is inside, or at most `margin` px outside.
    func contains(_ place: Vector, margin: Double) -> Bool {
      abs(place.x - center.x) < halfWidth + margin && abs(place.y - center.y) < halfHeight + margin
    }
  }

  var page: Page
  var dice: PageDice
  let writer: PageWriter
  let shapes: PageShapes?
  let habits: PageHabits
  var ovals: [Oval] = []
  var boxes: [TextBox] = []

  init(width: Int, height: Int, writer: PageWriter, shapes: PageShapes?, dice: PageDice) {
    page = Page(width: width, height: height, writer: writer.name)
    (self.writer, self.shapes, self.dice) = (writer, shapes, dice)
    habits = PageHabits(using: &self.dice)
  }

  /// The whole page.
  var whole: Region {
    Region(left: 0, top: 0, width: Double(page.width), height: Double(page.height))
  }

  /// Draws everything.
  mutating func compose() {
    if dice.happens(.noAutomaton) {
      for _ in 0...dice.generator.index(below: 5) { drawRemark() }
      if dice.generator.chance(0.5) { drawTable() }
    } else if dice.happens(.otherAutomaton) {
      let (first, second) = whole.halves
      drawAutomaton(in: first)
      drawAutomaton(in: second)
    } else {
      drawAutomaton(in: whole)
    }
    drawBeside()
  }

  private mutating func drawAutomaton(in region: Region) {
    let first = ovals.count
    placeStates(in: region)
    guard ovals.count > first else { return }
    let states = first..<ovals.count
    for state in states { drawState(state) }
    drawInitialMarker(states)
    for state in states where dice.happens(.loop) { drawLoop(state) }
    drawArrows(states)
  }

  // MARK: Ink

  /// Adds a stroke.
  mutating func ink(
    _ path: [Vector], _ pageClass: PageClass, _ element: Page.Element, isFilled: Bool = false,
    lightness: Double = 0
  ) {
    guard !path.isEmpty else { return }
    page.strokes.append(
      Page.Stroke(
        path: path, pageClass: pageClass, element: element,
        width: max(0.9, habits.penWidth * (1 + 0.08 * dice.generator.normal())),
        strength: dice.generator.uniform(0.8...1) * (1 - lightness), isFilled: isFilled))
  }

  /// Adds writing, and returns where it is.
  @discardableResult
  mutating func write(
    _ writing: Writing, at center: Vector, height: Double, turn: Double = 0,
    element: Page.Element = .none, pageClass: PageClass = .writing
  ) -> TextBox {
    let box = Self.box(of: writing, at: center, height: height, turn: turn)
    boxes.append(box)
    let paths = writing.placed(at: center, scale: height, turn: turn).filter { !$0.isEmpty }
    page.note(writing.text, strokeCount: paths.count, at: element)
    for path in paths { ink(path, pageClass, element) }
    return box
  }

  /// Returns the place of a text with capitals of `height`.
  static func box(
    of writing: Writing, at center: Vector, height: Double, turn: Double
  ) -> TextBox {
    let (width, tall) = (writing.width * height / 2, writing.height * height / 2)
    let (c, s) = (abs(cos(turn)), abs(sin(turn)))
    return TextBox(
      center: center, halfWidth: width * c + tall * s, halfHeight: width * s + tall * c)
  }

  /// Returns whether a text would lie on a state, another text or an arrow, except its own.
  func isTaken(_ box: TextBox, exceptArrow own: Int? = nil) -> Bool {
    boxes.contains(where: box.overlaps)
      || ovals.contains { $0.contains(box.nearest(to: $0.center), margin: 2) }
      || page.arrows.enumerated().contains { number, arrow in
        number != own && arrow.path.contains { box.contains($0, margin: 0) }
      }
  }

  /// Returns a path as the hand of the drawer follows it.
  mutating func trembling(_ path: [Vector]) -> [Vector] {
    let trembled = shapes.map { $0.line(path, using: &dice.generator) } ?? path
    return wobbling(trembled, by: shapes == nil ? habits.tremor : 0.3 * habits.tremor)
  }

  /// Returns a path with slow deviations, which are 0 at its ends.
  mutating func wobbling(_ path: [Vector], by amplitude: Double) -> [Vector] {
    guard path.count > 2, amplitude > 0 else { return path }
    let knots = max(3, path.count / 9)
    var (walk, place) = ([Vector(0, 0)], Vector(0, 0))
    for _ in 1..<knots {
      place = place + Vector(dice.generator.normal(), dice.generator.normal())
      walk.append(place)
    }
    let scale = amplitude * 1.4 / Double(knots).squareRoot()
    return path.enumerated().map { index, point in
      let position = Double(index) / Double(path.count - 1) * Double(knots - 1)
      let knot = min(knots - 2, Int(position))
      let along = position - Double(knot)
      // Cubic steps between the knots have no corners.
      let share = along * along * (3 - 2 * along)
      let straight = place * (position / Double(knots - 1))
      return point + (walk[knot] + (walk[knot + 1] - walk[knot]) * share - straight) * scale
    }
  }
}

/// A part of a page.
struct Region {
  var left: Double
  var top: Double
  var width: Double
  var height: Double

  /// The upper and lower halves, or the left and right ones of a wide region.
  var halves: (Region, Region) {
    var (first, second) = (self, self)
    if width > 1.2 * height {
      first.width = width / 2
      second.width = width / 2
      second.left += width / 2
    } else {
      first.height = height / 2
      second.height = height / 2
      second.top += height / 2
    }
    return (first, second)
  }
}
