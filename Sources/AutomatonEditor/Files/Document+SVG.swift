import Automata
import Foundation
import Ink
import XMLTree

extension Document {
  /// The document as a picture: states, final rings, arrows with their heads and labels, on white.
  public var svg: String { svg(isTransparent: false) }

  /// Returns the document as a picture; if it is transparent, without the paper and the white outline of
  /// its labels.
  public func svg(isTransparent: Bool) -> String {
    var content: [String] = []
    var labels: [String] = []
    var corners: [Vector] = []
    func text(_ vector: Vector) -> String { "\(number(vector.x)),\(number(vector.y))" }

    let dashes = Geometry.dashes.map(number).joined(separator: " ")
    for transition in transitions {
      guard let appearance = appearance(of: transition) else { continue }
      corners += appearance.polyline + appearance.head
      let paths = appearance.paths(text)
      content.append(
        "<path d=\"\(paths.line)\""
          + (transition.isDangling ? " stroke-dasharray=\"\(dashes)\"" : "") + "/>")
      content.append("<path d=\"\(paths.head)\"/>")
      let lines = labelLines(of: transition)
      guard !lines.isEmpty else { continue }
      corners += [-0.5, 0.5].map { appearance.label + Geometry.extent(ofLines: lines) * $0 }
      for (line, drop) in zip(lines, Geometry.lineOffsets(count: lines.count)) {
        labels.append(
          line.svgText(at: appearance.label + Vector(0, drop), hasHalo: !isTransparent))
      }
    }
    for stroke in ink {
      let points = stroke.points.map { Vector($0) }
      corners += points
      content.append("<path d=\"M\(points.map(text).joined(separator: " L"))\" stroke=\"#888\"/>")
    }
    for state in states {
      let reach = Vector(state.radius, state.radius)
      corners += [state.center - reach, state.center + reach]
      for radius in rings(of: state) {
        content.append(
          "<circle cx=\"\(number(state.center.x))\" cy=\"\(number(state.center.y))\" "
            + "r=\"\(number(radius))\"/>")
      }
      if !state.name.isEmpty {
        labels.append(
          state.name.svgText(
            at: state.center, scale: Geometry.nameScale(of: state), hasHalo: !isTransparent))
      }
    }

    let margin = 20.0
    let left = (corners.map(\.x).min() ?? 0) - margin
    let top = (corners.map(\.y).min() ?? 0) - margin
    let width = (corners.map(\.x).max() ?? 0) + margin - left
    let height = (corners.map(\.y).max() ?? 0) + margin - top
    let paper = """
      <rect x="\(number(left))" y="\(number(top))" width="\(number(width))" \
      height="\(number(height))" fill="#fff"/>

      """
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="\(number(left)) \(number(top)) \
      \(number(width)) \(number(height))" width="\(number(width))" height="\(number(height))">
      \(isTransparent ? "" : paper)<g fill="none" stroke="#000" stroke-width="\(number(Geometry.lineWidth))" \
      stroke-linecap="round" stroke-linejoin="round" font-family="sans-serif" \
      font-size="\(number(Geometry.textSize))" \
      text-anchor="middle">
      \((content + labels).joined(separator: "\n"))
      </g></svg>

      """
  }

  /// Returns the radii of a state's rings; a final state has two.
  package func rings(of state: State) -> [Double] {
    let second = max(state.radius - Geometry.finalRingInset, state.radius / 2)
    return [state.radius] + (state.isFinal ? [second] : [])
  }

  /// Returns the label of a transition in one line; an initial arrow has none.
  package func labelText(of transition: Transition) -> String {
    labelLines(of: transition).joined(separator: "; ")
  }

  /// Returns the lines of the label of a transition: one, or one for each rule with several parts.
  package func labelLines(of transition: Transition) -> [String] {
    // A rule of a machine already shows what is a symbol in it.
    let symbols =
      kind == nil ? transition.allSymbols.map(Automaton.shownSymbol) : transition.allSymbols
    let labels = symbols + (transition.includesEpsilon ? ["ε"] : [])
    guard !transition.isInitialMarker, !labels.isEmpty else { return [] }
    return kind == .pushdown || kind == .turing ? labels : [labels.joined(separator: ", ")]
  }
}

/// Returns a number with one decimal, or none if it is whole.
private func number(_ value: Double) -> String {
  let tenths = (value * 10).rounded() / 10
  return tenths == tenths.rounded() && abs(tenths) < 1e15 ? "\(Int(tenths))" : "\(tenths)"
}

extension Document.Appearance {
  /// Returns the line and the head as SVG paths, with points formatted by `text`.
  package func paths(_ text: (Vector) -> String) -> (line: String, head: String) {
    var line = "M\(text(curves[0].start))"
    for curve in curves {
      line += " C\(text(curve.controls.0)) \(text(curve.controls.1)) \(text(curve.end))"
    }
    return (line, "M\(head.map(text).joined(separator: " L"))")
  }
}

extension String {
  /// Returns the text centred at a point, in black, and with a white outline if it `hasHalo`.
  fileprivate func svgText(at place: Vector, scale: Double = 1, hasHalo: Bool) -> String {
    let (x, y) = ((place.x * 10).rounded() / 10, ((place.y + 8 * scale) * 10).rounded() / 10)
    let size = scale < 1 ? " font-size=\"\((10 * Geometry.textSize * scale).rounded() / 10)\"" : ""
    let pixels = Geometry.textSize * min(1, scale)
    let drop = number(pixels * ShownText.indexDrop)
    let parts = ShownText(self).parts
    var spans = ""
    for (part, before) in zip(parts, [nil] + parts) {
      let escaped = part.text.escapedForMarkup
      if part.isIndex {
        spans +=
          "<tspan dy=\"\(drop)\" font-size=\"\(number(pixels * ShownText.indexScale))\">"
          + "\(escaped)</tspan>"
      } else {
        spans += before?.isIndex == true ? "<tspan dy=\"-\(drop)\">\(escaped)</tspan>" : escaped
      }
    }
    let outline =
      hasHalo
      ? "stroke=\"#fff\" stroke-width=\"\(number(Geometry.haloWidth))\" paint-order=\"stroke\""
      : "stroke=\"none\""
    return "<text x=\"\(x)\" y=\"\(y)\"\(size) fill=\"#000\" \(outline)>\(spans)</text>"
  }
}
