import Foundation
import InkImageIO
import InkRaster
import SafeFiles
import Testing
import TestSupport

@testable import InkDatasets

@Suite(.timeLimit(.minutes(30))) struct SegmentationDatasetTests {
  private let folder: TemporaryFolder
  private static let classes =
    "index\tname\tcolor\n0\tnothing\t#ffffff\n1\twire\t#ff0000\n2\tlamp\t\n"

  init() throws { folder = try TemporaryFolder() }

  private func png(_ width: Int, _ height: Int, _ value: UInt8 = 0) throws -> Data {
    try PNG.encode(Bitmap(width: width, height: height, filledWith: value))
  }

  /// Writes a data set with one page; `nil` leaves a file out.
  private func write(
    picture: Data?, mask: Data?, classes: String? = classes, pages: String? = nil
  ) throws -> String {
    let path = "\(folder.path)/pages"
    try? FileManager.default.removeItem(atPath: path)
    for name in ["pictures", "masks"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }
    let files: [(String, Data?)] = [
      ("pictures/a.png", picture), ("masks/a.png", mask),
      ("classes.tsv", classes.map { Data($0.utf8) }), ("pages.tsv", pages.map { Data($0.utf8) }),
    ]
    for (name, data) in files {
      try data?.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
    return path
  }

  /// Returns the error of opening a data set and reading all its pages.
  private func failure(_ path: String) -> String? {
    do {
      let dataset = try SegmentationDataset(folder: path)
      for page in dataset.pages { _ = try page.read(classCount: dataset.classes.count) }
      return dataset.failures.first
    } catch { return "\(error)" }
  }

  // MARK: Reading and writing

  @Test func composedPagesAreReadAsTheyWere() throws {
    let composer = PageComposer(
      seed: 4, width: 97, height: 64, writers: PageWriter.synthetic(count: 2, seed: 1))
    let pictures = (0..<5).map(composer.picture)
    let path = "\(folder.path)/composed"
    try SegmentationWriter.write(to: path, classes: SegmentationClass.pages) { writer in
      for picture in pictures {
        try writer.add(
          .init(picture.photograph, mask: picture.mask, writer: "w", source: "s"))
      }
    }
    let dataset = try SegmentationDataset(folder: path)
    #expect(dataset.classes == SegmentationClass.pages)
    #expect(dataset.failures.isEmpty)
    #expect(dataset.pages.count == 5)
    for (page, picture) in zip(dataset.pages, pictures) {
      let read = try page.read(classCount: 5)
      #expect(read.picture == picture.photograph && read.mask == picture.mask)
      #expect(page.writer == "w" && page.source == "s" && page.part == nil)
    }
  }

  @Test func masksOfSingleClassesAreJoined() throws {
    let path = try write(picture: png(2, 1), mask: nil)
    for (name, pixels) in [("wire", [255, 255]), ("lamp", [0, 1])] as [(String, [UInt8])] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/masks/\(name)", withIntermediateDirectories: true)
      try PNG.encode(Bitmap(width: 2, height: 1, pixels: pixels)).write(
        to: URL(fileURLWithPath: "\(path)/masks/\(name)/a.png"))
    }
    let dataset = try SegmentationDataset(folder: path)
    #expect(try dataset.pages[0].read(classCount: 3).mask.classes == [1, 2])
  }

  @Test func classesNeedNoColors() throws {
    let path = try write(
      picture: png(2, 2), mask: png(2, 2), classes: "index\tname\n0\tnothing\n1\twire\n")
    #expect(try SegmentationDataset(folder: path).classes.map(\.name) == ["nothing", "wire"])
  }

  // MARK: Bad input

  private func patched(_ data: Data, _ changes: [Int: UInt8]) -> Data {
    var bytes = data
    for (place, byte) in changes { bytes[bytes.startIndex + place] = byte }
    return bytes
  }

  @Test func cellsCanBeLeftOut() throws {
    let path = try write(picture: png(8, 8), mask: png(8, 8, 255))
    #expect(failure(path) == nil)
    let page = try #require(try SegmentationDataset(folder: path).pages.first)
    #expect(try page.read(classCount: 3).mask.classes.allSatisfy { $0 == SegmentationMask.ignored })
  }

  @Test func badInputHasOneClearLine() throws {
    let (picture, mask) = (try png(8, 8), try png(8, 8))
    let rgb = try PNG.encode(
      ColorPicture(width: 8, height: 8, color: .init(1, 2, 3)))
    let cases: [(picture: Data?, mask: Data?, classes: String?, pages: String?, error: String)] = [
      (
        picture, try png(5, 8), Self.classes, nil,
        "masks/a.png: expected a mask of 8 × 8 or 4 × 4 or 2 × 2 as its picture has, found 5 × 8"
      ),
      (
        picture, try png(8, 8, 3), Self.classes, nil,
        "masks/a.png: expected class indices from 0 to 2, or 255 for what is left out, found 3 in row 0, column 0"
      ),
      // The header of a PNG has the bits in byte 24, and the width from byte 16.
      (
        picture, patched(mask, [24: 16]), Self.classes, nil,
        "masks/a.png: expected a PNG of 8-bit grey numbers, found 16 bits"
      ),
      (
        picture, patched(mask, [25: 3]), Self.classes, nil,
        "masks/a.png: expected a PNG of 8-bit grey numbers, found colours of a palette"
      ),
      (
        picture, rgb, Self.classes, nil,
        "masks/a.png: expected a PNG of 8-bit grey numbers, found colours"
      ),
      (
        picture, Data("x".utf8), Self.classes, nil,
        "masks/a.png: expected a PNG, found something else"
      ),
      (
        patched(picture, [17: 1, 21: 1]), mask, Self.classes, nil,
        "pictures/a.png: expected at most 50 megapixels, found 65544 × 65544"
      ),
      (
        Data(), mask, Self.classes, nil,
        "pictures/a.png: expected a PNG or a JPEG, found an empty file"
      ),
      (
        nil, mask, Self.classes, nil,
        "pictures: expected PNGs or JPEGs with masks, found an empty folder"
      ),
      (
        picture, nil, Self.classes, nil,
        "pictures: expected PNGs or JPEGs with masks, found 1 without"
      ),
      (
        picture, mask, nil, nil,
        "classes.tsv: expected a table of the classes, with the columns index and name separated by a "
          + "tab, found no such file beside pictures and masks"
      ),
      (
        picture, mask, "name\n", nil,
        "classes.tsv:1: expected a first row with the columns index, name, separated by tabs, "
          + "found name"
      ),
      (
        picture, mask, "index\tname\n1\ta\n", nil,
        "classes.tsv:2: expected the index 0: they count from 0, found `1`"
      ),
      (
        picture, mask, "index\tname\n0\ta\n1\ta\n", nil,
        "classes.tsv:3: expected a name that no other class has, found `a`"
      ),
      (
        picture, mask, "index\tname\n0\ta\n", nil,
        "classes.tsv: expected two classes or more, the first for the background, found 1"
      ),
      (
        picture, mask, "index\tname\tcolor\n0\ta\tred\n", nil,
        "classes.tsv:2: expected a colour such as #d62728, found `red`"
      ),
      (picture, mask, "index\tname\n0\n", nil, "classes.tsv:2: expected 2 columns, found 1"),
      (
        picture, mask, "index\tname\tcolour\n0\ta\t#d62728\n", nil,
        "classes.tsv:1: expected no columns but index, name, color, found `colour`"
      ),
      (
        picture, mask, Self.classes, "picture\tsplit\na.png\ttraining\n",
        "pages.tsv:2: expected train, val, validation, test or nothing as the split, found `training`"
      ),
      (
        picture, mask, Self.classes, "picture\nb.png\n",
        "pages.tsv:2: expected the name of a picture with a mask, such as `a.png`, found `b.png`"
      ),
      (
        picture, mask, Self.classes, "picture\na\n",
        "pages.tsv:2: expected the name of a picture with a mask, such as `a.png`, found `a`"
      ),
    ]
    for (picture, mask, classes, pages, error) in cases {
      let path = try write(picture: picture, mask: mask, classes: classes, pages: pages)
      #expect(failure(path) == "\(path)/\(error)")
    }
    try FileManager.default.removeItem(atPath: "\(folder.path)/pages/masks")
    #expect(
      failure("\(folder.path)/pages")
        == "\(folder.path)/pages: expected the folder masks, found none")
  }

  @Test func masksOfNoPictureOrClassAreNamed() throws {
    let path = try write(picture: png(8, 8), mask: png(8, 8))
    try FileManager.default.createDirectory(
      atPath: "\(path)/masks/lammp", withIntermediateDirectories: true)
    for name in ["lammp/a.png", "lammp/b.png", "b.png", "c.jpg"] {
      try png(8, 8).write(to: URL(fileURLWithPath: "\(path)/masks/\(name)"))
    }
    #expect(
      try SegmentationDataset(folder: path).failures == [
        "\(path)/masks/lammp: expected a class in classes.tsv as the name of a folder (wire, lamp), found "
          + "another with 2 files",
        "\(path)/masks/b.png: expected a picture of this name in pictures, found none",
        "\(path)/masks/c.jpg: expected a PNG as the mask, found a file of another kind",
      ])
  }

  @Test func aPictureWithoutMaskIsNamedOnce() throws {
    let path = try write(
      picture: png(8, 8), mask: png(8, 8), pages: "picture\twriter\na.png\tw\nb.png\tw\n")
    try png(8, 8).write(to: URL(fileURLWithPath: "\(path)/pictures/b.png"))
    #expect(
      try SegmentationDataset(folder: path).failures == [
        "\(path)/pictures/b.png: expected the mask \(path)/masks/b.png, found none"
      ])
  }

  @Test func aGammaDoesNotChangeIndices() throws {
    // A chunk gAMA of 1.0 after the header, which has 33 bytes.
    let mask = try png(8, 8, 2)
    let gamma = Data(
      [0, 0, 0, 4] + Array("gAMA".utf8) + [0, 1, 0x86, 0xA0, 0x31, 0xE8, 0x96, 0x5F])
    let path = try write(
      picture: png(8, 8), mask: mask.prefix(33) + gamma + mask.dropFirst(33))
    let page = try SegmentationDataset(folder: path).pages[0]
    #expect(try page.read(classCount: 3).mask.classes.allSatisfy { $0 == 2 })
  }

  @Test func onePageThatCannotBeReadDoesNotDiscardOthers() throws {
    let path = try write(picture: png(8, 8), mask: png(8, 8, 1))
    try png(8, 8).write(to: URL(fileURLWithPath: "\(path)/pictures/b.png"))
    try png(9, 9).write(to: URL(fileURLWithPath: "\(path)/masks/b.png"))
    let description = SegmentationDescription(of: try SegmentationDataset(folder: path))
    #expect(description.pages == 1)
    #expect(description.failures.count == 1)
    #expect(description.classes.map(\.share) == [0, 1, 0])
  }

  // MARK: Splitting

  @Test(arguments: SegmentationDataset.Group.allCases)
  func pagesOfAGroupStayTogether(group: SegmentationDataset.Group) throws {
    var rows = "picture\twriter\tsource\n"
    let path = try write(picture: nil, mask: nil)
    for index in 0..<40 {
      try png(4, 4).write(to: URL(fileURLWithPath: "\(path)/pictures/\(index).png"))
      try png(4, 4).write(to: URL(fileURLWithPath: "\(path)/masks/\(index).png"))
      rows += "\(index).png\tw\(index % 10)\ts\(index % 5)\n"
    }
    try Data(rows.utf8).write(to: URL(fileURLWithPath: "\(path)/pages.tsv"))
    let split = Split(method: .writer, seed: 3, validationShare: 0.2, testShare: 0.2)
    let divided = try SegmentationDataset(folder: path).split(split, keepingTogether: group)
    let copy = "\(folder.path)/divided"
    try divided.copy(to: copy)
    let read = try SegmentationDataset(folder: copy)
    #expect(read.pages.map(\.part) == divided.pages.map(\.part))
    let groups = Dictionary(grouping: read.pages) { group == .writer ? $0.writer : $0.source }
    #expect(groups.values.allSatisfy { Set($0.map(\.part)).count == 1 })
    #expect(Split.Part.allCases.map { part in read.pages.count { $0.part == part } } == [24, 8, 8])
  }
}
