import Foundation
import Ink
import InkImageIO
import InkRaster
import InkSeries
import SafeFiles

/// The format of a data set on disk.
public enum DatasetFormat: String, Sendable, CaseIterable {
  /// Recordings of ink and sensors, one JSON object per line.
  case ndjson
  /// PNGs, one folder per class.
  case folder
  /// `images-idx3-ubyte.gz` and `labels-idx1-ubyte.gz` in a folder, with `classes.txt`.
  case idx
  /// `images.npy` (`uint8 [n, size, size]`) and `labels.npy` in a folder, with `classes.txt`.
  case npy
  /// Strips with a line of writing as PNGs in a folder, with `labels.tsv`.
  case strips

  /// Writes `dataset` to a temporary place and then renames it to `path`.
  ///
  /// Formats for pictures render drawings with `rasterizer`. Without a rasteriser, pictures keep
  /// their size, and drawings are refused.
  ///
  /// - Throws: `FileError` if the format cannot hold the data, or writing fails.
  public func write(_ dataset: Dataset, rasterizer: Rasterizer?, to path: String) throws {
    try write(
      dataset.examples, count: dataset.examples.count, labels: dataset.labels,
      rasterizer: rasterizer, to: path)
  }

  /// Writes `count` examples one by one; the formats `ndjson`, `npy` and `strips` keep none in memory.
  ///
  /// - Throws: `FileError` if the format cannot hold the data, or writing fails.
  public func write(
    _ examples: some Sequence<Example>, count: Int, labels: [String], rasterizer: Rasterizer?,
    to path: String
  ) throws {
    if self != .ndjson, self != .strips { try checkNames(of: labels, path: path) }
    if self == .idx || self == .npy, labels.count > 256 {
      throw FileError(path: path, expected: "at most 256 classes", found: "\(labels.count)")
    }
    let size = (rasterizer ?? .standard).size
    if self == .idx, count * size * size > IDX.maximumBytes {
      throw FileError(
        path: path,
        expected:
          "at most \(IDX.maximumBytes / size / size) pictures of \(size) × \(size) as IDX (npy "
          + "has no limit)", found: "\(count)")
    }
    try FileTree.replace(path) { temporary in
      switch self {
      case .ndjson: try writeRecordings(of: examples, to: temporary)
      case .folder:
        try ImageFolder.write(
          Dataset(Array(examples), labels: labels), rasterizer: rasterizer, to: temporary)
      case .strips: try StripFolder.write(examples, to: temporary)
      case .idx, .npy:
        try FileManager.default.createDirectory(
          atPath: temporary, withIntermediateDirectories: true)
        try writePictures(
          of: examples, count: count, labels: labels, rasterizer: rasterizer ?? .standard,
          to: temporary)
        let names = labels.map { $0 + "\n" }.joined()
        try Data(names.utf8).write(to: URL(fileURLWithPath: "\(temporary)/classes.txt"))
      }
    }
  }

  private func writePictures(
    of examples: some Sequence<Example>, count: Int, labels: [String], rasterizer: Rasterizer,
    to folder: String
  ) throws {
    let classes = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    let shape = [count, rasterizer.size, rasterizer.size]
    var targets: [UInt8] = []
    func pixels(_ example: Example) throws -> [UInt8] {
      guard let target = classes[example.label] else {
        throw FileError(
          path: example.origin, expected: "a label of \(labels.joined(separator: ", "))",
          found: "`\(example.label)`")
      }
      targets.append(UInt8(target))
      return try example.storablePicture(rasterizer).pixels
    }
    if self == .idx {
      let images = IDX.Content(shape: shape, values: try examples.flatMap(pixels))
      try IDX.write(images, to: "\(folder)/images-idx3-ubyte.gz")
      try IDX.write(
        IDX.Content(shape: [count], values: targets), to: "\(folder)/labels-idx1-ubyte.gz")
    } else {
      let images = try BlockWriter(path: "\(folder)/images.npy")
      try images.write(NPY.header(shape: shape))
      for example in examples { try images.write(pixels(example)) }
      try images.finish()
      try (NPY.header(shape: [count]) + Data(targets))
        .write(to: URL(fileURLWithPath: "\(folder)/labels.npy"))
    }
    precondition(targets.count == count, "the number of examples is `count`")
  }

  /// Checks that the labels can be names of folders and lines of a file.
  private func checkNames(of labels: [String], path: String) throws(FileError) {
    let forbidden: Set<Character> = ["/", "\0", "\n", "\r"]
    for label in labels
    where label.isEmpty || label.hasPrefix(".") || !forbidden.isDisjoint(with: label) {
      throw FileError(
        path: path, expected: "labels that can be names of folders", found: "`\(label)`")
    }
  }

  private func writeRecordings(of examples: some Sequence<Example>, to path: String) throws {
    let file = try BlockWriter(path: path)
    for (index, example) in examples.enumerated() {
      switch example.content {
      case .drawing(let drawing):
        let recording = Recording(
          drawing, label: example.label, writer: example.writer, device: example.device,
          source: example.source, attributes: example.attributes)
        try file.write(NDJSON.line(recording, at: Place(file: path, line: index + 1)))
      case .series(let series):
        try SeriesLine.write(series, of: example) { try file.write($0) }
      case .bitmap:
        throw FileError(
          path: example.origin, expected: "ink or series for NDJSON",
          found: "a picture without points")
      case .strip:
        throw FileError(
          path: example.origin, expected: "ink or series for NDJSON",
          found: "a strip without points")
      }
      try file.write(CollectionOfOne(UInt8(ascii: "\n")))
    }
    try file.finish()
  }
}

/// Writes a file in large blocks.
///
/// Foundation would create the file under another name first, and hide the reasons of errors.
private final class BlockWriter {
  private let descriptor: Int32
  private var block: [UInt8] = []

  init(path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw POSIXError.last }
  }

  deinit { close(descriptor) }

  func write(_ bytes: some Sequence<UInt8>) throws {
    block.append(contentsOf: bytes)
    if block.count > 1 << 20 { try writeBlock() }
  }

  /// Writes what was not written yet.
  func finish() throws { try writeBlock() }

  private func writeBlock() throws {
    var done = 0
    while done < block.count {
      let count = block.withUnsafeBytes { bytes in
        Foundation.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw POSIXError.last
      }
    }
    block.removeAll(keepingCapacity: true)
  }
}

/// Where the labels of ink are.
public struct InkReading: Hashable, Sendable {
  /// The annotation of InkML, or the level of UNIPEN, that has the label; `nil` for the usual ones.
  public var labelAnnotation: String?
  /// The label of recordings without one.
  public var label: String?

  /// Creates a choice.
  public init(labelAnnotation: String? = nil, label: String? = nil) {
    (self.labelAnnotation, self.label) = (labelAnnotation, label)
  }
}

/// The result of loading a data set, with the items that were left out.
public struct LoadedDataset: Sendable {
  /// The examples that were read.
  public var dataset: Dataset
  /// One message for each item that could not be read.
  public var failures: [String] = []
  /// The files that were skipped: pictures among recordings, recordings among pictures, and other
  /// files.
  public var skipped: [String] = []
  /// The number of recordings without a label.
  public var unlabelledCount = 0
  /// The number of examples that the label map dropped.
  public var droppedCount = 0
  /// The labels before the label map, in alphabetical order.
  public var labelsFound: [String] = []
  /// The parts of files that were left out of recordings, such as `pen-up traces`.
  public var ignored: [String: IgnoredPart] = [:]

  /// Where parts of one kind were left out.
  public struct IgnoredPart: Sendable {
    /// The number of recordings.
    public var count = 0
    /// The place of the first one.
    public var first: String
  }
  /// Lines that say what was left out within recordings or pictures, and what was chosen.
  public var notes: [String] = []
  /// The columns of recordings that were left out because they only count.
  public var leftOutColumns: [String] = []
  /// What the columns of the recordings do.
  var columns = ColumnCensus()
  /// The number of pictures; strips are not counted.
  public var pictureCount = 0
  /// The number of pictures that had dark ink and were inverted.
  public var invertedCount = 0
  /// The number of blank pictures and strips, which were left out.
  public var blankCount = 0
  /// Whether the pictures are those of EMNIST, whose rows and columns are exchanged.
  public var isTransposed = false

  /// The canvas points in one unit of the drawings, if their sizes show that they are not in points.
  public var pointsPerUnit: Double?

  /// Creates what was read without any trouble.
  public init(dataset: Dataset) { self.dataset = dataset }

  /// The number of skipped files of each kind, with the first one: `2 pictures (a/b.png first)`.
  public var skippedDescriptions: [String] {
    let kinds = Dictionary(grouping: skipped, by: Dataset.FileKind.init(path:))
    return Dataset.FileKind.allCases.compactMap { kind in
      guard let files = kinds[kind], let first = files.first else { return nil }
      let count =
        switch kind {
        case .ink: files.count.counted("ink file")
        case .series: files.count.counted("file of series", "files of series")
        case .picture: files.count.counted("picture")
        case .other: files.count.counted("other file")
        }
      return "\(count) (\(files.count == 1 ? first : "\(first) first"))"
    }
  }
}

extension LoadedDataset {
  /// Adds a recording of a file, of whose name `fields` are known.
  mutating func add(
    _ series: Series, label: String, fields: [NamePattern.Field: String], source: String?,
    origin: String
  ) {
    var example = Example(
      .series(series), label: label, writer: fields[.person], source: source, origin: origin)
    example.session = fields[.session]
    columns.add(series, label: label)
    dataset.examples.append(example)
  }

  /// Adds the labels in the header of a file with `count` recordings; a class without recordings is a class
  /// as well.
  ///
  /// - Throws: `FileError` if the header did not end with `@data`, or no recording follows.
  mutating func finish(
    _ path: String, isHeaderComplete: Bool, count: Int, labels: @autoclosure () -> [String]
  ) throws(FileError) {
    guard isHeaderComplete else {
      throw FileError(path: path, expected: "a line @data", found: "none")
    }
    guard count > 0 else {
      throw FileError(path: path, expected: "recordings after @data", found: "none")
    }
    dataset.labels += labels()
  }

  /// What was left out of recordings: `pen-up traces in 2 recordings (a.inkml first)`.
  public var ignoredDescriptions: [String] {
    ignored.sorted { $0.key < $1.key }.map { name, part in
      part.count == 1
        ? "\(name) in \(part.first)"
        : "\(name) in \(part.count) recordings (\(part.first) first)"
    }
  }

  /// Stores the unit of the drawings: the given one, or else their own, or else the one that their sizes
  /// show.
  mutating func settleUnit(_ given: Double?) {
    let drawings = dataset.examples.indices.filter { dataset.examples[$0].isDrawing }
    if let given {
      for index in drawings { dataset.examples[index].pointsPerUnit = given }
      return
    }
    let unknown = drawings.filter { dataset.examples[$0].pointsPerUnit == nil }
    let judged = CanvasUnit.pointsPerUnit(
      of: unknown.compactMap { dataset.examples[$0].content.drawing })
    guard let judged else { return }
    pointsPerUnit = judged
    for index in unknown { dataset.examples[index].pointsPerUnit = judged }
  }
}

extension Dataset {
  /// The kind of a file.
  enum FileKind: CaseIterable {
    case ink, series, picture, other

    /// A file is ink if both its name and its content are those of ink.
    init(path: String) {
      if Photograph.isName(path) {
        self = .picture
      } else if SeriesTable.isNamedOne(path) || TSFile.isNamedOne(path) || ARFF.isNamedOne(path)
        || SeriesArchive.isTable(path)
      {
        self = .series
      } else if InkFile.Format.isNamed(path), (try? InkFile(path: path)) != nil {
        self = .ink
      } else {
        self = .other
      }
    }
  }

  /// Reads a data set in any format: recordings (a file, or a folder of files of ink or series), an
  /// image folder, strips with `labels.tsv`, IDX or NPY.
  ///
  /// `series` says how tables of series are read. With `isTransposed`, rows and columns of the pictures
  /// in IDX and NPY files are exchanged. `pointsPerUnit` has the canvas points in one unit of the
  /// drawings; if it is `nil`, their sizes show whether they are in points. Pictures in a folder with ink are skipped. Items that cannot be read are listed in the result.
  /// If the label map renames a label, the attribute `kind` keeps the old one, unless there is one
  /// already. Columns of recordings that only count are left out, as `series` says. With
  /// `asSingleStrokes`, the label map is applied to the labels of ``singleStrokes``.
  /// `ink` says where the labels of ink are.
  ///
  /// - Throws: `FileError` if there is no data set at `path`.
  public static func load(
    _ path: String, polarity: Polarity = .auto, labels: LabelMap = LabelMap(),
    source: String? = nil, asSingleStrokes: Bool = false, isTransposed: Bool = false,
    pointsPerUnit: Double? = nil, series: SeriesReading = SeriesReading(),
    ink: InkReading = InkReading()
  ) throws -> LoadedDataset {
    guard FileTree.exists(path) else {
      throw FileError(path: path, expected: "a data set", found: "nothing of that name")
    }
    var loaded = try read(
      path, polarity: polarity, source: source, isTransposed: isTransposed, series: series, ink: ink
    )
    loaded.failures += try FileTree.listing(below: path).refusals
    loaded.columns.settle(&loaded, series)
    loaded.settleUnit(pointsPerUnit)
    if asSingleStrokes { loaded.dataset = loaded.dataset.singleStrokes }
    loaded.labelsFound = Set(loaded.dataset.labels)
      .union(loaded.dataset.examples.lazy.flatMap(\.labels)).sorted()
    func labelled(_ example: Example) -> Example? {
      var example = example
      if let source { example.source = source }
      guard example.spans.isEmpty else {
        example.spans = labels.apply(to: example.spans)
        return example.spans.isEmpty ? nil : example
      }
      guard let label = labels.apply(to: example.label) else { return nil }
      if label != example.label, example.attributes["kind"] == nil {
        example.attributes["kind"] = .text(example.label)
      }
      example.label = label
      return example
    }
    // In their place, for a copy of a million examples would need much memory.
    var keptCount = 0
    for index in loaded.dataset.examples.indices {
      guard let example = labelled(loaded.dataset.examples[index]) else { continue }
      loaded.dataset.examples[keptCount] = example
      keptCount += 1
    }
    loaded.droppedCount += loaded.dataset.examples.count - keptCount
    loaded.dataset.examples.removeSubrange(keptCount...)
    let names = loaded.dataset.labels.compactMap { labels.apply(to: $0) }
    loaded.dataset.labels = Set(names).sorted()
    // Whoever needs no labels gets the failures as they are.
    let isExplained = series.keepsUnlabelled && !loaded.failures.isEmpty
    guard !loaded.dataset.examples.isEmpty || isExplained else {
      let reason =
        loaded.failures.first
        ?? (loaded.unlabelledCount > 0
          ? "\(loaded.unlabelledCount.counted("recording")) without a label"
          : loaded.blankCount > 0
            ? "\(loaded.blankCount.counted("blank picture"))"
            : loaded.droppedCount > 0
              ? "\(loaded.droppedCount.counted("example")) whose label is dropped"
              : loaded.skipped.first.map {
                "no file of a known form, but for example `\(FileTree.name(of: $0))`; pictures are PNG "
                  + "or JPEG"
              } ?? "none")
      throw FileError(
        path: path, expected: series.keepsUnlabelled ? "recordings" : "examples with labels",
        found: reason)
    }
    return loaded
  }

  private static func read(
    _ path: String, polarity: Polarity, source: String?, isTransposed: Bool,
    series: SeriesReading, ink: InkReading
  ) throws -> LoadedDataset {
    if FileTree.isFolder(path) {
      if let array = SeriesArray.path(in: path), let labels = SeriesArray.labelsPath(of: array) {
        var loaded = try SeriesArray.read(array, labels: labels, reading: series)
        let used = SeriesArray.files(of: array)
        loaded.skipped = try FileTree.files(below: path).filter { !used.contains($0) }
        return loaded
      }
      if StripFolder.isOne(path) { return try StripFolder.read(path) }
      if let pictures = try PictureArray.read(
        below: path, polarity: polarity, isTransposed: isTransposed)
      {
        return pictures
      }
      if ImageFolder.isOne(path),
        try !FileTree.files(below: path).contains(where: { FileKind(path: $0) == .ink })
      {
        return try ImageFolder.read(path, polarity: polarity)
      }
      return try recordings(
        below: path, polarity: polarity, source: source, series: series, ink: ink)
    }
    if NPY.isOne(path), let labels = SeriesArray.labelsPath(of: path) {
      return try SeriesArray.read(path, labels: labels, reading: series)
    }
    if NPY.isOne(path) || IDX.isOne(path) {
      return try PictureArray(path).read(polarity: polarity, isTransposed: isTransposed)
    }
    return try recordings(
      below: path, polarity: polarity, source: source, series: series, ink: ink)
  }

  /// The extensions of files in collections that are not recordings.
  private static let notRecordings = [".raw", ".nodata"]

  private static func recordings(
    below path: String, polarity: Polarity, source: String?, series: SeriesReading, ink: InkReading
  ) throws -> LoadedDataset {
    let isFolder = FileTree.isFolder(path)
    let folder = isFolder ? path : nil
    let collection = source ?? folder.map(FileTree.name)
    var loaded = LoadedDataset(dataset: Dataset([]))
    let files = try FileTree.files(below: path)
    let duplicates = SeriesArchive.duplicates(among: files)
    for file in files {
      guard !notRecordings.contains(where: file.hasSuffix), !duplicates.contains(file),
        FileTree.name(of: file) != "split.json"
      else {
        loaded.skipped.append(file)
        continue
      }
      do {
        if SeriesArchive.isTable(file) {
          try SeriesArchive.readTable(
            file, below: folder, reading: series, source: collection, into: &loaded)
        } else if ARFF.isNamedOne(file) {
          try ARFF.read(file, below: folder, reading: series, source: collection, into: &loaded)
        } else if SeriesTable.isNamedOne(file) {
          try SeriesTable.read(
            file, below: folder, reading: series, source: collection, into: &loaded)
        } else if TSFile.isNamedOne(file) {
          try TSFile.read(file, below: folder, reading: series, source: collection, into: &loaded)
        } else {
          try readInk(
            file, below: folder, source: source, collection: collection,
            keepsUnlabelled: series.keepsUnlabelled, reading: ink, into: &loaded)
        }
      } catch let error as InkError {
        // A licence or a note in a folder with recordings is not a failure.
        if isFolder, !InkFile.Format.isNamed(file), error.isUnknownFormat {
          loaded.skipped.append(file)
        } else {
          loaded.failures.append("\(error)")
        }
      } catch let error as FileError {
        loaded.failures.append("\(error)")
      }
    }
    loaded.dataset = Dataset(
      loaded.dataset.examples,
      labels: Set(loaded.dataset.examples.flatMap(\.labels)).union(loaded.dataset.labels).sorted())
    // Tables of pixels are among the recordings.
    loaded.settlePolarity(polarity)
    return loaded
  }

  /// Adds the recordings of a file of ink; NDJSON can have series as well.
  ///
  /// The folder in `folder` that the file is in is the label of recordings without one.
  private static func readInk(
    _ path: String, below folder: String?, source: String?, collection: String?,
    keepsUnlabelled: Bool, reading: InkReading, into loaded: inout LoadedDataset
  ) throws {
    let className = folder.flatMap { FileTree.className(of: path, below: $0) }
    func add(_ item: InkFile.Item) {
      for name in item.ignored {
        loaded.ignored[name, default: .init(first: "\(item.place.file)")].count += 1
      }
      switch item.result {
      case .success(var recording):
        recording.source = source ?? recording.source ?? collection
        // Lengths and areas of larger drawings would overflow.
        guard (recording.drawing.bounds?.longerSide ?? 0) < 1e100 else {
          loaded.failures.append(
            "\(item.place): expected coordinates within 10^100 of each other, found others")
          return
        }
        guard let label = recording.label ?? reading.label ?? className else {
          loaded.unlabelledCount += 1
          return
        }
        loaded.dataset.examples.append(
          Example(recording, label: label, origin: "\(item.place)"))
      case .failure(let error): loaded.failures.append("\(error)")
      }
    }
    let input = try InputFile(path: path)
    let ink = try InkFile(input, labelAnnotation: reading.labelAnnotation)
    guard ink.format == .ndjson else { return try ink.forEach(add) }
    try TextLines(input).forEach { line, number in
      let place = Place(file: path, line: number)
      do {
        if let line, var example = try SeriesLine.example(in: line, place: "\(place)") {
          example.source = source ?? example.source ?? collection
          if example.labels.isEmpty, let className { example.label = className }
          if example.labels.isEmpty, !keepsUnlabelled {
            loaded.unlabelledCount += 1
          } else {
            if case .series(let series) = example.content {
              loaded.columns.add(series, label: example.label)
            }
            loaded.dataset.examples.append(example)
          }
          return true
        }
      } catch {
        loaded.failures.append("\(error)")
        return true
      }
      let bytes = line.flatMap { $0.count > NDJSON.longestLine ? nil : Data($0) }
      if let item = NDJSON.item(bytes, at: place) { add(item) }
      return true
    }
  }
}
