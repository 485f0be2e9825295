import Automata
import AutomatonEditor
import Foundation
import Ink
import Testing

/// What is drawn where of automata whose states have positions.
@Suite(.timeLimit(.minutes(30))) struct PlacedLayoutTests {
  /// The transitions of a document that have a control point in the file.
  private func given(_ drawn: PlacedAutomaton, _ document: Document) -> Set<String> {
    let bent = drawn.automaton.transitions.filter { drawn.controlPoints[$0.id] != nil }
    return Set(
      document.transitions.filter { transition in
        bent.contains { $0.start == transition.start && $0.end == transition.end }
      }.map(\.id))
  }

  private func expectNothingCovered(
    _ document: Document, given: Set<String> = [], _ comment: Comment
  ) {
    let drawn = DrawnDocument(document, given: given)
    #expect(drawn.arrowsThroughStates == [], comment)
    #expect(drawn.arrowsOnEachOther == [], comment)
    #expect(drawn.crowdedSides == [], comment)
    #expect(drawn.coveredLabels == [], comment)
  }

  @Test(arguments: PlacedDrawing.allCases, [false, true])
  func nothingIsDrawnOnAnythingElse(drawing: PlacedDrawing, controls: Bool) throws {
    for seed in UInt64(0)..<16 {
      let drawn = try drawing.automaton(seed: seed, controls: controls)
      let document = Document(drawn, id: "d")
      expectNothingCovered(document, given: given(drawn, document), "\(drawing), seed \(seed)")
      #expect(document == Document(drawn, id: "d"))
    }
  }

  @Test(arguments: UInt64(0)..<16) func anAutomaticLayoutCoversNothingEither(seed: UInt64) throws {
    let drawn = try PlacedDrawing.grid.automaton(seed: seed, controls: false)
    let document = Document(PlacedAutomaton(automaton: drawn.automaton), id: "d")
    expectNothingCovered(document, "seed \(seed)")
  }

  @Test(arguments: PlacedDrawing.allCases) func curvesOfAFileAreFollowed(drawing: PlacedDrawing)
    throws
  {
    for seed in UInt64(0)..<16 {
      let drawn = try drawing.automaton(seed: seed, controls: true)
      let document = Document(drawn, id: "d")
      for transition in drawn.automaton.transitions where drawn.controlPoints[transition.id] != nil
      {
        // Without the other transitions, nothing is in its way.
        var alone = drawn
        alone.automaton = try Automaton(
          states: drawn.automaton.states, transitions: [transition])
        let shape = try #require(Document(alone, id: "d").transitions.first).shape
        #expect(
          document.transitions.first { $0.start == transition.start && $0.end == transition.end }?
            .shape == shape)
      }
    }
  }

  // MARK: States in a row

  /// A file of JFLAP with states in a row; transitions are `from to symbol`, and further `x y` of a control
  /// point.
  private func row(_ count: Int, initial: Int = 0, _ transitions: [String]) throws -> Document {
    let states = (0..<count).map {
      "<state id=\"\($0)\" name=\"s\($0)\"><x>\(60 + 100 * $0)</x><y>100</y>"
        + ($0 == initial ? "<initial/>" : "") + "</state>"
    }
    let lines = transitions.map { line -> String in
      let parts = line.split(separator: " ")
      return "<transition><from>\(parts[0])</from><to>\(parts[1])</to><read>\(parts[2])</read>"
        + (parts.count > 3
          ? "<controlx>\(parts[3])</controlx><controly>\(parts[4])</controly>" : "")
        + "</transition>"
    }
    let file =
      "<structure><type>fa</type><automaton>" + (states + lines).joined()
      + "</automaton></structure>"
    return Document(try Format.jflap.read(Data(file.utf8), name: "row.jff"), id: "row")
  }

  private func transition(
    _ document: Document, _ start: String?, _ end: String
  ) throws -> Document.Transition {
    try #require(document.transitions.first { $0.start == start && $0.end == end })
  }

  @Test func selfLoopsInARowPointUp() throws {
    let document = try row(4, ["0 1 x", "1 2 x", "2 3 x", "0 0 y", "1 1 y", "2 2 y", "3 3 y"])
    for state in ["0", "1", "2", "3"] {
      #expect(
        try transition(document, state, state).shape == .loop(angle: .pi, isMirrored: false))
    }
    expectNothingCovered(document, "a row with self-loops")
    // The arrows and labels stay where they usually are.
    #expect(document.transitions.allSatisfy { $0.labelPlace == nil })
  }

  @Test func theSameRowInGraphviz() throws {
    let text = """
      digraph { a [pos="0,0"]; b [pos="100,0"]; c [pos="200,0"]; i [shape=point]; i -> a;
      a -> b [label=x]; b -> c [label=x]; b -> b [label=y]; c -> c [label=y]; a -> c [label=z] }
      """
    let drawn = try Format.dot.read(Data(text.utf8), name: "row.dot")
    expectNothingCovered(Document(drawn, id: "d"), "a row of Graphviz")
  }

  @Test func anArrowOverAStateBendsWithoutAControlPoint() throws {
    let document = try row(3, ["0 1 x", "1 2 x", "0 2 y", "1 1 z"])
    let appearance = try #require(
      document.appearance(of: try transition(document, "0", "2")))
    #expect(abs(appearance.handle.y - document.states[1].center.y) > document.states[1].radius)
    expectNothingCovered(document, "an arrow over a state")
  }

  @Test func aSelfLoopGoesOutOfTheWayOfACurveOfTheFile() throws {
    let document = try row(3, ["0 1 x", "1 2 x", "0 2 y 160 20", "1 1 z"])
    // A quadratic Bézier curve is half as far from its chord as its control point.
    let appearance = try #require(
      document.appearance(of: try transition(document, "0", "2")))
    let (start, tip) = (appearance.curves[0].start, appearance.curves[1].end)
    #expect(abs(appearance.handle.x - document.states[1].center.x) < 1)
    #expect(abs(appearance.handle.y - (0.25 * start.y + 0.5 * 48 + 0.25 * tip.y)) < 1)
    let middle = try #require(document.state("1")).center
    let loop = try #require(document.appearance(of: try transition(document, "1", "1")))
    #expect(loop.handle.y > middle.y, "up, the curve is too near")
    let curve = try transition(document, "0", "2").id
    expectNothingCovered(document, given: [curve], "a row with a curve")
  }

  @Test func anInitialArrowTakesAFreeSide() throws {
    let document = try row(3, initial: 1, ["0 1 x", "1 2 x", "1 1 y"])
    guard case .regular(let start, let tip, _) = try transition(document, nil, "1").shape else {
      Issue.record("an initial arrow is a line")
      return
    }
    let center = try #require(document.state("1")).center
    #expect(abs(start.y - center.y) > 40 && start.distance(to: tip) > 60)
    expectNothingCovered(document, "an initial state in the middle")
    // From the left, if nothing is there.
    guard case .regular(let usual, _, _) = try transition(try row(2, ["0 1 x"]), nil, "0").shape
    else {
      Issue.record("an initial arrow is a line")
      return
    }
    #expect(usual == document.states[0].center - Vector(document.states[0].radius + 100, 0))
  }

  @Test func aLongLabelLeavesItsStates() throws {
    let symbols = "abcdefgh".map { "0 1 \($0)" }
    let document = try row(2, symbols + ["1 1 z"])
    #expect(try transition(document, "0", "1").labelPlace != nil)
    expectNothingCovered(document, "a long label")
  }

  @Test func largeAutomataAreDrawnWithoutDetours() throws {
    let count = 1000
    let automaton = try Automaton(
      states: (0..<count).map { .init("q\($0)", isInitial: $0 == 0) },
      transitions: (0..<count).map {
        .init("t\($0)", from: "q\($0)", to: "q\(7 * $0 % count)", symbols: ["a"])
      })
    let places = (0..<count).map {
      ("q\($0)", PlacedAutomaton.Place(x: 100 * Double($0 % 40), y: 100 * Double($0 / 40)))
    }
    let document = Document(
      PlacedAutomaton(automaton: automaton, places: Dictionary(uniqueKeysWithValues: places)),
      id: "d")
    #expect(document.transitions.allSatisfy { $0.labelPlace == nil })
  }

  // MARK: Places of labels

  private func labelled() throws -> (editor: Editor, id: String) {
    var document = try row(2, ["0 1 x"])
    let file = String(decoding: DocumentFile.write(document), as: UTF8.self)
    #expect(!file.contains("labelPlace"), "the usual place is not stored")
    let place =
      "\"includesEpsilon\" : false,\n      \"labelPlace\" : {\"along\": 0.3, \"gap\": -20},"
    let id = try transition(document, "0", "1").id
    document = try DocumentFile.read(
      Data(file.replacing("\"includesEpsilon\" : false,", with: place, maxReplacements: 1).utf8),
      name: "a")
    let labelled = try #require(document.transitions.first { $0.labelPlace != nil }?.id)
    #expect(labelled == id)
    return (Editor(document, ids: CountingIDs()), id)
  }

  @Test func aPlaceOfALabelIsStored() throws {
    let (editor, id) = try labelled()
    let transition = try #require(editor.document.transition(id))
    #expect(transition.labelPlace == .init(along: 0.3, gap: -20))
    let file = DocumentFile.write(editor.document)
    #expect(try DocumentFile.read(file, name: "b") == editor.document)
    // On the right of a line to the right is below it, 20 points from the edge of the label.
    let appearance = try #require(editor.document.appearance(of: transition))
    let start = appearance.curves[0].start
    let (along, below) = (appearance.label.x - start.x, appearance.label.y - start.y)
    #expect(abs(along / (appearance.curves[1].end.x - start.x) - 0.3) < 0.05)
    #expect(abs(below - 32) < 1e-6)
  }

  @Test(arguments: ["7", "{\"along\": 2, \"gap\": 1}", "{\"along\": 0.5}"])
  func anotherValueAtItsKeyIsKept(value: String) throws {
    let text = """
      {"automatonStates":{"S":{"center":[0,0],"radius":60}},"transitions":{"T":{"startState":"S",
      "endState":"S","labelPlace":\(value),"type":{"type":"cycle","radians":0.5}}}}
      """
    let document = try DocumentFile.read(Data(text.utf8), name: "a")
    #expect(document.transitions[0].labelPlace == nil)
    #expect(document.transitions[0].extras["labelPlace"] != nil)
    #expect(try DocumentFile.read(DocumentFile.write(document), name: "b") == document)
  }

  @Test func aLabelStaysWhereItIsWhenItsArrowIsFlipped() throws {
    let (start, id) = try labelled()
    var editor = start
    func label() throws -> Vector {
      try #require(editor.document.transition(id).flatMap(editor.document.appearance)).label
    }
    let before = try label()
    try editor.perform(.flip(transition: id))
    #expect(try label().distance(to: before) < 1e-6)
    // A new bend has a usual place.
    try editor.perform(.bend(transition: id, through: Vector(180, 20)))
    #expect(editor.document.transition(id)?.labelPlace == nil)
  }
}
