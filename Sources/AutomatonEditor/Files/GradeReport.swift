import Automata
import ErrorText
import Foundation
import XMLTree

/// The grades of all submissions of a task, as a table, CSV or a page with a sheet for each of them.
public struct GradeReport: Sendable {
  /// A submission with its result.
  public struct Entry: Sendable {
    /// The submission's name, for example that of its file.
    public var name: String
    /// The drawing, if the submission could be read.
    public var document: Document?
    /// The grade, or why there is none, in one line.
    public var result: Result<Grading.Grade, Problem>
    /// What a person should know about how the submission was read, for example in a photograph.
    public var doubts: [String]

    /// Creates an entry.
    public init(
      name: String, document: Document?, result: Result<Grading.Grade, Problem>,
      doubts: [String] = []
    ) {
      self.name = name
      self.document = document
      self.result = result
      self.doubts = doubts
    }

    /// The grade, if there is one.
    public var grade: Grading.Grade? { try? result.get() }

    /// The answer in words: right, wrong or not graded.
    public var answer: String { grade.map { $0.isRight ? "right" : "wrong" } ?? "not graded" }
  }

  /// Why a submission has no grade, in one line.
  public struct Problem: DescribedError, Hashable, Sendable {
    /// The line.
    public var message: String

    /// The line.
    public var description: String { message }

    /// Creates a problem.
    public init(_ message: String) { self.message = message }
  }

  /// The name of the solution.
  public var solution: String
  /// How submissions were graded.
  public var grading: Grading
  /// The submissions in their order.
  public var entries: [Entry]

  /// Creates a report.
  public init(solution: String, grading: Grading, entries: [Entry]) {
    self.solution = solution
    self.grading = grading
    self.entries = entries
  }

  /// The number of submissions that are right.
  public var rightCount: Int { entries.count { $0.grade?.isRight ?? false } }

  /// The number of submissions that have a grade.
  public var gradedCount: Int { entries.count { $0.grade != nil } }

  /// The mean of the shares of those that have a grade, from 0 to 1; `nil` if none has.
  public var meanShare: Double? {
    let shares = entries.compactMap { $0.grade?.share }
    return shares.isEmpty ? nil : shares.reduce(0, +) / Double(shares.count)
  }

  /// How many of those with a grade are right, their average, and how many have none, for people.
  public var summary: String {
    let ungraded = entries.count - gradedCount
    return "\(rightCount) of \(gradedCount) right"
      + (meanShare.map { "; on average \(Self.percent($0)) of \(countedWords)" } ?? "")
      + (ungraded > 0 ? "; \(ungraded) not graded" : "")
  }

  /// Returns what is wrong with a submission, in one line each, and what is doubtful about it.
  public func remarks(_ entry: Entry) -> [String] {
    let grade: Grading.Grade
    switch entry.result {
    case .success(let value): grade = value
    case .failure(let problem): return [problem.message] + entry.doubts
    }
    var remarks: [String] = []
    if let word = grade.difference {
      let shown = word.isEmpty ? "the empty word" : "`\(grading.solution.text(of: word))`"
      remarks.append(
        grade.acceptsDifference
          ? "accepts \(shown), which should be rejected"
          : "rejects \(shown), which should be accepted")
    }
    for test in grade.failedTests.prefix(10) {
      remarks.append(
        "\(test.isAccepted ? "rejects" : "accepts") \(test.word.isEmpty ? "the empty word" : "`\(test.word)`")"
      )
    }
    if grade.failedTests.count > 10 {
      remarks.append("answers \(grade.failedTests.count - 10) more words wrongly")
    }
    return remarks + grade.objections + entry.doubts
  }

  /// The table as CSV with a header (RFC 4180): the submission, whether it is right, its share of words,
  /// the number of its states, and the remarks.
  public var csv: String {
    var lines = ["submission,right,share,states,remarks"]
    for entry in entries {
      let grade = entry.grade
      lines.append(
        [
          Self.quoted(entry.name), grade.map { $0.isRight ? "yes" : "no" } ?? "not graded",
          grade.map { Self.decimals($0.share) } ?? "",
          entry.document.map { "\($0.states.count)" } ?? "",
          Self.quoted(remarks(entry).joined(separator: "; ")),
        ].joined(separator: ","))
    }
    return lines.joined(separator: "\r\n") + "\r\n"
  }

  /// A page that contains the table, and a sheet for each submission with its drawing and remarks; each
  /// is printed on a page of its own.
  public var html: String {
    var rows = ""
    var sheets = ""
    for (index, entry) in entries.enumerated() {
      let grade = entry.grade
      let remarks = remarks(entry)
      let answer = entry.answer
      let share = grade.map { Self.percent($0.share) } ?? "–"
      let name = Self.escaped(entry.name)
      rows += """
        <tr class="\(answer.prefix(3))"><td><a href="#s\(index)">\(name)</a><td>\(answer)<td>\(share)\
        <td>\(Self.escaped(remarks.first ?? ""))</tr>

        """
      sheets += """
        <section id="s\(index)"><h2>\(name)</h2>
        <p class="\(answer.prefix(3))">\(answer)\(grade == nil ? "" : ", \(share) of the words")</p>
        <ul>\(remarks.map { "<li>\(Self.escaped($0))" }.joined())</ul>
        <figure>\(entry.document?.svg ?? "")</figure></section>

        """
    }
    return """
      <!doctype html><html lang="en"><meta charset="utf-8">
      <meta name="viewport" content="width=device-width"><title>Grades</title>
      <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
      table { border-collapse: collapse; width: 100% }
      td, th { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ccc }
      .rig > td:nth-child(2), p.rig { color: #136f2d }
      .wro > td:nth-child(2), p.wro, .not > td:nth-child(2), p.not { color: #a3151c }
      section { margin-top: 3rem; break-before: page }
      figure { margin: 0 } svg { max-width: 100%; height: auto; max-height: 32rem }
      </style>
      <h1>Grades</h1>
      <p>Solution: \(Self.escaped(solution)). \(Self.escaped(summary)).</p>
      <table><tr><th>Submission<th>Answer<th>Words<th>Remark</tr>
      \(rows)</table>
      \(sheets)</html>

      """
  }

  /// The words that count towards the share, for people: all up to a length, or the number of them.
  public var countedWords: String {
    grading.tests.isEmpty
      ? "all words of at most \(grading.longestWord) symbols of the solution"
      : "\(grading.tests.count) words"
  }

  /// Returns a share in percent, rounded down, so that 100 % means all that count.
  public static func percent(_ share: Double) -> String {
    "\((share * 1000).rounded(.down) / 10) %"
  }

  private static func decimals(_ share: Double) -> String {
    "\((share * 10_000).rounded(.down) / 10_000)"
  }

  private static func quoted(_ text: String) -> String {
    let shown = printable(text)
    // A spreadsheet would calculate what begins so.
    let isFormula = shown.first.map { "=+-@".contains($0) } ?? false
    let text = isFormula ? "'" + shown : shown
    guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
    return "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
  }

  /// Returns the text with control and bidirectional characters, which names of files can contain, as
  /// JSON escapes.
  private static func printable(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069:
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: return String(scalar)
      }
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    printable(text).escapedForMarkup
  }
}
