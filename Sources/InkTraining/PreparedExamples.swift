import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import InkEvaluation
import ParallelLoops
import SafeFiles
import SeededRandom

/// Examples with their targets, ready to be written into a network's inputs by any worker.
struct PreparedExamples: Sendable {
  /// The class of each example, or the classes of the characters of its text.
  let targets: [[Int]]
  /// The maximum number of steps of each input; 1 for pictures.
  let longest: [Int]
  private let architecture: Architecture
  private let preprocessing: [Preprocessing]
  private let augmentation: Augmentation
  private let uprightShare: Double
  private let reorderedShare: Double
  private let seriesAugmentation: SeriesAugmentation
  private let seed: UInt64
  /// The pictures that are kept in memory, one after the other, for the input that reads pictures.
  private let pixels: [UInt8]
  /// Where the picture of each example is.
  private let places: [PicturePlace]
  /// The files of the pictures on disk.
  private let files: [StoredPictures]
  /// The values of each example for each input that reads series or lines.
  private let series: [StoredSeries]
  private let examples: [Example]

  /// Where a picture is: apart from the examples, which take longer to copy than the picture.
  private enum PicturePlace {
    /// In memory, from a position on.
    case memory(Int)
    /// On disk in the right size, framed when it is used.
    case disk(file: Int32, index: Int32)
  }

  var count: Int { targets.count }

  /// Prepares the examples of a data set for a network.
  ///
  /// - Throws: `FileError` naming an example that the network cannot read, or a text that needs more steps
  ///   than its line has.
  init(
    _ dataset: Dataset, targets: [[Int]], for architecture: Architecture,
    preprocessing: [Preprocessing], augmentation: Augmentation,
    uprightShare: Double = 0, reorderedShare: Double = 0,
    seriesAugmentation: SeriesAugmentation = .none, seed: UInt64
  ) throws {
    self.targets = targets
    self.architecture = architecture
    self.preprocessing = preprocessing
    self.augmentation = augmentation
    self.seed = seed
    self.uprightShare = uprightShare
    self.reorderedShare = reorderedShare
    self.seriesAugmentation = seriesAugmentation
    examples = dataset.examples
    var pixels: [UInt8] = []
    var places: [PicturePlace] = []
    var files: [StoredPictures] = []
    if let raster = preprocessing.first(where: { $0.rasterizer != nil }) {
      let size = raster.rasterizer!.size
      func isOnDisk(_ example: Example) -> Bool {
        example.stored.map { $0.pictures.width == size && $0.pictures.height == size } ?? false
      }
      pixels.reserveCapacity(examples.count { !isOnDisk($0) } * size * size)
      places.reserveCapacity(examples.count)
      var numbers: [StoredPictures: Int32] = [:]
      for example in examples {
        guard isOnDisk(example), let (pictures, index) = example.stored else {
          places.append(.memory(pixels.count))
          pixels += try example.picture(for: raster).pixels
          continue
        }
        let number = numbers[pictures, default: Int32(files.count)]
        if number == files.count {
          numbers[pictures] = number
          files.append(pictures)
        }
        places.append(.disk(file: number, index: Int32(index)))
      }
    }
    self.pixels = pixels
    self.places = places
    self.files = files
    series = try preprocessing.map { try StoredSeries(of: dataset, $0) }
    let variesStrokes = augmentation != .none || uprightShare > 0 || reorderedShare > 0
    longest = preprocessing.indices.map { [series] input in
      switch preprocessing[input] {
      case .raster, .page: 1
      // Augmented drawings can have more steps.
      case .strokes(let encoder, _) where variesStrokes: encoder.maxSteps
      // A wider pen or a slant makes wider lines.
      case .line where augmentation != .none:
        min(
          architecture.inputs[input].stepBounds.upperBound,
          series[input].largestCount / architecture.inputs[input].valuesPerStep * 5 / 4)
      case .line, .strokes, .series:
        series[input].largestCount / architecture.inputs[input].valuesPerStep
      }
    }
    guard series.contains(where: { !$0.isEmpty }) else { return }
    for index in examples.indices { try check(index) }
  }

  /// Checks that example `index` has as many steps as the network allows and its text needs.
  private func check(_ index: Int) throws(FileError) {
    let steps = steps(of: index)
    for (input, count) in zip(architecture.inputs, steps) where !input.stepBounds.contains(count) {
      let bounds = input.stepBounds
      throw FileError(
        path: examples[index].origin,
        expected: "\(bounds.lowerBound) to \(bounds.upperBound.counted("step")) for the network",
        found: "\(count)")
    }
    guard fits(index, steps) else {
      throw FileError(
        path: examples[index].origin,
        expected:
          "\(CTCLoss.minimumSteps(for: targets[index]).counted("step")) or more for the text "
          + "`\(examples[index].label)`",
        found: "\(architecture.outputSteps(of: steps) ?? 0)")
    }
  }

  /// The steps of each input of example `index`.
  private func steps(of index: Int) -> [Int] {
    architecture.inputs.indices.map { input in
      series[input].isEmpty
        ? 1 : series[input].count(of: index) / architecture.inputs[input].valuesPerStep
    }
  }

  /// Whether the text of example `index` fits in what the network makes of inputs with so many steps.
  private func fits(_ index: Int, _ steps: [Int]) -> Bool {
    architecture.output != .distributionPerStep
      || CTCLoss.minimumSteps(for: targets[index]) <= architecture.outputSteps(of: steps) ?? 0
  }

  /// Whether example `index` can have `values` for input number `input` instead of its own.
  private func canUse(_ values: [Float], input: Int, of index: Int) -> Bool {
    var steps = steps(of: index)
    steps[input] = values.count / architecture.inputs[input].valuesPerStep
    return architecture.inputs[input].stepBounds.contains(steps[input])
      && steps[input] <= longest[input] && fits(index, steps)
  }

  private var isAugmented: Bool { augmentation != .none || uprightShare > 0 }

  /// The random choices for an example, and the augmentation that they pick.
  ///
  /// They depend on seed, epoch and example, not on when or by whom they are made, and are the same for
  /// all inputs.
  private func choices(
    _ index: Int, epoch: Int
  ) -> (augmentation: Augmentation, generator: SeededGenerator) {
    var generator = SeededGenerator(seed: seed, stream: 0xa096, UInt64(epoch), UInt64(index))
    let isUpright = uprightShare > 0 && generator.chance(uprightShare)
    return (isUpright ? .upright : augmentation, generator)
  }

  /// Writes example `index`, as `epoch` has it, into input number `input`, which reads pictures.
  func write(_ index: Int, input: Int, epoch: Int, to values: UnsafeMutablePointer<Float>) {
    guard case .raster(let rasterizer, let scale) = preprocessing[input] else {
      preconditionFailure("input \(input) reads pictures")
    }
    let size = rasterizer.size * rasterizer.size
    if isAugmented {
      var (augmentation, generator) = choices(index, epoch: epoch)
      // A variation that cannot be drawn leaves the example as it is.
      if let varied = try? augmentation.bitmap(
        of: examples[index], rasterizer: rasterizer, using: &generator)
      {
        for position in 0..<size { values[position] = Float(varied.pixels[position]) * scale }
        return
      }
    }
    switch places[index] {
    case .memory(let start):
      pixels.withUnsafeBufferPointer { pixels in
        let start = pixels.baseAddress! + start
        for position in 0..<size { values[position] = Float(start[position]) * scale }
      }
    case .disk(let file, let index):
      let picture = rasterizer.fit(files[Int(file)].bitmap(Int(index)))
      for position in 0..<size { values[position] = Float(picture.pixels[position]) * scale }
    }
  }

  /// The series of a batch.
  struct BatchSeries: Sendable {
    /// The values of each input and example; an input that reads pictures has none.
    fileprivate var values: [[[Float]]]
    fileprivate let valuesPerStep: [Int]

    /// The steps of an example, or `nil` if no input reads series.
    var length: TrainingNetwork.Length? {
      guard values.contains(where: { !$0.isEmpty }) else { return nil }
      return { example, input in
        values[input].isEmpty ? 1 : values[input][example].count / valuesPerStep[input]
      }
    }

    /// Writes the series of an example; returns whether the input reads series.
    func write(_ example: Int, input: Int, to target: UnsafeMutablePointer<Float>) -> Bool {
      guard !values[input].isEmpty else { return false }
      values[input][example].withUnsafeBufferPointer {
        target.update(from: $0.baseAddress!, count: $0.count)
      }
      return true
    }
  }

  /// Returns the series of a batch, as `epoch` has them.
  func series(_ batch: [Int], epoch: Int, loop: ParallelLoop) -> BatchSeries {
    var result = BatchSeries(
      values: [], valuesPerStep: architecture.inputs.map(\.valuesPerStep))
    for (input, preprocessing) in preprocessing.enumerated() {
      if case .raster = preprocessing {
        result.values.append([])
        continue
      }
      result.values.append(
        loop.map(batch.count) { position, _ in
          values(batch[position], input: input, epoch: epoch)
        })
    }
    return result
  }

  /// The values of an example for an input that reads series.
  private func values(_ index: Int, input: Int, epoch: Int) -> [Float] {
    var known: [Float] { series[input].values(of: index) }
    switch (preprocessing[input], examples[index].content) {
    case (.strokes(let encoder, let preparation), .drawing(let drawing))
    where isAugmented || reorderedShare > 0:
      var (augmentation, generator) = choices(index, epoch: epoch)
      // `Augmentation.bitmap` draws these two numbers first for the same drawing.
      _ = augmentation.margins.map { generator.uniform($0) }
      _ = augmentation.penWidths.map { generator.uniform($0) }
      let varied = reordered(
        augmentation.vary(drawing, using: &generator), index, epoch: epoch)
      guard let values = try? preparation.prepare(encoder.encode(varied)).values,
        canUse(values, input: input, of: index)
      else { return known }
      return values
    case (.line(let rasterizer, let scale), _) where isAugmented:
      var (augmentation, generator) = choices(index, epoch: epoch)
      // A text must not be learnt from a picture without ink.
      guard
        let line = try? augmentation.line(
          of: examples[index], rasterizer: rasterizer, using: &generator), !line.isBlank
      else { return known }
      let values = line.planes.map { Float($0) * scale }
      return canUse(values, input: input, of: index) ? values : known
    case (.series(let preparation, _), .series(let recording))
    where seriesAugmentation != .none:
      var generator = SeededGenerator(seed: seed, stream: 0x5e81, UInt64(epoch), UInt64(index))
      let varied = seriesAugmentation.vary(recording, using: &generator)
      guard let values = try? preparation.prepare(varied).values,
        canUse(values, input: input, of: index)
      else { return known }
      return values
    case (.raster, _), (.page, _), (.line, _), (.strokes, _), (.series, _): return known
    }
  }

  /// Returns the drawing with its strokes in another order and direction, or unchanged.
  private func reordered(_ drawing: Drawing, _ index: Int, epoch: Int) -> Drawing {
    var generator = SeededGenerator(seed: seed, stream: 0x0de4, UInt64(epoch), UInt64(index))
    guard reorderedShare > 0, generator.chance(reorderedShare) else { return drawing }
    return drawing.drawnOtherwise(using: &generator)
  }

  /// Tells the system that what is on disk will be read here and there, and not from end to end.
  func willBeLearnt() {
    for pictures in files { pictures.willBeReadAnywhere() }
  }

  /// Lets the system begin to read example `index`, where it is on disk.
  func willNeed(_ index: Int) {
    guard !places.isEmpty, case .disk(let file, let index) = places[index] else { return }
    files[Int(file)].willNeed(Int(index))
  }
}
