import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Lets in only the page that was opened with the token in its address.
///
/// Other sites' pages can send requests to the loopback interface as well: `Host` has to be this server
/// (against DNS rebinding), `Origin`, where there is one, too, and the token comes as a cookie that other
/// sites cannot send.
final class Gatekeeper: RouterMiddleware, Sendable {
  typealias Context = BasicRequestContext

  private let token: String
  private let port = Mutex(0)

  init(token: String) { self.token = token }

  /// Takes requests for the loopback names at `port`.
  func open(port: Int) { self.port.withLock { $0 = port } }

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    let clock = ContinuousClock()
    let start = clock.now
    let port = port.withLock { $0 }
    // One for each studio: cookies do not tell ports apart.
    let cookie = "inkstate-\(port)"
    let given = request.uri.queryParameters["token"].map(String.init)
    var response: Response
    if let problem = problem(with: request, port: port) {
      response = Answer.problem(problem.status, problem.text)
    } else if given != token, request.cookies[cookie]?.value != token {
      response = Answer.problem(
        .forbidden, "expected the address that `inkstate studio` printed")
    } else {
      do {
        response = try await next(request, context)
      } catch let error as HTTPError {
        response = Answer.problem(
          error.status,
          error.body
            ?? "expected an address of the studio, found \(request.method) \(request.uri.path)")
      } catch {
        response = Answer.problem(.internalServerError, "\(error)")
      }
      if given == token {
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

  /// Why a request cannot be this page's, or `nil` where it may be.
  private func problem(
    with request: Request, port: Int
  ) -> (status: HTTPResponse.Status, text: String)? {
    let host = request.head.authority ?? ""
    var hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    // Browsers leave out the usual port.
    if port == 80 { hosts += ["127.0.0.1", "localhost"] }
    guard hosts.contains(host) else {
      return (.misdirectedRequest, "expected this machine's own address, found \(host)")
    }
    if let origin = request.headers[.origin], origin != "http://\(host)" {
      return (.forbidden, "expected a request of this page, found one of \(origin)")
    }
    // Pages of other servers on this machine can send the cookie, but not this.
    let site = request.headers[HTTPField.Name("Sec-Fetch-Site")!] ?? "none"
    guard ["none", "same-origin"].contains(site) || request.uri.path == "/" else {
      return (.forbidden, "expected a request of this page, found one of another (\(site))")
    }
    return nil
  }
}
