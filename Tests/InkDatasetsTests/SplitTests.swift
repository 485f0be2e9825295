import Ink
import InkRaster
import SafeFiles
import SeededRandom
import Testing
import TestSupport

@testable import InkDatasets

@Suite(.timeLimit(.minutes(30))) struct SplitTests {
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

  /// Folds are equal by their examples, not by their writers.
  @Test func foldsAreEqualWhereWritersAreNot() {
    let sizes = [40] + [Int](repeating: 4, count: 10)
    let dataset = Dataset(
      sizes.enumerated().flatMap { writer, size in
        (0..<size).map { index in
          Example(
            .drawing(circle(radius: Double(index + 1))), label: "a", writer: "w\(writer)",
            source: "s", origin: "\(writer) \(index)")
        }
      })
    let differences = (0..<20 as Range<UInt64>).map { seed in
      let folds = Split.folds(of: dataset, count: 2, seed: seed)
      return abs(2 * folds.count { $0 == 0 } - folds.count)
    }
    // Where the largest writer is dealt early, the others make up for it.
    #expect(differences.contains(0))
  }

  @Test func everyFoldIsValidatedByTheNextAndTheLastByTheFirst() {
    let dataset = dataset(writers: 12, single: 40)
    let folds = Split.folds(of: dataset, count: 4, seed: 3)
    for fold in 0..<4 {
      let parts = Split(method: .fold(index: fold, count: 4), seed: 3).parts(of: dataset)
      #expect(
        parts
          == folds.map { $0 == fold ? .test : $0 == [1, 2, 3, 0][fold] ? .validation : .train })
      let without = Split(method: .fold(index: fold, count: 4), seed: 3, validationShare: 0)
      #expect(without.parts(of: dataset) == folds.map { $0 == fold ? .test : .train })
    }
  }

  @Test func hashedPartsHaveTheirShares() {
    let data = dataset(writers: 0, single: 4000)
    for seed in 0..<3 as Range<UInt64> {
      let parts = Split(method: .hash, seed: seed, validationShare: 0.3, testShare: 0.1)
        .parts(of: data)
      // Three standard deviations of a binomial draw are 87 and 57.
      #expect(abs(parts.count { $0 == .validation } - 1200) < 90)
      #expect(abs(parts.count { $0 == .test } - 400) < 60)
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
    var drawing = try #require(data.examples[3].content.drawing)
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

  @Test(arguments: 0..<2) func nearPairsAreThoseThatComparingAllFinds(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    // Some pictures, and copies that are noisy by about as much as may be.
    var bitmaps = (0..<40).map { _ in
      Bitmap(
        width: 28, height: 28, pixels: (0..<784).map { _ in UInt8(generator.index(below: 80)) })
    }
    bitmaps += bitmaps.map { bitmap in
      let noise = 3 + generator.index(below: 5)
      return Bitmap(
        width: 28, height: 28,
        pixels: bitmap.pixels.map { $0 + UInt8(generator.index(below: noise)) })
    }
    let indices = Array(bitmaps.indices.dropFirst(3))
    var expected: [[Int]] = []
    for first in indices {
      for second in indices where second > first {
        let difference = zip(bitmaps[first].pixels, bitmaps[second].pixels).reduce(0) {
          $0 + abs(Int($1.0) - Int($1.1))
        }
        if difference <= Int(2.5 * 784) { expected.append([first, second]) }
      }
    }
    var compared: [Int] = []
    let pairs = NearPictures(bitmaps).pairs(among: indices, within: 2.5, atMost: 1000) {
      compared.append($0)
    }
    #expect(Set(pairs.map { [$0, $1].sorted() }) == Set(expected))
    #expect(pairs.count == expected.count && expected.count > 5 && expected.count < 37)
    #expect(compared == [0])
    #expect(
      NearPictures(bitmaps).pairs(among: indices, within: 255, atMost: 10) { _ in }.count == 11)
  }

  @Test func theGreatestDistanceIsStillNear() {
    // Spread over the picture, so that no square alone tells.
    func picture(_ sum: Int) -> Bitmap {
      Bitmap(
        width: 28, height: 28,
        pixels: (0..<784).map { UInt8(sum / 784 + ($0 < sum % 784 ? 1 : 0)) })
    }
    for (sum, count) in [(1959, 1), (1960, 1), (1961, 0)] {
      let pairs = NearPictures([picture(0), picture(sum)])
        .pairs(among: [0, 1], within: 2.5, atMost: 9) { _ in }
      #expect(pairs.count == count)
    }
    // The sums are equal, the pixels are not.
    let (left, right) = (Array(repeating: UInt8(200), count: 14), [UInt8](repeating: 0, count: 14))
    let halves = [left + right, right + left].map { row in
      Bitmap(width: 28, height: 28, pixels: (0..<28).flatMap { _ in row })
    }
    #expect(NearPictures(halves).pairs(among: [0, 1], within: 2.5, atMost: 9) { _ in }.isEmpty)
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
    // Parts are light ink on dark as they were written, also where most of a picture is light.
    let bright = Dataset(
      try data.examples.map {
        Example(.bitmap(try $0.bitmap(.standard).inverted()), label: $0.label, origin: $0.origin)
      })
    let pictures = try SplitFolder.write(
      bright, split: Split(method: .hash, seed: 2), input: "x", method: "by hash", form: .npy,
      rasterizer: .standard, to: "\(folder.path)/p")
    let loaded = try Split.Part.allCases.map { try pictures.load($0).dataset.examples }.joined()
    #expect(
      Set(loaded.map(\.contentFingerprint)) == Set(bright.examples.map(\.contentFingerprint)))
    #expect(try SplitFolder(path: folder.path) == nil)
    // One that says a label twice is none.
    let manifest = try String(contentsOfFile: "\(folder.path)/d/split.json", encoding: .utf8)
    let label = data.labels[0]
    try folder.write(
      "d/split.json",
      manifest.replacing("\"labels\" : [", with: "\"labels\" : [ \"\(label)\","))
    #expect(throws: FileError.self) { try SplitFolder(path: "\(folder.path)/d") }
    try folder.write("d/split.json", "{}")
    #expect(throws: FileError.self) { try SplitFolder(path: "\(folder.path)/d") }
  }
}
