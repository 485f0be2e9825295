import Foundation
import Ink
import InkSeries
import SafeFiles

/// Series in a NumPy array `[count, length, channels]`, with their classes in a second one.
///
/// The classes are whole numbers: positions in `classes.txt`, or labels themselves without it.
/// `channels.txt` has the names of the channels, one per line; without it they are `dim_0` and so on.
enum SeriesArray {
  /// The names of the arrays in a folder.
  private static let names = [("series.npy", "labels.npy"), ("X.npy", "y.npy")]

  /// Returns the path of the array in a folder, or `nil` if there is none.
  static func path(in folder: String) -> String? {
    names.map { FileTree.join(folder, $0.0) }.first { FileTree.exists($0) }
  }

  /// Returns the path of the labels of the array at `path`, or `nil` if the name is not that of
  /// series: `series.npy` and `labels.npy`, `X_train.npy` and `y_train.npy`.
  static func labelsPath(of path: String) -> String? {
    let name = FileTree.name(of: path)
    let labels =
      name.contains("series")
      ? name.replacing("series", with: "labels")
      : name.hasPrefix("X") ? "y" + name.dropFirst() : nil
    return labels.map { FileTree.join(FileTree.folder(of: path), $0) }
  }

  /// The files of the data set with the array at `path`.
  static func files(of path: String) -> [String] {
    [path] + [labelsPath(of: path)].compactMap { $0 }
      + ["classes.txt", "channels.txt"].map { FileTree.join(FileTree.folder(of: path), $0) }
  }

  /// Reads the array at `path`.
  static func read(
    _ path: String, labels labelsPath: String, reading: SeriesReading
  ) throws -> LoadedDataset {
    let shape = try NPY.anyHeader(of: path).shape
    guard shape.count == 3, shape[1] > 0, shape[2] > 0 else {
      throw FileError(
        path: path, expected: "series, [count, length, channels]", found: "\(shape)")
    }
    let isUnlabelled = reading.keepsUnlabelled && !FileTree.exists(labelsPath)
    let labels =
      isUnlabelled
      ? ([String](repeating: "", count: shape[0]), nil)
      : try self.labels(labelsPath, count: shape[0])
    // Without series, the size of the file does not bound their channels.
    guard shape[0] > 0 else { return LoadedDataset(dataset: Dataset([], labels: labels.1)) }
    let folder = FileTree.folder(of: path)
    let names =
      ClassNames.lines(of: "\(folder)/channels.txt") ?? (0..<shape[2]).map { "dim_\($0)" }
    guard names.count == shape[2] else {
      throw FileError(
        path: "\(folder)/channels.txt", expected: shape[2].counted("channel"),
        found: "\(names.count)")
    }
    var loaded = LoadedDataset(dataset: Dataset([]))
    let source = FileTree.name(of: folder)
    try NPY.forEachItem(path) { item, values in
      let origin = "\(path), item \(item + 1)"
      do {
        var series = try Series(
          channels: names, values: values.map { Float($0) }, rate: reading.rate)
        if let channels = reading.channels { series = try series.selecting(channels) }
        loaded.columns.add(series, label: labels.0[item])
        loaded.dataset.examples.append(
          Example(.series(series), label: labels.0[item], source: source, origin: origin))
      } catch {
        loaded.failures.append("\(origin): \(error)")
      }
    }
    loaded.dataset = Dataset(loaded.dataset.examples, labels: labels.1)
    return loaded
  }

  private static func labels(
    _ path: String, count: Int
  ) throws -> (labels: [String], names: [String]?) {
    let shape = try NPY.anyHeader(of: path).shape
    guard shape == [count] else {
      throw FileError(path: path, expected: count.counted("label"), found: "\(shape)")
    }
    let classes = ClassNames(for: path)
    var labels: [String] = []
    try NPY.forEachItem(path) { item, values in
      guard let number = Int(exactly: values[0]) else {
        throw FileError(
          path: "\(path), item \(item + 1)", expected: "a whole number as label",
          found: "\(values[0])")
      }
      labels.append(try classes.label(number, of: path, item: item))
    }
    return (labels, classes.names)
  }
}
