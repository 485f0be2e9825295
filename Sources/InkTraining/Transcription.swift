import InkDatasets
import SafeFiles

extension Dataset {
  /// The characters of all labels, in the order of their code points: what a reader has to know.
  public var characters: [String] { characterCounts.keys.sorted().map { String($0) } }

  /// The words that at least two writers wrote, in small letters, with the numbers of these writers: labels of three
  /// letters or more.
  ///
  /// Shorter ones are rather names and symbols, and two people hardly write the same random letters. Examples without a
  /// writer do not count.
  var words: [(word: String, weight: Double)] {
    var writers: [String: Set<String>] = [:]
    for example in examples where example.label.count >= 3 && example.label.allSatisfy(\.isLetter) {
      guard let hand = example.hand else { continue }
      writers[example.label.lowercased(), default: []].insert(hand)
    }
    return writers.filter { $0.value.count > 1 }.map { ($0.key, Double($0.value.count)) }
      .sorted { $0.word < $1.word }
  }

  private var characterCounts: [Character: Int] {
    examples.reduce(into: [:]) { counts, example in
      for character in example.label { counts[character, default: 0] += 1 }
    }
  }

  /// Returns the examples whose labels have only characters of `alphabet`, and how often each other
  /// character occurs in the labels of the rest, the most frequent one first.
  public func limited(
    to alphabet: Set<Character>
  ) -> (dataset: Dataset, others: [(character: Character, count: Int)]) {
    let others = characterCounts.filter { !alphabet.contains($0.key) }
    return (
      Dataset(examples.filter { $0.label.allSatisfy(alphabet.contains) }),
      others.map { (character: $0.key, count: $0.value) }
        .sorted { ($1.count, $0.character) < ($0.count, $1.character) }
    )
  }

  /// The classes of the characters of every label, where class 0 is the blank and `alphabet` follows.
  ///
  /// - Throws: `TrainingError` with all characters that are not in the alphabet.
  func transcripts(_ alphabet: [String]) throws(TrainingError) -> [[Int]] {
    let indices = Dictionary(
      alphabet.enumerated().map { (Character($1), $0 + 1) }, uniquingKeysWith: { first, _ in first }
    )
    let unknown = characterCounts.filter { indices[$0.key] == nil }
    if !unknown.isEmpty {
      let first = examples.first { $0.label.contains { unknown[$0] != nil } }
      let counts = unknown.sorted { $0.key < $1.key }.map { "`\($0.key)` (\($0.value))" }
      throw .unsuitableData(
        "labels have characters that the reader does not know: "
          + "\(counts.joined(separator: ", ")); the first one is in \(first?.origin ?? "the data")")
    }
    if let example = examples.first(where: { !$0.spans.isEmpty }) {
      throw .unsuitableData(
        "\(example.origin) has labelled spans, and a reader needs its whole text")
    }
    return examples.map { $0.label.map { indices[$0]! } }
  }
}
