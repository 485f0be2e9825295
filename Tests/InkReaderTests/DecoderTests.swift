import Foundation
import InkNetwork
import InkReader
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct DecoderTests {
  // MARK: Reference

  /// The probability of every text of an output, from all its paths.
  private func exhaustive(_ output: LogProbabilities, _ alphabet: Alphabet) -> [String: Double] {
    var result: [String: Double] = [:]
    var path = [Int](repeating: 0, count: output.stepCount)
    while true {
      var text = ""
      var logProbability = 0.0
      for (step, number) in path.enumerated() {
        logProbability += Double(output[step, number])
        if number != 0, step == 0 || path[step - 1] != number {
          text.append(alphabet.characters[number - 1])
        }
      }
      result[text, default: 0] += exp(logProbability)
      var step = 0
      while step < path.count {
        path[step] += 1
        if path[step] < output.classCount { break }
        path[step] = 0
        step += 1
      }
      if step == path.count { return result }
    }
  }

  /// What the documentation of the grammars says, written a second time.
  private func isAllowed(_ text: String, _ grammar: Grammar, words: Set<String>) -> Bool {
    switch grammar {
    case .text: true
    case .state:
      words.contains(text)
        || text.wholeMatch(
          of: /[a-zA-Zα-ωε]['′]*(([0-9]+|_[0-9]+|_[a-zA-Zα-ω]|[₀-₉]+)['′]*)?/) != nil
    case .number:
      words.contains(text) || text.wholeMatch(of: /[-+]?[0-9]+([.,][0-9]+)?/) != nil
    case .symbols:
      text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { symbol in
        let one = "([^, ]|[0-9]+|[a-zA-Zα-ω][0-9]+|eps|epsilon)"
        return words.contains(String(symbol))
          || symbol.range(of: "^\(one)(/\(one))*$", options: .regularExpression) != nil
      }
    }
  }

  private func bonus(
    of text: String, _ grammar: Grammar, words: Set<String>, weight: Double
  ) -> Double {
    let parts =
      grammar == .symbols
      ? text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) : [text]
    return parts.filter(words.contains).reduce(0) { $0 + weight * Double($1.count) }
  }

  private func spelled(_ text: String, _ grammar: Grammar, words: Set<String>) -> String {
    guard grammar == .symbols else { return text }
    return text.split(separator: ",", omittingEmptySubsequences: false).map { symbol in
      ["eps", "epsilon", "λ", "ϵ"].contains(String(symbol)) && !words.contains(String(symbol))
        ? "ε" : String(symbol)
    }.joined(separator: ",")
  }

  /// A random output with some certain steps.
  private func randomOutput(
    steps: Int, classCount: Int, using generator: inout SeededGenerator
  ) -> LogProbabilities {
    LogProbabilities(
      logits: (0..<steps * classCount).map { _ in Float(2.5 * generator.normal()) },
      classCount: classCount)
  }

  /// An output that says `text` clearly: each character two steps, a blank after it.
  private func clear(
    _ text: String, _ alphabet: Alphabet, confidence: Float = 10,
    confusing: [Character: Character] = [:]
  ) -> LogProbabilities {
    var logits: [Float] = []
    func add(_ number: Int, _ second: Int? = nil) {
      var row = [Float](repeating: 0, count: alphabet.classCount)
      row[number] = confidence
      if let second { row[second] = confidence - 1 }
      logits += row
    }
    for character in text {
      let second = confusing[character].flatMap { alphabet.class(of: $0) }
      for _ in 0..<2 { add(alphabet.characters.firstIndex(of: character)! + 1, second) }
      add(0)
    }
    return LogProbabilities(logits: logits, classCount: alphabet.classCount)
  }

  private static let all = Array(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ελ,'_.-+ ")

  // MARK: Search

  private static let cases: [(grammar: Grammar, characters: String, words: [String], steps: Int)] =
    [
      (.text, "ab", [], 6), (.text, "ab", ["ab", "bb", "aab"], 5), (.text, "a", [], 7),
      (.state, "q0'_", [], 5), (.state, "q0ab", ["ab", "0", "q0"], 5),
      (.symbols, "a0,", [], 6), (.symbols, "a0/,", [], 5), (.symbols, "eps,", [], 5),
      (.symbols, "ελ,a", [], 5),
      (.symbols, "ab,λ", ["ab", "λ"], 5), (.number, "10-.", [], 5), (.number, "1a,", ["1a"], 5),
    ]

  @Test(arguments: cases.indices)
  func aSearchOfEverythingIsExact(number: Int) throws {
    let (grammar, characters, words, steps) = Self.cases[number]
    let alphabet = try Alphabet(characters)
    var options = CTCDecoder.Options()
    options.beamWidth = .max
    options.minimumClassProbability = 0
    options.maximumCandidates = .max
    options.preferredWeight = 0.7
    let decoder = CTCDecoder(
      alphabet: alphabet, grammar: grammar,
      vocabulary: words.isEmpty ? nil : Vocabulary(words, alphabet: alphabet), options: options)
    var generator = SeededGenerator(seed: 3, stream: UInt64(number))
    for _ in 0..<3 {
      let output = randomOutput(
        steps: steps, classCount: alphabet.classCount, using: &generator)
      var expected: [String: Double] = [:]
      for (text, probability) in exhaustive(output, alphabet)
      where isAllowed(text, grammar, words: Set(words)) {
        expected[spelled(text, grammar, words: Set(words)), default: 0] +=
          probability * exp(bonus(of: text, grammar, words: Set(words), weight: 0.7))
      }
      let total = expected.values.reduce(0, +)
      let reading = try decoder.read(output)
      if reading.rejection == .empty, reading.text.isEmpty { continue }
      #expect(reading.candidates.count == expected.count)
      for candidate in reading.candidates {
        let probability = try #require(expected[candidate.text], "\(candidate.text)") / total
        #expect(abs(candidate.probability - probability) < 1e-6)
      }
      let probabilities = reading.candidates.map(\.probability)
      #expect(probabilities == probabilities.sorted(by: >))
    }
  }

  @Test(arguments: 0..<20) func aNarrowSearchFindsMostOfTheProbability(seed: Int) throws {
    let alphabet = try Alphabet("abcd")
    var generator = SeededGenerator(seed: 9, stream: UInt64(seed))
    let output = randomOutput(steps: 5, classCount: 5, using: &generator)
    let exact = exhaustive(output, alphabet)
    let reading = try CTCDecoder(alphabet: alphabet).read(output)
    let best = exact.max { $0.value < $1.value }!
    if reading.rejection == .empty { return }
    #expect(reading.text == best.key)
    // What was left out counts against every answer.
    for candidate in reading.candidates {
      #expect(candidate.probability <= exact[candidate.text]! + 1e-5)
      #expect(candidate.probability > 0.8 * exact[candidate.text]! - 0.01)
    }
  }

  /// The character for no writing is in no text, and its probability is that of all texts with it.
  @Test(arguments: Grammar.allCases, 0..<8)
  func inkThatIsNoWritingIsNoText(grammar: Grammar, seed: Int) throws {
    let alphabet = try Alphabet("a0\u{FFFD},")
    #expect(alphabet.noWritingClass == 3 && alphabet.classes(of: "a\u{FFFD}") == nil)
    var options = CTCDecoder.Options()
    options.beamWidth = .max
    options.minimumClassProbability = 0
    options.maximumCandidates = .max
    options.preferredWeight = 0.5
    let words = Vocabulary(["a\u{FFFD}", "aa"], alphabet: alphabet)
    #expect(words.unreadable == ["a\u{FFFD}"] && words.count == 1)
    var generator = SeededGenerator(seed: 12, stream: UInt64(seed))
    let output = randomOutput(steps: 5, classCount: 5, using: &generator)
    let all = exhaustive(output, alphabet)
    let share = all.reduce(0) { $0 + ($1.key.contains("\u{FFFD}") ? $1.value : 0) }
    #expect(!grammar.accepts("\u{FFFD}"))
    options.maximumNoWriting = share - 1e-4
    let reading = try CTCDecoder(
      alphabet: alphabet, grammar: grammar, vocabulary: words, options: options
    ).read(output)
    #expect(abs(reading.noWriting - share) < 1e-5)
    #expect(reading.rejection == .notWriting && reading.evidence < 0)
    let texts = all.filter { !$0.key.contains("\u{FFFD}") }
      .filter { isAllowed($0.key, grammar, words: ["aa"]) }
      .map {
        (
          text: $0.key,
          weight: $0.value * exp(bonus(of: $0.key, grammar, words: ["aa"], weight: 0.5))
        )
      }
    let total = texts.reduce(0) { $0 + $1.weight }
    #expect(!texts.isEmpty && reading.candidates.count == texts.count)
    for candidate in reading.candidates {
      let weight = try #require(texts.first { $0.text == candidate.text }).weight
      #expect(abs(candidate.probability - weight / total) < 1e-5)
    }
    options.maximumNoWriting = share + 1e-4
    let accepted = try CTCDecoder(
      alphabet: alphabet, grammar: grammar, vocabulary: words, options: options
    ).read(output)
    #expect(accepted.rejection != .notWriting && accepted.candidates == reading.candidates)
  }

  @Test func clearInkThatIsNoWritingIsRejected() throws {
    let alphabet = try Alphabet(Self.all + ["\u{FFFD}"])
    var options = CTCDecoder.Options()
    options.maximumNoWriting = 0.5
    for grammar in Grammar.allCases {
      let decoder = CTCDecoder(alphabet: alphabet, grammar: grammar, options: options)
      // Also where a part of it is written.
      for text in ["\u{FFFD}", "q0\u{FFFD}"] {
        let reading = try decoder.read(clear(text, alphabet))
        #expect(reading.rejection == .notWriting && reading.noWriting > 0.9)
        #expect(!reading.text.contains("\u{FFFD}"))
      }
      #expect(try decoder.read(clear("7", alphabet)).noWriting < 0.1)
    }
    #expect(Reading.Rejection.notWriting.message == "this is no writing")
  }

  @Test(arguments: 0..<40) func theBestPathMergesRepetitions(seed: Int) {
    var generator = SeededGenerator(seed: 4, stream: UInt64(seed))
    let output = randomOutput(steps: 7, classCount: 4, using: &generator)
    var path = (0..<7).map { step in (0..<4).max { output[step, $0] < output[step, $1] }! }
    for index in path.indices.reversed().dropLast() where path[index] == path[index - 1] {
      path.remove(at: index)
    }
    let found = bestPath(of: output.values, steps: 7, classCount: 4)
    #expect(found.classes == path.filter { $0 > 0 })
  }

  @Test func repeatedCharactersNeedABlankBetweenThem() throws {
    let alphabet = try Alphabet("ab")
    let decoder = CTCDecoder(alphabet: alphabet)
    func output(_ path: [Int]) -> LogProbabilities {
      LogProbabilities(
        logits: path.flatMap { number in (0..<3).map { $0 == number ? 9 : 0 } }, classCount: 3)
    }
    for (path, text) in [([1, 1, 0, 1], "aa"), ([1, 1, 1], "a"), ([0, 1, 2, 2, 0, 2], "abb")] {
      #expect(try decoder.read(output(path)).text == text)
    }
  }

  @Test func clearWritingIsReadSurely() throws {
    let alphabet = try Alphabet(Self.all)
    let reading = try CTCDecoder(alphabet: alphabet, grammar: .state).read(clear("q11", alphabet))
    #expect(reading.text == "q11" && reading.rejection == nil)
    #expect(reading.probability > 0.8 && reading.evidence > -0.2)
    let spelled = try CTCDecoder(alphabet: alphabet, grammar: .symbols)
      .read(clear("a,eps,b", alphabet))
    #expect(spelled.text == "a,ε,b")
  }

  // MARK: Grammar

  @Test(arguments: Grammar.allCases, 0..<12)
  func aGrammarGivesNoTextOutsideIt(grammar: Grammar, seed: Int) throws {
    let alphabet = try Alphabet(Self.all)
    var generator = SeededGenerator(seed: 5, stream: UInt64(seed))
    let words = seed % 2 == 0 ? [] : ["start", "x,y", "b2b"]
    var options = CTCDecoder.Options()
    options.beamWidth = 1 + generator.index(below: 30)
    options.minimumClassProbability = generator.pick([0, 1e-4, 0.01])
    let decoder = CTCDecoder(
      alphabet: alphabet, grammar: grammar,
      vocabulary: words.isEmpty ? nil : Vocabulary(words, alphabet: alphabet), options: options)
    let output = LogProbabilities(
      logits: (0..<12 * alphabet.classCount).map { _ in Float(4 * generator.normal()) },
      classCount: alphabet.classCount)
    let reading = try decoder.read(output)
    #expect(reading.candidates.isEmpty == (reading.rejection == .outsideGrammar))
    for candidate in reading.candidates {
      #expect(isAllowed(candidate.text, grammar, words: Set(words)), "\(candidate.text)")
      #expect((0...1).contains(candidate.probability))
    }
  }

  @Test func grammarsKnowTheirTexts() {
    for (grammar, good, bad) in [
      (
        Grammar.state,
        ["q0", "q_0", "A", "F1", "x'", "x''", "q12", "a_n", "q₀", "q'0", "ε", "q0'"],
        ["", "0", "q_", "qq", "q0a", "'", "q 0", "a,b", "_0", "q_00a"]
      ),
      (
        .symbols,
        ["a", "a,b", "0,1", "1,3,2", "ε", "eps", "a,λ", "epsilon,b", "10", "a1", "+", "e"],
        ["", ",", "a,", ",a", "a,,b", "ab", "ep", "epsi", "a b", "a, b", "e,epsilo", "1a"]
      ),
      (.number, ["0", "-1", "3.14", "+2", "1,5"], ["", "-", "1.", ".5", "1.2.3", "1-", "a"]),
      (.text, ["", "any text", "a,,b"], []),
    ] {
      for text in good {
        #expect(grammar.accepts(text), "\(text)")
        #expect(isAllowed(text, grammar, words: []) || text == "ε", "\(text)")
      }
      for text in bad { #expect(!grammar.accepts(text), "\(text)") }
    }
  }

  @Test func aGrammarDecidesBetweenSimilarCharacters() throws {
    let alphabet = try Alphabet(Self.all)
    // An `O` that could be a zero, and an `l` that could be a one.
    let output = clear("qOl", alphabet, confusing: ["O": "0", "l": "1"])
    #expect(try CTCDecoder(alphabet: alphabet).read(output).text == "qOl")
    let reading = try CTCDecoder(alphabet: alphabet, grammar: .state).read(output)
    #expect(reading.text == "q01" && reading.probability > 0.8)
  }

  @Test func theEmptyWordHasOneSpelling() throws {
    let alphabet = try Alphabet(Self.all)
    for text in ["eps", "ε", "λ", "epsilon"] {
      let output = clear(text, alphabet)
      #expect(try CTCDecoder(alphabet: alphabet, grammar: .symbols).read(output).text == "ε")
      var options = CTCDecoder.Options()
      options.emptyWord = "eps"
      let other = try CTCDecoder(alphabet: alphabet, grammar: .symbols, options: options)
        .read(output)
      #expect(other.text == "eps")
      // Other grammars leave it as it is written.
      #expect(try CTCDecoder(alphabet: alphabet).read(output).text == text)
    }
    // A document whose symbol is λ.
    let own = Vocabulary(["λ"], alphabet: alphabet)
    let decoder = CTCDecoder(alphabet: alphabet, grammar: .symbols, vocabulary: own)
    #expect(try decoder.read(clear("λ,eps", alphabet)).text == "λ,ε")
    // Two spellings of one text count together.
    let both = clear("ε", alphabet, confusing: ["ε": "λ"])
    let reading = try CTCDecoder(alphabet: alphabet, grammar: .symbols).read(both)
    #expect(reading.text == "ε" && reading.probability > 0.9)
  }

  // MARK: Vocabulary

  @Test(arguments: 0..<20) func aVocabularyMakesNoOtherTextImpossible(seed: Int) throws {
    let alphabet = try Alphabet("abc")
    var generator = SeededGenerator(seed: 6, stream: UInt64(seed))
    let output = randomOutput(steps: 5, classCount: 4, using: &generator)
    var options = CTCDecoder.Options()
    options.beamWidth = .max
    options.minimumClassProbability = 0
    options.maximumCandidates = .max
    let plain = try CTCDecoder(alphabet: alphabet, options: options).read(output)
    let words = Vocabulary(["ab", "ca", "bb"], alphabet: alphabet)
    let guided = try CTCDecoder(alphabet: alphabet, vocabulary: words, options: options)
      .read(output)
    #expect(Set(plain.candidates.map(\.text)) == Set(guided.candidates.map(\.text)))
    #expect(guided.candidates.allSatisfy { $0.probability > 0 })
  }

  @Test func clearWritingOverrulesAVocabulary() throws {
    let alphabet = try Alphabet(Self.all)
    let words = Vocabulary(["start", "stop", "q0", "q1", "a"], alphabet: alphabet)
    for grammar in [Grammar.text, .state] {
      let decoder = CTCDecoder(alphabet: alphabet, grammar: grammar, vocabulary: words)
      for text in ["q7", "b", "start", "q0"] {
        #expect(try decoder.read(clear(text, alphabet)).text == text)
      }
    }
  }

  @Test func aVocabularyDecidesWhereWritingIsUnclear() throws {
    let alphabet = try Alphabet(Self.all)
    let output = clear("slart", alphabet, confusing: ["l": "t", "s": "5"])
    #expect(try CTCDecoder(alphabet: alphabet).read(output).text == "slart")
    let words = Vocabulary(["start", "stop"], alphabet: alphabet)
    let reading = try CTCDecoder(alphabet: alphabet, vocabulary: words).read(output)
    #expect(reading.text == "start" && reading.alternatives.contains { $0.text == "slart" })
    // Each symbol of a list is a word of its own, and one that the grammar would not allow is read.
    let coins = Vocabulary(["coin", "push"], alphabet: alphabet)
    let list = clear("coln,a", alphabet, confusing: ["l": "i"])
    let symbols = try CTCDecoder(alphabet: alphabet, grammar: .symbols, vocabulary: coins)
      .read(list)
    #expect(symbols.text == "coin,a")
  }

  @Test func aWordIsFoundThoughItsLettersAreUnlikely() throws {
    // The word stays in the search even though each of its letters is far less likely than others.
    let alphabet = try Alphabet(Self.all)
    let output = clear("stopping", alphabet, confidence: 12, confusing: ["t": "l", "i": "j"])
    var options = CTCDecoder.Options()
    options.preferredWeight = 12
    let words = Vocabulary(["shopping"], alphabet: alphabet)
    let reading = try CTCDecoder(alphabet: alphabet, vocabulary: words, options: options)
      .read(output)
    #expect(reading.text == "shopping")
    options.preferredWeight = 1
    let other = try CTCDecoder(alphabet: alphabet, vocabulary: words, options: options)
      .read(output)
    #expect(other.text == "stopping")
  }

  @Test func aHundredThousandWordsAreUsed() throws {
    let alphabet = try Alphabet(Self.all)
    var generator = SeededGenerator(seed: 8)
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    var words: Set<String> = ["start"]
    while words.count < 100_000 {
      words.insert(
        String((0..<3 + generator.index(below: 9)).map { _ in generator.pick(letters) }))
    }
    words.remove("slart")
    let list = words.sorted() + ["straße", "start", ""]
    let vocabulary = Vocabulary(list, alphabet: alphabet)
    #expect(vocabulary.count == words.count && vocabulary.unreadable == ["straße"])
    let decoder = CTCDecoder(alphabet: alphabet, vocabulary: vocabulary)
    let output = clear("slart", alphabet, confusing: ["l": "t"])
    #expect(try decoder.read(output).text == "start")
    #expect(try decoder.read(clear("qqqqz", alphabet)).text == "qqqqz")
  }

  // MARK: Rejections and bad input

  @Test func withoutWritingThereIsNoText() throws {
    let alphabet = try Alphabet(Self.all)
    for grammar in Grammar.allCases {
      let decoder = CTCDecoder(alphabet: alphabet, grammar: grammar)
      var blank = [Float](repeating: 0, count: alphabet.classCount)
      blank[0] = 12
      for steps in [0, 1, 20] {
        let reading = try decoder.read(
          LogProbabilities(
            logits: (0..<steps).flatMap { _ in blank }, classCount: alphabet.classCount))
        #expect(reading.rejection == .empty && reading.text.isEmpty)
      }
    }
  }

  @Test func textOutsideTheGrammarIsRejected() throws {
    let alphabet = try Alphabet("ab")
    let reading = try CTCDecoder(alphabet: alphabet, grammar: .number).read(clear("ab", alphabet))
    #expect(reading.rejection == .outsideGrammar && reading.candidates.isEmpty)
    #expect(reading.probability == 0)
  }

  @Test func poorAndAmbiguousReadingsAreRejected() throws {
    let alphabet = try Alphabet(Self.all)
    var options = CTCDecoder.Options()
    options.minimumEvidence = -3
    options.minimumProbability = 0.6
    let decoder = CTCDecoder(alphabet: alphabet, grammar: .state, options: options)
    #expect(try decoder.read(clear("q0", alphabet)).rejection == nil)
    // A comma is no name: what is left fits badly.
    let poor = try decoder.read(clear(",", alphabet, confidence: 12))
    #expect(poor.rejection == .unreadable || poor.rejection == .outsideGrammar)
    let output = clear("A", alphabet, confusing: ["A": "B"])
    #expect(try decoder.read(output).rejection == nil)
    var logits = [Float](repeating: 0, count: alphabet.classCount)
    logits[alphabet.class(of: "A")!] = 10
    logits[alphabet.class(of: "B")!] = 10
    let two = LogProbabilities(logits: logits, classCount: alphabet.classCount)
    #expect(try decoder.read(two).rejection == .ambiguous)
  }

  @Test func anOutputForAnotherAlphabetIsRefused() throws {
    let decoder = CTCDecoder(alphabet: try Alphabet("abc"))
    let output = LogProbabilities(logits: [0, 0, 0], classCount: 3)
    #expect(throws: ReaderError.classCount(expected: 4, found: 3)) { try decoder.read(output) }
  }

  @Test func logitsThatAreNotFiniteSayNothing() throws {
    let alphabet = try Alphabet("abc")
    for value in [Float.nan, .infinity] {
      let output = LogProbabilities(
        logits: [value, 1, 2, 3, 0, 9, 0, 0], classCount: 4)
      #expect((0..<4).allSatisfy { abs(output[0, $0] + log(4)) < 1e-6 })
      #expect(try CTCDecoder(alphabet: alphabet).read(output).text.hasSuffix("a"))
    }
    // Classes that are ruled out.
    let certain = LogProbabilities(
      logits: [-.infinity, 0, -.infinity, -.infinity], classCount: 4)
    let reading = try CTCDecoder(alphabet: alphabet).read(certain)
    #expect(reading.text == "a" && reading.probability == 1)
  }

  @Test func aTemperatureFlattens() {
    let logits: [Float] = [1, 2, 4]
    let warm = LogProbabilities(logits: logits, classCount: 3, temperature: 2)
    let total = exp(0.5) + exp(1) + exp(2)
    #expect(abs(Double(warm[0, 2]) - log(exp(2) / total)) < 1e-6)
  }

  // MARK: Alphabet

  @Test func anAlphabetHasEachCharacterOnce() throws {
    #expect(throws: ReaderError.emptyAlphabet) { try Alphabet("") }
    #expect(throws: ReaderError.repeatedCharacter("b")) { try Alphabet("abcb") }
    let alphabet = try Alphabet("aε,")
    #expect(alphabet.classCount == 4 && alphabet.classes(of: "ε,a") == [2, 3, 1])
    #expect(alphabet.classes(of: "ab") == nil)
  }
}
