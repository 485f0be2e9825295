import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Answers only requests of the studio's own page, which was opened with the token in its address.
///
/// Pages of other sites can send requests to the loopback interface too. Therefore `Host` and `Origin`
/// must be this server, which also prevents DNS rebinding. Other sites cannot send the cookie, but servers at
/// other ports of this machine get it from the browser. Therefore the cookie alone opens nothing but the files
/// of the page: all other requests have the token in a header, which the page keeps for its own address and port.
final class Authentication: RouterMiddleware, Sendable {
  typealias Context = StudioContext

  private let token: String
  /// The value of the cookie, from which nobody learns the token.
  private let cookieValue: String
  private let pool: ConnectionPool
  private let onEntry: @Sendable () -> Void
  private let port = Mutex(0)

  /// Creates a authentication; it calls `onEntry` when a page is opened with the token in the address.
  init(
    token: String, cookieValue: String = randomText(bits: 256),
    pool: ConnectionPool = ConnectionPool(), onEntry: @escaping @Sendable () -> Void = {}
  ) {
    self.token = token
    self.cookieValue = cookieValue
    self.pool = pool
    self.onEntry = onEntry
  }

  /// Accepts requests to the loopback names at `port`.
  func open(port: Int) { self.port.withLock { $0 = port } }

  /// Returns the name of the cookie, which contains the port because all ports share their cookies.
  static func cookie(port: Int) -> String { "inkstate-\(port)" }

  /// What a request shows of its sender.
  private enum Proof {
    case none, cookie, token
    /// The page is opened with the token in its address.
    case entry
  }

  private func proof(of request: Request, cookie: String) -> Proof {
    if request.method == .get, request.uri.path == "/",
      let given = try? Query(request.uri.query)["token"]
    {
      return isSame(token, given) ? .entry : .none
    }
    guard let value = request.cookies[cookie]?.value, isSame(cookieValue, value) else {
      return .none
    }
    return request.headers[OwnRequests.secret].map { isSame(token, $0) } == true ? .token : .cookie
  }

  func handle(
    _ request: Request, context: StudioContext,
    next: (Request, StudioContext) async throws -> Response
  ) async throws -> Response {
    let clock = ContinuousClock()
    let start = clock.now
    let port = port.withLock { $0 }
    let cookie = Self.cookie(port: port)
    let proof = proof(of: request, cookie: cookie)
    var response: Response
    let hosts = OwnRequests.hosts(["127.0.0.1", "localhost"], port: port, usualPort: 80)
    if let problem = OwnRequests.problem(
      with: request, scheme: "http", hosts: hosts, entries: ["/"])
    {
      response = StudioResponse.problem(problem.status, problem.text)
    } else if proof == .none || proof == .cookie && !PageFiles.isFile(context.endpointPath) {
      response = Self.closed(to: request, hasCookie: proof == .cookie)
    } else {
      pool.trust(context.connection, isWhole: proof != .cookie)
      do {
        var context = context
        context.visitor = .owner
        context.pool = pool
        response = try await next(request, context)
      } catch {
        response = StudioResponse.unexpected(error)
      }
      if proof == .entry {
        onEntry()
        response.headers[.setCookie] = "\(cookie)=\(cookieValue); Path=/; HttpOnly; SameSite=Strict"
      }
    }
    OwnRequests.protect(&response)
    let milliseconds = start.duration(to: clock.now) / .milliseconds(1)
    response.headers[HTTPField.Name("Server-Timing")!] = "studio;dur=\(milliseconds)"
    return response
  }

  /// Returns the answer to a request without the token: a page for a browser, JSON for a script.
  private static func closed(to request: Request, hasCookie: Bool) -> Response {
    guard request.headers[.accept]?.contains("text/html") ?? false else {
      let reason =
        hasCookie ? "This request has no token of the studio." : "The studio was restarted."
      return StudioResponse.problem(
        .forbidden,
        "\(reason) Open the address that it prints in the terminal, in another tab, then try again "
          + "here.")
    }
    return StudioResponse.page(
      .forbidden, title: "The studio needs its whole address",
      text: """
        Open the address that <code>inkstate studio</code> printed in the terminal, including \
        everything after <code>?token=</code>. The address is new at each start of the studio.
        """)
  }
}
