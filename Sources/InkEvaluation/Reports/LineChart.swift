/// A line chart, as SVG.
package struct LineChart {
  package var title: String
  /// What the axes show; nothing is written at an axis without a name.
  package var horizontal = ""
  package var vertical = ""
  /// The points of each line, in the order of ``colors``; the first one is the thickest.
  package var lines: [[(x: Double, y: Double)]]
  /// The points to mark.
  package var marks: [(x: Double, y: Double)] = []
  /// The values at the ends of the axes; values beyond them are drawn on the edge.
  package var xRange = 0.0...1
  package var yRange = 0.0...1
  /// The digits after the decimal point of the values at the axes.
  package var xDigits = 2
  package var yDigits = 2
  /// Whether to draw the diagonal, on which both values are equal.
  package var hasDiagonal = false

  /// The colours of the lines.
  package static let colors = ["#1f77b4", "#ff7f0e"]
  private static let height = 240.0

  package init(title: String, lines: [[(x: Double, y: Double)]]) {
    self.title = title
    self.lines = lines
  }

  /// The chart as a square figure of a page.
  var figure: String {
    """
    <figure style="width:20em"><svg viewBox="0 0 300 290" style="width:100%" font-size="11">\
    \(elements(left: 40, top: 10, width: Self.height))</svg><figcaption>\(title)</figcaption></figure>
    """
  }

  /// The elements of the chart, with the upper left corner of its frame at `left` and `top`.
  package func elements(left: Double, top: Double, width: Double) -> String {
    let height = Self.height
    func share(_ value: Double, of range: ClosedRange<Double>) -> Double {
      let length = range.upperBound - range.lowerBound
      return length > 0 ? min(1, max(0, (value - range.lowerBound) / length)) : 0
    }
    func place(_ point: (x: Double, y: Double)) -> (x: String, y: String) {
      (
        (left + width * share(point.x, of: xRange)).fixed(1),
        (top + height * (1 - share(point.y, of: yRange))).fixed(1)
      )
    }
    func path(_ points: [(x: Double, y: Double)], _ style: String) -> String {
      let places = points.map { place($0) }.map { "\($0.x),\($0.y)" }.joined(separator: " ")
      return points.isEmpty ? "" : "<polyline points=\"\(places)\" fill=\"none\" \(style)/>"
    }
    func value(_ share: Double, of range: ClosedRange<Double>) -> Double {
      range.lowerBound + share * (range.upperBound - range.lowerBound)
    }
    var svg = ""
    for tick in [0, 0.25, 0.5, 0.75, 1] {
      let y = place((xRange.lowerBound, value(tick, of: yRange))).y
      svg += """
        <line x1="\(left)" x2="\(left + width)" y1="\(y)" y2="\(y)" stroke="#ddd"/>\
        <text x="\(left - 6)" y="\(y)" dy="4" text-anchor="end">\(value(tick, of: yRange).fixed(yDigits))</text>
        """
    }
    for tick in [0, 0.5, 1] {
      svg += """
        <text x="\((left + width * tick).fixed(1))" y="\(top + height + 14)" text-anchor="middle">\
        \(value(tick, of: xRange).fixed(xDigits))</text>
        """
    }
    let (middle, center) = (left + width / 2, top + height / 2)
    svg += """
      <text x="\(middle)" y="\(top + height + 32)" text-anchor="middle">\(horizontal)</text>\
      <text x="\(left - 28)" y="\(center)" text-anchor="middle" \
      transform="rotate(-90 \(left - 28) \(center))">\(vertical)</text>
      """
    if hasDiagonal {
      svg += path(
        [(xRange.lowerBound, yRange.lowerBound), (xRange.upperBound, yRange.upperBound)],
        "stroke=\"#ddd\"")
    }
    for (index, line) in lines.enumerated() {
      let color = Self.colors[index % Self.colors.count]
      svg += path(line, "stroke=\"\(color)\" stroke-width=\"\(index == 0 ? 2 : 1.5)\"")
    }
    for mark in marks.map({ place($0) }) {
      svg += "<circle cx=\"\(mark.x)\" cy=\"\(mark.y)\" r=\"4\" fill=\"#c00\"/>"
    }
    return svg
  }
}
