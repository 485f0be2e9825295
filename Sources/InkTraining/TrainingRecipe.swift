import InkDatasets
import InkNetwork
import InkRecognizer

/// Chooses training options from the data, as an expert would; the caller can set each option.
///
/// It defines the defaults of the command and the studio.
public struct TrainingRecipe: Hashable, Sendable {
  /// The number of epochs; `nil` chooses it from the data.
  public var epochs: Int?
  /// The number of examples in a step; `nil` chooses it from the number of examples.
  public var batchSize: Int?
  /// The optimiser.
  public var optimizer = Optimizer(.adam)
  /// The peak learning rate; `nil` chooses it from the optimiser, schedule and network.
  public var learningRate: Double?
  /// The change of the learning rate.
  public var schedule = Schedule(.oneCycle)
  /// The maximum norm of the gradient, to which larger ones are scaled; `nil` means no maximum.
  public var maxGradientNorm: Double?
  /// The share of the target that is spread over all classes; `nil` uses 0.1 for 100 recordings of
  /// sensors and more, otherwise 0.
  public var labelSmoothing: Double?
  /// Whether all classes count equally, even if they have different numbers of examples.
  public var balancesClasses = true
  /// The augmentation of the examples; `nil` chooses it from the data.
  public var augmentation: Augmentation?
  /// The augmentation of recordings of sensors; `nil` means small variations.
  public var seriesAugmentation: SeriesAugmentation?
  /// The labels whose drawings keep their class at any angle.
  ///
  /// If a data set has other labels too, a test decides whether its examples can be rotated.
  public var rotationInvariantLabels: Set<String> = []
  /// The number of epochs without improvement after which training stops; `nil` chooses half of the
  /// epochs.
  public var patience: Int?
  /// The decay of the moving average of the weights; `nil` chooses it from the number of steps.
  public var averageDecay: Double?
  /// The share of drawings whose strokes get another order and direction, for networks that read
  /// strokes; `nil` uses 0.8 if pictures alone tell the classes apart, otherwise 0.
  public var reorderedShare: Double?
  /// The seed of all random numbers.
  public var seed: UInt64 = 1

  /// Creates a recipe that chooses all options.
  public init() {}

  /// Returns the options for training `network` on `training`.
  ///
  /// `hasValidation` is whether a validation part chooses the best epoch. A training that starts from the
  /// model `start` has fewer and smaller steps, and the augmentation with which that model was trained. If its
  /// file does not record it, examples are rotated by any angle only if their labels are
  /// ``rotationInvariantLabels``: a few recordings cannot tell.
  public func options(
    for training: Dataset, network: Architecture, hasValidation: Bool,
    startingFrom start: Model? = nil
  ) -> TrainingOptions {
    var options = TrainingOptions()
    let recorded = start.flatMap(AugmentationRecord.init(of:))
    let count = max(1, training.examples.count)
    options.optimizer = optimizer
    options.schedule = schedule
    let readsText = network.output == .distributionPerStep
    // Texts have no classes to balance, and CTC begins with long gradients.
    options.balancesClasses = balancesClasses && !readsText
    options.maxGradientNorm = maxGradientNorm ?? (readsText ? Self.readerGradientNorm : nil)
    // A line may be a single dot.
    if readsText { options.minimumExtent = 0 }
    options.seed = seed
    options.batchSize = batchSize ?? Self.batchSize(count: count)
    options.epochs =
      epochs
      ?? Self.epochs(
        count: count, classCount: readsText ? network.labelCount : training.labels.count,
        startsFromModel: start != nil)
    let rate = Self.learningRate(
      optimizer.method, schedule, parameterCount: network.parameterCount)
    // A tenth of a large reader's rate hardly adapts it to a hand.
    let laterRate = readsText ? max(0.1 * rate, min(rate, 4e-4)) : 0.1 * rate
    options.learningRate = learningRate ?? (start == nil ? rate : laterRate)
    let isOfRecordings = training.examples.contains(where: \.isSeries)
    options.labelSmoothing =
      labelSmoothing ?? (isOfRecordings && !readsText && count >= 100 ? 0.1 : 0)
    // Computed only if it is needed, because it renders a sample of the examples.
    lazy var check = VariationCheck(training, seed: seed)
    let readsStrokes =
      network.inputs.contains { if case .series = $0.form { true } else { false } }
      && training.examples.contains(where: \.isDrawing)
    if readsStrokes {
      let isAugmented =
        !readsText && augmentation != Augmentation.none && check?.allowsOtherOrder == true
      options.reorderedShare =
        reorderedShare ?? recorded?.reorderedShare ?? (isAugmented ? 0.8 : 0)
    }
    if isOfRecordings {
      options.seriesAugmentation = seriesAugmentation ?? recorded?.series ?? .mild
    } else if let augmentation {
      options.augmentation = augmentation
    } else if let recorded {
      options.augmentation = recorded.drawings
      options.uprightShare = recorded.uprightShare
    } else if readsText {
      options.augmentation = .line
    } else if rotationInvariantLabels.isSuperset(of: training.labels)
      || start == nil && check?.allowsRotation == true
    {
      options.augmentation = .anyAngle
      // Half of the examples stay close to how people draw: drawings are rotated only a little, and
      // pictures only by quarter turns, which keep their frame.
      options.augmentation.framed = 0.5
      options.uprightShare =
        training.examples.contains { $0.stored == nil && $0.isDrawing } ? 0.5 : 0
    } else {
      options.augmentation = readsStrokes ? .written : .upright
    }
    // The weights of a one-cycle schedule are best at its end, so patience must be long.
    options.patience = patience ?? (hasValidation ? max(10, options.epochs / 2) : nil)
    options.averageDecay =
      averageDecay ?? Self.averageDecay(options, count: count)
    return options
  }

  /// The recipe for pages with a class for each cell.
  ///
  /// Chosen with a prototype on composed pages.
  public static let pages: TrainingRecipe = {
    var recipe = TrainingRecipe()
    recipe.optimizer = Optimizer(.adamW, weightDecay: 1e-4)
    recipe.schedule = Schedule(.cosine, warmup: 0.03)
    return recipe
  }()

  /// Returns the options for training in `steps` steps, or as many as suit the data, on `feed`.
  public func options(
    for feed: SegmentationFeed, steps: Int? = nil, startsFromModel: Bool = false
  ) -> TrainingOptions {
    var options = TrainingOptions()
    var segmentation = SegmentationOptions(shares: feed.shares)
    segmentation.side = feed.side
    if feed.fields.groups.isEmpty { segmentation.fieldWeight = 0 }
    if !balancesClasses {
      segmentation.classWeights = [Double](repeating: 1, count: feed.classes.count)
    }
    // On two cores, a step takes about a quarter of a second.
    let steps =
      steps ?? epochs.map { $0 * segmentation.stepsPerEpoch }
      ?? (feed.pageCount == nil ? 8000 : 1500) / (startsFromModel ? 4 : 1)
    segmentation.stepsPerEpoch = min(segmentation.stepsPerEpoch, steps)
    options.segmentation = segmentation
    options.epochs = (steps + segmentation.stepsPerEpoch - 1) / segmentation.stepsPerEpoch
    options.batchSize = batchSize ?? 8
    (options.optimizer, options.schedule) = (optimizer, schedule)
    options.learningRate = learningRate ?? (startsFromModel ? 1e-3 : 3e-3)
    options.maxGradientNorm = maxGradientNorm
    options.seed = seed
    return options
  }

  private static let readerGradientNorm = 5.0

  private static func batchSize(count: Int) -> Int {
    switch count {
    case ..<100: 8
    case ..<500: 16
    case ..<20_000: 32
    default: 64
    }
  }

  /// Returns the number of epochs in which the network sees about 200,000 examples; more for many
  /// classes.
  private static func epochs(count: Int, classCount: Int, startsFromModel: Bool) -> Int {
    let examples = 160_000 * (1 + Double(min(32, classCount)) / 16)
    let epochs = Int((examples / Double(count)).rounded(.up))
    return startsFromModel ? min(20, max(5, epochs / 5)) : min(150, max(10, epochs))
  }

  /// Returns the peak rate: higher for schedules that end at 0, and lower for large networks.
  private static func learningRate(
    _ method: Optimizer.Method, _ schedule: Schedule, parameterCount: Int
  ) -> Double {
    let isLarge = parameterCount > 500_000
    switch method {
    case .adam, .adamW: return (isLarge ? 1e-3 : 4e-3) / (schedule.settles ? 1 : 4)
    case .sgd: return (isLarge ? 0.02 : 0.04) / (schedule.settles ? 1 : 2)
    }
  }

  /// Returns the decay for an average over about a hundredth of all steps.
  private static func averageDecay(_ options: TrainingOptions, count: Int) -> Double {
    let steps = (count + options.batchSize - 1) / options.batchSize * options.epochs
    let decay = 1 - 1 / min(1000, max(10, Double(steps) / 100))
    return (decay * 1000).rounded() / 1000
  }
}

extension TrainingOptions {
  /// The options as one line of text.
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
    if let segmentation {
      parts[0] =
        "\((epochs * segmentation.stepsPerEpoch).counted("step")) of \(batchSize.counted("crop")) of "
        + "\(segmentation.side) × \(segmentation.side)"
      let weights = segmentation.classWeights.map(\.shortest).joined(separator: ", ")
      parts.append("classes weigh \(weights)")
      if segmentation.fieldWeight > 0 {
        parts.append("fields weigh \(segmentation.fieldWeight.shortest)")
      }
      return parts.joined(separator: ", ")
    }
    parts.append(balancesClasses ? "classes balanced" : "classes not balanced")
    if let averageDecay, averageDecay > 0 {
      parts.append("weights averaged (\(averageDecay.shortest))")
    }
    if labelSmoothing > 0 { parts.append("labels smoothed (\(labelSmoothing.shortest))") }
    if let patience { parts.append("patience \(patience) epochs") }
    if seriesAugmentation != .none {
      let name = SeriesAugmentation.named.first { $0.value == seriesAugmentation }?.key ?? "custom"
      return (parts + ["augmentation \(name)"]).joined(separator: ", ")
    }
    var known = augmentation
    known.framed = 0
    let name = Augmentation.named.first { $0.value == known }?.key ?? "custom"
    let isMixed = uprightShare > 0 || augmentation.framed > 0
    parts.append("augmentation \(name)" + (isMixed ? " for half of the examples" : ""))
    if reorderedShare > 0 {
      parts.append("\((100 * reorderedShare).fixed(0)) % drawn in another order")
    }
    return parts.joined(separator: ", ")
  }
}

extension Double {
  /// The number with at most six decimals.
  fileprivate var shortest: String {
    let text = fixed(6)
    let trimmed = text.reversed().drop { $0 == "0" }
    return String(trimmed.reversed()).hasSuffix(".")
      ? String(trimmed.dropFirst().reversed()) : String(trimmed.reversed())
  }
}
