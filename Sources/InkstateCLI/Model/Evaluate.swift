import ArgumentParser
import Foundation
import InkDatasets
import InkEvaluation
import InkImageIO
import InkRecognizer
import InkRaster
import InkReader
import InkTraining
import SafeFiles

/// Evaluates a model on a data set.
struct Evaluate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Evaluate a model on a data set.",
    discussion: """
      Uses the test part of a divided data set; --part chooses another. The report names the part. \
      Several data sets are evaluated together.

      --by adds a breakdown of the results: by an attribute of the examples, or by a change that is applied \
      to each of them (size, angle, pen, sampling).

      Recordings of sensors are cut into the windows of the model or of --window. For recordings with \
      labelled spans, the report also has precision, recall and delay of the events that are found in \
      them, by label, person and session. An event matches a span of the same label that it overlaps.

      Of a model that reads text, the report has the share of lines that are read exactly; the same \
      with characters that look alike counted as one (o, O and 0; l, 1 and I; a letter and its capital, \
      if only the size differs); the character and word error rates; and the rejected share. Drawings \
      with the label U+FFFD are no writing, and are counted apart.

      Of a model that answers for each cell of a picture, the data are pages with masks. The report has \
      recall, precision and intersection over union (IoU) of each class, also by source, and the worst pages.

      The report starts with the mean recall, where all classes count equally, and the class with \
      the lowest recall. The accuracy follows; it hides small classes when one class has most examples.

      Example: inkstate evaluate datasets/synthetic.ndjson --html runs/report.html --force
      """)

  @Argument(help: "Divided data sets, or data sets in any format.")
  var data: [String]

  @Option(help: "The model. (default: the released model)")
  var model: String?

  @Option(help: "The part of a divided data set to use.")
  var part: Split.Part = .test

  @Option(
    help: ArgumentHelp(
      "Break the results down by one or more of \(Breakdown.Axis.allCases.alternatives), separated "
        + "by commas.", valueName: "axes"))
  var by: String?

  @OptionGroup var texts: TextOptions
  @OptionGroup var format: FormatOptions

  @Option(help: "Write the report as an HTML page with pictures of the errors.")
  var html: String?

  @Option(help: "Write pictures of the errors to one PNG.")
  var errors: String?

  @Option(
    help: ArgumentHelp(
      "Also test with each picture rotated by a random angle and scaled by this factor.",
      valueName: "share"))
  var disturb: Double?

  @Option(help: "The random seed of --disturb.")
  var seed: UInt64 = 1

  @Option(help: "The number of CPU cores to use. (default: all)")
  var threads: Int?

  @OptionGroup(title: "Options for windows of recordings of sensors") var windows: WindowOptions
  @OptionGroup(title: "Options for events") var events: EventOptions

  @Flag(help: "Overwrite the files of --html and --errors if they exist.")
  var force = false

  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    try check("--disturb", disturb ?? 1, in: 0.05...1)
    _ = try axes()
  }

  func run() throws {
    let path = try model ?? Recognizer.releasedModelPath
    let loaded = try Model.read(path: path)
    for path in [html, errors].compactMap({ $0 }) {
      for input in data + [model].compactMap({ $0 }) {
        try FileTree.refuseReplacing(input, by: path)
      }
      try FileTree.refuseExisting(path, force: force)
    }
    if let html, let errors { try FileTree.refuseReplacing(html, by: errors) }
    if loaded.answersCells { return try evaluatePages(loaded, path: path) }
    if let pages = data.first(where: SegmentationDataset.isOne) {
      throw FileError(
        path: pages,
        expected:
          "examples, which \(model ?? "the released model") classifies, or --model with one "
          + "that answers for each cell", found: "pages with masks")
    }
    let sources = try data.map {
      try DataSource.load($0, part: part, loading: loading, keepsCounters: true)
    }
    var dataset = Dataset([])
    for source in sources { dataset.add(source.dataset) }
    let partNames = Set(sources.map(\.partName)).sorted().joined(separator: " and ")
    guard !dataset.examples.isEmpty else {
      throw FileError(
        path: data.joined(separator: ", "), expected: "examples in \(partNames)", found: "none")
    }
    if loaded.readsText {
      return try evaluateReader(loaded, path: path, on: dataset, part: partNames)
    }
    guard !texts.isGiven else {
      throw ValidationError("--grammar and --vocabulary need a model that reads text")
    }
    if try axes().contains(.length) {
      throw ValidationError("--by: `length` needs a model that reads text")
    }
    let recognizer = try Recognizer(modelPath: path)
    if dataset.examples.contains(where: \.isSeries) {
      if disturb != nil { throw ValidationError("--disturb needs drawings or pictures") }
      if let axis = try axes().first(where: \.changesExamples) {
        throw ValidationError("--by: `\(axis.rawValue)` needs drawings or pictures")
      }
    }
    var recordings = dataset
    let choice = try windows.choice(of: recognizer.model, for: dataset)
    if let choice {
      recordings.examples = try dataset.examples.map { try choice.prepared($0) }
      let cut = try choice.cut(recordings)
      WindowOptions.report([cut], choice)
      dataset = cut.dataset
    }
    let learnt = recognizer.model.provenance["data_fingerprint"]
    if learnt == dataset.fingerprint.description {
      Terminal.say("note: the model was trained on these examples, so the result is too good")
    }
    let workers = try workerCount(threads)
    let report = EvaluationReport(
      model: model ?? "released", data: data.joined(separator: " "), part: partNames,
      evaluation: try Evaluation(of: recognizer, on: dataset, workers: workers),
      disturbed: try disturb.map {
        try Evaluation(
          of: recognizer, on: dataset, perturbation: .turned(shrunkTo: $0, seed: seed),
          workers: workers)
      },
      breakdowns: try axes().map {
        try Breakdown(of: recognizer, on: dataset, by: $0, workers: workers)
      },
      windows: choice?.summary,
      events: try eventEvaluation(of: recognizer, on: recordings, choice, workers: workers))
    switch format.value {
    case .text: print(report.text)
    case .json: try Terminal.show(json: report)
    }
    let rasterizer = recognizer.model.rasterizer ?? .standard
    if let html {
      let page = try report.html(examples: dataset, rasterizer: rasterizer)
      try FileTree.write(Data(page.utf8), to: html)
    }
    if let errors {
      let picture =
        dataset.examples.contains(where: \.isSeries)
        ? try PNG.encode(curves(report.evaluation, of: dataset))
        : try PNG.encode(sheet(report.evaluation, of: dataset, rasterizer))
      try FileTree.write(picture, to: errors)
    }
  }

  /// Evaluates a model that answers for each cell of a picture.
  private func evaluatePages(_ model: Model, path: String) throws {
    let given: [(String, Bool)] = [
      ("--disturb", disturb != nil), ("--by", by != nil),
      ("--grammar or --vocabulary", texts.isGiven),
      (events.given ?? "", events.given != nil),
    ]
    if let (name, _) = given.first(where: \.1) {
      throw ValidationError("\(name): the model answers for each cell of a picture")
    }
    guard data.count == 1 else {
      throw ValidationError("expected one data set of pages with masks, found \(data.count)")
    }
    let pages = PageEvaluation(
      recognizer: try PageRecognizer(model: model, name: path), path: path,
      workers: try workerCount(threads))
    let (report, dataset) = try pages.report(on: data[0], part: part)
    switch format.value {
    case .text: print(report.text)
    case .json: try Terminal.show(json: report)
    }
    if let html {
      let page = try report.html(of: dataset, pages.recognizer, workers: pages.workers)
      try FileTree.write(Data(page.utf8), to: html)
    }
    if let errors {
      try FileTree.write(PNG.encode(pages.sheet(report, of: dataset)), to: errors)
    }
  }

  /// Evaluates a model that reads lines of writing.
  private func evaluateReader(
    _ model: Model, path: String, on dataset: Dataset, part: String
  ) throws {
    if disturb != nil { throw ValidationError("--disturb needs a model that classifies") }
    let axes = try axes()
    if let axis = axes.first(where: { !$0.groupsLines }) {
      throw ValidationError("--by: `\(axis.rawValue)` needs a model that classifies")
    }
    let reader = try Reader(model: model, path: path)
    let decoder = try texts.decoder(of: reader)
    let (evaluation, breakdowns) = try ReadingEvaluation.of(
      reader, on: dataset, with: decoder, by: axes, workers: workerCount(threads))
    let report = ReadingReport(
      model: path, data: data.joined(separator: " "), part: part, grammar: texts.grammar,
      wordCount: decoder.vocabulary?.count, evaluation: evaluation, breakdowns: breakdowns)
    switch format.value {
    case .text: print(report.text)
    case .json: try Terminal.show(json: report)
    }
    guard case .line(let rasterizer, _) = model.preprocessing[0] else { return }
    if let html {
      let page = try report.html(examples: dataset, rasterizer: rasterizer)
      try FileTree.write(Data(page.utf8), to: html)
    }
    if let errors {
      try FileTree.write(
        PNG.encode(report.sheet(examples: dataset, rasterizer: rasterizer)), to: errors)
    }
  }

  /// Returns the evaluation of events if the recordings have labelled spans, otherwise `nil`.
  ///
  /// They are at the rate of the model.
  private func eventEvaluation(
    of recognizer: Recognizer, on recordings: Dataset, _ choice: WindowChoice?, workers: Int
  ) throws -> EventEvaluation? {
    guard let choice, recordings.examples.contains(where: { !$0.spans.isEmpty }) else {
      if let option = events.given {
        throw ValidationError("\(option) needs recordings with labelled spans")
      }
      return nil
    }
    return EventEvaluation(
      of: recognizer, on: recordings, windows: choice.plan.windows,
      rule: try events.rule(rate: choice.rate, model: recognizer.model), workers: workers)
  }

  private func axes() throws -> [Breakdown.Axis] {
    try (by ?? "").split(separator: ",").map { name in
      guard let axis = Breakdown.Axis(rawValue: String(name)) else {
        throw ValidationError(
          "--by: `\(name)` is not one of \(Breakdown.Axis.allCases.alternatives)")
      }
      return axis
    }
  }

  /// Returns the examples with wrong answers, at most 64 of each kind of mistake, with a title.
  private func mistakes(
    _ evaluation: Evaluation, of dataset: Dataset
  ) -> [(title: String, examples: [Example])] {
    let groups = Dictionary(grouping: evaluation.errors) { "\($0.label) > \($0.answer)" }
    return groups.keys.sorted().map { title in
      (
        "\(title) (\(groups[title]!.count))",
        groups[title]!.prefix(64).map { dataset.examples[$0.index] }
      )
    }
  }

  private func sheet(
    _ evaluation: Evaluation, of dataset: Dataset, _ rasterizer: Rasterizer
  ) throws -> Bitmap {
    ContactSheet(
      try mistakes(evaluation, of: dataset).map { title, examples in
        ContactSheet.Section(
          title: title, bitmaps: try examples.map { try $0.bitmap(rasterizer) })
      }
    ).render()
  }

  /// Returns a sheet with the curves of recordings that got a wrong answer.
  private func curves(_ evaluation: Evaluation, of dataset: Dataset) -> ColorPicture {
    CurveSheet(
      mistakes(evaluation, of: dataset).map { title, examples in
        CurveSheet.Section(
          title: title,
          series: examples.compactMap {
            if case .series(let series) = $0.content { series } else { nil }
          })
      }
    ).render()
  }
}
