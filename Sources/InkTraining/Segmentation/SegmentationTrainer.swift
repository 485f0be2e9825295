import Foundation
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer

/// Trains a network with a class for each cell of a picture.
///
/// It tells what happens by ``TrainingEvent``s and prints nothing.
public final class SegmentationTrainer: TrainingRun {
  private let feed: SegmentationFeed
  private let preparation: PagePreparation
  private let architecture: Architecture
  private let options: TrainingOptions
  private let segmentation: SegmentationOptions
  private let loss: CellLoss
  private let validation: SegmentationFeed?
  /// How many crops choose the epoch.
  public let validationCount: Int
  private let network: TrainingNetwork
  private let group: ProcessGroup
  private let optimizer: OptimizerState
  private let blasName: String
  private let instructionSet: String
  private let validationFingerprint: String?
  private let startFingerprint: String?
  private var progress = Trainer.Progress()
  private var best: [String: Tensor]?

  /// What the caller stores in every checkpoint; ``resume(from:onAnyInstructionSet:)`` reads it.
  public var checkpointNotes: [String: String] = [:]

  /// A crop as the network reads it.
  private struct PreparedCrop: Sendable {
    let values: [Float]
    let truth: CellTruth

    func write(to target: UnsafeMutablePointer<Float>) {
      values.withUnsafeBufferPointer {
        target.update(from: $0.baseAddress!, count: $0.count)
      }
    }
  }

  /// Prepares a training; `options.segmentation` has to be set.
  ///
  /// The first crops of `validation` choose the epoch that is kept; without it, the last is. `workers` is
  /// the number of cores; it changes the speed and nothing else. With `start`, training goes on from its
  /// weights.
  ///
  /// - Throws: `TrainingError` for options or data that cannot work, and `BLASError` where there is no
  ///   BLAS.
  public init(
    _ architecture: Architecture, feed: SegmentationFeed, validation: SegmentationFeed?,
    preparation: PagePreparation, options: TrainingOptions, startingFrom start: Model? = nil,
    workers: Int, group: ProcessGroup = .alone
  ) throws {
    try options.validate()
    guard let segmentation = options.segmentation else {
      preconditionFailure("options without those for cells")
    }
    try segmentation.validate(classCount: feed.classes.count)
    guard case .distributionPerCell(let fields) = architecture.output else {
      throw TrainingError.unsuitableData(
        "pages have a class for each cell, and the network `\(architecture.name)` has another answer"
      )
    }
    let names = feed.classes.map(\.name)
    if let start {
      func words(_ labels: [String], _ fields: Int) -> String {
        labels.joined(separator: ", ") + (fields > 0 ? " and \(fields.counted("field"))" : "")
      }
      guard start.labels == names, start.fields.count == feed.fields.count else {
        throw TrainingError.unsuitableData(
          "the model to start from answers \(words(start.labels, start.fields.count)), and the pages "
            + "have \(words(names, feed.fields.count)); give one that answers the same, or none for a "
            + "new network")
      }
      guard start.architecture == architecture else {
        throw TrainingError.unsuitableData(
          "the model to start from has another network than `\(architecture.name)`")
      }
    }
    guard architecture.classCount == feed.classes.count, fields == feed.fields.count else {
      throw TrainingError.unsuitableData(
        "the network has \(architecture.classCount) classes and \(fields) fields, and the pages have "
          + "\(feed.classes.count) and \(feed.fields.count)")
    }
    if let validation, validation.classes.map(\.name) != names {
      throw TrainingError.unsuitableData(
        "the classes are \(names.joined(separator: ", ")), and those of the "
          + "validation pages \(validation.classes.map(\.name).joined(separator: ", "))")
    }
    let sized = try architecture.sized(height: segmentation.side, width: segmentation.side)
    let cells = segmentation.side / SegmentationFeed.cell
    guard case .planes(_, cells, cells)? = sized.outputShapes.last else {
      throw TrainingError.unsuitableData(
        "a cell of the network `\(architecture.name)` has to have \(SegmentationFeed.cell) × "
          + "\(SegmentationFeed.cell) pixels")
    }
    var first = 0
    let groups = feed.fields.groups.map { group in
      defer { first += group.fields.count }
      return first..<first + group.fields.count
    }
    loss = CellLoss(
      classWeights: segmentation.classWeights, fieldGroups: groups,
      fieldWeight: groups.isEmpty ? 0 : segmentation.fieldWeight)
    (self.feed, self.preparation, self.architecture) = (feed, preparation, architecture)
    (self.options, self.segmentation, self.group) = (options, segmentation, group)
    network = try TrainingNetwork(
      sized, maximumExamples: options.batchSize, workers: workers, seed: options.seed, group: group)
    if let start { network.weights = start.network.weights }
    self.validation = validation
    validationCount =
      validation.map {
        min(segmentation.validationCount, $0.pageCount ?? segmentation.validationCount)
      } ?? 0
    validationFingerprint = validation?.fingerprint
    startFingerprint = start?.network.fingerprint
    optimizer = OptimizerState(options.optimizer, count: network.learnt.count, workers: workers)
    let blas = try BLAS.load()
    blasName = blas.name
    instructionSet = "\(blas.name) and kernels for \(blas.kernels)"
  }

  /// Makes crops of some numbers, each on one core.
  private func crops(of source: SegmentationFeed, _ numbers: Range<Int>) -> [PreparedCrop] {
    let (preparation, names) = (preparation, feed.fields)
    return network.loop.map(numbers.count) { index, _ in
      let crop = source.crop(numbers.lowerBound + index)
      // Pages on disk have no fields: of a network that answers some, they are not known there.
      let fields =
        crop.fields.names == names
        ? crop.fields : SegmentationFields(names, cells: crop.mask.classes.count)
      return PreparedCrop(
        values: preparation.values(of: crop.picture),
        truth: CellTruth(
          classes: crop.mask.classes, fields: fields.values, masks: fields.known))
    }
  }

  /// The epochs so far.
  public var history: [EpochRecord] { progress.history }

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
      mayDiffer: onAnyInstructionSet, epochs: options.epochs,
      stepsPerEpoch: segmentation.stepsPerEpoch,
      network: network, optimizer: optimizer, average: nil)
    progress = checkpoint.progress
    best = checkpoint.best
    checkpointNotes = checkpoint.notes
  }

  /// Trains until the last epoch, or until `shouldStop`, which is asked after every step.
  ///
  /// A checkpoint is written to `checkpointPath` after every epoch and on stopping.
  ///
  /// - Throws: `TrainingError.diverged`, and `FileError` where the checkpoint cannot be written.
  public func run(
    checkpointPath: String? = nil, provenance: [String: String] = [:],
    shouldStop: () -> Bool = { false }, onEvent: (TrainingEvent) -> Void = { _ in }
  ) throws -> Trainer.Outcome {
    try group.requireAgreement(on: identity, progress)
    onEvent(
      .started(
        steps: segmentation.stepsPerEpoch, epochs: options.epochs,
        epochsDone: progress.history.count,
        stepsDone: progress.step, blas: blasName))
    while progress.history.count < options.epochs {
      let epoch = progress.history.count
      while progress.step < segmentation.stepsPerEpoch {
        try takeStep(epoch: epoch)
        onEvent(
          .step(
            epoch: epoch + 1, step: progress.step, of: segmentation.stepsPerEpoch,
            examples: options.batchSize, loss: progress.lossSum / Double(progress.exampleCount),
            accuracy: Double(progress.rightCount) / Double(max(1, progress.cellCount ?? 0))))
        // All processes stop where one of them has to.
        if group.sum(shouldStop() ? 1 : 0) > 0 {
          if let checkpointPath { try save(to: checkpointPath, onEvent) }
          return .interrupted(epoch: epoch + 1, step: progress.step)
        }
      }
      let isBest = try endEpoch(epoch)
      onEvent(.epoch(progress.history[epoch], isBest: isBest))
      if let checkpointPath { try save(to: checkpointPath, onEvent) }
    }
    var provenance = provenance
    provenance["data_fingerprint"] = feed.fingerprint
    provenance["seed"] = "\(options.seed)"
    provenance["epoch"] = "\(progress.bestEpoch ?? progress.history.count)"
    provenance["blas"] = blasName
    return .finished(
      try Model(
        network: TrainedNetwork(architecture, weights: best ?? weights),
        labels: feed.classes.map(\.name), preprocessing: [.page(preparation)],
        provenance: provenance, fields: feed.fields.all))
  }

  private func takeStep(epoch: Int) throws {
    let step = epoch * segmentation.stepsPerEpoch + progress.step
    let count = options.batchSize
    let crops = crops(of: feed, step * count..<(step + 1) * count)
    let result = network.learn(targets: crops.map(\.truth), loss: loss, trainingStep: step) {
      example, _, values in
      crops[example].write(to: values)
    }
    guard result.loss.isFinite else {
      throw TrainingError.diverged(epoch: epoch + 1, step: progress.step + 1)
    }
    optimizer.update(
      network.learnt, gradient: network.gradient, step: step + 1,
      learningRate: learningRate(step: step, epoch: epoch),
      maxGradientNorm: options.maxGradientNorm)
    progress.step += 1
    progress.lossSum += result.loss * Double(count)
    progress.rightCount += result.rightCount
    progress.exampleCount += count
    progress.cellCount = (progress.cellCount ?? 0) + result.confusion.reduce(0, +)
    progress.confusion = result.confusion.adding(progress.confusion)
    progress.fieldLossSum = (progress.fieldLossSum ?? 0) + result.fieldLoss
    progress.fieldCount = (progress.fieldCount ?? 0) + result.fieldCount
  }

  private func learningRate(step: Int, epoch: Int) -> Double {
    options.learningRate
      * options.schedule.factor(
        step: step, of: segmentation.stepsPerEpoch * options.epochs, epoch: epoch)
  }

  /// Records the epoch; returns whether it is the best so far.
  private func endEpoch(_ epoch: Int) throws -> Bool {
    let count = Double(progress.exampleCount)
    var record = EpochRecord(
      epoch: epoch + 1,
      learningRate: learningRate(step: (epoch + 1) * segmentation.stepsPerEpoch - 1, epoch: epoch),
      trainingLoss: progress.lossSum / count,
      trainingAccuracy: Double(progress.rightCount) / Double(max(1, progress.cellCount ?? 0)))
    record.trainingOverlaps = overlaps(progress.confusion ?? [])
    if !feed.fields.groups.isEmpty {
      record.trainingFieldLoss =
        (progress.fieldLossSum ?? 0) / Double(max(1, progress.fieldCount ?? 0))
    }
    var isBest = false
    if let validation {
      let sums = evaluate(on: validation)
      guard sums.loss.isFinite else {
        throw TrainingError.diverged(epoch: epoch + 1, step: segmentation.stepsPerEpoch)
      }
      record.validationLoss = sums.loss
      record.validationAccuracy =
        Double(sums.rightCount) / Double(max(1, sums.confusion.reduce(0, +)))
      record.validationOverlaps = overlaps(sums.confusion)
      if sums.fieldCount > 0 {
        record.validationFieldLoss = sums.fieldLoss / Double(sums.fieldCount)
      }
      let leader = progress.bestEpoch.map { progress.history[$0 - 1].meanOverlap }
      isBest = record.meanOverlap >= leader ?? -1
      if isBest {
        progress.bestEpoch = epoch + 1
        best = weights
      }
    }
    progress.history.append(record)
    (progress.step, progress.lossSum) = (0, 0)
    (progress.rightCount, progress.exampleCount) = (0, 0)
    (progress.cellCount, progress.confusion) = (nil, nil)
    (progress.fieldLossSum, progress.fieldCount) = (nil, nil)
    return isBest
  }

  private func overlaps(_ confusion: [Int]) -> [ClassOverlap] {
    confusion.overlaps.enumerated().map {
      ClassOverlap(name: feed.classes[$0].name, value: $1)
    }
  }

  private var weights: [String: Tensor] {
    network.tensors(learnt: network.learnt, statistics: network.statistics)
  }

  /// Computes the results on the validation crops: the loss is the mean over batches.
  private func evaluate(on validation: SegmentationFeed) -> AnswerSums {
    let share = group.share(of: validationCount)
    var sums = loss.noSums
    for start in stride(from: share.lowerBound, to: share.upperBound, by: network.maximumExamples) {
      let batch = crops(
        of: validation, start..<min(start + network.maximumExamples, share.upperBound))
      network.forward(count: batch.count, trainingStep: nil) { example, _, values in
        batch[example].write(to: values)
      }
      let truths = batch.map(\.truth)
      var result = network.evaluate(
        0..<batch.count, targets: truths, loss: loss.prepared(for: truths),
        batchWeight: truths.reduce(0) { $0 + loss.weight(of: $1) })
      result.loss *= Double(batch.count) / Double(validationCount)
      sums += result
    }
    sums.add(over: group)
    return sums
  }

  private var identity: Checkpoint.Identity {
    Checkpoint.Identity(
      architecture: architecture, labels: feed.classes.map(\.name),
      preprocessing: [.page(preparation)], options: options, fingerprint: feed.fingerprint,
      validationFingerprint: validationFingerprint, startFingerprint: startFingerprint)
  }

  private func save(to path: String, _ onEvent: (TrainingEvent) -> Void) throws {
    guard group.rank == 0 else { return }
    try Checkpoint.write(
      to: path, identity: identity, instructionSet: instructionSet, progress: progress,
      notes: checkpointNotes, network: network, optimizer: optimizer, average: nil, best: best)
    onEvent(.checkpoint(path: path))
  }
}

extension [Int] {
  /// The sum of two matrices, of which one may be missing.
  fileprivate func adding(_ other: [Int]?) -> [Int] {
    guard let other else { return self }
    return zip(self, other).map { $0 + $1 }
  }

  /// The intersection over union of each class, for how often each class was answered for each:
  /// `[classes, classes]`; 1 for a class that neither occurs nor was answered.
  fileprivate var overlaps: [Double] {
    let classes = Int(Double(count).squareRoot())
    return (0..<classes).map { one in
      let row = (0..<classes).reduce(0) { $0 + self[one * classes + $1] }
      let column = (0..<classes).reduce(0) { $0 + self[$1 * classes + one] }
      let common = self[one * classes + one]
      let union = row + column - common
      return union == 0 ? 1 : Double(common) / Double(union)
    }
  }
}
