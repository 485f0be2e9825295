import Foundation
import Ink
import InkDatasets
import InkImageIO
import InkRaster
import Testing
import TestSupport

@Suite struct DatasetFormTests {
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

  @Test(arguments: [DatasetForm.folder, .idx, .npy]) func picturesSurviveEveryForm(
    form: DatasetForm
  ) throws {
    let dataset = try pictures()
    let path = "\(folder.path)/data"
    try form.write(dataset, rasterizer: .standard, to: path)
    let read = try Dataset.load(path)
    #expect(read.failures.isEmpty && read.wasInverted == false)
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
    try DatasetForm.ndjson.write(dataset, rasterizer: .standard, to: path)
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
    try DatasetForm.npy.write(dark, rasterizer: .standard, to: "\(folder.path)/dark")
    let read = try Dataset.load("\(folder.path)/dark")
    #expect(read.wasInverted == true)
    for (index, (one, other)) in zip(read.dataset.examples, dataset.examples).enumerated() {
      #expect(one.contentFingerprint == other.contentFingerprint)
      #expect(one.stored?.index == index && other.stored == nil)
      #expect(one.origin == "\(folder.path)/dark/images.npy, item \(index + 1)")
    }
  }

  @Test func numPyReadsWhatWeWrite() throws {
    try DatasetForm.npy.write(pictures(3), rasterizer: .standard, to: "\(folder.path)/n")
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
    #expect(read.wasInverted == true)
    let forced = try Dataset.load("\(folder.path)/dark", polarity: .light)
    #expect(forced.wasInverted == false)
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
    #expect(read.passedOver.count == 2)
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
      ("images-idx3-ubyte", [0, 0, 8, 1, 0, 0, 0, 1, 5, 6], "expected 1 values, found more"),
      ("images-idx3-ubyte", [0, 0, 8, 1, 0, 0, 0, 1, 5], "expected pictures"),
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

  @Test func labelsThatDoNotFitTheirPicturesAreNamed() throws {
    try DatasetForm.idx.write(pictures(4), rasterizer: .standard, to: "\(folder.path)/d")
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

  @Test func picturesStayAsTheyAreWithoutARasterizer() throws {
    var large = Bitmap(width: 64, height: 40)
    for column in 0..<50 { large[20, column] = 255 }
    var data = Dataset([Example(.bitmap(large), label: "a", origin: "x")])
    // A slash at the end changes nothing.
    try DatasetForm.folder.write(data, rasterizer: nil, to: "\(folder.path)/large/")
    #expect(try Dataset.load("\(folder.path)/large").dataset.examples[0].content == .bitmap(large))
    #expect(FileTree.names(in: folder.path) == ["large"])
    data.examples.append(Example(.drawing(circle(radius: 40)), label: "a", origin: "y"))
    #expect(throws: DatasetError.self) {
      try DatasetForm.folder.write(data, rasterizer: nil, to: "\(folder.path)/mixed")
    }
  }

  @Test func aPipeIsNeverReplaced() throws {
    let path = "\(folder.path)/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: DatasetError.self) { try FileTree.refuseExisting(path, force: true) }
  }

  @Test func nothingIsOverwrittenWithoutForce() throws {
    let path = try folder.write("there", "precious")
    #expect(throws: DatasetError.self) { try FileTree.refuseExisting(path, force: false) }
    try FileTree.refuseExisting(path, force: true)
    // A write that fails half way leaves what was there.
    #expect(throws: DatasetError.self) {
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
    for form in [DatasetForm.folder, .idx, .npy] {
      #expect(throws: DatasetError.self) {
        try form.write(dataset, rasterizer: .standard, to: "\(folder.path)/data")
      }
    }
    #expect(FileTree.names(in: folder.path).isEmpty)
  }

  @Test(arguments: [
    "letter.txt", ".git/config", "training-notes", "train/notes.txt", "images/photo.jpg",
  ]) func aFolderOfOtherThingsIsNeverReplaced(file: String) throws {
    try folder.write("home/\(file)", "dear")
    #expect(throws: DatasetError.self) {
      try FileTree.refuseExisting("\(folder.path)/home", force: true)
    }
    #expect(throws: DatasetError.self) { try FileTree.write(Data(), to: "\(folder.path)/home") }
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

  @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
  func allRealRecordingsAreRead() throws {
    for (name, count, passedOver) in [
      ("dollar1", 3360, 0), ("mmg", 6718, 9), ("quickdraw", 542, 0),
    ] {
      let read = try Dataset.load("\(SharedData.path)/\(name)")
      #expect(read.dataset.examples.count == count)
      #expect(read.passedOver.count == passedOver)
      #expect(read.failures.isEmpty && read.unlabelledCount == 0)
    }
  }
}

@Suite struct FileTreeTests {
  @Test(arguments: [
    ("x", "."), ("é", "."), ("./k", "."), ("a/b", "a"), ("a/b/", "a"), ("/x", "/"), ("/", "/"),
    ("/a/b/c", "/a/b"),
  ])
  func everyPathHasAFolder(path: String, folder: String) {
    #expect(FileTree.folder(of: path) == folder)
  }

  @Test func linksThatLeadBackAreNotFollowed() throws {
    let folder = try TemporaryFolder()
    try folder.write("a/b/file", "x")
    for name in ["up", "again"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/a/b/\(name)", withDestinationPath: "..")
    }
    #expect(FileTree.files(below: "\(folder.path)/a") == ["\(folder.path)/a/b/file"])
  }

  @Test func theInputIsNeverReplaced() throws {
    let folder = try TemporaryFolder()
    let input = try folder.write("data/train.ndjson", "x")
    for output in [input, "\(folder.path)/data", "\(folder.path)/data/../data/train.ndjson"] {
      #expect(throws: DatasetError.self) { try FileTree.refuseReplacing(input, by: output) }
    }
    try FileTree.refuseReplacing(input, by: "\(folder.path)/data/model")
  }
}
