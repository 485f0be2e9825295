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
  private let hosts = Mutex<Set<String>>([])
  private static let cookie = "inkstate"

  init(token: String) { self.token = token }

  /// Takes requests for the loopback names at `port`.
  func open(port: Int) {
    hosts.withLock { $0 = ["127.0.0.1:\(port)", "localhost:\(port)"] }
  }

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    let host = request.head.authority ?? ""
    guard hosts.withLock({ $0.contains(host) }) else {
      return Self.refusal(.misdirectedRequest, "expected this machine's own address")
    }
    if let origin = request.headers[.origin], origin != "http://\(host)" {
      return Self.refusal(.forbidden, "expected a request of this page, found one of \(origin)")
    }
    let given = request.uri.queryParameters["token"].map(String.init)
    let known = request.cookies[Self.cookie]?.value
    guard given == token || known == token else {
      return Self.refusal(.forbidden, "expected the address that `inkstate studio` printed")
    }
    var response: Response
    let clock = ContinuousClock()
    let start = clock.now
    do {
      response = try await next(request, context)
    } catch let error as HTTPError {
      response = Self.refusal(error.status, error.body ?? "expected something else")
    }
    if given == token {
      response.headers[.setCookie] = "\(Self.cookie)=\(token); Path=/; HttpOnly; SameSite=Strict"
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

  private static func refusal(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Answer.problem(status, text)
  }
}
