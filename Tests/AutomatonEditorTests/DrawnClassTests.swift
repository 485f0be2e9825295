import AutomatonEditor
import Ink
import Testing

@Suite struct DrawnClassTests {
  @Test func everyLabelHasACommandAndEveryCommandItsLabel() {
    let drawing = Drawing([Stroke([Point(0, 0), Point(50, 40)])])
    #expect(DrawnClass.labels == ["state", "transition", "cycle"])
    #expect(DrawnClass.state.command(drawing) == .drawState(drawing))
    #expect(DrawnClass.transition.command(drawing) == .drawTransition(drawing))
    #expect(DrawnClass.cycle.command(drawing) == .drawLoop(drawing))
    for drawn in DrawnClass.allCases { #expect(DrawnClass(drawn.command(drawing)) == drawn) }
    #expect(DrawnClass(.clear) == nil)
  }
}
