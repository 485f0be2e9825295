import ArgumentParser
import Foundation

/// Hands over to `inkstate-studio`, which lies beside this command.
struct StudioProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio",
    abstract: "Record, recognise, edit and run in a browser on this machine.",
    discussion: """
      `inkstate studio --help` tells its options once it is built: scripts/build.

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
        "expected the program \(program), found none (scripts/build builds it)")
    }
    var words = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    execv(program, words)
    throw ValidationError("expected \(program) to run: \(String(cString: strerror(errno)))")
  }
}
