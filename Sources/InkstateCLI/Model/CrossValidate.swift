import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkSeries
import InkRaster
import InkTraining
import SafeFiles

/// Trains and tests on every part in turn.
struct CrossValidate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cross-validate",
    abstract: "Train and test on each fold of a data set in turn.",
    discussion: """
      All examples of a writer are in the same fold. Examples of unknown writers are divided evenly, \
      class by class. The model of the last epoch is tested, so that the test part does not influence \
      the training. The defaults are those of `train`, also for windows of recordings.

      --doubtful writes the examples whose label is nearly impossible for a model that never saw them or \
      their writer: most of these labels are wrong. Look at them with `dataset preview`, and leave \
      them out with `dataset import --without`.

      Example: inkstate cross-validate datasets/synthetic.ndjson --folds 2 --epochs 5
      """)

  @Argument(help: "A data set in any format.")
  var data: String

  @Option(help: "The number of folds.")
  var folds = 5

  @Option(help: "How many seeds to run, starting with --seed.")
  var seeds = 1

  @Option(
    help: ArgumentHelp(
      "Also test with each picture rotated by a random angle and scaled by this factor.",
      valueName: "share"))
  var disturb: Double?

  @Option(help: "Write the examples with doubtful labels to this file.")
  var doubtful: String?

  @Option(
    help: ArgumentHelp(
      "With --doubtful: the highest probability of a doubtful label, for every seed. (default: 0.001)",
      valueName: "probability"))
  var doubt: Double?

  @Flag(help: "Overwrite the file of --doubtful if it exists.")
  var force = false

  @OptionGroup var format: FormatOptions

  @OptionGroup(title: "Options for windows of recordings of sensors") var windows: WindowOptions
  @OptionGroup var training: TrainingArguments
  @OptionGroup var raster: RasterOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    try check("--disturb", disturb ?? 1, in: 0.05...1)
    try check("--folds", folds, in: 2...1000)
    try check("--seeds", seeds, in: 1...1000)
    try check("--doubt", doubt ?? 0, in: 0...1)
    guard doubtful != nil || doubt == nil else { throw ValidationError("--doubt needs --doubtful") }
  }

  func run() throws {
    let dataset = try loading.load(data).dataset
    if disturb != nil, dataset.examples.contains(where: \.isSeries) {
      throw ValidationError("--disturb needs drawings or pictures")
    }
    if let doubtful {
      guard !dataset.examples.contains(where: \.isSeries) else {
        throw ValidationError("--doubtful needs drawings or pictures")
      }
      try FileTree.refuseReplacing(data, by: doubtful)
      try FileTree.refuseExisting(doubtful, force: force)
    }
    var doubts: [Example: Int] = [:]
    let recipe = try training.recipe(for: dataset)
    var cutWindows: SlidingWindows?
    let result = try CrossValidation(
      dataset, folds: folds, seeds: (0..<UInt64(seeds)).map { training.seed &+ $0 },
      recipe: recipe,
      perturbation: disturb.map { .turned(shrunkTo: $0, seed: training.seed) },
      workers: training.workers(),
      prepare: { learnt, test in
        let choice = try windows.choice(for: learnt)
        if let choice, cutWindows != choice.plan.windows { Terminal.say(choice.summary) }
        cutWindows = choice?.plan.windows
        guard let choice else { return (learnt, test) }
        return (try choice.cut(learnt).dataset, try choice.cut(test).dataset)
      },
      network: {
        try training.network(for: $0, rasterizer: raster.rasterizer(for: $0), window: cutWindows)
      },
      onOptions: { Terminal.say("\($0.summary) (options override each choice)") },
      onRun: { run, test in
        for mistake in run.evaluation.errors where (mistake.labelProbability ?? 1) <= doubt ?? 0.001
        {
          doubts[test.examples[mistake.index], default: 0] += 1
        }
        var line =
          "seed \(run.seed) fold \(run.fold): mean recall \(run.evaluation.meanRecall.percent), "
          + "accuracy \(run.evaluation.accuracy.summary), mean F1 \(run.evaluation.meanF1.percent)"
        if let disturbed = run.disturbed { line += "; disturbed \(disturbed.accuracy.summary)" }
        Terminal.say(line)
        if let shortfall = run.shortfall {
          Terminal.say("warning: seed \(run.seed) fold \(run.fold): \(shortfall)")
        }
      })
    if let doubtful {
      let found = dataset.examples.filter { doubts[$0, default: 0] >= seeds }
      try DatasetFormat.natural(for: dataset)
        .write(Dataset(found), rasterizer: .standard, to: doubtful)
      Terminal.say(
        "\(found.count.counted("doubtful label")) of \(dataset.examples.count) in \(doubtful)")
    }
    if format.value == .json {
      try Terminal.show(json: result)
      return
    }
    print("data \(data), \(folds) folds × \(seeds.counted("seed"))")
    let recall = result.meanRecall
    print(
      "mean recall of the classes: mean \(recall.mean.percent), deviation "
        + recall.deviation.percent)
    print("accuracy  \(summary(result.accuracy, result.pooled))")
    if let disturbed = result.disturbedAccuracy, let pooled = result.pooledDisturbed {
      print("disturbed \(summary(disturbed, pooled))")
    }
    print("intervals \(result.pooled.basis(knownWriters: result.writerCount))")
  }

  private func summary(_ spread: CrossValidation.Spread, _ pooled: Share) -> String {
    "mean \(spread.mean.percent), deviation \(spread.deviation.percent); pooled \(pooled.summary)"
  }
}
