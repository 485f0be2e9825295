import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRecognizer
import InkTraining

/// The digit game: asks for a digit or a sum, reads what is written, and gets used to the hand.
actor Practice {
  /// What is asked for.
  enum Level: String, Codable, CaseIterable, Sendable {
    case digits
    case sumsToTen
    case sumsToTwenty

    func task(using generator: inout some RandomNumberGenerator) -> Exercise {
      func sum(to most: Int) -> Exercise {
        let sum = Int.random(in: 1...most, using: &generator)
        let first = Int.random(in: 0...sum, using: &generator)
        return Exercise(text: "\(first) + \(sum - first)", answer: sum)
      }
      switch self {
      case .digits:
        let digit = Int.random(in: 0...9, using: &generator)
        return Exercise(text: "\(digit)", answer: digit)
      case .sumsToTen: return sum(to: 10)
      case .sumsToTwenty: return sum(to: 20)
      }
    }
  }

  struct Exercise: Codable, Equatable, Sendable {
    var text: String
    var answer: Int
  }

  /// What the page is told of a learner.
  struct Standing: Encodable, Sendable {
    var task: Exercise
    /// Tasks that were answered, and those that were answered right.
    var answered: Int
    var right: Int
    /// Digits whose meaning is known, and how many of the last twenty were read right.
    var digits: Int
    var readRight: Int
    var readOf: Int
    /// The digits that the model is adapted to.
    var adaptedTo: Int
    var isAdapting: Bool
  }

  /// What was read of an answer.
  struct Answer: Encodable, Sendable {
    var text: String
    var probability: Double
    var isSure: Bool
    var isRight: Bool
    /// What is asked next; where a person has to say what was written, nothing yet.
    var standing: Standing?
  }

  private struct Learner {
    var recordings: Recordings
    var recognizer: Recognizer
    var task: Exercise
    var level: Level
    var reading: DigitReader.Reading?
    var answered = 0
    var right = 0
    /// For each digit in order, whether it was read right.
    var reads: [Bool] = []
    var adaptedTo = 0
    var isAdapting = false
    /// When it was asked for last.
    var use = 0
  }

  private let folder: String
  private let base: Recognizer
  private var learners: [String: Learner] = [:]
  private var useCount = 0
  /// More stay on disk.
  private static let mostOpen = 100
  private static let mostLearners = 1000
  /// The model is adapted anew whenever so many digits more are known.
  static let adaptsEvery = 10
  private static let seed: UInt64 = 1

  /// Where the model that everybody begins with lies.
  static var modelPath: String {
    Bundle.module.bundleURL.appendingPathComponent("digits.safetensors").path
  }

  /// - Throws: `ModelError` where the digits model is missing or damaged.
  init(folder: String) throws {
    self.folder = folder
    base = try Recognizer(modelPath: Self.modelPath)
  }

  /// How `name` stands, with a task of `level`.
  func standing(of name: String, level: Level) async throws -> Standing {
    var learner = try await learner(name)
    if learner.level != level {
      learner.level = level
      ask(&learner)
      learners[name] = learner
    }
    return Self.standing(learner)
  }

  /// Reads the answer of `name`; where it is right, the next task comes with it.
  func answer(_ name: String, _ drawing: Drawing) async throws -> Answer {
    var learner = try await learner(name)
    guard let reading = try DigitReader(recognizer: learner.recognizer).read(drawing) else {
      throw Problem("expected a number of one or two digits, found nothing")
    }
    learner.reading = reading
    learners[name] = learner
    let isRight = Int(reading.text) == learner.task.answer
    var answer = Answer(
      text: reading.text, probability: reading.probability, isSure: reading.isSure,
      isRight: isRight)
    // Where it could as well be something else, it is counted but not learnt.
    if isRight { answer.standing = try await confirm(name, reading.text, learns: reading.isSure) }
    return answer
  }

  /// Hears what `name` wrote in truth; keeps the digits, and asks for the next number.
  func confirm(
    _ name: String, _ text: String, learns: Bool = true
  ) async throws -> Standing {
    var learner = try await learner(name)
    guard let reading = learner.reading else {
      throw Problem("expected an answer before, found none")
    }
    guard (1...2).contains(text.count), text.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw Problem("expected one or two digits, found `\(text)`")
    }
    // Once only, also where two ask at the same time.
    learners[name]?.reading = nil
    let isRight = Int(text) == learner.task.answer
    let labels = text.map(String.init)
    // Digits that were parted in the wrong place teach nothing.
    let isKept = learns && labels.count == reading.digits.count
    if isKept {
      try makeRoom(for: name)
      try await learner.recordings.add(
        zip(reading.digits, labels).map { digit, label in
          Recording(
            digit.drawing, label: label, writer: name,
            attributes: ["read": .text(digit.label), "task": .text(learner.task.text)])
        })
    }
    learner = learners[name] ?? learner
    if isKept { learner.reads += zip(reading.digits, labels).map { $0.label == $1 } }
    learner.answered += 1
    learner.right += isRight ? 1 : 0
    ask(&learner)
    let isDue = learner.reads.count - learner.adaptedTo >= Self.adaptsEvery && !learner.isAdapting
    learner.isAdapting = learner.isAdapting || isDue
    learners[name] = learner
    try makeRoom(for: name)
    try save(learner, of: name)
    if isDue { Task { await adapt(name) } }
    return Self.standing(learner)
  }

  private func ask(_ learner: inout Learner) {
    var generator = SystemRandomNumberGenerator()
    let before = learner.task
    repeat { learner.task = learner.level.task(using: &generator) } while learner.task == before
  }

  private static func standing(_ learner: Learner) -> Standing {
    let last = learner.reads.suffix(20)
    return Standing(
      task: learner.task, answered: learner.answered, right: learner.right,
      digits: learner.reads.count, readRight: last.count { $0 }, readOf: last.count,
      adaptedTo: learner.adaptedTo, isAdapting: learner.isAdapting)
  }

  // MARK: On disk

  /// The names of those who practised before, sorted.
  var names: [String] {
    FileTree.names(in: folder).filter(FileName.isFine).sorted()
  }

  /// What is kept of a learner besides drawings and model.
  private struct Kept: Codable {
    var answered: Int
    var right: Int
    var adaptedTo: Int
  }

  private func modelPath(of name: String) -> String { "\(folder)/\(name)/hand.safetensors" }
  private func keptPath(of name: String) -> String { "\(folder)/\(name)/progress.json" }

  private func learner(_ name: String) async throws -> Learner {
    useCount += 1
    if learners[name] != nil {
      learners[name]?.use = useCount
      return learners[name]!
    }
    guard FileName.isFine(name) else {
      throw Problem("expected a name of letters, digits, spaces, - and _, found `\(name)`")
    }
    if learners.count >= Self.mostOpen,
      let oldest = learners.filter({ !$0.value.isAdapting }).min(by: { $0.value.use < $1.value.use }
      )
    {
      // What is known of a learner is on disk.
      learners[oldest.key] = nil
    }
    let recordings = try Recordings(folder: "\(folder)/\(name)")
    let reads = await recordings.all.map { entry in
      entry.recording.attributes["read"] == entry.recording.label.map { .text($0) }
    }
    // Another request may have come first.
    if let learner = learners[name] { return learner }
    var learner = Learner(
      recordings: recordings, recognizer: base, task: Exercise(text: "", answer: 0), level: .digits)
    learner.reads = reads
    if let data = FileManager.default.contents(atPath: keptPath(of: name)),
      let kept = try? JSONDecoder().decode(Kept.self, from: data)
    {
      (learner.answered, learner.right) = (kept.answered, kept.right)
      if let own = try? Recognizer(modelPath: modelPath(of: name)) {
        learner.recognizer = own
        learner.adaptedTo = kept.adaptedTo
      }
    }
    learner.use = useCount
    ask(&learner)
    learners[name] = learner
    return learner
  }

  /// Refuses a learner more than there may be.
  private func makeRoom(for name: String) throws {
    guard
      FileTree.exists("\(folder)/\(name)") || FileTree.names(in: folder).count < Self.mostLearners
    else {
      throw Problem("expected at most \(Self.mostLearners) learners in \(folder), found more")
    }
  }

  private func save(_ learner: Learner, of name: String) throws {
    let kept = Kept(
      answered: learner.answered, right: learner.right, adaptedTo: learner.adaptedTo)
    try FileTree.write(JSONEncoder().encode(kept), to: keptPath(of: name))
  }

  // MARK: Getting used to a hand

  /// Adapts the model to all that `name` wrote so far, and takes the new one where it reads what it did
  /// not learn from no worse.
  private func adapt(_ name: String) async {
    guard let recordings = learners[name]?.recordings, let count = learners[name]?.reads.count
    else {
      return
    }
    let written = await recordings.all.map(\.recording)
    let base = base
    let adapted = try? await onOwnThread { try Self.adapted(base.model, to: written) }
    learners[name]?.isAdapting = false
    guard var learner = learners[name] else { return }
    // Also where the old model is kept: the next try comes with more to learn from.
    learner.adaptedTo = count
    if let model = adapted {
      learner.recognizer = Recognizer(model: model)
      try? FileTree.write(model.encoded(), to: modelPath(of: name))
    }
    learners[name] = learner
    try? save(learner, of: name)
  }

  /// The base model after practice with `written`, or `nil` where it got worse by it.
  static func adapted(_ base: Model, to written: [Recording]) throws -> Model? {
    let examples = written.compactMap { recording in
      recording.label.map { Example(recording, label: $0, origin: "practice") }
    }
    // Every fifth digit only tests.
    let tested = Dataset(
      examples.enumerated().filter { $0.offset % 5 == 4 }.map(\.element), labels: base.labels)
    let own = Dataset(
      examples.enumerated().filter { $0.offset % 5 != 4 }.map(\.element), labels: base.labels)
    guard !own.examples.isEmpty,
      let invented = Rehearsal.invented(labels: base.labels, seed: seed)
    else { return nil }
    var options = TrainingOptions()
    options.epochs = 3
    options.learningRate = 2e-4
    options.schedule = Schedule(.oneCycle)
    options.augmentation = .upright
    options.augmentation.penWidths = 1.6...3.4
    options.seed = seed
    let trainer = try Trainer(
      base.architecture, training: Rehearsal(own, with: invented, seed: seed).dataset,
      validation: nil, rasterizer: base.rasterizer, options: options, startingFrom: base, workers: 1
    )
    let outcome = try trainer.run(provenance: ["adapted_to": "\(own.examples.count) digits"])
    guard case .finished(let model) = outcome else { return nil }
    func right(_ model: Model) throws -> Int {
      try Evaluation(of: Recognizer(model: model), on: tested, workers: 1).accuracy.count
    }
    guard try tested.examples.isEmpty || right(model) >= right(base) else { return nil }
    return model
  }
}
