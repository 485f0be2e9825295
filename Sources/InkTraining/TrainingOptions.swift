import ErrorText
import Ink
import InkDatasets
import InkNetwork

/// The options of a training; the same options, data and network give the same weights.
///
/// ``TrainingRecipe`` chooses options that suit the data.
public struct TrainingOptions: Hashable, Sendable, Codable {
  /// The number of epochs.
  public var epochs = 20
  /// The number of examples in a step.
  public var batchSize = 64
  /// The optimiser, which updates the weights from their gradients.
  public var optimizer = Optimizer(.adam)
  /// The peak learning rate.
  public var learningRate = 1e-3
  /// The change of the learning rate.
  public var schedule = Schedule(.constant)
  /// The maximum norm of the gradient, to which larger ones are scaled; `nil` means no maximum.
  public var maxGradientNorm: Double?
  /// The share of the target that is spread over all classes.
  public var labelSmoothing = 0.0
  /// Whether all classes count equally, even if they have different numbers of examples.
  public var balancesClasses = false
  /// The augmentation of the examples.
  public var augmentation = Augmentation.none
  /// The share of examples that are augmented upright, as people usually draw them.
  public var uprightShare = 0.0
  /// The share of drawings whose strokes are put into another order and drawn from their other ends.
  ///
  /// For networks that read strokes.
  public var reorderedShare = 0.0
  /// The augmentation of recordings of sensors.
  public var seriesAugmentation = SeriesAugmentation.none
  /// The minimum longer side of drawings, in canvas points; smaller ones are taps.
  ///
  /// A model rejects taps by their size, so they are left out of the training.
  public var minimumExtent = Stroke.minimumExtent
  /// Training stops after this many epochs without improvement on the validation part.
  public var patience: Int?
  /// The decay of the moving average of the weights (Polyak & Juditsky, 1992); `nil` means no average.
  public var averageDecay: Double?
  /// The seed of all random numbers.
  public var seed: UInt64 = 1
  /// The options of a network with a class for each cell; `nil` for other networks.
  public var segmentation: SegmentationOptions?

  /// The names in checkpoints, which older versions wrote too.
  private enum CodingKeys: String, CodingKey {
    case epochs, batchSize, optimizer, learningRate, schedule, labelSmoothing, balancesClasses
    case augmentation, uprightShare, reorderedShare, seriesAugmentation, patience
    case averageDecay, seed
    case segmentation = "dense"
    case minimumExtent = "leastExtent"
    case maxGradientNorm = "longestGradient"
  }

  /// Creates simple options: 20 epochs of Adam at a constant rate, without augmentation.
  public init() {}

  /// Checks every number.
  ///
  /// - Throws: `TrainingError` that names the first number out of range.
  func validate() throws(TrainingError) {
    func check(_ isValid: Bool, _ option: String, _ expected: String, _ found: some Any)
      throws(TrainingError)
    {
      guard isValid else {
        throw .invalidOption(name: option, expected: expected, found: "\(found)")
      }
    }
    try check((1...100_000).contains(epochs), "epochs", "1 to 100000", epochs)
    try check((1...65536).contains(batchSize), "batch size", "1 to 65536", batchSize)
    try check(
      learningRate > 0 && learningRate < 100, "learning rate", "above 0 and below 100", learningRate
    )
    try check((0...1).contains(uprightShare), "upright share", "0 to 1", uprightShare)
    try check((0...1).contains(reorderedShare), "reordered share", "0 to 1", reorderedShare)
    try check((0..<1).contains(labelSmoothing), "label smoothing", "0 to below 1", labelSmoothing)
    try check((0..<1).contains(optimizer.momentum), "momentum", "0 to below 1", optimizer.momentum)
    try check(
      (0...1).contains(optimizer.weightDecay), "weight decay", "0 to 1", optimizer.weightDecay)
    try check((0...0.9).contains(schedule.warmup), "warm-up", "0 to 0.9", schedule.warmup)
    if case .step(let epochs, let factor) = schedule.course {
      try check(epochs >= 1, "epochs of a step", "1 or more", epochs)
      try check(factor > 0 && factor <= 1, "factor of a step", "above 0, at most 1", factor)
    }
    let longest = maxGradientNorm ?? 1
    try check(longest > 0 && longest.isFinite, "maximum gradient norm", "above 0", longest)
    try check((patience ?? 1) > 0, "patience", "1 or more", patience ?? 1)
    try check(
      (0..<1).contains(averageDecay ?? 0), "average decay", "0 to below 1", averageDecay ?? 0)
  }
}

/// The results of one epoch.
public struct EpochRecord: Hashable, Sendable, Codable {
  /// The number of the epoch, from 1.
  public var epoch: Int
  /// The learning rate of its last step.
  public var learningRate: Double
  /// The mean loss on the training part during the epoch.
  public var trainingLoss: Double
  /// The accuracy on the training part during the epoch.
  public var trainingAccuracy: Double
  /// The mean loss on the validation part after the epoch.
  public var validationLoss: Double?
  /// The accuracy on the validation part after the epoch.
  public var validationAccuracy: Double?
  /// The mean recall of the classes on the validation part after the epoch.
  public var validationMeanRecall: Double?
  /// How well a reader read the training part during the epoch.
  public var trainingReading: ReadingRecord?
  /// How well a reader reads the validation part after the epoch.
  public var validationReading: ReadingRecord?
  /// How well a network with a class for each cell found each class during the epoch.
  public var trainingOverlaps: [ClassOverlap]?
  /// The mean loss of the fields of cells during the epoch.
  public var trainingFieldLoss: Double?
  /// How well it finds each class on the validation pages after the epoch.
  public var validationOverlaps: [ClassOverlap]?
  /// The mean loss of the fields of validation cells after the epoch.
  public var validationFieldLoss: Double?

  /// The mean overlap of the classes but the background on the validation pages, or 0.
  var meanOverlap: Double {
    let values = (validationOverlaps ?? []).dropFirst().map(\.value)
    return values.reduce(0, +) / Double(max(1, values.count))
  }
}

/// How well a class was found.
public struct ClassOverlap: Hashable, Sendable, Codable {
  /// The class.
  public var name: String
  /// The cells that are of the class and answered so, as a share of those that are or were: intersection
  /// over union.
  public var value: Double

  /// Creates an overlap.
  public init(name: String, value: Double) {
    (self.name, self.value) = (name, value)
  }
}

/// How well a reader reads, with the most likely class of each step.
public struct ReadingRecord: Hashable, Sendable, Codable {
  /// The edits that correct what was read, per character of the texts.
  public var characterErrorRate: Double
  /// The words to insert, delete or replace, per word of the texts.
  public var wordErrorRate: Double
  /// The share of steps whose most likely class is the blank; near 1, nothing is read yet.
  public var blankShare: Double

  /// Creates a record.
  public init(characterErrorRate: Double, wordErrorRate: Double, blankShare: Double) {
    self.characterErrorRate = characterErrorRate
    self.wordErrorRate = wordErrorRate
    self.blankShare = blankShare
  }
}

/// An event in a training.
public enum TrainingEvent: Sendable {
  /// The training starts, or resumes after `epochsDone` epochs and `stepsDone` steps of the next one.
  case started(steps: Int, epochs: Int, epochsDone: Int, stepsDone: Int, blas: String)
  /// A step is complete; loss and accuracy are the means in this epoch so far.
  case step(epoch: Int, step: Int, of: Int, examples: Int, loss: Double, accuracy: Double)
  /// An epoch is complete; `isBest` means that its result on the validation part is the best so far.
  case epoch(EpochRecord, isBest: Bool)
  /// A checkpoint was written.
  case checkpoint(path: String)
  /// The training stopped because the result on the validation part did not improve.
  case stoppedEarly(epoch: Int, bestEpoch: Int)
  /// The training is complete, but in its last epochs, this share of the answers to a sample of the
  /// validation part, or without one of the training part, still became right or wrong.
  case unsettled(changedShare: Double, epochs: Int)
}

/// An error in a training.
public enum TrainingError: DescribedError, Hashable {
  /// A number is out of its range.
  case invalidOption(name: String, expected: String, found: String)
  /// The data cannot train the network.
  case unsuitableData(String)
  /// The checkpoint belongs to another training.
  case otherTraining(path: String, field: String, expected: String, found: String)
  /// The checkpoint was computed with another instruction set, which rounds differently.
  case otherInstructionSet(path: String, expected: String, found: String)
  /// The loss is not a finite number.
  case diverged(epoch: Int, step: Int)

  /// The error in one line.
  public var description: String {
    switch self {
    case .invalidOption(let name, let expected, let found):
      "\(name): expected \(expected), found \(found)"
    case .unsuitableData(let problem): "training data: \(problem)"
    case .otherTraining(let path, let field, let expected, let found):
      "\(path): the checkpoint belongs to another training: \(field) is \(found) in it and "
        + "\(expected) here; use the same data and options, or start again (--force)"
    case .otherInstructionSet(let path, let expected, let found):
      "\(path): the checkpoint was computed with \(found), and this process computes with "
        + "\(expected), which rounds differently; the result would have different bytes "
        + "(--any-instruction-set resumes nevertheless)"
    case .diverged(let epoch, let step):
      "epoch \(epoch), step \(step): the loss is not a finite number; use a lower learning rate"
    }
  }
}
