import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkRaster
import InkTraining

/// Prints statistics of a data set.
struct DatasetDescribe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Count classes, writers and sources, measure ink or series, and find duplicates.",
    discussion: """
      All parts of a divided data set are described together. Duplicates across parts are marked.

      Of pages with masks (a folder with pictures, masks and classes.tsv), the classes are counted, and \
      each page that cannot be read is named.

      Example: inkstate dataset describe datasets/synthetic.ndjson
      """)

  @Argument(help: "A data set in any format, or a divided data set.")
  var data: String

  @OptionGroup var format: FormatOptions

  @OptionGroup var loading: LoadingOptions

  func run() throws {
    if SegmentationDataset.isOne(data) { return try SegmentationPages(path: data).describe(format) }
    var dataset: Dataset
    var parts: [String]?
    if let folder = try SplitFolder(path: data) {
      try loading.checkUnused(forDivided: data)
      dataset = Dataset([], labels: folder.manifest.labels)
      parts = []
      for part in Split.Part.allCases {
        let loaded = try folder.load(part)
        Terminal.report(loaded, path: folder.path(of: part))
        dataset.examples += loaded.dataset.examples
        parts! += loaded.dataset.examples.map { _ in part.rawValue }
      }
    } else {
      let source = try DataSource.load(data, part: .train, loading: loading)
      dataset = source.whole
      if source.part != nil, dataset.examples.contains(where: { $0.part != nil }) {
        parts = dataset.examples.map { ($0.part ?? .train).rawValue }
      }
    }
    let count = dataset.examples.count
    if count >= 10_000 { Terminal.say("comparing \(count) examples with one another") }
    let progress = WorkProgress(count: count, unit: "examples compared")
    let description = try DatasetDescription(of: dataset, parts: parts) { progress.reach($0) }
    progress.end()
    if format.value == .json {
      try Terminal.show(json: description)
    } else {
      show(description, of: dataset, parts: parts)
    }
  }

  private func show(_ description: DatasetDescription, of dataset: Dataset, parts: [String]?) {
    Terminal.show(
      "\(dataset.examples.count.counted("example")) of "
        + dataset.labels.count.counted("class", "classes"))
    if let parts {
      for part in Split.Part.allCases {
        Terminal.show("  \(part.rawValue.padded(12))\(parts.count { $0 == part.rawValue })")
      }
    }
    Terminal.show("")
    Terminal.show("classes")
    func count(_ label: String) -> Int { description.counts[label]?.values.reduce(0, +) ?? 0 }
    // So many labels are texts.
    let isLong = dataset.labels.count > 200
    let shown =
      isLong
      ? Array(dataset.labels.sorted { (count($1), $0) < (count($0), $1) }.prefix(20))
      : dataset.labels
    for label in shown {
      let sources = description.counts[label] ?? [:]
      let countTexts = sources.keys.sorted().map { "\($0) \(sources[$0]!)" }
      let total = sources.values.reduce(0, +)
      Terminal.show(
        "  \(label.padded(20))\("\(total)".leftPadded(7))  \(countTexts.joined(separator: ", "))")
    }
    if isLong { Terminal.show("  and \(dataset.labels.count - shown.count) more") }
    if !description.characters.isEmpty {
      let counts = description.characters.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      Terminal.show("")
      Terminal.show("\(counts.count.counted("character")):")
      Terminal.show("  " + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    }
    let hands = description.hands
    Terminal.show("")
    Terminal.show("\(hands.count.counted("writer"))\(hands.isEmpty ? "" : ":")")
    if !hands.isEmpty {
      let counts = hands.values.sorted()
      Terminal.show(
        "  \(counts[0]) to \(counts[counts.count - 1].counted("example")) each, median "
          + "\(counts[counts.count / 2])")
    }
    if !description.ink.isEmpty { show(description.ink, title: "ink") }
    if !description.strips.isEmpty { show(description.strips, title: "strips") }
    if let series = description.series { show(series) }
    show(
      description.exactDuplicates, "exact duplicates",
      count: description.exactDuplicates.count.counted("pair"))
    show(
      description.nearDuplicates, "near duplicates",
      count: description.hasMoreNearDuplicates
        ? "\(description.nearDuplicates.count) and more pairs"
        : description.nearDuplicates.count.counted("pair"))
  }

  private func show(_ measures: [DatasetDescription.Measure], title: String) {
    Terminal.show("")
    Terminal.show("\(title.padded(37))least    median  greatest")
    for measure in measures {
      let cells = [measure.least, measure.median, measure.greatest].map {
        $0.fixed(1).leftPadded(10)
      }
      Terminal.show("  \(measure.name.padded(30))\(cells.joined())")
    }
  }

  private func show(_ series: SeriesDescription) {
    let sessions = series.sessions.values.sorted()
    Terminal.show("")
    Terminal.show("\(sessions.count.counted("session"))\(sessions.isEmpty ? "" : ":")")
    if !sessions.isEmpty {
      Terminal.show(
        "  \(sessions[0]) to \(sessions[sessions.count - 1].counted("recording")) each, median "
          + "\(sessions[sessions.count / 2])")
    }
    show(series.measures, title: "series")
    if series.unknownRateCount > 0 {
      Terminal.show("  \(series.unknownRateCount) without a rate or times")
    }
    Terminal.show("")
    Terminal.show("channels\(" ".padded(29))least      mean  greatest   missing  recordings")
    for channel in series.channels {
      let values = [channel.least, channel.mean, channel.greatest].map {
        ($0?.fixed(3) ?? "-").leftPadded(10)
      }
      Terminal.show(
        "  \(channel.name.padded(30))\(values.joined())\("\(channel.missing)".leftPadded(10))"
          + "\("\(channel.recordings)".leftPadded(12))")
    }
    guard !series.spans.isEmpty else { return }
    Terminal.show("")
    Terminal.show("labelled spans\(" ".padded(23))spans     steps")
    for label in series.spans.keys.sorted() {
      let counts = series.spans[label]!
      Terminal.show(
        "  \(label.padded(30))\("\(counts.spans)".leftPadded(10))"
          + "\("\(counts.steps)".leftPadded(10))")
    }
    Terminal.show("  \("(no label)".padded(40))\("\(series.unlabelledSteps)".leftPadded(10))")
  }

  private func show(_ pairs: [DatasetDescription.Pair], _ title: String, count: String) {
    let differing = pairs.count(where: \.labelsDiffer)
    let crossing = pairs.count(where: \.crossesParts)
    Terminal.show("")
    Terminal.show(
      "\(count) of \(title), \(differing) with different labels, "
        + "\(crossing) across parts")
    for pair in pairs.sorted(by: { $0.crossesParts && !$1.crossesParts }).prefix(5) {
      Terminal.show(
        "  \(pair.first) ~ \(pair.second)\(pair.labelsDiffer ? " (labels differ)" : "")")
    }
  }
}
