import Foundation
import InkImageIO
import Testing
import TestSupport

/// The commands for data sets, on recordings of sensors.
@Suite(.timeLimit(.minutes(30))) struct SeriesCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for index in 0..<24 {
      // Nothing that counts, which would be left out.
      let rows = (0..<10).map { "\($0 * 10),\(index % 3),\($0 % 4 * index),1\n" }.joined()
      try folder.write(
        "punches/\(["jab", "hook"][index % 2])/s\(index / 2 % 2)_p\(index / 4 % 3)-\(index).csv",
        "time_ms,ax,ay,az\n" + rows)
    }
  }

  private func run(_ words: String) throws -> CommandResult {
    try inkstate(words.split(separator: " ").map(String.init), in: folder)
  }

  @Test func classFoldersAreImportedDividedDescribedAndPreviewed() throws {
    let imported = try run(
      "dataset import punches --name {session}_{person}-* -o all.ndjson")
    #expect(imported.output == "24 examples of 2 labels in all.ndjson\n", "\(imported.errors)")
    let described = try run("dataset describe all.ndjson").output
    for line in [
      "24 examples of 2 classes", "3 writers:", "6 sessions:",
      "  rate, steps per second             100.0     100.0     100.0",
      "  length, steps                       10.0      10.0      10.0",
      "  az                                 1.000     1.000     1.000         0          24",
    ] {
      #expect(described.contains(line + "\n"), "\(described)")
    }
    let divided = try run("dataset split all.ndjson --by session -o split")
    #expect(divided.status == 0 && divided.errors == "", "\(divided.errors)")
    #expect(divided.output.contains("train           16  hook 8, jab 8\n"))
    for words in ["all.ndjson", "split", "split --augmented --augment wearable"] {
      let preview = try run("dataset preview \(words) --force -o sheet.png")
      #expect(preview.output == "2 classes on sheet.png\n", "\(preview.errors)")
      #expect(try PNG.read(path: "\(folder.path)/sheet.png").width == 942)
    }
  }

  @Test func whatCannotBeDoneIsSaid() throws {
    let sessions = try run("dataset split punches --by session -o split")
    #expect(sessions.status == 1)
    #expect(
      sessions.errors
        == "Error: punches: expected recordings with a session (--session-column or --name gives "
        + "it), found none\n")
    let rendered = try run("dataset render punches -o pictures")
    #expect(
      rendered.status == 1
        && rendered.errors.hasSuffix(
          ".csv: expected a drawing or picture that can be rasterised, found a series, which has no "
            + "picture\n"),
      "\(rendered.errors)")
    for (words, message) in [
      ("--name {who}", "expected each of {person}, {session}, {label} at most once"),
      ("--rate 0", "--rate must be above 0"), ("--channels a,,b", "--channels: expected names"),
      ("--channels ax,q", "expected a column `q`, found time_ms, ax, ay, az"),
      ("--time-unit h", "Please provide one of 's', 'ms', 'us' or 'ns'"),
    ] {
      let result = try run("dataset describe punches \(words)")
      #expect(result.status != 0 && result.errors.contains(message), "\(result.errors)")
    }
    _ = try run("dataset split punches -o split")
    let divided = try run("dataset describe split --rate 5")
    #expect(divided.errors.contains("do not apply to split"), "\(divided.errors)")
  }

  @Test func aClassOfOnePersonIsReported() throws {
    try folder.write(
      "table.csv",
      "recording,person,label,x\n1,ann,walk,1\n2,ben,walk,2\n3,cy,walk,3\n4,ann,run,4\n5,ann,run,5\n"
    )
    let divided = try run("dataset split table.csv -o split")
    #expect(divided.status == 0)
    #expect(
      divided.errors.contains(
        "run: all 2 examples are of writer ?/ann, so only one part has them; record others, or "
          + "leave the class out with --drop\n"), "\(divided.errors)")
    #expect(!divided.errors.contains("walk:"))
  }

  @Test func aPartOfTheArchiveIsUsed() throws {
    let header = "@timeStamps false\n@classLabel true a b\n@data\n"
    try folder.write("Waves/Waves_TRAIN.ts", header + "1,2:a\n3,4:b\n5,6:b\n")
    try folder.write("Waves/Waves_TEST.ts", header + "1,2:a\n")
    let described = try run("dataset describe Waves")
    #expect(described.output.hasPrefix("3 examples of 2 classes\n"), "\(described.errors)")
    let imported = try run("dataset import Waves -o all.ndjson")
    #expect(imported.output == "4 examples of 2 labels in all.ndjson\n", "\(imported.errors)")
  }

  @Test func badFilesAreReportedAndTheRestIsKept() throws {
    try folder.write("punches/jab/s0_p0-bad.csv", "ax,ay\n1,2\n3\n")
    let imported = try run("dataset import punches -o all.ndjson")
    #expect(imported.status == 2)
    #expect(
      imported.errors.contains(
        "left out: punches/jab/s0_p0-bad.csv, line 3: expected 2 cells, as in the first row, "
          + "found 1\n"), "\(imported.errors)")
    #expect(imported.output == "24 examples of 2 labels in all.ndjson\n")
  }
}
