import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkNetwork
import InkRaster
import InkRecognizer
import InkTraining
import Synchronization

/// Trains on the recordings, one model at a time, and reports the progress to the page.
final class Training: Sendable {
  /// The request for a training.
  struct Request: Decodable, Sendable {
    /// The model to adapt; `nil` trains a new network.
    var base: String?
    /// The name of the new network.
    ///
    /// It is one of ``networks``; `nil` is the first. A model keeps its own.
    var network: String?
    /// The number of epochs.
    var epochs: Int
    /// The name of the new model.
    var name: String
    /// The classes whose recordings are left out.
    var skip: [String]?
  }

  /// The state of a training.
  struct Status: ServerEvent {
    var eventName: String? { nil }

    enum Phase: String, Encodable, Sendable { case idle, running, finished, cancelled, failed }

    struct Report: Encodable, Sendable {
      /// A description of the test drawings.
      var data: String
      /// The accuracy of the new model and of the model in use, as text.
      var accuracy: String
      var accuracyBefore: String?
      /// Whether the new model is better than the model in use, as a sentence.
      var verdict: String?
      /// The full report.
      var text: String
    }

    var phase = Phase.idle
    var epochs = 0
    var doneShare = 0.0
    var secondsLeft: Double?
    var history: [EpochRecord] = []
    var problem: String?
    var name: String?
    var report: Report?
    /// A number that increases with every change.
    var revision = 0
  }

  private struct State {
    var status = Status()
    var isCancelled = false
    var isEnding = false
  }

  /// A network that can be trained on drawings.
  struct Network: Encodable, Equatable {
    var name: String
    var title: String
  }

  private let models: Models
  private let state = Mutex(State())
  /// The networks for a new model, the usual one first.
  static let networks = [
    Network(name: "drawing", title: "drawing: sees a picture"),
    Network(name: "gesture", title: "gesture: follows the strokes over time"),
  ]
  static let maximumEpochs = 1000
  private static let minimumPerClass = 5
  private static let seed: UInt64 = 1

  init(models: Models) { self.models = models }

  /// The state of the training.
  var status: Status { state.withLock { $0.status } }

  private func change(_ change: (inout State) -> Void) {
    state.withLock {
      change(&$0)
      $0.status.revision += 1
    }
  }

  /// Cancels the training.
  func cancel() { state.withLock { $0.isCancelled = true } }

  /// The interval at which a stream checks for changes.
  private static let pollInterval = Duration.milliseconds(150)
  /// The number of checks after which an unchanged state is sent again.
  private static let heartbeat = 100

  /// Returns a stream of the state after each change, until the studio ends.
  func progress() -> some AsyncSequence<Status, any Error> & Sendable {
    AsyncThrowingStream<Status, any Error>(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        var seen = -1
        var quiet = 0
        while !Task.isCancelled, !state.withLock({ $0.isEnding }) {
          let status = status
          quiet += 1
          // Sending an unchanged state detects closed connections.
          if status.revision != seen || quiet >= Self.heartbeat {
            continuation.yield(status)
            quiet = 0
          }
          seen = status.revision
          try await Task.sleep(for: Self.pollInterval)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Ends all streams and the training.
  func end() {
    state.withLock { ($0.isEnding, $0.isCancelled) = (true, true) }
  }

  /// Starts a training on `recordings`, and returns immediately.
  ///
  /// - Throws: `StudioError` if a training is running or if there are too few recordings; `NameProblem` if
  ///   another model has the name.
  func begin(_ request: Request, on recordings: [Recording]) throws {
    guard (1...Self.maximumEpochs).contains(request.epochs) else {
      throw StudioError("Choose 1 to \(Self.maximumEpochs) epochs, not \(request.epochs).")
    }
    if let network = request.network, !Self.networks.contains(where: { $0.name == network }) {
      throw StudioError(
        "There is no network `\(network.prefix(80))`. Choose "
          + Self.networks.map { "`\($0.name)`" }.joined(separator: " or ") + ".")
    }
    if request.network != nil, request.base != nil {
      throw StudioError("A model keeps its network. Choose a model or a network, not both.")
    }
    try models.makeRoom()
    try models.checkNewName(FileName.normalized(request.name))
    let left = Set(request.skip ?? [])
    let recordings = recordings.filter { $0.label.map { !left.contains($0) } ?? true }
    let base = try request.base.map { try models.model(named: $0) }
    let parts = try Self.parts(of: recordings, for: base)
    try state.withLock { state in
      guard state.status.phase != .running else {
        throw StudioError("A training is already running. Cancel it first.", .conflict)
      }
      let revision = state.status.revision + 1
      state.status = Status()
      state.isCancelled = false
      state.status.phase = .running
      state.status.epochs = request.epochs
      state.status.revision = revision
    }
    Task {
      do {
        let phase = try await onOwnThread { try self.train(request, from: base, parts) }
        change { $0.status.phase = phase }
      } catch {
        change {
          $0.status.phase = .failed
          $0.status.problem = plainText(of: error)
        }
      }
    }
  }

  // MARK: Data

  struct Parts: Sendable {
    var learnt: Dataset
    var tested: Dataset
    /// Whether the two parts have different writers.
    var isByWriter: Bool
  }

  /// Returns a training part and a test part with a fifth of the drawings.
  ///
  /// With at least three writers, the parts have different writers. Otherwise they share the writers, and
  /// each class is divided.
  static func parts(of recordings: [Recording], for base: Model?) throws -> Parts {
    // Remove duplicates, because one copy could be in each part.
    var known = Set<Fingerprint>()
    let examples = recordings.enumerated().compactMap { number, recording in
      recording.label.map { Example(recording, label: $0, origin: "recording \(number + 1)") }
    }.filter { known.insert($0.contentFingerprint).inserted }
    var counts: [String: Int] = [:]
    for example in examples { counts[example.label, default: 0] += 1 }
    if let base {
      guard base.recordings == nil else {
        throw StudioError(
          "The model reads recordings of sensors, not drawings. Start from another model or train a "
            + "new network.", .conflict)
      }
      if let unknown = counts.keys.sorted().first(where: { !base.labels.contains($0) }) {
        throw StudioError(
          "The model does not know the class `\(unknown)`, only \(base.labels.joined(separator: ", ")). "
            + "Train a new network instead.", .conflict)
      }
      guard examples.count >= minimumPerClass else {
        throw StudioError(
          "Training needs \(minimumPerClass) recordings. There are \(examples.count). Record more.",
          .conflict)
      }
    } else {
      guard counts.count >= 2 else {
        throw StudioError(
          "Training needs recordings of two classes. There are \(counts.count). Record more.",
          .conflict)
      }
      if let (label, count) = counts.sorted(by: { $0.key < $1.key }).first(where: {
        $0.value < minimumPerClass
      }) {
        throw StudioError(
          "Training needs \(minimumPerClass) recordings of each class. There are \(count) of \(label). "
            + "Record more.", .conflict)
      }
    }
    let dataset = Dataset(examples, labels: base?.labels)
    if Set(examples.map(\.hand)).count >= 3, !examples.contains(where: { $0.hand == nil }) {
      let parts = divide(dataset)
      let learns = Set(parts.learnt.examples.map(\.label))
      if learns.count == counts.count, !parts.tested.examples.isEmpty {
        return Parts(learnt: parts.learnt, tested: parts.tested, isByWriter: true)
      }
    }
    var anonymous = dataset
    for index in anonymous.examples.indices { anonymous.examples[index].writer = nil }
    let parts = divide(anonymous)
    return Parts(learnt: parts.learnt, tested: parts.tested, isByWriter: false)
  }

  private static func divide(_ dataset: Dataset) -> (learnt: Dataset, tested: Dataset) {
    let split = Split(method: .writer, seed: seed, validationShare: 0, testShare: 0.2)
    let parts = split.parts(of: dataset)
    return (
      dataset.subset(parts.indices.filter { parts[$0] == .train }),
      dataset.subset(parts.indices.filter { parts[$0] == .test })
    )
  }

  // MARK: Work

  private func train(
    _ request: Request, from base: Model?, _ parts: Parts
  ) throws -> Status.Phase {
    var recipe = TrainingRecipe()
    recipe.epochs = request.epochs
    recipe.seed = Self.seed
    recipe.rotationInvariantLabels = Set(DrawnClass.allLabels)
    var learnt = parts.learnt
    if let base {
      // Synthetic drawings keep the model from forgetting, if its classes can be synthesised.
      if let synthetic = ExperienceReplay.synthetic(labels: base.labels, seed: Self.seed) {
        learnt = ExperienceReplay(learnt, with: synthetic, seed: Self.seed).dataset
      }
      learnt.labels = base.labels
    }
    let name = request.network ?? Self.networks[0].name
    guard
      let network = try base.map({ NetworkChoice(of: $0) })
        ?? NetworkChoice(named: name, for: learnt)
    else { preconditionFailure("`networks` has names of networks") }
    let options = recipe.options(
      for: learnt, network: network.architecture, hasValidation: false,
      startingFrom: base)
    let trainer = try Trainer(
      network.architecture, training: learnt, validation: nil,
      preprocessing: network.preprocessing, options: options, startingFrom: base,
      workers: Self.workers)
    let clock = ContinuousClock()
    let start = clock.now
    let tested = Dataset(parts.tested.examples, labels: learnt.labels)
    let outcome = try trainer.run(
      provenance: [
        "command": "inkstate studio, trained on recordings",
        "base": request.base ?? "none", "drawings": "\(parts.learnt.examples.count)",
        "version": Version.current,
      ],
      shouldStop: { state.withLock { $0.isCancelled } }
    ) { event in
      show(event, elapsed: start.duration(to: clock.now) / .seconds(1))
    }
    guard case .finished(let model) = outcome else { return .cancelled }
    // The test drawings may be in the training data of models that were trained in the studio before.
    let own = Set(models.all.filter(\.isOwn).map(\.name))
    let hasSeen = (
      base: request.base.map(own.contains) ?? false, used: own.contains(models.usedName)
    )
    let modelName = try models.add(model, named: request.name)
    change { $0.status.name = modelName }
    var report = try Self.report(
      model, name: modelName, before: models, on: tested, parts, hasSeen: hasSeen)
    if let shortfall = trainer.shortfall {
      report.text = "Warning: \(shortfall).\n\n\(report.text)"
    }
    change { $0.status.report = report }
    return .finished
  }

  /// The number of cores for training: all except one, which answers requests.
  static var workers: Int { max(1, ProcessInfo.processInfo.activeProcessorCount - 1) }

  private func show(_ event: TrainingEvent, elapsed: Double) {
    switch event {
    case .step(let epoch, let step, let steps, _, _, _):
      change { state in
        let share =
          (Double(epoch - 1) + Double(step) / Double(steps)) / Double(state.status.epochs)
        state.status.doneShare = share
        state.status.secondsLeft = elapsed * (1 - share) / share
      }
    case .epoch(let record, _):
      change { $0.status.history.append(record) }
    case .started, .checkpoint, .stoppedEarly, .unsettled: break
    }
  }

  private static func report(
    _ model: Model, name: String, before models: Models, on tested: Dataset, _ parts: Parts,
    hasSeen: (base: Bool, used: Bool)
  ) throws -> Status.Report {
    let count = tested.examples.count
    let data =
      "\(count) test drawings, "
      + (parts.isByWriter ? "of other writers" : "of the same writers")
      + (hasSeen.base ? " (some may be in the training data of the adapted model)" : "")
    let evaluation = try Evaluation(
      of: Recognizer(model: model), on: tested, workers: workers)
    var before: String?
    var verdict: String?
    let used = models.used
    if used.model.recordings == nil,
      Set(used.model.labels).isSuperset(of: tested.examples.map(\.label))
    {
      let old = try Evaluation(of: used, on: tested, workers: workers)
      verdict =
        hasSeen.used
        ? "The model in use may know some of the test drawings, so nothing says which is better."
        : SignTest(before: old, after: evaluation).description
      before =
        old.accuracy.summary
        + (hasSeen.used ? " (some test drawings may be in its training data)" : "")
    }
    let report = EvaluationReport(
      model: name, data: data, part: "test", evaluation: evaluation, disturbed: nil)
    return .init(
      data: data, accuracy: evaluation.accuracy.summary, accuracyBefore: before,
      verdict: verdict, text: report.text)
  }
}
