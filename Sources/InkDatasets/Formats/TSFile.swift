import Foundation
import Ink
import InkSeries
import SafeFiles

/// The `.ts` format of the UEA & UCR archive, as aeon and sktime write it.
///
/// Lines of comments start with `#` or `%`, lines of the header with `@`. After `@data`, each line is
/// a recording: its channels, separated by colons, and its class. The values of a channel are
/// separated by commas; `?` and `NaN` are missing. With time stamps, a value is `(time,value)`; a time is
/// a number or text.
package enum TSFile {
  /// Returns whether a name is that of such a file.
  static func isNamedOne(_ path: String) -> Bool { path.lowercased().hasSuffix(".ts") }

  /// What the header says.
  private struct Header {
    var dimensions: Int?
    var length: Int?
    var isEqualLength = false
    var hasTimes = false
    var labels: [String]?
  }

  /// Adds the recordings of the file at `path` to `loaded`.
  static func read(
    _ path: String, below folder: String?, reading: SeriesReading, source: String?,
    into loaded: inout LoadedDataset
  ) throws {
    let name = try SeriesTable.fields(of: path, below: folder, reading: reading)
    var header = Header()
    var isData = false
    var count = 0
    try TextLines(InputFile(path: path)).forEach { line, row in
      guard let line = line.map(NumberText.trimmed) else {
        count += 1
        loaded.failures.append("\(FileError.longLine(at: "\(path), line \(row)"))")
        return true
      }
      guard let first = line.first, isData || (first != 0x23 && first != 0x25) else { return true }
      if isData {
        count += 1
        do {
          let recording = try recording(
            in: line, header: &header, place: "\(path), line \(row)", reading: reading)
          loaded.add(
            recording.series, label: recording.label, fields: name, source: source,
            origin: "\(path), line \(row)")
        } catch let error as FileError {
          loaded.failures.append("\(error)")
        }
        return true
      }
      let words = line.count < 1 << 20 ? TableCells.text(line).split { $0.isWhitespace } : []
      guard first == UInt8(ascii: "@"), !words.isEmpty else {
        throw FileError(
          path: "\(path), line \(row)", expected: "a header line with @, and then @data",
          found: "something else")
      }
      isData = try add(words.map(String.init), to: &header, place: "\(path), line \(row)")
      return true
    }
    try loaded.finish(path, isHeaderComplete: isData, count: count, labels: header.labels ?? [])
  }

  /// Adds a line of the header; returns whether it is the last one.
  private static func add(
    _ words: [String], to header: inout Header, place: String
  ) throws(FileError) -> Bool {
    let key = words[0].lowercased()
    let value = words.count > 1 ? words[1] : ""
    func flag() throws(FileError) -> Bool {
      switch value.lowercased() {
      case "true": return true
      case "false": return false
      default:
        throw FileError(path: place, expected: "\(words[0]) true or false", found: "`\(value)`")
      }
    }
    func number() throws(FileError) -> Int {
      guard let number = Int(value), number > 0 else {
        throw FileError(path: place, expected: "\(words[0]) and a number", found: "`\(value)`")
      }
      return number
    }
    switch key {
    case "@timestamps": header.hasTimes = try flag()
    case "@univariate": if try flag() { header.dimensions = 1 }
    case "@dimensions", "@dimension": header.dimensions = try number()
    case "@equallength": header.isEqualLength = try flag()
    case "@serieslength": header.length = try number()
    case "@targetlabel":
      guard try !flag() else {
        throw FileError(
          path: place, expected: "@classLabel with the classes",
          found: "@targetLabel, the header of a regression")
      }
    case "@classlabel":
      guard try flag(), words.count > 2 else {
        throw FileError(
          path: place, expected: "@classLabel true and the classes",
          found: "`\(words.dropFirst().joined(separator: " "))`")
      }
      header.labels = Array(words[2...])
    case "@data":
      guard header.labels != nil else {
        throw FileError(path: place, expected: "@classLabel before @data", found: "none")
      }
      return true
    case "@missing": _ = try flag()
    // @problemName and what newer versions of the format add.
    default: break
    }
    return false
  }

  /// Reads one recording.
  private static func recording(
    in line: UnsafeBufferPointer<UInt8>, header: inout Header, place: String,
    reading: SeriesReading
  ) throws(FileError) -> (series: Series, label: String) {
    func refuse(_ expected: String, _ found: String) -> FileError {
      FileError(path: place, expected: expected, found: found)
    }
    var parts: [UnsafeBufferPointer<UInt8>] = []
    var start = 0
    while true {
      let end = separator(UInt8(ascii: ":"), in: line, from: start)
      parts.append(UnsafeBufferPointer(rebasing: line[start..<end]))
      guard end < line.count else { break }
      start = end + 1
    }
    let label = TableCells.text(parts.removeLast())
    guard let labels = header.labels, labels.contains(label) else {
      throw refuse(
        "a class of @classLabel (\((header.labels ?? []).prefix(20).joined(separator: ", ")))",
        "`\(label.prefix(40))`")
    }
    let dimensions = header.dimensions ?? parts.count
    guard parts.count == dimensions, dimensions > 0 else {
      throw refuse("\(max(1, dimensions).counted("channel")) and a class", "\(parts.count)")
    }
    header.dimensions = dimensions
    if header.hasTimes {
      return (try timed(parts, place: place, unit: reading.timeUnit), label)
    }
    var values: [Float] = []
    var length = 0
    for (channel, part) in parts.enumerated() {
      let count = part.count { $0 == UInt8(ascii: ",") } + 1
      if channel == 0 {
        length = count
        values = [Float](repeating: 0, count: length * dimensions)
        let wanted = header.isEqualLength ? header.length ?? length : length
        guard length == wanted else {
          throw refuse("\(wanted.counted("value")) in a channel, as the header says", "\(length)")
        }
      }
      guard count == length else {
        throw refuse(
          "\(length.counted("value")) in channel \(channel + 1), as in the first", "\(count)")
      }
      var start = 0
      for step in 0..<length {
        let end = part[start...].firstIndex(of: UInt8(ascii: ",")) ?? part.count
        let text = UnsafeBufferPointer(rebasing: part[start..<end])
        switch NumberText.float(text) {
        case .number(let value): values[step * dimensions + channel] = value
        case .missing: values[step * dimensions + channel] = .nan
        case .unreadable:
          throw refuse(
            "finite numbers",
            "`\(TableCells.text(text).prefix(40))` in channel \(channel + 1), "
              + "value \(step + 1)")
        }
        start = min(end + 1, part.count)
      }
    }
    do {
      let names = (0..<dimensions).map { "dim_\($0)" }
      return (try Series(channels: names, values: values, rate: reading.rate), label)
    } catch {
      throw refuse("a series", "\(error)")
    }
  }

  /// Returns the index of the first `byte` that is not in parentheses, or that of the end.
  private static func separator(
    _ byte: UInt8, in text: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int {
    var depth = 0
    for index in start..<text.count {
      switch text[index] {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      case byte where depth <= 0: return index
      default: break
      }
    }
    return text.count
  }

  /// Reads channels of pairs of a time and a value.
  ///
  /// A step has the values of all channels at one time; a channel without a value then has a gap.
  private static func timed(
    _ parts: [UnsafeBufferPointer<UInt8>], place: String, unit: TimeUnit?
  ) throws(FileError) -> Series {
    var channels: [[(time: Double, value: Float)]] = []
    var areText = false
    for (channel, part) in parts.enumerated() {
      var cells = TimeCells(usesDecimalCommas: false)
      var pairs: [(Double, Float)] = []
      var start = 0
      func refuse(_ expected: String, _ text: UnsafeBufferPointer<UInt8>) -> FileError {
        FileError(
          path: place, expected: expected,
          found: "`\(TableCells.text(text).prefix(40))` in channel \(channel + 1), value "
            + "\(pairs.count + 1)")
      }
      while start < part.count {
        let end = separator(UInt8(ascii: ","), in: part, from: start)
        let pair = NumberText.trimmed(UnsafeBufferPointer(rebasing: part[start..<end]))
        start = end + 1
        // A channel without any value.
        if pair.elementsEqual("?".utf8), parts.count > 1 { continue }
        guard pair.first == UInt8(ascii: "("), pair.last == UInt8(ascii: ")"),
          let comma = pair.lastIndex(of: UInt8(ascii: ","))
        else { throw refuse("(time,value)", pair) }
        let time = UnsafeBufferPointer(rebasing: pair[1..<comma])
        let value = UnsafeBufferPointer(rebasing: pair[(comma + 1)..<(pair.count - 1)])
        guard case .time(let number) = cells.read(time) else {
          throw refuse("times that are numbers or text and do not go back", time)
        }
        switch NumberText.float(value) {
        case .number(let value): pairs.append((number, value))
        case .missing: pairs.append((number, .nan))
        case .unreadable: throw refuse("finite numbers", value)
        }
      }
      areText = areText || cells.areText == true
      channels.append(pairs)
    }
    // Equal times in one channel are steps of their own.
    var next = [Int](repeating: 0, count: channels.count)
    var times: [Double] = []
    var values: [Float] = []
    while let time = channels.indices.compactMap({
      next[$0] < channels[$0].count ? channels[$0][next[$0]].time : nil
    }).min() {
      times.append(time)
      for channel in channels.indices {
        if next[channel] < channels[channel].count, channels[channel][next[channel]].time == time {
          values.append(channels[channel][next[channel]].value)
          next[channel] += 1
        } else {
          values.append(.nan)
        }
      }
    }
    let factor = areText ? 1 : (unit ?? .typical(of: times.first ?? 0)).milliseconds
    do {
      return try Series(
        channels: channels.indices.map { "dim_\($0)" }, values: values,
        times: times.map { $0 * factor })
    } catch {
      throw FileError(path: place, expected: "a series", found: "\(error)")
    }
  }
}
