import Automata
import Testing

/// What single operations give, beyond the words that they accept.
@Suite(.timeLimit(.minutes(30))) struct OperationTests {
  /// 1 →ε 2 →a 3 →ε 4, with 5 beside it, 6 that leads nowhere and 7 that nothing leads to.
  private func automaton() throws -> Automaton {
    try Automaton(
      states: [
        .init("1", isInitial: true), .init("2"), .init("3"), .init("4", isFinal: true),
        .init("5", isInitial: true), .init("6"), .init("7", isFinal: true),
      ],
      transitions: [
        .init("a", from: "1", to: "2", includesEpsilon: true),
        .init("b", from: "2", to: "3", symbols: ["a"]),
        .init("c", from: "3", to: "4", includesEpsilon: true),
        .init("d", from: "4", to: "1", includesEpsilon: true),
        .init("e", from: "2", to: "6", symbols: ["a"]),
        .init("f", from: "7", to: "4", symbols: ["a"]),
      ])
  }

  @Test func closuresFollowEpsilonOnly() throws {
    let automaton = try automaton()
    #expect(automaton.epsilonClosure(of: ["1"]) == ["1", "2"])
    #expect(automaton.epsilonClosure(of: ["3"]) == ["1", "2", "3", "4"])
    #expect(automaton.epsilonClosure(of: ["5", "7", "?"]) == ["5", "7"])
    #expect(automaton.epsilonClosure(of: []) == [])
  }

  @Test func trimmingTakesWhatNoAcceptedWordNeeds() throws {
    let trimmed = try automaton().trimmed
    // Initial states stay, though 5 leads nowhere.
    #expect(trimmed.states.map(\.id) == ["1", "2", "3", "4", "5"])
    #expect(trimmed.transitions.map(\.id) == ["a", "b", "c", "d"])
  }

  @Test func runsSayWhereAWordWasAccepted() throws {
    let run = try automaton().run(["a", "a"])
    #expect(run.isAccepted && run.finalPositions == [1, 2])
    #expect(run.endStates == ["1", "2", "3", "4", "6"])
    #expect(try automaton().run([]).finalPositions == [])
    let trace = try automaton().trace(["a"])
    #expect(trace.path == ["a", "b", "c"])
    #expect(trace.steps.map(\.transitions) == [["a"], ["a", "b", "c", "d", "e"]])
    #expect(trace.steps[0].states == ["1", "2", "5"] && trace.steps[0].symbol == nil)
  }

  @Test func aTrapIsAddedOnlyWhereAWayIsMissing() throws {
    let all = try Automaton(
      states: [.init("1", isInitial: true, isFinal: true)],
      transitions: [.init("t", from: "1", to: "1", symbols: ["a"])])
    #expect(try all.determinized(addsTrap: true).states.count == 1)
    #expect(try all.determinized(addsTrap: true).states[0].name == "1")
    let missing = try all.addingToAlphabet(["b"])
    #expect(try missing.determinized().states.count == 1)
    let completed = try missing.determinized(addsTrap: true)
    #expect(completed.states.map(\.name) == ["1", "trap"])
    #expect(completed.states.map(\.isFinal) == [true, false])
    // Every symbol leads from every state to one state.
    for state in completed.states {
      let symbols = completed.transitions.filter { $0.start == state.id }.flatMap(\.symbols)
      #expect(symbols.sorted() == ["a", "b"])
    }
  }

  @Test func limitsHoldToTheLastState() throws {
    // Three sets: {1}, {1, 2}, {1, 2, 3}.
    let automaton = try RegularExpression("(a|b)*ab").automaton
    let count = try automaton.determinized().states.count
    #expect(try automaton.determinized(limit: Limit(states: count)).states.count == count)
    #expect(throws: AutomatonError.self) {
      try automaton.determinized(limit: Limit(states: count - 1))
    }
    let entries = 2 * count
    #expect(throws: Never.self) {
      try automaton.determinized(limit: Limit(tableEntries: entries))
    }
    #expect {
      try automaton.determinized(limit: Limit(tableEntries: entries - 1))
    } throws: {
      "\($0)".contains("at most \(entries - 1) states times symbols")
    }
  }

  @Test func findingsTellWhatIsWrong() throws {
    let findings = try automaton().findings
    #expect(
      findings == [
        .severalInitialStates(["1", "5"]), .dead(state: "5"),
        .dead(state: "6"), .unreachable(state: "7"),
      ])
    #expect(findings.allSatisfy { !$0.isError })
    let empty = try Automaton(states: [.init("1")], transitions: [])
    #expect(empty.findings == [.noInitialState, .noFinalState])
    #expect(empty.findings.allSatisfy { $0.isError })
  }

  @Test func mergedStatesAreNamedBySetsThatAreShort() throws {
    /// Final leaves that cannot be told apart, behind a root.
    func minimal(_ root: String, leaves: [String]) throws -> [String] {
      try Automaton(
        states: [.init("id", name: root, isInitial: true)]
          + leaves.indices.map { .init("id\($0)", name: leaves[$0], isFinal: true) },
        transitions: leaves.indices.map {
          .init("t\($0)", from: "id", to: "id\($0)", symbols: ["\($0)"])
        }
      ).minimized().states.map(\.name)
    }
    #expect(try minimal("s", leaves: ["a"]) == ["s", "a"])
    #expect(try minimal("s", leaves: ["q10", "q9"]) == ["s", "{q9,q10}"])
    // Too long for a name: the first that no state has, and not one that means something else.
    let many = (1...12).map { "q\($0)" }
    #expect(try minimal("s", leaves: many) == ["s", "q0"])
    #expect(try minimal("q0", leaves: many) == ["q0", "q13"])
    #expect(try minimal("s", leaves: ["", "a"]) == ["s", "{a,q1}"])
    let nothing = try Automaton(
      states: [.init("p", isInitial: true)], transitions: [], alphabet: ["a"])
    #expect(try nothing.minimized().states.map(\.name) == ["p"])
  }

  @Test func mistakesInLargeAutomataAreFound() throws {
    // Where each state looks at all others, this takes longer than the suite may.
    let count = 700_000
    let automaton = try Automaton(
      states: (0..<count).map { .init("\($0)", isInitial: $0 == 0, isFinal: $0 == 1) },
      transitions: [.init("t", from: "0", to: "1", symbols: ["a"])])
    #expect(automaton.acceptsAnyWord)
    #expect(automaton.findings.count == 2 * (count - 2))
  }

  @Test func anAutomatonAcceptsAnyWordWhereAFinalStateIsReached() throws {
    #expect(try automaton().acceptsAnyWord)
    let apart = try Automaton(
      states: [.init("1", isInitial: true), .init("2", isFinal: true)], transitions: [])
    #expect(!apart.acceptsAnyWord)
    #expect(
      try Automaton(states: [.init("1", isInitial: true, isFinal: true)], transitions: [])
        .acceptsAnyWord)
  }

  /// Texts that Swift takes for equal are one id, whether they are short ASCII or not.
  @Test(arguments: [
    (["K", "L"], ["\u{212a}", "L"]), (["\u{212a}", "L"], ["K", "L"]),
    (["caf\u{e9}", "a longer id"], ["cafe\u{301}", "a longer id"]),
    (["", "\u{0}"], ["", "\u{0}"]),
    (["1234567", "12345678"], ["1234567", "12345678"]),
  ]) func idsOfTransitionsAreThoseOfStates(ids: [String], written: [String]) throws {
    let automaton = try Automaton(
      states: [
        .init(ids[0], name: "one", isInitial: true), .init(ids[1], name: "two", isFinal: true),
      ],
      transitions: [
        .init("t", from: written[0], to: written[1], symbols: ["a"]),
        .init("u", from: written[1], to: written[1], symbols: ["b"]),
      ])
    #expect(automaton.accepts(["a", "b"]) && !automaton.accepts(["b"]))
    let minimized = try automaton.minimized()
    #expect(minimized.states.map(\.name) == ["one", "two"])
    #expect(minimized.states.map(\.isFinal) == [false, true])
    #expect(try automaton.acceptedStrings(first: 3) == [["a"], ["a", "b"], ["a", "b", "b"]])
  }

  /// States in a circle, each `copies` times; a transition leads to one copy of the next state, and only the
  /// first state is final.
  private func circle(of count: Int, copies: Int) throws -> Automaton {
    try Automaton(
      states: (0..<copies * count).map {
        .init("\($0)", isInitial: $0 == 0, isFinal: $0 < copies)
      },
      transitions: (0..<copies * count).map { state in
        let next = (state / copies + 1) % count * copies + state * 7 % copies
        return .init("t\(state)", from: "\(state)", to: "\(next)", symbols: ["a"])
      })
  }

  @Test func largeAutomataAreMinimizedAndCompared() throws {
    let (single, several) = (try circle(of: 700, copies: 1), try circle(of: 700, copies: 3))
    #expect(try several.minimized().states.count == 700)
    #expect(try several.isEquivalent(to: single) && single.isEquivalent(to: several))
    #expect(try several.counterexample(to: circle(of: 350, copies: 1))?.count == 350)
    #expect(try single.determinized().states.map(\.name) == single.states.map(\.name))
  }

  @Test func setsOfStatesAreNamedAfterThem() throws {
    let empty = try Automaton(states: [.init("1")], transitions: [], alphabet: ["a"])
    #expect(try empty.determinized().states.map(\.name) == ["{}"])
    #expect(try empty.minimized().states.map(\.name) == ["{}"])
    // By their numbers of characters, whatever their bytes are.
    let merged = try Automaton(
      states: ["zz", "é", "q"].map { .init($0, isInitial: $0 == "q", isFinal: $0 != "q") },
      transitions: [
        .init("t", from: "q", to: "zz", symbols: ["a"]),
        .init("u", from: "q", to: "é", symbols: ["b"]),
      ])
    #expect(try merged.minimized().states.map(\.name) == ["q", "{é,zz}"])
  }

  @Test func idsCount() throws {
    let states = try circle(of: 101, copies: 1).minimized()
    #expect(states.states.map(\.id) == (0...100).map { "q\($0)" })
    #expect(states.transitions.map(\.id) == (0...100).map { "t\($0)" })
  }

  @Test func idsOccurOnceAlsoIfOthersAreLong() {
    for ids in [["a", "a long id", "a"], ["a long id", "a long id"], ["K", "\u{212a}"]] {
      #expect(throws: AutomatonError.self) {
        try Automaton(states: ids.map { .init($0) }, transitions: [])
      }
    }
  }

  @Test func fewStatesOfManySymbolsAreReached() throws {
    // A table of all states and symbols would have 25 million entries.
    let automaton = try Automaton(
      states: (0..<5000).map { .init("\($0)", isInitial: $0 == 0, isFinal: $0 == 1) },
      transitions: (0..<5000).map {
        .init("\($0)", from: "\($0)", to: "\($0 / 2 * 2 + 1)", symbols: ["s\($0)"])
      })
    let limit = Limit(tableEntries: 10_000)
    #expect(try automaton.determinized(limit: limit).states.map(\.name) == ["0", "1"])
  }

  @Test func morePairsThanTheLimitAreCompared() throws {
    /// A circle whose states are all final.
    func accepting(_ count: Int) throws -> Automaton {
      let circle = try circle(of: count, copies: 1)
      return try Automaton(
        states: circle.states.map { .init($0.id, isInitial: $0.isInitial, isFinal: true) },
        transitions: circle.transitions)
    }
    // 9,900 pairs of states are reached.
    let (one, other) = (try accepting(99), try accepting(100))
    let limit = Limit(states: 100)
    #expect(try one.isEquivalent(to: other, limit: limit))
    #expect(throws: AutomatonError.self) {
      try one.combined(with: other, by: .union, limit: limit)
    }
    #expect(
      try circle(of: 99, copies: 1).counterexample(to: circle(of: 100, copies: 1), limit: limit)?
        .count == 99)
  }

  @Test func minimizingLeavesOutStatesThatLeadToNoFinalState() throws {
    // 1 accepts `a`; 3 and 4 are dead, and 5 is not reached.
    let transitions: [Automaton.Transition] = [
      .init("t", from: "1", to: "2", symbols: ["a"]),
      .init("u", from: "1", to: "3", symbols: ["b"]),
      .init("v", from: "3", to: "4", symbols: ["a", "b"]),
      .init("w", from: "4", to: "3", symbols: ["a"]),
      .init("x", from: "5", to: "2", symbols: ["b"]),
    ]
    let ids = ["1", "2", "3", "4", "5"]
    let accepting = try Automaton(
      states: ids.map { .init($0, isInitial: $0 == "1", isFinal: $0 == "2") },
      transitions: transitions)
    #expect(try accepting.minimized().states.map(\.name) == ["1", "2"])
    #expect(try accepting.minimized().transitions.map(\.symbols) == [["a"]])
    // Nothing is accepted: the initial state stays, with its name.
    let rejecting = try Automaton(
      states: ids.map { .init($0, isInitial: $0 == "1") }, transitions: transitions)
    #expect(try rejecting.minimized().states.map(\.name) == ["1"])
    #expect(try rejecting.minimized().transitions.isEmpty)
    #expect(try rejecting.counterexample(to: accepting) == ["a"])
  }

  @Test func limitsHoldForDeterministicAutomata() throws {
    let circle = try circle(of: 9, copies: 1)
    #expect(try circle.minimized(limit: Limit(states: 9)).states.count == 9)
    #expect(throws: AutomatonError.self) { try circle.minimized(limit: Limit(states: 8)) }
    #expect(throws: AutomatonError.self) { try circle.minimized(limit: Limit(tableEntries: 8)) }
    #expect(throws: AutomatonError.self) { try circle.determinized(limit: Limit(transitions: 8)) }
  }

  @Test func symbolsOfTransitionsAreThoseOfTheAlphabet() throws {
    // Letters of one text that are written with other code points.
    let automaton = try Automaton(
      states: [.init("1", isInitial: true), .init("2", isFinal: true)],
      transitions: [
        .init("t", from: "1", to: "2", symbols: ["K"]),
        .init("u", from: "2", to: "2", symbols: ["\u{212a}"]),
      ])
    #expect(automaton.alphabet.count == 1)
    #expect(automaton.accepts(["K", "K"]) && automaton.accepts(["\u{212a}"]))
    #expect(try automaton.minimized().states.count == 2)
  }

  @Test func withoutSymbolsOnlyTheEmptyWordCounts() throws {
    let accepting = try Automaton(
      states: [.init("1", isInitial: true, isFinal: true), .init("2")], transitions: [])
    let rejecting = try Automaton(states: [.init("1", isInitial: true)], transitions: [])
    #expect(try accepting.minimized().states.map(\.isFinal) == [true])
    #expect(try rejecting.minimized().states.map(\.isFinal) == [false])
    #expect(try accepting.counterexample(to: rejecting) == [])
    #expect(try accepting.isEquivalent(to: accepting))
  }

  @Test func twoTransitionsToOneStateAreNoChoice() throws {
    let automaton = try Automaton(
      states: [
        .init("1", name: "a long name for a state", isInitial: true), .init("2", isFinal: true),
      ],
      transitions: [
        .init("t", from: "1", to: "2", symbols: ["a", "a"]),
        .init("u", from: "1", to: "2", symbols: ["a"]),
      ])
    #expect(automaton.isDeterministic)
    #expect(try automaton.determinized().states.map(\.name) == ["a long name for a state", "2"])
    // The names of sets are limited, and these are their names.
    #expect(throws: AutomatonError.self) {
      try automaton.determinized(limit: Limit(transitions: 20))
    }
    #expect(try automaton.minimized(limit: Limit(transitions: 20)).states.count == 2)
  }
}
