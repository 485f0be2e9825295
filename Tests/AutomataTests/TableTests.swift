import Automata
import Foundation
import Testing

/// Transition tables and lists as courses, spreadsheets and other programs write them.
@Suite(.timeLimit(.minutes(30))) struct TableTests {
  private func read(_ text: String, as kind: KindChoice = .detected) throws -> PlacedAutomaton {
    try Format.table.read(Data(text.utf8), name: "t", as: kind)
  }

  /// Over a and b: q0 initial, q1 final; a leads to q1, and b to q0.
  private func expectUsual(_ text: String, _ states: [String] = ["q0", "q1"]) throws {
    let automaton = try read(text).automaton
    #expect(automaton.states.map(\.name) == states)
    #expect(automaton.initialStates == [states[0]] && automaton.finalStates == [states[1]])
    #expect(automaton.alphabet == ["a", "b"])
    for (word, isAccepted) in [("a", true), ("", false), ("ab", false), ("bba", true)] {
      #expect(automaton.accepts(word.map { String($0) }) == isAccepted, "\(word)")
    }
  }

  @Test(
    arguments: [
      "state,a,b\n>q0,q1,q0\n*q1,q1,q0\n",
      "δ\ta\tb\n->q0\tq1\tq0\n*q1\tq1\tq0\n",
      "\u{FEFF}state;a;b\r\n→ q0;q1;q0\r\n* q1;q1;q0\r\n",
      "| δ | a | b |\n|---|:-:|---|\n| →q0 | {q1} | q0 |\n| *q1 | q1 | q0 |\n",
      "# Task 1\n\n| | a | b |\n|-|-|-|\n| -> q0 | `q1` | q0 |\n| q1* | q1 | q0 |\n",
      "   a  b\n>q0 q1 q0\n*q1 q1 q0\n",
      "+----+----+----+\n|    | a  | b  |\n+----+----+----+\n| →q0| q1 | q0 |\n|*q1 | q1 | q0 |\n",
      "Q│a│b\n→q0│q1│q0\n*q1│q1│q0\n",
      "start: q0\nF = {q1}\nq,a,b\nq0,q1,q0\nq1,q1,q0\n",
      "\"state\",\"a\",\"b\"\n\">q0\",\"q1\",\"q0\"\n\"F:q1\",\"q1\",\"q0\"\n",
      "state,a,b,final\n>q0,q1,q0,no\nq1,q1,q0,yes\n",
      "from,symbol,to\n>q0,a,*q1\nq0,b,q0\nq1,a,q1\nq1,b,q0\n",
      "to;from;input\nq1;→q0;a\nq0;q0;b\n*q1;q1;a\nq0;q1;b\n",
      "q0 a q1\nq0 b q0\nq1 a q1\nq1 b q0\ninitial: q0\nfinal: q1\n",
    ])
  func tablesOfOthersAreRead(text: String) throws { try expectUsual(text) }

  @Test func namesWithAnIndexInMarkdownAreRead() throws {
    try expectUsual(
      "| δ | $a$ | $b$ |\n|---|---|---|\n| → $q_0$ | $q_1$ | $q_0$ |\n"
        + #"| \* $q_1$ | $\{q_1\}$ | $q_0$ |"# + "\n", ["q₀", "q₁"])
  }

  @Test func setsAndEmptyCellsAreRead() throws {
    let automaton = try read(
      "|     | 0 | 1 | ε |\n|---|---|---|---|\n| →p | {p} | {p, q} | ∅ |\n| *q | - | | p |\n"
    ).automaton
    let ways = automaton.transitions.map {
      "\($0.start)\($0.symbols.joined())\($0.includesEpsilon ? "ε" : "")\($0.end)"
    }
    #expect(ways == ["p01p", "p1q", "qεp"])
    // A state of that name has precedence.
    let sets = try read("state,a\n>{p},\"{p,q}\"\n\"*{p,q}\",{p}\n").automaton
    #expect(sets.states.map(\.name) == ["{p}", "{p,q}"] && sets.accepts(["a"]))
    let unquoted = try read("s,a,b\n>p,{p,q},-\n*q,∅,q\n").automaton
    #expect(unquoted.accepts(["a", "b"]) && !unquoted.accepts(["b"]))
  }

  @Test func outputsMakeMachines() throws {
    let moore = try read("state,a,b,output\n>p,q,p,0\nq,q,p,1\n")
    #expect(moore.kind == .moore && moore.automaton.states.map(\.name) == ["p/0", "q/1"])
    #expect(moore.automaton.alphabet == ["a", "b"])
    let mealy = try read("state,a,b\n>p,q/0,p/1\nq,q/1,p/0\n")
    #expect(mealy.kind == .mealy && mealy.automaton.alphabet == ["a/0", "a/1", "b/0", "b/1"])
    let list = try read("from,input,output,to\n>p,a,x,q\nq,a,y,p\n")
    #expect(list.kind == .mealy && list.automaton.alphabet == ["a/x", "a/y"])
  }

  @Test(
    arguments: [
      ("hello\n", "line 1, column 1: expected a table with columns"),
      ("q0 -a-> q1\nq1 -b-> q0\n", "line 1, column 4: expected a symbol such as `a`, found `-a->`"),
      ("q0 → q1\nq1 → q0\n", "expected a symbol such as `a`, found `→`"),
      ("@DFA\n0 1\n1 0\n", "expected a symbol such as `a`, found `@DFA`"),
      ("start: q0\naccept: q1\n", "found only lines such as `F: q1`"),
      ("Dear all,\nthis is my answer, see below.\n", "line 1"),
      ("HOA: v1\nStates: 2\n", "line 1, column 1: expected a transition table"),
      ("\n<?xml version=\"1.0\"?><a/>", "line 2, column 1"),
      ("[*] --> q0\nq0 --> q1 : a\n", "line 1, column 5: expected a symbol"),
      ("\\begin{tabular}{ll}\na & b\n\\end{tabular}\n", "found LaTeX"),
      ("state,a,b\n>q0,q1\n", "line 2, column 7: expected 3 columns"),
      ("state,a,b\n>q0,q0,q0,q0\n", "line 2, column 11: expected at most 3 columns"),
      ("state,a,b\n>q0,q0,q9\n", "line 2, column 8: expected a line for state `q9`"),
      ("state,a,b\n>q0,q0,q0\n*q0,q0,q0\n", "line 3, column 1: expected one line for each state"),
      ("state,a,\n>q0,q0,q0\n", "line 1, column 9: expected columns for different symbols"),
      ("state,a\n\"q0,q1\n", "line 2, column 1: expected a closing quote"),
      ("final: q7\nstate,a\n>q0,q0\n", "line 1, column 7: expected a line for state `q7`"),
      ("from,symbol,to\nq0,a\n", "line 2, column 5: expected 3 columns"),
      ("state,a\n>q0,q1\nq1 (F),q0\n", "line 3, column 1: expected a name, with → or > before it"),
      ("state,a\n(q0),q0\n", "line 2, column 1: expected a name, with →"),
      ("state,a\nstart q0,q0\n", "found `start q0`"),
      (
        "state,a\n>q0,q1/q0\nq1,q0\n",
        "line 2, column 5: expected several states as {q1,q0}, found `q1/q0`"
      ),
      ("state,a\n>q0,err\n", "line 2, column 5: expected a line for state `err` (a cell without"),
      ("state,a,b\n>q0,q0/x,q0\n", "line 2, column 5: expected a line for state `q0/x`"),
    ] as [(String, String)])
  func otherTextIsRefusedWithItsPlace(text: String, message: String) {
    #expect {
      try read(text)
    } throws: {
      "\($0)".contains(message) && "\($0)".hasPrefix("t, line ")
    }
  }

  @Test func noCellIsReadAsSeveralNames() throws {
    // Of any text, either nothing is read, or names without separators.
    for separator in [",", ";", "\t", "|", " "] {
      for text in [
        "state{a{b\n>q0{q1{q0\n*q1{q1{q0\n", "q0{a{q1\nq1{b{q0\n", "x{y\n", "q0{q1{q0\nq1\n",
      ] {
        let text = text.replacing("{", with: separator)
        guard let automaton = try? read(text).automaton else { continue }
        let isApart = automaton.states.allSatisfy { state in
          !state.name.contains { ",;\t|>* ".contains($0) }
        }
        #expect(isApart, "\(text): \(automaton.states.map(\.name))")
      }
    }
  }
}
