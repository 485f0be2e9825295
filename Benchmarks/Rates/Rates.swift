import Automata
import AutomatonEditor
import Dispatch
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import InkTraining
import SeededRandom

/// Measures Inkstate as `compare.py` asks, as `peers.py` measures the others: a line of JSON in, a line
/// of JSON out.
///
/// Processes that `mpirun` started have the request as an argument, and the first of them answers.
@main enum Rates {
  struct Request: Decodable {
    var task: String
    var network: String
    var batch: Int
    var seconds: Double
    /// Overrides for the growth curves; the defaults match the peers.
    var size: Int?
    var classes: Int?
    var examples: Int?
    /// For networks over series: their steps, or the most of them where `least` is given, and their
    /// channels; and the units of the recurrent layer.
    var steps: Int?
    var least: Int?
    var channels: Int?
    var units: Int?
    /// The columns of lines of writing and pages.
    var width: Int?
    /// The rows of pages.
    var height: Int?
    /// The points of a stroke.
    var points: Int?

    var isOfSeries: Bool { Architecture.seriesNames.contains(network) }
  }

  struct Answer: Encodable {
    /// Pictures a second.
    var rate: Double
    /// Microseconds a batch.
    var median: Double
    var p99: Double
    /// MiB.
    var memory = 0.0
    /// The weights of the network, where the peak is asked for.
    var parameters: Int?
  }

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let threads = arguments.first.flatMap(Int.init) else {
      FileHandle.standardError.write(Data("usage: Rates THREADS [REQUEST] <requests\n".utf8))
      exit(64)
    }
    let encoder = JSONEncoder()
    func say(_ answer: some Encodable) throws {
      FileHandle.standardOutput.write(try encoder.encode(answer) + Data("\n".utf8))
    }
    if let text = arguments.dropFirst().first {
      let group = try ProcessGroup.join()
      let request = try JSONDecoder().decode(Request.self, from: Data(text.utf8))
      let answer =
        switch request.task {
        case "sum": sums(request, group: group)
        case "train": try train(request, threads: threads, group: group)
        default: fatalError("expected the task sum or train, found \(request.task)")
        }
      if group.rank == 0 { try say(answer) }
      group.leave()
      return
    }
    try say(["version": "Inkstate, \(try BLAS.load().name)"])
    while let line = readLine() {
      let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
      try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"), options: [])
      var answer = try measure(request, threads: threads)
      answer.memory = peakMemory()
      try say(answer)
    }
  }

  static func measure(_ request: Request, threads: Int) throws -> Answer {
    switch request.task {
    case "peak":
      let rate = try BLAS.load().matrixProductRate(threads: threads, seconds: request.seconds)
      let parameters = try architecture(request).parameters.reduce(0) { $0 + $1.count }
      return Answer(rate: rate, median: 0, p99: 0, parameters: parameters)
    case "bandwidth": return bandwidth(request, threads: threads)
    case "train" where request.network == "reader":
      return try trainReader(request, threads: threads)
    case "infer" where request.network == "reader":
      return try inferReader(request, threads: threads)
    case "train" where request.network == "page":
      return try trainPage(request, threads: threads)
    case "infer" where request.network == "page":
      return try inferPage(request, threads: threads)
    case "train" where request.isOfSeries: return try trainOnSeries(request, threads: threads)
    case "infer" where request.isOfSeries: return try inferSeries(request)
    case "train": return try train(request, threads: threads)
    case "epoch": return try epoch(request, threads: threads)
    case "infer": return try infer(request, threads: threads)
    case "label": return try label(request)
    case "draw": return try draw(request)
    case "recognize": return try recognize(request, threads: threads)
    case "minimize", "equivalent", "words": return try answerAboutAutomaton(request)
    default:
      fatalError(
        "expected the task peak, bandwidth, train, epoch, infer, label, draw, recognize, minimize, "
          + "equivalent or words, found \(request.task)")
    }
  }

  /// The network of a row.
  static func architecture(_ request: Request) throws -> Architecture {
    switch request.network {
    case "reader": return try .reader(classCount: characterCount + 1)
    case "page": return try .page(classCount: SegmentationClass.pages.count)
    case _ where request.isOfSeries: return try series(request, count: 0).0
    default:
      guard
        let network = try Architecture.named(
          request.network, classCount: request.classes ?? 10, inputSize: request.size ?? 28)
      else { fatalError("expected a named network, found \(request.network)") }
      return network
    }
  }

  /// Adds up as many numbers as `examples` over all processes, again and again.
  static func sums(_ request: Request, group: ProcessGroup) -> Answer {
    let count = request.examples ?? 1
    let values = UnsafeMutablePointer<Float>.allocate(capacity: count)
    values.initialize(repeating: 0, count: count)
    defer { values.deallocate() }
    let clock = ContinuousClock()
    // As often on all of them.
    let times = (0..<300).map { _ in
      clock.measure { group.sum(values, count: count) } / .microseconds(1)
    }
    return answer(Array(times.dropFirst(50)), batch: 1)
  }

  /// Bytes a second that so many cores read from memory, of numbers that no cache holds.
  static func bandwidth(_ request: Request, threads: Int) -> Answer {
    let count = 32 << 20
    let numbers = [SIMD8<Float>](repeating: SIMD8(repeating: 1), count: count)
    let sums = UnsafeMutableBufferPointer<Float>.allocate(capacity: threads)
    defer { sums.deallocate() }
    nonisolated(unsafe) let output = sums
    var answer = numbers.withUnsafeBufferPointer { numbers in
      nonisolated(unsafe) let input = numbers
      return repeated(request) {
        DispatchQueue.concurrentPerform(iterations: threads) { part in
          var parts = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
          for index in stride(
            from: count * part / threads & ~3, to: count * (part + 1) / threads & ~3, by: 4)
          {
            parts.0 += input[index]
            parts.1 += input[index + 1]
            parts.2 += input[index + 2]
            parts.3 += input[index + 3]
          }
          output[part] = (parts.0 + parts.1 + parts.2 + parts.3).sum()
        }
      }
    }
    precondition(sums.allSatisfy { $0 > 0 }, "ones")
    answer.rate *= Double(count * MemoryLayout<SIMD8<Float>>.size)
    return answer
  }

  static func pictures(_ count: Int, size: Int, classes: Int) -> Dataset {
    var generator = SeededGenerator(seed: 1)
    let examples = (0..<count).map { index in
      Example(
        .bitmap(
          Bitmap(
            width: size, height: size,
            pixels: noise(size * size, using: &generator))),
        label: "\(index % classes)", origin: "picture \(index)")
    }
    return Dataset(examples)
  }

  static func noise(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { pixels, initialized in
      var bits: UInt64 = 0
      for index in 0..<count {
        if index % 8 == 0 { bits = generator.next() }
        pixels[index] = UInt8(truncatingIfNeeded: bits >> (index % 8 * 8))
      }
      initialized = count
    }
  }

  static func trainer(
    _ request: Request, count: Int, threads: Int, group: ProcessGroup
  ) throws -> Trainer {
    let size = request.size ?? 28
    let classes = request.classes ?? 10
    let rasterizer = try Rasterizer(size: size, margin: 2, penWidth: 2)
    return try Trainer(
      architecture(request),
      training: pictures(max(count, classes), size: size, classes: classes),
      validation: nil, preprocessing: [.raster(rasterizer)], options: plainOptions(request),
      workers: threads, group: group)
  }

  /// Adam at a constant rate, for longer than anybody measures.
  static func plainOptions(_ request: Request) -> TrainingOptions {
    var options = TrainingOptions()
    options.batchSize = request.batch
    options.epochs = 100_000
    return options
  }

  /// Whole steps of training: fetching pictures, both passes, the optimiser.
  ///
  /// The processes of a `group` share each batch.
  static func train(
    _ request: Request, threads: Int, group: ProcessGroup = .alone
  ) throws -> Answer {
    try steps(
      of: trainer(
        request, count: max(4 * request.batch, 2048), threads: threads, group: group), request)
  }

  private static func steps(of trainer: some TrainingRun, _ request: Request) throws -> Answer {
    let clock = ContinuousClock()
    let start = clock.now + .seconds(request.seconds / 3)
    var last = start
    var times: [Double] = []
    _ = try trainer.run(
      checkpointPath: nil, provenance: [:],
      shouldStop: {
        let now = clock.now
        guard now > start else { return false }
        if last > start { times.append(last.duration(to: now) / .microseconds(1)) }
        last = now
        return times.count >= 5 && start.duration(to: now) > .seconds(request.seconds)
      }, onEvent: { _ in })
    return answer(times, batch: request.batch)
  }

  // MARK: Series

  /// A named network over series of as many steps and channels as asked for, and series for it.
  static func series(_ request: Request, count: Int) throws -> (Architecture, [[Float]]) {
    let (steps, channels) = (request.steps ?? 60, request.channels ?? 6)
    guard
      let named = try Architecture.named(
        request.network, classCount: request.classes ?? 5, channels: channels, shortest: steps)
    else { fatalError("expected a named network, found \(request.network)") }
    let nodes = named.nodes.map { node in
      var node = node
      switch (node.layer, request.units) {
      case (.gru(let layer), let units?):
        node.layer = .gru(units: units, direction: layer.direction)
      case (.lstm(let layer), let units?):
        node.layer = .lstm(units: units, direction: layer.direction)
      default: break
      }
      return node
    }
    let least = request.least ?? steps
    let input = NetworkInput(
      name: "series", form: .series(channels: channels, length: .variable(least...steps)))
    var generator = SeededGenerator(seed: 1)
    let series = (0..<count).map { _ in
      (0..<channels * (least + generator.index(below: steps - least + 1))).map { _ in
        Float(generator.uniform())
      }
    }
    return (try Architecture(name: request.network, inputs: [input], nodes: nodes), series)
  }

  /// Whole steps of training on series: fetching them, both passes, the optimiser.
  static func trainOnSeries(_ request: Request, threads: Int) throws -> Answer {
    let (network, series) = try series(request, count: max(4 * request.batch, 2048))
    let channels = (0..<network.inputShapes[0].channelCount).map { "\($0)" }
    let examples = try series.enumerated().map { index, values in
      Example(
        .series(try Series(channels: channels, values: values)),
        label: "\(index % network.classCount)", origin: "series \(index)")
    }
    let preparation = try SeriesPreparation(channels: channels)
    return try steps(
      of: Trainer(
        network, training: Dataset(examples), validation: nil,
        preprocessing: [.series(preparation, window: nil)], options: plainOptions(request),
        workers: threads), request)
  }

  /// The logits of one series after the other, on one core.
  static func inferSeries(_ request: Request) throws -> Answer {
    let (architecture, series) = try series(request, count: 256)
    let network = InferenceNetwork(try untrained(architecture), inputScale: 1)
    var turn = 0
    var first: Float = 0
    return repeated(request) {
      for _ in 0..<request.batch {
        first += network.logits(of: [series[turn % series.count]])[0]
        turn += 1
      }
    }
  }

  // MARK: Lines of writing

  /// The classes of the network that reads lines, the blank included, and the width of its pictures, as
  /// `peers.py` has them.
  private static let characterCount = 97
  private static let lineWidth = 128

  /// Whole steps of training on lines with texts of five characters: fetching them, both passes, CTC, the
  /// optimiser.
  static func trainReader(_ request: Request, threads: Int) throws -> Answer {
    let architecture = try architecture(request)
    let choice = try NetworkChoice(architecture, for: Dataset([]))
    guard case .line(let rasterizer, _) = choice.preprocessing[0] else {
      fatalError("a reader reads lines")
    }
    var generator = SeededGenerator(seed: 1)
    let drawing = try line(rasterizer, using: &generator)
    let alphabet = (0..<characterCount).map { String(UnicodeScalar(UInt32(0x100 + $0))!) }
    let examples = (0..<max(4 * request.batch, 2048)).map { index in
      Example(
        .drawing(drawing), label: (0..<5).map { _ in generator.pick(alphabet) }.joined(),
        origin: "line \(index)")
    }
    return try steps(
      of: Trainer(
        architecture, training: Dataset(examples), validation: nil,
        preprocessing: choice.preprocessing, options: plainOptions(request), alphabet: alphabet,
        workers: threads), request)
  }

  /// Returns a line whose picture is as wide as those of the peers.
  private static func line(
    _ rasterizer: LineRasterizer, using generator: inout SeededGenerator
  ) throws -> Drawing {
    let heights = (0...40).map { _ in generator.uniform(0...100) }
    for width in 200..<800 {
      let points = heights.enumerated().map { index, y in
        Point(Double(width * index) / 40, index % 2 == 0 ? 0 : 100 - 0.2 * y)
      }
      let drawing = Drawing([Stroke(points)])
      if try rasterizer.render(drawing).bitmap.width == lineWidth { return drawing }
    }
    fatalError("no line has \(lineWidth) columns")
  }

  /// The logits of one line after the other, each on all cores.
  static func inferReader(_ request: Request, threads: Int) throws -> Answer {
    let network = InferenceNetwork(
      try untrained(architecture(request)), inputScale: 1)
    let width = request.width ?? lineWidth
    var generator = SeededGenerator(seed: 1)
    let lines = (0..<64).map { _ in
      (0..<32 * width).map { _ in Float(generator.uniform()) }
    }
    var turn = 0
    var first: Float = 0
    return repeated(request) {
      for _ in 0..<request.batch {
        first += network.logits(of: [lines[turn % lines.count]], workers: threads)[0]
        turn += 1
      }
    }
  }

  // MARK: Pages

  /// Whole steps of training on pages in memory: cutting parts of 384 × 384 pixels out, preparing them, both
  /// passes, the optimiser.
  static func trainPage(_ request: Request, threads: Int) throws -> Answer {
    let side = SegmentationOptions.usualSide
    let classes = SegmentationClass.pages
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "pages-\(ProcessInfo.processInfo.processIdentifier)"
    ).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var generator = SeededGenerator(seed: 1)
    try SegmentationWriter.write(to: folder, classes: classes) { writer in
      for _ in 0..<max(16, 2 * request.batch) {
        let cells = side / SegmentationFeed.cell
        try writer.add(
          SegmentationWriter.EncodedPage(
            Photograph(
              width: side, height: side, channels: 1,
              samples: noise(side * side, using: &generator)),
            mask: SegmentationMask(
              width: cells, height: cells,
              classes: (0..<cells * cells).map { _ in
                UInt8(generator.index(below: classes.count))
              }), writer: nil, source: nil))
      }
    }
    let dataset = try SegmentationDataset(folder: folder)
    let feed = try SegmentationFeed(
      dataset, pages: dataset.pages, side: side, preparation: .standard, augmentation: .none,
      seed: 1)
    var options = plainOptions(request)
    options.segmentation = SegmentationOptions(shares: feed.shares)
    return try steps(
      of: SegmentationTrainer(
        architecture(request), feed: feed, validation: nil, preparation: .standard,
        options: options, workers: threads), request)
  }

  /// The answers for the cells of one page after the other, each on all cores.
  static func inferPage(_ request: Request, threads: Int) throws -> Answer {
    let network = CellNetwork(try untrained(architecture(request)))
    let (height, width) = (request.height ?? 768, request.width ?? 1024)
    var generator = SeededGenerator(seed: 1)
    let pages = (0..<4).map { _ in
      (0..<height * width).map { _ in Float(generator.uniform()) }
    }
    var turn = 0
    return repeated(request) {
      for _ in 0..<request.batch {
        _ = network.answers(
          to: pages[turn % pages.count], height: height, width: width, workers: threads)
        turn += 1
      }
    }
  }

  // MARK: Pictures

  /// Everything from a data set in memory to the end of the first epoch.
  static func epoch(_ request: Request, threads: Int) throws -> Answer {
    let count = request.examples ?? 1000
    let dataset = pictures(count, size: 28, classes: 10)
    let rasterizer = try Rasterizer(size: 28, margin: 2, penWidth: 2)
    var options = TrainingOptions()
    options.batchSize = request.batch
    options.epochs = 1
    let network = try architecture(request)
    let time = try ContinuousClock().measure {
      let trainer = try Trainer(
        network, training: dataset, validation: nil, preprocessing: [.raster(rasterizer)],
        options: options,
        workers: threads)
      _ = try trainer.run()
    }
    let microseconds = time / .microseconds(1)
    return Answer(
      rate: 1e6 * Double(count) / microseconds, median: microseconds, p99: microseconds)
  }

  /// The logits of batches of pictures, of which each core takes a part.
  ///
  /// A single picture on several cores is given as numbers, as the library wants it then.
  static func infer(_ request: Request, threads: Int) throws -> Answer {
    let model = try untrainedModel(request)
    let network = InferenceNetwork(model.network, inputScale: model.pictureScale ?? 1)
    let area = network.inputCount
    // Batches of 2048 pictures or more, which are taken in turn.
    let batches = max(4, 2048 / request.batch)
    var generator = SeededGenerator(seed: 1)
    let pixels = noise(batches * request.batch * area, using: &generator)
    var turn = 0
    if request.batch == 1, threads > 1 {
      let scale = model.pictureScale ?? 1
      let pictures = (0..<batches).map { picture in
        [pixels[picture * area..<(picture + 1) * area].map { Float($0) * scale }]
      }
      var first: Float = 0
      return repeated(request) {
        first += network.logits(of: pictures[turn % batches], workers: threads)[0]
        turn += 1
      }
    }
    let classes = network.classCount
    let logits = UnsafeMutableBufferPointer<Float>.allocate(capacity: request.batch * classes)
    defer { logits.deallocate() }
    nonisolated(unsafe) let output = logits
    let parts = min(threads, request.batch)
    return pixels.withUnsafeBufferPointer { pixels in
      nonisolated(unsafe) let input = pixels
      return repeated(request) {
        let start = turn % batches * request.batch
        turn += 1
        @Sendable func compute(_ part: Int) {
          let range = request.batch * part / parts..<request.batch * (part + 1) / parts
          let places = (start + range.lowerBound) * area..<(start + range.upperBound) * area
          network.compute(
            UnsafeBufferPointer(rebasing: input[places]), count: range.count,
            into: UnsafeMutableBufferPointer(
              rebasing: output[range.lowerBound * classes..<range.upperBound * classes]))
        }
        if parts == 1 {
          compute(0)
        } else {
          DispatchQueue.concurrentPerform(iterations: parts, execute: compute)
        }
      }
    }
  }

  /// From the points of a drawing to its label, by the released model; of a ring of so many `points` where they are
  /// given.
  static func label(_ request: Request) throws -> Answer {
    let recognizer = try Recognizer.released()
    if let count = request.points {
      let turn = 2 * Double.pi / Double(count - 1)
      let ring = Drawing([
        Stroke((0..<count).map { Point(65 * cos(turn * Double($0)), 65 * sin(turn * Double($0))) })
      ])
      return try repeated(request) { _ = try recognizer.recognize(ring) }
    }
    let synthesizer = Synthesizer(seed: 1)
    let labels = synthesizer.repertoire.labels
    let drawings = (0..<64).map {
      synthesizer.recording(label: labels[$0 % labels.count], writer: $0, index: 0).drawing
    }
    var index = 0
    return try repeated(request) {
      _ = try recognizer.recognize(drawings[index % drawings.count])
      index += 1
    }
  }

  /// From the points of a stroke to the next document, for a document of `examples` elements, half of
  /// them states: recognition, the command, and the step of undoing.
  static func draw(_ request: Request) throws -> Answer {
    let count = max(2, (request.examples ?? 1000) / 2)
    let (centers, sketch) = grid(count)
    var editor = Editor(Document(id: "drawn"), ids: CountingIDs())
    for center in centers { try editor.perform(.addState(center: center)) }
    let ids = editor.document.states.map(\.id)
    for index in 0..<count - 1 {
      try editor.perform(.connect(from: ids[index], to: ids[index + 1]))
    }
    var session = SketchSession(editor, recognizer: try Recognizer.released())
    let strokes = Synthesizer(seed: 1).drawing(of: sketch, writer: 3).strokes
    var index = 0
    return repeated(request) {
      // Each stroke after a pause, so that none is the head of the one before.
      let stroke = Stroke(strokes[index % strokes.count].points.map { Point($0.x, $0.y) })
      _ = session.draw(stroke)
      session.editor.undo()
      index += 1
    }
  }

  /// A whole drawing of `examples` strokes: rings in rows, with arrows to the right.
  static func recognize(_ request: Request, threads: Int) throws -> Answer {
    let recognizer = try DiagramRecognizer.released()
    let count = request.examples ?? 100
    let (centers, arrows) = grid(count)
    let rings = centers.map {
      Sketch.Element.ring(center: Point($0.x, $0.y), radius: 60)
    }
    // A state and its arrow have at least two strokes.
    let elements = zip(rings, arrows.elements).flatMap { [$0, $1] }
    let strokes = Synthesizer(seed: 1).drawing(of: Sketch(elements), writer: 3).strokes
    let drawing = Drawing(Array(strokes.prefix(count)))
    return repeated(request) { _ = recognizer.recognize(drawing, workers: threads) }
  }

  /// The centres of so many states in rows, and an arrow to the right of each.
  private static func grid(_ count: Int) -> ([Vector], Sketch) {
    let side = Int(Double(count).squareRoot().rounded(.up))
    let centers = (0..<count).map { Vector(Double($0 % side) * 400, Double($0 / side) * 400) }
    return (
      centers,
      Sketch(
        centers.map {
          .line(from: Point($0.x + 65, $0.y), to: Point($0.x + 335, $0.y))
        })
    )
  }

  // MARK: Automata

  /// A question about a random automaton of `examples` states, in which each state occurs twice.
  ///
  /// `automaton_peers.py` and `Hopcroft.java` make the same one.
  static func answerAboutAutomaton(_ request: Request) throws -> Answer {
    let count = (request.examples ?? 1000) / 2
    var state: UInt64 = 1
    func next(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let ends = (0..<2 * count).map { _ in next(below: count) }
    let isFinal = (0..<count).map { _ in next(below: 2) == 0 }
    /// Each state `copies` times; a transition leads to one of them.
    func automaton(copies: Int) throws -> Automaton {
      let states = (0..<copies * count).map {
        Automaton.State("\($0)", isInitial: $0 == 0, isFinal: isFinal[$0 / copies])
      }
      let transitions = (0..<2 * states.count).map { index in
        let (from, symbol) = (index / 2, index % 2)
        let end = copies * ends[from / copies * 2 + symbol] + next(below: copies)
        return Automaton.Transition(
          "\(index)", from: "\(from)", to: "\(end)", symbols: [["a", "b"][symbol]])
      }
      return try Automaton(states: states, transitions: transitions)
    }
    let (doubled, single) = (try automaton(copies: 2), try automaton(copies: 1))
    return try repeated(request) {
      switch request.task {
      case "minimize":
        let minimal = try doubled.minimized()
        precondition(minimal.states.count <= count, "two copies are equivalent")
      case "equivalent":
        guard try doubled.isEquivalent(to: single) else { fatalError("copies are equivalent") }
      default:
        let words = try doubled.acceptedStrings(first: 1000)
        precondition(words.count == 1000, "1,000 words")
      }
    }
  }

  /// A model whose weights nobody has trained.
  static func untrainedModel(_ request: Request) throws -> Model {
    let size = request.size ?? 28
    let network = try architecture(request)
    return try Model(
      network: untrained(network),
      labels: (0..<network.classCount).map { "\($0)" },
      preprocessing: [.raster(Rasterizer(size: size, margin: 2, penWidth: 2))])
  }

  /// Weights that nobody has trained.
  static func untrained(_ network: Architecture) throws -> TrainedNetwork {
    var generator = SeededGenerator(seed: 1)
    var weights: [String: Tensor] = [:]
    for parameter in network.parameters {
      weights[parameter.name] = Tensor(
        shape: parameter.shape,
        values: (0..<parameter.count).map { _ in
          Float(generator.uniform(parameter.role == .runningVariance ? 0.5...1 : -0.05...0.05))
        })
    }
    return try TrainedNetwork(network, weights: weights)
  }

  static func repeated(_ request: Request, _ body: () throws -> Void) rethrows -> Answer {
    let clock = ContinuousClock()
    let start = clock.now + .seconds(request.seconds / 3)
    while clock.now < start { try body() }
    var times: [Double] = []
    var last = clock.now
    repeat {
      try body()
      let now = clock.now
      times.append(last.duration(to: now) / .microseconds(1))
      last = now
    } while times.count < 5 || start.duration(to: last) < .seconds(request.seconds)
    return answer(times, batch: request.batch)
  }

  static func answer(_ times: [Double], batch: Int) -> Answer {
    let sorted = times.sorted()
    return Answer(
      rate: 1e6 * Double(batch * sorted.count) / sorted.reduce(0, +),
      median: sorted[sorted.count / 2], p99: sorted[min(sorted.count - 1, sorted.count * 99 / 100)])
  }

  /// The most memory since `clear_refs` was written, in MiB.
  static func peakMemory() -> Double {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM") }),
      let kilobytes = line.split(separator: " ").compactMap({ Double($0) }).first
    else { return .nan }
    return kilobytes / 1024
  }
}
