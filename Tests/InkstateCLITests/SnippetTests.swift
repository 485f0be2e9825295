import Foundation
import Testing
import TestSupport

/// The Swift snippets of the documentation.
@Suite struct SnippetTests {
  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func check(_ arguments: [String]) throws -> (output: String, status: Int32) {
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let process = Process()
    process.executableURL = project.appendingPathComponent("scripts/check")
    process.arguments =
      ["snippets", "--modules", products.appendingPathComponent("Modules").path] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (output, process.terminationStatus)
  }

  @Test func theSnippetsOfTheDocumentationCompile() throws {
    let checked = try Self.check([])
    #expect(checked.status == 0, "\(checked.output)")
    #expect(checked.output.hasSuffix("snippets compile\n"))
  }

  @Test(arguments: [
    // An unused result, an enumeration with a case too few, and a product that does not exist.
    ("import InkRecognizer\ntry Recognizer.released()", "unused"),
    (
      """
      import AutomatonEditor
      func f(_ decision: SketchSession.Decision) {
        switch decision {
        case .applied, .head: break
        case .refused: break
        }
      }
      """, "must be exhaustive"
    ),
    (
      """
      import PackageDescription
      let package = Package(name: "A", dependencies: [.package(path: "../inkstate")], targets: [.target(name: "B", dependencies: [.product(name: "Nothing", package: "inkstate")])])
      """, "there is no product Nothing"
    ),
  ])
  func wrongSnippetsAreFound(snippet: String, problem: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("page.md", Data("# Page\n\n```swift\n\(snippet)\n```\n".utf8))
    let checked = try Self.check(["\(folder.path)/page.md"])
    #expect(checked.status == 1)
    #expect(checked.output.contains(problem) && checked.output.contains("page.md:4"))
  }
}
