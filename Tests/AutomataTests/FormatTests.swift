import Automata
import Foundation
import Testing

@Suite(.timeLimit(.minutes(30))) struct FormatTests {
  /// Names with everything that means something in one of the formats.
  private func awkward(_ long: [String] = []) throws -> Automaton {
    try Automaton(
      states: [
        .init("1", name: "a, \"b\" & <c>", isInitial: true), .init("2", name: #"→ * | \"#),
        .init("3", name: "ε", isInitial: true, isFinal: true), .init("4", name: "", isFinal: true),
        .init("5", name: "x"), .init("6", name: "x"), .init("7", name: " {a,b"),
        .init("8", name: "({a, b},c)"), .init("9", name: "->"), .init("10", name: "}, {"),
      ],
      transitions: [
        .init("t0", from: "1", to: "2", symbols: [",", "|", "\"", "{", "é"] + long),
        .init("t6", from: "2", to: "7", symbols: ["a"]),
        .init("t7", from: "2", to: "8", symbols: ["a"]),
        .init("t8", from: "2", to: "9", symbols: ["a", "("]),
        .init("t9", from: "2", to: "10", symbols: ["a"]),
        .init("t1", from: "2", to: "3", symbols: ["ε", "→", #"\"#], includesEpsilon: true),
        .init("t2", from: "3", to: "3", symbols: ["*", "<", "-"]),
        .init("t3", from: "3", to: "4", includesEpsilon: true),
        .init("t4", from: "4", to: "5", symbols: ["a"]),
        .init("t5", from: "5", to: "6", symbols: ["a"]),
      ])
  }

  private func again(_ automaton: Automaton, by format: Format) throws -> Automaton {
    try format.read(format.write(PlacedAutomaton(automaton: automaton)), name: "file").automaton
  }

  @Test(arguments: [Format.jflap, .dot, .table]) func nothingIsLost(format: Format) throws {
    let long = format == .jflap ? [] : ["ab", "→ *", "a{"]
    for automaton in try [awkward(long)] + (1...60).map({ randomAutomaton(seed: $0) }) {
      let read = try again(automaton, by: format)
      #expect(read.states.map(\.isInitial) == automaton.states.map(\.isInitial))
      #expect(read.states.map(\.isFinal) == automaton.states.map(\.isFinal))
      // JFLAP shows a state without a name by its id.
      let names = automaton.states.map {
        format == .jflap && $0.name.isEmpty ? "q\($0.id)" : $0.name
      }
      if format != .table { #expect(read.states.map(\.name) == names) }
      if format == .table, automaton.states.count == 10 {
        let own = [0, 1, 2, 6, 7, 8, 9]
        #expect(own.map { read.states[$0].name } == own.map { automaton.states[$0].name })
      }
      #expect(read.alphabet == automaton.alphabet)
      #expect(try read.isEquivalent(to: automaton))
      // The same ways, whatever the ids are.
      func ways(_ automaton: Automaton) -> Set<[String]> {
        let numbers = Dictionary(
          uniqueKeysWithValues: automaton.states.enumerated().map { ($1.id, "\($0)") })
        return Set(
          automaton.transitions.flatMap { transition in
            (transition.symbols + (transition.includesEpsilon ? [""] : [])).map {
              [numbers[transition.start]!, numbers[transition.end]!, $0]
            }
          })
      }
      #expect(ways(read) == ways(automaton))
      // What was read once is written the same.
      #expect(
        try format.write(PlacedAutomaton(automaton: again(read, by: format)))
          == format.write(PlacedAutomaton(automaton: read)))
    }
  }

  @Test func exchangeHoldsWhatIsDeterministic() throws {
    for seed in UInt64(1)...60 {
      let automaton = try randomAutomaton(seed: seed).minimized()
      #expect(try again(automaton, by: .exchange).isEquivalent(to: automaton))
    }
    let torn = try Automaton(
      states: [.init("1", isInitial: true), .init("2"), .init("3")],
      transitions: [
        .init("a", from: "1", to: "2", symbols: ["E"]),
        .init("b", from: "1", to: "3", symbols: ["E"]),
      ])
    #expect {
      try Format.exchange.write(PlacedAutomaton(automaton: torn))
    } throws: {
      "\($0)".contains("state `1`: expected one target for `E`")
    }
  }

  @Test func filesOfOtherProgramsAreRead() throws {
    let jflap = """
      <?xml version="1.0"?><!--Created with JFLAP 6.4.--><structure>&#13;
      <type>fa</type><automaton>
      <state id="0" name="q0"><x>82.0</x><y>95.5</y><initial/></state>
      <state id="7" name="q7"><x>200.0</x><y>95.0</y><final/></state>
      <transition><from>0</from><to>7</to><read>a</read></transition>
      <transition><from>7</from><to>7</to><read/></transition>
      </automaton></structure>
      """
    let drawn = try Format.jflap.read(Data(jflap.utf8), name: "a.jff")
    #expect(drawn.places["0"] == PlacedAutomaton.Place(x: 82, y: 95.5))
    #expect(drawn.automaton.accepts(["a"]) && !drawn.automaton.accepts([]))
    let dot = """
      // An example of Graphviz's gallery, shortened.
      digraph finite_state_machine {
        rankdir=LR; size="8,5"
        node [shape = doublecircle]; LR_0 LR_3
        node [shape = circle];
        secret [shape=none, label=""]; secret -> LR_0
        LR_0 -> LR_2 [ label = "S, B" ]; LR_2 -> LR_3 -> LR_3 [label = "c"];
      }
      """
    let automaton = try Format.dot.read(Data(dot.utf8), name: "a.dot").automaton
    #expect(automaton.states.map(\.id) == ["LR_0", "LR_3", "LR_2"])
    #expect(
      automaton.accepts(["B", "c", "c"]) && automaton.accepts([]) && !automaton.accepts(["S"]))
  }

  @Test(
    arguments: [
      ("digraph { a->b [label=x]; s [shape=point]; s->a; b [shape=doublecircle] }", ["x"]),
      ("digraph { edge [label=x]; s [shape=point]; s -> a -> b; b [shape=doublecircle] }", ["x"]),
      (
        #"digraph { s -> a; s [shape=point]; a -> b [label="x\ny"]; b [shape=doublecircle] }"#,
        ["y"]
      ),
      (
        #"DIGRAPH { s [shape=point]; s -> "node"; "node" -> "Edge" [label=x]; "Edge" [shape=doublecircle] }"#,
        ["x"]
      ),
    ] as [(String, [String])])
  func graphsAreReadAsGraphvizDoes(text: String, word: [String]) throws {
    let automaton = try Format.dot.read(Data(text.utf8), name: "a.dot").automaton
    #expect(automaton.states.count == 2 && automaton.accepts(word) && !automaton.accepts([]))
  }

  @Test func linesMayEndAsElsewhere() throws {
    let text = "state | a | b\r\n→ p | q |\r\n* q | | p\r\n"
    let automaton = try Format.table.read(Data(text.utf8), name: "a.txt").automaton
    #expect(automaton.states.count == 2 && automaton.accepts(["a", "b", "a"]))
  }

  @Test func transitionsWithoutSymbolsStay() throws {
    let automaton = try Format.dot.read(Data("digraph { a -> b; }".utf8), name: "a").automaton
    #expect(automaton.transitions.count == 1 && automaton.alphabet.isEmpty)
    #expect(try again(automaton, by: .dot).transitions.count == 1)
  }

  @Test func awkwardNamesSurviveOrAreRefused() throws {
    let names = ["node", "subgraph", "<\u{338}", "a\rb", "tab\t", "\u{1}", "x\ny"]
    for name in names {
      let automaton = try Automaton(
        states: [.init(name, isInitial: true, isFinal: true), .init("q")],
        transitions: [.init("t", from: name, to: "q", symbols: [name])])
      for format in [Format.jflap, .dot, .table] {
        guard let data = try? format.write(PlacedAutomaton(automaton: automaton)) else { continue }
        let read = try format.read(data, name: "file").automaton
        #expect(try read.isEquivalent(to: automaton), "\(name.debugDescription) as \(format)")
        #expect(read.alphabet == [name])
      }
    }
    for symbol in ["ε", "\t", "a,b"] {
      let automaton = try Automaton(
        states: [.init("q", isInitial: true)],
        transitions: [.init("t", from: "q", to: "q", symbols: [symbol])])
      #expect(throws: AutomatonError.self) {
        try Format.exchange.write(PlacedAutomaton(automaton: automaton))
      }
    }
  }

  @Test func largeFilesAreRead() throws {
    // More than 10 MB, at which XML parsers give up unless they are fed in pieces.
    let count = 60_000
    let automaton = try Automaton(
      states: (0..<count).map { .init("\($0)", isInitial: $0 == 0, isFinal: true) },
      transitions: (0..<count).map {
        .init("\($0)", from: "\($0)", to: "\(($0 + 1) % count)", symbols: ["a", "b"])
      })
    let data = try Format.jflap.write(PlacedAutomaton(automaton: automaton))
    #expect(data.count > 11_000_000)
    let read = try Format.jflap.read(data, name: "large.jff").automaton
    #expect(read.states.count == count && read.transitions.count == count)
  }

  @Test(
    arguments: [
      (Format.jflap, "", "expected well-formed XML"), (.jflap, "<structure>", "well-formed XML"),
      (.jflap, "<a/>", "JFLAP's element `structure`"),
      (.jflap, "<structure><type>grammar</type></structure>", "found `grammar`"),
      (.jflap, "<structure><state id='1'/><state id='1'/></structure>", "another state `1`"),
      (
        .jflap, "<structure><transition><from>1</from><to>2</to></transition></structure>",
        "expected a state `1`, found none"
      ),
      (
        .jflap, "<structure><state id='1'><x>nan</x><y>1</y></state></structure>",
        "finite coordinates"
      ),
      (.jflap, "<!DOCTYPE a [<!ENTITY b 'c'>]><structure/>", "no entity declarations"),
      (.dot, "graph { a -- b }", "line 1, column 1: expected `digraph`"),
      (.dot, "digraph { a -> ", "expected a node"),
      (.dot, "digraph { } x", "expected the end, found `x`"),
      (.dot, "digraph { a [label=\"x", "line 1, column 20: expected a closing quote"),
      (.dot, "digraph {", "found the end"),
      (.table, "", "expected a line with symbols"),
      (.table, " | a\nq | r\n", "a line for state `r`"),
      (.table, " | a | a\nq | | \n", "columns for different symbols"),
      (.table, " | a\nq | q | q\n", "at most 2 columns"),
      (.table, " | a\n * | \n", "the name of a state"),
      (.table, "[[[[", "line 1, column 1: expected a table with columns"),
      (.exchange, "{}", "found JSON of no known kind"),
      (.exchange, #"{"a":1}"#, "the exchange form (`initial`, `final`, `states`)"),
      (.exchange, "[]", "found JSON of no known kind"),
      (.exchange, #""text""#, "found JSON of no known kind"),
      (.exchange, #"{"initial":[]}"#, "expected the key `final`, found none"),
      (
        .exchange,
        #"{"initial":[],"final":[],"states":{"1":{"a":"1"},"1":{"b":"1"}}}"#, "found `1` twice"
      ),
      (.dot, "digraph \"a\" \"b\n\u{1B}[31m\" {", "expected `{`, found `b[31m`"),
      (.exchange, #"{"initial":["x"],"final":[],"states":{}}"#, "a state `x`"),
      (.exchange, #"{"initial":[],"final":[],"states":{"x":{"a":"y"}}}"#, "a state `y`"),
      (.exchange, String(repeating: "[", count: 1_000_000), "expected JSON"),
      // Foundation's decoder would end the process.
      (.exchange, String(repeating: "[", count: 513), "expected JSON"),
      (.jflap, String(repeating: "<a>", count: 100_000), "at most 100 nested elements"),
    ] as [(Format, String, String)])
  func malformedFilesAreNamed(format: Format, text: String, message: String) {
    #expect {
      try format.read(Data(text.utf8), name: "file")
    } throws: {
      "\($0)".contains(message) && "\($0)".hasPrefix("file")
    }
  }

  @Test func tablesAreForPeople() throws {
    let automaton = try Automaton(
      states: [.init("q0", isInitial: true), .init("q1", isFinal: true)],
      transitions: [
        .init("x", from: "q0", to: "q0", symbols: ["a", "b"]),
        .init("y", from: "q0", to: "q1", symbols: ["a"]),
        .init("z", from: "q1", to: "q0", includesEpsilon: true),
      ])
    let text = String(
      decoding: try Format.table.write(PlacedAutomaton(automaton: automaton)), as: UTF8.self)
    #expect(
      text == """
        state | a      | b  | ε
        → q0  | q0, q1 | q0 |
        * q1  |        |    | q0

        """)
  }

  @Test func namesOfSetsAreWrittenPlainlyInTables() throws {
    let automaton = try Automaton(
      states: [.init("q0", isInitial: true), .init("q1", isFinal: true)],
      transitions: [
        .init("x", from: "q0", to: "q0", symbols: ["a", "b"]),
        .init("y", from: "q0", to: "q1", symbols: ["a"]),
      ])
    let sets = try automaton.determinized()
    let text = String(
      decoding: try Format.table.write(PlacedAutomaton(automaton: sets)), as: UTF8.self)
    #expect(
      text == """
        state     | a       | b
        → {q0}    | {q0,q1} | {q0}
        * {q0,q1} | {q0,q1} | {q0}

        """)
    #expect(try again(sets, by: .table).states.map(\.name) == ["{q0}", "{q0,q1}"])
    let pairs = try sets.combined(with: sets, by: .union)
    #expect(try again(pairs, by: .table).states.map(\.name) == pairs.states.map(\.name))
    #expect(
      !String(decoding: try Format.table.write(PlacedAutomaton(automaton: pairs)), as: UTF8.self)
        .contains("\\"))
    // Tables that were written before, and braces that do not match.
    let old = "state | a\n→ {q0\\,\\ q1} | {q0\\,\\ q1}, {x\n* {x |\n"
    let read = try Format.table.read(Data(old.utf8), name: "old.txt").automaton
    #expect(read.states.map(\.name) == ["{q0, q1}", "{x"] && read.transitions.count == 2)
  }

  @Test(arguments: [Format.jflap, .dot, .table, .exchange]) func theAlphabetIsKept(format: Format)
    throws
  {
    let automaton = try Automaton(
      states: [.init("q", isInitial: true, isFinal: true)],
      transitions: [.init("t", from: "q", to: "q", symbols: ["a"])], alphabet: ["c", "b", "<", ","])
    #expect(try again(automaton, by: format).alphabet == [",", "<", "a", "b", "c"])
    // Nothing is added where the transitions have all symbols.
    let plain = try Automaton(states: automaton.states, transitions: automaton.transitions)
    let text = String(decoding: try format.write(PlacedAutomaton(automaton: plain)), as: UTF8.self)
    #expect(!text.contains("alphabet"))
  }

  @Test func endingsTellTheFormat() {
    for format in Format.allCases {
      for ending in format.endings {
        #expect(Format(path: "a.b/c.\(ending.uppercased())") == format)
      }
    }
    #expect(Format(path: "f.pdf") == nil && Format(path: "jff") == nil)
  }

  // MARK: JFLAP's labels

  private func jflap(_ transitions: [(from: Int, to: Int, label: String)]) throws -> PlacedAutomaton
  {
    let states = (0..<3).map { number in
      "<state id='\(number)' name='q\(number)'><x>\(200 * number)</x><y>0</y>"
        + (number == 0 ? "<initial/>" : "") + (number == 2 ? "<final/>" : "") + "</state>"
    }
    let ways = transitions.map {
      "<transition><from>\($0.from)</from><to>\($0.to)</to><read>\($0.label)</read></transition>"
    }
    let text =
      "<structure><type>fa</type><automaton>\((states + ways).joined())</automaton>"
      + "</structure>"
    return try Format.jflap.read(Data(text.utf8), name: "labels.jff")
  }

  @Test func aLabelOfSeveralCharactersIsAPrefixOfTheInput() throws {
    let drawn = try jflap([
      (0, 2, "abc"), (0, 2, "ab"), (0, 2, "ab"), (2, 0, "ab"), (1, 1, "aa"), (0, 1, "b"),
      (1, 2, ""),
    ])
    let automaton = drawn.automaton
    #expect(automaton.alphabet == ["a", "b", "c"])
    for (word, isAccepted) in [
      ("abc", true), ("ab", true), ("a", false), ("", false), ("abab", false), ("ababab", true),
      ("abcababc", true), ("b", true), ("baa", true), ("ba", false), ("baaa", false),
      ("abcab", false),
    ] {
      #expect(automaton.accepts(automaton.symbols(of: word)) == isAccepted, "\(word)")
    }
    // The document is what the author drew.
    #expect(automaton.states.count == 3)
    #expect(automaton.transitions.first?.symbols == ["abc", "ab"])
    #expect(automaton.longLabels == ["aa", "ab", "abc"])
    #expect(
      automaton.trace(["a", "b"]).steps.map(\.unfinished) == [[], ["q0.a"], ["q0.ab"]])
    #expect(automaton.trace(["a", "b"]).path == ["t0"])
    let document = try Format.jflap.read(Format.jflap.write(drawn), name: "again.jff").automaton
    #expect(try document.isEquivalent(to: automaton))
  }

  @Test func newStatesTakeNoNameThatAStateHas() throws {
    let text = """
      <structure><automaton><state id="0" name="q"><initial/></state>
      <state id="q.a" name="q.a.2"><final/></state>
      <transition><from>0</from><to>q.a</to><read>ab</read></transition></automaton></structure>
      """
    let automaton = try Format.jflap.read(Data(text.utf8), name: "names.jff").automaton
    let split = try automaton.determinized().states.map(\.name)
    #expect(split == ["q", "q.a", "q.a.2"] || Set(split).count == 3, "\(split)")
    #expect(automaton.accepts(["a", "b"]) && !automaton.accepts(["a"]))
  }

  @Test func aVeryLongLabelIsRead() throws {
    let label = String(repeating: "ab", count: 20_000)
    let automaton = try jflap([(0, 2, label)]).automaton
    #expect(automaton.states.count == 3)
    #expect(automaton.accepts(label.map(String.init)))
  }

  @Test func symbolsThatJFLAPWouldReadOtherwiseAreNotWritten() throws {
    for alphabet in [["ab"], []] {
      let symbols = alphabet.isEmpty ? ["a", "ab"] : ["a"]
      let automaton = try Automaton(
        states: [.init("q", isInitial: true)],
        transitions: [.init("t", from: "q", to: "q", symbols: symbols)], alphabet: alphabet)
      #expect {
        try Format.jflap.write(PlacedAutomaton(automaton: automaton))
      } throws: {
        "\($0)".contains("JFLAP reads `ab` as a, then b (rename the symbol")
      }
    }
  }
}
