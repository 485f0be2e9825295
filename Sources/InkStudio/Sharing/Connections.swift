import NIOCore
import NIOHTTPTypes
import Synchronization

/// The open connections of visitors, so that they end when a visitor is sent away.
final class Connections: Sendable {
  /// Who uses a connection.
  enum User: Hashable {
    case device(String)
    case audience
  }

  private let channels = Mutex<[User: [ObjectIdentifier: any Channel]]>([:])

  /// Remembers that a visitor uses a connection, until it is closed.
  func add(_ channel: any Channel, of user: User) {
    let id = ObjectIdentifier(channel)
    let isNew = channels.withLock { channels in
      channels[user, default: [:]].updateValue(channel, forKey: id) == nil
    }
    guard isNew else { return }
    channel.closeFuture.whenComplete { [self] _ in
      channels.withLock { channels in
        channels[user]?[id] = nil
        if channels[user]?.isEmpty ?? false { channels[user] = nil }
      }
    }
  }

  /// The number of open connections of a visitor.
  func count(of user: User) -> Int { channels.withLock { $0[user]?.count ?? 0 } }

  /// Closes all connections of a visitor.
  func close(of user: User) {
    let open = channels.withLock { $0.removeValue(forKey: user) } ?? [:]
    for channel in open.values { channel.close(promise: nil) }
  }
}

/// Closes connections of an address that has too many.
final class ConnectionLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  /// The connections of all addresses.
  final class Counts: Sendable {
    /// The maximum number of connections of one address.
    let most: Int
    private let counts = Mutex<[String: Int]>([:])

    init(most: Int) { self.most = most }

    /// Counts a connection, and returns whether the address may have it.
    func add(_ address: String) -> Bool {
      counts.withLock { counts in
        guard counts[address, default: 0] < most else { return false }
        counts[address, default: 0] += 1
        return true
      }
    }

    func remove(_ address: String) {
      counts.withLock { counts in
        counts[address] = counts[address].flatMap { $0 > 1 ? $0 - 1 : nil }
      }
    }
  }

  private let counts: Counts

  init(_ counts: Counts) { self.counts = counts }

  func handlerAdded(context: ChannelHandlerContext) {
    let address = context.channel.remoteAddress?.ipAddress ?? ""
    let channel = context.channel
    if counts.add(address) {
      channel.closeFuture.whenComplete { [counts] _ in counts.remove(address) }
    } else {
      channel.close(promise: nil)
    }
  }
}
