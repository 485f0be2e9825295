import AutomatonEditor
import Foundation
import Ink
import Testing

/// How near is near enough, and which of several is meant.
@Suite(.timeLimit(.minutes(30))) struct ReachTests {
  private func editor(zoom: Double = 1) -> Editor {
    var options = EditorOptions()
    options.zoom = zoom
    return Editor(Document(id: "test"), ids: CountingIDs(), options: options)
  }

  private func ends(_ shape: Document.Transition.Shape) -> [Vector] {
    guard case .regular(let start, let tip, let flex) = shape else { return [] }
    return [start, tip, flex]
  }

  @Test(
    arguments: [
      (0.5, 20.0, 75.0, true), (0.5, 20, 85, false), (1, 20, 35, true), (1, 20, 45, false),
      (2, 20, 18, true), (2, 20, 25, false), (4, 20, 15, true), (4, 20, 17, false),
      (1, 200, 95, true), (1, 200, 105, false), (4, 200, 95, true),
    ] as [(Double, Double, Double, Bool)])
  func howFarAnEndReachesFollowsTheZoomAndTheSize(
    zoom: Double, radius: Double, gap: Double, isAttached: Bool
  ) throws {
    var editor = editor(zoom: zoom)
    try editor.perform(.addState(center: Vector(0, 0), radius: radius))
    let tip = Vector(-radius - gap, 0)
    try editor.perform(.drawTransition(arrow(tip + Vector(-400, 0), tip, head: 0)))
    #expect((editor.document.transitions[0].end != nil) == isAttached)
    // A state that comes later reaches as far.
    var later = self.editor(zoom: zoom)
    try later.perform(.drawTransition(arrow(tip + Vector(-400, 0), tip, head: 0)))
    try later.perform(.addState(center: Vector(0, 0), radius: radius))
    #expect((later.document.transitions[0].end != nil) == isAttached)
  }

  @Test(arguments: [true, false]) func theNearestOfSeveralStatesIsMeant(isFirst: Bool) throws {
    var editor = editor()
    // The tip at x = 88 is 38 from the one ring, 22 from the other.
    for x in isFirst ? [160.0, 0] : [0, 160] {
      try editor.perform(.addState(center: Vector(x, 0), radius: 50))
    }
    try editor.perform(.drawTransition(arrow(Vector(88, 400), Vector(88, 0), head: 0)))
    #expect(editor.document.state(editor.document.transitions[0].end)?.center == Vector(160, 0))
    try editor.perform(.drawTransition(arrow(Vector(72, 0), Vector(72, -400), head: 0)))
    #expect(editor.document.state(editor.document.transitions[1].start)?.center == Vector(0, 0))
  }

  @Test(arguments: [true, false]) func insideOfSeveralTheNearestMiddleIsMeant(isFirst: Bool) throws
  {
    var editor = editor()
    for x in isFirst ? [30.0, 0] : [0, 30] {
      try editor.perform(.addState(center: Vector(x, 0), radius: 100))
    }
    try editor.perform(.drawTransition(arrow(Vector(25, 500), Vector(25, 0), head: 0)))
    #expect(editor.document.state(editor.document.transitions[0].end)?.center == Vector(30, 0))
  }

  @Test(
    arguments: [
      // Outside of the ring, at x = 60, and inside: what counts is how far it is from the ring.
      (70.0, 95.0, true), (95, 70, false), (0, 90, false), (90, 0, true), (50, 98, true),
    ])
  func ofTwoEndsAtOneStateTheNearerBelongsToIt(
    start: Double, tip: Double, isStart: Bool
  ) throws {
    var editor = editor()
    try editor.perform(.addState(center: Vector(0, 0), radius: 60))
    let state = editor.document.states[0].id
    try editor.perform(.drawTransition(arrow(Vector(start, 0), Vector(tip, 0), head: 0)))
    let transition = editor.document.transitions[0]
    #expect(transition.start == (isStart ? state : nil))
    #expect(transition.end == (isStart ? nil : state))
    #expect(editor.document.isInitial(state) == !isStart)
  }

  @Test func aStateTakesOneEndOfATransitionOnly() throws {
    var editor = editor()
    try editor.perform(.drawTransition(arrow(Vector(-30, 80), Vector(30, 80), head: 0)))
    try editor.perform(.addState(center: Vector(0, 0), radius: 60))
    let transition = editor.document.transitions[0]
    #expect(transition.end == editor.document.states[0].id && transition.start == nil)
    // The same where its tip is moved to where it begins, and the other way round.
    try editor.perform(.addState(center: Vector(600, 0), radius: 60))
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    let id = editor.document.transitions[1].id
    try editor.perform(.moveTip(transition: id, to: Vector(0, 60)))
    #expect(editor.document.transitions[1].start == ids[0])
    #expect(editor.document.transitions[1].end == nil)
  }

  @Test(arguments: [
    (31.0, 0.0, true), (26, 0, false), (90, 0, true), (100, 0, false), (60, 29, true),
    (60, 35, false),
  ])
  func aSecondRingHasAboutTheSizeAndPlaceOfTheFirst(
    radius: Double, aside: Double, isFinal: Bool
  ) throws {
    var editor = editor()
    try editor.perform(.addState(center: Vector(0, 0), radius: 60))
    try editor.perform(.drawState(ring(Vector(aside, 0), radius, turns: 1)))
    #expect(editor.document.states[0].isFinal == isFinal)
    #expect(editor.document.states.count == (isFinal ? 1 : 2))
  }

  @Test func ofTwoRingsTheOneAroundTheNearerMiddleIsMeant() throws {
    for places in [[0.0, 40], [40, 0]] {
      var editor = editor()
      for x in places { try editor.perform(.addState(center: Vector(x, 0), radius: 80)) }
      try editor.perform(.drawState(ring(Vector(30, 0), 80)))
      #expect(editor.document.states.first(where: \.isFinal)?.center == Vector(40, 0))
    }
  }

  @Test(arguments: [(1.0, false), (1.5, false), (2, true)])
  func aRingThatIsDrawnTwiceIsFinal(turns: Double, isFinal: Bool) throws {
    var editor = editor()
    try editor.perform(.drawState(ring(Vector(0, 0), 60, turns: turns)))
    #expect(editor.document.states[0].isFinal == isFinal)
  }

  /// A tremor makes the pen turn far more than once.
  @Test func aRingThatTremblesIsDrawnOnce() throws {
    var editor = editor()
    let points = (0...72).map { index -> Point in
      let angle = 2 * Double.pi * Double(index) / 72
      let radius = 60 + (index % 4 < 2 ? 7.0 : -7.0)
      return Point(radius * cos(angle), radius * sin(angle))
    }
    try editor.perform(.drawState(Drawing([Stroke(points)])))
    #expect(editor.document.states.count == 1 && !editor.document.states[0].isFinal)
  }

  /// The loose end of an arrow is taken by another state only: never both by one.
  @Test func anArrowsLooseEndNearItsOwnStateStaysLoose() throws {
    var editor = editor()
    try editor.perform(.addState(center: Vector(0, 0), radius: 60))
    let state = editor.document.states[0].id
    try editor.perform(.drawTransition(arrow(Vector(62, 0), Vector(300, 0), head: 0)))
    #expect(editor.document.transitions[0].start == state)
    #expect(editor.document.transitions[0].end == nil)
    // Both ends of a loose arrow near the ring of a new state.
    try editor.perform(.moveState(state, to: Vector(230, 0)))
    let moved = editor.document.transitions[0]
    #expect(moved.start == state && moved.end == nil)
  }

  @Test(arguments: [
    (1.0, 10.0, true), (1, 14, false), (0.5, 22, true), (0.5, 26, false), (2, 8, false),
  ])
  func anEraserReachesFurtherOnASmallCanvas(zoom: Double, gap: Double, isErased: Bool) throws {
    var editor = editor(zoom: zoom)
    try editor.perform(.drawTransition(arrow(Vector(0, 0), Vector(400, 0), head: 0)))
    let eraser = Drawing([Stroke([Point(150, gap), Point(250, gap)])])
    try? editor.perform(.erase(eraser))
    #expect(editor.document.transitions.isEmpty == isErased)
  }

  // MARK: What follows what

  @Test func whatWasUndoneIsGoneAfterAnotherCommand() throws {
    var editor = editor()
    try editor.perform(.addState(center: Vector(0, 0)))
    try editor.perform(.addState(center: Vector(500, 0)))
    editor.undo()
    #expect(editor.canRedo)
    try editor.perform(.addState(center: Vector(0, 500)))
    let document = editor.document
    let isRedone = editor.redo()
    #expect(!editor.canRedo && !isRedone && editor.document == document)
    // A command that does nothing leaves it.
    editor.undo()
    #expect(throws: Refusal.self) { try editor.perform(.delete(["?"])) }
    #expect(editor.canRedo)
  }

  @Test func undoGoesAsFarBackAsItSays() throws {
    var editor = editor()
    for number in 0..<Editor.undoDepth + 5 {
      try editor.perform(.addState(center: Vector(300 * Double(number), 0)))
    }
    var count = 0
    while editor.undo() { count += 1 }
    #expect(count == Editor.undoDepth && editor.document.states.count == 5)
  }

  @Test func halfABendMovesWithAState() throws {
    var editor = editor()
    for x in [0.0, 400] { try editor.perform(.addState(center: Vector(x, 0))) }
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    try editor.perform(.setInitial(state: ids[1], true))
    let bent = editor.document.transitions[0].id
    try editor.perform(.bend(transition: bent, through: Vector(200, -100)))
    let marker = ends(editor.document.transitions[1].shape)
    #expect(marker == [Vector(240, 0), Vector(340, 0), Vector(290, 0)])
    try editor.perform(.moveState(ids[1], to: Vector(400, 60)))
    #expect(ends(editor.document.transitions[0].shape).last == Vector(200, -70))
    for (old, new) in zip(marker, ends(editor.document.transitions[1].shape)) {
      #expect(new.distance(to: old + Vector(0, 60)) < 1e-9)
    }
    // A marker turns about its tip and stays straight.
    let id = editor.document.transitions[1].id
    try editor.perform(.bend(transition: id, through: Vector(400, -60)))
    let turned = ends(editor.document.transitions[1].shape)
    #expect(turned[1].distance(to: Vector(400, 0)) < 1e-9)
    #expect(turned[0].distance(to: Vector(400, -120)) < 1e-9)
  }

  @Test func whatLetsGoOfItsStateMarksNothing() throws {
    var editor = editor()
    for x in [0.0, 600] { try editor.perform(.addState(center: Vector(x, 0))) }
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    let id = editor.document.transitions[0].id
    try editor.perform(.moveStart(transition: id, to: Vector(300, 400)))
    #expect(editor.document.transitions[0].start == nil && !editor.document.isInitial(ids[1]))
    #expect(editor.document.danglingTransitions == [id])
    try editor.perform(.moveStart(transition: id, to: Vector(10, 50)))
    #expect(editor.document.transitions[0].start == ids[0])
    // A marker whose tip is moved still marks what it comes to.
    try editor.perform(.setInitial(state: ids[0], true))
    let marker = editor.document.transitions[1].id
    try editor.perform(.moveTip(transition: marker, to: Vector(300, -300)))
    #expect(!editor.document.isInitial(ids[0]))
    try editor.perform(.moveTip(transition: marker, to: Vector(600, -50)))
    #expect(editor.document.isInitial(ids[1]))
  }

  @Test(arguments: [true, false]) func anArrowThatLostItsStartNeverMarksAState(isDeleted: Bool)
    throws
  {
    var editor = editor()
    for x in [0.0, 900] { try editor.perform(.addState(center: Vector(x, 0))) }
    let ids = editor.document.states.map(\.id)
    // From the first state to nowhere: its tip ends freely, its start does not.
    try editor.perform(.drawTransition(arrow(Vector(65, 0), Vector(400, 0), head: 0)))
    let id = editor.document.transitions[0].id
    #expect(editor.document.transitions[0].start == ids[0])
    try editor.perform(
      isDeleted ? .delete([ids[0]]) : .moveStart(transition: id, to: Vector(200, 500)))
    try editor.perform(.moveTip(transition: id, to: Vector(835, 0)))
    let transition = editor.document.transitions[0]
    #expect(transition.start == nil && transition.end == ids[1])
    #expect(!editor.document.isInitial(ids[1]))
    #expect(editor.document.danglingTransitions == [id])
  }

  @Test func opposingArrowsBowEachToItsLeft() throws {
    var editor = editor()
    for x in [0.0, 400] { try editor.perform(.addState(center: Vector(x, 0))) }
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    #expect(ends(editor.document.transitions[0].shape)[2] == Vector(200, 0))
    try editor.perform(.connect(from: ids[1], to: ids[0]))
    // Rightwards above, leftwards below, as far as each other.
    let flexes = editor.document.transitions.map { ends($0.shape)[2] }
    #expect(flexes[0].y < -19 && abs(flexes[0].y + flexes[1].y) < 1e-9)
    // A third one finds room.
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    let third = ends(editor.document.transitions[2].shape)[2]
    #expect(flexes.allSatisfy { $0.distance(to: third) > 40 })
  }

  @Test(arguments: [false, true]) func aLoopRunsAsItWasDrawn(isReversed: Bool) throws {
    var editor = editor()
    try editor.perform(.addState(center: Vector(100, 200)))
    // Clockwise on screen: up on the left, down on the right.
    let stroke = Stroke([
      Point(85, 142), Point(60, 80), Point(100, 50), Point(140, 80), Point(115, 142),
    ])
    try editor.perform(.drawLoop(Drawing([isReversed ? stroke.reversed() : stroke])))
    let loop = editor.document.transitions[0]
    guard case .loop(_, let isMirrored) = loop.shape else {
      Issue.record("expected a loop")
      return
    }
    #expect(isMirrored == isReversed)
    let curve = try #require(editor.document.appearance(of: loop)?.curves.first)
    #expect((curve.start.x < 100) == !isReversed && (curve.end.x > 100) == !isReversed)
    #expect(abs(curve.start.distance(to: Vector(100, 200)) - 60) < 1e-6)
    #expect(curve.point(at: 0.5).y < 120)
  }

  @Test func loopsAreAddedWhereThereIsNoneYet() throws {
    var editor = editor()
    try editor.perform(.addState(center: Vector(0, 0)))
    let id = editor.document.states[0].id
    for _ in 0..<5 { try editor.perform(.connect(from: id, to: id)) }
    let angles = editor.document.transitions.map { transition -> Double in
      if case .loop(let angle, _) = transition.shape { return angle }
      return .nan
    }
    let expected: [Double] = [.pi, 0, .pi / 2, -.pi / 2, .pi]
    #expect(angles == expected)
    let tops = editor.document.transitions.compactMap { editor.document.appearance(of: $0)?.handle }
    #expect(tops[0].y < -100)
    #expect(tops[1].y > 100)
    #expect(tops[2].x < -100)
    #expect(tops[3].x > 100)
  }

  @Test func newStatesTakeTheFirstFreeName() throws {
    var editor = editor()
    for x in 0..<3 { try editor.perform(.addState(center: Vector(300 * Double(x), 0))) }
    #expect(editor.document.states.map(\.name) == ["q0", "q1", "q2"])
    try editor.perform(.rename(state: editor.document.states[1].id, "q7"))
    try editor.perform(.addState(center: Vector(0, 900)))
    #expect(editor.document.states[3].name == "q3")
    try editor.perform(.clear)
    try editor.perform(.addState(center: Vector(0, 900)))
    #expect(editor.document.states[0].name == "q0")
  }
}
