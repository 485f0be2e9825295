import ArgumentParser
import Foundation
import InkStudio
import Synchronization

/// The `inkstate studio` command.
///
/// It is a separate executable, so that the other commands start without a web server.
@main
struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inkstate studio",
    abstract: "Record and recognise drawings, and edit and run automata, in a browser.",
    discussion: """
      Prints the address to open, and runs until Ctrl-C. Only this machine can connect, and every \
      user of this machine who knows the address can use the studio. Recordings and documents are saved \
      immediately in the folder --data; only you can read the files.

      With --share, tablets and other devices in the local network can connect, encrypted, after they are \
      paired with a code of six digits. They can edit; deleting and training are left to you.

      Example: inkstate studio --data my-ink --open
      Example: inkstate studio --share
      """)

  @Option(help: "The port; 0 chooses an unused one.")
  var port = Studio.Configuration.standardPort

  @Option(help: "The folder for recordings and documents.")
  var data = "studio"

  @Option(help: "The model. (default: the last one that was selected, at first the released model)")
  var model: String?

  @Flag(help: "Open the address in the browser.")
  var open = false

  @Flag(help: "Let paired devices in the local network connect.")
  var share = false

  @Option(help: "The port for other devices, with --share; 0 chooses an unused one.")
  var sharePort = 8443

  func validate() throws {
    for (name, value) in [("--port", port), ("--share-port", sharePort)] {
      guard (0...65_535).contains(value) else {
        throw ValidationError("\(name) must be from 0 to 65535, not \(value)")
      }
    }
    guard !share || Studio.canBeShared else { throw ValidationError(Studio.howToBuildSharing) }
  }

  func run() async throws {
    // Only this user can read ink and tokens: files get mode 600, folders 700.
    umask(0o077)
    var configuration = Studio.Configuration(dataFolder: data)
    configuration.port = port
    configuration.modelPath = model
    if share { configuration.sharedPort = sharePort }
    let studio = try Studio(configuration)
    for warning in studio.warnings {
      FileHandle.standardError.write(Data("warning: \(warning)\n".utf8))
    }
    let opensBrowser = open
    let isFirst = Mutex(true)
    try await studio.run { address in
      print("\(address)\nPress Ctrl-C to stop.")
      fflush(nil)
      if opensBrowser { Self.openBrowser(studio, address) }
    } onInvitation: { invitation in
      Self.show(invitation, isFirst: isFirst.withLock { exchange(&$0, with: false) })
    }
  }

  /// Prints how to pair a device; later only the new code.
  private static func show(_ invitation: Invitation, isFirst: Bool) {
    let code = "\(invitation.code.prefix(3)) \(invitation.code.suffix(3))"
    if isFirst {
      let others = invitation.addresses.dropFirst()
      print(
        """

        Other devices: open \(invitation.addresses[0]) and type the code \(code)
        """)
      if !others.isEmpty { print("It may also be at \(others.joined(separator: ", "))") }
      if isatty(STDOUT_FILENO) == 1 { print("\n\(invitation.picture)") }
      print(
        """
        A code is for one device and for \(invitation.minutes) minutes.
        Browsers warn, because the certificate is the studio's own. Its SHA-256 fingerprint is
        \(invitation.fingerprint)
        """)
    } else {
      print("New code: \(code)")
    }
    fflush(nil)
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
