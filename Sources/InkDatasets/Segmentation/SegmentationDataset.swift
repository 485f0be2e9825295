import Foundation
import InkImageIO
import InkRaster
import SafeFiles

/// Pictures with a class for each pixel: a folder with `pictures`, `masks` and `classes.tsv`.
///
/// A mask is a PNG with 8-bit class indices and the name of its picture, such as `masks/a.png` for
/// `pictures/a.jpg`. There can be a mask for each class instead, such as `masks/ring/a.png`, where all
/// but 0 is of the class. `classes.tsv` has the columns index, name and color. `pages.tsv`, which may
/// be missing, has the columns picture, writer, source and split.
public struct SegmentationDataset: Hashable, Sendable {
  /// The folder.
  public let folder: String
  /// The classes; the first is the background.
  public let classes: [SegmentationClass]
  /// The pages, by name.
  public private(set) var pages: [SegmentationPage]
  /// What was left out, one line each.
  public private(set) var failures: [String] = []

  static let pagesName = "pages.tsv"

  /// Returns whether a folder has a file `classes.tsv`, or the folders `pictures` and `masks`.
  public static func isOne(_ path: String) -> Bool {
    FileTree.isRegular(FileTree.join(path, SegmentationClassTable.name))
      || ["pictures", "masks"].allSatisfy { FileTree.isFolder(FileTree.join(path, $0)) }
  }

  /// Finds the pages of a folder; ``SegmentationPage/read(classCount:)`` reads one.
  ///
  /// A picture without a mask is left out.
  ///
  /// - Throws: `FileError` if there is no page, or a table is not as it has to be.
  public init(folder: String) throws(FileError) {
    self.folder = folder
    let table = FileTree.join(folder, SegmentationClassTable.name)
    guard FileTree.exists(table) else {
      throw FileError(
        path: table,
        expected: "a table of the classes, with the columns index and name separated by a tab",
        found: "no such file beside pictures and masks")
    }
    classes = try SegmentationClassTable.read(table)
    pages = []
    let (pictures, masks) = (FileTree.join(folder, "pictures"), FileTree.join(folder, "masks"))
    for place in [pictures, masks] where !FileTree.isFolder(place) {
      throw FileError(
        path: folder, expected: "the folder \(FileTree.name(of: place))", found: "none")
    }
    let listing = try FileTree.listing(below: pictures)
    failures += listing.refusals
    var withoutMask: Set<String> = []
    let singles = classes.enumerated().filter {
      FileTree.isFolder(FileTree.join(masks, $0.element.name))
    }
    for path in listing.files where Photograph.isName(path) {
      let name = String(path.dropFirst(pictures.count + 1))
      let stem = String(name[..<name.lastIndex(of: ".")!])
      func mask(_ folder: String) -> String { FileTree.join(folder, stem + ".png") }
      let own = mask(masks)
      let single = singles.map { ($0.offset, mask(FileTree.join(masks, $0.element.name))) }
        .filter { FileTree.isRegular($0.1) }
      guard FileTree.isRegular(own) || !single.isEmpty else {
        failures.append("\(path): expected the mask \(own), found none")
        withoutMask.insert(name)
        continue
      }
      pages.append(
        SegmentationPage(
          name: name, picture: path,
          masks: FileTree.isRegular(own)
            ? .indices(own) : .single(Dictionary(uniqueKeysWithValues: single))))
    }
    guard !pages.isEmpty else {
      throw FileError(
        path: pictures, expected: "PNGs or JPEGs with masks",
        found: failures.isEmpty ? "an empty folder" : "\(failures.count) without")
    }
    let used = Set(pages.flatMap(\.masks.paths))
    failures += unused(
      try FileTree.listing(below: masks).files.filter { !used.contains($0) }, below: masks)
    try readPages(except: withoutMask)
  }

  /// Returns a line for each file in the folder `masks` that is no mask of a page, and one for each folder
  /// there that has no class and no picture.
  private func unused(_ files: [String], below masks: String) -> [String] {
    let known = Set(
      classes.map(\.name) + pages.map { String($0.name.prefix { $0 != "/" }) })
    var unknown: [(folder: String, count: Int)] = []
    var lines: [String] = []
    for path in files {
      let parts = path.dropFirst(masks.count + 1).split(separator: "/")
      if parts.count > 1, !known.contains(String(parts[0])) {
        let folder = FileTree.join(masks, String(parts[0]))
        if unknown.last?.folder != folder { unknown.append((folder, 0)) }
        unknown[unknown.count - 1].count += 1
      } else if !path.hasSuffix(".png") {
        lines.append("\(path): expected a PNG as the mask, found a file of another kind")
      } else {
        lines.append("\(path): expected a picture of this name in pictures, found none")
      }
    }
    return unknown.map { folder, count in
      "\(folder): expected a class in \(SegmentationClassTable.name) as the name of a folder ("
        + classes.dropFirst().map(\.name).joined(separator: ", ")
        + "), found another with \(count.counted("file"))"
    } + lines
  }

  /// Reads writers, sources and parts from `pages.tsv`; the pictures `except` are reported already.
  private mutating func readPages(except reported: Set<String>) throws(FileError) {
    let path = FileTree.join(folder, Self.pagesName)
    guard FileTree.isRegular(path) else { return }
    let table = try SegmentationTable(
      path: path, columns: ["picture"], others: ["writer", "source", "split"])
    let places = Dictionary(uniqueKeysWithValues: pages.indices.map { (pages[$0].name, $0) })
    for row in table.rows {
      let name = row["picture"]
      guard let index = places[name] else {
        if !reported.contains(name) {
          let example = pages.first { $0.name.hasPrefix(name + ".") } ?? pages[0]
          failures.append(
            "\(row.place): expected the name of a picture with a mask, such as `\(example.name)`, found "
              + "`\(name)`")
        }
        continue
      }
      func cell(_ name: String) -> String? { row[name].isEmpty ? nil : row[name] }
      pages[index].writer = cell("writer")
      pages[index].source = cell("source")
      guard let name = cell("split") else { continue }
      guard let part = name == "val" ? .validation : Split.Part(rawValue: name) else {
        throw FileError(
          path: row.place, expected: "train, val, validation, test or nothing as the split",
          found: "`\(name)`")
      }
      pages[index].part = part
    }
  }

  // MARK: Splitting

  /// What stays together in a split.
  public enum Group: String, Hashable, Sendable, CaseIterable {
    /// All pages of a writer.
    case writer
    /// All pages of a source.
    case source
  }

  /// Returns the data set with the parts that `split` gives; pages of an unknown writer or source are
  /// split one by one.
  public func split(_ split: Split, keepingTogether group: Group) -> SegmentationDataset {
    let examples = pages.map { page in
      let name: String? =
        switch group {
        case .writer: page.writer.map { "\(page.source ?? "?")/\($0)" }
        case .source: page.source
        }
      return Example(
        .strip(Bitmap(width: 0, height: 0)), label: "page", writer: name ?? "page \(page.name)",
        origin: page.picture)
    }
    var divided = self
    for (index, part) in split.parts(of: Dataset(examples)).enumerated() {
      divided.pages[index].part = part
    }
    return divided
  }

  /// Copies the data set to another folder, with its parts in `pages.tsv`; `progress` gets the number
  /// of pages copied.
  ///
  /// - Throws: `FileError` if it cannot be written.
  public func copy(to path: String, progress: (Int) -> Void = { _ in }) throws(FileError) {
    try FileTree.replace(path) { temporary in
      for (count, page) in pages.enumerated() {
        for file in [page.picture] + page.masks.paths {
          let target = FileTree.join(temporary, String(file.dropFirst(folder.count + 1)))
          try FileManager.default.createDirectory(
            atPath: FileTree.folder(of: target), withIntermediateDirectories: true)
          try FileManager.default.copyItem(atPath: file, toPath: target)
        }
        progress(count + 1)
      }
      try Self.writeTables(classes: classes, pages: pages, to: temporary)
    }
  }

  static func writeTables(
    classes: [SegmentationClass], pages: [SegmentationPage], to folder: String
  ) throws {
    try Data(SegmentationClassTable.text(of: classes).utf8).write(
      to: URL(fileURLWithPath: FileTree.join(folder, SegmentationClassTable.name)))
    var rows = "picture\twriter\tsource\tsplit\n"
    for page in pages {
      let cells = [page.name, page.writer ?? "", page.source ?? "", page.part?.rawValue ?? ""]
      rows += cells.joined(separator: "\t") + "\n"
    }
    try Data(rows.utf8).write(to: URL(fileURLWithPath: FileTree.join(folder, pagesName)))
  }
}
