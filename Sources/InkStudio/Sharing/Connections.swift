import NIOCore
import Synchronization

/// The open connections of visitors, so that they end when a visitor is sent away.
final class Connections: Sendable {
  /// Who uses a connection.
  enum User: Hashable {
    case device(String)
    case audience
  }

  private let pool: ConnectionPool
  private let channels = Mutex<[User: [ObjectIdentifier: any Channel]]>([:])

  /// Creates an empty list of connections of `pool`.
  init(_ pool: ConnectionPool) { self.pool = pool }

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
    for channel in open.values { pool.close(channel) }
  }
}
