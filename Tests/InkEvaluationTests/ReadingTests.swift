import Foundation
import Ink
import InkDatasets
import InkRaster
import InkRecognizer
import SafeFiles
import Testing
import TestSupport

@testable import InkEvaluation
@testable import InkReader

/// The evaluation and calibration of readers.
@Suite(.timeLimit(.minutes(30))) struct ReadingTests {
  private static func reading(
    _ text: String, _ probability: Double = 0.9, evidence: Double = -0.1, noWriting: Double = 0,
    rejection: Reading.Rejection? = nil
  ) -> Reading {
    Reading(
      candidates: [.init(text: text, probability: probability)], evidence: evidence,
      noWriting: noWriting, rejection: rejection)
  }

  private static func dataset(_ texts: [String]) -> Dataset {
    Dataset(
      texts.enumerated().map {
        Example(
          .drawing(circle(radius: 20)), label: $1, writer: "w\($0 % 2)", source: "s",
          attributes: $0 == 0 ? ["kind": .text("name")] : [:], origin: "line \($0)")
      })
  }

  private static func evaluation() throws -> ReadingEvaluation {
    let texts = ["q0", "two words", "S", "M", "é1", "\u{FFFD}", "\u{FFFD}"]
    let readings = [
      reading("qO", 0.8), reading("two wrds x", 0.6), reading("s", 0.4),
      reading("m", 0.5, rejection: .unreadable), reading("e1", 0.7),
      reading("x", 0.3, rejection: .notWriting), reading("Z", 0.95),
    ]
    return ReadingEvaluation(
      readings, dataset: dataset(texts), alphabet: try Alphabet("qO0tworcdsSMme1xZ \u{FFFD}"))
  }

  @Test func numbersAreThoseWorkedOutByHand() throws {
    let result = try Self.evaluation()
    func counts(_ share: Share) -> [Int] { [share.count, share.total] }
    #expect(counts(result.right) == [0, 5])
    // q0 and qO look alike, S and s, but not M and m.
    #expect(counts(result.folded) == [2, 5])
    #expect(counts(result.rejected) == [1, 5])
    #expect(counts(result.noWritingRejected) == [1, 2])
    #expect(result.writerCount == 2 && result.right.writers == 2)
    // One of q0, three of `two words`, one of S, M and é1 each.
    #expect(result.characterErrorRate == 7 / 15.0)
    // One word of two is wrong, and one is too much.
    #expect(result.wordErrorRate == 6 / 6.0)
    #expect(result.unknown == ["é": 1])
    #expect(result.errors.map(\.index) == [0, 4, 1, 3, 2])
    #expect(result.accepted.map(\.read) == ["Z"])
    func count(_ written: String, _ read: String) -> Int? {
      result.confusions.first { $0.written == written && $0.read == read }?.count
    }
    #expect(count("0", "O") == 1 && count("o", "") == 1 && count("", "x") == 1)
    #expect(count("", " ") == 1 && count("q", "q") == nil && result.confusions.count == 7)
  }

  @Test func textsThatLookAlikeAreFolded() {
    for (a, b) in [("O0o", "oOO"), ("lI1", "111"), ("CkxZ", "cKXz"), ("", "")] {
      #expect(a.folded(cases: true) == b.folded(cases: true))
    }
    for (a, b) in [("a", "A"), ("q", "Q"), ("i", "1"), ("0", "D"), ("ab", "ba"), ("M", "m")] {
      #expect(a.folded(cases: true) != b.folded(cases: true))
    }
  }

  @Test func editsNameWhatChanges() {
    func changes(_ old: String, _ new: String) -> [String] {
      EditScript(from: Array(old), to: Array(new)).steps
        .filter { $0.old != $0.new }.map {
          "\($0.old.map(String.init) ?? "")>\($0.new.map(String.init) ?? "")"
        }
    }
    #expect(changes("", "") == [] && changes("ab", "ab") == [])
    #expect(changes("abc", "ac") == ["b>"] && changes("ac", "abc") == [">b"])
    #expect(changes("abc", "axc") == ["b>x"] && changes("", "xy") == [">x", ">y"])
  }

  @Test func reportsNameWhatMatters() throws {
    let dataset = Self.dataset(["q0", "two words", "S", "M", "é1", "\u{FFFD}", "\u{FFFD}"])
    let report = ReadingReport(
      model: "r", data: "<d>", part: "test", grammar: .state, wordCount: 3,
      evaluation: try Self.evaluation(),
      breakdowns: [
        ReadingBreakdown(
          axis: .writer, rows: [ReadingBreakdown.Row(value: "s/w0", try Self.evaluation())])
      ])
    for text in [
      "texts grammar state, vocabulary of 3", "right, folded         40.00 %", "`é` (1)",
      "character error rate  46.67 %", "no writing, rejected  50.00 %", "nothing > x", "by writer",
      "s/w0",
    ] {
      #expect(report.text.contains(text), "\(text)")
    }
    let page = try report.html(examples: dataset, rasterizer: .standard)
    #expect(page.contains("&lt;d&gt;") && page.contains("two words → two wrds x"))
    #expect(page.components(separatedBy: "<figure>").count == 7)
    let sheet = try report.sheet(examples: dataset, rasterizer: .standard)
    #expect(sheet.height > 100 && sheet.pixels.contains(255))
    let json = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(ReadingReport.self, from: json).text == report.text)
  }

  // MARK: Limits

  private typealias Answer = ReadingCalibration.Answer

  /// 100 lines whose evidence falls and whose share of no writing rises slowly.
  private static func lines() -> [Answer] {
    (0..<100).map { index in
      let share = Double(index) / 100
      return Answer(
        reading("a", 1 - 0.5 * share, evidence: -share, noWriting: 0.2 * share),
        isWriting: true, isRight: index < 90)
    }
  }

  @Test func limitsRejectNoMoreThanTheShare() {
    // Half of the scribbles are known by one number, and half by the other.
    let scribbles = (0..<40).map { index in
      Answer(
        Self.reading(
          "a", 0.9, evidence: index < 20 ? -0.987 : -0.1, noWriting: index < 20 ? 0 : 0.1975),
        isWriting: false, isRight: false)
    }
    for (share, most) in [(0.0, 0), (0.019, 1), (0.02, 2), (0.03, 3)] {
      let limits = ReadingCalibration.limits(Self.lines() + scribbles, falseRejections: share)
      #expect(Self.lines().count { limits.reject($0.reading) } <= most)
      #expect(scribbles.count { limits.reject($0.reading) } == (most > 0 ? 40 : 0))
    }
    // Without scribbles, lines that are read wrongly are rejected.
    let limits = ReadingCalibration.limits(Self.lines(), falseRejections: 0.05)
    let rejected = Self.lines().filter { limits.reject($0.reading) }
    #expect(rejected.count == 5 && rejected.allSatisfy { !$0.isRight })
  }

  /// Lines that a reader has already rejected count as rejected.
  @Test func linesWithoutTextAreRejectedAnyway() {
    var lines = Self.lines()
    lines[0].reading = Self.reading("", 1, rejection: .empty)
    let limits = ReadingCalibration.limits(lines, falseRejections: 0.03)
    #expect(lines.count { limits.reject($0.reading) } <= 3)
    #expect(limits.reject(lines[0].reading) && !limits.reject(lines[1].reading))
  }

  @Test func ofManyLinesAnEvenSelectionIsCalibratedWith() {
    // Every second drawing is no writing.
    let examples = (0..<40).map { index in
      Example(
        Recording(Drawing([])),
        label: index.isMultiple(of: 2) ? "\(index)" : Recording.noWriting, origin: "test")
    }
    func selected(_ count: Int) -> [String] {
      ReadingCalibration.lines(of: Dataset(examples), atLeast: count).examples.map(\.label)
    }
    #expect(selected(6) == [0, 6, 12, 18, 24, 30, 36].map { "\($0)" })
    #expect(selected(20) == selected(21) && selected(21).count == 20)
  }

  @Test func aReaderIsCalibrated() throws {
    let digits = Synthesizer(seed: 5, repertoire: .digits).recordings(writers: 6, perClass: 3)
      .map { Example($0, label: $0.label!, origin: "digit") }
    let composer = LineComposer(seed: 1)
    var dataset = composer.compose(from: Dataset(digits), perWriter: 4)
    let lineCount = dataset.examples.count
    dataset.add(composer.noWriting(beside: dataset, share: 0.2))
    var model = try Reader.released().model
    // Far from what the probabilities should be.
    model.decision.temperature = 4
    let result = try ReadingCalibration(
      of: model, on: dataset, falseRejections: 0.05, workers: 2)
    #expect(result.decision.temperature < 2.5)
    #expect(
      result.reliability.after.expectedError < 0.5 * result.reliability.before.expectedError)
    #expect(result.rejected.total == lineCount && result.rejected.value <= 0.05)
    #expect(result.noWritingRejected.total == dataset.examples.count - lineCount)
    #expect(result.decision.reading == result.limits)

    #expect(result.fit == .counted)

    // Five lines cannot tell, and of twenty the lowest values do; neither is rejected.
    // In a line of one character, such as a stroke that is a 1, nothing may be read at all.
    let lines = dataset.examples.filter { !$0.isNoWriting && $0.label.count > 1 }
    let few = try ReadingCalibration(
      of: model, on: Dataset(Array(lines.prefix(5))), falseRejections: 0.03, workers: 2)
    #expect(few.fit == .kept(needed: 10) && few.limits == model.decision.reading)
    #expect(few.decision.temperature == 4)
    let some = try ReadingCalibration(
      of: model, on: Dataset(Array(lines.prefix(20))), falseRejections: 0.03, workers: 2)
    #expect(some.fit == .extrapolated(needed: 34) && some.rejected.count == 0)
    #expect(some.limits.minimumEvidence < -0.5 && some.limits.maximumNoWriting < 1)

    // The model with this decision rejects the same lines.
    model.decision = result.decision
    let reader = try Reader(model: model)
    let (evaluation, breakdowns) = try ReadingEvaluation.of(
      reader, on: dataset, with: reader.decoder(), by: [.length, .kind], workers: 2)
    #expect(evaluation.rejected.count == result.rejected.count)
    #expect(evaluation.noWritingRejected.count == result.noWritingRejected.count)
    let lengths = breakdowns[0].rows
    #expect(lengths.first?.value == "1" && lengths.last?.value == "no writing")
    #expect(lengths.dropLast().reduce(0) { $0 + $1.right.total } == lineCount)
    #expect(breakdowns[1].rows.contains { $0.value == "composed number" })
    let error = #expect(throws: FileError.self) {
      try ReadingCalibration(
        of: model, on: Dataset(dataset.examples.filter(\.isNoWriting)), falseRejections: 0.05,
        workers: 2)
    }
    #expect("\(error!)".contains("expected lines of writing to calibrate with"))
  }
}
