import Foundation
import Testing

@testable import Automata

@Suite(.timeLimit(.minutes(30))) struct AutomataTests {
  static let seeds = Array(UInt64(1)...150)

  @Test(arguments: seeds) func theSameWordsByEveryConstruction(seed: UInt64) throws {
    let automaton = randomAutomaton(seed: seed)
    let constructions: [(String, Automaton)] = [
      ("without ε", try automaton.withoutEpsilon()),
      ("determinised", try automaton.determinized()),
      ("with a trap", try automaton.determinized(addsTrap: true)),
      ("completed", try automaton.addingToAlphabet(["a", "b", "c"]).completed()),
      ("minimised", try automaton.minimized()),
      ("trimmed", automaton.trimmed),
      (
        "complement's complement",
        try automaton.addingToAlphabet(["a", "b"]).complement().complement()
      ),
      ("regular expression", try automaton.regularExpression().automaton),
    ]
    let complement = try automaton.addingToAlphabet(["a", "b"]).complement()
    for word in allWords(upTo: 6) {
      let expected = acceptsPlainly(automaton, word)
      #expect(automaton.accepts(word) == expected)
      for (name, other) in constructions {
        #expect(other.accepts(word) == expected, "\(name), \(word), seed \(seed)")
      }
      #expect(complement.accepts(word) != expected)
    }
    for name in 1...4 { #expect(constructions[name].1.isDeterministic) }
    #expect(constructions[0].1.transitions.allSatisfy { !$0.includesEpsilon })
  }

  @Test(arguments: seeds) func equivalentAutomataHaveTheSameMinimalOne(seed: UInt64) throws {
    let one = randomAutomaton(seed: seed)
    let same = try one.regularExpression().automaton
    #expect(try one.counterexample(to: same) == nil)
    let (mine, theirs) = (try one.minimized(), try same.minimized())
    // Names tell which states of each were merged.
    #expect(mine.states.map(\.id) == theirs.states.map(\.id))
    #expect(mine.states.map(\.isInitial) == theirs.states.map(\.isInitial))
    #expect(mine.states.map(\.isFinal) == theirs.states.map(\.isFinal))
    #expect(mine.transitions == theirs.transitions && mine.alphabet == theirs.alphabet)
    let other = randomAutomaton(seed: seed + 1000)
    let difference = try one.counterexample(to: other)
    let shortest = allWords(upTo: 7).first { one.accepts($0) != other.accepts($0) }
    if let shortest {
      #expect(difference == shortest)
    } else if let difference {
      #expect(difference.count > 7 && one.accepts(difference) != other.accepts(difference))
    }
  }

  @Test(arguments: seeds) func combinationsAreThoseOfSets(seed: UInt64) throws {
    let (one, other) = (randomAutomaton(seed: seed), randomAutomaton(seed: seed + 500, states: 4))
    let union = try one.combined(with: other, by: .union)
    let intersection = try one.combined(with: other, by: .intersection)
    let difference = try one.combined(with: other, by: .difference)
    for word in allWords(upTo: 5) {
      let (mine, theirs) = (one.accepts(word), other.accepts(word))
      #expect(union.accepts(word) == (mine || theirs))
      #expect(intersection.accepts(word) == (mine && theirs))
      #expect(difference.accepts(word) == (mine && !theirs))
    }
  }

  @Test(arguments: seeds) func firstWordsAreThoseThatAreTried(seed: UInt64) throws {
    let automaton = randomAutomaton(seed: seed)
    let tried = allWords(upTo: 8).filter(automaton.accepts)
    let first = try automaton.acceptedStrings(first: 12)
    #expect(first.starts(with: tried.prefix(12)))
    if first.count < 12 { #expect(first.count == tried.count) }
    #expect(automaton.shortestWord == first.first)
  }

  @Test(arguments: seeds) func aTraceIsAWalk(seed: UInt64) throws {
    let automaton = randomAutomaton(seed: seed)
    let byID = Dictionary(uniqueKeysWithValues: automaton.transitions.map { ($0.id, $0) })
    for word in allWords(upTo: 4) {
      let trace = automaton.trace(word)
      #expect(trace.run == automaton.run(word))
      #expect((trace.path != nil) == trace.run.isAccepted)
      #expect(trace.steps.count <= word.count + 1)
      guard let path = trace.path else { continue }
      // The path begins where reading may, reads the word, and ends where it may.
      var here: String?
      var read: Set<Int> = [0]
      for id in path {
        let transition = byID[id]!
        if let here {
          #expect(transition.start == here)
        } else {
          #expect(automaton.initialStates.contains(transition.start))
        }
        here = transition.end
        read = Set(
          read.flatMap { count -> [Int] in
            let reads = count < word.count && transition.symbols.contains(word[count])
            return (transition.includesEpsilon ? [count] : []) + (reads ? [count + 1] : [])
          })
      }
      #expect(read.contains(word.count))
      if let here { #expect(automaton.finalStates.contains(here)) }
    }
  }

  @Test func rejectionsSayWhy() throws {
    let automaton = try Automaton(
      states: [.init("1", isInitial: true), .init("2"), .init("3", isFinal: true)],
      transitions: [
        .init("a", from: "1", to: "2", symbols: ["A"]),
        .init("b", from: "2", to: "3", symbols: ["B"]),
      ])
    #expect(
      automaton.run(["A", "B"]) == Run(rejection: nil, endStates: ["3"], finalPositions: [2]))
    #expect(automaton.run(["A"]).rejection == .notFinal)
    #expect(automaton.run(["A", "A"]).rejection == .stuck(position: 1))
    #expect(automaton.run(["A", "C", "B"]).rejection == .unknownSymbol("C", position: 1))
    let nowhere = try Automaton(states: [.init("1", isFinal: true)], transitions: [])
    #expect(nowhere.run([]).rejection == .noInitialState)
    #expect(automaton.findings.isEmpty)
    #expect(nowhere.findings == [.noInitialState])
  }

  @Test func nondeterminismIsListed() throws {
    let automaton = try Automaton(
      states: [.init("1", isInitial: true), .init("2", isInitial: true)],
      transitions: [
        .init("x", from: "1", to: "1", symbols: ["a", "b"]),
        .init("y", from: "1", to: "2", symbols: ["a"], includesEpsilon: true),
      ])
    #expect(
      automaton.nondeterminism == [
        .initialStates(["1", "2"]), .epsilon(transition: "y"),
        .choice(state: "1", symbol: "a", transitions: ["x", "y"]),
      ])
    // Two arrows to the same state leave no choice.
    let twice = try Automaton(
      states: [.init("1", isInitial: true), .init("2")],
      transitions: [
        .init("x", from: "1", to: "2", symbols: ["a"]),
        .init("y", from: "1", to: "2", symbols: ["a", "b"]),
      ])
    #expect(twice.isDeterministic)
  }

  @Test func whatExplodesStopsAtTheLimit() throws {
    // Whether the 20th symbol from the end is an `a`: 2^20 subsets.
    let expression = "(a|b)*a" + String(repeating: "(a|b)", count: 19)
    let automaton = try RegularExpression(expression).automaton
    #expect {
      try automaton.determinized(limit: Limit(states: 1000))
    } throws: {
      "\($0)".hasPrefix(
        "subset construction: expected a result of at most 1000 states, found a larger")
        && "\($0)".contains("--limit above 1000,") && "\($0)".hasSuffix("smaller first (trim)")
    }
    #expect(throws: AutomatonError.self) {
      try automaton.regularExpression(limit: Limit(transitions: 20))
    }
  }

  @Test(arguments: [
    ("(", "character 2: expected `)`, found the end"),
    ("a)", "character 2: expected the end, found `)`"),
    ("*", "character 1: expected something to repeat"), ("'ab", "expected a closing quote"),
    ("a|", "character 3: expected a symbol"), ("\\", "a character after `\\`"),
    (String(repeating: "(", count: 100_000), "expected `)`, found the end"),
    ("()", "character 2: expected a symbol, ε, ∅ or a parenthesis, found `)`"), ("", "character 1"),
  ])
  func malformedExpressionsAreRefused(text: String, message: String) {
    #expect {
      try RegularExpression(text)
    } throws: {
      "\($0)".contains(message)
    }
  }

  private func words(
    _ text: String, alphabet: [String] = [], _ notation: RegularExpression.Notation = .standard
  ) throws -> [String] {
    try RegularExpression(text, alphabet: alphabet, notation: notation).automaton
      .acceptedStrings(first: 9).map { $0.joined() }
  }

  @Test func rangesCountsAndTheDotHaveTheirMeaning() throws {
    #expect(try words("[a-cx]") == ["a", "b", "c", "x"])
    #expect(try words("[^a]", alphabet: ["b", "c"]) == ["b", "c"])
    #expect(try words(#"[\]\-]"#) == ["-", "]"])
    #expect(try words("a{3}") == ["aaa"])
    #expect(try words("(ab|c){0,2}") == ["", "c", "ab", "cc", "abc", "cab", "abab"])
    #expect(try words("a{2,}").prefix(2) == ["aa", "aaa"])
    #expect(try words("a{2}{3}") == ["aaaaaa"])
    #expect(try words("a{0}b") == ["b"])
    #expect(try words(".b") == ["bb"])
    #expect(try words(".{2}", alphabet: ["a", "b"]) == ["aa", "ab", "ba", "bb"])
    #expect(try words("λ|a∪b·c") == ["", "a", "bc"])
    #expect(try words(#"\.\[\{\λ"#) == [".[{λ"])
    #expect(
      try RegularExpression(#"\.\[\{\λ"#).automaton.regularExpression().description
        == #"\.\[\{\λ"#)
  }

  @Test func jflapsNotationHasItsOwnSigns() throws {
    #expect(try words("a+b*!", .jflap).prefix(3) == ["", "a", "b"])
    #expect(try words("(a+b)c+[", .jflap) == ["[", "ac", "bc"])
    #expect(try RegularExpression("a+b", notation: .jflap).remarks.isEmpty)
    #expect(
      try RegularExpression("a.b", notation: .jflap).remarks == ["`.` is a symbol in this notation"]
    )
  }

  @Test(arguments: [
    ("a+b", "--notation jflap"), ("a|λ", "`λ` means `ε`"),
    ("a.b", "any symbol of the alphabet a, b"),
    (#"\d*"#, #"`\d`"#), ("^a", "`^` is a symbol"), ("!", "`!` is a symbol"),
    (#"a\n"#, #"`\n`"#), (#"\x41"#, #"`\x`"#), (#"\u0041"#, #"`\u`"#), (#"(a)\1"#, #"`\1`"#),
    ("a∘b", "`∘` is a symbol"), ("a•b", "`•` is a symbol"), ("a⁺", "`⁺` is a symbol"),
    ("a|Λ", "`Λ` is a symbol"), ("Σ*", "`Σ` is a symbol"), ("a,b", "`,` is a symbol"),
    ("a U b", "write | for a union"), ("[a&&b]", "no intersection"),
    ("a{2}?", "does not make it lazy"), ("a+?", "does not make it lazy"),
  ])
  func ambiguousSignsAreNamed(text: String, remark: String) throws {
    let remarks = try RegularExpression(text).remarks
    #expect(remarks.count == 1 && remarks[0].contains(remark), "\(remarks)")
  }

  @Test(arguments: [
    "(a|b)+b", "a+", "[a-c]{2}", "(a+)*", "ab'+'", "U", "aUb", "'Σ'*",
    #"\Σ\."#, "a*?",
    "[^a]b", "[a&]",
  ])
  func usualExpressionsNeedNoRemark(text: String) throws {
    #expect(try RegularExpression(text).remarks.isEmpty)
  }

  @Test(arguments: [
    ("a{1000}{1000}{1000}", "at most 1000000 states"), ("a{3", "a count such as {3}"),
    ("a{4,2}", "a count"), ("[ab", "`]` after the symbols"), ("[b-a]", "a range such as a-c"),
    ("[]", "symbols in brackets"), (".", "an alphabet"), ("{3}", "something to repeat"),
    ("[^a]", "expected an alphabet with other symbols"), ("[[:alpha:]]", "[:alpha:] are not read"),
  ])
  func malformedCountsAndRangesAreRefused(text: String, message: String) {
    #expect {
      try RegularExpression(text)
    } throws: {
      "\($0)".contains(message)
    }
  }

  @Test func expressionsMayBeDeep() throws {
    let deep = String(repeating: "(", count: 50_000) + "a" + String(repeating: ")", count: 50_000)
    #expect(try RegularExpression(deep).automaton.accepts(["a"]))
  }

  @Test func expressionsThatExplodeStopAtTheLimit() throws {
    // To and fro along a chain: the expression of so many states does not fit.
    let count = 600
    let automaton = try Automaton(
      states: (0..<count).map { .init("\($0)", isInitial: $0 == 0, isFinal: $0 == 0) },
      transitions: (1..<count).flatMap { index in
        [
          .init("a\(index)", from: "\(index - 1)", to: "\(index)", symbols: ["a"]),
          .init("b\(index)", from: "\(index)", to: "\(index - 1)", symbols: ["b"]),
        ]
      })
    #expect {
      try automaton.regularExpression(limit: Limit(transitions: 100_000))
    } throws: {
      "\($0)".hasPrefix("regular expression: expected a result of at most 100000 characters")
    }
  }

  @Test func anAutomatonWithoutWordsHasNoFirstOnes() throws {
    // Very many states that lead to no final one.
    let count = 20_000
    let automaton = try Automaton(
      states: (0..<count).map { .init("\($0)", isInitial: $0 == 0, isFinal: $0 == count - 1) },
      transitions: (0..<count).map {
        .init("\($0)", from: "\($0)", to: "\($0 / 2)", symbols: ["a"])
      })
    #expect(try automaton.acceptedStrings(first: 3) == [])
  }

  @Test func expressionsReadWhatTheyMean() throws {
    let automaton = try RegularExpression(" 'begin' (a|b?)+ \\* ε ").automaton
    for (word, isAccepted) in [
      (["begin", "*"], true), (["begin", "a", "b", "*"], true), (["begin"], false),
      (["a", "*"], false),
    ] {
      #expect(automaton.accepts(word) == isAccepted)
    }
    let optional = try RegularExpression("ab?c").automaton
    #expect(
      ["ac", "abc", "abbc"].map { optional.accepts($0.map(String.init)) } == [true, true, false])
    #expect(try RegularExpression("∅").automaton.shortestWord == nil)
    #expect(
      try randomAutomaton(seed: 1).combined(with: randomAutomaton(seed: 1), by: .difference)
        .regularExpression().description == "∅")
  }

  @Test func inconsistentAutomataAreRefused() {
    #expect(throws: AutomatonError.self) {
      try Automaton(states: [.init("1"), .init("1")], transitions: [])
    }
    #expect(throws: AutomatonError.self) {
      try Automaton(states: [.init("1")], transitions: [.init("t", from: "1", to: "2")])
    }
    #expect(throws: AutomatonError.self) {
      try Automaton(
        states: [.init("1")], transitions: [.init("t", from: "1", to: "1", symbols: [""])])
    }
  }

  @Test func largeAutomataAreHandled() throws {
    // 10⁵ states in a ring of `a`, with `b` … `j` leading back to the start: 10⁶ transitions.
    let count = 100_000
    var transitions: [Automaton.Transition] = []
    for index in 0..<count {
      transitions.append(
        .init("a\(index)", from: "\(index)", to: "\((index + 1) % count)", symbols: ["a"]))
      for symbol in "bcdefghij" {
        transitions.append(
          .init("\(symbol)\(index)", from: "\(index)", to: "0", symbols: ["\(symbol)"]))
      }
    }
    let automaton = try Automaton(
      states: (0..<count).map { .init("\($0)", isInitial: $0 == 0, isFinal: $0 % 10 == 0) },
      transitions: transitions)
    #expect(automaton.isDeterministic)
    let minimal = try automaton.minimized()
    #expect(minimal.states.count == 10)
    // None of them can be merged where only one is final.
    let chain = try Automaton(
      states: (0..<count).map { .init("\($0)", isInitial: $0 == 0, isFinal: $0 == count - 1) },
      transitions: (1..<count).map {
        .init("\($0)", from: "\($0 - 1)", to: "\($0)", symbols: ["a"])
      })
    #expect(try chain.minimized().states.count == count)
    #expect(try automaton.isEquivalent(to: minimal))
    #expect(automaton.accepts([String](repeating: "a", count: 1000)))
    #expect(try automaton.withoutEpsilon().transitions.count == 200_000 - 1)
  }
}
