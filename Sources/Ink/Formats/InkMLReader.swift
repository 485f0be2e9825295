import Foundation
import XMLTree

/// The W3C's Ink Markup Language (InkML, Recommendation of 20 September 2011).
///
/// Each innermost `<traceGroup>` with a label is a recording, as in the CTU finite-automata database.
/// It contains its traces, or refers to them with `<traceView>`. All other traces form one recording
/// with the label of the document, if it has one. A trace that continues another one is part of its
/// stroke. `InkMLAnnotations` says which annotation is the label.
///
/// Lengths with a unit are converted to canvas points, 96 per inch as in CSS. Lengths without a
/// unit, or in units of the device (`dev`), are canvas points. Only the positions are necessary:
/// channels, times, pressures and mappings that cannot be used are named as ignored.
enum InkMLReader {
  /// Reads the recordings of the document in `data`.
  ///
  /// - Throws: `InkError` if the document as a whole is not InkML; a bad recording is an item.
  static func read(
    _ data: Data, path: String, labelAnnotation: String?
  ) throws(InkError) -> [InkFile.Item] {
    try document(data, path: path, labelAnnotation: labelAnnotation).items()
  }

  /// Reads all traces of the document in `data` as one drawing, with its groups.
  ///
  /// - Throws: `InkError` if the document is not InkML, or a trace or reference is bad.
  static func annotated(
    _ data: Data, path: String, labelAnnotation: String?
  ) throws(InkError) -> AnnotatedInk {
    try document(data, path: path, labelAnnotation: labelAnnotation).annotated()
  }

  private static func document(
    _ data: Data, path: String, labelAnnotation: String?
  ) throws(InkError) -> InkMLDocument {
    let root = try XMLElementTree.root(of: data, path: path)
    guard root.name == "ink" else {
      throw root.error(in: path, expected: "<ink>", found: "<\(root.name)>")
    }
    return try InkMLDocument(
      root, path: path, annotations: InkMLAnnotations(label: labelAnnotation))
  }
}

private struct InkMLDocument {
  /// How the traces of a context are read.
  private struct TraceContext {
    var format: XMLElementTree?
    var source: XMLElementTree?
    var transform: XMLElementTree?
    var canvas: XMLElementTree?
  }

  private let root: XMLElementTree
  private let path: String
  private let annotations: InkMLAnnotations
  /// Everything that can be referred to, by its `id` or `xml:id`.
  private var elements: [String: XMLElementTree] = [:]
  /// The format of traces without a context, and its source.
  private var defaultContext = TraceContext()
  /// The context of each trace, its own or that of the nearest enclosing group.
  private var contexts: [ObjectIdentifier: String] = [:]
  /// The last `<context>` before each trace that names none (InkML, section 6.2).
  private var currentContexts: [ObjectIdentifier: XMLElementTree] = [:]
  private var hasPenUps = false

  /// The maximum length of a chain of contexts that inherit from each other.
  private static let longestChain = 100

  init(
    _ root: XMLElementTree, path: String, annotations: InkMLAnnotations
  ) throws(InkError) {
    self.root = root
    self.path = path
    self.annotations = annotations
    collectContexts(below: root, inherited: nil)
    collectCurrentContexts()
    for element in root.descendants() {
      if let id = element.attributes["id"] { elements[id] = element }
      if element.name == "trace", !element.isInk { hasPenUps = true }
      guard defaultContext.format == nil,
        let format = element.children(named: "traceFormat").first, element.name != "canvas"
      else { continue }
      defaultContext.format = format
      defaultContext.source = element.name == "inkSource" ? element : nil
      _ = try TraceFormat(format, of: defaultContext.source, path: path)
    }
  }

  /// Collects the context of each trace, its own or that of an enclosing group.
  private mutating func collectContexts(below element: XMLElementTree, inherited: String?) {
    let reference = element.attributes["contextRef"] ?? inherited
    if element.name == "trace" { contexts[ObjectIdentifier(element)] = reference }
    for child in element.children { collectContexts(below: child, inherited: reference) }
  }

  private mutating func collectCurrentContexts() {
    var current: XMLElementTree?
    for child in root.children {
      if child.name == "context" { current = child }
      guard let current else { continue }
      for trace in child.descendants() where trace.name == "trace" {
        currentContexts[ObjectIdentifier(trace)] = current
      }
    }
  }

  func items() throws(InkError) -> [InkFile.Item] {
    var groups: [XMLElementTree] = []
    collectLabelledGroups(below: root, into: &groups)

    var claimed = Set<ObjectIdentifier>()
    var items: [InkFile.Item] = []
    func add(at place: Place, _ read: (inout IgnoredParts) throws(InkError) -> Recording) {
      var ignored = IgnoredParts()
      if items.isEmpty, hasPenUps { ignored.add(Self.penUps) }
      let result = Result { () throws(InkError) in try read(&ignored) }
      items.append(InkFile.Item(place: place, result: result, ignored: ignored.names))
    }
    for group in groups {
      add(at: Place(file: path, line: group.line)) { ignored throws(InkError) in
        // The traces of a malformed group do not form another recording.
        claimed.formUnion(tracesNamed(by: group))
        var views = TraceViews(elements: elements, path: path)
        let pieces = try views.pieces(of: group)
        claimed.formUnion(pieces.map { ObjectIdentifier($0.trace) })
        guard !pieces.isEmpty else {
          throw group.error(in: path, expected: "traces in the group", found: "none")
        }
        return try recording(of: pieces, in: group, ignored: &ignored).recording
      }
    }

    let unclaimed = root.descendants().filter {
      $0.isInk && !claimed.contains(ObjectIdentifier($0))
    }
    if !unclaimed.isEmpty {
      add(at: Place(file: path, line: unclaimed[0].line)) { ignored throws(InkError) in
        try recording(of: unclaimed.map { TracePiece($0) }, in: root, ignored: &ignored).recording
      }
    }
    return items
  }

  private static let penUps = "pen-up traces"

  func annotated() throws(InkError) -> AnnotatedInk {
    let pieces = root.descendants().filter(\.isInk).map { TracePiece($0) }
    guard !pieces.isEmpty else {
      throw root.error(in: path, expected: "traces", found: "none")
    }
    var ignored = IgnoredParts()
    if hasPenUps { ignored.add(Self.penUps) }
    let (recording, parts) = try recording(of: pieces, in: root, ignored: &ignored)
    let indices = try TraceContinuations(of: pieces, elements: elements, path: path)
      .strokeIndices(of: pieces.count)
    var strokes: [ObjectIdentifier: Range<Int>] = [:]
    for (piece, index) in zip(pieces, indices) {
      strokes[ObjectIdentifier(piece.trace)] = parts[index]
    }
    var views = TraceViews(elements: elements, path: path)
    var ink = AnnotatedInk(recording: recording, groups: [])
    for child in root.children where child.name == "traceGroup" || child.name == "traceView" {
      ink.groups.append(try group(child, strokes: strokes, views: &views))
    }
    ink.ignored = ignored.names
    return ink
  }

  /// Returns the group of an element with the groups in it.
  private func group(
    _ element: XMLElementTree, strokes: [ObjectIdentifier: Range<Int>], views: inout TraceViews
  ) throws(InkError) -> AnnotatedInk.Group {
    var group = AnnotatedInk.Group()
    group.id = element.attributes["id"]
    for child in element.children where child.name == "annotation" {
      group.annotations.append(
        .init(type: child.attributes["type"] ?? "", text: child.trimmedText))
    }
    let pieces = try views.pieces(of: element)
    group.strokes = Set(pieces.flatMap { strokes[ObjectIdentifier($0.trace)] ?? 0..<0 }).sorted()
    for child in element.children
    where child.name == "traceGroup"
      || child.name == "traceView" && !child.children(named: "annotation").isEmpty
    {
      group.groups.append(try self.group(child, strokes: strokes, views: &views))
    }
    return group
  }

  /// The groups with a label of their own and none below them, in document order.
  private func collectLabelledGroups(
    below element: XMLElementTree, into groups: inout [XMLElementTree]
  ) {
    let countBefore = groups.count
    for child in element.children { collectLabelledGroups(below: child, into: &groups) }
    if element.name == "traceGroup", groups.count == countBefore,
      annotations.label(of: element) != nil
    {
      groups.append(element)
    }
  }

  /// The traces in `group` and those that its views name directly.
  private func tracesNamed(by group: XMLElementTree) -> Set<ObjectIdentifier> {
    var traces = Set<ObjectIdentifier>()
    for element in group.descendants() {
      let named = element.attributes["traceDataRef"].flatMap { elements[$0.fragment] }
      for trace in [element] + (named?.descendants() ?? []) where trace.name == "trace" {
        traces.insert(ObjectIdentifier(trace))
      }
    }
    return traces
  }

  /// Returns the recording of a group or of the document, and which of its strokes each joined trace
  /// became; the pen may have left the surface within it.
  private func recording(
    of pieces: [TracePiece], in element: XMLElementTree, ignored: inout IgnoredParts
  ) throws(InkError) -> (recording: Recording, parts: [Range<Int>]) {
    let strokes = try pieces.enumerated().map { index, piece throws(InkError) in
      let context = try context(of: piece.trace)
      let format =
        try context.format.map { format throws(InkError) in
          try TraceFormat(format, of: context.source, path: path)
        } ?? TraceFormat.positions
      let place = Place(file: path, line: piece.trace.line, stroke: index + 1)
      let map = try map(of: context, format: format, ignored: &ignored)
      let stroke = try format.stroke(piece.trace, map: map, in: place, ignored: &ignored)
      return try piece.cut(stroke, in: place)
    }
    var parts: [Range<Int>] = []
    var touching: [Stroke] = []
    for stroke in try TraceContinuations(of: pieces, elements: elements, path: path).joined(strokes)
    {
      let pieces = stroke.touchingParts
      if pieces.count != 1 || pieces[0].points.count != stroke.points.count {
        ignored.add("points of the hovering pen")
      }
      parts.append(touching.count..<touching.count + pieces.count)
      touching += pieces
    }
    var recording = Recording(ignored.removingWrongPressures(of: Drawing(touching)))
    annotations.apply(from: root, to: &recording)
    recording.label = nil
    if let label = annotations.label(of: element) {
      recording.label = label.text
      recording.attributes[label.type] = nil
    }
    if element !== root { annotations.applyWriter(from: element, to: &recording) }
    return (recording, parts)
  }

  /// The context that the trace, or else the nearest group around it, names, with what it inherits.
  private func context(of trace: XMLElementTree) throws(InkError) -> TraceContext {
    // Every document has that one without declaring it (InkML, section 4.3).
    var next: XMLElementTree?
    if let reference = contexts[ObjectIdentifier(trace)] {
      if reference != "#DefaultContext" {
        next = try element(reference, named: "contextRef", by: trace)
      }
    } else {
      next = currentContexts[ObjectIdentifier(trace)]
    }
    var found = TraceContext()
    var count = 0
    while let context = next {
      count += 1
      guard count <= Self.longestChain else {
        throw context.error(
          in: path, expected: "at most \(Self.longestChain) contexts that refer to each other",
          found: "more, or a cycle")
      }
      func part(_ name: String) throws(InkError) -> XMLElementTree? {
        if let child = context.children(named: name).first { return child }
        guard let reference = context.attributes["\(name)Ref"],
          !reference.hasPrefix("#Default")
        else { return nil }
        return try element(reference, named: "\(name)Ref", by: context)
      }
      if found.source == nil { found.source = try part("inkSource") }
      if found.format == nil {
        found.format = try part("traceFormat") ?? found.source?.children(named: "traceFormat").first
      }
      if found.transform == nil { found.transform = try part("canvasTransform") }
      if found.canvas == nil { found.canvas = try part("canvas") }
      next = try context.attributes["contextRef"].flatMap { $0 == "#DefaultContext" ? nil : $0 }
        .map { reference throws(InkError) in
          try element(reference, named: "contextRef", by: context)
        }
    }
    if found.format == nil {
      found.format = defaultContext.format
      found.source = defaultContext.source
    }
    return found
  }

  /// The map from the values of a trace to canvas points.
  ///
  /// A canvas transform leads to the axes of the canvas; without one, the channels have their own.
  private func map(
    of context: TraceContext, format: TraceFormat, ignored: inout IgnoredParts
  ) throws(InkError) -> Transform {
    guard let transform = context.transform,
      let mapping = transform.children(named: "mapping").first
    else { return format.toCanvas }
    guard let map = InkMLMapping(elements: elements).transform(mapping, channels: format.names)
    else {
      let type = mapping.attributes["type"] ?? "unknown"
      ignored.add("a canvas transform of the type `\(type)`")
      return format.toCanvas
    }
    var canvas = context.canvas
    if let name = canvas?.attributes["traceFormatRef"] {
      canvas = try element(name, named: "traceFormatRef", by: canvas!)
    } else {
      canvas = canvas?.children(named: "traceFormat").first
    }
    guard let canvas else { return map.then(format.unitScale) }
    return map.then(try TraceFormat(canvas, of: nil, path: path).toCanvas)
  }

  /// The element that a reference leads to.
  private func element(
    _ reference: String, named attribute: String, by user: XMLElementTree
  ) throws(InkError) -> XMLElementTree {
    guard let target = elements[reference.fragment] else {
      throw user.error(in: path, expected: "an id as \(attribute)", found: "`\(reference)`")
    }
    return target
  }
}

extension XMLElementTree {
  /// Whether it is a trace that the pen left while it touched the surface.
  var isInk: Bool {
    guard name == "trace", attributes["type"]?.lowercased() != "penup" else { return false }
    // The names of brushes are free; these draw nothing.
    let brush = attributes["brushRef"]?.lowercased() ?? ""
    return !["eraser", "penup", "pen-up", "pen_up", "hover"].contains { brush.contains($0) }
  }
}

extension Stroke {
  /// The parts between the points where the pen hovers, whose coordinates are not numbers.
  fileprivate var touchingParts: [Stroke] {
    guard points.contains(where: { $0.x.isNaN }) else { return [self] }
    return points.split { $0.x.isNaN }.map { Stroke(Array($0)) }
  }
}

/// The channels of the points of a trace, in order (InkML, section 3.2).
private struct TraceFormat {
  private struct Channel {
    var name: String
    /// The factor and the summand from a value to milliseconds or 0…1, or that of a mapping.
    var scale = 1.0
    var offset = 0.0
    /// Whether its values are read.
    var isUsed = true
    /// Whether the limits of a pressure are known.
    var isLimited = false
  }

  private var channels: [Channel]
  /// The number of channels that each point has; further channels are optional.
  private var requiredCount: Int
  /// The map from coordinates to canvas points, with the directions of the axes.
  private(set) var toCanvas = Transform.identity
  /// The same without the directions of the axes.
  private(set) var unitScale = Transform.identity
  /// What the format has that is not read.
  private var ignored = IgnoredParts()

  /// The format of a document without a `<traceFormat>`: two coordinates.
  static let positions = TraceFormat(
    channels: [Channel(name: "X"), Channel(name: "Y")], requiredCount: 2)

  private init(channels: [Channel], requiredCount: Int) {
    self.channels = channels
    self.requiredCount = requiredCount
  }

  /// The names of the channels.
  var names: [String] { channels.map(\.name) }

  /// Reads a `<traceFormat>`; `source` is the `<inkSource>` that describes its channels.
  init(_ element: XMLElementTree, of source: XMLElementTree?, path: String) throws(InkError) {
    let regular = element.children(named: "channel")
    let intermittent = element.children(named: "intermittentChannels").flatMap {
      $0.children(named: "channel")
    }
    channels = []
    requiredCount = regular.count
    var others: [String] = []
    var (scales, signs) = (Vector(1, 1), Vector(1, 1))
    for element in regular + intermittent {
      guard let name = element.attributes["name"] else {
        throw element.error(in: path, expected: "a channel with a name", found: "none")
      }
      var channel = Channel(name: name.count == 1 ? name.uppercased() : name)
      if let mapping = element.children(named: "mapping").first {
        if let (scale, offset) = InkMLMapping.line(mapping) {
          (channel.scale, channel.offset) = (scale, offset)
        } else {
          ignored.add(
            "a mapping of the type `\(mapping.attributes["type"] ?? "unknown")` of the channel "
              + name)
        }
      }
      switch channel.name {
      case "X", "Y":
        let scale = try Self.canvasPoints(element, of: source, path: path)
        let sign = element.attributes["orientation"] == "-ve" ? -1.0 : 1
        if channel.name == "X" {
          (scales.x, signs.x) = (scale, sign)
        } else {
          (scales.y, signs.y) = (scale, sign)
        }
      case "T":
        if let scale = Self.milliseconds(element, of: source) {
          channel.scale *= scale
          channel.offset *= scale
        } else {
          channel.isUsed = false
          ignored.add("times in the unit `\(element.attributes["units"] ?? "")`")
        }
      case "F":
        let (least, most) = Self.limits(of: element)
        if let most, most > least {
          channel.scale /= most - least
          channel.offset = (channel.offset - least) / (most - least)
          channel.isLimited = true
        }
      case "S": break
      default:
        channel.isUsed = false
        others.append(name)
      }
      channels.append(channel)
    }
    for name in ["X", "Y"]
    where !channels.prefix(requiredCount).contains(where: { $0.name == name }) {
      throw element.error(in: path, expected: "a channel \(name)", found: "none")
    }
    if !others.isEmpty {
      ignored.add("the channel\(others.count == 1 ? "" : "s") \(others.joined(separator: ", "))")
    }
    unitScale = .scale(x: scales.x, y: scales.y)
    toCanvas = .scale(x: scales.x * signs.x, y: scales.y * signs.y)
  }

  /// The limits of a channel; the least is 0 unless it is given.
  private static func limits(of channel: XMLElementTree) -> (least: Double, most: Double?) {
    func number(_ name: String) -> Double? {
      channel.attributes[name].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    }
    return (number("min") ?? 0, number("max"))
  }

  /// The number of milliseconds in one unit of a time, or `nil` if it is unknown.
  private static func milliseconds(
    _ channel: XMLElementTree, of source: XMLElementTree?
  ) -> Double? {
    let units = ["s": 1000, "ms": 1, "us": 1e-3, "µs": 1e-3, "ns": 1e-6, "min": 60_000, "dev": 1]
    if let (count, unit) = resolution(of: channel, source), let length = units[unit] {
      return length / count
    }
    guard let unit = channel.attributes["units"] else { return 1 }
    return units[unit.lowercased()]
  }

  /// The number and the unit of a resolution of the ink source, such as 1000 for each `cm`.
  private static func resolution(
    of channel: XMLElementTree, _ source: XMLElementTree?
  ) -> (count: Double, unit: String)? {
    guard let property = resolutionProperty(of: channel, source),
      let count = Double(property.attributes["value"] ?? ""), count > 0, count.isFinite
    else { return nil }
    return (count, String(property.attributes["units"]?.dropFirst(2) ?? ""))
  }

  private static func resolutionProperty(
    of channel: XMLElementTree, _ source: XMLElementTree?
  ) -> XMLElementTree? {
    source?.children(named: "channelProperties").first?.children(named: "channelProperty").first {
      $0.attributes["name"] == "resolution"
        && $0.attributes["channel"] == channel.attributes["name"]
        && $0.attributes["units"]?.hasPrefix("1/") == true
    }
  }

  /// The number of canvas points in each unit of length.
  private static let canvasPoints: [String: Double] = [
    "m": 96 / 0.0254, "cm": 96 / 2.54, "mm": 96 / 25.4, "himetric": 96 / 2540, "in": 96,
    "pt": 96.0 / 72, "pc": 16, "px": 1, "dev": 1,
  ]

  /// Returns the number of canvas points in one unit of a coordinate.
  ///
  /// A resolution of the ink source, such as 1000 per centimetre, defines the unit (InkML, section
  /// 3.1.4). Otherwise the channel's units do.
  private static func canvasPoints(
    _ channel: XMLElementTree, of source: XMLElementTree?, path: String
  ) throws(InkError) -> Double {
    func length(_ unit: String, of element: XMLElementTree) throws(InkError) -> Double {
      guard let length = canvasPoints[unit.lowercased()] else {
        throw element.error(
          in: path, expected: "units of \(canvasPoints.keys.sorted().joined(separator: ", "))",
          found: "`\(unit)`")
      }
      return length
    }
    if let resolution = resolutionProperty(of: channel, source),
      let unit = resolution.attributes["units"]?.dropFirst(2)
    {
      let text = resolution.attributes["value"] ?? ""
      guard let count = Double(text), count > 0, count.isFinite else {
        throw resolution.error(in: path, expected: "a positive value", found: "`\(text)`")
      }
      return try length(String(unit), of: resolution) / count
    }
    guard let unit = channel.attributes["units"] else { return 1 }
    return try length(unit, of: channel)
  }

  /// Reads the points of a trace; `map` leads from its coordinates to canvas points.
  ///
  /// Where the pen hovers, the coordinates are not numbers: the strokes are cut there after their
  /// pieces are joined.
  func stroke(
    _ trace: XMLElementTree, map: Transform, in place: Place, ignored: inout IgnoredParts
  ) throws(InkError) -> Stroke {
    ignored.add(self.ignored)
    let isIndeterminate = trace.attributes["type"] == "indeterminate"
    let hasTipSwitch = channels.contains { $0.name == "S" }
    var decoders = channels.map { _ in ChannelDecoder() }
    var points: [Point] = []
    var place = place
    for text in trace.text.split(separator: ",", omittingEmptySubsequences: true) {
      let tokens = Self.tokens(text)
      guard !tokens.isEmpty else { continue }
      place.point = points.count + 1
      guard (requiredCount...channels.count + Self.maximumUndeclared).contains(tokens.count) else {
        throw InkError(
          at: place, expected: requiredCount.counted("value"), found: "\(tokens.count) in `\(text)`"
        )
      }
      if tokens.count > channels.count { ignored.add("values after those of the channels") }
      var point = Point(0, 0)
      var words = (x: tokens[0], y: tokens[0])
      var isHovering = false
      for (index, token) in tokens.prefix(channels.count).enumerated() {
        let channel = channels[index]
        guard channel.isUsed else { continue }
        guard let decoded = decoders[index].decode(token) else {
          if !["X", "Y"].contains(channel.name) {
            ignored.add("values of the channel \(channel.name) that are no numbers")
            continue
          }
          throw InkError(at: place, expected: "a finite number", found: "`\(token)`")
        }
        let value = decoded.map { $0 * channel.scale + channel.offset }
        switch channel.name {
        case "X", "Y":
          guard let value else {
            throw InkError(at: place, expected: "two known coordinates", found: "`\(token)`")
          }
          if channel.name == "X" {
            (point.x, words.x) = (value, token)
          } else {
            (point.y, words.y) = (value, token)
          }
        case "T": point.time = value?.isFinite == true ? value : nil
        case "S": isHovering = decoded == 0
        case "F" where channel.isLimited:
          if let value, !(0...1).contains(value) { ignored.add("pressure beyond its limits") }
          point.pressure = value.map { min(max($0, 0), 1) }
        case "F": point.pressure = value?.isFinite == true ? value : nil
        default: break
        }
        if isIndeterminate, !hasTipSwitch, channel.name == "F" { isHovering = decoded == 0 }
      }
      point = map.apply(to: point)
      for (value, word) in [(point.x, words.x), (point.y, words.y)] where !value.isFinite {
        throw InkError(at: place, expected: "numbers that fit", found: "`\(word)`")
      }
      if isHovering { (point.x, point.y) = (.nan, .nan) }
      points.append(point)
    }
    return Stroke(points)
  }

  /// The maximum number of values in a point for which there is no channel.
  private static let maximumUndeclared = 3

  /// Cuts `10-5'3"2 *` into `10`, `-5`, `'3`, `"2` and `*`: white space is needed only where two
  /// numbers would run together.
  private static func tokens(_ text: Substring) -> [Substring] {
    var tokens: [Substring] = []
    var start = text.startIndex
    var index = start
    func cut() {
      let token = text[start..<index]
      if !token.isEmpty { tokens.append(token) }
    }
    var isComplete = false
    while index < text.endIndex {
      let character = text[index]
      let previous = index > start ? text[text.index(before: index)] : nil
      if character.isWhitespace || character == ":" {
        cut()
        start = text.index(after: index)
        isComplete = false
      } else if let previous {
        let startsValue =
          "!'\"#*?TF".contains(character)
          || ("+-".contains(character) && !"eE!'\"#".contains(previous))
        let follows = "!'\"".contains(previous)
        if isComplete || (startsValue && !follows && !(previous == "#" || text[start] == "#")) {
          cut()
          start = index
        }
        isComplete = "*?TF".contains(character) && text[start] != "#"
      } else {
        isComplete = "*?TF".contains(character)
      }
      index = text.index(after: index)
    }
    cut()
    return tokens
  }
}

/// Turns the values of one channel into numbers: explicit (`!`), as a difference to the value
/// before (`'`), or as a difference of that difference (`"`); a mark holds until the next one
/// (InkML, section 3.2.1).
private struct ChannelDecoder {
  private enum Mode {
    case explicit, velocity, acceleration
  }

  private var mode = Mode.explicit
  private var value: Double?
  private var velocity = 0.0

  /// The value that `token` stands for, `.some(nil)` where it says "unknown", or `nil` if it is
  /// not a value.
  mutating func decode(_ token: Substring) -> Double?? {
    var token = token
    switch token.first {
    case "!": mode = .explicit
    case "'": mode = .velocity
    case "\"": mode = .acceleration
    default: break
    }
    if let first = token.first, "!'\"".contains(first) { token = token.dropFirst() }
    switch token {
    case "?": return .some(nil)
    case "*": return .some(value)
    case "T": return 1
    case "F": return 0
    default: break
    }
    let parsed =
      token.hasPrefix("#") ? Int(token.dropFirst(), radix: 16).map(Double.init) : Double(token)
    guard let number = parsed, number.isFinite else { return nil }
    switch mode {
    case .explicit:
      velocity = number - (value ?? number)
      value = number
    case .velocity:
      velocity = number
      value = (value ?? 0) + velocity
    case .acceleration:
      velocity += number
      value = (value ?? 0) + velocity
    }
    return .some(value)
  }
}

extension XMLElementTree {
  /// The element and everything below it, in document order.
  fileprivate func descendants() -> [XMLElementTree] {
    [self] + children.flatMap { $0.descendants() }
  }
}
