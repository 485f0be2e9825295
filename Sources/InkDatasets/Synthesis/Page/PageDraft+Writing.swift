import Foundation
import Ink
import SeededRandom

extension PageDraft {
  /// The symbols of an arrow and their place.
  struct Label {
    /// The written symbols.
    let writing: Writing
    /// Their place.
    let box: TextBox
    /// The height of capitals, in px.
    let height: Double
    /// The angle, in radians.
    let turn: Double
    /// Whether the line leaves a gap for them.
    let isInGap: Bool
  }

  /// The shares of names with an output (Moore), of lists that are binary, and of single symbols that are the empty word,
  /// alone or with another symbol.
  private static let (namesWithOutput, binaryLists, emptyWords) = (0.1, 0.1, 0.12)
  /// The shares of conditions among words at arrows, and of descriptions among other words there, and in states.
  private static let (conditions, descriptions) = (0.4, 0.4)
  /// The share of ranges that are written as a ``LineKind/pattern``.
  private static let patterns = 0.6
  /// The share of other single symbols that are signs, as in drawings of scanners, and these.
  private static let signs = 0.12
  private static let signsOfScanners = [
    "/", "/", "/", "*", "*", "+", "-", "=", "<", ">", "(", ")", "{", "}", "[", "]", ";", ":", ".",
    "'", "&", "|", "!", "#", "_", "/*", "*/", "//", "==", "<=", ">=",
  ]

  /// Returns the name of a state that stands in one line, or `nil` if states have none.
  mutating func name() -> Writing? {
    switch habits.content {
    case .nothing, .dot: nil
    case .letter: writer.spelled(writer.symbol(using: &dice.generator), using: &dice.generator)
    case .letterAndIndex:
      dice.generator.chance(Self.namesWithOutput)
        ? writer.text(.output, .name, using: &dice.generator)
        : writer.text(.name, .index, using: &dice.generator)
    case .number: writer.text(.number, using: &dice.generator)
    case .words: writer.word(using: &dice.generator)
    case .fraction: writer.text(.name, .word, using: &dice.generator)
    }
  }

  /// Writes in a state.
  mutating func fill(_ oval: Oval, _ element: Page.Element) {
    if habits.content == .dot {
      let dot = oval.scaled(by: dice.generator.uniform(0.08...0.25))
      let rim = (0...12).map { dot.point(2 * .pi * Double($0) / 12) }
      ink(rim, .writing, element, isFilled: true)
      return
    }
    if habits.content == .fraction {
      drawFraction(oval, element)
      return
    }
    var writing: Writing?
    if habits.content == .words {
      let lines = (0..<dice.count(.wordLines)).map { _ -> Writing in
        if dice.generator.chance(Self.descriptions) {
          return writer.text(.description, .word, using: &dice.generator)
        }
        return dice.generator.chance(0.25)
          ? writer.phrase(2, using: &dice.generator) : writer.word(using: &dice.generator)
      }
      writing = Writing(
        column: lines, pitch: dice.generator.uniform(1.3...1.8),
        isCentered: dice.generator.chance(0.8))
    } else {
      writing = name()
    }
    guard let writing else { return }
    write(writing, in: oval, element)
  }

  /// Writes a name in a state.
  mutating func write(_ writing: Writing, in oval: Oval, _ element: Page.Element) {
    let height = fitting(writing, in: oval, height: habits.nameHeight)
    let off = Vector(dice.generator.normal(), dice.generator.normal()) * (0.05 * oval.radius)
    write(
      writing, at: oval.center + off, height: height,
      turn: oval.angle + 0.05 * dice.generator.normal(), element: element)
  }

  /// Returns the height of capitals with which a text fits into a state; sometimes it touches the
  /// ring.
  private mutating func fitting(_ writing: Writing, in oval: Oval, height: Double) -> Double {
    let room = dice.generator.uniform(0.75...0.95)
    let (width, tall) = (
      writing.width / (2 * oval.halfWidth), writing.height / (2 * oval.halfHeight)
    )
    let exponent = min(oval.exponent, 30)
    let share = pow(pow(width, exponent) + pow(tall, exponent), 1 / exponent)
    return share > 0 ? min(height, room / share) : height
  }

  /// Writes a name over an output, with a line between them (Moore).
  private mutating func drawFraction(_ oval: Oval, _ element: Page.Element) {
    let above = writer.text(.name, .word, using: &dice.generator)
    let below = writer.text(.number, .symbol, using: &dice.generator)
    let step = 0.42 * oval.halfHeight
    for (writing, side) in [(above, -1.0), (below, 1)] {
      var half = oval
      half.halfHeight *= 0.5
      half.halfWidth *= 0.8
      let height = fitting(writing, in: half, height: habits.nameHeight)
      write(writing, at: oval.center + Vector(0, side * step), height: height, element: element)
    }
    let reach = oval.halfWidth * dice.generator.uniform(0.5...1)
    let isSloped = dice.generator.chance(0.15)
    let rise = isSloped ? 0.4 * oval.halfHeight : 0.04 * oval.halfHeight * dice.generator.normal()
    let line = Curve.line(
      oval.center + Vector(-reach, rise), oval.center + Vector(reach, -rise), count: 10)
    ink(wobbling(line, by: 0.5 * habits.tremor), .writing, element)
  }

  /// Writes beside a state where there is space.
  mutating func writeBeside(_ oval: Oval, _ writing: Writing, _ element: Page.Element) {
    let height = habits.nameHeight
    for _ in 0..<6 {
      let direction = dice.generator.pick([-Double.pi / 2, .pi / 2, 0, .pi, -.pi / 4])
      let half = Vector(writing.width, writing.height) * (height / 2)
      let gap = 0.25 * height
      let center =
        oval.edge(direction, gap: gap)
        + Vector(cos(direction) * half.x, sin(direction) * half.y)
      let box = Self.box(of: writing, at: center, height: height, turn: 0)
      guard !isTaken(box) else { continue }
      write(writing, at: center, height: height, element: element)
      return
    }
  }

  /// Returns what is written at an arrow, or `nil` for nothing.
  mutating func symbols() -> Writing? {
    let kind: SymbolKind = dice.choose(.symbolKind)
    let count = kind == .list || kind == .brackets ? dice.count(.symbolCount) : 2
    func symbol() -> String { writer.symbol(using: &dice.generator) }
    let text: String
    switch kind {
    case .nothing: return nil
    case .one where dice.generator.chance(Self.emptyWords):
      return writer.text(.emptyWord, .symbol, using: &dice.generator)
    case .one where dice.generator.chance(Self.signs):
      text = dice.generator.pick(Self.signsOfScanners)
    case .one: return writer.text(.symbol, using: &dice.generator)
    case .words where dice.generator.chance(Self.conditions):
      return writer.text(.condition, .word, using: &dice.generator)
    case .words where dice.generator.chance(Self.descriptions):
      return writer.text(.description, .word, using: &dice.generator)
    case .words:
      let words = 1 + dice.generator.index(below: 3)
      return writer.phrase(words, using: &dice.generator)
    case .list:
      let separator = dice.generator.pick([",", ", ", " ", ",", "|"])
      let symbols =
        writer.canWriteBits && dice.generator.chance(Self.binaryLists)
        ? LineTexts.binaryNumbers(count, using: &dice.generator)
        : (0..<count).map { _ in symbol() }
      text = symbols.joined(separator: separator)
    case .range where dice.generator.chance(Self.patterns):
      return writer.text(.pattern, .symbol, using: &dice.generator)
    case .range: text = dice.generator.chance(0.5) ? "[\(symbol())-\(symbol())]" : "0-9"
    case .brackets:
      let (open, close) = dice.generator.pick([("{", "}"), ("(", ")"), ("[", "]")])
      text = open + (0..<count).map { _ in symbol() }.joined(separator: ",") + close
    case .output, .machine:
      // Several transitions stand below each other.
      let count = dice.generator.chance(0.25) ? 2 : 1
      return Writing(
        column: (0..<count).map { _ in
          writer.text(kind == .output ? .output : .machine, .symbol, using: &dice.generator)
        },
        pitch: 1.5, isCentered: true)
    }
    return writer.spelled(text, using: &dice.generator)
  }

  /// Writes symbols at an arrow, and returns their place if the line has to leave a gap for them.
  mutating func writeSymbols(
    _ writing: Writing, along path: [Vector], _ element: Page.Element, isOutside: Bool = false
  ) -> TextBox? {
    let own = page.arrows.count - 1
    guard let label = label(writing, along: path, of: own, isOutside: isOutside) else { return nil }
    return write(label, element)
  }

  /// Writes the symbols of an arrow at their place, and returns it if the line has to leave a gap for them.
  mutating func write(_ label: Label, _ element: Page.Element) -> TextBox? {
    write(
      label.writing, at: label.box.center, height: label.height, turn: label.turn, element: element)
    return label.isInGap ? label.box : nil
  }

  /// Returns a place for symbols at arrow number `own`, or `nil` if there is none.
  ///
  /// `isUsable` can refuse a place.
  mutating func label(
    _ writing: Writing, along path: [Vector], of own: Int, isOutside: Bool,
    isUsable: (TextBox, SymbolPlace) -> Bool = { _, _ in true }
  ) -> Label? {
    let place: SymbolPlace = dice.choose(.symbolPlace)
    let turn = dice.number(.symbolTurn) * .pi / 180
    let height = habits.symbolHeight * dice.generator.uniform(0.85...1.15)
    for attempt in 0..<5 {
      let share = isOutside ? 0.5 : dice.generator.uniform(attempt == 0 ? 0.4...0.6 : 0.2...0.8)
      let index = max(1, min(path.count - 2, Int(share * Double(path.count))))
      let way = (path[index + 1] - path[index - 1]).unit
      var normal = Vector(way.y, -way.x)
      if normal.y > 0 || normal.y == 0 && normal.x < 0 { normal = normal * -1 }
      if place == .below || attempt > 2 { normal = normal * -1 }
      var center = path[index]
      if place == .above || place == .below {
        let box = Self.box(of: writing, at: center, height: height, turn: turn)
        let clear = dice.generator.uniform(0.1...0.6) * height + habits.penWidth
        let reach = abs(normal.x) * box.halfWidth + abs(normal.y) * box.halfHeight + clear
        center = center + normal * reach
      }
      let box = Self.box(of: writing, at: center, height: height, turn: turn)
      guard !isTaken(box, exceptArrow: own), isUsable(box, place) else { continue }
      return Label(
        writing: writing, box: box, height: height, turn: turn, isInGap: place == .inGap)
    }
    return nil
  }
}
