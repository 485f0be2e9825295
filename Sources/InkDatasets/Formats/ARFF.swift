import Ink
import InkSeries
import SafeFiles

/// The ARFF format of Weka, as the UEA & UCR archive writes it: a recording in each row.
///
/// The attributes of a recording with one channel are its steps, called `att0`, `att1` and so on, and its
/// class. A recording with several channels is one relational attribute, whose rows are the channels,
/// and the class. Lines of comments start with `%`; `?` is a missing value.
enum ARFF {
  /// Returns whether a name is that of such a file.
  static func isNamedOne(_ path: String) -> Bool { path.lowercased().hasSuffix(".arff") }

  /// What the header says.
  private struct Header {
    /// The names of the attributes outside of relational ones.
    var names: [String] = []
    /// The labels of each nominal attribute.
    var labels: [[String]?] = []
    /// The number of steps of the relational attribute, if there is one.
    var relation: (name: String, steps: Int, index: Int)?
    var isInRelation = false
    /// The attribute with the class.
    var classIndex = 0
    /// Whether the line @data was read.
    var isComplete = false
  }

  /// Adds the recordings of the file at `path` to `loaded`.
  static func read(
    _ path: String, below folder: String?, reading: SeriesReading, source: String?,
    into loaded: inout LoadedDataset
  ) throws {
    let name = try SeriesTable.fields(of: path, below: folder, reading: reading)
    var header = Header()
    var count = 0
    try TextLines(InputFile(path: path)).forEach { line, row in
      let place = "\(path), line \(row)"
      guard let line = line.map(NumberText.trimmed) else {
        count += 1
        loaded.failures.append("\(FileError.longLine(at: place))")
        return true
      }
      guard let first = line.first, first != UInt8(ascii: "%") else { return true }
      guard header.isComplete else {
        try add(line, to: &header, place: place, reading: reading)
        return true
      }
      count += 1
      do throws(FileError) {
        let (series, label) = try recording(in: line, header, place: place, reading: reading)
        guard let label else {
          loaded.unlabelledCount += 1
          return true
        }
        loaded.add(series, label: label, fields: name, source: source, origin: place)
      } catch {
        loaded.failures.append("\(error)")
      }
      return true
    }
    try loaded.finish(
      path, isHeaderComplete: header.isComplete, count: count,
      labels: header.labels[header.classIndex] ?? [])
  }

  // MARK: Header

  private static func add(
    _ line: UnsafeBufferPointer<UInt8>, to header: inout Header, place: String,
    reading: SeriesReading
  ) throws(FileError) {
    let text = TableCells.text(line)
    let key = text.prefix { !$0.isWhitespace }.lowercased()
    var rest = text.dropFirst(key.count).drop(while: \.isWhitespace)
    switch key {
    case "@relation": break
    case "@attribute":
      let name = word(from: &rest)
      let type = rest.prefix { !$0.isWhitespace && $0 != "{" }.lowercased()
      if header.isInRelation {
        guard ["numeric", "real", "integer"].contains(type) else {
          throw FileError(
            path: place, expected: "numeric attributes in a relational one",
            found: "`\(rest.prefix(40))`")
        }
        header.relation!.steps += 1
        return
      }
      switch type {
      case "relational":
        guard header.relation == nil else {
          throw FileError(
            path: place, expected: "one relational attribute", found: "a second, `\(name)`")
        }
        header.relation = (name, 0, header.names.count)
        header.isInRelation = true
        header.labels.append(nil)
      case "": header.labels.append(try labels(in: rest, place: place))
      case "numeric", "real", "integer": header.labels.append(nil)
      case "string": header.labels.append([])
      default:
        throw FileError(
          path: place, expected: "an attribute that is numeric, nominal or relational",
          found: "`\(rest.prefix(40))`")
      }
      header.names.append(name)
    case "@end": header.isInRelation = false
    case "@data": try complete(&header, place: place, reading: reading)
    default:
      throw FileError(
        path: place, expected: "a header line with @relation, @attribute or @data",
        found: "`\(text.prefix(40))`")
    }
  }

  /// Finds the attribute with the class, and checks that the others are the steps of a recording.
  private static func complete(
    _ header: inout Header, place: String, reading: SeriesReading
  ) throws(FileError) {
    let names = [reading.labelColumn.lowercased(), "class", "target", "label"]
    let labels = header.labels
    let isNominal = { (index: Int) in labels[index] != nil }
    let index =
      header.names.indices.last { names.contains(header.names[$0].lowercased()) }
      ?? header.names.indices.last(where: isNominal)
    guard let index else {
      throw FileError(
        path: place, expected: "an attribute with the class before @data", found: "none")
    }
    header.classIndex = index
    let others = header.names.indices.filter { $0 != index }
    if header.relation != nil {
      guard others.count == 1 else {
        throw FileError(
          path: place, expected: "a relational attribute and the class",
          found: others.map { "`\(header.names[$0])`" }.prefix(10).joined(separator: ", "))
      }
    } else {
      func stem(_ name: String) -> Substring { name.prefix { !$0.isNumber } }
      let stems = Set(others.map { stem(header.names[$0]) })
      // Other attributes are not the steps of one channel, but what was measured of something.
      guard !others.isEmpty, !others.contains(where: isNominal), stems.count == 1 else {
        throw FileError(
          path: place, expected: "numeric attributes for the steps, such as att0, att1 and so on",
          found: others.isEmpty
            ? "none"
            : others.map { "`\(header.names[$0])`" }.prefix(10).joined(separator: ", "))
      }
    }
    header.isComplete = true
  }

  /// Takes a name or label, which may be in quotation marks, from the start of `text`.
  private static func word(from text: inout Substring) -> String {
    var word = ""
    if let quote = text.first, quote == "'" || quote == "\"" {
      text = text.dropFirst()
      while let character = text.popFirst(), character != quote {
        if character == "\\", let next = text.popFirst() {
          word.append(next)
        } else {
          word.append(character)
        }
      }
    } else {
      word = String(text.prefix { !$0.isWhitespace && $0 != "," && $0 != "}" && $0 != "{" })
      text = text.dropFirst(word.count)
    }
    text = text.drop(while: \.isWhitespace)
    return word
  }

  private static func labels(in text: Substring, place: String) throws(FileError) -> [String] {
    var rest = text.dropFirst().drop(while: \.isWhitespace)
    var labels: [String] = []
    while let first = rest.first, first != "}" {
      let before = rest.count
      labels.append(word(from: &rest))
      if rest.first == "," { rest = rest.dropFirst().drop(while: \.isWhitespace) }
      guard rest.count < before else { break }
    }
    guard text.first == "{", rest.first == "}", !labels.isEmpty else {
      throw FileError(
        path: place, expected: "the labels of an attribute in braces",
        found: "`\(text.prefix(40))`")
    }
    return labels
  }

  // MARK: Rows

  private static func recording(
    in line: UnsafeBufferPointer<UInt8>, _ header: Header, place: String, reading: SeriesReading
  ) throws(FileError) -> (series: Series, label: String?) {
    guard line.first != UInt8(ascii: "{") else {
      throw FileError(path: place, expected: "all values of a row", found: "a sparse row in braces")
    }
    let cells = cells(of: line)
    guard cells.count == header.names.count else {
      throw FileError(
        path: place, expected: "\(header.names.count.counted("value")), one for each attribute",
        found: "\(cells.count)")
    }
    func cell(_ index: Int) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(rebasing: line[cells[index]])
    }
    let label = TableCells.text(cell(header.classIndex)).replacing("\\'", with: "'")
    if let known = header.labels[header.classIndex], !known.isEmpty, label != "?",
      !known.contains(label)
    {
      throw FileError(
        path: place, expected: "a class of \(known.prefix(20).joined(separator: ", "))",
        found: "`\(label.prefix(40))`")
    }
    var channels: [[Float]]
    if let relation = header.relation {
      channels = []
      for part in rows(of: cell(relation.index)) {
        channels.append(try numbers(part, place: place, channel: channels.count))
        guard channels[channels.count - 1].count == relation.steps else {
          throw FileError(
            path: place,
            expected:
              "\(relation.steps.counted("value")) in channel \(channels.count), as the header "
              + "says", found: "\(channels[channels.count - 1].count)")
        }
      }
    } else {
      channels = [[]]
      for index in header.names.indices where index != header.classIndex {
        channels[0] += try numbers(cell(index), place: place, channel: 0)
      }
    }
    // Shorter recordings end with missing values in all channels.
    let length = channels.map { 1 + ($0.lastIndex { !$0.isNaN } ?? -1) }.max() ?? 0
    do {
      let series = try Series(
        channels: channels.indices.map { "dim_\($0)" },
        values: (0..<length).flatMap { step in channels.map { $0[step] } }, rate: reading.rate)
      return (series, label.isEmpty || label == "?" ? nil : label)
    } catch {
      throw FileError(path: place, expected: "a series", found: "\(error)")
    }
  }

  /// Returns the cells of a row, without quotation marks around them.
  private static func cells(of line: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var cells: [Range<Int>] = []
    var index = 0
    while true {
      while index < line.count, line[index] == 0x20 || line[index] == 0x09 { index += 1 }
      let start = index
      if index < line.count, line[index] == 0x22 || line[index] == 0x27 {
        let quote = line[index]
        index += 1
        while index < line.count, line[index] != quote { index += line[index] == 0x5C ? 2 : 1 }
        index = min(index, line.count)
        cells.append(start + 1..<index)
        while index < line.count, line[index] != 0x2C { index += 1 }
      } else {
        while index < line.count, line[index] != 0x2C { index += 1 }
        cells.append(start..<index)
      }
      guard index < line.count else { return cells }
      index += 1
    }
  }

  /// Returns the rows in the text of a relational value, which are separated by `\n` in two characters.
  private static func rows(
    of text: UnsafeBufferPointer<UInt8>
  ) -> [UnsafeBufferPointer<UInt8>] {
    var rows: [UnsafeBufferPointer<UInt8>] = []
    var (start, index) = (0, 0)
    while index + 1 < text.count {
      if text[index] == 0x5C, text[index + 1] == 0x6E {
        rows.append(UnsafeBufferPointer(rebasing: text[start..<index]))
        index += 2
        start = index
      } else {
        index += 1
      }
    }
    if start < text.count { rows.append(UnsafeBufferPointer(rebasing: text[start...])) }
    return rows
  }

  private static func numbers(
    _ text: UnsafeBufferPointer<UInt8>, place: String, channel: Int
  ) throws(FileError) -> [Float] {
    var values: [Float] = []
    for part in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      switch NumberText.float(UnsafeBufferPointer(rebasing: part)) {
      case .number(let value): values.append(value)
      case .missing: values.append(.nan)
      case .unreadable:
        throw FileError(
          path: place, expected: "finite numbers in channel \(channel + 1)",
          found: "`\(TableCells.text(UnsafeBufferPointer(rebasing: part)).prefix(40))`")
      }
    }
    return values
  }
}
