import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import InkStudio

/// A studio over an empty folder, asked over the network as a page asks it.
struct RunningStudio: Sendable {
  let folder: TemporaryFolder
  let studio: Studio
  let port: Int
  let token: String

  var host: String { "127.0.0.1:\(port)" }
  /// What a browser gets that opens the address with the token.
  var cookie: String { "\(Authentication.cookie(port: port))=\(studio.cookieValue)" }

  typealias Answer = LocalServer.Answer

  /// Runs a test with a studio, by default one that waits for slow connections, because many tests at once on
  /// few cores are slow.
  static func run(
    limits: ConnectionPool.Limits = .patient,
    _ test: @escaping @Sendable (RunningStudio) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    var configuration = Studio.Configuration(dataFolder: folder.path)
    configuration.port = 0
    let studio = try Studio(configuration, limits: limits)
    let (ready, continuation) = AsyncStream.makeStream(of: String.self)
    let application = studio.application { continuation.yield($0) }
    let services = ServiceGroup(services: [application], logger: application.logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      var addresses = ready.makeAsyncIterator()
      guard let address = await addresses.next().flatMap(URLComponents.init(string:)) else {
        try await group.waitForAll()
        throw LocalServer.Failure(operation: "start", code: 0)
      }
      let running = RunningStudio(
        folder: folder, studio: studio, port: try #require(address.port),
        token: try #require(address.queryItems?.first?.value))
      let result: Result<Void, any Error>
      do { result = .success(try await test(running)) } catch { result = .failure(error) }
      await services.triggerGracefulShutdown()
      try result.get()
      try await group.waitForAll()
    }
  }

  /// Sends a request as the page does; `headers` come on top.
  ///
  /// With another cookie, or `nil` for none, only the given secret is sent.
  func ask(
    _ method: HTTPRequest.Method, _ path: String, _ body: Data? = nil, host: String? = nil,
    cookie: String? = "", secret: String? = nil, headers: HTTPFields = [:]
  ) async throws -> Answer {
    var headers = headers
    let isPage = cookie?.isEmpty ?? false
    if let cookie { headers[.cookie] = isPage ? self.cookie : cookie }
    if let secret = isPage ? token : secret { headers[OwnRequests.secret] = secret }
    return try await LocalServer(port: port).ask(
      method, path, body, host: host ?? self.host, headers: headers)
  }

  /// Sends a body in chunks, which do not say how long it is.
  func ask(_ method: HTTPRequest.Method, _ path: String, chunks: Data) async throws -> Answer {
    try await LocalServer(port: port).ask(
      method, path, chunks, host: host,
      headers: [
        .cookie: cookie, OwnRequests.secret: token, .transferEncoding: "chunked",
      ])
  }

  /// Sends a JSON text.
  func post(_ path: String, _ json: String) async throws -> Answer {
    try await ask(.post, path, Data(json.utf8))
  }

  /// The names in a folder below that of the studio.
  func files(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(self.folder.path)/\(folder)")) ?? [])
      .sorted()
  }
}

extension ConnectionPool.Limits {
  /// Limits for a machine on which everything takes long.
  static var patient: Self {
    var limits = Self()
    (limits.start, limits.strangersLife, limits.stall) = (.minutes(5), .minutes(5), .minutes(5))
    return limits
  }
}
