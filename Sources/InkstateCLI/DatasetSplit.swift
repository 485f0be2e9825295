import ArgumentParser
import InkDatasets
import InkRaster
import InkTraining

/// Divides a data set.
struct DatasetSplit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Divide a data set into train, validation and test.",
    discussion: """
      Nothing of a writer lies on both sides, whatever the method. `writer` shuffles the writers \
      and deals them out; `hash` lets a hash decide, so that data added later move nothing; `fold` \
      makes fold F of N the test part and the next one the validation part.

      Example: inkstate dataset split datasets/synthetic.ndjson --by writer --seed 7 \
      --output runs/data
      """)

  enum Method: String, ExpressibleByArgument, CaseIterable {
    case writer, fold, hash
  }

  @Argument(help: "A data set in any form.")
  var data: String

  @Option(help: "How the parts are told apart: \(Method.allCases.words).")
  var by: Method = .writer

  @Option(help: "The start of all random choices.")
  var seed: UInt64 = 1

  @Option(help: "The validation part's share.")
  var validation = 0.15

  @Option(help: "The test part's share.")
  var test = 0.15

  @Option(help: "With --by fold: the number of folds.")
  var folds = 5

  @Option(help: "With --by fold: the fold to test, from 1.")
  var fold = 1

  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    guard validation >= 0, test >= 0, validation + test < 1 else {
      throw ValidationError(
        "--validation, --test: expected shares of 0 or more that leave something to train on, "
          + "found \(validation) and \(test)")
    }
    guard by != .fold || folds > 2 || validation == 0 else {
      throw ValidationError(
        "--folds: expected 3 or more (or --validation 0), so that something is left to train on, "
          + "found \(folds)")
    }
    guard (2...1000).contains(folds), (1...folds).contains(fold) else {
      throw ValidationError(
        "--folds, --fold: expected 2 to 1000 folds and one of them, found \(folds) and \(fold)")
    }
  }

  func run() throws {
    try output.check(inputs: [data])
    let dataset = try loading.load(data).dataset
    let method: Split.Method =
      switch by {
      case .writer: .writer
      case .hash: .hash
      case .fold: .fold(index: fold - 1, count: folds)
      }
    let words = by == .fold ? "fold \(fold) of \(folds)" : "by \(by.rawValue)"
    let folder = try SplitFolder.write(
      dataset,
      split: Split(method: method, seed: seed, validationShare: validation, testShare: test),
      input: data, method: words, form: .natural(for: dataset), rasterizer: nil,
      to: output.output)
    for part in Split.Part.allCases {
      let counts = folder.manifest.counts[part.rawValue] ?? [:]
      let words = folder.manifest.labels.map { "\($0) \(counts[$0] ?? 0)" }
      let total = counts.values.reduce(0, +)
      Terminal.show(
        "\(part.rawValue.padded(12))\("\(total)".leftPadded(6))  \(words.joined(separator: ", "))")
      if total == 0, part != .validation || validation > 0 {
        Terminal.say("\(part.rawValue) is empty: expected more writers, or more examples")
      }
    }
  }
}
