import ArgumentParser
import Foundation

/// The `inkstate` command.
@main
struct Inkstate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inkstate",
    abstract: "Turns pen strokes into training data, trains networks on them, and classifies.",
    discussion: """
      Example, from recordings to an answer:

        inkstate dataset split datasets/synthetic.ndjson --by writer --output runs/data
        inkstate train runs/data --output runs/model.safetensors
        inkstate evaluate runs/data --model runs/model.safetensors
        inkstate classify --model runs/model.safetensors Examples/Ink/arrow.inkml
      """,
    version: version,
    subcommands: [
      DatasetCommand.self, Train.self, Calibrate.self, Evaluate.self, CrossValidate.self,
      Classify.self, Inspect.self, Export.self, Import.self, AutomatonCommand.self,
      StudioProgram.self,
    ])

  static let version = "0.1.0"

  static func main() {
    // A file-size limit is then an error of writing, which is reported, and not the end.
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

  /// What an argument that only `command` can check is answered with: the text of an argument that is
  /// checked while it is read.
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

  /// Prints `message`, without characters from files that steer the terminal, and ends.
  private static func finish(message: String, code: ExitCode) -> Never {
    if code.isSuccess, !message.isEmpty {
      print(message)
    } else if !message.isEmpty {
      // Not by `say`, which is silent in all processes of a group but one.
      FileHandle.standardError.write(Data((message.printable(keepingLines: true) + "\n").utf8))
    }
    Foundation.exit(code.rawValue)
  }
}
