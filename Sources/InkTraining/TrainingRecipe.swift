import InkDatasets
import InkNetwork

/// How a network is trained where nothing else is said: each choice is made from the data, as an
/// expert would make it, unless the caller sets it.
///
/// The command and the studio take their defaults from here.
public struct TrainingRecipe: Hashable, Sendable {
  /// The number of epochs; `nil` chooses as many as the data need.
  public var epochs: Int?
  /// The examples of one step; `nil` chooses by the number of examples.
  public var batchSize: Int?
  /// The optimiser.
  public var optimizer = Optimizer(.adam)
  /// The full learning rate; `nil` chooses by optimiser, schedule and network.
  public var learningRate: Double?
  /// How the learning rate changes.
  public var schedule = Schedule(.oneCycle)
  /// Gradients longer than this are shortened to it; `nil` leaves all as they are.
  public var maxGradientNorm: Double?
  /// The share of the target that is spread over all classes.
  public var labelSmoothing = 0.0
  /// Whether every class counts as much as any other, however many examples it has.
  public var balancesClasses = true
  /// How examples are varied; `nil` chooses by the labels.
  public var augmentation: Augmentation?
  /// The epochs without progress after which training stops; `nil` chooses by the number of epochs.
  public var patience: Int?
  /// How much of the weights' moving average is kept at each step; `nil` chooses by the number of
  /// steps.
  public var averageDecay: Double?
  /// The start of all random choices.
  public var seed: UInt64 = 1

  /// Makes a recipe in which everything is chosen.
  public init() {}

  /// Returns the options for learning `training` with `network`.
  ///
  /// `hasValidation` says whether a validation part chooses the epoch. Where training goes on from a
  /// model, it takes smaller and fewer steps.
  public func options(
    for training: Dataset, network: Architecture, hasValidation: Bool,
    startsFromModel: Bool = false
  ) -> TrainingOptions {
    var options = TrainingOptions()
    let count = max(1, training.examples.count)
    options.optimizer = optimizer
    options.schedule = schedule
    options.maxGradientNorm = maxGradientNorm
    options.labelSmoothing = labelSmoothing
    options.balancesClasses = balancesClasses
    options.seed = seed
    options.batchSize = batchSize ?? Self.batchSize(count: count)
    options.epochs =
      epochs
      ?? Self.epochs(
        count: count, classCount: training.labels.count, startsFromModel: startsFromModel)
    options.learningRate =
      learningRate ?? Self.learningRate(
        optimizer.method, schedule, parameterCount: network.parameterCount)
      * (startsFromModel ? 0.1 : 1)
    if let augmentation {
      options.augmentation = augmentation
    } else if Self.areOfAutomata(training.labels) || RotationCheck.isSafe(training, seed: seed) {
      options.augmentation = .anyAngle
      // How people draw counts more than what is possible: of drawings, half are not turned far, and
      // of pictures, half are turned by quarters only, which keeps their frame.
      options.augmentation.framed = 0.5
      options.uprightShare =
        training.examples.contains { $0.stored == nil && $0.isDrawing } ? 0.5 : 0
    } else {
      options.augmentation = .upright
    }
    // Far from the end, a one-cycle rate is too high for the best weights: do not give up early.
    options.patience = patience ?? (hasValidation ? max(10, options.epochs / 2) : nil)
    options.averageDecay =
      averageDecay ?? Self.averageDecay(options, count: count)
    return options
  }

  private static func batchSize(count: Int) -> Int {
    switch count {
    case ..<100: 8
    case ..<500: 16
    case ..<20_000: 32
    default: 64
    }
  }

  /// As many epochs as show the network about 200,000 examples, more where there are many classes.
  private static func epochs(count: Int, classCount: Int, startsFromModel: Bool) -> Int {
    let shown = 160_000 * (1 + Double(min(32, classCount)) / 16)
    let epochs = Int((shown / Double(count)).rounded(.up))
    return startsFromModel ? min(20, max(5, epochs / 5)) : min(150, max(10, epochs))
  }

  /// Rates that rise and fall may be higher than those that stay, and large networks need lower ones.
  private static func learningRate(
    _ method: Optimizer.Method, _ schedule: Schedule, parameterCount: Int
  ) -> Double {
    let isLarge = parameterCount > 500_000
    switch method {
    case .adam, .adamW: return (isLarge ? 1e-3 : 4e-3) / (schedule.settles ? 1 : 4)
    case .sgd: return (isLarge ? 0.02 : 0.04) / (schedule.settles ? 1 : 2)
    }
  }

  /// The average reaches back over about a hundredth of all steps.
  private static func averageDecay(_ options: TrainingOptions, count: Int) -> Double {
    let steps = (count + options.batchSize - 1) / options.batchSize * options.epochs
    let decay = 1 - 1 / min(1000, max(10, Double(steps) / 100))
    return (decay * 1000).rounded() / 1000
  }

  /// Whether labels are those of an automaton's elements, which may be drawn in any direction.
  ///
  /// What other labels mean may depend on what is up, as with 6 and 9.
  private static func areOfAutomata(_ labels: [String]) -> Bool {
    Set(Synthesizer.Repertoire.automata.labels).isSuperset(of: labels)
  }
}

extension TrainingOptions {
  /// The options in one line for people.
  public var summary: String {
    var parts = ["\(epochs) epoch\(epochs == 1 ? "" : "s") of batches of \(batchSize)"]
    let course =
      switch schedule.course {
      case .constant: "constant"
      case .step: "stepwise"
      case .cosine: "cosine"
      case .oneCycle: "one-cycle"
      }
    let method =
      switch optimizer.method {
      case .sgd: "SGD"
      case .adam: "Adam"
      case .adamW: "AdamW"
      }
    parts.append("\(method) with a \(course) rate of \(learningRate.shortest)")
    parts.append(balancesClasses ? "classes balanced" : "classes not balanced")
    if let averageDecay, averageDecay > 0 {
      parts.append("weights averaged (\(averageDecay.shortest))")
    }
    if labelSmoothing > 0 { parts.append("labels smoothed (\(labelSmoothing.shortest))") }
    if let patience { parts.append("patience \(patience) epochs") }
    var known = augmentation
    known.framed = 0
    let name = Augmentation.named.first { $0.value == known }?.key ?? "custom"
    let isMixed = uprightShare > 0 || augmentation.framed > 0
    parts.append("augmentation \(name)" + (isMixed ? " for half of the examples" : ""))
    return parts.joined(separator: ", ")
  }
}

extension Double {
  /// The number with six decimals, without zeros at its end.
  fileprivate var shortest: String {
    let text = fixed(6)
    let trimmed = text.reversed().drop { $0 == "0" }
    return String(trimmed.reversed()).hasSuffix(".")
      ? String(trimmed.dropFirst().reversed()) : String(trimmed.reversed())
  }
}
