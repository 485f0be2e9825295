import Foundation
import InkRaster
import JSONReading
import SafeFiles

/// A divided data set on disk: one data set for each part, and `split.json` with the method.
public struct SplitFolder: Hashable, Sendable {
  /// The folder.
  public let path: String
  /// The content of `split.json`.
  public let manifest: Manifest

  /// A description of a divided data set, stored in `split.json`.
  public struct Manifest: Hashable, Sendable, Codable {
    /// The path of the input.
    public var input: String
    /// The fingerprint of the input.
    public var fingerprint: String
    /// The method, as text.
    public var method: String
    /// The random seed.
    public var seed: UInt64
    /// The labels of all parts, in order.
    public var labels: [String]
    /// The format of the parts.
    public var form: String
    /// The number of examples of each class in each part; a recording with labelled spans counts
    /// for each of its labels.
    public var counts: [String: [String: Int]]
  }

  /// Opens a divided data set, or returns `nil` if the folder is not one.
  ///
  /// - Throws: `FileError` if its `split.json` cannot be decoded.
  public init?(path: String) throws(FileError) {
    guard let data = FileManager.default.contents(atPath: "\(path)/split.json") else { return nil }
    let file = "\(path)/split.json"
    let manifest: Manifest
    do { manifest = try Manifest(strictJSON: data, name: file) } catch {
      throw FileError(json: error, path: file)
    }
    guard DatasetFormat(rawValue: manifest.form) != nil,
      Set(manifest.labels).count == manifest.labels.count,
      Split.Part.allCases.allSatisfy({ manifest.counts[$0.rawValue] != nil })
    else {
      throw FileError(
        path: file, expected: "the file that `inkstate dataset split` writes",
        found: "something else")
    }
    self.path = path
    self.manifest = manifest
  }

  /// The path of one part.
  public func path(of part: Split.Part) -> String {
    "\(path)/\(part.rawValue)\(manifest.form == DatasetFormat.ndjson.rawValue ? ".ndjson" : "")"
  }

  /// Reads one part, which can be empty, with the labels of the whole data set.
  ///
  /// - Throws: `FileError` if it cannot be read.
  public func load(_ part: Split.Part) throws -> LoadedDataset {
    let isEmpty = manifest.counts[part.rawValue]?.values.allSatisfy { $0 == 0 } ?? true
    if isEmpty { return LoadedDataset(dataset: Dataset([], labels: manifest.labels)) }
    // Pictures have no source, and `test` is not one. Dark ink was inverted before writing.
    let source =
      manifest.form == DatasetFormat.ndjson.rawValue ? nil : FileTree.name(of: manifest.input)
    // The other parts are read with the channels of the training.
    var reading = SeriesReading()
    reading.leavesOutCounters = part == .train
    var loaded = try Dataset.load(
      path(of: part), polarity: .light, source: source, series: reading)
    loaded.dataset = Dataset(loaded.dataset.examples, labels: manifest.labels)
    return loaded
  }

  /// Splits `dataset` and writes the parts to the folder `path`.
  ///
  /// - Throws: `FileError` if they cannot be written.
  public static func write(
    _ dataset: Dataset, split: Split, input: String, method: String, form: DatasetFormat,
    rasterizer: Rasterizer?, to path: String
  ) throws -> SplitFolder {
    let parts = split.parts(of: dataset)
    var counts: [String: [String: Int]] = [:]
    for part in Split.Part.allCases {
      counts[part.rawValue] = Dictionary(uniqueKeysWithValues: dataset.labels.map { ($0, 0) })
    }
    for (example, part) in zip(dataset.examples, parts) {
      for label in example.labels { counts[part.rawValue]![label]! += 1 }
    }
    let manifest = Manifest(
      input: input, fingerprint: dataset.fingerprint.description, method: method,
      seed: split.seed, labels: dataset.labels, form: form.rawValue, counts: counts)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try FileTree.replace(path) { temporary in
      let folder = SplitFolder(path: temporary, manifest: manifest)
      try FileManager.default.createDirectory(
        atPath: temporary, withIntermediateDirectories: true)
      for part in Split.Part.allCases {
        let subset = dataset.subset(parts.indices.filter { parts[$0] == part })
        try form.write(subset, rasterizer: rasterizer, to: folder.path(of: part))
      }
      try encoder.encode(manifest).write(to: URL(fileURLWithPath: "\(temporary)/split.json"))
    }
    return SplitFolder(path: path, manifest: manifest)
  }

  private init(path: String, manifest: Manifest) {
    self.path = path
    self.manifest = manifest
  }
}
