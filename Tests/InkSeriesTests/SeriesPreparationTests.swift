import Foundation
import InkSeries
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct SeriesPreparationTests {
  private let gap = Float.nan

  private func series(
    _ values: [Float], channels: [String] = ["a"], rate: Double? = nil, times: [Double]? = nil
  ) throws -> Series {
    try Series(channels: channels, values: values, rate: rate, times: times)
  }

  @Test func gapsAreFilledLinearlyAndAtTheEndsWithTheNearestValue() throws {
    let preparation = try SeriesPreparation(channels: ["a"])
    let filled = try preparation.prepare(series([gap, gap, 1, gap, gap, 4, gap]))
    #expect(filled.values == [1, 1, 1, 2, 3, 4, 4])
    let byTime = try preparation.prepare(
      series([0, gap, 10], times: [0, 900, 1000]))
    #expect(byTime.values == [0, 9, 10])
    #expect(byTime.times == [0, 900, 1000])
    let atOnce = try preparation.prepare(series([0, gap, 10], times: [5, 5, 5]))
    #expect(atOnce.values == [0, 5, 10])
  }

  @Test func aChannelWithoutValuesIsItsMean() throws {
    let preparation = try SeriesPreparation(
      channels: ["a", "b"], means: [5, 7], scales: [2, 3])
    let prepared = try preparation.prepare(series([9, gap, 5, gap], channels: ["a", "b"]))
    #expect(prepared.values == [2, 0, 0, 0])
    #expect(throws: SeriesError.allMissing) {
      try preparation.prepare(series([gap, gap], channels: ["a", "b"]))
    }
  }

  @Test func channelsAreTakenByName() throws {
    let preparation = try SeriesPreparation(channels: ["z", "x"])
    let prepared = try preparation.prepare(series([1, 2, 3], channels: ["x", "y", "z"]))
    #expect(prepared.channels == ["z", "x"])
    #expect(prepared.values == [3, 1])
    #expect(throws: SeriesError.unknownChannel("z", known: ["x", "y"])) {
      try preparation.prepare(series([1, 2], channels: ["x", "y"]))
    }
  }

  @Test func seriesAreResampledToARate() throws {
    let double = try SeriesPreparation(channels: ["a"], rate: 20)
    #expect(try double.prepare(series([0, 2, 6], rate: 10)).values == [0, 1, 2, 4, 6])
    #expect(try double.prepare(series([0, 2, 6], rate: 20)).values == [0, 2, 6])
    #expect(try double.prepare(series([0, 1, 2, 3, 4], rate: 40)).values == [0, 2, 4])
    // 10 ms, then 90 ms, then two steps at once.
    let uneven = try series([0, 1, 10, 20], times: [1000, 1010, 1100, 1100])
    let even = try SeriesPreparation(channels: ["a"], rate: 100).prepare(uneven)
    #expect(isClose(even.values, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20], tolerance: 1e-6))
    #expect(even.rate == 100 && even.times == nil)
    #expect(try double.prepare(series([3], rate: 1)).values == [3])
  }

  @Test func aRateNeedsARateOrTimes() throws {
    let preparation = try SeriesPreparation(channels: ["a"], rate: 20)
    #expect(throws: SeriesError.unknownRate) { try preparation.prepare(series([0, 1])) }
    // A recording with a clock that jumps by thousands of years needs no memory.
    let error = #expect(throws: SeriesError.self) {
      try preparation.prepare(series([0, 1], times: [0, 1e15]))
    }
    guard case .tooLong? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func lengthsAreFixedOrLimited() throws {
    let long = try series([0, 1, 2, 3, 4, 5, 6, 7, 8], rate: 8)
    let exactly = try SeriesPreparation(channels: ["a"], length: .exactly(5))
    let short = try series([0, 4])
    #expect(try exactly.prepare(long).values == [0, 2, 4, 6, 8])
    #expect(try exactly.prepare(long).rate == 4)
    #expect(try exactly.prepare(short).values == [0, 1, 2, 3, 4])
    #expect(try exactly.prepare(series([7])).values == [7, 7, 7, 7, 7])
    let limited = try SeriesPreparation(channels: ["a"], length: .atMost(5))
    #expect(try limited.prepare(long).values == [0, 2, 4, 6, 8])
    #expect(try limited.prepare(short).values == [0, 4])
    #expect(
      try SeriesPreparation(channels: ["a"], length: .exactly(1)).prepare(long).values == [0])
  }

  @Test func normalisationIsMeasuredAfterFillingAndResampling() throws {
    let preparation = try SeriesPreparation.measured(on: [
      series([1, 5, gap, 5, 3, 5], channels: ["a", "b"]), series([6, 5], channels: ["a", "b"]),
    ])
    // a: 1, 2, 3, 6; b: constant.
    #expect(preparation.means == [3, 5])
    #expect(isClose(preparation.scales, [Float(3.5).squareRoot(), 1], tolerance: 1e-6))
    let prepared = try preparation.prepare(series([3, 5, 6, 7], channels: ["a", "b"]))
    #expect(isClose(prepared.values, [0, 0, 3 / Float(3.5).squareRoot(), 2], tolerance: 1e-6))
  }

  @Test func aConstantChannelHasScaleOneHoweverItsMeanIsRounded() throws {
    let preparation = try SeriesPreparation.measured(
      on: [series([Float](repeating: 0.1, count: 1001)), series([Float](repeating: 0.1, count: 7))])
    #expect(preparation.scales == [1])
    // Neighbouring numbers differ by rounding only.
    let rounded = (0..<100).map { $0 % 2 == 0 ? Float(0.1) : Float(0.1).nextUp }
    #expect(try SeriesPreparation.measured(on: [series(rounded)]).scales == [1])
    #expect(throws: SeriesError.empty) { try SeriesPreparation.measured(on: []) }
  }

  @Test func resultsAreFinite() throws {
    let preparation = try SeriesPreparation(
      channels: ["a"], rate: 3, means: [-.greatestFiniteMagnitude], scales: [.leastNonzeroMagnitude]
    )
    let prepared = try preparation.prepare(
      series([.greatestFiniteMagnitude, gap, -.greatestFiniteMagnitude], rate: 1))
    #expect(prepared.values.allSatisfy { $0.isFinite })
  }

  @Test func codingKeepsEverything() throws {
    for length in [nil, .exactly(40), .atMost(500)] as [SeriesPreparation.Length?] {
      let preparation = try SeriesPreparation(
        channels: ["b", "a"], rate: length == nil ? nil : 50, length: length, means: [0.1, -3e-20],
        scales: [1.5, 7])
      let data = try JSONEncoder().encode(preparation)
      #expect(try JSONDecoder().decode(SeriesPreparation.self, from: data) == preparation)
    }
  }

  @Test(arguments: [
    #"{"channels":[],"means":[],"scales":[]}"#,
    #"{"channels":["a","a"],"means":[0,0],"scales":[1,1]}"#,
    #"{"channels":["a"],"means":[0,0],"scales":[1,1]}"#,
    #"{"channels":["a"],"means":[0],"scales":[0]}"#,
    #"{"channels":["a"],"means":[0],"scales":[-1]}"#,
    #"{"channels":["a"],"means":[0],"scales":[1],"rate":0}"#,
    #"{"channels":["a"],"means":[0],"scales":[1],"length":0}"#,
    #"{"channels":["a"],"means":[0],"scales":[1],"maxLength":-4}"#,
    #"{"channels":["a"],"means":[0],"scales":[1],"length":4000000000000}"#,
    #"{"channels":["a"],"means":[0],"scales":[1],"length":4,"maxLength":4}"#,
    #"{"channels":"a","means":[0],"scales":[1]}"#,
  ])
  func malformedPreparationsAreRefused(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SeriesPreparation.self, from: Data(json.utf8))
    }
  }
}
