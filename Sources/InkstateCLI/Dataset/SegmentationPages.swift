import ArgumentParser
import Foundation
import InkDatasets
import InkImageIO
import SafeFiles
import SeededRandom

/// The commands for pages with masks, which other data sets share.
struct SegmentationPages {
  private let dataset: SegmentationDataset
  private let path: String

  init(path: String) throws {
    self.path = path
    dataset = try SegmentationDataset(folder: FileTree.trimmed(path))
  }

  private func say(_ failures: [String]) {
    Terminal.say(notes: failures.map { "left out: \($0)" })
  }

  // MARK: Describe

  func describe(_ format: FormatOptions) throws {
    let progress = WorkProgress(count: dataset.pages.count, unit: "pages")
    let description = SegmentationDescription(of: dataset) { progress.reach($0) }
    progress.end()
    say(description.failures)
    if format.value == .json { return try Terminal.show(json: description) }
    Terminal.show(
      "\(description.pages.counted("page")) with "
        + description.classes.count.counted("class", "classes"))
    for part in Split.Part.allCases {
      guard let count = description.parts[part.rawValue] else { continue }
      Terminal.show("  \(part.rawValue.padded(12))\(count)")
    }
    if let widths = description.widths, let heights = description.heights {
      Terminal.show(
        "\(widths.words) px wide, \(heights.words) px high")
    }
    Terminal.show("")
    Terminal.show("classes                share of cells      pages")
    for one in description.classes {
      Terminal.show(
        "  \(one.name.padded(20))\(one.share.percent.leftPadded(15))"
          + "\("\(one.pages)".leftPadded(11))")
    }
    Terminal.show("")
    Terminal.show(
      "\(description.writers.count.counted("writer")), "
        + description.sources.count.counted("source"))
    for source in description.sources.keys.sorted().prefix(20) {
      Terminal.show("  \(source.padded(20))\("\(description.sources[source]!)".leftPadded(15))")
    }
  }

  // MARK: Split

  func split(_ split: Split, keepingTogether group: SegmentationDataset.Group, to output: String)
    throws
  {
    say(dataset.failures)
    let divided = dataset.split(split, keepingTogether: group)
    let progress = WorkProgress(count: divided.pages.count, unit: "pages copied")
    try divided.copy(to: output) { progress.reach($0) }
    progress.end()
    for part in Split.Part.allCases {
      let pages = divided.pages.filter { $0.part == part }
      let groups = Set(pages.compactMap { group == .writer ? $0.writer : $0.source }).count
      Terminal.show(
        "\(part.rawValue.padded(12))\("\(pages.count)".leftPadded(6))  "
          + groups.counted(group.rawValue))
      if pages.isEmpty, part != .validation || split.validationShare > 0 {
        Terminal.say(
          "\(part.rawValue) is empty: add \(group.rawValue)s or pages, or change its share")
      }
    }
  }

  // MARK: Preview

  func preview(columns: Int, rows: Int, seed: UInt64, to output: String) throws {
    var generator = SeededGenerator(seed: seed)
    say(dataset.failures)
    var (items, failures) = ([PageSheet.Item](), [String]())
    for index in generator.permutation(dataset.pages.count) where items.count < rows * columns {
      let page = dataset.pages[index]
      do throws(FileError) {
        let (picture, mask) = try page.read(classCount: dataset.classes.count)
        items.append(PageSheet.Item(picture, mask: mask, title: page.name))
      } catch { failures.append("\(error)") }
    }
    say(failures)
    guard !items.isEmpty else {
      throw FileError(path: path, expected: "pages that can be read", found: "none")
    }
    let sheet = PageSheet(items, classes: dataset.classes, columns: columns)
    guard sheet.size.width * sheet.size.height <= 100_000_000 else {
      throw ValidationError("the sheet would be too large; lower --rows or --columns")
    }
    try FileTree.write(PNG.encode(sheet.render()), to: output)
    Terminal.show("\(items.count.counted("page")) on \(output)")
  }
}

extension ClosedRange<Int> {
  /// The range in words.
  fileprivate var words: String {
    lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)"
  }
}
