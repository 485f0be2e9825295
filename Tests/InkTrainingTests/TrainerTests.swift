import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import ParallelLoops
import Testing
import TestSupport

@testable import InkTraining

@Suite(.timeLimit(.minutes(30))) struct TrainerTests {
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
    options.maxGradientNorm = 1
    options.seed = 5
    return options
  }

  private func train(
    _ options: TrainingOptions, workers: Int, training: Dataset? = nil
  ) throws -> Model {
    let trainer = try Trainer(
      small(), training: training ?? dataset(1), validation: dataset(2, writers: 2),
      preprocessing: [.raster(.standard)], options: options, workers: workers)
    return try #require(trainer.run().model)
  }

  private func trainer() throws -> Trainer {
    try Trainer(
      small(), training: dataset(1), validation: dataset(2, writers: 2),
      preprocessing: [.raster(.standard)],
      options: options, workers: 2)
  }

  /// Writes a checkpoint after so many steps.
  private func stop(
    _ trainer: Trainer, after count: Int, checkpoint: String
  ) throws -> Trainer.Outcome {
    var steps = 0
    return try trainer.run(
      checkpointPath: checkpoint, shouldStop: { steps == count },
      onEvent: { if case .step = $0 { steps += 1 } })
  }

  @Test func theSameSeedGivesTheSameBytesForAnyNumberOfCores() throws {
    let one = try train(options, workers: 1).encoded()
    #expect(try train(options, workers: 2).encoded() == one)
    #expect(try train(options, workers: 4).encoded() == one)
    var other = options
    other.seed = 6
    #expect(try train(other, workers: 4).encoded() != one)
  }

  /// The answer to a training that learnt nothing is compared with one that ignores its input.
  @Test func whatIsWorseThanTheMostFrequentClassIsFound() throws {
    func record(_ accuracy: Double, reading: ReadingRecord? = nil) -> EpochRecord {
      var record = EpochRecord(
        epoch: 1, learningRate: 1, trainingLoss: 1, trainingAccuracy: accuracy)
      record.trainingReading = reading
      return record
    }
    let counts = [("run", 4), ("walk", 120)].map { (label: $0.0, count: $0.1) }
    let found = try #require(TrainingShortfall(record(0.0323), counts: counts))
    #expect(found.mostFrequentLabel == "walk" && found.baseline == 120.0 / 124)
    #expect(
      found.description.hasPrefix(
        "the training accuracy of 3.23 % is below the 96.77 % of always answering `walk`"))
    #expect(TrainingShortfall(record(120.0 / 124), counts: counts) == nil)
    func reader(_ rate: Double) -> TrainingShortfall? {
      TrainingShortfall(
        record(0, reading: .init(characterErrorRate: rate, wordErrorRate: 1, blankShare: 1)),
        counts: counts)
    }
    #expect(reader(1)?.mostFrequentLabel == nil && reader(1) != nil)
    #expect(reader(0.99) == nil)

    // The same drawings in both classes, of which one has three times as many, cannot be told apart.
    var options = options
    options.balancesClasses = true
    let same = dataset(1).examples.prefix(30)
    let both =
      same.map { Example($0.content, label: "few", origin: "") }
      + (0..<3).flatMap { _ in same.map { Example($0.content, label: "many", origin: "") } }
    let trainer = try Trainer(
      small(classCount: 2), training: Dataset(both), validation: nil,
      preprocessing: [.raster(.standard)], options: options, workers: 1)
    #expect(trainer.shortfall == nil)
    _ = try trainer.run()
    #expect(trainer.shortfall?.mostFrequentLabel == "many")
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
    try DatasetFormat.npy.write(dark, rasterizer: .standard, to: "\(folder.path)/pictures")
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
    guard case .interrupted = try stop(trainer(), after: stopAfter, checkpoint: checkpoint) else {
      Issue.record("the training was not interrupted")
      return
    }
    let second = try trainer()
    try second.resume(from: checkpoint)
    let model = try #require(second.run(checkpointPath: checkpoint).model)
    #expect(try model.encoded() == train(options, workers: 2).encoded())
  }

  @Test func aCheckpointOfAnotherTrainingIsRefused() throws {
    let folder = try TemporaryFolder()
    let checkpoint = "\(folder.path)/c"
    let trainer = try Trainer(
      small(), training: dataset(1), validation: nil, preprocessing: [.raster(.standard)],
      options: options,
      workers: 1)
    _ = try trainer.run(checkpointPath: checkpoint, shouldStop: { true })
    func message(
      _ options: TrainingOptions, _ training: Dataset, raster: Rasterizer = .standard,
      network: Architecture? = nil
    ) -> String {
      do {
        let other = try Trainer(
          network ?? small(), training: training, validation: nil, preprocessing: [.raster(raster)],
          options: options, workers: 1)
        try other.resume(from: checkpoint)
        return "none"
      } catch { return "\(error)" }
    }
    #expect(message(options, dataset(1)) == "none")
    #expect(message(options, dataset(3)).contains("another training: data fingerprint is "))
    var changed = options
    changed.learningRate = 0.5
    #expect(
      message(changed, dataset(1)).contains("option learningRate is 0.001 in it and 0.5 here"))
    for raster in [
      try Rasterizer.standard.with(penWidth: 3), try Rasterizer.standard.with(margin: 2),
    ] {
      #expect(
        message(options, dataset(1), raster: raster).contains(
          "another training: the preprocessing is "))
    }
    let wider = try Architecture(
      name: "small", inputSize: 28,
      layers: small().layers.map { $0 == .dense(units: 12) ? .dense(units: 13) : $0 })
    #expect(message(options, dataset(1), network: wider).contains("with other layers in it"))
    try folder.write("c", Data("garbage!".utf8))
    #expect(message(options, dataset(1)).contains("the checkpoint is damaged"))
    try FileManager.default.removeItem(atPath: checkpoint)
    #expect(
      message(options, dataset(1)).contains("there is no checkpoint to go on from"))
  }

  @Test func patienceEndsATrainingWithItsBestEpoch() throws {
    var options = options
    options.epochs = 40
    options.patience = 2
    options.learningRate = 3e-3
    options.schedule = Schedule(.constant)
    let trainer = try Trainer(
      small(), training: dataset(1), validation: dataset(2, writers: 2),
      preprocessing: [.raster(.standard)],
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
      validation: nil, preprocessing: [.raster(.standard)], options: options, workers: 4)
    let model = try #require(trainer.run().model)
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
          preprocessing: [.raster(.standard)], options: options, workers: 1)
        return "none"
      } catch { return "\(error)" }
    }
    let all = dataset(1)
    let one = all.subset(all.examples.indices.filter { all.examples[$0].label == "state" })
    #expect(
      message(Dataset(one.examples))
        == "training data: at least two classes are needed, and there is only `state`")
    #expect(
      message(Dataset(one.examples, labels: ["empty", "state"]))
        == "training data: there are no examples of `empty`"
    )
    var broken = all
    broken.examples[7].content = .drawing(
      Drawing([Stroke([Point(0, 0), Point(100, 100), Point(.nan, 1)])]))
    #expect(message(broken).contains("example 7: expected") && message(broken).contains("point 3"))
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
      small(classCount: 2), training: Dataset(two), validation: nil,
      preprocessing: [.raster(.standard)],
      options: options, workers: 4)
    let model = try #require(trainer.run().model)
    #expect(model.labels == ["state", "transition"])
  }

  @Test func trainingGoesOnFromAModel() throws {
    var options = TrainingOptions()
    options.epochs = 1
    let data = dataset(1)
    var model = try #require(
      Trainer(
        small(), training: data, validation: nil, preprocessing: [.raster(.standard)],
        options: options, workers: 2
      ).run().model)
    model.decision.temperature = 1.5
    options.learningRate = 1e-12
    options.seed = 9
    func next(_ data: Dataset) throws -> Model? {
      let trainer = try Trainer(
        small(), training: data, validation: nil, preprocessing: [.raster(.standard)],
        options: options,
        startingFrom: model, workers: 2)
      return try trainer.run().model
    }
    // With hardly a step, what was learnt and the decision are those of the model.
    let after = try #require(try next(data))
    for parameter in model.architecture.parameters where parameter.isLearnt {
      let (old, new) = (
        model.network.weights[parameter.name]!, after.network.weights[parameter.name]!
      )
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
    let mixed = ExperienceReplay(own, with: known, seed: 3).dataset
    #expect(mixed.examples.count == ExperienceReplay.most * 3 / 2)
    #expect(mixed.examples.count { $0 == own.examples[0] } == 100)
    #expect(mixed == ExperienceReplay(own, with: known, seed: 3).dataset)
    // Where little is known, the own examples are there all the same.
    #expect(ExperienceReplay(own, with: own, seed: 3).dataset.examples.count == 20)
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
      linear, training: dataset(1), validation: nil, preprocessing: [.raster(.standard)],
      options: options,
      workers: 4)
    #expect { _ = try trainer.run() } throws: {
      "\($0)".contains("the loss is not a finite number")
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
    #expect(
      agree(factors(Schedule(.oneCycle), [0, 15, 30, 65, 100]), [0.04, 0.52, 1, 0.500005, 1e-5]))
    // The course begins where the warm-up ends, and ends with the training.
    #expect(
      agree(
        factors(Schedule(.cosine, warmup: 0.2), [0, 19, 20, 60, 100]),
        [1 / 21.0, 20 / 21.0, 1, 0.5, 0]))
    #expect(
      agree(
        factors(Schedule(.oneCycle, warmup: 0.5), [49, 50, 65, 100]), [50 / 51.0, 0.04, 1, 1e-5]))
    let eleventh = 1.0 / 11
    let rising = [eleventh, 5 * eleventh, 10 * eleventh, 1]
    #expect(agree(factors(Schedule(.constant, warmup: 0.1), [0, 4, 9, 10]), rising))
  }

  @Test func longGradientsAreShortened() {
    let weights = FloatBuffer(count: 2)
    let gradient = FloatBuffer(count: 2)
    gradient.values = [30, 40]
    OptimizerState(Optimizer(.sgd, momentum: 0), count: 2, workers: 1).update(
      weights, gradient: gradient, step: 1, learningRate: 1, maxGradientNorm: 5)
    #expect(isClose(weights.values, [-3, -4], tolerance: 1e-5))
  }

  @Test func aDamagedCheckpointIsRefused() throws {
    let folder = try TemporaryFolder()
    let checkpoint = "\(folder.path)/c"
    _ = try stop(trainer(), after: 6, checkpoint: checkpoint)
    let whole = try #require(FileManager.default.contents(atPath: checkpoint))
    let target = try trainer()
    try target.resume(from: checkpoint)
    // Every byte of the length, many of the header, and some of the values.
    let length = whole.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    let places =
      Array(0..<8) + Array(stride(from: 8, to: 8 + length, by: 13))
      + [8 + length - 1, 8 + length] + Array(stride(from: 9 + length, to: whole.count, by: 4099))
      + [whole.count - 1]
    for place in places {
      for bit in [0x01, 0x20, 0x80] as [UInt8] {
        var bytes = whole
        bytes[place] ^= bit
        try folder.write("c", bytes)
        #expect(throws: (any Error).self, "byte \(place), bit \(bit)") {
          try target.resume(from: checkpoint)
        }
      }
    }
    for count in [0, 1, 7, 8, 9, length, 8 + length, whole.count / 2, whole.count - 1] {
      try folder.write("c", whole.prefix(count))
      #expect(throws: (any Error).self, "\(count) bytes") { try target.resume(from: checkpoint) }
    }
    try folder.write("c", whole + Data([0]))
    #expect(throws: (any Error).self) { try target.resume(from: checkpoint) }
  }

  @Test func anotherInstructionSetIsNamed() throws {
    let folder = try TemporaryFolder()
    let checkpoint = "\(folder.path)/c"
    func trainer() throws -> Trainer {
      try Trainer(
        small(), training: dataset(1), validation: nil, preprocessing: [.raster(.standard)],
        options: options,
        workers: 1)
    }
    let first = try trainer()
    let kernels = try BLAS.load().kernels
    #expect(first.instructionSet.contains("kernels for \(kernels)"))
    #if os(Linux)
      #expect(first.instructionSet.hasPrefix("OpenBLAS "))
    #endif
    first.instructionSet = "OpenBLAS Haswell and kernels for x86-64-v3"
    _ = try first.run(checkpointPath: checkpoint, shouldStop: { true })
    let second = try trainer()
    #expect { try second.resume(from: checkpoint) } throws: {
      "\($0)".contains("computed with OpenBLAS Haswell and kernels for x86-64-v3, and this process")
        && "\($0)".contains(second.instructionSet) && "\($0)".contains("--any-instruction-set")
    }
    try second.resume(from: checkpoint, onAnyInstructionSet: true)
    guard case .finished = try second.run(checkpointPath: checkpoint) else {
      Issue.record("the training did not go on")
      return
    }
  }

  @Test func tapsBelowTheLeastExtentAreLeftOut() throws {
    var data = dataset(1)
    for (index, length) in [11.99, 12, 12.01].enumerated() {
      data.examples[index].content = .drawing(
        Drawing([Stroke([Point(0, 0), Point(length, 0)])]))
    }
    let others = data.examples.dropFirst(3).count {
      guard case .drawing(let drawing) = $0.content else { return false }
      return drawing.bounds!.longerSide < 12
    }
    let trainer = try Trainer(
      small(), training: data, validation: nil, preprocessing: [.raster(.standard)],
      options: options, workers: 1)
    #expect(trainer.tapCount == others + 1)
    #expect(trainer.exampleCount == data.examples.count - others - 1)
  }

  /// With balanced classes the epoch of the best mean recall is kept, otherwise that of the best
  /// accuracy; of equal ones the later where the rate settles, and that of the lower loss elsewhere.
  @Test(arguments: [true, false], [Schedule.Course.constant, .oneCycle])
  func theKeptEpochIsTheBest(balances: Bool, course: Schedule.Course) throws {
    var options = options
    options.schedule = Schedule(course)
    options.epochs = 12
    options.balancesClasses = balances
    let all = dataset(2, writers: 4)
    // Many of one class and few of the others.
    var seen: [String: Int] = [:]
    let chosen = all.subset(
      all.examples.indices.filter { index in
        let label = all.examples[index].label
        seen[label, default: 0] += 1
        return label == "other" || seen[label]! <= 3
      })
    let trainer = try Trainer(
      small(), training: dataset(1), validation: chosen, preprocessing: [.raster(.standard)],
      options: options,
      workers: 2)
    let model = try #require(trainer.run().model)
    let kept = try #require(Int(model.provenance["epoch"] ?? ""))
    func standing(_ record: EpochRecord) -> (Double, Double) {
      (
        (balances ? record.validationMeanRecall : record.validationAccuracy)!,
        course == .constant ? -record.validationLoss! : Double(record.epoch)
      )
    }
    let best = trainer.history.max { standing($0) < standing($1) }!
    #expect(kept == best.epoch)
    let tested = Dataset(
      chosen.examples.filter { example in
        guard case .drawing(let drawing) = example.content else { return true }
        return drawing.bounds!.longerSide >= 12
      }, labels: chosen.labels)
    let result = try Evaluation(of: Recognizer(model: model), on: tested, workers: 2)
    #expect(abs(result.accuracy.value - best.validationAccuracy!) < 1e-9)
    #expect(abs(result.meanRecall - best.validationMeanRecall!) < 1e-9)
  }

  /// Strokes can be drawn in another order while everything else stays as it is.
  @Test func drawingsAreReorderedWithoutAugmentation() throws {
    let hook = Drawing([
      Stroke([Point(0, 0), Point(50, 0), Point(100, 0)]), Stroke([Point(100, 0), Point(100, 80)]),
    ])
    let data = Dataset([Example(.drawing(hook), label: "hook", origin: "hook")])
    let choice = try NetworkChoice(named: "gesture", for: data)!
    func variants(_ share: Double) throws -> Int {
      let prepared = try PreparedExamples(
        data, targets: [[0]], for: choice.architecture, preprocessing: choice.preprocessing,
        augmentation: .none, reorderedShare: share, seed: 3)
      return Set(
        (0..<20).map { epoch -> [Float] in
          let series = prepared.series([0], epoch: epoch, loop: ParallelLoop(workers: 1))
          let steps = series.length!(0, 0)
          #expect(steps <= prepared.longest[0])
          var values = [Float](repeating: 0, count: steps * choice.preprocessing[0].channelCount)
          _ = series.write(0, input: 0, to: &values)
          return values
        }
      ).count
    }
    #expect(try variants(0) == 1)
    #expect(try variants(1) > 5)
  }

  @Test func pictureAndStrokesAreOfTheSameVariation() throws {
    let hook = Drawing([
      Stroke([Point(0, 0), Point(50, 10), Point(100, 0)]), Stroke([Point(100, 0), Point(80, 70)]),
    ])
    var augmentation = Augmentation.anyAngle
    (augmentation.margins, augmentation.spacing) = (0...3, 0.1)
    let encoder = try StrokeEncoder(channels: [.x, .y])
    let prepared = try PreparedExamples(
      Dataset([Example(.drawing(hook), label: "hook", origin: "hook")]), targets: [[0]],
      for: Architecture.named("fusion", classCount: 2, inputSize: 28, channels: 2)!,
      preprocessing: [
        .raster(.standard), .strokes(encoder, SeriesPreparation(channels: ["x", "y"])),
      ], augmentation: augmentation, uprightShare: 0.3, reorderedShare: 0.5, seed: 3)
    let epochs = 0..<30
    let pictures = epochs.map { epoch in
      var pixels = [Float](repeating: 0, count: 28 * 28)
      prepared.write(0, input: 0, epoch: epoch, to: &pixels)
      return pixels
    }
    let strokes = epochs.map { epoch in
      let series = prepared.series([0], epoch: epoch, loop: ParallelLoop(workers: 1))
      var values = [Float](repeating: 0, count: 2 * series.length!(0, 1))
      let isWritten = series.write(0, input: 1, to: &values)
      #expect(isWritten && !series.write(0, input: 0, to: &values))
      return values
    }
    /// The mean brightness where the steps are, at the scale that fits best.
    func ink(_ steps: [Float], in picture: [Float]) -> Float {
      (16...28).map { side in
        let sum = stride(from: 0, to: steps.count, by: 2).reduce(Float(0)) { sum, step in
          let column = min(27, max(0, Int(14 + steps[step] * Float(side))))
          let row = min(27, max(0, Int(14 + steps[step + 1] * Float(side))))
          return sum + picture[row * 28 + column]
        }
        return sum / Float(steps.count / 2)
      }.max()!
    }
    for epoch in epochs {
      #expect(ink(strokes[epoch], in: pictures[epoch]) > 0.8, "epoch \(epoch)")
      let others = epochs.filter { $0 != epoch }
      let different = others.count { ink(strokes[epoch], in: pictures[$0]) < 0.6 }
      #expect(different > others.count / 2)
    }
  }

  @Test func aNetworkOfPictureAndStrokesLearnsTwoWriters() throws {
    let data = dataset(1, writers: 2, perClass: 8)
    let choice = try #require(try NetworkChoice(named: "fusion", for: data))
    var options = options
    (options.epochs, options.batchSize, options.learningRate) = (40, 16, 4e-3)
    options.reorderedShare = 0.5
    func model(workers: Int) throws -> Model? {
      let trainer = try Trainer(
        choice.architecture, training: data, validation: nil,
        preprocessing: choice.preprocessing, options: options, workers: workers)
      return try trainer.run().model
    }
    let bytes = try #require(try model(workers: 1)).encoded()
    #expect(try model(workers: 2)?.encoded() == bytes)
    let read = try Model(bytes, path: "fusion")
    #expect(read.preprocessing == choice.preprocessing && read.preprocessing.count == 2)
    #expect(try read.encoded() == bytes)
    let result = try Evaluation(of: Recognizer(model: read), on: data, workers: 2)
    #expect(result.accuracy.value > 0.9)
  }

  @Test func aNetworkOfPictureAndStrokesNamesWhatLacksOne() throws {
    func message(_ training: [Example], _ validation: [Example] = []) -> String {
      do {
        let training = Dataset(training)
        let choice = try NetworkChoice(named: "fusion", for: training)!
        _ = try Trainer(
          choice.architecture, training: training, validation: Dataset(validation),
          preprocessing: choice.preprocessing, options: options, workers: 1)
      } catch { return "\(error)" }
      return "none"
    }
    let drawings = dataset(1, writers: 2).examples
    let picture = Example(
      .bitmap(Bitmap(width: 28, height: 28)), label: drawings[0].label, origin: "a.png")
    let series = try ["a", "b"].map { label in
      Example(
        .series(try Series(channels: ["x"], values: [1, 2, 3])), label: label, origin: "s.csv")
    }
    #expect(message(drawings, [drawings[0]]) == "none")
    #expect(
      message(drawings + [picture])
        == "a.png: expected strokes or a recording for the network, found a picture, which has no "
        + "strokes")
    #expect(
      message(drawings, [picture])
        == "a.png: expected drawings for the network, found a picture, which has no strokes")
    #expect(
      message(series)
        == "s.csv: expected drawings or pictures for the network, found a recording")
  }

  @Test func someVariationsAreUpright() throws {
    let line = Example(
      .drawing(Drawing([Stroke([Point(0, 0), Point(100, 0)])])), label: "state", origin: "")
    func isUpright(_ share: Double) throws -> Int {
      let prepared = try PreparedExamples(
        Dataset([line]), targets: [[0]], for: small(), preprocessing: [.raster(.standard)],
        augmentation: .anyAngle, uprightShare: share, seed: 3)
      var input = [Float](repeating: 0, count: 28 * 28)
      return (0..<400).count { epoch in
        prepared.write(0, input: 0, epoch: epoch, to: &input)
        let rows = (0..<28).count { row in input[row * 28..<row * 28 + 28].contains { $0 > 0 } }
        return rows < 14
      }
    }
    #expect(try isUpright(1) == 400)
    let turned = try isUpright(0)
    #expect(turned < 250)
    let mixed = try isUpright(0.5)
    #expect(mixed > turned + 50 && mixed < 370)
  }

  /// Young averages forget faster: of the first weights a tenth is kept after one step, or less.
  @Test(arguments: [(0.5, 0.1), (0.05, 0.05), (0, 0)])
  func theAverageOfWeightsForgets(decay: Double, kept: Float) throws {
    var options = TrainingOptions()
    options.epochs = 1
    options.batchSize = 1000
    func weights(rate: Double, average: Double?) throws -> [Float] {
      options.learningRate = rate
      options.averageDecay = average
      let trainer = try Trainer(
        .drawing(classCount: 4), training: dataset(1), validation: nil,
        preprocessing: [.raster(.standard)],
        options: options, workers: 2)
      let model = try #require(trainer.run().model)
      return model.network.weights["0.weight"]!.values
    }
    let start = try weights(rate: 1e-30, average: nil)
    let end = try weights(rate: 0.01, average: nil)
    let average = try weights(rate: 0.01, average: decay)
    #expect(start != end)
    let expected = zip(start, end).map { kept * $0 + (1 - kept) * $1 }
    #expect(isClose(average, expected, tolerance: 1e-6))
  }

  /// The ends of every range, and what lies beyond.
  @Test func optionsOutOfRangeAreNamed() {
    func message(_ change: (inout TrainingOptions) -> Void) -> String? {
      var options = TrainingOptions()
      change(&options)
      do { try options.validate() } catch { return "\(error)" }
      return nil
    }
    let fine: [(inout TrainingOptions) -> Void] = [
      { $0.epochs = 1 }, { $0.epochs = 100_000 }, { $0.batchSize = 1 }, { $0.batchSize = 65536 },
      { $0.learningRate = 99.9 }, { $0.labelSmoothing = 0.999 }, { $0.optimizer.momentum = 0 },
      { $0.optimizer.weightDecay = 1 }, { $0.schedule.warmup = 0.9 }, { $0.patience = 1 },
      { $0.averageDecay = 0 }, { $0.uprightShare = 1 }, { $0.maxGradientNorm = 1e-9 },
      { $0.schedule = Schedule(.step(epochs: 1, factor: 1)) },
    ]
    for change in fine { #expect(message(change) == nil) }
    let wrong: [(String, (inout TrainingOptions) -> Void)] = [
      ("epochs", { $0.epochs = 0 }), ("epochs", { $0.epochs = 100_001 }),
      ("batch size", { $0.batchSize = 0 }), ("batch size", { $0.batchSize = 65537 }),
      ("learning rate", { $0.learningRate = 0 }), ("learning rate", { $0.learningRate = 100 }),
      ("label smoothing", { $0.labelSmoothing = 1 }),
      ("label smoothing", { $0.labelSmoothing = -0.1 }),
      ("momentum", { $0.optimizer.momentum = 1 }),
      ("weight decay", { $0.optimizer.weightDecay = 1.01 }),
      ("warm-up", { $0.schedule.warmup = 0.91 }), ("patience", { $0.patience = 0 }),
      ("average decay", { $0.averageDecay = 1 }), ("upright share", { $0.uprightShare = 1.1 }),
      ("maximum gradient norm", { $0.maxGradientNorm = 0 }),
      ("maximum gradient norm", { $0.maxGradientNorm = .infinity }),
      ("epochs of a step", { $0.schedule = Schedule(.step(epochs: 0, factor: 1)) }),
      ("factor of a step", { $0.schedule = Schedule(.step(epochs: 1, factor: 1.1)) }),
      ("factor of a step", { $0.schedule = Schedule(.step(epochs: 1, factor: 0)) }),
    ]
    for (name, change) in wrong { #expect(message(change)?.hasPrefix("\(name): ") == true) }
  }

  @Test func optionsInOldCheckpointsAreRead() throws {
    var options = TrainingOptions()
    options.maxGradientNorm = 2.5
    options.segmentation = SegmentationOptions(shares: [0.9, 0.1])
    let data = try JSONEncoder().encode(options)
    // The names of the first checkpoints stay in the file.
    #expect(String(decoding: data, as: UTF8.self).contains(#""longestGradient":2.5"#))
    #expect(String(decoding: data, as: UTF8.self).contains(#""dense":{"#))
    #expect(try JSONDecoder().decode(TrainingOptions.self, from: data) == options)
  }
}

extension Trainer.Outcome {
  /// The model of a training that came to its end.
  var model: Model? {
    if case .finished(let model) = self { model } else { nil }
  }
}
