import Foundation
import Ink
import InkRaster
import InkSeries
import SafeFiles

/// The format of a data set on disk.
public enum DatasetForm: String, Sendable, CaseIterable {
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
    if self == .idx, count * size * size > IDX.mostBytes {
      throw FileError(
        path: path,
        expected:
          "at most \(IDX.mostBytes / size / size) pictures of \(size) × \(size) as IDX (npy "
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
  /// Whether pictures had dark ink and were inverted; `nil` without pictures.
  public var wasInverted: Bool?
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

  /// Creates what was read without any trouble.
  public init(dataset: Dataset, wasInverted: Bool? = nil) {
    (self.dataset, self.wasInverted) = (dataset, wasInverted)
  }

  /// The number of skipped files of each kind, with the first one: `2 pictures (a/b.png first)`.
  public var skippedDescriptions: [String] {
    let kinds = Dictionary(grouping: skipped, by: Dataset.FileKind.init(path:))
    return Dataset.FileKind.allCases.compactMap { kind in
      guard let files = kinds[kind], let first = files.first else { return nil }
      let noun =
        switch kind {
        case .ink: "ink file"
        case .series: "file of series"
        case .picture: "picture"
        case .other: "other file"
        }
      return "\(files.count.counted(noun)) (\(files.count == 1 ? first : "\(first) first"))"
    }
  }

  /// What was left out of recordings: `pen-up traces in 2 recordings (a.inkml first)`.
  public var ignoredDescriptions: [String] {
    ignored.sorted { $0.key < $1.key }.map { name, part in
      part.count == 1
        ? "\(name) in \(part.first)"
        : "\(name) in \(part.count) recordings (\(part.first) first)"
    }
  }

  /// Inverts all pictures if their ink is dark.
  mutating func settlePolarity(_ polarity: Polarity) {
    let bitmaps = dataset.examples.compactMap { example -> Bitmap? in
      if case .bitmap(let bitmap) = example.content { bitmap } else { nil }
    }
    guard !bitmaps.isEmpty else { return }
    let inverts = polarity.inverts(
      darkOnLight: bitmaps.count(where: \.isDarkOnLight), of: bitmaps.count)
    wasInverted = inverts
    guard inverts else { return }
    for index in dataset.examples.indices {
      if case .bitmap(let bitmap) = dataset.examples[index].content {
        dataset.examples[index].content = .bitmap(bitmap.inverted())
      }
    }
  }
}

extension Dataset {
  /// The kind of a file.
  enum FileKind: CaseIterable {
    case ink, series, picture, other

    /// A file is ink if both its name and its content are those of ink.
    init(path: String) {
      if path.lowercased().hasSuffix(".png") {
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
  /// `series` says how tables of series are read. Pictures in a folder with ink are skipped. Items that cannot be read are listed in the result.
  /// If the label map renames a label, the attribute `kind` keeps the old one, unless there is one
  /// already. Columns of recordings that only count are left out, as `series` says. With
  /// `asSingleStrokes`, the label map is applied to the labels of ``singleStrokes``.
  /// `ink` says where the labels of ink are.
  ///
  /// - Throws: `FileError` if there is no data set at `path`.
  public static func load(
    _ path: String, polarity: Polarity = .auto, labels: LabelMap = LabelMap(),
    source: String? = nil, asSingleStrokes: Bool = false, series: SeriesReading = SeriesReading(),
    ink: InkReading = InkReading()
  ) throws -> LoadedDataset {
    guard FileTree.exists(path) else {
      throw FileError(path: path, expected: "a data set", found: "nothing of that name")
    }
    var loaded = try read(
      path, polarity: polarity, source: source, series: series, ink: ink)
    loaded.columns.settle(&loaded, series)
    if asSingleStrokes { loaded.dataset = loaded.dataset.singleStrokes }
    loaded.labelsFound = Set(loaded.dataset.labels)
      .union(loaded.dataset.examples.flatMap(\.labels)).sorted()
    var examples: [Example] = []
    for var example in loaded.dataset.examples {
      if let source { example.source = source }
      guard example.spans.isEmpty else {
        example.spans = labels.apply(to: example.spans)
        if example.spans.isEmpty {
          loaded.droppedCount += 1
        } else {
          examples.append(example)
        }
        continue
      }
      guard let label = labels.apply(to: example.label) else {
        loaded.droppedCount += 1
        continue
      }
      if label != example.label, example.attributes["kind"] == nil {
        example.attributes["kind"] = .text(example.label)
      }
      example.label = label
      examples.append(example)
    }
    let names = loaded.dataset.labels.compactMap { labels.apply(to: $0) }
    loaded.dataset = Dataset(examples, labels: Set(names).sorted())
    // Whoever needs no labels gets the failures as they are.
    let isExplained = series.keepsUnlabelled && !loaded.failures.isEmpty
    guard !examples.isEmpty || !loaded.dataset.labels.isEmpty || isExplained else {
      let reason =
        loaded.failures.first
        ?? (loaded.unlabelledCount > 0
          ? "\(loaded.unlabelledCount.counted("recording")) without a label" : "none")
      throw FileError(
        path: path, expected: series.keepsUnlabelled ? "recordings" : "examples with labels",
        found: reason)
    }
    return loaded
  }

  private static func read(
    _ path: String, polarity: Polarity, source: String?, series: SeriesReading,
    ink: InkReading
  ) throws -> LoadedDataset {
    if FileTree.isFolder(path) {
      if let array = SeriesArray.path(in: path), let labels = SeriesArray.labelsPath(of: array) {
        var loaded = try SeriesArray.read(array, labels: labels, reading: series)
        let used = SeriesArray.files(of: array)
        loaded.skipped = FileTree.files(below: path).filter { !used.contains($0) }
        return loaded
      }
      for (images, labels) in [
        ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz"),
        ("images-idx3-ubyte", "labels-idx1-ubyte"), ("images.npy", "labels.npy"),
      ] where FileTree.exists("\(path)/\(images)") {
        var loaded = try pictures(
          FileTree.join(path, images), labels: FileTree.join(path, labels), polarity: polarity)
        let used = [images, labels, "classes.txt"].map { FileTree.join(path, $0) }
        loaded.skipped = FileTree.files(below: path).filter { !used.contains($0) }
        return loaded
      }
      if StripFolder.isOne(path) { return try StripFolder.read(path) }
      if ImageFolder.isOne(path),
        !FileTree.files(below: path).contains(where: { FileKind(path: $0) == .ink })
      {
        return try ImageFolder.read(path, polarity: polarity)
      }
      return try recordings(
        below: path, polarity: polarity, source: source, series: series, ink: ink)
    }
    let name = FileTree.name(of: path)
    let isNPY = NPY.isOne(path)
    if isNPY, let labels = SeriesArray.labelsPath(of: path) {
      return try SeriesArray.read(path, labels: labels, reading: series)
    }
    if isNPY || IDX.isOne(path) {
      let labels =
        isNPY
        ? name.replacing("images", with: "labels")
        : name.replacing("images-idx3", with: "labels-idx1")
      guard labels != name else {
        throw FileError(
          path: path,
          expected: isNPY
            ? "a name with `images` or `series`, so that the labels can be found"
            : "a name with `images`, so that the labels can be found",
          found: "`\(name)`")
      }
      return try pictures(
        path, labels: FileTree.join(FileTree.folder(of: path), labels), polarity: polarity)
    }
    return try recordings(
      below: path, polarity: polarity, source: source, series: series, ink: ink)
  }

  private static func pictures(
    _ imagesPath: String, labels labelsPath: String, polarity: Polarity
  ) throws -> LoadedDataset {
    if NPY.isOne(imagesPath) {
      return try storedPictures(imagesPath, labels: labelsPath, polarity: polarity)
    }
    let images = try IDX.Reader(imagesPath)
    try checkPictures(images.shape, path: imagesPath)
    let (height, width) = (images.shape[1], images.shape[2])
    // Reads one picture at a time, so that the file is never decompressed as a whole.
    var bitmaps: [Bitmap] = []
    for _ in 0..<images.shape[0] {
      bitmaps.append(Bitmap(width: width, height: height, pixels: try images.next(height * width)))
    }
    try images.finish()
    let labels = try classes(labelsPath, count: bitmaps.count)
    let source = FileTree.name(of: FileTree.folder(of: imagesPath))
    let examples = zip(bitmaps, labels.classes).enumerated().map { index, pair in
      Example(
        .bitmap(pair.0), label: pair.1, source: source,
        origin: "\(imagesPath), item \(index + 1)")
    }
    var loaded = LoadedDataset(dataset: Dataset(examples, labels: labels.names))
    loaded.settlePolarity(polarity)
    return loaded
  }

  /// Returns examples for the pictures of a NumPy array, which stay on disk.
  private static func storedPictures(
    _ imagesPath: String, labels labelsPath: String, polarity: Polarity
  ) throws -> LoadedDataset {
    let header = try NPY.header(of: imagesPath)
    try checkPictures(header.shape, path: imagesPath)
    let count = header.shape[0]
    let labels = try classes(labelsPath, count: count)
    guard count > 0 else { return LoadedDataset(dataset: Dataset([], labels: labels.names)) }
    let pictures = try StoredPictures(
      path: imagesPath, offset: header.offset, count: count, height: header.shape[1],
      width: header.shape[2])
    let darkCount =
      polarity == .auto ? (0..<count).count { pictures.bitmap($0).isDarkOnLight } : 0
    let inverts = polarity.inverts(darkOnLight: darkCount, of: count)
    let used = inverts ? pictures.inverted() : pictures
    let source = FileTree.name(of: FileTree.folder(of: imagesPath))
    let examples = labels.classes.enumerated().map {
      Example(used, index: $0, label: $1, source: source)
    }
    return LoadedDataset(dataset: Dataset(examples, labels: labels.names), wasInverted: inverts)
  }

  private static func checkPictures(_ shape: [Int], path: String) throws(FileError) {
    guard shape.count == 3, (1...4096).contains(shape[1]), (1...4096).contains(shape[2]) else {
      throw FileError(
        path: path, expected: "pictures, [count, height, width]", found: "\(shape)")
    }
  }

  /// Returns the label of each of `count` pictures, and all labels in `classes.txt`.
  private static func classes(
    _ path: String, count: Int
  ) throws(FileError) -> (classes: [String], names: [String]?) {
    let labels = try NPY.isOne(path) ? NPY.read(path) : IDX.read(path)
    guard labels.shape == [count] else {
      throw FileError(path: path, expected: count.counted("label"), found: "\(labels.shape)")
    }
    let names = ClassNames(for: path)
    let classes = try labels.values.enumerated().map { index, label throws(FileError) in
      try names.label(Int(label), of: path, item: index)
    }
    return (classes, names.names)
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
    let files = FileTree.files(below: path)
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
            file, source: source, collection: collection,
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
  private static func readInk(
    _ path: String, source: String?, collection: String?, keepsUnlabelled: Bool,
    reading: InkReading, into loaded: inout LoadedDataset
  ) throws {
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
        guard let label = recording.label ?? reading.label else {
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
      let bytes = line.flatMap { $0.count > LineReader.longestLine ? nil : Data($0) }
      if let item = NDJSON.item(LineReader.Line(place: place, bytes: bytes)) { add(item) }
      return true
    }
  }
}
