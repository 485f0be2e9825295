import Automata
import AutomatonEditor
import Foundation
import Fuzzing
import Ink
import InkDiagram
import InkEvaluation

@testable import JSONReading

/// An automaton with names and symbols of all kinds.
private func automaton(isDeterministic: Bool) throws -> PlacedAutomaton {
  try PlacedAutomaton(
    automaton: Automaton(
      states: [
        .init("1", name: "q0", isInitial: true), .init("2", name: "ä \"b\"", isFinal: true),
        .init("3"),
      ],
      transitions: [
        .init("t", from: "1", to: "2", symbols: ["a", "b"]),
        .init("u", from: "2", to: "2", symbols: ["a"]),
        .init(
          "v", from: "2", to: "3", symbols: isDeterministic ? ["b"] : ["a", "b"],
          includesEpsilon: !isDeterministic),
      ]),
    places: ["1": .init(x: 1, y: 2), "2": .init(x: 100, y: 2), "3": .init(x: 1, y: 200)])
}

/// What does not depend on ids: the states in their order, and the ways between them.
private struct Meaning: Hashable {
  var states: [[Bool]]
  var alphabet: [String]
  var ways: Set<[String]>

  init(_ automaton: Automaton) {
    states = automaton.states.map { [$0.isInitial, $0.isFinal] }
    alphabet = automaton.alphabet
    let numbers = Dictionary(
      uniqueKeysWithValues: automaton.states.enumerated().map { ($1.id, "\($0)") })
    ways = Set(
      automaton.transitions.flatMap { transition in
        (transition.symbols + (transition.includesEpsilon ? [""] : [])).map {
          [numbers[transition.start]!, numbers[transition.end]!, $0]
        }
      })
  }
}

/// A fuzzer of a format: what was read and can be written is read to the same.
///
/// Formats that are only read begin with `texts`.
private func fuzzer(
  _ format: Format, dictionary: [String], texts: [String] = []
) -> Fuzzer {
  Fuzzer(
    format.rawValue, dictionary: dictionary,
    seeds: {
      guard texts.isEmpty else { return texts.map { Data($0.utf8) } }
      let machines = format == .jflap ? ["remainder", "changes", "anbn", "increment"] : []
      return try [true, false].compactMap { isDeterministic in
        let automaton = try automaton(isDeterministic: isDeterministic)
        return format == .exchange && !isDeterministic ? nil : try format.write(automaton)
      }
        + machines.map { name in
          let file = try Fuzzer.files("Examples/Machines/\(name).automaton")[0]
          return try format.write(DocumentFile.read(file, name: name).placedAutomaton)
        }
    },
    read: { data in
      let read = try format.read(data, name: "input")
      guard texts.isEmpty else { return }
      // Formats cannot hold everything that they can say, and refuse that.
      let written = try format.write(read)
      let again = required("what was written is read") {
        try format.read(written, name: "again")
      }
      require(
        Meaning(again.automaton) == Meaning(read.automaton),
        "\(read.automaton) after writing is \(again.automaton)")
    })
}

private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

let automatonFuzzers = [
  fuzzer(
    .jflap,
    dictionary: [
      "<structure>", "<type>fa</type>", "<automaton>", "<state id=\"0\" name=\"q\">", "<x>", "<y>",
      "<initial/>", "<final/>", "<transition>", "<from>", "<to>", "<read>", "</read>", "<read/>",
      "<type>moore</type>", "<type>mealy</type>", "<type>pda</type>", "<type>turing</type>",
      "<output>", "<transout>", "<pop>", "<push>", "<write>", "<move>", "<block id=\"1\">", "□",
    ]),
  fuzzer(
    .dot,
    dictionary: [
      "digraph", "strict", "graph", "subgraph", "node", "edge", "->", "--", "[label=\"", "shape=",
      "doublecircle", "point", "none", "\\n", "\\\"", "<b>", "/*", "*/", "//", "#", ";", "{", "}",
      ":n",
    ]),
  fuzzer(
    .table, dictionary: ["|", "→", "*", "ε", "->", "state", "\\", "\"", ",", "{", "}", "∅", "-"]),
  fuzzer(
    .mermaid,
    dictionary: ["stateDiagram-v2", "[*]", "-->", "state \"", "\" as ", ":", "#35;", "note ", "%%"]),
  fuzzer(
    .tikz,
    dictionary: [
      "\\begin{tikzpicture}", "\\end{tikzpicture}", "\\node[state] ", "\\path", "\\draw[->]",
      "edge",
      "node", "(q)", "{", "}", "[", "]", ";", "$q_0$", ".. controls ", " and ", "\\n", "%",
    ],
    texts: [
      "\\begin{tikzpicture}\\node[state,initial] (q) {$q_0$};\\path[->] (q) edge[loop above] node {a} ();"
        + "\\draw[->] (q) .. controls (1, 2) and (3, 4) .. (q);\\node at (1, 1) {b};\\end{tikzpicture}"
    ]),
  fuzzer(.att, dictionary: ["0", "1", "\t", "<eps>", "a"], texts: ["0 1 a\n1 0 b\n1\n"]),
  fuzzer(
    .exchange,
    dictionary: [
      "\"states\":", "\"initialState\":", "\"finalStates\":", "\"transitions\":", "\"alphabet\":",
      "null",
    ]),
  Fuzzer(
    "other-json",
    dictionary: [
      "\"nodes\":", "\"links\":", "\"type\":", "\"SelfLink\"", "\"dfa\":", "\"nfa\":", "\"pda\":",
      "\"startState\":", "\"projectType\":", "\"read\":", "null",
    ],
    seeds: {
      [
        #"{"nodes":[{"x":1,"y":2,"text":"q"}],"links":[{"type":"StartLink","node":0}]}"#,
        #"{"type":"NFA","nfa":{"transitions":{"s":{"a":["s"]}},"startState":"s"},"states":{"s":{}}}"#,
        #"{"initialState":0,"states":[{"id":0,"x":1}],"transitions":[{"from":0,"to":0,"read":"[a-c]"}]}"#,
      ].map { Data($0.utf8) }
    },
    read: { _ = try Format.exchange.read($0, name: "input").automaton.findings }),
  Fuzzer(
    "automaton",
    dictionary: [
      "\"id\":", "\"automatonStates\":", "\"automatonStatesDict\":", "\"transitions\":",
      "\"transitionsDict\":", "\"stateOrder\":", "\"transitionOrder\":", "\"formatVersion\":",
      "\"alphabet\":", "\"ink\":", "\"name\":", "\"isFinalState\":", "\"isEndState\":",
      "\"center\":",
      "\"radius\":", "\"startState\":", "\"symbols\":", "\"includesEpsilon\":", "\"type\":",
      "\"endsFreely\":", "\"flexPoint\":", "\"regular\"", "\"cycle\"", "\"radians\":", "1e308",
      "null", "\"kind\":", "\"pushdown\"", "\"turing\"", "\"moore\"", "\"mealy\"",
    ],
    seeds: {
      try Fuzzer.files(
        "Examples/Automata/a.automaton", "Examples/Automata/mod3.automaton",
        "Examples/Machines/anbn.automaton", "Examples/Machines/increment.automaton"
      ) + [
        DocumentFile.write(Document(id: "empty"))
      ]
    },
    read: { data in
      let read = try DocumentFile.read(data, name: "input")
      let written = DocumentFile.write(read)
      let again = required("what was written is read") {
        try DocumentFile.read(written, name: "again")
      }
      require(DocumentFile.write(again) == written, "other bytes after it was read again")
      // Whatever can be opened can be shown.
      _ = again.automaton.findings
      _ = again.svg
      if let machine = try? again.machine {
        _ = try? machine.run(
          Array("aab"), limits: .init(steps: 50, configurations: 200, cells: 50))
      }
    }),
  Fuzzer(
    "expression", dictionary: ["(", ")", "*", "+", "?", "|", "ε", "∅", "\\", "'", "''", " "],
    seeds: { ["(a|b)*a", "'begin'(a|b)+?", "ε|∅|\\*"].map { Data($0.utf8) } },
    read: { data in
      let read = try RegularExpression(text(data))
      let automaton = read.automaton
      let again = required("`\(read)` is read") { try RegularExpression(read.description) }
      require(again.automaton == automaton, "another automaton")
      // Elimination can make long expressions.
      guard data.count <= 12 else { return }
      let written = try automaton.regularExpression(limit: Limit(states: 100, transitions: 10_000))
      guard written.description.utf8.count < 300 else { return }
      require(
        try written.automaton.isEquivalent(to: automaton), "`\(written)` for `\(read)`")
    }),
  Fuzzer(
    "symbols", dictionary: ["…", "...", "-", ",", "\"", "'", "\\", "ε", "0…9", "a…z", " "],
    seeds: { ["a, b", "0…9", "\"a,b\" 'c'", "0, 1, …, 9", "ε"].map { Data($0.utf8) } },
    read: { data in
      let typed = try TypedSymbols(text(data))
      _ = try? TypedSymbols.alphabet(text(data))
      let written = TypedSymbols.text(of: typed.symbols)
      guard !typed.symbols.isEmpty else { return }
      let again = required("`\(written)` is read") { try TypedSymbols(written) }
      require(
        again.symbols == typed.symbols, "\(typed.symbols) as `\(written)` is \(again.symbols)")
    }),
  Fuzzer(
    "words", dictionary: ["word, expected", "accepted", "rejected", "ε", "#", "\t", ",", "\r\n"],
    seeds: { try Fuzzer.files("Examples/Automata/mod3-words.csv") },
    read: { data in
      let tests = try WordTest.read(text(data), name: "input")
      let written = tests.map { "\($0.word)\t\($0.isAccepted ? "accepted" : "rejected")\n" }
        .joined()
      let again = required("what was written is read") {
        try WordTest.read(written, name: "again")
      }
      require(again == tests, "\(tests) after writing is \(again)")
    }),
  Fuzzer(
    "diagram",
    dictionary: [
      "\"automaton\":", "\"states\":", "\"transitions\":", "\"strokes\":", "\"uncertain\":",
      "\"role\":",
      "\"element\":", "\"t0\"", "null", "\"center\":",
    ],
    seeds: {
      let diagram = Diagram(
        states: [.init(id: "s0", name: "q", initial: true, center: Vector(1, 2), radius: 3)],
        transitions: [.init(from: "s0", to: "s0", symbols: ["a", "ε"])],
        strokes: [.init(.state, element: "s0"), .init(.text, element: "t0"), .init(.other)])
      return [try JSONEncoder().encode(diagram)]
    },
    read: { data in
      let read: Diagram
      do { read = try Diagram(json: data) } catch is DecodingError { return }
      let again = try JSONDecoder().decode(Diagram.self, from: JSONEncoder().encode(read))
      require(again == read, "another diagram after writing it")
      let dot = Stroke([Point(1, 2)])
      let drawing = Drawing(Array(repeating: dot, count: min(100, read.strokes.count)))
      if let document = try? Document(read, drawing: drawing, id: "input") { _ = document.svg }
      guard read.states.count <= 8, read.transitions.count <= 30 else { return }
      _ = DiagramComparison(read, truth: read)
    }),
]
