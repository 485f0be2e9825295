import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkReader
import InkRecognizer
import InkSeries
import ParallelLoops
import Testing
import TestSupport

@testable import InkEvaluation
@testable import InkTraining

/// Training, evaluation, classification and preview give a network the same input for an example.
@Suite(.timeLimit(.minutes(30))) struct OnePreprocessingTests {
  /// A sample of each kind, with a name.
  private static func examples(in folder: TemporaryFolder) throws -> [(String, Example)] {
    let drawing = Drawing([
      Stroke(
        (0..<30).map { Point(Double($0) * 3, 20 * sin(Double($0) / 4), time: Double($0) * 9) }),
      Stroke([Point(20, -30, time: 400), Point(25, 60, time: 480)]),
    ])
    func picture(_ size: Int, _ margin: Double) throws -> Bitmap {
      try Rasterizer(size: size, margin: margin, penWidth: Double(size) / 14).render(drawing)
    }
    func stored(_ size: Int, isDark: Bool) throws -> Example {
      let bitmap = try picture(size, Double(size) / 9)
      let dataset = Dataset([
        Example(.bitmap(isDark ? bitmap.inverted() : bitmap), label: "a", origin: "a")
      ])
      let path = "\(folder.path)/\(size)-\(isDark)"
      try DatasetFormat.npy.write(dataset, rasterizer: Rasterizer(size: size), to: path)
      let example = try Dataset.load(path).dataset.examples[0]
      #expect(example.stored != nil && example.stored!.pictures.isInverted == isDark)
      return example
    }
    let line = try LineRasterizer(height: 48, margin: 6).render(drawing).bitmap
    func example(_ content: Example.Content) -> Example {
      Example(content, label: "a", origin: "a")
    }
    return [
      ("drawing", example(.drawing(drawing))),
      ("picture of the size", example(.bitmap(try picture(28, 1)))),
      ("picture of the size with another margin", example(.bitmap(try picture(28, 5)))),
      ("larger picture", example(.bitmap(try picture(56, 8)))),
      ("large picture", example(.bitmap(try picture(112, 4)))),
      ("stored picture", try stored(28, isDark: false)),
      ("stored picture with dark ink", try stored(28, isDark: true)),
      ("larger stored picture", try stored(56, isDark: true)),
      ("strip", example(.strip(line))), ("dark strip", example(.strip(line.inverted()))),
    ]
  }

  /// The values that a training without augmentation writes into the first input.
  private static func learnt(
    _ example: Example, _ architecture: Architecture, _ preprocessing: [Preprocessing]
  ) throws -> [[Float]] {
    let prepared = try PreparedExamples(
      Dataset([example]), targets: [[0]], for: architecture, preprocessing: preprocessing,
      augmentation: .none, seed: 1)
    let series = prepared.series([0], epoch: 1, loop: ParallelLoop(workers: 1))
    return architecture.inputs.indices.map { input in
      let steps = series.length?(0, input) ?? 1
      var values = [Float](
        repeating: -1, count: steps * architecture.inputs[input].valuesPerStep)
      values.withUnsafeMutableBufferPointer { buffer in
        guard !series.write(0, input: input, to: buffer.baseAddress!) else { return }
        prepared.write(0, input: input, epoch: 1, to: buffer.baseAddress!)
      }
      return values
    }
  }

  /// The content as `classify` and apps ask about it.
  private static func answer(_ recognizer: Recognizer, _ example: Example) throws -> Recognition {
    switch example.content {
    case .drawing(let drawing): try recognizer.recognize(drawing)
    case .bitmap(let bitmap): try recognizer.recognize(bitmap)
    // A strip is a file, whose polarity is detected.
    case .strip(let strip): try recognizer.recognize(strip.lightOnDark)
    case .series(let series): try recognizer.recognize(series)
    }
  }

  /// Checks that the model answers what the network says about the input of the training.
  private static func check(
    _ example: Example, _ learnt: [[Float]], _ model: Model, _ name: String
  ) throws {
    let recognizer = Recognizer(model: model)
    for (input, preprocessing) in model.preprocessing.enumerated() {
      #expect(
        try preprocessing.values(of: example.recognitionInput) == learnt[input],
        "evaluation of a \(name)")
    }
    let logits = InferenceNetwork(model.network).logits(of: learnt)
    let asked = try answer(recognizer, example)
    let evaluated = try recognizer.recognize(example)
    let expected = softmax(logits, temperature: model.decision.temperature)
    for recognition in [asked, evaluated] {
      for (label, probability) in zip(model.labels, expected) {
        #expect(
          recognition.ranked.first { $0.label == label }?.probability == probability, "\(name)")
      }
    }
  }

  private static func model(_ choice: NetworkChoice) throws -> Model {
    try Model(
      network: randomNetwork(choice.architecture), labels: ["a", "b"],
      preprocessing: choice.preprocessing, decision: .init(temperature: 100))
  }

  @Test(arguments: [0, 1, 2, 3]) func picturesAreTheSameEverywhere(frame: Int) throws {
    let folder = try TemporaryFolder()
    let pictures: PictureFrame? =
      switch frame {
      case 0: nil
      case 1: try .margin(1, size: 28)
      case 2: try .whole(size: 28)
      default: try PictureFrame(side: 20, sides: 19...20, drift: 0.6, centersMass: true)
      }
    let rasterizer = try Rasterizer(pictures: pictures)
    let architecture = try Architecture(
      name: "test", inputSize: 28,
      layers: [.flatten, .dense(units: 2)])
    let choice = try NetworkChoice(architecture, for: Dataset([]), rasterizer: rasterizer)
    let model = try Self.model(choice)
    for (name, example) in try Self.examples(in: folder) {
      let learnt = try Self.learnt(example, architecture, choice.preprocessing)
      // Preview shows this, and `render` writes it.
      let shown = try example.bitmap(rasterizer)
      #expect(shown.pixels.map { Float($0) * (1 / 255) } == learnt[0], "preview of a \(name)")
      #expect(learnt[0].contains { $0 > 0.5 } && learnt[0].count { $0 < 0.2 } > 400, "\(name)")
      try Self.check(example, learnt, model, name)
    }
  }

  /// A network that reads lines with the directions of the pen.
  private static func readerWithDirections() throws -> Architecture {
    try Architecture(
      name: "directions",
      inputs: [
        NetworkInput(
          name: "line", form: .image(channels: 5, height: 32, width: .variable(8...4096)))
      ],
      nodes: [
        .init(.convolution(filters: 3, kernel: 3, padding: .same)), .init(.maxPooling(size: 4)),
        .init(.columns), .init(.dense(units: 3)),
      ], output: .distributionPerStep)
  }

  @Test(arguments: [false, true]) func linesAreTheSameEverywhere(withDirections: Bool) throws {
    let folder = try TemporaryFolder()
    let dataset = Dataset([Example(.drawing(circle(radius: 9)), label: "ab", origin: "a")])
    let choice =
      withDirections
      ? try NetworkChoice(Self.readerWithDirections(), for: dataset)
      : try #require(try NetworkChoice(named: "reader", for: dataset))
    let model = try Model(
      network: randomNetwork(choice.architecture), labels: ["a", "b"],
      preprocessing: choice.preprocessing)
    let reader = try Reader(model: model)
    let rasterizer = try LineRasterizer(
      height: 32, stretch: 1.5, minWidth: 64, showsDirections: withDirections)
    for (name, example) in try Self.examples(in: folder) {
      let learnt = try Self.learnt(example, choice.architecture, choice.preprocessing)
      let shown = try example.line(rasterizer)
      #expect(shown.directions.contains { $0 > 0 } == (withDirections && name == "drawing"))
      #expect(shown.planes.map { Float($0) * (1 / 255) } == learnt[0], "preview of a \(name)")
      #expect(
        try reader.logits(of: example.recognitionInput)
          == InferenceNetwork(model.network).logits(of: learnt), "\(name)")
    }
  }

  @Test func whatWasTracedHasNoDirection() throws {
    let dataset = Dataset([Example(.drawing(circle(radius: 9)), label: "ab", origin: "a")])
    let choice = try NetworkChoice(Self.readerWithDirections(), for: dataset)
    let reader = try Reader(
      model: Model(
        network: randomNetwork(choice.architecture), labels: ["a", "b"],
        preprocessing: choice.preprocessing))
    let drawing = Drawing([Stroke([Point(0, 0), Point(30, 10), Point(5, 40)])])
    let reversed = Drawing(drawing.strokes.map { $0.reversed() })
    func logits(_ drawing: Drawing, isTraced: Bool) throws -> [Float] {
      try #require(try reader.logits(of: .drawing(drawing), isTraced: isTraced))
    }
    #expect(try logits(drawing, isTraced: false) != logits(reversed, isTraced: false))
    #expect(try logits(drawing, isTraced: true) == logits(reversed, isTraced: true))
  }

  @Test func strokesAreTheSameEverywhere() throws {
    let folder = try TemporaryFolder()
    var drawing = try Self.examples(in: folder)[0].1
    var other = drawing
    other.label = "b"
    for name in ["gesture", "fusion"] {
      let dataset = Dataset([drawing, other])
      let choice = try #require(try NetworkChoice(named: name, for: dataset))
      let learnt = try Self.learnt(drawing, choice.architecture, choice.preprocessing)
      try Self.check(drawing, learnt, Self.model(choice), name)
    }
    // A small unit changes what a tap is, and nothing else.
    let ink = try #require(drawing.content.drawing)
    drawing.content = .drawing(ink.transformed(by: .scale(x: 1 / 128, y: 1 / 128)))
    let choice = try #require(
      try NetworkChoice(named: "fusion", for: Dataset([drawing, other])))
    let learnt = try Self.learnt(drawing, choice.architecture, choice.preprocessing)
    try Self.check(drawing, learnt, Self.model(choice), "small drawing")
  }

  @Test func recordingsAreTheSameEverywhere() throws {
    func example(_ label: String, _ phase: Float) throws -> Example {
      let values = (0..<60).flatMap { [sin(Float($0) / 5 + phase), Float($0 % 7)] }
      return Example(
        .series(try Series(channels: ["x", "y"], values: values)), label: label, origin: label)
    }
    let dataset = Dataset([try example("a", 0), try example("b", 1)])
    let choice = try #require(try NetworkChoice(named: "gesture", for: dataset))
    for example in dataset.examples {
      let learnt = try Self.learnt(example, choice.architecture, choice.preprocessing)
      try Self.check(example, learnt, Self.model(choice), "recording")
    }
  }
}
