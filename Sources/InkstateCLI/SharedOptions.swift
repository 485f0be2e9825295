import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import InkTraining

/// Where a command writes, and whether it may replace what is there.
struct OutputOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Where to write.")
  var output: String

  @Flag(help: "Replace what is at the output.")
  var force = false

  /// Refuses to overwrite, and in any case to replace what is read.
  func check(inputs: [String] = []) throws {
    for input in inputs { try FileTree.refuseReplacing(input, by: output) }
    try FileTree.refuseExisting(output, force: force)
  }
}

/// How labels and pictures are read.
struct LoadingOptions: ParsableArguments {
  @Option(
    name: .customLong("map"),
    help: ArgumentHelp("Rename a label; may be repeated.", valueName: "old=new"))
  var maps: [String] = []

  @Option(
    name: .customLong("drop"),
    help: ArgumentHelp("Leave out a label; may be repeated.", valueName: "label"))
  var drops: [String] = []

  @Option(
    help: "What happens to labels that no --map names: \(LabelMap.Unnamed.allCases.words).")
  var others: LabelMap.Unnamed = .keep

  @Option(
    help: "The ink of pictures: found out (auto), bright (light) or dark (dark) on the background.")
  var polarity: Polarity = .auto

  @Option(help: "The name of the collection; otherwise the folder's.")
  var source: String?

  /// Refuses to change a divided data set at `path`: what was divided stands in its `split.json`.
  func refuse(forDivided path: String) throws {
    guard maps.isEmpty, drops.isEmpty, others == .keep, source == nil, polarity == .auto else {
      throw ValidationError(
        "--map, --drop, --others, --source, --polarity: expected a data set that is not divided, "
          + "found \(path) (give them to `dataset split`)")
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
          "--map: expected one new name for `\(parts[0])`, found `\(other)` and `\(parts[1])`")
      }
      if drops.contains(parts[0]) {
        throw ValidationError(
          "--map, --drop: expected one of them for `\(parts[0])`, found both")
      }
    }
    return LabelMap(names, dropped: Set(drops), unnamed: others)
  }

  /// Reads a data set and tells on stderr what was left out and what was inverted.
  func load(_ path: String) throws -> LoadedDataset { try load([path])[0] }

  /// Reads data sets and tells on stderr what was left out, what was inverted, and which labels of
  /// --map and --drop none of them has.
  func load(_ paths: [String], asSingleStrokes: Bool = false) throws -> [LoadedDataset] {
    let map = try labelMap()
    let all = try paths.map { path in
      let loaded = try Dataset.load(
        path, polarity: polarity, labels: map, source: source, asSingleStrokes: asSingleStrokes)
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

/// How drawings are rasterised.
struct RasterOptions: ParsableArguments {
  @Option(help: "The rows and columns of a picture.")
  var size = Rasterizer.standard.size

  @Option(help: "The free space around the ink, in pixels.")
  var margin = Rasterizer.standard.margin

  @Option(help: "The width of the line, in pixels.")
  var penWidth = Rasterizer.standard.penWidth

  func rasterizer() throws -> Rasterizer {
    try Rasterizer(size: size, margin: margin, penWidth: penWidth)
  }
}

/// How a network is trained; what is not given is chosen by `TrainingRecipe` from the data.
struct TrainingArguments: ParsableArguments {
  /// The names of the courses that a learning rate can take.
  enum Course: String, ExpressibleByArgument, CaseIterable {
    case constant, step, cosine
    case oneCycle = "one-cycle"
  }

  @Option(help: "The network: \(Architecture.names.words), or a JSON file that describes one.")
  var architecture = "drawing"

  @Option(help: "How often every example is seen. (default: as often as the data need)")
  var epochs: Int?

  @Option(help: "The examples of one step. (default: by the number of examples)")
  var batchSize: Int?

  @Option(help: "The optimiser: \(Optimizer.Method.allCases.words).")
  var optimizer: Optimizer.Method = .adam

  @Option(help: "The full learning rate. (default: by optimiser, schedule and network)")
  var learningRate: Double?

  @Option(help: "SGD: how much of the last step is kept.")
  var momentum = 0.9

  @Flag(help: "SGD: take the gradient where the momentum leads.")
  var nesterov = false

  @Option(help: "How strongly weights are drawn to 0.")
  var weightDecay = 0.0

  @Option(help: "The course of the learning rate: \(Course.allCases.words).")
  var schedule = Course.oneCycle

  @Option(help: "Schedule step: the epochs between two steps.")
  var stepEpochs = 10

  @Option(help: "Schedule step: what the rate is multiplied with.")
  var stepFactor = 0.1

  @Option(help: "The share of all steps during which the rate rises.")
  var warmup = 0.0

  @Option(help: "Shorten gradients that are longer than this.")
  var clip: Double?

  @Option(help: "The share of the target that is spread over all classes.")
  var labelSmoothing = 0.0

  @Flag(
    inversion: .prefixedNo,
    help: "Whether every class counts alike, however many examples it has.")
  var balance = true

  @Option(
    help: """
      How examples are varied: \(Augmentation.named.keys.sorted().words), or a JSON file. \
      (default: upright; half of the examples at any angle where all labels are cycle, other, state \
      or transition, or where no turned example looks like another class)
      """)
  var augment: String?

  @Option(
    help: """
      Stop when validation has not got better for so many epochs. (default: half of the epochs)
      """)
  var patience: Int?

  @Option(
    help: """
      Use the moving average of the weights, which keeps so much at each step; 0 uses the weights \
      themselves. (default: by the number of steps)
      """)
  var average: Double?

  @Option(help: "The start of all random choices.")
  var seed: UInt64 = 1

  @Option(help: "The cores to use; the result does not depend on it. (default: all)")
  var threads: Int?

  /// What was given, and nothing else.
  func recipe() throws -> TrainingRecipe {
    var recipe = TrainingRecipe()
    recipe.epochs = epochs
    recipe.batchSize = batchSize
    recipe.optimizer = Optimizer(
      optimizer, momentum: momentum, isNesterov: nesterov, weightDecay: weightDecay)
    recipe.learningRate = learningRate
    let course: Schedule.Course =
      switch schedule {
      case .constant: .constant
      case .step: .step(epochs: stepEpochs, factor: stepFactor)
      case .cosine: .cosine
      case .oneCycle: .oneCycle
      }
    recipe.schedule = Schedule(course, warmup: warmup)
    recipe.maxGradientNorm = clip
    recipe.labelSmoothing = labelSmoothing
    recipe.balancesClasses = balance
    recipe.augmentation = try augment.map { try Augmentation.named($0) }
    recipe.patience = patience
    recipe.averageDecay = average
    recipe.seed = seed
    return recipe
  }

  func network(classCount: Int, inputSize: Int) throws -> Architecture {
    try .described(by: architecture, classCount: classCount, inputSize: inputSize)
  }

  /// The cores for this process: processes on one machine share its cores.
  func workers(of group: ProcessGroup = .alone) throws -> Int {
    guard threads == nil else { return try workerCount(threads) }
    return try max(1, workerCount(nil) / group.sizeHere)
  }
}

/// The cores to use: those that were asked for, or all.
func workerCount(_ threads: Int?) throws -> Int {
  let all = ProcessInfo.processInfo.activeProcessorCount
  guard let threads else { return all }
  guard (1...1024).contains(threads) else {
    throw ValidationError("--threads: expected 1 to 1024, found \(threads)")
  }
  return threads
}

/// A data set as an argument: one in any form, or a part of a divided one.
struct DataSource {
  /// The examples.
  let dataset: Dataset
  /// Which part they are.
  let part: Split.Part?

  /// The part's name, or `whole`.
  var partName: String { part?.rawValue ?? "whole" }

  /// Reads `part` of a divided data set, or all of one that is not divided.
  static func load(_ path: String, part: Split.Part, loading: LoadingOptions) throws -> DataSource {
    if let folder = try SplitFolder(path: path) {
      try loading.refuse(forDivided: path)
      let loaded = try folder.load(part)
      Terminal.report(loaded, path: folder.path(of: part))
      return DataSource(dataset: loaded.dataset, part: part)
    }
    if let images = mnistImages(path, part: part) {
      return DataSource(dataset: try loading.load(images).dataset, part: part)
    }
    return DataSource(dataset: try loading.load(path).dataset, part: nil)
  }

  /// MNIST and its relatives come divided already: `train-…` and `t10k-…` in one folder.
  private static func mnistImages(_ folder: String, part: Split.Part) -> String? {
    guard FileTree.isFolder(folder), part != .validation else { return nil }
    let start = part == .train ? "train" : "t10k"
    return FileTree.names(in: folder).first {
      $0.hasPrefix("\(start)-images-idx3-ubyte")
    }.map { FileTree.join(folder, $0) }
  }
}

/// A network or an augmentation in JSON has fewer bytes than this.
private let longestDescription = 16 << 20

extension Architecture {
  /// One of the named networks, or the one that a JSON file describes.
  static func described(
    by description: String, classCount: Int, inputSize: Int
  ) throws -> Architecture {
    if let named = try named(description, classCount: classCount, inputSize: inputSize) {
      return named
    }
    guard let data = try? InputFile(path: description).rest(atMost: longestDescription) else {
      throw ValidationError(
        "--architecture: expected \(names.words) or a JSON file, found `\(description)`")
    }
    do {
      return try JSONDecoder().decode(Architecture.self, from: data)
    } catch let error as ArchitectureError {
      throw DatasetError(
        path: error.layer.map { "\(description), layer \($0)" } ?? description,
        expected: error.expected, found: error.found)
    } catch {
      throw DatasetError(
        path: description, expected: "the description of a network in JSON",
        found: "something else")
    }
  }
}

extension Augmentation {
  /// One of the named augmentations, or the one that a JSON file describes.
  static func named(_ name: String) throws -> Augmentation {
    if let augmentation = named[name] { return augmentation }
    guard let data = try? InputFile(path: name).rest(atMost: longestDescription) else {
      throw ValidationError(
        "--augment: expected \(named.keys.sorted().words) or a JSON file, found `\(name)`")
    }
    do {
      return try JSONDecoder().decode(Augmentation.self, from: data)
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      throw DatasetError(
        path: name, expected: "an augmentation in JSON", found: context.debugDescription)
    } catch {
      throw DatasetError(
        path: name, expected: "an augmentation in JSON", found: "something else")
    }
  }
}

extension Recognizer {
  /// The model at `path`, or the released one.
  static func load(_ path: String?) throws -> Recognizer {
    try path.map { try Recognizer(modelPath: $0) } ?? .released()
  }
}

extension Array where Element: RawRepresentable, Element.RawValue == String {
  /// All values in words: `a, b or c`.
  var words: String { map(\.rawValue).words }
}

extension Array where Element == String {
  /// All texts in words: `a, b or c`.
  var words: String {
    guard let last, count > 1 else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) or \(last)"
  }
}

extension LabelMap.Unnamed: ExpressibleByArgument {}
extension Polarity: ExpressibleByArgument {}
extension Optimizer.Method: ExpressibleByArgument {}
extension DatasetForm: ExpressibleByArgument {}
extension Synthesizer.Repertoire: ExpressibleByArgument {}
extension Split.Part: ExpressibleByArgument {}
