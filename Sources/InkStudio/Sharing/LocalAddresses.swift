import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The names and addresses of this machine in its networks.
enum LocalAddresses {
  /// The IPv4 addresses of all networks, without this machine's own, those of private networks first.
  static var all: [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var addresses: [String] = []
    for entry in sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap(\.self) {
      guard let socket = entry.pointee.ifa_addr, socket.pointee.sa_family == AF_INET else {
        continue
      }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        getnameinfo(
          socket, socklen_t(MemoryLayout<sockaddr_in>.size), &text, socklen_t(text.count), nil, 0,
          NI_NUMERICHOST) == 0
      else { continue }
      let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      addresses.append(String(decoding: bytes, as: UTF8.self))
    }
    let outer = addresses.filter { !$0.hasPrefix("127.") }
    return outer.filter(isPrivate) + outer.filter { !isPrivate($0) }
  }

  /// The name of this machine, in lower case, without its domain.
  static var name: String {
    var text = [CChar](repeating: 0, count: 256)
    guard gethostname(&text, text.count - 1) == 0 else { return "localhost" }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let name = String(decoding: bytes, as: UTF8.self).lowercased()
    let first = name.prefix { $0 != "." }
    let isUsual =
      !first.isEmpty
      && first.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d
      }
    return isUsual ? String(first) : "localhost"
  }

  private static func isPrivate(_ address: String) -> Bool {
    let parts = address.split(separator: ".").compactMap { Int($0) }
    guard parts.count == 4 else { return false }
    switch (parts[0], parts[1]) {
    case (10, _), (192, 168), (172, 16...31): return true
    default: return false
    }
  }
}
