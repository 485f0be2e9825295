import Foundation

/// The format of the UNIPEN project, version 1.0 (Guyon and others, 1994).
///
/// A keyword starts with a dot at the start of a line. Points follow `.PEN_DOWN`, with the channels of
/// `.COORD`. Each labelled `.SEGMENT` of the innermost level of the hierarchy is a recording; all other
/// strokes form one without a label. The y axis points up, as in mathematics.
enum UNIPENReader {
  private static let keywords: Set<Substring> = [
    ".ALPHABET", ".COMMENT", ".COORD", ".COPYRIGHT", ".DATA_CONTACT", ".DATA_ID", ".DATA_INFO",
    ".DATA_SOURCE", ".DATE", ".DT", ".HIERARCHY", ".INCLUDE", ".KEYWORD", ".LEXICON", ".PAD",
    ".PEN_DOWN", ".PEN_UP", ".RESERVE", ".SEGMENT", ".SETUP", ".VERSION", ".WRITER_ID", ".X_DIM",
    ".X_POINTS_PER_INCH", ".X_POINTS_PER_MM", ".Y_DIM",
  ]

  /// Returns the format of a file that starts with `bytes`, and whether more bytes cannot change it.
  static func format(ofStart bytes: [UInt8]) -> (format: InkFile.Format?, isFinal: Bool) {
    let word = bytes.prefix(64).prefix { $0 > 0x20 }
    let isKnown = keywords.contains(String(decoding: word, as: UTF8.self)[...])
    return (isKnown ? .unipen : nil, word.count < bytes.count)
  }

  /// Reads the recordings in `data`; `level` is the level of the hierarchy with the labels.
  ///
  /// - Throws: `InkError` if a number, channel or segment is wrong.
  static func read(
    _ data: Data, path: String, level: String?
  ) throws(InkError) -> [InkFile.Item] {
    var file = UNIPENFile(path: path)
    let text = String(validating: data, as: UTF8.self) ?? String(data: data, encoding: .isoLatin1)!
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      try file.take(line.hasSuffix("\r") ? line.dropLast() : line, line: number)
    }
    try file.endStatement()
    return try items(of: file, level: level)
  }

  private static func items(of file: UNIPENFile, level: String?) throws(InkError) -> [InkFile.Item]
  {
    var file = file
    let all = file.components.indices.filter { !file.components[$0].stroke.points.isEmpty }
    guard all.contains(where: { file.components[$0].isDown }) else {
      throw InkError(
        at: Place(file: file.path), expected: "points after .PEN_DOWN", found: "none")
    }
    if all.contains(where: { !file.components[$0].isDown }) {
      file.ignored.add("pen-up components")
    }
    // Pressures of one device have one scale.
    let drawing = file.ignored.removingWrongPressures(of: Drawing(file.components.map(\.stroke)))
    for index in file.components.indices { file.components[index].stroke = drawing.strokes[index] }

    let chosen = (level ?? innermostLevel(of: file))?.uppercased()
    let segments = file.segments.filter { $0.level.uppercased() == chosen }
    let delineation = UNIPENDelineation(file: file, components: all)
    var claimed = Set<Int>()
    var partCount = 0
    var items: [InkFile.Item] = []
    for (index, segment) in segments.enumerated() where segment.label != nil {
      let place = Place(file: file.path, line: segment.line)
      let end = index + 1 < segments.count ? segments[index + 1].start : file.components.count
      let parts = try delineation.parts(of: segment, end: end)
      partCount += parts.count
      guard partCount <= UNIPENDelineation.maximumParts else {
        throw delineation.tooMany(in: segment)
      }
      claimed.formUnion(parts.map(\.component))
      let strokes = parts.filter { file.components[$0.component].isDown }.map {
        Stroke(Array(file.components[$0.component].stroke.points[$0.points]))
      }
      let result: Result<Recording, InkError> =
        strokes.isEmpty
        ? .failure(InkError(at: place, expected: "strokes in the segment", found: "none"))
        : .success(file.recording(of: strokes, label: segment.label))
      items.append(InkFile.Item(place: place, result: result, ignored: file.ignored.names))
    }
    let rest = all.filter { file.components[$0].isDown && !claimed.contains($0) }
    if !rest.isEmpty {
      items.append(
        InkFile.Item(
          place: Place(file: file.path, line: file.components[rest[0]].line),
          result: .success(
            file.recording(of: rest.map { file.components[$0].stroke }, label: nil)),
          ignored: file.ignored.names))
    }
    return items
  }

  /// The last level of the hierarchy that has labels.
  private static func innermostLevel(of file: UNIPENFile) -> String? {
    var levels = file.hierarchy
    for segment in file.segments where !levels.contains(segment.level) {
      levels.append(segment.level)
    }
    let labelled = Set(file.segments.filter { $0.label != nil }.map(\.level))
    return levels.last { labelled.contains($0) }
  }
}

/// What the statements of a file say, one after the other.
private struct UNIPENFile {
  /// The points between two changes of the pen.
  struct Component {
    var isDown: Bool
    var stroke = Stroke([])
    var line: Int
  }

  struct Segment {
    var level: String
    /// `0-2,4:10-5`, or `nil` if it says only that the segment begins here.
    var delineation: Substring?
    var label: String?
    /// The number of components before it.
    var start: Int
    var line: Int
  }

  /// A statement: its keyword and what follows it.
  private struct Statement {
    var keyword: Substring
    var text: String
    var line: Int
  }

  let path: String
  var components: [Component] = []
  var segments: [Segment] = []
  var hierarchy: [String] = []
  var ignored = IgnoredParts()

  private var statement: Statement?
  private var channels = ["X", "Y"]
  private var isPen = false
  /// The values of a point that is not complete yet.
  private var values: [Double] = []
  private var writer: String?
  private var source: String?
  private var xScale: Double?
  private var yScale: Double?
  /// Milliseconds from one point to the next.
  private var interval: Double?
  private var clock = 0.0

  init(path: String) { self.path = path }

  /// Reads a line.
  mutating func take(_ line: Substring, line number: Int) throws(InkError) {
    let isKeyword =
      line.first == "." && line.dropFirst().first.map { $0.isUppercase && $0.isASCII } == true
    if isKeyword {
      try endStatement()
      let keyword = line.prefix { !$0.isWhitespace }
      let text = line.dropFirst(keyword.count)
      isPen = keyword == ".PEN_DOWN" || keyword == ".PEN_UP"
      if isPen {
        components.append(Component(isDown: keyword == ".PEN_DOWN", line: number))
        try takePoints(text, line: number)
      } else {
        statement = Statement(keyword: keyword, text: String(text), line: number)
      }
    } else if isPen {
      try takePoints(line, line: number)
    } else if statement != nil {
      statement!.text += "\n" + line
    }
  }

  /// Reads the statement before the next keyword.
  mutating func endStatement() throws(InkError) {
    guard values.isEmpty else {
      throw error(
        components.last?.line ?? 1, channels.count.counted("value"), "\(values.count)")
    }
    guard let statement else { return }
    self.statement = nil
    let words = statement.text.split(whereSeparator: \.isWhitespace)
    switch statement.keyword {
    case ".COORD":
      channels = words.map { $0.uppercased() }
      guard channels.contains("X"), channels.contains("Y"), channels.count <= 32 else {
        throw error(
          statement.line, "the channels X and Y in .COORD", "`\(words.joined(separator: " "))`")
      }
      let others = channels.filter { !["X", "Y", "T", "P"].contains($0) }
      if !others.isEmpty { ignored.add("the channels \(others.joined(separator: ", "))") }
    case ".HIERARCHY": hierarchy = words.map(String.init)
    case ".SEGMENT": segments.append(try segment(statement))
    case ".WRITER_ID": writer = words.first.map(String.init)
    case ".DATA_SOURCE": source = words.isEmpty ? nil : words.joined(separator: " ")
    case ".X_POINTS_PER_INCH": xScale = try 96 / density(words, statement)
    case ".Y_POINTS_PER_INCH": yScale = try 96 / density(words, statement)
    case ".X_POINTS_PER_MM": xScale = try 96 / 25.4 / density(words, statement)
    case ".Y_POINTS_PER_MM": yScale = try 96 / 25.4 / density(words, statement)
    case ".POINTS_PER_SECOND": interval = try 1000 / density(words, statement)
    case ".DT": clock += words.first.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 0
    case ".INCLUDE": ignored.add("included files")
    default: break
    }
  }

  private func error(_ line: Int, _ expected: String, _ found: String) -> InkError {
    InkError(at: Place(file: path, line: line), expected: expected, found: found)
  }

  private func density(_ words: [Substring], _ statement: Statement) throws(InkError) -> Double {
    guard let word = words.first, let value = Double(word), value > 0, value.isFinite else {
      throw error(
        statement.line, "a positive number after \(statement.keyword)",
        words.first.map { "`\($0)`" } ?? "none")
    }
    return value
  }

  private mutating func takePoints(_ text: Substring, line: Int) throws(InkError) {
    for word in text.split(whereSeparator: \.isWhitespace) {
      let component = components.count - 1
      guard let value = Double(word), value.isFinite else {
        throw InkError(
          at: Place(
            file: path, line: line, stroke: components.count { $0.isDown },
            point: components[component].stroke.points.count + 1),
          expected: "a finite number", found: "`\(word)`")
      }
      values.append(value)
      guard values.count == channels.count else { continue }
      var point = Point(0, 0)
      for (name, value) in zip(channels, values) {
        switch name {
        case "X": point.x = value
        case "Y": point.y = -value
        case "T": point.time = value
        case "P": point.pressure = value
        default: break
        }
      }
      if !channels.contains("T"), let interval {
        point.time = clock
        clock += interval
      }
      components[component].stroke.points.append(point)
      values.removeAll(keepingCapacity: true)
    }
  }

  /// Reads `CHARACTER 0-2 OK "a"`; all but the level may be missing.
  private func segment(_ statement: Statement) throws(InkError) -> Segment {
    let text = statement.text
    let quote = text.firstIndex(of: "\"")
    let words = text[..<(quote ?? text.endIndex)].split(whereSeparator: \.isWhitespace)
    guard let level = words.first else {
      throw error(statement.line, "a level after .SEGMENT", "none")
    }
    let delineation = words.dropFirst().first.flatMap { $0.first?.isNumber == true ? $0 : nil }
    var label: String?
    if let quote {
      var characters = ""
      var isEscaped = false
      var isClosed = false
      for character in text[quote...].dropFirst() {
        if isEscaped {
          characters.append(character == "t" ? "\t" : character == "n" ? "\n" : character)
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isClosed = true
          break
        } else {
          characters.append(character.isWhitespace ? " " : character)
        }
      }
      guard isClosed else {
        throw error(statement.line, "a label in double quotes", "no end of it")
      }
      label = characters.isEmpty ? nil : characters
    }
    return Segment(
      level: String(level), delineation: delineation, label: label, start: components.count,
      line: statement.line)
  }

  /// Returns the recording of `strokes` with the writer, in canvas points.
  func recording(of strokes: [Stroke], label: String?) -> Recording {
    // A file that gives one density means both.
    let scale = Transform.scale(x: xScale ?? yScale ?? 1, y: yScale ?? xScale ?? 1)
    return Recording(
      Drawing(strokes).transformed(by: scale), label: label, writer: writer, source: source)
  }
}

/// Finds the components and points that belong to a segment.
private struct UNIPENDelineation {
  /// The maximum number of parts of all segments together; segments may overlap.
  static let maximumParts = 1_000_000

  private let file: UNIPENFile
  /// The components with points, which delineations count.
  private let components: [Int]
  /// How many of them are before each component.
  private let ranks: [Int]

  init(file: UNIPENFile, components: [Int]) {
    self.file = file
    self.components = components
    var ranks = [0]
    for component in file.components {
      ranks.append(ranks[ranks.count - 1] + (component.stroke.points.isEmpty ? 0 : 1))
    }
    self.ranks = ranks
  }

  func tooMany(in segment: UNIPENFile.Segment) -> InkError {
    InkError(
      at: Place(file: file.path, line: segment.line),
      expected: "at most \(Self.maximumParts) strokes in all segments", found: "more")
  }

  /// Returns the parts of a segment, which goes to the component `end` if it has no delineation.
  func parts(
    of segment: UNIPENFile.Segment, end: Int
  ) throws(InkError) -> [(component: Int, points: Range<Int>)] {
    func count(_ component: Int) -> Int { file.components[component].stroke.points.count }
    func error(_ expected: String, _ found: String) -> InkError {
      InkError(
        at: Place(file: file.path, line: segment.line), expected: expected, found: found)
    }
    guard let delineation = segment.delineation else {
      return components[ranks[segment.start]..<ranks[end]].map { ($0, 0..<count($0)) }
    }
    var parts: [(component: Int, points: Range<Int>)] = []
    for range in delineation.split(separator: ",") {
      let ends = range.split(separator: "-", omittingEmptySubsequences: false).map {
        $0.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
      }
      let (from, to) = (ends.first ?? [], ends.last ?? [])
      let isRight =
        ends.count <= 2 && ends.allSatisfy { (1...2).contains($0.count) }
        && ends.joined().allSatisfy { (0...1_000_000_000).contains($0) }
      guard isRight, from[0] <= to[0], to[0] < components.count else {
        throw error(
          "components from 0 to \(components.count - 1), such as `0-2,4:10-5:3`", "`\(range)`")
      }
      guard parts.count + to[0] - from[0] < Self.maximumParts else { throw tooMany(in: segment) }
      for index in from[0]...to[0] {
        let component = components[index]
        let first = index == from[0] && from.count > 1 ? from[1] : 0
        let last = index == to[0] && to.count > 1 ? to[1] : count(component) - 1
        guard first <= last, last < count(component) else {
          throw error(
            "points from 0 to \(count(component) - 1) of component \(index)",
            "\(first) to \(last)")
        }
        parts.append((component, first..<last + 1))
      }
    }
    return parts
  }
}
