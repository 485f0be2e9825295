import Automata
import Testing

@Suite(.timeLimit(.minutes(30))) struct GradingTests {
  @Test(arguments: 0..<40) func aReversedAutomatonAcceptsReversedWords(seed: Int) {
    let automaton = randomAutomaton(seed: UInt64(seed))
    let reversed = automaton.reversed
    for word in allWords(upTo: 5) {
      #expect(reversed.accepts(word.reversed()) == automaton.accepts(word), "\(word)")
    }
    #expect(reversed.reversed == automaton)
  }

  @Test(arguments: 0..<40) func agreementIsTheShareOfWordsWithTheSameAnswer(seed: Int) throws {
    let one = randomAutomaton(seed: UInt64(seed)), other = randomAutomaton(seed: UInt64(seed + 100))
    for length in [0, 1, 4] {
      let words = allWords(upTo: length, over: one.alphabet)
      let same = words.count { one.accepts($0) == other.accepts($0) }
      let share = try one.agreement(with: other, upTo: length)
      #expect(abs(share - Double(same) / Double(words.count)) < 1e-12)
    }
  }

  @Test func longWordsAndManySymbolsDoNotOverflow() throws {
    let symbols = (0..<60).map { "s\($0)" }
    let all = try Automaton(
      states: [.init("1", isInitial: true, isFinal: true)],
      transitions: [.init("t", from: "1", to: "1", symbols: symbols)])
    #expect(abs(try all.agreement(with: all, upTo: 1000) - 1) < 1e-12)
    #expect(try all.agreement(with: all.complement(), upTo: 1000) == 0)
  }

  /// Words that end in `b`, with the state for `b` named wrongly if asked.
  private func endsInB(loops: [String] = ["a"]) throws -> Automaton {
    try Automaton(
      states: [.init("1", isInitial: true), .init("2", isFinal: true)],
      transitions: [
        .init("a", from: "1", to: "1", symbols: loops),
        .init("b", from: "1", to: "2", symbols: ["b"]),
        .init("c", from: "2", to: "2", symbols: ["b"]),
        .init("d", from: "2", to: "1", symbols: ["a"]),
      ])
  }

  @Test func gradesNameTheDifferenceTheShareAndTheConditions() throws {
    let grading = Grading(
      solution: try endsInB(), conditions: [.deterministic, .maximumStates(1)], longestWord: 2)
    let right = try grading.grade(endsInB())
    #expect(right.difference == nil && right.share == 1 && !right.isRight)
    #expect(right.objections == ["2 states, at most 1 are allowed"])
    let loosely = Grading(
      solution: try endsInB(), conditions: [.deterministic, .maximumStates(2)], longestWord: 2)
    #expect(try loosely.grade(endsInB()).isRight)
    // `a` leads nowhere: of the words ε, a, b, aa, ab, ba, bb only ab is answered otherwise.
    let wrong = try grading.grade(endsInB(loops: []))
    #expect(wrong.difference == ["a", "b"] && !wrong.acceptsDifference)
    #expect(abs(wrong.share - 6 / 7) < 1e-12)
    let loose = try grading.grade(endsInB(loops: ["a", "b"]))
    #expect(loose.difference == nil && loose.objections.count == 2)
    #expect(loose.objections[0].hasPrefix("not deterministic: "))
  }

  @Test func symbolsThatTheSolutionLacksDoNotCount() throws {
    let grading = Grading(solution: try endsInB(), longestWord: 4)
    let other = try grading.grade(endsInB(loops: ["a", "z"]))
    #expect(other.difference == ["z", "b"] && other.acceptsDifference && !other.isRight)
    #expect(other.share == 1)
  }

  @Test func testsDecideTheShareWhereThereAreSome() throws {
    let tests = try WordTest.read(
      "word,expected\nb,accepted\nab\taccepted\nε,no\n\n# x\nba,0", name: "w")
    #expect(tests.map(\.word) == ["b", "ab", "ε", "ba"])
    #expect(tests.map(\.isAccepted) == [true, true, false, false])
    let grading = Grading(solution: try endsInB(), tests: tests)
    #expect(grading.wrongTests == [])
    let grade = try grading.grade(endsInB(loops: []))
    #expect(grade.failedTests == [WordTest("ab", isAccepted: true)] && grade.share == 0.75)
    let contrary = Grading(solution: try endsInB(), tests: [WordTest("b", isAccepted: false)])
    #expect(contrary.wrongTests.count == 1)
  }

  /// Where a table has tabs, commas are symbols.
  @Test func aTabSeparatesRatherThanACommaOrASemicolon() throws {
    let tests = try WordTest.read("a,b\taccepted\na;b\tno", name: "w")
    #expect(tests == [WordTest("a,b", isAccepted: true), WordTest("a;b", isAccepted: false)])
  }

  @Test(arguments: [
    ("ab", "w, line 1: expected a word, a comma, and accepted or rejected, found `ab`"),
    (
      "a,yes\nb,maybe",
      "w, line 2: expected accepted or rejected after the last comma, found `maybe`"
    ),
    ("a,b,", "w, line 1: expected accepted or rejected after the last comma, found ``"),
  ])
  func linesThatAreNoTestAreNamed(text: String, message: String) {
    let error = #expect(throws: AutomatonError.self) { try WordTest.read(text, name: "w") }
    #expect(error?.description == message)
  }

  @Test func mermaidHasDotsForInitialAndFinalStates() throws {
    let automaton = try Automaton(
      states: [.init("p", name: "q_0", isInitial: true), .init("q", name: "", isFinal: true)],
      transitions: [.init("t", from: "p", to: "q", symbols: ["a", "\""], includesEpsilon: true)])
    #expect(
      automaton.mermaid() == """
        stateDiagram-v2
          direction LR
          state "q#95;0" as s0
          state "q1" as s1
          [*] --> s0
          s0 --> s1: a, #92;#34;, ε
          s1 --> [*]

        """)
  }
}
