import Ink
import InkDatasets
import InkNetwork
import InkRecognizer
import InkSeries
import TestSupport
import Testing

@testable import InkStudio

@Suite(.timeLimit(.minutes(30))) struct TrainingTests {
  private func recordings(writers: Int, perClass: Int) -> [Recording] {
    Synthesizer(seed: 8).recordings(writers: writers, perClass: perClass)
  }

  @Test func nobodysDrawingsAreLearntFromAndTestedWith() throws {
    let several = try Training.parts(of: recordings(writers: 5, perClass: 4), for: nil)
    #expect(several.isByWriter)
    let hands = { (dataset: Dataset) in Set(dataset.examples.compactMap(\.hand)) }
    #expect(hands(several.learnt).isDisjoint(with: hands(several.tested)))
    let twice = recordings(writers: 1, perClass: 10)
    let once = try Training.parts(of: twice + twice, for: nil)
    #expect(once.learnt.examples.count + once.tested.examples.count == 40)
    let alone = try Training.parts(of: recordings(writers: 1, perClass: 10), for: nil)
    #expect(!alone.isByWriter)
    #expect(alone.tested.examples.count == 8 && alone.learnt.examples.count == 32)
    #expect(Set(alone.tested.examples.map(\.label)).count == 4)
  }

  @Test func whatDoesNotSufficeIsSaid() throws {
    let released = try Recognizer.released().model
    let own = Recording(Drawing([]), label: "house")
    for (recordings, base, words) in [
      ([own], released, "`house`"), ([], released, "needs 5 recordings. There are 0. Record more."),
      ([], nil, "recordings of two classes. There are 0. Record more."),
      (recordings(writers: 1, perClass: 4), nil, "There are 4 of cycle."),
    ] as [([Recording], Model?, String)] {
      let problem = #expect(throws: StudioError.self) {
        try Training.parts(of: recordings, for: base)
      }
      #expect(problem?.description.contains(words) ?? false)
    }
  }

  @Test func strokesOverTimeTrainAModelThatRecognises() async throws {
    let folder = try TemporaryFolder()
    let models = try Models(folder: folder.path, using: nil)
    let training = Training(models: models)
    let ink = recordings(writers: 3, perClass: 8)
    func finish() async throws {
      for try await status in training.progress() where status.phase != .running { break }
      #expect(training.status.phase == .finished, "\(training.status.problem ?? "")")
    }
    try training.begin(.init(network: "gesture", epochs: 12, name: "strokes"), on: ink)
    try await finish()
    let model = try models.model(named: "strokes")
    #expect(model.architecture.name == "gesture" && model.rasterizer == nil)
    #expect(training.status.report?.text.contains("accuracy") ?? false)
    try models.use("strokes")
    let answers = ink.map { models.recognition(of: $0.drawing)?.ranked.first?.label }
    let right = zip(answers, ink).count { $0 == $1.label }
    #expect(right > ink.count / 2, "\(right) of \(ink.count)")
    // The same strokes backwards are another series, but the same picture.
    let other = try #require(ink.first { $0.label == "transition" }).drawing
    let backwards = Drawing(other.strokes.reversed().map { Stroke($0.points.reversed()) })
    #expect(models.recognition(of: other)?.ranked != models.recognition(of: backwards)?.ranked)
    // It can be adapted, and keeps its network.
    try training.begin(.init(base: "strokes", epochs: 1, name: "adapted"), on: ink)
    try await finish()
    #expect(try models.model(named: "adapted").architecture == model.architecture)
  }

  @Test func aNetworkThatIsNotOfferedIsRefused() throws {
    let folder = try TemporaryFolder()
    let training = Training(models: try Models(folder: folder.path, using: nil))
    let ink = recordings(writers: 3, perClass: 5)
    for (request, words) in [
      (.init(network: "house", epochs: 1, name: "a"), "no network `house`. Choose `drawing` or"),
      (.init(base: "released", network: "gesture", epochs: 1, name: "a"), "keeps its network"),
    ] as [(Training.Request, String)] {
      let problem = #expect(throws: StudioError.self) { try training.begin(request, on: ink) }
      #expect(problem?.description.contains(words) ?? false)
    }
    #expect(training.status.phase == .idle)
  }

  @Test func aModelOfSensorsIsNoStartForDrawings() throws {
    let ink = recordings(writers: 1, perClass: 6)
    let preparation = try SeriesPreparation(channels: ["x"])
    let labels = Set(ink.compactMap(\.label)).sorted()
    let architecture = try #require(
      try Architecture.named("gesture", classCount: labels.count, channels: 1, shortest: 8))
    let model = try Model(
      network: randomNetwork(architecture), labels: labels,
      preprocessing: [.series(preparation, window: nil)])
    let problem = #expect(throws: StudioError.self) { try Training.parts(of: ink, for: model) }
    #expect(problem?.description.contains("reads recordings of sensors") ?? false)
  }

  @Test func classesAreLeftOutAndNamesAreNotReplaced() async throws {
    let folder = try TemporaryFolder()
    let models = try Models(folder: folder.path, using: nil)
    let training = Training(models: models)
    let ink = recordings(writers: 3, perClass: 5)
    let labels = Set(ink.compactMap(\.label)).sorted()
    try training.begin(.init(epochs: 1, name: "few (2.1)", skip: [labels[0]]), on: ink)
    for try await status in training.progress() where status.phase != .running { break }
    #expect(try models.model(named: "few (2.1)").labels.sorted() == Array(labels.dropFirst()))
    let taken = #expect(throws: NameProblem.self) {
      try training.begin(.init(epochs: 1, name: "Few (2.1)"), on: ink)
    }
    #expect(taken?.freeName == "Few (2.1) 2")
    #expect(throws: StudioError.self) {
      try training.begin(.init(epochs: 1, name: "none", skip: labels), on: ink)
    }
  }

  @Test func aTrainingEndsWithAModelOrIsCancelled() async throws {
    let folder = try TemporaryFolder()
    let models = try Models(folder: folder.path, using: nil)
    let training = Training(models: models)
    let ink = recordings(writers: 3, perClass: 5)
    try training.begin(.init(base: nil, epochs: 2, name: "fresh"), on: ink)
    #expect(throws: StudioError.self) {
      try training.begin(.init(base: nil, epochs: 2, name: "second"), on: ink)
    }
    var history: [Int] = []
    for try await status in training.progress() {
      history.append(status.history.count)
      if status.phase != .running { break }
    }
    #expect(training.status.phase == .finished && training.status.history.count == 2)
    #expect(history == history.sorted() && models.all.map(\.name).contains("fresh"))
    #expect(training.status.report?.text.contains("accuracy") ?? false)

    try training.begin(.init(base: nil, epochs: 1000, name: "long"), on: ink)
    training.cancel()
    for try await status in training.progress() where status.phase != .running { break }
    #expect(training.status.phase == .cancelled)
    #expect(!models.all.map(\.name).contains("long"))
  }

  @Test(arguments: [
    (0, 0, 1.0, "Both models make the same mistakes"),
    (9, 1, 22.0 / 1024, "The new model is better"),
    (1, 9, 22.0 / 1024, "The new model is worse"), (2, 1, 1.0, "No clear difference"),
    (2000, 2000, 1.0, "No clear difference"),
  ])
  func aNewModelIsComparedWithTheOldOne(
    corrected: Int, added: Int, probability: Double, start: String
  ) {
    let verdict = SignTest(corrected: corrected, added: added, shared: 1)
    #expect(abs(verdict.probability - probability) < 1e-9)
    #expect(verdict.description.hasPrefix(start))
    let perfect = SignTest(corrected: 0, added: 0, shared: 0)
    #expect(perfect.description == "Neither model makes a mistake on the test drawings.")
  }
}
