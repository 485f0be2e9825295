import Foundation
import Ink
import InkImageIO
import InkRaster
import SafeFiles

/// Strips with a line of writing each: PNGs or JPEGs in a folder, and their texts in `labels.tsv`.
///
/// The first row of `labels.tsv` names the columns, which are separated by tabs: `path` and `text`,
/// and `writer` and `split` if they are known. A path is relative to the folder.
public enum StripFolder {
  /// The name of the file with the texts.
  static let labelsName = "labels.tsv"
  /// The lowest strip that is read, in pixels.
  package static let minimumHeight = 8
  /// The narrowest strip that is read, in pixels.
  package static let minimumWidth = 4
  /// The width of the longest strip that is read, in heights.
  static let longest = 64

  /// Returns whether a folder has a file `labels.tsv`.
  public static func isOne(_ path: String) -> Bool {
    FileTree.isRegular(FileTree.join(path, labelsName))
  }

  /// Reads all strips; rows and pictures that cannot be read are listed in the result.
  ///
  /// - Throws: `FileError` if `labels.tsv` has no columns `path` and `text`.
  static func read(_ folder: String) throws -> LoadedDataset {
    let path = FileTree.join(folder, labelsName)
    let source = FileTree.name(of: folder)
    var loaded = LoadedDataset(dataset: Dataset([]))
    var columns: Columns?
    var used: Set<String> = [path]
    try TextLines(InputFile(path: path)).forEach(longest: 1 << 16) { bytes, number in
      let place = "\(path):\(number)"
      guard let row = bytes.flatMap({ String(validating: $0, as: UTF8.self) }) else {
        let found = bytes == nil ? "a longer one" : "other bytes"
        loaded.failures.append("\(place): expected a row of UTF-8 below 64 KiB, found \(found)")
        return true
      }
      guard let columns else {
        columns = try Columns(header: row, path: path)
        return true
      }
      guard !row.isEmpty else { return true }
      do {
        var example = try columns.example(of: row, place: place)
        guard !example.label.isEmpty else {
          loaded.unlabelledCount += 1
          return true
        }
        let file = FileTree.join(folder, example.origin)
        used.insert(file)
        let strip = try strip(file)
        guard !strip.isBlank || example.label == Recording.noWriting else {
          loaded.blankCount += 1
          return true
        }
        example.content = .strip(strip)
        example.source = source
        example.origin = file
        loaded.dataset.examples.append(example)
      } catch let error as FileError {
        loaded.failures.append("\(error)")
      } catch let error as PictureError {
        loaded.failures.append("\(place): \(error)")
      }
      return true
    }
    guard columns != nil else {
      throw FileError(path: path, expected: Columns.expected, found: "an empty file")
    }
    loaded.skipped = try FileTree.files(below: folder).filter { !used.contains($0) }
    loaded.dataset = Dataset(loaded.dataset.examples)
    return loaded
  }

  /// Reads one strip and checks its size.
  private static func strip(_ path: String) throws -> Bitmap {
    let strip = try Bitmap.read(path: path)
    let found = "\(strip.width) × \(strip.height)"
    guard strip.width >= minimumWidth, strip.height >= minimumHeight else {
      throw FileError(
        path: path, expected: "a strip of at least \(minimumWidth) × \(minimumHeight) pixels",
        found: found)
    }
    guard strip.width <= longest * strip.height else {
      throw FileError(
        path: path, expected: "a strip at most \(longest) times as wide as it is high",
        found: found)
    }
    return strip
  }

  /// Writes one PNG for each example and `labels.tsv`.
  ///
  /// - Throws: `FileError` for an example that is no strip, or a text with a tab or a line end.
  static func write(_ examples: some Sequence<Example>, to folder: String) throws {
    var rows = "path\ttext\twriter\tsplit\n"
    for (index, example) in examples.enumerated() {
      guard case .strip(let strip) = example.content else {
        throw FileError(path: example.origin, expected: "strips only", found: "another example")
      }
      let number = String(index)
      // A folder holds a thousand strips.
      let group = "strips\(index / 1000)"
      let name = String(repeating: "0", count: max(0, 6 - number.count)) + number + ".png"
      if index % 1000 == 0 {
        try FileManager.default.createDirectory(
          atPath: FileTree.join(folder, group), withIntermediateDirectories: true)
      }
      let cells = [
        "\(group)/\(name)", example.label, example.writer ?? "", example.part?.rawValue ?? "",
      ]
      if let cell = cells.first(where: { $0.contains { $0 == "\t" || $0.isNewline } }) {
        throw FileError(
          path: example.origin, expected: "a text and a writer without tabs and line ends",
          found: "`\(cell)`")
      }
      rows += cells.joined(separator: "\t") + "\n"
      try PNG.encode(strip).write(to: URL(fileURLWithPath: "\(folder)/\(group)/\(name)"))
    }
    // An empty data set has no folder yet.
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(rows.utf8).write(to: URL(fileURLWithPath: FileTree.join(folder, labelsName)))
  }

  /// Where the columns of `labels.tsv` are.
  private struct Columns {
    private let count: Int
    private let path: Int
    private let text: Int
    private let writer: Int?
    private let split: Int?

    static let expected = "a first row with the columns path and text, separated by tabs"

    init(header: String, path: String) throws(FileError) {
      let names = Self.cells(of: header)
      func index(_ name: String) -> Int? { names.firstIndex(of: name) }
      guard let file = index("path"), let text = index("text") else {
        throw FileError(
          path: "\(path):1", expected: Self.expected,
          found: header.isEmpty ? "an empty row" : names.joined(separator: ", "))
      }
      count = names.count
      self.path = file
      self.text = text
      writer = index("writer")
      split = index("split")
    }

    /// Returns the example of a row, without its strip and with its path as the origin.
    func example(of row: String, place: String) throws(FileError) -> Example {
      let cells = Self.cells(of: row)
      guard cells.count == count else {
        throw FileError(
          path: place, expected: count.counted("column"), found: "\(cells.count)")
      }
      let file = cells[path]
      guard !file.isEmpty, !file.hasPrefix("/"), !file.split(separator: "/").contains("..") else {
        throw FileError(path: place, expected: "a path inside the folder", found: "`\(file)`")
      }
      let writer = writer.map { cells[$0] } ?? ""
      var example = Example(
        .strip(Bitmap(width: 0, height: 0)), label: cells[text],
        writer: writer.isEmpty ? nil : writer, origin: file)
      example.part = try split.flatMap { index throws(FileError) in
        try part(cells[index], place: place)
      }
      return example
    }

    private func part(_ name: String, place: String) throws(FileError) -> Split.Part? {
      switch name {
      case "": return nil
      case "val": return .validation
      default:
        guard let part = Split.Part(rawValue: name) else {
          throw FileError(
            path: place, expected: "train, val, validation, test or nothing as the split",
            found: "`\(name)`")
        }
        return part
      }
    }

    private static func cells(of row: String) -> [String] {
      row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }
}
