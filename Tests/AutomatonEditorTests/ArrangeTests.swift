import Automata
import Ink
import Testing

@testable import AutomatonEditor

/// Commands for several elements, and text with indices.
@Suite(.timeLimit(.minutes(30))) struct ArrangeTests {
  /// Three states `q0` to `q2` in a row that is not straight, with transitions between neighbours.
  private func editor() throws -> Editor {
    var editor = Editor(Document(id: "d"), ids: CountingIDs())
    for (x, y) in [(100.0, 100.0), (350, 140), (900, 90)] {
      try editor.perform(.addState(center: Vector(x, y)))
    }
    let ids = editor.document.states.map(\.id)
    try editor.perform(.connect(from: ids[0], to: ids[1]))
    try editor.perform(.connect(from: ids[1], to: ids[2]))
    try editor.perform(.connect(from: ids[2], to: ids[2]))
    try editor.perform(.setInitial(state: ids[0], true))
    return editor
  }

  private func ids(_ editor: Editor) -> [String] { editor.document.states.map(\.id) }

  @Test func statesMoveWithTheirArrowsInOneStep() throws {
    var editor = try editor()
    let before = editor.document
    try editor.perform(.move(Array(ids(editor)[0...1]), by: Vector(10, 200)))
    #expect(editor.document.states[0].center == Vector(110, 300))
    #expect(editor.document.states[2].center == before.states[2].center)
    for transition in editor.document.transitions {
      guard case .regular(let start, let tip, _) = transition.shape else { continue }
      for (end, id) in [(start, transition.start), (tip, transition.end)] {
        guard let state = editor.document.state(id) else { continue }
        #expect(abs(end.distance(to: state.center) - state.radius) < 1e-6)
      }
    }
    editor.undo()
    #expect(editor.document == before)
  }

  @Test(arguments: Arrangement.allCases)
  func statesAreArranged(arrangement: Arrangement) throws {
    var editor = try editor()
    try editor.perform(.resizeState(ids(editor)[0], radius: 90))
    try editor.perform(.arrange(ids(editor), arrangement))
    let states = editor.document.states
    let (xs, ys) = (states.map(\.center.x), states.map(\.center.y))
    switch arrangement {
    case .row: #expect(Set(ys) == [110])
    case .column: #expect(Set(xs) == [450])
    case .spreadAcross: #expect(xs == [100, 500, 900])
    case .spreadDown: #expect(ys.sorted() == [90, 115, 140])
    case .equalRadii: #expect(Set(states.map(\.radius)) == [70])
    case .layers:
      let steps = [xs[1] - xs[0], xs[2] - xs[1]]
      #expect(steps[0] == steps[1] && steps[0] > 0)
      #expect(Set(ys).count == 1)
      let middle: Double = xs.reduce(0, +) / 3
      #expect(abs(middle - 450) < 1e-6, "the middle stays")
    }
    #expect(throws: Refusal.nothingToDo) { try editor.perform(.arrange(ids(editor), arrangement)) }
  }

  @Test func aLooseArrowMovesWithTheSelectionAndStaysLoose() throws {
    var document = Document(id: "d")
    document.states = [.init(id: "a", center: Vector(100, 100), radius: 40)]
    // It begins out of the reach of the state, but within it once the state has moved.
    let shape = Document.Transition.Shape.regular(
      start: Vector(195, 100), tip: Vector(400, 100), flex: Vector(300, 100))
    document.transitions = [.init(id: "t", shape: shape)]
    var editor = Editor(document, ids: CountingIDs())
    try editor.perform(.move(["a", "t"], by: Vector(45, 0)))
    #expect(editor.document.transitions[0].start == nil)
    guard case .regular(let start, _, _) = editor.document.transitions[0].shape else {
      Issue.record("a loop")
      return
    }
    #expect(start == Vector(240, 100))
  }

  @Test func parallelArrowsAndLargeStatesAreLaidOutApart() throws {
    var document = Document(id: "d")
    document.states = [
      .init(id: "a", name: "a", center: Vector(0, 0), radius: 150),
      .init(id: "b", name: "b", center: Vector(10, 0), radius: 150),
    ]
    document.transitions = ["s", "t"].map { id in
      .init(
        id: id, start: "a", end: "b",
        shape: .regular(start: Vector(0, 0), tip: Vector(9, 0), flex: Vector(5, 5)),
        endsFreely: false)
    }
    var editor = Editor(document, ids: CountingIDs())
    try editor.perform(.arrange(["a", "b"], .layers))
    let states = editor.document.states
    #expect(states[0].center.distance(to: states[1].center) > 400)
    let bends = editor.document.transitions.compactMap { transition -> Vector? in
      if case .regular(_, _, let flex) = transition.shape { flex } else { nil }
    }
    #expect(bends.count == 2 && bends[0].distance(to: bends[1]) > 30)
  }

  @Test func copiesAreElementsOfTheirOwn() throws {
    var editor = try editor()
    let part = editor.document.part(Set(ids(editor)[1...2]))
    #expect(part.states.count == 2 && part.transitions.count == 2, "the arrow and the self-loop")
    let written = try DocumentFile.read(DocumentFile.write(part), name: "copy")
    try editor.perform(.insert(written, by: Vector(0, 400)))
    #expect(editor.document.states.count == 5 && editor.document.transitions.count == 6)
    #expect(editor.document.states[3].center == Vector(350, 540))
    let copies = Set(editor.document.states.suffix(2).map(\.id))
    #expect(
      editor.document.transitions.suffix(2).allSatisfy {
        $0.start.map(copies.contains) == true && $0.end.map(copies.contains) == true
      })
    // An arrow that is copied without its states has free ends, and marks no initial state.
    let arrow = editor.document.transitions[0].id
    let alone = editor.document.part([arrow, ids(editor)[1]])
    #expect(alone.transitions.count == 1 && alone.automaton.initialStates.isEmpty)
  }

  @Test func inkBecomesAnElementOrIsDeleted() throws {
    let ring = Stroke(
      through: (0...40).map { Vector(500, 500) + Vector(angle: Double($0) * .pi / 20, length: 60) })
    var document = Document(id: "d")
    document.ink = [Stroke(through: [Vector(0, 0), Vector(9, 9)]), ring]
    var editor = Editor(document, ids: CountingIDs())
    try editor.perform(.convertInk(1, .state))
    #expect(editor.document.states.count == 1 && editor.document.ink.count == 1)
    try editor.perform(.deleteInk(0))
    #expect(editor.document.ink.isEmpty)
    #expect(throws: Refusal.self) { try editor.perform(.deleteInk(0)) }
    #expect(throws: Refusal.self) { try editor.perform(.convertInk(-1, .state)) }
  }

  @Test func symbolsAreReplaced() throws {
    var editor = try editor()
    let id = editor.document.transitions[0].id
    try editor.perform(.addSymbols(transition: id, "x"))
    try editor.perform(.setSymbols(transition: id, #"0…2 \epsilon"#))
    #expect(editor.document.transitions[0].symbols == ["0", "1", "2"])
    #expect(editor.document.transitions[0].includesEpsilon)
    try editor.perform(.setSymbols(transition: id, ""))
    #expect(editor.document.transitions[0].symbols.isEmpty)
    #expect(!editor.document.transitions[0].includesEpsilon)
  }

  @Test(arguments: [
    ("q_0", "q[0]"), ("q_10'", "q[10]′"), ("x_{n+1}y", "x[n+1]y"), (#"\alpha_1"#, "α[1]"),
    ("even_odd", "even_odd"), ("_1", "_1"), ("a_", "a_"), (#"\x{}"#, #"\x{}"#), ("q0", "q0"),
    (#"\Omega, \epsilon"#, "Ω, ε"), ("", ""),
  ])
  func textIsShownAsPeopleReadIt(typed: String, shown: String) {
    let parts = ShownText(typed).parts.map { $0.isIndex ? "[\($0.text)]" : $0.text }
    #expect(parts.joined() == shown)
  }

  @Test func picturesHaveIndicesBelowTheLine() throws {
    var editor = try editor()
    try editor.perform(.rename(state: ids(editor)[0], #"\beta_2"#))
    let svg = editor.document.svg
    #expect(svg.contains(#">β<tspan dy="6" font-size="16.8">2</tspan></text>"#), "\(svg)")
    #expect(editor.document.tikz.contains(#"{$\beta$\textsubscript{2}}"#))
  }
}
