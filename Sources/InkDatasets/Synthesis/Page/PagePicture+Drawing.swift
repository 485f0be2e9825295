import Foundation
import Ink
import InkDiagram
import SeededRandom

extension PagePicture {
  /// The longer side of a page with a drawing, in px, and the longer side of its photograph.
  private static let (longerSide, photographedSide) = (800.0, 1200.0...2400.0)

  /// Photographs a drawing: on paper or a board, in uneven light, turned by up to 10° and seen at an angle of up to 20°.
  ///
  /// The seed and the number of the drawing, from 0, decide everything. ``page`` has the strokes and the states in px of
  /// the photograph; ``mask`` and ``fields`` do not tell what they are.
  ///
  /// - Precondition: The drawing has points.
  package init(photographOf drawing: Drawing, states: [Diagram.State], seed: UInt64, number: Int) {
    var dice = PageDice(
      .photographed, generator: SeededGenerator(seed: seed, stream: UInt64(number)))
    let page = Page(of: drawing, states: states, longerSide: Self.longerSide, using: &dice)
    let side = dice.generator.uniform(Self.photographedSide)
    self.init(of: page, enlargement: side / Self.longerSide, using: &dice)
  }
}

extension Page {
  /// A page with a drawing in the middle.
  fileprivate init(
    of drawing: Drawing, states: [Diagram.State], longerSide: Double, using dice: inout PageDice
  ) {
    let bounds = drawing.bounds!
    let shorterSide = longerSide * dice.generator.pick([0.75, 0.75, 0.5625, 0.7])
    let size =
      bounds.height > bounds.width ? (shorterSide, longerSide) : (longerSide, shorterSide)
    self.init(width: Int(size.0), height: Int(size.1), writer: "")
    // Turned and tilted, the drawing stays inside the picture.
    let share = dice.generator.uniform(0.55...0.72)
    let scale = share * min(size.0 / max(1, bounds.width), size.1 / max(1, bounds.height))
    let (from, to) = (Vector(bounds.center), Vector(size.0 / 2, size.1 / 2))
    func place(_ point: Vector) -> Vector { to + (point - from) * scale }
    // Half a millimetre for a ring of 2 to 3 cm.
    let penWidth = max(0.8, scale * dice.generator.uniform(1.5...3.2))
    strokes = drawing.strokes.map { stroke in
      Stroke(
        path: stroke.points.map { place(Vector($0)) }, pageClass: .line, element: .none,
        width: penWidth * dice.generator.uniform(0.85...1.1),
        strength: dice.generator.uniform(0.75...0.95))
    }
    self.states = states.map { state in
      let radius = state.radius * scale
      return State(
        center: place(state.center), halfWidth: radius, halfHeight: radius, angle: 0,
        isFinal: state.final, isInitial: state.initial)
    }
    turn = dice.number(.turn) * .pi / 180
  }
}

extension PageVariety {
  /// The variety of photographs that show a drawing whole and upright.
  fileprivate static var photographed: PageVariety {
    var variety = PageVariety.legible
    variety[.surface] = .choice([8, 1, 2, 1.2, 1, 0, 0, 0])
    for cover in [PageTrait.sheetEdges, .fingers, .holes, .spiral] { variety[cover] = .only(0) }
    variety[.tilt] = .range(0...20, usual: 0...8, share: 0.6)
    variety[.turn] = .range(-10...10, usual: -5...5, share: 0.8)
    return variety
  }
}
