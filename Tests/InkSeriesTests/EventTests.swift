import Foundation
import Ink
import SeededRandom
import TestSupport
import Testing

@testable import InkSeries

@Suite(.timeLimit(.minutes(30))) struct EventTests {
  /// All events of some windows.
  private func events(
    _ probabilities: [[Double]], labels: [String], windows: SlidingWindows, rule: EventRule
  ) -> [Event] {
    var detector = EventDetector(labels: labels, windows: windows, rule: rule)
    var events = probabilities.compactMap { detector.add($0) }
    if let last = detector.finish() { events.append(last) }
    return events
  }

  /// The events of one label, `hit`, whose probabilities are given at each step.
  private func events(_ hits: [Double], _ rule: EventRule) throws -> [Event] {
    events(
      hits.map { [1 - $0, $0] }, labels: ["rest", "hit"],
      windows: try SlidingWindows(length: 1, stride: 1), rule: rule)
  }

  @Test func anEventLastsWhileItsProbabilityIsAtLeastTheOffThreshold() throws {
    let rule = try EventRule(smoothing: .none, onThreshold: 0.7, offThreshold: 0.4)
    // 0.4 at step 1 belongs to the event, because 0.7 follows without a gap.
    let found = try events([0.3, 0.4, 0.7, 0.5, 0.3, 0.6, 0.6, 0.1, 0.9], rule)
    #expect(found.map(\.range) == [1..<4, 8..<9])
    #expect(found.map(\.reportedAt) == [3, 9])
    #expect(abs(found[0].probability - (0.4 + 0.7 + 0.5) / 3) < 1e-12)
    #expect(found[1].probability == 0.9)
    #expect(found.map(\.label) == ["hit", "hit"])
  }

  @Test func byDefaultOneCertainWindowMakesNoEventAndTwoDo() throws {
    let rule = try EventRule()
    #expect(try events([0, 1, 0, 0], rule).isEmpty)
    #expect(try events([0, 1, 1, 0, 0], rule).map(\.range) == [1..<3])
    // A single wrong window in the middle does not end an event.
    #expect(try events([0, 1, 1, 1, 0, 1, 1, 0, 0], rule).map(\.range) == [1..<8])
  }

  @Test func aMovingAverageCountsTheLastWindows() throws {
    let rule = try EventRule(
      smoothing: .movingAverage(4), onThreshold: 0.75, offThreshold: 0.5)
    // Means: 0.25, 0.5, 0.75, 0.75, 0.5, 0.25
    #expect(try events([1, 1, 1, 0, 0, 0], rule).map(\.range) == [1..<5])
    #expect(try events([1, 1, 0, 0, 1, 1, 0, 0], rule).isEmpty)
  }

  @Test func shortEventsAreDropped() throws {
    let hits: [Double] = [0, 1, 1, 0, 1, 1, 1, 0, 1, 1]
    let rule = try EventRule(smoothing: .none, minimumDuration: 3)
    let found = try events(hits, rule)
    #expect(found.map(\.range) == [4..<7])
    #expect(found.map(\.reportedAt) == [7])
  }

  @Test func restLabelsMakeNoEvents() throws {
    let windows = try SlidingWindows(length: 1, stride: 1)
    let ones = [[Double]](repeating: [1], count: 5)
    for label in ["none", "rest", "other"] {
      #expect(events(ones, labels: [label], windows: windows, rule: try EventRule()).isEmpty)
    }
    let all = try EventRule(restLabels: ["idle"])
    #expect(events(ones, labels: ["idle"], windows: windows, rule: all).isEmpty)
    #expect(events(ones, labels: ["rest"], windows: windows, rule: all).count == 1)
  }

  @Test func aLabelWithAHigherProbabilityEndsTheEventOfAnother() throws {
    let rule = try EventRule(smoothing: .none, onThreshold: 0.5, offThreshold: 0.3)
    let found = events(
      [[0.9, 0.1], [0.6, 0.4], [0.4, 0.6], [0.5, 0.5], [0.1, 0.9], [0, 0]], labels: ["a", "b"],
      windows: try SlidingWindows(length: 1, stride: 1), rule: rule)
    #expect(found.map(\.label) == ["a", "b"])
    #expect(found.map(\.range) == [0..<2, 2..<5])
    #expect(found.map(\.reportedAt) == [1, 3])
    #expect(found[0].probability == 0.75)
    #expect(abs(found[1].probability - 2 / 3) < 1e-12)
  }

  @Test func eventsOfWindowsAreInTheMiddleOfTheirWindows() throws {
    let windows = try SlidingWindows(length: 8, stride: 2)
    let found = events(
      [[0], [1], [1], [0]], labels: ["hit"], windows: windows,
      rule: try EventRule(smoothing: .none))
    #expect(found.map(\.range) == [5..<9])
    #expect(found.map(\.reportedAt) == [10])
  }

  @Test func theCurrentEventIsKnownBeforeItEnds() throws {
    var detector = EventDetector(
      labels: ["hit"], windows: try SlidingWindows(length: 1, stride: 1),
      rule: try EventRule(smoothing: .none, minimumDuration: 2))
    #expect(detector.current == nil)
    #expect(detector.add([1]) == nil)
    #expect(detector.current == nil)
    #expect(detector.add([0.5]) == nil)
    let current = Event(label: "hit", range: 0..<2, probability: 0.75, reportedAt: 2)
    #expect(detector.current == current)
    #expect(detector.add([0]) == current)
    #expect(detector.current == nil)
    #expect(detector.finish() == nil)
  }

  @Test func afterItsEndADetectorStartsAgain() throws {
    let windows = try SlidingWindows(length: 1, stride: 1)
    var detector = EventDetector(labels: ["hit"], windows: windows, rule: try EventRule())
    let results = (0..<2).map { _ in
      _ = detector.add([1])
      _ = detector.add([1])
      return detector.finish()
    }
    #expect(results[0]?.range == 0..<2)
    #expect(results[0] == results[1])
  }

  @Test func probabilitiesThatAreNoNumbersCountAsZero() throws {
    let rule = try EventRule()
    #expect(
      try events([1, 1, .nan, .infinity, 0, 0, 1, 1], rule)
        == events([1, 1, 0, 0, 0, 0, 1, 1], rule))
  }

  @Test(arguments: [
    (EventRule.Smoothing.movingAverage(0), 0.6, 0.4, 0, EventRuleError.averageLength(0)),
    (.movingAverage(20_000), 0.6, 0.4, 0, .averageLength(20_000)),
    (.exponential(0.0009), 0.6, 0.4, 0, .smoothingFactor(0.0009)),
    (.exponential(1.5), 0.6, 0.4, 0, .smoothingFactor(1.5)),
    (.none, 0, 0, 0, .onThreshold(0)), (.none, 1.1, 0.4, 0, .onThreshold(1.1)),
    (.none, 0.6, 0, 0, .offThreshold(0, on: 0.6)),
    (.none, 0.6, 0.7, 0, .offThreshold(0.7, on: 0.6)),
    (.none, 0.6, 0.4, -1, .minimumDuration(-1)),
  ])
  func aRuleIsChecked(
    smoothing: EventRule.Smoothing, on: Double, off: Double, duration: Int, error: EventRuleError
  ) {
    #expect(throws: error) {
      try EventRule(
        smoothing: smoothing, onThreshold: on, offThreshold: off, minimumDuration: duration)
    }
  }

  private func randomRule(_ generator: inout SeededGenerator) throws -> EventRule {
    let on = generator.uniform(0.2...1)
    return try EventRule(
      smoothing: generator.pick([
        .none, .movingAverage(1 + generator.index(below: 6)),
        .exponential(generator.uniform(0.05...1)),
      ]), onThreshold: on, offThreshold: on * generator.uniform(0.1...1),
      minimumDuration: generator.index(below: 12))
  }

  /// Smoothed probabilities by their definition, over all windows at once.
  private func smoothed(
    _ probabilities: [[Double]], by smoothing: EventRule.Smoothing
  ) -> [[Double]] {
    probabilities.indices.map { time in
      probabilities[time].indices.map { label in
        switch smoothing {
        case .none: probabilities[time][label]
        case .movingAverage(let count):
          (max(0, time - count + 1)...time).reduce(0) { $0 + probabilities[$1][label] }
            / Double(count)
        case .exponential(let factor):
          (0...time).reduce(0) {
            $0 + factor * pow(1 - factor, Double(time - $1)) * probabilities[$1][label]
          }
        }
      }
    }
  }

  /// An event is a longest sequence of windows with at least the off-threshold, in which its label
  /// is highest with at least the on-threshold; it only ends for another event or below the
  /// off-threshold.
  @Test(arguments: 1...400) func eventsAreThoseOfTheDefinition(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let labels = Array(["a", "rest", "b", "c"].prefix(1 + generator.index(below: 4)))
    let windows = try SlidingWindows(length: 4, stride: 1 + generator.index(below: 4))
    var rule = try randomRule(&generator)
    var level = 0
    let probabilities = (0..<60).map { _ -> [Double] in
      if generator.chance(0.2) { level = generator.index(below: labels.count) }
      let powers = labels.indices.map {
        exp(generator.normal() + ($0 == level ? 2.5 : 0))
      }
      return powers.map { $0 / powers.reduce(0, +) }
    }
    if seed % 2 == 0 {
      rule = try EventRule(
        smoothing: rule.smoothing, onThreshold: rule.onThreshold, offThreshold: rule.offThreshold)
    }
    let smooth = smoothed(probabilities, by: rule.smoothing)
    let found = events(probabilities, labels: labels, windows: windows, rule: rule)

    // The windows of events, by a search over all windows for each event.
    var expected: [(label: Int, windows: Range<Int>)] = []
    var time = 0
    var free = 0
    func starts(_ time: Int) -> Int? {
      let top = labels.indices.max {
        smooth[time][$0] < smooth[time][$1]
          || (smooth[time][$0] == smooth[time][$1] && $0 > $1)
      }!
      return labels[top] != "rest" && smooth[time][top] >= rule.onThreshold ? top : nil
    }
    while time < smooth.count {
      guard let label = starts(time) else {
        time += 1
        continue
      }
      let before = (free..<time).reversed().prefix {
        smooth[$0][label] >= rule.offThreshold
      }.count
      let end =
        (time..<smooth.count).first {
          smooth[$0][label] < rule.offThreshold
            || (starts($0).map { top in top != label } ?? false)
        } ?? smooth.count
      expected.append((label, time - before..<end))
      free = end
      time = end
    }
    let long = expected.filter {
      $0.windows.count * windows.stride >= rule.minimumDuration
    }
    #expect(found.map(\.label) == long.map { labels[$0.label] })
    #expect(
      found.map(\.range)
        == long.map {
          windows.section(of: $0.windows.lowerBound)
            .lowerBound..<windows.section(
              of: $0.windows.upperBound
            ).lowerBound
        })
    for (event, run) in zip(found, long) {
      let mean =
        run.windows.reduce(0) { $0 + probabilities[$1][run.label] } / Double(run.windows.count)
      #expect(abs(event.probability - mean) < 1e-9)
    }
  }

  /// Rows one by one give the same events as all windows at once.
  ///
  /// The mean of a window stands for the answer of a model.
  @Test(arguments: 1...50) func aStreamFindsTheEventsOfTheRecording(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let length = 1 + generator.index(below: 20)
    let windows = try SlidingWindows(length: length, stride: 1 + generator.index(below: length))
    let rule = try randomRule(&generator)
    var isOn = false
    let hits = (0..<300).map { _ -> Float in
      if generator.chance(0.05) { isOn.toggle() }
      return Float(min(1, max(0, (isOn ? 0.9 : 0.1) + 0.2 * generator.normal())))
    }
    func answer(_ window: some Sequence<Float>) -> [Double] {
      let hit = Double(window.reduce(0, +)) / Double(length)
      return [1 - hit, hit]
    }
    let whole = events(
      (0..<windows.count(in: hits.count)).map { answer(hits[windows.range(of: $0)]) },
      labels: ["rest", "hit"], windows: windows, rule: rule)

    var stream = SeriesStream(windows, channelCount: 1)
    var detector = EventDetector(labels: ["rest", "hit"], windows: windows, rule: rule)
    var found: [Event] = []
    var firstSeen: [Int: Int] = [:]
    for (step, hit) in hits.enumerated() {
      stream.append([hit]) { _, window in
        if let event = detector.add(answer(window)) { found.append(event) }
      }
      if let start = detector.current?.range.lowerBound, firstSeen[start] == nil {
        firstSeen[start] = step + 1
      }
    }
    if let last = detector.finish() { found.append(last) }
    #expect(found == whole)
    for event in found { #expect(firstSeen[event.range.lowerBound] == event.reportedAt) }
  }

  /// A model that knows exactly the windows that training labels with the action is late by at most
  /// the stated delay, and by exactly this much for the worst start.
  @Test(arguments: 1...100) func theDelayIsTheLongest(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let length = 1 + generator.index(below: 16)
    let windows = try SlidingWindows(length: length, stride: 1 + generator.index(below: length))
    let plan = WindowPlan(windows, minimumShare: generator.pick([0.25, 0.5, 0.75, 1]))
    let rule = try randomRule(&generator)
    var longest = 0
    for start in 200..<200 + windows.stride {
      let span = Span(start..<3000, label: "hit")
      let cut = try plan.cut([.init(length: 3000, labels: .spans([span]))])
      let labelled = Set(cut.windows.map(\.range.lowerBound))
      let probabilities = (0..<windows.count(in: 3000)).map {
        [labelled.contains(windows.range(of: $0).lowerBound) ? 1.0 : 0]
      }
      let found = events(probabilities, labels: ["hit"], windows: windows, rule: rule)
      // A threshold of 1 is never reached with exponential smoothing below 1.
      guard let event = found.first else { continue }
      longest = max(longest, event.reportedAt - start)
    }
    if longest > 0 { #expect(longest == rule.longestDelay(with: plan)) }
  }

  @Test func aThresholdThatIsNeverReachedHasNoDelay() throws {
    let plan = WindowPlan(try SlidingWindows(length: 8))
    for factor in [EventRule.minimumFactor, 0.3] {
      let rule = try EventRule(smoothing: .exponential(factor), onThreshold: 1)
      #expect(rule.longestDelay(with: plan) == nil)
    }
    #expect(try EventRule(smoothing: .none, onThreshold: 1).longestDelay(with: plan) == 5)
  }

  #if os(Linux)
    /// The rows of a simulated recording go through reader, stream and detector in a process of its
    /// own, because other tests allocate memory at the same time.
    @Test(.disabled(if: hasSanitizer)) func aMillionRowsNeedTheMemoryOfTenThousand() async {
      await #expect(processExitsWith: .success) {
        let pipe = Pipe()
        let writer = Thread {
          var rows = Data("time,a,b,c,d,e,f\n".utf8)
          for row in 0..<1_000_000 {
            rows.append(contentsOf: "\(row),0.25,-1.5,3,\(row % 7),12.125,1e-3\n".utf8)
            if rows.count > 1 << 16 {
              try? pipe.fileHandleForWriting.write(contentsOf: rows)
              rows.removeAll(keepingCapacity: true)
            }
          }
          try? pipe.fileHandleForWriting.write(contentsOf: rows)
          try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        func residentBytes() throws -> Int {
          let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
          return Int(statm.split(separator: " ")[1])! * Int(getpagesize())
        }
        let channels = ["a", "b", "c", "d", "e", "f"]
        var reader = try RowReader(
          InputFile(pipe.fileHandleForReading, name: "pipe"), channels: channels)
        let windows = try SlidingWindows(length: 120, stride: 12)
        var stream = SeriesStream(windows, channelCount: channels.count)
        var detector = EventDetector(
          labels: ["rest", "hit"], windows: windows, rule: try EventRule())
        var early = 0
        var windowCount = 0
        while try reader.next() {
          stream.append(reader.values) { _, window in
            windowCount += 1
            let hit = window[windowCount % window.count] > 3 ? 1.0 : 0
            _ = detector.add([1 - hit, hit])
          }
          if stream.rowCount == 10_000 { early = try residentBytes() }
        }
        let growth = try residentBytes() - early
        precondition(stream.rowCount == 1_000_000 && windowCount == windows.count(in: 1_000_000))
        precondition(growth < 2 << 20, "the memory grew by \(growth) bytes")
      }
    }
  #endif
}
