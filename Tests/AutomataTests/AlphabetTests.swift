import Automata
import SeededRandom
import Testing

@Suite(.timeLimit(.minutes(30))) struct AlphabetTests {
  /// a* over {a, b, c}, and with ε, an unreachable state and a state that leads nowhere.
  private func automaton() throws -> Automaton {
    try Automaton(
      states: [
        .init("1", isInitial: true, isFinal: true), .init("2"), .init("3"), .init("4"),
      ],
      transitions: [
        .init("t", from: "1", to: "1", symbols: ["a"], includesEpsilon: true),
        .init("u", from: "1", to: "2", symbols: ["d"]),
        .init("v", from: "3", to: "1", symbols: ["e"]),
      ], alphabet: ["c", "b", "b"])
  }

  @Test func itIsGivenAndWhatTransitionsHave() throws {
    #expect(try automaton().alphabet == ["a", "b", "c", "d", "e"])
    #expect(try automaton().addingToAlphabet(["x", "a"]).alphabet.suffix(2) == ["e", "x"])
    #expect(throws: AutomatonError.self) { try automaton().addingToAlphabet([""]) }
    #expect(throws: AutomatonError.self) {
      try Automaton(states: [], transitions: [], alphabet: [""])
    }
  }

  @Test func everyOperationKeepsIt() throws {
    let automaton = try automaton()
    for (name, result) in [
      ("without ε", try automaton.withoutEpsilon()), ("determinised", try automaton.determinized()),
      ("with a trap", try automaton.determinized(addsTrap: true)),
      ("minimised", try automaton.minimized()), ("completed", try automaton.completed()),
      ("complement", try automaton.complement()), ("trimmed", automaton.trimmed),
      ("regular expression", try automaton.regularExpression().automaton),
    ] {
      #expect(result.alphabet == ["a", "b", "c", "d", "e"], "\(name)")
    }
    let other = try RegularExpression("x", alphabet: ["y"]).automaton
    for combination in Combination.allCases {
      #expect(
        try automaton.combined(with: other, by: combination).alphabet
          == ["a", "b", "c", "d", "e", "x", "y"])
    }
  }

  @Test func theComplementOfAMinimalAutomatonHasTheOtherSymbols() throws {
    let star = try RegularExpression("a*", alphabet: ["a", "b"]).automaton
    let complement = try star.minimized().complement()
    #expect(complement.shortestWord == ["b"])
    #expect(complement.accepts(["a", "b", "a"]) && !complement.accepts(["a", "a"]))
    // Without b there is no other word.
    #expect(try RegularExpression("a*").automaton.minimized().complement().shortestWord == nil)
  }

  @Test func automataOverDifferentAlphabetsAreComparedOverBoth() throws {
    let all = try RegularExpression("a*", alphabet: ["a"]).automaton.complement().complement()
    let wide = try RegularExpression("a*", alphabet: ["b"]).automaton
    #expect(try all.isEquivalent(to: wide))
    #expect(try all.complement().counterexample(to: wide.complement()) == ["b"])
  }

  // MARK: Words

  private func reading(_ symbols: [String]) throws -> Automaton {
    try Automaton(
      states: [.init("1", isInitial: true, isFinal: true)],
      transitions: [.init("t", from: "1", to: "1", symbols: symbols)])
  }

  @Test(
    arguments: [
      (["a", "b"], "ab", ["a", "b"]), (["a", "b"], " a b\n", ["a", "b"]),
      (["a", "b"], "a,b", ["a", "b"]), (["0", "1"], "1, 0,,1,", ["1", "0", "1"]),
      (["a", ",", "b"], "a,b", ["a", ",", "b"]),
      (["a", " ", "b"], "a b", ["a", " ", "b"]), (["é", "👩‍👩‍👧"], "e\u{301}👩‍👩‍👧", ["é", "👩‍👩‍👧"]),
      ([], "ab", ["a", "b"]), (["a"], "", []),
      (["a", "ab", "b"], "aabx", ["a", "ab", "x"]), (["a", "ab", "b"], "a b", ["a", "b"]),
      (["a", "ab", "b"], "a,b, ab\tab", ["a", "b", "ab", "ab"]),
      (["ab", ","], "ab,ab", ["ab", ",", "ab"]), (["go on", "go"], "go on go", ["go on", "go"]),
      (["begin", "end"], "beginend", ["begin", "end"]),
      (["begin", "end"], "begin, x end", ["begin", "x", "end"]),
      (["abc", "ab", "c"], "abab", ["ab", "ab"]),
    ] as [([String], String, [String])])
  func wordsAreReadAsTyped(alphabet: [String], word: String, symbols: [String]) throws {
    let automaton = try reading(alphabet)
    #expect(automaton.symbols(of: word) == symbols)
    // What is written is read as the same symbols.
    #expect(automaton.symbols(of: automaton.text(of: symbols)) == symbols)
  }

  @Test(
    arguments: [
      (["a"], "ε", []), (["a"], " ε\n", []), ([], "ε", []), (["begin", "a"], "ε", []),
      (["ε", "a"], "ε", ["ε"]), (["ε"], "εε", ["ε", "ε"]), (["a"], "aε", ["a", "ε"]),
      (["a"], "\"ε\"", ["\"", "ε", "\""]), (["e", "p", "s"], "eps", ["e", "p", "s"]),
    ] as [([String], String, [String])])
  func epsilonAloneIsTheEmptyWord(alphabet: [String], word: String, symbols: [String]) throws {
    #expect(try reading(alphabet).symbols(of: word) == symbols)
  }

  @Test func longSymbolsRunWithoutBeingAsked() throws {
    let automaton = try reading(["begin", "x", "end"])
    #expect(automaton.accepts(automaton.symbols(of: "beginxxend")))
    #expect(
      automaton.run(automaton.symbols(of: "begin x y end")).rejection
        == .unknownSymbol("y", position: 2))
    #expect(automaton.longSymbols == ["begin", "end"])
    #expect(automaton.findings == [.longSymbols(["begin", "end"])])
    #expect(automaton.findings[0].message(automaton.shownNames).contains("begin, end"))
    #expect(automaton.text(of: ["x", "x"]) == "xx")
    #expect(try reading(["a", "ab", "b"]).text(of: ["a", "b"]) == "a b")
  }

  // MARK: Typed symbols

  @Test(
    arguments: [
      ("a", ["a"]), ("a,b", ["a", "b"]), ("0, 1", ["0", "1"]), ("a b\n", ["a", "b"]),
      ("ab", ["ab"]), ("a,,b,a", ["a", "b"]), ("", []), (" , ", []), ("0…3", ["0", "1", "2", "3"]),
      ("0..2", ["0", "1", "2"]), ("a...c", ["a", "b", "c"]), ("X…Z", ["X", "Y", "Z"]),
      ("0, 1, …, 4", ["0", "1", "2", "3", "4"]), ("\",\"", [","]), ("','", [","]),
      ("\\,", [","]), ("a,\",\",b", ["a", ",", "b"]), ("\\ ", [" "]), ("\"a b\"", ["a b"]),
      ("\\", ["\\"]), ("\\\\", ["\\"]), ("'", ["'"]), ("x'", ["x'"]), ("\"", ["\""]),
      ("\"ε\"", ["ε"]), ("\\ε", ["ε"]), ("'eps'", ["eps"]), ("λ", ["λ"]), ("\"…\"", ["…"]),
      ("'\\''", ["'"]), ("0-9", ["0-9"]), ("\\alpha", ["\\alpha"]), ("E", ["E"]),
    ] as [(String, [String])])
  func typedTextIsSymbols(text: String, symbols: [String]) throws {
    let typed = try TypedSymbols(text)
    #expect(typed.symbols == symbols && !typed.includesEpsilon)
    #expect(try TypedSymbols.alphabet(text) == symbols)
  }

  /// A range that was mistyped would be a symbol that no word has.
  @Test(arguments: ["0…10", "10..12", "a…", "..b", "a...", "ab..c"])
  func whatLooksLikeARangeIsOneOrAnError(text: String) {
    #expect(throws: AutomatonError.self) { try TypedSymbols(text) }
  }

  @Test(arguments: ["ε", " ε\n", "eps", "epsilon", "\\epsilon", "ϵ"])
  func epsilonIsTheEmptyWord(text: String) throws {
    #expect(try TypedSymbols(text).symbols == [] && TypedSymbols(text).includesEpsilon)
    let mixed = try TypedSymbols("a, \(text), b")
    #expect(mixed.symbols == ["a", "b"] && mixed.includesEpsilon)
    #expect {
      try TypedSymbols.alphabet(text)
    } throws: {
      "\($0)".contains("found the empty word ε")
    }
  }

  @Test(arguments: [
    ("9…0", "`9…0`"), ("a…Z", "a range such as 0…9"), ("z..a", "quotes"), ("ä…ö", "a range"),
    ("…", "a symbol before and after `…`"), ("a, …", "a symbol before and after"),
    ("\"\"", "type ε for the empty word"), (String(repeating: "a,", count: 6000), "at most 10000"),
  ])
  func whatIsNoSymbolSaysWhatToType(text: String, message: String) {
    #expect {
      try TypedSymbols(text)
    } throws: {
      "\($0)".hasPrefix("symbols: expected ") && "\($0)".contains(message)
    }
  }

  /// Symbols that are written for a field are read from it again.
  @Test func symbolsAreWrittenAsTheyAreTyped() throws {
    #expect(TypedSymbols.text(of: []) == "")
    #expect(TypedSymbols.text(of: ["a", "b1", "λ", "0-9", "."]) == "a, b1, λ, 0-9, .")
    #expect(TypedSymbols.text(of: [",", "ε", "a b"]) == #"",", "ε", "a b""#)
    let parts = [
      "a", "0", ",", " ", "\"", "'", "\\", "ε", "ϵ", "eps", "…", "..", "0..9", "0…9", ".", "é", "👩‍👩‍👧",
    ]
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      var symbols: [String] = []
      for _ in 0..<generator.index(below: 5) {
        let symbol = (0...generator.index(below: 3)).map { _ in generator.pick(parts) }.joined()
        if !symbols.contains(symbol) { symbols.append(symbol) }
      }
      let text = TypedSymbols.text(of: symbols)
      #expect(try TypedSymbols.alphabet(text) == symbols, "\(text)")
    }
  }

  // MARK: Characters that cannot be seen

  @Test(arguments: [
    ("\u{200B}", "U+200B (zero width space)"), ("a\u{200B}", "U+200B"), ("\u{7}", "U+0007"),
    ("\"a\tb\"", "U+0009"), ("\u{FEFF}a", "U+FEFF"), ("\u{202E}a", "U+202E"),
    ("a\u{200D}", "U+200D"), ("a\u{FE0F}", "U+FE0F"), ("1\u{FE0F}", "U+FE0F"),
    ("\u{200C}", "U+200C"), ("a\u{AD}b", "U+00AD (soft hyphen)"), ("\u{3164}", "U+3164"),
    ("\"a\u{2028}b\"", "U+2028"), ("b, c\u{2060}", "U+2060"), ("\u{FFF9}", "U+FFF9"),
    ("😀\u{200D}", "U+200D"),
  ])
  func whatCannotBeSeenIsNoSymbol(text: String, found: String) {
    #expect {
      try TypedSymbols(text)
    } throws: {
      "\($0)".hasPrefix("symbols: expected only visible characters, found \(found)")
    }
  }

  /// Emoji, and the joiners of Persian and Indic scripts, show something.
  @Test(arguments: [
    "👩‍💻", "❤️", "🏳️‍🌈", "1️⃣", "می‌خواهم", "क्‍ष", "葛\u{E0100}", "e\u{301}", "ß", "λ", "漢", "→", "{1,2}",
  ])
  func whatCanBeSeenIsATextOfANameOrSymbol(text: String) throws {
    try VisibleText.check(text, at: "name")
  }

  @Test(arguments: [("\u{335}a", "U+0335"), ("a\u{600}", "U+0600")])
  func theCharacterThatCombinesIsNamed(text: String, code: String) {
    #expect { try VisibleText.check(text, at: "name") } throws: {
      "\($0)".contains("found \(code) ")
    }
  }

  /// Such a mark would become part of a quote or parenthesis beside it.
  @Test(arguments: ["\u{335}", "\u{5A5}b'", "\u{600}"])
  func marksOfOtherCharactersAreNoSymbols(text: String) throws {
    #expect {
      try TypedSymbols(text)
    } throws: {
      "\($0)".hasPrefix("symbols: expected text whose first and last characters stand alone")
    }
    let automaton = try self.automaton(reading: [text])
    #expect {
      try automaton.regularExpression()
    } throws: {
      "\($0)".hasPrefix("regular expression: expected symbols that do not combine")
    }
  }

  /// Together, the symbols are one character: a flag, and a syllable.
  @Test(arguments: [["🇩", "🇪"], ["ᄀ", "ᅡ"]])
  func halvesOfCharactersStaySymbols(symbols: [String]) throws {
    let automaton = try self.automaton(reading: symbols)
    #expect(try automaton.regularExpression().automaton.isEquivalent(to: automaton))
  }

  /// An automaton that accepts one word.
  private func automaton(reading word: [String]) throws -> Automaton {
    try Automaton(
      states: (0...word.count).map {
        .init("\($0)", isInitial: $0 == 0, isFinal: $0 == word.count)
      },
      transitions: word.enumerated().map {
        .init("t\($0)", from: "\($0)", to: "\($0 + 1)", symbols: [$1])
      })
  }

  // MARK: Names in messages

  @Test func messagesNameElementsAsPeopleDo() throws {
    let automaton = try Automaton(
      states: [
        .init("6E1F-A", name: "p", isInitial: true), .init("6E1F-B", name: "", isInitial: true),
        .init("6E1F-C", name: "r", isFinal: true), .init("6E1F-D", name: "s"),
        .init("6E1F-E", name: "s"),
      ],
      transitions: [
        .init("6E1F-1", from: "6E1F-A", to: "6E1F-B"),
        .init("6E1F-2", from: "6E1F-A", to: "6E1F-C", symbols: ["a"], includesEpsilon: true),
        .init("6E1F-3", from: "6E1F-A", to: "6E1F-B", symbols: ["a"]),
      ])
    let names = automaton.shownNames
    let lines =
      automaton.findings.map { $0.message(names) }
      + automaton.nondeterminism.map { $0.message(names) }
    for line in [
      "several initial states: p, q1", "the transition from p to q1 has no symbol and no ε",
      "no word reaches state s", "no final state is reached from state q1",
      "a state has no name and is called q1",
      "2 states are called s", "the transition from p to r includes ε",
      "state p has several transitions for a: to q1, r",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(!lines.contains { $0.contains("6E1F") })
  }
}
