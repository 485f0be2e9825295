import InkDatasets
import SafeFiles

extension Dataset {
  /// The characters of all labels, in the order of their code points: what a reader has to know.
  public var characters: [String] { characterCounts.keys.sorted().map { String($0) } }

  private var characterCounts: [Character: Int] {
    examples.reduce(into: [:]) { counts, example in
      for character in example.label { counts[character, default: 0] += 1 }
    }
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
