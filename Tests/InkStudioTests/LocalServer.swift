import Foundation
import HTTPTypes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server on this machine that is asked one request after the other, each over its own connection.
struct LocalServer: Sendable {
  let port: Int

  /// What a server answers: its status, its headers and its body.
  struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var data: Data

    var text: String { String(decoding: data, as: UTF8.self) }
    /// How many bytes of the body have not come yet, or `nil` if the headers do not say.
    var missing: Int? { headers[.contentLength].flatMap(Int.init).map { $0 - data.count } }
    /// The members of a JSON object.
    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:]
    }
    /// What it says is wrong.
    var error: String { json["error"] as? String ?? "" }
  }

  struct Failure: Error {
    var operation: String
    var code = errno
  }

  /// Sends a request for `host`, and reads the answer to its end.
  func ask(
    _ method: HTTPRequest.Method, _ path: String, _ body: Data? = nil, host: String,
    headers: HTTPFields = [:]
  ) async throws -> Answer {
    var request = "\(method.rawValue) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
    for field in headers { request += "\(field.name): \(field.value)\r\n" }
    if let body, headers[.transferEncoding] == nil {
      request += "Content-Length: \(body.count)\r\n"
    }
    let bytes = Data("\(request)\r\n".utf8) + (body ?? Data())
    let answer = try await withCheckedThrowingContinuation { continuation in
      // Not on the threads of tasks, which the server needs.
      Thread.detachNewThread { continuation.resume(with: Result { try exchange(bytes) }) }
    }
    return try parse(answer)
  }

  /// Sends all bytes and returns those that come until the server closes the connection.
  private func exchange(_ bytes: Data) throws -> Data {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let connection = socket(AF_INET, kind, 0)
    guard connection >= 0 else { throw Failure(operation: "socket") }
    defer { close(connection) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, length) }
    }
    guard connected == 0 else { throw Failure(operation: "connect") }
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    // Writing to a closed connection is an error, and not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    var sent = 0
    var state = pollfd(fd: connection, events: Int16(POLLIN | POLLOUT), revents: 0)
    while sent < bytes.count, poll(&state, 1, 60_000) > 0 {
      // A server that refuses a body answers before it has read all of it.
      guard state.revents & Int16(POLLIN | POLLHUP | POLLERR) == 0 else { break }
      let count = bytes.withUnsafeBytes {
        send(connection, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_DONTWAIT))
      }
      guard count > 0 else { break }
      sent += count
    }
    var answer = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(connection, &buffer, buffer.count)
      guard count >= 0 || !answer.isEmpty else { throw Failure(operation: "read") }
      guard count > 0 else { return answer }
      answer += buffer[..<count]
      // A server that waits for the rest of a refused body does not close the connection.
      if let length = try? parse(answer).missing, length <= 0 { return answer }
    }
  }

  private func parse(_ bytes: Data) throws -> Answer {
    guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else {
      throw Failure(operation: "end of the headers", code: 0)
    }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    let words = lines[0].components(separatedBy: " ")
    guard words.count >= 2, let status = Int(words[1]) else {
      throw Failure(operation: "status", code: 0)
    }
    var headers = HTTPFields()
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon]))
      else { throw Failure(operation: "header", code: 0) }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers.append(HTTPField(name: name, value: value))
    }
    var body = Data(bytes[end.upperBound...])
    if headers[.transferEncoding] == "chunked" { body = Self.joined(chunks: body) }
    return Answer(status: status, headers: headers, data: body)
  }

  /// The chunks of a body without their sizes (RFC 9112, section 7.1).
  private static func joined(chunks: Data) -> Data {
    var (rest, result) = (chunks, Data())
    while let line = rest.firstRange(of: Data("\r\n".utf8)),
      let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16),
      size > 0,
      rest.endIndex - line.upperBound >= size
    {
      result += rest[line.upperBound..<line.upperBound + size]
      rest = rest[(line.upperBound + size)...].dropFirst(2)
    }
    return result
  }
}
