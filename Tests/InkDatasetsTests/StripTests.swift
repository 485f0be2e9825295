import Foundation
import Ink
import InkImageIO
import InkRaster
import SafeFiles
import SeededRandom
import Testing
import TestSupport

@testable import InkDatasets

/// Strips with a line of writing, as data and in training.
@Suite(.timeLimit(.minutes(30))) struct StripTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Four thick bars and a rule, dark on light.
  private static let bars: Bitmap = {
    var strip = Bitmap(width: 120, height: 48, filledWith: 220)
    for row in 12..<38 {
      for column in 20..<100 where column % 20 < 4 || row > 34 { strip[row, column] = 40 }
    }
    return strip
  }()

  private func strip(_ name: String, _ bitmap: Bitmap = bars) throws {
    try folder.write(name, PNG.encode(bitmap))
  }

  // MARK: Files

  @Test func stripsAreReadWithTextWriterAndPart() throws {
    try strip("ann/1.png")
    try strip("bob/1.png", Self.bars.inverted())
    try folder.write(
      "labels.tsv",
      "writer\tpath\ttext\tsplit\r\nann\tann/1.png\tq0 → \"q1\"\ttrain\r\n\tbob/1.png\tε\tval\r\n")
    let loaded = try Dataset.load(folder.path)
    #expect(loaded.failures.isEmpty && loaded.skipped.isEmpty && loaded.pictureCount == 0)
    let examples = loaded.dataset.examples
    #expect(examples.map(\.label) == ["q0 → \"q1\"", "ε"])
    #expect(examples.map(\.writer) == ["ann", nil])
    #expect(examples.map(\.part) == [.train, .validation])
    #expect(examples[0].content == .strip(Self.bars))
    #expect(examples[1].content == .strip(Self.bars.inverted()))
    #expect(examples[0].source == FileTree.name(of: folder.path))
    // A reader sees the same line, however light the paper is.
    #expect(try examples[0].line(.standard).bitmap == examples[1].line(.standard).bitmap)
  }

  @Test func whatCannotBeUsedIsNamedAndTheRestIsRead() throws {
    try strip("good.png")
    try strip("dot.png", Bitmap(width: 1, height: 1))
    try strip("long.png", Bitmap(width: 20_000, height: 48, filledWith: 255))
    try strip("unlisted.png")
    try folder.write("broken.png", "no picture")
    try folder.write(
      "labels.tsv",
      """
      path\ttext\twriter\tsplit
      good.png\tgood\tann\t
      good.png\tshort
      missing.png\tmissing\tann\t
      dot.png\tdot\tann\t
      long.png\tlong\tann\t
      broken.png\tbroken\tann\t
      ../good.png\toutside\tann\t
      /etc/good.png\toutside\tann\t
      good.png\tpart\tann\tpractice
      good.png\t\tann\ttrain

      """)
    let loaded = try Dataset.load(folder.path)
    #expect(loaded.dataset.examples.map(\.label) == ["good"])
    #expect(loaded.unlabelledCount == 1)
    #expect(loaded.skipped == ["\(folder.path)/unlisted.png"])
    let table = "\(folder.path)/labels.tsv"
    #expect(
      loaded.failures == [
        "\(table):3: expected 4 columns, found 2",
        "\(table):4: \(folder.path)/missing.png: expected a readable file, found none",
        "\(folder.path)/dot.png: expected a strip of at least 4 × 8 pixels, found 1 × 1",
        "\(folder.path)/long.png: expected a strip at most 64 times as wide as it is high, found "
          + "20000 × 48",
        "\(table):7: \(folder.path)/broken.png: expected a PNG or a JPEG, found something else",
        "\(table):8: expected a path inside the folder, found `../good.png`",
        "\(table):9: expected a path inside the folder, found `/etc/good.png`",
        "\(table):10: expected train, val, validation, test or nothing as the split, found "
          + "`practice`",
      ])
  }

  @Test(arguments: ["", "file\ttext\n", "\n", "path,text\n"])
  func aTableWithoutItsColumnsIsRefused(header: String) throws {
    try folder.write("labels.tsv", header)
    let error = #expect(throws: FileError.self) { try Dataset.load(folder.path) }
    #expect(error?.expected == "a first row with the columns path and text, separated by tabs")
  }

  @Test func stripsAreWrittenAndReadAgain() throws {
    var examples = [
      Example(.strip(Self.bars), label: "a b", writer: "ann", origin: ""),
      Example(.strip(Self.bars.inverted()), label: "λ", origin: ""),
    ]
    examples[1].part = .test
    let path = "\(folder.path)/out"
    try DatasetFormat.strips.write(Dataset(examples), rasterizer: nil, to: path)
    // What the program wrote can be replaced.
    try FileTree.refuseExisting(path, force: true)
    let read = try Dataset.load(path).dataset.examples
    #expect(read.map(\.content) == examples.map(\.content))
    #expect(read.map(\.label) == ["a b", "λ"] && read.map(\.writer) == ["ann", nil])
    #expect(read.map(\.part) == [nil, .test])
    for text in ["a\tb", "a\nb"] {
      examples[0].label = text
      #expect(throws: FileError.self) {
        try DatasetFormat.strips.write(Dataset(examples), rasterizer: nil, to: path)
      }
    }
    #expect(throws: FileError.self) {
      try DatasetFormat.ndjson.write(Dataset(examples), rasterizer: nil, to: path + ".ndjson")
    }
    #expect(try Dataset.load(path).dataset.examples.count == 2)
  }

  @Test func aDescriptionCountsCharactersAndMeasuresStrips() throws {
    let examples = ["abba", "b"].map { Example(.strip(Self.bars), label: $0, origin: $0) }
    let description = try DatasetDescription(of: Dataset(examples))
    #expect(description.characters == ["a": 2, "b": 3])
    #expect(description.strips.map(\.name) == ["width, pixels", "height, pixels", "characters"])
    #expect(description.strips.map(\.least) == [120, 48, 1])
    #expect(description.exactDuplicates.count == 1 && description.nearDuplicates.isEmpty)
  }

  // MARK: Variations

  private func varied(
    _ augmentation: Augmentation, seed: UInt64 = 1, _ strip: Bitmap = bars
  ) -> Bitmap {
    var generator = SeededGenerator(seed: seed)
    return augmentation.vary(strip: strip, using: &generator)
  }

  private func mean(_ bitmap: Bitmap, _ columns: Range<Int>) -> Double {
    var sum = 0
    for row in 0..<bitmap.height { for column in columns { sum += Int(bitmap[row, column]) } }
    return Double(sum) / Double(columns.count * bitmap.height)
  }

  /// How much darker than the paper of the bars all pixels are together.
  private func ink(_ strip: Bitmap) -> Int { strip.pixels.reduce(0) { $0 + 220 - Int($1) } }

  private func mean(_ bitmap: Bitmap) -> Double { mean(bitmap, 0..<bitmap.width) }

  @Test func theSameSeedGivesTheSameStrip() {
    #expect(varied(.line) == varied(.line))
    #expect(Set((1..<20).map { varied(.line, seed: $0) }).count == 19)
    // Nothing stands out, so nothing is varied.
    let blank = Bitmap(width: 20, height: 20, filledWith: 128)
    #expect(varied(.line, seed: 1, blank) == blank)
  }

  @Test func stripsAreSlopedSlantedAndStretched() throws {
    let seeds: ClosedRange<UInt64> = 1...20
    let sloped = seeds.map { varied(Augmentation(rotation: 0.2), seed: $0) }
    #expect(sloped.allSatisfy { $0.width == 120 } && sloped.contains { $0.height > 60 })
    let slanted = seeds.map { varied(Augmentation(shear: 0.5), seed: $0) }
    #expect(slanted.allSatisfy { $0.height == 48 } && slanted.contains { $0.width > 135 })
    let widths = seeds.map { varied(Augmentation(stretch: 0.5), seed: $0).width }
    #expect(widths.min()! < 100 && widths.max()! > 140)
    #expect(widths.allSatisfy { (80...181).contains($0) })
    // All the ink is still there.
    for strip in sloped + slanted {
      #expect(abs(Double(ink(strip)) / Double(ink(Self.bars)) - 1) < 0.1)
    }
  }

  @Test func inkBecomesThickerAndThinner() {
    let darkness = (1...30).map { seed in ink(varied(Augmentation(boldness: 1), seed: seed)) }
    let before = ink(Self.bars)
    #expect(darkness.contains { $0 > before * 5 / 4 } && darkness.contains { $0 < before * 9 / 10 })
    #expect(darkness.allSatisfy { $0 > before / 2 })
  }

  @Test func remainsAndPaperAddInkBehindTheWriting() throws {
    let paper = (1...20).map { varied(Augmentation(paper: 1), seed: $0) }
    for strip in paper {
      // The paper is ruled all along, faintly.
      #expect(mean(strip, 0..<15) < 219.9 && mean(strip, 105..<120) < 219.9)
      #expect((0..<48).allSatisfy { strip[$0, 2] > 110 })
    }
    let remains = (1...20).map { varied(Augmentation(remains: 1), seed: $0) }
    // Some are beyond the border.
    let before = Self.bars.pixels.count { $0 < 180 }
    #expect(remains.count { $0.pixels.count { $0 < 180 } > before + 5 } > 14)
    for strip in remains { #expect((16..<34).contains { strip[$0, 51] > 200 }) }
  }

  @Test func blurLightNoiseAndInversionChangeTheGrey() {
    func edge(_ strip: Bitmap) -> Int {
      (1..<strip.width).map { abs(Int(strip[25, $0]) - Int(strip[25, $0 - 1])) }.max()!
    }
    let plain = varied(Augmentation(inversion: 0.5), seed: 1)
    let blurred = (1...20).map { varied(Augmentation(blur: 2), seed: $0) }
    #expect(blurred.map(edge).min()! < edge(plain) * 2 / 3)
    let lit = (1...20).map { varied(Augmentation(light: 0.5), seed: $0) }
    #expect(lit.contains { abs(mean($0, 0..<15) - mean($0, 105..<120)) > 30 })
    let grainy = (1...20).map { varied(Augmentation(noise: 0.2), seed: $0) }
    #expect(grainy.contains { Set($0.pixels.prefix(12)).count > 6 })
    let inverted = (1...20).count { mean(varied(Augmentation(inversion: 0.5), seed: $0)) < 128 }
    #expect((4...16).contains(inverted))
  }

  @Test func aReaderSeesTheSameWritingAfterMildVariations() throws {
    let example = Example(.strip(Self.bars), label: "x", origin: "")
    let plain = try example.line(.standard).bitmap
    let grey = Augmentation(light: 0.3, noise: 0.05, inversion: 0.5)
    for seed in 1...20 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let line = try grey.line(of: example, rasterizer: .standard, using: &generator).bitmap
      #expect(abs(line.width - plain.width) <= 3)
      #expect(abs(mean(line) - mean(plain)) < 12, "seed \(seed)")
    }
  }

  // MARK: Strokes

  /// The writing of two letters: a bar and a ring.
  private let word = Drawing([
    Stroke((0...40).map { Point(0, Double($0)) }),
    Stroke(
      (0...40).map { Point(30 + 15 * cos(Double($0) / 6.4), 25 + 15 * sin(Double($0) / 6.4)) }),
  ])

  @Test func theDirectionsOfThePenAreHiddenSometimes() throws {
    let rasterizer = try LineRasterizer(showsDirections: true)
    let example = Example(.drawing(word), label: "x", origin: "")
    func shown(_ share: Double) throws -> Int {
      try (1...40).count { seed in
        var generator = SeededGenerator(seed: UInt64(seed))
        let line = try Augmentation(penWidths: 2...3, hiddenDirections: share)
          .line(of: example, rasterizer: rasterizer, using: &generator)
        #expect(!line.isBlank && line.directions.count == 4 * line.bitmap.pixels.count)
        return line.directions.contains { $0 > 0 }
      }
    }
    #expect(try shown(0) == 40)
    #expect(try shown(1) == 0)
    #expect((10...30).contains(try shown(0.5)))
  }

  @Test func strokesAreBrokenAndDoubled() {
    for seed in 1...20 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let broken = Augmentation(breaks: 1).disturb(word, using: &generator)
      #expect((3...4).contains(broken.strokes.count))
      #expect(broken.length < word.length && broken.length > 0.7 * word.length)
      let doubled = Augmentation(doubling: 1).disturb(word, using: &generator)
      #expect((3...4).contains(doubled.strokes.count))
      #expect(Array(doubled.strokes.prefix(2)) == word.strokes)
      #expect(doubled.bounds!.width < word.bounds!.width + 12)
    }
    // A dash 100 wide counts as 25 high, of which a gap takes a fiftieth to a tenth.
    let dash = Drawing([Stroke((0...100).map { Point(Double($0), 0) })])
    let gaps = (1...60).compactMap { seed -> Double? in
      var generator = SeededGenerator(seed: UInt64(seed))
      let broken = Augmentation(breaks: 1).disturb(dash, using: &generator)
      return broken.strokes.count == 2 ? 100 - broken.length : nil
    }
    #expect(gaps.count > 10 && gaps.allSatisfy { (0.49...2.51).contains($0) })
    #expect(gaps.contains { $0 < 1 } && gaps.contains { $0 > 2 })
    var generator = SeededGenerator(seed: 1)
    #expect(Augmentation.upright.disturb(word, using: &generator) == word)
  }

  @Test func linesAreRecordedCoarsely() {
    var (gridCount, sparseCount) = (0, 0)
    for seed in 1...40 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let coarse = Augmentation(coarseness: 1).disturb(word, using: &generator)
      #expect(coarse.strokes.count == 2)
      #expect(abs(coarse.bounds!.height - 40) <= 4 && abs(coarse.bounds!.width - 45) <= 4)
      let points = coarse.strokes.flatMap(\.points)
      if points.count < 82 {
        sparseCount += 1
        #expect((8...60).contains(points.count))
      } else {
        gridCount += 1
        #expect(Set(points.map(\.y)).count <= 34)
      }
    }
    #expect(gridCount > 8 && sparseCount > 8)
    var generator = SeededGenerator(seed: 1)
    #expect(Augmentation(coarseness: 0).disturb(word, using: &generator) == word)
  }

  @Test func remainsAreBesideTheWriting() {
    let bounds = word.bounds!
    for seed in 1...50 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let disturbed = Augmentation(remains: 1).disturb(word, using: &generator)
      #expect(Array(disturbed.strokes.prefix(2)) == word.strokes)
      for stroke in disturbed.strokes.dropFirst(2) {
        // Its middle is outside the box of the writing.
        let middle = stroke.points[4]
        let isOutside =
          middle.x < bounds.minX || middle.x > bounds.maxX || middle.y < bounds.minY
          || middle.y > bounds.maxY
        #expect(isOutside && stroke.length < 2 * bounds.longerSide)
      }
    }
  }
}
