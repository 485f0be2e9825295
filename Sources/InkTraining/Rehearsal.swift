import InkDatasets
import SeededRandom

/// Training data that adapt a model to one person without forgetting the rest (Robins, 1995).
///
/// The few examples of the person are repeated and mixed with examples of what the model knows.
public struct Rehearsal: Sendable {
  /// The maximum number of known examples in an epoch.
  public static let most = 2000

  /// The person's examples and the known examples.
  public let dataset: Dataset

  /// Mixes `own` with at most ``most`` random examples of `known`.
  ///
  /// The examples of `own` are repeated until they are half as many.
  public init(_ own: Dataset, with known: Dataset, seed: UInt64) {
    var generator = SeededGenerator(seed: seed, stream: 0xada7)
    var mixed = known.subset(Array(generator.permutation(known.examples.count).prefix(Self.most)))
    let times = max(1, mixed.examples.count / 2 / max(1, own.examples.count))
    for _ in 0..<times { mixed.add(own) }
    dataset = mixed
  }
}

extension Rehearsal {
  /// Returns synthetic drawings of `labels`, or `nil` if the synthesiser does not draw them.
  public static func synthetic(labels: [String], seed: UInt64) -> Dataset? {
    guard
      let repertoire = Synthesizer.Repertoire.allCases.first(where: {
        $0.labels.sorted() == labels.sorted()
      })
    else { return nil }
    let recordings = Synthesizer(seed: seed, repertoire: repertoire)
      .recordings(writers: 50, perClass: most / 50 / repertoire.labels.count)
    return Dataset(
      recordings.map { Example($0, label: $0.label!, origin: "synthetic") }, labels: labels)
  }
}
