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
/// the loopback interface. A shared studio also has a server with TLS for paired devices in the network.
public struct Studio: Sendable {
  /// The configuration of a studio.
  public struct Configuration: Sendable {
    /// The port where none is given.
    public static let standardPort = 8080
    /// The port on 127.0.0.1; 0 chooses an unused one.
    public var port = standardPort
    /// The folder of recordings and documents.
    public var dataFolder: String
    /// The path of the model; `nil` is the last selected model, at first the released one.
    public var modelPath: String?
    /// The port for devices in the network; 0 chooses an unused one.
    ///
    /// With `nil`, the studio is not shared.
    public var sharedPort: Int?

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
  private let pageRecognizer: PageRecognizer
  let training: Training
  private let practice: Practice
  private let page: PageFiles
  let longWork: LongWork
  /// The connections of the server for this machine.
  let pool: ConnectionPool
  private let token: String
  /// What the owner's browser keeps in a cookie.
  let cookieValue = randomText(bits: 256)
  private let certificate: Certificate?
  /// What is needed for other devices, or `nil` if the studio is not shared.
  let sharing: Sharing?
  /// What its user should know, a sentence each.
  public let warnings: [String]

  /// Opens the recordings and documents in the data folder, which is created if it is missing.
  ///
  /// A studio that is shared for the first time creates its certificate.
  ///
  /// - Throws: `ModelError`, or an error that names the file that cannot be read or written.
  public init(_ configuration: Configuration) throws {
    try self.init(configuration, limits: ConnectionPool.Limits())
  }

  /// Opens a studio whose connections and long work have other limits.
  init(
    _ configuration: Configuration, limits: ConnectionPool.Limits, longWork: LongWork = LongWork()
  ) throws {
    self.configuration = configuration
    self.longWork = longWork
    pool = ConnectionPool(limits)
    page = try PageFiles()
    let folder = configuration.dataFolder
    lock = try FolderLock(folder)
    let sharingFolder = "\(folder)/sharing"
    if configuration.sharedPort != nil {
      try FolderLock.makeFolder(sharingFolder)
      certificate = try Certificate(folder: sharingFolder)
    } else {
      certificate = nil
    }
    redirectPage = RedirectPage(folder: folder)
    models = try Models(folder: "\(folder)/models", using: configuration.modelPath)
    pageRecognizer = try .released()
    training = Training(models: models)
    recordings = try Recordings(folder: folder)
    writing = try Recordings(folder: "\(folder)/writing")
    documents = try Documents(
      folder: "\(folder)/documents", recognizer: models, diagrams: .released())
    practice = try Practice(folder: "\(folder)/practice")
    sharing = try certificate.map { [documents] certificate in
      try Sharing(
        folder: sharingFolder, fingerprint: certificate.fingerprint, documents: documents,
        limits: limits)
    }
    warnings = ["\(sharingFolder)/certificate.pem", "\(sharingFolder)/devices.json"]
      .compactMap(FolderLock.warningAfterClosing)
    var generator = SystemRandomNumberGenerator()
    token = (0..<4).map { _ in
      String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
    }.joined()
  }

  /// The maximum number of connections of each server; others wait.
  private static let maximumConnections = 512

  /// Returns the router of the page and of its requests; `gate` checks all requests.
  func router(_ gate: some RouterMiddleware<StudioContext>) -> Router<StudioContext> {
    let router = Router(context: StudioContext.self)
    router.add(middleware: gate)
    router.add(middleware: BodyLimit())
    page.add(to: router)
    interface.add(to: router)
    return router
  }

  /// The handlers of the page's requests.
  var interface: StudioInterface {
    StudioInterface(
      recordings: recordings, writing: writing, documents: documents, models: models,
      pageRecognizer: pageRecognizer, training: training, practice: practice, sharing: sharing,
      page: page,
      longWork: longWork)
  }

  /// A server of the studio.
  typealias Server = Application<RouterResponder<StudioContext>>

  /// Returns the server for this machine; it calls `onReady` with the address to open.
  func application(onReady: @escaping @Sendable (String) -> Void) -> Server {
    let (token, port, redirectPage, pool) = (token, configuration.port, redirectPage, pool)
    let authentication = Authentication(token: token, cookieValue: cookieValue, pool: pool) {
      redirectPage.remove()
    }
    return server(
      router(authentication), .hostname("127.0.0.1", port: port),
      .http1(
        configuration: .init(
          additionalChannelHandlers: [ConnectionGuard(pool)], idleTimeout: .seconds(30)))
    ) { channel in
      let port = channel.localAddress?.port ?? port
      authentication.open(port: port)
      onReady("http://127.0.0.1:\(port)/?token=\(token)")
    }
  }

  /// Returns the server for other devices, with the encryption that `encrypted` adds.
  func sharedApplication(
    _ sharing: Sharing, encrypted: (HTTPServerBuilder) throws -> HTTPServerBuilder,
    onReady: @escaping @Sendable () -> Void
  ) rethrows -> Server {
    let port = configuration.sharedPort ?? 0
    let router = router(SharedGate(sharing))
    PairPage(sharing: sharing, interface: interface).add(to: router)
    return server(
      router, .hostname("0.0.0.0", port: port),
      try encrypted(
        .http1(
          configuration: .init(
            additionalChannelHandlers: [ConnectionGuard(sharing.pool)], idleTimeout: .seconds(30))))
    ) { channel in
      sharing.open(port: channel.localAddress?.port ?? port)
      onReady()
    }
  }

  private func server(
    _ router: Router<StudioContext>, _ address: BindAddress, _ server: HTTPServerBuilder,
    onServerRunning: @escaping @Sendable (any Channel) -> Void
  ) -> Server {
    var logger = Logger(label: "inkstate studio")
    logger.logLevel = .error
    return Application(
      router: router, server: server,
      configuration: .init(
        address: address, serverName: "inkstate",
        availableConnectionsDelegate: MaximumAvailableConnections(Self.maximumConnections)),
      onServerRunning: { onServerRunning($0) }, logger: logger)
  }

  /// Writes an HTML file that redirects a browser to `address`, and returns its path.
  ///
  /// Only this user can read the file. Every user of the machine can see the arguments of programs, so
  /// the address with its token must not be one. The file is removed when the page is opened, or when
  /// the studio ends.
  public func redirectPage(to address: String) throws -> String {
    try redirectPage.write(for: address)
  }

  /// Runs the server until the process gets SIGINT or SIGTERM.
  ///
  /// - Parameters:
  ///   - onReady: Called with the address to open.
  ///   - onInvitation: Called with what other devices need, at the start and when the code changes.
  /// - Throws: `StudioError` if a port is used, or if this build has no encryption for a shared studio.
  public func run(
    onReady: @escaping @Sendable (String) -> Void,
    onInvitation: @escaping @Sendable (Invitation) -> Void = { _ in }
  ) async throws {
    var application = application(onReady: onReady)
    if let sharing, let certificate {
      let shared = try sharedApplication(
        sharing, encrypted: { try Encryption.add(certificate, to: $0) },
        onReady: { onInvitation(sharing.invitation) })
      application.addServices(
        SharedServer(application: shared, port: configuration.sharedPort ?? 0),
        CodeWatch(sharing: sharing, onChange: onInvitation))
    }
    let port = configuration.port
    defer { redirectPage.remove() }
    // The server ends only after all streams have ended.
    let (documents, training, presentation) = (documents, training, sharing?.presentation)
    let signals = [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        training.end()
        Task {
          await documents.endStreams()
          await presentation?.endStreams()
        }
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
    sharing?.devices.save()
  }
}
