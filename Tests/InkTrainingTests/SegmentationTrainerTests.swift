import Foundation
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import TestSupport
import Testing

@testable import InkTraining

@Suite(.timeLimit(.minutes(30))) struct SegmentationTrainerTests {
  private static let writers = PageWriter.synthetic(count: 3, seed: 2)

  private func feed(seed: UInt64 = 5) -> SegmentationFeed {
    SegmentationFeed(PageComposer(seed: seed, width: 64, height: 64, writers: Self.writers))
  }

  /// Two levels, with a skip.
  private func network(classes: Int = 5, fields: Int = 7) throws -> Architecture {
    func block(_ filters: Int, stride: Int = 1) -> [Architecture.Node] {
      [
        .init(.convolution(filters: filters, kernel: 3, stride: stride, padding: .same)),
        .init(.batchNormalization), .init(.relu),
      ]
    }
    let nodes =
      block(16, stride: 2) + block(16, stride: 2) + [
        .init(.upsampling), .init(.concatenation, from: [.node(6), .node(2)]),
      ] + block(16) + [
        .init(.convolution(filters: classes + fields, kernel: 1, padding: .same))
      ]
    return try Architecture(
      name: "small",
      inputs: [
        NetworkInput(name: "page", form: .page(channels: 1, heights: 32...512, widths: 32...512))
      ],
      nodes: nodes, output: .distributionPerCell(fields: fields))
  }

  private func options(_ feed: SegmentationFeed, steps: Int, perEpoch: Int) -> TrainingOptions {
    var options = TrainingRecipe.pages.options(for: feed, steps: steps)
    options.segmentation?.stepsPerEpoch = perEpoch
    options.segmentation?.validationCount = 6
    options.epochs = steps / perEpoch
    options.batchSize = 4
    return options
  }

  private func trainer(
    steps: Int = 12, perEpoch: Int = 4, validation: SegmentationFeed? = nil, workers: Int = 2
  ) throws -> SegmentationTrainer {
    let feed = feed()
    return try SegmentationTrainer(
      try network(), feed: feed, validation: validation, preparation: .standard,
      options: options(feed, steps: steps, perEpoch: perEpoch), workers: workers)
  }

  private func model(_ trainer: SegmentationTrainer) throws -> Model {
    guard case .finished(let model) = try trainer.run() else {
      throw TrainingError.unsuitableData("interrupted")
    }
    return model
  }

  @Test func theLossFalls() throws {
    let trainer = try trainer(steps: 120, perEpoch: 20, validation: feed(seed: 6))
    let model = try model(trainer)
    let (first, last) = (trainer.history[0], trainer.history[5])
    #expect(last.trainingLoss < 0.8 * first.trainingLoss)
    #expect(last.validationLoss! < first.validationLoss!)
    #expect(last.validationOverlaps?.map(\.name) == model.labels)
    #expect(try #require(last.validationFieldLoss) > 0)
    #expect(model.fields == SegmentationFieldNames.pages.all)
    #expect(model.labels == ["nothing", "ring", "line", "head", "writing"])
    #expect(model.preprocessing == [.page(.standard)])
    #expect(model.architecture == (try network()))
    let csv = LearningCurve(trainer.history).csv.split(separator: "\n")
    #expect(csv[0].contains(",validation_overlap_of_ring,"))
    #expect(Set(csv.map { $0.filter { $0 == "," }.count }).count == 1)
  }

  @Test func theNumberOfCoresChangesNothing() throws {
    let one = try model(trainer(validation: feed(seed: 6), workers: 1))
    let three = try model(trainer(validation: feed(seed: 6), workers: 3))
    #expect(one.network.weights == three.network.weights)
  }

  @Test(arguments: [2, 4, 7]) func anInterruptedTrainingEndsTheSame(stop: Int) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/checkpoint"
    let whole = try model(trainer(validation: feed(seed: 6)))
    let first = try trainer(validation: feed(seed: 6))
    var steps = 0
    let outcome = try first.run(checkpointPath: path, shouldStop: { steps == stop }) { event in
      if case .step = event { steps += 1 }
    }
    guard case .interrupted = outcome else {
      Issue.record("it was not interrupted")
      return
    }
    let second = try trainer(validation: feed(seed: 6))
    try second.resume(from: path)
    #expect(try model(second).network.weights == whole.network.weights)
    #expect(second.history.count == 3)

    let other = try SegmentationTrainer(
      try network(), feed: feed(seed: 9), validation: feed(seed: 6), preparation: .standard,
      options: options(feed(), steps: 12, perEpoch: 4), workers: 1)
    #expect(throws: TrainingError.self) { try other.resume(from: path) }
    let longer = try SegmentationTrainer(
      try network(), feed: feed(), validation: feed(seed: 6), preparation: .standard,
      options: options(feed(), steps: 24, perEpoch: 8), workers: 1)
    let error = #expect(throws: TrainingError.self) { try longer.resume(from: path) }
    #expect("\(error!)".contains("the number of steps is 12 in it and 24 here"))
  }

  @Test func aModelOfOtherClassesIsNamed() throws {
    let feed = feed()
    let options = options(feed, steps: 4, perEpoch: 4)
    for (labels, fields, words) in [
      (["a", "b", "c", "d", "e"], feed.fields.all, "answers a, b, c, d, e and 7 fields, and"),
      (
        feed.classes.map(\.name), [],
        "answers nothing, ring, line, head, writing, and the pages have"
      ),
    ] {
      let start = try Model(
        network: randomNetwork(network(classes: 5, fields: fields.count), seed: 2), labels: labels,
        preprocessing: [.page(.standard)], fields: fields)
      let error = #expect(throws: TrainingError.self) {
        _ = try SegmentationTrainer(
          start.architecture, feed: feed, validation: nil, preparation: .standard,
          options: options, startingFrom: start, workers: 1)
      }
      #expect("\(error!)".contains(words), "\(error!)")
    }
  }

  @Test func unsuitableNetworksAreNamed() throws {
    let feed = feed()
    let options = options(feed, steps: 4, perEpoch: 4)
    for (architecture, words) in [
      (try network(classes: 4), "the network has 4 classes and 7 fields"),
      (try network(fields: 0), "the network has 5 classes and 0 fields"),
      (try Architecture.named("drawing", classCount: 5, inputSize: 28)!, "has another answer"),
    ] {
      let error = #expect(throws: TrainingError.self) {
        _ = try SegmentationTrainer(
          architecture, feed: feed, validation: nil, preparation: .standard, options: options,
          workers: 1)
      }
      #expect("\(error!)".contains(words))
    }
    var wrong = options
    wrong.segmentation?.classWeights = [1, 1]
    let error = #expect(throws: TrainingError.self) {
      _ = try SegmentationTrainer(
        try network(), feed: feed, validation: nil, preparation: .standard, options: wrong,
        workers: 1)
    }
    #expect(
      "\(error!)" == "class weights: expected 5 numbers, one a class, 0 or more, found [1.0, 1.0]")
  }

  @Test func rareClassesWeighMoreButNotAllAlike() {
    let weights = SegmentationOptions.classWeights(shares: [0.9, 0.04, 0.02, 0.01, 0.03])
    #expect(weights[0] < weights[1] && weights[1] < weights[2] && weights[2] < weights[3])
    #expect(abs(weights.dropFirst().reduce(0, +) - 4) < 0.02)
    #expect(weights[3] / weights[0] < 4)
  }
}
