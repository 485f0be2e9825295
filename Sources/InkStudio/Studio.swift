import Foundation
import Hummingbird
import HummingbirdCore
import InkRecognizer
import Logging
import NIOCore

/// The local web app: record, recognise, edit and run in a browser on the same machine.
///
/// The page holds no recognition, no editing and no automata of its own; it asks this server, which
/// listens on the loopback interface only.
public struct Studio: Sendable {
  /// What a studio works with.
  public struct Configuration: Sendable {
    /// The port on 127.0.0.1; 0 for any that is free.
    public var port = 8080
    /// Where recordings and documents lie.
    public var dataFolder: String
    /// The model; `nil` for the one that was chosen last, at first the released one.
    public var modelPath: String?

    /// Makes the usual configuration.
    public init(dataFolder: String) { self.dataFolder = dataFolder }
  }

  private let configuration: Configuration
  private let recordings: Recordings
  private let documents: Documents
  private let lock: FolderLock
  private let doorway: Doorway
  private let models: Models
  let training: Training
  private let practice: Practice
  private let token: String

  /// Opens the recordings and documents of `configuration`'s folder, which is made where it is missing.
  ///
  /// - Throws: `ModelError`, or an error that names the file that cannot be used.
  public init(_ configuration: Configuration) throws {
    self.configuration = configuration
    let folder = configuration.dataFolder
    lock = try FolderLock(folder)
    doorway = Doorway(folder: folder)
    models = try Models(folder: "\(folder)/models", using: configuration.modelPath)
    training = Training(models: models)
    recordings = try Recordings(folder: folder)
    documents = try Documents(folder: "\(folder)/documents", recognizer: models)
    practice = try Practice(folder: "\(folder)/practice")
    var generator = SystemRandomNumberGenerator()
    token = (0..<4).map { _ in
      String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
    }.joined()
  }

  /// The most connections at a time; more wait.
  private static let mostConnections = 512

  /// The addresses of the page and of what it asks, behind `gatekeeper`.
  func router(_ gatekeeper: Gatekeeper) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: gatekeeper)
    Page.add(to: router)
    interface.add(to: router)
    return router
  }

  /// What answers the page.
  var interface: StudioInterface {
    StudioInterface(
      recordings: recordings, documents: documents, models: models, training: training,
      practice: practice)
  }

  /// The server; `onReady` is told the address to open.
  func application(
    onReady: @escaping @Sendable (String) -> Void
  ) -> Application<RouterResponder<BasicRequestContext>> {
    let (token, port, doorway) = (token, configuration.port, doorway)
    let gatekeeper = Gatekeeper(token: token) { doorway.close() }
    var logger = Logger(label: "inkstate studio")
    logger.logLevel = .error
    return Application(
      router: router(gatekeeper),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [RequestDeadline()], idleTimeout: .seconds(30))),
      configuration: .init(
        address: .hostname("127.0.0.1", port: port), serverName: "inkstate",
        availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? port
        gatekeeper.open(port: port)
        onReady("http://127.0.0.1:\(port)/?token=\(token)")
      }, logger: logger)
  }

  /// Writes a file that takes a browser to `address`, readable by this user only; returns its path.
  ///
  /// Command lines of programs can be read by every user of the machine, so the address with its token
  /// must not stand in one. The file is removed when the page was opened, or when the studio ends.
  public func doorway(to address: String) throws -> String { try doorway.open(to: address) }

  /// Serves until the process is asked to end; `onReady` is told the address to open.
  public func run(onReady: @escaping @Sendable (String) -> Void) async throws {
    let application = application(onReady: onReady)
    let port = configuration.port
    defer { doorway.close() }
    // Streams that stay open would keep the server from ending.
    let (documents, training) = (documents, training)
    let signals = [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        training.end()
        Task { await documents.endListening() }
      }
      source.resume()
      return source
    }
    defer { for signal in signals { signal.cancel() } }
    do {
      try await application.runService()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw Problem("Another program uses the port \(port). Choose another --port; 0 takes any.")
    }
    await documents.saved()
  }
}
