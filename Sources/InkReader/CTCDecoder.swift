import Foundation
import InkNetwork

/// Finds the most probable texts for the output of a network that was trained with CTC.
///
/// The probability of a text is the sum over all paths that give it: a path has one class for each
/// step; repeated classes become one, then blanks are removed (Graves et al., 2006). ``read(_:)`` is a
/// prefix beam search (Hannun et al., 2014) in the log domain that follows only prefixes which the
/// grammar or the vocabulary allow. Each character of a word of the vocabulary adds `preferredWeight` to the word's
/// log-probability, and letters in a row that follow each other as in words are likelier than others.
///
/// The probability of an answer is its weight, divided by the sum of the weights of all texts found and
/// of what the search left out. So for any text, without a vocabulary and letters, it is the probability of CTC,
/// given that the ink is writing: no text has the character for ink that is no writing.
public struct CTCDecoder: Sendable {
  /// The characters of the classes.
  public let alphabet: Alphabet
  /// The allowed texts.
  public let grammar: Grammar
  /// The preferred words.
  public let vocabulary: Vocabulary?
  private let letters: LetterSequences?
  /// The limits of the search and of what is accepted.
  public var options: Options

  private let table: GrammarTable

  /// The limits of the search and of what is accepted.
  public struct Options: Hashable, Sendable {
    /// The number of prefixes that are followed at once.
    public var beamWidth = 24
    /// The least probability with which a class continues a prefix at a step.
    ///
    /// Prefixes of the vocabulary are not held to it. 0 keeps all classes.
    public var minimumClassProbability = 1e-3
    /// What each character of a preferred word adds to its log-probability.
    ///
    /// Long words gain more than short ones, and where half of the words are missing, texts lose what others gain:
    /// models/README.md has the figures.
    public var preferredWeight = 1.0
    /// The number of candidates in an answer.
    public var maximumCandidates = 5
    /// How the empty word is written in answers with the grammar `symbols`.
    ///
    /// All its spellings become this one, except those that are words of the vocabulary.
    public var emptyWord = "ε"
    /// The least probability of an accepted text.
    public var minimumProbability = 0.0
    /// The least evidence of an accepted text.
    public var minimumEvidence = -Double.infinity
    /// The highest probability of no writing with which a text is accepted.
    public var maximumNoWriting = 1.0

    /// Creates the default options, which accept all readings with a text.
    public init() {}
  }

  /// Creates a decoder.
  ///
  /// The vocabulary has to be one for the same alphabet.
  public init(
    alphabet: Alphabet, grammar: Grammar = .text, vocabulary: Vocabulary? = nil,
    options: Options = Options()
  ) {
    self.init(
      alphabet: alphabet, grammar: grammar, vocabulary: vocabulary, letters: nil, options: options)
  }

  init(
    alphabet: Alphabet, grammar: Grammar, vocabulary: Vocabulary?, letters: LetterSequences?,
    options: Options = Options()
  ) {
    self.alphabet = alphabet
    self.grammar = grammar
    self.vocabulary = vocabulary
    self.letters = letters
    self.options = options
    table = GrammarTable(grammar, alphabet: alphabet)
  }

  /// Returns the most probable texts, or a rejection.
  ///
  /// - Throws: `ReaderError.classCount` if the output is not for the alphabet.
  public func read(_ output: LogProbabilities) throws(ReaderError) -> Reading {
    try check(output)
    let nothing = (0..<output.stepCount).reduce(0.0) {
      $0 + Double(output[$1, Alphabet.blank])
    }
    let noWriting = alphabet.noWritingClass.map(output.probability(ofClass:)) ?? 0
    if nothing >= log(0.5) {
      return Reading(
        candidates: [.init(text: "", probability: exp(nothing))], evidence: nothing,
        noWriting: noWriting, rejection: .empty)
    }
    let found = PrefixSearch(
      table, vocabulary: vocabulary, letters: letters, options: options
    ).texts(of: output)
    let all = found.texts.reduce(found.lost) { logSum($0, $1.weight) }

    // Texts with the same spelling in the answer count together.
    var merged: [(text: String, weight: Double, best: PrefixSearch.Found)] = []
    var places: [String: Int] = [:]
    for one in found.texts.sorted(by: { $0.weight > $1.weight }) {
      let text = spelling(of: one.classes)
      if let place = places[text] {
        merged[place].weight = logSum(merged[place].weight, one.weight)
      } else {
        places[text] = merged.count
        merged.append((text, one.weight, one))
      }
    }
    merged.sort { $0.weight > $1.weight }
    guard let best = merged.first, all > -.infinity else {
      return reading([], evidence: -.infinity, noWriting: noWriting)
    }
    return reading(
      merged.map { .init(text: $0.text, probability: min(1, exp($0.weight - all))) },
      evidence: best.best.logProbability / Double(max(1, best.best.classes.count)),
      noWriting: noWriting)
  }

  /// Returns the reading with the best of `candidates`, which are sorted, rejected if it is beyond the limits.
  func reading(
    _ candidates: [Reading.Candidate], evidence: Double, noWriting: Double
  ) -> Reading {
    var rejection: Reading.Rejection?
    if noWriting > options.maximumNoWriting {
      rejection = .notWriting
    } else if candidates.isEmpty {
      rejection = .outsideGrammar
    } else if candidates[0].text.isEmpty {
      rejection = .empty
    } else if evidence < options.minimumEvidence {
      rejection = .unreadable
    } else if candidates[0].probability < options.minimumProbability {
      rejection = .ambiguous
    }
    return Reading(
      candidates: Array(candidates.prefix(max(1, options.maximumCandidates))),
      evidence: evidence, noWriting: noWriting, rejection: rejection)
  }

  private func check(_ output: LogProbabilities) throws(ReaderError) {
    guard output.classCount == alphabet.classCount else {
      throw .classCount(expected: alphabet.classCount, found: output.classCount)
    }
  }

  /// Spells the empty word in one way.
  private func spelling(of classes: [Int]) -> String {
    func text(of classes: ArraySlice<Int>) -> String {
      String(classes.map(alphabet.character(ofClass:)))
    }
    guard let separator = table.separator else { return text(of: classes[...]) }
    return classes.split(separator: separator, omittingEmptySubsequences: false).map { classes in
      let symbol = text(of: classes)
      return Grammar.emptyWordSpellings.contains(symbol) && !isWord(classes)
        ? options.emptyWord : symbol
    }.joined(separator: String(alphabet.character(ofClass: separator)))
  }

  private func isWord(_ classes: ArraySlice<Int>) -> Bool {
    guard let vocabulary else { return false }
    var node = Vocabulary.root
    for number in classes {
      guard let next = vocabulary.child(of: node, number) else { return false }
      node = next
    }
    return vocabulary.isWord(node)
  }
}
