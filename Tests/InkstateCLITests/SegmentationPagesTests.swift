import Foundation
import InkDatasets
import InkImageIO
import Testing
import TestSupport

/// The commands for pages with masks.
@Suite(.timeLimit(.minutes(30))) struct SegmentationPagesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String) throws -> CommandResult {
    try inkstate(words.split(separator: " ").map(String.init), in: folder)
  }

  @Test func pagesGoFromComposedToSplitAndShown() throws {
    let composed = try run(
      "dataset compose pages --writers 6 --count 30 --width 96 --height 64 -o pages")
    #expect(composed.status == 0, "\(composed.errors)")
    #expect(composed.output == "30 pages of 96 × 64 in pages\n")
    let again = try run(
      "dataset compose pages --writers 6 --count 30 --width 96 --height 64 --threads 1 -o again")
    #expect(again.status == 0)
    for name in [
      "pictures/000030.png", "masks/000030.png", "classes.tsv", "pages.tsv", "truth.json",
      "drawings.ndjson",
    ] {
      #expect(
        FileManager.default.contents(atPath: "\(folder.path)/pages/\(name)")
          == FileManager.default.contents(atPath: "\(folder.path)/again/\(name)"))
    }

    let described = try run("dataset describe pages")
    #expect(described.output.hasPrefix("30 pages with 5 classes\n96 px wide, 64 px high\n"))
    #expect(described.output.contains("6 writers, 1 source"))
    let json = try run("dataset describe pages --json")
    #expect(json.output.contains("\"pages\" : 30"))

    let split = try run("dataset split pages --by writer --seed 2 -o divided")
    #expect(split.status == 0, "\(split.errors)")
    #expect(split.output.hasPrefix("train "))
    let parts = try run("dataset describe divided").output
    #expect(parts.contains("  train ") && parts.contains("  test "))

    let shown = try run("dataset preview divided --rows 2 --columns 2 -o sheet.png")
    #expect(shown.output == "4 pages on sheet.png\n")
    #expect(try Photograph.read(path: "\(folder.path)/sheet.png").channels == 3)
    // A data set may be replaced, and other folders may not.
    #expect(try run("dataset split pages --by source -o divided --force").status == 0)
    #expect(try run("dataset split pages --by source -o divided").status != 0)
    let composedAgain = try run(
      "dataset compose pages --writers 2 --count 3 --width 96 --height 64 -o pages --force")
    #expect(composedAgain.status == 0, "\(composedAgain.errors)")
  }

  @Test func foldersInFoldersAreReplacedUnlessOtherFilesAreInThem() throws {
    let composed = try run("dataset compose pages --writers 2 --count 2 -o flat")
    #expect(composed.status == 0, "\(composed.errors)")
    for kind in ["pictures", "masks"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/pages/\(kind)", withIntermediateDirectories: true)
      try FileManager.default.moveItem(
        atPath: "\(folder.path)/flat/\(kind)", toPath: "\(folder.path)/pages/\(kind)/ann")
    }
    try folder.write("pages/classes.tsv", "index\tname\n0\ta\n1\tb\n2\tc\n3\td\n4\te\n")
    #expect(try run("dataset split pages -o divided").status == 0)
    let again = try run("dataset split pages -o divided --force")
    #expect(again.status == 0, "\(again.errors)")
    // Without pages.tsv, nobody knows the writers.
    #expect(again.output.contains("0 writers") && !again.output.contains("1 writer"))
    for other in ["divided/masks/ann/notes.txt", "divided/pictures/ann/notes.txt"] {
      try folder.write(other, "mine")
      #expect(try run("dataset split pages -o divided --force").status != 0)
      #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(other)"))
      try FileManager.default.removeItem(atPath: "\(folder.path)/\(other)")
    }
  }

  @Test func aFolderWithoutClassesIsNoSetOfPictures() throws {
    let composed = try run("dataset compose pages --writers 2 --count 2 -o pages")
    #expect(composed.status == 0, "\(composed.errors)")
    try FileManager.default.removeItem(atPath: "\(folder.path)/pages/classes.tsv")
    for command in [
      "dataset describe pages", "dataset split pages -o a", "dataset preview pages -o a.png",
      "train pages -o m.safetensors", "train pages --architecture page -o m.safetensors",
    ] {
      let result = try run(command)
      #expect(result.status != 0)
      #expect(
        result.errors.contains("pages/classes.tsv: expected a table of the classes"),
        "\(command): \(result.errors)")
    }
  }

  @Test func rowsAreShownOnOneSheet() throws {
    let result = try run(
      "dataset compose pages --writers 2 --rows --width 64 --height 64 -o rows.png")
    #expect(result.output == "\(PageTrait.allCases.count) rows on rows.png\n", "\(result.errors)")
    #expect(try Photograph.read(path: "\(folder.path)/rows.png").width > 1000)
  }

  @Test(arguments: [
    ("dataset compose pages -o a", "give data sets with characters or words, or --writers"),
    (
      "dataset compose pages x.ndjson --writers 2 -o a", "give data sets or --writers, but not both"
    ),
    (
      "dataset compose pages line.ndjson -o a",
      "line.ndjson: expected a writer of 12 characters or 15 words"
    ),
    ("dataset compose pages --writers 2 --width 8 -o a", "--width"),
    ("dataset split line.ndjson --by source -o a", "--by source applies to pages with masks"),
    ("dataset split bad --by session -o a", "do not apply to pages with masks"),
    ("dataset describe bad", "bad: expected the folder pictures, found none"),
  ])
  func mistakesAreNamed(command: String, error: String) throws {
    try folder.write(
      "line.ndjson",
      #"{"word":"line","writer":"w","drawing":[[[0,100,200],[0,3,0]]]}"# + "\n")
    try folder.write("bad/classes.tsv", "index\tname\n0\ta\n1\tb\n")
    let result = try run(command)
    #expect(result.status != 0)
    #expect(result.errors.contains(error), "\(result.errors)")
  }
}
