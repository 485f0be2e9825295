import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import SafeFiles

/// A network, and how the examples of a data set become its inputs.
public struct NetworkChoice: Hashable, Sendable {
  /// The network.
  public var architecture: Architecture
  /// The preprocessing of each input.
  public var preprocessing: [Preprocessing]

  /// The names of networks that can be chosen for drawings, for recordings and for lines of writing.
  public static let names =
    Architecture.names + Architecture.seriesNames + Architecture.pairedNames + [readerName]

  private static let readerName = "reader"

  /// The network that is chosen for a data set without a name.
  public static func standardName(for dataset: Dataset) -> String {
    dataset.examples.contains(where: \.isSeries) ? "gesture" : "drawing"
  }

  /// Chooses the network of this name, or returns `nil` if there is none.
  ///
  /// Give the training part only, because the mean and the scale of recordings are measured, and so is
  /// the frame of pictures unless `rasterizer` has it. `window`
  /// is stored in the model if the recordings are windows.
  ///
  /// - Throws: `FileError` or `TrainingError` if the network cannot read the examples.
  public init?(
    named name: String, for dataset: Dataset, rasterizer: Rasterizer? = nil,
    window: SlidingWindows? = nil
  ) throws {
    let rasterizer = try rasterizer ?? dataset.rasterizer()
    if name == Self.readerName {
      try self.init(
        .reader(classCount: dataset.characters.count + 1, height: LineRasterizer.standard.height),
        for: dataset)
      return
    }
    let classCount = dataset.labels.count
    if let architecture = try Architecture.named(
      name, classCount: classCount, inputSize: rasterizer.size)
    {
      try self.init(architecture, for: dataset, rasterizer: rasterizer, window: window)
      return
    }
    let isPaired = Architecture.pairedNames.contains(name)
    guard isPaired || Architecture.seriesNames.contains(name) else { return nil }
    let (preprocessing, lengths) = try Self.series(of: dataset, window: window)
    let channels = preprocessing.channelCount
    self.init(
      architecture: isPaired
        ? try Architecture.named(
          name, classCount: classCount, inputSize: rasterizer.size, channels: channels)!
        : try Architecture.named(
          name, classCount: classCount, channels: channels, shortest: lengths.lowerBound)!,
      preprocessing: (isPaired ? [.raster(rasterizer)] : []) + [preprocessing])
  }

  /// Chooses the preprocessing for a network: pictures are rendered by `rasterizer`, and those of variable
  /// width are lines of writing, with the pen directions if they have five channels; series come from strokes or
  /// recordings.
  ///
  /// - Throws: `FileError` or `TrainingError` if the network cannot read the examples.
  public init(
    _ architecture: Architecture, for dataset: Dataset, rasterizer: Rasterizer? = nil,
    window: SlidingWindows? = nil
  ) throws {
    let rasterizer = try rasterizer ?? dataset.rasterizer()
    self.architecture = architecture
    preprocessing = try architecture.inputs.map { input in
      switch input.form {
      // A narrow line such as `l1''` needs steps for all its characters.
      case .image(let channels, let height, .variable):
        .line(try Self.lines(channels: channels, height: height, of: architecture))
      case .image: .raster(rasterizer)
      case .page:
        throw TrainingError.unsuitableData(
          "the network `\(architecture.name)` reads whole pages, and examples are single drawings or "
            + "recordings")
      case .series: try Self.series(of: dataset, window: window).preprocessing
      case .vector:
        throw TrainingError.unsuitableData(
          "the input `\(input.name)` of the network `\(architecture.name)` is a vector, and examples are "
            + "drawings or recordings")
      }
    }
  }

  /// Returns the rasteriser of lines with so many planes: of the ink alone, or with the pen directions.
  private static func lines(
    channels: Int, height: Int, of architecture: Architecture
  ) throws -> LineRasterizer {
    for showsDirections in [false, true] {
      let rasterizer = try LineRasterizer(
        height: height, stretch: 1.5, minWidth: 64, showsDirections: showsDirections)
      if rasterizer.planeCount == channels { return rasterizer }
    }
    throw TrainingError.unsuitableData(
      "the network `\(architecture.name)` reads pictures of variable width with \(channels) channels, and "
        + "lines of writing have 1, or 5 with the pen directions")
  }

  /// Creates the choice of a model whose training continues.
  public init(of model: Model) {
    self.init(architecture: model.architecture, preprocessing: model.preprocessing)
  }

  private init(architecture: Architecture, preprocessing: [Preprocessing]) {
    self.architecture = architecture
    self.preprocessing = preprocessing
  }

  /// Returns the preprocessing that makes series of the examples, and the lengths of these.
  private static func series(
    of dataset: Dataset, window: SlidingWindows?
  ) throws -> (preprocessing: Preprocessing, lengths: ClosedRange<Int>) {
    let encoder = StrokeEncoder.standard
    var areRecordings = false
    let series = try dataset.examples.map { example -> Series in
      switch example.content {
      case .series(let series):
        areRecordings = true
        return series
      case .drawing(let drawing):
        do { return try encoder.encode(drawing) } catch {
          throw FileError(
            path: example.origin, expected: "strokes for the network", found: "\(error)")
        }
      case .bitmap, .strip:
        throw FileError(
          path: example.origin, expected: "strokes or a recording for the network",
          found: "a picture, which has no strokes")
      }
    }
    // Windows have one rate already, if it is known.
    let rate = window != nil || dataset.hasDifferentRates ? dataset.medianRate : nil
    let preparation = try SeriesPreparation.measured(on: series, rate: rate)
    let lengths =
      try rate == nil
      ? series.map(\.length) : series.map { try preparation.prepare($0).length }
    return (
      areRecordings ? .series(preparation, window: window) : .strokes(encoder, preparation),
      (lengths.min() ?? 1)...(lengths.max() ?? 1)
    )
  }
}
