import Foundation
import Ink
import InkImageIO
import InkRecognizer
import InkTracing
import SafeFiles

/// Drawings and pictures in files, folders and standard input, each of which gets an answer.
struct DrawingInputs {
  /// Answers a recording; the name says where it is.
  let drawing: (_ recording: Recording, _ name: String) throws -> Void
  /// Answers the contents of a picture's file.
  let picture: (_ data: Data, _ path: String) throws -> Void
  /// Whether the drawings of a file get their unit, if they are too small to be in canvas points.
  var judgesUnits = false

  /// The number of drawings at the start of a file that show its unit.
  private static let maximumJudged = 1000

  /// Answers everything in `paths`, or in standard input if there are none; returns how many items could
  /// not be read, and prints why.
  func answer(_ paths: [String]) throws -> Int {
    var failureCount = 0
    for path in paths.isEmpty ? ["-"] : paths {
      if path == "-" {
        failureCount += try answerStandardInput()
      } else if FileTree.isFolder(path) {
        let (readable, refusedCount) = try files(in: path)
        for file in readable { failureCount += try answer(file: file) }
        failureCount += readable.isEmpty ? 1 : refusedCount
      } else {
        failureCount += try answer(file: path)
      }
    }
    return failureCount
  }

  /// Returns the files of ink and the pictures in a folder, and how many links lead elsewhere; names those, and
  /// says what is skipped, and whether there is nothing else.
  func files(in folder: String) throws -> (readable: [String], refusedCount: Int) {
    let listing = try FileTree.listing(below: folder)
    let (files, refusals) = (listing.files, listing.refusals)
    for refusal in refusals { Terminal.say("not read: \(refusal)") }
    let readable = files.filter(isReadable)
    let isRead = Set(readable)
    let others = files.filter { !isRead.contains($0) }
    let formats = others.map { Photograph.otherFormat(of: start(of: $0)) }
    // Those of a format with advice have a line of their own.
    let counted = zip(others, formats).filter { $1 == nil }.map(\.0)
    let found = counted.first.map {
      "\(counted.count.counted("other file")) (\($0)\(counted.count > 1 ? " first" : ""))"
    }
    if readable.isEmpty {
      let nothing = others.isEmpty ? "an empty folder" : "none that can be read"
      Terminal.say("not read: \(folder): expected ink or pictures, found \(found ?? nothing)")
    } else if let found {
      Terminal.say("skipped: \(found)")
    }
    for case (let file, let format?) in zip(others, formats) {
      Terminal.say("skipped: \(file): \(format); save it as a PNG or a JPEG")
    }
    return (readable, refusals.count)
  }

  private func answerStandardInput() throws -> Int {
    if isatty(STDIN_FILENO) == 1 {
      Terminal.say("reading NDJSON from standard input, one drawing per line; press Ctrl-D to end")
    }
    var (count, failureCount) = (0, 0)
    let input = InputFile(.standardInput, name: "-")
    // The first bytes of PNG and JPEG.
    if let first = try input.start(1).first, [0x89, 0xFF].contains(first) {
      throw InkError(
        at: Place(file: "-"), expected: "NDJSON on standard input",
        found: "a picture; give the name of its file instead")
    }
    try NDJSON.forEachItem(of: input) { item in
      count += 1
      if let failure = answer(item, named: "-:\(item.place.line ?? 0)") {
        Terminal.say("not read: \(failure)")
        failureCount += 1
      }
    }
    guard count > 0 else {
      Terminal.say(
        "not read: -: expected a file, or drawings as NDJSON on standard input, found none")
      return 1
    }
    return failureCount
  }

  /// Whether a file in a folder is ink or a picture, by its content or its name.
  private func isReadable(_ path: String) -> Bool {
    if Photograph.isName(path) || InkFile.Format.isNamed(path) { return true }
    return (try? InkFile(path: path)) != nil || Photograph.isPhotograph(start(of: path))
  }

  private func start(of path: String) -> Data {
    let handle = FileHandle(forReadingAtPath: path)
    defer { try? handle?.close() }
    return (try? handle?.read(upToCount: 12)) ?? Data()
  }

  /// Answers every item of a file; returns how many could not be read.
  private func answer(file path: String) throws -> Int {
    do {
      // A pipe can be opened only once.
      let input = try InputFile(path: path)
      let start = try input.start(12)
      if let other = Photograph.otherFormat(of: start) {
        throw InkError(
          at: Place(file: path), expected: "ink, a PNG or a JPEG",
          found: "\(other); save it as a PNG or a JPEG")
      }
      if Photograph.isPhotograph(start) || Photograph.isName(path) {
        guard let data = try input.rest(atMost: PNG.longestFile) else {
          throw InkError(
            at: Place(file: path), expected: "at most \(PNG.longestFile >> 20) MiB", found: "more")
        }
        try picture(data, path)
        return 0
      }
      let file = try InkFile(input)
      var failureCount = 0
      var index = 0
      // A file in which nothing can be read gets one line.
      var isAnswered = false
      var failures: [String] = []
      func take(_ item: InkFile.Item) {
        index += 1
        // Several InkML recordings may share a line, so they are numbered.
        let name =
          switch file.format {
          case .ndjson: "\(path):\(item.place.line ?? 0)"
          case let format where format.hasSeveralDrawings: "\(path):\(index)"
          default: path
          }
        for part in item.ignored { Terminal.say("ignored: \(part) in \(name)") }
        if let failure = answer(item, named: name) {
          failureCount += 1
          failures.append(failure)
        } else {
          isAnswered = true
        }
        guard isAnswered else { return }
        for failure in failures { Terminal.say("not read: \(failure)") }
        failures = []
      }
      // A pipe is answered as it comes.
      var first: [InkFile.Item]? = judgesUnits && FileTree.isRegular(path) ? [] : nil
      var pointsPerUnit: Double?
      func answerFirst() {
        let waiting = first ?? []
        first = nil
        pointsPerUnit = CanvasUnit.pointsPerUnit(
          of: waiting.compactMap { try? $0.result.get() }
            .filter { $0.pointsPerUnit == nil }.map(\.drawing))
        if let pointsPerUnit { Terminal.sayUnit(pointsPerUnit, path: path) }
        for item in waiting { take(item.measured(in: pointsPerUnit)) }
      }
      try file.forEach { item in
        guard first != nil else { return take(item.measured(in: pointsPerUnit)) }
        first!.append(item)
        if first!.count == Self.maximumJudged { answerFirst() }
      }
      if first != nil { answerFirst() }
      guard index > 0 else {
        throw InkError(at: Place(file: path), expected: "drawings", found: "none")
      }
      if let first = failures.first {
        let more = failures.count > 1 ? "; \(failures.count - 1) more could not be read" : ""
        Terminal.say("not read: \(first)\(more)")
      }
      return failureCount
    } catch let error where error is InkError || error is PictureError {
      Terminal.say("not read: \(error)")
      return 1
    } catch let error as TracingError {
      Terminal.say("not read: \(path): \(error)")
      return 1
    } catch let error as PreparationError {
      Terminal.say("not read: \(path): \(error)")
      return 1
    }
  }

  /// Answers one recording; returns why it could not be read, or `nil`.
  private func answer(_ item: InkFile.Item, named name: String) -> String? {
    do {
      try drawing(item.result.get(), name)
      return nil
    } catch let error as InkError {
      return "\(error)"
    } catch {
      return "\(item.place): \(error)"
    }
  }
}

extension InkFile.Item {
  /// Returns the item with this unit of its drawing, unless it has its own.
  fileprivate func measured(in pointsPerUnit: Double?) -> InkFile.Item {
    guard let pointsPerUnit, case .success(var recording) = result,
      recording.pointsPerUnit == nil
    else { return self }
    recording.pointsPerUnit = pointsPerUnit
    var item = self
    item.result = .success(recording)
    return item
  }
}
