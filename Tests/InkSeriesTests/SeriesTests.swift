import Foundation
import InkSeries
import Testing

@Suite(.timeLimit(.minutes(30))) struct SeriesTests {
  @Test func valuesAreStepAfterStep() throws {
    let series = try Series(
      channels: ["a", "b"], values: [1, 2, 3, 4, 5, 6], rate: 2, times: nil)
    #expect(series.length == 3)
    #expect(series[1, 0] == 3 && series[2, 1] == 6)
    #expect(series.values(ofChannel: 1) == [2, 4, 6])
    #expect(series.duration == 1)
    #expect(try series.selecting(["b"]).values == [2, 4, 6])
    #expect(try series.selecting(["b", "a"]).values == [2, 1, 4, 3, 6, 5])
    #expect(series.part(1..<3).values == [3, 4, 5, 6])
  }

  @Test func partsKeepTheirTimes() throws {
    let series = try Series(channels: ["a"], values: [1, 2, 3], times: [100, 150, 400])
    #expect(series.part(1..<3).times == [150, 400])
    #expect(series.duration == 0.3)
    #expect(abs(series.meanRate! - 2 / 0.3) < 1e-9)
    #expect(try Series(channels: ["a"], values: [1], times: [5]).meanRate == nil)
  }

  @Test func gapsAreEqual() throws {
    let one = try Series(channels: ["a"], values: [.nan, 1])
    let other = try Series(channels: ["a"], values: [-Float.nan, 1])
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(try Series(channels: ["a"], values: [0, 1]) != one)
  }

  /// A series that is refused, and why.
  struct Malformed: Sendable {
    var channels = ["a", "b"]
    var values: [Float] = [1, 2, 3, 4]
    var rate: Double?
    var times: [Double]?
    var error: SeriesError
  }

  @Test(arguments: [
    Malformed(channels: [], error: .noChannels),
    Malformed(channels: ["a", "a"], error: .repeatedChannel("a")),
    Malformed(values: [], error: .empty),
    Malformed(values: [1, 2, 3], error: .partialStep(values: 3, channels: 2)),
    Malformed(values: [1, 2, 3, .infinity], error: .infinite(step: 1, channel: "b")),
    Malformed(rate: 0, error: .wrongRate(0)),
    Malformed(rate: -1, error: .wrongRate(-1)),
    Malformed(rate: .infinity, error: .wrongRate(.infinity)),
    Malformed(times: [1], error: .wrongTimeCount(1, length: 2)),
    Malformed(times: [1, .nan], error: .infiniteTime(step: 1)),
    Malformed(times: [2, 1], error: .decreasingTime(step: 1, from: 2, to: 1)),
  ])
  func malformedSeriesAreRefused(_ malformed: Malformed) throws {
    #expect(throws: malformed.error) {
      try Series(
        channels: malformed.channels, values: malformed.values, rate: malformed.rate,
        times: malformed.times)
    }
    #expect(!"\(malformed.error)".isEmpty)
  }

  @Test func anUnknownChannelIsNamed() throws {
    let series = try Series(channels: ["ax", "ay"], values: [1, 2])
    #expect(throws: SeriesError.unknownChannel("az", known: ["ax", "ay"])) {
      try series.selecting(["ax", "az"])
    }
    #expect(throws: SeriesError.repeatedChannel("ax")) { try series.selecting(["ax", "ax"]) }
  }
}
