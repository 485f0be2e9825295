import Foundation
import Ink
import InkDatasets
import InkImageIO
import InkRaster
import InkRecognizer
import SafeFiles
import XMLTree

/// An evaluation of a model that answers for each cell, with its model and data, as text, JSON or a
/// self-contained HTML page.
public struct SegmentationReport: Codable, Sendable {
  /// The path of the model.
  public var model: String
  /// The path of the data.
  public var data: String
  /// The part of the data: `train`, `validation`, `test`, or `whole` if the data are not divided.
  public var part: String
  /// The results.
  public var evaluation: SegmentationEvaluation

  /// The number of pages that are shown.
  private static let maximumPages = 24

  /// Creates a report.
  public init(model: String, data: String, part: String, evaluation: SegmentationEvaluation) {
    (self.model, self.data, self.part) = (model, data, part)
    self.evaluation = evaluation
  }

  private var headline: [(name: String, value: String)] {
    [
      ("mean IoU", evaluation.meanIntersectionOverUnion.percent),
      ("accuracy", evaluation.accuracy.percent),
      ("pages", "\(evaluation.pages.count), \(evaluation.cells) cells"),
    ]
  }

  /// The rows of the tables, each after a heading: classes, confusion, sources, worst pages.
  private var tables: [(title: String, rows: [[String]])] {
    let names = evaluation.classes.map(\.name)
    var tables = [
      (
        "by class",
        [["class", "recall", "precision", "IoU", "cells"]]
          + evaluation.classes.map { one in
            [
              one.name, one.cells > 0 ? one.recall.percent : "–",
              one.occurs ? one.precision.percent : "–",
              one.occurs ? one.intersectionOverUnion.percent : "–", "\(one.cells)",
            ]
          }
      ),
      (
        "confusion in cells (row: truth, column: answer)",
        [[""] + names]
          + zip(names, evaluation.confusion).map { name, row in [name] + row.map { "\($0)" } }
      ),
    ]
    if evaluation.sources.count > 1 {
      tables.append(
        (
          "IoU by source",
          [["source", "pages", "mean"] + names]
            + evaluation.sources.map { source in
              [source.source, "\(source.pages)", source.meanIntersectionOverUnion.percent]
                + source.classes.map { $0.occurs ? $0.intersectionOverUnion.percent : "–" }
            }
        ))
    }
    tables.append(
      (
        "worst pages",
        [["page", "mean IoU", "wrong cells"]]
          + evaluation.pages.prefix(10).map {
            [$0.name, $0.meanIntersectionOverUnion.percent, $0.wrong.percent]
          }
      ))
    return tables
  }

  /// The report for a terminal.
  public var text: String {
    var lines = ["model \(model)", "data  \(data) (split: \(part))", ""]
    lines += headline.map { $0.name.padded(13) + $0.value }
    for (title, rows) in tables {
      let first = max(10, rows.map { $0[0].count }.max() ?? 0) + 2
      let others = max(11, rows.joined().map(\.count).max() ?? 0)
      lines += ["", title]
      lines += rows.map { row in
        row[0].padded(first)
          + row.dropFirst().map { $0.leftPadded(min(others, 24)) }.joined(separator: " ")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The worst pages, each as its picture with the true classes and then with the answers over it.
  ///
  /// - Throws: `FileError` if a page cannot be read any more.
  public func worstPages(
    of dataset: SegmentationDataset, _ recognizer: PageRecognizer, workers: Int
  ) throws(FileError) -> [(
    page: SegmentationEvaluation.PageReport, truth: ColorPicture, answer: ColorPicture
  )] {
    let overlay = ClassOverlay(dataset.classes)
    var shown:
      [(page: SegmentationEvaluation.PageReport, truth: ColorPicture, answer: ColorPicture)] = []
    for page in evaluation.pages.prefix(Self.maximumPages) {
      let (photograph, mask) = try dataset.pages[page.index].read(
        classCount: dataset.classes.count)
      let answer = recognizer.recognize(photograph.grey, workers: workers)
      shown.append(
        (
          page, overlay.picture(of: mask, over: answer.picture),
          overlay.picture(of: SegmentationMask(answer.cells), over: answer.picture)
        ))
    }
    return shown
  }

  /// Returns the report as one HTML page that contains pictures of the worst pages.
  ///
  /// - Throws: `FileError` or `PictureError` if a picture cannot be made.
  public func html(
    of dataset: SegmentationDataset, _ recognizer: PageRecognizer, workers: Int
  ) throws -> String {
    var body = "<h1>Evaluation</h1><p>Model <code>\(model.escapedForMarkup)</code>, data "
    body += "<code>\(data.escapedForMarkup)</code>, split: <b>\(part)</b>.</p><table>"
    body += headline.map { "<tr><td>\($0.name)<td><b>\($0.value)</b></tr>" }.joined() + "</table>"
    for (title, rows) in tables {
      body += "<h2>\(title.capitalizedFirst.escapedForMarkup)</h2><table>"
      for (index, row) in rows.enumerated() {
        let cell = index == 0 ? "<th>" : "<td>"
        body += "<tr>" + row.map { cell + $0.escapedForMarkup }.joined() + "</tr>"
      }
      body += "</table>"
    }
    let legend = ReportPage.legend(of: dataset.classes)
    body += "<h2>Worst pages: the truth, the answers</h2><p>\(legend)</p>"
    for (page, truth, answer) in try worstPages(of: dataset, recognizer, workers: workers) {
      body += "<p>\(page.name.escapedForMarkup): \(page.meanIntersectionOverUnion.percent)</p><p>"
      for picture in [truth, answer] {
        let data = try PNG.encode(picture).base64EncodedString()
        body += """
          <img style="width:48%" src="data:image/png;base64,\(data)" alt=""> 
          """
      }
      body += "</p>"
    }
    return ReportPage(body).html
  }
}

extension String {
  /// The text with a capital at its start.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
