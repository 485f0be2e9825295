import HTTPTypes
import Hummingbird
import NIOCore

/// Refuses requests whose content is larger than their address takes.
///
/// The connection ends after such an answer, so that nobody can send on without end (``ConnectionGuard``).
struct BodyLimit: RouterMiddleware {
  typealias Context = StudioContext

  /// A drawing of the maximum number of points, with four numbers each, is smaller.
  static let message = 4 << 20
  static let file = 16 << 20
  private static let form = 4 << 10

  /// The addresses of `POST` that take content, without the parameters before them; all others take none.
  private static let limits: [(ending: String, bytes: Int)] = [
    ("/open", file), ("/missed", file), ("/recordings/file", file), ("/api/series", file),
    ("/api/page", file),
    ("/pair", form), ("/api/recognize", message), ("/api/recordings", message),
    ("/api/expression", message), ("/api/training", message), ("/api/presentation", message),
    ("/answer", message), ("/confirm", message), ("/stroke", message), ("/erase", message),
    ("/command", message), ("/copy", message), ("/run", message), ("/words", message),
  ]

  /// Returns how many bytes an address takes; `pattern` is the address as the router has it.
  static func bytes(_ method: HTTPRequest.Method, _ pattern: String) -> Int {
    guard method == .post else { return 0 }
    return limits.first { pattern.hasSuffix($0.ending) }?.bytes ?? 0
  }

  /// The error for content of more than `most` bytes.
  static func tooLarge(_ most: Int) -> StudioError {
    let size = most >= 1 << 20 ? "\(most >> 20) MiB" : "\(most >> 10) KiB"
    return StudioError(
      most == 0
        ? "This address takes no content. Send the request without."
        : "This is larger than \(size). Send less at a time.", .contentTooLarge)
  }

  func handle(
    _ request: Request, context: StudioContext,
    next: (Request, StudioContext) async throws -> Response
  ) async throws -> Response {
    guard let pattern = context.endpointPath else { return try await next(request, context) }
    let most = Self.bytes(request.method, pattern)
    if request.headers[.contentLength].flatMap(Int.init) ?? 0 > most
      || most == 0 && request.headers[.transferEncoding] != nil
    {
      throw Self.tooLarge(most)
    }
    var limited = request
    limited.body = RequestBody(asyncSequence: LimitedBody(body: request.body, most: most))
    return try await next(limited, context)
  }
}

/// The body of a request, which is an error where it is longer than a limit.
private struct LimitedBody: AsyncSequence, Sendable {
  let body: RequestBody
  let most: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: RequestBody.AsyncIterator
    let most: Int
    var count = 0

    mutating func next() async throws -> ByteBuffer? {
      guard let part = try await iterator.next() else { return nil }
      count += part.readableBytes
      guard count <= most else { throw BodyLimit.tooLarge(most) }
      return part
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: body.makeAsyncIterator(), most: most)
  }
}
