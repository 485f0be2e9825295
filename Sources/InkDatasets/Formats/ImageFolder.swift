import Foundation
import InkImageIO
import InkRaster
import SafeFiles

/// Whether a picture's ink is brighter or darker than its background.
public enum Polarity: String, Sendable, CaseIterable {
  /// Detected: the more frequent brightness is the background, in each file by itself.
  case auto
  /// Light ink on a dark background; not inverted.
  case light
  /// Dark ink on a light background; inverted.
  case dark

  /// Returns whether to invert the pictures of a file, if `darkOnLight` of `count` seem to have dark
  /// ink.
  package func inverts(darkOnLight: Int, of count: Int) -> Bool {
    switch self {
    case .auto: darkOnLight * 2 > count
    case .light: false
    case .dark: true
    }
  }
}

/// Pictures in one folder per class, `class/name.png`, as in Keras, PyTorch and Create ML.
enum ImageFolder {
  /// Returns whether a folder contains folders with PNGs or JPEGs.
  static func isOne(_ path: String) -> Bool {
    FileTree.names(in: path).contains { name in
      let folder = FileTree.join(path, name)
      return FileTree.isFolder(folder)
        && FileTree.names(in: folder).contains(where: Photograph.isName)
    }
  }

  /// Reads all PNGs and JPEGs; those that cannot be read are listed in the result.
  ///
  /// Whether the ink is dark is decided for each file, as when it is classified.
  static func read(_ path: String, polarity: Polarity) throws -> LoadedDataset {
    let source = FileTree.name(of: path)
    let listing = try FileTree.listing(below: path)
    let refused = Set(listing.leftOut.filter { $0.reason == .leadsOutside }.map(\.path))
    let labels = FileTree.names(in: path).filter { name in
      let child = FileTree.join(path, name)
      return FileTree.isFolder(child) && !refused.contains(child)
    }
    let files = Dictionary(grouping: listing.files) { file in
      file.dropFirst(FileTree.join(path, "").count).prefix { $0 != "/" }
    }
    var examples: [Example] = []
    var loaded = LoadedDataset(dataset: Dataset([]))
    for name in FileTree.names(in: path) where !labels.contains(name) {
      let child = FileTree.join(path, name)
      if !refused.contains(child) { loaded.skipped.append(child) }
    }
    for label in labels {
      for file in files[Substring(label)] ?? [] {
        guard Photograph.isName(file) else {
          loaded.skipped.append(file)
          continue
        }
        do {
          let bitmap = try Bitmap.read(path: file)
          guard !bitmap.isBlank else {
            loaded.blankCount += 1
            continue
          }
          let inverts = polarity.inverts(darkOnLight: bitmap.isDarkOnLight ? 1 : 0, of: 1)
          loaded.pictureCount += 1
          loaded.invertedCount += inverts ? 1 : 0
          examples.append(
            Example(
              .bitmap(inverts ? bitmap.inverted() : bitmap), label: label, source: source,
              origin: file))
        } catch {
          loaded.failures.append("\(error)")
        }
      }
    }
    // An empty folder is a class as well; training reports it.
    loaded.dataset = Dataset(examples, labels: labels)
    return loaded
  }

  /// Writes one PNG for each example.
  static func write(_ dataset: Dataset, rasterizer: Rasterizer?, to path: String) throws {
    for label in dataset.labels {
      try FileManager.default.createDirectory(
        atPath: FileTree.join(path, label), withIntermediateDirectories: true)
    }
    let digits = String(dataset.examples.count).count
    for (index, example) in dataset.examples.enumerated() {
      let number = String(index)
      let name = String(repeating: "0", count: digits - number.count) + number
      let file = "\(path)/\(example.label)/\(name).png"
      let bitmap: Bitmap
      switch (example.content, rasterizer) {
      case (_, let rasterizer?): bitmap = try example.storablePicture(rasterizer)
      case (.bitmap(let original), nil): bitmap = original
      case (.strip, nil):
        throw FileError(
          path: example.origin, expected: "pictures only, or strips only",
          found: "a strip among pictures")
      case (.drawing, nil):
        throw FileError(
          path: example.origin, expected: "pictures only, or ink only", found: "ink among pictures")
      case (.series, nil):
        throw FileError(
          path: example.origin, expected: "pictures only, or series only",
          found: "a series among pictures")
      }
      try PNG.encode(bitmap).write(to: URL(fileURLWithPath: file))
    }
  }
}
