import ArgumentParser
import Foundation
import InkDatasets
import InkRaster
import InkTraining

/// Counts what a data set consists of.
struct DatasetDescribe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Count classes, writers and sources, measure the ink, and find duplicates.",
    discussion: """
      Of a divided data set, all parts are described, and duplicates across parts are pointed out.

      Example: inkstate dataset describe runs/data
      """)

  @Argument(help: "A data set in any form, or a divided one.")
  var data: String

  @Flag(help: "Write JSON.")
  var json = false

  @OptionGroup var loading: LoadingOptions

  func run() throws {
    var dataset: Dataset
    var parts: [String]?
    if let folder = try SplitFolder(path: data) {
      try loading.refuse(forDivided: data)
      dataset = Dataset([], labels: folder.manifest.labels)
      parts = []
      for part in Split.Part.allCases {
        let loaded = try folder.load(part)
        Terminal.report(loaded, path: folder.path(of: part))
        dataset.examples += loaded.dataset.examples
        parts! += loaded.dataset.examples.map { _ in part.rawValue }
      }
    } else {
      dataset = try DataSource.load(data, part: .train, loading: loading).dataset
    }
    let description = try DatasetDescription(of: dataset, parts: parts)
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      print(String(decoding: try encoder.encode(description), as: UTF8.self))
    } else {
      show(description, of: dataset, parts: parts)
    }
  }

  private func show(_ description: DatasetDescription, of dataset: Dataset, parts: [String]?) {
    print("\(dataset.examples.count) examples of \(dataset.labels.count) classes")
    if let parts {
      for part in Split.Part.allCases {
        print("  \(part.rawValue.padded(12))\(parts.count { $0 == part.rawValue })")
      }
    }
    print("\nclasses")
    for label in dataset.labels {
      let sources = description.counts[label] ?? [:]
      let words = sources.keys.sorted().map { "\($0) \(sources[$0]!)" }
      let total = sources.values.reduce(0, +)
      print("  \(label.padded(20))\("\(total)".leftPadded(7))  \(words.joined(separator: ", "))")
    }
    let hands = description.hands
    print("\n\(hands.count) writers\(hands.isEmpty ? "" : ":")")
    if !hands.isEmpty {
      let counts = hands.values.sorted()
      print(
        "  \(counts[0]) to \(counts[counts.count - 1]) examples each, median "
          + "\(counts[counts.count / 2])")
    }
    if !description.ink.isEmpty {
      print("\nink\(" ".padded(33))least     median   greatest")
      for measure in description.ink {
        let cells = [measure.least, measure.median, measure.greatest].map {
          $0.fixed(1).leftPadded(10)
        }
        print("  \(measure.name.padded(30))\(cells.joined())")
      }
    }
    show(
      description.exactDuplicates, "exact duplicates", count: "\(description.exactDuplicates.count)"
    )
    show(
      description.nearDuplicates, "near duplicates",
      count: "\(description.nearDuplicates.count)"
        + (description.hasMoreNearDuplicates ? " and more" : ""))
  }

  private func show(_ pairs: [DatasetDescription.Pair], _ title: String, count: String) {
    let differing = pairs.count(where: \.labelsDiffer)
    let crossing = pairs.count(where: \.crossesParts)
    print(
      "\n\(count) pairs of \(title), \(differing) with different labels, "
        + "\(crossing) across parts")
    for pair in pairs.sorted(by: { $0.crossesParts && !$1.crossesParts }).prefix(5) {
      print("  \(pair.first) ~ \(pair.second)\(pair.labelsDiffer ? " (labels differ)" : "")")
    }
  }
}
