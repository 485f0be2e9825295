import Foundation
import InkImageIO
import InkRaster
import InkSeries
import JSONReading
import SafeFiles
import SeededRandom
import Testing
import TestSupport

@testable import InkDatasets

/// Splits, descriptions, sheets and variations of series.
@Suite(.timeLimit(.minutes(30))) struct SeriesUseTests {
  private func recordings(people: Int, sessions: Int, each: Int) throws -> Dataset {
    var generator = SeededGenerator(seed: 9)
    return Dataset(
      try (0..<people * sessions * each).map { index in
        var example = Example(
          .series(
            try Series(
              channels: ["ax", "ay", "az", "p"],
              values: (0..<80).map { _ in Float(generator.normal()) }, rate: 10)),
          label: ["jab", "hook"][index % 2], writer: "p\(index / each / sessions)", source: "s",
          origin: "\(index)")
        example.session = "s\(index / each % sessions)"
        return example
      })
  }

  @Test(arguments: 0..<10) func nothingOfASessionLiesOnBothSides(seed: Int) throws {
    let dataset = try recordings(people: 4, sessions: 5, each: 6)
    let split = Split(method: .session, seed: UInt64(seed))
    let parts = split.parts(of: dataset)
    #expect(parts == split.parts(of: dataset))
    #expect(Set(parts) == Set(Split.Part.allCases))
    var sides: [String: Set<Split.Part>] = [:]
    var people: [String: Set<Split.Part>] = [:]
    for (example, part) in zip(dataset.examples, parts) {
      sides[example.sitting!, default: []].insert(part)
      people[example.hand!, default: []].insert(part)
    }
    #expect(sides.count == 20 && sides.values.allSatisfy { $0.count == 1 })
    // A person has several sessions, which may be apart.
    #expect(people.values.contains { $0.count > 1 })
  }

  @Test func dividedSeriesAreReadBack() throws {
    let folder = try TemporaryFolder()
    var dataset = try recordings(people: 6, sessions: 1, each: 4)
    dataset.examples[0].label = ""
    dataset.examples[0].spans = [Span(0..<5, label: "jab"), Span(7..<9, label: "hook")]
    let written = try SplitFolder.write(
      dataset, split: Split(method: .writer, seed: 2), input: "x", method: "by writer",
      form: .ndjson, rasterizer: nil, to: "\(folder.path)/split")
    let counts: [Int] = written.manifest.counts.values.flatMap(\.values)
    #expect(counts.reduce(0, +) == 25)
    var examples: [Example] = []
    for part in Split.Part.allCases { examples += try written.load(part).dataset.examples }
    #expect(
      Set(examples.map(\.contentFingerprint)) == Set(dataset.examples.map(\.contentFingerprint)))
    #expect(examples.count { $0.spans == dataset.examples[0].spans } == 1)
  }

  @Test func aSeriesHasNoPicture() throws {
    let dataset = try recordings(people: 1, sessions: 1, each: 2)
    #expect(throws: RasterError.series) { try dataset.examples[0].bitmap(.standard) }
    var generator = SeededGenerator(seed: 1)
    for augmentation in [Augmentation.none, .anyAngle] {
      #expect(throws: RasterError.series) {
        try augmentation.bitmap(
          of: dataset.examples[0], rasterizer: .standard, using: &generator)
      }
    }
    let folder = try TemporaryFolder()
    for form in [DatasetFormat.folder, .idx, .npy] {
      #expect(throws: (any Error).self) {
        try form.write(dataset, rasterizer: .standard, to: "\(folder.path)/pictures")
      }
    }
    #expect(FileTree.names(in: folder.path) == [])
  }

  @Test func spansHaveNoSingleClass() throws {
    var dataset = try recordings(people: 1, sessions: 1, each: 2)
    dataset.examples[1].label = ""
    dataset.examples[1].spans = [Span(0..<5, label: "rest")]
    #expect(Dataset(dataset.examples).labels == ["jab", "rest"])
    let error = #expect(throws: FileError.self) { try dataset.classes() }
    #expect(
      error?.description == "1: expected one label for the whole recording, found 1 labelled span")
  }

  @Test func descriptionsCountSeries() throws {
    var dataset = try recordings(people: 2, sessions: 2, each: 3)
    dataset.examples[0].label = ""
    dataset.examples[0].spans = [Span(0..<5, label: "jab"), Span(7..<9, label: "rest")]
    dataset.examples[1].content = .series(
      try Series(channels: ["ax", "q"], values: [1, .nan, 3, .nan, .nan, .nan]))
    dataset.examples[3].content = dataset.examples[2].content
    let description = try DatasetDescription(of: dataset)
    let series = try #require(description.series)
    #expect(series.count == 12 && series.unknownRateCount == 1)
    #expect(series.channels.map(\.name) == ["ax", "ay", "az", "p", "q"])
    #expect(series.channels.map(\.recordings) == [12, 11, 11, 11, 1])
    #expect(series.channels.map(\.missing) == [1, 0, 0, 0, 3])
    #expect(series.channels[4].mean == nil)
    #expect(series.measures[0].least == 3 && series.measures[0].greatest == 20)
    #expect(series.measures[1].median == 10 && series.measures[2].greatest == 1.9)
    #expect(series.sessions.count == 4)
    #expect(series.spans["jab"] == .init(spans: 1, steps: 5))
    #expect(series.unlabelledSteps == 13)
    #expect(description.counts["jab"]?["s"] == 6)
    #expect(description.exactDuplicates.map(\.first) == ["2"])
    #expect(description.hands.count == 2 && description.ink.isEmpty)
  }

  // MARK: Sheets

  @Test func sheetsShowEachChannelInItsColor() throws {
    let rising = try Series(channels: ["a", "b"], values: [0, 1, 1, 0])
    let sheet = CurveSheet([.init(title: "x", series: [rising])], columns: 1).render()
    #expect(sheet.width == CurveSheet.cellWidth + 12)
    let upper = sheet.height - 12 - CurveSheet.cellHeight
    let (blue, orange) = (ColorPicture.Color(90, 180, 255), ColorPicture.Color(255, 150, 60))
    // One from the bottom left to the top right, the other from the top left to the bottom right.
    let (left, right) = (6, 6 + CurveSheet.cellWidth - 1)
    let (top, bottom) = (upper + 3, upper + CurveSheet.cellHeight - 3)
    #expect(sheet[bottom, left] == blue && sheet[top, right] == blue)
    #expect(sheet[top, left] == orange && sheet[bottom, right] == orange)
    var colors = Set<ColorPicture.Color>()
    for row in top...bottom { colors.insert(sheet[row, left + CurveSheet.cellWidth / 4]) }
    #expect(colors.count == 3)
  }

  @Test func sheetsOfExtremeSeriesAreDrawn() throws {
    let big = Float.greatestFiniteMagnitude
    let sheet = CurveSheet([
      .init(
        title: "all",
        series: [
          try Series(channels: ["a"], values: [1]),
          try Series(channels: ["a", "b"], values: [.nan, .nan]),
          try Series(channels: ["a"], values: [-big, big, .nan, 0]),
          try Series(channels: ["c"], values: [Float](repeating: 3, count: 100_000)),
        ]), .init(title: "none", series: []),
    ]).render()
    #expect(sheet.samples.count == sheet.width * sheet.height * 3)
  }

  // MARK: Variations

  @Test func axesAreFoundByName() {
    let wearable = SeriesAugmentation.wearable
    #expect(wearable.groups(in: ["ax", "ay", "az", "gx", "gy", "gz"]) == [[0, 1, 2], [3, 4, 5]])
    #expect(wearable.groups(in: ["acc_Z", "t", "acc_X", "acc_Y"]) == [[2, 3, 0]])
    #expect(wearable.groups(in: ["xaxis_x", "xaxis_y", "xaxis_z"]) == [[0, 1, 2]])
    #expect(wearable.groups(in: ["dim_0", "ax", "ay"]) == [])
    #expect(
      SeriesAugmentation(axes: [["c", "a", "b"], ["a", "b", "q"]]).groups(in: ["a", "b", "c"])
        == [[2, 0, 1]])
  }

  @Test func rotationKeepsLengthsAndTurnsAllGroupsAlike() throws {
    let series = try Series(
      channels: ["ax", "ay", "az", "gx", "gy", "gz"],
      values: [1, 2, 3, 1, 2, 3, 0, 0, 4, 0, 0, 4, 1, .nan, 2, 5, 5, 5])
    for seed in 0..<20 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let turned = SeriesAugmentation(rotation: .pi).vary(series, using: &generator)
      for step in 0..<2 {
        let (a, g) = ((0..<3).map { turned[step, $0] }, (3..<6).map { turned[step, $0] })
        #expect(isClose(a, g, tolerance: 1e-5))
        let length = a.reduce(0) { $0 + $1 * $1 }
        #expect(abs(length - [14, 16][step]) < 1e-3)
      }
      #expect(turned[2, 0].isNaN && !turned[2, 3].isNaN)
    }
  }

  @Test func warpingKeepsTheEndsAndTheOrder() throws {
    let ramp = try Series(channels: ["a"], values: (0..<50).map { Float($0) }, rate: 5)
    var changed = 0
    for seed in 0..<50 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let (warped, spans) = SeriesAugmentation(warp: 0.9).vary(
        ramp, spans: [Span(0..<10, label: "a"), Span(10..<50, label: "b")], using: &generator)
      #expect(warped.length == 50 && warped.rate == 5)
      #expect(warped.values[0] == 0 && warped.values[49] == 49)
      #expect(zip(warped.values, warped.values.dropFirst()).allSatisfy { $0 <= $1 })
      if warped != ramp { changed += 1 }
      #expect(spans.count == 2 && spans[0].range.upperBound == spans[1].range.lowerBound)
      #expect(spans[0].range.lowerBound == 0 && spans[1].range.upperBound == 50)
      // The border is at the same value.
      #expect(abs(warped.values[spans[1].range.lowerBound] - 10) < 2.5)
    }
    #expect(changed == 50)
  }

  @Test func croppingKeepsThePartsInside() throws {
    let ramp = try Series(
      channels: ["a"], values: (0..<40).map { Float($0) }, times: (0..<40).map { Double($0) })
    for seed in 0..<50 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let (cropped, spans) = SeriesAugmentation(crop: 0.5).vary(
        ramp, spans: [Span(0..<20, label: "a"), Span(20..<40, label: "b")], using: &generator)
      #expect((20...40).contains(cropped.length))
      #expect(cropped.times?.map { Float($0) } == cropped.values)
      #expect(spans.reduce(0) { $0 + $1.range.count } == cropped.length)
      for span in spans {
        let isFirst = span.label == "a"
        #expect(span.range.allSatisfy { (cropped.values[$0] < 20) == isFirst })
      }
    }
  }

  @Test func jitterAndScalingHaveTheirSize() throws {
    var generator = SeededGenerator(seed: 4)
    let values = (0..<20_000).map { Float($0 % 2 == 0 ? 0 : 10) + ($0 % 2 == 0 ? 1 : -1) }
    let series = try Series(channels: ["a"], values: values)
    let noisy = SeriesAugmentation(jitter: 0.1).vary(series, using: &generator)
    let differences = zip(noisy.values, values).map { Double($0 - $1) }
    let deviation = (differences.reduce(0) { $0 + $1 * $1 } / 20_000).squareRoot()
    // The standard deviation of 1 and 9 is 4.
    #expect(abs(deviation - 0.4) < 0.02)
    for _ in 0..<50 {
      let scaled = SeriesAugmentation(scaling: 0.25).vary(series, using: &generator)
      let factor = scaled.values[0] / values[0]
      #expect((0.8 - 1e-6...1.25 + 1e-6).contains(factor))
      #expect(isClose(scaled.values, values.map { $0 * factor }, tolerance: 1e-5))
    }
  }

  @Test(arguments: 0..<20) func variationsAreRepeatableAndFinite(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed), stream: 1)
    let length = generator.index(below: 30) + 1
    let values = (0..<length * 4).map { _ -> Float in
      generator.chance(0.1) ? .nan : Float(generator.normal()) * 1e37
    }
    let series = try Series(channels: ["ax", "ay", "az", "b"], values: values)
    let strong = SeriesAugmentation(crop: 0.9, warp: 0.9, rotation: 3, scaling: 10, jitter: 10)
    for augmentation in [strong, .wearable] {
      var (one, other) = (generator, generator)
      let varied = augmentation.vary(series, using: &one)
      #expect(varied == augmentation.vary(series, using: &other))
      #expect(varied.length >= 1 && varied.channels == series.channels)
      #expect(varied.values.allSatisfy { !$0.isInfinite })
    }
    #expect(SeriesAugmentation.none.vary(series, using: &generator) == series)
  }

  @Test(arguments: [
    #"{"crop":1}"#, #"{"warp":-0.1}"#, #"{"rotation":4}"#, #"{"axes":[["a","b"]]}"#,
    #"{"axes":[["a","b","a"]]}"#, #"{"tremor":0.1}"#, #"{"jitter":"x"}"#,
  ])
  func malformedAugmentationsAreRefused(json: String) {
    #expect(throws: JSONError.self) {
      try SeriesAugmentation(strictJSON: Data(json.utf8), name: "a")
    }
  }

  @Test func augmentationsAreReadAsWritten() throws {
    let data = try JSONEncoder().encode(SeriesAugmentation.wearable)
    #expect(try JSONDecoder().decode(SeriesAugmentation.self, from: data) == .wearable)
  }
}
