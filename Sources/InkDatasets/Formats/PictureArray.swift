import Foundation
import Ink
import InkRaster
import SafeFiles

/// An array of pictures, and one of their classes beside it: IDX, as MNIST has it, or NumPy's NPY.
///
/// The names are `images.npy` and `labels.npy`, or those that MNIST and its relatives have:
/// `train-images-idx3-ubyte` and `train-labels-idx1-ubyte`, `t10k-images.idx3-ubyte`,
/// `emnist-letters-train-images-idx3-ubyte.gz` and so on. `classes.txt` has the names of the classes;
/// without it they are numbers.
public struct PictureArray: Hashable, Sendable {
  /// The file with the pictures.
  let path: String
  /// The file with their classes.
  let labelsPath: String

  /// Finds the classes for the array at `path`.
  ///
  /// - Throws: `FileError` if there are none beside it.
  init(_ path: String) throws(FileError) {
    let name = FileTree.name(of: path)
    guard name.contains("images") else {
      throw FileError(
        path: path,
        expected: NPY.isOne(path)
          ? "a name with `images` or `series`, so that the labels can be found"
          : "a name with `images`, so that the labels can be found",
        found: "`\(name)`")
    }
    let labels = Self.labelNames(for: name).map { FileTree.join(FileTree.folder(of: path), $0) }
    guard let labelsPath = labels.first(where: FileTree.isRegular) else {
      throw FileError(
        path: labels[0], expected: "the labels of the pictures in \(name)", found: "no such file")
    }
    (self.path, self.labelsPath) = (path, labelsPath)
  }

  /// Returns the names that the file with the classes can have, the likeliest first.
  private static func labelNames(for name: String) -> [String] {
    let likeliest = name.replacing("images", with: "labels").replacing("idx3", with: "idx1")
    // One of the two files may be compressed.
    let other =
      likeliest.hasSuffix(".gz") ? String(likeliest.dropLast(".gz".count)) : "\(likeliest).gz"
    return [likeliest, other]
  }

  /// Returns the arrays in a folder in the order of their names; of a file and its compressed copy there
  /// is one.
  ///
  /// - Throws: `FileError` if the classes of one are missing.
  private static func all(in folder: String) throws(FileError) -> [PictureArray] {
    var arrays: [PictureArray] = []
    var known = Set<String>()
    for name in FileTree.names(in: folder) where name.contains("images") {
      let path = FileTree.join(folder, name)
      guard FileTree.isRegular(path),
        name.contains("idx3") || name.hasSuffix(".npy") || IDX.isOne(path),
        known.insert(name.hasSuffix(".gz") ? String(name.dropLast(".gz".count)) : name).inserted
      else { continue }
      arrays.append(try PictureArray(path))
    }
    return arrays
  }

  /// The part of its data set, if its name says so.
  private var part: Split.Part? {
    let name = FileTree.name(of: path)
    if name.contains("train") { return .train }
    if name.contains("valid") { return .validation }
    return name.contains("t10k") || name.contains("test") ? .test : nil
  }

  /// Returns the path of the array with a part of the data set in a folder, or `nil` if there are not
  /// arrays of several parts.
  public static func path(of part: Split.Part, in folder: String) -> String? {
    guard FileTree.isFolder(folder), let arrays = try? all(in: folder) else { return nil }
    let members = arrays.filter { $0.part == part }
    return arrays.count > 1 && members.count == 1 ? members[0].path : nil
  }

  /// Reads the arrays in a folder, or returns `nil` if there are none; of several, each is a part.
  ///
  /// - Throws: `FileError` if several arrays are of the same part, or one cannot be read.
  static func read(
    below folder: String, polarity: Polarity, isTransposed: Bool
  ) throws -> LoadedDataset? {
    let arrays = try all(in: folder)
    guard let first = arrays.first else { return nil }
    var loaded = try first.read(polarity: polarity, isTransposed: isTransposed)
    if arrays.count > 1 {
      let parts = arrays.compactMap(\.part)
      guard parts.count == arrays.count, Set(parts).count == parts.count else {
        throw FileError(
          path: folder, expected: "one array of pictures for each part; name the file to read",
          found: arrays.map { FileTree.name(of: $0.path) }.joined(separator: ", "))
      }
      for index in loaded.dataset.examples.indices {
        loaded.dataset.examples[index].part = parts[0]
      }
      for (array, part) in zip(arrays, parts).dropFirst() {
        var next = try array.read(polarity: polarity, isTransposed: isTransposed)
        for index in next.dataset.examples.indices { next.dataset.examples[index].part = part }
        loaded.dataset.add(next.dataset)
        loaded.pictureCount += next.pictureCount
        loaded.invertedCount += next.invertedCount
        loaded.blankCount += next.blankCount
      }
    }
    let used = Set(
      arrays.flatMap { [$0.path, $0.labelsPath] } + [FileTree.join(folder, "classes.txt")])
    loaded.skipped = try FileTree.files(below: folder).filter { !used.contains($0) }
    return loaded
  }

  /// Reads the pictures; blank ones are left out and counted.
  ///
  /// An array is one file, so all of its pictures have the ink that most of them seem to have.
  ///
  /// - Throws: `FileError` if the files cannot be read or do not fit.
  func read(polarity: Polarity, isTransposed: Bool) throws -> LoadedDataset {
    var loaded =
      try NPY.isOne(path) && !isTransposed
      ? stored(polarity: polarity) : inMemory(polarity: polarity, isTransposed: isTransposed)
    loaded.pictureCount = loaded.dataset.examples.count
    loaded.isTransposed = !isTransposed && FileTree.name(of: path).lowercased().contains("emnist")
    return loaded
  }

  private var source: String { FileTree.name(of: FileTree.folder(of: path)) }

  private func inMemory(polarity: Polarity, isTransposed: Bool) throws -> LoadedDataset {
    var bitmaps: [Bitmap] = []
    if NPY.isOne(path) {
      let pictures = try storedPictures()
      bitmaps = (0..<(pictures?.count ?? 0)).map { pictures!.bitmap($0) }
    } else {
      let images = try IDX.Reader(path)
      try check(images.shape)
      let (height, width) = (images.shape[1], images.shape[2])
      // Reads one picture at a time, so that the file is never decompressed as a whole.
      for _ in 0..<images.shape[0] {
        bitmaps.append(
          Bitmap(width: width, height: height, pixels: try images.next(height * width)))
      }
      try images.finish()
    }
    let labels = try classes(count: bitmaps.count)
    var loaded = LoadedDataset(dataset: Dataset([]))
    let kept = bitmaps.indices.filter { !bitmaps[$0].isBlank }
    loaded.blankCount = bitmaps.count - kept.count
    let inverts = polarity.inverts(
      darkOnLight: kept.count { bitmaps[$0].isDarkOnLight }, of: kept.count)
    loaded.invertedCount = inverts ? kept.count : 0
    let source = source
    let examples = kept.map { index in
      var bitmap = inverts ? bitmaps[index].inverted() : bitmaps[index]
      if isTransposed { bitmap = bitmap.transposed() }
      return Example(
        .bitmap(bitmap), label: labels.classes[index], source: source,
        origin: "\(path), item \(index + 1)")
    }
    loaded.dataset = Dataset(examples, labels: labels.names)
    return loaded
  }

  /// Returns examples for the pictures of a NumPy array, which stay on disk.
  private func stored(polarity: Polarity) throws -> LoadedDataset {
    let pictures = try storedPictures()
    let labels = try classes(count: pictures?.count ?? 0)
    guard let pictures else { return LoadedDataset(dataset: Dataset([], labels: labels.names)) }
    var kept: [Int] = []
    var darkCount = 0
    for index in 0..<pictures.count {
      let bitmap = pictures.bitmap(index)
      guard !bitmap.isBlank else { continue }
      kept.append(index)
      if bitmap.isDarkOnLight { darkCount += 1 }
    }
    let inverts = polarity.inverts(darkOnLight: darkCount, of: kept.count)
    let used = inverts ? pictures.inverted() : pictures
    let source = source
    let examples = kept.map {
      Example(used, index: $0, label: labels.classes[$0], source: source)
    }
    var loaded = LoadedDataset(dataset: Dataset(examples, labels: labels.names))
    loaded.blankCount = pictures.count - kept.count
    loaded.invertedCount = inverts ? kept.count : 0
    return loaded
  }

  /// Maps the pictures of a NumPy array, or returns `nil` if there are none.
  private func storedPictures() throws -> StoredPictures? {
    let header = try NPY.header(of: path)
    try check(header.shape)
    guard header.shape[0] > 0 else { return nil }
    return try StoredPictures(
      path: path, offset: header.offset, count: header.shape[0], height: header.shape[1],
      width: header.shape[2])
  }

  private func check(_ shape: [Int]) throws(FileError) {
    guard shape.count == 3, (1...4096).contains(shape[1]), (1...4096).contains(shape[2]) else {
      throw FileError(
        path: path, expected: "pictures, [count, height, width]", found: "\(shape)")
    }
  }

  /// Returns the label of each of `count` pictures, and all labels in `classes.txt`.
  private func classes(count: Int) throws(FileError) -> (classes: [String], names: [String]?) {
    let labels = try NPY.isOne(labelsPath) ? NPY.read(labelsPath) : IDX.read(labelsPath)
    guard labels.shape == [count] else {
      throw FileError(path: labelsPath, expected: count.counted("label"), found: "\(labels.shape)")
    }
    let names = ClassNames(for: labelsPath)
    let classes = try labels.values.enumerated().map { index, label throws(FileError) in
      try names.label(Int(label), of: labelsPath, item: index)
    }
    return (classes, names.names)
  }
}
