import Foundation
import InkDatasets
import InkNetwork
import InkRecognizer
import SeededRandom

/// A training that tells what happens by ``TrainingEvent``s and can go on from a checkpoint.
public protocol TrainingRun: AnyObject {
  /// The epochs so far.
  var history: [EpochRecord] { get }
  /// What the caller stores in every checkpoint.
  var checkpointNotes: [String: String] { get set }
  /// Goes on from the checkpoint at `path`, to the same weights as without an interruption.
  func resume(from path: String, onAnyInstructionSet: Bool) throws
  /// Trains until the end, or until `shouldStop`, which is asked after every step.
  func run(
    checkpointPath: String?, provenance: [String: String], shouldStop: () -> Bool,
    onEvent: (TrainingEvent) -> Void
  ) throws -> Trainer.Outcome
}

/// Trains a network on examples.
///
/// It tells what happens by ``TrainingEvent``s and prints nothing.
public final class Trainer: TrainingRun {
  /// How a training ended.
  public enum Outcome: Sendable {
    /// With a model.
    case finished(Model)
    /// It was asked to stop; the checkpoint holds everything that is needed to go on.
    case interrupted(epoch: Int, step: Int)
  }

  /// How many drawings were left out of training and validation because they are taps.
  public let tapCount: Int
  /// The share of taps among the training's drawings of classes that a model accepts.
  public let acceptedTapShare: Double

  /// The labels of the model: the classes, or the characters of a reader.
  public let labels: [String]

  private let letters: LetterCounts?
  private let lettersFingerprint: String?
  private let readsText: Bool
  private let preprocessing: [Preprocessing]
  private let options: TrainingOptions
  private let loss: any TrainingLoss<[Int]>
  private let training: PreparedExamples
  private let validation: PreparedExamples?
  /// The examples whose answers should not change any more at the end.
  private let checked: PreparedExamples
  private let network: TrainingNetwork
  private let group: ProcessGroup
  private let optimizer: OptimizerState
  private let average: FloatBuffer?
  private let blasName: String
  /// What decides how sums are rounded here: the BLAS's kernels and our own.
  var instructionSet: String
  private let fingerprint: String
  private let validationFingerprint: String?
  private let startFingerprint: String?
  private let decision: Model.Decision
  private var progress = Progress()
  private var best: [String: Tensor]?

  /// What a word of a list counts beside one that a person of the training data wrote.
  private static let listedWeight = 0.3

  /// How many batches early the system hears what will be read from disk.
  private static let batchesAhead = 16

  /// The share of all epochs, at the end, in which answers should not change any more.
  private static let settledEpochs = 0.1
  /// The share of answers from which on a change in these epochs is reported.
  private static let maximumChanged = 0.02
  /// The most examples whose answers are compared.
  private static let maximumChecked = 1000

  /// Where a training stands.
  struct Progress: Hashable, Sendable, Codable {
    var history: [EpochRecord] = []
    /// Steps done in the epoch after those of the history, with their sums.
    var step = 0
    var lossSum = 0.0
    var rightCount = 0
    var exampleCount = 0
    /// What a reader has read, or `nil` if the answers are classes.
    var reading: ReadingCounts?
    /// The epoch that answered the validation part best, from 1.
    var bestEpoch: Int?
    /// Which of the checked examples were answered correctly before the last epochs.
    var earlierAnswers: [Bool]?
    /// The cells of pages that were answered, or `nil` if the answers are no cells.
    var cellCount: Int?
    /// How often each class of cells was answered for each, `[classes, classes]`.
    var confusion: [Int]?
    /// The sum of the losses of the fields of cells, and the number of fields.
    var fieldLossSum: Double?
    var fieldCount: Int?
  }

  /// Prepares a training.
  ///
  /// `validation` chooses the epoch that is kept; without it, the last is. It must have the labels
  /// of `training`. A network with a distribution per step learns to read: labels are texts, and the model's
  /// labels are the characters of `alphabet`; if it is `nil`, those of the model to start from, or else all
  /// of those in `training`. The letter sequences of the labels and of `words` are
  /// stored with the model and become likelier when it reads.
  /// `preprocessing` has one value for each input. `workers` is the number of cores; it
  /// changes the speed and nothing else. With `start`, a model of the same architecture and labels,
  /// training goes on from its weights, its decision is kept, and so are its counts of letters where they are higher.
  /// The processes of a `group` share every batch; all of them need the same data and options, and the first one's
  /// checkpoints.
  ///
  /// - Throws: `TrainingError` for options or data that cannot work, `BLASError` where there is no
  ///   BLAS, and `FileError` naming an example that cannot be used.
  public init(
    _ architecture: Architecture, training: Dataset, validation: Dataset?,
    preprocessing: [Preprocessing], options: TrainingOptions, alphabet: [String]? = nil,
    words: [String] = [], startingFrom start: Model? = nil,
    workers: Int,
    group: ProcessGroup = .alone
  ) throws {
    try options.validate()
    let countBefore = training.examples.count + (validation?.examples.count ?? 0)
    // As a data set that is evaluated has it.
    let fingerprintWithTaps = training.fingerprint.description
    let acceptedCount = training.acceptedDrawingCount
    let training = training.withoutTaps(below: options.minimumExtent)
    let validation = validation?.withoutTaps(below: options.minimumExtent)
    acceptedTapShare =
      Double(acceptedCount - training.acceptedDrawingCount) / Double(max(1, acceptedCount))
    tapCount = countBefore - training.examples.count - (validation?.examples.count ?? 0)
    let readsText = architecture.output == .distributionPerStep
    self.readsText = readsText
    let labels =
      readsText ? alphabet ?? start?.labels ?? training.characters : training.labels
    guard labels.count == architecture.labelCount else {
      throw TrainingError.unsuitableData(
        "the network has \(architecture.labelCount) \(readsText ? "characters" : "classes"), and the "
          + "\(readsText ? "alphabet has" : "data have") \(labels.count)")
    }
    guard labels.count > 1 || readsText && !labels.isEmpty else {
      throw TrainingError.unsuitableData(
        "at least two classes are needed, and there is "
          + (labels.isEmpty ? "none" : "only `\(labels[0])`"))
    }
    guard Model.canName(classes: labels) else {
      throw TrainingError.unsuitableData(
        "labels must be different and not empty; these are "
          + labels.map { "`\($0)`" }.joined(separator: ", "))
    }
    if let start {
      guard start.architecture == architecture, start.labels == labels else {
        throw TrainingError.unsuitableData(
          "the labels are \(labels.joined(separator: ", ")), and those of the model to start "
            + "from are \(start.labels.joined(separator: ", "))")
      }
    }
    try Model.check(preprocessing, for: architecture)
    for rasterizer in preprocessing.compactMap(\.rasterizer) {
      _ = try rasterizer.with(
        margin: options.augmentation.margins?.upperBound,
        penWidth: options.augmentation.penWidths?.upperBound)
    }
    loss =
      readsText
      ? try Self.readingLoss(architecture, labels, options)
      : try Self.classLoss(training, options, tapCount: tapCount)
    self.labels = labels
    letters =
      readsText
      ? LetterCounts(
        of: training.words + words.map { ($0, Self.listedWeight) },
        alphabet: labels.map { Character($0) }, earlier: start?.letters) : nil
    lettersFingerprint = letters.map { letters in
      var fingerprint = Fingerprint()
      fingerprint.add(letters.text)
      return fingerprint.description
    }
    self.preprocessing = preprocessing
    self.options = options
    // The examples of a class share one list.
    let lists = labels.indices.map { [$0] }
    func targets(of dataset: Dataset) throws -> [[Int]] {
      readsText ? try dataset.transcripts(labels) : try dataset.classes().map { lists[$0] }
    }
    let learnt = try PreparedExamples(
      training, targets: targets(of: training), for: architecture, preprocessing: preprocessing,
      augmentation: options.augmentation, uprightShare: options.uprightShare,
      reorderedShare: options.reorderedShare,
      seriesAugmentation: options.seriesAugmentation,
      seed: options.seed)
    let chosenBy =
      try validation.flatMap { $0.examples.isEmpty ? nil : $0 }.map {
        try PreparedExamples(
          $0, targets: targets(of: Dataset($0.examples, labels: training.labels)),
          for: architecture, preprocessing: preprocessing, augmentation: .none, seed: options.seed)
      }
    fingerprint = fingerprintWithTaps
    validationFingerprint = validation?.fingerprint.description
    startFingerprint = start?.network.fingerprint
    self.training = learnt
    self.validation = chosenBy
    let sample = (validation ?? training).sample(atMost: Self.maximumChecked)
    checked = try PreparedExamples(
      sample, targets: targets(of: sample), for: architecture, preprocessing: preprocessing,
      augmentation: .none, seed: options.seed)
    let longest = architecture.inputs.indices.map {
      max(learnt.longest[$0], chosenBy?.longest[$0] ?? 1)
    }
    network = try TrainingNetwork(
      architecture, longest: longest,
      maximumExamples: min(options.batchSize, max(64, training.examples.count)),
      workers: workers, seed: options.seed, group: group)
    self.group = group
    if let start { network.weights = start.network.weights }
    var decision =
      start?.decision
      ?? Model.Decision(
        minimumExtent: options.minimumExtent,
        rejectedLabel: Model.Decision.rejectedLabel(among: labels)
      )
    // The model is asked about drawings in the units of its training.
    decision.minimumExtent =
      training.examples.lazy
      .map { $0.minimumExtent(or: decision.minimumExtent) }.min() ?? decision.minimumExtent
    self.decision = decision
    optimizer = OptimizerState(options.optimizer, count: network.learnt.count, workers: workers)
    if options.averageDecay != nil {
      average = FloatBuffer(count: network.learnt.count)
      average?.pointer.update(from: network.learnt.pointer, count: network.learnt.count)
    } else {
      average = nil
    }
    let blas = try BLAS.load()
    blasName = blas.name
    instructionSet = "\(blas.name) and kernels for \(blas.kernels)"
  }

  private static func classLoss(
    _ training: Dataset, _ options: TrainingOptions, tapCount: Int
  ) throws(TrainingError) -> SoftmaxCrossEntropy {
    var counts = Dictionary(uniqueKeysWithValues: training.labels.map { ($0, 0) })
    for example in training.examples { counts[example.label]? += 1 }
    if let empty = training.labels.first(where: { counts[$0] == 0 }) {
      throw TrainingError.unsuitableData(
        "there are no examples of `\(empty)`"
          + (tapCount > 0
            ? ", taps not counted; --drop \(empty) leaves the class out, and --scale says how large the "
              + "drawings are" : ""))
    }
    let weights = training.labels.map { label in
      options.balancesClasses
        ? Double(training.examples.count) / Double(training.labels.count * counts[label]!) : 1
    }
    return SoftmaxCrossEntropy(labelSmoothing: options.labelSmoothing, classWeights: weights)
  }

  private static func readingLoss(
    _ architecture: Architecture, _ labels: [String], _ options: TrainingOptions
  ) throws(TrainingError) -> CTCLoss {
    guard options.labelSmoothing == 0 else {
      throw .invalidOption(
        name: "label smoothing", expected: "0 for a reader", found: "\(options.labelSmoothing)")
    }
    guard !options.balancesClasses else {
      throw .invalidOption(
        name: "balanced classes", expected: "none for a reader", found: "balanced classes")
    }
    return CTCLoss(
      classCount: architecture.classCount, spaceClass: labels.firstIndex(of: " ").map { $0 + 1 })
  }

  /// How many examples are learnt from.
  public var exampleCount: Int { training.count }

  /// How many examples choose the epoch.
  public var validationCount: Int { validation?.count ?? 0 }

  /// The epochs so far.
  public var history: [EpochRecord] { progress.history }

  /// How far the epoch that is kept is below a model that ignores its input, or `nil` if it is better.
  public var shortfall: TrainingShortfall? {
    guard let record = progress.bestEpoch.map({ progress.history[$0 - 1] }) ?? progress.history.last
    else { return nil }
    var counts = [Int](repeating: 0, count: labels.count)
    if !readsText { for target in training.targets { counts[target[0]] += 1 } }
    return TrainingShortfall(record, counts: zip(labels, counts).map { ($0, $1) })
  }

  /// What the caller stores in every checkpoint; ``resume(from:onAnyInstructionSet:)`` reads it.
  public var checkpointNotes: [String: String] = [:]

  private var stepsPerEpoch: Int {
    (training.count + options.batchSize - 1) / options.batchSize
  }

  /// Goes on from the checkpoint at `path`, to the same weights as without an interruption.
  ///
  /// With `onAnyInstructionSet`, also where it was computed with other instructions; the weights then
  /// differ in their last bits.
  ///
  /// - Throws: `ModelError` where it is no checkpoint, or a damaged one; `TrainingError` where
  ///   network, options, data or instruction set differ.
  public func resume(from path: String, onAnyInstructionSet: Bool = false) throws {
    let checkpoint = try Checkpoint(
      path: path, identity: identity, instructionSet: instructionSet,
      mayDiffer: onAnyInstructionSet, epochs: options.epochs, stepsPerEpoch: stepsPerEpoch,
      network: network, optimizer: optimizer, average: average)
    progress = checkpoint.progress
    best = checkpoint.best
    checkpointNotes = checkpoint.notes
  }

  /// Trains until the last epoch, until nothing gets better, or until `shouldStop`, which is asked
  /// after every step.
  ///
  /// A checkpoint is written to `checkpointPath` after every epoch and on stopping.
  ///
  /// - Throws: `TrainingError.diverged`, and `FileError` where the checkpoint cannot be written.
  public func run(
    checkpointPath: String? = nil, provenance: [String: String] = [:],
    shouldStop: () -> Bool = { false }, onEvent: (TrainingEvent) -> Void = { _ in }
  ) throws -> Outcome {
    try group.requireAgreement(on: identity, progress)
    training.willBeLearnt()
    onEvent(
      .started(
        steps: stepsPerEpoch, epochs: options.epochs, epochsDone: progress.history.count,
        stepsDone: progress.step, blas: blasName))
    while progress.history.count < options.epochs, !hasRunOutOfPatience {
      let epoch = progress.history.count
      var generator = SeededGenerator(seed: options.seed, stream: 0xe90c, UInt64(epoch))
      let order = generator.permutation(training.count)
      while progress.step < stepsPerEpoch {
        try takeStep(epoch: epoch, order: order)
        onEvent(
          .step(
            epoch: epoch + 1, step: progress.step, of: stepsPerEpoch,
            examples: min(
              options.batchSize, training.count - (progress.step - 1) * options.batchSize),
            loss: progress.lossSum / Double(progress.exampleCount),
            accuracy: Double(progress.rightCount) / Double(progress.exampleCount)))
        // All processes stop where one of them has to.
        if group.sum(shouldStop() ? 1 : 0) > 0 {
          if let checkpointPath { try save(to: checkpointPath, onEvent) }
          return .interrupted(epoch: epoch + 1, step: progress.step)
        }
      }
      let isBest = try endEpoch(epoch)
      if progress.history.count == options.epochs - lastEpochs {
        progress.earlierAnswers = rightAnswers(to: checked)
      }
      onEvent(.epoch(progress.history[epoch], isBest: isBest))
      if let checkpointPath { try save(to: checkpointPath, onEvent) }
    }
    if progress.history.count < options.epochs {
      onEvent(
        .stoppedEarly(epoch: progress.history.count, bestEpoch: progress.bestEpoch ?? 0))
    }
    if let changed = changedShare, changed > Self.maximumChanged {
      onEvent(.unsettled(changedShare: changed, epochs: lastEpochs))
    }
    var provenance = provenance
    provenance["data_fingerprint"] = fingerprint
    provenance["seed"] = "\(options.seed)"
    provenance["epoch"] = "\(progress.bestEpoch ?? progress.history.count)"
    provenance["blas"] = blasName
    provenance[AugmentationRecord.key] = AugmentationRecord(options).text
    return .finished(
      try Model(
        network: TrainedNetwork(network.architecture, weights: best ?? averagedWeights),
        labels: labels, preprocessing: preprocessing,
        decision: decision, provenance: provenance, letters: letters))
  }

  /// The number of epochs at the end in which answers should not change any more.
  private var lastEpochs: Int { max(1, Int(Double(options.epochs) * Self.settledEpochs)) }

  /// The share of the answers that became right or wrong in the last epochs, or `nil` if the training did
  /// not come to them.
  private var changedShare: Double? {
    guard let earlier = progress.earlierAnswers, progress.history.count == options.epochs else {
      return nil
    }
    let changed = zip(earlier, rightAnswers(to: checked)).count { $0 != $1 }
    return Double(changed) / Double(max(1, earlier.count))
  }

  /// Whether early stopping ends the training: the last epochs were no better than the best one.
  private var hasRunOutOfPatience: Bool {
    guard let patience = options.patience, let bestEpoch = progress.bestEpoch else { return false }
    return progress.history.count - bestEpoch >= patience
  }

  private func takeStep(epoch: Int, order: [Int]) throws {
    let start = progress.step * options.batchSize
    let batch = Array(order[start..<min(start + options.batchSize, order.count)])
    let step = epoch * stepsPerEpoch + progress.step
    let training = training
    let soon = start + Self.batchesAhead * options.batchSize
    let series = training.series(batch, epoch: epoch, loop: network.loop)
    let result = network.learn(
      targets: batch.map { training.targets[$0] }, loss: loss, trainingStep: step,
      length: series.length
    ) { example, input, values in
      if soon + example < order.count { training.willNeed(order[soon + example]) }
      if series.write(example, input: input, to: values) { return }
      training.write(batch[example], input: input, epoch: epoch, to: values)
    }
    guard result.loss.isFinite else {
      throw TrainingError.diverged(epoch: epoch + 1, step: progress.step + 1)
    }
    optimizer.update(
      network.learnt, gradient: network.gradient, step: step + 1,
      learningRate: learningRate(step: step, epoch: epoch),
      maxGradientNorm: options.maxGradientNorm)
    if let average, let decay = options.averageDecay {
      // Young averages forget faster, so that the first weights do not linger.
      let kept = Float(min(decay, Double(step + 1) / Double(step + 10)))
      for index in 0..<average.count {
        average.pointer[index] =
          kept * average.pointer[index] + (1 - kept) * network.learnt.pointer[index]
      }
    }
    progress.step += 1
    progress.lossSum += result.loss * Double(batch.count)
    progress.rightCount += result.rightCount
    progress.exampleCount += batch.count
    if readsText {
      var reading = progress.reading ?? ReadingCounts()
      reading += result.reading
      progress.reading = reading
    }
  }

  private func learningRate(step: Int, epoch: Int) -> Double {
    options.learningRate
      * options.schedule.factor(step: step, of: stepsPerEpoch * options.epochs, epoch: epoch)
  }

  /// Records the epoch; returns whether it is the best so far.
  private func endEpoch(_ epoch: Int) throws -> Bool {
    var record = EpochRecord(
      epoch: epoch + 1,
      learningRate: learningRate(step: (epoch + 1) * stepsPerEpoch - 1, epoch: epoch),
      trainingLoss: progress.lossSum / Double(progress.exampleCount),
      trainingAccuracy: Double(progress.rightCount) / Double(progress.exampleCount))
    record.trainingReading = progress.reading?.record
    var isBest = false
    if let validation {
      let result = evaluateAveraged(validation)
      guard result.loss.isFinite else {
        throw TrainingError.diverged(epoch: epoch + 1, step: stepsPerEpoch)
      }
      record.validationLoss = result.loss
      record.validationAccuracy = result.accuracy
      record.validationMeanRecall = result.meanRecall
      record.validationReading = result.reading
      let leader = progress.bestEpoch.map { progress.history[$0 - 1] }
      // Where classes count alike while learning, they count alike here.
      func score(_ record: EpochRecord) -> Double {
        if let reading = record.validationReading { return -reading.characterErrorRate }
        return (options.balancesClasses ? record.validationMeanRecall : record.validationAccuracy)
          ?? -1
      }
      let (own, leading) = (score(record), leader.map(score) ?? -.infinity)
      // Of equally good epochs the one with the lower loss, but where the rate settles, the later.
      isBest =
        own > leading
        || own == leading
          && (options.schedule.settles || result.loss < leader?.validationLoss ?? .infinity)
      if isBest {
        progress.bestEpoch = epoch + 1
        best = averagedWeights
      }
    }
    progress.history.append(record)
    (progress.step, progress.lossSum) = (0, 0)
    (progress.rightCount, progress.exampleCount, progress.reading) = (0, 0, nil)
    return isBest
  }

  private var averagedWeights: [String: Tensor] {
    network.tensors(learnt: average ?? network.learnt, statistics: network.statistics)
  }

  /// The results on examples.
  private struct Results {
    var loss: Double
    var accuracy: Double
    /// The mean recall of the classes, or what was read.
    var meanRecall: Double?
    var reading: ReadingRecord?
  }

  /// Calls `body` with the answer to each example of `range`, computed with the averaged weights.
  private func forEachAnswer(
    to examples: PreparedExamples, in range: Range<Int>, _ body: (Int, AnswerSums) -> Void
  ) {
    let own = network.learnt.values
    if let average {
      network.learnt.pointer.update(from: average.pointer, count: average.count)
    }
    defer { network.learnt.values = own }
    for start in stride(from: range.lowerBound, to: range.upperBound, by: network.maximumExamples) {
      let batch = start..<min(start + network.maximumExamples, range.upperBound)
      let series = examples.series(Array(batch), epoch: 0, loop: network.loop)
      network.forward(count: batch.count, trainingStep: nil, length: series.length) {
        example, input, values in
        if series.write(example, input: input, to: values) { return }
        examples.write(start + example, input: input, epoch: 0, to: values)
      }
      let targets = Array(examples.targets[batch])
      for example in targets.indices {
        body(
          start + example,
          network.evaluate(
            example..<example + 1, targets: targets, loss: loss, batchWeight: 1))
      }
    }
  }

  /// Returns which examples are answered correctly.
  private func rightAnswers(to examples: PreparedExamples) -> [Bool] {
    var answers: [Bool] = []
    forEachAnswer(to: examples, in: 0..<examples.count) { answers.append($1.rightCount > 0) }
    return answers
  }

  /// Computes the results on examples.
  private func evaluateAveraged(_ examples: PreparedExamples) -> Results {
    var sums = AnswerSums()
    var rightCounts = [Double](repeating: 0, count: labels.count)
    var weight = 0.0
    forEachAnswer(to: examples, in: group.share(of: examples.count)) { example, result in
      let target = examples.targets[example]
      sums += result
      if !readsText { rightCounts[target[0]] += Double(result.rightCount) }
      weight += loss.weight(of: target)
    }
    sums.add(over: group)
    var results = Results(
      loss: sums.loss / group.sum(weight),
      accuracy: Double(sums.rightCount) / Double(examples.count), reading: sums.reading.record)
    guard !readsText else { return results }
    let rightOfAll = rightCounts.map { group.sum($0) }
    var totals = [Double](repeating: 0, count: labels.count)
    for target in examples.targets { totals[target[0]] += 1 }
    let recalls = zip(rightOfAll, totals).filter { $0.1 > 0 }.map { $0.0 / $0.1 }
    results.meanRecall = recalls.reduce(0, +) / Double(recalls.count)
    return results
  }

  private var identity: Checkpoint.Identity {
    Checkpoint.Identity(
      architecture: network.architecture, labels: labels, preprocessing: preprocessing,
      options: options, fingerprint: fingerprint, validationFingerprint: validationFingerprint,
      startFingerprint: startFingerprint, lettersFingerprint: lettersFingerprint)
  }

  private func save(to path: String, _ onEvent: (TrainingEvent) -> Void) throws {
    guard group.rank == 0 else { return }
    try Checkpoint.write(
      to: path, identity: identity, instructionSet: instructionSet, progress: progress,
      notes: checkpointNotes, network: network, optimizer: optimizer,
      average: average, best: best)
    onEvent(.checkpoint(path: path))
  }
}

extension TrainedNetwork {
  /// A hash of the weights.
  var fingerprint: String {
    var fingerprint = Fingerprint()
    for (_, tensor) in weights.sorted(by: { $0.key < $1.key }) {
      for value in tensor.values { fingerprint.add(Double(value)) }
    }
    return fingerprint.description
  }
}

extension Dataset {
  /// The data set without drawings whose longer side is shorter than `extent` canvas points, or as much
  /// in their own unit.
  ///
  /// Pictures have no size on a canvas and stay.
  fileprivate func withoutTaps(below extent: Double) -> Dataset {
    func isTap(_ example: Example) -> Bool {
      guard example.isDrawing, case .drawing(let drawing) = example.content else { return false }
      return (drawing.bounds?.longerSide ?? 0) < example.minimumExtent(or: extent)
    }
    // A copy of a million examples needs much memory.
    guard examples.contains(where: isTap) else { return self }
    return Dataset(examples.filter { !isTap($0) }, labels: labels)
  }

  /// The number of drawings with another class than the rejected one.
  fileprivate var acceptedDrawingCount: Int {
    let rejected = Model.Decision.rejectedLabel(among: labels)
    return examples.count { $0.isDrawing && $0.label != rejected }
  }

  /// At most `count` examples, evenly from all.
  fileprivate func sample(atMost count: Int) -> Dataset {
    let share = max(1, Double(examples.count) / Double(count))
    return subset((0..<min(count, examples.count)).map { Int(Double($0) * share) })
  }
}
