import Foundation
import Ink
import SeededRandom

extension PageDraft {
  /// Draws what stands beside the automata.
  mutating func drawBeside() {
    if dice.happens(.title) { drawTitle() }
    if dice.happens(.numbering) { drawNumbering() }
    if dice.happens(.table) { drawTable() }
    for _ in 0..<dice.count(.remarks) { drawRemark() }
    if dice.happens(.crossedOut) { drawCrossedOut() }
    if dice.happens(.remarkArrow) { drawRemarkArrow() }
  }

  /// The height of capitals in texts beside the automata.
  private mutating func remarkHeight() -> Double {
    max(5, habits.symbolHeight * dice.generator.uniform(0.7...1.5))
  }

  /// Returns a place that is not taken, or `nil` if there is none.
  private mutating func freePlace(
    for writing: Writing, height: Double, top: ClosedRange<Double> = 0...1
  ) -> Vector? {
    for _ in 0..<8 {
      let center = Vector(
        dice.generator.uniform(0...Double(page.width)),
        dice.generator.uniform(top) * Double(page.height))
      if !isTaken(Self.box(of: writing, at: center, height: height, turn: 0)) { return center }
    }
    return nil
  }

  private mutating func drawTitle() {
    let writing = writer.phrase(1 + dice.generator.index(below: 4), using: &dice.generator)
    let height = remarkHeight() * 1.3
    guard let center = freePlace(for: writing, height: height, top: 0...0.25) else { return }
    let box = write(writing, at: center, height: height)
    guard dice.generator.chance(0.5) else { return }
    for line in 0...(dice.generator.chance(0.2) ? 1 : 0) {
      let y = box.center.y + box.halfHeight + Double(2 + 4 * line)
      let rule = Curve.line(
        Vector(box.center.x - box.halfWidth, y),
        Vector(box.center.x + box.halfWidth * 1.05, y + 0.05 * box.halfWidth))
      ink(trembling(rule), .nothing, .none)
    }
  }

  private mutating func drawNumbering() {
    let text = dice.generator.pick(["1.", "2)", "a)", "(b)", "3.2", "1"])
    let writing = writer.spelled(text, using: &dice.generator)
    let height = remarkHeight()
    guard let center = freePlace(for: writing, height: height) else { return }
    let box = write(writing, at: center, height: height)
    guard dice.generator.chance(0.3) else { return }
    // A number in a ring is no state.
    let ring = Oval(
      center: center, halfWidth: box.halfWidth * 1.5 + 2, halfHeight: box.halfHeight * 1.5 + 2,
      angle: 0, exponent: 2)
    let path = (0...24).map { ring.point(2.1 * .pi * Double($0) / 24) }
    ink(wobbling(path, by: habits.tremor), .nothing, .none)
  }

  mutating func drawRemark() {
    let lines = (0..<1 + dice.generator.index(below: 5)).map { _ in
      dice.generator.chance(0.25)
        ? writer.text(.expression, .list, .word, using: &dice.generator)
        : writer.phrase(1 + dice.generator.index(below: 5), using: &dice.generator)
    }
    let writing = Writing(
      column: lines, pitch: dice.generator.uniform(1.5...2.2), isCentered: false)
    let height = remarkHeight()
    guard let center = freePlace(for: writing, height: height) else { return }
    let box = write(
      writing, at: center, height: height, turn: 0.04 * dice.generator.normal())
    guard dice.generator.chance(0.1) else { return }
    // A frame around a remark is no state.
    let frame = Oval(
      center: box.center, halfWidth: box.halfWidth + 5, halfHeight: box.halfHeight + 5, angle: 0,
      exponent: .infinity)
    let path = (0...40).map { frame.point(.pi / 4 + 2 * .pi * Double($0) / 40) }
    ink(wobbling(path, by: 0.5 * habits.tremor), .nothing, .none)
  }

  /// Draws a table, such as one of transitions: its lines are no arrows.
  mutating func drawTable() {
    let (columns, rows) = (2 + dice.generator.index(below: 4), 2 + dice.generator.index(below: 5))
    let height = remarkHeight()
    let cell = Vector(height * dice.generator.uniform(2.2...4), height * 1.9)
    let size = Vector(cell.x * Double(columns), cell.y * Double(rows))
    let frame = Writing([[Vector(0, 0), size * (1 / height)]])
    guard let center = freePlace(for: frame, height: height) else { return }
    let corner = center - size * 0.5
    let isOpen = dice.generator.chance(0.5)
    for row in (isOpen ? 1 : 0)...(isOpen ? 1 : rows) {
      let start = corner + Vector(0, cell.y * Double(row))
      ink(trembling(Curve.line(start, start + Vector(size.x, 0))), .nothing, .none)
    }
    for column in (isOpen ? 1 : 0)...(isOpen ? 1 : columns) {
      let start = corner + Vector(cell.x * Double(column), 0)
      ink(trembling(Curve.line(start, start + Vector(0, size.y))), .nothing, .none)
    }
    for row in 0..<rows {
      for column in 0..<columns where dice.generator.chance(0.85) {
        let writing = writer.text(.name, .symbol, using: &dice.generator)
        let share = min(1, 0.85 * cell.x / max(1, writing.width * height))
        write(
          writing,
          at: corner + Vector(cell.x * (Double(column) + 0.5), cell.y * (Double(row) + 0.5)),
          height: height * share)
      }
    }
    boxes.append(TextBox(center: center, halfWidth: size.x / 2, halfHeight: size.y / 2))
  }

  /// Crosses out a new word or state, which is then no part of an automaton.
  private mutating func drawCrossedOut() {
    let isState = dice.generator.chance(0.5)
    let writing = writer.text(.name, .word, using: &dice.generator)
    let height = isState ? habits.nameHeight : remarkHeight()
    let radius = isState ? habits.radius : 0
    let frame = Writing([[Vector(0, 0), Vector(1, 1) * (2.4 * radius / max(1, height))]])
    guard let center = freePlace(for: isState ? frame : writing, height: height) else { return }
    let box = write(writing, at: center, height: height, pageClass: .nothing)
    var half = Vector(box.halfWidth, box.halfHeight)
    if isState {
      let first = page.strokes.count
      let wide = habits.radius * habits.aspect.squareRoot()
      let high = habits.radius / habits.aspect.squareRoot()
      let oval = Oval(
        center: center, halfWidth: wide, halfHeight: high, angle: habits.angle,
        exponent: habits.exponent)
      drawRing(oval, .none)
      for index in first..<page.strokes.count { page.strokes[index].pageClass = .nothing }
      half = Vector(wide, high)
    }
    let turns = 2 * (1 + dice.generator.index(below: 5))
    let isCross = dice.generator.chance(0.4)
    let corners =
      isCross
      ? [Vector(-1, -1), Vector(1, 1)]
      : (0...turns).map { Vector(2 * Double($0) / Double(turns) - 1, $0 % 2 == 0 ? -1 : 1) }
    func scribble(_ corners: [Vector]) -> [Vector] {
      let places = corners.map { center + Vector($0.x * half.x, $0.y * half.y) }
      return zip(places, places.dropFirst()).flatMap { Curve.line($0, $1, count: 6) }
    }
    ink(wobbling(scribble(corners), by: habits.tremor), .nothing, .none)
    if isCross {
      ink(wobbling(scribble([Vector(-1, 1), Vector(1, -1)]), by: habits.tremor), .nothing, .none)
    }
  }

  /// Draws a remark with an arrow to a text, which is no arrow of an automaton.
  private mutating func drawRemarkArrow() {
    let writing = writer.phrase(1 + dice.generator.index(below: 2), using: &dice.generator)
    let height = remarkHeight()
    guard let target = boxes.isEmpty ? nil : dice.generator.pick(boxes),
      let center = freePlace(for: writing, height: height)
    else { return }
    let box = write(writing, at: center, height: height)
    let way = target.center - center
    guard way.length > 4 * height else { return }
    let (start, end) = (
      center + Vector(way.unit.x * (box.halfWidth + 3), way.unit.y * (box.halfHeight + 3)),
      target.center
        - Vector(way.unit.x * (target.halfWidth + 4), way.unit.y * (target.halfHeight + 4))
    )
    let path = Curve.bowed(start, end, bow: 0.1 * dice.generator.normal())
    drawLine(path, .none, pageClass: .nothing)
    drawHead(path, .none, pageClass: .nothing)
  }
}
