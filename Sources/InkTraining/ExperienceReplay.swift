import InkDatasets
import InkRecognizer
import SeededRandom

/// Training data that adapt a model to one person without forgetting the rest (Robins, 1995).
///
/// The few examples of the person are repeated and mixed with examples of what the model knows.
public struct ExperienceReplay: Sendable {
  /// The number of recordings of each class below which an adaptation is a warning.
  public static let minimumPerClass = 5
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

extension ExperienceReplay {
  /// Returns the classes of `model` with fewer than ``minimumPerClass`` recordings in `own`, with their counts.
  ///
  /// Each labelled span of a recording counts as one of its class. Without recordings of it, the class for
  /// rejection is left out, because it has no handwriting to learn. For a reader, whose labels are texts, the
  /// lines are counted together, without a label.
  public static func scarceClasses(
    of model: Model, in own: Dataset
  ) -> [(label: String?, count: Int)] {
    guard !model.readsText else {
      return own.examples.count < minimumPerClass ? [(nil, own.examples.count)] : []
    }
    var counts: [String: Int] = [:]
    for example in own.examples {
      for label in example.spans.isEmpty ? [example.label] : example.spans.map(\.label) {
        counts[label, default: 0] += 1
      }
    }
    let rest = Set([model.decision.rejectedLabel, model.restLabel].compactMap { $0 })
    return model.labels.compactMap { label in
      let count = counts[label] ?? 0
      guard count < minimumPerClass, count > 0 || !rest.contains(label) else { return nil }
      return (label, count)
    }
  }

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
