import Foundation
import InkEvaluation
import InkSeries
import SeededRandom
import Testing

@Suite(.timeLimit(.minutes(30))) struct EventEvaluationTests {
  private func event(_ label: String, _ range: Range<Int>, reportedAt: Int = 0) -> Event {
    Event(label: label, range: range, probability: 1, reportedAt: reportedAt)
  }

  private var recordings: [EventEvaluation.Recording] {
    [
      .init(
        spans: [
          Span(0..<10, label: "jab"), Span(20..<30, label: "jab"), Span(40..<50, label: "hook"),
          Span(60..<90, label: "none"),
        ],
        events: [
          event("jab", 2..<12, reportedAt: 5),  // 8 of 12 steps
          event("jab", 28..<38, reportedAt: 36),  // 2 of 18 steps
          event("jab", 41..<50, reportedAt: 45),  // a hook
          event("hook", 60..<70, reportedAt: 66),  // rest
        ], rate: 10, person: "ann", session: "1"),
      .init(
        spans: [Span(5..<15, label: "hook")], events: [event("hook", 5..<15, reportedAt: 25)],
        rate: 20, person: "ann", session: "2"),
      .init(
        spans: [Span(5..<15, label: "hook")], events: [event("hook", 5..<15, reportedAt: 12)],
        person: "bob"),
    ]
  }

  @Test func numbersAreThoseWorkedOutByHand() {
    let result = EventEvaluation(recordings)
    // 4 of 6 events match one of 5 spans.
    #expect(result.total.precision == Share(4, of: 6))
    #expect(result.total.recall == Share(4, of: 5))
    #expect(result.total.f1 == 8 / 11.0)
    #expect(result.labels.map(\.value) == ["hook", "jab"])
    #expect(result.labels[0].score.precision == Share(2, of: 3))
    #expect(result.labels[0].score.recall == Share(2, of: 3))
    #expect(result.labels[1].score.precision == Share(2, of: 3))
    #expect(result.labels[1].score.recall == Share(2, of: 2))
    #expect(abs(result.meanF1 - (4 / 6.0 + 4 / 5.0) / 2) < 1e-12)
    // 0.5, 1.6 and 1 s; the rate of the last recording is unknown.
    #expect(abs(result.total.delay!.mean - 3.1 / 3) < 1e-12)
    #expect(result.total.delay!.percentile90 == 1.6)
    #expect(result.persons.map(\.value) == ["ann", "bob"])
    #expect(result.persons[0].score.recall == Share(3, of: 4))
    #expect(result.persons[1].score.recall == Share(1, of: 1))
    #expect(result.persons[1].score.delay == nil)
    #expect(result.sessions.map(\.value) == ["ann, session 1", "ann, session 2", "bob"])
    #expect(result.sessions[0].score.precision == Share(2, of: 4))
  }

  @Test func theLeastOverlapIsAShareOfWhatSpanAndEventCover() {
    func recall(_ minimumOverlap: Double) -> Int {
      EventEvaluation([recordings[0]], minimumOverlap: minimumOverlap).total.recall.count
    }
    #expect(recall(2 / 18.0) == 2)
    #expect(recall(0.2) == 1)
    #expect(recall(8 / 12.0) == 1)
    #expect(recall(0.67) == 0)
  }

  @Test func aSpanMatchesOneEventAndAnEventOneSpan() {
    let parts = EventEvaluation([
      .init(
        spans: [Span(0..<100, label: "a")],
        events: [event("a", 0..<40), event("a", 60..<100)])
    ])
    #expect(parts.total.precision == Share(1, of: 2))
    #expect(parts.total.recall == Share(1, of: 1))
    let joined = EventEvaluation([
      .init(
        spans: [Span(0..<40, label: "a"), Span(60..<100, label: "a")],
        events: [event("a", 0..<100)])
    ])
    #expect(joined.total.precision == Share(1, of: 1))
    #expect(joined.total.recall == Share(1, of: 2))
  }

  @Test func touchingIsNoOverlap() {
    let result = EventEvaluation([
      .init(spans: [Span(0..<10, label: "a")], events: [event("a", 10..<20)])
    ])
    #expect(result.total.recall.count == 0)
  }

  @Test func theRestLabelsCanBeOthers() {
    let result = EventEvaluation(recordings, restLabels: ["hook"])
    #expect(result.labels.map(\.value) == ["hook", "jab", "none"])
    #expect(result.labels.map(\.score.recall.total) == [0, 2, 1])
  }

  @Test func the90thPercentileIsTheNearestRank() {
    for (count, expected) in [(1, 1.0), (9, 9), (10, 9), (11, 10), (20, 18), (100, 90)] {
      let result = EventEvaluation(
        (1...count).map {
          .init(
            spans: [Span(0..<10, label: "a")], events: [event("a", 0..<10, reportedAt: $0)],
            rate: 1)
        })
      #expect(result.total.delay?.percentile90 == expected)
    }
  }

  @Test func nothingHasNoScore() {
    let result = EventEvaluation([])
    #expect(result.total.f1 == 0 && result.total.delay == nil && result.meanF1 == 0)
    #expect(result.labels.isEmpty)
    #expect(result.text.contains("recall       –"))
  }

  /// Spans and events that do not overlap each other are matched as often as possible.
  @Test(arguments: 1...300) func noOtherMatchingFindsMore(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    func ranges() -> [Range<Int>] {
      var ranges: [Range<Int>] = []
      var start = 0
      for _ in 0..<generator.index(below: 6) {
        start += generator.index(below: 6)
        ranges.append(start..<start + 1 + generator.index(below: 10))
        start = ranges.last!.upperBound
      }
      return ranges
    }
    let (spans, events) = (ranges(), ranges())
    let least = generator.pick([0, 0.1, 0.3, 0.5])
    func matches(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
      let overlap = a.count { b.contains($0) }
      return overlap > 0
        && Double(overlap) / Double(a.count + b.count - overlap) >= least - 1e-12
    }
    func most(_ spans: ArraySlice<Range<Int>>, _ events: [Range<Int>]) -> Int {
      guard let span = spans.first else { return 0 }
      return events.indices.filter { matches(span, events[$0]) }.map { index in
        var rest = events
        rest.remove(at: index)
        return 1 + most(spans.dropFirst(), rest)
      }.reduce(most(spans.dropFirst(), events), max)
    }
    let result = EventEvaluation(
      [
        .init(
          spans: spans.map { Span($0, label: "a") }, events: events.map { event("a", $0) })
      ], minimumOverlap: least)
    #expect(result.total.recall.count == most(spans[...], events))
  }

  @Test func theTextShowsAllRows() {
    let text = EventEvaluation(recordings, minimumOverlap: 0.1).text
    #expect(
      text == """
        events matched by label and overlap over union of at least 10.00 %
        precision    66.67 % (30.00–90.32), 4 of 6
        recall       80.00 % (37.55–96.38), 4 of 5
        F1           72.73 %, mean of 2 labels 73.33 %
        intervals    95 %, as if all events were independent
        delay        mean 1.03 s, 90th percentile 1.60 s

        by label      precision     recall         F1      spans     events      delay       90 %
        hook            66.67 %    66.67 %    66.67 %          3          3     1.00 s     1.00 s
        jab             66.67 %   100.00 %    80.00 %          2          3     1.05 s     1.60 s

        by person     precision     recall         F1      spans     events      delay       90 %
        ann             60.00 %    75.00 %    66.67 %          4          5     1.03 s     1.60 s
        bob            100.00 %   100.00 %   100.00 %          1          1          –          –

        by session        precision     recall         F1      spans     events      delay       90 %
        ann, session 1      50.00 %    66.67 %    57.14 %          3          4     1.05 s     1.60 s
        ann, session 2     100.00 %   100.00 %   100.00 %          1          1     1.00 s     1.00 s
        bob                100.00 %   100.00 %   100.00 %          1          1          –          –
        """)
  }

  @Test func theJSONIsReadBack() throws {
    let result = EventEvaluation(recordings, minimumOverlap: 0.1)
    let data = try JSONEncoder().encode(result)
    #expect(try JSONDecoder().decode(EventEvaluation.self, from: data) == result)
  }
}
