import InkDatasets
import InkSeries
import SafeFiles
import Testing

@Suite struct WindowChoiceTests {
  /// A recording with its steps as values.
  private func recording(
    _ length: Int, rate: Double?, spans: [Span] = [], label: String = "", writer: String = "ann"
  ) throws -> Example {
    var example = Example(
      .series(
        try Series(channels: ["x"], values: (0..<length).map { Float($0) }, rate: rate)),
      label: label, writer: writer, origin: "a.csv")
    example.session = "monday"
    example.spans = spans
    return example
  }

  @Test func spansShorterThanAStepAreLeftOut() throws {
    let short = try recording(1000, rate: 1000, spans: [Span(10..<11, label: "a")])
    let choice = WindowChoice(
      rate: 10, plan: WindowPlan(try SlidingWindows(length: 5), restLabel: "none"))
    #expect(try choice.prepared(short).spans.isEmpty)
    // What is left is time without an action.
    let cut = try choice.cut(Dataset([short]))
    #expect(!cut.dataset.examples.isEmpty)
    #expect(cut.dataset.examples.allSatisfy { $0.label == "none" })
  }

  @Test func theMedianSpanIsChosen() throws {
    let spans = [
      Span(0..<20, label: "a"), Span(20..<60, label: "b"), Span(60..<160, label: "a"),
      // Rest does not count.
      Span(160..<900, label: "none"), Span(900..<1900, label: "quiet"),
    ]
    let dataset = Dataset([try recording(2000, rate: 20, spans: spans)])
    let choice = try #require(try WindowChoice(for: dataset, restLabel: "quiet"))
    #expect(choice.rate == 20 && choice.plan.windows.length == 40)
    #expect(choice.summary == "windows of 40 steps (2 s) every 10 steps (0.5 s), 20 steps a second")
    // At most five seconds.
    let long = Dataset([try recording(2000, rate: 20, spans: [Span(0..<2000, label: "a")])])
    #expect(try WindowChoice(for: long)?.plan.windows.length == 100)
    let unknown = Dataset([try recording(2000, rate: nil, spans: [Span(0..<2000, label: "a")])])
    #expect(try WindowChoice(for: unknown)?.plan.windows.length == 256)
    // Recordings with one label each are examples as they are.
    let whole = Dataset([try recording(100, rate: 20, label: "a")])
    #expect(try WindowChoice(for: whole) == nil)
    #expect(try WindowChoice(for: whole, window: .seconds(1))?.plan.windows.length == 20)
    #expect(throws: WindowError.noRate(.seconds(1))) {
      _ = try WindowChoice(for: unknown, window: .seconds(1))
    }
  }

  @Test func windowsOfDifferentRatesAreAlike() throws {
    let dataset = Dataset([
      try recording(100, rate: 25, spans: [Span(25..<75, label: "a")]),
      try recording(100, rate: 25, spans: [Span(25..<75, label: "b")]),
      try recording(200, rate: 50, spans: [Span(50..<150, label: "b")], writer: "ben"),
    ])
    #expect(dataset.hasDifferentRates && dataset.medianRate == 25)
    let choice = try #require(
      try WindowChoice(for: dataset, window: .steps(25), stride: .steps(25), restLabel: "none"))
    let cut = try choice.cut(dataset)
    #expect(cut.dataset.labels == ["a", "b", "none"])
    #expect(
      cut.dataset.examples.map(\.label).joined(separator: " ")
        == "none a a none none b b none none b b none")
    #expect(cut.unlabelledCount == 0 && cut.shortRecordingCount == 0)
    let last = try #require(cut.dataset.examples.last)
    #expect(last.writer == "ben" && last.session == "monday" && last.spans.isEmpty)
    #expect(last.origin == "a.csv, steps 76–100")
    guard case .series(let series) = last.content else { return #expect(Bool(false)) }
    // Every second step of the faster recording.
    #expect(series.length == 25 && series.rate == 25 && series.values[0] == 150)
  }

  @Test func whatCannotBeCutIsCountedOrNamed() throws {
    let choice = WindowChoice(rate: 25, plan: WindowPlan(try SlidingWindows(length: 50)))
    var gaps = try recording(50, rate: 25, label: "a")
    gaps.content = .series(
      try Series(channels: ["x"], values: [Float](repeating: .nan, count: 50), rate: 25))
    let cut = try choice.cut(
      Dataset([
        gaps, try recording(49, rate: 25, label: "a"), try recording(50, rate: 25, label: "a"),
        try recording(50, rate: 25, spans: [Span(0..<5, label: "a"), Span(48..<50, label: "a")]),
      ]))
    #expect(cut.emptyCount == 1 && cut.shortRecordingCount == 1 && cut.dataset.examples.count == 2)
    #expect(throws: WindowError.longerThanRecordings(length: 50, longest: 49, count: 1)) {
      _ = try choice.cut(Dataset([try recording(49, rate: 25, label: "a")]))
    }
    // A recording without a rate has that of the windows.
    let unknown = try choice.cut(Dataset([try recording(80, rate: nil, label: "a")]))
    #expect(unknown.dataset.examples.count == 3)
    let slow = try recording(1 << 20, rate: 1e-9, label: "a")
    let error = #expect(throws: FileError.self) { _ = try choice.cut(Dataset([slow])) }
    #expect(error.map { "\($0)".contains("expected at most 268435456 steps") } == true)
  }
}
