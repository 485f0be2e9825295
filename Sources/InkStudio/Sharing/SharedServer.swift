import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The server for other devices, as a part of the studio's own.
struct SharedServer: Service {
  let application: Studio.Server
  let port: Int

  func run() async throws {
    do { try await application.run() } catch let error as IOError
      where error.errnoCode == EADDRINUSE
    {
      throw StudioError(
        "Another program uses the port \(port). Choose another --share-port, or 0 for any unused port."
      )
    }
  }
}

/// Says when the code for pairing changes, while the studio runs.
struct CodeWatch: Service {
  let sharing: Sharing
  let onChange: @Sendable (Invitation) -> Void

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      var code = sharing.pairing.code
      while true {
        try await Task.sleep(for: .seconds(1))
        let now = sharing.pairing.code
        guard now != code else { continue }
        code = now
        onChange(sharing.invitation)
      }
    }
  }
}
