import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The answers of the server.
enum StudioResponse {
  /// A value as JSON.
  static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    return data(try encoder.encode(value), type: "application/json", status: status)
  }

  /// A document as JSON.
  static func json(_ picture: Message.Picture, status: HTTPResponse.Status = .ok) -> Response {
    var text = JSONWriter()
    picture.write(to: &text)
    return data(Data(text.bytes), type: "application/json", status: status)
  }

  /// Data of a media type; with `fileName`, the browser saves them under this name.
  static func data(
    _ data: Data, type: String, fileName: String? = nil, status: HTTPResponse.Status = .ok
  ) -> Response {
    var headers: HTTPFields = [.contentType: type]
    if let fileName { headers[.contentDisposition] = disposition(fileName) }
    return Response(
      status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: data)))
  }

  /// The header that tells a browser to save a file as `fileName` (RFC 6266).
  ///
  /// `filename` is the name in ASCII for old clients, `filename*` the whole name in UTF-8 (RFC 8187).
  static func disposition(_ fileName: String) -> String {
    let stem = fileName.prefix(upTo: fileName.lastIndex(of: ".") ?? fileName.endIndex)
    let ending = fileName.dropFirst(stem.count)
    let safe = CharacterSet(charactersIn: " -_.").union(asciiAlphanumerics)
    let ascii = String(String.UnicodeScalarView(stem.unicodeScalars.filter(safe.contains)))
      .trimmingCharacters(in: .whitespaces)
    let whole = fileName.addingPercentEncoding(
      withAllowedCharacters: asciiAlphanumerics.union(CharacterSet(charactersIn: "-_.")))
    return "attachment; filename=\"\(ascii.isEmpty ? "inkstate" : ascii)\(ending)\"; "
      + "filename*=UTF-8''\(whole ?? "")"
  }

  private static let asciiAlphanumerics = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

  /// A stream of server-sent events, each a value as JSON, which ends with its connection.
  static func events<Values: AsyncSequence & Sendable>(
    _ values: Values, _ context: StudioContext
  ) -> Response where Values.Element: ServerEvent {
    let (events, continuation) = AsyncStream.makeStream(
      of: Values.Element.self, bufferingPolicy: .bufferingNewest(1))
    let forwarding = Task {
      defer { continuation.finish() }
      for try await value in values { continuation.yield(value) }
    }
    let (pool, connection) = (context.pool, context.connection)
    let hangup = pool?.onClose(of: connection) { continuation.finish() }
    continuation.onTermination = { _ in
      forwarding.cancel()
      if let hangup { pool?.forget(hangup, of: connection) }
    }
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream"],
      body: .init { writer in
        let encoder = JSONEncoder()
        for await value in events {
          var text = ByteBuffer()
          if let name = value.eventName { text.writeString("event: \(name)\n") }
          text.writeString("data: ")
          text.writeBytes(try encoder.encode(value))
          text.writeString("\n\n")
          try await writer.write(text)
        }
        try await writer.finish(nil)
      })
  }

  /// An error as a sentence.
  static func problem(_ status: HTTPResponse.Status, _ text: String) -> Response {
    problem(status, Message.Failure(error: text))
  }

  /// An error about a document that was renamed or deleted.
  static func problem(_ missing: MissingDocument) -> Response {
    problem(
      .notFound,
      Message.Failure(
        error: missing.description, renamedTo: missing.newName,
        isDeleted: missing.isDeleted ? true : nil))
  }

  private static func problem(
    _ status: HTTPResponse.Status, _ failure: Message.Failure
  ) -> Response {
    data((try? JSONEncoder().encode(failure)) ?? Data(), type: "application/json", status: status)
  }

  /// The answer to an error that no handler caught.
  static func unexpected(_ error: any Error) -> Response {
    switch error {
    case let error as HTTPError:
      problem(error.status, error.body ?? "The studio has no page at this address.")
    case is NIOTooManyBytesError:
      problem(.contentTooLarge, "This is too large for the studio. Send less at a time.")
    case let problem as StudioError: Self.problem(problem.status, problem.description)
    case let missing as MissingDocument: problem(missing)
    case let incomplete as IncompleteDocuments:
      problem(
        .conflict, Message.Failure(error: "\(incomplete)", missing: incomplete.missing))
    case let taken as NameProblem:
      problem(.conflict, Message.Failure(error: "\(taken)", freeName: taken.freeName))
    default: problem(.internalServerError, plainText(of: error))
    }
  }

  /// A page that explains why a browser has no access.
  static func page(_ status: HTTPResponse.Status, title: String, text: String) -> Response {
    let html = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>
      <body><h1>\(title)</h1><p>\(text)</p></body></html>

      """
    return data(Data(html.utf8), type: "text/html; charset=utf-8", status: status)
  }
}

/// A value that is sent as a server-sent event.
protocol ServerEvent: Encodable, Sendable {
  /// The name of the event; `nil` for a plain message.
  var eventName: String? { get }
}
