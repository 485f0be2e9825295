import InkSeries
import TestSupport
import Testing

@Suite struct ResamplingTests {
  /// A series with a step every 40 ms, and its values as numbers of steps.
  private func series(_ times: [Double]) throws -> Series {
    try Series(channels: ["x"], values: times.map { Float($0 / 40) }, times: times)
  }

  @Test func spansKeepTheirTimes() throws {
    let series = try series((0..<50).map { 40 * Double($0) })
    let resampled = try series.resampled(toRate: 50)
    #expect(resampled.length == 99 && resampled.rate == 50 && resampled.times == nil)
    let spans = [Span(0..<10, label: "a"), Span(10..<11, label: "b"), Span(40..<50, label: "c")]
    #expect(
      series.resampled(spans, toRate: 50, length: resampled.length)
        == [Span(0..<20, label: "a"), Span(20..<22, label: "b"), Span(80..<99, label: "c")])
    // Fewer steps: a span between two of them is gone.
    let coarse = try series.resampled(toRate: 5)
    #expect(
      series.resampled(spans, toRate: 5, length: coarse.length)
        == [Span(0..<2, label: "a"), Span(2..<3, label: "b"), Span(8..<10, label: "c")])
    #expect(
      series.resampled([Span(11..<13, label: "d")], toRate: 5, length: coarse.length).isEmpty)
  }

  @Test func aSeriesAtTheRateStaysAsItIs() throws {
    let series = try Series(channels: ["x"], values: [1, .nan, 3], rate: 25)
    #expect(try series.resampled(toRate: 25) == series)
    let spans = [Span(1..<2, label: "a")]
    #expect(series.resampled(spans, toRate: 25, length: 3) == spans)
    // A channel without values stays without values.
    let gaps = try Series(channels: ["x", "y"], values: [1, .nan, 3, .nan], rate: 25)
    let faster = try gaps.resampled(toRate: 50)
    #expect(faster.values(ofChannel: 0) == [1, 2, 3])
    #expect(faster.values(ofChannel: 1).allSatisfy { $0.isNaN })
    #expect(throws: SeriesError.unknownRate) {
      _ = try Series(channels: ["x"], values: [1, 2]).resampled(toRate: 5)
    }
  }

  @Test(arguments: [5.0, 24, 25, 60, 333])
  func aStreamGivesTheRowsOfTheSeries(rate: Double) throws {
    let jitter: [Double] = [0, 7, -9, 12]
    let times: [Double] = (0..<80).map { 40 * Double($0) + jitter[$0 % 4] } + [3200, 3200.5]
    let series = try series(times)
    let expected = try series.resampled(toRate: rate)
    var resampler = RowResampler(rate: rate, channelCount: 1)
    var rows: [Float] = []
    for (step, time) in times.enumerated() {
      #expect(!resampler.append([series[step, 0]], at: time) { rows.append($0[0]) })
    }
    #expect(rows.count == expected.length)
    #expect(isClose(rows, expected.values, tolerance: 1e-4))
  }

  @Test func aLongPauseIsShortened() throws {
    var resampler = RowResampler(rate: 10, channelCount: 1, longestPause: 1000)
    var rows: [Float] = []
    func add(_ value: Float, _ time: Double) -> Bool {
      resampler.append([value], at: time) { rows.append($0[0]) }
    }
    #expect(!add(0, 1000) && !add(1, 1100) && !add(2, 2100))
    #expect(rows.count == 12)
    #expect(add(3, 1e15))
    #expect(rows.count == 13 && rows.last == 3)
    #expect(!add(4, 1e15 + 100))
    #expect(rows.count == 14 && rows.last == 4)
  }
}
