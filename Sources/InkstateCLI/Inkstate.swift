import ArgumentParser
import Foundation
import Ink

/// The `inkstate` command.
@main
struct Inkstate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inkstate",
    abstract: "Recognise pen strokes: make data sets, train networks, classify, and run automata.",
    discussion: """
      Example, from recordings to a classified drawing:

        inkstate dataset split datasets/synthetic.ndjson --by writer --output runs/data
        inkstate train runs/data --output runs/model.safetensors
        inkstate evaluate runs/data --model runs/model.safetensors
        inkstate classify --model runs/model.safetensors Examples/Ink/arrow.inkml
      """,
    version: Version.current,
    subcommands: subcommands(calledBy: CommandLine.arguments.dropFirst().first))

  /// The subcommands with their names, in the order of the help.
  ///
  /// Types are made when they are asked for: the parser looks at all of them at each start.
  static let subcommands: [(name: String, type: @Sendable () -> any ParsableCommand.Type)] =
    [
      ("dataset", { DatasetCommand.self }), ("train", { Train.self }),
      ("calibrate", { Calibrate.self }), ("evaluate", { Evaluate.self }),
      ("cross-validate", { CrossValidate.self }), ("classify", { Classify.self }),
      ("read", { Read.self }), ("trace", { TraceCommand.self }), ("inspect", { Inspect.self }),
      ("export", { Export.self }), ("import", { Import.self }),
      ("automaton", { AutomatonCommand.self }), ("studio", { StudioLauncher.self }),
    ]

  /// Returns the subcommand that the first argument names, or all if it names none.
  private static func subcommands(calledBy argument: String?) -> [any ParsableCommand.Type] {
    let called = subcommands.filter { $0.name == argument }
    return (called.isEmpty ? subcommands : called).map { $0.type() }
  }

  static func main() {
    // Makes a file-size limit a write error that is reported, instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    do {
      if try classifyWithoutOptions(CommandLine.arguments) { return }
      var command = try parseAsRoot()
      do { try command.run() } catch let error as ValidationError {
        finish(message: text(of: error, in: type(of: command)), code: .validationFailure)
      }
    } catch {
      finish(message: fullMessage(for: error), code: exitCode(for: error))
    }
  }

  /// Does `inkstate classify PATH…`; returns false for any other command.
  ///
  /// Where there are no options, the parser would take a third of the time from start to answer.
  private static func classifyWithoutOptions(_ arguments: [String]) throws -> Bool {
    let paths = arguments.dropFirst(2)
    guard !paths.isEmpty, arguments[1] == Classify.configuration.commandName,
      !paths.contains(where: { $0.isEmpty || $0.hasPrefix("-") })
    else { return false }
    guard try DrawingClassification(.released()).answer(Array(paths)) == 0 else {
      throw ExitCode(2)
    }
    return true
  }

  /// Returns the message for a validation error that `command` found while running, in the form
  /// that the argument parser uses.
  private static func text(
    of error: ValidationError, in command: any ParsableCommand.Type
  ) -> String {
    let usage = usageString(for: command)
    // `inkstate dataset import <paths> ... [--strokes]`: the names come first.
    let names = usage.split(separator: " ").prefix { $0.wholeMatch(of: /[a-z-]+/) != nil }
    return """
      Error: \(error.message)
      Usage: \(usage)
        See '\(names.joined(separator: " ")) --help' for more information.
      """
  }

  /// Prints `message` with control characters escaped, and exits.
  private static func finish(message: String, code: ExitCode) -> Never {
    if code.isSuccess, !message.isEmpty {
      print(message)
    } else if !message.isEmpty {
      // `say` prints nothing in all processes of a group except one.
      FileHandle.standardError.write(Data((message.printable(keepingLines: true) + "\n").utf8))
    }
    Foundation.exit(code.rawValue)
  }
}
