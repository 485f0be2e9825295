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
      try command.run()
    } catch {
      let (code, message) = (exitCode(for: error), fullMessage(for: error))
      if code == .success {
        print(message)
      } else if !message.isEmpty {
        // Errors quote names and labels from files.
        for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
          Terminal.say(String(line))
        }
      }
      exit(withError: code)
    }
  }
}
