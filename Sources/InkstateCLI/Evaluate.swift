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
    abstract: "Measure how well a model answers a data set.",
    discussion: """
      Of a divided data set, the test part is used unless --part says otherwise, and the report \
      says which it was.

      Example: inkstate evaluate runs/data --model runs/model.safetensors --html runs/report.html
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(help: "A divided data set, or one in any form.")
  var data: String

  @Option(help: "The model; without it, the released one.")
  var model: String?

  @Option(help: "The part of a divided data set: \(Split.Part.allCases.words).")
  var part: Split.Part = .test

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
    guard html == nil || html != errors else {
      throw ValidationError("--html, --errors: expected two places, found `\(html ?? "")` twice")
    }
  }

  func run() throws {
    for path in [html, errors].compactMap({ $0 }) {
      try FileTree.refuseExisting(path, force: force)
    }
    let recognizer = try Recognizer.load(model)
    let source = try DataSource.load(data, part: part, loading: loading)
    guard !source.dataset.examples.isEmpty else {
      throw DatasetError(path: data, expected: "examples in \(source.partName)", found: "none")
    }
    let learnt = recognizer.model.provenance["data_fingerprint"]
    if learnt == source.dataset.fingerprint.description {
      Terminal.say("note: the model was trained on these very examples")
    }
    let workers = try workerCount(threads)
    let report = EvaluationReport(
      model: model ?? "released", data: data, part: source.partName,
      evaluation: try Evaluation(of: recognizer, on: source.dataset, workers: workers),
      disturbed: try disturb.map {
        try Evaluation(
          of: recognizer, on: source.dataset, disturbance: Disturbance(shrink: $0, seed: seed),
          workers: workers)
      })
    switch format {
    case .text: print(report.text)
    case .json: print(try report.json())
    }
    let rasterizer = recognizer.model.rasterizer
    if let html {
      let page = try report.html(examples: source.dataset, rasterizer: rasterizer)
      try FileTree.write(Data(page.utf8), to: html)
    }
    if let errors {
      try FileTree.write(
        try PNG.encode(try sheet(report.evaluation, of: source.dataset, rasterizer)), to: errors)
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
