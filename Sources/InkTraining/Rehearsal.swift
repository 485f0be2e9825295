import InkDatasets
import SeededRandom

/// How a model learns one person's hand without forgetting the rest: the person's few examples are
/// repeated, and in between what the model knew is rehearsed (Robins, 1995).
public struct Rehearsal: Sendable {
  /// The most examples that are rehearsed in an epoch.
  public static let most = 2000

  /// Own and rehearsed examples together.
  public let dataset: Dataset

  /// Mixes `own` with at most ``most`` examples of `known`, chosen by `seed`; the own ones are
  /// repeated until they are half as many.
  public init(_ own: Dataset, with known: Dataset, seed: UInt64) {
    var generator = SeededGenerator(seed: seed, stream: 0xada7)
    var mixed = known.subset(Array(generator.permutation(known.examples.count).prefix(Self.most)))
    let times = max(1, mixed.examples.count / 2 / max(1, own.examples.count))
    for _ in 0..<times { mixed.add(own) }
    dataset = mixed
  }
}

extension Rehearsal {
  /// Synthetic drawings of `labels`, or `nil` where the synthetic writers were not taught them.
  public static func invented(labels: [String], seed: UInt64) -> Dataset? {
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
