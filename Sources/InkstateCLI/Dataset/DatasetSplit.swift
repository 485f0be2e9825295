import ArgumentParser
import InkDatasets
import InkEvaluation
import InkRaster
import InkTraining
import SafeFiles

/// Splits a data set into train, validation and test parts.
struct DatasetSplit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Split a data set into train, validation and test parts.",
    discussion: """
      All examples of a writer are in the same part; with `session`, all of a session are. `writer` \
      shuffles the writers and assigns them to the parts. `session` does the same with the sessions of \
      each writer. `hash` assigns each writer by a hash, so writers stay in their part when you add \
      data. `fold` uses one fold as the test part and the next fold as the validation part.

      Pages with masks (a folder with pictures, masks and classes.tsv) are copied, and the column split \
      of pages.tsv has their parts. Only they can be split by `source`.

      Example: inkstate dataset split datasets/synthetic.ndjson --by writer --seed 7 \
      --output runs/data
      """)

  enum Method: String, ExpressibleByArgument, CaseIterable {
    case writer, source, session, fold, hash
  }

  @Argument(help: "A data set in any format.")
  var data: String

  @Option(
    help: """
      The part to split, for strips whose labels.tsv names parts. (default: all examples)
      """)
  var part: Split.Part?

  @Option(help: "How to assign examples to the parts.")
  var by: Method = .writer

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @Option(help: "The share of the validation part.")
  var validation = Split.usualShare

  @Option(help: "The share of the test part.")
  var test = Split.usualShare

  @Option(help: "With --by fold: the number of folds.")
  var folds = 5

  @Option(help: "With --by fold: the fold to use for testing, from 1.")
  var fold = 1

  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    guard validation >= 0, test >= 0, validation + test < 1 else {
      throw ValidationError(
        "--validation and --test must be 0 or more and leave examples to train on, not "
          + "\(validation) and \(test)")
    }
    guard by != .fold || folds > 2 || validation == 0 else {
      throw ValidationError(
        "--folds: \(folds) folds leave nothing to train on; use 3 or more, or --validation 0")
    }
    try check("--folds", folds, in: 2...1000)
    try check("--fold", fold, in: 1...folds)
  }

  func run() throws {
    try output.check(inputs: [data])
    let method: Split.Method =
      switch by {
      case .writer, .source: .writer
      case .session: .session
      case .hash: .hash
      case .fold: .fold(index: fold - 1, count: folds)
      }
    if SegmentationDataset.isOne(data) {
      guard by != .session, part == nil else {
        throw ValidationError(
          "--by session and --part do not apply to pages with masks, such as \(data)")
      }
      return try SegmentationPages(path: data).split(
        Split(method: method, seed: seed, validationShare: validation, testShare: test),
        keepingTogether: by == .source ? .source : .writer, to: output.output)
    }
    guard by != .source else {
      throw ValidationError("--by source applies to pages with masks, and \(data) has none")
    }
    let dataset = try wholeOrPart()
    guard by != .session || dataset.examples.contains(where: { $0.session != nil }) else {
      throw FileError(
        path: data, expected: "recordings with a session (--session-column or --name gives it)",
        found: "none")
    }
    let methodName = by == .fold ? "fold \(fold) of \(folds)" : "by \(by.rawValue)"
    let folder = try SplitFolder.write(
      dataset,
      split: Split(method: method, seed: seed, validationShare: validation, testShare: test),
      input: data, method: methodName, form: .natural(for: dataset), rasterizer: nil,
      to: output.output)
    for part in Split.Part.allCases {
      let counts = folder.manifest.counts[part.rawValue] ?? [:]
      let labels = folder.manifest.labels
      let countTexts =
        labels.count > Self.maximumLabels
        ? "\(counts.values.count { $0 > 0 }) of \(labels.count) labels"
        : labels.map { "\($0) \(counts[$0] ?? 0)" }.joined(separator: ", ")
      let total = counts.values.reduce(0, +)
      Terminal.show(
        "\(part.rawValue.padded(12))\("\(total)".leftPadded(6))  \(countTexts)")
      if total == 0, part != .validation || validation > 0 {
        Terminal.say("\(part.rawValue) is empty: add writers or examples, or change its share")
      }
    }
    if by != .fold, dataset.labels.count <= Self.maximumLabels { sayUndivided(dataset) }
  }

  /// With more labels than this they are texts, which are not listed one by one.
  private static let maximumLabels = 100

  /// Returns the examples to split, which no longer belong to a part.
  private func wholeOrPart() throws -> Dataset {
    var dataset = try loading.load(data).dataset
    if let part {
      dataset.examples.removeAll { $0.part != part }
      guard !dataset.examples.isEmpty else {
        throw FileError(
          path: data, expected: "examples of the part \(part.rawValue)", found: "none")
      }
      dataset = Dataset(dataset.examples)
    }
    for index in dataset.examples.indices { dataset.examples[index].part = nil }
    return dataset
  }

  /// Reports the classes that are in one part only, because one writer or session has all of them.
  private func sayUndivided(_ dataset: Dataset) {
    for label in dataset.labels {
      let members = dataset.examples.filter { $0.labels.contains(label) }
      let names = Set(members.map { by == .session ? $0.sitting : $0.hand })
      guard members.count > 1, names.count == 1, let name = names.first ?? nil else { continue }
      Terminal.say(
        "\(label): all \(members.count) examples are of \(by == .session ? "session" : "writer") "
          + "\(name), so only one part has them; record others, or leave the class out with --drop")
    }
  }
}
