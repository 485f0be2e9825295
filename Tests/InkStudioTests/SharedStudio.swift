import Foundation
import HTTPTypes
import Hummingbird
import ServiceLifecycle
import TestSupport

@testable import InkStudio

/// A shared studio, asked by its owner and by devices, over connections without encryption.
struct SharedStudio: Sendable {
  let folder: TemporaryFolder
  let studio: Studio
  let sharing: Sharing
  let owner: LocalServer
  let token: String

  typealias Answer = LocalServer.Answer

  var port: Int { sharing.port }
  var host: String { "127.0.0.1:\(port)" }
  /// The owner's cookie.
  var cookie: String { "\(Authentication.cookie(port: owner.port))=\(studio.cookieValue)" }

  static func run(
    longWork: LongWork = LongWork(),
    _ test: @escaping @Sendable (SharedStudio) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    var configuration = Studio.Configuration(dataFolder: folder.path)
    (configuration.port, configuration.sharedPort) = (0, 0)
    let studio = try Studio(configuration, limits: .patient, longWork: longWork)
    guard let sharing = studio.sharing else {
      throw LocalServer.Failure(operation: "sharing", code: 0)
    }
    let (ready, continuation) = AsyncStream.makeStream(of: String.self)
    let application = studio.application { continuation.yield($0) }
    let shared = studio.sharedApplication(sharing, encrypted: { $0 }) { continuation.yield("") }
    let services = ServiceGroup(services: [application, shared], logger: application.logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await services.run()
      }
      var address = ""
      var iterator = ready.makeAsyncIterator()
      for _ in 0..<2 { address += await iterator.next() ?? "" }
      guard let parts = URLComponents(string: address), let port = parts.port,
        let token = parts.queryItems?.first?.value
      else {
        try await group.waitForAll()
        throw LocalServer.Failure(operation: "start", code: 0)
      }
      let running = SharedStudio(
        folder: folder, studio: studio, sharing: sharing, owner: LocalServer(port: port),
        token: token)
      let result: Result<Void, any Error>
      do { result = .success(try await test(running)) } catch { result = .failure(error) }
      await studio.sharing?.presentation.endStreams()
      await services.triggerGracefulShutdown()
      try result.get()
      try await group.waitForAll()
    }
  }

  /// Sends a request as the page of the owner does.
  func own(
    _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil
  ) async throws -> Answer {
    try await owner.ask(
      method, path, json.map { Data($0.utf8) }, host: "127.0.0.1:\(owner.port)",
      headers: [.cookie: cookie, OwnRequests.secret: token])
  }

  /// What a browser has of a studio: its cookie, and the secret in its page.
  struct Browser: Sendable {
    var cookie: String
    var secret: String?

    init(cookie: String, secret: String? = nil) {
      (self.cookie, self.secret) = (cookie, secret)
    }

    /// What the answer to a pairing or an invitation gives a browser.
    init(of answer: Answer) {
      cookie = answer.headers[.setCookie]?.components(separatedBy: ";").first ?? ""
      let parts = answer.headers[.location]?.components(separatedBy: "token=") ?? []
      secret = parts.count > 1 ? parts[1] : nil
    }

    /// Both as lines of a request.
    var head: String {
      "Cookie: \(cookie)\r\n" + (secret.map { "\(OwnRequests.secret): \($0)\r\n" } ?? "")
    }
  }

  /// Sends a request to the shared address from a browser.
  func ask(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, by browser: Browser,
    host: String? = nil, headers: HTTPFields = [:]
  ) async throws -> Answer {
    var headers = headers
    if let secret = browser.secret { headers[OwnRequests.secret] = secret }
    return try await ask(
      method, path, body, cookie: browser.cookie, host: host, headers: headers)
  }

  /// Sends a request to the shared address, with a cookie.
  func ask(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, cookie: String? = nil,
    host: String? = nil, headers: HTTPFields = [:]
  ) async throws -> Answer {
    var headers = headers
    if let cookie { headers[.cookie] = cookie }
    return try await LocalServer(port: port).ask(
      method, path, body.map { Data($0.utf8) }, host: host ?? self.host, headers: headers)
  }

  /// Sends the form of the page for pairing.
  func pair(_ code: String, named name: String) async throws -> Answer {
    try await ask(
      .post, "/pair", "code=\(code)&name=\(name)", headers: [.origin: "https://\(host)"])
  }

  /// Pairs a device.
  func paired(_ name: String = "Tablet") async throws -> Browser {
    Browser(of: try await pair(sharing.pairing.code, named: name))
  }

  /// Creates a link for the audience, and opens it.
  func invited() async throws -> Browser {
    let made = try await own(.post, "/api/sharing/link")
    let link = made.json["link"] as? String ?? ""
    return Browser(
      of: try await ask(.get, "/watch?key=\(link.components(separatedBy: "key=").last ?? "")"))
  }
}
