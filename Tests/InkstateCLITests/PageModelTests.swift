import Foundation
import InkNetwork
import InkRaster
import InkRecognizer
import TestSupport
import Testing

/// The commands with a model that answers for each cell of a picture.
@Suite(.timeLimit(.minutes(10))) struct PageModelTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let model = try Model(
      network: randomNetwork(Architecture.page(classCount: 5, fields: 1), seed: 8),
      labels: ["nothing", "ring", "line", "head", "writing"], preprocessing: [.page(.standard)],
      fields: ["size"])
    try folder.write("page.safetensors", model.encoded())
    let pages = try run(
      "dataset compose pages --writers 3 --count 4 --width 96 --height 64 -o pages")
    try #require(pages.status == 0, "\(pages.errors)")
  }

  private func run(_ line: String) throws -> CommandResult {
    try inkstate(line.split(separator: " ").map(String.init), in: folder)
  }

  @Test func classifyWritesMapsOfCells() throws {
    let result = try run(
      "classify pages/pictures --model page.safetensors --output answers --threads 2")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.split(separator: "\n").count == 4)
    #expect(result.output.hasPrefix("pages/pictures/000001.png: 96 × 64, nothing "))
    for name in [
      "classes/000001.png", "probabilities/000001.npy", "fields/000004.npy", "overlays/000002.png",
    ] {
      #expect(FileManager.default.fileExists(atPath: "\(folder.path)/answers/\(name)"), "\(name)")
    }
    let values = FileManager.default.contents(
      atPath: "\(folder.path)/answers/probabilities/000001.npy")
    #expect(values.map { $0.count % 64 } == 0)
    #expect(values.map { $0.count > 4 * 5 * 48 * 32 } == true)
    // One core writes the same bytes.
    let again = try run(
      "classify pages/pictures --model page.safetensors --output again --threads 1")
    #expect(again.output == result.output)
    #expect(
      FileManager.default.contents(atPath: "\(folder.path)/again/probabilities/000001.npy")
        == values)
    let existing = try run("classify pages/pictures --model page.safetensors --output answers")
    #expect(existing.status != 0 && existing.errors.contains("--force"))
    // Of a data set, the masks are not looked at.
    #expect(try run("classify pages --model page.safetensors").output == result.output)
    let json = try run("classify pages/pictures/000001.png --model page.safetensors --json")
    #expect(json.output.contains(#""cell":2,"columns":48,"height":64,"rows":32"#))
  }

  @Test func onlyAnswersAreReplaced() throws {
    func classify(_ output: String, _ picture: String = "pages/pictures/000001.png") throws
      -> CommandResult
    {
      try run("classify \(picture) --model page.safetensors --output \(output) --force")
    }
    let files = FileManager.default
    #expect(try classify("answers").status == 0)
    try folder.write("answers/overlays/old.png", "old")
    let again = try classify("answers")
    #expect(again.status == 0, "\(again.errors)")
    #expect(!files.fileExists(atPath: "\(folder.path)/answers/overlays/old.png"))
    for other in [
      "notes.txt", "classes/notes.txt", "probabilities/a.png", "classes/notes/a.png",
    ] {
      try folder.write("answers/\(other)", "mine")
      let refused = try classify("answers")
      #expect(
        refused.status != 0
          && refused.errors.contains(
            "answers: expected a folder with nothing but answers for cells to replace")
      )
      #expect(files.fileExists(atPath: "\(folder.path)/answers/\(other)"))
      try files.removeItem(atPath: "\(folder.path)/answers/\(other)")
    }
    try files.removeItem(atPath: "\(folder.path)/answers/classes/notes")
    // Neither a data set nor a file is what was written.
    try files.copyItem(atPath: "\(folder.path)/pages", toPath: "\(folder.path)/mine")
    #expect(try classify("mine").status != 0)
    #expect(files.fileExists(atPath: "\(folder.path)/mine/masks/000001.png"))
    try folder.write("file", "mine")
    #expect(
      try classify("file").errors.contains("file: expected a path for a folder, found a file"))
    #expect(files.contents(atPath: "\(folder.path)/file") == Data("mine".utf8))
    // Where nothing can be read, the old answers stay.
    try folder.write("broken.png", "no picture")
    for output in ["answers", "other"] {
      let nothing = try classify(output, "broken.png")
      #expect(nothing.status == 2 && nothing.errors.contains("\(output): nothing is written"))
    }
    #expect(files.fileExists(atPath: "\(folder.path)/answers/overlays/000001.png"))
    #expect(!files.fileExists(atPath: "\(folder.path)/other"))
  }

  /// What decodes pages is fitted to pages whose automata are known, and stored in the model.
  @Test func theDecodingOfPagesIsFitted() throws {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    // Lines hardly go on, so that there is something to fit.
    var model = try Model.read(path: root.appendingPathComponent("models/page.safetensors").path)
    model.decision.decoding = ["goingOn": 0.6]
    try folder.write("spoilt.safetensors", model.encoded())
    let composed = try run(
      "dataset compose pages --writers 3 --count 30 --width 256 --height 256 --seed 2 -o known")
    try #require(composed.status == 0, "\(composed.errors)")
    let fitted = try run(
      "calibrate spoilt.safetensors known --only goingOn -o fitted.safetensors")
    #expect(fitted.status == 0, "\(fitted.errors)")
    let lines = fitted.output.split(separator: "\n")
    let right = try #require(
      lines.dropLast().last?.wholeMatch(
        of: /structure right: (\d+) of (\d+) pages of the fit, before (\d+)/))
    #expect(Int(right.1)! >= Int(right.3)! && Int(right.2)! > 3)
    #expect(lines.contains { $0.hasPrefix("goingOn ") && $0.hasSuffix(" before 0.6000") })
    #expect(lines.last?.wholeMatch(of: /structure right: .* pages? held out, before \d+/) != nil)
    // Each line says what changed: `goingOn 0.4615, before 0.6000`.
    #expect(lines.dropLast(2).allSatisfy { $0.contains(/^\w+ +-?[\d.]+, before -?[\d.]+$/) })
    #expect(
      try run("inspect fitted.safetensors").output
        .contains("66 numbers with which pages are decoded"))
    // One core fits the same.
    let again = try run(
      "calibrate spoilt.safetensors known --only goingOn -o again.safetensors --threads 1"
    )
    #expect(again.output == fitted.output)
    let files = FileManager.default
    #expect(
      files.contentsEqual(
        atPath: "\(folder.path)/fitted.safetensors", andPath: "\(folder.path)/again.safetensors"))
    try #require(
      try run("dataset compose pages --writers 2 --count 4 --width 256 --height 256 -o few").status
        == 0)
    for (arguments, problem) in [
      ("spoilt.safetensors known --false-rejections 0.1", "are for models that reject"),
      ("spoilt.safetensors known --window 2s", "--window: the model answers for each cell"),
      ("spoilt.safetensors pages/pictures", "truth.json"),
      ("spoilt.safetensors few", "at least five pages"),
      ("page.safetensors known", "page.safetensors, fields: expected centerX"),
      ("spoilt.safetensors known --only gaps", "there is no number `gaps`; there are aheadReach, "),
    ] {
      let refused = try run("calibrate \(arguments) -o other.safetensors")
      #expect(refused.status != 0 && refused.errors.contains(problem), "\(refused.errors)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/other.safetensors"))
    }
  }

  @Test func aClassThatNoPageHasIsNamed() throws {
    try folder.write(
      "pages/classes.tsv",
      "index\tname\n0\tnothing\n1\tring\n2\tline\n3\thead\n4\twriting\n5\tlamp\n")
    let result = try run("train pages --steps 1 --side 64 --batch-size 2 -o m.safetensors")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("1 step of 2 crops of 64 × 64"))
    #expect(
      result.errors.contains(
        "warning: no page to train on has lamp, so the network does not learn this class"))
  }

  @Test(arguments: [
    (
      "pages --architecture drawing", "--architecture drawing has one answer, and pages has a class"
    ),
    (
      "pages --from page.safetensors", "answers nothing, ring, line, head, writing and 1 field, and"
    ),
    ("pages --patience 3", "--patience does not apply to pages"),
    ("pages --augment mild", "--augment does not apply to pages"),
    ("pages --window 2s", "--window does not apply to pages"),
    ("pages --pen-width 3", "--pen-width does not apply to pages"),
    ("pages --steps 8 --epochs 1", "--steps and --epochs cannot be used together"),
    ("ink.ndjson --steps 8", "--steps needs pages with masks, or --compose-pages"),
    ("ink.ndjson --side 64", "--side needs pages with masks, or --compose-pages"),
  ])
  func optionsForOtherDataAreRefused(line: String, problem: String) throws {
    try folder.write("ink.ndjson", #"{"word":"a","drawing":[[[0,10],[0,10]]]}"# + "\n")
    let result = try run("train \(line) -o m.safetensors")
    #expect(result.status != 0 && result.errors.contains(problem), "\(result.errors)")
  }

  @Test func badInputsGetALineEach() throws {
    try folder.write("broken.png", "no picture")
    try folder.write("stroke.ndjson", #"{"drawing":[[[0,10],[0,10]]]}"# + "\n")
    let result = try run(
      "classify broken.png stroke.ndjson missing.png pages/pictures/000001.png "
        + "--model page.safetensors")
    #expect(result.status == 2)
    #expect(result.output.hasPrefix("pages/pictures/000001.png: "))
    #expect(result.errors.split(separator: "\n").count == 3)
    let drawings = try run("classify pages/pictures/000001.png --output answers")
    #expect(drawings.errors.contains("--output needs a model that answers for each cell"))
  }

  @Test func evaluateReportsClassesAndTheWorstPages() throws {
    let result = try run(
      "evaluate pages --model page.safetensors --html report.html --errors worst.png")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("mean IoU") && result.output.contains("worst pages"))
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/worst.png"))
    let released = try run("evaluate pages")
    #expect(released.errors.contains("found pages with masks"))
    let by = try run("evaluate pages --model page.safetensors --by writer")
    #expect(by.errors.contains("--by: the model answers for each cell"))
  }

  @Test func inspectShowsTheNetworkAtAUsualSize() throws {
    let result = try run("inspect page.safetensors")
    #expect(result.output.contains("any size, filled up to multiples of 32"))
    #expect(result.output.contains("fields        size"))
    #expect(result.output.contains("1 × 768 × 1024"))
  }
}
