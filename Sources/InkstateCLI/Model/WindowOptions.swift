import ArgumentParser
import Ink
import InkDatasets
import InkRecognizer
import InkSeries

/// How recordings are cut into windows, with labels.
struct WindowOptions: ParsableArguments {
  @Option(
    help: """
      The length of a window, such as 2s, 500ms or 120 (steps). (default: that of the model; in \
      training, the median length of the labelled spans, at most 5s)
      """)
  var window: SeriesDuration?

  @Option(help: "The distance between windows. (default: a quarter of the window)")
  var stride: SeriesDuration?

  @Option(
    help: ArgumentHelp(
      "Label windows outside all spans as this class. (default: leave them out)",
      valueName: "label"))
  var rest: String?

  func validate() throws {
    if rest == "" { throw ValidationError("--rest: name a label") }
  }

  /// Returns the windows for training on `dataset`, or `nil` if its examples are not cut.
  ///
  /// A training that starts from a model has its windows, so the options cannot change them.
  func choice(for dataset: Dataset, startingFrom start: Model? = nil) throws -> WindowChoice? {
    let choice: WindowChoice?
    if let start {
      guard window == nil, stride == nil else {
        throw ValidationError(
          "\(window != nil ? "--window" : "--stride") cannot be used with --from; the windows are "
            + "those of the model")
      }
      choice = try self.choice(of: start, for: dataset)
    } else if dataset.examples.contains(where: \.isSeries) {
      choice = try WindowChoice(for: dataset, window: window, stride: stride, restLabel: rest)
    } else {
      choice = nil
    }
    if choice == nil { try checkUnused(because: "recordings with labelled spans, or --window") }
    return choice
  }

  /// Returns the windows of a model for `dataset`, or `nil` if it classifies whole recordings or
  /// drawings.
  func choice(of model: Model, for dataset: Dataset) throws -> WindowChoice? {
    let windows = try windows(of: model, for: dataset)
    guard let windows else {
      try checkUnused(because: "a model for windows of recordings, or --window")
      return nil
    }
    let known = model.restLabel
    return WindowChoice(
      rate: model.recordings?.preparation.rate,
      plan: WindowPlan(
        windows, restLabel: rest ?? known.flatMap { model.labels.contains($0) ? $0 : nil }))
  }

  private func windows(of model: Model, for dataset: Dataset) throws -> SlidingWindows? {
    guard let recordings = model.recordings else {
      guard window == nil else {
        throw ValidationError("--window: the model classifies drawings, not recordings")
      }
      return nil
    }
    return try SlidingWindows.chosen(
      window: window, stride: stride, stored: recordings.window,
      rate: recordings.preparation.rate ?? dataset.medianRate)
  }

  private func checkUnused(because needed: String) throws {
    guard stride != nil || rest != nil else { return }
    throw ValidationError("\(stride != nil ? "--stride" : "--rest") needs \(needed)")
  }

  /// Reports what was left out of the windows.
  static func report(_ cuts: [WindowChoice.Cut], _ choice: WindowChoice) {
    func sum(_ count: (WindowChoice.Cut) -> Int) -> Int { cuts.reduce(0) { $0 + count($1) } }
    let short = sum(\.shortRecordingCount)
    if short > 0 {
      Terminal.say(
        "left out: \(short.counted("recording")) shorter than a window of "
          + choice.plan.windows.length.counted("step"))
    }
    let unlabelled = sum(\.unlabelledCount)
    if unlabelled > 0 {
      let rest =
        choice.plan.restLabel == nil
        ? "outside all spans or with less than half of one (--rest LABEL keeps those outside)"
        : "with less than half of a span"
      Terminal.say("left out: \(unlabelled.counted("window")) \(rest)")
    }
    let empty = sum(\.emptyCount)
    if empty > 0 { Terminal.say("left out: \(empty.counted("window")) without values") }
  }
}

extension SlidingWindows {
  /// Returns the windows of the options, or else those of a model; `nil` if there are none.
  static func chosen(
    window: SeriesDuration?, stride: SeriesDuration?, stored: SlidingWindows?, rate: Double?
  ) throws -> SlidingWindows? {
    guard let length = try window?.steps(atRate: rate) ?? stored?.length else { return nil }
    return try SlidingWindows(
      length: length,
      stride: try stride?.steps(atRate: rate) ?? (window == nil ? stored?.stride : nil))
  }
}

/// How answers about windows become events.
struct EventOptions: ParsableArguments {
  @Option(
    help:
      "The smoothed probability that starts an event. (default: \(EventRule.standardOnThreshold))")
  var on: Double?

  @Option(
    help:
      "The smoothed probability below which an event ends. (default: \(EventRule.standardOffThreshold))"
  )
  var off: Double?

  @Option(
    help: ArgumentHelp(
      """
      The smoothing of probabilities: none, the number of windows of a moving average, such as 3, \
      or the factor of exponential smoothing, such as 0.5. (default: 0.5)
      """, valueName: "rule"))
  var smoothing: EventRule.Smoothing?

  @Option(
    help: ArgumentHelp(
      "The duration below which events are dropped, such as 300ms. (default: none are dropped)",
      valueName: "time"))
  var minDuration: SeriesDuration?

  @Option(
    name: .customLong("rest-label"),
    help: ArgumentHelp(
      """
      A label that makes no events; can be repeated. (default: the labels `none`, `other` and `rest`, and that of \
      --rest when the model was trained)
      """,
      valueName: "label"))
  var restLabels: [String] = []

  /// The first option that was given.
  var given: String? {
    if on != nil { return "--on" }
    if off != nil { return "--off" }
    if smoothing != nil { return "--smoothing" }
    if minDuration != nil { return "--min-duration" }
    return restLabels.isEmpty ? nil : "--rest-label"
  }

  func validate() throws {
    do { _ = try rule(rate: 1, model: nil) } catch let error as EventRuleError {
      throw ValidationError("\(error)")
    }
  }

  /// Returns the rule for a model and recordings with `rate` steps a second.
  ///
  /// The label that the model was trained on as rest makes no events either.
  func rule(rate: Double?, model: Model?) throws -> EventRule {
    let on = on ?? max(EventRule.standardOnThreshold, off ?? 0)
    let rest =
      restLabels.isEmpty
      ? model?.eventRestLabels ?? EventRule.standardRestLabels : Set(restLabels)
    if let model, let unknown = restLabels.first(where: { !model.labels.contains($0) }) {
      throw ValidationError(
        "--rest-label: the model has no label `\(unknown)`; its labels are "
          + model.labels.alternatives)
    }
    return try EventRule(
      smoothing: smoothing ?? EventRule.standardSmoothing, onThreshold: on,
      offThreshold: off ?? min(EventRule.standardOffThreshold, on),
      minimumDuration: try minDuration?.steps(atRate: rate) ?? 0, restLabels: rest)
  }
}

extension SeriesDuration: ExpressibleByArgument {
  /// Reads a duration such as `2s`, `500ms` or `120`.
  public init?(argument: String) { self.init(argument) }
}

extension EventRule.Smoothing: ExpressibleByArgument {
  /// Reads `none`, a number of windows or a factor.
  public init?(argument: String) {
    if argument == "none" {
      self = .none
    } else if let count = Int(argument) {
      self = .movingAverage(count)
    } else if let factor = Double(argument) {
      self = .exponential(factor)
    } else {
      return nil
    }
  }
}
