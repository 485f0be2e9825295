import Foundation
import XMLTree

/// The W3C's Ink Markup Language (InkML, Recommendation of 20 September 2011).
///
/// Each innermost `<traceGroup>` with an `<annotation type="truth">` is a recording, as in the CTU
/// finite-automata database. It contains its traces, or refers to them with `<traceView>`. All
/// other traces form one recording without a label. A trace that continues another one is part of
/// its stroke.
///
/// Lengths with a unit are converted to canvas points, 96 per inch as in CSS. Lengths without a
/// unit, or in units of the device (`dev`), are canvas points.
enum InkMLReader {
  /// Reads the recordings of the document in `data`.
  ///
  /// - Throws: `InkError` if the document as a whole is not InkML; a bad recording is an item.
  static func read(_ data: Data, path: String) throws(InkError) -> [InkFile.Item] {
    let root = try XMLElementTree.root(of: data, path: path)
    guard root.name == "ink" else {
      throw root.error(in: path, expected: "<ink>", found: "<\(root.name)>")
    }
    return try InkMLDocument(root, path: path).items()
  }

  /// Reads all traces of the document in `data` as one drawing, with its groups.
  ///
  /// - Throws: `InkError` if the document is not InkML, or a trace or reference is bad.
  static func annotated(_ data: Data, path: String) throws(InkError) -> AnnotatedInk {
    let root = try XMLElementTree.root(of: data, path: path)
    guard root.name == "ink" else {
      throw root.error(in: path, expected: "<ink>", found: "<\(root.name)>")
    }
    return try InkMLDocument(root, path: path).annotated()
  }
}

private struct InkMLDocument {
  private let root: XMLElementTree
  private let path: String
  /// Everything that can be referred to, by its `id` or `xml:id`.
  private var elements: [String: XMLElementTree] = [:]
  /// The format of traces without a context.
  private var defaultFormat: TraceFormat?
  /// The context of each trace, its own or that of the nearest enclosing group.
  private var contexts: [ObjectIdentifier: String] = [:]

  init(_ root: XMLElementTree, path: String) throws(InkError) {
    self.root = root
    self.path = path
    collectContexts(below: root, inherited: nil)
    for element in root.descendants() {
      if let id = element.attributes["id"] { elements[id] = element }
      guard defaultFormat == nil else { continue }
      if let format = element.children(named: "traceFormat").first {
        defaultFormat = try TraceFormat(
          format, of: element.name == "inkSource" ? element : nil, path: path)
      }
    }
  }

  /// Collects the context of each trace, its own or that of an enclosing group.
  private mutating func collectContexts(below element: XMLElementTree, inherited: String?) {
    let reference = element.attributes["contextRef"] ?? inherited
    if element.name == "trace" { contexts[ObjectIdentifier(element)] = reference }
    for child in element.children { collectContexts(below: child, inherited: reference) }
  }

  func items() throws(InkError) -> [InkFile.Item] {
    var groups: [XMLElementTree] = []
    collectTruthGroups(below: root, into: &groups)

    var claimed = Set<ObjectIdentifier>()
    var items: [InkFile.Item] = []
    for group in groups {
      let place = Place(file: path, line: group.line)
      let result = Result { () throws(InkError) -> Recording in
        // The traces of a broken group do not form another recording.
        claimed.formUnion(tracesNamed(by: group))
        var views = TraceViews(elements: elements, path: path)
        let pieces = try views.pieces(of: group)
        claimed.formUnion(pieces.map { ObjectIdentifier($0.trace) })
        guard !pieces.isEmpty else {
          throw group.error(in: path, expected: "traces in the group", found: "none")
        }
        return try recording(of: pieces, label: group.truth)
      }
      items.append(InkFile.Item(place: place, result: result))
    }

    let unclaimed = root.descendants().filter {
      $0.isInk && !claimed.contains(ObjectIdentifier($0))
    }
    if !unclaimed.isEmpty {
      let place = Place(file: path, line: unclaimed[0].line)
      let label = root.truth
      let result = Result { () throws(InkError) in
        try recording(of: unclaimed.map { TracePiece($0) }, label: label)
      }
      items.append(InkFile.Item(place: place, result: result))
    }
    return items
  }

  func annotated() throws(InkError) -> AnnotatedInk {
    let pieces = root.descendants().filter(\.isInk).map { TracePiece($0) }
    guard !pieces.isEmpty else {
      throw root.error(in: path, expected: "traces", found: "none")
    }
    let recording = try recording(of: pieces, label: root.truth)
    let indices = try TraceContinuations(of: pieces, elements: elements, path: path)
      .strokeIndices(of: pieces.count)
    var strokes: [ObjectIdentifier: Int] = [:]
    for (piece, index) in zip(pieces, indices) { strokes[ObjectIdentifier(piece.trace)] = index }
    var views = TraceViews(elements: elements, path: path)
    var groups: [AnnotatedInk.Group] = []
    for child in root.children where child.name == "traceGroup" || child.name == "traceView" {
      groups.append(try group(child, strokes: strokes, views: &views))
    }
    return AnnotatedInk(recording: recording, groups: groups)
  }

  /// Returns the group of an element with the groups in it.
  private func group(
    _ element: XMLElementTree, strokes: [ObjectIdentifier: Int], views: inout TraceViews
  ) throws(InkError) -> AnnotatedInk.Group {
    var group = AnnotatedInk.Group()
    group.id = element.attributes["id"]
    for child in element.children where child.name == "annotation" {
      group.annotations.append(
        .init(type: child.attributes["type"] ?? "", text: child.trimmedText))
    }
    let pieces = try views.pieces(of: element)
    group.strokes = Set(pieces.compactMap { strokes[ObjectIdentifier($0.trace)] }).sorted()
    for child in element.children
    where child.name == "traceGroup"
      || child.name == "traceView" && !child.children(named: "annotation").isEmpty
    {
      group.groups.append(try self.group(child, strokes: strokes, views: &views))
    }
    return group
  }

  /// The groups with a truth of their own and none below them, in document order.
  private func collectTruthGroups(
    below element: XMLElementTree, into groups: inout [XMLElementTree]
  ) {
    let countBefore = groups.count
    for child in element.children { collectTruthGroups(below: child, into: &groups) }
    if element.name == "traceGroup", element.truth != nil, groups.count == countBefore {
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

  private func recording(
    of pieces: [TracePiece], label: String?
  ) throws(InkError) -> Recording {
    let strokes = try pieces.enumerated().map { index, piece throws(InkError) in
      let format = try format(of: piece.trace) ?? defaultFormat ?? TraceFormat.positions
      let place = Place(file: path, line: piece.trace.line, stroke: index + 1)
      return try piece.cut(format.stroke(piece.trace, in: place), in: place)
    }
    let joined = try TraceContinuations(of: pieces, elements: elements, path: path).joined(strokes)
    var recording = Recording(Drawing(joined), label: label)
    for annotation in root.children(named: "annotation") {
      let text = annotation.trimmedText
      switch annotation.attributes["type"] {
      case "writer", "author": recording.writer = text
      case "device": recording.device = text
      case "source": recording.source = text
      case "truth", nil: break
      case let type?: recording.attributes[type] = .text(text)
      }
    }
    return recording
  }

  /// The format of the context that the trace, or else the nearest group around it, names.
  private func format(of trace: XMLElementTree) throws(InkError) -> TraceFormat? {
    // Every document has that one without declaring it (InkML, section 4.3).
    guard let reference = contexts[ObjectIdentifier(trace)], reference != "#DefaultContext"
    else { return nil }
    let context = try element(reference, named: "contextRef", by: trace)
    var source = context.children(named: "inkSource").first
    if source == nil, let name = context.attributes["inkSourceRef"] {
      source = try element(name, named: "inkSourceRef", by: context)
    }
    var format = context.children(named: "traceFormat").first
    if format == nil, let name = context.attributes["traceFormatRef"] {
      format = try element(name, named: "traceFormatRef", by: context)
    }
    guard let format = format ?? source?.children(named: "traceFormat").first else { return nil }
    return try TraceFormat(format, of: source, path: path)
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
  var isInk: Bool { name == "trace" && attributes["type"] != "penUp" }
}

/// The channels of the points of a trace, in order (InkML, section 3.2).
private struct TraceFormat {
  private struct Channel {
    var name: String
    /// The factor from a value to canvas points, milliseconds or 0…1.
    var scale: Double
  }

  private var channels: [Channel]
  /// The number of channels that each point has; further channels are optional.
  private var requiredCount: Int

  /// The format of a document without a `<traceFormat>`: two coordinates.
  static let positions = TraceFormat(
    channels: [Channel(name: "X", scale: 1), Channel(name: "Y", scale: 1)], requiredCount: 2)

  private init(channels: [Channel], requiredCount: Int) {
    self.channels = channels
    self.requiredCount = requiredCount
  }

  /// Reads a `<traceFormat>`; `source` is the `<inkSource>` that describes its channels.
  init(_ element: XMLElementTree, of source: XMLElementTree?, path: String) throws(InkError) {
    let regular = element.children(named: "channel")
    let intermittent = element.children(named: "intermittentChannels").flatMap {
      $0.children(named: "channel")
    }
    channels = try (regular + intermittent).map { channel throws(InkError) in
      guard let name = channel.attributes["name"] else {
        throw channel.error(in: path, expected: "a channel with a name", found: "none")
      }
      var scale = 1.0
      if name == "T", channel.attributes["units"] == "s" { scale = 1000 }
      if name == "X" || name == "Y" {
        scale = try Self.canvasPoints(channel, of: source, path: path)
      }
      if name == "F", let text = channel.attributes["max"] {
        guard let most = Double(text), most > 0, most.isFinite else {
          throw channel.error(in: path, expected: "a positive max", found: "`\(text)`")
        }
        scale = 1 / most
      }
      return Channel(name: name, scale: scale)
    }
    requiredCount = regular.count
    for name in ["X", "Y"] where !regular.contains(where: { $0.attributes["name"] == name }) {
      throw element.error(in: path, expected: "a channel \(name)", found: "none")
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
    let properties = source?.children(named: "channelProperties").first?
      .children(named: "channelProperty")
    let resolution = properties?.first {
      $0.attributes["name"] == "resolution"
        && $0.attributes["channel"] == channel.attributes["name"]
        && $0.attributes["units"]?.hasPrefix("1/") == true
    }
    if let resolution, let unit = resolution.attributes["units"]?.dropFirst(2) {
      let text = resolution.attributes["value"] ?? ""
      guard let count = Double(text), count > 0, count.isFinite else {
        throw resolution.error(in: path, expected: "a positive value", found: "`\(text)`")
      }
      return try length(String(unit), of: resolution) / count
    }
    guard let unit = channel.attributes["units"] else { return 1 }
    return try length(unit, of: channel)
  }

  /// Reads the points of a trace.
  func stroke(_ trace: XMLElementTree, in place: Place) throws(InkError) -> Stroke {
    var decoders = channels.map { _ in ChannelDecoder() }
    var points: [Point] = []
    var place = place
    for text in trace.text.split(separator: ",", omittingEmptySubsequences: true) {
      let tokens = Self.tokens(text)
      guard !tokens.isEmpty else { continue }
      place.point = points.count + 1
      guard (requiredCount...channels.count).contains(tokens.count) else {
        throw InkError(
          at: place, expected: requiredCount.counted("value"), found: "\(tokens.count) in `\(text)`"
        )
      }
      var point = Point(0, 0)
      for (index, token) in tokens.enumerated() {
        guard let decoded = decoders[index].decode(token) else {
          throw InkError(at: place, expected: "a finite number", found: "`\(token)`")
        }
        let value = decoded.map { $0 * channels[index].scale }
        guard value?.isFinite != false else {
          throw InkError(at: place, expected: "numbers that fit", found: "`\(token)`")
        }
        switch channels[index].name {
        case "X", "Y":
          guard let value else {
            throw InkError(at: place, expected: "two known coordinates", found: "`\(token)`")
          }
          if channels[index].name == "X" { point.x = value } else { point.y = value }
        case "T": point.time = value
        case "F":
          if let value, !(0...1).contains(value) {
            throw InkError(
              at: place, expected: "a force from 0 to the channel's max", found: "`\(token)`")
          }
          point.pressure = value
        default: break
        }
      }
      points.append(point)
    }
    return Stroke(points)
  }

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
  /// What the element's own truth annotation says.
  fileprivate var truth: String? {
    children(named: "annotation").first { $0.attributes["type"] == "truth" }?.trimmedText
  }

  /// The element and everything below it, in document order.
  fileprivate func descendants() -> [XMLElementTree] {
    [self] + children.flatMap { $0.descendants() }
  }
}
