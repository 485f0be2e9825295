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
    let json = try run("classify pages/pictures/000001.png --model page.safetensors --json")
    #expect(json.output.contains(#""cell":2,"columns":48,"height":64,"rows":32"#))
  }

  @Test(arguments: [
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
    let calibrated = try run("calibrate page.safetensors pages --output other.safetensors")
    #expect(calibrated.status != 0)
    #expect(calibrated.errors.contains("answers for each cell of a picture"))
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
