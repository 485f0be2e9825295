import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkNetwork
import InkRecognizer
import InkTraining
import JSONReading
import SafeFiles

/// The digit game: it asks for a digit or a sum, reads the answer, and adapts to the handwriting.
actor Practice {
  /// The kind of the tasks.
  enum Level: String, Codable, CaseIterable, Sendable {
    case digits
    case sumsToTen
    case sumsToTwenty

    /// The name on the page.
    var title: String {
      switch self {
      case .digits: "digits"
      case .sumsToTen: "sums to 10"
      case .sumsToTwenty: "sums to 20"
      }
    }

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

  /// A task for the page, without its answer.
  struct ShownTask: Encodable, Equatable, Sendable {
    var id: String
    var text: String
  }

  /// The current task and the progress of a learner.
  struct Standing: Encodable, Sendable {
    var task: ShownTask
    /// The number of answered tasks, and of correct answers.
    var answered: Int
    var right: Int
    /// The number of labelled digits, and how many of the last twenty were read correctly.
    var digits: Int
    var readRight: Int
    var readOf: Int
    /// The number of digits to which the model is adapted.
    var adaptedTo: Int
    var isAdapting: Bool
  }

  /// The reading of an answer.
  struct Answer: Encodable, Sendable {
    /// The id that a confirmation names.
    var id: String
    var text: String
    var probability: Double
    var isSure: Bool
    var isRight: Bool
    /// The next task; `nil` if the learner has to confirm what was written.
    var standing: Standing?
  }

  /// The result of a confirmed answer.
  struct Confirmation: Encodable, Sendable {
    var isRight: Bool
    /// Whether the digits were stored for adaptation.
    var isLearnt: Bool
    /// Whether the drawing certainly shows another number than the one confirmed.
    var isDoubted: Bool
    /// The correct answer of the task.
    var solution: String
    var standing: Standing
  }

  /// A task without an answer.
  private struct Question {
    var id: String
    var level: Level
    var exercise: Exercise
  }

  /// The answer to a question, and its reading.
  private struct Given {
    var id: String
    var question: Question
    var reading: DigitReader.Reading
    /// The confirmation; a repeated request gets the same one.
    var settling: Task<Confirmation, any Error>?
  }

  private struct Learner {
    var recordings: Recordings
    var recognizer: Recognizer
    /// One question for each page that shows a task, and some of closed pages.
    var questions: [Question] = []
    var answers: [Given] = []
    var answered = 0
    var right = 0
    /// For each digit in order, whether it was read correctly.
    var reads: [Bool] = []
    var adaptedTo = 0
    var isAdapting = false
    /// The number of the last request.
    var use = 0
  }

  private let folder: String
  private let base: Recognizer
  private var learners: [String: Learner] = [:]
  private var useCount = 0
  /// The maximum number of learners in memory.
  private static let maximumOpen = 100
  private static let maximumLearners = 1000
  /// The maximum number of questions and answers of a learner; the oldest are dropped.
  private static let maximumQuestions = 50
  /// The number of new digits after which the model adapts again.
  static let adaptsEvery = 10
  private static let seed: UInt64 = 1

  /// The path of the model with which all learners start.
  static var modelPath: String {
    get throws(ModelError) { try ModuleResources.studio.path(of: "digits.safetensors") }
  }

  /// Creates the game.
  ///
  /// - Throws: `ModelError` if the model for digits is missing or damaged.
  init(folder: String) throws {
    self.folder = folder
    base = try Recognizer(modelPath: Self.modelPath)
  }

  /// Returns the progress of `name` with a task of `level`: that with the id `question` if it is open,
  /// otherwise a new one.
  func standing(of name: String, level: Level, question: String? = nil) async throws -> Standing {
    var learner = try await learner(name)
    if let open = learner.questions.first(where: { $0.id == question && $0.level == level }) {
      return Self.standing(learner, with: open)
    }
    let next = Self.ask(&learner, level, after: nil)
    learners[name] = learner
    return Self.standing(learner, with: next)
  }

  /// Reads the answer of `name` to a question; if it is correct, the result includes the next task.
  func answer(_ name: String, to question: String, _ drawing: Drawing) async throws -> Answer {
    var learner = try await learner(name)
    guard let question = learner.questions.first(where: { $0.id == question }) else {
      throw StudioError("This task is closed. Continue with the next one.", .conflict)
    }
    guard !drawing.isTap,
      let reading = try DigitReader(recognizer: learner.recognizer).read(drawing)
    else {
      throw StudioError("Nothing was written. Write one or two digits.", .unprocessableContent)
    }
    let given = Given(id: UUID().uuidString, question: question, reading: reading)
    learner.answers.append(given)
    if learner.answers.count > Self.maximumQuestions { learner.answers.removeFirst() }
    learners[name] = learner
    let isRight = Int(reading.text) == question.exercise.answer
    var answer = Answer(
      id: given.id, text: reading.text, probability: reading.probability,
      isSure: reading.isSure, isRight: isRight)
    if isRight {
      // An uncertain reading is counted, but not learnt.
      answer.standing = try await confirm(
        name, given.id, reading.text, learns: reading.isSure
      ).standing
    }
    return answer
  }

  /// Confirms that `name` wrote `text`, stores the digits, and returns the next task.
  ///
  /// A confirmation that failed can be repeated. Repeating one that succeeded gives the same result.
  func confirm(
    _ name: String, _ answer: String, _ text: String, learns: Bool = true
  ) async throws -> Confirmation {
    guard (1...2).contains(text.count), text.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw StudioError("`\(text.prefix(20))` is not a number. Type one or two digits.")
    }
    guard let given = try await learner(name).answers.first(where: { $0.id == answer }) else {
      throw StudioError("The studio does not have this answer any more. Write it again.", .conflict)
    }
    let settling =
      given.settling
      ?? Task { try await self.settle(name, given, text, learns: learns) }
    remember(settling, name, answer)
    do { return try await settling.value } catch {
      remember(nil, name, answer)
      throw error
    }
  }

  private func remember(
    _ settling: Task<Confirmation, any Error>?, _ name: String, _ answer: String
  ) {
    guard let index = learners[name]?.answers.firstIndex(where: { $0.id == answer }) else { return }
    learners[name]?.answers[index].settling = settling
  }

  private func settle(
    _ name: String, _ given: Given, _ text: String, learns: Bool
  ) async throws -> Confirmation {
    var learner = try await learner(name)
    let (reading, question) = (given.reading, given.question)
    // Only one answer to a question counts.
    guard learner.questions.contains(where: { $0.id == question.id }) else {
      throw StudioError("This task is closed. Continue with the next one.", .conflict)
    }
    try makeRoom(for: name)
    // Close the question before the answer is written to disk, because another answer may arrive.
    learners[name]?.questions.removeAll { $0.id == question.id }
    let isConsistent = reading.isConsistent(with: text)
    let isDoubted = reading.isSure && !isConsistent
    let isRight = !isDoubted && Int(text) == question.exercise.answer
    let isLearnt = learns && isConsistent
    let labels = text.map(String.init)
    if isLearnt {
      do {
        try await learner.recordings.add(
          zip(reading.digits, labels).map { digit, label in
            Recording(
              digit.drawing.startingAtZero, label: label, writer: name,
              attributes: ["read": .text(digit.label), "task": .text(question.exercise.text)])
          })
      } catch {
        learners[name]?.questions.append(question)
        throw error
      }
    }
    learner = learners[name] ?? learner
    if isLearnt { learner.reads += zip(reading.digits, labels).map { $0.label == $1 } }
    learner.answered += 1
    learner.right += isRight ? 1 : 0
    let next = Self.ask(&learner, question.level, after: question.exercise)
    let isDue = learner.reads.count - learner.adaptedTo >= Self.adaptsEvery && !learner.isAdapting
    learner.isAdapting = learner.isAdapting || isDue
    learners[name] = learner
    // If the counts cannot be saved, the digits are safe, and the next answer saves the counts.
    try? save(learner, of: name)
    if isDue { Task { await adapt(name) } }
    return Confirmation(
      isRight: isRight, isLearnt: isLearnt, isDoubted: isDoubted,
      solution: String(question.exercise.answer), standing: Self.standing(learner, with: next))
  }

  /// Opens a question that differs from `before`.
  private static func ask(
    _ learner: inout Learner, _ level: Level, after before: Exercise?
  ) -> Question {
    var generator = SystemRandomNumberGenerator()
    var exercise: Exercise
    repeat { exercise = level.task(using: &generator) } while exercise == before
    let question = Question(id: UUID().uuidString, level: level, exercise: exercise)
    learner.questions.append(question)
    if learner.questions.count > maximumQuestions { learner.questions.removeFirst() }
    return question
  }

  private static func standing(_ learner: Learner, with question: Question) -> Standing {
    let last = learner.reads.suffix(20)
    return Standing(
      task: ShownTask(id: question.id, text: question.exercise.text), answered: learner.answered,
      right: learner.right,
      digits: learner.reads.count, readRight: last.count { $0 }, readOf: last.count,
      adaptedTo: learner.adaptedTo, isAdapting: learner.isAdapting)
  }

  // MARK: On disk

  /// The names of all learners, sorted.
  var names: [String] {
    FileTree.names(in: folder).filter(FileName.isValid).sorted()
  }

  /// The counts of a learner on disk.
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
    try FileName.check(name, of: "learner")
    if learners.count >= Self.maximumOpen,
      let oldest = learners.filter({ !$0.value.isAdapting }).min(by: { $0.value.use < $1.value.use }
      )
    {
      // All data of a learner are on disk.
      learners[oldest.key] = nil
    }
    let recordings = try Recordings(folder: "\(folder)/\(name)")
    let reads = await recordings.all.map { entry in
      entry.recording.attributes["read"] == entry.recording.label.map { .text($0) }
    }
    // Another request may have opened the learner meanwhile.
    if let learner = learners[name] { return learner }
    var learner = Learner(recordings: recordings, recognizer: base)
    learner.reads = reads
    if let data = FileManager.default.contents(atPath: keptPath(of: name)),
      let kept = try? Kept(strictJSON: data, name: keptPath(of: name))
    {
      (learner.answered, learner.right) = (kept.answered, kept.right)
      if let own = try? Recognizer(modelPath: modelPath(of: name)) {
        learner.recognizer = own
        learner.adaptedTo = kept.adaptedTo
      }
    }
    learner.use = useCount
    learners[name] = learner
    return learner
  }

  /// Throws if there are too many learners.
  private func makeRoom(for name: String) throws {
    guard
      FileTree.exists("\(folder)/\(name)")
        || FileTree.names(in: folder).count < Self.maximumLearners
    else {
      throw StudioError(
        "\(folder) has \(Self.maximumLearners) learners, the maximum. Move some of them to another folder.",
        .conflict)
    }
  }

  private func save(_ learner: Learner, of name: String) throws {
    let kept = Kept(
      answered: learner.answered, right: learner.right, adaptedTo: learner.adaptedTo)
    try FileTree.write(JSONEncoder().encode(kept), to: keptPath(of: name))
  }

  // MARK: Adaptation

  /// Adapts the model to all digits of `name`; keeps the old model if the new one is worse on test digits.
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
    // If the old model is kept, the next adaptation has more digits.
    learner.adaptedTo = count
    if let model = adapted {
      learner.recognizer = Recognizer(model: model)
      try? FileTree.write(model.encoded(), to: modelPath(of: name))
    }
    learners[name] = learner
    try? save(learner, of: name)
  }

  /// Returns the base model adapted to `written`, or `nil` if it is worse on test digits.
  static func adapted(_ base: Model, to written: [Recording]) throws -> Model? {
    let examples = written.compactMap { recording in
      recording.label.map { Example(recording, label: $0, origin: "practice") }
    }
    // Every fifth digit is a test digit.
    let tested = Dataset(
      examples.enumerated().filter { $0.offset % 5 == 4 }.map(\.element), labels: base.labels)
    let own = Dataset(
      examples.enumerated().filter { $0.offset % 5 != 4 }.map(\.element), labels: base.labels)
    guard !own.examples.isEmpty,
      let synthetic = ExperienceReplay.synthetic(labels: base.labels, seed: seed)
    else { return nil }
    var options = TrainingOptions()
    options.epochs = 3
    options.learningRate = 2e-4
    options.schedule = Schedule(.oneCycle)
    options.augmentation = .upright
    options.augmentation.penWidths = 1.6...3.4
    options.seed = seed
    let trainer = try Trainer(
      base.architecture, training: ExperienceReplay(own, with: synthetic, seed: seed).dataset,
      validation: nil, preprocessing: base.preprocessing, options: options,
      startingFrom: base, workers: 1
    )
    let outcome = try trainer.run(provenance: [
      "adapted_to": "\(own.examples.count) digits", "version": Version.current,
    ])
    guard case .finished(let model) = outcome else { return nil }
    func right(_ model: Model) throws -> Int {
      try Evaluation(of: Recognizer(model: model), on: tested, workers: 1).accuracy.count
    }
    guard try tested.examples.isEmpty || right(model) >= right(base) else { return nil }
    return model
  }
}
