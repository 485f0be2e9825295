import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkRaster
import InkRecognizer
import ParallelLoops
import SafeFiles
import Testing
import TestSupport

@testable import InkTraining

/// Training of readers on strips and strokes together.
@Suite(.timeLimit(.minutes(30))) struct StripTrainingTests {
  /// Bars for `1`, and rings for `0`, as strokes or drawn on a strip.
  private static func line(_ text: String, isStrip: Bool, seed: Int) throws -> Example {
    let strokes = text.enumerated().map { index, character in
      let x = 30.0 * Double(index) + Double(seed % 5)
      return character == "1"
        ? Stroke((0...10).map { Point(x, Double($0) * 3) })
        : Stroke(
          (0...20).map { Point(x + 10 * cos(Double($0) / 3), 15 + 14 * sin(Double($0) / 3)) })
    }
    let drawing = Drawing(strokes)
    guard isStrip else { return Example(.drawing(drawing), label: text, origin: text) }
    let drawn = try LineRasterizer(height: 48, margin: 6).render(drawing).bitmap
    return Example(
      .strip(seed % 2 == 0 ? drawn.inverted() : drawn), label: text, origin: "strip of \(text)")
  }

  private static func lines(_ count: Int) throws -> Dataset {
    let texts = ["10", "01", "11", "00", "1", "0", "101", "010"]
    return Dataset(
      try (0..<count).map {
        try line(texts[$0 % texts.count], isStrip: $0 / texts.count % 2 == 0, seed: $0)
      })
  }

  @Test func linesAreKeptAsBytesAndEqualWhatAModelReads() throws {
    let dataset = try Self.lines(16)
    let rasterizer = try LineRasterizer(minWidth: 64)
    let preprocessing = Preprocessing.line(rasterizer)
    let stored = try StoredSeries(of: dataset, preprocessing)
    guard case .lines = stored else {
      Issue.record("lines are kept as bytes")
      return
    }
    for (index, example) in dataset.examples.enumerated() {
      let values = try preprocessing.values(of: example.recognitionInput)
      #expect(stored.values(of: index) == values && stored.count(of: index) == values.count)
    }
    #expect(!stored.isEmpty)
    #expect(stored.largestCount == (0..<16).map { stored.count(of: $0) }.max())
  }

  @Test func aReaderLearnsFromStripsAndStrokesTogether() throws {
    let dataset = try Self.lines(64)
    let choice = try #require(try NetworkChoice(named: "reader", for: dataset))
    var recipe = TrainingRecipe()
    recipe.epochs = 2
    recipe.seed = 1
    let options = recipe.options(
      for: dataset, network: choice.architecture, hasValidation: false)
    #expect(options.augmentation == .line)
    let trainer = try Trainer(
      choice.architecture, training: dataset, validation: nil,
      preprocessing: choice.preprocessing, options: options, workers: 2)
    let model = try #require(trainer.run().model)
    #expect(model.labels == ["0", "1"])
    #expect(trainer.history[1].trainingLoss < trainer.history[0].trainingLoss)
  }

  @Test func aVariedStripIsAnotherInEachEpochAndTheSameForASeed() throws {
    let dataset = Dataset([try Self.line("1011", isStrip: true, seed: 1)])
    let choice = try #require(try NetworkChoice(named: "reader", for: dataset))
    func values(epoch: Int, seed: UInt64, _ augmentation: Augmentation) throws -> [Float] {
      let prepared = try PreparedExamples(
        dataset, targets: dataset.transcripts(["0", "1"]), for: choice.architecture,
        preprocessing: choice.preprocessing, augmentation: augmentation, seed: seed)
      let batch = prepared.series([0], epoch: epoch, loop: ParallelLoop(workers: 1))
      var values = [Float](repeating: 0, count: batch.length!(0, 0) * 32)
      let isWritten = values.withUnsafeMutableBufferPointer {
        batch.write(0, input: 0, to: $0.baseAddress!)
      }
      #expect(isWritten)
      return values
    }
    let first = try values(epoch: 1, seed: 1, .line)
    #expect(try values(epoch: 1, seed: 1, .line) == first)
    #expect(try values(epoch: 2, seed: 1, .line) != first)
    #expect(try values(epoch: 1, seed: 2, .line) != first)
    #expect(
      try values(epoch: 2, seed: 1, .none) == values(epoch: 1, seed: 2, .none))
  }

  @Test func linesWithOtherCharactersAreLeftOutAndCounted() throws {
    let dataset = Dataset(
      ["ab", "äb", "b!", "!!", "a"].map { Example(.drawing(Drawing([])), label: $0, origin: $0) })
    let (limited, others) = dataset.limited(to: ["a", "b"])
    #expect(limited.examples.map(\.label) == ["ab", "a"] && limited.labels == ["a", "ab"])
    #expect(others.map(\.character) == ["!", "ä"] && others.map(\.count) == [3, 1])
  }
}
