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
    subcommands: [
      DatasetCommand.self, Train.self, Calibrate.self, Evaluate.self, CrossValidate.self,
      Classify.self, Read.self, TraceCommand.self, Inspect.self, Export.self, Import.self,
      AutomatonCommand.self,
      StudioLauncher.self,
    ])

  static func main() {
    // Makes a file-size limit a write error that is reported, instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parseAsRoot()
      do { try command.run() } catch let error as ValidationError {
        finish(message: text(of: error, in: type(of: command)), code: .validationFailure)
      }
    } catch {
      finish(message: fullMessage(for: error), code: exitCode(for: error))
    }
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
