import Foundation
import Ink
import InkImageIO
import InkRaster
import SafeFiles
import Testing
import TestSupport

@testable import InkDatasets

/// Pictures and ink as people have them in folders and arrays.
@Suite(.timeLimit(.minutes(30))) struct PictureReadingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// A ring, light on black, that is different for each number.
  private func ring(_ number: Int, size: Int = 28) throws -> Bitmap {
    try Rasterizer(size: size).render(circle(radius: 50, turns: 0.5 + Double(number) / 20))
  }

  private func jpeg(_ bitmap: Bitmap) throws -> Data {
    try JPEG.encode(
      Photograph(
        width: bitmap.width, height: bitmap.height, channels: 1, samples: bitmap.pixels),
      quality: 95)
  }

  // MARK: Folders

  @Test func classFoldersLabelInkFiles() throws {
    try folder.write("ink/ring/1.inkml", "<ink><trace>0 0, 50 0, 60 30</trace></ink>")
    try folder.write("ink/ring/deep/2.ndjson", #"{"drawing":[[[0,50],[0,9]]]}"# + "\n")
    try folder.write(
      "ink/line/3.xml",
      #"<Gesture Name=""><Stroke><Point X="1" Y="2" T="0"/><Point X="90" Y="2" T="9"/></Stroke></Gesture>"#
    )
    try folder.write("ink/line/4.ndjson", #"{"word":"own","drawing":[[[0,50],[0,9]]]}"# + "\n")
    try folder.write("ink/5.ndjson", #"{"drawing":[[[0,50],[0,9]]]}"# + "\n")
    let loaded = try Dataset.load(path("ink"))
    let labels = Dictionary(grouping: loaded.dataset.examples, by: \.label).mapValues(\.count)
    #expect(labels["ring"] == 2 && labels["own"] == 1, "\(labels)")
    // What is in no class folder has no label.
    #expect(loaded.unlabelledCount == 1)
    #expect(
      try Dataset.load(path("ink"), labels: LabelMap(["ring": "state"])).dataset.labels
        .contains("state"))
  }

  @Test func theInkOfEachPictureIsDecidedByItself() throws {
    for number in 0..<4 {
      let bitmap = try ring(number)
      try folder.write(
        "mixed/a/\(number).png", PNG.encode(number == 0 ? bitmap.inverted() : bitmap))
    }
    let loaded = try Dataset.load(path("mixed"))
    #expect(loaded.pictureCount == 4 && loaded.invertedCount == 1)
    for (number, example) in loaded.dataset.examples.enumerated() {
      #expect(example.content == .bitmap(try ring(number)))
    }
    #expect(try Dataset.load(path("mixed"), polarity: .dark).invertedCount == 4)
    #expect(try Dataset.load(path("mixed"), polarity: .light).invertedCount == 0)
  }

  @Test func jpegsAreReadAsPNGsAre() throws {
    try folder.write("p/a/1.jpg", jpeg(ring(1, size: 64).inverted()))
    try folder.write("p/a/2.JPEG", jpeg(ring(2, size: 64)))
    try folder.write("p/b/3.png", PNG.encode(ring(3, size: 64)))
    // The content decides, not the name.
    try folder.write("p/b/4.png", jpeg(ring(4, size: 64)))
    try folder.write("p/b/5.jpg", jpeg(ring(5, size: 64)).prefix(300))
    try folder.write("p/b/6.jpg", "no picture")
    let loaded = try Dataset.load(path("p"))
    #expect(loaded.dataset.examples.count == 4 && loaded.dataset.labels == ["a", "b"])
    #expect(loaded.failures.count == 2, "\(loaded.failures)")
    #expect(loaded.invertedCount == 1)
    for (example, number) in zip(loaded.dataset.examples, [1, 2, 3, 4]) {
      guard case .bitmap(let bitmap) = example.content else { continue }
      let drawn = try ring(number, size: 64)
      let worst = zip(bitmap.pixels, drawn.pixels).map { abs(Int($0) - Int($1)) }.max()!
      #expect(worst < 40, "\(number)")
    }
    let strip = try ring(1, size: 48).inverted()
    try folder.write("s/labels.tsv", "path\ttext\n1.jpg\to\n")
    try folder.write("s/1.jpg", jpeg(strip))
    #expect(try Dataset.load(path("s")).dataset.examples.map(\.label) == ["o"])
    #expect(Dataset.FileKind(path: "x.jpeg") == .picture)
  }

  @Test func colouredJPEGsBecomeGrey() throws {
    let samples = (0..<32 * 32).flatMap { $0 % 32 < 16 ? [255, 0, 0] as [UInt8] : [0, 255, 0] }
    let data = try JPEG.encode(
      Photograph(width: 32, height: 32, channels: 3, samples: samples), quality: 95)
    let bitmap = try Bitmap.decode(data, path: "a")
    #expect(abs(Int(bitmap[5, 5]) - 76) < 6 && abs(Int(bitmap[5, 28]) - 150) < 6)
  }

  @Test func blankPicturesAreCountedAndLeftOut() throws {
    let white = Bitmap(width: 28, height: 28, filledWith: 255)
    try folder.write("f/a/1.png", PNG.encode(ring(1)))
    try folder.write("f/a/2.png", PNG.encode(white))
    try folder.write("f/b/3.png", PNG.encode(white.inverted()))
    try folder.write("f/b/4.jpg", jpeg(Bitmap(width: 28, height: 28, filledWith: 201)))
    let loaded = try Dataset.load(path("f"))
    #expect(loaded.blankCount == 3 && loaded.dataset.examples.count == 1)
    #expect(loaded.pictureCount == 1 && loaded.dataset.labels == ["a", "b"])
    let dataset = Dataset(
      [try ring(1), white.inverted(), try ring(2)].enumerated().map {
        Example(.bitmap($1), label: "\($0)", origin: "\($0)")
      })
    for form in [DatasetFormat.idx, .npy] {
      try form.write(dataset, rasterizer: .standard, to: path("\(form)"))
      let loaded = try Dataset.load(path("\(form)"))
      #expect(loaded.blankCount == 1 && loaded.dataset.examples.map(\.label) == ["0", "2"])
      #expect(
        loaded.dataset.examples.map(\.content) == [
          dataset.examples[0].content, dataset.examples[2].content,
        ])
    }
    try folder.write("t/labels.tsv", "path\ttext\n1.png\to\n2.png\tx\n3.png\t\u{FFFD}\n")
    for (name, bitmap) in [("1", try ring(1)), ("2", white), ("3", white)] {
      try folder.write("t/\(name).png", PNG.encode(bitmap))
    }
    // No writing can be nothing.
    let strips = try Dataset.load(path("t"))
    #expect(strips.blankCount == 1 && strips.dataset.examples.map(\.label) == ["o", "\u{FFFD}"])
  }

  // MARK: Arrays

  private func writeIDX(_ images: String, _ labels: String, from first: Int = 0) throws {
    let bitmaps = try (first..<first + 3).map { try ring($0) }
    try FileManager.default.createDirectory(
      atPath: (path(images) as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true)
    try IDX.write(
      IDX.Content(shape: [3, 28, 28], values: bitmaps.flatMap(\.pixels)), to: path(images))
    try IDX.write(IDX.Content(shape: [3], values: [0, 1, 0]), to: path(labels))
  }

  @Test(arguments: [
    ("train-images.idx3-ubyte", "train-labels.idx1-ubyte"),
    ("train-images-idx3-ubyte", "train-labels-idx1-ubyte.gz"),
    ("emnist-letters-train-images-idx3-ubyte.gz", "emnist-letters-train-labels-idx1-ubyte.gz"),
    ("images.idx3-ubyte", "labels.idx1-ubyte"), ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz"),
    ("t10k-images.idx", "t10k-labels.idx"),
  ]) func arraysAreFoundByTheirUsualNames(images: String, labels: String) throws {
    try writeIDX("d/\(images)", "d/\(labels)")
    try folder.write("d/readme.txt", "digits")
    for name in ["d", "d/\(images)"] {
      let loaded = try Dataset.load(path(name))
      #expect(loaded.dataset.examples.map(\.label) == ["0", "1", "0"])
      #expect(loaded.dataset.examples.allSatisfy { $0.part == nil })
      #expect(loaded.skipped.map(FileTree.name) == (name == "d" ? ["readme.txt"] : []))
      #expect(loaded.isTransposed == images.contains("emnist"))
    }
  }

  @Test func theArraysOfAFolderAreItsParts() throws {
    try writeIDX(
      "d/emnist-digits-train-images-idx3-ubyte", "d/emnist-digits-train-labels-idx1-ubyte")
    try writeIDX(
      "d/emnist-digits-test-images-idx3-ubyte", "d/emnist-digits-test-labels-idx1-ubyte", from: 5)
    #expect(
      PictureArray.path(of: .test, in: path("d"))
        == path("d/emnist-digits-test-images-idx3-ubyte"))
    #expect(PictureArray.path(of: .validation, in: path("d")) == nil)
    let loaded = try Dataset.load(path("d"))
    #expect(loaded.dataset.examples.map(\.part) == [.test, .test, .test, .train, .train, .train])
    #expect(loaded.pictureCount == 6)
    try writeIDX("d/emnist-mnist-train-images-idx3-ubyte", "d/emnist-mnist-train-labels-idx1-ubyte")
    #expect(throws: FileError.self) { try Dataset.load(path("d")) }
    #expect(PictureArray.path(of: .train, in: path("d")) == nil)
  }

  @Test func labelsThatAreMissingAreNamed() throws {
    try writeIDX("d/train-images-idx3-ubyte", "d/other-labels")
    for name in ["d", "d/train-images-idx3-ubyte"] {
      let error = #expect(throws: FileError.self) { try Dataset.load(path(name)) }
      #expect("\(error!)".contains("train-labels-idx1-ubyte"))
    }
  }

  @Test func rowsAndColumnsAreExchanged() throws {
    try writeIDX("d/emnist-images-idx3-ubyte", "d/emnist-labels-idx1-ubyte")
    let loaded = try Dataset.load(path("d"), isTransposed: true)
    #expect(!loaded.isTransposed)
    #expect(loaded.dataset.examples[1].content == .bitmap(try ring(1).transposed()))
    let dataset = Dataset([Example(.bitmap(try ring(1)), label: "a", origin: "a")])
    try DatasetFormat.npy.write(dataset, rasterizer: .standard, to: path("n"))
    let turned = try Dataset.load(path("n"), isTransposed: true)
    #expect(turned.dataset.examples[0].content == .bitmap(try ring(1).transposed()))
  }

  // MARK: Splits

  @Test(arguments: [Split.Method.writer, .session, .fold(index: 1, count: 3), .hash])
  func duplicatesStayTogether(method: Split.Method) throws {
    // Copies of 40 rings, also under another label, and one of a writer's.
    var examples = (0..<40).map { number in
      Example(
        .drawing(circle(radius: 40 + Double(number))), label: number % 2 == 0 ? "a" : "b",
        origin: "\(number)")
    }
    for number in 0..<40 {
      var copy = examples[number]
      if number % 3 == 0 { copy.label = "c" }
      examples += [copy, copy]
    }
    let dataset = Dataset(examples)
    for seed in 1...3 {
      let split = Split(method: method, seed: UInt64(seed), validationShare: 0.2, testShare: 0.2)
      let parts = split.parts(of: dataset)
      for number in 0..<40 {
        let own = Set([number, 40 + 2 * number, 41 + 2 * number].map { parts[$0] })
        #expect(own.count == 1)
      }
      #expect(Set(parts).count == 3)
    }
    if method == .writer {
      for index in 0..<20 { examples[index].writer = "w\(index % 5)" }
      let known = Dataset(examples)
      let parts = Split(method: method, seed: 4).parts(of: known)
      for number in 0..<20 { #expect(parts[number] == parts[40 + 2 * number]) }
    }
  }

  // MARK: Frames

  @Test func marginPenAndPlaceAreMeasuredOnThePictures() throws {
    let source = try Rasterizer(size: 28, margin: 4, penWidth: 2.5)
    func pictures(_ rasterizer: Rasterizer) throws -> [Example] {
      try (0..<40).map { number in
        let drawing = Synthesizer(seed: 2, repertoire: .digits)
          .recording(label: "\(number % 10)", writer: number, index: 0).drawing
        return Example(.bitmap(try rasterizer.render(drawing)), label: "a", origin: "\(number)")
      }
    }
    let measured = try Dataset(pictures(source)).rasterizer()
    #expect(abs(measured.margin - 4) < 0.6 && abs(measured.penWidth - 2.5) < 0.6, "\(measured)")
    let frame = try #require(measured.pictures)
    #expect(abs(frame.side - 20) <= 1 && !frame.centersMass)
    for example in try pictures(source) {
      #expect(try example.bitmap(measured) == example.bitmap(source))
    }
    // The same pictures at another size give the same.
    let large = try Rasterizer(size: 84, margin: 12, penWidth: 7.5)
    let other = try Dataset(pictures(large)).rasterizer()
    #expect(abs(other.margin - 4) < 0.6 && abs(other.penWidth - 2.5) < 0.6, "\(other)")
    // What is given is kept, and ink keeps the usual pen.
    #expect(try Dataset(pictures(source)).rasterizer(margin: 2, penWidth: 3).margin == 2)
    let ink = Example(.drawing(circle(radius: 50)), label: "a", origin: "ink")
    let mixed = try Dataset(pictures(source) + [ink]).rasterizer()
    #expect(mixed.margin == 1 && mixed.penWidth == 1.75 && mixed.pictures == frame)
    let alone = try Dataset([ink]).rasterizer()
    #expect(alone == Rasterizer.standard.with(pictures: try .margin(1, size: 28)))
  }

  @Test func picturesWithInkAnywhereAreCroppedToIt() throws {
    let examples = try (0..<20).map { number in
      let small = try ring(number, size: 20 + 2 * number)
      var page = Bitmap(width: 200, height: 150)
      for row in 0..<small.height {
        for column in 0..<small.width {
          page[row + 4 * number, column + 5 * number] = small[row, column]
        }
      }
      return Example(.bitmap(page), label: "a", origin: "\(number)")
    }
    let rasterizer = try Dataset(examples).rasterizer()
    #expect(rasterizer.pictures == (try .margin(1, size: 28)))
    for example in examples {
      let ink = try #require(InkPlacement(of: example.bitmap(rasterizer)))
      #expect((25...27).contains(ink.longerSide))
    }
  }
}
