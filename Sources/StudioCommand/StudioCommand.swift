import ArgumentParser
import Foundation
import InkStudio

/// `inkstate studio`, as a program of its own, so that the others start without a web server in them.
@main
struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inkstate studio",
    abstract: "Record, recognise, edit and run in a browser on this machine.",
    discussion: """
      Prints the address to open and serves this machine only, until Ctrl-C. Whoever has the address \
      can use the studio. Recordings and documents are saved at once, as files in --data that only you \
      can read.

      Example: inkstate studio --data my-ink --open
      """)

  @Option(help: "The port; 0 is any that is free.")
  var port = 8080

  @Option(help: "The folder for recordings and documents.")
  var data = "studio"

  @Option(help: "The model; without it, the one that was chosen last, at first the released one.")
  var model: String?

  @Flag(help: "Open the address in the browser.")
  var open = false

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port: expected 0 to 65535, found \(port)")
    }
  }

  func run() async throws {
    // Ink and tokens are nobody else's: files get mode 600, folders 700.
    umask(0o077)
    var configuration = Studio.Configuration(dataFolder: data)
    configuration.port = port
    configuration.modelPath = model
    let studio = try Studio(configuration)
    let opens = open
    try await studio.run { address in
      print("\(address)\nCtrl-C ends")
      fflush(nil)
      if opens { Self.openBrowser(studio, address) }
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
      process.arguments = [program, try studio.doorway(to: address)]
      try process.run()
    } catch {
      FileHandle.standardError.write(
        Data("The browser could not be started. Open the address by hand.\n".utf8))
    }
  }
}
