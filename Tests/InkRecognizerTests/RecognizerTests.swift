import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct RecognizerTests {
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
    #expect(try recognizer.recognize(Bitmap(width: 28, height: 28)).rejection == .tooSmall)
  }

  @Test func aModelOfPictureAndStrokesNeedsStrokes() throws {
    let recognizer = Recognizer(model: try randomFusionModel())
    #expect(try recognizer.recognize(circle(radius: 40)).rejection != .tooSmall)
    for drawing in [Drawing([]), Drawing([Stroke([])]), Drawing([Stroke([Point(5, 5)])])] {
      #expect(try recognizer.recognize(drawing).rejection == .tooSmall)
    }
    #expect {
      try recognizer.recognize(Bitmap(width: 28, height: 28))
    } throws: {
      "\($0)" == "expected drawings, found a picture, which has no strokes"
    }
  }

  /// Whatever a model says, ink without extent is a tap.
  @Test func inkWithoutExtentIsAlwaysTooSmall() throws {
    var model = try Recognizer.released().model
    model.decision.minimumExtent = 0
    let recognizer = Recognizer(model: model)
    #expect(try recognizer.recognize(Drawing([Stroke([Point(5, 5)])])).rejection == .tooSmall)
    #expect(try recognizer.recognize(circle(radius: 1)).rejection != .tooSmall)
  }

  @Test func whatIsNotFiniteIsRefused() throws {
    let drawing = Drawing([Stroke([Point(0, 0), Point(.infinity, 0)])])
    #expect(throws: PreparationError.self) { try Recognizer.released().recognize(drawing) }
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
      minimumProbabilities: ["a": 0.5], minimumMargins: ["a": 0.2], rejectedLabel: "none")
    let ranked = probabilities.map { Recognition.Candidate(label: $0, probability: $1) }
      .sorted { $0.probability > $1.probability }
    #expect(decision.rejection(of: Recognition(ranked: ranked, rejection: nil)) == expected)
  }

  /// A threshold that is reached is passed.
  @Test(
    arguments: [
      (0.5, 0.0, nil), (0.5000001, 0.0, Recognition.Rejection.unrecognised), (0.0, 0.25, nil),
      (0.0, 0.2500001, .ambiguous),
    ] as [(Double, Double, Recognition.Rejection?)])
  func thresholdsAreTheLeastThatPasses(
    probability: Double, margin: Double, expected: Recognition.Rejection?
  ) {
    let decision = Model.Decision(
      minimumProbabilities: ["a": probability], minimumMargins: ["a": margin], rejectedLabel: "none"
    )
    let answer = Recognition(
      ranked: [
        .init(label: "a", probability: 0.5), .init(label: "b", probability: 0.25),
        .init(label: "none", probability: 0.25),
      ], rejection: nil)
    #expect(decision.rejection(of: answer) == expected)
  }

  @Test func oneLabelAloneHasAllTheMargin() {
    let answer = Recognition(ranked: [.init(label: "a", probability: 0.75)], rejection: nil)
    #expect(answer.margin == 0.75)
  }

  @Test(arguments: [(11.999, true), (12, false), (300, false)])
  func aDrawingOfTheLeastExtentIsNoTap(length: Double, isTap: Bool) throws {
    let recognizer = try Recognizer.released()
    #expect(recognizer.model.decision.minimumExtent == 12)
    for drawing in [
      Drawing([Stroke([Point(7, 7), Point(7 + length, 7)])]),
      Drawing([Stroke([Point(7, 7), Point(7, 7 + length)])]),
    ] {
      #expect(try (recognizer.recognize(drawing).rejection == .tooSmall) == isTap)
    }
  }

  /// A higher temperature makes an answer less sure, and changes no order.
  @Test func temperatureCools() throws {
    let model = try Recognizer.released().model
    func top(_ temperature: Double) throws -> Recognition {
      var model = model
      model.decision.temperature = temperature
      return try Recognizer(model: model).recognize(circle(radius: 80))
    }
    let answers = try [0.5, 1, 2, 10].map(top)
    let probabilities = answers.map(\.top.probability)
    #expect(probabilities == probabilities.sorted(by: >) && Set(probabilities).count > 2)
    #expect(Set(answers.map(\.top.label)).count == 1)
  }
}
