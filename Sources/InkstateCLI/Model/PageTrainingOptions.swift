import ArgumentParser
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import InkTraining
import SafeFiles

/// How a network learns from pages with a class for each cell.
struct PageTrainingOptions: ParsableArguments {
  @Flag(
    help: """
      Compose pages with automata from the data sets, which have characters or words, as `dataset \
      compose pages` does.
      """)
  var composePages = false

  @Option(
    help: """
      With --compose-pages: a data set with the labels state and transition; if it is divided, its \
      validation part is for the validation pages.
      """)
  var shapes: String?

  @Option(help: "The number of steps. (default: 1500, or 8000 for composed pages)")
  var steps: Int?

  @Option(
    help: """
      The width and height of the parts of pages that are learnt from, a multiple of 32 pixels. (default: \
      \(SegmentationOptions.usualSide))
      """)
  var side: Int?

  @Option(
    help: """
      The longer side to which pages are scaled, here and where the model is used, in pixels. (default: \
      \(PagePreparation.standard.longerSide), or that of the model in --from)
      """)
  var longerSide: Int?

  @Option(
    help: ArgumentHelp(
      """
      The weights of the classes, such as 0.5,1,1,1.5,1. (default: between equal pixels and equal classes)
      """, valueName: "numbers"))
  var classWeights: String?

  @Option(
    help: """
      The weight of the fields of composed pages, which say more of a cell than its class. (default: 0.2)
      """)
  var fieldWeight: Double?

  func validate() throws {
    if let steps { try check("--steps", steps, in: 1...10_000_000) }
    if let side {
      try check("--side", side, in: 64...1024)
      guard side % 32 == 0 else {
        throw ValidationError("--side must be a multiple of 32, not \(side)")
      }
    }
    if let longerSide { try check("--longer-side", longerSide, in: PagePreparation.longerSides) }
    if let fieldWeight { try check("--field-weight", fieldWeight, in: 0...100) }
    _ = try weights()
    guard shapes == nil || composePages else {
      throw ValidationError("--shapes needs --compose-pages")
    }
  }

  /// The first option that was given.
  private var given: String? {
    if shapes != nil { return "--shapes" }
    if steps != nil { return "--steps" }
    if side != nil { return "--side" }
    if longerSide != nil { return "--longer-side" }
    if classWeights != nil { return "--class-weights" }
    return fieldWeight == nil ? nil : "--field-weight"
  }

  private func weights() throws -> [Double]? {
    try classWeights.map { text in
      try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
        guard let weight = Double(part), weight >= 0, weight.isFinite else {
          throw ValidationError(
            "--class-weights: expected numbers such as 0.5,1,1,1.5,1, found `\(text)`")
        }
        return weight
      }
    }
  }

  /// Returns whether the data are pages.
  ///
  /// - Throws: `ValidationError` where a network for pages is asked for, or an option for it is given, and the
  ///   data are none.
  func areAsked(for data: [String], architecture: String?) throws -> Bool {
    let folders = data.filter { SegmentationDataset.isOne(FileTree.trimmed($0)) }
    guard !composePages else {
      guard folders.isEmpty else {
        throw ValidationError(
          "--compose-pages: expected data sets of handwriting, found the pages \(folders[0])")
      }
      return true
    }
    guard folders.count <= 1, folders.isEmpty || data.count == 1 else {
      throw ValidationError("pages are trained on alone: give one folder with classes.tsv")
    }
    if folders.isEmpty, let architecture, Architecture.pageNames.contains(architecture) {
      throw ValidationError(
        "--architecture \(architecture) needs a folder with pictures, masks and classes.tsv, or "
          + "--compose-pages")
    }
    if let folder = folders.first, let architecture, NetworkChoice.names.contains(architecture),
      !Architecture.pageNames.contains(architecture)
    {
      throw ValidationError(
        "--architecture \(architecture) has one answer, and \(folder) has a class for each pixel; expected "
          + "\((Architecture.pageNames + ["a JSON file"]).alternatives)")
    }
    if folders.isEmpty, let given {
      throw ValidationError("\(given) needs pages with masks, or --compose-pages")
    }
    return !folders.isEmpty
  }

  /// What is needed for a training.
  struct Plan {
    var architecture: Architecture
    var feed: SegmentationFeed
    var validation: SegmentationFeed?
    var preparation: PagePreparation
    var options: TrainingOptions
    var provenance: [String: String]
  }

  /// Reads the data and chooses what is not given.
  func plan(
    data: [String], validation: [String], validationShare: Double, training: TrainingArguments,
    loading: LoadingOptions, startingFrom start: Model?
  ) throws -> Plan {
    var preparation = PagePreparation.standard
    if case .page(let own)? = start?.preprocessing.first { preparation = own }
    if let longerSide {
      preparation = try PagePreparation(longerSide: longerSide, radius: preparation.radius)
    }
    let side = side ?? SegmentationOptions.usualSide
    let pages = PageFeeds(side: side, preparation: preparation, seed: training.seed)
    let feed: SegmentationFeed
    var chosenBy: SegmentationFeed?
    if composePages {
      guard validationShare == 0 else {
        throw ValidationError(
          "--validation-share does not apply to --compose-pages; give a data set of other writers with "
            + "--validation")
      }
      feed = try composed(data, .train, side: side, seed: training.seed, loading)
      if !validation.isEmpty {
        chosenBy =
          try pages.validation(validation)
          ?? composed(validation, .validation, side: side, seed: training.seed &+ 1, loading)
      }
    } else {
      (feed, chosenBy) = try pages.training(data[0], validationShare: validationShare)
      if !validation.isEmpty {
        guard let own = try pages.validation(validation) else {
          throw ValidationError(
            "--validation: give one folder with pictures, masks and classes.tsv")
        }
        chosenBy = own
      }
    }
    var options = training.given(in: .pages).options(
      for: feed, steps: steps, startsFromModel: start != nil)
    if let weights = try weights() { options.segmentation?.classWeights = weights }
    if let fieldWeight { options.segmentation?.fieldWeight = fieldWeight }
    return Plan(
      architecture: try start?.architecture
        ?? .described(
          by: training.architecture ?? Architecture.pageNames[0], classCount: feed.classes.count,
          fields: feed.fields.count),
      feed: feed, validation: chosenBy, preparation: preparation, options: options,
      provenance: ["class_colors": feed.classes.map(\.hexColor).joined(separator: " ")])
  }

  private func composed(
    _ data: [String], _ part: Split.Part, side: Int, seed: UInt64, _ loading: LoadingOptions
  ) throws -> SegmentationFeed {
    var dataset = Dataset([])
    for path in data {
      dataset.examples += try DataSource.load(path, part: part, loading: loading).dataset.examples
    }
    let writers = try PageWriter.all(in: dataset, from: data, seed: seed)
    let shapes = try shapes.map {
      PageShapes.all(in: try DataSource.load($0, part: part, loading: loading).dataset)
    }
    let names = shapes.map { ", shapes of \($0.count)" } ?? ""
    Terminal.say("\(part.rawValue): \(writers.count.counted("writer"))\(names)")
    return SegmentationFeed(
      PageComposer(seed: seed, width: side, height: side, writers: writers, shapes: shapes ?? []))
  }
}

/// Reads the pages of segmentation data sets for training.
private struct PageFeeds {
  let side: Int
  let preparation: PagePreparation
  let seed: UInt64

  /// Returns the pages of a data set to train on, and those for validation.
  func training(
    _ path: String, validationShare: Double
  ) throws -> (SegmentationFeed, validation: SegmentationFeed?) {
    var dataset = try SegmentationDataset(folder: FileTree.trimmed(path))
    if validationShare > 0 {
      guard dataset.pages.allSatisfy({ $0.part == nil }) else {
        throw ValidationError(
          "--validation-share: \(path) is divided already; give it without --validation-share")
      }
      dataset = dataset.split(
        Split(method: .writer, seed: seed, validationShare: validationShare, testShare: 0),
        keepingTogether: .writer)
    }
    let chosenBy = dataset.pages.filter { $0.part == .validation }
    return (
      try feed(dataset, dataset.pages.filter { ($0.part ?? .train) == .train }, changed: true),
      chosenBy.isEmpty ? nil : try feed(dataset, chosenBy, changed: false)
    )
  }

  /// Returns the pages of a folder for validation, or `nil` if `paths` are no folder of pages.
  func validation(_ paths: [String]) throws -> SegmentationFeed? {
    guard paths.count == 1, SegmentationDataset.isOne(FileTree.trimmed(paths[0])) else {
      return nil
    }
    let dataset = try SegmentationDataset(folder: FileTree.trimmed(paths[0]))
    let own = dataset.pages.filter { $0.part == .validation }
    return try feed(dataset, own.isEmpty ? dataset.pages : own, changed: false)
  }

  private func feed(
    _ dataset: SegmentationDataset, _ pages: [SegmentationPage], changed: Bool
  ) throws -> SegmentationFeed {
    let progress = WorkProgress(count: pages.count, unit: "pages read")
    let feed = try SegmentationFeed(
      dataset, pages: pages, side: side, preparation: preparation,
      augmentation: changed ? SegmentationAugmentation() : .none, seed: seed
    ) { progress.reach($0) }
    progress.end()
    Terminal.say(notes: feed.failures.map { "left out: \($0)" })
    return feed
  }
}
