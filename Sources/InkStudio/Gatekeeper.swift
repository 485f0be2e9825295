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
  typealias Context = BasicRequestContext

  private let token: String
  private let onEntry: @Sendable () -> Void
  private let port = Mutex(0)

  /// Creates a gatekeeper; it calls `onEntry` when a page is opened with the token in the address.
  init(token: String, onEntry: @escaping @Sendable () -> Void = {}) {
    self.token = token
    self.onEntry = onEntry
  }

  /// Accepts requests to the loopback names at `port`.
  func open(port: Int) { self.port.withLock { $0 = port } }

  /// Returns the name of the cookie, which contains the port because all ports share their cookies.
  static func cookie(port: Int) -> String { "inkstate-\(port)" }

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    let clock = ContinuousClock()
    let start = clock.now
    let port = port.withLock { $0 }
    let cookie = Self.cookie(port: port)
    let given = try? Query(request.uri.query)["token"]
    var response: Response
    if let problem = problem(with: request, port: port) {
      response = Answer.problem(problem.status, problem.text)
    } else if given != token, request.cookies[cookie]?.value != token {
      response = Self.closed(to: request)
    } else {
      do {
        response = try await next(request, context)
      } catch {
        response = Answer.unexpected(error)
      }
      if given == token {
        onEntry()
        response.headers[.setCookie] = "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict"
      }
    }
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
      + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    let milliseconds = start.duration(to: clock.now) / .milliseconds(1)
    response.headers[HTTPField.Name("Server-Timing")!] = "studio;dur=\(milliseconds)"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// Returns the answer to a request without the token: a page for a browser, JSON for a script.
  private static func closed(to request: Request) -> Response {
    guard request.headers[.accept]?.contains("text/html") ?? false else {
      return Answer.problem(
        .forbidden,
        "This page belongs to an earlier start of the studio. Open the address that "
          + "`inkstate studio` printed in the terminal.")
    }
    return Answer.page(
      .forbidden, title: "The studio needs its whole address",
      text: """
        Open the address that <code>inkstate studio</code> printed in the terminal, including \
        everything after <code>?token=</code>. The address is new at each start of the studio.
        """)
  }

  /// Returns the reason why a request cannot be from this page, or `nil` if it can.
  private func problem(
    with request: Request, port: Int
  ) -> (status: HTTPResponse.Status, text: String)? {
    let host = request.head.authority ?? ""
    var hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    // Browsers omit the default port.
    if port == 80 { hosts += ["127.0.0.1", "localhost"] }
    guard hosts.contains(host) else {
      return (.misdirectedRequest, "The address of the studio is \(hosts[0]), not `\(host)`.")
    }
    if let origin = request.headers[.origin], origin != "http://\(host)" {
      return (.forbidden, "The studio answers only its own page, not a page of \(origin).")
    }
    // Pages of other servers on this machine can send the cookie, but not this header.
    let site = request.headers[HTTPField.Name("Sec-Fetch-Site")!] ?? "none"
    guard ["none", "same-origin"].contains(site) || request.uri.path == "/" else {
      return (.forbidden, "The studio answers only its own page, not a page of another site.")
    }
    return nil
  }
}
