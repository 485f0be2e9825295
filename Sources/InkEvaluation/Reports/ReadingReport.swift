import Foundation
import Ink
import InkDatasets
import InkImageIO
import InkRaster
import InkReader
import SafeFiles
import XMLTree

/// An evaluation of a reader with its model and data, as text, JSON or a self-contained HTML page.
public struct ReadingReport: Codable, Sendable {
  /// The path of the model.
  public var model: String
  /// The path of the data.
  public var data: String
  /// The part of the data: `train`, `validation`, `test`, or `whole` if the data are not divided.
  public var part: String
  /// The texts that were possible.
  public var grammar: Grammar
  /// The number of preferred words, or `nil` without a vocabulary.
  public var wordCount: Int?
  /// The results.
  public var evaluation: ReadingEvaluation
  /// The results by attributes of the lines.
  public var breakdowns: [ReadingBreakdown]

  /// Creates a report.
  public init(
    model: String, data: String, part: String, grammar: Grammar, wordCount: Int?,
    evaluation: ReadingEvaluation, breakdowns: [ReadingBreakdown] = []
  ) {
    self.model = model
    self.data = data
    self.part = part
    self.grammar = grammar
    self.wordCount = wordCount
    self.evaluation = evaluation
    self.breakdowns = breakdowns
  }

  /// The number of confusions that are shown.
  private static let maximumConfusions = 30

  /// The report for a terminal.
  public var text: String {
    var lines = ["model \(model)", "data  \(data) (split: \(part))", "texts \(texts)", ""]
    lines += headline.map { $0.name.padded(22) + $0.value }
    if !evaluation.unknown.isEmpty {
      let counts = evaluation.unknown.sorted { $0.key < $1.key }.map { "`\($0)` (\($1))" }
      lines.append("characters that the model does not know: \(counts.joined(separator: ", "))")
    }
    if !evaluation.confusions.isEmpty {
      lines += ["", "most frequent mistakes (written > read)"]
      lines += evaluation.confusions.prefix(Self.maximumConfusions).map {
        "\(Self.shown($0.written)) > \(Self.shown($0.read))".padded(22) + "\($0.count)"
      }
    }
    for breakdown in breakdowns {
      lines += [""] + Self.table(breakdown).aligned
    }
    return lines.joined(separator: "\n")
  }

  private var texts: String {
    "grammar \(grammar.rawValue)" + (wordCount.map { ", vocabulary of \($0)" } ?? "")
  }

  private var headline: [(name: String, value: String)] {
    var lines = [
      ("right", evaluation.right.summary), ("right, folded", evaluation.folded.summary),
      ("character error rate", evaluation.characterErrorRate.percent),
      ("word error rate", evaluation.wordErrorRate.percent),
      ("rejected", evaluation.rejected.summary),
    ]
    if evaluation.noWritingRejected.total > 0 {
      lines.append(("no writing, rejected", evaluation.noWritingRejected.summary))
    }
    return lines + [
      ("intervals", evaluation.right.basis(knownWriters: evaluation.writerCount)),
      ("calibration error", evaluation.reliability.expectedError.percent),
    ]
  }

  private static func shown(_ character: String) -> String {
    character.isEmpty ? "nothing" : character == " " ? "space" : character
  }

  /// Returns the cells of a breakdown: the heading and the rows.
  private static func table(_ breakdown: ReadingBreakdown) -> [[String]] {
    [
      [
        "by \(breakdown.axis.rawValue)", "right", "folded", "character errors", "rejected",
        "no writing rejected", "lines",
      ]
    ]
      + breakdown.rows.map { row in
        [
          row.value, row.right.total > 0 ? row.right.interval : "–", row.folded.percent,
          row.right.total > 0 ? row.characterErrorRate.percent : "–", row.rejected.percent,
          row.noWritingRejected.percent, "\(row.right.total + row.noWritingRejected.total)",
        ]
      }
  }

  /// Returns the report as one HTML page that contains pictures of the errors, drawn by `rasterizer`.
  ///
  /// - Throws: `FileError` or `PictureError` if a picture cannot be made.
  public func html(examples: Dataset, rasterizer: LineRasterizer) throws -> String {
    func table(_ rows: [[String]], hasHeading: Bool = true) -> String {
      "<table>"
        + rows.enumerated().map { index, row in
          "<tr>"
            + row.map { (index == 0 && hasHeading ? "<th>" : "<td>") + $0.escapedForMarkup }
            .joined()
            + "</tr>"
        }.joined() + "</table>"
    }
    var body = "<h1>Evaluation</h1><p>Model <code>\(model.escapedForMarkup)</code>, data "
    body += "<code>\(data.escapedForMarkup)</code>, split: <b>\(part)</b>, \(texts).</p>"
    body += table(headline.map { [$0.name, $0.value] }, hasHeading: false)
    let bins = evaluation.reliability.bins.filter { $0.count > 0 }
    var chart = LineChart(
      title: "Share of right lines by probability",
      lines: [bins.map { ($0.probability, $0.accuracy) }])
    (chart.horizontal, chart.vertical, chart.hasDiagonal) = ("probability", "right", true)
    body += "<div class=errors>\(chart.figure)</div>"
    body += "<h2>Most frequent mistakes</h2>"
    body += table(
      [["written", "read", "count"]]
        + evaluation.confusions.prefix(Self.maximumConfusions).map {
          [Self.shown($0.written), Self.shown($0.read), "\($0.count)"]
        })
    for breakdown in breakdowns {
      body += "<h2>By \(breakdown.axis.rawValue)</h2>" + table(Self.table(breakdown))
    }
    for (title, mistakes) in [
      ("\(evaluation.errors.count.counted("error")), most probable first", evaluation.errors),
      (
        "\(evaluation.accepted.count.counted("drawing")) of no writing accepted",
        evaluation.accepted
      ),
    ] where !mistakes.isEmpty {
      body += "<h2>\(title)</h2><div class=\"errors line\">"
      for mistake in mistakes.prefix(400) {
        let line = try examples.examples[mistake.index].line(rasterizer)
        let picture = try PNG.encode(line.bitmap).base64EncodedString()
        body += """
          <figure><img src="data:image/png;base64,\(picture)" alt=""><figcaption>\
          \(mistake.text.escapedForMarkup) → \(mistake.read.escapedForMarkup) \(mistake.probability.fixed(2))<br>\
          <small>\(mistake.origin.escapedForMarkup)</small></figcaption></figure>
          """
      }
      body += "</div>"
    }
    return ReportPage(body).html
  }

  /// Returns a sheet of the errors, each line above `text > answer`.
  ///
  /// - Throws: `FileError` if a line cannot be rendered by `rasterizer`.
  public func sheet(examples: Dataset, rasterizer: LineRasterizer) throws -> Bitmap {
    func section(
      _ title: String, _ mistakes: [ReadingEvaluation.Mistake]
    ) throws -> ContactSheet.Section? {
      guard !mistakes.isEmpty else { return nil }
      return ContactSheet.Section(
        title: "\(title) (\(mistakes.count))",
        pictures: try mistakes.prefix(240).map {
          (
            try examples.examples[$0.index].line(rasterizer).bitmap,
            $0.text == Recording.noWriting ? $0.read : "\($0.text) > \($0.read)"
          )
        })
    }
    return ContactSheet(
      lines: try [
        section("read wrongly", evaluation.errors),
        section("no writing, accepted", evaluation.accepted),
      ].compactMap { $0 }
    ).render()
  }
}
