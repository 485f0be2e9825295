import Foundation
import TestSupport
import Testing

@testable import ArgumentParser
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

  /// No two options of a command have one name, among others.
  ///
  /// Programs that are built for release do not check it when they start.
  @Test func optionsAreDeclaredAsTheParserWants() throws {
    #expect(throws: (any Error).self) { try TwoOfAName._validate(parent: nil) }
    var left: [any ParsableCommand.Type] = [Inkstate.self]
    var count = 0
    while let command = left.popLast() {
      #expect(throws: Never.self, "\(command)") { try command._validate(parent: nil) }
      #expect(!(command is any AsyncParsableCommand.Type), "\(command) would not run here")
      count += 1
      left += command.configuration.subcommands
    }
    #expect(count > Inkstate.subcommands.count)
  }

  private struct TwoOfAName: ParsableArguments {
    @Option(name: .customLong("seed")) var seed = 1
    @Option(name: .customLong("seed")) var other = 1
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
