/// A square diagram of shares from 0 to 1, as SVG.
struct Diagram {
  var title: String
  var horizontal: String
  var vertical: String
  /// Each a line through its points; the first is drawn strongest.
  var lines: [[(Double, Double)]]
  /// Points to be marked.
  var marks: [(Double, Double)] = []
  /// Whether the line on which both are equal is drawn.
  var hasDiagonal = false

  var svg: String {
    let side = 240.0
    func place(_ point: (Double, Double)) -> String {
      "\((40 + side * point.0).fixed(1)),\((10 + side * (1 - point.1)).fixed(1))"
    }
    var svg = """
      <figure style="width:20em"><svg viewBox="0 0 300 290" style="width:100%" font-size="11">\
      <rect x="40" y="10" width="240" height="240" fill="none" stroke="#bbb"/>
      """
    for tick in [0.0, 0.5, 1] {
      svg += """
        <text x="\((40 + side * tick).fixed(0))" y="264" text-anchor="middle">\(tick.fixed(1))</text>\
        <text x="34" y="\((14 + side * (1 - tick)).fixed(0))" text-anchor="end">\(tick.fixed(1))\
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
