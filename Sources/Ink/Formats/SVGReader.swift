import Foundation
import XMLTree

/// Scalable Vector Graphics (SVG 1.1 and 2) as ink: every line, curve and shape is a stroke.
///
/// Curves and arcs become short lines. A piece that begins exactly where the one before ended continues
/// its stroke, as in the exports of signature_pad. Lengths are canvas points; a size with units and a
/// `viewBox` define the scale.
enum SVGReader {
  /// Reads the drawing in `data`.
  static func read(_ data: Data, path: String) -> InkFile.Item {
    InkFile.Item(at: Place(file: path)) { ignored throws(InkError) in
      let root = try XMLElementTree.root(of: data, path: path)
      guard root.name == "svg" else {
        throw root.error(in: path, expected: "<svg>", found: "<\(root.name)>")
      }
      var document = SVGDocument(root, path: path)
      try document.drawRoot()
      ignored = document.ignored
      guard !document.strokes.isEmpty else {
        let others = ignored.names.isEmpty ? "none" : ignored.names.joined(separator: ", ")
        throw root.error(in: path, expected: "lines, curves or shapes", found: others)
      }
      return Recording(Drawing(document.strokes))
    }
  }
}

private struct SVGDocument {
  /// What an element inherits.
  private struct Context {
    var transform = Transform.identity
    var width = 300.0
    var height = 150.0
    /// `stroke`, `fill` and `visibility`.
    var style: [String: String] = [:]
    var depth = 0
  }

  /// The properties that elements inherit.
  private static let inherited: Set = ["stroke", "fill", "visibility", "stroke-opacity"]
  /// Elements that draw nothing by themselves.
  private static let silent: Set = [
    "defs", "title", "desc", "metadata", "style", "script", "symbol", "clipPath", "mask", "marker",
    "pattern", "linearGradient", "radialGradient", "filter", "view", "cursor", "namedview",
    "animate", "animateMotion", "animateTransform", "set", "sodipodi", "font",
  ]
  /// The maximum depth of elements, those that `<use>` inserts included.
  private static let deepest = 200
  /// The maximum number of elements that are drawn; `<use>` can multiply them.
  private static let maximumElements = 1_000_000

  private let root: XMLElementTree
  private let path: String
  private var elements: [String: XMLElementTree] = [:]
  /// The declarations of `<style>`, by their simple selectors.
  private var rules: [String: [String: String]] = [:]
  private var elementCount = 0
  private var pointCount = 0
  private(set) var strokes: [Stroke] = []
  private(set) var ignored = IgnoredParts()

  init(_ root: XMLElementTree, path: String) {
    self.root = root
    self.path = path
    collect(root)
  }

  private mutating func collect(_ element: XMLElementTree) {
    if let id = element.attributes["id"], elements[id] == nil { elements[id] = element }
    if element.name == "style" { readRules(element.text) }
    element.children.forEach { collect($0) }
  }

  /// Reads rules such as `.a, path { fill: none }`; other selectors match nothing.
  private mutating func readRules(_ text: String) {
    var text = text[...]
    while let open = text.firstIndex(of: "{"), let close = text[open...].firstIndex(of: "}") {
      let declarations = Self.declarations(String(text[text.index(after: open)..<close]))
      var selectors = text[..<open]
      if let comment = selectors.range(of: "*/", options: .backwards) {
        selectors = selectors[comment.upperBound...]
      }
      for selector in selectors.split(separator: ",") {
        let name = selector.trimmingCharacters(in: .whitespacesAndNewlines)
        rules[name, default: [:]].merge(declarations) { $1 }
      }
      text = text[text.index(after: close)...]
    }
  }

  private static func declarations(_ text: String) -> [String: String] {
    var declarations: [String: String] = [:]
    for declaration in text.split(separator: ";") {
      let parts = declaration.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = parts[1].replacing("!important", with: "")
      declarations[parts[0].trimmingCharacters(in: .whitespacesAndNewlines)] =
        value.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    return declarations
  }

  /// The value of a property of an element, by its style, the rules and its attributes.
  private func property(_ name: String, of element: XMLElementTree) -> String? {
    if let style = element.attributes["style"], let value = Self.declarations(style)[name] {
      return value
    }
    if !rules.isEmpty {
      var selectors = element.attributes["id"].map { ["#\($0)"] } ?? []
      let classes = element.attributes["class"]?.split(whereSeparator: \.isWhitespace) ?? []
      selectors += classes.reversed().flatMap { [".\($0)", "\(element.name).\($0)"] }
      selectors += [element.name, "*"]
      for selector in selectors {
        if let value = rules[selector]?[name] { return value }
      }
    }
    return element.attributes[name]
  }

  // MARK: Elements

  mutating func drawRoot() throws(InkError) {
    var context = Context()
    try enter(root, &context)
    try fit(root, &context, isRoot: true)
    for child in root.children { try draw(child, context) }
  }

  /// Applies the style and the transform of `element` to what it draws.
  private func enter(_ element: XMLElementTree, _ context: inout Context) throws(InkError) {
    for name in Self.inherited {
      if let value = property(name, of: element), value != "inherit" { context.style[name] = value }
    }
    guard let text = element.attributes["transform"] ?? property("transform", of: element),
      text != "none"
    else { return }
    guard let transform = SVGTransform.parse(text) else {
      throw element.error(
        in: path, expected: "a transform such as `translate(1 2) rotate(90)`",
        found: "`\(text.prefix(80))`")
    }
    context.transform = transform.then(context.transform)
  }

  /// Applies the size and `viewBox` of an `<svg>` or `<symbol>`.
  private func fit(
    _ element: XMLElementTree, _ context: inout Context, isRoot: Bool = false
  ) throws(InkError) {
    func size(_ name: String, of whole: Double) throws(InkError) -> Double? {
      guard isRoot else { return try length(name, of: element, whole: whole) }
      // A share of an unknown window says nothing.
      guard element.attributes[name]?.contains("%") == false else { return nil }
      return try? length(name, of: element, whole: whole)
    }
    let width = try size("width", of: context.width)
    let height = try size("height", of: context.height)
    if !isRoot {
      let x = try length("x", of: element, whole: context.width) ?? 0
      let y = try length("y", of: element, whole: context.height) ?? 0
      context.transform = Transform.translation(x: x, y: y).then(context.transform)
    }
    context.width = width ?? context.width
    context.height = height ?? context.height
    guard let text = element.attributes["viewBox"] else { return }
    let box = SVGNumbers.list(text) ?? []
    guard box.count == 4, box[2] > 0, box[3] > 0 else {
      throw element.error(
        in: path, expected: "a viewBox of four numbers with a positive size",
        found: "`\(text.prefix(80))`")
    }
    context.width = box[2]
    context.height = box[3]
    let scales = [width.map { $0 / box[2] }, height.map { $0 / box[3] }].compactMap { $0 }
    let isStretched = element.attributes["preserveAspectRatio"]?.contains("none") == true
    guard let least = scales.min(), let most = scales.max(), least > 0 else { return }
    let isSliced = element.attributes["preserveAspectRatio"]?.contains("slice") == true
    let scale = isSliced ? most : least
    let moved = Transform.translation(x: -box[0], y: -box[1])
    context.transform =
      moved.then(
        isStretched && scales.count == 2
          ? .scale(x: scales[0], y: scales[1]) : .scale(x: scale, y: scale)
      ).then(context.transform)
  }

  private mutating func draw(_ element: XMLElementTree, _ outer: Context) throws(InkError) {
    elementCount += 1
    guard elementCount <= Self.maximumElements, outer.depth < Self.deepest else {
      throw element.error(
        in: path, expected: "at most \(Self.maximumElements) elements, nested \(Self.deepest) deep",
        found: "more, or a <use> of itself")
    }
    guard !Self.silent.contains(element.name) else { return }
    if property("display", of: element) == "none" || property("opacity", of: element) == "0" {
      return ignored.add("invisible elements")
    }
    var context = outer
    context.depth += 1
    try enter(element, &context)
    switch element.name {
    case "g", "a", "switch":
      for child in element.children { try draw(child, context) }
    case "svg":
      try fit(element, &context)
      for child in element.children { try draw(child, context) }
    case "use": try drawUse(element, context)
    case "path", "line", "polyline", "polygon", "rect", "circle", "ellipse":
      guard isVisible(element, context) else { return }
      var pen = SVGPen(transform: context.transform)
      if element.name == "path" {
        try drawPath(element, &pen)
      } else {
        try drawShape(element, context, &pen)
      }
      try finish(pen, of: element)
    default: ignored.add("<\(element.name)> elements")
    }
  }

  private mutating func drawUse(
    _ element: XMLElementTree, _ outer: Context
  ) throws(InkError) {
    guard let reference = element.attributes["href"], let target = elements[reference.fragment]
    else {
      throw element.error(
        in: path, expected: "the id of an element as href",
        found: element.attributes["href"].map { "`\($0.prefix(80))`" } ?? "none")
    }
    var context = outer
    let x = try length("x", of: element, whole: context.width) ?? 0
    let y = try length("y", of: element, whole: context.height) ?? 0
    context.transform = Transform.translation(x: x, y: y).then(context.transform)
    guard target.name == "symbol" else { return try draw(target, context) }
    try enter(target, &context)
    try fit(target, &context)
    for child in target.children { try draw(child, context) }
  }

  /// Whether a shape has a line; of a shape that is only filled, the outline is the line.
  private mutating func isVisible(_ element: XMLElementTree, _ context: Context) -> Bool {
    func isNone(_ name: String) -> Bool {
      ["none", "transparent"].contains(context.style[name] ?? "")
    }
    let hasLine =
      context.style["stroke"] != nil && !isNone("stroke")
      && context.style["stroke-opacity"] != "0"
    if ["hidden", "collapse"].contains(context.style["visibility"] ?? "")
      || isNone("fill") && isNone("stroke")
    {
      ignored.add("invisible elements")
      return false
    }
    if hasLine { return true }
    // A background has no line.
    if element.name == "rect" {
      ignored.add("filled rectangles without a line")
      return false
    }
    if isNone("stroke") { ignored.add("the filling of shapes without a line") }
    return true
  }

  private func drawPath(_ element: XMLElementTree, _ pen: inout SVGPen) throws(InkError) {
    guard let text = element.attributes["d"] else { return }
    var data = SVGPathData(text)
    do {
      try data.draw(with: &pen, room: SVGPen.maximumPoints - pointCount)
    } catch {
      throw InkError(
        at: Place(
          file: path, line: element.line, stroke: strokes.count + max(1, pen.pieces.count),
          point: (pen.pieces.last?.count ?? 0) + 1),
        expected: error.expected, found: error.found)
    }
  }

  private func drawShape(
    _ element: XMLElementTree, _ context: Context, _ pen: inout SVGPen
  ) throws(InkError) {
    let (width, height) = (context.width, context.height)
    func x(_ name: String) throws(InkError) -> Double {
      try length(name, of: element, whole: width) ?? 0
    }
    func y(_ name: String) throws(InkError) -> Double {
      try length(name, of: element, whole: height) ?? 0
    }
    switch element.name {
    case "line":
      pen.move(to: Vector(try x("x1"), try y("y1")))
      pen.line(to: Vector(try x("x2"), try y("y2")))
    case "polyline", "polygon":
      let text = element.attributes["points"] ?? ""
      guard let numbers = SVGNumbers.list(text), numbers.count % 2 == 0 else {
        throw InkError(
          at: Place(file: path, line: element.line, stroke: strokes.count + 1),
          expected: "pairs of numbers as points", found: "`\(text.prefix(80))`")
      }
      guard !numbers.isEmpty else { return }
      pen.move(to: Vector(numbers[0], numbers[1]))
      for index in stride(from: 2, to: numbers.count, by: 2) {
        pen.line(to: Vector(numbers[index], numbers[index + 1]))
      }
      if element.name == "polygon" { pen.close() }
    case "rect":
      let corner = Vector(try x("x"), try y("y"))
      let size = Vector(try x("width"), try y("height"))
      guard size.x > 0, size.y > 0 else { return }
      pen.move(to: corner)
      pen.line(to: corner + Vector(size.x, 0))
      pen.line(to: corner + size)
      pen.line(to: corner + Vector(0, size.y))
      pen.close()
    default:
      let center = Vector(try x("cx"), try y("cy"))
      let radii: Vector
      if element.name == "circle" {
        let diagonal = ((width * width + height * height) / 2).squareRoot()
        let radius = try length("r", of: element, whole: diagonal) ?? 0
        radii = Vector(radius, radius)
      } else {
        let rx = try length("rx", of: element, whole: width)
        let ry = try length("ry", of: element, whole: height)
        radii = Vector(rx ?? ry ?? 0, ry ?? rx ?? 0)
      }
      guard radii.x > 0, radii.y > 0 else { return }
      pen.move(to: center + Vector(radii.x, 0))
      pen.arc(
        center: center, radii: radii, tilt: 0, from: 0, by: 2 * .pi, to: pen.position)
    }
  }

  /// Adds the pieces of an element as strokes.
  private mutating func finish(_ pen: SVGPen, of element: XMLElementTree) throws(InkError) {
    for piece in pen.pieces where !piece.isEmpty {
      if let index = piece.firstIndex(where: { !$0.isFinite }) {
        throw InkError(
          at: Place(
            file: path, line: element.line, stroke: strokes.count + 1, point: index + 1),
          expected: "numbers that fit", found: "larger ones")
      }
      let points = piece.map { Point($0.x, $0.y) }
      pointCount += points.count
      guard pointCount <= SVGPen.maximumPoints else {
        throw element.error(
          in: path, expected: "at most \(SVGPen.maximumPoints) points", found: "more")
      }
      if let last = strokes.last?.points.last, last == points[0] {
        strokes[strokes.count - 1].points += points.dropFirst()
      } else {
        strokes.append(Stroke(points))
      }
    }
  }

  // MARK: Lengths

  private static let units: [String: Double] = [
    "": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72,
    "pc": 16, "em": 16, "rem": 16, "ex": 8,
  ]

  /// The length in an attribute, in canvas points or user units; `whole` is that of 100 %.
  private func length(
    _ name: String, of element: XMLElementTree, whole: Double
  ) throws(InkError) -> Double? {
    guard let text = property(name, of: element), text != "auto" else { return nil }
    let word = text.trimmingCharacters(in: .whitespaces)
    let unit = word.reversed().prefix { $0.isLetter || $0 == "%" }.reversed()
    let unitName = String(unit).lowercased()
    let factor = unitName == "%" ? whole / 100 : Self.units[unitName]
    guard let number = Double(word.dropLast(unit.count)), number.isFinite, let factor else {
      throw element.error(
        in: path, expected: "a length as \(name)", found: "`\(text.prefix(80))`")
    }
    return number * factor
  }
}
