import ArgumentParser
import Foundation
import InkDatasets
import InkEvaluation
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import SafeFiles

/// Options of `inkstate classify` for models that answer for each cell of a picture.
struct PageClassificationOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: """
      A folder for what is seen, with a file for each picture: classes (PNG with the index of the class of \
      each cell), probabilities (NPY, [classes, rows, columns]), fields if the model has some (NPY, [fields, \
      rows, columns]) and overlays (PNG of the picture, as large as the model looked at it, with the classes \
      as colours).
      """)
  var output: String?

  @Flag(help: "Overwrite the folder if it has nothing but such answers.")
  var force = false

  @Option(
    help: ArgumentHelp(
      """
      Look at each picture with its longer side of so many pixels. (default: larger pictures as the model \
      says, others as they are)
      """, valueName: "pixels"))
  var side: Int?

  @Option(help: "The number of CPU cores to use. (default: all)")
  var threads: Int?

  /// Throws if an option is given that needs a model of pages.
  func checkUnused() throws {
    let given: [(String, Bool)] = [
      ("--output", output != nil), ("--force", force), ("--side", side != nil),
      ("--threads", threads != nil),
    ]
    if let (name, _) = given.first(where: \.1) {
      throw ValidationError("\(name) needs a model that answers for each cell of a picture")
    }
  }
}

/// Classifies the cells of pictures, prints the shares of the classes and writes maps.
struct PageClassification {
  private let recognizer: PageRecognizer
  private let options: PageClassificationOptions
  private let classes: [SegmentationClass]
  private let isJSON: Bool
  private let workers: Int

  init(_ model: Model, path: String, options: PageClassificationOptions, isJSON: Bool) throws {
    recognizer = try PageRecognizer(model: model, name: path)
    classes = SegmentationClass.classes(of: model)
    (self.options, self.isJSON) = (options, isJSON)
    workers = try workerCount(options.threads)
    if let side = options.side { try check("--side", side, in: PagePreparation.longerSides) }
  }

  /// Classifies the pictures in `paths`; returns how many items could not be read.
  func answer(_ paths: [String]) throws -> Int {
    guard let output = options.output else { return try answer(paths, folder: nil) }
    for path in paths where path != "-" { try FileTree.refuseReplacing(path, by: output) }
    let contents = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0.rawValue, $0.ending) })
    try FileTree.refuseExisting(
      output, force: options.force, unlessFolderOf: contents, named: "answers for cells")
    var failureCount = 0
    do {
      try FileTree.replace(output) { temporary in
        failureCount = try answer(paths, folder: temporary)
        guard FileTree.exists(temporary) else {
          throw FileError(path: output, expected: "a picture that can be read", found: "none")
        }
      }
    } catch {
      // Each picture that could not be read is named already.
      guard failureCount > 0 else { throw error }
      Terminal.say("\(output): nothing is written")
    }
    return failureCount
  }

  /// What is written of each picture: a file in the folder of this name.
  private enum Kind: String, CaseIterable {
    case classes, probabilities, fields, overlays

    var ending: String {
      switch self {
      case .classes, .overlays: ".png"
      case .probabilities, .fields: ".npy"
      }
    }
  }

  private func answer(_ paths: [String], folder: String?) throws -> Int {
    // The masks of a data set are no pictures.
    let paths = paths.map { SegmentationDataset.isOne($0) ? FileTree.join($0, "pictures") : $0 }
    var names: Set<String> = []
    return try DrawingInputs(
      drawing: { _, _ in
        throw PreparationError.unsuitable(
          expected: "a picture, which the model reads", found: "a drawing")
      },
      picture: { data, path in
        let recognition = recognizer.recognize(
          try recognizer.readPicture(data, path: path, longerSide: options.side),
          longerSide: options.side, workers: workers)
        let name = Self.name(for: path, notIn: &names)
        if let folder { try write(recognition, named: name, to: folder) }
        show(recognition, of: path, name: folder == nil ? nil : name)
      }
    ).answer(paths)
  }

  /// The name of a picture without its ending, with a number where it is not the first of that name.
  private static func name(for path: String, notIn names: inout Set<String>) -> String {
    let file = path == "-" ? "picture" : FileTree.name(of: path)
    let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    var (name, count) = (stem, 1)
    while !names.insert(name).inserted {
      count += 1
      name = "\(stem)-\(count)"
    }
    return name
  }

  private func write(_ recognition: PageRecognition, named name: String, to folder: String) throws {
    let cells = recognition.cells
    let mask = SegmentationMask(cells)
    func write(_ data: Data, _ kind: Kind) throws {
      let place = FileTree.join(folder, kind.rawValue)
      try FileManager.default.createDirectory(
        atPath: place, withIntermediateDirectories: true)
      try data.write(to: URL(fileURLWithPath: FileTree.join(place, name + kind.ending)))
    }
    try write(
      PNG.encode(Bitmap(width: mask.width, height: mask.height, pixels: mask.classes)), .classes)
    try write(
      NPY.encode(
        cells.probabilities, shape: [cells.classCount, cells.rows, cells.columns]), .probabilities)
    if cells.fieldCount > 0 {
      try write(
        NPY.encode(cells.fields, shape: [cells.fieldCount, cells.rows, cells.columns]), .fields)
    }
    try write(
      PNG.encode(ClassOverlay(classes).picture(of: mask, over: recognition.picture)), .overlays)
  }

  /// An answer as JSON.
  private struct JSONLine: Encodable {
    let source: String
    let name: String?
    let width: Int
    let height: Int
    let cell: Int
    let rows: Int
    let columns: Int
    let shares: [JSONShare]
  }

  private struct JSONShare: Encodable {
    let label: String
    let share: Double
  }

  private func show(_ recognition: PageRecognition, of path: String, name: String?) {
    let picture = recognition.picture
    let shares = zip(recognizer.model.labels, recognition.cells.shares)
    if isJSON {
      // Strings and finite numbers can always be encoded as JSON.
      try! Terminal.show(
        json: JSONLine(
          source: path, name: name, width: picture.width, height: picture.height,
          cell: recognizer.cellSize, rows: recognition.cells.rows,
          columns: recognition.cells.columns,
          shares: shares.map { JSONShare(label: $0, share: $1) }), indented: false)
    } else {
      Terminal.show(
        "\(path): \(picture.width) × \(picture.height), "
          + shares.map { "\($0) \($1.percent)" }.joined(separator: ", "))
    }
    // A program that reads each line waits for it.
    fflush(nil)
  }
}
