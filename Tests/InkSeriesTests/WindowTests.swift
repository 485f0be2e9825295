import Foundation
import Ink
import SeededRandom
import Testing

@testable import InkSeries

@Suite(.timeLimit(.minutes(30))) struct WindowTests {
  @Test(arguments: [
    ("120", SeriesDuration.steps(120)), ("2s", .seconds(2)), ("2 s", .seconds(2)),
    ("0.5s", .seconds(0.5)), ("500ms", .seconds(0.5)), ("1e1s", .seconds(10)),
  ])
  func durationsAreReadFromText(text: String, duration: SeriesDuration) {
    #expect(SeriesDuration(text) == duration)
  }

  @Test(arguments: [
    "", "0", "-1", "1.5", "s", "0s", "-2s", "nans", "infs", "0x2s", "2 m", "2  s", "ms", "1e400s",
    "99999999999999999999",
  ])
  func otherTextIsNoDuration(text: String) {
    #expect(SeriesDuration(text) == nil)
  }

  @Test func secondsBecomeStepsWithARate() throws {
    #expect(try SeriesDuration.seconds(2).steps(atRate: 59.9) == 120)
    #expect(try SeriesDuration.seconds(0.001).steps(atRate: 10) == 1)
    #expect(try SeriesDuration.steps(7).steps(atRate: nil) == 7)
    #expect(throws: WindowError.noRate(.seconds(2))) {
      try SlidingWindows(length: .seconds(2), rate: nil)
    }
    let windows = try SlidingWindows(length: .seconds(2), stride: .seconds(0.5), rate: 50)
    #expect(windows.length == 100 && windows.stride == 25)
    #expect(throws: WindowError.length(1 << 62)) {
      try SlidingWindows(length: .seconds(1e300), rate: 1e300)
    }
  }

  @Test(arguments: [
    (0, 1, WindowError.length(0)), (-1, 1, .length(-1)),
    (SlidingWindows.longest + 1, 1, .length(SlidingWindows.longest + 1)),
    (5, 0, .stride(0, length: 5)), (5, 6, .stride(6, length: 5)),
  ])
  func lengthAndStrideAreChecked(length: Int, stride: Int, error: WindowError) {
    #expect(throws: error) { try SlidingWindows(length: length, stride: stride) }
  }

  @Test func withoutAStrideWindowsMoveByAQuarter() throws {
    #expect(try SlidingWindows(length: 120).stride == 30)
    #expect(try SlidingWindows(length: 3).stride == 1)
  }

  /// A window starts at each multiple of the stride where all its steps exist.
  @Test(arguments: 1...200) func everyWindowAppearsOnce(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let length = 1 + generator.index(below: 12)
    let windows = try SlidingWindows(length: length, stride: 1 + generator.index(below: length))
    let seriesLength = generator.index(below: 60)
    let channelCount = 1 + generator.index(below: 4)
    let values = (0..<seriesLength * channelCount).map { _ in Float(generator.normal()) }
    let expected = (0..<seriesLength).filter {
      $0 % windows.stride == 0 && $0 + length <= seriesLength
    }.map { $0..<$0 + length }
    #expect((0..<windows.count(in: seriesLength)).map { windows.range(of: $0) } == expected)

    var stream = SeriesStream(windows, channelCount: channelCount)
    var found: [Range<Int>] = []
    for step in 0..<seriesLength {
      let row = Array(values[step * channelCount..<(step + 1) * channelCount])
      stream.append(row) { range, window in
        #expect(range.upperBound == step + 1)
        #expect(
          Array(window)
            == Array(values[range.lowerBound * channelCount..<range.upperBound * channelCount]))
        found.append(range)
      }
    }
    #expect(found == expected)
    #expect(stream.rowCount == seriesLength)
  }

  @Test func aStreamGoesOnAfterAnErrorInItsWindow() throws {
    var stream = SeriesStream(try SlidingWindows(length: 2, stride: 1), channelCount: 1)
    var found: [[Float]] = []
    for value in 0..<5 {
      try? stream.append([Float(value)]) { range, window in
        if value == 2 { throw CancellationError() }
        found.append(Array(window))
      }
    }
    #expect(found == [[0, 1], [2, 3], [3, 4]])
  }

  @Test(arguments: 1...200) func sectionsFollowEachOtherInTheMiddleOfWindows(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let length = 1 + generator.index(below: 30)
    let windows = try SlidingWindows(length: length, stride: 1 + generator.index(below: length))
    for index in 0..<20 {
      let (window, section) = (windows.range(of: index), windows.section(of: index))
      #expect(section.count == windows.stride)
      #expect(section.upperBound == windows.section(of: index + 1).lowerBound)
      let before = section.lowerBound - window.lowerBound
      let after = window.upperBound - section.upperBound
      #expect(before >= 0 && (before...before + 1).contains(after))
    }
  }

  private func plan(
    _ length: Int, _ stride: Int, share: Double = 0.5, rest: String? = nil
  ) throws -> WindowPlan {
    WindowPlan(
      try SlidingWindows(length: length, stride: stride), minimumShare: share, restLabel: rest)
  }

  private func labels(
    _ plan: WindowPlan, length: Int, _ spans: [Span]
  ) throws -> [Int: String] {
    let cut = try plan.cut([.init(length: length, labels: .spans(spans))])
    return Dictionary(
      uniqueKeysWithValues: cut.windows.map { ($0.range.lowerBound, $0.label) })
  }

  @Test func aWindowGetsTheLabelOfTheSpanThatItShowsEnoughOf() throws {
    let spans = [Span(10..<20, label: "jab")]
    #expect(
      try labels(plan(4, 2, rest: "none"), length: 30, spans) == [
        0: "none", 2: "none", 4: "none", 6: "none", 8: "jab", 10: "jab", 12: "jab", 14: "jab",
        16: "jab", 18: "jab", 20: "none", 22: "none", 24: "none", 26: "none",
      ])
    // With all of it, windows that are only half in the span are left out.
    #expect(
      try labels(plan(4, 2, share: 1), length: 30, spans) == [
        10: "jab", 12: "jab", 14: "jab", 16: "jab",
      ])
  }

  @Test func aShortSpanLabelsTheWindowsThatContainEnoughOfIt() throws {
    // Half of three steps are two steps.
    #expect(
      try labels(plan(8, 1, rest: "none"), length: 20, [Span(10..<13, label: "tap")]) == [
        0: "none", 1: "none", 2: "none", 4: "tap", 5: "tap", 6: "tap", 7: "tap", 8: "tap",
        9: "tap", 10: "tap", 11: "tap",
      ])
  }

  @Test func ofSeveralSpansTheLargestOverlapCounts() throws {
    let spans = [
      Span(8..<12, label: "c"), Span(0..<4, label: "a"), Span(4..<8, label: "b"),
    ]
    #expect(
      try labels(plan(4, 1), length: 12, spans) == [
        0: "a", 1: "a", 2: "a", 3: "b", 4: "b", 5: "b", 6: "b", 7: "c", 8: "c",
      ])
  }

  @Test func aWholeRecordingLabelsAllItsWindows() throws {
    let cut = try plan(4, 4).cut([
      .init(length: 3, labels: .whole("short")), .init(length: 9, labels: .whole("walk")),
    ])
    #expect(
      cut.windows == [
        .init(recording: 1, range: 0..<4, label: "walk"),
        .init(recording: 1, range: 4..<8, label: "walk"),
      ])
    #expect(cut.shortRecordingCount == 1 && cut.unlabelledCount == 0)
  }

  @Test func aWindowThatIsLongerThanEveryRecordingIsAnError() throws {
    let plan = try plan(120, 30)
    let error = #expect(throws: WindowError.self) {
      try plan.cut([
        .init(length: 80, labels: .whole("a")), .init(length: 119, labels: .spans([])),
      ])
    }
    #expect(
      error?.description
        == "the window of 120 steps is longer than each of the 2 recordings; the longest has "
        + "119 steps; choose a shorter window")
    #expect(try plan.cut([]) == WindowPlan.Cut())
  }

  /// The definition, applied to each window and each span.
  @Test(arguments: 1...300) func labelsAreThoseOfTheDefinition(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let length = 1 + generator.index(below: 12)
    let share = generator.pick([0.2, 0.5, 0.8, 1])
    let rest: String? = generator.chance(0.5) ? "rest" : nil
    let plan = try plan(
      length, 1 + generator.index(below: length), share: share, rest: rest)
    let seriesLength = length + generator.index(below: 60)
    let spans = (0..<generator.index(below: 6)).map { index in
      let start = generator.index(below: seriesLength)
      return Span(
        start..<min(seriesLength, start + 1 + generator.index(below: 15)), label: "\(index)")
    }
    let cut = try plan.cut([.init(length: seriesLength, labels: .spans(spans))])
    var unlabelledCount = 0
    var expected: [WindowPlan.LabelledWindow] = []
    for start in stride(from: 0, through: seriesLength - length, by: plan.windows.stride) {
      let window = start..<start + length
      func overlap(_ span: Span) -> Int { window.count { span.range.contains($0) } }
      let enough = spans.filter {
        overlap($0) > 0 && Double(overlap($0)) >= share * Double(min(length, $0.range.count))
      }
      let largest = enough.map(overlap).max()
      let first = enough.filter { overlap($0) == largest }.min {
        ($0.range.lowerBound, Int($0.label)!) < ($1.range.lowerBound, Int($1.label)!)
      }
      if let first {
        expected.append(.init(recording: 0, range: window, label: first.label))
      } else if let rest, spans.allSatisfy({ overlap($0) == 0 }) {
        expected.append(.init(recording: 0, range: window, label: rest))
      } else {
        unlabelledCount += 1
      }
    }
    #expect(cut.windows == expected)
    #expect(cut.unlabelledCount == unlabelledCount)
  }
}
