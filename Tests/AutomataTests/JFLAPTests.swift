import Automata
import Foundation
import Testing

/// Files of JFLAP as its users draw them.
@Suite(.timeLimit(.minutes(30))) struct JFLAPTests {
  private func read(_ content: String, type: String = "fa") throws -> PlacedAutomaton {
    let text = "<structure><type>\(type)</type><automaton>\(content)</automaton></structure>"
    return try Format.jflap.read(Data(text.utf8), name: "a.jff")
  }

  /// Two states with a transition for each label.
  private func labelled(_ labels: String...) throws -> Automaton {
    let ways = labels.map {
      "<transition><from>0</from><to>1</to><read>\($0)</read></transition>"
    }
    return try read(
      "<state id='0' name='p'><initial/></state><state id='1' name='q'><final/></state>"
        + ways.joined()
    ).automaton
  }

  private func accepted(_ automaton: Automaton, _ words: [String]) -> [String] {
    words.filter { automaton.accepts(automaton.symbols(of: $0)) }
  }

  @Test func rangesReadOneOfTheirSymbols() throws {
    let automaton = try labelled("[1-3]", "xy")
    #expect(automaton.transitions[0].symbols == ["[1-3]", "xy"])
    #expect(automaton.alphabet == ["1", "2", "3", "x", "y"])
    #expect(accepted(automaton, ["1", "3", "4", "[1-3]", "xy", "x"]) == ["1", "3", "xy"])
    #expect(automaton.isDeterministic)
    #expect(try automaton.minimized().states.count == 3)
    let words = try automaton.acceptedStrings(first: 9)
    #expect(words == [["1"], ["2"], ["3"], ["x", "y"]])
    #expect(try automaton.regularExpression().description == "1|2|3|xy")
    #expect(accepted(automaton.reversed, ["yx", "xy", "2"]) == ["yx", "2"])
    #expect(try accepted(automaton.complement(), ["xy", "x", "2"]) == ["x"])
  }

  @Test func unusualRangesReadWhatJFLAPReads() throws {
    let wide = try labelled("[a-cX-Z]")
    #expect(accepted(wide, ["a", "c", "X"]) == ["a", "c"])
    #expect(
      wide.findings.contains(.unusualRange("[a-cX-Z]", reads: ["a", "b", "c"])), "\(wide.findings)")
    let empty = try labelled("[ab]")
    #expect(empty.shortestWord == nil && !empty.acceptsAnyWord)
    #expect(empty.findings.contains(.unusualRange("[ab]", reads: [])))
    // Too short for a range, and one character.
    #expect(accepted(try labelled("a["), ["a[", "a"]) == ["a["])
    #expect(accepted(try labelled("["), ["["]) == ["["])
    let many = (0..<40).map {
      "<transition><from>0</from><to>\($0)</to><read>[!-\u{FFFD}]</read></transition>"
    }
    let states = (0..<40).map { "<state id='\($0)'/>" }
    #expect {
      _ = try read((states + many).joined())
    } throws: {
      "\($0)".contains("ranges of at most 2000000 symbols")
    }
  }

  @Test func labelsWithACommonBeginningAreDeterministic() throws {
    let automaton = try labelled("ab", "ac")
    #expect(automaton.isDeterministic)
    #expect(try automaton.determinized().states.count == 3)
    let other = try labelled("ab", "a")
    #expect(!other.isDeterministic)
    let line = other.nondeterminism.first?.message(other.shownNames)
    #expect(line == "state p has several transitions for a: to q, q")
  }

  @Test func labelsThatMisleadAreNamed() throws {
    let automaton = try labelled("0,1", "ε", " ", "λ")
    let lines = automaton.findings.map { $0.message(automaton.shownNames) }
    #expect(lines.contains { $0.contains("`0,1` reads 0, then \",\", then 1") }, "\(lines)")
    #expect(
      lines.contains("\" \", \"ε\", \"λ\" are symbols here, not the empty word"), "\(lines)")
    #expect(Automaton.shownSymbol("ε") == "\"ε\"" && Automaton.shownSymbol("a") == "a")
  }

  @Test func whatTheAuthorDrewIsWrittenAgain() throws {
    let drawn = try read(
      """
      <state id="2" name="p"><x>10</x><y>20</y><initial/><label>odd</label></state>
      <state id="7"><x>200</x><y>20</y><final/></state>
      <transition><from>2</from><to>7</to><read>ab</read><controlx>90</controlx>
      <controly>-30</controly></transition>
      <transition><from>7</from><to>7</to><read/></transition>
      <note><text>two
      lines</text><x>5</x><y>6.5</y></note>
      """)
    #expect(drawn.automaton.states.map(\.name) == ["p", "q7"])
    #expect(drawn.stateLabels == ["2": "odd"])
    #expect(drawn.notes == [.init("two\nlines", at: .init(x: 5, y: 6.5))])
    #expect(drawn.controlPoints == ["t0": .init(x: 90, y: -30)])
    let again = try Format.jflap.read(Format.jflap.write(drawn), name: "b.jff")
    #expect(again == drawn)
    #expect(Format.jflap.losses(of: drawn).isEmpty)
    #expect(
      Format.table.losses(of: drawn) == [
        "1 note", "1 state label", "1 bent arrow",
        "labels that read several symbols (each is one symbol now: ab)",
      ])
  }

  @Test func statesWithoutNamesHaveOneName() throws {
    let automaton = try Automaton(
      states: [
        .init("B3-9", name: "", isInitial: true), .init("q", name: "q1"), .init("8", name: ""),
        .init("C", name: ""), .init("1", name: ""),
      ], transitions: [])
    let names = automaton.states.map { automaton.shownNames.state($0.id) }
    #expect(names == ["q0", "q1", "q8", "q3", "q1_2"])
    let table = String(
      decoding: try Format.table.write(PlacedAutomaton(automaton: automaton)), as: UTF8.self)
    let jflap = try Format.jflap.read(
      Format.jflap.write(PlacedAutomaton(automaton: automaton)), name: "a.jff")
    #expect(names.allSatisfy { table.contains($0) })
    #expect(jflap.automaton.states.map(\.name) == names)
    #expect(jflap.automaton.states.map(\.id) == ["0", "2", "8", "3", "1"])
    #expect(try automaton.determinized().states.map(\.name) == ["q0"])
  }

  @Test func aNameThatAnotherStateHasIsNotGiven() throws {
    let names = try read("<state id='7'/><state id='9' name='q7'/><state id='3'/>")
      .automaton.states.map(\.name)
    #expect(names == ["q7_2", "q7", "q3"])
    let newer = try Format.jflap.read(
      Data(
        jflap8("fsa").replacing("<name>q1</name>", with: "").replacing(
          "<name>q0</name>", with: "<name>q1</name>"
        )
        .utf8), name: "a.jflap")
    #expect(newer.automaton.states.map(\.name) == ["q1", "q1_2"])
  }

  @Test func transitionsThatReadNothingAreNamedAsLost() throws {
    let drawn = PlacedAutomaton(
      automaton: try Automaton(
        states: [.init("p", isInitial: true)],
        transitions: [
          .init("t", from: "p", to: "p"), .init("u", from: "p", to: "p", includesEpsilon: true),
        ]))
    for format in [Format.jflap, .table, .exchange] {
      #expect(format.losses(of: drawn) == ["1 transition without a symbol"])
    }
    #expect(Format.dot.losses(of: drawn).isEmpty && Format.mermaid.losses(of: drawn).isEmpty)
    let empty = PlacedAutomaton(automaton: try labelled("[9-0]", "a"))
    #expect(
      Format.dot.losses(of: empty) == ["labels that read nothing (empty ranges of JFLAP: [9-0])"])
    #expect(Format.jflap.losses(of: empty).isEmpty)
  }

  // MARK: Turing machines and other machines

  private let flat = """
    <block id="0" name="p"><tag>Machine0</tag><initial/></block>
    <block id="1" name="q"><tag>Machine1</tag><final/></block>
    <transition><from>0</from><to>1</to><read>a</read><write>b</write><move>R</move></transition>
    <Machine0/><Machine1/>
    """

  @Test func emptyBuildingBlocksAreStates() throws {
    for type in ["turing", "turingbb"] {
      let drawn = try read(flat, type: type)
      let machine = try #require(try drawn.machine)
      #expect(try machine.run(["a"]).outcome == .accepted)
    }
  }

  @Test(arguments: ["turing", "turingbb"]) func fullBuildingBlocksAreRefused(type: String) {
    let full = flat.replacing(
      "<Machine1/>",
      with: "<Machine1><block id='0' name='i'><tag>M</tag><initial/></block></Machine1>")
    #expect {
      try read(full, type: type)
    } throws: {
      "\($0)".contains("the block `q` with a machine in it")
    }
  }

  @Test func wrappedBuildingBlocksAreRefused() throws {
    let content = "<automaton><block id='0' name='i'><initial/></block></automaton>"
    #expect {
      try read(
        flat.replacing("<Machine1/>", with: "<Machine1>\(content)</Machine1>"), type: "turing")
    } throws: {
      "\($0)".contains("the block `q` with a machine in it")
    }
    let empty = flat.replacing("<Machine1/>", with: "<Machine1><automaton/></Machine1>")
    #expect(try read(empty, type: "turing").automaton.states.count == 2)
  }

  @Test func pushdownAutomataAcceptAsAsked() throws {
    let drawn = try read(
      """
      <state id="0"><initial/></state><state id="1"><final/></state>
      <transition><from>0</from><to>0</to><read>a</read><pop>Z</pop><push/></transition>
      <transition><from>0</from><to>1</to><read>b</read><pop/><push/></transition>
      """, type: "pda")
    func accepts(_ word: String, _ acceptance: Machine.Acceptance) throws -> Bool {
      var drawn = drawn
      drawn.acceptance = acceptance
      return try #require(try drawn.machine).run(Array(word)).outcome == .accepted
    }
    for (acceptance, words) in [
      (Machine.Acceptance.finalState, ["b", "ab"]), (.emptyStack, ["a", "ab"]),
      (.either, ["a", "b", "ab"]),
    ] {
      #expect(try ["", "a", "b", "ab", "aa"].filter { try accepts($0, acceptance) } == words)
    }
    #expect(try #require(try drawn.machine).acceptance == .finalState)
  }

  // MARK: JFLAP 8

  private func jflap8(_ type: String) -> String {
    """
    <?xml version="1.0"?><structure type="editor_panel"><structure type="transition_graph">
    <structure mode="Default mode" type="\(type)"><structure type="transition_set">
    <fsa_trans><input>ab</input><from><name>q0</name><id>0</id></from><to><name>q1</name><id>1</id>
    </to></fsa_trans><fsa_trans><input/><from><id>1</id></from><to><id>0</id></to></fsa_trans>
    </structure><structure type="start_state"><state><name>q0</name><id>0</id></state></structure>
    <structure type="final_states"><state><name>q1</name><id>1</id></state></structure>
    <structure type="state_set"><state><name>q0</name><id>0</id></state><state><name>q1</name>
    <id>1</id></state></structure></structure><state_point_map><state_point><state>1</state>
    <point><x>7.5</x><y>8</y></point></state_point></state_point_map></structure></structure>
    """
  }

  @Test func finiteAutomataOfJFLAP8AreRead() throws {
    let drawn = try Format.jflap.read(Data(jflap8("fsa").utf8), name: "a.jflap")
    #expect(drawn.automaton.states.map(\.name) == ["q0", "q1"])
    #expect(accepted(drawn.automaton, ["ab", "abab", "a"]) == ["ab", "abab"])
    #expect(drawn.places == ["1": .init(x: 7.5, y: 8)])
  }

  @Test func otherFilesAreNoEmptyAutomata() {
    #expect {
      try Format.jflap.read(Data(jflap8("pda").utf8), name: "a.jflap")
    } throws: {
      "\($0)".contains("type pda")
    }
    #expect(throws: AutomatonError.self) {
      try Format.jflap.read(Data("<structure><part/></structure>".utf8), name: "a.jff")
    }
  }
}
