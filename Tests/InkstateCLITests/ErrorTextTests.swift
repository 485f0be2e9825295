import Automata
import AutomatonEditor
import Foundation
import Ink
import InkNetwork
import InkRaster
import InkReader
import InkRecognizer
import InkSeries
import SafeFiles
import Testing

/// The text of errors, as apps show it.
@Suite struct ErrorTextTests {
  /// One error of each public type.
  private static let errors: [any Error] = [
    AutomatonError(at: "a.jff", expected: "a state", found: "none"),
    Refusal.nothingToDo,
    GradeReport.Problem("a.jff: not an automaton"),
    InkError(at: .init(file: "a.ndjson", line: 3), expected: "numbers", found: "text"),
    RasterError.tooFarApart,
    ReaderError.repeatedCharacter("a"),
    ModelError(path: "a.safetensors", problem: "the file is missing"),
    PreparationError.unsuitable(expected: "a picture", found: "a series"),
    SeriesError.unknownChannel("x", known: ["y"]),
    FileError(path: "a", expected: "a file", found: "a folder"),
  ]

  @Test func localizedDescriptionsAreDescriptions() {
    for error in Self.errors {
      #expect(error.localizedDescription == "\(error)", "\(type(of: error))")
      #expect(!"\(error)".isEmpty)
    }
  }

  /// Every public type of errors is a `DescribedError`, so that the test above holds for it.
  @Test func allPublicErrorsAreDescribed() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)!
    var described = 0
    for case let name as String in files where name.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      // Matching every line takes ten seconds.
      for line in text.split(separator: "\n") where line.contains("public") {
        guard let match = line.firstMatch(of: #/(?:struct|enum|class|extension) (\w+): (.*)\{/#),
          match.2.split(whereSeparator: { !$0.isLetter }).contains(where: {
            ["Error", "LocalizedError", "DescribedError"].contains($0)
          })
        else { continue }
        #expect(match.2.contains("DescribedError"), "\(name): \(match.1)")
        described += 1
      }
    }
    #expect(described >= 18)
  }
}
