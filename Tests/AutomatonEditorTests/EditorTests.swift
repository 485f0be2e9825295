import Automata
import Foundation
import Ink
import InkDatasets
import SeededRandom
import Testing

@testable import AutomatonEditor

/// A ring drawn once, or `turns` times, around a place.
func ring(_ center: Vector, _ radius: Double, turns: Double = 1.05, wobble: Double = 0) -> Drawing {
  let count = Int(72 * turns)
  return Drawing([
    Stroke(
      (0...count).map { index in
        let angle = 2 * Double.pi * turns * Double(index) / Double(count) - .pi / 2
        let radius = radius * (1 + wobble * sin(5 * angle))
        return Point(center.x + radius * cos(angle), center.y + radius * sin(angle))
      })
  ])
}

/// A line from place to place through a bend, with a head at its end where there is one.
func arrow(_ start: Vector, _ tip: Vector, bend: Double = 0, head: Double = 20) -> Drawing {
  let across = (tip - start).unit.turned(by: .pi / 2)
  var places = (0...40).map { index -> Vector in
    let t = Double(index) / 40
    return start + (tip - start) * t + across * (4 * bend * t * (1 - t))
  }
  if head > 0 {
    let back = (start - tip).unit * head
    places += [tip + back.turned(by: 0.5), tip, tip + back.turned(by: -0.5)]
  }
  return Drawing([Stroke(places.map { Point($0.x, $0.y) })])
}

@Suite(.timeLimit(.minutes(30))) struct EditorTests {
  private func editor() -> Editor { Editor(Document(id: "test"), ids: CountingIDs()) }

  /// Two states beside each other, 300 points apart, with radius 60.
  private func pair() throws -> Editor {
    var editor = editor()
    try editor.perform(.drawState(ring(Vector(100, 200), 60)))
    try editor.perform(.drawState(ring(Vector(400, 200), 60)))
    return editor
  }

  private func regular(
    _ transition: Document.Transition
  ) throws -> (start: Vector, tip: Vector, flex: Vector) {
    guard case .regular(let start, let tip, let flex) = transition.shape else {
      throw Refusal.noSuchElement(transition.id)
    }
    return (start, tip, flex)
  }

  private func loopAngle(_ transition: Document.Transition) -> Double? {
    if case .loop(let angle, _) = transition.shape { angle } else { nil }
  }

  @Test(arguments: [40.0, 60, 100, 250], [0.0, 0.05])
  func aRingBecomesAStateOfItsSize(radius: Double, wobble: Double) throws {
    var editor = editor()
    try editor.perform(.drawState(ring(Vector(500, 400), radius, wobble: wobble)))
    let state = editor.document.states[0]
    #expect(abs(state.radius - radius) < 0.05 * radius)
    #expect(state.center.distance(to: Vector(500, 400)) < 0.05 * radius)
    #expect(state.name == "q0" && !state.isFinal)
  }

  @Test func aSecondRingMakesAFinalState() throws {
    var editor = try pair()
    try editor.perform(.drawState(ring(Vector(405, 195), 45)))
    #expect(editor.document.states.map(\.isFinal) == [false, true])
    #expect(throws: Refusal.alreadyFinal) {
      try editor.perform(.drawState(ring(Vector(400, 200), 50)))
    }
    // Around several states, or beside the middle of one, it is a state of its own.
    try editor.perform(.drawState(ring(Vector(250, 200), 300)))
    #expect(editor.document.states.count == 3)
    try editor.perform(.drawState(ring(Vector(250, 700), 60, turns: 2.1)))
    #expect(editor.document.states[3].isFinal)
  }

  @Test func anArrowConnectsWhatItComesNear() throws {
    var editor = try pair()
    try editor.perform(.drawTransition(arrow(Vector(175, 200), Vector(325, 200))))
    let transition = editor.document.transitions[0]
    let ids = editor.document.states.map(\.id)
    #expect(transition.start == ids[0] && transition.end == ids[1])
    let (start, tip, flex) = try regular(transition)
    #expect(start.distance(to: Vector(160, 200)) < 3 && tip.distance(to: Vector(340, 200)) < 3)
    #expect(flex.distance(to: Vector(250, 200)) < 3)
    // Far from everything it hangs in the air.
    try editor.perform(.drawTransition(arrow(Vector(100, 600), Vector(400, 600))))
    #expect(
      editor.document.transitions[1].start == nil && editor.document.transitions[1].end == nil)
    #expect(editor.document.danglingTransitions == [editor.document.transitions[1].id])
  }

  @Test func theHeadDecidesTheDirection() throws {
    let (left, right) = (Vector(165, 200), Vector(335, 200))
    let headFirst = Drawing([arrow(left, right).strokes[0].reversed()])
    let twoStrokes = Drawing([
      arrow(left, right, head: 0).strokes[0],
      Stroke([Point(180, 185), Point(165, 200), Point(180, 215)]),
    ])
    for (drawing, isForward) in [
      (arrow(left, right), true), (arrow(right, left), false), (arrow(left, right, head: 0), true),
      (headFirst, true), (twoStrokes, false),
    ] {
      var editor = try pair()
      try editor.perform(.drawTransition(drawing))
      let ids = editor.document.states.map(\.id)
      let transition = editor.document.transitions[0]
      #expect([transition.start, transition.end] == (isForward ? ids : ids.reversed()))
      try editor.perform(.flip(transition: transition.id))
      let flipped = editor.document.transitions[0]
      #expect([flipped.start, flipped.end] == (isForward ? ids.reversed() : ids))
    }
  }

  @Test func bendsAreKeptAndStraightLinesStayStraight() throws {
    var editor = try pair()
    try editor.perform(.drawTransition(arrow(Vector(165, 200), Vector(335, 200), bend: -50)))
    let flex = try regular(editor.document.transitions[0]).flex
    #expect(flex.distance(to: Vector(250, 150)) < 8)
  }

  @Test func oppositePairsBowApart() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    try editor.perform(.connect(from: ids[1], to: ids[0]))
    let places = editor.document.transitions.compactMap {
      editor.document.appearance(of: $0)?.label
    }
    #expect(places[0].distance(to: places[1]) > 60)
    #expect((places[0].y - 200) * (places[1].y - 200) < 0)
  }

  @Test(arguments: [-60.0, 60]) func whatIsDrawnBetweenBentStatesKeepsClearOfIt(bend: Double) throws
  {
    var editor = try pair()
    try editor.perform(.drawTransition(arrow(Vector(165, 200), Vector(335, 200), bend: bend)))
    try editor.perform(.drawTransition(arrow(Vector(335, 200), Vector(165, 200))))
    let flexes = try editor.document.transitions.map { try regular($0).flex }
    #expect(flexes[0].distance(to: flexes[1]) > 60)
  }

  @Test func whatIsTurnedRoundTwiceIsTheSame() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    // A marker, an arrow to nowhere, and one that lost its start.
    try editor.perform(.setInitial(state: ids[0], true))
    try editor.perform(.drawTransition(arrow(Vector(465, 200), Vector(700, 200))))
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    try editor.perform(.delete([ids[0]]))
    for transition in editor.document.transitions {
      let before = editor.document
      try editor.perform(.flip(transition: transition.id))
      try editor.perform(.flip(transition: transition.id))
      #expect(editor.document == before)
    }
    #expect(!editor.document.isInitial(ids[1]))
    try editor.perform(.flip(transition: editor.document.transitions[2].id))
    #expect(!editor.document.isInitial(ids[1]))
    // Drawn the wrong way round, then turned: that was meant.
    try editor.perform(.flip(transition: editor.document.transitions[1].id))
    #expect(editor.document.isInitial(ids[1]))
  }

  @Test func aStateThatIsDraggedTakesLooseEndsAlong() throws {
    var editor = editor()
    try editor.perform(.drawTransition(arrow(Vector(0, 0), Vector(300, 0))))
    try editor.perform(.addState(center: Vector(900, 0)))
    try editor.perform(.moveState(editor.document.states[0].id, to: Vector(365, 0)))
    #expect(editor.document.transitions[0].end == editor.document.states[0].id)
    #expect(editor.document.transitions[0].start == nil)
    #expect(abs(try regular(editor.document.transitions[0]).tip.x - 305) < 1)
  }

  @Test func aStatesSizeChangesOnlyWhatIsAttached() throws {
    let file = """
      {"automatonStates":{"A":{"center":[0,0],"radius":60},"B":{"center":[300,0],"radius":60},
      "C":{"center":[900,900],"radius":60}},"transitions":{"T":{"startState":"A","endState":"B",
      "type":{"type":"regular","startPoint":[50,9],"tipPoint":[250,9],"flexPoint":[150,80]}},
      "U":{"startState":"B","endState":"B","type":{"type":"regular","startPoint":[280,-57],
      "tipPoint":[320,-57],"flexPoint":[300,-120]}}}}
      """
    let document = try DocumentFile.read(Data(file.utf8), name: "file")
    var editor = Editor(document, ids: CountingIDs())
    try editor.perform(.resizeState("C", radius: 90))
    #expect(editor.document.transitions == document.transitions)
    try editor.perform(.resizeState("B", radius: 90))
    let loop = try regular(editor.document.transitions[1])
    #expect(loop.start.distance(to: loop.tip) > 40)
  }

  @Test func idsAreNeverGivenTwice() throws {
    var editor = try pair()
    editor = Editor(editor.document, ids: CountingIDs())
    try editor.perform(.addState(center: Vector(900, 900)))
    #expect(Set(editor.document.states.map(\.id)).count == 3)

    struct OneID: IDSource {
      func next() -> String { "one" }
    }
    editor = Editor(Document(id: "x"), ids: OneID())
    try editor.perform(.addState(center: Vector(0, 0)))
    #expect(throws: Refusal.noFreeID) { try editor.perform(.addState(center: Vector(9, 9))) }
  }

  @Test func placesBeyondTheCanvasAreRefused() throws {
    var editor = try pair()
    let id = editor.document.states[0].id
    for command in [
      Command.addState(center: Vector(0, -1.5e308)), .resizeState(id, radius: 1e308),
      .moveState(id, to: Vector(1e10, 0)), .drawState(ring(Vector(1e12, 0), 1e11)),
    ] {
      #expect(throws: Refusal.notANumber) { try editor.perform(command) }
    }
  }

  @Test func anArrowFromNowhereMarksAnInitialState() throws {
    var editor = try pair()
    try editor.perform(.drawTransition(arrow(Vector(-80, 200), Vector(30, 200))))
    let ids = editor.document.states.map(\.id)
    #expect(editor.document.isInitial(ids[0]) && !editor.document.isInitial(ids[1]))
    #expect(editor.document.danglingTransitions.isEmpty)
    // A state drawn at its beginning makes it an ordinary transition.
    try editor.perform(.drawState(ring(Vector(-140, 200), 50)))
    #expect(!editor.document.isInitial(ids[0]))
    #expect(editor.document.transitions[0].start == editor.document.states[2].id)
    // Its start deleted, it hangs loose and marks nothing.
    try editor.perform(.delete([editor.document.states[2].id]))
    #expect(!editor.document.isInitial(ids[0]))
    #expect(editor.document.danglingTransitions.count == 1)
    try editor.perform(.setInitial(state: ids[0], true))
    #expect(editor.document.automaton.initialStates == [ids[0]])
    try editor.perform(.setInitial(state: ids[0], false))
    #expect(editor.document.automaton.initialStates.isEmpty)
  }

  @Test func looseEndsAreJoinedLater() throws {
    var editor = editor()
    try editor.perform(.drawTransition(arrow(Vector(0, 0), Vector(300, 0))))
    try editor.perform(.drawTransition(arrow(Vector(360, 200), Vector(360, 75))))
    try editor.perform(.drawState(ring(Vector(370, 0), 60)))
    #expect(
      editor.document.transitions.map(\.end) == [
        editor.document.states[0].id, editor.document.states[0].id,
      ])
    try editor.perform(.drawState(ring(Vector(-70, 5), 60)))
    #expect(editor.document.transitions[0].start == editor.document.states[1].id)
    #expect(editor.document.automaton.transitions.count == 1)
  }

  @Test func loopsHangWhereTheyWereDrawn() throws {
    var editor = try pair()
    let loop = Drawing([
      Stroke([Point(85, 142), Point(60, 80), Point(100, 50), Point(140, 80), Point(115, 142)])
    ])
    try editor.perform(.drawLoop(loop))
    let angle = try #require(loopAngle(editor.document.transitions[0]))
    #expect(abs(abs(angle) - .pi) < 0.1)
    try editor.perform(.drawLoop(Drawing([loop.strokes[0].reversed()])))
    #expect(editor.document.transitions[1].shape != editor.document.transitions[0].shape)
    #expect(throws: Refusal.noStateThere) {
      try editor.perform(.drawLoop(loop.transformed(by: .translation(x: 2000, y: 0))))
    }
    let id = editor.document.states[0].id
    try editor.perform(
      .turnLoop(transition: editor.document.transitions[0].id, towards: Vector(0, 200)))
    let turned = try #require(loopAngle(editor.document.transitions[0]))
    #expect(abs(turned - .pi / 2) < 1e-3)
    try editor.perform(.delete([id]))
    #expect(editor.document.transitions.isEmpty)
  }

  @Test func whatIsAttachedFollowsAState() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    try editor.perform(.moveState(ids[1], to: Vector(400, 500)))
    let (start, tip, _) = try regular(editor.document.transitions[0])
    let (a, b) = (editor.document.states[0], editor.document.states[1])
    #expect(abs(start.distance(to: a.center) - a.radius) < 1e-6)
    #expect(abs(tip.distance(to: b.center) - b.radius) < 1e-6)
    try editor.perform(.resizeState(ids[0], radius: 90))
    let moved = try regular(editor.document.transitions[0]).start
    #expect(abs(moved.distance(to: a.center) - 90) < 1e-6)
    try editor.perform(
      .bend(transition: editor.document.transitions[0].id, through: Vector(100, 450)))
    let (_, bent, flex) = try regular(editor.document.transitions[0])
    #expect(flex == Vector(100, 450) && abs(bent.distance(to: b.center) - b.radius) < 1e-6)
    try editor.perform(
      .moveTip(transition: editor.document.transitions[0].id, to: Vector(900, 900)))
    #expect(editor.document.transitions[0].end == nil)
    try editor.perform(
      .moveTip(transition: editor.document.transitions[0].id, to: Vector(390, 445)))
    #expect(editor.document.transitions[0].end == ids[1])
  }

  @Test func symbolsAreTrimmedAndKnown() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    let id = editor.document.transitions[0].id
    try editor.perform(.setPendingSymbol(transition: id, " b \n"))
    try editor.perform(.addSymbols(transition: id, "a \n"))
    #expect(editor.document.transitions[0].allSymbols == ["a", "b"])
    for symbol in ["a", " \n", ""] {
      #expect(throws: Refusal.nothingToDo) {
        try editor.perform(.addSymbols(transition: id, symbol))
      }
    }
    try editor.perform(.addSymbols(transition: id, "b"))
    #expect(editor.document.transitions[0].pendingSymbol == "")
    try editor.perform(.rename(state: ids[0], " start "))
    #expect(editor.document.states[0].name == "start")
    #expect(throws: Refusal.noSuchElement("x")) { try editor.perform(.rename(state: "x", "y")) }
  }

  @Test func whatIsTypedIsOneStepOfUndoing() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    let (before, id) = (editor.document, editor.document.transitions[0].id)
    try editor.perform(.setPendingSymbol(transition: id, "0,1"))
    try editor.perform(.addSymbols(transition: id, " 0, 1"))
    #expect(editor.document.transitions[0].allSymbols == ["0", "1"])
    try editor.perform(.addSymbols(transition: id, "1 ε \",\""))
    #expect(editor.document.transitions[0].allSymbols == ["0", "1", ","])
    #expect(editor.document.transitions[0].includesEpsilon)
    #expect(editor.document.automaton.alphabet == [",", "0", "1"])
    try editor.perform(.removeSymbol(transition: id, ","))
    for _ in 0..<4 { editor.undo() }
    #expect(editor.document == before)
    try editor.perform(.addSymbols(transition: id, "eps"))
    #expect(editor.document.transitions[0].symbols == [])
    #expect(editor.document.transitions[0].includesEpsilon)
    // Typed, but not yet added, a symbol counts as soon as it is added with others.
    try editor.perform(.setPendingSymbol(transition: id, "a"))
    try editor.perform(.addSymbols(transition: id, "a b"))
    #expect(editor.document.transitions[0].pendingSymbol == "")
    let after = editor.document
    #expect {
      try editor.perform(.addSymbols(transition: id, "9…0"))
    } throws: {
      "\($0)".contains("expected a range such as 0…9")
    }
    #expect(editor.document == after)
  }

  @Test func whatCannotBeSeenIsNoNameAndNoSymbol() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    let id = editor.document.transitions[0].id
    let before = editor.document
    for text in ["\u{200B}", "\u{200B}a", "a\u{7}", "a\u{200B}\n", "a\tb"] {
      let commands: [Command] = [
        .rename(state: ids[0], text), .addSymbols(transition: id, "\"\(text)\""),
        .setPendingSymbol(transition: id, text), .setAlphabet(["a", text]),
      ]
      for command in commands {
        #expect {
          try editor.perform(command)
        } throws: {
          "\($0)".contains("expected only visible characters, found U+")
        }
      }
    }
    #expect(editor.document == before)
    // White space at the ends is no part of a name.
    try editor.perform(.rename(state: ids[0], "\t\u{2028}p \r\n"))
    #expect(editor.document.states[0].name == "p")
    try editor.perform(.rename(state: ids[0], " \n"))
    #expect(editor.document.states[0].name == "")
  }

  /// A file that was made elsewhere may have such symbols; its alphabet can be changed all the same.
  @Test func symbolsOfAFileThatCannotBeSeenMayStay() throws {
    let json = #"{"automatonStates":{},"transitions":{},"alphabet":["\u200b","a"]}"#
    let file = try DocumentFile.read(Data(json.utf8), name: "x")
    var editor = Editor(file, ids: CountingIDs())
    try editor.perform(.setAlphabet(["\u{200B}", "b"]))
    #expect(editor.document.givenAlphabet == ["b", "\u{200B}"])
  }

  @Test func theAlphabetIsGiven() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    try editor.perform(.addSymbols(transition: editor.document.transitions[0].id, "a"))
    try editor.perform(.setAlphabet(["b", "a", "b"]))
    #expect(editor.document.givenAlphabet == ["a", "b"])
    #expect(editor.document.automaton.alphabet == ["a", "b"])
    #expect(throws: Refusal.nothingToDo) { try editor.perform(.setAlphabet(["a", "b"])) }
    #expect(throws: Refusal.self) { try editor.perform(.setAlphabet([""])) }
    try editor.perform(.setAlphabet(["c"]))
    #expect(editor.document.automaton.alphabet == ["a", "c"])
    editor.undo()
    #expect(editor.document.automaton.alphabet == ["a", "b"])
    try editor.perform(.clear)
    #expect(editor.document == Document(id: "test"))
    // What was computed keeps its symbols when it is drawn.
    let minimal = try RegularExpression("a*", alphabet: ["b"]).automaton.minimized()
    #expect(
      Document(PlacedAutomaton(automaton: minimal), id: "x").automaton.alphabet == ["a", "b"])
  }

  @Test func refusalsAreInPlainEnglish() throws {
    var editor = try pair()
    #expect {
      try editor.perform(.rename(state: "6E1F0C52-0B7E", "x"))
    } throws: { error in
      "\(error)".hasPrefix("the state or transition no longer exists")
        && !"\(error)".contains("6E1F")
    }
    for refusal in [
      Refusal.notANumber, .nothingToDo, .noStateThere, .alreadyFinal, .tooSmall, .noFreeID,
      .noLastDrawing, .noSuchLabel("square"),
    ] {
      #expect("\(refusal)".contains(" "), "\(refusal)")
    }
  }

  @Test func danglingArrowsAreNamedByTheirStates() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    try editor.perform(.rename(state: ids[0], "p"))
    try editor.perform(.drawTransition(arrow(Vector(100, 265), Vector(100, 700))))
    try editor.perform(.addSymbols(transition: editor.document.transitions[0].id, "a b"))
    try editor.perform(.drawTransition(arrow(Vector(900, 600), Vector(900, 900))))
    #expect(
      editor.document.danglingTransitionDescriptions == [
        "the arrow from p to nowhere (a, b)", "the arrow from nowhere to nowhere",
      ])
  }

  @Test func anEraserTakesWhatItCrosses() throws {
    var editor = try pair()
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    try editor.perform(.connect(from: ids[1], to: ids[1]))
    var other = editor
    let across = Drawing([Stroke([Point(250, 100), Point(250, 300)])])
    try editor.perform(.erase(across))
    #expect(
      editor.document.transitions.map(\.isLoop) == [true] && editor.document.states.count == 2)
    try other.perform(
      .erase(Drawing([Stroke([Point(395, 195), Point(405, 205)])]), .deletesAttached))
    #expect(other.document.states.map(\.id) == [ids[0]] && other.document.transitions.isEmpty)
    #expect(throws: Refusal.nothingToDo) {
      try other.perform(.erase(Drawing([Stroke([Point(900, 900)])])))
    }
  }

  // MARK: Properties

  private func randomCommand(_ document: Document, using generator: inout SeededGenerator)
    -> Command
  {
    func place() -> Vector {
      // Now and then something that is no place.
      if generator.chance(0.02) { return Vector(generator.pick([.nan, 1e308, -.infinity]), 0) }
      return Vector(generator.uniform(-200...1200), generator.uniform(-200...900))
    }
    func state() -> String { document.states.isEmpty ? "?" : generator.pick(document.states).id }
    func transition() -> String {
      document.transitions.isEmpty ? "?" : generator.pick(document.transitions).id
    }
    switch generator.index(below: 34) {
    case 0...3: return .drawState(ring(place(), generator.uniform(0...150)))
    case 4...7: return .drawTransition(arrow(place(), place(), bend: generator.uniform(-80...80)))
    case 8: return .drawLoop(ring(place(), generator.uniform(10...60), turns: 0.8))
    case 9:
      return .addState(
        center: place(), radius: generator.chance(0.5) ? nil : generator.uniform(-10...90))
    case 10, 11: return .connect(from: state(), to: state())
    case 12: return .setFinal(state: state(), generator.chance(0.5))
    case 13: return .setInitial(state: state(), generator.chance(0.7))
    case 14: return .moveState(state(), to: place())
    case 15: return .resizeState(state(), radius: generator.uniform(-20...200))
    case 16: return .bend(transition: transition(), through: place())
    case 17: return .moveStart(transition: transition(), to: place())
    case 18: return .moveTip(transition: transition(), to: place())
    case 19: return .turnLoop(transition: transition(), towards: place())
    case 20: return .flip(transition: transition())
    case 21: return .rename(state: state(), generator.pick(["A", "B", "", " C "]))
    case 22:
      return .addSymbols(
        transition: transition(), generator.pick(["a", "b", "", "ab", "a, ε", "0…3", "9..0"]))
    case 23: return .setEpsilon(transition: transition(), generator.chance(0.5))
    case 24:
      return .delete(
        [generator.chance(0.5) ? state() : transition()], generator.pick(Command.Cascade.allCases))
    case 25: return .setAlphabet(generator.pick([[], ["x"], ["b", "a"], [""]]))
    case 26: return .setSymbols(transition: transition(), generator.pick(["", "a, ε", "0…3"]))
    case 27: return .removeSymbol(transition: transition(), generator.pick(["a", "0"]))
    case 28: return .move([state(), state(), transition()], by: place())
    case 29: return .arrange([state(), state(), state()], generator.pick(Arrangement.allCases))
    case 30: return .insert(document.part([state(), state(), transition()]), by: place())
    case 31: return .convertInk(generator.index(below: 4), generator.pick(DrawnClass.allCases))
    case 32: return .deleteInk(generator.index(below: 12))
    default: return .erase(arrow(place(), place()), generator.pick(Command.Cascade.allCases))
    }
  }

  /// A document with squares that are not read yet.
  private func unread() -> Document {
    var document = Document(id: "test")
    document.ink = (0..<6).map { index in
      Stroke(
        through: (0...4).map {
          Vector(200 * Double(index), 700) + Vector(angle: Double($0) * .pi / 2, length: 60)
        })
    }
    return document
  }

  @Test(arguments: Array(UInt64(1)...12)) func whateverIsDoneCanBeUndone(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var editor = Editor(unread(), ids: CountingIDs())
    var history = [editor.document]
    for _ in 0..<150 {
      if generator.chance(0.02) {
        // Saved, closed and opened again, with ids from the beginning.
        let saved = DocumentFile.write(editor.document)
        editor = Editor(try DocumentFile.read(saved, name: "file"), ids: CountingIDs())
        #expect(editor.document == history.last)
        history = [editor.document]
      }
      let command = randomCommand(editor.document, using: &generator)
      do {
        try editor.perform(command)
        history.append(editor.document)
        // Nothing that is stored is no number.
        let svg = editor.document.svg
        #expect(!svg.contains("nan") && !svg.contains("inf"))
      } catch {
        #expect(editor.document == history.last)
      }
      let document = editor.document
      // Nothing that is stored refers to nothing.
      let known = Set(document.states.map(\.id))
      for transition in document.transitions {
        #expect([transition.start, transition.end].allSatisfy { $0.map(known.contains) ?? true })
      }
      #expect(document.automaton.states.count == document.states.count)
    }
    // What is saved is what is loaded.
    #expect(!editor.document.states.isEmpty)
    let saved = DocumentFile.write(editor.document)
    #expect(try DocumentFile.read(saved, name: "file") == editor.document)
    for document in history.reversed().dropFirst() {
      let isUndone = editor.undo()
      #expect(isUndone)
      #expect(editor.document == document)
    }
    #expect(!editor.canUndo)
    for document in history.dropFirst() {
      let isRedone = editor.redo()
      #expect(isRedone)
      #expect(editor.document == document)
    }
  }

  @Test(arguments: [UInt64(3), 4]) func theSameCommandsGiveTheSameDocument(seed: UInt64) {
    func document() -> Document {
      var generator = SeededGenerator(seed: seed)
      var editor = editor()
      for _ in 0..<100 {
        let command = randomCommand(editor.document, using: &generator)
        try? editor.perform(command)
      }
      return editor.document
    }
    #expect(document() == document())
  }
}
