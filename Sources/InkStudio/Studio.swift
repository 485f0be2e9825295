import Foundation
import Hummingbird
import HummingbirdCore
import InkDiagram
import InkRecognizer
import Logging
import NIOCore

/// The local web app: record, recognise, edit and run in a browser on the same machine.
///
/// The page contains no recognition, editing or automata. It asks this server, which listens only on
/// the loopback interface.
public struct Studio: Sendable {
  /// The configuration of a studio.
  public struct Configuration: Sendable {
    /// The port on 127.0.0.1; 0 chooses an unused one.
    public var port = 8080
    /// The folder of recordings and documents.
    public var dataFolder: String
    /// The path of the model; `nil` is the last selected model, at first the released one.
    public var modelPath: String?

    /// Creates the default configuration.
    public init(dataFolder: String) { self.dataFolder = dataFolder }
  }

  private let configuration: Configuration
  private let recordings: Recordings
  private let writing: Recordings
  private let documents: Documents
  private let lock: FolderLock
  private let redirectPage: RedirectPage
  private let models: Models
  let training: Training
  private let practice: Practice
  private let token: String

  /// Opens the recordings and documents in the data folder, which is created if it is missing.
  ///
  /// - Throws: `ModelError`, or an error that names the file that cannot be read or written.
  public init(_ configuration: Configuration) throws {
    self.configuration = configuration
    let folder = configuration.dataFolder
    lock = try FolderLock(folder)
    redirectPage = RedirectPage(folder: folder)
    models = try Models(folder: "\(folder)/models", using: configuration.modelPath)
    training = Training(models: models)
    recordings = try Recordings(folder: folder)
    writing = try Recordings(folder: "\(folder)/writing")
    documents = try Documents(
      folder: "\(folder)/documents", recognizer: models, diagrams: .released())
    practice = try Practice(folder: "\(folder)/practice")
    var generator = SystemRandomNumberGenerator()
    token = (0..<4).map { _ in
      String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
    }.joined()
  }

  /// The maximum number of connections; others wait.
  private static let mostConnections = 512

  /// Returns the router of the page and of its requests; `gatekeeper` checks all requests.
  func router(_ gatekeeper: Gatekeeper) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: gatekeeper)
    Page.add(to: router)
    interface.add(to: router)
    return router
  }

  /// The handlers of the page's requests.
  var interface: StudioInterface {
    StudioInterface(
      recordings: recordings, writing: writing, documents: documents, models: models,
      training: training,
      practice: practice)
  }

  /// Returns the server; it calls `onReady` with the address to open.
  func application(
    onReady: @escaping @Sendable (String) -> Void
  ) -> Application<RouterResponder<BasicRequestContext>> {
    let (token, port, redirectPage) = (token, configuration.port, redirectPage)
    let gatekeeper = Gatekeeper(token: token) { redirectPage.remove() }
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

  /// Writes an HTML file that redirects a browser to `address`, and returns its path.
  ///
  /// Only this user can read the file. Every user of the machine can see the arguments of programs, so
  /// the address with its token must not be one. The file is removed when the page is opened, or when
  /// the studio ends.
  public func redirectPage(to address: String) throws -> String {
    try redirectPage.write(for: address)
  }

  /// Runs the server until the process gets SIGINT or SIGTERM; calls `onReady` with the address to open.
  public func run(onReady: @escaping @Sendable (String) -> Void) async throws {
    let application = application(onReady: onReady)
    let port = configuration.port
    defer { redirectPage.remove() }
    // The server ends only after all streams have ended.
    let (documents, training) = (documents, training)
    let signals = [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        training.end()
        Task { await documents.endStreams() }
      }
      source.resume()
      return source
    }
    defer { for signal in signals { signal.cancel() } }
    do {
      try await application.runService()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw StudioError(
        "Another program uses the port \(port). Choose another --port, or 0 for any unused port.")
    }
    await documents.saved()
  }
}
