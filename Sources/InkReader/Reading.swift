/// The text that a reader found in a line of writing.
public struct Reading: Hashable, Sendable {
  /// A text with its probability.
  public struct Candidate: Hashable, Sendable {
    /// The text.
    public let text: String
    /// Its probability among all texts that the grammar allows, from 0 to 1.
    public let probability: Double

    /// Creates a candidate.
    public init(text: String, probability: Double) {
      self.text = text
      self.probability = probability
    }
  }

  /// Why a reading is rejected.
  public enum Rejection: String, CaseIterable, Hashable, Sendable, Codable {
    /// There is no writing.
    case empty
    /// No text of the grammar fits.
    case outsideGrammar
    /// The ink is no writing, such as a scribble or an arrow.
    case notWriting
    /// The characters of the best text do not fit the writing.
    case unreadable
    /// Several texts fit about equally well.
    case ambiguous

    /// The reason for people who write, to follow a colon.
    public var message: String {
      switch self {
      case .empty: "nothing is written"
      case .outsideGrammar: "no allowed text fits"
      case .notWriting: "this is no writing"
      case .unreadable: "the writing is not readable"
      case .ambiguous: "several texts fit equally well"
      }
    }
  }

  /// The texts from the most to the least probable; none if no allowed text fits.
  public let candidates: [Candidate]
  /// How well the best text fits the writing: the logarithm of its probability among all texts,
  /// allowed or not, for each of its characters.
  ///
  /// Of a line that was looked at in several views, it is the mean over the best text of each. It is 0 at most. Ink
  /// that is no writing has a low one, even if the grammar leaves a single text.
  public let evidence: Double
  /// The probability that the ink is no writing, or that a part of it is not; 0 for a model that has
  /// not learnt what is no writing.
  public let noWriting: Double
  /// Why the reading is rejected, or `nil` if it is accepted.
  public let rejection: Rejection?

  /// The best text; empty if there is none.
  public var text: String { candidates.first?.text ?? "" }
  /// The probability of the best text; 0 if there is none.
  public var probability: Double { candidates.first?.probability ?? 0 }
  /// The other texts, from the most to the least probable.
  public var alternatives: ArraySlice<Candidate> { candidates.dropFirst() }
}

extension Reading {
  /// The text of a line that was looked at in several views.
  ///
  /// The probability of a text is its mean over the views, as are the probability of no writing and, over the views with
  /// a text, the evidence.
  init(views: [Reading], with decoder: CTCDecoder) {
    var sums: [String: Double] = [:]
    for candidate in views.flatMap(\.candidates) {
      sums[candidate.text, default: 0] += candidate.probability
    }
    let count = Double(views.count)
    let candidates = sums.map { Candidate(text: $0, probability: $1 / count) }
      .sorted { ($0.probability, $1.text) > ($1.probability, $0.text) }
    let evidences = views.filter { !$0.text.isEmpty }.map(\.evidence)
    self = decoder.reading(
      candidates,
      evidence: evidences.isEmpty
        ? -.infinity : evidences.reduce(0, +) / Double(evidences.count),
      noWriting: views.reduce(0) { $0 + $1.noWriting } / count)
  }

  /// The text of a line of `words`, with a space between them; it is rejected for the reason of the first word
  /// that is.
  ///
  /// The other candidates differ in one word.
  ///
  /// - Precondition: there is a word.
  public init(words: [Reading]) {
    if words.count == 1 {
      self = words[0]
      return
    }
    let probability = words.reduce(1) { $0 * $1.probability }
    func text(with other: String, at index: Int) -> String {
      words.indices.map { $0 == index ? other : words[$0].text }.joined(separator: " ")
    }
    let others = words.indices.flatMap { index in
      words[index].alternatives.map {
        Candidate(
          text: text(with: $0.text, at: index),
          probability: probability * $0.probability / words[index].probability)
      }
    }
    self.init(
      candidates: [Candidate(text: text(with: words[0].text, at: 0), probability: probability)]
        + others.sorted { $0.probability > $1.probability },
      evidence: words.map(\.evidence).min()!, noWriting: words.map(\.noWriting).max()!,
      rejection: words.lazy.compactMap(\.rejection).first)
  }
}
