import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import Testing
import TestSupport

@Suite struct RecognizerTests {
  @Test func theReleasedModelKnowsTheEditorsSigns() throws {
    let recognizer = try Recognizer.released()
    #expect(Set(recognizer.model.labels) == ["state", "transition", "cycle", "other"])
    // Recordings of a seed that nothing was trained on.
    var right = 0
    for label in Synthesizer.Repertoire.automata.labels {
      for writer in 0..<25 {
        let drawing = Synthesizer(seed: 987_654)
          .recording(label: label, writer: writer, index: 0).drawing
        let answer = try recognizer.recognize(drawing)
        let accepted = answer.rejection == nil ? answer.top.label : "other"
        if accepted == label { right += 1 }
      }
    }
    #expect(right >= 90)
  }

  @Test func tapsAndNothingAreTooSmall() throws {
    let recognizer = try Recognizer.released()
    for drawing in [
      Drawing([]), Drawing([Stroke([Point(5, 5)])]), Drawing([Stroke([Point(5, 5), Point(8, 6)])]),
    ] {
      #expect(try recognizer.recognize(drawing).rejection == .tooSmall)
    }
    #expect(recognizer.recognize(Bitmap(width: 28, height: 28)).rejection == .tooSmall)
  }

  @Test func whatIsNotFiniteIsRefused() throws {
    let drawing = Drawing([Stroke([Point(0, 0), Point(.infinity, 0)])])
    #expect(throws: RasterError.self) { try Recognizer.released().recognize(drawing) }
  }

  @Test func probabilitiesAreRankedAndSumToOne() throws {
    let answer = try Recognizer.released().recognize(circle(radius: 80))
    #expect(answer.ranked.map(\.probability) == answer.ranked.map(\.probability).sorted(by: >))
    #expect(abs(answer.ranked.reduce(0) { $0 + $1.probability } - 1) < 1e-9)
  }

  @Test(
    arguments: [
      (["a": 0.9, "b": 0.1], nil),
      (["a": 0.55, "b": 0.45], Recognition.Rejection.ambiguous),
      (["a": 0.55, "none": 0.45], .unrecognised),
      (["a": 0.45, "b": 0.2, "c": 0.2, "none": 0.15], .unrecognised),
      // Thresholds of one label say nothing of another.
      (["b": 0.4, "a": 0.35, "none": 0.25], nil),
      (["none": 0.95, "a": 0.05], .unrecognised),
    ] as [([String: Double], Recognition.Rejection?)])
  func decisionsGiveTheirReason(
    probabilities: [String: Double], expected: Recognition.Rejection?
  ) {
    let decision = Model.Decision(
      leastProbabilities: ["a": 0.5], leastMargins: ["a": 0.2], rejectedLabel: "none")
    let ranked = probabilities.map { Recognition.Candidate(label: $0, probability: $1) }
      .sorted { $0.probability > $1.probability }
    #expect(decision.rejection(of: Recognition(ranked: ranked, rejection: nil)) == expected)
  }
}
