import Automata
import Foundation
import Testing

/// Marks the state `a` as initial.
private let start = "i [shape=point]; i -> a;"

/// Graphs of the DOT language as people and other programs write them.
@Suite(.timeLimit(.minutes(30))) struct DOTTests {
  private func read(_ text: String, as kind: KindChoice = .detected) throws -> PlacedAutomaton {
    try Format.dot.read(Data(text.utf8), name: "a.dot", as: kind)
  }

  /// The initial states, the final states and the transitions in one line.
  private func summary(_ drawn: PlacedAutomaton) -> String {
    let automaton = drawn.automaton
    let names = Dictionary(uniqueKeysWithValues: automaton.states.map { ($0.id, $0.name) })
    func list(_ ids: [String]) -> String { ids.map { names[$0]! }.joined(separator: ",") }
    let arrows = automaton.transitions.map { arrow in
      let symbols = arrow.symbols + (arrow.includesEpsilon ? ["ε"] : [])
      return "\(names[arrow.start]!)-\(symbols.joined(separator: "|"))-\(names[arrow.end]!)"
    }
    return "\(list(automaton.initialStates)) \(list(automaton.finalStates)) "
      + arrows.joined(separator: " ")
  }

  @Test(
    arguments: [
      // The language.
      (
        "strict digraph g { /* c */ a -> b -> c [label=x]; a -> b [label=y] # d\n \(start) }",
        "a  a-y-b b-x-c"
      ),
      (
        "digraph { \(start) a -> {b c} [label=x]; {b c} -> d:n:ne [label=y] }",
        "a  a-x-b a-x-c b-y-d c-y-d"
      ),
      (
        "digraph { \(start) subgraph cluster { node [peripheries=2]; b } a->b [label=x]; a -> c }",
        "a b a-x-b a--c"
      ),
      (
        "digraph { \(start) edge [label=x]; a -> b; subgraph { edge [label=y]; b -> c } c -> a }",
        "a  a-x-b b-y-c c-x-a"
      ),
      ("digraph { \(start) subgraph s { b; c } subgraph s -> a [label=x] }", "a  b-x-a c-x-a"),
      (#"digraph { \#(start) a -> b [label="x"+",y"]; a -> b [xlabel="z"] }"#, "a  a-x|y|z-b"),
      (#"digraph { \#(start) a -> b [label="p\lq\rs\nt"] }"#, "a  a-p|q|s|t-b"),
      (
        #"digraph { \#(start) a -> b [label="\\n, \\t"]; b -> b [label="\""] }"#,
        #"a  a-\n|\t-b b-"-b"#
      ),
      ("digraph { \(start) a -> b [label=\"x\\\ny\"] }", "a  a-xy-b"),
      (
        #"digraph { \#(start) a -> b [label="&lt;, &amp;, &#955;, &#x3B5;, &eacute;"] }"#,
        "a  a-<|&|λ|é|ε-b"
      ),
      (
        "digraph { \(start) a [label=<q<SUB>10</SUB>>]; b [label=<p<sup>2</sup><BR/><B>x</B>>] }",
        "q₁₀  "
      ),
      ("digraph { \(start) a -> b [label=<0<br/><i>1</i>>] }", "a  a-0|1-b"),
      (
        #"digraph { \#(start) a [label="<f0> q|{0|1}", shape=record]; b [label="\N\N"]; a:f0 -> b }"#,
        "q|0|1  q|0|1--bb"
      ),
      ("digraph { \(start) a -> b [label=x, dir=back]; a -> c [style=invis] }", "a  b-x-a"),
      (
        "digraph { \(start) a -> b [label=epsilon]; a -> c [label=\"λ\"]; b -> c [label=\"\\\\e\"] }",
        "a  a-ε-b a-λ-c b-ε-c"
      ),
      ("digraph { \(start) a -> b [label=\"[a-cx]\"] }", "a  a-a|b|c|x-b"),
      (
        "digraph { \(start) a -> b [label=\"0 1\"]; a -> c [label=\"push button\"] }",
        "a  a-0|1-b a-push button-c"
      ),
      (
        "digraph { \(start) a -> b [headlabel=x]; b -> a [taillabel=y]; b -> b [label=z, headlabel=w] }",
        "a  a-x-b b-y-a b-z-b"
      ),
      (
        #"digraph { \#(start) a -> b [label="{x,y}"]; b -> b [label="[p, r-t]"] }"#,
        "a  a-x|y-b b-p|r|s|t-b"
      ),
      (
        #"digraph { \#(start) a -> b [label="$x$, $y_1$"]; b -> b [label="$$\\epsilon, z$$"] }"#,
        "a  a-x|y₁-b b-z|ε-b"
      ),
      (
        #"digraph { \#(start) a -> b [label="1|0"]; b -> b [label="x | y, z"] }"#,
        "a  a-1|0-b b-x|y|z-b"
      ),
      (
        #"digraph { \#(start) a -> b [label="0,1,…,3"]; b -> b [label="x, ..., z"]; b -> a [label="$1, \\dots, 3$"] }"#,
        "a  a-0|1|2|3-b b-x|y|z-b b-1|2|3-a"
      ),
      (
        #"digraph { \#(start) a -> b [label="$"]; b -> b [label="{, }, |, (, ."] }"#,
        "a  a-$-b b-{|}|||(|.-b"
      ),
      // Initial and final states.
      (
        "digraph { i [style=invis]; i -> a; b [shape=doubleoctagon]; a -> b [label=0] }",
        "a b a-0-b"
      ),
      (
        "digraph { begin [shape=plaintext]; begin -> a; b [peripheries=2]; a -> b [label=0] }",
        "a b a-0-b"
      ),
      ("digraph { \"\" [shape=none]; \"\" -> a [label=start]; a -> b [label=0] }", "a  a-0-b"),
      ("digraph { s [label=\"\"]; s -> a; a -> b [label=0] }", "a  a-0-b"),
      ("digraph { {node [shape=point] I F} I -> a; a -> b [label=0]; b -> F }", "a b a-0-b"),
      (
        "digraph { a [is_start=True]; b [is_final=True, peripheries=1]; a -> b [label=0] }",
        "a b a-0-b"
      ),
      (
        "digraph { a [initial=true, shape=doublecircle, peripheries=1]; a -> b [label=0] }",
        "a  a-0-b"
      ),
      ("digraph { root=a; a -> b [label=0]; b [accepting=true] }", "a b a-0-b"),
      ("digraph { a [style=bold]; a -> b [label=0]; b [style=solid] }", "a  a-0-b"),
      ("digraph { node [shape=plaintext]; a -> b [label=0]; b -> a [label=1] }", "  a-0-b b-1-a"),
    ] as [(String, String)])
  func theLanguageIsReadAsGraphvizDoes(text: String, expected: String) throws {
    #expect(summary(try read(text)) == expected)
  }

  @Test(
    arguments: [
      ("digraph {\n a -- b }", "line 2, column 4: expected `->`"),
      ("graph { a -- b }", "line 1, column 1: expected `digraph`"),
      ("digraph { a [label=<x<SUB>0>] }", "line 1, column 11: expected a label in HTML"),
      ("digraph { a [label=<x] }", "line 1, column 20: expected `>`"),
      ("digraph { a [label=<<foo>0</foo>>] }", "a tag of Graphviz, found `<foo>`"),
      ("digraph { /* a }", "line 1, column 11: expected `*/`"),
      ("digraph { a: -> b }", "a port after `:`"),
      ("digraph { 1a -> b }", "column 11: expected a number"),
      ("digraph { node }", "expected `[` after `node`"),
      ("digraph { \"a\" + b }", "a quoted text after `+`"),
      ("digraph { subgraph x -> b }", "expected `{` after `subgraph`"),
      ("digraph {\n\(start) a -> b [label=\"[^x]\"] }", "line 2, column 26: expected symbols"),
      ("digraph { a -> b [label=\"p & !q\"] }", "expected symbols, separated by commas"),
      ("digraph { a -> b [dir=none] }", "edges with a direction"),
      ("digraph {\n\(start) a -> b [label=\"(x, y)\"] }", "line 2, column 26: expected symbols"),
      ("digraph { a -> b [label=\"1, ..., zz\"] }", "expected … between two digits or letters"),
      ("digraph { a -> b [label=\"$\\\\foo x$\"] }", "without TeX's command \\foo"),
      (
        "digraph { i [shape=point]; i -> a [headlabel=x] }",
        "which marks an initial state, found `x`"
      ),
      ("digraph { i [shape=point]; i -> a [label=x] }", "which marks an initial state"),
      ("digraph { j [shape=point]; a -> j -> b }", "expected edges between states"),
      ("digraph { \(start) a -> b [label=\"x/y\"]; b [shape=doublecircle] }", "--kind"),
      ("digraph " + String(repeating: "{", count: 100_000), "at most 100 nested subgraphs"),
      (
        "digraph { a [label=<" + String(repeating: "<b>", count: 50_000)
          + String(repeating: "</b>", count: 50_000) + ">] }", "at most 100 nested tags"
      ),
      (
        "digraph { {\((0..<2000).map { "a\($0)" }.joined(separator: " "))} -> "
          + "{\((0..<2000).map { "b\($0)" }.joined(separator: " "))} }", "at most 1000000 edges"
      ),
      (
        "digraph { subgraph s {\((0..<2000).map { "a\($0)" }.joined(separator: " "))} {"
          + String(repeating: "subgraph s ", count: 2000) + "} }", "nodes in all subgraphs"
      ),
    ] as [(String, String)])
  func whatCannotBeReadIsNamedWithItsPlace(text: String, message: String) {
    #expect {
      try read(text)
    } throws: {
      "\($0)".contains(message) && "\($0)".hasPrefix("a.dot, line ")
    }
  }

  @Test func whatIsGuessedIsSaid() throws {
    func remarks(_ statements: String) throws -> [String] {
      try read("digraph { \(statements) }").remarks
    }
    #expect(
      try remarks("\(start) a -> b [label=\"0-9, a..c\"]; b -> b [label=\"a; b\"]") == [
        "one symbol each: `0-9`, `a..c`, `a; b` (write a range as [0-9], and several symbols as a, b)"
      ])
    #expect(
      try remarks("\(start) a -> b [label=\"1|0\"]") == [
        "| between symbols is read as “or”: `1|0`"
      ])
    #expect(
      try remarks("\(start) a; b [shape=double_circle]; c [shape=double_circle]; d [shape=box]")
        == [
          "Graphviz has no shape `double_circle`, and draws a box; did you mean `doublecircle`?"
        ])
    #expect(
      try remarks("a [style=bold]; a -> b [label=0]") == [
        "no arrow marks an initial state; `a` is taken as one, because no other has style=bold"
      ])
    #expect(try remarks("\(start) a -> b [label=\"0, x1, [a-c], \\\\|, 'a'\"]").isEmpty)
  }

  @Test func positionsAndCurvesAreKept() throws {
    let drawn = try read(
      """
      digraph { graph [bb="0,0,200,100"]; i [shape=point, pos="10,50"]; i -> a;
        a [pos="50,50"]; b [pos="150,70!"];
        a -> b [label=x, pos="e,122,50 72,50 88,90 110,90 122,50"];
        b -> a [label=x, pos="e,1,1 150,70 117,63 83,57 50,50"];
        b -> b [label=y, pos="e,1,1 150,90 140,120 160,120 150,90"] }
      """)
    #expect(drawn.places["a"] == .init(x: 50, y: -50) && drawn.places["b"] == .init(x: 150, y: -70))
    let points = drawn.automaton.transitions.map { drawn.controlPoints[$0.id] }
    // A straight line needs no control point; y is downwards.
    #expect(points[0]!.y < -90 && points[1] == nil && points[2]!.y < -100)
  }

  @Test(
    arguments: [
      (
        #"s0 [label="s0|x" shape=record]; s1 [label="s1|y" shape=record]; s0 -> s1 [label=a]"#,
        "moore"
      ),
      (
        #"s0 [label="{ s0 | x }" shape=record]; s1 [label="{s1|y}" shape=Mrecord]; s0 -> s1 [label=a]"#,
        "moore"
      ),
      (#"s0 [label="s0/x"]; s1 [label="s1/y"]; s0 -> s1 [label=a]"#, "moore"),
      (#"s0 -> s1 [label="a / x"]; s1 -> s0 [label="a/y, b/x"]"#, "mealy"),
      (#"s0 -> s1 [label="a → b, R"]; s1 [shape=doublecircle]"#, "turing"),
      (#"s0 -> s1 [label="a, Z → XZ"]; s1 [shape=doublecircle]"#, "pushdown"),
    ] as [(String, String)])
  func machinesAreDetectedAndWritten(edges: String, kind: String) throws {
    let drawn = try read("digraph { i [shape=none label=\"\"]; i -> s0; \(edges) }")
    #expect(drawn.kind?.rawValue == kind)
    let machine = try Machine(drawn.automaton, kind: drawn.kind!)
    let again = try Format.dot.read(try Format.dot.write(drawn), name: "again.dot")
    #expect(again.kind == drawn.kind)
    #expect(try Machine(again.automaton, kind: drawn.kind!) == machine)
    if kind == "moore" { #expect(machine.outputs == ["s0": "x", "s1": "y"]) }
  }

  @Test func aPersonSaysWhatLabelsAre() throws {
    let text = "digraph { \(start) a -> b [label=\"0/1\"]; b [shape=doublecircle] }"
    #expect(try read(text, as: .machine(.mealy)).automaton.alphabet == ["0/1"])
    #expect(try read(text, as: .machine(.mealy)).kind == .mealy)
    #expect(try read(text, as: .finite).kind == nil)
    // What was written as a symbol is one again.
    let written = try Format.dot.write(try read(text, as: .finite))
    let again = try Format.dot.read(written, name: "again.dot")
    #expect(again.kind == nil && again.automaton.alphabet == ["0/1"])
    #expect {
      try read(text, as: .machine(.turing))
    } throws: {
      "\($0)".contains("line 1, column 36: expected rules of a Turing machine")
    }
  }

  @Test func symbolsWithAMeaningAreWrittenSoThatTheyKeepIt() throws {
    let symbols = [
      "ε", "λ", "epsilon", "lambda", "\\e", "\\n", "&lt;", "&", "[a-c]", "a b", "\"x\"", "'", "→",
      "/",
      "a/b", "a->b", "a;b", ",", "\\", "\n", "eps", "\\\\", "{a}", "$", "$a$", "…", "...", "1|0",
      "(a",
      "{", "|", "\\dots", "[a,b]",
    ]
    for symbol in symbols {
      let automaton = try Automaton(
        states: [.init("p", name: "", isInitial: true), .init("q", name: "&amp;", isFinal: true)],
        transitions: [
          .init("t", from: "p", to: "q", symbols: [symbol, "x"]), .init("u", from: "q", to: "p"),
        ])
      let data = try Format.dot.write(PlacedAutomaton(automaton: automaton))
      let read = try Format.dot.read(data, name: "x.dot").automaton
      #expect(read.transitions.first?.symbols == [symbol, "x"], "\(symbol.debugDescription)")
      #expect(read.states == automaton.states && read.transitions.count == 2)
    }
  }

  @Test func textsBesideTheGraphAreNamed() throws {
    let drawn = try read("digraph { \(start) note [shape=plaintext]; a -> a [label=\"λ\"] }")
    #expect(drawn.automaton.states.map(\.id) == ["a"])
    #expect(drawn.remarks == ["the text `note` is no state and is left out", "λ is read as ε"])
  }
}
