import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Answers only requests of the studio's own page, which was opened with the token in its address.
///
/// Pages of other sites can send requests to the loopback interface too. Therefore `Host` and `Origin`
/// must be this server, which also prevents DNS rebinding. A cookie, which other sites cannot send,
/// contains the token.
final class Gatekeeper: RouterMiddleware, Sendable {
  typealias Context = StudioContext

  private let token: String
  private let pool: ConnectionPool
  private let onEntry: @Sendable () -> Void
  private let port = Mutex(0)

  /// Creates a gatekeeper; it calls `onEntry` when a page is opened with the token in the address.
  init(
    token: String, pool: ConnectionPool = ConnectionPool(),
    onEntry: @escaping @Sendable () -> Void = {}
  ) {
    self.token = token
    self.pool = pool
    self.onEntry = onEntry
  }

  /// Accepts requests to the loopback names at `port`.
  func open(port: Int) { self.port.withLock { $0 = port } }

  /// Returns the name of the cookie, which contains the port because all ports share their cookies.
  static func cookie(port: Int) -> String { "inkstate-\(port)" }

  func handle(
    _ request: Request, context: StudioContext,
    next: (Request, StudioContext) async throws -> Response
  ) async throws -> Response {
    let clock = ContinuousClock()
    let start = clock.now
    let port = port.withLock { $0 }
    let cookie = Self.cookie(port: port)
    let given = try? Query(request.uri.query)["token"]
    var response: Response
    let hosts = OwnRequests.hosts(["127.0.0.1", "localhost"], port: port, usualPort: 80)
    if let problem = OwnRequests.problem(
      with: request, scheme: "http", hosts: hosts, entries: ["/"])
    {
      response = Answer.problem(problem.status, problem.text)
    } else if given != token, request.cookies[cookie]?.value != token {
      response = Self.closed(to: request)
    } else {
      pool.trust(context.connection)
      do {
        var context = context
        context.visitor = .owner
        context.pool = pool
        response = try await next(request, context)
      } catch {
        response = Answer.unexpected(error)
      }
      if given == token {
        onEntry()
        response.headers[.setCookie] = "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict"
      }
    }
    OwnRequests.protect(&response)
    let milliseconds = start.duration(to: clock.now) / .milliseconds(1)
    response.headers[HTTPField.Name("Server-Timing")!] = "studio;dur=\(milliseconds)"
    return response
  }

  /// Returns the answer to a request without the token: a page for a browser, JSON for a script.
  private static func closed(to request: Request) -> Response {
    guard request.headers[.accept]?.contains("text/html") ?? false else {
      return Answer.problem(
        .forbidden,
        "The studio was restarted. Open the address that it prints in the terminal, in another tab, "
          + "then try again here.")
    }
    return Answer.page(
      .forbidden, title: "The studio needs its whole address",
      text: """
        Open the address that <code>inkstate studio</code> printed in the terminal, including \
        everything after <code>?token=</code>. The address is new at each start of the studio.
        """)
  }
}
