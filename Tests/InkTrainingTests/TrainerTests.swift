import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import Testing
import TestSupport

@testable import InkTraining

@Suite struct TrainerTests {
  private func dataset(_ seed: UInt64, writers: Int = 6, perClass: Int = 3) -> Dataset {
    Dataset(
      Synthesizer(seed: seed).recordings(writers: writers, perClass: perClass).enumerated().map {
        Example($1, label: $1.label!, origin: "example \($0)")
      })
  }

  private func small(classCount: Int = 4) throws -> Architecture {
    try Architecture(
      name: "small", inputSize: 28,
      layers: [
        .convolution(filters: 4, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
        .convolution(filters: 6, kernel: 3, padding: .same), .batchNormalization, .relu,
        .maxPooling(size: 2), .flatten, .dense(units: 12), .relu, .dropout(rate: 0.2),
        .dense(units: classCount),
      ])
  }

  private var options: TrainingOptions {
    var options = TrainingOptions()
    options.epochs = 3
    options.batchSize = 20
    options.augmentation = .anyAngle
    options.averageDecay = 0.9
    options.schedule = Schedule(.cosine, warmup: 0.1)
    options.longestGradient = 1
    options.seed = 5
    return options
  }

  private func train(
    _ options: TrainingOptions, workers: Int, training: Dataset? = nil
  ) throws -> Model {
    let trainer = try Trainer(
      small(), training: training ?? dataset(1), validation: dataset(2, writers: 2),
      rasterizer: .standard, options: options, workers: workers)
    guard case .finished(let model) = try trainer.run() else {
      throw TrainingError.diverged(epoch: 0, step: 0)
    }
    return model
  }

  @Test func theSameSeedGivesTheSameBytesForAnyNumberOfCores() throws {
    let one = try train(options, workers: 1).encoded()
    #expect(try train(options, workers: 2).encoded() == one)
    #expect(try train(options, workers: 4).encoded() == one)
    var other = options
    other.seed = 6
    #expect(try train(other, workers: 4).encoded() != one)
  }

  /// A batch of 150 has 15 slices of 10, the rest of 128 has 16 of 8.
  @Test func aLastBatchMayHaveMoreSlices() throws {
    var options = options
    options.batchSize = 150
    options.epochs = 1
    // Pictures, of which none is a tap.
    let pictures = try dataset(1, writers: 20, perClass: 4).examples.prefix(278).map {
      Example(.bitmap(try $0.bitmap(.standard)), label: $0.label, origin: $0.origin)
    }
    let model = try train(options, workers: 2, training: Dataset(pictures))
    #expect(model.provenance["epoch"] == "1")
  }

  @Test(arguments: [Augmentation.none, .upright])
  func picturesOnDiskTeachWhatPicturesInMemoryTeach(augmentation: Augmentation) throws {
    let folder = try TemporaryFolder()
    // Dark ink, which is inverted when it is looked at.
    let dark = Dataset(
      try dataset(1).examples.map {
        Example(.bitmap(try $0.bitmap(.standard).inverted()), label: $0.label, origin: $0.origin)
      })
    try DatasetForm.npy.write(dark, rasterizer: .standard, to: "\(folder.path)/pictures")
    let onDisk = try Dataset.load("\(folder.path)/pictures").dataset
    #expect(onDisk.examples.allSatisfy { $0.stored != nil })
    let inMemory = Dataset(
      onDisk.examples.map { Example($0.content, label: $0.label, origin: $0.origin) },
      labels: onDisk.labels)
    var options = options
    options.augmentation = augmentation
    #expect(
      try train(options, workers: 2, training: onDisk).encoded()
        == train(options, workers: 2, training: inMemory).encoded())
  }

  @Test(arguments: [1, 4, 5, 11]) func aResumedTrainingEndsInTheSameBytes(stopAfter: Int) throws {
    let folder = try TemporaryFolder()
    let checkpoint = "\(folder.path)/c"
    func trainer() throws -> Trainer {
      try Trainer(
        small(), training: dataset(1), validation: dataset(2, writers: 2), rasterizer: .standard,
        options: options, workers: 2)
    }
    var steps = 0
    let first = try trainer()
    let outcome = try first.run(
      checkpointPath: checkpoint, shouldStop: { steps == stopAfter },
      onEvent: { if case .step = $0 { steps += 1 } })
    guard case .interrupted = outcome else {
      Issue.record("the training was not interrupted")
      return
    }
    let second = try trainer()
    try second.resume(from: checkpoint)
    guard case .finished(let model) = try second.run(checkpointPath: checkpoint) else { return }
    #expect(try model.encoded() == train(options, workers: 2).encoded())
  }

  @Test func aCheckpointOfAnotherTrainingIsRefused() throws {
    let folder = try TemporaryFolder()
    let checkpoint = "\(folder.path)/c"
    let trainer = try Trainer(
      small(), training: dataset(1), validation: nil, rasterizer: .standard, options: options,
      workers: 1)
    _ = try trainer.run(checkpointPath: checkpoint, shouldStop: { true })
    func message(_ options: TrainingOptions, _ training: Dataset) -> String {
      do {
        let other = try Trainer(
          small(), training: training, validation: nil, rasterizer: .standard, options: options,
          workers: 1)
        try other.resume(from: checkpoint)
        return "none"
      } catch { return "\(error)" }
    }
    #expect(message(options, dataset(1)) == "none")
    #expect(message(options, dataset(3)).contains("data fingerprint: expected"))
    var changed = options
    changed.learningRate = 0.5
    #expect(message(changed, dataset(1)).contains("options: expected"))
    try folder.write("c", Data("garbage!".utf8))
    #expect(message(options, dataset(1)).contains("header length: expected"))
    try FileManager.default.removeItem(atPath: checkpoint)
    #expect(
      message(options, dataset(1)).contains("expected a checkpoint to go on from, found none"))
  }

  @Test func patienceEndsATrainingWithItsBestEpoch() throws {
    var options = options
    options.epochs = 40
    options.patience = 2
    options.learningRate = 3e-3
    let trainer = try Trainer(
      small(), training: dataset(1), validation: dataset(2, writers: 2), rasterizer: .standard,
      options: options, workers: 4)
    var stopped: (epoch: Int, best: Int)?
    _ = try trainer.run(onEvent: {
      if case .stoppedEarly(let epoch, let best) = $0 { stopped = (epoch, best) }
    })
    let end = try #require(stopped)
    #expect(end.epoch == end.best + 2 && end.epoch < 40)
    let history = trainer.history
    #expect(history.count == end.epoch)
    let best = history[end.best - 1].validationAccuracy!
    #expect(history.allSatisfy { $0.validationAccuracy! <= best })
  }

  @Test func aSmallTrainingLearnsUnseenWriters() throws {
    var options = TrainingOptions()
    options.epochs = 24
    options.batchSize = 32
    options.learningRate = 3e-3
    options.schedule = Schedule(.oneCycle)
    let data = dataset(1, writers: 40, perClass: 8)
    let parts = Split(method: .writer, seed: 3, validationShare: 0, testShare: 0.25).parts(of: data)
    let trainer = try Trainer(
      .drawing(classCount: 4), training: data.subset(parts.indices.filter { parts[$0] == .train }),
      validation: nil, rasterizer: .standard, options: options, workers: 4)
    guard case .finished(let model) = try trainer.run() else { return }
    let evaluation = try Evaluation(
      of: Recognizer(model: model), on: data.subset(parts.indices.filter { parts[$0] == .test }),
      workers: 4)
    #expect(evaluation.accuracy.total == 320)
    #expect(evaluation.accuracy.value > 0.88)
  }

  @Test func dataThatCannotTeachAreNamed() throws {
    func message(_ data: Dataset, _ change: (inout TrainingOptions) -> Void = { _ in }) -> String {
      var options = options
      change(&options)
      do {
        _ = try Trainer(
          small(classCount: max(1, data.labels.count)), training: data, validation: nil,
          rasterizer: .standard, options: options, workers: 1)
        return "none"
      } catch { return "\(error)" }
    }
    let all = dataset(1)
    let one = all.subset(all.examples.indices.filter { all.examples[$0].label == "state" })
    #expect(
      message(Dataset(one.examples))
        == "training data: expected at least two classes, found only `state`")
    #expect(
      message(Dataset(one.examples, labels: ["empty", "state"]))
        == "training data: expected examples of every class, found none of `empty`, taps not counted"
    )
    var broken = all
    broken.examples[7].content = .drawing(
      Drawing([Stroke([Point(0, 0), Point(100, 100), Point(.nan, 1)])]))
    #expect(message(broken).hasPrefix("example 7: expected a drawing that can be rasterised"))
    #expect(message(all) { $0.epochs = 0 } == "epochs: expected 1 to 100000, found 0")
    #expect(message(all) { $0.learningRate = .nan }.hasPrefix("learning rate: expected"))
    #expect(message(all) { $0.labelSmoothing = 1 }.hasPrefix("label smoothing: expected"))
    #expect(message(all) { $0.batchSize = -3 }.hasPrefix("batch size: expected"))
  }

  @Test func twoExamplesAreEnough() throws {
    let all = dataset(1)
    let two = [
      all.examples.first { $0.label == "state" }!, all.examples.first { $0.label == "transition" }!,
    ]
    var options = options
    options.averageDecay = nil
    let trainer = try Trainer(
      small(classCount: 2), training: Dataset(two), validation: nil, rasterizer: .standard,
      options: options, workers: 4)
    guard case .finished(let model) = try trainer.run() else { return }
    #expect(model.labels == ["state", "transition"])
  }

  @Test func trainingGoesOnFromAModel() throws {
    var options = TrainingOptions()
    options.epochs = 1
    let data = dataset(1)
    guard
      case .finished(var model) = try Trainer(
        small(), training: data, validation: nil, rasterizer: .standard, options: options,
        workers: 2
      ).run()
    else { return }
    model.decision.temperature = 1.5
    options.learningRate = 1e-12
    options.seed = 9
    func next(_ data: Dataset) throws -> Model? {
      let trainer = try Trainer(
        small(), training: data, validation: nil, rasterizer: .standard, options: options,
        startingFrom: model, workers: 2)
      guard case .finished(let next) = try trainer.run() else { return nil }
      return next
    }
    // With hardly a step, what was learnt and the decision are those of the model.
    let after = try #require(try next(data))
    for parameter in model.architecture.parameters where parameter.isLearnt {
      let (old, new) = (model.weights[parameter.name]!, after.weights[parameter.name]!)
      #expect(zip(old.values, new.values).allSatisfy { abs($0 - $1) < 1e-6 }, "\(parameter.name)")
    }
    #expect(after.decision == model.decision)
    #expect(throws: TrainingError.self) {
      _ = try next(Dataset(data.examples, labels: data.labels.reversed()))
    }
  }

  @Test func rehearsalRepeatsTheOwnHand() {
    let own = Dataset(Array(dataset(7).examples.prefix(10)), labels: dataset(7).labels)
    let known = dataset(1, writers: 40, perClass: 20)
    #expect(known.examples.count == 3200)
    let mixed = Rehearsal(own, with: known, seed: 3).dataset
    #expect(mixed.examples.count == Rehearsal.most * 3 / 2)
    #expect(mixed.examples.count { $0 == own.examples[0] } == 100)
    #expect(mixed == Rehearsal(own, with: known, seed: 3).dataset)
    // Where little is known, the own examples are there all the same.
    #expect(Rehearsal(own, with: own, seed: 3).dataset.examples.count == 20)
  }

  @Test func aTrainingThatDivergesSaysSo() throws {
    var options = TrainingOptions()
    options.optimizer = Optimizer(.sgd)
    options.learningRate = 99
    options.epochs = 50
    // Without ReLU nothing can die down: the weights drive each other up.
    let linear = try Architecture(
      name: "linear", inputSize: 28,
      layers: [.flatten, .dense(units: 16), .dense(units: 16), .dense(units: 4)])
    let trainer = try Trainer(
      linear, training: dataset(1), validation: nil, rasterizer: .standard, options: options,
      workers: 4)
    #expect { _ = try trainer.run() } throws: {
      "\($0)".contains("expected a finite loss, found none")
    }
  }

  @Test func schedulesFollowTheirCourse() {
    func factors(_ schedule: Schedule, _ steps: [Int]) -> [Double] {
      steps.map { schedule.factor(step: $0, of: 100, epoch: $0 / 10) }
    }
    #expect(factors(Schedule(.constant), [0, 50, 99]) == [1, 1, 1])
    #expect(
      factors(Schedule(.step(epochs: 3, factor: 0.5)), [0, 29, 30, 60]) == [1, 1, 0.5, 0.25])
    func agree(_ values: [Double], _ expected: [Double]) -> Bool {
      zip(values, expected).allSatisfy { abs($0 - $1) < 1e-9 }
    }
    #expect(agree(factors(Schedule(.cosine), [0, 50, 100]), [1, 0.5, 0]))
    #expect(agree(factors(Schedule(.oneCycle), [0, 30, 100]), [0.04, 1, 1e-5]))
    let eleventh = 1.0 / 11
    let rising = [eleventh, 5 * eleventh, 10 * eleventh, 1]
    #expect(agree(factors(Schedule(.constant, warmup: 0.1), [0, 4, 9, 10]), rising))
  }

  @Test func longGradientsAreShortened() {
    let weights = FloatBuffer(count: 2)
    let gradient = FloatBuffer(count: 2)
    gradient.values = [30, 40]
    OptimizerState(Optimizer(.sgd, momentum: 0), count: 2, workers: 1).update(
      weights, gradient: gradient, step: 1, learningRate: 1, longestGradient: 5)
    #expect(isClose(weights.values, [-3, -4], tolerance: 1e-5))
  }
}
