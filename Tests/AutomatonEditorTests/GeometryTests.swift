import AutomatonEditor
import Foundation
import Ink
import Testing

/// Where elements are drawn (`HowDrawingWorks.md`).
@Suite(.timeLimit(.minutes(30))) struct GeometryTests {
  /// Two states beside each other, 400 points apart, with a transition between them.
  private func pair() throws -> Editor {
    var editor = Editor(Document(id: "test"), ids: CountingIDs())
    for x in [0.0, 400] { try editor.perform(.addState(center: Vector(x, 0))) }
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    return editor
  }

  private func appearance(_ editor: Editor, _ index: Int = 0) throws -> Document.Appearance {
    try #require(editor.document.appearance(of: editor.document.transitions[index]))
  }

  @Test func aLineRunsThroughItsBendToItsHead() throws {
    var editor = try pair()
    let bend = Vector(220, -120)
    try editor.perform(
      .bend(transition: editor.document.transitions[0].id, through: bend))
    let appearance = try appearance(editor)
    #expect(appearance.handle == bend && appearance.curves.count == 2)
    #expect(appearance.curves[0].end == bend && appearance.curves[1].start == bend)
    // Smooth at the bend, and on the rings at its ends.
    let (before, after) = (
      bend - appearance.curves[0].controls.1, appearance.curves[1].controls.0 - bend
    )
    #expect(before.unit.distance(to: after.unit) < 1e-9)
    #expect(abs(appearance.curves[0].start.length - 60) < 1e-9)
    let tip = appearance.curves[1].end
    #expect(abs(tip.distance(to: Vector(400, 0)) - 60) < 1e-9)
    // Both barbs as long as each other, behind the tip and on both sides.
    #expect(appearance.head.count == 3 && appearance.head[1] == tip)
    let barbs = [0, 2].map { appearance.head[$0] - tip }
    #expect(abs(barbs[0].length - barbs[1].length) < 1e-9 && barbs[0].length > 10)
    let direction = (tip - bend).unit
    #expect(barbs.allSatisfy { $0.x * direction.x + $0.y * direction.y < -5 })
    #expect(appearance.head[0].distance(to: appearance.head[2]) > 20)
  }

  @Test(arguments: [(-100.0, true), (100, false), (0, true)])
  func aLabelStandsOnTheOuterSide(bend: Double, isAbove: Bool) throws {
    var editor = try pair()
    let id = editor.document.transitions[0].id
    try editor.perform(.addSymbols(transition: id, "a"))
    if bend != 0 { try editor.perform(.bend(transition: id, through: Vector(200, bend))) }
    let near = try appearance(editor).label
    #expect((near.y < bend) == isAbove && abs(near.x - 200) < 1)
    #expect(abs(near.y - bend) > 20 && abs(near.y - bend) < 40)
    // A longer label keeps its edge where it was, also beside a line that goes down.
    try editor.perform(.moveState(editor.document.states[1].id, to: Vector(0, 400)))
    let short = try appearance(editor)
    try editor.perform(.addSymbols(transition: id, "b c d e"))
    let long = try appearance(editor)
    let (first, second) = (short.label - short.handle, long.label - long.handle)
    #expect(second.length > first.length && abs(first.unit.distance(to: second.unit)) < 1e-6)
  }

  @Test func labelsSayWhatIsRead() throws {
    var editor = try pair()
    let id = editor.document.transitions[0].id
    try editor.perform(.addSymbols(transition: id, "a ε"))
    try editor.perform(.setPendingSymbol(transition: id, "b"))
    try editor.perform(.setInitial(state: editor.document.states[0].id, true))
    #expect(editor.document.transitions.map(editor.document.labelText) == ["a, b, ε", ""])
    // A symbol that was drawn on an arrow from nowhere is not read, and not shown.
    try editor.perform(.addSymbols(transition: editor.document.transitions[1].id, "x"))
    #expect(editor.document.labelText(of: editor.document.transitions[1]) == "")
    #expect(editor.document.automaton.alphabet == ["a", "b"])
  }

  @Test func aFinalStateHasASecondRing() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    #expect(editor.document.rings(of: editor.document.states[0]) == [60])
    try editor.perform(.setFinal(state: ids[0], true))
    #expect(editor.document.rings(of: editor.document.states[0]) == [60, 50])
    try editor.perform(.resizeState(ids[0], radius: 12))
    #expect(editor.document.rings(of: editor.document.states[0]) == [12, 6])
    // Long names are written smaller, and smaller still inside of two rings.
    try editor.perform(.rename(state: ids[0], "longname"))
    try editor.perform(.rename(state: ids[1], "longname"))
    let scales = editor.document.states.map(Geometry.nameScale)
    #expect(scales[0] < scales[1] && scales[1] < 1)
    try editor.perform(.rename(state: ids[1], "q"))
    #expect(Geometry.nameScale(of: editor.document.states[1]) == 1)
  }

  @Test func whatDanglesIsDashedInAPicture() throws {
    var editor = try pair()
    #expect(!editor.document.svg.contains("stroke-dasharray"))
    try editor.perform(.setInitial(state: editor.document.states[0].id, true))
    #expect(!editor.document.svg.contains("stroke-dasharray"))
    try editor.perform(.rename(state: editor.document.states[0].id, "a<b&c"))
    #expect(editor.document.svg.contains(">a&lt;b&amp;c</text>"))
    try editor.perform(.delete([editor.document.states[1].id]))
    #expect(editor.document.svg.contains("stroke-dasharray"))
    // Nothing lies outside of the picture: the marker begins at −160.
    #expect(editor.document.svg.contains("viewBox=\"-180 -80 "))
  }

  @Test func anEraserTakesHeadsRingsAndMiddles() throws {
    func isErased(_ points: [Point]) throws -> [Bool] {
      var editor = try pair()
      try? editor.perform(.erase(Drawing([Stroke(points)])))
      return [editor.document.states.count < 2, editor.document.transitions.isEmpty]
    }
    // A barb alone, near the tip at (340, 0).
    #expect(try isErased([Point(328, 26), Point(329, 26)]) == [false, false])
    #expect(try isErased([Point(328, 22), Point(329, 22)]) == [false, true])
    #expect(try isErased([Point(0, 70), Point(0, 90)]) == [true, false])
    #expect(try isErased([Point(0, 75), Point(0, 90)]) == [false, false])
    #expect(try isErased([Point(5, 5), Point(8, 8)]) == [true, false])
    #expect(try isErased([Point(0, 30)]) == [false, false])
    // Across a line without a point near it.
    #expect(try isErased([Point(200, -300), Point(200, 300)]) == [false, true])
  }
}
