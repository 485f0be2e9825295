import Automata
import Foundation
import Testing

/// Mermaid, TikZ, AT&T's tables and the JSON of other editors.
@Suite(.timeLimit(.minutes(10))) struct OtherFormatTests {
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
      (.att, "", "an empty file"),
      (.att, "0 1 a 0.5\n", "line 1, column 7: expected a transition without a weight"),
      (.att, "0 1 a b 1\n", "at most 4 columns"),
      (.att, "0 1 a\n0 1 a b\n", "line 2, column 1: expected 3 columns"),
      (.exchange, #"{"nodes":[],"links":[{"type":"Link","nodeA":0,"nodeB":1}]}"#, "link 1"),
      (.exchange, #"{"nodes":[{"x":"a","y":1}],"links":[]}"#, "another value at nodes[0].x"),
      (.exchange, #"{"nodes":[],"links":[{"type":"Line"}]}"#, "found `Line`"),
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
  func brokenFilesAreNamed(format: Format, text: String, message: String) {
    #expect {
      try read(format, text)
    } throws: {
      "\($0)".contains(message) && "\($0)".hasPrefix("f")
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
