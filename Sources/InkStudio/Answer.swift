import Foundation
import HTTPTypes
import Hummingbird

/// What the server answers with.
enum Answer {
  /// A value as JSON.
  static func json(_ value: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    return data(try encoder.encode(value), type: "application/json")
  }

  /// A document as JSON.
  static func json(_ picture: Message.Picture) -> Response {
    var text = JSONWriter()
    picture.write(to: &text)
    return data(Data(text.bytes), type: "application/json")
  }

  /// Bytes of a media type; with `fileName`, to be saved.
  static func data(_ data: Data, type: String, fileName: String? = nil) -> Response {
    var headers: HTTPFields = [.contentType: type]
    if let fileName { headers[.contentDisposition] = "attachment; filename=\"\(fileName)\"" }
    return Response(
      status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: data)))
  }

  /// A stream of server-sent events, each a value as JSON.
  static func events<Values: AsyncSequence & Sendable>(
    _ values: Values
  ) -> Response where Values.Element: Encodable & Sendable {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream"],
      body: .init { writer in
        let encoder = JSONEncoder()
        for try await value in values {
          try await writer.write(ByteBuffer(string: "data: "))
          try await writer.write(ByteBuffer(bytes: encoder.encode(value)))
          try await writer.write(ByteBuffer(string: "\n\n"))
        }
        try await writer.finish(nil)
      })
  }

  /// What is wrong, in words.
  static func problem(_ status: HTTPResponse.Status, _ text: String) -> Response {
    struct Problem: Encodable {
      var error: String
    }
    let data = (try? JSONEncoder().encode(Problem(error: text))) ?? Data()
    return Response(
      status: status, headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(bytes: data)))
  }
}
