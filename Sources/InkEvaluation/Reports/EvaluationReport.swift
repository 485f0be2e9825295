import Foundation
import Ink
import InkDatasets
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import XMLTree

/// An evaluation with its model and data, as text, JSON or a self-contained HTML page.
public struct EvaluationReport: Codable, Sendable {
  /// The path of the model.
  public var model: String
  /// The path of the data.
  public var data: String
  /// The part of the data: `train`, `validation`, `test`, or `whole` if the data are not divided.
  public var part: String
  /// The results.
  public var evaluation: Evaluation
  /// The results with each picture rotated and scaled, if requested.
  public var disturbed: Evaluation?
  /// The results by attributes or changes of the examples.
  public var breakdowns: [Breakdown]
  /// The windows that recordings were cut into, as text, or `nil` if each example is one input.
  public var windows: String?
  /// The results for the events in recordings with labelled spans.
  public var events: EventEvaluation?

  /// Creates a report.
  public init(
    model: String, data: String, part: String, evaluation: Evaluation, disturbed: Evaluation?,
    breakdowns: [Breakdown] = [], windows: String? = nil, events: EventEvaluation? = nil
  ) {
    self.model = model
    self.data = data
    self.part = part
    self.evaluation = evaluation
    self.disturbed = disturbed
    self.breakdowns = breakdowns
    self.windows = windows
    self.events = events
  }

  /// The report for a terminal.
  public var text: String {
    var lines = ["model \(model)", "data  \(data) (split: \(part))"]
    if let windows { lines.append(windows) }
    lines.append("")
    lines += Self.lines(evaluation)
    if let disturbed {
      lines += ["", "each picture rotated by a random angle and scaled:"]
      lines += Self.lines(disturbed)
    }
    for breakdown in breakdowns { lines += [""] + Self.table(breakdown).aligned }
    if let events { lines += ["", events.text] }
    return lines.joined(separator: "\n")
  }

  /// Returns the cells of a breakdown: the heading, the rows, and the mean of the rows.
  private static func table(_ breakdown: Breakdown) -> [[String]] {
    var table = [
      [
        "by \(breakdown.axis.rawValue)", "accuracy", "mean recall", "false rejections",
        "false acceptances", "examples",
      ]
    ]
    table += breakdown.rows.map { row in
      [
        row.value, row.accuracy.interval, row.meanRecall.percent, row.falseRejectionRate.percent,
        row.falseAcceptanceRate.percent, "\(row.accuracy.total)",
      ]
    }
    return table + [["mean of rows", breakdown.meanAccuracy.percent, "", "", "", ""]]
  }

  private static func lines(_ evaluation: Evaluation) -> [String] {
    let width = max(10, evaluation.labels.map(\.count).max() ?? 0) + 2
    var lines = headline(evaluation).map { $0.0.padded(13) + $0.1 }
    lines += [
      "rejected".padded(13) + evaluation.rejected.summary,
      "intervals".padded(13) + evaluation.accuracy.basis(knownWriters: evaluation.writerCount),
      "negative log-likelihood \(evaluation.negativeLogLikelihood.fixed(4)), "
        + "calibration error \(evaluation.reliability.expectedError.fixed(4))",
    ]
    if let rejection = evaluation.rejection {
      lines.append("area under the rejection curve \(rejection.area.fixed(5))")
    }
    lines += [
      "",
      "class".padded(width)
        + ["precision", "recall", "F1", "rejected", "examples"].map { $0.leftPadded(11) }.joined(),
    ]
    for report in evaluation.classes {
      let cells = [
        report.precision.percent, report.recall.percent, report.f1.percent,
        report.rejected.percent, "\(report.support)",
      ]
      lines.append(report.label.padded(width) + cells.map { $0.leftPadded(11) }.joined())
    }
    let cell = max(9, (evaluation.labels.map(\.count).max() ?? 0) + 2)
    func table(_ title: String, columns: [String], rows: [[Int]]) {
      lines += ["", title, "".padded(width) + columns.map { $0.leftPadded(cell) }.joined()]
      for (label, row) in zip(evaluation.labels, rows) {
        lines.append(label.padded(width) + row.map { "\($0)".leftPadded(cell) }.joined())
      }
    }
    table(
      "confusion (row: truth, column: most likely)", columns: evaluation.labels,
      rows: evaluation.confusion)
    table(
      "decisions (row: truth, column: accepted as)", columns: evaluation.labels + ["rejected"],
      rows: evaluation.decisions)
    return lines
  }

  /// Returns the report as one HTML page that contains pictures of the errors.
  ///
  /// - Throws: `PictureError` if a picture cannot be encoded.
  public func html(examples: Dataset, rasterizer: Rasterizer) throws -> String {
    var body = "<h1>Evaluation</h1><p>Model <code>\(model.escapedForMarkup)</code>, data "
    body +=
      "<code>\(data.escapedForMarkup)</code>, split: <b>\(part)</b>\(windows.map { ", " + $0 } ?? "").</p>"
    body += Self.section(evaluation)
    if let disturbed {
      body += "<h2>Each picture rotated by a random angle and scaled</h2>"
      body += Self.section(disturbed)
    }
    for breakdown in breakdowns { body += Self.section(breakdown) }
    if let events { body += "<h2>Events</h2><pre>\(events.text.escapedForMarkup)</pre>" }
    body +=
      "<h2>\(evaluation.errors.count.counted("error")), most probable first</h2><div class=errors>"
    for mistake in evaluation.errors.prefix(400) {
      let picture = try Self.picture(of: examples.examples[mistake.index], rasterizer)
        .base64EncodedString()
      body += """
        <figure><img src="data:image/png;base64,\(picture)" alt=""><figcaption>\
        \(mistake.label.escapedForMarkup) → \(mistake.answer.escapedForMarkup) \
        \(mistake.probability.fixed(2))<br><small>\(mistake.origin.escapedForMarkup)</small>\
        </figcaption></figure>
        """
    }
    return ReportPage(body + "</div>").html
  }

  /// Returns the PNG of an example: the picture that the network sees, or the curves of a recording.
  private static func picture(of example: Example, _ rasterizer: Rasterizer) throws -> Data {
    if case .series(let series) = example.content {
      return try PNG.encode(CurveSheet([.init(title: "", series: [series])], columns: 1).render())
    }
    return try PNG.encode(try example.bitmap(rasterizer))
  }

  /// Returns the most important results: the mean recall, the worst class and the accuracy.
  private static func headline(_ evaluation: Evaluation) -> [(String, String)] {
    let count = evaluation.classes.count { $0.support > 0 }
    var headline = [("mean recall", "\(evaluation.meanRecall.percent) over \(count) classes")]
    if let worst = evaluation.worstClass {
      headline.append(("worst class", "\(worst.label): recall \(worst.recall.summary)"))
    }
    return headline + [
      ("accuracy", evaluation.accuracy.summary), ("mean F1", evaluation.meanF1.percent),
    ]
  }

  private static func section(_ evaluation: Evaluation) -> String {
    var html = "<table>"
    for (name, value) in headline(evaluation) {
      html += "<tr><td>\(name)<td><b>\(value.escapedForMarkup)</b></tr>"
    }
    html += """
      </table><p>Intervals: \(evaluation.accuracy.basis(knownWriters: evaluation.writerCount)).</p><p>Rejected \(evaluation.rejected.summary); negative
      log-likelihood \(evaluation.negativeLogLikelihood.fixed(4)); calibration error
      \(evaluation.reliability.expectedError.fixed(4)).</p><table><tr><th>class<th>precision<th>recall<th>F1
      <th>rejected<th>examples</tr>
      """
    for report in evaluation.classes {
      html += "<tr><td>\(report.label.escapedForMarkup)<td>\(report.precision.interval)"
      html += "<td>\(report.recall.interval)<td>\(report.f1.percent)"
      html += "<td>\(report.rejected.percent)<td>\(report.support)</tr>"
    }
    html += "</table>"
    html += crosstable(
      "truth \\ most likely", columns: evaluation.labels, rows: evaluation.confusion,
      of: evaluation.labels)
    html += crosstable(
      "truth \\ accepted as", columns: evaluation.labels + ["rejected"],
      rows: evaluation.decisions, of: evaluation.labels)
    return html + diagrams(evaluation)
  }

  private static func crosstable(
    _ corner: String, columns: [String], rows: [[Int]], of labels: [String]
  ) -> String {
    var html =
      "<table><tr><th>\(corner)" + columns.map { "<th>\($0.escapedForMarkup)" }.joined() + "</tr>"
    for (label, row) in zip(labels, rows) {
      html += "<tr><td>\(label.escapedForMarkup)" + row.map { "<td>\($0)" }.joined() + "</tr>"
    }
    return html + "</table>"
  }

  private static func section(_ breakdown: Breakdown) -> String {
    let table = table(breakdown)
    var html = "<h2>By \(breakdown.axis.rawValue)</h2><table>"
    for (index, row) in table.enumerated() {
      let cell = index == 0 ? "<th>" : "<td>"
      html += "<tr>" + row.map { cell + $0.escapedForMarkup }.joined() + "</tr>"
    }
    return html + "</table>"
  }

  /// Returns the diagrams of the calibration and of the rejection thresholds.
  private static func diagrams(_ evaluation: Evaluation) -> String {
    func reliability(_ reliability: Reliability) -> [(Double, Double)] {
      reliability.bins.filter { $0.count > 0 }.map { ($0.probability, $0.accuracy) }
    }
    var calibration = LineChart(
      title: "Accuracy by probability, calibrated (error "
        + "\(evaluation.reliability.expectedError.percent)) and not calibrated "
        + "(\(evaluation.uncalibratedReliability.expectedError.percent))",
      lines: [
        reliability(evaluation.reliability), reliability(evaluation.uncalibratedReliability),
      ])
    (calibration.horizontal, calibration.vertical) = ("probability", "accuracy")
    calibration.hasDiagonal = true
    var html = "<div class=errors>" + calibration.figure
    if let rejection = evaluation.rejection {
      var chart = LineChart(
        title: "Rejection by threshold; area under the curve \(rejection.area.fixed(5))",
        lines: [rejection.thresholds.map { ($0.falseRejectionRate, $0.falseAcceptanceRate) }])
      (chart.horizontal, chart.vertical) = ("false rejections", "false acceptances")
      chart.marks = operatingPoint(evaluation).map { [$0] } ?? []
      (chart.xRange, chart.yRange) = (0...0.1, 0...0.1)
      html += chart.figure
    }
    return html + "</div>"
  }

  /// Returns the false-rejection rate and the false-acceptance rate of the model's own thresholds.
  private static func operatingPoint(_ evaluation: Evaluation) -> (Double, Double)? {
    guard evaluation.rejection != nil else { return nil }
    return (evaluation.falseRejectionRate.value, evaluation.falseAcceptanceRate.value)
  }
}

extension [[String]] {
  /// The rows of a table as lines: two columns to the left, the others to the right.
  var aligned: [String] {
    let width = (map { $0[0].count }.max() ?? 0) + 2
    return map { row in
      row[0].padded(width) + row[1].padded(24)
        + row[2...].map { "  " + $0.leftPadded(19) }.joined()
    }
  }
}
