import AutomatonEditor
import Foundation
import Ink
import InkRecognizer
import Testing

/// What the elements around a stroke decide, whatever the picture alone says.
@Suite(.timeLimit(.minutes(30))) struct ContextTests {
  private struct Says: DrawingRecognizer {
    var label: String
    var margin: Double

    func recognition(of drawing: Drawing) -> Recognition? {
      Recognition(
        ranked: [
          .init(label: label, probability: (1 + margin) / 2),
          .init(label: label == "other" ? "state" : "other", probability: (1 - margin) / 2),
        ], rejection: label == "other" ? .unrecognised : nil)
    }
  }

  private func session(_ label: String, margin: Double = 0.98) throws -> SketchSession {
    var session = SketchSession(
      Editor(Document(id: "drawn"), ids: CountingIDs()),
      recognizer: Says(label: label, margin: margin))
    try session.editor.perform(.addState(center: Vector(300, 300), radius: 60))
    return session
  }

  private func arc(_ center: Vector, _ radius: Double, from start: Double, sweep: Double) -> Stroke
  {
    Stroke(
      (0...40).map { step in
        let angle = start + sweep * Double(step) / 40
        return Point(center.x + radius * cos(angle), center.y + radius * sin(angle))
      })
  }

  @Test(arguments: ["state", "other"]) func aLoopWithoutAHeadAtAStateIsASelfLoop(
    label: String
  ) throws {
    for side in 0..<8 {
      let angle = Double(side) * .pi / 4
      // An open loop above the ring, turned around the state.
      let center = Vector(300, 300) + Vector(angle: angle, length: 90)
      let loop = arc(center, 42, from: angle - .pi + 0.7, sweep: 2 * .pi - 1.4)
      var session = try session(label)
      let decision = session.draw(loop)
      #expect(decision.label == "cycle", "\(side)")
      #expect(session.editor.document.transitions.map(\.isLoop) == [true])
      #expect(session.editor.document.states.count == 1)
    }
  }

  @Test func aRingAroundOrBesideAStateIsNoLoop() throws {
    var session = try session("state")
    _ = session.draw(arc(Vector(302, 298), 72, from: -1.5, sweep: 6.2))
    #expect(session.editor.document.states[0].isFinal)
    #expect(session.editor.document.transitions.isEmpty)
    session.editor.undo()
    // A small closed ring that starts near the state but not at its ring.
    let small = arc(Vector(300, 198), 28, from: 1.57, sweep: 6.2)
    #expect(session.draw(small).label == "state")
    session.editor.undo()
    // Far from the ring on one side, and near it where it starts.
    _ = session.draw(arc(Vector(310, 300), 80, from: .pi, sweep: 6.2))
    #expect(session.editor.document.states[0].isFinal)
    #expect(session.editor.document.transitions.isEmpty)
    session.editor.undo()
    // Both ends are at the ring, and the line goes around the state far from it.
    let way = [Point(360, 300)] + arc(Vector(300, 300), 96, from: 0, sweep: 5.8).points
    _ = session.draw(Stroke(way + [Point(300 + 60 * cos(5.8), 300 + 60 * sin(5.8))]))
    #expect(session.editor.document.transitions.isEmpty)
    session.editor.undo()
    // Its start is near the ring of the other state.
    _ = session.draw(arc(Vector(300, 155), 60, from: .pi / 2, sweep: 6.2))
    #expect(session.editor.document.states.count == 2)
    #expect(session.editor.document.transitions.isEmpty)
  }

  @Test(arguments: [(0.25, true), (0.18, true), (0.45, false)])
  func anOpenRingOnEmptyPaperIsAState(gap: Double, isState: Bool) throws {
    let ring = arc(Vector(700, 300), 60, from: 1, sweep: 2 * .pi * (1 - gap))
    var session = try session("other")
    _ = session.draw(ring)
    #expect(session.editor.document.states.count == (isState ? 2 : 1))
    session = try self.session("other")
    session.usesContext = false
    _ = session.draw(ring)
    #expect(session.editor.document.states.count == 1)
  }

  @Test func anOpenBoxOnEmptyPaperIsNoState() throws {
    var session = try session("other")
    let corners = [(640.0, 240.0), (760, 240), (760, 360), (640, 360), (640, 300)]
    _ = session.draw(Stroke(corners.map { Point($0.0, $0.1) }).resampled(count: 80))
    #expect(session.editor.document.states.count == 1)
  }

  @Test func aTriangleAtAStateMarksItAsInitial() throws {
    let corners = [(238.0, 300.0), (200.0, 275.0), (201.0, 326.0), (238.0, 301.0)]
    let triangle = Stroke(corners.map { Point($0.0, $0.1) }).resampled(count: 60)
    var session = try session("other")
    _ = session.draw(triangle)
    #expect(session.editor.document.isInitial(session.editor.document.states[0].id))
    session.editor.undo()
    #expect(session.editor.document.transitions.isEmpty)
    // At the tip of an arrow, it is a head; away from all states, it is nothing.
    session = try self.session("other")
    try session.editor.perform(.addState(center: Vector(0, 300), radius: 60))
    try session.editor.perform(
      .connect(
        from: session.editor.document.states[1].id, to: session.editor.document.states[0].id))
    _ = session.draw(triangle)
    #expect(session.editor.document.automaton.initialStates.isEmpty)
    session = try self.session("other")
    _ = session.draw(Stroke(triangle.points.map { Point($0.x - 150, $0.y) }))
    #expect(session.editor.document.transitions.isEmpty)
  }
}
