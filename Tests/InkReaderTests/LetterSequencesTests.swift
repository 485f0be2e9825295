import Foundation
import InkRecognizer
import SeededRandom
import Testing

@testable import InkReader

@Suite(.timeLimit(.minutes(30))) struct LetterSequencesTests {
  private static let words: [(word: String, weight: Double)] = [
    ("start", 4), ("stop", 2), ("order", 5), ("orders", 1), ("state", 3), ("sort", 1), ("art", 1),
  ]

  /// The probability of a letter after others by the formula of the documentation, written a second time; `|` is the beginning and
  /// the end.
  private struct Reference {
    let counts: [String: Double]
    let letters: [Character]

    init(_ stored: LetterCounts) {
      var texts = [""]
      for sequence in 0..<stored.sequenceCount {
        for longer in stored.longer(than: sequence) {
          let last = stored.last(of: longer)
          texts.append(texts[sequence] + (last == 0 ? "|" : String(stored.letters[last - 1])))
        }
      }
      counts = Dictionary(
        uniqueKeysWithValues: texts.enumerated().map { ($1, stored.count(of: $0)) })
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
      text.split { !$0.isLetter }.map(String.init).reduce(0) { sum, run in
        guard run.count > 1 else { return sum }
        var (ratio, before) = (0.0, "|")
        for (index, character) in run.enumerated() {
          let letter = Character(character.lowercased())
          if index > 0 {
            let surprise =
              probability(of: letter, after: before) / probability(of: letter, after: "")
            ratio += 0.8 * log(surprise) + 0.5
          }
          before.append(letter)
        }
        let cases = run.map { $0.isUppercase ? "A" : "a" }.joined()
        for index in 1..<cases.count {
          let part = Array(cases)
          if part[index - 1] == "a", part[index] == "A" { ratio -= 3 }
          if index > 1, part[index - 2] == "A", part[index - 1] == "A", part[index] == "a" {
            ratio -= 3
          }
        }
        ratio += 0.5 * log(probability(of: "|", after: before))
        return sum + log(0.5 + 0.5 * exp(ratio))
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
    let (_, reference) = try Self.decoder("aedoprst")
    for text in ["", "|", "o", "or", "|or", "order", "orders", "ppp", "|s"] {
      let sum = reference.letters.reduce(0.0) {
        $0 + reference.probability(of: $1, after: text)
      }
      #expect(abs(sum - 1) < 1e-9, "\(text)")
    }
    #expect(reference.probability(of: "t", after: "|s") > 0.6)
  }

  /// Returns an output that says each of `texts` with its probability in its own step, letter by letter.
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
      ("ae", "pa"), ("artorder", "artordes"), ("0a", "0p"), ("ordersta", "opdersta"),
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
    // Single letters are as likely as before.
    #expect(try text("x", or: "s") == "x")
  }
}
