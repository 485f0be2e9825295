import Ink
import InkDatasets
import InkEvaluation
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import SeededRandom
import Testing
import TestSupport

@testable import InkTraining

@Suite(.timeLimit(.minutes(30))) struct RecipeTests {
  private func data(_ labels: [String], count: Int) -> Dataset {
    let example = Example(.drawing(circle(radius: 40)), label: labels[0], origin: "")
    return Dataset([Example](repeating: example, count: count), labels: labels)
  }

  /// A recipe for drawings of automata, which keep their class at any angle.
  private static var ofAutomata: TrainingRecipe {
    var recipe = TrainingRecipe()
    recipe.rotationInvariantLabels = ["cycle", "other", "state", "transition"]
    return recipe
  }

  private func options(
    _ recipe: TrainingRecipe = Self.ofAutomata,
    labels: [String] = ["state", "transition", "other"],
    count: Int = 2400, network: Architecture? = nil, hasValidation: Bool = true,
    startingFrom start: Model? = nil
  ) throws -> TrainingOptions {
    recipe.options(
      for: data(labels, count: count),
      network: try network ?? .drawing(classCount: labels.count), hasValidation: hasValidation,
      startingFrom: start)
  }

  /// A model with the labels `a`, `b` and so on, and this provenance.
  private func model(_ provenance: [String: String] = [:], classCount: Int = 3) throws -> Model {
    var model = try randomModel([.flatten, .dense(units: classCount)])
    model.provenance = provenance
    return model
  }

  @Test func recordingsAreVariedAsRecordings() throws {
    let series = try Series(channels: ["x"], values: [1, 2, 3])
    let dataset = Dataset(
      [Example(.series(series), label: "a", origin: "")], labels: ["a", "b"])
    let network = try Architecture.drawing(classCount: 2)
    var recipe = TrainingRecipe()
    var options = recipe.options(for: dataset, network: network, hasValidation: false)
    #expect(options.seriesAugmentation == .mild && options.augmentation == .none)
    #expect(options.summary.hasSuffix(", augmentation mild"))
    // A sensor is not worn at the same angle each time.
    #expect(SeriesAugmentation.mild.rotation > 0)
    recipe.seriesAugmentation = .wearable
    options = recipe.options(for: dataset, network: network, hasValidation: false)
    #expect(options.summary.hasSuffix(", augmentation wearable"))
    // Drawings are varied as drawings.
    #expect(try self.options(recipe).seriesAugmentation == .none)
  }

  @Test func readersHaveNoClassesToBalance() throws {
    let reader = try Architecture.reader(classCount: 4)
    var options = try options(labels: ["q0", "a"], network: reader)
    #expect(!options.balancesClasses && options.augmentation == .line)
    #expect(options.maxGradientNorm == 5)
    var recipe = TrainingRecipe()
    recipe.maxGradientNorm = 1
    recipe.augmentation = .upright
    options = try self.options(recipe, labels: ["q0", "a"], network: reader)
    #expect(options.maxGradientNorm == 1 && options.augmentation == .upright)
    let drawing = try self.options()
    #expect(drawing.balancesClasses && drawing.maxGradientNorm == nil)
  }

  /// A network learns few recordings by heart, and is too certain of others.
  @Test func theLabelsOfFewRecordingsAreSmoothed() throws {
    let series = try Series(channels: ["x"], values: [1, 2, 3])
    func smoothing(_ recipe: TrainingRecipe = TrainingRecipe(), count: Int) throws -> Double {
      let dataset = Dataset(
        [Example](repeating: Example(.series(series), label: "a", origin: ""), count: count),
        labels: ["a", "b"])
      return recipe.options(
        for: dataset, network: try .drawing(classCount: 2), hasValidation: false
      ).labelSmoothing
    }
    #expect(try smoothing(count: 300) == 0.1)
    #expect(try smoothing(count: 40) == 0)
    #expect(try smoothing(count: 3000) == 0.1)
    #expect(try options(count: 300).labelSmoothing == 0)
    var recipe = TrainingRecipe()
    recipe.labelSmoothing = 0
    #expect(try smoothing(recipe, count: 300) == 0)
  }

  @Test(arguments: [2, 20, 99, 100, 499, 500, 2400, 19_999, 20_000, 60_000, 1_000_000])
  func trainingIsAsLongAsTheDataNeed(count: Int) throws {
    let options = try options(count: count)
    try options.validate()
    let steps = (count + options.batchSize - 1) / options.batchSize * options.epochs
    // Few examples are seen often, many seldom, and none less than ten times.
    #expect((10...150).contains(options.epochs))
    #expect(count < 20 || steps >= 400)
    #expect(count > 20_000 || options.epochs * count <= 400_000)
    #expect(try count < 100 || options.epochs >= self.options(count: 2 * count).epochs)
    #expect((options.patience ?? 0) >= 10)
    let decay = try #require(options.averageDecay)
    #expect((0.9...0.999).contains(decay))
  }

  @Test func anExpertsChoices() throws {
    let options = try options()
    #expect(options.balancesClasses)
    #expect(options.schedule == Schedule(.oneCycle))
    #expect(try self.options(hasValidation: false).patience == nil)
    // More classes need more steps.
    let many = (0..<32).map { "class \($0)" }
    #expect(try self.options(labels: many).epochs > options.epochs)
    let large = try self.options(network: .leNet(classCount: 3))
    #expect(large.learningRate < options.learningRate)
    var constant = TrainingRecipe()
    constant.schedule = Schedule(.constant)
    #expect(try self.options(constant).learningRate < options.learningRate)
    var descent = TrainingRecipe()
    descent.optimizer = Optimizer(.sgd)
    #expect(try self.options(descent).learningRate > options.learningRate)
    let next = try self.options(startingFrom: model())
    #expect(next.learningRate < options.learningRate && next.epochs < options.epochs)
  }

  @Test(arguments: [
    (["state", "transition", "other"], true), (["cycle", "state"], true),
    (["circle", "arrow"], false), (["6", "9"], false), (["left_sq_bracket", "state"], false),
  ])
  func rotationInvariantLabelsAreDrawnAtAnyAngle(labels: [String], turns: Bool) throws {
    let options = try options(labels: labels)
    var anyAngle = Augmentation.anyAngle
    anyAngle.framed = 0.5
    #expect(options.augmentation == (turns ? anyAngle : .upright))
    #expect(options.uprightShare == (turns ? 0.5 : 0))
    let plain = try self.options(TrainingRecipe(), labels: labels)
    #expect(plain.augmentation == .upright)
  }

  /// Figures as bent lines, so many of each, turned by `angle` each in its own way.
  private func figures(
    _ shapes: [String: [Point]], asPictures: Bool, angle: ClosedRange<Double>
  ) throws -> Dataset {
    var generator = SeededGenerator(seed: 8)
    var examples: [Example] = []
    for (label, points) in shapes.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<60 {
        let turn = generator.uniform(angle)
        let drawing = Drawing([
          Stroke(points.map { Point($0.x + 3 * generator.normal(), $0.y + 3 * generator.normal()) })
        ]).transformed(by: .rotation(turn))
        let content: Example.Content =
          asPictures ? .bitmap(try Rasterizer.standard.render(drawing)) : .drawing(drawing)
        examples.append(Example(content, label: label, origin: ""))
      }
    }
    return Dataset(examples)
  }

  private let ring = circle(radius: 50).strokes[0].points
  private let left = [Point(60, 0), Point(0, 0), Point(0, 100), Point(60, 100)]
  private let right = [Point(0, 0), Point(60, 0), Point(60, 100), Point(0, 100)]
  private let bar = [Point(0, 0), Point(100, 0)]

  @Test(arguments: [false, true]) func whatTurnsIntoAnotherClassIsKeptUpright(asPictures: Bool)
    throws
  {
    let brackets = try figures(
      ["left": left, "right": right, "ring": ring], asPictures: asPictures, angle: 0...0.1)
    #expect(VariationCheck(brackets, seed: 1)?.allowsRotation != true)
    // A bar that is upright is another thing than one that lies.
    let bars = try figures(
      ["lies": bar, "stands": bar.map { Point($0.y, $0.x) }], asPictures: asPictures, angle: 0...0.1
    )
    #expect(VariationCheck(bars, seed: 1)?.allowsRotation != true)
  }

  @Test(arguments: [false, true]) func whatNoTurnMakesAlikeIsTurned(asPictures: Bool) throws {
    let shapes = try figures(
      ["bar": bar, "bracket": left, "ring": ring], asPictures: asPictures, angle: 0...(2 * .pi))
    #expect(VariationCheck(shapes, seed: 1)?.allowsRotation == true)
    let options = TrainingRecipe().options(
      for: shapes, network: try .drawing(classCount: 3), hasValidation: false)
    #expect(options.augmentation.rotation == .pi && options.augmentation.framed == 0.5)
    #expect(options.uprightShare == (asPictures ? 0 : 0.5))
    // Few examples say nothing.
    let few = Dataset(Array(shapes.examples.prefix(130)), labels: shapes.labels)
    #expect(VariationCheck(few, seed: 1)?.allowsRotation != true)
  }

  /// What a model was trained with is better known than what a few recordings look like.
  @Test func aModelKeepsItsAugmentation() throws {
    let shapes = try figures(
      ["bar": bar, "bracket": left, "ring": ring], asPictures: false, angle: 0...(2 * .pi))
    func options(_ start: Model?, _ recipe: TrainingRecipe = TrainingRecipe()) throws
      -> TrainingOptions
    {
      recipe.options(
        for: shapes, network: try .drawing(classCount: 3), hasValidation: false,
        startingFrom: start)
    }
    #expect(try options(nil).augmentation.rotation == .pi)
    var trained = TrainingOptions()
    trained.augmentation = Augmentation(rotation: 0.3, warp: 0.02)
    trained.uprightShare = 0.25
    trained.reorderedShare = 0.5
    trained.seriesAugmentation = .wearable
    let start = try model([AugmentationRecord.key: AugmentationRecord(trained).text])
    #expect(AugmentationRecord(of: start) == AugmentationRecord(trained))
    #expect(try options(start).augmentation == trained.augmentation)
    #expect(try options(start).uprightShare == 0.25)
    // Models of older versions have only the summary.
    let older = try model(["training": "5 epochs, patience 10 epochs, augmentation upright"])
    #expect(try options(older).augmentation == .upright && options(older).uprightShare == 0)
    let half = try model([
      "training": "augmentation any-angle for half of the examples, 80 % drawn in another order"
    ])
    let record = try #require(AugmentationRecord(of: half))
    #expect(record.uprightShare == 0.5 && record.reorderedShare == 0.8)
    #expect(record.drawings.rotation == .pi && record.drawings.framed == 0.5)
    // Without a record, only what the labels say.
    for silent in [try model(), try model(["training": "augmentation custom"])] {
      #expect(AugmentationRecord(of: silent) == nil)
      #expect(try options(silent).augmentation == .upright)
    }
    #expect(try self.options(startingFrom: model()).augmentation.rotation == .pi)
    var recipe = TrainingRecipe()
    recipe.augmentation = Augmentation.none
    #expect(try options(start, recipe).augmentation == .none)
    #expect(try options(start, recipe).uprightShare == 0)
  }

  @Test func fewRecordingsOfAClassAreFound() throws {
    let start = try model(classCount: 3)
    let labels = start.labels
    func own(_ counts: [Int]) -> Dataset {
      Dataset(
        zip(labels, counts).flatMap { label, count in
          [Example](
            repeating: Example(.drawing(circle(radius: 40)), label: label, origin: ""), count: count
          )
        })
    }
    func scarce(_ model: Model, _ counts: [Int]) -> [String] {
      ExperienceReplay.scarceClasses(of: model, in: own(counts)).map {
        "\($0.label ?? "lines") \($0.count)"
      }
    }
    #expect(scarce(start, [5, 5, 9]) == [])
    #expect(scarce(start, [4, 0, 5]) == ["\(labels[0]) 4", "\(labels[1]) 0"])
    // Nobody has to record what is rejected, but one drawing of it is few.
    var rejecting = start
    rejecting.decision.rejectedLabel = labels[2]
    #expect(scarce(rejecting, [5, 5, 0]) == [])
    #expect(scarce(rejecting, [5, 5, 1]) == ["\(labels[2]) 1"])
  }

  @Test func digitsAreKeptUpright() throws {
    let digits = Dataset(
      Synthesizer(seed: 2, repertoire: .digits).recordings(writers: 20, perClass: 4).map {
        Example($0, label: $0.label!, origin: "")
      })
    #expect(VariationCheck(digits, seed: 1)?.allowsRotation != true)
  }

  /// Networks that read strokes see other habits of drawing, unless these tell the classes apart.
  @Test func strokesAreVariedMoreThanPictures() throws {
    let brackets = try figures(
      ["left": left, "right": right], asPictures: false, angle: 0...0.1)
    func options(_ recipe: TrainingRecipe = TrainingRecipe(), of dataset: Dataset) throws
      -> TrainingOptions
    {
      let network = try NetworkChoice(named: "gesture", for: dataset)!.architecture
      return recipe.options(for: dataset, network: network, hasValidation: false)
    }
    let chosen = try options(of: brackets)
    #expect(chosen.augmentation == .written && chosen.reorderedShare == 0.8)
    #expect(
      chosen.summary.hasSuffix(", augmentation written, 80 % drawn in another order"))
    #expect(Augmentation.written.rotation > Augmentation.upright.rotation)
    // The same line from both ends: only the direction tells the classes.
    let directed = try figures(
      ["from left": bar, "from right": bar.reversed()], asPictures: false, angle: 0...0.1)
    #expect(try options(of: directed).reorderedShare == 0)
    var recipe = TrainingRecipe()
    recipe.augmentation = .upright
    recipe.reorderedShare = 0.25
    let given = try options(recipe, of: brackets)
    #expect(given.augmentation == .upright && given.reorderedShare == 0.25)
  }

  @Test func whatIsGivenIsNotChosen() throws {
    var recipe = TrainingRecipe()
    recipe.epochs = 3
    recipe.batchSize = 7
    recipe.optimizer = Optimizer(.adamW, weightDecay: 0.1)
    recipe.learningRate = 0.25
    recipe.schedule = Schedule(.cosine, warmup: 0.1)
    recipe.maxGradientNorm = 2
    recipe.labelSmoothing = 0.2
    recipe.balancesClasses = false
    recipe.augmentation = Augmentation.none
    recipe.patience = 4
    recipe.averageDecay = 0.5
    recipe.seed = 11
    var expected = TrainingOptions()
    expected.epochs = 3
    expected.batchSize = 7
    expected.optimizer = recipe.optimizer
    expected.learningRate = 0.25
    expected.schedule = recipe.schedule
    expected.maxGradientNorm = 2
    expected.labelSmoothing = 0.2
    expected.patience = 4
    expected.averageDecay = 0.5
    expected.seed = 11
    #expect(try options(recipe) == expected)
  }

  @Test func theSummaryNamesEveryChoice() throws {
    let summary = try options().summary
    #expect(
      summary == """
        80 epochs of batches of 32, Adam with a one-cycle rate of 0.004, classes balanced, weights \
        averaged (0.983), patience 40 epochs, augmentation any-angle for half of the examples
        """)
    var recipe = TrainingRecipe()
    recipe.balancesClasses = false
    recipe.averageDecay = 0
    recipe.labelSmoothing = 0.1
    recipe.schedule = Schedule(.constant)
    recipe.optimizer = Optimizer(.sgd)
    recipe.augmentation = Augmentation(rotation: 1)
    #expect(
      try options(recipe, labels: ["a", "b"], hasValidation: false).summary == """
        75 epochs of batches of 32, SGD with a constant rate of 0.02, classes not balanced, labels \
        smoothed (0.1), augmentation custom
        """)
  }

  /// One state or transition for fifteen others, by few writers.
  ///
  /// The thread sanitizer's build has the kernels of another instruction set, with which the weights
  /// become others.
  @Test(.disabled(if: hasSanitizer)) func rareClassesAreLearnt() throws {
    let synthesizer = Synthesizer(seed: 4)
    func ink(_ writers: Range<Int>) -> Dataset {
      var examples: [Example] = []
      for writer in writers {
        for (label, count) in [("state", 2), ("transition", 2), ("other", 30)] {
          for index in 0..<count {
            let recording = synthesizer.recording(label: label, writer: writer, index: index)
            examples.append(Example(recording, label: label, origin: "\(writer)"))
          }
        }
      }
      return Dataset(examples)
    }
    let learnt = ink(0..<12)
    let network = try Architecture.drawing(classCount: 3)
    var recipe = Self.ofAutomata
    recipe.epochs = 40
    var options = try recipe.options(for: learnt, network: network, hasValidation: true)
    // One training can be lucky or not, and which one is depends on the processor's kernels.
    var recalls: [(worst: Double, mean: Double)] = []
    for seed in 1...3 as ClosedRange<UInt64> {
      options.seed = seed
      let trainer = try Trainer(
        network, training: learnt, validation: ink(12..<16), preprocessing: [.raster(.standard)],
        options: options, workers: 2)
      let model = try #require(trainer.run().model)
      let result = try Evaluation(of: Recognizer(model: model), on: ink(20..<40), workers: 2)
      recalls.append((try #require(result.worstClass).recall.value, result.meanRecall))
    }
    #expect(recalls.map(\.worst).sorted()[1] >= 0.8, "\(recalls)")
    #expect(recalls.map(\.mean).sorted()[1] >= 0.9, "\(recalls)")
  }
}
