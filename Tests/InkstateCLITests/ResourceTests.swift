import Foundation
import Ink
import InkDiagram
import InkReader
import InkRecognizer
import Testing
import TestSupport

/// Programs without the folders of resources that the build puts beside them, and models from elsewhere.
@Suite struct ResourceTests {
  private static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func runInstalled(
    _ program: String, _ arguments: [String], with folders: [String] = []
  ) throws -> (output: String, status: Int32) {
    let folder = try TemporaryFolder()
    let installed = URL(fileURLWithPath: "\(folder.path)/bin")
    try FileManager.default.createDirectory(at: installed, withIntermediateDirectories: true)
    let copy = installed.appendingPathComponent(program)
    // Whatever this process writes itself is open in processes that other tests start meanwhile, and cannot be run.
    try run("/bin/cp", [products.appendingPathComponent(program).path, copy.path])
    for name in folders {
      try FileManager.default.createSymbolicLink(
        at: installed.appendingPathComponent(name),
        withDestinationURL: products.appendingPathComponent(name))
    }
    return try run(copy.path, arguments, in: folder.path)
  }

  @discardableResult private static func run(
    _ path: String, _ arguments: [String], in folder: String = "/"
  ) throws -> (output: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit, "\(output)")
    return (output, process.terminationStatus)
  }

  @Test(arguments: [
    ("classify Examples/Ink/drawings.ndjson", [String](), "InkRecognizer"),
    ("inspect", [], "InkRecognizer"),
    ("read Examples/Lines/names.ndjson", [], "InkReader"),
    ("automaton recognize Examples/Drawings/mod3.ndjson", [], "InkReader"),
    (
      "automaton recognize Examples/Drawings/mod3.ndjson", ["inkstate_InkReader.resources"],
      "InkDiagram"
    ),
  ])
  func aCommandWithoutItsResourcesSaysWhatIsMissing(
    line: String, folders: [String], module: String
  ) throws {
    let arguments = line.split(separator: " ").map {
      $0.hasPrefix("Examples") ? Self.project.appendingPathComponent(String($0)).path : String($0)
    }
    let (output, status) = try Self.runInstalled("inkstate", arguments, with: folders)
    #expect(status != 0)
    #expect(output.contains("inkstate_\(module).resources"), "\(output)")
    #expect(output.contains("looked for in /"), "\(output)")
    #expect(output.split(separator: "\n").count == 1, "\(output)")
  }

  @Test func aCommandWithItsResourcesWorksAnywhere() throws {
    let ink = Self.project.appendingPathComponent("Examples/Ink/drawings.ndjson").path
    let (output, status) = try Self.runInstalled(
      "inkstate", ["classify", ink], with: ["inkstate_InkRecognizer.resources"])
    #expect(status == 0 && output.contains(": state "), "\(output)")
  }

  @Test func aStudioWithoutItsResourcesSaysWhatIsMissing() throws {
    let (output, status) = try Self.runInstalled("inkstate-studio", ["--port", "0"])
    #expect(status != 0)
    #expect(output.contains("inkstate_InkStudio.resources/Page/index.html"), "\(output)")
    #expect(output.contains("looked for in /"), "\(output)")
  }

  @Test func modelsComeFromURLsAndData() throws {
    let models = Self.project.appendingPathComponent("models")
    let url = models.appendingPathComponent("inkstate.safetensors")
    let released = try Recognizer.released().model
    #expect(try Recognizer(modelURL: url).model == released)
    #expect(try Recognizer(modelData: Data(contentsOf: url)).model == released)

    let reader = models.appendingPathComponent("reader.safetensors")
    #expect(try Reader(modelURL: reader).model == Reader.released().model)
    #expect(try Reader(modelData: Data(contentsOf: reader)).alphabet == Reader.released().alphabet)

    let page = models.appendingPathComponent("page.safetensors")
    #expect(try PageRecognizer(modelPath: page.path).model == PageRecognizer.released().model)

    let file = Self.project.appendingPathComponent("Examples/Drawings/mod3.ndjson").path
    let drawing = try #require(try InkFile.items(path: file).first).result.get().drawing
    let diagrams = try DiagramRecognizer(modelFolder: models)
    #expect(diagrams.recognize(drawing) == (try DiagramRecognizer.released()).recognize(drawing))
  }

  @Test func whatIsNoModelIsNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write("text.safetensors", "no model")
    for (name, model) in [
      (
        "text.safetensors",
        { _ = try Recognizer(modelURL: URL(fileURLWithPath: "\(folder.path)/text.safetensors")) }
      ), ("mine", { _ = try Recognizer(modelData: Data([1, 2]), name: "mine") }),
      ("mine", { _ = try Reader(modelData: Data(), name: "mine") }),
      (
        "reader.safetensors",
        { _ = try DiagramRecognizer(modelFolder: URL(fileURLWithPath: folder.path)) }
      ),
      (
        "https://example.org", { _ = try Recognizer(modelURL: URL(string: "https://example.org")!) }
      ),
    ] as [(String, () throws -> Void)] {
      #expect {
        try model()
      } throws: {
        $0.localizedDescription.contains(name)
      }
    }
  }
}
