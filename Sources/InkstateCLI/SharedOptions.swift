import ArgumentParser
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import InkTraining
import JSONReading
import SafeFiles

/// The output of a command, and whether it may be overwritten.
struct OutputOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "The file or folder to write.")
  var output: String

  @Flag(help: "Overwrite the output if it exists.")
  var force = false

  /// Throws if the output exists and neither `--force` is given nor it `mayExist`, or if it is one of
  /// `inputs`.
  func check(inputs: [String] = [], mayExist: Bool = false) throws {
    for input in inputs { try FileTree.refuseReplacing(input, by: output) }
    try FileTree.refuseExisting(output, force: force || mayExist)
  }
}

/// The format of a command's results.
struct FormatOptions: ParsableArguments {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  @Option(help: "The output format.")
  private var format = Format.text

  @Flag(help: "The same as --format json.")
  private var json = false

  var value: Format { json ? .json : format }
}

/// How labels and pictures are read.
struct LoadingOptions: ParsableArguments {
  @Option(
    name: .customLong("map"),
    help: ArgumentHelp("Rename a label; can be repeated.", valueName: "old=new"))
  var maps: [String] = []

  @Option(
    name: .customLong("drop"),
    help: ArgumentHelp("Leave out a label; can be repeated.", valueName: "label"))
  var drops: [String] = []

  @Option(
    help: "How to treat labels without a --map: keep them, drop them, or rename them to other.")
  var others: LabelMap.Unnamed = .keep

  @Option(
    help:
      "Whether the ink of pictures is lighter (light) or darker (dark) than the background; auto detects it."
  )
  var polarity: Polarity = .auto

  @Flag(
    help: "Exchange rows and columns of the pictures in IDX and NPY files, as EMNIST's need it.")
  var transpose = false

  @OptionGroup var unit: UnitOptions

  @Option(help: "The name of the collection. (default: the folder's name)")
  var source: String?

  @Option(
    help: ArgumentHelp(
      """
      The annotation of InkML that has the label, or the level of the hierarchy of UNIPEN. (default: \
      truth, normalizedLabel, label and others that datasets/README.md lists, in this order)
      """, valueName: "name"))
  var labelAnnotation: String?

  @Option(help: "The label of ink without one, such as the files of drawing programs.")
  var label: String?

  @OptionGroup(title: "Options for series") var series: SeriesOptions

  /// Throws if an option would change the divided data set at `path`.
  func checkUnused(forDivided path: String) throws {
    guard maps.isEmpty, drops.isEmpty, others == .keep, source == nil, polarity == .auto,
      labelAnnotation == nil, label == nil, !transpose, unit.scale == nil, !series.isGiven
    else {
      throw ValidationError(
        "--map, --drop, --others, --source, --polarity, --transpose, --scale, --label-annotation, --label "
          + "and the options for series do not apply to \(path), which is divided already; give them to "
          + "`dataset split`")
    }
  }

  func validate() throws { _ = try labelMap() }

  func labelMap() throws -> LabelMap {
    var names: [String: String] = [:]
    for map in maps {
      let parts = map.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw ValidationError("--map: expected old=new, found `\(map)`")
      }
      if let other = names.updateValue(parts[1], forKey: parts[0]), other != parts[1] {
        throw ValidationError(
          "--map: two new names for `\(parts[0])`, `\(other)` and `\(parts[1])`; give one")
      }
      if drops.contains(parts[0]) {
        throw ValidationError(
          "`\(parts[0])` is in both --map and --drop; give one of them")
      }
    }
    return LabelMap(names, dropped: Set(drops), unnamed: others)
  }

  /// Reads a data set, and reports on stderr what was left out or inverted.
  ///
  /// With `keepsCounters`, columns that only count are kept, because a model chooses the columns.
  func load(_ path: String, keepsCounters: Bool = false) throws -> LoadedDataset {
    try load([path], keepsCounters: keepsCounters)[0]
  }

  /// Reads data sets, and reports on stderr what was left out or inverted and which labels of --map
  /// and --drop do not occur; `isTraced` reads the strokes in pictures.
  func load(
    _ paths: [String], asSingleStrokes: Bool = false, isTraced: Bool = false,
    keepsCounters: Bool = false
  ) throws -> [LoadedDataset] {
    let map = try labelMap()
    var reading = try series.reading()
    if keepsCounters { reading.leavesOutCounters = false }
    let all = try paths.map { path in
      let loaded =
        isTraced
        ? try TracedPictures.load(path, labels: map, source: source)
        : try Dataset.load(
          path, polarity: polarity, labels: map, source: source, asSingleStrokes: asSingleStrokes,
          isTransposed: transpose, pointsPerUnit: unit.scale, series: reading,
          ink: InkReading(labelAnnotation: labelAnnotation, label: label))
      Terminal.report(loaded, path: path)
      return loaded
    }
    let found = Set(all.flatMap(\.labelsFound)).sorted()
    for label in map.unknownLabels(among: found) {
      let option = drops.contains(label) ? "--drop" : "--map"
      let more = found.count > 20 ? " and \(found.count - 20) more" : ""
      Terminal.say(
        "\(option): no example has the label `\(label)`; the labels are "
          + "\(found.prefix(20).joined(separator: ", "))\(more)")
    }
    return all
  }
}

/// The unit of the coordinates of drawings.
struct UnitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The canvas points in one unit of the coordinates of drawings. A drawing below 12 points is a tap. \
      (default: judged by the sizes of the drawings)
      """, valueName: "points"))
  var scale: Double?

  func validate() throws {
    guard let scale, !(scale.isFinite && scale > 0) else { return }
    throw ValidationError("--scale: \(scale) is not a number above 0")
  }
}

/// How drawings are rasterised.
struct RasterOptions: ParsableArguments {
  @Option(help: "The width and height of a picture, in pixels.")
  var size = Rasterizer.standard.size

  @Option(
    help: """
      The margin around the ink, in pixels. (default: \(Rasterizer.standard.margin.fixed(0)), or as \
      on the pictures if there is no ink)
      """)
  var margin: Double?

  @Option(
    help: """
      The pen width, in pixels. (default: \(Rasterizer.standard.penWidth), or as on the pictures if \
      there is no ink)
      """)
  var penWidth: Double?

  /// Returns the rasteriser for the examples; what was not given is measured on their pictures.
  func rasterizer(for dataset: Dataset) throws -> Rasterizer {
    try dataset.rasterizer(size: size, margin: margin, penWidth: penWidth)
  }
}

/// The training options; `TrainingRecipe` chooses those that are not given from the data.
struct TrainingArguments: ParsableArguments {
  /// The names of the learning-rate schedules.
  enum Course: String, ExpressibleByArgument, CaseIterable {
    case constant, step, cosine
    case oneCycle = "one-cycle"
  }

  @Option(
    help: """
      The network: \((NetworkChoice.names + Architecture.pageNames).alternatives), or a JSON file that \
      describes it. page reads pages with a class for each pixel, gesture \
      and activity read strokes or sensors over time, fusion reads the picture and the strokes of a \
      drawing, reader reads lines of writing, whose labels are texts, and the others read pictures. \
      (default: drawing, or gesture for recordings of sensors)
      """)
  var architecture: String?

  @Option(help: "The number of epochs. (default: chosen from the data)")
  var epochs: Int?

  @Option(help: "The batch size. (default: chosen from the number of examples)")
  var batchSize: Int?

  @Option(
    help: """
      The optimiser: \(Optimizer.Method.allCases.alternatives). (default: adam, or adamw for pages)
      """)
  var optimizer: Optimizer.Method?

  @Option(
    help: "The peak learning rate. (default: chosen from the optimiser, schedule and network)")
  var learningRate: Double?

  @Option(help: "The momentum of SGD.")
  var momentum = 0.9

  @Flag(help: "Use Nesterov momentum with SGD.")
  var nesterov = false

  @Option(help: "The weight decay. (default: 0, or 0.0001 for pages)")
  var weightDecay: Double?

  @Option(
    help: """
      The learning-rate schedule: \(Course.allCases.alternatives). (default: one-cycle, or cosine \
      for pages)
      """)
  var schedule: Course?

  @Option(help: "With --schedule step: the epochs between two steps.")
  var stepEpochs = 10

  @Option(help: "With --schedule step: the factor for the learning rate at each step.")
  var stepFactor = 0.1

  @Option(
    help: "The share of all steps that warm up the learning rate. (default: 0, or 0.03 for pages)")
  var warmup: Double?

  @Option(help: "Clip gradients to this norm. (default: no clipping)")
  var clip: Double?

  @Option(
    help: """
      The label smoothing: the share of the target that is spread over all classes. (default: 0, or \
      0.1 for 100 recordings of sensors and more)
      """)
  var labelSmoothing: Double?

  @Flag(
    inversion: .prefixedNo,
    help: "Whether to weight examples so that all classes count equally.")
  var balance = true

  @Option(
    help: """
      The augmentation: \(Augmentation.named.keys.sorted().alternatives), for recordings of sensors \
      \(SeriesAugmentation.named.keys.sorted().alternatives), or a JSON file. (default: with \
      --from, that of the model; line for readers; mild for recordings of sensors; otherwise upright, or \
      written for networks that read strokes, unless rotation does not change the class; then half of the \
      examples are any-angle)
      """)
  var augment: String?

  @Option(
    help: ArgumentHelp(
      """
      For networks that read strokes: the share of drawings whose strokes are drawn in another order \
      and direction. (default: 0.8, unless order or direction distinguishes the classes)
      """, valueName: "share"))
  var reorder: Double?

  @Option(
    help: """
      Stop after this many epochs without improvement on validation. (default: half of the epochs)
      """)
  var patience: Int?

  @Option(
    help: """
      The decay of the moving average of the weights; 0 turns averaging off. (default: chosen from \
      the number of steps)
      """)
  var average: Double?

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @Option(help: "The number of CPU cores to use; it does not change the result. (default: all)")
  var threads: Int?

  /// Returns the options that were given, for training on `dataset`.
  func recipe(for dataset: Dataset) throws -> TrainingRecipe {
    var recipe = given(in: TrainingRecipe())
    recipe.reorderedShare = reorder
    recipe.labelSmoothing = labelSmoothing
    if dataset.examples.contains(where: \.isSeries) {
      recipe.seriesAugmentation = try augment.map { try SeriesAugmentation.named($0) }
    } else {
      recipe.augmentation = try augment.map { try Augmentation.named($0) }
    }
    recipe.rotationInvariantLabels = Set(DrawnClass.allLabels)
    recipe.patience = patience
    recipe.averageDecay = average
    return recipe
  }

  /// Returns a recipe with the options that were given and apply to all networks.
  func given(in recipe: TrainingRecipe) -> TrainingRecipe {
    var recipe = recipe
    recipe.epochs = epochs
    recipe.batchSize = batchSize
    recipe.optimizer = Optimizer(
      optimizer ?? recipe.optimizer.method, momentum: momentum, isNesterov: nesterov,
      weightDecay: weightDecay ?? recipe.optimizer.weightDecay)
    recipe.learningRate = learningRate
    let course: Schedule.Course =
      switch schedule {
      case .constant: .constant
      case .step: .step(epochs: stepEpochs, factor: stepFactor)
      case .cosine: .cosine
      case .oneCycle: .oneCycle
      case nil: recipe.schedule.course
      }
    recipe.schedule = Schedule(course, warmup: warmup ?? recipe.schedule.warmup)
    recipe.maxGradientNorm = clip
    recipe.balancesClasses = balance
    recipe.seed = seed
    return recipe
  }

  /// Returns the network of ``architecture`` and its preprocessing for the training part.
  func network(
    for dataset: Dataset, rasterizer: Rasterizer, window: SlidingWindows? = nil
  ) throws -> NetworkChoice {
    let name = architecture ?? NetworkChoice.standardName(for: dataset)
    if let choice = try NetworkChoice(
      named: name, for: dataset, rasterizer: rasterizer, window: window)
    {
      return choice
    }
    let described = try Architecture.described(
      by: name, classCount: dataset.labels.count, inputSize: rasterizer.size)
    return try NetworkChoice(described, for: dataset, rasterizer: rasterizer, window: window)
  }

  /// Returns the number of cores for this process; processes on one machine share its cores.
  func workers(of group: ProcessGroup = .alone) throws -> Int {
    guard threads == nil else { return try workerCount(threads) }
    return try max(1, workerCount(nil) / group.sizeHere)
  }
}

/// Returns the number of cores to use: the given one, or all.
func workerCount(_ threads: Int?) throws -> Int {
  let all = ProcessInfo.processInfo.activeProcessorCount
  guard let threads else { return all }
  try check("--threads", threads, in: 1...1024)
  return threads
}

/// Throws if the value of an option is out of range.
func check<Value>(_ option: String, _ value: Value, in range: ClosedRange<Value>) throws {
  guard !range.contains(value) else { return }
  throw ValidationError(
    "\(option) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
}

/// A data set as an argument: one in any format, or a part of a divided one.
struct DataSource {
  /// The examples.
  let dataset: Dataset
  /// Which part they are.
  let part: Split.Part?

  /// All examples, if each of them names its part.
  private var divided: Dataset?

  /// The part's name, or `whole`.
  var partName: String { part?.rawValue ?? "whole" }

  /// The columns of recordings that were left out because they only count.
  let leftOutColumns: [String]

  private init(_ loaded: LoadedDataset, part: Split.Part?) {
    dataset = loaded.dataset
    leftOutColumns = loaded.leftOutColumns
    self.part = part
  }

  /// Creates a part of a data set in which the examples name their part; others are for training.
  private init(divided loaded: LoadedDataset, part: Split.Part) {
    dataset = Self.examples(of: part, in: loaded.dataset)
    leftOutColumns = loaded.leftOutColumns
    self.part = part
    divided = loaded.dataset
  }

  /// The examples of all parts, if the data set is divided into parts that the examples name, and
  /// otherwise those of this one.
  var whole: Dataset { divided ?? dataset }

  /// The validation part, if the data set is divided into parts that the examples name.
  var validation: Dataset? { divided.map { Self.examples(of: .validation, in: $0) } }

  private static func examples(of part: Split.Part, in dataset: Dataset) -> Dataset {
    Dataset(
      dataset.examples.filter { ($0.part ?? .train) == part }, labels: dataset.labels)
  }

  /// Reads `part` of a divided data set, or all of one that is not divided.
  ///
  /// With `keepsCounters`, columns that only count are kept, because a model chooses the columns.
  static func load(
    _ path: String, part: Split.Part, loading: LoadingOptions, keepsCounters: Bool = false
  ) throws -> DataSource {
    if let folder = try SplitFolder(path: path) {
      try loading.checkUnused(forDivided: path)
      let loaded = try folder.load(part)
      Terminal.report(loaded, path: folder.path(of: part))
      return DataSource(loaded, part: part)
    }
    let ownPart =
      PictureArray.path(of: part, in: path) ?? SeriesArchive.path(of: part, in: path)
    if let ownPart {
      return DataSource(try loading.load(ownPart, keepsCounters: keepsCounters), part: part)
    }
    let loaded = try loading.load(path, keepsCounters: keepsCounters)
    guard loaded.dataset.examples.contains(where: { $0.part != nil }) else {
      return DataSource(loaded, part: nil)
    }
    return DataSource(divided: loaded, part: part)
  }
}

/// Reads the JSON file at `path` that describes an option's value; `names` are the other values.
private func described<Value: Decodable>(
  _ type: Value.Type, path: String, option: String, names: [String]
) throws -> Value {
  guard let data = try? InputFile(path: path).rest(atMost: 16 << 20) else {
    throw ValidationError(
      "\(option): `\(path)` is not \(names.alternatives), and no file of this name can be read")
  }
  do {
    return try type.init(strictJSON: data, name: path)
  } catch let error as ArchitectureError {
    throw FileError(
      path: error.layer.map { "\(path), layer \($0)" } ?? path,
      expected: error.expected, found: error.found)
  } catch {
    throw FileError(json: error, path: path)
  }
}

extension Architecture {
  /// Returns a named network over pictures, or the network that a JSON file describes.
  static func described(
    by description: String, classCount: Int, inputSize: Int
  ) throws -> Architecture {
    try named(description, classCount: classCount, inputSize: inputSize)
      ?? InkstateCLI.described(
        Architecture.self, path: description, option: "--architecture", names: NetworkChoice.names)
  }
}

extension Architecture {
  /// Returns a named network over pages, or the network that a JSON file describes.
  static func described(
    by description: String, classCount: Int, fields: Int
  ) throws -> Architecture {
    try named(description, classCount: classCount, fields: fields)
      ?? InkstateCLI.described(
        Architecture.self, path: description, option: "--architecture",
        names: Architecture.pageNames)
  }
}

extension Augmentation {
  /// Returns a named augmentation, or the one that a JSON file describes.
  static func named(_ name: String) throws -> Augmentation {
    try named[name]
      ?? described(
        Augmentation.self, path: name, option: "--augment", names: named.keys.sorted())
  }
}

extension SeriesAugmentation {
  /// Returns a named augmentation of series, or the one that a JSON file describes.
  static func named(_ name: String) throws -> SeriesAugmentation {
    try named[name]
      ?? described(
        SeriesAugmentation.self, path: name, option: "--augment", names: named.keys.sorted())
  }
}

extension Array where Element: RawRepresentable, Element.RawValue == String {
  /// The raw values as text: `a, b or c`.
  var alternatives: String { map(\.rawValue).alternatives }
}

extension Array where Element == String {
  /// The elements as text: `a, b or c`.
  var alternatives: String {
    guard let last, count > 1 else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) or \(last)"
  }
}

extension LabelMap.Unnamed: ExpressibleByArgument {}
extension Polarity: ExpressibleByArgument {}
extension Optimizer.Method: ExpressibleByArgument {}
extension DatasetFormat: ExpressibleByArgument {}
extension Synthesizer.Repertoire: ExpressibleByArgument {}
extension Split.Part: ExpressibleByArgument {}
