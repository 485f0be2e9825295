import InkNetwork
import InkRecognizer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct LetterCountsTests {
  private static let words: [(word: String, weight: Double)] = [
    ("order", 3.0), ("Orden", 1), ("or", 0.5), ("dodo", 20), ("x", 1),
  ]
  private static let alphabet = Array("abcdenorxDO01,")

  private static func counts(earlier: LetterCounts? = nil) throws -> LetterCounts {
    try #require(LetterCounts(of: words, alphabet: alphabet, earlier: earlier))
  }

  /// All sequences of up to six letters with their counts, written a second time; `|` is the beginning and the end.
  private static func expected(_ words: [(word: String, weight: Double)]) -> [String: Double] {
    var counts: [String: Double] = [:]
    for (word, weight) in words {
      let text = Array("|\(word.lowercased())|")
      for end in 2...text.count {
        for length in 1...min(6, end) {
          counts[String(text[end - length..<end]), default: 0] += weight
        }
      }
    }
    return counts
  }

  /// The sequences of `counts`, the empty one left out.
  private static func sequences(_ counts: LetterCounts) -> [(text: String, count: Double)] {
    let marks = ["|"] + counts.letters.map(String.init)
    var sequences: [(text: String, count: Double)] = []
    counts.forEach { sequences.append(($0.map { marks[$0] }.joined(), $1)) }
    return sequences
  }

  @Test func sequencesAreCounted() throws {
    let counts = try Self.counts()
    #expect(counts.letters == Array("abcdenorx"))
    let expected = Self.expected(Self.words)
    let found = Self.sequences(counts)
    for (text, count) in found where count > 0 {
      let exact = try #require(expected[text], "\(text)")
      #expect(abs(count / exact - 1) < 0.1, "\(text): \(count) instead of \(exact)")
    }
    #expect(Set(found.filter { $0.count > 0 }.map(\.text)) == Set(expected.keys))
    // Letters that do not occur are there.
    #expect(found.filter { $0.count == 0 }.map(\.text) == ["a", "b", "c"])
    for (sequence, one) in found.enumerated() {
      let shorter = counts.shorter(than: sequence + 1)
      #expect(shorter == 0 ? one.text.count == 1 : found[shorter - 1].text == one.text.dropFirst())
      for letter in 0...counts.letters.count {
        let mark = letter == 0 ? "|" : String(counts.letters[letter - 1])
        let longer = counts.longer(than: sequence + 1, with: letter).map { found[$0 - 1].text }
        #expect(longer == found.map(\.text).first { $0 == one.text + mark })
      }
    }
  }

  @Test func wordsWithOtherCharactersAreLeftOut() throws {
    let counts = try Self.counts()
    let more = Self.words + [("q0", 5), ("order1", 5), ("", 5), ("orderly", 5), ("dodo", 0)]
    #expect(LetterCounts(of: more, alphabet: Self.alphabet) == counts)
    #expect(LetterCounts(of: [("xyz", 1)], alphabet: Self.alphabet) == nil)
    #expect(LetterCounts(of: [], alphabet: Self.alphabet) == nil)
    let many = (0..<91).map { Character(Unicode.Scalar(0x4E00 + $0)!) }
    #expect(LetterCounts(of: [(String(many[0]), 1)], alphabet: many) == nil)
    #expect(LetterCounts(of: [(String(many[0]), 1)], alphabet: many.dropLast()) != nil)
    // A syllable of Hangul in two parts would be read back as one letter.
    #expect(LetterCounts(of: [("ᄀ", 1)], alphabet: ["ᄀ", "ᅡ"]) == nil)
  }

  @Test func higherCountsOfAnEarlierModelStay() throws {
    let counts = try Self.counts()
    #expect(try Self.counts(earlier: counts) == counts)
    let others = try #require(
      LetterCounts(of: [("dodo", 5), ("bar", 2)], alphabet: Self.alphabet, earlier: counts))
    let found = Dictionary(uniqueKeysWithValues: Self.sequences(others).map { ($0.text, $0.count) })
    let before = Dictionary(
      uniqueKeysWithValues: Self.sequences(counts).map { ($0.text, $0.count) })
    #expect(found["dodo"] == before["dodo"] && found["order"] == before["order"])
    #expect(abs(found["bar"]! / 2 - 1) < 0.1 && before["bar"] == nil)
    // Higher counts of the new words stay as well.
    let more = try #require(
      LetterCounts(of: [("dodo", 200)], alphabet: Self.alphabet, earlier: counts))
    let dodo = try #require(Self.sequences(more).first { $0.text == "dodo" })
    #expect(abs(dodo.count / 200 - 1) < 0.1)
    // Letters that the new alphabet lacks are gone with their words.
    let fewer = try #require(
      LetterCounts(of: [("dodo", 5)], alphabet: Array("do"), earlier: counts))
    #expect(fewer.letters == ["d", "o"])
    #expect(Self.sequences(fewer).allSatisfy { !$0.text.contains("r") })
  }

  @Test func theTextGivesTheSameCounts() throws {
    let counts = try Self.counts()
    let read = try Self.read(counts.text)
    #expect(read == counts && read.text == counts.text)
    // The example of models/FORMAT.md: |, a, b, |a, ab, b|, |ab, ab| and |ab|.
    let one = try #require(LetterCounts(of: [("ab", 1)], alphabet: ["a", "b"]))
    #expect(one.text == "ab\n!%!!#/##/$#/##/$#/!!/$#/!!/!!/")
    #expect(!counts.text.contains { $0 == "\"" || $0 == "\\" })
  }

  /// Counts that are no text of this form, or do not fit together.
  @Test(
    arguments: [
      ("", "1 line"), ("ab", "1 line"), ("ab\n!%!\n", "4 bytes"), ("aa\n!%!", "aa"),
      ("aB\n!%!", "aB"), ("a1\n!%!", "a1"), ("ab\n!%", "2 bytes"),
      ("ab\n!%!!!2#!2$!é", "13 bytes"), ("ab\n", "others; see models/FORMAT.md"),
      ("ab\n!%!", "others; see models/FORMAT.md"),
      // Not all letters, another order, a letter that there is not, no code, and a sequence too many.
      ("ab\n!$!!!2#!2", "others; see models/FORMAT.md"),
      ("ab\n!%!!!2$!2#!2", "others; see models/FORMAT.md"),
      ("ab\n!%!!!2#!2%!2", "others; see models/FORMAT.md"),
      ("ab\n!%!!!2#!2$! ", "others; see models/FORMAT.md"),
      ("ab\n!%!!!2#!2$!2#!2", "others; see models/FORMAT.md"),
      // |ab without ab, and seven letters.
      ("ab\n!%!!#2#!2$!2##2$!2", "others; see models/FORMAT.md"),
      ("a\n!$!!!2##2##2##2##2##2##2#!2", "others; see models/FORMAT.md"),
      // |ab twice.
      ("ab\n!%!!#/##/$#/#$/$#/!!/$#/$#/!!/!!/!!/", "others; see models/FORMAT.md"),
    ])
  func aTextThatIsNoneIsRefused(text: String, found: String) throws {
    #expect { try Self.read(text) } throws: {
      "\($0)".hasPrefix("m, letters: expected ") && "\($0)".hasSuffix("found \(found)")
    }
  }

  @Test func sixLettersAreTheMost() throws {
    #expect(try Self.read("a\n!$!!!2##2##2##2##2##2#!2").sequenceCount == 8)
    #expect(try Self.read("ab\n!%!!!2#!2$!2").letters == ["a", "b"])
  }

  @Test func longSequencesAreLeftOutWhereThereAreTooMany() throws {
    let all = try Self.counts().sequenceCount
    func lengths(_ limit: Int) throws -> [Int] {
      let counts = try #require(
        LetterCounts(of: Self.words, alphabet: Self.alphabet, limit: limit))
      #expect(counts.sequenceCount <= limit)
      #expect(try Self.read(counts.text) == counts)
      return Self.sequences(counts).map(\.text.count)
    }
    let whole = Self.sequences(try Self.counts()).map(\.text.count)
    #expect(try lengths(all + 1) == whole && lengths(all) == whole)
    #expect(try lengths(all - 1) == whole.filter { $0 < 6 })
    let short = whole.count { $0 < 6 } + 1
    #expect(try lengths(short) == whole.filter { $0 < 6 })
    #expect(try lengths(short - 1) == whole.filter { $0 < 5 })
  }

  private static func read(_ text: String) throws -> LetterCounts {
    let model = try randomModel([.flatten, .dense(units: 3)])
    var metadata = model.metadata
    metadata["letters"] = text
    return try #require(
      try Model(metadata: metadata, weights: model.network.weights, path: "m").letters)
  }
}
