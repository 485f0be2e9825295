import ArgumentParser
import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDiagram
import ParallelLoops
import SafeFiles

/// Grades submissions against a solution.
struct AutomatonGrade: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grade",
    abstract: "Grade automata that should accept the same words as a solution.",
    discussion: """
      A submission is right if it accepts the same words as the solution and meets the conditions. \
      Otherwise the shortest word with a wrong answer is shown, and the share of words with the right \
      answer: of those in --words, or else of all words up to a length over the solution's alphabet. A \
      submission that cannot be read is listed with the reason.

      Folders are searched for automaton files, drawings (NDJSON with one drawing per line, InkML, \
      Excalidraw; other formats of ink as single files) and photographs (PNG or JPEG); every other file is \
      named on stderr. Drawings and photographs are recognised as with `inkstate automaton \
      recognize`, and the symbols of the solution are expected in them. Check the drawings \
      that are listed with uncertain readings. Links that lead out of a folder or to the solution are not \
      graded, nor are files above 64 MiB, and folders have at most 10,000 files and 16 GiB.

      Example:

        inkstate automaton grade Examples/Automata/mod3.automaton Examples/Drawings
      """)

  @Argument(help: "The automaton that accepts the right words.")
  var solution: String

  @Argument(help: "The submissions: files, or folders of them.")
  var submissions: [String]

  @Option(
    help: "A file of words with the expected answers; see inkstate help automaton run.")
  var words: String?

  @Option(
    help: "Without --words: the length of the longest words that count, in symbols of the solution."
  )
  var length = 8

  @Flag(help: "Submissions have to be deterministic.")
  var deterministic = false

  @Option(help: "The maximum number of states of a submission.")
  var states: Int?

  @Option(help: "Write the table to this CSV file.")
  var csv: String?

  @Option(help: "Write a page with a sheet for each submission to this HTML file.")
  var html: String?

  @Option(help: "The submissions that are left after so many minutes are not graded.")
  var minutes = 60

  @Flag(help: "Overwrite the outputs if they exist.")
  var force = false

  @OptionGroup var alphabet: AlphabetOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var format: FormatOptions

  private struct Report: Encodable {
    var submission: String
    var isRight: Bool
    var share: Double?
    var word: [String]?
    var acceptedBySubmission: Bool?
    var remarks: [String]
  }

  func validate() throws {
    try check("--length", length, in: 0...100)
    if let states { try check("--states", states, in: 1...1_000_000) }
    try check("--minutes", minutes, in: 0...100_000)
  }

  func run() throws {
    for output in [csv, html].compactMap({ $0 }) {
      try FileTree.refuseExisting(output, force: force)
      for input in submissions + [solution] { try FileTree.refuseReplacing(input, by: output) }
    }
    let source = try AutomatonSource.read(solution, form: nil)
    source.warn(about: solution)
    if let missing = source.missingForGrading {
      throw AutomatonError(at: solution, expected: "a solution with \(missing)", found: "none")
    }
    let answer = try source.addingToAlphabet(alphabet.symbols()).finite(for: "grade")
    let grading = Grading(
      solution: answer, tests: try words.map(WordTest.read(path:)) ?? [],
      conditions: (deterministic ? [.deterministic] : [])
        + (states.map { [.maximumStates($0)] } ?? []),
      longestWord: length, limit: limit.value)
    for test in grading.wrongTests {
      Terminal.say(
        "warning: the solution itself answers `\(test.word)` otherwise than \(words!) says")
    }
    let entries = try grade(submissions.flatMap(found(in:)), grading)
    let report = GradeReport(solution: solution, grading: grading, entries: entries)
    if let csv { try FileTree.write(Data(report.csv.utf8), to: csv) }
    if let html { try FileTree.write(Data(report.html.utf8), to: html) }
    try show(report)
  }

  /// Returns the submissions in a file or folder, and names the files of the folder that are left out.
  private func found(in path: String) throws -> [Submission] {
    guard FileTree.isFolder(path) else {
      guard FileTree.exists(path) else {
        throw FileError(
          path: path, expected: "a submission, or a folder of them",
          found: "nothing of that name")
      }
      return submissions(inFile: path)
    }
    func leaveOut(_ file: String, _ reason: String) {
      Terminal.say("warning: \(file) is left out: \(reason)")
    }
    var files: [String] = []
    let given = Set([words, csv, html].compactMap { $0 }.map(FileTree.realPath))
    let limits = FileTree.ListingLimits(count: Self.maximumFiles, time: .seconds(60))
    let listing = try FileTree.listing(below: path, limits: limits)
    for file in listing.files where !given.contains(FileTree.realPath(file)) {
      let name = (file as NSString).lastPathComponent.lowercased()
      if name.hasPrefix("readme") {
        leaveOut(file, "its name says that it is about the folder")
      } else if Submission.endings.contains(where: { name.hasSuffix(".\($0)") }) {
        files.append(file)
      } else {
        leaveOut(file, "its name is not that of an automaton or drawing")
      }
    }
    var unreadable: [Submission] = []
    for item in listing.leftOut {
      switch item.reason {
      case .leadsOutside:
        unreadable.append(
          Submission(
            name: item.path,
            reason: "it is a link that leads out of the folder; ask for the file itself"))
      case .isNotUTF8:
        unreadable.append(
          Submission(name: item.path, reason: "its name is not UTF-8; rename it to have it graded"))
      case .isClosed:
        unreadable.append(Submission(name: item.path, reason: "the folder cannot be opened"))
      case .isHidden: leaveOut(item.path, "its name begins with a dot")
      case .isNoFile: leaveOut(item.path, "it is no file")
      }
    }
    guard !files.isEmpty || !unreadable.isEmpty else {
      throw FileError(
        path: path,
        expected: "files that end in \(Submission.endings.map { ".\($0)" }.alternatives)",
        found: "none")
    }
    let size = files.reduce(0) { $0 + Self.size(of: $1) }
    guard size <= Self.maximumBytes else {
      throw FileError(
        path: path, expected: "submissions of at most \(Self.maximumBytes >> 30) GiB together",
        found: "\(size >> 30) GiB")
    }
    return files.flatMap(submissions(inFile:)) + unreadable
  }

  /// The maximum number of files in a folder, and of bytes in all of them and in one.
  private static let (maximumFiles, maximumBytes, maximumBytesOfOne) = (10_000, 16 << 30, 64 << 20)

  /// Returns the submissions in a file, unless it is too large or a link to the solution.
  private func submissions(inFile path: String) -> [Submission] {
    if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil,
      FileTree.realPath(path) == FileTree.realPath(solution)
    {
      return [Submission(name: path, reason: "it is a link to the solution")]
    }
    let size = Self.size(of: path)
    guard size <= Self.maximumBytesOfOne else {
      return [
        Submission(
          name: path,
          reason:
            "expected at most \(Self.maximumBytesOfOne >> 20) MiB, found \(size >> 20) MiB")
      ]
    }
    return Submission.all(inFile: path)
  }

  private static func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: FileTree.realPath(path))
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Grades all submissions, several at the same time.
  private func grade(
    _ submissions: [Submission], _ grading: Grading
  ) throws -> [GradeReport.Entry] {
    let recognizer =
      submissions.contains(where: \.isDrawn) ? try DiagramRecognizer.released() : nil
    // Each may hold a large photograph.
    let loop = ParallelLoop(
      workers: min(Self.maximumAtOnce, ProcessInfo.processInfo.activeProcessorCount))
    let progress = WorkProgress(count: submissions.count, unit: "submissions")
    let end = ContinuousClock.now + .seconds(60 * minutes)
    let reason = "not graded: the time is over; repeat with a larger --minutes"
    var entries: [GradeReport.Entry] = []
    for start in stride(from: 0, to: submissions.count, by: Self.block) {
      let block = submissions[start..<min(submissions.count, start + Self.block)]
      entries += loop.map(block.count) { index, _ in
        let submission = block[start + index]
        guard ContinuousClock.now < end else {
          return .init(
            name: submission.name, document: nil, result: .failure(.init(reason)), doubts: [])
        }
        return Self.grade(submission, grading, recognizer)
      }
      progress.reach(entries.count)
    }
    progress.end()
    return entries
  }

  /// The number of submissions that are graded before progress is shown, and at the same time at most.
  private static let (block, maximumAtOnce) = (16, 8)

  private static func grade(
    _ submission: Submission, _ grading: Grading, _ recognizer: DiagramRecognizer?
  ) -> GradeReport.Entry {
    let name = submission.name
    do {
      let reading = try submission.read(
        with: recognizer, alphabet: grading.solution.alphabet)
      let document = reading.source.drawing(id: name)
      let result: Result<Grading.Grade, GradeReport.Problem>
      do {
        result = .success(try grading.grade(reading.source.finite(for: "grade")))
      } catch {
        result = .failure(.init("not graded: \(error)"))
      }
      return .init(
        name: name, document: document, result: result,
        doubts: reading.source.warnings + reading.doubts)
    } catch {
      return .init(name: name, document: nil, result: .failure(.init("not read: \(error)")))
    }
  }

  private func show(_ report: GradeReport) throws {
    switch format.value {
    case .text:
      for entry in report.entries {
        let share = entry.grade.map { GradeReport.percent($0.share) } ?? "–"
        let remarks = report.remarks(entry).joined(separator: "; ")
        print("\(entry.name.printable())\t\(entry.answer)\t\(share)\t\(remarks.printable())")
      }
      Terminal.show(report.summary)
    case .json:
      let answers = report.entries.map { entry in
        let grade = entry.grade
        return Report(
          submission: entry.name, isRight: grade?.isRight ?? false, share: grade?.share,
          word: grade?.difference,
          acceptedBySubmission: grade?.difference.map { _ in
            grade!.acceptsDifference
          }, remarks: report.remarks(entry))
      }
      try Terminal.show(json: answers)
    }
  }
}

extension AutomatonSource {
  /// What an automaton lacks whose words are the right ones, or `nil`.
  fileprivate var missingForGrading: String? {
    if drawn.automaton.states.isEmpty { return "states" }
    return drawn.automaton.initialStates.isEmpty ? "an initial state" : nil
  }
}
