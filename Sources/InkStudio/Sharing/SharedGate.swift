import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Decides who sends a request to the shared addresses, and whether they may.
///
/// Names are checked as for the loopback interface: `Host` has to be the address of the connection or the
/// name of the machine, so that another site cannot use its own name for it (DNS rebinding).
final class SharedGate: RouterMiddleware, Sendable {
  typealias Context = StudioContext

  private let sharing: Sharing
  private let executor = DeviceExecutor()

  init(_ sharing: Sharing) { self.sharing = sharing }

  func handle(
    _ request: Request, context: StudioContext,
    next: (Request, StudioContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    if let problem = OwnRequests.problem(
      with: request, scheme: "https", hosts: hosts(context), entries: ["/", "/pair", "/watch"])
    {
      response = StudioResponse.problem(problem.status, problem.text)
    } else {
      response = await withTaskExecutorPreference(executor) {
        await answer(request, context, next)
      }
    }
    OwnRequests.protect(&response, formAction: request.uri.path == "/pair" ? "'self'" : "'none'")
    return response
  }

  private func answer(
    _ request: Request, _ context: StudioContext,
    _ next: (Request, StudioContext) async throws -> Response
  ) async -> Response {
    var context = context
    let pattern = context.endpointPath
    context.visitor = visitor(request, pattern)
    context.pool = sharing.pool
    switch context.visitor {
    case .device(let id, _): sharing.connections.add(context.connection, of: .device(id))
    case .audience: sharing.connections.add(context.connection, of: .audience)
    case .stranger, .owner: break
    }
    // Whoever was sent away meanwhile did not have this connection closed.
    if context.visitor != .stranger { context.visitor = visitor(request, pattern) }
    guard context.visitor.may(request.method, pattern) else {
      return Self.refusal(of: request, context.visitor)
    }
    if context.visitor != .stranger {
      let isFileOfDevice = context.visitor.isDevice && PageFiles.isFile(context.endpointPath)
      sharing.pool.trust(context.connection, isWhole: !isFileOfDevice)
    }
    // Whoever is sent away while a body arrives must not write what it asks for.
    var checked = request
    let body = request.body
    checked.body = RequestBody(
      asyncSequence: BodyOfVisitor(body: body) {
        self.visitor(request, pattern).may(request.method, pattern)
      })
    do { return try await next(checked, context) } catch { return StudioResponse.unexpected(error) }
  }

  /// Returns who sends a request to the address that the router has as `pattern`.
  ///
  /// A device needs its secret beside its cookie, except for the files of the page, which are no secrets.
  private func visitor(_ request: Request, _ pattern: String?) -> Visitor {
    let query = try? Query(request.uri.query)
    let key = request.uri.path == "/watch" ? query?["key"] : nil
    let audience = key ?? request.cookies[sharing.audienceCookie]?.value
    let device = request.cookies[sharing.deviceCookie]?.value
    let handed = request.uri.path == "/" ? query?["token"] : nil
    guard PageFiles.isFile(pattern), handed == nil else {
      return sharing.visitor(
        device: device, secret: handed ?? request.headers[OwnRequests.secret] ?? "",
        audience: audience)
    }
    return sharing.visitor(device: device, audience: audience)
  }

  private func hosts(_ context: StudioContext) -> [String] {
    let address = context.connection.localAddress?.ipAddress ?? "127.0.0.1"
    let name = LocalAddresses.name
    return OwnRequests.hosts(
      [address, name, "\(name).local", "localhost"], port: sharing.port, usualPort: 443)
  }

  private static func refusal(of request: Request, _ visitor: Visitor) -> Response {
    let isPage = request.headers[.accept]?.contains("text/html") ?? false
    // Somebody who has watched can pair the same browser.
    guard visitor == .stranger || visitor == .audience && isPage && request.uri.path == "/" else {
      return StudioResponse.problem(
        .forbidden, "Only the owner of the studio can do this, on the owner's machine.")
    }
    guard isPage else {
      return StudioResponse.problem(
        .unauthorized,
        "This device is not paired, or no longer. Open /pair at the address of the studio to "
          + "pair it.")
    }
    return Response(status: .seeOther, headers: [.location: "/pair"])
  }
}

/// The body of a request, which is an error at its end if its sender was sent away meanwhile.
private struct BodyOfVisitor: AsyncSequence, Sendable {
  let body: RequestBody
  let isStillWelcome: @Sendable () -> Bool

  struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: RequestBody.AsyncIterator
    let isStillWelcome: @Sendable () -> Bool

    mutating func next() async throws -> ByteBuffer? {
      if let part = try await iterator.next() { return part }
      guard isStillWelcome() else {
        throw StudioError(
          "This device is not paired any more. Open /pair at the address of the studio to pair it.",
          .unauthorized)
      }
      return nil
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: body.makeAsyncIterator(), isStillWelcome: isStillWelcome)
  }
}
