import Foundation
import HTTPTypes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A connection that sends what a test wants, byte by byte.
final class RawConnection: Sendable {
  private let descriptor: Int32

  /// Connects to a port of this machine, from one of its addresses.
  init(port: Int, from source: String = "127.0.0.1") throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    func address(_ host: String, _ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(UInt16(port)).bigEndian
      address.sin_addr.s_addr = inet_addr(host)
      return address
    }
    func with(
      _ address: sockaddr_in, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
      var address = address
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    signal(SIGPIPE, SIG_IGN)
    guard descriptor >= 0, with(address(source, 0), bind) == 0,
      with(address("127.0.0.1", port), connect) == 0
    else { throw LocalServer.Failure(operation: "connect") }
  }

  deinit { close(descriptor) }

  /// Waits for the network on a thread of its own, because the server needs those of tasks.
  private func wait<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: work()) }
    }
  }

  private func limit(_ option: Int32, _ seconds: Int) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Sends a text; returns whether the other side took it.
  @discardableResult
  func send(_ text: String) async -> Bool { await send(Data(text.utf8)) }

  @discardableResult
  func send(_ data: Data) async -> Bool {
    await wait { [self] in
      limit(SO_SNDTIMEO, 5)
      return data.withUnsafeBytes { write(descriptor, $0.baseAddress!, data.count) } == data.count
    }
  }

  /// Returns what arrives until the other side closes, or `nil` if it does not within `seconds`.
  func rest(seconds: Int) async -> String? {
    await wait { [self] in
      limit(SO_RCVTIMEO, seconds)
      var (text, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 {
          text += buffer[..<count]
          continue
        }
        // A reset is an end as well.
        guard count == 0 || errno == ECONNRESET else { return nil }
        return String(decoding: text, as: UTF8.self)
      }
    }
  }

  /// Reads one answer of a known length, and returns its first line.
  func answer() async -> String {
    await wait { [self] in
      limit(SO_RCVTIMEO, 60)
      var (text, byte) = ("", [UInt8](repeating: 0, count: 1))
      while !text.hasSuffix("\r\n\r\n"), read(descriptor, &byte, 1) == 1 {
        text += String(decoding: byte, as: UTF8.self)
      }
      let length = text.firstMatch(of: /content-length: ([0-9]+)/.ignoresCase())
        .flatMap { Int($0.1) }
      for _ in 0..<(length ?? 0) where read(descriptor, &byte, 1) != 1 { break }
      return text.components(separatedBy: "\r\n")[0]
    }
  }
}
