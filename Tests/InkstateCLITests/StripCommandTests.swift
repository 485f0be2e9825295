import Foundation
import TestSupport
import Testing

/// The commands that print, read and learn from strips.
@Suite(.timeLimit(.minutes(30))) struct StripCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ words: String) throws -> CommandResult {
    try inkstate(words.split(separator: " ").map(String.init), in: folder)
  }

  @Test func printedLinesAreDescribedSplitAndShown() throws {
    let printed = try run("dataset print --lines 40 --seed 3 -o print")
    #expect(printed.status == 0 && printed.output.hasPrefix("40 lines in "), "\(printed.errors)")
    let again = try run("dataset print --lines 40 --seed 3 -o again")
    #expect(again.status == 0)
    let described = try run("dataset describe print")
    #expect(described.output.hasPrefix("40 examples of "))
    #expect(described.output.contains("width, pixels"))
    #expect(
      try run("dataset describe again").output == described.output.replacing("print", with: "again")
    )
    let imported = try run("dataset import print again -o both")
    #expect(imported.output.hasPrefix("80 examples of "), "\(imported.errors)")
    let split = try run("dataset split print --by writer --test 0.3 -o parts")
    #expect(split.status == 0, "\(split.errors)")
    // The fonts of one part are in no other part.
    let writers = try ["train", "validation", "test"].map { part in
      let table = try String(
        contentsOfFile: "\(folder.path)/parts/\(part)/labels.tsv", encoding: .utf8)
      return Set(table.split(separator: "\n").dropFirst().map { $0.split(separator: "\t")[2] })
    }
    #expect(writers[0].isDisjoint(with: writers[1]) && writers[0].isDisjoint(with: writers[2]))
    let sheet = try run("dataset preview print --augmented --rows 2 --columns 3 -o sheet.png")
    #expect(sheet.output == "6 lines on sheet.png\n", "\(sheet.errors)")
    let missing = try run("dataset print --fonts none.ttf -o print2")
    #expect(missing.status != 0 && missing.errors.contains("none.ttf: expected a font"))
  }

  @Test func aReaderLearnsFromTheTrainingPartOfStripsAndFromInk() throws {
    try #require(try run("dataset print --lines 24 --seed 1 -o print").status == 0)
    let path = "\(folder.path)/print/labels.tsv"
    var rows = try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n").map(String.init)
    for index in 1..<rows.count {
      var cells = rows[index].split(separator: "\t", omittingEmptySubsequences: false)
      cells[1] = index == 1 ? "a#" : index % 2 == 0 ? "ab" : "b"
      cells[3] = index > 18 ? "val" : "train"
      rows[index] = cells.joined(separator: "\t")
    }
    try folder.write("print/labels.tsv", rows.joined(separator: "\n") + "\n")
    try folder.write(
      "ink.ndjson", #"{"word":"a","drawing":[[[0,10,20],[0,30,0]],[[5,15],[15,15]]]}"# + "\n")

    let described = try run("dataset describe print")
    #expect(described.output.contains("train       18\n  validation  6\n"), "\(described.output)")
    let part = try run("dataset split print --part validation --by hash -o parts")
    #expect(part.status == 0, "\(part.errors)")
    #expect(try run("dataset split print --part test -o none").errors.contains("the part test"))

    let trained = try run(
      "train print ink.ndjson --architecture reader --alphabet abc --epochs 1 -o m.safetensors")
    #expect(trained.status == 0, "\(trained.errors)")
    #expect(
      trained.errors.contains(
        "left out: 1 line for training with characters outside the alphabet: `#` 1"))
    #expect(trained.errors.contains("18 examples of ab, 6 for validation"), "\(trained.errors)")
    let more = try run("train print --from m.safetensors --epochs 1 -o more.safetensors")
    #expect(more.status == 0, "\(more.errors)")
    #expect(more.errors.contains("left out: 1 line for training with characters outside"))
    // The model's alphabet grows.
    let wider = try run(
      "train print --from m.safetensors --alphabet #b --epochs 1 -o wider.safetensors")
    #expect(wider.status == 0 && !wider.errors.contains("left out"), "\(wider.errors)")
    #expect(wider.output.hasSuffix("#\n"), "\(wider.output)")
    let several = try run(
      "train ink.ndjson --validation print --validation ink.ndjson --architecture reader --alphabet a "
        + "--epochs 1 -o n.safetensors")
    #expect(several.errors.contains("1 example of a, 1 for validation"), "\(several.errors)")
    // Words of a list.
    try folder.write("words.txt", "ab\nb\nit's\n")
    let listed = try run(
      "train print --from m.safetensors --words words.txt --epochs 1 -o listed.safetensors")
    #expect(listed.status == 0, "\(listed.errors)")
    #expect(
      listed.errors.contains(
        "left out: 1 line of words.txt with other characters than letters of the model, such as `it's`"
      ))
    #expect(
      try run("inspect listed.safetensors").output.contains(
        "letters       11 sequences of up to 6, as they follow each other in words"))
    for (arguments, problem) in [
      ("print --from m.safetensors --words none.txt", "none.txt: expected words in UTF-8"),
      ("print --from m.safetensors --words ink.ndjson", "has letters of the model only"),
      ("ink.ndjson --words words.txt", "--words needs a network that reads text"),
      ("print --from m.safetensors --words words.txt -o words.txt", "words.txt"),
    ] {
      let refused = try run(
        "train \(arguments) --epochs 1 \(arguments.contains("-o") ? "--force" : "-o o.safetensors")"
      )
      #expect(refused.status != 0 && refused.errors.contains(problem), "\(refused.errors)")
    }
    #expect(
      try String(contentsOfFile: "\(folder.path)/words.txt", encoding: .utf8).hasPrefix("ab\n"))
    let drawing = try run("train ink.ndjson --alphabet ab --epochs 1 -o o.safetensors")
    #expect(drawing.errors.contains("--alphabet needs a network that reads text"))
  }
}
