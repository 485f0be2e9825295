import ArgumentParser
import Foundation

/// Runs `inkstate-studio`, which is next to this executable.
struct StudioLauncher: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio",
    abstract: "Record and recognise drawings, and edit and run automata, in a browser.",
    discussion: """
      `inkstate studio --help` lists the options. Build the studio first: scripts/build.

      Example: inkstate studio --data my-ink --open
      """, helpNames: [])

  @Argument(parsing: .captureForPassthrough)
  var arguments: [String] = []

  func run() throws {
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let program = URL(fileURLWithPath: own).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("inkstate-studio").path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw ValidationError(
        "the program \(program) is missing; build it with scripts/build")
    }
    var argumentVector = ([program] + arguments).map { strdup($0) }
    argumentVector.append(nil)
    execv(program, argumentVector)
    throw ValidationError("cannot run \(program): \(String(cString: strerror(errno)))")
  }
}
