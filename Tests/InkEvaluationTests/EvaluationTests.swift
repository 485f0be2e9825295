import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import SeededRandom
import Testing
import TestSupport

@testable import InkEvaluation
@testable import InkTraining

@Suite(.timeLimit(.minutes(30))) struct EvaluationTests {
  /// Answers whose numbers can be worked out by hand.
  private func evaluation() -> Evaluation {
    let truth = ["a", "a", "a", "a", "b", "b", "b", "other"]
    let answers = ["a", "a", "a", "b", "b", "b", "other", "other"]
    let sure = [0.9, 0.9, 0.6, 0.6, 0.9, 0.9, 0.9, 0.9]
    let labels = ["a", "b", "other"]
    let examples = truth.enumerated().map {
      Example(.drawing(circle(radius: 40)), label: $1, origin: "example \($0)")
    }
    let recognitions = zip(answers, sure).map { label, probability -> Recognition in
      let rest = labels.filter { $0 != label }
      return Recognition(
        ranked: [
          .init(label: label, probability: probability),
          .init(label: rest[0], probability: 1 - probability),
          .init(label: rest[1], probability: 0),
        ], rejection: label == "other" ? .unrecognised : nil)
    }
    return Evaluation(
      recognitions, dataset: Dataset(examples, labels: labels),
      classes: truth.map { labels.firstIndex(of: $0)! }, decision: .init(rejectedLabel: "other"))
  }

  /// 1.015 is stored as 1.01499999999999990…, and 0.125 exactly.
  @Test func decimalsAreRoundedFromTheStoredValue() {
    #expect(
      [1.015, 2.675, 0.125, -0.0004, 35].map { $0.fixed(2) } == [
        "1.01", "2.67", "0.12", "-0.00", "35.00",
      ])
  }

  @Test func numbersAreThoseWorkedOutByHand() {
    let result = evaluation()
    #expect(result.confusion == [[3, 1, 0], [0, 2, 1], [0, 0, 1]])
    #expect(result.accuracy.count == 6 && result.accuracy.total == 8)
    let precisions: [Double] = [1, 2 / 3.0, 0.5]
    let recalls: [Double] = [0.75, 2 / 3.0, 1]
    #expect(result.classes.map(\.precision.value) == precisions)
    #expect(result.classes.map(\.recall.value) == recalls)
    #expect(abs(result.meanRecall - (0.75 + 2 / 3.0 + 1) / 3) < 1e-12)
    #expect(result.worstClass?.label == "b")
    #expect(abs(result.classes[0].f1 - 6 / 7.0) < 1e-12)
    // 2 · 3 / (4 + 3), 2 · 2 / (3 + 3) and 2 · 1 / (1 + 2)
    #expect(abs(result.meanF1 - (6 / 7.0 + 2 / 3.0 + 2 / 3.0) / 3) < 1e-12)
    #expect(result.rejected.count == 2)
    #expect(result.classes.map(\.rejected.count) == [0, 1, 1])
    // Bin of 0.9: six answers, five right; bin of 0.6: two answers, one right.
    #expect(abs(result.reliability.expectedError - (abs(5.4 - 5) + abs(1.2 - 1)) / 8) < 1e-12)
    let likelihood = -(5 * log(0.9) + log(0.6) + log(0.4) + log(1e-30)) / 8
    #expect(abs(result.negativeLogLikelihood - likelihood) < 1e-9)
    #expect(result.errors.map(\.index) == [6, 3])
    #expect(result.decisions == [[3, 1, 0, 0], [0, 2, 0, 1], [0, 0, 0, 1]])
  }

  /// Answers about the label `good` with these probabilities, the rest being `other`.
  private func answers(_ good: [Double]) -> [Recognition] {
    good.map { probability in
      let ranked = [
        Recognition.Candidate(label: "good", probability: probability),
        .init(label: "other", probability: 1 - probability),
      ]
      return Recognition(ranked: ranked.sorted { $0.probability > $1.probability }, rejection: nil)
    }
  }

  @Test func theAreaUnderTheRejectionCurveCountsPairs() throws {
    // Good: 0.9, 0.8, 0.4; others: 0.8, 0.3. Of six pairs four are in order and one is a tie.
    let curve = try #require(
      RejectionCurve(
        answers([0.9, 0.8, 0.4, 0.8, 0.3]), labels: ["good", "good", "good", "other", "other"],
        rejected: "other"))
    #expect(abs(curve.area - 4.5 / 6) < 1e-12)
    for threshold in curve.thresholds {
      let refused = [0.9, 0.8, 0.4].count { $0 < threshold.score }
      let accepted = [0.8, 0.3].count { $0 >= threshold.score }
      #expect(threshold.falseRejectionRate == Double(refused) / 3)
      #expect(threshold.falseAcceptanceRate == Double(accepted) / 2)
    }
    #expect(
      curve.thresholds.first?.falseAcceptanceRate == 1
        && curve.thresholds.last?.falseRejectionRate == 1)
    #expect(RejectionCurve(answers([0.9]), labels: ["good"], rejected: "other") == nil)
  }

  @Test(arguments: [0.5, 1, 3.0]) func aTemperatureCanBeTakenBack(temperature: Double) {
    let logits: [Float] = [2, -1, 0.5]
    func recognition(_ temperature: Double) -> Recognition {
      let probabilities = softmax(logits, temperature: temperature)
      return Recognition(
        ranked: [0, 2, 1].map { .init(label: "\($0)", probability: probabilities[$0]) },
        rejection: nil)
    }
    let back = recognition(temperature).scalingLogits(by: temperature)
    for (a, b) in zip(back.ranked, recognition(1).ranked) {
      #expect(abs(a.probability - b.probability) < 1e-6)
    }
  }

  @Test(arguments: [
    // Worked out in Python from Wilson's formula.
    (0, 10, 0.0, 0.2775328), (5, 10, 0.2365931, 0.7634069), (197, 200, 0.9568343, 0.9948858),
    (10, 10, 0.7224672, 1),
  ])
  func theIntervalIsWilsons(count: Int, total: Int, low: Double, high: Double) {
    let share = Share(count, of: total)
    #expect(abs(share.low - low) < 1e-6 && abs(share.high - high) < 1e-6)
  }

  @Test func nothingIsAShareOfNothing() {
    #expect(Share(0, of: 0).low == 0 && Share(0, of: 0).high == 1)
  }

  private var model: Model {
    get throws {
      let architecture = try Architecture.drawing(classCount: 4)
      let weights = try TrainingNetwork(architecture, maximumExamples: 1, workers: 1, seed: 1)
        .weights
      return try Model(
        network: TrainedNetwork(architecture, weights: weights),
        labels: Synthesizer.Repertoire.automata.labels, preprocessing: [.raster(.standard)],
        decision: .init(minimumExtent: 12, rejectedLabel: "other"))
    }
  }

  @Test func tapsAreAnsweredWithWhatIsRefused() throws {
    let tap = Example(.drawing(circle(radius: 2)), label: "other", origin: "")
    let result = try Evaluation(
      of: Recognizer(model: model), on: Dataset([tap]), workers: 1)
    #expect(result.accuracy.count == 1 && result.rejected.count == 1)
  }

  @Test func labelsOfAnotherModelAreNamed() throws {
    let strange = Example(.drawing(circle(radius: 40)), label: "hexagon", origin: "here")
    #expect {
      try Evaluation(of: Recognizer(model: model), on: Dataset([strange]), workers: 1)
    } throws: {
      "\($0)" == "here: expected labels of the model, cycle, other, state, transition, "
        + "found `hexagon`"
    }
  }

  @Test func theReportSaysWhatItIsMadeOf() throws {
    let result = evaluation()
    let report = EvaluationReport(
      model: "m<1>", data: "d", part: "test", evaluation: result, disturbed: nil)
    #expect(report.text.contains("data  d (split: test)"))
    // What counts most comes first.
    #expect(
      report.text.contains(
        """
        data  d (split: test)

        mean recall  80.56 % over 3 classes
        worst class  b: recall 66.67 % (20.77–93.85), 2 of 3
        accuracy     75.00 % (40.93–92.85), 6 of 8
        """))
    let examples = Dataset(
      (0..<8).map { Example(.drawing(circle(radius: 40)), label: "a", origin: "example \($0)") })
    let page = try report.html(examples: examples, rasterizer: .standard)
    #expect(page.contains("m&lt;1&gt;") && page.contains("split: <b>test</b>"))
    let places = [
      "mean recall<td><b>80.56 %", "worst class<td><b>b: recall", "accuracy<td><b>75.00 %",
    ]
    .map { page.range(of: $0)?.lowerBound }
    #expect(places.allSatisfy { $0 != nil } && places[0]! < places[1]! && places[1]! < places[2]!)
    let json = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any])
    let numbers = try #require(json["evaluation"] as? [String: Any])
    #expect(Set(numbers.keys).isSuperset(of: ["meanRecall", "worstClass", "accuracy", "classes"]))
    #expect((numbers["worstClass"] as? [String: Any])?["label"] as? String == "b")
    #expect(page.components(separatedBy: "data:image/png;base64,").count == 3)
    #expect(!page.contains("http"))
    let decoded = try JSONDecoder().decode(
      EvaluationReport.self, from: JSONEncoder().encode(report))
    #expect(decoded.evaluation == result)
  }

  @Test func crossValidationTestsEveryExampleOnce() throws {
    let data = Dataset(
      Synthesizer(seed: 1).recordings(writers: 6, perClass: 5).map {
        Example($0, label: $0.label!, origin: "")
      })
    var recipe = TrainingRecipe()
    recipe.epochs = 1
    var heard: [TrainingOptions] = []
    let result = try CrossValidation(
      data, folds: 3, seeds: [1, 2], recipe: recipe,
      perturbation: .turned(shrunkTo: 0.72, seed: 1), workers: 4,
      network: { try NetworkChoice(named: "drawing", for: $0)! },
      onOptions: { heard.append($0) })
    // Chosen for the training part, which is too small for the batches that all examples would get.
    let network = try Architecture.drawing(classCount: data.labels.count)
    let all = recipe.options(for: data, network: network, hasValidation: false)
    #expect(heard.count == 1 && heard[0].batchSize == 8 && all.batchSize == 16)
    #expect(result.runs.count == 6)
    for seed in [1, 2] as [UInt64] {
      let total = result.runs.filter { $0.seed == seed }.reduce(0) {
        $0 + $1.evaluation.accuracy.total
      }
      #expect(total == data.examples.count)
    }
    let values = result.runs.map(\.evaluation.accuracy.value)
    #expect(abs(result.accuracy.mean - values.reduce(0, +) / 6) < 1e-12)
    #expect(result.disturbedAccuracy != nil)
  }

  @Test func beingTooUnsureIsAnErrorAsWell() {
    var reliability = Reliability([], labels: [])
    #expect(reliability.expectedError == 0)
    reliability.bins = [
      .init(count: 3, probability: 0.5, accuracy: 1),
      .init(count: 1, probability: 0.9, accuracy: 0.5),
    ]
    #expect(abs(reliability.expectedError - (3 * 0.5 + 0.4) / 4) < 1e-12)
  }

  /// Labels that nothing in the pictures tells can be learnt by heart only.
  @Test func crossValidationTestsWhatWasNotLearnt() throws {
    var generator = SeededGenerator(seed: 5, stream: 1)
    let data = Dataset(
      (0..<40).map { index in
        let pixels = (0..<28 * 28).map { _ in UInt8(generator.index(below: 256)) }
        return Example(
          .bitmap(Bitmap(width: 28, height: 28, pixels: pixels)), label: ["a", "b"][index % 2],
          origin: "\(index)")
      })
    var recipe = TrainingRecipe()
    (recipe.epochs, recipe.augmentation) = (40, Augmentation.none)
    let result = try CrossValidation(
      data, folds: 2, seeds: [1], recipe: recipe, perturbation: nil,
      workers: 2,
      network: { try NetworkChoice(named: "drawing", for: $0)! })
    #expect(result.accuracy.mean < 0.8)
  }

  /// Programs read reports by these keys.
  @Test func theKeysOfReportsStay() throws {
    func keys(_ value: some Encodable) throws -> Set<String> {
      let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value))
      return Set(try #require(object as? [String: Any]).keys)
    }
    let none = Share(0, of: 0)
    #expect(
      try keys(RejectionCurve.Threshold(score: 0, falseRejectionRate: 0, falseAcceptanceRate: 0))
        == ["score", "goodRefused", "junkAccepted"])
    #expect(
      try keys(
        Evaluation.ClassReport(
          label: "a", support: 0, precision: none, recall: none, f1: 0, rejected: none))
        == ["label", "support", "precision", "recall", "f1", "refused"])
  }

  @Test func theLearningCurveIsATableAndAPicture() {
    let curve = LearningCurve([
      EpochRecord(epoch: 1, learningRate: 0.001, trainingLoss: 1.5, trainingAccuracy: 0.5),
      EpochRecord(
        epoch: 2, learningRate: 0.001, trainingLoss: 0.5, trainingAccuracy: 0.75,
        validationLoss: 0.6, validationAccuracy: 0.7),
    ])
    #expect(
      curve.csv == """
        epoch,learning_rate,training_loss,training_accuracy,validation_loss,validation_accuracy
        1,0.001,1.5,0.5,,
        2,0.001,0.5,0.75,0.6,0.7

        """)
    #expect(
      curve.svg.hasPrefix("<svg") && curve.svg.components(separatedBy: "<polyline").count == 5)
    // The first line is the training loss: it falls, from the left edge at the top to the right one.
    let lines = curve.svg.components(separatedBy: "points=\"").dropFirst().map {
      $0.prefix { $0 != "\"" }.split(separator: " ")
    }
    #expect(lines[0] == ["60.0,40.0", "380.0,200.0"])
    // The third is the accuracy while training: it rises.
    #expect(lines[2] == ["500.0,280.0", "820.0,160.0"])
  }

  /// Rings, lines and zigzags of many sizes by two writers.
  private func drawings() -> Dataset {
    let synthesizer = Synthesizer(seed: 3)
    return Dataset(
      (0..<240).map { index in
        let recording = synthesizer.recording(
          label: Synthesizer.Repertoire.automata.labels[index % 4], writer: index % 2, index: index)
        return Example(recording, label: recording.label!, origin: "\(index)")
      })
  }

  @Test func calibrationRefusesNoMoreThanItMay() throws {
    let model = try model
    let data = drawings()
    let calibration = try Calibration(of: model, on: data, falseRejections: 0.1, workers: 2)
    var calibrated = model
    calibrated.decision = calibration.decision
    let before = try Evaluation(of: Recognizer(model: model), on: data, workers: 2)
    let after = try Evaluation(of: Recognizer(model: calibrated), on: data, workers: 2)
    #expect(after.negativeLogLikelihood <= before.negativeLogLikelihood + 1e-6)
    #expect(after.confusion == before.confusion)
    for (index, report) in after.classes.enumerated() where report.label != "other" {
      let row = before.confusion[index]
      let missing = row[after.labels.firstIndex(of: "other")!]
      // What is taken for another label meets that label's thresholds.
      let confused = report.support - missing - row[index]
      #expect(report.rejected.count <= max(missing, report.support / 10) + confused)
      #expect(calibration.rejected[report.label]?.count == report.rejected.count)
    }
    #expect(!calibration.decision.minimumProbabilities.isEmpty)
  }

  @Test(arguments: Breakdown.Axis.allCases) func everyAxisCountsEveryExample(
    axis: Breakdown.Axis
  ) throws {
    let data = drawings()
    let breakdown = try Breakdown(
      of: Recognizer(model: model), on: data, by: axis, workers: 2)
    let counts = breakdown.rows.map(\.accuracy.total)
    #expect(breakdown.rows.count > (axis == .source || axis == .strokes ? 0 : 1))
    switch axis {
    case .size, .angle, .pen, .sampling: #expect(counts.allSatisfy { $0 == data.examples.count })
    default: #expect(counts.reduce(0, +) == data.examples.count)
    }
    for row in breakdown.rows {
      #expect(row.decisions.joined().reduce(0, +) == row.accuracy.total)
    }
  }

  @Test func turningByNothingChangesNothing() throws {
    let recognizer = Recognizer(model: try model)
    for example in drawings().examples.prefix(8) {
      let plain = try recognizer.recognize(example.bitmap(.standard))
      let turned = try Perturbation.angle(0).answer(to: example, index: 0, by: recognizer)
      #expect(turned.ranked == plain.ranked)
      let sparse = try Perturbation.spacing(0.001).answer(to: example, index: 0, by: recognizer)
      #expect(sparse.top.label == plain.top.label)
    }
  }

  @Test func anotherPenChangesThePictures() throws {
    let pictureOnly = Recognizer(model: try model)
    let both = Recognizer(model: try randomFusionModel())
    let ring = Example(.drawing(circle(radius: 40)), label: "other", origin: "ring")
    for recognizer in [pictureOnly, both] {
      func loss(_ perturbation: Perturbation?) throws -> Double {
        try Evaluation(
          of: recognizer, on: Dataset([ring]), perturbation: perturbation, workers: 1
        ).negativeLogLikelihood
      }
      let losses = try [0.8, 1.75, 3].map { try loss(.penWidth($0)) }
      #expect(Set(losses).count == 3)
      #expect(try losses[1] == loss(nil))
      #expect {
        try loss(.penWidth(40))
      } throws: {
        "\($0)".hasPrefix("ring: expected a pen that fits the pictures of the model, found ")
      }
    }
    // The picture alone is what the model of one input answers to.
    let thick = try Rasterizer.standard.with(penWidth: 3).render(circle(radius: 40))
    let answer = try pictureOnly.recognize(thick)
    let expected = answer.ranked.first { $0.label == "other" }!.probability
    let found = try Evaluation(
      of: pictureOnly, on: Dataset([ring]), perturbation: .penWidth(3), workers: 1
    ).negativeLogLikelihood
    #expect(abs(found + log(expected)) < 1e-9)
  }

  @Test func classesWithoutExamplesAreNotTheWorst() throws {
    let example = Example(.drawing(circle(radius: 2)), label: "other", origin: "")
    let result = try Evaluation(of: Recognizer(model: model), on: Dataset([example]), workers: 1)
    #expect(result.meanRecall == 1 && result.worstClass?.label == "other")
    let nothing = try Evaluation(of: Recognizer(model: model), on: Dataset([]), workers: 1)
    #expect(nothing.meanRecall == 0 && nothing.worstClass == nil)
  }

  /// A model of two labels, `a` where pictures are bright and `other` where they are dark, and
  /// pictures of which no two are equally bright.
  private func shades(_ count: Int, darkOnes: Int) throws -> (model: Model, data: Dataset) {
    let architecture = try Architecture(
      name: "shade", inputSize: 8, layers: [.flatten, .dense(units: 2)])
    let weights: [String: Tensor] = [
      "1.weight": Tensor(
        shape: [2, 64],
        values: [Float](repeating: 0.1, count: 64) + [Float](repeating: 0, count: 64)),
      "1.bias": Tensor(shape: [2], values: [-3, 0]),
    ]
    let raster = try Rasterizer(size: 8, margin: 1, penWidth: 1)
    let model = try Model(
      network: TrainedNetwork(architecture, weights: weights), labels: ["a", "other"],
      preprocessing: [.raster(raster)], decision: .init(rejectedLabel: "other"))
    func picture(_ brightness: Int) -> Example {
      // A picture without any contrast would be blank.
      let pixels = [0] + [UInt8](repeating: UInt8(brightness), count: 63)
      return Example(
        .bitmap(Bitmap(width: 8, height: 8, pixels: pixels)), label: "a", origin: "\(brightness)")
    }
    // The logit is 0 at a brightness of 121.4.
    let examples =
      (0..<darkOnes).map { picture(30 + $0) } + (darkOnes..<count).map { picture(130 + 4 * $0) }
    return (model, Dataset(examples, labels: ["a", "other"]))
  }

  /// As many are refused as may be, and not one more or less; what the model itself refuses counts.
  @Test(arguments: [
    (0, 0.0, 0), (0, 0.04, 0), (0, 0.05, 1), (0, 0.1, 2), (0, 0.15, 3), (0, 0.5, 10), (1, 0.1, 2),
    (2, 0.1, 2), (3, 0.1, 3), (1, 0.15, 3), (1, 0.05, 1),
  ])
  func theLimitIsReached(darkOnes: Int, share: Double, refused: Int) throws {
    let (model, data) = try shades(20, darkOnes: darkOnes)
    let before = try Evaluation(of: Recognizer(model: model), on: data, workers: 1)
    #expect(before.confusion[0] == [20 - darkOnes, darkOnes])
    let calibration = try Calibration(of: model, on: data, falseRejections: share, workers: 1)
    #expect(calibration.rejected["a"]?.count == refused)
    #expect(calibration.rejected["a"]?.total == 20)
    // An exception for the label does the same.
    let exception = try Calibration(
      of: model, on: data, falseRejections: 0.3, exceptions: ["a": share], workers: 1)
    #expect(exception.decision == calibration.decision)
  }

  /// Twenty right answers of twenty do not say that the model is never wrong.
  @Test func theTemperatureStaysSaneWhereEveryAnswerIsRight() throws {
    let (model, data) = try shades(20, darkOnes: 0)
    let calibration = try Calibration(of: model, on: data, falseRejections: 0.1, workers: 1)
    var calibrated = model
    calibrated.decision = calibration.decision
    let result = try Evaluation(of: Recognizer(model: calibrated), on: data, workers: 1)
    // About (n + 1) / (n + 2) = 0.95; without smoothing it is as near to 1 as the search goes.
    let mean = exp(-result.negativeLogLikelihood)
    #expect(mean > 0.85 && mean < 0.97)
  }

  /// With less than one example per share, the lowest values say where the thresholds are.
  @Test func fewExamplesGiveThresholdsThatRejectNoneOfThem() throws {
    var (model, data) = try shades(20, darkOnes: 0)
    model.decision.minimumProbabilities = ["a": 0.7]
    model.decision.minimumMargins = ["a": 0.3]
    var thresholds: [Double] = []
    for (share, needed) in [(0.04, 25), (0.01, 100)] {
      let fitted = try Calibration(of: model, on: data, falseRejections: share, workers: 1)
      #expect(fitted.fits == ["a": .extrapolated(needed: needed)])
      #expect(fitted.rejected["a"]?.count == 0)
      let (probability, margin) = (
        try #require(fitted.decision.minimumProbabilities["a"]),
        try #require(fitted.decision.minimumMargins["a"])
      )
      #expect(probability > 0.1 && margin > 0 && probability != 0.7)
      thresholds.append(probability)
      // 0 of 20: 1 − 0.05^(1/20).
      #expect(abs(try #require(fitted.bound(of: "a")) - 0.139108) < 1e-6)
    }
    #expect(thresholds[1] < thresholds[0])
    let counted = try Calibration(of: model, on: data, falseRejections: 0.05, workers: 1)
    #expect(counted.fits == ["a": .counted] && counted.rejected["a"]?.count == 1)
    let none = try Calibration(of: model, on: data, falseRejections: 0, workers: 1)
    #expect(none.decision.minimumProbabilities.isEmpty && none.fits == ["a": Calibration.Fit.none])
    let (other, used) = try shades(20, darkOnes: 2)
    let full = try Calibration(of: other, on: used, falseRejections: 0.1, workers: 1)
    #expect(full.decision.minimumProbabilities.isEmpty && full.fits == ["a": .usedUp(rejected: 2)])
  }

  @Test func labelsWithVeryFewExamplesKeepTheirThresholds() throws {
    var (model, data) = try shades(9, darkOnes: 0)
    model.decision.minimumProbabilities = ["a": 0.7]
    model.decision.minimumMargins = ["a": 0.3]
    let kept = try Calibration(of: model, on: data, falseRejections: 0.01, workers: 1)
    #expect(kept.decision.minimumProbabilities == ["a": 0.7])
    #expect(kept.decision.minimumMargins == ["a": 0.3])
    #expect(kept.fits == ["a": .kept(needed: 10)])
  }

  /// Quantiles of log-odds with an exponential tail, from the values at evenly spaced probabilities.
  @Test(arguments: [40, 90]) func aTailIsExtrapolated(count: Int) {
    let values = (0..<count).map { index -> Double in
      let odds = pow((Double(index) + 0.5) / Double(count), 1.5) * 20
      return odds / (1 + odds)
    }
    let quantile = Calibration.lowerQuantile(0.002, of: values)
    let exact = pow(0.002, 1.5) * 20
    #expect(quantile > exact / 2.5 && quantile < exact * 2.5 && quantile < values[0])
    // Never above the lowest value.
    #expect(abs(Calibration.lowerQuantile(0.3, of: values) - values[0]) < 1e-12)
    // Values that are nearly equal say little about the tail.
    let equal = [Double](repeating: 0.999, count: count)
    #expect(Calibration.lowerQuantile(0.01, of: equal) < 0.99)
  }

  /// Numbers of SciPy: beta.ppf and t.ppf.
  @Test func boundsAreThoseOfTheBetaDistribution() {
    for (count, total, bound) in [(0, 40, 0.072158), (2, 40, 0.149152), (5, 10, 0.777559)] {
      #expect(abs(Share(count, of: total).upperBound! - bound) < 1e-5)
    }
    #expect(Share(0, of: 0).upperBound == nil && Share(3, of: 3).upperBound == nil)
    for (degrees, t) in [(1, 12.70620), (2, 4.302653), (4, 2.776445), (30, 2.042272)] {
      let quantile = BetaDistribution.studentsQuantile(alpha: 0.05, degreesOfFreedom: degrees)
      #expect(abs(quantile - t) < 1e-4)
    }
  }

  /// Ten drawings of a writer who draws clearly are not ten independent successes.
  @Test func intervalsAreOfWritersWhereTheyAreKnown() {
    func share(_ right: [Int], each count: Int = 20, known: Bool = true) -> Share {
      let writers = right.indices.flatMap {
        [String?](repeating: known ? "w\($0)" : nil, count: count)
      }
      let values = right.flatMap { right in (0..<count).map { $0 < right } }
      return Share(of: values, writers: writers)
    }
    // Half of the writers are always right, the others never.
    let clustered = share([20, 0, 20, 0, 20, 0, 20, 0, 20, 0])
    #expect(clustered.writers == 10 && clustered.count == 100 && clustered.total == 200)
    #expect(clustered.low < 0.25 && clustered.high > 0.75)
    #expect(share([20, 0, 20, 0, 20, 0, 20, 0, 20, 0]) == clustered)
    let wilson = Share(100, of: 200)
    #expect(wilson.low > 0.43 && wilson.writers == nil)
    // Writers who are all alike add nothing; samples without a mistake are no certainty.
    let alike = share([Int](repeating: 10, count: 10))
    #expect(alike.low == wilson.low && alike.high == wilson.high && alike.writers == 10)
    let perfect = share([20, 20, 20])
    #expect(perfect.low == Share(60, of: 60).low && perfect.high == 1)
    // Few writers say less than many.
    #expect(share([20, 16, 10]).low < share([20, 16, 10, 20, 16, 10, 20, 16, 10]).low)
    // One writer, or none that is known.
    #expect(share([7]) == Share(7, of: 20))
    #expect(share([20, 0], known: false) == Share(20, of: 40))
    #expect(alike.basis(knownWriters: 10) == "95 %, by resampling 10 writers")
    #expect(wilson.basis(knownWriters: 0).hasSuffix("no writers are known"))
    #expect(wilson.basis(knownWriters: 1).hasSuffix("all examples are of one writer"))
  }

  #if os(Linux)
    /// The library is there already, and its threads are many, when training begins.
    @Test func aLoadedBLASComputesOnTheCallingThreadOnly() throws {
      _ = try BLAS.load()
      let library = try #require(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD))
      let symbol = try #require(dlsym(library, "openblas_set_num_threads"))
      unsafeBitCast(symbol, to: (@convention(c) (CInt) -> Void).self)(2)
      let blas = try BLAS()
      #expect(blas.threadCount == 1)
      #expect(["avx512f", "x86-64-v3", "x86-64", "arm64"].contains(blas.kernels))
    }
  #endif
}
