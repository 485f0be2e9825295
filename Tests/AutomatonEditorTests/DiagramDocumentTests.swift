import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDiagram
import InkRecognizer
import Testing

/// Documents of whole drawings.
@Suite(.timeLimit(.minutes(30))) struct DiagramDocumentTests {
  /// Two states, an arrow bowed upwards with ε, a self-loop at the right, an initial arrow, a remark.
  private var drawn: (diagram: Diagram, drawing: Drawing) {
    let bow = (0...20).map { step in
      let share = Double(step) / 20
      return Vector(150 + 200 * share, 100 - 160 * share * (1 - share))
    }
    let loop = (0...20).map { step in
      Vector(450, 100) + Vector(angle: -2.5 + 5 * Double(step) / 20, length: 40)
    }
    var diagram = Diagram(
      states: [
        .init(id: "s0", name: "p", initial: true, center: Vector(100, 100), radius: 50),
        .init(id: "s1", name: "q", final: true, center: Vector(400, 100), radius: 50),
      ],
      transitions: [
        .init(from: "s0", to: "s1", symbols: ["a", "ε"]),
        .init(from: "s1", to: "s1", symbols: ["b"]),
      ],
      strokes: [.init(.state, element: "s0"), .init(.text), .init(.other)])
    diagram.states[0].marker = [Vector(0, 100), Vector(48, 100)]
    diagram.transitions[0].path = bow
    diagram.transitions[1].path = loop
    let strokes = (0..<3).map { number in
      Stroke([Point(Double(number), 1), Point(Double(number) + 0.5, 2)])
    }
    return (diagram, Drawing(strokes))
  }

  @Test func aDrawingBecomesADocumentAsItWasDrawn() throws {
    let (diagram, drawing) = drawn
    let document = try Document(diagram, drawing: drawing, id: "d")
    #expect(document.states.map(\.name) == ["p", "q"])
    #expect(document.states.map(\.isFinal) == [false, true])
    #expect(document.isInitial("s0") && !document.isInitial("s1"))
    #expect(document.automaton.accepts(["a", "b"]) && document.automaton.accepts(["b"]))
    #expect(!document.automaton.accepts(["b", "a"]))
    guard case .regular(_, let tip, let flex) = document.transitions[0].shape,
      case .loop(let angle, _) = document.transitions[1].shape
    else {
      Issue.record("other shapes")
      return
    }
    #expect(flex.y < 70 && abs(flex.x - 250) < 10)
    #expect(abs(tip.distance(to: Vector(400, 100)) - 50) < 1)
    // The self-loop is at the right: a quarter turn back from the bottom.
    #expect(abs((angle + .pi / 2).remainder(dividingBy: 2 * .pi)) < 0.2)
  }

  /// A state that was missed comes with its arrows; an arrow that was drawn there already is tied to it.
  @Test func aMissedStateIsAddedWithItsArrows() throws {
    let (diagram, drawing) = drawn
    var first = diagram
    first.states.removeLast()
    first.transitions = []
    var document = try Document(first, drawing: drawing, id: "d")
    // The stroke of the loop was ink, and the arrow has free ends and another symbol.
    #expect(document.ink == Array(drawing.strokes[1...]))
    var ids = CountingIDs()
    document = try document.applying(
      .insert(try Document(diagram, drawing: drawing, id: "e").part(["t0"]), by: Vector(0, 0)),
      ids: &ids)
    let free = try #require(document.transitions.last)
    document = try document.applying(.setSymbols(transition: free.id, "c"), ids: &ids)
    #expect(free.start == nil && free.end == nil)
    var session = SketchSession(Editor(document, ids: ids), recognizer: NoRecognizer())
    var read = diagram
    read.strokes[2] = .init(.transition, element: "t1")
    read.uncertain = [
      .init(element: "s1", property: .name, value: "q", probability: 0.6, alternatives: []),
      .init(element: "s0", property: .name, value: "p", probability: 0.6, alternatives: []),
    ]
    try session.add(missed: "s1", of: read, in: drawing)
    let after = session.editor.document
    #expect(after.states.map(\.name) == ["p", "q"])
    let added = try #require(after.states.last)
    #expect(added.id != "s1" && added.isFinal && document.state(added.id) == nil)
    let arrows = after.transitions.filter { !$0.isInitialMarker }
    #expect(arrows.count == 2)
    #expect(arrows.contains { $0.start == "s0" && $0.end == added.id && $0.symbols == ["c"] })
    #expect(arrows.contains { $0.id == free.id })
    #expect(arrows.contains { $0.isLoop && $0.start == added.id && $0.symbols == ["b"] })
    #expect(after.ink == [drawing.strokes[1]])
    // What is open about it is asked, and nothing about what was there.
    #expect(session.uncertain.map(\.element) == [added.id])
    session.undo()
    #expect(session.editor.document == document)
    // Without symbols, it gets those that were read.
    let bare = try document.applying(.setSymbols(transition: free.id, ""), ids: &ids)
    var other = SketchSession(Editor(bare, ids: ids), recognizer: NoRecognizer())
    try other.add(missed: "s1", of: read, in: drawing)
    #expect(other.editor.document.transition(free.id)?.symbols == ["a"])
    #expect(other.editor.document.transition(free.id)?.includesEpsilon == true)
    let machine = try document.applying(.setKind(.moore), ids: &ids)
    other = SketchSession(Editor(machine, ids: ids), recognizer: NoRecognizer())
    #expect(throws: Refusal.onlyFiniteAutomata(.moore)) {
      try other.add(missed: "s1", of: read, in: drawing)
    }
    // There is a state already, or none in the diagram.
    #expect(throws: Refusal.nothingToDo) { try session.add(missed: "s0", of: read, in: drawing) }
    #expect(throws: Refusal.noSuchElement("s7")) {
      try session.add(missed: "s7", of: read, in: drawing)
    }
  }

  private struct NoRecognizer: DrawingRecognizer {
    func recognition(of drawing: Drawing) -> Recognition? { nil }
  }

  /// Diagrams that no recogniser returns, with what the error has to name.
  @Test func diagramsThatDrawNothingAreRefused() throws {
    func state(_ id: String, x: Double = 0, radius: Double = 50) -> Diagram.State {
      .init(id: id, center: Vector(x, 0), radius: radius)
    }
    let wrong: [(Diagram, String)] = [
      (Diagram(states: [state("s"), state("s")], transitions: [], strokes: []), "a unique id"),
      (Diagram(states: [state("s", x: .nan)], transitions: [], strokes: []), "`s`"),
      (Diagram(states: [state("s", x: 1e300)], transitions: [], strokes: []), "`s`"),
      (Diagram(states: [state("s", radius: 0)], transitions: [], strokes: []), "radius"),
      (
        Diagram(states: [state("s")], transitions: [.init(from: "s", to: "t")], strokes: []),
        "a state `t`, found none"
      ),
    ]
    for (diagram, problem) in wrong {
      #expect {
        try Document(diagram, drawing: Drawing([]), id: "d")
      } throws: {
        $0 is AutomatonError && $0.localizedDescription.contains(problem)
      }
    }
    // A centre of one number cannot be expressed, and is refused in JSON.
    let json = #"""
      {"automaton": {"states": [{"id": "s", "name": "", "initial": false, "final": false, "center": [1],
      "radius": 2}], "transitions": []}}
      """#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Diagram.self, from: Data(json.utf8))
    }
  }

  /// Opposite straight arrows bend to the sides on which they were drawn: by default, each to its left.
  @Test(arguments: [(-20.0, 20.0), (20, -20), (20, 30)])
  func oppositeArrowsAreApart(there: Double, back: Double) throws {
    var diagram = drawn.diagram
    diagram.transitions = [.init(from: "s0", to: "s1"), .init(from: "s1", to: "s0")]
    diagram.transitions[0].path = (0...20).map { Vector(150 + 10 * Double($0), 100 + there) }
    diagram.transitions[1].path = (0...20).map { Vector(350 - 10 * Double($0), 100 + back) }
    let document = try Document(diagram, drawing: Drawing([]), id: "d")
    let flexes = document.transitions.prefix(2).compactMap { transition -> Double? in
      guard case .regular(_, _, let flex) = transition.shape else { return nil }
      return flex.y - 100
    }
    try #require(flexes.count == 2)
    // From left to right, left is up.
    let isThereBelow = there > 0 && back < 0
    #expect(flexes[0] * flexes[1] < 0 && abs(flexes[0] - flexes[1]) > 30)
    #expect((flexes[0] > 0) == isThereBelow)
  }

  @Test func otherStrokesStayAsInkInTheFile() throws {
    let (diagram, drawing) = drawn
    let document = try Document(diagram, drawing: drawing, id: "d")
    #expect(document.ink == Array(drawing.strokes[1...]))
    let copy = try DocumentFile.read(DocumentFile.write(document), name: "d")
    #expect(copy.ink == document.ink && copy.automaton == document.automaton)
    #expect(document.svg.contains("M1,1 L1.5,2"))
    let broken = Data(
      #"{"automatonStates": {}, "transitions": {}, "ink": [[[1]]]}"#.utf8)
    #expect(throws: (any Error).self) { try DocumentFile.read(broken, name: "x") }
  }
}
