import AutomatonEditor
import Foundation
import Ink
import InkRecognizer
import Testing

/// A recogniser that says what it is told, by the number of strokes.
private struct Told: DrawingRecognizer {
  var answers: [Int: Recognition]

  func recognition(of drawing: Drawing) -> Recognition? { answers[drawing.strokes.count] }

  static func sure(_ label: String) -> Recognition {
    Recognition(
      ranked: [.init(label: label, probability: 0.99), .init(label: "other", probability: 0.01)],
      rejection: nil)
  }

  static func unsure(_ labels: [String]) -> Recognition {
    Recognition(
      ranked: zip(labels, [0.5, 0.4, 0.1]).map { .init(label: $0, probability: $1) },
      rejection: .ambiguous)
  }
}

@Suite(.timeLimit(.minutes(30))) struct SketchSessionTests {
  private func session(_ answers: [Int: Recognition]) -> SketchSession {
    SketchSession(
      Editor(Document(id: "drawn"), ids: CountingIDs()), recognizer: Told(answers: answers))
  }

  private func timed(_ points: [Point], from time: Double) -> Stroke {
    Stroke(
      points.enumerated().map { Point($1.x, $1.y, time: time + 10 * Double($0)) })
  }

  private func half(of center: Vector, upper: Bool) -> [Point] {
    (0...30).map {
      let angle = Double($0) / 30 * .pi + (upper ? .pi : 0)
      return Point(center.x + 60 * cos(angle), center.y + 60 * sin(angle))
    }
  }

  @Test(arguments: [500.0, 1500]) func twoArcsCloseARingWithoutAPause(pause: Double) {
    var session = session([1: Told.sure("transition"), 2: Told.sure("state")])
    _ = session.draw(timed(half(of: Vector(300, 300), upper: true), from: 0))
    _ = session.draw(timed(half(of: Vector(300, 300), upper: false), from: 300 + pause))
    #expect(session.editor.document.states.count == (pause < 800 ? 1 : 0))
    #expect(session.editor.document.transitions.count == (pause < 800 ? 0 : 2))
    // Both together are one step of undoing.
    if pause < 800 {
      session.editor.undo()
      #expect(session.editor.document == Document(id: "drawn"))
    }
  }

  @Test(arguments: [true, false]) func aHeadThatComesSoonBelongsToItsShaft(isAtStart: Bool) {
    var session = session([1: Told.sure("transition"), 2: Told.sure("transition")])
    let shaft = (0...30).map { Point(100 + 10 * Double($0), 200) }
    _ = session.draw(timed(shaft, from: 0))
    let tip = isAtStart ? 100.0 : 400
    let side = isAtStart ? 20.0 : -20
    let head = [Point(tip + side, 185), Point(tip, 200), Point(tip + side, 215)]
    let decision = session.draw(timed(head, from: 700))
    let transitions = session.editor.document.transitions
    #expect(transitions.count == 1 && decision == .head(transition: transitions[0].id))
    guard case .regular(_, let place, _) = transitions[0].shape else {
      Issue.record("an arrow is regular")
      return
    }
    #expect(abs(place.x - tip) < 5)
    session.editor.undo()
    #expect(session.editor.document.transitions.isEmpty)
  }

  @Test func whatWasUndoneIsNotGoneOnWith() throws {
    var session = session([1: Told.sure("transition"), 2: Told.sure("transition")])
    try session.editor.perform(.addState(center: Vector(0, 200)))
    _ = session.draw(timed((0...30).map { Point(100 + 10 * Double($0), 200) }, from: 0))
    session.editor.undo()
    let again = session.draw(timed((0...20).map { Point(300 + 4 * Double($0), 205) }, from: 700))
    guard case .applied = again else {
      Issue.record("expected a transition of its own, found \(again)")
      return
    }
    #expect(session.editor.document.states.count == 1)
    #expect(session.editor.document.transitions.count == 1)
  }

  @Test func aRingAtATipIsNoHead() {
    struct ByShape: DrawingRecognizer {
      func recognition(of drawing: Drawing) -> Recognition? {
        Told.sure(drawing.strokes.last!.chord < 50 ? "state" : "transition")
      }
    }
    var session = SketchSession(
      Editor(Document(id: "drawn"), ids: CountingIDs()), recognizer: ByShape())
    _ = session.draw(timed((0...30).map { Point(20 * Double($0), 200) }, from: 0))
    _ = session.draw(timed(ring(Vector(645, 200), 40).strokes[0].points, from: 800))
    #expect(session.editor.document.states.count == 1)
    #expect(session.editor.document.transitions[0].end == session.editor.document.states[0].id)
  }

  @Test func aTapBelongsToNothing() {
    struct TapsAreSmall: DrawingRecognizer {
      func recognition(of drawing: Drawing) -> Recognition? {
        var answer = Told.sure("transition")
        if (drawing.bounds?.longerSide ?? 0) < 12 { answer.rejection = .tooSmall }
        return answer
      }
    }
    var session = SketchSession(
      Editor(Document(id: "drawn"), ids: CountingIDs()), recognizer: TapsAreSmall())
    _ = session.draw(timed([Point(100, 198), Point(101, 199)], from: 0))
    _ = session.draw(timed((0...30).map { Point(100 + 10 * Double($0), 200) }, from: 300))
    guard case .regular(let start, _, _) = session.editor.document.transitions.first?.shape else {
      Issue.record("expected a transition")
      return
    }
    #expect(start == Vector(100, 200))
  }

  @Test func labelsThatAreNoElementsAreRefused() {
    var session = session([1: Told.sure("square")])
    let decision = session.draw(timed(half(of: Vector(0, 0), upper: true), from: 0))
    #expect(decision == .refused(.recognition(.unrecognised), secondChoice: nil))
  }

  @Test func whatIsSurelyNothingStaysNothing() throws {
    var session = session([
      1: Recognition(
        ranked: [
          .init(label: "other", probability: 0.98), .init(label: "transition", probability: 0.02),
        ], rejection: .unrecognised)
    ])
    try session.editor.perform(.addState(center: Vector(0, 0)))
    try session.editor.perform(.addState(center: Vector(400, 0)))
    let decision = session.draw(timed((0...30).map { Point(65 + 9 * Double($0), 0) }, from: 0))
    #expect(decision == .refused(.recognition(.unrecognised), secondChoice: "transition"))
  }

  @Test func whatIsRefusedSaysWhyAndWhatElseItCouldBe() {
    var session = session([1: Told.unsure(["state", "cycle", "other"])])
    session.usesContext = false
    let decision = session.draw(timed(half(of: Vector(0, 0), upper: true), from: 0))
    #expect(decision == .refused(.recognition(.ambiguous), secondChoice: "state"))
    #expect(!session.editor.canUndo)
    session = self.session([1: Told.sure("cycle")])
    #expect(
      session.draw(timed(half(of: Vector(0, 0), upper: true), from: 0))
        == .refused(.document(.noStateThere), secondChoice: nil))
    session = self.session([:])
    #expect(
      session.draw(Stroke([Point(.nan, 0)])) == .refused(.notANumber, secondChoice: nil))
  }

  @Test(arguments: [true, false]) func whatLiesAroundDecidesOnlyWhenItMay(usesContext: Bool) throws
  {
    var session = session([1: Told.unsure(["cycle", "transition", "other"])])
    session.usesContext = usesContext
    try session.editor.perform(.addState(center: Vector(0, 0)))
    try session.editor.perform(.addState(center: Vector(400, 0)))
    let bent = (0...30).map { index -> Point in
      let t = Double(index) / 30
      return Point(65 + 270 * t, -4 * 120 * t * (1 - t))
    }
    _ = session.draw(timed(bent, from: 0))
    #expect(session.editor.document.transitions.count == (usesContext ? 1 : 0))
    if usesContext { #expect(session.editor.document.automaton.transitions.count == 1) }
  }

  // MARK: What belongs together

  @Test(arguments: [
    (0.0, true), (800, true), (801, false), (-1, false), (-1_700_000_000_000, false),
    (1_700_000_000_000, false), (.nan, false), (.infinity, false),
  ])
  func onlyWhatFollowsSoonByTheSameClockBelongsTogether(gap: Double, isTogether: Bool) {
    var session = session([1: Told.sure("transition"), 2: Told.sure("state")])
    let first = timed(half(of: Vector(300, 300), upper: true), from: 5000)
    _ = session.draw(first)
    let end = first.points.last?.time ?? 0
    _ = session.draw(timed(half(of: Vector(300, 300), upper: false), from: end + gap))
    #expect(session.editor.document.states.count == (isTogether ? 1 : 0))
    // Without times nothing is known to belong together.
    var timeless = self.session([1: Told.sure("transition"), 2: Told.sure("state")])
    for isUpper in [true, false] {
      _ = timeless.draw(Stroke(half(of: Vector(300, 300), upper: isUpper)))
    }
    #expect(timeless.editor.document.states.isEmpty)
  }

  @Test func whatWasDoneBetweenEndsWhatBelongsTogether() throws {
    var session = session([1: Told.sure("transition"), 2: Told.sure("state")])
    _ = session.draw(timed(half(of: Vector(300, 300), upper: true), from: 0))
    // Back to the same document: undoing would take back something else.
    let id = session.editor.document.transitions[0].id
    try session.editor.perform(.setEpsilon(transition: id, true))
    try session.editor.perform(.setEpsilon(transition: id, false))
    _ = session.draw(timed(half(of: Vector(300, 300), upper: false), from: 400))
    #expect(session.editor.document.states.isEmpty)
    #expect(session.editor.document.transitions.count == 2)
  }

  // MARK: Something else instead

  @Test func aRingOfTwoArcsBecomesSomethingElseWithBoth() throws {
    var session = session([1: Told.sure("transition"), 2: Told.sure("state")])
    try session.editor.perform(.addState(center: Vector(300, 430), radius: 60))
    let before = session.editor.document
    let arcs = [true, false].map {
      timed(half(of: Vector(300, 300), upper: $0), from: $0 ? 0 : 500)
    }
    for arc in arcs { _ = session.draw(arc) }
    #expect(session.editor.document.states.count == 2)
    try session.redraw(as: "transition")
    // The same as both arcs drawn as one transition, and one step of undoing.
    var expected = Editor(before, ids: CountingIDs(after: 10))
    try expected.perform(.drawTransition(Drawing(arcs)))
    #expect(
      session.editor.document.transitions.map(\.shape) == expected.document.transitions.map(\.shape)
    )
    #expect(session.editor.document.states == before.states)
    try session.redraw(as: "state")
    #expect(
      session.editor.document.states.count == 2 && session.editor.document.transitions.isEmpty)
    #expect(abs(session.editor.document.states[1].radius - 60) < 3)
    session.editor.undo()
    #expect(session.editor.document == before)
    #expect(throws: Refusal.noLastDrawing) { try session.redraw(as: "state") }
  }

  /// As many steps in another document do not make the last stroke one of it.
  @Test func aStrokeOfAnotherDocumentBecomesNothingElse() throws {
    var session = session([1: Told.sure("state")])
    _ = session.draw(timed(ring(Vector(300, 300), 60).strokes[0].points, from: 0))
    var other = Editor(Document(id: "other"), ids: CountingIDs())
    try other.perform(.addState(center: Vector(0, 0), radius: 60))
    session.editor = other
    #expect(throws: Refusal.noLastDrawing) { try session.redraw(as: "transition") }
    #expect(session.editor.document == other.document)
  }

  @Test func anArrowWithItsHeadBecomesSomethingElseAsAWhole() throws {
    var session = session([1: Told.sure("transition"), 2: Told.sure("transition")])
    _ = session.draw(timed((0...30).map { Point(100 + 10 * Double($0), 200) }, from: 0))
    let head = timed([Point(120, 185), Point(100, 200), Point(120, 215)], from: 700)
    #expect(session.draw(head) == .head(transition: session.editor.document.transitions[0].id))
    #expect(throws: Refusal.noStateThere) { try session.redraw(as: "cycle") }
    #expect(throws: Refusal.noSuchLabel("square")) { try session.redraw(as: "square") }
    #expect(session.editor.document.transitions.count == 1)
    try session.redraw(as: "transition")
    guard case .regular(_, let tip, _) = session.editor.document.transitions[0].shape else {
      Issue.record("an arrow is regular")
      return
    }
    // The head still decides the direction.
    #expect(abs(tip.x - 100) < 5 && session.editor.document.transitions.count == 1)
    session.editor.undo()
    #expect(session.editor.document.transitions.isEmpty)
  }

  @Test func whatWasRefusedOrTappedBecomesWhatAPersonSays() throws {
    struct SmallIsTapped: DrawingRecognizer {
      func recognition(of drawing: Drawing) -> Recognition? {
        var answer = Told.unsure(["other", "state", "transition"])
        if (drawing.bounds?.longerSide ?? 0) < 60 { answer.rejection = .tooSmall }
        return answer
      }
    }
    var session = SketchSession(
      Editor(Document(id: "drawn"), ids: CountingIDs()), recognizer: SmallIsTapped())
    #expect(throws: Refusal.noLastDrawing) { try session.redraw(as: "state") }
    _ = session.draw(timed(ring(Vector(300, 300), 60).strokes[0].points, from: 0))
    #expect(session.editor.document.states.isEmpty)
    try session.redraw(as: "state")
    #expect(session.editor.document.states.count == 1)
    // A small ring is offered itself, not what was before it.
    _ = session.draw(timed(ring(Vector(900, 300), 20).strokes[0].points, from: 5000))
    try session.redraw(as: "state")
    #expect(session.editor.document.states.map { ($0.radius / 10).rounded() } == [6, 2])
  }
}
