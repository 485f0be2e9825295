import Foundation
import TestSupport
import Testing

@testable import InkstateCLI

/// The command starts without what it does not need.
@Suite struct StartTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func commandsAreFoundByTheirNames() {
    #expect(
      Inkstate.subcommands.map(\.name)
        == Inkstate.subcommands.map { $0.type().configuration.commandName })
    #expect(Inkstate.configuration.subcommands.count == Inkstate.subcommands.count)
  }

  /// `--polarity auto` is what `classify` does anyway, and needs the parser.
  @Test func pathsAloneAreClassifiedAsByTheParser() throws {
    let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Examples/Ink").standardizedFileURL.path
    for paths in [
      ["ring.png"], ["arrow.inkml", "drawings.ndjson"], ["nothing.png", "ring.png"], ["."],
    ] {
      let files = paths.map { $0 == "." ? examples : "\(examples)/\($0)" }
      let plain = try inkstate(["classify"] + files, in: folder)
      let parsed = try inkstate(["classify", "--polarity", "auto"] + files, in: folder)
      #expect(plain.status == parsed.status)
      #expect(plain.output == parsed.output)
      #expect(plain.errors == parsed.errors)
    }
  }

  @Test func theHelpOfACommandNamesItAndTheOthersAreUnknown() throws {
    #expect(
      try inkstate(["classify", "--help"], in: folder).output.contains("USAGE: inkstate classify "))
    #expect(try inkstate(["--help"], in: folder).output.contains("  automaton"))
    let wrong = try inkstate(["clasify", "a.png"], in: folder)
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("clasify"))
    #expect(
      try inkstate(["classify", "-x"], in: folder).errors.contains("Usage: inkstate classify "))
  }
}
