import Foundation
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

/// Training of networks that read text: a distribution per step, with CTC.
@Suite(.timeLimit(.minutes(30))) struct ReaderTests {
  // MARK: Lines of recordings, with the trainer

  /// A text as a series of two channels: each letter is a wave of its own, with pauses between them.
  private static func wave(_ text: String, seed: UInt64) throws -> Series {
    var generator = SeededGenerator(seed: seed)
    var values: [Float] = [0, 0, 0, 0]
    for letter in text {
      let number = Double(letter.unicodeScalars.first!.value % 4)
      let length = 5 + generator.index(below: 3)
      for step in 0..<length {
        let angle = Double(step) / Double(length) * .pi
        values.append(Float(sin(angle) * (number < 2 ? 1 : -1) + 0.1 * generator.normal()))
        values.append(
          Float(sin(angle) * (number.truncatingRemainder(dividingBy: 2) == 0 ? 1 : -1)))
      }
      for _ in 0..<2 + generator.index(below: 3) { values += [Float(0.1 * generator.normal()), 0] }
    }
    return try Series(channels: ["x", "y"], values: values)
  }

  private static func texts(_ count: Int, seed: UInt64) throws -> Dataset {
    var generator = SeededGenerator(seed: seed)
    return Dataset(
      try (0..<count).map { index in
        let text = String(
          (0..<generator.index(below: 5)).map { _ in generator.pick(["a", "b", "c", "d"]) }.joined()
        )
        return Example(
          .series(try wave(text, seed: seed << 20 + UInt64(index))), label: text,
          origin: "line \(index)")
      })
  }

  private static func network(_ classCount: Int = 5) throws -> Architecture {
    try Architecture(
      name: "waves",
      inputs: [NetworkInput(name: "pen", form: .series(channels: 2, length: .variable(1...400)))],
      nodes: [
        .init(.seriesConvolution(filters: 16, kernel: 5, padding: .same)), .init(.relu),
        .init(.gru(units: 12, direction: .both)), .init(.dense(units: classCount)),
      ], output: .distributionPerStep)
  }

  private static var options: TrainingOptions {
    var options = TrainingOptions()
    options.epochs = 12
    options.batchSize = 16
    options.learningRate = 1e-2
    options.maxGradientNorm = 5
    options.seed = 3
    return options
  }

  private static func trainer(
    training: Dataset? = nil, validation: Dataset? = nil, alphabet: [String]? = nil,
    options: TrainingOptions = options, workers: Int = 2
  ) throws -> Trainer {
    let training = try training ?? texts(200, seed: 1)
    return try Trainer(
      network(), training: training, validation: validation ?? texts(60, seed: 2),
      preprocessing: NetworkChoice(network(), for: training).preprocessing, options: options,
      alphabet: alphabet, workers: workers)
  }

  private static func model(_ trainer: Trainer) throws -> Model {
    try #require(trainer.run().model)
  }

  @Test func wordsOfSeveralWritersCountOnceForEach() throws {
    func example(_ text: String, _ writer: String?) throws -> Example {
      Example(
        .series(try Self.wave("ab", seed: 1)), label: text, writer: writer, origin: "a line")
    }
    let lines = Dataset([
      try example("Order", "a"), try example("order", "b"), try example("ORDER", "c"),
      try example("claim", "a"), try example("claim", "b"), try example("claim", "b"),
      try example("ab", "a"), try example("ab", "b"), try example("ab", "c"),
      try example("q10", "a"), try example("q10", "b"), try example("q10", "c"),
      try example("list", "a"), try example("list", "b"), try example("list", nil),
      try example("stop", "a"), try example("stop", "a"), try example("stop", nil),
    ])
    let words = lines.words.sorted { $0.word < $1.word }
    #expect(words.map(\.word) == ["claim", "list", "order"] && words.map(\.weight) == [2, 2, 3])
  }

  @Test func aReaderLearnsAndItsBestEpochIsKept() throws {
    let trainer = try Self.trainer()
    let model = try Self.model(trainer)
    #expect(model.labels == ["a", "b", "c", "d"])
    #expect(model.readsText)
    let rates = trainer.history.map { $0.validationReading!.characterErrorRate }
    #expect(rates[0] > 0.3 && rates.min()! < 0.03)
    #expect(trainer.history.allSatisfy { $0.validationMeanRecall == nil })
    #expect(trainer.history.last!.trainingReading!.characterErrorRate < 0.1)
    // Of equally good epochs, the one with the lowest loss.
    let best = trainer.history.min {
      let rates = (
        $0.validationReading!.characterErrorRate, $1.validationReading!.characterErrorRate
      )
      return rates.0 == rates.1 ? $0.validationLoss! < $1.validationLoss! : rates.0 < rates.1
    }!
    #expect(model.provenance["epoch"] == "\(best.epoch)")
    let table = LearningCurve(trainer.history).csv.split(separator: "\n")
    #expect(table[0].hasSuffix("validation_word_error_rate,validation_blank_share"))
    let cells = table.last!.split(separator: ",")
    let record = trainer.history.last!.validationReading!
    #expect(cells[9] == "\(record.characterErrorRate)" && cells[10] == "\(record.wordErrorRate)")
    // Every text is one word.
    #expect(trainer.history[0].validationReading!.wordErrorRate > 0.5)
    #expect(record.wordErrorRate < 0.2)
    // Steps between letters are blanks, and those within letters are not all.
    #expect((0.3...0.95).contains(best.validationReading!.blankShare))

    // What the model reads, with the means of inference, has the error rate of the record.
    let network = InferenceNetwork(model.network)
    var (edits, characters) = (0, 0)
    for example in try Self.texts(60, seed: 2).examples {
      guard case .series(let series) = example.content else { continue }
      let logits = network.logits(of: [try model.preprocessing[0].values(of: .series(series))])
      let read = bestPath(of: logits, steps: logits.count / 5, classCount: 5).classes
      let text = example.label.map { model.labels.firstIndex(of: String($0))! + 1 }
      edits += EditScript(from: read, to: text).count
      characters += text.count
    }
    #expect(
      abs(Double(edits) / Double(characters) - best.validationReading!.characterErrorRate) < 1e-9)
  }

  @Test func readersHaveTheSameBytesForAnyNumberOfWorkersAndAfterAStop() throws {
    var options = Self.options
    options.epochs = 2
    let model = try Self.model(Self.trainer(options: options, workers: 1)).encoded()
    #expect(try Self.model(Self.trainer(options: options, workers: 2)).encoded() == model)
    let folder = try TemporaryFolder()
    let checkpoint = "\(folder.path)/c"
    var steps = 0
    let first = try Self.trainer(options: options)
    _ = try first.run(
      checkpointPath: checkpoint, shouldStop: { steps == 5 },
      onEvent: { if case .step = $0 { steps += 1 } })
    let second = try Self.trainer(options: options)
    try second.resume(from: checkpoint)
    #expect(try Self.model(second).encoded() == model)
    #expect(second.history[0].trainingReading != nil)
    let uninterrupted = try Self.trainer(options: options)
    _ = try uninterrupted.run()
    #expect(second.history == uninterrupted.history)
  }

  /// The letters of listed words are in the model; a training that goes on keeps them, and one with others does not go on
  /// from its checkpoint.
  @Test func lettersOfWordsAreKept() throws {
    var options = Self.options
    options.epochs = 2
    func trainer(_ words: [String], from start: Model? = nil) throws -> Trainer {
      let lines = try Self.texts(60, seed: 6)
      return try Trainer(
        Self.network(), training: lines, validation: nil,
        preprocessing: NetworkChoice(Self.network(), for: lines).preprocessing,
        options: options, words: words, startingFrom: start, workers: 2)
    }
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/c"
    let first = try trainer(["abba", "cab"])
    var epochs = 0
    _ = try first.run(
      checkpointPath: path, shouldStop: { epochs == 1 },
      onEvent: { if case .epoch = $0 { epochs += 1 } })
    #expect(throws: TrainingError.self) { try trainer(["abba"]).resume(from: path) }
    let second = try trainer(["abba", "cab"])
    try second.resume(from: path)
    let model = try Self.model(second)
    let alphabet: [Character] = ["a", "b", "c", "d"]
    let expected = LetterCounts(of: [("abba", 0.3), ("cab", 0.3)], alphabet: alphabet)
    #expect(model.letters == expected && expected != nil)
    let more = try Self.model(trainer(["dad"], from: model))
    #expect(
      more.letters == LetterCounts(of: [("dad", 0.3)], alphabet: alphabet, earlier: expected))
    #expect(try Self.model(trainer([])).letters == nil)
  }

  /// Training goes on from a reader that knows more characters than the new lines have.
  @Test func aReaderIsAdaptedToNewLines() throws {
    var options = Self.options
    options.epochs = 1
    let first = try Self.model(Self.trainer(options: options))
    let lines = Dataset(
      try Self.texts(80, seed: 6).examples.filter { !$0.label.contains("d") })
    let trainer = try Trainer(
      Self.network(), training: lines, validation: nil, preprocessing: first.preprocessing,
      options: options, startingFrom: first, workers: 2)
    let second = try Self.model(trainer)
    #expect(second.labels == first.labels && second.network != first.network)
  }

  @Test func aReaderGetsMoreCharactersAndReadsAsBefore() throws {
    var options = Self.options
    options.epochs = 1
    let trained = try Self.model(Self.trainer(options: options))
    let first = try Model(
      network: trained.network, labels: trained.labels, preprocessing: trained.preprocessing,
      letters: LetterCounts(of: [("abc", 1)], alphabet: ["a", "b", "c", "d"]))
    #expect(try first.adding(characters: ["a", "d"]) == first)
    let wider = try first.adding(characters: ["x", "a", "y"])
    #expect(wider.labels == ["a", "b", "c", "d", "x", "y"])
    #expect(wider.preprocessing == first.preprocessing && wider.letters == first.letters)
    #expect(wider.letters != nil)
    let (before, after) = (InferenceNetwork(first.network), InferenceNetwork(wider.network))
    for example in try Self.texts(20, seed: 2).examples {
      guard case .series(let series) = example.content else { continue }
      let input = try first.preprocessing[0].values(of: .series(series))
      let (old, new) = (before.logits(of: [input]), after.logits(of: [input]))
      #expect(new.count == old.count / 5 * 7)
      for step in 0..<old.count / 5 {
        let (known, all) = (old[step * 5..<step * 5 + 5], new[step * 7..<step * 7 + 7])
        for (a, b) in zip(known, all) { #expect(abs(a - b) < 1e-4) }
        #expect(all[step * 7 + 5] <= known.max()! && all[step * 7 + 5] == all[step * 7 + 6])
      }
    }
    #expect(throws: ModelError.self) { try first.adding(characters: ["xy"]) }
    // And learns them.
    var examples = try Self.texts(80, seed: 6).examples
    for index in examples.indices {
      examples[index].label = examples[index].label.replacing("d", with: "x")
    }
    let trainer = try Trainer(
      wider.architecture, training: Dataset(examples), validation: nil,
      preprocessing: wider.preprocessing, options: options, startingFrom: wider, workers: 2)
    #expect(try Self.model(trainer).labels == wider.labels)
  }

  @Test func patienceCountsTheCharacterErrorRate() throws {
    var options = Self.options
    options.epochs = 60
    // Longer than nothing but blanks is read.
    options.patience = 8
    // A letter that is not there: no text is read right, and the loss rises while more letters are read.
    var examples = try Self.texts(60, seed: 2).examples
    for index in examples.indices { examples[index].label += "d" }
    let trainer = try Self.trainer(validation: Dataset(examples), options: options)
    let model = try Self.model(trainer)
    let history = trainer.history
    #expect(history.count < 60)
    let rates = history.map { $0.validationReading!.characterErrorRate }
    let losses = history.map { $0.validationLoss! }
    #expect(history.allSatisfy { $0.validationAccuracy! == 0 })
    #expect(losses.firstIndex(of: losses.min()!) != history.count - 9)
    #expect(model.provenance["epoch"] == "\(history.count - 8)")
    #expect(rates[history.count - 9] == rates.min())
  }

  @Test func linesThatCannotBeLearntAreNamed() throws {
    func message(
      _ change: (inout [Example]) -> Void, alphabet: [String]? = nil,
      _ option: (inout TrainingOptions) -> Void = { _ in }
    ) throws -> String {
      var examples = try Self.texts(40, seed: 1).examples
      change(&examples)
      var options = Self.options
      option(&options)
      do {
        _ = try Self.trainer(training: Dataset(examples), alphabet: alphabet, options: options)
        return "fine"
      } catch { return "\(error)" }
    }
    #expect(try message { _ in } == "fine")
    let short = try Series(channels: ["x", "y"], values: [0, 0, 1, 1, 0, 1, 1, 0])
    #expect(
      try message {
        $0[7] = Example(.series(short), label: "abb", origin: "short line")
      } == "fine")
    #expect(
      try message {
        $0[7] = Example(.series(short), label: "aabb", origin: "short line")
      } == "short line: expected 6 steps or more for the text `aabb`, found 4")
    let long = try Series(channels: ["x", "y"], values: [Float](repeating: 0, count: 802))
    #expect(
      try message {
        $0[7] = Example(.series(long), label: "a", origin: "long line")
      } == "long line: expected 1 to 400 steps for the network, found 401")
    let alphabet = ["a", "b", "c", "d"]
    #expect(
      try message(
        {
          $0[3].label = "éa"
          $0[5].label = "aéβ"
        }, alphabet: alphabet)
        == "training data: labels have characters that the reader does not know: `é` (2), `β` (1); "
        + "the first one is in line 3")
    #expect(
      try message({ $0[3].label = "x" })
        == "training data: the network has 4 characters, and the alphabet has 5")
    #expect(
      try message({ _ in }) { $0.labelSmoothing = 0.1 }
        == "label smoothing: expected 0 for a reader, found 0.1")
    #expect(
      try message({ _ in }) { $0.balancesClasses = true }
        == "balanced classes: expected none for a reader, found balanced classes")
  }

  /// Faster recordings have fewer steps: a variation on which the text does not fit is not used.
  @Test func variationsThatAreTooShortAreNotUsed() throws {
    let texts = try Self.texts(60, seed: 4)
    let dense = Dataset(
      try texts.examples.map { example in
        var example = example
        let text = String(repeating: "ab", count: 6)
        // As many steps as letters.
        example.content = .series(
          try Series(
            channels: ["x", "y"], values: (0..<24).map { Float($0 % 3) }, rate: 10))
        example.label = text
        return example
      })
    var options = Self.options
    options.epochs = 3
    options.seriesAugmentation = .mild
    let trainer = try Trainer(
      Self.network(3), training: dense, validation: nil,
      preprocessing: NetworkChoice(Self.network(3), for: dense).preprocessing, options: options,
      workers: 2)
    _ = try trainer.run()
    #expect(trainer.history.count == 3)
  }

  @Test func aReaderIsStoredAndDoesNotClassify() throws {
    let network = try randomNetwork(Self.network())
    let preparation = try SeriesPreparation.measured(on: [Self.wave("abcd", seed: 1)], rate: nil)
    let model = try Model(
      network: network, labels: ["a", " ", "ε", "é"],
      preprocessing: [.series(preparation, window: nil)])
    let folder = try TemporaryFolder()
    let path = try folder.write("reader.safetensors", model.encoded())
    #expect(try Model.read(path: path) == model)
    let error = #expect(throws: ModelError.self) { try Recognizer(modelPath: path) }
    #expect("\(error!)" == "\(path): the model reads text and does not classify")
    let series = try Self.wave("ab", seed: 2)
    #expect(throws: PreparationError.self) { try Recognizer(model: model).recognize(series) }
    for labels in [["a", "b", "c"], ["a", "b", "c", "dd"], ["a", "b", "c", "d", "e"]] {
      #expect(throws: ModelError.self) {
        try Model(
          network: network, labels: labels, preprocessing: [.series(preparation, window: nil)])
      }
    }
  }

  // MARK: Lines of pictures, with the network alone

  /// A line of synthetic digits, `[32, width]`, and their classes.
  private struct Line {
    var pixels: [Float]
    var classes: [Int]
    var width: Int { pixels.count / 32 }
  }

  private static func lines(_ count: Int, seed: UInt64) throws -> [Line] {
    let rasterizer = try Rasterizer(size: 32, margin: 3, penWidth: 2)
    let synthesizer = Synthesizer(seed: seed, repertoire: .digits)
    var generator = SeededGenerator(seed: seed)
    return try (0..<count).map { index in
      let text = (0..<1 + generator.index(below: 5)).map { _ in generator.index(below: 10) }
      var columns = [[Float]](repeating: [Float](repeating: 0, count: 32), count: 3)
      for (place, digit) in text.enumerated() {
        let drawing = synthesizer.recording(
          label: "\(digit)", writer: index % 40, index: index * 8 + place
        ).drawing
        let bitmap = try rasterizer.render(drawing)
        let own = (0..<32).map { x in (0..<32).map { Float(bitmap[$0, x]) / 255 } }
        let inked = own.indices.filter { own[$0].contains { $0 > 0 } }
        columns += own[inked.first!...inked.last!]
        columns += [[Float]](
          repeating: [Float](repeating: 0, count: 32), count: 3 + generator.index(below: 4))
      }
      while columns.count < 4 * CTCLoss.minimumSteps(for: text) + 4 {
        columns.append([Float](repeating: 0, count: 32))
      }
      return Line(
        pixels: (0..<32).flatMap { y in columns.map { $0[y] } }, classes: text.map { $0 + 1 })
    }
  }

  private static func learn(
    _ network: TrainingNetwork, _ lines: [Line], step: Int
  ) -> AnswerSums {
    network.learn(
      targets: lines.map(\.classes), loss: CTCLoss(classCount: 11), trainingStep: step,
      length: { example, _ in lines[example].width }
    ) { example, _, values in
      for (index, value) in lines[example].pixels.enumerated() { values[index] = value }
    }
  }

  private static func train(
    _ lines: [Line], epochs: Int, workers: Int
  ) throws -> (network: TrainingNetwork, last: AnswerSums) {
    let architecture = try Architecture.reader(classCount: 11)
    let network = try TrainingNetwork(
      architecture, longest: [lines.map(\.width).max()!], maximumExamples: 16, workers: workers,
      seed: 5)
    let optimizer = OptimizerState(Optimizer(.adam), count: network.learnt.count, workers: workers)
    var last = AnswerSums()
    let stepsPerEpoch = lines.count / 16
    for step in 0..<epochs * stepsPerEpoch {
      if step % stepsPerEpoch == 0 { last = AnswerSums() }
      let start = step % stepsPerEpoch * 16
      last += learn(network, Array(lines[start..<start + 16]), step: step)
      optimizer.update(
        network.learnt, gradient: network.gradient, step: step + 1,
        learningRate: 3e-3 * (1 - Double(step) / Double(epochs * stepsPerEpoch)),
        maxGradientNorm: 5)
    }
    return (network, last)
  }

  /// Lines of other writers are read by the inference network.
  @Test func theReaderReadsSyntheticDigits() throws {
    let trained = try Self.train(Self.lines(800, seed: 1), epochs: 8, workers: 2)
    let network = InferenceNetwork(
      try TrainedNetwork(trained.network.architecture, weights: trained.network.weights))
    var counts = ReadingCounts()
    for line in try Self.lines(150, seed: 2) {
      let logits = network.logits(of: [line.pixels])
      #expect(logits.count == line.width / 4 * 11)
      let read = bestPath(of: logits, steps: line.width / 4, classCount: 11)
      counts += ReadingCounts(
        characters: line.classes.count,
        edits: EditScript(from: read.classes, to: line.classes).count,
        steps: line.width / 4, blanks: read.blankCount)
    }
    #expect(counts.record!.characterErrorRate < 0.05)
  }

  @Test func theReaderHasTheSameBitsForAnyNumberOfWorkers() throws {
    let lines = try Self.lines(48, seed: 3)
    let results = try [1, 2, 3].map { workers in
      let (network, last) = try Self.train(lines, epochs: 1, workers: workers)
      return (network.learnt.values + network.statistics.values + [Float(last.loss)]).map(
        \.bitPattern)
    }
    #expect(results[1] == results[0] && results[2] == results[0])
  }

  /// The loss moves as its gradient says, through CTC, recurrence and convolutions over lines of several
  /// widths.
  @Test func gradientsOfTheReaderAreThoseOfTheLoss() throws {
    let lines = try Self.lines(6, seed: 4)
    #expect(Set(lines.map(\.width)).count > 3)
    let network = try TrainingNetwork(
      Architecture.reader(classCount: 11), longest: [400], maximumExamples: 6, workers: 2, seed: 5)
    let here = Self.learn(network, lines, step: 1).loss
    let gradient = network.gradient.values
    let architecture = network.architecture
    var generator = SeededGenerator(seed: 9)
    var (checked, off) = (0, 0)
    var start = 0
    for parameter in architecture.parameters where parameter.isLearnt {
      defer { start += parameter.count }
      for _ in 0..<6 {
        let position = start + generator.index(below: parameter.count)
        let weight = network.learnt.pointer[position]
        func loss(at change: Float) -> Double {
          network.learnt.pointer[position] = weight + change
          defer { network.learnt.pointer[position] = weight }
          return Self.learn(network, lines, step: 1).loss
        }
        let step: Float = 2e-3
        let (below, above) = (loss(at: -step), loss(at: step))
        // At a kink of ReLU or max the slopes on both sides differ and their mean says nothing.
        guard abs(Float(above - here) - Float(here - below)) < 2e-3 * step else { continue }
        checked += 1
        let numeric = Float(above - below) / (2 * step)
        if abs(numeric - gradient[position]) > 2e-3 + 0.02 * abs(numeric) { off += 1 }
      }
    }
    #expect(checked > 60)
    #expect(off == 0, "\(off) of \(checked) gradients are off")
  }

  @Test func theReaderIsSmall() throws {
    let reader = try Architecture.reader(classCount: 100)
    #expect(reader.parameterCount == 633_588)
    #expect(reader.name == "reader" && reader.output == .distributionPerStep)
    #expect(reader.labelCount == 99)
    #expect(try Architecture.reader(classCount: 100, height: 48).parameterCount <= 800_000)
    #expect(reader.outputSteps(of: [64]) == 16)
  }
}
