import InkDatasets
import InkEvaluation
import InkNetwork
import InkRecognizer

/// Training and testing in turn on every part of a data set, so that each example is tested once by
/// a model that never saw it.
public struct CrossValidation: Hashable, Sendable, Codable {
  /// What one model came to.
  public struct Run: Hashable, Sendable, Codable {
    /// The start of the run's random choices.
    public var seed: UInt64
    /// The part that was tested, from 1.
    public var fold: Int
    /// The result on that part.
    public var evaluation: Evaluation
    /// The result on that part when every picture is turned and shrunk.
    public var disturbed: Evaluation?
    /// How far the training is below a model that ignores its input, or `nil` if it is better.
    public var shortfall: TrainingShortfall?
  }

  /// All models in the order in which they were trained.
  public var runs: [Run]
  /// The accuracy on all examples of all runs together.
  public var pooled: Share
  /// The same on disturbed pictures, where that was asked for.
  public var pooledDisturbed: Share?
  /// The number of known writers.
  public var writerCount: Int

  /// Mean and standard deviation of a number over all runs.
  public struct Spread: Hashable, Sendable, Codable {
    /// The mean.
    public var mean: Double
    /// The deviation of single runs from it.
    public var deviation: Double

    init(_ values: [Double]) {
      let mean = values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
      let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      self.mean = mean
      deviation = values.count > 1 ? (squares / Double(values.count - 1)).squareRoot() : 0
    }
  }

  /// The accuracy over all runs.
  public var accuracy: Spread { Spread(runs.map(\.evaluation.accuracy.value)) }
  /// The mean recall of the classes over all runs.
  public var meanRecall: Spread { Spread(runs.map(\.evaluation.meanRecall)) }
  /// The accuracy over all runs on disturbed pictures, where that was asked for.
  public var disturbedAccuracy: Spread? {
    let values = runs.compactMap { $0.disturbed?.accuracy.value }
    return values.isEmpty ? nil : Spread(values)
  }

  /// Trains and tests `folds` models for each of `seeds`.
  ///
  /// `prepare` makes the examples of both parts from those of the folds; windows of one recording are in
  /// one fold if it cuts them.
  /// `recipe` gives the options of each model for its training part; `onOptions` hears those of the
  /// first model, and any that are different. Nothing of a test part is used to choose anything:
  /// every model is the one of its last epoch.
  ///
  /// - Throws: what training and evaluation throw.
  public init(
    _ dataset: Dataset, folds count: Int, seeds: [UInt64],
    recipe: TrainingRecipe, perturbation: Perturbation?, workers: Int,
    prepare: (_ training: Dataset, _ test: Dataset) throws -> (training: Dataset, test: Dataset) = {
      ($0, $1)
    },
    network: (_ training: Dataset) throws -> NetworkChoice,
    onOptions: (TrainingOptions) -> Void = { _ in },
    onEvent: (_ seed: UInt64, _ fold: Int, TrainingEvent) -> Void = { _, _, _ in },
    onRun: (_ run: Run, _ test: Dataset) -> Void = { _, _ in }
  ) throws {
    var heard: TrainingOptions?
    runs = []
    var writers: [String?] = []
    var (right, rightDisturbed) = ([Bool](), [Bool]())
    func add(_ evaluation: Evaluation, of count: Int, to right: inout [Bool]) {
      let wrong = Set(evaluation.errors.map(\.index))
      right += (0..<count).map { !wrong.contains($0) }
    }
    for seed in seeds {
      let folds = Split.folds(of: dataset, count: count, seed: seed)
      if let empty = (0..<count).first(where: { !folds.contains($0) }) {
        throw TrainingError.unsuitableData(
          "fold \(empty + 1) of \(count) has no examples: take fewer folds, or data of more writers"
        )
      }
      for fold in 0..<count {
        let (training, test) = try prepare(
          dataset.subset(folds.indices.filter { folds[$0] != fold }),
          dataset.subset(folds.indices.filter { folds[$0] == fold }))
        let network = try network(training)
        guard network.architecture.output == .distribution else {
          throw TrainingError.unsuitableData(
            "networks that read text are not cross-validated: divide the data with `dataset split --by "
              + "writer`, then use `train` and `evaluate`")
        }
        var options = recipe.options(
          for: training, network: network.architecture, hasValidation: false)
        if options != heard { onOptions(options) }
        heard = options
        options.seed = seed &* 1000 &+ UInt64(fold)
        let trainer = try Trainer(
          network.architecture, training: training, validation: nil,
          preprocessing: network.preprocessing, options: options, workers: workers)
        guard case .finished(let model) = try trainer.run(onEvent: { onEvent(seed, fold + 1, $0) })
        else { preconditionFailure("nobody asks this training to stop") }
        let recognizer = Recognizer(model: model)
        let run = Run(
          seed: seed, fold: fold + 1,
          evaluation: try Evaluation(of: recognizer, on: test, workers: workers),
          disturbed: try perturbation.map {
            try Evaluation(of: recognizer, on: test, perturbation: $0, workers: workers)
          },
          shortfall: trainer.shortfall)
        runs.append(run)
        writers += test.examples.map(\.hand)
        add(run.evaluation, of: test.examples.count, to: &right)
        if let disturbed = run.disturbed {
          add(disturbed, of: test.examples.count, to: &rightDisturbed)
        }
        onRun(run, test)
      }
    }
    pooled = Share(of: right, writers: writers)
    pooledDisturbed = perturbation.map { _ in Share(of: rightDisturbed, writers: writers) }
    writerCount = Set(writers.compactMap { $0 }).count
  }
}
