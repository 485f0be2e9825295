/// A square line chart of shares, as SVG.
struct LineChart {
  var title: String
  var horizontal: String
  var vertical: String
  /// The points of each line; the first line is the thickest.
  var lines: [[(Double, Double)]]
  /// The points to mark.
  var marks: [(Double, Double)] = []
  /// The share at the end of both axes; larger values are drawn on the edge.
  var most = 1.0
  /// Whether to draw the diagonal, on which both shares are equal.
  var hasDiagonal = false

  var svg: String {
    let side = 240.0
    func place(_ point: (Double, Double)) -> String {
      let (x, y) = (min(1, point.0 / most), min(1, point.1 / most))
      return "\((40 + side * x).fixed(1)),\((10 + side * (1 - y)).fixed(1))"
    }
    var svg = """
      <figure style="width:20em"><svg viewBox="0 0 300 290" style="width:100%" font-size="11">\
      <rect x="40" y="10" width="240" height="240" fill="none" stroke="#bbb"/>
      """
    for tick in [0.0, 0.5, 1] {
      svg += """
        <text x="\((40 + side * tick).fixed(0))" y="264" text-anchor="middle">\((most * tick).fixed(2))</text>\
        <text x="36" y="\((14 + side * (1 - tick)).fixed(0))" text-anchor="end">\((most * tick).fixed(2))\
        </text>
        """
    }
    svg += """
      <text x="160" y="282" text-anchor="middle">\(horizontal)</text>\
      <text x="12" y="130" text-anchor="middle" transform="rotate(-90 12 130)">\(vertical)</text>
      """
    if hasDiagonal {
      svg += "<polyline points=\"\(place((0, 0))) \(place((1, 1)))\" stroke=\"#ddd\"/>"
    }
    for (index, line) in lines.enumerated() {
      let points = line.map(place).joined(separator: " ")
      svg += """
        <polyline points="\(points)" fill="none" stroke="\(index == 0 ? "#06c" : "#c80")" \
        stroke-width="\(index == 0 ? 2 : 1)"/>
        """
    }
    for mark in marks {
      let parts = place(mark).split(separator: ",")
      svg += "<circle cx=\"\(parts[0])\" cy=\"\(parts[1])\" r=\"4\" fill=\"#c00\"/>"
    }
    return svg + "</svg><figcaption>\(title)</figcaption></figure>"
  }
}
