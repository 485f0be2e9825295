import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import InkTraining
import SafeFiles

/// Classifies drawings, pictures and recordings of sensors.
struct Classify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract:
      "Classify drawings or recordings: print the label and its probability, or why it is rejected.",
    discussion: """
      Reads ink files, PNGs and folders of them. Without a path it reads NDJSON from standard input \
      and answers line by line. Each drawing is classified as a whole, with all its strokes. The \
      exit status is 0 if every item was read, even if some were rejected; it is 2 if an item could \
      not be read.

      With a model for recordings of sensors, it reads CSV, .ts, NPY and NDJSON files and folders of \
      them. A model that was trained on windows answers for each window, with its start and end in \
      seconds after the first row; --events joins them to events. Without a path it reads rows of a \
      table with the names of the channels in the first row from standard input. It answers as soon as \
      a window or event is complete, and prints its delay first.

      Example: inkstate classify --show Examples/Ink/arrow.inkml Examples/Ink/ring.png
      """)

  @Argument(help: "Files and folders; - is standard input.")
  var paths: [String] = []

  @Option(help: "The model. (default: the released model)")
  var model: String?

  @OptionGroup var format: FormatOptions

  @Flag(help: "Print the network's input as characters.")
  var show = false

  @Option(
    help:
      "Whether the ink of PNGs is lighter (light) or darker (dark) than the background; auto detects it."
  )
  var polarity: Polarity = .auto

  @OptionGroup(title: "Options for recordings") var series: SeriesClassificationOptions

  func run() throws {
    let recognizer = try Recognizer.load(model)
    let failureCount =
      recognizer.model.recordings == nil
      ? try answerDrawings(recognizer) : try answerRecordings(recognizer)
    if failureCount > 0 { throw ExitCode(2) }
  }

  /// Classifies recordings; returns how many items could not be read.
  private func answerRecordings(_ recognizer: Recognizer) throws -> Int {
    if show { throw ValidationError("--show: the model classifies recordings, not drawings") }
    let recordings = try SeriesClassification(
      recognizer, options: series, isJSON: format.value == .json)
    return try (paths.isEmpty ? ["-"] : paths).reduce(0) { count, path in
      count
        + (path == "-" ? try recordings.answerStandardInput() : try recordings.answer(path: path))
    }
  }

  /// Classifies drawings and pictures; returns how many could not be read.
  private func answerDrawings(_ recognizer: Recognizer) throws -> Int {
    try series.checkUnused()
    var failureCount = 0
    for path in paths.isEmpty ? ["-"] : paths {
      if path == "-" {
        if isatty(STDIN_FILENO) == 1 {
          Terminal.say(
            "reading NDJSON from standard input, one drawing per line; press Ctrl-D to end")
        }
        try LineReader(.standardInput, name: "-").forEach { line in
          if let item = NDJSON.item(line) {
            let failure = answer(item, named: "-:\(line.place.line ?? 0)", recognizer)
            if let failure { Terminal.say("not read: \(failure)") }
            failureCount += failure == nil ? 0 : 1
          }
        }
      } else if FileTree.isFolder(path) {
        let files = FileTree.files(below: path)
        let readable = files.filter(isReadable)
        for file in readable { failureCount += try answer(file: file, recognizer) }
        if readable.isEmpty {
          let found =
            files.first.map { "\(files.count.counted("other file")) (\($0))" } ?? "an empty folder"
          Terminal.say("not read: \(path): expected ink or pictures, found \(found)")
          failureCount += 1
        }
      } else {
        failureCount += try answer(file: path, recognizer)
      }
    }
    return failureCount
  }

  /// Whether a file in a folder is ink or a PNG, by its content or its name.
  private func isReadable(_ path: String) -> Bool {
    let endings = [".png"] + InkFile.Format.allCases.map { ".\($0.ending)" }
    if endings.contains(where: path.lowercased().hasSuffix) { return true }
    return (try? InkFile(path: path)) != nil || PNG.isPNG(start(of: path))
  }

  private func start(of path: String) -> Data {
    let handle = FileHandle(forReadingAtPath: path)
    defer { try? handle?.close() }
    return (try? handle?.read(upToCount: 8)) ?? Data()
  }

  /// Classifies every item of a file; returns how many could not be read.
  private func answer(file path: String, _ recognizer: Recognizer) throws -> Int {
    do {
      // A pipe can be opened only once.
      let input = try InputFile(path: path)
      if PNG.isPNG(try input.start(8)) || path.lowercased().hasSuffix(".png") {
        guard let data = try input.rest(atMost: PNG.longestFile) else {
          throw InkError(
            at: Place(file: path), expected: "at most \(PNG.longestFile >> 20) MiB", found: "more")
        }
        var bitmap = try PNG.decode(data, path: path)
        let isInverted = polarity == .dark || (polarity == .auto && bitmap.isDarkOnLight)
        if isInverted { bitmap = bitmap.inverted() }
        if isInverted, polarity == .auto, format.value == .text {
          Terminal.say("\(path): dark ink on a light background, inverted")
        }
        let seen = show ? (recognizer.model.rasterizer ?? .standard).fit(bitmap) : nil
        write(try recognizer.recognize(bitmap), named: path, isInverted: isInverted, seen: seen)
        return 0
      }
      let file = try InkFile(input)
      var failureCount = 0
      var index = 0
      // A file in which nothing can be read gets one line.
      var isAnswered = false
      var failures: [String] = []
      try file.forEach { item in
        index += 1
        // Several InkML recordings may share a line, so they are numbered.
        let name =
          switch file.format {
          case .gestureXML: path
          case .inkML: "\(path):\(index)"
          case .ndjson: "\(path):\(item.place.line ?? 0)"
          }
        if let failure = answer(item, named: name, recognizer) {
          failureCount += 1
          failures.append(failure)
        } else {
          isAnswered = true
        }
        guard isAnswered else { return }
        for failure in failures { Terminal.say("not read: \(failure)") }
        failures = []
      }
      guard index > 0 else {
        throw InkError(at: Place(file: path), expected: "drawings", found: "none")
      }
      if let first = failures.first {
        let more = failures.count > 1 ? "; \(failures.count - 1) more could not be read" : ""
        Terminal.say("not read: \(first)\(more)")
      }
      return failureCount
    } catch let error where error is InkError || error is PNGError {
      Terminal.say("not read: \(error)")
      return 1
    } catch let error as PreparationError {
      Terminal.say("not read: \(path): \(error)")
      return 1
    }
  }

  /// Classifies one recording; returns why it could not be read, or `nil`.
  private func answer(
    _ item: InkFile.Item, named name: String, _ recognizer: Recognizer
  ) -> String? {
    do {
      let drawing = try item.result.get().drawing
      let seen = show ? try (recognizer.model.rasterizer ?? .standard).render(drawing) : nil
      write(try recognizer.recognize(drawing), named: name, seen: seen)
      return nil
    } catch let error as InkError {
      return "\(error)"
    } catch {
      return "\(item.place): \(error)"
    }
  }

  /// Prints an answer and the network's input.
  private func write(
    _ answer: Recognition, named name: String, isInverted: Bool? = nil, seen: Bitmap?
  ) {
    Self.write(answer, named: name, isInverted: isInverted, isJSON: format.value == .json)
    if let seen, format.value == .text { print(seen.characters) }
    // A program that sends one line at a time waits for each answer.
    fflush(nil)
  }

  /// Prints an answer; `isInverted` is whether the ink of a picture was dark.
  static func write(
    _ answer: Recognition, named name: String, isInverted: Bool? = nil, isJSON: Bool
  ) {
    guard isJSON else { return Terminal.show("\(name): \(answer.text)") }
    // Strings and finite numbers can always be encoded as JSON.
    try! Terminal.show(
      json: JSONLine(
        source: name, label: answer.top.label, probability: answer.top.probability,
        rejected: .some(answer.rejection?.rawValue), inverted: isInverted,
        ranked: answer.ranked.map { JSONPair(label: $0.label, probability: $0.probability) }),
      indented: false)
  }
}
