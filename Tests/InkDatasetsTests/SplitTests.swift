import Ink
import InkRaster
import Testing
import TestSupport

@testable import InkDatasets

@Suite struct SplitTests {
  private func dataset(writers: Int, single: Int) -> Dataset {
    Dataset(
      (0..<writers * 6).map { index in
        Example(
          .drawing(circle(radius: Double(index + 1))), label: ["a", "b"][index % 2],
          writer: "w\(index / 6)", source: "s", origin: "\(index)")
      }
        + (0..<single).map { index in
          Example(
            .drawing(circle(radius: Double(index + 1), count: 9)), label: ["a", "b"][index % 2],
            origin: "single \(index)")
        })
  }

  @Test(arguments: [Split.Method.writer, .hash, .fold(index: 2, count: 5)], 0..<10)
  func nothingOfAWriterLiesOnBothSides(method: Split.Method, seed: Int) {
    let dataset = dataset(writers: 20, single: 30)
    let parts = Split(method: method, seed: UInt64(seed)).parts(of: dataset)
    #expect(parts.count == dataset.examples.count)
    var sides: [String: Set<Split.Part>] = [:]
    for (example, part) in zip(dataset.examples, parts) {
      if let hand = example.hand { sides[hand, default: []].insert(part) }
    }
    #expect(sides.count == 20)
    #expect(sides.values.allSatisfy { $0.count == 1 })
    #expect(Set(parts) == Set(Split.Part.allCases))
    #expect(parts == Split(method: method, seed: UInt64(seed)).parts(of: dataset))
  }

  @Test func sharesAreKept() {
    let parts = Split(method: .writer, seed: 1, validationShare: 0.2, testShare: 0.1)
      .parts(of: dataset(writers: 40, single: 0))
    #expect(parts.count { $0 == .train } == 168)
    #expect(parts.count { $0 == .validation } == 48)
    #expect(parts.count { $0 == .test } == 24)
  }

  @Test func withoutAShareAPartIsEmpty() {
    let parts = Split(method: .writer, seed: 1, validationShare: 0.2, testShare: 0)
      .parts(of: dataset(writers: 10, single: 5))
    #expect(!parts.contains(.test))
  }

  @Test func foldsTestEveryExampleOnceAndSpreadClasses() {
    let dataset = dataset(writers: 0, single: 50)
    let folds = Split.folds(of: dataset, count: 5, seed: 4)
    for fold in 0..<5 {
      let labels = dataset.examples.indices.filter { folds[$0] == fold }
        .map { dataset.examples[$0].label }
      #expect(labels.count { $0 == "a" } == 5 && labels.count { $0 == "b" } == 5)
    }
  }

  @Test func whatIsAddedMovesNothingThatWasHashed() {
    let all = dataset(writers: 30, single: 20)
    let fewer = all.subset(Array(0..<100))
    let split = Split(method: .hash, seed: 8)
    #expect(Array(split.parts(of: all).prefix(100)) == split.parts(of: fewer))
  }

  @Test func duplicatesAcrossPartsAreFound() throws {
    var data = dataset(writers: 2, single: 0)
    data.examples[11].content = data.examples[0].content
    // Nearly the same as another: one point moved by a hair.
    guard case .drawing(var drawing) = data.examples[3].content else { return }
    drawing.strokes[0].points[5].x += 0.01
    data.examples[10].content = .drawing(drawing)
    let parts = data.examples.indices.map { $0 < 6 ? "train" : "test" }
    let description = try DatasetDescription(of: data, parts: parts)
    #expect(
      description.exactDuplicates == [
        DatasetDescription.Pair(
          first: "0", second: "11", labelsDiffer: true, crossesParts: true)
      ])
    #expect(description.nearDuplicates.contains { $0.first == "3" && $0.second == "10" })
    #expect(description.counts == ["a": ["s": 6], "b": ["s": 6]])
    #expect(description.hands == ["s/w0": 6, "s/w1": 6])
  }

  @Test func aDividedFolderIsReadBack() throws {
    let folder = try TemporaryFolder()
    let data = dataset(writers: 12, single: 0)
    let split = Split(method: .writer, seed: 2)
    let written = try SplitFolder.write(
      data, split: split, input: "x", method: "by writer", form: .ndjson, rasterizer: .standard,
      to: "\(folder.path)/d")
    let read = try #require(try SplitFolder(path: "\(folder.path)/d"))
    #expect(read.manifest == written.manifest)
    let parts = split.parts(of: data)
    for part in Split.Part.allCases {
      let expected = data.subset(parts.indices.filter { parts[$0] == part })
      #expect(try read.load(part).dataset.fingerprint == expected.fingerprint)
    }
    #expect(try SplitFolder(path: folder.path) == nil)
    // One that says a label twice is none.
    let manifest = try String(contentsOfFile: "\(folder.path)/d/split.json", encoding: .utf8)
    let label = data.labels[0]
    try folder.write(
      "d/split.json",
      manifest.replacing("\"labels\" : [", with: "\"labels\" : [ \"\(label)\","))
    #expect(throws: DatasetError.self) { try SplitFolder(path: "\(folder.path)/d") }
    try folder.write("d/split.json", "{}")
    #expect(throws: DatasetError.self) { try SplitFolder(path: "\(folder.path)/d") }
  }
}
