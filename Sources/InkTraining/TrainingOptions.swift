import Ink
import InkDatasets
import InkNetwork

/// Everything that decides how a network is trained; the same options, data and network give the
/// same weights.
///
/// ``TrainingRecipe`` chooses options that suit the data.
public struct TrainingOptions: Hashable, Sendable, Codable {
  /// How often every example is seen.
  public var epochs = 20
  /// The examples of one step.
  public var batchSize = 64
  /// How weights follow their gradients.
  public var optimizer = Optimizer(.adam)
  /// The full learning rate.
  public var learningRate = 1e-3
  /// How the learning rate changes.
  public var schedule = Schedule(.constant)
  /// Gradients longer than this are shortened to it; `nil` leaves all as they are.
  public var maxGradientNorm: Double?
  /// The share of the target that is spread over all classes.
  public var labelSmoothing = 0.0
  /// Whether every class counts as much as any other, however many examples it has.
  public var balancesClasses = false
  /// How examples are varied.
  public var augmentation = Augmentation.none
  /// The share of variations that are upright ones instead, so that how people draw counts more than
  /// what is possible.
  public var uprightShare = 0.0
  /// Drawings whose longer side is shorter than this, in canvas points, are taps: they are refused
  /// by their size, so nothing is learnt from them.
  public var leastExtent = Stroke.leastExtent
  /// Training ends when the validation part has not been answered better for so many epochs.
  public var patience: Int?
  /// How much of the moving average of the weights is kept at each step; `nil` uses the weights
  /// themselves (Polyak & Juditsky, 1992).
  public var averageDecay: Double?
  /// The start of all random choices.
  public var seed: UInt64 = 1

  /// Checkpoints are read across versions: the names in them stay.
  private enum CodingKeys: String, CodingKey {
    case epochs, batchSize, optimizer, learningRate, schedule, labelSmoothing, balancesClasses
    case augmentation, uprightShare, leastExtent, patience, averageDecay, seed
    case maxGradientNorm = "longestGradient"
  }

  /// Makes plain options: 20 epochs of Adam at a constant rate, without augmentation.
  public init() {}

  /// Checks every number.
  ///
  /// - Throws: `TrainingError` naming the first that is out of range.
  func validate() throws(TrainingError) {
    func check(_ isFine: Bool, _ option: String, _ expected: String, _ found: some Any)
      throws(TrainingError)
    {
      guard isFine else {
        throw .invalidOption(name: option, expected: expected, found: "\(found)")
      }
    }
    try check((1...100_000).contains(epochs), "epochs", "1 to 100000", epochs)
    try check((1...65536).contains(batchSize), "batch size", "1 to 65536", batchSize)
    try check(
      learningRate > 0 && learningRate < 100, "learning rate", "above 0 and below 100", learningRate
    )
    try check((0...1).contains(uprightShare), "upright share", "0 to 1", uprightShare)
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

/// What one epoch came to.
public struct EpochRecord: Hashable, Sendable, Codable {
  /// The epoch's number, from 1.
  public var epoch: Int
  /// The learning rate of its last step.
  public var learningRate: Double
  /// The mean loss over the training part, as it was while learning.
  public var trainingLoss: Double
  /// The share of right answers in the training part, as it was while learning.
  public var trainingAccuracy: Double
  /// The mean loss over the validation part, after the epoch.
  public var validationLoss: Double?
  /// The share of right answers in the validation part, after the epoch.
  public var validationAccuracy: Double?
  /// The mean over the classes of the share of right answers in the validation part, after the epoch.
  public var validationMeanRecall: Double?
}

/// What a trainer tells those who listen.
public enum TrainingEvent: Sendable {
  /// It begins, or goes on after `epochsDone` epochs and `stepsDone` steps of the next.
  case started(steps: Int, epochs: Int, epochsDone: Int, stepsDone: Int, blas: String)
  /// A step is done; loss and accuracy are the epoch's so far.
  case step(epoch: Int, step: Int, of: Int, examples: Int, loss: Double, accuracy: Double)
  /// An epoch is done; `isBest` where the validation part was never answered better.
  case epoch(EpochRecord, isBest: Bool)
  /// What is needed to go on was written.
  case checkpoint(path: String)
  /// The validation part did not get better for long enough.
  case stoppedEarly(epoch: Int, bestEpoch: Int)
}

/// Why nothing can be trained, or no longer.
public enum TrainingError: Error, Hashable, CustomStringConvertible {
  /// A number is out of its range.
  case invalidOption(name: String, expected: String, found: String)
  /// The data cannot teach this.
  case unsuitableData(String)
  /// The checkpoint belongs to another training.
  case otherTraining(path: String, field: String, expected: String, found: String)
  /// The checkpoint was computed with other instructions, which round differently.
  case otherInstructionSet(path: String, expected: String, found: String)
  /// The loss is no longer a number.
  case diverged(epoch: Int, step: Int)

  /// The error in one line.
  public var description: String {
    switch self {
    case .invalidOption(let name, let expected, let found):
      "\(name): expected \(expected), found \(found)"
    case .unsuitableData(let problem): "training data: \(problem)"
    case .otherTraining(let path, let field, let expected, let found):
      "\(path): the checkpoint belongs to another training: \(field) is \(found) there and "
        + "\(expected) here; give the same data and options, or begin anew (--force)"
    case .otherInstructionSet(let path, let expected, let found):
      "\(path): the checkpoint was computed with \(found), and this process computes with "
        + "\(expected), which rounds differently: the result would not be the same bytes "
        + "(--any-instruction-set goes on all the same)"
    case .diverged(let epoch, let step):
      "epoch \(epoch), step \(step): the loss is no longer a finite number; try a lower learning rate"
    }
  }
}
