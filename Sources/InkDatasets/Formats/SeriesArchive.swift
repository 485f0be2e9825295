import Foundation
import Ink
import InkSeries
import SafeFiles

/// The files of a data set of the UEA & UCR archive: `NAME_TRAIN` and `NAME_TEST` as `.ts`, `.arff`,
/// `.tsv`, `.txt` or without an ending.
package enum SeriesArchive {
  /// The endings of the forms of one data set, the one that keeps most first.
  private static let endings = [".ts", ".arff", ".tsv", ".txt", ""]

  /// Returns the file of a part in a folder, or `nil` if there is none.
  ///
  /// Of several, it is the one with the name of the folder, and the one that keeps most.
  package static func path(of part: Split.Part, in folder: String) -> String? {
    guard FileTree.isFolder(folder), part != .validation else { return nil }
    let names = FileTree.names(in: folder)
    for ending in endings {
      let ending = "_\(part.rawValue)\(ending)".uppercased()
      let found = names.filter { $0.uppercased().hasSuffix(ending) }
      let own = found.first { $0.dropLast(ending.count) == FileTree.name(of: folder) }
      if let name = own ?? (found.count == 1 ? found[0] : nil) {
        return FileTree.join(folder, name)
      }
    }
    return nil
  }

  /// Returns the files that have the same recordings as another one of `files`: another form of it, or
  /// one of its dimensions, `NAMEDimension1_TRAIN.arff`.
  static func duplicates(among files: [String]) -> Set<String> {
    var best: [String: Int] = [:]
    func stem(_ path: String) -> (stem: String, form: Int)? {
      for (form, ending) in endings.enumerated() where path.lowercased().hasSuffix(ending) {
        let stem = String(path.dropLast(ending.count))
        return isStem(stem) ? (stem, form) : nil
      }
      return nil
    }
    for file in files {
      if let (stem, form) = stem(file) { best[stem] = min(best[stem] ?? form, form) }
    }
    return Set(
      files.filter { file in
        guard let (stem, form) = stem(file) else { return false }
        if form > best[stem]! { return true }
        let whole = stem.replacing(#/Dimension[0-9]+_(TRAIN|TEST)$/#) { "_\($0.output.1)" }
        return whole != stem && best[whole] != nil
      })
  }

  private static func isStem(_ name: String) -> Bool {
    name.hasSuffix("_TRAIN") || name.hasSuffix("_TEST")
  }

  /// Returns whether the file at `path` is a table of the archive: each row has a class, and then the
  /// values of one recording, without a header.
  static func isTable(_ path: String) -> Bool {
    let ending = [".tsv", ".txt"].first { path.lowercased().hasSuffix($0) } ?? ""
    guard isStem(String(path.dropLast(ending.count))) else { return false }
    var isOne = false
    try? TextLines(InputFile(path: path)).forEach(longest: 1 << 24) { line, _ in
      guard let line, !NumberText.trimmed(line).isEmpty else { return line != nil }
      let cells = cells(of: line)
      isOne =
        cells.count > 2
        && cells.allSatisfy { NumberText.double(part(line, $0)) != .unreadable }
        && NumberText.double(part(line, cells[0])) != .missing
      return false
    }
    return isOne
  }

  /// Returns the cells of a row, which are separated by tabs, commas or spaces.
  private static func cells(of line: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    let separator = [UInt8(ascii: "\t"), UInt8(ascii: ",")].first { line.contains($0) }
    var cells: [Range<Int>] = []
    var start = 0
    for index in 0...line.count {
      guard index == line.count || line[index] == separator ?? 0x20 else { continue }
      // Spaces come in any number, also in front.
      if separator != nil || index > start { cells.append(start..<index) }
      start = index + 1
    }
    return cells
  }

  private static func part(
    _ line: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: line[range])
  }

  /// Adds the recordings of the table at `path` to `loaded`.
  ///
  /// Missing values at the end of a row are none: the recording is shorter than others.
  static func readTable(
    _ path: String, below folder: String?, reading: SeriesReading, source: String?,
    into loaded: inout LoadedDataset
  ) throws {
    let name = try SeriesTable.fields(of: path, below: folder, reading: reading)
    try TextLines(InputFile(path: path)).forEach { line, row in
      let place = "\(path), line \(row)"
      guard let line else {
        loaded.failures.append("\(FileError.longLine(at: place))")
        return true
      }
      guard !NumberText.trimmed(line).isEmpty else { return true }
      let cells = cells(of: line)
      guard let first = cells.first, case .number(let number) = NumberText.double(part(line, first))
      else {
        loaded.failures.append("\(place): expected a class as a number, found none")
        return true
      }
      var values: [Float] = []
      for cell in cells.dropFirst() {
        switch NumberText.float(part(line, cell)) {
        case .number(let value): values.append(value)
        case .missing: values.append(.nan)
        case .unreadable:
          loaded.failures.append(
            "\(place): expected finite numbers, found `\(TableCells.text(part(line, cell)).prefix(40))` as "
              + "value \(values.count + 1)")
          return true
        }
      }
      while values.last?.isNaN == true { values.removeLast() }
      do {
        let series = try Series(channels: ["dim_0"], values: values, rate: reading.rate)
        loaded.add(
          series, label: Int(exactly: number).map(String.init) ?? "\(number)", fields: name,
          source: source, origin: place)
      } catch {
        loaded.failures.append("\(place): \(error)")
      }
      return true
    }
  }
}
