import Foundation
import InkDatasets
import XMLTree

/// A self-contained HTML page with a report.
struct ReportPage {
  /// The content of the page.
  private let body: String

  init(_ body: String) { self.body = body }

  /// Returns the colours of classes with their names.
  static func legend(of classes: [SegmentationClass]) -> String {
    classes.map { one in
      "<b style=\"background:\(one.hexColor)\">&emsp;</b> \(one.name.escapedForMarkup)"
    }.joined(separator: ", ")
  }

  var html: String {
    """
    <!doctype html><html lang="en"><meta charset="utf-8"><title>Inkstate evaluation</title>
    <style>body{font:15px system-ui;margin:2em auto;max-width:60em;padding:0 1em}
    table{border-collapse:collapse;margin:1em 0}td,th{padding:.3em .8em;text-align:right;
    white-space:nowrap}
    th{border-bottom:1px solid}td:first-child,th:first-child{text-align:left}
    .errors{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0;width:9em}
    img{width:112px;image-rendering:pixelated;background:#000}small{color:#777;
    overflow-wrap:anywhere}.line img{width:auto;max-width:100%}</style>
    \(body)</html>

    """
  }
}

extension Share {
  /// `98.50 % (97.12–99.31), 197 of 200`: the share, its 95 % interval and the counts.
  public var summary: String { "\(interval), \(count) of \(total)" }

  /// The share as `98.50 %`, or `–` if the total is 0.
  var percent: String { total > 0 ? value.percent : "–" }

  /// The share and its interval, as `98.50 % (97.12–99.31)`.
  var interval: String {
    "\(percent) (\((100 * low).fixed(2))–\((100 * high).fixed(2)))"
  }
}

extension Double {
  /// Returns the number with `decimals` decimals and a point, in every locale.
  public func fixed(_ decimals: Int) -> String {
    // A locale would make Foundation load ICU's data, which takes time.
    String(format: "%.\(decimals)f", self)
  }

  /// The share in percent, as `98.50 %`.
  public var percent: String { "\((100 * self).fixed(2)) %" }
}

extension String {
  /// Returns the text, filled with spaces on the right up to `width`.
  public func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }

  /// Returns the text, filled with spaces on the left up to `width`.
  public func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - count)) + self
  }
}
