import Automata
import Foundation
import Testing

/// Machines with outputs, a stack or a tape, compared with plain programs for the same words.
@Suite(.timeLimit(.minutes(30))) struct MachineTests {
  /// A machine from arrows with labels as they are typed; the first state is initial.
  private func machine(
    _ kind: Machine.Kind, _ states: String, final: String = "",
    _ arrows: [(from: String, to: String, label: String)]
  ) throws -> Machine {
    let names = states.split(separator: " ").map(String.init)
    let finals = Set(final.split(separator: " ").map(String.init))
    return try Machine(
      Automaton(
        states: names.enumerated().map { index, name in
          .init(
            name.split(separator: "/").first.map(String.init) ?? name, name: name,
            isInitial: index == 0, isFinal: finals.contains(name))
        },
        transitions: arrows.enumerated().map { index, arrow in
          .init("t\(index)", from: arrow.from, to: arrow.to, symbols: [arrow.label])
        }), kind: kind)
  }

  /// All words over an alphabet up to a length.
  private func words(_ alphabet: [Character], upTo length: Int) -> [[Character]] {
    var all: [[Character]] = [[]]
    var last = all
    for _ in 0..<length {
      last = last.flatMap { word in alphabet.map { word + [$0] } }
      all += last
    }
    return all
  }

  // MARK: Labels

  @Test(arguments: [
    (Machine.Kind.mealy, "a/x, b/yz c/ε", "a/x|b/yz|c/ε"), (.mealy, "a → x; b;y", "a/x|b/y"),
    (.pushdown, "a, X → YZ", "a, X → YZ"), (.pushdown, "a;X;YZ", "a, X → YZ"),
    (.pushdown, "eps, Z -> \\epsilon ; b,Z/AZ", "ε, Z → ε|b, Z → AZ"),
    (.pushdown, "a, Z → AZ a, A → AA", "a, Z → AZ|a, A → AA"),
    (.turing, "a → b, R", "a → b, R"), (.turing, "a/b,R; _;□,l", "a → b, R|□ → □, L"),
    (.turing, "a;b;S", "a → b, S"), (.moore, "a, b c", "a|b|c"),
    (.turing, "\\, → \\_, L", "\\, → \\_, L"), (.pushdown, "\\ε, ep\\s → \\-", "\\ε, ep\\s → \\-"),
  ])
  func labelsAreReadAsPeopleWriteThem(kind: Machine.Kind, typed: String, rules: String) throws {
    let read = try MachineRule.rules(typed, of: kind)
    #expect(read.map(\.text).joined(separator: "|") == rules)
    for rule in read { #expect(try MachineRule.rules(rule.text, of: kind) == [rule]) }
  }

  @Test(arguments: [
    (Machine.Kind.turing, "a → b"), (.turing, "a → b, X"), (.turing, "ab → b, R"),
    (.turing, "ε → b, R"), (.mealy, "a"), (.mealy, "ab/x"), (.mealy, "ε/x"), (.mealy, "a/"),
    (.pushdown, "a, X"), (.pushdown, "a,,b"), (.pushdown, "a → X, Y"), (.moore, "ab"),
    (.moore, "a/x"), (.moore, "ε"), (.pushdown, "a, X → Y Z"),
  ])
  func badLabelsGetAnExample(kind: Machine.Kind, typed: String) {
    do throws(AutomatonError) {
      _ = try MachineRule.rules(typed, of: kind)
      Issue.record("\(typed) was read")
    } catch {
      #expect(error.expected.contains("`\(kind.exampleLabel)`"), "\(error)")
    }
  }

  // MARK: Outputs

  /// The remainders modulo 3 of the beginnings of a binary number.
  private func remainders(_ word: [Character]) -> String {
    var value = 0
    return word.map { digit in
      value = (2 * value + (digit == "1" ? 1 : 0)) % 3
      return "\(value)"
    }.joined()
  }

  @Test func mooreAndMealyMachinesOfOneFunctionAnswerTheSame() throws {
    let ways = [("0", 0, 0), ("1", 0, 1), ("0", 1, 2), ("1", 1, 0), ("0", 2, 1), ("1", 2, 2)]
    let moore = try machine(
      .moore, "q0/0 q1/1 q2/2", ways.map { (from: "q\($0.1)", to: "q\($0.2)", label: $0.0) })
    let mealy = try machine(
      .mealy, "q0 q1 q2",
      ways.map { (from: "q\($0.1)", to: "q\($0.2)", label: "\($0.0)/\($0.2)") })
    for word in words(["0", "1"], upTo: 8) {
      let (one, other) = (try moore.run(word), try mealy.run(word))
      #expect(one.outcome == .answered && other.outcome == .answered)
      // A Moore machine has an output before the first symbol as well.
      #expect(one.last.output == "0" + remainders(word))
      #expect(other.last.output == remainders(word))
      #expect(one.stepCount == word.count + 1)
    }
    #expect(
      try mealy.run(Array("012")).outcome == .stopped("no transition of q1 reads symbol 3, 2"))
    #expect(try mealy.run(Array("012")).last.output == "01")
  }

  @Test func commasSeparateSymbolsUnlessTheyAreSome() throws {
    let plain = try machine(.mealy, "p", [("p", "p", "a/x b/y")])
    #expect(plain.symbols(of: "a,b, a") == ["a", "b", "a"])
    let reading = try machine(.mealy, "p", [("p", "p", "a/x \\,/y")])
    #expect(reading.symbols(of: "a,a") == ["a", ",", "a"])
  }

  @Test func outputsNeedOneWay() throws {
    let choice = try machine(.mealy, "p q", [("p", "p", "a/x"), ("p", "q", "a/y")])
    #expect(choice.conflicts.count == 1)
    #expect(throws: AutomatonError.self) { try choice.run(["a"]) }
  }

  // MARK: Stacks

  @Test func stacksCountAndMatch() throws {
    let equal = try machine(
      .pushdown, "p q f", final: "f",
      [
        ("p", "p", "a, ε → A"), ("p", "q", "ε, ε → ε"), ("q", "q", "b, A → ε"),
        ("q", "f", "ε, Z → Z"),
      ])
    let palindromes = try machine(
      .pushdown, "p q f", final: "f",
      [
        ("p", "p", "a, ε → A; b, ε → B"), ("p", "q", "ε, ε → ε; a, ε → ε; b, ε → ε"),
        ("q", "q", "a, A → ε; b, B → ε"), ("q", "f", "ε, Z → Z"),
      ])
    let brackets = try machine(
      .pushdown, "p f", final: "f", [("p", "p", "a, ε → A; b, A → ε"), ("p", "f", "ε, Z → Z")])
    for word in words(["a", "b"], upTo: 8) {
      let count = word.count { $0 == "a" }
      let isEqual =
        word == Array(String(repeating: "a", count: count))
        + Array(String(repeating: "b", count: count))
      var depths = [0]
      for symbol in word { depths.append(depths.last! + (symbol == "a" ? 1 : -1)) }
      let isBalanced = depths.allSatisfy { $0 >= 0 } && depths.last == 0
      #expect((try equal.run(word).outcome == .accepted) == isEqual, "\(word)")
      #expect((try palindromes.run(word).outcome == .accepted) == (word == word.reversed()))
      #expect((try brackets.run(word).outcome == .accepted) == isBalanced, "\(word)")
    }
    let run = try equal.run(Array("aabb"))
    let stacks = (0..<run.stepCount).map { run.step($0).stack ?? "" }
    #expect(stacks == ["Z", "AZ", "AAZ", "AAZ", "AZ", "Z", "Z"])
    #expect((0..<run.stepCount).map { run.step($0).position } == [0, 1, 2, 2, 3, 4, 4])
  }

  @Test func endlessStacksAreUndecidedAndCirclesAreNot() throws {
    let growing = try machine(.pushdown, "p f", final: "f", [("p", "p", "ε, ε → A")])
    let run = try growing.run([], limits: .init(steps: 500))
    #expect(run.outcome.message == "undecided after 500 steps")
    let tall = try growing.run([], limits: .init(steps: 500, cells: 20))
    #expect(tall.outcome.message == "undecided after 20 symbols on the stack")
    let branching = try machine(
      .pushdown, "p f", final: "f", [("p", "p", "ε, ε → A; ε, ε → B")])
    #expect(
      try branching.run([], limits: .init(configurations: 1000)).outcome.message
        == "undecided after 1,000 configurations")
    let circle = try machine(.pushdown, "p f", final: "f", [("p", "p", "ε, Z → Z")])
    #expect(
      try circle.run([]).outcome
        == .rejected("it repeats a configuration in p and never ends"))
  }

  // MARK: Tapes

  @Test func aTapeCountsInBinary() throws {
    let increment = try machine(
      .turing, "r c h", final: "h",
      [
        ("r", "r", "0 → 0, R; 1 → 1, R"), ("r", "c", "_ → _, L"), ("c", "c", "1 → 0, L"),
        ("c", "h", "0 → 1, S; _ → 1, S"),
      ])
    for number in 0..<200 {
      let run = try increment.run(Array(String(number, radix: 2)))
      #expect(run.outcome == .accepted)
      #expect(run.last.tape?.content == String(number + 1, radix: 2))
    }
    #expect(
      try increment.run(Array("10a")).outcome
        == .rejected("it halts in r, which is not final, with a under the head"))
  }

  /// The champions for two, three and four states: 6, 21 and 107 steps with 4, 6 and 13 ones.
  @Test(arguments: [
    ("1RB1LB 1LA1RH", 6, 4), ("1RB1RH 1LB0RC 1LC1LA", 21, 5),
    ("1RB1LB 1LA0LC 1RH1LD 1RD0RA", 107, 13),
  ])
  func busyBeaversStopAfterTheirKnownSteps(table: String, steps: Int, ones: Int) throws {
    var arrows: [(from: String, to: String, label: String)] = []
    for (state, row) in zip("ABCD", table.split(separator: " ")) {
      for (read, way) in zip("_1", [row.prefix(3), row.suffix(3)].map { Array($0) }) {
        let write = way[0] == "0" ? "_" : way[0]
        arrows.append((String(state), String(way[2]), "\(read) → \(write), \(way[1])"))
      }
    }
    let beaver = try machine(.turing, "A B C D H", final: "H", arrows)
    let run = try beaver.run([])
    #expect(run.outcome == .accepted && run.stepCount - 1 == steps)
    #expect(run.last.tape?.content.count { $0 == "1" } == ones)
    #expect(beaver.conflicts.isEmpty)
  }

  @Test func endlessTapesAreUndecidedAndTheirLimitsAreKept() throws {
    let running = try machine(.turing, "p h", final: "h", [("p", "p", "_ → 1, R")])
    #expect(try running.run([]).outcome.message == "undecided after 10,000 steps")
    #expect(
      try running.run([], limits: .init(cells: 50)).outcome.message
        == "undecided after 50 cells of the tape beside the word")
    let still = try machine(.turing, "p h", final: "h", [("p", "p", "_ → _, S")])
    #expect(
      try still.run([]).outcome
        == .rejected("it repeats a configuration in p and never ends"))
    // A guess: it accepts if the word has a 1.
    let guess = try machine(
      .turing, "p q h", final: "h", [("p", "p", "0 → 0, R; 1 → 1, R"), ("p", "h", "1 → 1, S")])
    #expect(try guess.run(Array("0001000")).outcome == .accepted)
    #expect(try guess.run(Array("0000")).outcome.name == "rejected")
  }

  @Test func findingsNameWhatIsMissing() throws {
    let drawn = try Automaton(
      states: [.init("p", name: "p", isInitial: true), .init("q", name: "q/x")],
      transitions: [.init("t", from: "p", to: "q", symbols: ["a/x"])])
    let moore = Machine.findings(of: drawn, .moore)
    #expect(moore.errors.count == 1 && moore.errors[0].contains("from p to q"))
    #expect(moore.warnings.contains { $0.contains("state p has no output") })
    #expect(Machine.findings(of: drawn, .mealy).errors.isEmpty)
    #expect(Machine.findings(of: drawn, .turing).errors.contains("no final state"))
    #expect(
      Machine.Kind.pushdown.refusal(of: "minimize").description.contains("cannot be decided"))
  }

  // MARK: JFLAP

  @Test func jflapsFilesAreReadAndSurvive() throws {
    let states = """
      <state id="0" name="q0"><x>10.0</x><y>20.0</y><initial/><output>0</output></state>
      <state id="1" name="q1"><x>300.0</x><y>20.0</y><final/><output/></state>
      """
    for (type, kind, transition, label) in [
      ("mealy", Machine.Kind.mealy, "<read>a</read><transout>xy</transout>", "a/xy"),
      ("moore", .moore, "<read>a</read>", "a"),
      ("pda", .pushdown, "<read/><pop>Z</pop><push>AZ</push>", "ε, Z → AZ"),
      ("turing", .turing, "<read/><write>,</write><move>L</move>", "□ → \\,, L"),
    ] {
      let file = """
        <?xml version="1.0" encoding="UTF-8" standalone="no"?><!--Created with JFLAP 7.1.-->
        <structure><type>\(type)</type><automaton>\(states)
        <transition><from>0</from><to>1</to>\(transition)</transition></automaton></structure>
        """
      let read = try Format.jflap.read(Data(file.utf8), name: "a.jff")
      #expect(read.kind == kind && read.automaton.transitions.map(\.symbols) == [[label]])
      #expect(read.automaton.states[0].name == (kind == .moore ? "q0/0" : "q0"))
      let written = try Format.jflap.write(read)
      let again = try Format.jflap.read(written, name: "b.jff")
      #expect(again.automaton.transitions.map(\.symbols) == [[label]])
      #expect(again.automaton.states.map(\.name) == read.automaton.states.map(\.name))
      #expect(again.automaton.finalStates == ["1"] && again.kind == kind)
      let text = String(decoding: written, as: UTF8.self)
      #expect(text.contains("<type>\(type)</type>"))
      #expect(throws: AutomatonError.self) { try Format.table.write(read) }
    }
  }

  @Test func whatJflapsFilesHaveBeyondIsRefused() {
    for (type, part) in [
      ("turing", "<read>!a</read><write>b</write><move>R</move>"),
      ("turing", "<read tape=\"1\">a</read><read tape=\"2\">b</read>"),
      ("turing", "<read>a</read><write>b</write><move>X</move>"),
      ("mealy", "<read>ab</read><transout>x</transout>"), ("lsystem", "<read>a</read>"),
    ] {
      let file = """
        <structure><type>\(type)</type><automaton><state id="0" name="q"/>
        <transition><from>0</from><to>0</to>\(part)</transition></automaton></structure>
        """
      #expect(throws: AutomatonError.self, "\(part)") {
        try Format.jflap.read(Data(file.utf8), name: "a.jff")
      }
    }
  }
}
