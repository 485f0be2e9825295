import ArgumentParser
import Foundation
import InkDatasets
import InkImageIO
import InkRecognizer
import InkRaster
import InkTraining

/// Tests a model.
struct Evaluate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Measure how well a model answers a data set.",
    discussion: """
      Of a divided data set, the test part is used unless --part says otherwise, and the report \
      says which it was. Several data sets are evaluated together.

      --by takes the result apart: by what examples are (source, writer, label, kind, strokes), or \
      by what is done to every one of them (size, angle, pen, sampling).

      The report leads with the mean recall, in which all classes count alike, and the class with the \
      lowest recall: where one class has most of the examples, the accuracy says little of the others.

      Example: inkstate evaluate datasets/synthetic.ndjson --html runs/report.html --force
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "Divided data sets, or data sets in any form.")
  var data: [String]

  @Option(help: "The model; without it, the released one.")
  var model: String?

  @Option(help: "The part of a divided data set: \(Split.Part.allCases.words).")
  var part: Split.Part = .test

  @Option(
    help: ArgumentHelp(
      "Take the result apart, by one or more of \(Breakdown.Axis.allCases.words), with commas "
        + "between them.", valueName: "axes"))
  var by: String?

  @Option(help: "What is printed: \(Format.allCases.words).")
  var format: Format = .text

  @Option(help: "Write a page with the errors as pictures.")
  var html: String?

  @Option(help: "Write the errors on one PNG.")
  var errors: String?

  @Option(
    help: ArgumentHelp(
      "Test also with every picture turned by a random angle and shrunk to this share.",
      valueName: "share"))
  var disturb: Double?

  @Option(help: "The start of the random angles.")
  var seed: UInt64 = 1

  @Option(help: "The cores to use. (default: all)")
  var threads: Int?

  @Flag(help: "Replace what is at --html and --errors.")
  var force = false

  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    try checkDisturbance(disturb)
    _ = try axes()
  }

  func run() throws {
    for path in [html, errors].compactMap({ $0 }) {
      for input in data + [model].compactMap({ $0 }) {
        try FileTree.refuseReplacing(input, by: path)
      }
      try FileTree.refuseExisting(path, force: force)
    }
    if let html, let errors { try FileTree.refuseReplacing(html, by: errors) }
    let recognizer = try Recognizer.load(model)
    let sources = try data.map { try DataSource.load($0, part: part, loading: loading) }
    var dataset = Dataset([])
    for source in sources { dataset.add(source.dataset) }
    let partNames = Set(sources.map(\.partName)).sorted().joined(separator: " and ")
    guard !dataset.examples.isEmpty else {
      throw DatasetError(
        path: data.joined(separator: ", "), expected: "examples in \(partNames)", found: "none")
    }
    let learnt = recognizer.model.provenance["data_fingerprint"]
    if learnt == dataset.fingerprint.description {
      Terminal.say("note: the model was trained on these very examples")
    }
    let workers = try workerCount(threads)
    let report = EvaluationReport(
      model: model ?? "released", data: data.joined(separator: " "), part: partNames,
      evaluation: try Evaluation(of: recognizer, on: dataset, workers: workers),
      disturbed: try disturb.map {
        try Evaluation(
          of: recognizer, on: dataset, disturbance: .turned(shrunkTo: $0, seed: seed),
          workers: workers)
      },
      breakdowns: try axes().map {
        try Breakdown(of: recognizer, on: dataset, by: $0, workers: workers)
      })
    switch format {
    case .text: print(report.text)
    case .json: print(try report.json())
    }
    let rasterizer = recognizer.model.preprocessing.rasterizer
    if let html {
      let page = try report.html(examples: dataset, rasterizer: rasterizer)
      try FileTree.write(Data(page.utf8), to: html)
    }
    if let errors {
      try FileTree.write(
        try PNG.encode(try sheet(report.evaluation, of: dataset, rasterizer)), to: errors)
    }
  }

  private func axes() throws -> [Breakdown.Axis] {
    try (by ?? "").split(separator: ",").map { name in
      guard let axis = Breakdown.Axis(rawValue: String(name)) else {
        throw ValidationError(
          "--by: expected \(Breakdown.Axis.allCases.words), found `\(name)`")
      }
      return axis
    }
  }

  private func sheet(
    _ evaluation: Evaluation, of dataset: Dataset, _ rasterizer: Rasterizer
  ) throws -> Bitmap {
    let groups = Dictionary(grouping: evaluation.errors) { "\($0.label) > \($0.answer)" }
    let sections = try groups.keys.sorted().map { title in
      ContactSheet.Section(
        title: "\(title) (\(groups[title]!.count))",
        bitmaps: try groups[title]!.prefix(64).map {
          rasterizer.fit(try dataset.examples[$0.index].bitmap(rasterizer))
        })
    }
    return ContactSheet(sections).render()
  }
}

/// Refuses shares that leave no picture.
func checkDisturbance(_ shrink: Double?) throws {
  guard (0.05...1).contains(shrink ?? 1) else {
    throw ValidationError("--disturb: expected a share from 0.05 to 1, found \(shrink ?? 1)")
  }
}
