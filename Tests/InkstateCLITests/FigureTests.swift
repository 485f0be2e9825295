import Foundation
import Testing

/// Compares the figures of README, its page of measurements and the model card with the reports that
/// commands wrote.
///
/// `models/evaluation.html` is written by `scripts/train strokes`, and `Benchmarks/RESULTS.md`
/// by `scripts/benchmark`. A figure that is in neither names its command beside it.
struct FigureTests {
  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(of path: String) throws -> String {
    try String(contentsOf: project.appendingPathComponent(path), encoding: .utf8)
  }

  private static func cells(_ line: some StringProtocol) -> [String] {
    line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The cells of each row of a page's tables, without the rows of dashes.
  private static func rows(of path: String) throws -> [[String]] {
    try text(of: path).split(separator: "\n")
      .filter { $0.hasPrefix("|") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| | |") }.map(cells)
  }

  /// The rows below the row with these heads, up to the next table's.
  private static func table(_ heads: [String], of path: String) throws -> [[String]] {
    let lines = try text(of: path).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0 == "| \(heads.joined(separator: " | ")) |" })
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map(cells)
  }

  /// The only row whose first cell starts like this.
  private static func row(_ start: String, of rows: [[String]]) throws -> [String] {
    let found = rows.filter { $0[0].hasPrefix(start) }
    try #require(found.count == 1, "\(found.count) rows start with \(start)")
    return found[0]
  }

  private static func decimals(_ value: Double, _ count: Int) -> String {
    String(format: "%.\(count)f", value)
  }

  /// Answers by label: `accepted["cycle"]["state"]` is the number of cycles accepted as states.
  private static func acceptedAnswers() throws -> [String: [String: Int]] {
    let html = try text(of: "models/evaluation.html")
    let start = try #require(html.range(of: #"<th>truth \ accepted as"#)).upperBound
    let end = try #require(html[start...].range(of: "</table>")).lowerBound
    let rows = html[start..<end].components(separatedBy: "</tr>").map {
      $0.components(separatedBy: CharacterSet(charactersIn: "<>")).filter {
        !$0.isEmpty && !["td", "th", "tr", "/tr"].contains($0)
      }
    }
    var answers: [String: [String: Int]] = [:]
    for row in rows.dropFirst() where row.count == rows[0].count + 1 {
      answers[row[0]] = Dictionary(
        uniqueKeysWithValues: zip(rows[0], row.dropFirst().map { Int($0)! }))
    }
    return answers
  }

  @Test func theReleasedModelsFiguresAreThoseOfItsEvaluation() throws {
    let answers = try Self.acceptedAnswers()
    #expect(answers.count == 4)
    let valid = ["cycle", "state", "transition"]
    let totals = valid.map { answers[$0]!.values.reduce(0, +) }
    let rejected = valid.map { answers[$0]!["refused"]! }
    let rates = zip(rejected, totals).map { 100 * Double($0) / Double($1) }
    let all = 100 * Double(rejected.reduce(0, +)) / Double(totals.reduce(0, +))
    let examples = String(totals.reduce(0, +))
    let count = "\(rejected.reduce(0, +)) of \(examples.prefix(1)),\(examples.dropFirst())"
    let mean = Self.decimals(rates.reduce(0, +) / 3, 2)

    let measured = try Self.table(
      ["measure", "result (95 % interval)", "count"], of: "docs/measurements.md")
    let card = try Self.table(["measure", "target", "result"], of: "models/README.md")
    #expect(
      try Self.row("valid strokes rejected", of: measured).dropFirst()
        == ["\(Self.decimals(all, 2)) %", "\(count); mean of the classes \(mean) %"])
    #expect(
      try Self.row("valid drawings rejected", of: card)[2]
        == rates.map { Self.decimals($0, 2) }.joined(separator: ", ")
        + "; \(mean) %; \(Self.decimals(all, 2)) %, \(count)")
    let confused = [
      "\(answers["state"]!["cycle"]!) of \(totals[1])",
      "\(answers["cycle"]!["state"]!) of \(totals[0])",
    ].joined(separator: "; ")
    #expect(try Self.row("states classified as cycles", of: measured)[2] == confused)
    #expect(try Self.row("state → cycle", of: card)[2].hasPrefix(confused))

    // The other measures are rows of the card, with the same result and count.
    for (onPage, inCard) in [
      ("real circles", "real circles"), ("real arrows and lines", "real arrows and lines"),
      ("whole drawings of other things", "whole drawings of other things"),
      ("single strokes of other things", "single strokes of other things"),
    ] {
      let row = try Self.row(onPage, of: measured)
      let result = try Self.row(inCard, of: card)[2]
      #expect(result.hasPrefix("\(row[1]), \(row[2])"), "\(row[0])")
    }
    #expect(measured.count == 6, "a row that nothing is compared with")

    let html = try Self.text(of: "models/evaluation.html").replacing("\n", with: " ")
    let accuracy = try #require(html.firstMatch(of: #/Accuracy <b>([0-9.]+) %/#)).1
    let error = try #require(html.firstMatch(of: #/calibration error ([0-9]+\.[0-9]+)/#)).1
    let cardText = try Self.text(of: "models/README.md")
    #expect(cardText.contains("The accuracy over all examples is \(accuracy) %"))
    #expect(
      try Self.row("expected calibration error", of: card)[2]
        .hasPrefix("\(Self.decimals(100 * Double(error)!, 2)) %"))
  }

  @Test func theFiguresOfSpeedAreThoseOfTheBenchmarks() throws {
    let results = try Self.rows(of: "Benchmarks/RESULTS.md")
    let measures = try Self.table(["measure", "method", "result"], of: "docs/measurements.md")
    /// How many times as fast as the best peer, with one decimal.
    func factor(_ task: String, _ section: Int) throws -> String {
      let found = results.filter { $0[0] == task }
      try #require(found.count == 2, "\(task) is not measured on one and two cores")
      let cell = try #require(found[section].last)
      let text = try #require(cell.firstMatch(of: #/\*\*([0-9.]+)×\*\*/#)).1
      return Self.decimals(Double(text)!, 1)
    }
    var compared = 0
    for (network, batch) in [
      ("drawing", 64), ("lenet", 64), ("sketch", 64), ("reader", 64), ("page", 8),
    ] {
      let task = "train `\(network)`, \(batch)"
      let factors = "\(try factor(task, 0)) and \(try factor(task, 1)) times as fast"
      let row = try Self.row("training `\(network)`", of: measures)
      #expect(row[1] == "`scripts/benchmark`")
      #expect(row[2].hasPrefix(factors), "\(row)")
      compared += 1
    }
    func time(_ cell: String) -> String {
      cell.contains(",") ? cell : Self.decimals(Double(cell)!, 0)
    }
    for (network, size) in [("drawing", ""), ("page", " of 768 × 1024")] {
      let place = try #require(results.firstIndex { $0[0] == "infer `\(network)`\(size), 1" })
      let peer = try #require(results[place...].first { $0[1] == "ONNX Runtime" })
      #expect(
        try Self.row("inference of `\(network)`", of: measures)[2]
          == "\(time(results[place][4])) µs; ONNX Runtime \(time(peer[4])) µs")
      compared += 1
    }
    let points = try Self.row("points to label", of: results)[2].prefix { $0 != " " }
    #expect(try Self.row("from points to a label", of: measures)[2] == "\(points) µs")
    #expect(
      try Self.row("size, speed", of: Array(Self.rows(of: "models/README.md").prefix(20)))[1]
        .contains("; \(points) µs from points to a label"))
    let memory = try Self.row("train `drawing` on 1,000,000", of: results)[1]
    #expect(try Self.row("memory while training", of: measures)[2] == memory)
    // It stands in two tables, with the same figure.
    let starts = results.filter { $0[0] == "process start to one PNG classified, released model" }
    let times = starts.compactMap {
      $0.joined(separator: " ").firstMatch(of: #/([0-9.]+) ms( |$)/#)
    }
    let start = try #require(times.last).1
    #expect(
      try Self.row("from process start", of: measures)[2]
        .contains("AMD: \(Self.decimals(Double(start)!, 1)) ms"))
    compared += 3
    #expect(
      compared == measures.filter { $0[1].contains("scripts/benchmark") }.count + 1,
      "a row of scripts/benchmark that nothing is compared with")
  }

  /// Each figure of README stands on the page of measurements or in a model card.
  @Test func theFiguresOfTheReadmeStandElsewhere() throws {
    let pages = try ["docs/measurements.md", "models/README.md"].map(Self.text).joined()
    let rows = try Self.table(["what", "result"], of: "README.md")
    #expect(rows.count == 7)
    for figure in rows.joined().flatMap({ $0.matches(of: #/[0-9]+(\.[0-9]+)? (%|of [0-9]+)/#) }) {
      #expect(pages.contains(figure.0), "\(figure.0)")
    }
  }
}
