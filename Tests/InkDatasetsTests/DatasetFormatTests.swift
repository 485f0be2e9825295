import Foundation
import Ink
import InkImageIO
import InkRaster
import SafeFiles
import SeededRandom
import Testing
import TestSupport

@testable import InkDatasets

@Suite(.timeLimit(.minutes(30))) struct DatasetFormTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func pictures(_ count: Int = 7) throws -> Dataset {
    var generator = SeededGenerator(seed: 3)
    return Dataset(
      try (0..<count).map { index in
        let drawing = circle(radius: generator.uniform(10...90), turns: generator.uniform())
        return Example(
          .bitmap(try Rasterizer.standard.render(drawing)), label: ["b", "a", "c"][index % 3],
          origin: "\(index)")
      })
  }

  @Test(arguments: [DatasetFormat.folder, .idx, .npy]) func picturesSurviveEveryForm(
    form: DatasetFormat
  ) throws {
    let dataset = try pictures()
    let path = "\(folder.path)/data"
    try form.write(dataset, rasterizer: .standard, to: path)
    let read = try Dataset.load(path)
    #expect(read.failures.isEmpty && read.pictureCount == 7 && read.invertedCount == 0)
    #expect(read.dataset.labels == ["a", "b", "c"])
    let written = dataset.examples.map { "\($0.label) \($0.contentFingerprint)" }
    #expect(
      read.dataset.examples.map { "\($0.label) \($0.contentFingerprint)" }.sorted()
        == written.sorted())
  }

  @Test func inkSurvivesNDJSON() throws {
    let recordings = Synthesizer(seed: 9).recordings(writers: 2, perClass: 2)
    let dataset = Dataset(recordings.map { Example($0, label: $0.label!, origin: "") })
    let path = "\(folder.path)/ink.ndjson"
    try DatasetFormat.ndjson.write(dataset, rasterizer: .standard, to: path)
    let read = try Dataset.load(path).dataset
    #expect(read.fingerprint == dataset.fingerprint)
    #expect(read.examples.map(\.writer) == dataset.examples.map(\.writer))
    #expect(read.examples.map(\.attributes) == dataset.examples.map(\.attributes))
  }

  @Test func picturesOfNumPyStayOnDiskAndAreInvertedWhenLookedAt() throws {
    let dataset = try pictures(5)
    let dark = Dataset(
      dataset.examples.map { example in
        var example = example
        if case .bitmap(let bitmap) = example.content {
          example.content = .bitmap(bitmap.inverted())
        }
        return example
      })
    try DatasetFormat.npy.write(dark, rasterizer: .standard, to: "\(folder.path)/dark")
    let read = try Dataset.load("\(folder.path)/dark")
    #expect(read.invertedCount == read.pictureCount && read.pictureCount > 0)
    for (index, (one, other)) in zip(read.dataset.examples, dataset.examples).enumerated() {
      #expect(one.contentFingerprint == other.contentFingerprint)
      #expect(one.stored?.index == index && other.stored == nil)
      #expect(one.origin == "\(folder.path)/dark/images.npy, item \(index + 1)")
    }
  }

  @Test func numPyReadsWhatWeWrite() throws {
    try DatasetFormat.npy.write(pictures(3), rasterizer: .standard, to: "\(folder.path)/n")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/n/images.npy"))
    let header = String(decoding: bytes[10..<128], as: UTF8.self)
    #expect(header.hasPrefix("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 28, 28), }"))
    #expect(header.hasSuffix("\n") && bytes.count == 128 + 3 * 784)
  }

  @Test func darkInkIsInvertedForTheWholeSet() throws {
    for (index, example) in try pictures().examples.enumerated() {
      guard case .bitmap(let bitmap) = example.content else { continue }
      try folder.write("dark/\(example.label)/\(index).png", PNG.encode(bitmap.inverted()))
    }
    let read = try Dataset.load("\(folder.path)/dark")
    #expect(read.invertedCount == read.pictureCount && read.pictureCount > 0)
    let forced = try Dataset.load("\(folder.path)/dark", polarity: .light)
    #expect(forced.invertedCount == 0)
    let expected = Set(try pictures().examples.map(\.contentFingerprint))
    #expect(Set(read.dataset.examples.map(\.contentFingerprint)) == expected)
    #expect(Set(forced.dataset.examples.map(\.contentFingerprint)).isDisjoint(with: expected))
  }

  @Test func labelsAreMappedDroppedOrGathered() throws {
    let path = try folder.write(
      "a.ndjson", ["x", "y", "z"].map { "{\"word\":\"\($0)\",\"drawing\":[]}\n" }.joined())
    func labels(_ map: LabelMap) throws -> [String] {
      try Dataset.load(path, labels: map).dataset.examples.map(\.label)
    }
    #expect(try labels(LabelMap(["x": "s"])) == ["s", "y", "z"])
    #expect(try labels(LabelMap(["x": "s"], unnamed: .drop)) == ["s"])
    #expect(try labels(LabelMap(["x": "s"], unnamed: .other)) == ["s", "other", "other"])
    #expect(try labels(LabelMap(dropped: ["y"])) == ["x", "z"])
    #expect(try labels(LabelMap(["y": "s"], dropped: ["y"])) == ["x", "z"])
    let read = try Dataset.load(path, labels: LabelMap(["x": "z"], dropped: ["y"]))
    #expect(read.labelsFound == ["x", "y", "z"] && read.droppedCount == 1)
    #expect(
      LabelMap(["x": "s", "q": "r"], dropped: ["p"]).unknownLabels(among: read.labelsFound) == [
        "p", "q",
      ])
  }

  @Test func aFolderKeepsTheGoodAndListsTheBad() throws {
    try folder.write("mix/good.ndjson", "{\"word\":\"a\",\"drawing\":[[[1,2],[3,4]]]}\n")
    try folder.write("mix/bad.ndjson", "{\"word\":\"a\"}\n{\"drawing\":[]}\n")
    try folder.write("mix/a.xml.raw", "<Gesture/>")
    try folder.write("mix/LICENSE.md", "MIT")
    let read = try Dataset.load("\(folder.path)/mix")
    #expect(read.dataset.examples.count == 1)
    #expect(read.dataset.examples[0].source == "mix")
    #expect(read.failures.count == 1 && read.failures[0].contains("bad.ndjson, line 1"))
    #expect(read.skipped.count == 2)
    #expect(read.unlabelledCount == 1)
  }

  /// Each with what its message must say.
  @Test(
    arguments: [
      ("images-idx3-ubyte", [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28], "expected a whole header"),
      (
        "images-idx3-ubyte", [0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 4, 0, 0, 0, 4, 1],
        "expected 144 values, as the header says, found 1"
      ),
      (
        "images-idx3-ubyte", [0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 4],
        "expected at most 600 MiB"
      ),
      ("images-idx3-ubyte", [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6], "found more"),
      ("images-idx3-ubyte", [0, 0, 8, 1, 0, 0, 0, 1, 5], "expected pictures"),
      (
        "images-idx3-ubyte", [0, 0, 9, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5],
        "expected unsigned bytes (type 8), found type 9"
      ),
      (
        "images-idx3-ubyte", [0, 0, 8, 3, 0, 0x20, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1],
        "and 2000000 items, found 2097152 × 1 × 1 promised"
      ),
      (
        "images-idx3-ubyte", [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0x10, 1, 0, 0, 0, 1],
        "expected pictures, [count, height, width], found [1, 4097, 1]"
      ),
      (
        "images-idx3-ubyte", [1, 0, 8, 3, 0, 0, 0, 1], "expected an IDX file, found something else"
      ),
      ("images-idx3-ubyte.gz", [0x1F, 0x8B, 8, 0, 1, 2], "expected"),
      ("images.npy", [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59], "expected an NPY file"),
      (
        "images.npy", [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, 255, 255, 0, 0, 0],
        "expected a header of 65535 bytes"
      ),
    ] as [(String, [UInt8], String)])
  func malformedPicturesAreNamed(name: String, bytes: [UInt8], expected: String) throws {
    try folder.write("bad/\(name)", Data(bytes))
    try folder.write(
      "bad/\(name.replacing("images", with: "labels").replacing("idx3", with: "idx1"))", Data())
    do {
      _ = try Dataset.load("\(folder.path)/bad")
      Issue.record("\(name) was read")
    } catch {
      #expect("\(error)".contains(expected) && "\(error)".contains(name))
    }
  }

  @Test(arguments: [
    (
      "'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2)", 16,
      "uint8 values ('|u1'), found '<f4'"
    ),
    (
      "'descr': '|u1', 'fortran_order': True, 'shape': (1, 2, 2)", 4, "C order, found Fortran order"
    ),
    ("'descr': '|u1', 'fortran_order': No, 'shape': (1, 2, 2)", 4, "True or False, found No"),
    (
      "'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 2)", 3,
      "shape 1 × 2 × 2, found 3 bytes"
    ),
    (
      "'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 2)", 5,
      "shape 1 × 2 × 2, found 5 bytes"
    ),
    ("'descr': '|u1', 'fortran_order': False, 'shape': ()", 0, "expected values of shape"),
    (
      "'descr': '|u1', 'fortran_order': False, 'shape': (-1, 2, 2)", 4,
      "expected a shape, found none"
    ),
    (
      "'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)", 4,
      "pictures, [count, height, width]"
    ),
    (
      "'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807, 2, 2)", 4,
      "expected a shape that fits"
    ),
    ("'fortran_order': False, 'shape': (1, 2, 2)", 4, "expected a descr, found none"),
  ])
  func malformedNumPyHeadersAreNamed(header: String, count: Int, expected: String) throws {
    let text = Array("{\(header), }\n".utf8)
    try folder.write(
      "n/images.npy",
      Data([0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(text.count), 0] + text)
        + Data(repeating: 9, count: count))
    try DatasetFormat.npy.write(
      try pictures(1), rasterizer: .standard, to: "\(folder.path)/good")
    try FileManager.default.copyItem(
      atPath: "\(folder.path)/good/labels.npy", toPath: "\(folder.path)/n/labels.npy")
    #expect { try Dataset.load("\(folder.path)/n") } throws: {
      "\($0)".contains(expected) && "\($0)".contains("images.npy")
    }
  }

  @Test func aRenamedLabelStaysAsTheKind() throws {
    let drawing = #""drawing":[[[1,2],[3,4]]]}"# + "\n"
    let path = try folder.write(
      "a.ndjson",
      #"{"word":"x","# + drawing + #"{"word":"x","kind":"k","# + drawing + #"{"word":"y","#
        + drawing)
    let read = try Dataset.load(path, labels: LabelMap(["x": "z", "y": "y"]), source: "s")
    #expect(read.dataset.examples.map(\.kind) == ["x", "k", "y"])
    #expect(read.dataset.examples.map { $0.attributes["kind"] } == [.text("x"), .text("k"), nil])
    #expect(read.dataset.examples.allSatisfy { $0.source == "s" })
  }

  @Test func inkThatIsTooFarApartIsLeftOut() throws {
    let path = try folder.write(
      "a.ndjson",
      ["9e99", "1e100"].map { #"{"word":"a","drawing":[[[0,\#($0)],[0,0]]]}"# + "\n" }.joined())
    let read = try Dataset.load(path)
    #expect(read.dataset.examples.count == 1 && read.failures.count == 1)
    #expect(read.failures[0].contains("a.ndjson, line 2: expected coordinates within 10^100"))
  }

  @Test func moreClassesThanAByteHoldsAreRefused() throws {
    var dataset = try pictures(3)
    for (count, isRefused) in [(256, false), (257, true)] {
      dataset.labels = ["a", "b", "c"] + (3..<count).map { "l\($0)" }
      for form in [DatasetFormat.idx, .npy] {
        let path = "\(folder.path)/\(form)-\(count)"
        if isRefused {
          #expect(throws: FileError.self) {
            try form.write(dataset, rasterizer: .standard, to: path)
          }
        } else {
          try form.write(dataset, rasterizer: .standard, to: path)
          #expect(try Dataset.load(path).dataset.labels == dataset.labels.sorted())
        }
      }
    }
  }

  @Test func halfOfThePicturesDarkIsNotMostOfThem() {
    #expect(!Polarity.auto.inverts(darkOnLight: 2, of: 4))
    #expect(Polarity.auto.inverts(darkOnLight: 3, of: 4))
    #expect(!Polarity.light.inverts(darkOnLight: 4, of: 4))
    #expect(Polarity.dark.inverts(darkOnLight: 0, of: 4))
  }

  @Test func anImageFolderKeepsTheGoodAndListsTheBad() throws {
    let picture = try PNG.encode(Rasterizer.standard.render(circle(radius: 9)))
    try folder.write("i/a/1.png", picture)
    try folder.write("i/a/2.PNG", picture)
    try folder.write("i/b/broken.png", picture.dropLast(30))
    try folder.write("i/b/notes.txt", "x")
    let read = try Dataset.load("\(folder.path)/i")
    #expect(read.dataset.labels == ["a", "b"] && read.dataset.examples.map(\.label) == ["a", "a"])
    #expect(
      read.failures.count == 1 && read.failures[0].contains("broken.png: expected a whole PNG"))
    #expect(read.skipped == ["\(folder.path)/i/b/notes.txt"])
  }

  @Test func fingerprintsAreThoseOfFNV() {
    // The test vectors of Fowler, Noll and Vo for "", "a" and "foobar".
    for (text, expected) in [
      ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
    ] {
      var fingerprint = Fingerprint()
      fingerprint.add(Array(text.utf8))
      #expect(fingerprint.description == expected)
    }
  }

  @Test func inkIsMeasuredFromLeastToGreatest() throws {
    let drawings = [
      Drawing([Stroke([Point(0, 0, time: 3), Point(3, 4, time: 10)])]),
      Drawing([Stroke([Point(0, 0, time: 50), Point(0, 20, time: 90)]), Stroke([Point(10, 0)])]),
      Drawing([Stroke([Point(0, 0), Point(8, 0), Point(8, 1)])]),
    ]
    let description = try DatasetDescription(
      of: Dataset(drawings.map { Example(.drawing($0), label: "a", origin: "") }))
    let measures = description.ink.map { [$0.least, $0.median, $0.greatest] }
    #expect(measures == [[1, 1, 2], [2, 3, 3], [4, 8, 20], [5, 9, 20], [7, 40, 40]])
  }

  @Test func labelsThatDoNotFitTheirPicturesAreNamed() throws {
    try DatasetFormat.idx.write(pictures(4), rasterizer: .standard, to: "\(folder.path)/d")
    try folder.write("d/classes.txt", "a\nb\n")
    #expect {
      try Dataset.load("\(folder.path)/d")
    } throws: {
      "\($0)".contains("item 3: expected a label below 2")
    }
    try folder.write("d/labels-idx1-ubyte.gz", Data([0, 0, 8, 1, 0, 0, 0, 1, 0]))
    #expect { try Dataset.load("\(folder.path)/d") } throws: {
      "\($0)".contains("expected 4 labels")
    }
  }

  @Test func classNamesMayHaveLineEndsOfWindows() throws {
    try DatasetFormat.idx.write(pictures(2), rasterizer: .standard, to: "\(folder.path)/d")
    try folder.write("d/classes.txt", "one\r\ntwo\r\n")
    #expect(try Dataset.load("\(folder.path)/d").dataset.labels == ["one", "two"])
  }

  @Test func picturesStayAsTheyAreWithoutARasterizer() throws {
    var large = Bitmap(width: 64, height: 40)
    for column in 0..<50 { large[20, column] = 255 }
    var data = Dataset([Example(.bitmap(large), label: "a", origin: "x")])
    // A slash at the end changes nothing.
    try DatasetFormat.folder.write(data, rasterizer: nil, to: "\(folder.path)/large/")
    #expect(try Dataset.load("\(folder.path)/large").dataset.examples[0].content == .bitmap(large))
    #expect(FileTree.names(in: folder.path) == ["large"])
    data.examples.append(Example(.drawing(circle(radius: 40)), label: "a", origin: "y"))
    #expect(throws: FileError.self) {
      try DatasetFormat.folder.write(data, rasterizer: nil, to: "\(folder.path)/mixed")
    }
  }

  @Test func aPipeIsNeverReplaced() throws {
    let path = "\(folder.path)/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: FileError.self) { try FileTree.refuseExisting(path, force: true) }
  }

  @Test func nothingIsOverwrittenWithoutForce() throws {
    let path = try folder.write("there", "precious")
    #expect(throws: FileError.self) { try FileTree.refuseExisting(path, force: false) }
    try FileTree.refuseExisting(path, force: true)
    // A write that fails half way leaves what was there.
    #expect(throws: FileError.self) {
      try FileTree.replace(path) { temporary in
        try Data("half".utf8).write(to: URL(fileURLWithPath: temporary))
        throw CocoaError(.fileWriteOutOfSpace)
      }
    }
    #expect(FileManager.default.contents(atPath: path) == Data("precious".utf8))
    #expect(FileTree.names(in: folder.path) == ["there"])
  }

  @Test(arguments: ["../out", "a/b", "", ".", "a\nb"]) func labelsThatLeadElsewhereAreRefused(
    label: String
  ) throws {
    var dataset = try pictures(2)
    dataset.labels.append(label)
    for form in [DatasetFormat.folder, .idx, .npy] {
      #expect(throws: FileError.self) {
        try form.write(dataset, rasterizer: .standard, to: "\(folder.path)/data")
      }
    }
    #expect(FileTree.names(in: folder.path).isEmpty)
  }

  @Test(arguments: [
    "letter.txt", ".git/config", "training-notes", "train/notes.txt", "images/photo.jpg",
  ]) func aFolderOfOtherThingsIsNeverReplaced(file: String) throws {
    try folder.write("home/\(file)", "dear")
    #expect(throws: FileError.self) {
      try FileTree.refuseExisting("\(folder.path)/home", force: true)
    }
    #expect(throws: FileError.self) { try FileTree.write(Data(), to: "\(folder.path)/home") }
    #expect(FileTree.exists("\(folder.path)/home/\(file)"))
  }

  @Test(arguments: [
    ["split.json", "train.ndjson", "test.ndjson"], ["split.json", "train/circle/1.png"],
    ["classes.txt", "images-idx3-ubyte.gz", "labels-idx1-ubyte.gz"], ["train/1.png"],
    ["split.json", "validation/classes.txt", "validation/images.npy", "validation/labels.npy"],
  ]) func aDatasetIsReplacedByForce(files: [String]) throws {
    for file in files { try folder.write("data/\(file)", "old") }
    try FileTree.refuseExisting("\(folder.path)/data", force: true)
  }

  @Test(.enabled(if: SharedData.isPresent, "needs the data of datasets/README.md"))
  func allRealRecordingsAreRead() throws {
    for (name, count, skipped) in [
      ("dollar1", 3360, 0), ("mmg", 6718, 9), ("quickdraw", 542, 0),
    ] {
      let read = try Dataset.load("\(SharedData.path)/\(name)")
      #expect(read.dataset.examples.count == count)
      #expect(read.skipped.count == skipped)
      #expect(read.failures.isEmpty && read.unlabelledCount == 0)
    }
  }
}

@Suite(.timeLimit(.minutes(30))) struct FileTreeTests {
  @Test(arguments: [
    ("x", "."), ("é", "."), ("./k", "."), ("a/b", "a"), ("a/b/", "a"), ("/x", "/"), ("/", "/"),
    ("/a/b/c", "/a/b"),
  ])
  func everyPathHasAFolder(path: String, folder: String) {
    #expect(FileTree.folder(of: path) == folder)
  }

  @Test func theInputIsNeverReplaced() throws {
    let folder = try TemporaryFolder()
    let input = try folder.write("data/train.ndjson", "x")
    for output in [input, "\(folder.path)/data", "\(folder.path)/data/../data/train.ndjson"] {
      #expect(throws: FileError.self) { try FileTree.refuseReplacing(input, by: output) }
    }
    try FileTree.refuseReplacing(input, by: "\(folder.path)/data/model")
  }
}
