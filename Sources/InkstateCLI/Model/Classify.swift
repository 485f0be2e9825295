import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import InkTraining
import SafeFiles

/// Classifies drawings, pictures and recordings of sensors, and each cell of pictures of pages.
struct Classify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract:
      "Classify drawings or recordings: print the label and its probability, or why it is rejected.",
    discussion: """
      Reads ink files, PNGs, JPEGs and folders of them. An ink file is \(InkFile.formatNames); `inkstate help \
      dataset import` says more. Without a path it reads NDJSON from standard input and answers line by line. Each drawing is classified as a whole, with all its strokes. The \
      exit status is 0 if every item was read, even if some were rejected; it is 2 if an item could \
      not be read.

      With a model for recordings of sensors, it reads CSV, .ts, NPY and NDJSON files and folders of \
      them. A model that was trained on windows answers for each window, with its start and end in \
      seconds after the first row; --events joins them to events. Without a path it reads rows of a \
      table from standard input; the first row has the names of the channels. It answers as soon as \
      a window or event is complete, and prints its delay first.

      With a model that answers for each cell of a picture (trained with --architecture page), it reads PNGs, \
      JPEGs and folders of them and prints the share of cells of each class; of pages with masks, it reads \
      the pictures. --output writes the class maps, probabilities and overlays.

      Example: inkstate classify --show Examples/Ink/arrow.inkml Examples/Ink/ring.png
      """)

  @Argument(help: "Files and folders; - is standard input.")
  var paths: [String] = []

  @Option(help: "The model. (default: the released model)")
  var model: String?

  @OptionGroup var format: FormatOptions

  @Flag(help: "Print the network's input as characters.")
  var show = false

  @Option(
    help:
      "Whether the ink of pictures is lighter (light) or darker (dark) than the background; auto detects it."
  )
  var polarity: Polarity = .auto

  @OptionGroup var unit: UnitOptions

  @OptionGroup(title: "Options for recordings of sensors") var series: SeriesClassificationOptions
  @OptionGroup(title: "Options for cells of pictures") var pages: PageClassificationOptions

  func run() throws {
    // Read once: it may be a pipe.
    let path = try self.model ?? Recognizer.releasedModelPath
    let model = try Model.read(path: path)
    if model.answersCells {
      if try answerPages(model, path: path) > 0 { throw ExitCode(2) }
      return
    }
    try pages.checkUnused()
    let recognizer = try Recognizer(classifying: model, name: path)
    let failureCount =
      recognizer.model.recordings == nil
      ? try answerDrawings(recognizer) : try answerRecordings(recognizer)
    if failureCount > 0 { throw ExitCode(2) }
  }

  /// Classifies the cells of pictures; returns how many items could not be read.
  private func answerPages(_ model: Model, path: String) throws -> Int {
    try series.checkUnused()
    if show {
      throw ValidationError("--show: the model classifies cells; --output writes overlays")
    }
    guard polarity == .auto else {
      throw ValidationError("--polarity: the model finds out itself whether the ink is dark")
    }
    return try PageClassification(
      model, path: path, options: pages, isJSON: format.value == .json
    ).answer(paths)
  }

  /// Classifies recordings; returns how many items could not be read.
  private func answerRecordings(_ recognizer: Recognizer) throws -> Int {
    if show { throw ValidationError("--show: the model classifies recordings, not drawings") }
    let recordings = try SeriesClassification(
      recognizer, options: series, isJSON: format.value == .json)
    return try (paths.isEmpty ? ["-"] : paths).reduce(0) { count, path in
      count
        + (path == "-" ? try recordings.answerStandardInput() : try recordings.answer(path: path))
    }
  }

  /// Classifies drawings and pictures; returns how many could not be read.
  private func answerDrawings(_ recognizer: Recognizer) throws -> Int {
    try series.checkUnused()
    return try DrawingClassification(
      recognizer, shows: show, polarity: polarity, pointsPerUnit: unit.scale,
      isJSON: format.value == .json
    ).answer(paths)
  }

  /// Prints an answer; `isInverted` is whether the ink of a picture was dark.
  static func write(
    _ answer: Recognition, named name: String, isInverted: Bool? = nil, isJSON: Bool
  ) {
    guard isJSON else { return Terminal.show("\(name): \(answer.text)") }
    // Strings and finite numbers can always be encoded as JSON.
    try! Terminal.show(
      json: JSONLine(
        source: name, label: answer.top.label, probability: answer.top.probability,
        rejected: .some(answer.rejection?.rawValue), inverted: isInverted,
        ranked: answer.ranked.map { JSONPair(label: $0.label, probability: $0.probability) }),
      indented: false)
  }
}

/// Classifies drawings and pictures with one model.
struct DrawingClassification {
  private let recognizer: Recognizer
  private let shows: Bool
  private let polarity: Polarity
  private let pointsPerUnit: Double?
  private let isJSON: Bool

  /// Creates the classification with what `classify` has without options, where nothing else is given.
  init(
    _ recognizer: Recognizer, shows: Bool = false, polarity: Polarity = .auto,
    pointsPerUnit: Double? = nil, isJSON: Bool = false
  ) {
    self.recognizer = recognizer
    self.shows = shows
    self.polarity = polarity
    self.pointsPerUnit = pointsPerUnit
    self.isJSON = isJSON
  }

  /// Classifies everything in `paths`, or in standard input if there are none; returns how many could not be
  /// read.
  func answer(_ paths: [String]) throws -> Int {
    let minimumExtent = recognizer.model.decision.minimumExtent
    return try DrawingInputs(
      drawing: { recording, name in
        let drawing = recording.drawing
        let seen = shows ? try (recognizer.model.rasterizer ?? .standard).render(drawing) : nil
        let points = pointsPerUnit ?? recording.pointsPerUnit
        let own = points.map { min(minimumExtent, Stroke.minimumExtent / $0) }
        write(
          try recognizer.recognize(.drawing(drawing), minimumExtent: own ?? minimumExtent),
          named: name, seen: seen)
      },
      picture: { data, path in
        var bitmap = try Bitmap.decode(data, path: path)
        let isInverted = polarity.inverts(darkOnLight: bitmap.isDarkOnLight ? 1 : 0, of: 1)
        if isInverted { bitmap = bitmap.inverted() }
        if isInverted, polarity == .auto, !isJSON {
          Terminal.say("\(path): dark ink on a light background, inverted")
        }
        let seen = shows ? (recognizer.model.rasterizer ?? .standard).fit(bitmap) : nil
        write(try recognizer.recognize(bitmap), named: path, isInverted: isInverted, seen: seen)
      },
      // A model of drawings in another unit says what a tap is in it.
      judgesUnits: pointsPerUnit == nil && minimumExtent >= Stroke.minimumExtent
    ).answer(paths)
  }

  /// Prints an answer and the network's input.
  private func write(
    _ answer: Recognition, named name: String, isInverted: Bool? = nil, seen: Bitmap?
  ) {
    Classify.write(answer, named: name, isInverted: isInverted, isJSON: isJSON)
    if let seen, !isJSON { print(seen.characters) }
    // A program that sends one line at a time waits for each answer.
    fflush(nil)
  }
}
