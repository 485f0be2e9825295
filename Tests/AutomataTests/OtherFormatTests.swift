import Automata
import Foundation
import Testing

/// Mermaid, TikZ, AT&T's tables and the JSON of other editors.
@Suite(.timeLimit(.minutes(30))) struct OtherFormatTests {
  private func read(_ format: Format, _ text: String) throws -> PlacedAutomaton {
    try format.read(Data(text.utf8), name: "f")
  }

  private func expectUsual(_ drawn: PlacedAutomaton, _ names: [String] = ["q0", "q1"]) {
    let automaton = drawn.automaton
    #expect(automaton.states.map(\.name) == names && automaton.alphabet == ["a", "b"])
    for (word, isAccepted) in [("a", true), ("", false), ("ab", false), ("bba", true)] {
      #expect(automaton.accepts(word.map { String($0) }) == isAccepted, "\(word)")
    }
  }

  // MARK: Mermaid

  @Test func stateDiagramsAreRead() throws {
    let text = """
      ---
      title: Ends in a
      ---
      stateDiagram-v2
        direction LR
        %% a comment
        state "q0" as s
        t : q1
        [*] --> s
        s --> t : a
        s --> s: b
        t --> t : a;
        t:::odd --> s : b
        t --> [*]
        classDef odd fill:#f00
        note right of s
          s --> u
        end note
      """
    expectUsual(try read(.mermaid, text.replacing("a;", with: "a")))
    expectUsual(try read(.mermaid, "```mermaid\n\(text.replacing("a;", with: "#97;"))\n```\n"))
  }

  @Test func listsInBracketsAndFormulasAreRead() throws {
    let automaton = try read(
      .mermaid, "stateDiagram-v2\n[*] --> s\ns --> t : [a,b]\nt --> t : $$\\epsilon$$\nt --> [*]"
    ).automaton
    #expect(automaton.alphabet == ["a", "b"])
    #expect(automaton.transitions[1].includesEpsilon && automaton.accepts(["b"]))
  }

  @Test func whatMermaidSaysBesidesIsNamed() throws {
    let drawn = try read(
      .mermaid,
      """
      stateDiagram-v2
        [*] --> s : go
        s --> s : a
        note right of s : here
        note left of s
          there
        end note
        s --> [*] : done
      """)
    #expect(
      drawn.remarks == [
        "the label `go` at [*] is left out", "the label `done` at [*] is left out",
        "2 notes are left out",
      ])
  }

  @Test(arguments: [
    ("q\u{1}", ["\0", "\u{1F}b", "#31;"]), (" q0 ", ["a", " ", "b c"]),
  ]) func controlCharactersAndSpacesAreKeptInMermaid(name: String, symbols: [String]) throws {
    let automaton = try Automaton(
      states: [.init("p", name: name, isInitial: true, isFinal: true)],
      transitions: [.init("t", from: "p", to: "p", symbols: symbols)])
    let data = try Format.mermaid.write(PlacedAutomaton(automaton: automaton))
    let again = try Format.mermaid.read(data, name: "m").automaton
    #expect(again.states[0].name == name)
    #expect(Set(again.alphabet) == Set(symbols))
  }

  @Test func ownDiagramsAreReadAgain() throws {
    for seed in UInt64(1)...30 {
      let automaton = randomAutomaton(seed: seed)
      guard automaton.transitions.allSatisfy({ !$0.symbols.isEmpty || $0.includesEpsilon }) else {
        continue
      }
      let data = try Format.mermaid.write(PlacedAutomaton(automaton: automaton))
      let again = try Format.mermaid.read(data, name: "m").automaton
      #expect(again.states.map(\.name) == automaton.states.map(\.name))
      #expect(try again.isEquivalent(to: automaton))
    }
  }

  // MARK: TikZ

  @Test func picturesAreRead() throws {
    let picture = #"""
      \documentclass{article}
      \usetikzlibrary{automata, positioning}
      \begin{document}
      \begin{tikzpicture}[shorten >=1pt, node distance=2cm, on grid, auto]
        \node[state, initial] (q_0) {$q_0$}; % the start
        \node[state, accepting] (q_1) [right=of q_0] {$q_{1}$};
        \path[->]
          (q_0) edge [bend left] node {$a$} (q_1)
                edge [loop above] node[above] {\texttt{b}} ()
          (q_1) edge [bend left] node[swap] {b} (q_0)
                edge ["a", loop right] (q_1);
      \end{tikzpicture}
      \end{document}
      """#
    let drawn = try read(.tikz, picture)
    expectUsual(drawn, ["q₀", "q₁"])
    let (first, second) = (drawn.places["q_0"]!, drawn.places["q_1"]!)
    #expect(first.y == second.y && first.x < second.x)
    let lines = #"""
      \begin{tikzpicture}
        \node[state] (A) at (0,0) {q0};
        \node[state, double] (B) at (3cm, 1) {q1};
        \draw[->] (-1,0) -- (A);
        \draw[->] (A) to[bend left] node[above] {a} (B);
        \draw[->] (B) -- node {b} (A);
        \draw (A) edge[->, loop below] node {b} (A) (B) edge[->, loop above] node {a} (B);
      \end{tikzpicture}
      """#
    expectUsual(try read(.tikz, lines))
    #expect(try read(.tikz, lines).places["B"]!.y < 0)
  }

  /// The initial and final states and the transitions of the statements of a picture, and the remarks.
  private func summary(
    _ statements: String, options: String = "->", before: String = ""
  ) throws -> (text: String, remarks: [String]) {
    let states = #"\node[state, initial] (s) {s}; \node[state, accepting] (t) at (3, 0) {t};"#
    let drawn = try read(
      .tikz,
      "\(before)\n\\begin{tikzpicture}[\(options)]\n\(states)\n\(statements)\n\\end{tikzpicture}")
    let automaton = drawn.automaton
    let arrows = automaton.transitions.map {
      "\($0.start)-\(($0.symbols + ($0.includesEpsilon ? ["ε"] : [])).joined(separator: "|"))-\($0.end)"
    }
    let parts = [automaton.initialStates.joined(), automaton.finalStates.joined()] + arrows
    return (parts.joined(separator: " "), drawn.remarks)
  }

  @Test(
    arguments: [
      (#"\node (c) {note}; \draw (c) -- (t);"#, "s t"),
      (#"\draw (0, 1) -- (t);"#, "s t"),
      (#"\node (c) {}; \draw[->] (c) -- (t);"#, "st t"),
      (#"\node (c) {start}; \draw[->] (c) -- (t);"#, "st t"),
      (#"\draw[->] (0, 1) -- node {start} (t);"#, "st t"),
      (#"\draw[<-] (t) -- ++(1, 0);"#, "st t"),
      (#"\coordinate (c) at (0, 1); \draw[->] (s) -- (c) -- node {x} (t);"#, "s t s-x-t"),
      (#"\draw[->] (s) -- (1, 1) node {x} -- (2, 2) |- (t);"#, "s t s-x-t"),
    ])
  func onlyArrowsFromNothingMarkInitialStates(statements: String, expected: String) throws {
    #expect(try summary(statements, options: "").text == expected)
  }

  @Test func whatIsNoStateIsNamed() throws {
    #expect(
      try summary(#"\node (c) {note}; \draw (c) -- (t);"#, options: "").remarks == [
        "the text `note` is no state and is left out", "a line from no state is left out",
      ])
    #expect(
      try summary(#"\draw[->] (s) node {x} -- (t);"#).remarks == [
        "the text `x` at no arrow is left out"
      ])
    #expect(
      try summary(#"\draw (0, 1) -- (t);"#, options: "").remarks == [
        "a line from no state is left out"
      ])
  }

  @Test(
    arguments: [
      (#"\tikzset{final/.style={accepting}}"#, #"\node[state, final] (u) {};"#, "s tu"),
      (#"\tikzset{my state/.style={state, fill=red}}"#, #"\node[my state] (u) {};"#, "s t"),
      (#"\tikzstyle{final}=[state,accepting]"#, #"\node[final] (u) {};"#, "s tu"),
      ("", #"\tikzstyle{every state}=[fill=red] \node[state] (u) {};"#, "s t"),
      ("", #"\tikzset{every state/.append style={accepting}} \node[state] (u) {};"#, "s tu"),
      (#"\tikzset{a/.style={b}, b/.style={state, initial}}"#, #"\node[a] (u) {};"#, "su t"),
      (#"\tikzset{state/.style={state, draw}}"#, #"\node[state] (u) {};"#, "s t"),
      ("", #"\node[state, accepting right] (u) {};"#, "s tu"),
      ("", #"\node[state, accepting above] (u) {};"#, "s tu"),
      ("", #"\node[state, initial above] (u) {};"#, "su t"),
    ])
  func stylesAreUsed(before: String, statement: String, expected: String) throws {
    let found = try summary("\(statement) \\path (s) edge node {a} (u);", before: before)
    #expect(found.text == "\(expected) s-a-u")
    #expect(found.remarks.isEmpty)
  }

  @Test(
    arguments: [
      (#"\path[<->] (s) edge node {b} (t);"#, "s-b-t t-b-s"),
      (#"\path (s) edge[<->] node {b} (t);"#, "s-b-t t-b-s"),
      (#"\path (s) edge[latex-] node {b} (t);"#, "t-b-s"),
      (#"\path (s) edge[stealth-] node {b} (t);"#, "t-b-s"),
      (#"\draw[{Stealth[length=2mm]}-] (s) to node {b} (t);"#, "t-b-s"),
      (#"\draw[-{Latex[length=3mm, width=2mm]}] (s) to node {b} (t);"#, "s-b-t"),
      (#"\path (s) edge[|->] node {b} (t);"#, "s-b-t"),
      (#"\path (s) edge[<<-|] node {b} (t);"#, "t-b-s"),
      (#"\draw[<-] (s) .. controls (1, 1) and (2, 1) .. (t) node {b};"#, "t-b-s"),
      (#"\tikzset{back/.style={<-}} \path (s) edge[back] node {b} (t);"#, "t-b-s"),
      (#"\tikzset{every edge/.append style={<->}} \path (s) edge node {b} (t);"#, "s-b-t t-b-s"),
      (
        #"\begin{scope}[<-] \path (s) edge node {b} (t); \end{scope} \path (s) edge node {c} (t);"#,
        "t-b-s s-c-t"
      ),
      (#"\path (s) edge[on-grid, bend left=-20] node {b} (t);"#, "s-b-t"),
    ])
  func tipsSayTheDirection(statement: String, expected: String) throws {
    #expect(try summary(statement).text == "s t \(expected)")
  }

  @Test func labelsInTeXAreRead() throws {
    let found = try summary(
      #"""
      \path (s) edge node {$\begin{array}{c}0\\1\end{array}$} (t);
      \path (t) edge node {\shortstack{x\\y}} (s);
      \path (t) edge node {$\{a, b\}$} (t);
      \path (s) edge node {\textcolor{red}{$2, \dots, 4$}} (s);
      """#)
    #expect(found.text == "s t s-0|1-t t-x|y-s t-a|b-t s-2|3|4-s")
  }

  // MARK: AT&T

  @Test func tablesOfATTAreRead() throws {
    let text = "0 1 a\n0 0 b\n1 1 a\n1 0 b\n1\n"
    expectUsual(try read(.att, text), ["0", "1"])
    // The content decides in a text file.
    expectUsual(try read(.table, text), ["0", "1"])
    #expect(try read(.att, "0\t1\ta\tx\n1\n").kind == .mealy)
    #expect(try read(.att, "0 1 <eps>\n1\n").automaton.accepts([]))
  }

  // MARK: JSON of other editors

  @Test func filesOfFSMDesignerAreRead() throws {
    let drawn = try read(
      .exchange,
      #"""
      {"nodes": [{"x": 100, "y": 50, "text": "q_0", "isAcceptState": false},
        {"x": 300, "y": 50, "text": "q_1", "isAcceptState": true}],
       "links": [{"type": "StartLink", "node": 0, "text": "", "deltaX": -50, "deltaY": 0},
        {"type": "Link", "nodeA": 0, "nodeB": 1, "text": "a", "lineAngleAdjust": 0, "parallelPart": 0.5,
         "perpendicularPart": 40},
        {"type": "Link", "nodeA": 1, "nodeB": 0, "text": "b", "lineAngleAdjust": 0, "parallelPart": 0.5,
         "perpendicularPart": 0},
        {"type": "SelfLink", "node": 0, "text": "b", "anchorAngle": 1.5707963},
        {"type": "SelfLink", "node": 1, "text": "a", "anchorAngle": -1.5707963}]}
      """#)
    expectUsual(drawn, ["q₀", "q₁"])
    #expect(drawn.places["0"] == .init(x: 100, y: 50))
    let points = drawn.automaton.transitions.map { drawn.controlPoints[$0.id] }
    #expect(points[0] == .init(x: 200, y: 130) && points[1] == nil)
    #expect(points[2]!.y > 100 && points[3]!.y < 0)
  }

  @Test func filesOfAutomatonSimulatorAreRead() throws {
    let dfa = #"""
      {"type":"DFA","dfa":{"transitions":{"q0":{"a":"q1","b":"q0"},"q1":{"a":"q1","b":"q0"}},
       "startState":"q0","acceptStates":["q1"]},
       "states":{"q0":{},"q1":{"isAccept":true,"top":10,"left":200}}}
      """#
    let drawn = try read(.exchange, dfa)
    expectUsual(drawn)
    #expect(drawn.places["q1"] == .init(x: 200, y: 10) && drawn.places.count == 2)
    let nfa = try read(
      .exchange,
      #"{"type":"NFA","nfa":{"transitions":{"s":{"":["t"],"a":["s","t"]}},"startState":"s"},"states":{"s":{},"t":{"isAccept":true}}}"#
    ).automaton
    #expect(nfa.accepts([]) && nfa.accepts(["a", "a"]))
    let pda = try read(
      .exchange,
      ##"{"type":"PDA","pda":{"transitions":{"s":{"a":{"":[{"state":"t","stackPushChar":"#"}]}}},"startState":"s"},"states":{"s":{},"t":{}}}"##
    )
    #expect(pda.kind == .pushdown && pda.automaton.alphabet == ["a, ε → #"])
  }

  @Test func filesOfAutomatariumAreRead() throws {
    let drawn = try read(
      .exchange,
      #"""
      {"projectType":"FSA","config":{"type":"FSA","statePrefix":"q"},"initialState":0,
       "states":[{"id":0,"x":10,"y":20},{"id":1,"x":110,"y":20,"isFinal":true}],
       "transitions":[{"from":0,"to":1,"read":"a"},{"from":0,"to":0,"read":"b"},
        {"from":1,"to":1,"read":"[a-a]"},{"from":1,"to":0,"read":"b"}]}
      """#)
    expectUsual(drawn)
    #expect(drawn.places["1"] == .init(x: 110, y: 20))
    let tape = try read(
      .exchange,
      #"{"projectType":"TM","initialState":0,"states":[{"id":0,"isFinal":true}],"transitions":[{"from":0,"to":0,"read":"a","write":"","direction":"R"}]}"#
    )
    #expect(tape.kind == .turing && tape.automaton.alphabet == ["a → □, R"])
  }

  // MARK: What cannot be read

  @Test(
    arguments: [
      (Format.mermaid, "", "expected `stateDiagram-v2`"),
      (.mermaid, "flowchart LR\nA-->B", "line 1, column 1: expected `stateDiagram-v2`"),
      (.mermaid, "stateDiagram-v2\n  s -> t", "line 2, column 3: expected the id of a state"),
      (.mermaid, "stateDiagram-v2\n  s --> ", "line 2"),
      (
        .mermaid, "stateDiagram-v2\nstate s {\n}", "line 2, column 7: expected states without parts"
      ),
      (.mermaid, "stateDiagram-v2\nstate \"s as t", "a closing quote"),
      (
        .mermaid, "stateDiagram-v2\n  s --> t\n  --\n",
        "line 3, column 3: expected a diagram without parallel parts"
      ),
      (.mermaid, "stateDiagram-v2\n[*] --> [*]", "a state on one side of the arrow"),
      (.tikz, "Hello", "expected `\\begin{tikzpicture}`"),
      (.tikz, "\\begin{tikzpicture}\n\\node[state] (a) {x}", "line 2, column 21: expected `;`"),
      (.tikz, "\\begin{tikzpicture}\\foreach \\x in {1} {}", "expected `\\node`"),
      (
        .tikz, "\\begin{tikzpicture}\\node[state] (a) {};\n\\path (a) edge (b);",
        "line 2, column 16: expected a node of the picture, found `b`"
      ),
      (.tikz, "\\begin{tikzpicture}\\node[state (a) {};", "expected `]` that closes `[`"),
      (.tikz, "\\begin{tikzpicture}\\end{tikzpicture}", "nodes with the option `state`"),
      (.tikz, "\\begin{tikzpicture}\\node[state] (a) {", "expected `}` that closes `{`"),
      (
        .tikz,
        "\\begin{tikzpicture}\\node (a) {x};\\node[state] (b) {};\n\\path (a) edge node {y} (b);",
        "line 2, column 11: expected arrows between states"
      ),
      (
        .tikz,
        "\\begin{tikzpicture}\\node (a) {x};\\node[state] (b) {};\n\\path (b) edge node {y} (a);",
        "the label `y` at the node `a`"
      ),
      (
        .tikz, "\\begin{tikzpicture}\\node[state] (b) {};\n\\draw[->] (0,0) -- node {y} (b);",
        "line 2, column 17: expected an arrow without a symbol"
      ),
      (
        .tikz, "\\begin{tikzpicture}\\draw (0,0) node[state] (b) {};",
        "a state in a statement of its own"
      ),
      (
        .tikz,
        "\\tikzset{a/.style={b,b},b/.style={a,a}}\\begin{tikzpicture}\\node[a] (b) {};",
        "expected styles of at most"
      ),
      (
        .tikz, "\\begin{tikzpicture}\\node[state] (b) {};\n\\path (b) edge node {$\\foo x$} (b);",
        "line 2, column 11: expected a label without the command \\foo"
      ),
      (.att, "", "an empty file"),
      (.att, "0 1 a 0.5\n", "line 1, column 7: expected a transition without a weight"),
      (.att, "0 1 a b 1\n", "at most 4 columns"),
      (.att, "0 1 a\n0 1 a b\n", "line 2, column 1: expected 3 columns"),
      (.exchange, #"{"nodes":[],"links":[{"type":"Link","nodeA":0,"nodeB":1}]}"#, "link 1"),
      (.exchange, #"{"nodes":[{"x":"a","y":1}],"links":[]}"#, "another value at nodes[0].x"),
      (.exchange, #"{"nodes":[],"links":[{"type":"Line"}]}"#, "found `Line`"),
      (
        .exchange, #"{"nodes":[{"x":1,"y":1,"isacceptstate":true}],"links":[]}"#,
        "f, nodes[0]: expected the key `isAcceptState`, found `isacceptstate`"
      ),
      (
        .exchange, #"{"nodes":[{"x":1,"y":1,"txet":"q"}],"links":[]}"#,
        "the key `text`, found `txet`"
      ),
      (
        .exchange,
        #"{"type":"DFA","dfa":{"transitions":{},"acceptState":[]},"states":{"a":{}}}"#,
        "f, dfa: expected the key `acceptStates`"
      ),
      (
        .exchange, #"{"type":"DFA","dfa":{"transitions":{}},"states":{"a":{"is_accept":true}}}"#,
        "f, states.a: expected the key `isAccept`"
      ),
      (
        .exchange,
        #"{"initialState":0,"states":[{"id":0,"isfinal":true}],"transitions":[]}"#,
        "f, states[0]: expected the key `isFinal`"
      ),
      (
        .exchange,
        #"{"type":"DFA","dfa":{"transitions":{"a":{"x":"b"}},"startState":"a"},"states":{"a":{}}}"#,
        "expected a state `b`"
      ),
      (
        .exchange, #"{"projectType":"XX","states":[],"transitions":[]}"#, "expected FSA, PDA or TM"
      ),
      (
        .exchange,
        #"{"projectType":"FSA","states":[{"id":0}],"transitions":[{"from":0,"to":0,"read":"!a"}]}"#,
        "transition 1: expected symbols"
      ),
    ] as [(Format, String, String)])
  func malformedFilesAreNamed(format: Format, text: String, message: String) {
    #expect {
      try read(format, text)
    } throws: {
      "\($0)".contains(message) && "\($0)".hasPrefix("f")
    }
  }

  @Test func keysOfTheProgramsAreNoMistakes() throws {
    for text in [
      #"{"nodes":[{"x":1,"y":2,"text":"q"}],"links":[{"type":"StartLink","node":0,"deltaX":-5,"weight":3}],"zoom":1}"#,
      #"{"type":"DFA","dfa":{"transitions":{},"startState":"a"},"states":{"a":{}},"transitions":[],"bulkTests":{}}"#,
      #"{"_id":"x","projectType":"FSA","initialState":0,"states":[{"id":0,"label":"L"}],"transitions":[],"simResult":[],"meta":{"name":"x"}}"#,
    ] {
      #expect(try read(.exchange, text).automaton.states.count == 1)
    }
  }

  @Test func deepTextEndsSoon() throws {
    let deep = String(repeating: "{", count: 200_000) + String(repeating: "}", count: 200_000)
    let drawn = try read(
      .tikz, "\\begin{tikzpicture}\\node[state] (a) {\(deep)};\\end{tikzpicture}")
    #expect(drawn.automaton.states.count == 1)
    #expect(throws: AutomatonError.self) {
      try read(.exchange, #"{"nodes":[],"links":"# + String(repeating: "[", count: 100_000))
    }
  }
}
