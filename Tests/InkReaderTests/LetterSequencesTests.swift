import Foundation
import InkRecognizer
import Testing

@testable import InkReader

@Suite(.timeLimit(.minutes(30))) struct LetterSequencesTests {
  private static let words: [(word: String, weight: Double)] = [
    ("start", 4), ("stop", 2), ("order", 5), ("orders", 1), ("state", 3), ("sort", 1), ("art", 1),
  ]

  /// The formulas of the documentation, written a second time; `|` is the beginning and the end of a word.
  private struct Reference {
    let counts: [String: Double]
    let letters: [Character]

    init(_ stored: LetterCounts) {
      let marks = ["|"] + stored.letters.map(String.init)
      var counts: [String: Double] = [:]
      stored.forEach { counts[$0.map { marks[$0] }.joined()] = $1 }
      self.counts = counts
      letters = ["|"] + stored.letters
    }

    func probability(of letter: Character, after text: String) -> Double {
      let text = String(text.suffix(5))
      let following = letters.compactMap { counts[text + String($0)] }
      let own = counts[text + String(letter)] ?? 0
      let sum = following.reduce(0, +)
      if text.isEmpty {
        return (own + 0.5) / (sum + 0.5 * Double(letters.count))
      }
      let shorter = probability(of: letter, after: String(text.dropFirst()))
      guard !following.isEmpty else { return shorter }
      let different = Double(following.count)
      return (own + different * shorter) / (sum + different)
    }

    /// The logarithm of how much likelier a text is by its letters in a row.
    func weight(of text: String) -> Double {
      var words: [(letters: String, logOdds: Double)] = []
      for (index, character) in text.enumerated() {
        let before = index == 0 ? nil : Array(text)[index - 1]
        if !character.isLetter { continue }
        if before?.isLetter != true {
          words.append(("", 0))
        } else if character.isUppercase, before!.isLowercase {
          words.append(("", -3))
        }
        words[words.count - 1].letters.append(character)
      }
      return words.reduce(0) { sum, word in
        guard word.letters.count > 1 else { return sum }
        var (logOdds, before) = (word.logOdds, "|")
        let characters = Array(word.letters)
        for (index, character) in characters.enumerated() {
          let letter = Character(character.lowercased())
          if index > 0 {
            let odds = probability(of: letter, after: before) / probability(of: letter, after: "")
            logOdds += 0.8 * log(odds) + 0.5
          }
          before.append(letter)
          if index > 1, character.isLowercase, characters[index - 1].isUppercase,
            characters[index - 2].isUppercase
          {
            logOdds -= 3
          }
        }
        logOdds += 0.5 * log(probability(of: "|", after: before))
        return sum + log(0.5 + 0.5 * exp(logOdds))
      }
    }
  }

  private static func decoder(
    _ characters: String, options: CTCDecoder.Options = .init(), vocabulary: [String] = []
  ) throws -> (decoder: CTCDecoder, reference: Reference) {
    let alphabet = try Alphabet(characters)
    let counts = try #require(LetterCounts(of: words, alphabet: Array(characters)))
    return (
      CTCDecoder(
        alphabet: alphabet, grammar: .text,
        vocabulary: vocabulary.isEmpty ? nil : Vocabulary(vocabulary, alphabet: alphabet),
        letters: LetterSequences(counts, alphabet: alphabet), options: options),
      Reference(counts)
    )
  }

  @Test func theProbabilitiesOfAllLettersAddUpToOne() throws {
    let alphabet = try Alphabet("aedoprst")
    let counts = try #require(LetterCounts(of: Self.words, alphabet: Array("aedoprst")))
    let (sequences, reference) = (LetterSequences(counts, alphabet: alphabet), Reference(counts))
    for text in ["", "|", "o", "or", "|or", "order", "orders", "ppp", "|s", "ordersta"] {
      var sequence = 0
      for letter in text {
        sequence =
          sequences.step(from: sequence, reference.letters.firstIndex(of: letter)!).sequence
      }
      let alone = reference.letters.map { reference.probability(of: $0, after: "") }
      var sum = 0.0
      for (number, letter) in reference.letters.enumerated() {
        let step = sequences.step(from: sequence, number)
        let expected = reference.probability(of: letter, after: text)
        #expect(abs(exp(step.logProbability) - expected) < 1e-5, "\(letter) after \(text)")
        #expect(abs(exp(step.logRatio) - expected / alone[number]) < 1e-4)
        sum += exp(step.logProbability)
      }
      #expect(abs(sum - 1) < 1e-5, "\(text)")
    }
    #expect(reference.probability(of: "t", after: "|s") > 0.6)
  }

  /// Returns an output that says `text` clearly, or `other` with lower logits, a letter in each step.
  private static func output(
    _ text: String, or other: String, _ alphabet: Alphabet, advantage: Float
  ) -> LogProbabilities {
    var logits: [Float] = []
    for (one, two) in zip(text, other) {
      var row = [Float](repeating: 0, count: alphabet.classCount)
      row[alphabet.class(of: two)!] = 12 - advantage
      row[alphabet.class(of: one)!] = 12
      var blank = [Float](repeating: 0, count: alphabet.classCount)
      blank[0] = 14
      logits += row + blank
    }
    return LogProbabilities(logits: logits, classCount: alphabet.classCount)
  }

  /// The odds of two texts differ from those of the network by what their letters say.
  @Test(
    arguments: [
      ("start", "stprt"), ("order", "ordtr"), ("orders", "orderr"), ("s0rt", "sort"),
      ("at0ar", "ar0ra"),
      ("pppp", "ptpt"), ("Start", "STart"), ("sTart", "start"), ("START", "STARt"),
      ("STarT", "starT"), ("a", "p"),
      ("ae", "pa"), ("orderStart", "ordesStart"), ("stopA", "stopa"), ("s0A", "s0a"),
      ("artorder", "artordes"), ("0a", "0p"), ("ordersta", "opdersta"),
    ])
  func lettersInARowAreWeighed(one: String, other: String) throws {
    var options = CTCDecoder.Options()
    options.minimumClassProbability = 0
    options.beamWidth = 4000
    options.maximumCandidates = 4000
    let (decoder, reference) = try Self.decoder("aedoprstATRS0", options: options)
    let reading = try decoder.read(
      Self.output(one, or: other, decoder.alphabet, advantage: 0.3))
    let odds = zip(one, other).reduce(0.0) { $0 + ($1.0 == $1.1 ? 0 : 0.3) }
    func probability(_ text: String) throws -> Double {
      try #require(reading.candidates.first { $0.text == text }, "\(text)").probability
    }
    let found = try log(probability(one) / probability(other))
    let expected = odds + reference.weight(of: one) - reference.weight(of: other)
    #expect(abs(found - expected) < 1e-3, "\(found) instead of \(expected)")
  }

  @Test func wordsAreLikelierThanOtherTexts() throws {
    let characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    func text(_ written: String, or other: String, _ vocabulary: [String] = []) throws -> String {
      let (decoder, _) = try Self.decoder(characters, vocabulary: vocabulary)
      return try decoder.read(Self.output(written, or: other, decoder.alphabet, advantage: 1)).text
    }
    #expect(try text("slart", or: "start") == "start" && text("Slart", or: "Start") == "Start")
    #expect(try text("QRDER", or: "ORDER") == "ORDER" && text("0rder", or: "order") == "order")
    // What is preferred, and clear writing of something else, win.
    #expect(try text("slart", or: "start", ["slart"]) == "slart")
    #expect(try text("slarl", or: "slarl") == "slarl" && text("q0", or: "qo") == "q0")
    #expect(try text("stopSlate", or: "stopState") == "stopState")
    // Single letters are as likely as before.
    #expect(try text("x", or: "s") == "x")
  }

  /// A word stays in a narrow search though each of its letters is less likely than others.
  @Test func aNarrowSearchFindsWords() throws {
    let characters = "abcdefghijklmnopqrstuvwxyz"
    var options = CTCDecoder.Options()
    options.beamWidth = 4
    let (decoder, _) = try Self.decoder(characters, options: options)
    let output = Self.output("ouberstntc", or: "orderstate", decoder.alphabet, advantage: 0.2)
    #expect(try decoder.read(output).text == "orderstate")
    let plain = CTCDecoder(alphabet: decoder.alphabet, options: options)
    #expect(try plain.read(output).text == "ouberstntc")
  }

  /// Only any text is read by its letters.
  @Test func namesAndSymbolsAreReadAsBefore() throws {
    let released = try Reader.released()
    let bare = try Reader(
      model: Model(
        network: released.model.network, labels: released.model.labels,
        preprocessing: released.model.preprocessing, decision: released.model.decision))
    let output = Self.output("srart", or: "start", released.alphabet, advantage: 0.5)
    for grammar in Grammar.allCases {
      let texts = try [released, bare].map {
        try $0.decoder(grammar: grammar, vocabulary: ["srart", "start"]).read(output).candidates
      }
      #expect((texts[0] == texts[1]) == (grammar != .text), "\(grammar)")
    }
  }
}
