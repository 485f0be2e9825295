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
public struct DenseDataset: Hashable, Sendable {
  /// The folder.
  public let folder: String
  /// The classes; the first is the background.
  public let classes: [DenseClass]
  /// The pages, by name.
  public private(set) var pages: [DensePage]
  /// What was left out, one line each.
  public private(set) var failures: [String] = []

  static let pagesName = "pages.tsv"

  /// Returns whether a folder has a file `classes.tsv`.
  public static func isOne(_ path: String) -> Bool {
    FileTree.isRegular(FileTree.join(path, DenseClassTable.name))
  }

  /// Finds the pages of a folder; ``DensePage/read(classCount:)`` reads one.
  ///
  /// A picture without a mask is left out.
  ///
  /// - Throws: `FileError` if there is no page, or a table is not as it has to be.
  public init(folder: String) throws(FileError) {
    self.folder = folder
    classes = try DenseClassTable.read(FileTree.join(folder, DenseClassTable.name))
    pages = []
    let (pictures, masks) = (FileTree.join(folder, "pictures"), FileTree.join(folder, "masks"))
    for place in [pictures, masks] where !FileTree.isFolder(place) {
      throw FileError(
        path: folder, expected: "the folder \(FileTree.name(of: place))", found: "none")
    }
    let listing = try FileTree.listing(below: pictures)
    failures += listing.refusals
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
        continue
      }
      pages.append(
        DensePage(
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
    failures += try FileTree.listing(below: masks).files.filter { !used.contains($0) }
      .map {
        "\($0): expected a mask of a picture and of a class in classes.tsv, found another file"
      }
    try readPages()
  }

  /// Reads writers, sources and parts from `pages.tsv`.
  private mutating func readPages() throws(FileError) {
    let path = FileTree.join(folder, Self.pagesName)
    guard FileTree.isRegular(path) else { return }
    let table = try DenseTable(
      path: path, columns: ["picture"], others: ["writer", "source", "split"])
    let places = Dictionary(uniqueKeysWithValues: pages.indices.map { (pages[$0].name, $0) })
    for row in table.rows {
      guard let index = places[row["picture"]] else {
        failures.append("\(row.place): expected a picture with a mask, found `\(row["picture"])`")
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
  public func split(_ split: Split, keepingTogether group: Group) -> DenseDataset {
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
    classes: [DenseClass], pages: [DensePage], to folder: String
  ) throws {
    try Data(DenseClassTable.text(of: classes).utf8).write(
      to: URL(fileURLWithPath: FileTree.join(folder, DenseClassTable.name)))
    var rows = "picture\twriter\tsource\tsplit\n"
    for page in pages {
      let cells = [page.name, page.writer ?? "", page.source ?? "", page.part?.rawValue ?? ""]
      rows += cells.joined(separator: "\t") + "\n"
    }
    try Data(rows.utf8).write(to: URL(fileURLWithPath: FileTree.join(folder, pagesName)))
  }
}
