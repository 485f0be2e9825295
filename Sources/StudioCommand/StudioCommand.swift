import ArgumentParser
import Foundation
import InkStudio

/// The `inkstate studio` command.
///
/// It is a separate executable, so that the other commands start without a web server.
@main
struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inkstate studio",
    abstract: "Record and recognise drawings, and edit and run automata, in a browser.",
    discussion: """
      Prints the address to open, and runs until Ctrl-C. Only this machine can connect. Each of its \
      users who knows the address can use the studio. Recordings and documents are saved immediately in \
      the folder --data; only you can read the files.

      Example: inkstate studio --data my-ink --open
      """)

  @Option(help: "The port; 0 chooses an unused one.")
  var port = 8080

  @Option(help: "The folder for recordings and documents.")
  var data = "studio"

  @Option(help: "The model. (default: the last one that was selected, at first the released model)")
  var model: String?

  @Flag(help: "Open the address in the browser.")
  var open = false

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port must be from 0 to 65535, not \(port)")
    }
  }

  func run() async throws {
    // Only this user can read ink and tokens: files get mode 600, folders 700.
    umask(0o077)
    var configuration = Studio.Configuration(dataFolder: data)
    configuration.port = port
    configuration.modelPath = model
    let studio = try Studio(configuration)
    let opensBrowser = open
    try await studio.run { address in
      print("\(address)\nPress Ctrl-C to stop.")
      fflush(nil)
      if opensBrowser { Self.openBrowser(studio, address) }
    }
  }

  private static func openBrowser(_ studio: Studio, _ address: String) {
    #if os(macOS)
      let program = "open"
    #else
      let program = "xdg-open"
    #endif
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    do {
      process.arguments = [program, try studio.redirectPage(to: address)]
      try process.run()
    } catch {
      FileHandle.standardError.write(
        Data("The browser cannot be started. Open the address yourself.\n".utf8))
    }
  }
}
