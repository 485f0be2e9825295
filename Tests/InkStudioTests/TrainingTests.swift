import Ink
import InkDatasets
import InkNetwork
import InkRecognizer
import TestSupport
import Testing

@testable import InkStudio

@Suite(.timeLimit(.minutes(5))) struct TrainingTests {
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
}
