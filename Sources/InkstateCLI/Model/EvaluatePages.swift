import ArgumentParser
import Foundation
import InkDatasets
import InkEvaluation
import InkImageIO
import InkRecognizer
import SafeFiles

/// Evaluates a model that answers for each cell on pages with masks.
struct PageEvaluation {
  let recognizer: PageRecognizer
  let path: String
  let workers: Int

  /// Evaluates the pages of `part` in a data set, or all if it is not divided.
  func report(on data: String, part: Split.Part) throws -> (SegmentationReport, SegmentationDataset)
  {
    guard SegmentationDataset.isOne(data) else {
      throw FileError(
        path: data,
        expected:
          "pages with masks, which the model answers for: a folder with pictures, masks and "
          + "classes.tsv", found: "another data set")
    }
    let dataset = try SegmentationDataset(folder: FileTree.trimmed(data))
    let isDivided = dataset.pages.contains { $0.part != nil }
    let pages = dataset.pages.indices.filter { !isDivided || dataset.pages[$0].part == part }
    guard !pages.isEmpty else {
      throw FileError(path: data, expected: "pages in \(part.rawValue)", found: "none")
    }
    let progress = WorkProgress(count: pages.count, unit: "pages")
    let evaluation = try SegmentationEvaluation(
      of: recognizer, on: dataset, pages: pages, workers: workers,
      progress: { progress.reach($0) })
    progress.end()
    Terminal.say(notes: evaluation.failures.map { "left out: \($0)" })
    return (
      SegmentationReport(
        model: path, data: data, part: isDivided ? part.rawValue : "whole",
        evaluation: evaluation), dataset
    )
  }

  /// Returns a sheet of the worst pages: the truth beside the answers.
  func sheet(_ report: SegmentationReport, of dataset: SegmentationDataset) throws -> ColorPicture {
    let pages = try report.worstPages(of: dataset, recognizer, workers: workers)
    let gap = 4
    let width = pages.map { 2 * $0.truth.width + gap }.max() ?? 0
    var samples: [UInt8] = []
    var height = 0
    for page in pages {
      for row in 0..<page.truth.height {
        let range = 3 * row * page.truth.width..<3 * (row + 1) * page.truth.width
        samples += page.truth.samples[range]
        samples += [UInt8](repeating: 40, count: 3 * gap)
        samples += page.answer.samples[range]
        samples += [UInt8](repeating: 40, count: 3 * (width - 2 * page.truth.width - gap))
      }
      samples += [UInt8](repeating: 40, count: 3 * gap * width)
      height += page.truth.height + gap
    }
    return ColorPicture(width: width, height: height, samples: samples)
  }
}
